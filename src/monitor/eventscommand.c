/* `dndbg events KIND PID|NAME`: a table of what a runtime can be asked for. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/plain.h"
#include "monitor/monitor.h"
#include "monitor/watching.h"
#include "monitor/where.h"
#include "report/forms.h"

/* ---- Lists ----------------------------------------------------------- */

/*
 * `dndbg events exceptions`, `alloc`, `contention`, `jit` and `threadpool`:
 * things that happen, each counted by its kind.
 */

enum {
	ROWS_LISTED = 20,
	MESSAGE_MAX = 60, // bytes of a message that are shown
	WAITING_MAX = 1 << 16,
	LOCKS_NAMED = 200, // by their objects' types
};

struct list_kind;

struct event_list {
	const struct watch_options *o;
	struct dbg_trace *trace;
	uint64_t origin;
	struct arena *arena; /* reset for each event */
	struct tally rows;
	struct tally beside; /* exceptions: where caught; jit: by version */
	struct tally sites;  /* where they come from */
	struct where *where; /* NULL: it is not asked for */
	uint64_t n, sum;     /* of all rows */
	uint64_t again;      /* exceptions that were thrown again; how often
				the pool starved */
	struct map waiting;  /* contention: struct lock_wait by the thread */
	struct map compiled; /* jit: when it began, by thread and method */
	bool managed_ids;    /* contention: owners are told by managed ids */
	struct live_table live;
	size_t n_listed; /* rows of each table */
	struct watch_result r;
	const struct list_kind *kind;
};

/* One kind of list. */
struct list_kind {
	dbg_trace_fn *event;
	bool has_sites; /* its events are told with stacks */
	void (*print)(struct event_list *l);
	void (*add)(const struct event_list *l, cJSON *o);
};

static void list_progress(void *arg, struct str *text)
{
	const struct event_list *l = arg;

	str_addf(text, "%" PRIu64, l->n);
}

static void list_deinit(struct event_list *l)
{
	dbg_trace_close(l->trace);
	tally_deinit(&l->rows);
	tally_deinit(&l->beside);
	tally_deinit(&l->sites);
	where_close(l->where);
	map_clear_free(&l->waiting);
	map_deinit(&l->waiting);
	map_clear_free(&l->compiled);
	map_deinit(&l->compiled);
	arena_destroy(l->arena);
}

static void list_sort(struct event_list *l)
{
	tally_sort(&l->rows);
	tally_sort(&l->beside);
	tally_sort(&l->sites);
}

// On a terminal, show what there is so far.
static void list_tick(void *arg, uint64_t now)
{
	struct event_list *l = arg;
	size_t n_tables = 1 + (l->beside.n != 0) + (l->sites.n != 0), rows;

	if (!l->n || !live_shows(&l->live, now, &rows))
		return;
	watch_so_far(&l->r, l->origin, now);
	// Of each table its title, the line above it and that of the rest; what
	// is said in front of them, and the line of the cursor.
	size_t others =
	    3 * n_tables + 2 + (l->r.watched != 0) + (l->again != 0);

	rows -= rows > others ? others : rows - 1;
	l->n_listed = rows / n_tables;
	list_sort(l);
	l->kind->print(l);
	live_shown();
}

static void sites_missing(const struct event_list *l)
{
	const struct dbg_error *why = l->where ? where_missing(l->where) : NULL;

	if (why && l->n)
		plain_printf(stderr, "dndbg: where is not told: %s\n",
			     why->message);
}

static void list_end(struct event_list *l)
{
	l->n_listed = ROWS_LISTED;
	list_sort(l);
	if (l->o->json) {
		cJSON *o = watch_json(&l->r);

		l->kind->add(l, o);
		json_print(o, stdout, !l->o->each);
	} else {
		live_end(&l->live);
		l->kind->print(l);
	}
	sites_missing(l);
}

static struct dbg_error *list_watch(struct dbg *dbg, struct event_list *l,
				    const struct dbg_trace_provider *provider,
				    const struct list_kind *kind)
{
	bool sites = kind->has_sites && !l->o->no_stacks;
	const struct dbg_trace_request req = {
	    .providers = provider, .n_providers = 1, .stacks = sites};
	const struct watcher w = {.arg = l,
				  .began = &l->origin,
				  .event = kind->event,
				  .tick = list_tick,
				  .progress = list_progress};

	l->arena = arena_create();
	l->kind = kind;
	l->live.on = !l->o->json && !l->o->each && isatty(STDOUT_FILENO);
	if (sites || l->o->caught)
		l->where = where_open(dbg, l->o->pid);
	struct dbg_error *err = watch_trace(l->o, &req, &w, &l->trace, &l->r);
	if (!err)
		list_end(l);
	list_deinit(l);
	return err;
}

static size_t listed(const struct event_list *l, const struct tally *t)
{
	return t->n < l->n_listed ? t->n : l->n_listed;
}

static void print_more(const struct event_list *l, const struct tally *t)
{
	if (t->n > listed(l, t))
		printf("and %zu more (--json has all)\n", t->n - listed(l, t));
}

// Count an event of that @amount where it comes from. Returns NULL if that is
// not known.
static const char *site_add(struct event_list *l,
			    const struct dbg_trace_event *e, uint64_t amount)
{
	const char *where = l->where ? where_of(l->where, e) : NULL;

	if (where)
		tally_add(tally_at(&l->sites, where, 0), amount);
	return where;
}

static bool list_prints(const struct event_list *l)
{
	return l->o->each && !l->o->json;
}

// A line of JSON for an event; NULL: none is wanted.
static cJSON *list_line(const struct event_list *l,
			const struct dbg_trace_event *e)
{
	return l->o->each && l->o->json ? json_line(e->time, l->origin) : NULL;
}

static void line_end(cJSON *o, const char *where)
{
	if (where)
		json_add_text(o, "method", where);
	json_line_print(o);
}

static void print_when(const struct event_list *l,
		       const struct dbg_trace_event *e)
{
	printf("%7.3f s  ", (double)(int64_t)(e->time - l->origin) / 1e9);
}

/* ---- Exceptions -------------------------------------------------------- */

static void take_throw(struct event_list *l, const struct dbg_trace_event *e,
		       const struct dbg_told_throw *x)
{
	struct tally_row *row = tally_at(&l->rows, x->type, 0);

	tally_add(row, 1);
	str_set(&row->last, x->message);
	l->n++;
	l->again += x->again;
	const char *where = site_add(l, e, 1);
	cJSON *line = list_line(l, e);

	if (line) {
		json_add_text(line, "type", x->type);
		json_add_text(line, "message", x->message);
		line_end(line, where);
	}
	if (!list_prints(l))
		return;
	print_when(l, e);
	plain_printf(stdout, "%s: %s%s%s\n", x->type, x->message,
		     where ? " in " : "", where ? where : "");
	fflush(stdout);
}

static void take_catch(struct event_list *l, const struct dbg_told_catch *x)
{
	const char *method = l->where ? where_at(l->where, x->handler) : NULL;

	tally_add(tally_at(&l->beside, method ? method : x->method, 0), 1);
}

static void exception_event(void *arg, const struct dbg_trace_event *e)
{
	struct event_list *l = arg;
	struct dbg_told_throw x;
	struct dbg_told_catch caught;

	arena_reset(l->arena);
	if (dbg_told_throw(e, l->arena, &x))
		take_throw(l, e, &x);
	else if (dbg_told_catch(e, l->arena, &caught))
		take_catch(l, &caught);
}

static void counts_print(const struct event_list *l, const struct tally *t,
			 const char *title)
{
	if (t->n)
		printf("\n%8s  %s\n", "COUNT", title);
	for (size_t i = 0; i < listed(l, t); i++) {
		printf("%8" PRIu64 "  ", t->rows[i]->n);
		plain_printf(stdout, "%s\n", t->rows[i]->text);
	}
	print_more(l, t);
}

static void exceptions_print(struct event_list *l)
{
	char time[WATCH_TIME_MAX];

	watch_title(&l->r);
	printf("%" PRIu64 " exception%s%s, %.1f a second\n", l->n,
	       quantity_plural(l->n), watch_time(&l->r, time),
	       (double)l->n / watch_length(&l->r));
	if (l->r.watched)
		printf("More than %d events a second would slow the program: "
		       "these are of a part of the time; --all has all\n",
		       WATCH_PACE);
	if (l->n)
		printf("\n%8s  %9s  %s\n", "COUNT", "A SECOND",
		       "TYPE, LAST MESSAGE");
	for (size_t i = 0; i < listed(l, &l->rows); i++) {
		const struct tally_row *row = l->rows.rows[i];

		printf("%8" PRIu64 "  %9.1f  ", row->n,
		       (double)row->n / watch_length(&l->r));
		plain_printf(stdout, "%s: %.*s\n", row->text, MESSAGE_MAX,
			     row->last);
	}
	print_more(l, &l->rows);
	if (l->again)
		printf("%" PRIu64 " of them were thrown again\n", l->again);
	counts_print(l, &l->sites, "THROWN IN");
	counts_print(l, &l->beside, "CAUGHT IN");
}

static void counts_add(const struct tally *t, cJSON *o, const char *name)
{
	cJSON *all = cJSON_AddArrayToObject(o, name);

	for (size_t i = 0; i < t->n; i++) {
		cJSON *one = cJSON_CreateObject();

		json_add_text(one, "method", t->rows[i]->text);
		cJSON_AddNumberToObject(one, "count", (double)t->rows[i]->n);
		cJSON_AddItemToArray(all, one);
	}
}

static void exceptions_add(const struct event_list *l, cJSON *o)
{
	cJSON_AddNumberToObject(o, "count", (double)l->n);
	cJSON_AddNumberToObject(o, "thrownAgain", (double)l->again);
	cJSON *types = cJSON_AddArrayToObject(o, "types");
	for (size_t i = 0; i < l->rows.n; i++) {
		cJSON *one = cJSON_CreateObject();

		json_add_text(one, "type", l->rows.rows[i]->text);
		cJSON_AddNumberToObject(one, "count",
					(double)l->rows.rows[i]->n);
		json_add_text(one, "lastMessage", l->rows.rows[i]->last);
		cJSON_AddItemToArray(types, one);
	}
	if (l->where)
		counts_add(&l->sites, o, "thrownIn");
	if (l->o->caught)
		counts_add(&l->beside, o, "caughtIn");
}

static struct dbg_error *exception_events(struct dbg *dbg,
					  const struct watch_options *o)
{
	static const struct list_kind kind = {
	    .event = exception_event,
	    .has_sites = true,
	    .print = exceptions_print,
	    .add = exceptions_add,
	};
	struct event_list l = {.o = o};

	return list_watch(
	    dbg, &l, o->caught ? dbg_catches_provider() : dbg_throws_provider(),
	    &kind);
}

/* ---- Allocations ------------------------------------------------------- */

static void allocation_event(void *arg, const struct dbg_trace_event *e)
{
	struct event_list *l = arg;
	struct dbg_told_allocation x;
	char size[QUANTITY_MAX];

	arena_reset(l->arena);
	if (!dbg_told_allocation(e, l->arena, &x))
		return;
	struct tally_row *row = tally_at(&l->rows, x.type, x.large);
	tally_add(row, x.bytes);
	row->with += x.size ? x.bytes / x.size : 0;
	l->n++;
	l->sum += x.bytes;
	const char *where = site_add(l, e, x.bytes);
	cJSON *line = list_line(l, e);

	if (line) {
		json_add_text(line, "type", x.type);
		cJSON_AddNumberToObject(line, "size", (double)x.size);
		cJSON_AddNumberToObject(line, "bytes", (double)x.bytes);
		line_end(line, where);
	}
	if (!list_prints(l))
		return;
	print_when(l, e);
	plain_printf(stdout, "%9s  %s%s%s\n", quantity_size(x.size, size),
		     x.type, where ? " in " : "", where ? where : "");
	fflush(stdout);
}

static void bytes_print(const struct event_list *l, const struct tally *t,
			const char *title)
{
	char sum[QUANTITY_MAX], share[QUANTITY_MAX];

	if (t->n)
		printf("\n%9s  %8s  %8s  %s\n", "BYTES", "OF ALL", "SAMPLES",
		       title);
	for (size_t i = 0; i < listed(l, t); i++) {
		const struct tally_row *row = t->rows[i];

		printf("%9s  %8s  %8" PRIu64 "  ", quantity_size(row->sum, sum),
		       quantity_share((double)row->sum, (double)l->sum, share),
		       row->n);
		plain_printf(stdout, row->key ? "%s (large)\n" : "%s\n",
			     row->text);
	}
	print_more(l, t);
}

static void allocations_print(struct event_list *l)
{
	char time[WATCH_TIME_MAX], sum[QUANTITY_MAX], rate[QUANTITY_MAX];

	watch_title(&l->r);
	printf("about %s allocated%s, %s a second (%" PRIu64 " samples)\n",
	       quantity_size(l->sum, sum), watch_time(&l->r, time),
	       quantity_size((uint64_t)((double)l->sum / watch_length(&l->r)),
			     rate),
	       l->n);
	bytes_print(l, &l->rows, "TYPE");
	bytes_print(l, &l->sites, "ALLOCATED IN");
}

static void allocations_add(const struct event_list *l, cJSON *o)
{
	cJSON_AddNumberToObject(o, "bytes", (double)l->sum);
	cJSON_AddNumberToObject(o, "samples", (double)l->n);
	cJSON *types = cJSON_AddArrayToObject(o, "types");
	for (size_t i = 0; i < l->rows.n; i++) {
		const struct tally_row *row = l->rows.rows[i];
		cJSON *one = cJSON_CreateObject();

		json_add_text(one, "type", row->text);
		cJSON_AddBoolToObject(one, "large", row->key);
		cJSON_AddNumberToObject(one, "bytes", (double)row->sum);
		if (row->with)
			cJSON_AddNumberToObject(one, "objects",
						(double)row->with);
		cJSON_AddNumberToObject(one, "samples", (double)row->n);
		cJSON_AddItemToArray(types, one);
	}
	cJSON *sites =
	    l->where ? cJSON_AddArrayToObject(o, "allocatedIn") : NULL;

	for (size_t i = 0; i < l->sites.n; i++) {
		const struct tally_row *row = l->sites.rows[i];
		cJSON *one = cJSON_CreateObject();

		json_add_text(one, "method", row->text);
		cJSON_AddNumberToObject(one, "bytes", (double)row->sum);
		cJSON_AddNumberToObject(one, "samples", (double)row->n);
		cJSON_AddItemToArray(sites, one);
	}
}

static struct dbg_error *allocation_events(struct dbg *dbg,
					   const struct watch_options *o)
{
	static const struct list_kind kind = {
	    .event = allocation_event,
	    .has_sites = true,
	    .print = allocations_print,
	    .add = allocations_add,
	};
	struct event_list l = {.o = o};
	uint32_t version;

	struct dbg_error *err = dbg_runtime_version(o->pid, &version);
	return err ? err
		   : list_watch(dbg, &l, dbg_allocations_provider(version),
				&kind);
}

/* ---- Contention -------------------------------------------------------- */

/* What a thread waits for, and where. */
struct lock_wait {
	struct tally_row *lock, *site; /* site: NULL: not known */
};

// Name the object's type in the row of its lock, which has no text yet.
static void lock_name(const struct event_list *l, struct tally_row *row)
{
	const char *type = *row->text || !l->where || l->rows.n > LOCKS_NAMED
			       ? NULL
			       : where_lock_type(l->where, row->key);

	if (type)
		str_set(&row->text, type);
}

static char *owner_text(const struct event_list *l, uint64_t owner)
{
	if (!owner)
		return xstrdup("");
	if (l->managed_ids)
		return xasprintf("managed thread %" PRIu64, owner);
	const char *name = dbg_trace_thread_name(l->trace, owner);

	return *name ? xasprintf("%" PRIu64 " '%s'", owner, name)
		     : xasprintf("%" PRIu64, owner);
}

static void lock_wait_began(struct event_list *l,
			    const struct dbg_trace_event *e,
			    const struct dbg_told_wait *x)
{
	struct tally_row *row = tally_at(&l->rows, "", x->lock);
	_cleanup_free_ char *owner = owner_text(l, x->owner);

	row->with = x->object;
	str_set(&row->last, owner);
	lock_name(l, row);
	if (l->waiting.n >= WAITING_MAX)
		return;
	const char *where = l->where ? where_of(l->where, e) : NULL;
	struct lock_wait *wait = xmalloc(sizeof(*wait));

	*wait = (struct lock_wait){row, where ? tally_at(&l->sites, where, 0)
					      : NULL};
	free(map_take(&l->waiting, e->tid));
	map_put(&l->waiting, e->tid, wait);
}

static void contention_event(void *arg, const struct dbg_trace_event *e)
{
	struct event_list *l = arg;
	struct dbg_told_wait x;
	char time[QUANTITY_MAX];
	uint64_t ns;

	if (dbg_told_wait(e, &x))
		lock_wait_began(l, e, &x);
	if (!dbg_told_wait_end(e, &ns))
		return;
	_cleanup_free_ struct lock_wait *wait = map_take(&l->waiting, e->tid);
	if (!wait)
		return; // it began before the trace
	tally_add(wait->lock, ns);
	if (wait->site)
		tally_add(wait->site, ns);
	l->n++;
	l->sum += ns;
	cJSON *line = list_line(l, e);

	if (line) {
		cJSON_AddNumberToObject(line, "tid", (double)e->tid);
		json_add_hex(line, "lock", wait->lock->key);
		cJSON_AddNumberToObject(line, "waitedMs", (double)ns / 1e6);
		json_add_text(line, "heldBy", wait->lock->last);
		line_end(line, wait->site ? wait->site->text : NULL);
	}
	if (!list_prints(l))
		return;
	print_when(l, e);
	plain_printf(stdout,
		     "%9s  thread %" PRIu64 " '%s' for lock 0x%" PRIx64 "\n",
		     quantity_time(ns, time), e->tid,
		     dbg_trace_thread_name(l->trace, e->tid), wait->lock->key);
	fflush(stdout);
}

static void contention_print(struct event_list *l)
{
	char time[WATCH_TIME_MAX], sum[QUANTITY_MAX], most[QUANTITY_MAX];

	watch_title(&l->r);
	printf("%" PRIu64 " wait%s for locks%s, %s in all\n", l->n,
	       quantity_plural(l->n), watch_time(&l->r, time),
	       quantity_time(l->sum, sum));
	if (l->n)
		printf("\n%8s  %9s  %9s  %-18s  %-30s  %s\n", "WAITS", "TOTAL",
		       "LONGEST", "LOCK", "LAST HELD BY", "OBJECT");
	for (size_t i = 0; i < listed(l, &l->rows); i++) {
		const struct tally_row *row = l->rows.rows[i];

		printf("%8" PRIu64 "  %9s  %9s  0x%-16" PRIx64 "  ", row->n,
		       quantity_time(row->sum, sum),
		       quantity_time(row->most, most), row->key);
		plain_printf(stdout, "%-30s  ", row->last);
		plain_printf(stdout, "%s%s0x%" PRIx64 "\n", row->text,
			     *row->text ? " " : "", row->with);
	}
	print_more(l, &l->rows);
	if (l->waiting.n)
		printf("%zu thread%s still wait%s\n", l->waiting.n,
		       quantity_plural(l->waiting.n),
		       l->waiting.n == 1 ? "s" : "");
	if (l->sites.n)
		printf("\n%8s  %9s  %9s  %s\n", "WAITS", "TOTAL", "LONGEST",
		       "WAITED FOR IN");
	for (size_t i = 0; i < listed(l, &l->sites); i++) {
		const struct tally_row *row = l->sites.rows[i];

		printf("%8" PRIu64 "  %9s  %9s  ", row->n,
		       quantity_time(row->sum, sum),
		       quantity_time(row->most, most));
		plain_printf(stdout, "%s\n", row->text);
	}
	print_more(l, &l->sites);
}

static void contention_add(const struct event_list *l, cJSON *o)
{
	cJSON_AddNumberToObject(o, "waits", (double)l->n);
	cJSON_AddNumberToObject(o, "waitedMs", (double)l->sum / 1e6);
	cJSON_AddNumberToObject(o, "stillWaiting", (double)l->waiting.n);
	cJSON *locks = cJSON_AddArrayToObject(o, "locks");
	for (size_t i = 0; i < l->rows.n; i++) {
		const struct tally_row *row = l->rows.rows[i];
		cJSON *one = cJSON_CreateObject();

		json_add_hex(one, "lock", row->key);
		if (*row->text)
			json_add_text(one, "type", row->text);
		json_add_hex(one, "object", row->with);
		cJSON_AddNumberToObject(one, "waits", (double)row->n);
		cJSON_AddNumberToObject(one, "waitedMs",
					(double)row->sum / 1e6);
		cJSON_AddNumberToObject(one, "longestMs",
					(double)row->most / 1e6);
		json_add_text(one, "heldBy", row->last);
		cJSON_AddItemToArray(locks, one);
	}
	cJSON *sites = l->where ? cJSON_AddArrayToObject(o, "waitedIn") : NULL;

	for (size_t i = 0; i < l->sites.n; i++) {
		const struct tally_row *row = l->sites.rows[i];
		cJSON *one = cJSON_CreateObject();

		json_add_text(one, "method", row->text);
		cJSON_AddNumberToObject(one, "waits", (double)row->n);
		cJSON_AddNumberToObject(one, "waitedMs",
					(double)row->sum / 1e6);
		cJSON_AddNumberToObject(one, "longestMs",
					(double)row->most / 1e6);
		cJSON_AddItemToArray(sites, one);
	}
}

static struct dbg_error *contention_events(struct dbg *dbg,
					   const struct watch_options *o)
{
	static const struct list_kind kind = {
	    .event = contention_event,
	    .has_sites = true,
	    .print = contention_print,
	    .add = contention_add,
	};
	uint32_t version;
	struct dbg_error *err = dbg_runtime_version(o->pid, &version);
	// Monitor is managed there
	struct event_list l = {.o = o, .managed_ids = !err && version >= 11};

	return err ? err : list_watch(dbg, &l, dbg_waits_provider(), &kind);
}

/* ---- The JIT ----------------------------------------------------------- */

// Key of a compilation. The JIT may compile a method while it compiles another
// one on the same thread.
static uint64_t jit_key(const struct dbg_trace_event *e, uint64_t method)
{
	return method ^ e->tid << 48;
}

static void take_jit(struct event_list *l, const struct dbg_trace_event *e,
		     const struct dbg_told_jit *x)
{
	const char *version = x->version ? x->version : "other";
	uint64_t *began = map_take(&l->compiled, jit_key(e, x->method));
	uint64_t took = began && e->time > *began ? e->time - *began : 0;
	struct tally_row *row = tally_at(&l->rows, x->name, 0);
	char time[QUANTITY_MAX];

	free(began);
	tally_add(row, took);
	str_set(&row->last, version);
	row->with = x->size;
	tally_add(tally_at(&l->beside, version, 0), took);
	l->n++;
	l->sum += took;
	cJSON *line = list_line(l, e);

	if (line) {
		json_add_text(line, "version", version);
		cJSON_AddNumberToObject(line, "tookMs", (double)took / 1e6);
		cJSON_AddNumberToObject(line, "size", (double)x->size);
		line_end(line, x->name);
	}
	if (!list_prints(l))
		return;
	print_when(l, e);
	plain_printf(stdout, "%9s  %6" PRIu64 " B  %s [%s]\n",
		     quantity_time(took, time), x->size, x->name, version);
	fflush(stdout);
}

static void jit_event(void *arg, const struct dbg_trace_event *e)
{
	struct event_list *l = arg;
	struct dbg_told_jit x;
	uint64_t method;

	arena_reset(l->arena);
	if (dbg_told_jit(e, l->arena, &x))
		take_jit(l, e, &x);
	if (!dbg_told_jit_begin(e, &method) || l->compiled.n >= WAITING_MAX)
		return;
	uint64_t *began = xmalloc(sizeof(*began));

	*began = e->time;
	free(map_take(&l->compiled, jit_key(e, method)));
	map_put(&l->compiled, jit_key(e, method), began);
}

static void jit_print(struct event_list *l)
{
	char time[WATCH_TIME_MAX], sum[QUANTITY_MAX], most[QUANTITY_MAX];

	watch_title(&l->r);
	printf("%" PRIu64 " method%s compiled%s, %s in all\n", l->n,
	       quantity_plural(l->n), watch_time(&l->r, time),
	       quantity_time(l->sum, sum));
	for (size_t i = 0; i < l->beside.n; i++)
		printf("%s%s %" PRIu64, i ? ", " : "", l->beside.rows[i]->text,
		       l->beside.rows[i]->n);
	if (l->n)
		printf("\n\n%9s  %9s  %8s  %8s  %s\n", "TIME", "LONGEST",
		       "COMPILED", "SIZE", "METHOD [LAST]");
	for (size_t i = 0; i < listed(l, &l->rows); i++) {
		const struct tally_row *row = l->rows.rows[i];

		printf("%9s  %9s  %8" PRIu64 "  %6" PRIu64 " B  ",
		       quantity_time(row->sum, sum),
		       quantity_time(row->most, most), row->n, row->with);
		plain_printf(stdout, "%s [%s]\n", row->text,
			     row->last ? row->last : "");
	}
	print_more(l, &l->rows);
}

static void jit_add(const struct event_list *l, cJSON *o)
{
	cJSON_AddNumberToObject(o, "compiled", (double)l->n);
	cJSON_AddNumberToObject(o, "tookMs", (double)l->sum / 1e6);
	cJSON *versions = cJSON_AddObjectToObject(o, "versions");
	for (size_t i = 0; i < l->beside.n; i++)
		cJSON_AddNumberToObject(versions, l->beside.rows[i]->text,
					(double)l->beside.rows[i]->n);
	cJSON *methods = cJSON_AddArrayToObject(o, "methods");
	for (size_t i = 0; i < l->rows.n; i++) {
		const struct tally_row *row = l->rows.rows[i];
		cJSON *one = cJSON_CreateObject();

		json_add_text(one, "method", row->text);
		cJSON_AddNumberToObject(one, "compiled", (double)row->n);
		cJSON_AddNumberToObject(one, "tookMs", (double)row->sum / 1e6);
		cJSON_AddNumberToObject(one, "lastSize", (double)row->with);
		json_add_text(one, "lastVersion", row->last);
		cJSON_AddItemToArray(methods, one);
	}
}

static struct dbg_error *jit_events(struct dbg *dbg,
				    const struct watch_options *o)
{
	static const struct list_kind kind = {
	    .event = jit_event,
	    .print = jit_print,
	    .add = jit_add,
	};
	struct event_list l = {.o = o};

	return list_watch(dbg, &l, dbg_jits_provider(), &kind);
}

/* ---- The thread pool --------------------------------------------------- */

static void pool_event(void *arg, const struct dbg_trace_event *e)
{
	struct event_list *l = arg;
	struct dbg_told_pool x;

	if (!dbg_told_pool(e, &x))
		return;
	struct tally_row *row = tally_at(&l->rows, x.reason, 0);

	tally_add(row, x.workers);
	row->with = x.workers;
	l->sum = x.workers;
	l->n++;
	l->again += x.starving;
	cJSON *line = list_line(l, e);

	if (line) {
		cJSON_AddNumberToObject(line, "workers", x.workers);
		json_add_text(line, "reason", x.reason);
		line_end(line, NULL);
	}
	// Starvation is told as it happens: it is what one waits for.
	if (l->o->json || (!x.starving && !l->o->each))
		return;
	print_when(l, e);
	if (x.starving)
		printf("the pool starves: %" PRIu32 " workers, and work waits "
		       "that none of them takes up\n",
		       x.workers);
	else
		printf("%" PRIu32 " workers: %s\n", x.workers, x.reason);
	fflush(stdout);
}

static void pool_print(struct event_list *l)
{
	char time[WATCH_TIME_MAX];

	watch_title(&l->r);
	printf("the pool has changed its workers %" PRIu64 " times%s", l->n,
	       watch_time(&l->r, time));
	if (l->n)
		printf(", %" PRIu64 " at last; it starved %" PRIu64 " times",
		       l->sum, l->again);
	if (l->n)
		printf("\n\n%8s  %8s  %8s  %s", "TIMES", "MOST", "LAST",
		       "REASON");
	putchar('\n');
	for (size_t i = 0; i < listed(l, &l->rows); i++) {
		const struct tally_row *row = l->rows.rows[i];

		printf("%8" PRIu64 "  %8" PRIu64 "  %8" PRIu64 "  %s\n", row->n,
		       row->most, row->with, row->text);
	}
}

static void pool_add(const struct event_list *l, cJSON *o)
{
	cJSON_AddNumberToObject(o, "changes", (double)l->n);
	cJSON_AddNumberToObject(o, "starved", (double)l->again);
	if (l->n)
		cJSON_AddNumberToObject(o, "workers", (double)l->sum);
	cJSON *reasons = cJSON_AddArrayToObject(o, "reasons");
	for (size_t i = 0; i < l->rows.n; i++) {
		const struct tally_row *row = l->rows.rows[i];
		cJSON *one = cJSON_CreateObject();

		json_add_text(one, "reason", row->text);
		cJSON_AddNumberToObject(one, "times", (double)row->n);
		cJSON_AddNumberToObject(one, "mostWorkers", (double)row->most);
		cJSON_AddNumberToObject(one, "lastWorkers", (double)row->with);
		cJSON_AddItemToArray(reasons, one);
	}
}

static struct dbg_error *pool_events(struct dbg *dbg,
				     const struct watch_options *o)
{
	static const struct list_kind kind = {
	    .event = pool_event,
	    .print = pool_print,
	    .add = pool_add,
	};
	struct event_list l = {.o = o};

	return list_watch(dbg, &l, dbg_pools_provider(), &kind);
}

/* ---- The command ----------------------------------------------------- */

enum {
	OPT_JSON = 256,
	OPT_SECONDS,
	OPT_EACH,
	OPT_CAUGHT,
	OPT_NETTRACE,
	OPT_NO_STACKS,
	OPT_ALL,
	OPT_HELP,
	SECONDS = 10,
};

static const struct option options[] = {
    {"json", no_argument, NULL, OPT_JSON},
    {"seconds", required_argument, NULL, OPT_SECONDS},
    {"each", no_argument, NULL, OPT_EACH},
    {"caught", no_argument, NULL, OPT_CAUGHT},
    {"nettrace", required_argument, NULL, OPT_NETTRACE},
    {"no-stacks", no_argument, NULL, OPT_NO_STACKS},
    {"all", no_argument, NULL, OPT_ALL},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static const struct events_kind {
	const char *name, *help;
	struct dbg_error *(*watch)(struct dbg *dbg,
				   const struct watch_options *o);
	bool paced; // unless all are asked for
} kinds[] = {
    {"gc", "collections: pauses, causes, what they left", gc_events, false},
    {"exceptions", "thrown, by type and method", exception_events, true},
    {"alloc", "allocated bytes, by type and method", allocation_events, false},
    {"contention", "waits for locks that others have", contention_events,
     false},
    {"jit", "methods that are compiled, by the time that takes", jit_events,
     false},
    {"threadpool", "its workers; starvation as it happens", pool_events, false},
};

static void usage(FILE *out)
{
	fputs("usage: dndbg events KIND [options] PID|NAME\n"
	      "What the runtime of a running program tells of itself; the "
	      "program is not stopped.\n"
	      "\n",
	      out);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		fprintf(out, "  %-12s %s\n", kinds[i].name, kinds[i].help);
	fputs(
	    "\n"
	    "  --seconds N  for so long [10]; Ctrl-C ends it early\n"
	    "  --each       print each of them when it happens\n"
	    "  --caught     of exceptions: in which methods they are caught, "
	    "at twice the cost\n"
	    "  --no-stacks  do not tell where they are thrown, allocated, "
	    "waited "
	    "for: it costs\n"
	    "               the program less\n"
	    "  --all        all exceptions; else, of more than 10000 a second, "
	    "a part in turns:\n"
	    "               each costs the program some microseconds\n"
	    "  --nettrace FILE\n"
	    "               write what the runtime tells there, too, for "
	    "PerfView and others\n"
	    "  --json       as JSON, for programs (docs/monitoring.md)\n",
	    out);
}

static const struct events_kind *kind_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

// Returns -1 to go on, else the exit status.
static int parse(int argc, char **argv, struct watch_options *ret)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == OPT_JSON) {
			ret->json = true;
		} else if (c == OPT_EACH) {
			ret->each = true;
		} else if (c == OPT_CAUGHT) {
			ret->caught = true;
		} else if (c == OPT_NO_STACKS) {
			ret->no_stacks = true;
		} else if (c == OPT_ALL) {
			ret->paced = false;
		} else if (c == OPT_NETTRACE) {
			ret->nettrace = optarg;
		} else if (c == OPT_SECONDS) {
			if (!watch_seconds(optarg, &ret->ms))
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
	ret->paced &= !ret->each && !ret->nettrace;
	return -1;
}

int monitor_events_main(struct dbg *dbg, int argc, char **argv)
{
	struct watch_options o = {.ms = SECONDS * 1000};
	bool help = argc > 1 && !strcmp(argv[1], "--help");
	const struct events_kind *kind = kind_find(argc > 1 ? argv[1] : NULL);

	if (!kind) {
		if (argc > 1 && !help)
			plain_printf(stderr, "dndbg: no events '%s'\n",
				     argv[1]);
		usage(help ? stdout : stderr);
		return help ? 0 : 2;
	}
	o.paced = kind->paced;
	int status = parse(argc - 1, argv + 1, &o);
	if (status >= 0)
		return status;
	struct dbg_error *err = dbg_program_find(dbg, o.what, &o.pid);
	if (!err)
		err = kind->watch(dbg, &o);
	plain_error(err);
	return err ? 1 : 0;
}
