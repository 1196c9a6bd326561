/*
 * `dndbg perf-script PID|NAME|--map FILE`: the text of `perf script`, with the
 * names of the addresses that perf does not know. It goes from stdin to stdout.
 */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/plain.h"
#include "monitor/monitor.h"
#include "monitor/perfmapcommand.h"

enum {
	OPT_MAP = 256,
	OPT_HELP,
	DIGITS_MIN = 4, /* of an address */
};

static const struct option options[] = {
    {"map", required_argument, NULL, OPT_MAP},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static const char unknown[] = "[unknown]";

struct naming {
	pid_t pid; /* the process whose addresses are named; 0: all processes */
	struct code_names names;
	struct map threads; /* by number: yes or no */
	bool ours;          /* the sample that is being read */
	struct str line;
};

static void usage(FILE *out)
{
	fputs("usage: perf script | dndbg perf-script PID|NAME\n"
	      "       perf script | dndbg perf-script --map FILE\n"
	      "The text of perf script with names of .NET methods in place of "
	      "[unknown], without\na restart. The program still runs; or dndbg "
	      "perfmap has written its map while it did,\nand perf script "
	      "--show-mmap-events tells where its files were.\n",
	      out);
}

/* ---- Whose sample it is ------------------------------------------------- */

static bool thread_is_ours(struct naming *n, pid_t tid)
{
	static char yes[] = "y", no[] = "n";
	char *known = map_find(&n->threads, (uint64_t)tid);

	if (!known) {
		known = dbg_may_be_thread(n->pid, tid) ? yes : no;
		map_put(&n->threads, (uint64_t)tid, known);
	}
	return known == yes;
}

/* "123.456:" or "[001]" behind the numbers of a process and its thread. */
static bool is_behind_ids(const char *p)
{
	if (*p == '[')
		return true;
	size_t n = strspn(p, "0123456789.");

	return n && p[n] == ':';
}

// The first line of a sample names its thread: "COMM [PID/]TID [CPU] TIME: ..."
// where COMM may have blanks and digits.
static void sample_begins(struct naming *n, const char *line)
{
	n->ours = true;
	for (const char *p = line; *p && n->pid; p++) {
		char *end;

		if (!isdigit((unsigned char)*p) || p == line || p[-1] != ' ')
			continue;
		long id = strtol(p, &end, 10);
		bool process = *end == '/';

		if (process)
			strtol(end + 1, &end, 10);
		if (*end != ' ' || !is_behind_ids(end + strspn(end, " ")))
			continue;
		n->ours = process ? id == n->pid : thread_is_ours(n, (pid_t)id);
		return;
	}
}

/* ---- Names -------------------------------------------------------------- */

// "ADDRESS [unknown] (FILE)", the address in front of @mark in @line: of code
// in a file perf prints the place in it.
static const char *name_before(struct naming *n, const char *line,
			       const char *mark)
{
	const char *p = mark;

	while (p > line && p[-1] == ' ')
		p--;
	const char *end = p;

	while (p > line && isxdigit((unsigned char)p[-1]))
		p--;
	if (p == mark || end - p < DIGITS_MIN)
		return NULL;
	uint64_t addr = strtoull(p, NULL, 16);
	const char *file = mark + strlen(unknown);
	size_t len = strcspn(file, "\n");

	if (len < 4 || file[len - 1] != ')' || strncmp(file, " (", 2))
		return code_names_find(&n->names, addr);
	uint64_t there = code_names_address(&n->names, file + 2, len - 3, addr);

	return code_names_find(&n->names, there ? there : addr);
}

static void line_name(struct naming *n, const char *line)
{
	const char *from = line, *mark;

	str_clear(&n->line);
	while ((mark = strstr(from, unknown))) {
		const char *name = name_before(n, line, mark);

		str_addn(&n->line, from, (size_t)(mark - from));
		str_add(&n->line, name ? name : unknown);
		from = mark + strlen(unknown);
	}
	str_add(&n->line, from);
}

// "PERF_RECORD_MMAP2 1/1: [0x7f01(0x1000) @ 0x20 00:01 7 8]: r-xs FILE", which
// perf script --show-mmap-events prints.
static void mapping_take(struct naming *n, const char *line)
{
	const char *p = strstr(line, "PERF_RECORD_MMAP");
	unsigned long long start, size, offset;
	long pid;
	int at = 0;

	if (!p ||
	    sscanf(p, "PERF_RECORD_MMAP%*[2] %ld/%*d: [%llx(%llx) @ %llx%n",
		   &pid, &start, &size, &offset, &at) < 4 ||
	    !at || (n->pid && pid != n->pid) || start + size < start)
		return;
	p = strstr(p + at, "]: ");
	if (!p || strlen(p) < 8 || !strchr(p, '\n'))
		return;
	_cleanup_free_ char *path = xstrdup(p + 8);

	path[strcspn(path, "\n")] = 0;
	code_names_map(&n->names, &(struct code_mapping){start, start + size,
							 offset, path});
}

static struct dbg_error *text_name(struct naming *n)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	n->ours = true;
	while (getline(&line, &room, stdin) >= 0) {
		if (!isspace((unsigned char)*line))
			sample_begins(n, line);
		mapping_take(n, line);
		if (n->ours)
			line_name(n, line);
		fputs(n->ours ? str_get(&n->line) : line, stdout);
	}
	return fflush(stdout) || ferror(stdout)
		   ? dbg_err(DBG_E_FILE, "cannot write to stdout")
		   : NULL;
}

/* ---- The command -------------------------------------------------------- */

static struct dbg_error *naming_run(struct dbg *dbg, struct naming *n,
				    const char *what, const char *map)
{
	struct dbg_error *err = NULL;

	if (what)
		err = dbg_program_find(dbg, what, &n->pid);
	if (!err && map)
		err = code_names_load(&n->names, map);
	else if (!err)
		err = dbg_observe(dbg, n->pid);
	if (!err && !map)
		err = code_names_ask(&n->names, dbg);
	return err ? err : text_name(n);
}

int monitor_perf_script_main(struct dbg *dbg, int argc, char **argv)
{
	struct naming n = {0};
	const char *map = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == OPT_MAP) {
			map = optarg;
			continue;
		}
		usage(c == OPT_HELP ? stdout : stderr);
		return c == OPT_HELP ? 0 : 2;
	}
	// With a map the process says whose samples they are.
	if (argc - optind > 1 || (argc == optind && !map)) {
		usage(stderr);
		return 2;
	}
	struct dbg_error *err = naming_run(dbg, &n, argv[optind], map);

	code_names_deinit(&n.names);
	map_deinit(&n.threads);
	str_deinit(&n.line);
	plain_error(err);
	return err ? 1 : 0;
}
