/* `dndbg events gc`: see monitor.h. */
#include "monitor/monitor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "front/plain.h"
#include "report/forms.h"

/* ---- Times and sizes as people read them --------------------------------- */

// Three digits, but no more behind the point than say something.
static const char *three_digits(double n, const char *unit,
				char ret[QUANTITY_MAX])
{
	int digits = n < 9.995 ? 2 : n < 99.95 ? 1 : 0;

	snprintf(ret, QUANTITY_MAX, "%.*f %s", n == 0 ? 0 : digits, n, unit);
	return ret;
}

const char *quantity_time(uint64_t ns, char ret[QUANTITY_MAX])
{
	double n = (double)ns;

	if (n < 999.5e3)
		return three_digits(n / 1e3, "us", ret);
	return n < 999.5e6 ? three_digits(n / 1e6, "ms", ret)
			   : three_digits(n / 1e9, "s", ret);
}

const char *quantity_size(uint64_t bytes, char ret[QUANTITY_MAX])
{
	static const char *const units[] = {"KB", "MB", "GB", "TB"};
	double n = (double)bytes;
	size_t i = 0;

	if (bytes < 1000) {
		snprintf(ret, QUANTITY_MAX, "%u B", (unsigned int)bytes);
		return ret;
	}
	for (n /= 1024; n >= 999.5 && i < 3; i++)
		n /= 1024;
	return three_digits(n, units[i], ret);
}

const char *quantity_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

const char *quantity_share(double part, double whole, char ret[QUANTITY_MAX])
{
	return three_digits(whole > 0 ? part / whole * 100 : 0, "%", ret);
}

/* Compare for qsort. */
static int quantity_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The value below which @percent of the @n sorted @values lie; 0 of none. */
static uint64_t quantity_percentile(const uint64_t *values, size_t n,
				    unsigned int percent)
{
	if (!n)
		return 0;
	size_t rank = (n * percent + 99) / 100;

	return values[rank ? rank - 1 : 0];
}

/* ---- `dndbg events gc` --------------------------------------------------- */

enum {
	GENERATIONS = 3,
	LONGEST = 8, // collections that are listed
	THREADS_LISTED = 3,
};

struct gc_list {
	struct dbg_gc *v;
	size_t n, cap;
	uint64_t paused;
	bool print; /* each when it is over */
	bool lines; /* ... as JSON */
	struct live_table live;
	struct watch_result r;
	uint64_t origin; /* of the times */
	struct dbg_gcs *gcs;
	struct dbg_trace *trace;
};

static const char *const kinds[] = {
    [DBG_GC_BLOCKING] = "blocking",
    [DBG_GC_BACKGROUND] = "background",
    [DBG_GC_FOREGROUND] = "foreground",
    [DBG_GC_UNKNOWN] = "",
};

/* ---- One collection ---------------------------------------------------- */

static void row_title(void)
{
	printf("%9s  %6s  %3s  %-10s  %9s  %9s  %9s  %s\n", "TIME", "NUMBER",
	       "GEN", "KIND", "PAUSE", "PROMOTED", "HEAP", "CAUSE");
}

static void row(const struct dbg_gc *gc, uint64_t origin)
{
	char pause[QUANTITY_MAX], promoted[QUANTITY_MAX], heap[QUANTITY_MAX];

	printf(
	    "%7.3f s  %6" PRIu64 "  %3" PRIu32 "  %-10s  %9s  %9s  %9s  %s\n",
	    (double)(int64_t)(gc->began - origin) / 1e9, gc->number,
	    gc->generation, kinds[gc->kind], quantity_time(gc->paused, pause),
	    gc->sized ? quantity_size(gc->promoted, promoted) : "-",
	    gc->sized ? quantity_size(gc->heap, heap) : "-",
	    gc->cause ? gc->cause : "-");
}

static cJSON *row_json(const struct dbg_gc *gc, uint64_t origin)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "time",
				(double)(int64_t)(gc->began - origin) / 1e9);
	cJSON_AddNumberToObject(o, "number", (double)gc->number);
	cJSON_AddNumberToObject(o, "generation", gc->generation);
	if (*kinds[gc->kind])
		cJSON_AddStringToObject(o, "kind", kinds[gc->kind]);
	json_add_text(o, "cause", gc->cause);
	cJSON_AddNumberToObject(o, "pauseMs", (double)gc->paused / 1e6);
	cJSON_AddNumberToObject(o, "pauses", gc->pauses);
	cJSON_AddNumberToObject(o, "durationMs", (double)gc->lasted / 1e6);
	if (gc->sized) {
		cJSON_AddNumberToObject(o, "promotedBytes",
					(double)gc->promoted);
		cJSON_AddNumberToObject(o, "heapBytes", (double)gc->heap);
	}
	if (gc->tid)
		cJSON_AddNumberToObject(o, "thread", (double)gc->tid);
	return o;
}

static void gc_take(void *arg, const struct dbg_gc *gc)
{
	struct gc_list *list = arg;

	if (list->print && !list->n)
		row_title();
	if (list->print) {
		row(gc, list->origin);
		fflush(stdout);
	}
	if (list->lines)
		json_line_print(row_json(gc, list->origin));
	// It may be gone when its name is wanted.
	dbg_trace_thread_name(list->trace, gc->tid);
	mem_grow(&list->v, &list->cap, list->n, sizeof(*list->v));
	list->v[list->n++] = *gc;
	list->paused += gc->paused;
}

static void event(void *arg, const struct dbg_trace_event *e)
{
	struct gc_list *list = arg;

	dbg_gcs_event(list->gcs, e);
}

static void progress(void *arg, struct str *text)
{
	const struct gc_list *list = arg;
	char pause[QUANTITY_MAX];

	str_addf(text, "%zu collections, %s of pauses", list->n,
		 quantity_time(list->paused, pause));
}

/* ---- All together ------------------------------------------------------ */

struct pauses {
	uint64_t *v; /* sorted */
	size_t n;
	uint64_t sum;
};

// Pauses by collections of one generation, or of all (@generation < 0).
static struct pauses pauses_of(const struct gc_list *list, int generation)
{
	struct pauses p = {.v = xcalloc(list->n + 1, sizeof(*p.v))};

	for (size_t i = 0; i < list->n; i++) {
		const struct dbg_gc *gc = &list->v[i];

		if (generation >= 0 && gc->generation != (uint32_t)generation)
			continue;
		p.v[p.n++] = gc->paused;
		p.sum += gc->paused;
	}
	qsort(p.v, p.n, sizeof(*p.v), quantity_compare);
	return p;
}

static void print_pauses(const char *name, const struct pauses *p,
			 uint64_t time)
{
	char sum[QUANTITY_MAX], half[QUANTITY_MAX], most[QUANTITY_MAX],
	    longest[QUANTITY_MAX], share[QUANTITY_MAX];

	if (p->n)
		printf("%-12s  %6zu  %9s  %9s  %9s  %9s  %9s\n", name, p->n,
		       quantity_time(p->sum, sum),
		       quantity_share((double)p->sum, (double)time, share),
		       quantity_time(quantity_percentile(p->v, p->n, 50), half),
		       quantity_time(quantity_percentile(p->v, p->n, 99), most),
		       quantity_time(p->v[p->n - 1], longest));
}

static void print_table(const struct gc_list *list, uint64_t time)
{
	static const char *const names[GENERATIONS] = {
	    "generation 0", "generation 1", "generation 2"};

	printf("%-12s  %6s  %9s  %9s  %9s  %9s  %9s\n", "", "COUNT", "PAUSED",
	       "OF TIME", "MEDIAN", "99 %", "LONGEST");
	for (int i = -1; i < GENERATIONS; i++) {
		int generation = i < 0 ? -1 : i;
		struct pauses p = pauses_of(list, generation);

		print_pauses(i < 0 ? "all" : names[i], &p, time);
		free(p.v);
	}
}

static void print_causes(const struct gc_list *list)
{
	struct tally t = {0};

	for (size_t i = 0; i < list->n; i++)
		tally_add(
		    tally_at(&t,
			     list->v[i].cause ? list->v[i].cause : "not told",
			     0),
		    1);
	tally_sort(&t);
	printf("caused by     ");
	for (size_t i = 0; i < t.n; i++)
		printf("%s%s (%" PRIu64 ")", i ? ", " : "", t.rows[i]->text,
		       t.rows[i]->n);
	putchar('\n');
	tally_deinit(&t);
}

// Count collections by the thread that caused them; the text is its name.
static struct tally tally_threads(const struct gc_list *list)
{
	struct tally t = {0};

	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].tid)
			tally_add(tally_at(&t,
					   dbg_trace_thread_name(
					       list->trace, list->v[i].tid),
					   list->v[i].tid),
				  1);
	tally_sort(&t);
	return t;
}

static void print_threads(const struct gc_list *list)
{
	struct tally t = tally_threads(list);

	for (size_t i = 0; i < t.n && i < THREADS_LISTED; i++)
		plain_printf(stdout, "%s%" PRIu64 " '%s' (%" PRIu64 ")",
			     i ? ", " : "in threads    ", t.rows[i]->key,
			     t.rows[i]->text, t.rows[i]->n);
	if (t.n > THREADS_LISTED)
		printf(", and %zu more", t.n - THREADS_LISTED);
	if (t.n)
		putchar('\n');
	tally_deinit(&t);
}

static int by_pause(const void *a, const void *b)
{
	const struct dbg_gc *x = a, *y = b;

	if (x->paused != y->paused)
		return x->paused < y->paused ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

static void print_longest(const struct gc_list *list)
{
	_cleanup_free_ struct dbg_gc *v = xcalloc(list->n, sizeof(*v));
	size_t n = list->n < LONGEST ? list->n : LONGEST;

	memcpy(v, list->v, list->n * sizeof(*v));
	qsort(v, list->n, sizeof(*v), by_pause);
	printf(n < list->n ? "\nThe %zu longest pauses:\n"
			   : "\nAll %zu, the longest pause first:\n",
	       n);
	row_title();
	for (size_t i = 0; i < n; i++)
		row(&v[i], list->origin);
}

static void print_all(const struct gc_list *list, const struct watch_result *r)
{
	uint64_t time = r->ended - r->began, other, n_other;
	char paused[QUANTITY_MAX], text[WATCH_TIME_MAX];

	watch_title(r);
	printf("%zu collections%s\n", list->n, watch_time(r, text));
	dbg_gcs_other(list->gcs, &other, &n_other);
	if (list->n) {
		putchar('\n');
		print_table(list, time);
		print_causes(list);
		print_threads(list);
	}
	if (n_other)
		printf("other pauses  %" PRIu64 ", %s in all: not for the "
		       "collector\n",
		       n_other, quantity_time(other, paused));
	if (list->n && !list->print)
		print_longest(list);
}

static void add_summary(cJSON *o, const struct gc_list *list, uint64_t time)
{
	struct pauses p = pauses_of(list, -1);
	uint64_t other, n_other;

	dbg_gcs_other(list->gcs, &other, &n_other);
	cJSON_AddNumberToObject(o, "pausedMs", (double)p.sum / 1e6);
	cJSON_AddNumberToObject(o, "pausedShare",
				(double)p.sum / (double)(time ? time : 1));
	cJSON_AddNumberToObject(
	    o, "medianMs", (double)quantity_percentile(p.v, p.n, 50) / 1e6);
	cJSON_AddNumberToObject(o, "percentile99Ms",
				(double)quantity_percentile(p.v, p.n, 99) /
				    1e6);
	cJSON_AddNumberToObject(
	    o, "longestMs", (double)quantity_percentile(p.v, p.n, 100) / 1e6);
	cJSON_AddNumberToObject(o, "otherPauses", (double)n_other);
	cJSON_AddNumberToObject(o, "otherPausedMs", (double)other / 1e6);
	free(p.v);
}

static void add_threads(cJSON *o, const struct gc_list *list)
{
	struct tally t = tally_threads(list);
	cJSON *array = cJSON_AddArrayToObject(o, "threads");

	for (size_t i = 0; i < t.n; i++) {
		cJSON *one = cJSON_CreateObject();

		cJSON_AddNumberToObject(one, "tid", (double)t.rows[i]->key);
		json_add_text(one, "name", t.rows[i]->text);
		cJSON_AddNumberToObject(one, "collections",
					(double)t.rows[i]->n);
		cJSON_AddItemToArray(array, one);
	}
	tally_deinit(&t);
}

static void json_all(const struct gc_list *list, const struct watch_result *r)
{
	cJSON *o = watch_json(r);

	add_summary(o, list, r->ended - r->began);
	add_threads(o, list);
	cJSON *array = cJSON_AddArrayToObject(o, "collections");
	for (size_t i = 0; i < list->n; i++)
		cJSON_AddItemToArray(array,
				     row_json(&list->v[i], list->origin));
	json_print(o, stdout, !list->lines);
}

// On a terminal, show what there is so far.
static void gc_tick(void *arg, uint64_t now)
{
	struct gc_list *list = arg;
	size_t rows;

	if (!list->n || !live_shows(&list->live, now, &rows))
		return;
	watch_so_far(&list->r, list->origin, now);
	print_all(list, &list->r);
	live_shown();
}

struct dbg_error *gc_events(struct dbg *dbg, const struct watch_options *o)
{
	const struct dbg_trace_request req = {.providers = dbg_gcs_provider(),
					      .n_providers = 1};
	struct gc_list list = {
	    .print = o->each && !o->json,
	    .lines = o->each && o->json,
	    .live.on = !o->each && !o->json && isatty(STDOUT_FILENO),
	};
	const struct watcher w = {.arg = &list,
				  .began = &list.origin,
				  .event = event,
				  .tick = gc_tick,
				  .progress = progress};

	(void)dbg;
	list.gcs = dbg_gcs_create(gc_take, &list);
	struct dbg_error *err = watch_trace(o, &req, &w, &list.trace, &list.r);
	if (!err && !o->json)
		live_end(&list.live);
	if (!err && o->json)
		json_all(&list, &list.r);
	else if (!err)
		print_all(&list, &list.r);
	dbg_trace_close(list.trace);
	dbg_gcs_destroy(list.gcs);
	free(list.v);
	return err;
}
