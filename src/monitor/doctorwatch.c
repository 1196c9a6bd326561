/*
 * What `dndbg doctor --seconds N` looks at before it stops the program: where
 * threads run, and what the runtime tells. Facts alone, as JSON; what of them
 * is a finding is decided by the check (repl/state/doctor_watched.c).
 */
#include "monitor/monitor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/plain.h"
#include "report/forms.h"

enum {
	HERTZ = 99,
	TYPES_LISTED = 3,
	BUSY_SHARE = 20,  /* one of so many of the time: its method is told */
	THROWN_SHARE = 3, /* one of so many of the time is for exceptions */
	THROWN_MS_MAX = 1000,
	IDLE_MAX = 10000, /* threads of which less is told */
};

struct doctor_watch {
	struct watch_options o;
	struct watch_result r;
	struct dbg_sampler *sampler;
	/*
	 * A trace of exceptions, then one of all else. Together they would cost
	 * a program that throws much several times as much: at the level of the
	 * others the runtime looks for names of each exception's handlers,
	 * whoever asks for these.
	 */
	struct dbg_trace *trace; /* the second; NULL: it was not begun */
	struct watch_result thrown_time, trace_time; /* of each, its time */
	uint64_t began;
	struct arena *arena;      /* reset for each event */
	struct dbg_error *untold; /* why the runtime tells nothing */
	struct dbg_limits before, after;

	struct dbg_gcs *gcs;
	struct dbg_gc longest;
	uint64_t n_gcs, paused;
	struct tally causes, allocated, thrown;
	uint64_t bytes, n_thrown;
	uint64_t starved;
	uint32_t workers_first, workers; /* when it starved */
};

/* ---- What the runtime tells ---------------------------------------------- */

static void collection_take(void *arg, const struct dbg_gc *gc)
{
	struct doctor_watch *w = arg;

	if (gc->paused > w->longest.paused)
		w->longest = *gc;
	w->n_gcs++;
	w->paused += gc->paused;
	tally_add(tally_at(&w->causes, gc->cause ? gc->cause : "", 0),
		  gc->paused);
}

static void starved_take(struct doctor_watch *w, const struct dbg_told_pool *x)
{
	if (!x->starving)
		return;
	if (!w->starved++)
		w->workers_first = x->workers;
	w->workers = x->workers;
}

static void runtime_event(void *arg, const struct dbg_trace_event *e)
{
	struct doctor_watch *w = arg;
	struct dbg_told_allocation allocation;
	struct dbg_told_pool pool;

	arena_reset(w->arena);
	if (dbg_told_allocation(e, w->arena, &allocation)) {
		tally_add(tally_at(&w->allocated, allocation.type, 0),
			  allocation.bytes);
		w->bytes += allocation.bytes;
	} else if (dbg_told_pool(e, &pool)) {
		starved_take(w, &pool);
	} else {
		dbg_gcs_event(w->gcs, e);
	}
}

static void throw_event(void *arg, const struct dbg_trace_event *e)
{
	struct doctor_watch *w = arg;
	struct dbg_told_throw x;

	arena_reset(w->arena);
	if (!dbg_told_throw(e, w->arena, &x))
		return;
	struct tally_row *row = tally_at(&w->thrown, x.type, 0);

	tally_add(row, 1);
	str_set(&row->last, x.message);
	w->n_thrown++;
}

/* ---- Watching ------------------------------------------------------------ */

static void tick(void *arg, uint64_t now)
{
	struct doctor_watch *w = arg;
	bool ended;

	(void)now;
	dbg_sampler_read(w->sampler, &ended);
}

static struct dbg_error *sampler_read(void *arg, bool *ret_ended)
{
	struct doctor_watch *w = arg;

	dbg_sampler_read(w->sampler, ret_ended);
	return NULL;
}

static void progress(void *arg, struct str *text)
{
	const struct doctor_watch *w = arg;

	str_addf(text, "%" PRIu64 " samples, %" PRIu64 " collections",
		 dbg_sampler_samples(w->sampler), w->n_gcs);
}

static void thrown_progress(void *arg, struct str *text)
{
	const struct doctor_watch *w = arg;

	str_addf(text, "%" PRIu64 " samples, %" PRIu64 " exceptions",
		 dbg_sampler_samples(w->sampler), w->n_thrown);
}

// A trace has one entry for each provider: what each kind of event asks for is
// put together.
static struct dbg_trace_provider provider_of(uint32_t version)
{
	const struct dbg_trace_provider *const all[] = {
	    dbg_gcs_provider(), dbg_pools_provider(),
	    dbg_allocations_provider(version)};
	struct dbg_trace_provider p = *all[0];

	for (size_t i = 1; i < sizeof(all) / sizeof(*all); i++) {
		p.keywords |= all[i]->keywords;
		if (all[i]->level > p.level)
			p.level = all[i]->level;
	}
	return p;
}

// The first part of the time: exceptions.
static struct dbg_error *thrown_watch(struct doctor_watch *w)
{
	const struct dbg_trace_request req = {
	    .providers = dbg_throws_provider(), .n_providers = 1};
	const struct watcher watcher = {
	    .arg = w,
	    .began = &w->began,
	    .event = throw_event,
	    .progress = thrown_progress,
	    .tick = tick,
	    .tick_fd = dbg_sampler_fd(w->sampler),
	};
	struct watch_options o = w->o;
	struct dbg_trace *throws = NULL;

	o.paced = true;
	o.ms = o.ms / THROWN_SHARE < THROWN_MS_MAX ? o.ms / THROWN_SHARE + 1
						   : THROWN_MS_MAX;
	struct dbg_error *err =
	    watch_trace(&o, &req, &watcher, &throws, &w->thrown_time);

	dbg_trace_close(throws);
	if (err)
		return err;
	w->o.ms -= o.ms;
	w->r = w->thrown_time;
	w->r.watched = 0; // the threads are watched all the time
	return NULL;
}

// The rest: collections, allocations, the pool.
static struct dbg_error *trace_watch(struct doctor_watch *w, uint32_t version)
{
	const struct dbg_trace_provider provider = provider_of(version);
	const struct dbg_trace_request req = {.providers = &provider,
					      .n_providers = 1};
	const struct watcher watcher = {
	    .arg = w,
	    .began = &w->began,
	    .event = runtime_event,
	    .progress = progress,
	    .tick = tick,
	    .tick_fd = dbg_sampler_fd(w->sampler),
	};
	struct dbg_error *err =
	    watch_trace(&w->o, &req, &watcher, &w->trace, &w->trace_time);

	if (err)
		return err;
	w->r = w->trace_time;
	w->r.began = w->thrown_time.began;
	w->r.lost += w->thrown_time.lost;
	return NULL;
}

static struct dbg_error *runtime_watch(struct doctor_watch *w)
{
	uint32_t version;
	struct dbg_error *err = dbg_runtime_version(w->o.pid, &version);

	if (!err)
		err = thrown_watch(w);
	if (err || strcmp(w->r.reason, "time") || w->o.ms <= 0)
		return err;
	return trace_watch(w, version);
}

// Watch without the runtime, which tells nothing.
static void threads_watch(struct doctor_watch *w)
{
	const struct watcher watcher = {.arg = w, .progress = progress};
	const struct watch_source source = {
	    .fd = dbg_sampler_fd(w->sampler), .read = sampler_read, .arg = w};
	bool ended;

	watch_source(&w->o, &watcher, &source, &w->r, &ended);
}

static struct dbg_error *doctor_watch_run(struct dbg *dbg,
					  struct doctor_watch *w)
{
	const struct dbg_sample_request sample = {.hertz = HERTZ};

	watch_signals();
	struct dbg_error *err = dbg_program_find(dbg, w->o.what, &w->o.pid);
	if (!err)
		err = dbg_sampler_open(dbg, w->o.pid, &sample, &w->sampler);
	if (err)
		return err;
	w->gcs = dbg_gcs_create(collection_take, w);
	w->arena = arena_create();
	dbg_limits_of(w->o.pid, &w->before);
	w->untold = runtime_watch(w);
	if (w->untold)
		threads_watch(w);
	w->r.pid = w->o.pid;
	dbg_limits_of(w->o.pid, &w->after);
	return NULL;
}

static void doctor_watch_deinit(struct doctor_watch *w)
{
	dbg_trace_close(w->trace);
	dbg_sampler_close(w->sampler);
	dbg_gcs_destroy(w->gcs);
	arena_destroy(w->arena);
	tally_deinit(&w->causes);
	tally_deinit(&w->allocated);
	tally_deinit(&w->thrown);
	dbg_error_destroy(w->untold);
}

/* ---- Where threads run --------------------------------------------------- */

/* Nanoseconds that a thread has run in a method and what that has called. */
struct thread_method {
	const struct dbg_sample_frame *frame;
	uint64_t run;
};

// The newest frame of the program's own on a stack, or the stack's first.
static uint32_t newest_own(const struct dbg_profile *p, uint32_t i)
{
	for (uint32_t k = i; k; k = p->nodes[k].parent)
		if (p->frames[p->nodes[k].frame].own)
			return p->nodes[k].frame;
	return p->nodes[i].frame;
}

// Where a thread has run the most; *ret->frame NULL: it has not been met.
static void thread_method_find(const struct dbg_profile *p, uint32_t thread,
			       uint64_t *times, struct thread_method *ret)
{
	*ret = (struct thread_method){.frame = NULL};
	memset(times, 0, p->n_frames * sizeof(*times));
	for (size_t i = 1; i < p->n_nodes; i++) {
		const struct dbg_sample_node *node = &p->nodes[i];
		uint32_t frame;

		if (node->thread != thread || !node->run)
			continue;
		frame = newest_own(p, (uint32_t)i);
		times[frame] += node->run;
		if (times[frame] > ret->run)
			*ret = (struct thread_method){&p->frames[frame],
						      times[frame]};
	}
}

static void add_ms(cJSON *o, const char *name, uint64_t ns)
{
	cJSON_AddNumberToObject(o, name, (double)(ns / 1000) / 1000);
}

static cJSON *threads_json(const struct dbg_profile *p)
{
	_cleanup_free_ uint64_t *times =
	    xcalloc(p->n_frames + 1, sizeof(*times));
	cJSON *list = cJSON_CreateArray();
	size_t n_idle = 0;

	for (size_t i = 0; i < p->n_threads; i++) {
		const struct dbg_sample_thread *t = &p->threads[i];
		struct thread_method m = {.frame = NULL};

		if (t->run + t->wait > (p->ended - p->began) / BUSY_SHARE)
			thread_method_find(p, (uint32_t)i, times, &m);
		if (!m.frame && n_idle++ >= IDLE_MAX)
			continue;
		cJSON *o = cJSON_CreateObject();

		cJSON_AddNumberToObject(o, "tid", t->tid);
		json_add_text(o, "name", t->name);
		add_ms(o, "runningMs", t->run);
		add_ms(o, "waitingMs", t->wait);
		if (m.frame) {
			json_add_text(o, "method", m.frame->name);
			cJSON_AddBoolToObject(o, "own", m.frame->own);
			add_ms(o, "methodMs", m.run);
		}
		cJSON_AddItemToArray(list, o);
	}
	return list;
}

/* ---- The facts ----------------------------------------------------------- */

static void add_processors(cJSON *facts, const struct doctor_watch *w,
			   const struct dbg_profile *p)
{
	cJSON *o = cJSON_AddObjectToObject(facts, "processors");
	uint64_t run = 0, wait = 0;

	for (size_t i = 0; i < p->n_threads; i++) {
		run += p->threads[i].run;
		wait += p->threads[i].wait;
	}
	add_ms(o, "runningMs", run);
	add_ms(o, "waitingMs", wait);
	if (!w->after.cpu || w->after.periods < w->before.periods ||
	    w->after.throttled < w->before.throttled)
		return;
	cJSON_AddNumberToObject(o, "limit", (double)w->after.cpu / 1000);
	cJSON_AddNumberToObject(o, "periods",
				(double)(w->after.periods - w->before.periods));
	cJSON_AddNumberToObject(
	    o, "heldBack", (double)(w->after.throttled - w->before.throttled));
}

static void add_seconds(cJSON *o, const struct watch_result *r)
{
	cJSON_AddNumberToObject(o, "seconds", watch_length(r));
}

static void add_collections(cJSON *facts, struct doctor_watch *w)
{
	cJSON *o = cJSON_AddObjectToObject(facts, "collections");

	tally_sort(&w->causes);
	add_seconds(o, &w->trace_time);
	cJSON_AddNumberToObject(o, "count", (double)w->n_gcs);
	add_ms(o, "pausedMs", w->paused);
	if (!w->n_gcs)
		return;
	json_add_text(o, "cause", w->causes.rows[0]->text);
	add_ms(o, "longestMs", w->longest.paused);
	cJSON_AddNumberToObject(o, "longestNumber", (double)w->longest.number);
	cJSON_AddNumberToObject(o, "longestGeneration", w->longest.generation);
	json_add_text(o, "longestCause",
		      w->longest.cause ? w->longest.cause : "");
}

// The first of a tally, with its share.
static void add_types(cJSON *o, struct tally *t, const char *number)
{
	cJSON *list = cJSON_AddArrayToObject(o, "types");

	tally_sort(t);
	for (size_t i = 0; i < t->n && i < TYPES_LISTED; i++) {
		cJSON *one = cJSON_CreateObject();

		json_add_text(one, "type", t->rows[i]->text);
		cJSON_AddNumberToObject(one, number, (double)t->rows[i]->sum);
		if (t->rows[i]->last)
			json_add_text(one, "lastMessage", t->rows[i]->last);
		cJSON_AddItemToArray(list, one);
	}
}

static void add_told(cJSON *facts, struct doctor_watch *w)
{
	cJSON *o = cJSON_AddObjectToObject(facts, "exceptions");

	add_seconds(o, &w->thrown_time);
	cJSON_AddNumberToObject(o, "count", (double)w->n_thrown);
	add_types(o, &w->thrown, "count");
	if (!w->trace)
		return; // it ended before
	add_collections(facts, w);
	o = cJSON_AddObjectToObject(facts, "allocations");
	add_seconds(o, &w->trace_time);
	cJSON_AddNumberToObject(o, "bytes", (double)w->bytes);
	add_types(o, &w->allocated, "bytes");
	o = cJSON_AddObjectToObject(facts, "pool");
	add_seconds(o, &w->trace_time);
	cJSON_AddNumberToObject(o, "starved", (double)w->starved);
	if (!w->starved)
		return;
	cJSON_AddNumberToObject(o, "workersFirst", w->workers_first);
	cJSON_AddNumberToObject(o, "workersLast", w->workers);
}

static cJSON *facts_json(struct doctor_watch *w)
{
	const struct dbg_profile *p = dbg_sampler_stop(w->sampler);
	cJSON *facts = cJSON_CreateObject();

	add_seconds(facts, &w->r);
	add_ms(facts, "threadMs", p->ended - p->began);
	cJSON_AddStringToObject(facts, "end", w->r.reason);
	cJSON_AddNumberToObject(facts, "lostEvents", (double)w->r.lost);
	add_processors(facts, w, p);
	if (w->untold)
		json_add_text(facts, "untold", w->untold->message);
	else
		add_told(facts, w);
	cJSON_AddItemToObject(facts, "threads", threads_json(p));
	return facts;
}

struct dbg_error *monitor_doctor_watch(struct dbg *dbg, const char *what,
				       const char *seconds, pid_t *ret_pid,
				       char **ret_facts)
{
	struct doctor_watch w = {.o = {.what = what}};
	struct dbg_error *err = watch_parse(seconds, &w.o.ms);

	if (!err)
		err = doctor_watch_run(dbg, &w);
	if (!err) {
		cJSON *facts = facts_json(&w);
		char *text = cJSON_PrintUnformatted(facts);

		*ret_pid = w.r.pid;
		*ret_facts = text ? text : xstrdup("{}");
		cJSON_Delete(facts);
	}
	doctor_watch_deinit(&w);
	watch_signals_end();
	return err;
}

int monitor_doctor_main(struct dbg *dbg, int argc, char **argv)
{
	char *facts = NULL;
	pid_t pid;

	if (argc != 4)
		return 2;
	struct dbg_error *err =
	    monitor_doctor_watch(dbg, argv[3], argv[2], &pid, &facts);
	plain_error(err);
	if (err)
		return 1;
	puts(facts);
	free(facts);
	return 0;
}
