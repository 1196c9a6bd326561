/*
 * `dndbg perfmap PID|NAME`: a map of a running program's code for perf and
 * others that read one.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/plain.h"
#include "monitor/codenames.h"
#include "monitor/monitor.h"
#include "monitor/watching.h"

enum {
	OPT_OUTPUT = 256,
	OPT_JITDUMP,
	OPT_SECONDS,
	OPT_HELP,
};

static const struct option options[] = {
    {"output", required_argument, NULL, OPT_OUTPUT},
    {"jitdump", no_argument, NULL, OPT_JITDUMP},
    {"seconds", required_argument, NULL, OPT_SECONDS},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

struct perfmap {
	struct watch_options o;
	const char *output;
	bool jitdump;
	struct code_names names;
	struct arena *arena;
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dndbg perfmap [options] PID|NAME\n"
	    "The names of a running program's code for perf: of the JIT, "
	    "compiled ahead of time,\nstubs. The program is neither stopped "
	    "nor asked, and needs no restart.\n"
	    "\n"
	    "  --output FILE  the map [/tmp/perf-PID.map, where perf looks "
	    "for it]\n"
	    "  --jitdump      have the runtime write what its JIT compiles for "
	    "perf inject --jit,\n"
	    "                 while perf record -k 1 runs: until Ctrl-C\n"
	    "  --seconds N    for so long\n",
	    out);
}

static void result_print(const struct perfmap *m, pid_t pid)
{
	plain_printf(stdout,
		     "Process %d: %zu methods of the JIT, %zu compiled ahead "
		     "of time, %zu heaps of stubs in %s\n",
		     pid, m->names.jit, m->names.precompiled, m->names.stubs,
		     m->output);
	if (m->names.in_file)
		printf("perf does not use it for this program, whose code lies "
		       "in a file of memory (W^X):\n"
		       "  perf script | dndbg perf-script %d\n",
		       pid);
}

static struct dbg_error *jitdump_read(void *arg, bool *ret_ended)
{
	(void)arg;
	*ret_ended = false;
	return NULL;
}

static struct dbg_error *jitdump_run(struct dbg *dbg, struct perfmap *m)
{
	const struct watcher w = {.arg = m};
	const struct watch_source source = {.fd = -1, .read = jitdump_read};
	struct dbg_jitdump *j = NULL;
	struct watch_result r = {0};
	bool ended;

	struct dbg_error *err = dbg_program_find(dbg, m->o.what, &r.pid);
	if (!err)
		err = dbg_jitdump_open(r.pid, &j);
	if (err)
		return err;
	plain_printf(stdout,
		     "Process %d writes %s until this ends. Meanwhile:\n"
		     "  perf record -k 1 -g -p %d\n"
		     "then:\n"
		     "  perf inject --jit -i perf.data -o perf.jit.data\n",
		     r.pid, dbg_jitdump_path(j), r.pid);
	fflush(stdout);
	watch_source(&m->o, &w, &source, &r, &ended);
	return dbg_jitdump_close(j);
}

static struct dbg_error *perfmap_run(struct dbg *dbg, struct perfmap *m)
{
	bool is_public = !m->output; /* where perf looks */
	pid_t pid;

	struct dbg_error *err = dbg_program_find(dbg, m->o.what, &pid);
	if (!err)
		err = dbg_observe(dbg, pid);
	if (!err)
		err = code_names_read(&m->names, dbg);
	if (!err && !m->output)
		m->output = dbg_perf_map_path(pid, m->arena);
	if (!err && !m->output)
		err = dbg_err(DBG_E_NOT_FOUND, "process %d has ended", pid);
	if (!err)
		err = code_names_write(&m->names, m->output, is_public);
	if (!err)
		result_print(m, pid);
	return err;
}

// Returns -1 to go on, else the exit status.
static int parse(int argc, char **argv, struct perfmap *ret)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == OPT_OUTPUT) {
			ret->output = optarg;
		} else if (c == OPT_JITDUMP) {
			ret->jitdump = true;
		} else if (c == OPT_SECONDS) {
			if (!watch_seconds(optarg, &ret->o.ms))
				return 2;
		} else {
			usage(c == OPT_HELP ? stdout : stderr);
			return c == OPT_HELP ? 0 : 2;
		}
	}
	if (optind != argc - 1) {
		usage(stderr);
		return 2;
	}
	ret->o.what = argv[optind];
	return -1;
}

int monitor_perfmap_main(struct dbg *dbg, int argc, char **argv)
{
	struct perfmap m = {.o.ms = INT64_MAX};

	int status = parse(argc, argv, &m);
	if (status >= 0)
		return status;
	m.arena = arena_create();
	struct dbg_error *err =
	    m.jitdump ? jitdump_run(dbg, &m) : perfmap_run(dbg, &m);

	code_names_deinit(&m.names);
	arena_destroy(m.arena);
	plain_error(err);
	return err ? 1 : 0;
}
