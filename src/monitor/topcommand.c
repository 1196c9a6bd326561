/*
 * `dndbg top`: all .NET programs of this machine, those that use the most of a
 * processor first; refreshed on a terminal. What the kernel tells, and what is
 * read of each runtime's memory from outside: nothing is asked of the programs.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/plain.h"
#include "monitor/monitor.h"
#include "monitor/watching.h"
#include "report/forms.h"

enum {
	OPT_JSON = 256,
	OPT_SECONDS,
	OPT_HELP,
	REFRESH_MS = 1000,
	// the table's title, that of the others, the cursor's
	BESIDE_LINES = 3,
	NAME_WIDTH = 24, // of a program, on a terminal
	LIST_MS = 5000,  // between two looks for programs that are new
	OBSERVED_MAX = 256,
};

static const struct option options[] = {
    {"json", no_argument, NULL, OPT_JSON},
    {"seconds", required_argument, NULL, OPT_SECONDS},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

struct top_program {
	pid_t pid;
	char *name, *runtime, *container;
	struct dbg *dbg; /* looks at it; NULL: it may not be looked at */
	bool listed;     /* it was in the last list of processes */
	uint64_t at;     /* of what follows, nanoseconds */
	struct dbg_usage usage;
	struct dbg_vitals vitals;
	double share;  /* of a processor, since the look before */
	double growth; /* of the heap, bytes a second */
	bool grows;    /* is that known? */
	double paused; /* share of the time that its threads stood */
	double thrown; /* exceptions a second */
	bool counts;   /* are these known? */
};

struct top {
	struct watch_options o;
	struct top_program *v;
	size_t n, cap;
	struct live_table live;
	int64_t next_list, next;
};

static void usage(FILE *out)
{
	fputs("usage: dndbg top [options]\n"
	      "The .NET programs of this machine by their use of processors; "
	      "they are neither\nstopped nor asked for anything. Refreshed on "
	      "a terminal, until Ctrl-C.\n"
	      "\n"
	      "  --seconds N  for so long; without a terminal the table is of "
	      "that time [1]\n"
	      "  --json       as JSON, for programs (docs/monitoring.md)\n",
	      out);
}

/* ---- The programs ------------------------------------------------------- */

static void program_deinit(struct top_program *p)
{
	dbg_destroy(p->dbg);
	free(p->name);
	free(p->runtime);
	free(p->container);
}

// Have a session look at it; a runtime that is not up yet is tried again.
static void program_observe(struct top_program *p)
{
	struct dbg *dbg = NULL;
	struct dbg_error *err = dbg_create(&dbg);

	if (!err)
		err = dbg_observe(dbg, p->pid);
	if (!err)
		dbg_vitals_read(dbg, &p->vitals);
	if (err || !p->vitals.runtime) {
		dbg_destroy(dbg);
		dbg = NULL;
	}
	dbg_error_destroy(err);
	p->dbg = dbg;
}

// A number may have come again, and a process may have become another program.
static bool is_same(const struct top_program *p,
		    const struct dbg_program_info *info)
{
	return p->pid == info->pid && !strcmp(p->name, info->name) &&
	       !strcmp(p->runtime, info->runtime);
}

static void program_list(void *arg, const struct dbg_program_info *info)
{
	struct top *t = arg;

	for (size_t i = 0; i < t->n; i++) {
		if (is_same(&t->v[i], info)) {
			t->v[i].listed = true;
			if (!t->v[i].dbg && i < OBSERVED_MAX)
				program_observe(&t->v[i]);
			return;
		}
	}
	mem_grow(&t->v, &t->cap, t->n, sizeof(*t->v));
	struct top_program *p = &t->v[t->n++];

	*p = (struct top_program){
	    .pid = info->pid,
	    .name = xstrdup(info->name),
	    .runtime = xstrdup(info->runtime),
	    .container = info->container ? xstrdup(info->container) : NULL,
	    .listed = true,
	};
	p->at = clock_ns();
	if (!dbg_usage_of(p->pid, &p->usage))
		p->listed = false;
	else if (t->n <= OBSERVED_MAX)
		program_observe(p);
}

static void top_drop(struct top *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->v[i].listed)
			t->v[n++] = t->v[i];
		else
			program_deinit(&t->v[i]);
	}
	t->n = n;
}

static void top_list(struct top *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->v[i].listed = false;
	dbg_programs(program_list, t);
	top_drop(t);
}

static void program_look(struct top_program *p)
{
	struct dbg_usage usage;
	struct dbg_vitals vitals = {0};
	uint64_t now = clock_ns();
	double past = (double)(now - p->at) / 1e9;

	p->listed = dbg_usage_of(p->pid, &usage) && usage.cpu >= p->usage.cpu;
	if (!p->listed || past <= 0)
		return;
	if (p->dbg)
		dbg_vitals_read(p->dbg, &vitals);
	p->share = (double)(usage.cpu - p->usage.cpu) / 1e9 / past;
	p->grows = vitals.heap_known && p->vitals.heap_known;
	p->growth = ((double)vitals.heap - (double)p->vitals.heap) / past;
	p->counts = vitals.totals_known && p->vitals.totals_known;
	p->paused =
	    (double)(vitals.paused_us - p->vitals.paused_us) / 1e6 / past;
	p->thrown = (vitals.exceptions - p->vitals.exceptions) / past;
	p->usage = usage;
	p->at = now;
	// While it is collected the last is better than none.
	if (!vitals.heap_known) {
		vitals.heap_known = p->vitals.heap_known;
		vitals.heap = p->vitals.heap;
	}
	p->vitals = vitals;
}

static int program_compare(const void *a, const void *b)
{
	const struct top_program *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void top_look(struct top *t)
{
	for (size_t i = 0; i < t->n; i++)
		program_look(&t->v[i]);
	top_drop(t);
	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), program_compare);
}

/* ---- The table ---------------------------------------------------------- */

static uint64_t queued(const struct dbg_pool *pool)
{
	uint64_t n = 0;

	for (size_t i = 0; i < DBG_N_WORK_QUEUES; i++)
		n += pool->queued[i];
	return n;
}

static void put_growth(const struct top_program *p, char ret[QUANTITY_MAX + 1])
{
	double size = p->growth < 0 ? -p->growth : p->growth;

	if (!p->grows) {
		snprintf(ret, QUANTITY_MAX, "-");
		return;
	}
	*ret = p->growth < 0 ? '-' : '+';
	quantity_size((uint64_t)size, ret + 1);
}

static void put_counts(const struct top_program *p,
		       char ret_paused[QUANTITY_MAX],
		       char ret_thrown[QUANTITY_MAX])
{
	snprintf(ret_paused, QUANTITY_MAX, "-");
	snprintf(ret_thrown, QUANTITY_MAX, "-");
	if (!p->counts)
		return;
	quantity_share(p->paused, 1, ret_paused);
	snprintf(ret_thrown, QUANTITY_MAX, "%.0f", p->thrown);
}

// "1/3" and "12": workers that work, and all; what waits for one.
static void put_pool(const struct dbg_vitals *v, char ret_pool[QUANTITY_MAX],
		     char ret_queued[QUANTITY_MAX])
{
	snprintf(ret_pool, QUANTITY_MAX, "-");
	snprintf(ret_queued, QUANTITY_MAX, "-");
	if (!v->runtime)
		return;
	snprintf(ret_pool, QUANTITY_MAX, "%" PRIu32 "/%" PRIu32,
		 v->pool.working, v->pool.workers);
	snprintf(ret_queued, QUANTITY_MAX, "%" PRIu64, queued(&v->pool));
}

static void program_print(const struct top_program *p, int width)
{
	char share[QUANTITY_MAX], rss[QUANTITY_MAX],
	    heap[QUANTITY_MAX] = "-", growth[QUANTITY_MAX + 1],
	    pool[QUANTITY_MAX], work[QUANTITY_MAX], paused[QUANTITY_MAX],
	    thrown[QUANTITY_MAX];

	quantity_share(p->share, 1, share);
	quantity_size(p->usage.resident, rss);
	if (p->vitals.heap_known)
		quantity_size(p->vitals.heap, heap);
	put_growth(p, growth);
	put_counts(p, paused, thrown);
	put_pool(&p->vitals, pool, work);
	plain_printf(stdout,
		     "%7d  %-*.*s  %8s  %8s  %8s  %9s  %8s  %6s  %7" PRIu32
		     "  %7s  %6s  %-14s  %s\n",
		     p->pid, width, width, p->name, share, rss, heap, growth,
		     paused, thrown, p->usage.threads, pool, work, p->runtime,
		     p->container ? p->container : "-");
}

// Of the longest name; on a terminal what comes behind it matters more.
static int name_width(const struct top *t)
{
	size_t width = strlen("PROGRAM");

	for (size_t i = 0; i < t->n; i++)
		if (strlen(t->v[i].name) > width)
			width = strlen(t->v[i].name);
	return t->live.on && width > NAME_WIDTH ? NAME_WIDTH : (int)width;
}

static void table_print(const struct top *t, size_t rows)
{
	int width = name_width(t);

	printf("%7s  %-*s  %8s  %8s  %8s  %9s  %8s  %6s  %7s  %7s  %6s  %-14s  "
	       "%s\n",
	       "PID", width, "PROGRAM", "CPU", "RSS", "HEAP", "A SECOND",
	       "PAUSED", "THROWN", "THREADS", "POOL", "QUEUED", "RUNTIME",
	       "CONTAINER");
	for (size_t i = 0; i < t->n && i < rows; i++)
		program_print(&t->v[i], width);
	if (t->n > rows)
		printf("%7s  and %zu others\n", "", t->n - rows);
}

static cJSON *program_json(const struct top_program *p)
{
	const struct dbg_vitals *v = &p->vitals;
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "pid", p->pid);
	json_add_text(o, "name", p->name);
	json_add_text(o, "runtime", p->runtime);
	json_add_text(o, "container", p->container);
	cJSON_AddNumberToObject(o, "processors", p->share);
	cJSON_AddNumberToObject(o, "residentBytes", (double)p->usage.resident);
	cJSON_AddNumberToObject(o, "threads", p->usage.threads);
	if (v->heap_known)
		cJSON_AddNumberToObject(o, "heapBytes", (double)v->heap);
	if (p->grows)
		cJSON_AddNumberToObject(o, "heapPerSecond", p->growth);
	if (p->counts) {
		cJSON_AddNumberToObject(o, "paused", p->paused);
		cJSON_AddNumberToObject(o, "exceptionsPerSecond", p->thrown);
	}
	if (!v->runtime)
		return o;
	cJSON *pool = cJSON_AddObjectToObject(o, "pool");
	cJSON_AddNumberToObject(pool, "workers", v->pool.workers);
	cJSON_AddNumberToObject(pool, "working", v->pool.working);
	cJSON_AddNumberToObject(pool, "queued", (double)queued(&v->pool));
	return o;
}

static void top_json(const struct top *t, const struct watch_result *r)
{
	cJSON *o = watch_json(r), *v = cJSON_AddArrayToObject(o, "programs");

	for (size_t i = 0; i < t->n; i++)
		cJSON_AddItemToArray(v, program_json(&t->v[i]));
	json_print(o, stdout, true);
}

/* ---- Watching ----------------------------------------------------------- */

static struct dbg_error *top_read(void *arg, bool *ret_ended)
{
	struct top *t = arg;
	int64_t now = clock_ms();
	size_t rows;

	*ret_ended = false;
	if (!t->live.on || now < t->next)
		return NULL;
	t->next = now + REFRESH_MS;
	if (now >= t->next_list) {
		t->next_list = now + LIST_MS;
		top_list(t);
	}
	top_look(t);
	if (live_shows(&t->live, clock_ns(), &rows)) {
		table_print(t, rows - BESIDE_LINES);
		live_shown();
	}
	return NULL;
}

static int top_run(struct top *t)
{
	const struct watcher w = {.arg = t};
	const struct watch_source source = {
	    .fd = -1, .read = top_read, .arg = t};
	struct watch_result r = {0};
	bool ended;

	top_list(t);
	t->next_list = clock_ms() + LIST_MS;
	t->next = clock_ms() + REFRESH_MS;
	watch_source(&t->o, &w, &source, &r, &ended);
	if (!t->live.on)
		top_look(t);
	if (t->o.json)
		top_json(t, &r);
	else if (!t->live.on)
		table_print(t, SIZE_MAX);
	return 0;
}

// Returns -1 to go on, else the exit status.
static int parse(int argc, char **argv, struct top *ret)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == OPT_JSON) {
			ret->o.json = true;
		} else if (c == OPT_SECONDS) {
			if (!watch_seconds(optarg, &ret->o.ms))
				return 2;
		} else {
			usage(c == OPT_HELP ? stdout : stderr);
			return c == OPT_HELP ? 0 : 2;
		}
	}
	if (optind == argc)
		return -1;
	usage(stderr);
	return 2;
}

int monitor_top_main(struct dbg *dbg, int argc, char **argv)
{
	struct top t = {0};

	(void)dbg;
	int status = parse(argc, argv, &t);
	if (status >= 0)
		return status;
	t.live.on = !t.o.json && isatty(STDOUT_FILENO);
	if (!t.o.ms)
		t.o.ms = t.live.on ? INT64_MAX : REFRESH_MS;
	status = top_run(&t);
	for (size_t i = 0; i < t.n; i++)
		program_deinit(&t.v[i]);
	free(t.v);
	return status;
}
