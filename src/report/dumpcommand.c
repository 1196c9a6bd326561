/*
 * `dndbg dump PID|NAME`: a core file of a program that runs, which stands still
 * while it is written and then goes on.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/cli/oneshot.h"
#include "front/plain.h"
#include "report/report.h"

enum {
	OPT_TYPE = 256,
	OPT_COMPRESS,
	OPT_SNAPSHOT,
	OPT_HELP,
};

static const struct option options[] = {
    {"type", required_argument, NULL, OPT_TYPE},
    {"kind", required_argument, NULL, OPT_TYPE},
    {"compress", no_argument, NULL, OPT_COMPRESS},
    {"snapshot", no_argument, NULL, OPT_SNAPSHOT},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

struct dump_options {
	struct dbg_core_options core;
	const char *what, *path;
	bool snapshot;
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dndbg dump [options] PID|NAME\n"
	    "Write a core file of a running program, which then goes on.\n"
	    "\n"
	    "  --type full      all its memory [this]\n"
	    "  --type heap      without what is in the files that it maps\n"
	    "  --type mini      what shows the stacks of all threads: some MB\n"
	    "  --compress       by gzip; \"dndbg core\" reads it as it is\n"
	    "  --snapshot       of a copy: the program stands still for some\n"
	    "                   milliseconds only\n"
	    "  -o, --output FILE\n"
	    "                   [core.PID]\n",
	    out);
}

// Returns -1 to go on, else the exit status.
static int parse(int argc, char **argv, struct dump_options *ret)
{
	int c;

	while ((c = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (c == 'o') {
			ret->path = optarg;
		} else if (c == OPT_COMPRESS) {
			ret->core.compress = true;
		} else if (c == OPT_SNAPSHOT) {
			ret->snapshot = true;
		} else if (c == OPT_TYPE && !strcmp(optarg, "full")) {
			ret->core.kind = DBG_CORE_FULL;
		} else if (c == OPT_TYPE && !strcmp(optarg, "heap")) {
			ret->core.kind = DBG_CORE_HEAP;
		} else if (c == OPT_TYPE && !strcmp(optarg, "mini")) {
			ret->core.kind = DBG_CORE_MINI;
		} else if (c == OPT_TYPE) {
			fprintf(stderr,
				"dndbg: '%s' is no type of core file: there "
				"are full, heap and mini\n",
				optarg);
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
	ret->what = argv[optind];
	return -1;
}

static struct dbg_error *dump(struct dbg *dbg, const struct dump_options *o)
{
	struct dbg_inferior inf;
	struct dbg_stopped at;
	uint64_t size;

	const struct dbg_attach how = {.snapshot = o->snapshot};
	struct dbg_error *err = open_process(dbg, o->what, &how);
	if (err)
		return err;
	dbg_inferior_get(dbg, &inf);
	_cleanup_free_ char *path =
	    o->path ? xstrdup(o->path) : xasprintf("core.%d", (int)inf.pid);
	err = dbg_stopped(dbg, &at);
	if (!err)
		err = dbg_core_write(at, path, &o->core, &size);
	err = dbg_err_first(err, dbg_detach(dbg, false));
	if (!err)
		plain_printf(stdout, "%s\n", path);
	return err;
}

int report_dump_main(struct dbg *dbg, int argc, char **argv)
{
	struct dump_options o = {.core.kind = DBG_CORE_FULL};

	int status = parse(argc, argv, &o);
	if (status >= 0)
		return status;
	struct dbg_error *err = dump(dbg, &o);
	if (!err)
		return 0;
	plain_error(err);
	return 1;
}
