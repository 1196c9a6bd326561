/*
 * `dndbg perfmap PID|NAME`: a map of a running program's code for perf and
 * others that read one; and `dndbg perf-script`, which names the addresses in
 * the text of `perf script`.
 */
#include "monitor/monitor.h"
#include "monitor/watching.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "dbg.h"
#include "front/plain.h"

struct code_names_range {
	uint64_t start, end;
	const char *name; /* foreign text, of one line */
};

/* A part of a file that a process has mapped. */
struct code_mapping {
	uint64_t start, end, offset;
	const char *path;
};

struct code_names {
	struct arena *arena;
	struct code_names_range *v; /* by address */
	size_t n, cap;
	size_t jit, precompiled, stubs; /* how many of each kind */
	bool in_file;                   /* as dbg_code_list() tells */
	struct code_mapping *mappings;
	size_t n_mappings, cap_mappings;
	struct dbg *dbg;  /* is asked for what is not there; or NULL */
	struct map asked; /* by address: a range, or one without a name */
};

/* ---- Names of a program's code by address -------------------------------- */

enum {
	RANGES_MAX = 1 << 22,
	ASKED_MAX = 1 << 20,
	MAPPINGS_MAX = 1 << 16,
	FILE_MODE = 0644, /* perf of another user reads it */
};

static void code_names_deinit(struct code_names *c)
{
	arena_destroy(c->arena);
	free(c->v);
	free(c->mappings);
	map_deinit(&c->asked);
	*c = (struct code_names){0};
}

static void names_add(struct code_names *c, uint64_t start, uint64_t size,
		      const char *name)
{
	if (!size || start + size < start || c->n == RANGES_MAX)
		return;
	mem_grow(&c->v, &c->cap, c->n, sizeof(*c->v));
	c->v[c->n++] = (struct code_names_range){start, start + size, name};
}

static int range_compare(const void *a, const void *b)
{
	const struct code_names_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static void names_sort(struct code_names *c)
{
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), range_compare);
}

static void names_begin(struct code_names *c)
{
	if (!c->arena)
		c->arena = arena_create();
}

// "Ns.Type.Method(int) [tier 1]", on one line.
static const char *range_name(struct code_names *c,
			      const struct dbg_code_range *range)
{
	_cleanup_str_ struct str name = {0};

	str_add(&name, range->name);
	if (range->version)
		str_addf(&name, " [%s]", range->version);
	str_one_line(&name, 0);
	return arena_strdup(c->arena, str_get(&name));
}

static void names_take(void *arg, const struct dbg_code_range *range)
{
	struct code_names *c = arg;

	c->jit += range->kind == DBG_CODE_JIT;
	c->precompiled += range->kind == DBG_CODE_PRECOMPILED;
	c->stubs += range->kind == DBG_CODE_STUBS;
	names_add(c, range->start, range->size, range_name(c, range));
}

/* Take them of a running program, which @dbg looks at. */
static struct dbg_error *code_names_read(struct code_names *c, struct dbg *dbg)
{
	names_begin(c);
	struct dbg_error *err = dbg_code_list(dbg, names_take, c, &c->in_file);

	names_sort(c);
	return err;
}

static void line_take(struct code_names *c, char *line)
{
	char *end, *name;
	uint64_t start = strtoull(line, &end, 16);

	if (end == line || *end != ' ')
		return;
	uint64_t size = strtoull(end, &name, 16);
	if (name == end || *name != ' ')
		return;
	name++;
	name[strcspn(name, "\n")] = 0;
	names_add(c, start, size, arena_strdup(c->arena, name));
}

/*
 * Read names from a file in perf's format: lines "START SIZE NAME", the numbers
 * hexadecimal; other lines are skipped.
 */
static struct dbg_error *code_names_load(struct code_names *c, const char *path)
{
	_cleanup_free_ char *line = NULL;
	FILE *in = fopen(path, "re");
	size_t room = 0;

	if (!in)
		return dbg_err_errno(DBG_E_FILE, errno, "cannot read '%s'",
				     path);
	names_begin(c);
	while (getline(&line, &room, in) >= 0)
		line_take(c, line);
	fclose(in);
	names_sort(c);
	return NULL;
}

static void names_print(const struct code_names *c, struct str *out)
{
	for (size_t i = 0; i < c->n; i++)
		str_addf(out, "%" PRIx64 " %" PRIx64 " %s\n", c->v[i].start,
			 c->v[i].end - c->v[i].start, c->v[i].name);
}

// A name that others can know in a directory that all may write to: made new,
// and put in place when it is whole.
static struct dbg_error *public_write(const char *path, const struct str *text)
{
	_cleanup_free_ char *made = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(made, O_CLOEXEC);
	struct dbg_error *err =
	    fd >= 0 && !fchmod(fd, FILE_MODE)
		? outfile_write(made, text)
		: dbg_err_errno(DBG_E_FILE, errno, "cannot write '%s'", path);

	if (!err && rename(made, path))
		err =
		    dbg_err_errno(DBG_E_FILE, errno, "cannot write '%s'", path);
	if (err && fd >= 0)
		unlink(made);
	if (fd >= 0)
		close(fd);
	return err;
}

/*
 * Write them in that form. @is_public: into a directory that all may write to,
 * under a name that others can know: what is there is replaced, as a whole.
 */
static struct dbg_error *code_names_write(const struct code_names *c,
					  const char *path, bool is_public)
{
	_cleanup_str_ struct str text = {0};

	names_print(c, &text);
	return is_public ? public_write(path, &text)
			 : outfile_write(path, &text);
}

static const struct code_names_range *range_find(const struct code_names *c,
						 uint64_t addr)
{
	size_t low = 0, high = c->n;

	// The last that begins at @addr or before.
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->v[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && addr < c->v[low - 1].end ? &c->v[low - 1] : NULL;
}

static const char *name_ask(struct code_names *c, uint64_t addr)
{
	const struct code_names_range *known = map_find(&c->asked, addr);
	struct code_names_range *made;
	struct dbg_code_range range;

	if (known)
		return known->name;
	made = arena_calloc(c->arena, 1, sizeof(*made));
	if (dbg_code_at(c->dbg, addr, c->arena, &range))
		made->name = range_name(c, &range);
	if (c->asked.n < ASKED_MAX)
		map_put(&c->asked, addr, made);
	return made->name;
}

/* The name of what holds @addr, or NULL. */
static const char *code_names_find(struct code_names *c, uint64_t addr)
{
	const struct code_names_range *range = range_find(c, addr);

	if (range)
		return range->name;
	return c->dbg ? name_ask(c, addr) : NULL;
}

/* ---- Files that are mapped ---------------------------------------------- */

static void code_names_map(struct code_names *c,
			   const struct code_mapping *mapping)
{
	if (c->n_mappings == MAPPINGS_MAX)
		return;
	mem_grow(&c->mappings, &c->cap_mappings, c->n_mappings,
		 sizeof(*c->mappings));
	c->mappings[c->n_mappings] = *mapping;
	c->mappings[c->n_mappings++].path =
	    arena_strdup(c->arena, mapping->path);
}

// The last that was told is there now.
static uint64_t code_names_address(const struct code_names *c, const char *path,
				   size_t n_path, uint64_t offset)
{
	for (size_t i = c->n_mappings; i-- > 0;) {
		const struct code_mapping *m = &c->mappings[i];

		if (offset >= m->offset &&
		    offset - m->offset < m->end - m->start &&
		    strlen(m->path) == n_path && !memcmp(m->path, path, n_path))
			return m->start + (offset - m->offset);
	}
	return 0;
}

/* Ask the running program that @dbg looks at for each address. */
static struct dbg_error *code_names_ask(struct code_names *c, struct dbg *dbg)
{
	struct dbg_mapping *v;
	size_t n;

	names_begin(c);
	struct dbg_error *err = dbg_mapping_list(dbg, c->arena, &v, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		code_names_map(c,
			       &(struct code_mapping){v[i].start, v[i].end,
						      v[i].offset, v[i].path});
	c->dbg = dbg;
	return NULL;
}

/* ---- `dndbg perfmap` ----------------------------------------------------- */

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

// There is nothing to read but that the program has ended. @arg: its pidfd.
static struct dbg_error *jitdump_read(void *arg, bool *ret_ended)
{
	struct pollfd p = {.fd = *(int *)arg, .events = POLLIN};

	*ret_ended = p.fd >= 0 && poll(&p, 1, 0) > 0;
	return NULL;
}

static struct dbg_error *jitdump_run(struct dbg *dbg, struct perfmap *m)
{
	const struct watcher w = {.arg = m};
	struct dbg_jitdump *j = NULL;
	struct watch_result r = {0};
	bool ended;

	watch_signals();
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
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, r.pid, 0);
	const struct watch_source source = {
	    .fd = pidfd, .read = jitdump_read, .arg = &pidfd};
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

/* ---- `dndbg perf-script` ------------------------------------------------- */

/*
 * `dndbg perf-script PID|NAME|--map FILE`: the text of `perf script`, with the
 * names of the addresses that perf does not know. It goes from stdin to stdout.
 */

enum {
	OPT_MAP = 256,
	PERFSCRIPTCOMMAND_OPT_HELP,
	DIGITS_MIN = 4, /* of an address */
};

static const struct option perfscriptcommand_options[] = {
    {"map", required_argument, NULL, OPT_MAP},
    {"help", no_argument, NULL, PERFSCRIPTCOMMAND_OPT_HELP},
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

static void perfscriptcommand_usage(FILE *out)
{
	fputs("perfscriptcommand_usage: perf script | dndbg perf-script "
	      "PID|NAME\n"
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

	while ((c = getopt_long(argc, argv, "", perfscriptcommand_options,
				NULL)) != -1) {
		if (c == OPT_MAP) {
			map = optarg;
			continue;
		}
		perfscriptcommand_usage(
		    c == PERFSCRIPTCOMMAND_OPT_HELP ? stdout : stderr);
		return c == PERFSCRIPTCOMMAND_OPT_HELP ? 0 : 2;
	}
	// With a map the process says whose samples they are.
	if (argc - optind > 1 || (argc == optind && !map)) {
		perfscriptcommand_usage(stderr);
		return 2;
	}
	struct dbg_error *err = naming_run(dbg, &n, argv[optind], map);

	code_names_deinit(&n.names);
	map_deinit(&n.threads);
	str_deinit(&n.line);
	plain_error(err);
	return err ? 1 : 0;
}
