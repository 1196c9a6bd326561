/*
 * Collections, by the runtime's events. Facts: dotnet/runtime,
 * src/coreclr/vm/ClrEtwAll.man (payloads); src/coreclr/gc (their order).
 *
 * All threads stand still between SuspendEEBegin and RestartEEEnd. A thread
 * that begins while others suspend waits until they have restarted; its
 * SuspendEEEnd says that it has its turn. Who restarts may be another thread.
 * Within such a pause a blocking collection begins and ends. One in the
 * background begins in a pause, and has others later, in which no other
 * collection begins; it ends in none. .NET 11 was seen to leave out GCStart of
 * the first collections of a trace: GCEnd has the number and generation as
 * well.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/reader.h"
#include "dbg.h"

enum {
	GC_START = 1,
	GC_END = 2,
	GC_RESTARTED = 3,
	GC_HEAP_STATS = 4,
	GC_SUSPENDED = 8,
	GC_SUSPENDING = 9,
	GC_TRIGGERED = 35,
	GC_GLOBAL_HISTORY = 205,
};

/* Why all threads are suspended. */
enum {
	SUSPEND_FOR_GC = 1,
	SUSPEND_FOR_GC_PREP = 6,
};

enum {
	GENERATION_MAX = 4, /* the pinned objects' */
};

/* enum gc_reason, src/coreclr/gc/gc.h */
static const char *const causes[] = {
    "allocation",
    "induced",
    "low memory",
    "nothing",
    "allocation of a large object",
    "no room for small objects",
    "no room for large objects",
    "induced, not forced",
    "stress",
    "low memory, blocking",
    "induced, compacting",
    "low memory of the host",
    "full collection, provisional mode",
    "low memory of the host, blocking",
    "tuning, small objects",
    "tuning, large objects",
    "step of a background collection",
    "induced, aggressive",
};

const struct dbg_trace_provider *dbg_gcs_provider(void)
{
	static const struct dbg_trace_provider provider = {
	    .name = DBG_RUNTIME_PROVIDER,
	    .keywords = 1,
	    .level = 4,
	    .args = "",
	};

	return &provider;
}

enum {
	SUSPENDING_MAX = 16, /* threads at a time */
};

/* A thread that suspends all others, or waits until it can. */
struct suspending {
	uint64_t tid, since; /* tid 0: none */
	uint32_t reason;
};

struct collecting {
	bool here, over;
	struct dbg_gc gc;
};

struct dbg_gcs {
	dbg_gc_fn *fn;
	void *arg;
	struct collecting blocking, background;
	struct suspending suspending[SUSPENDING_MAX];
	bool suspended;
	uint64_t since;  /* ... from then on */
	uint32_t reason; /* ... for this */
	uint64_t restarted_at;
	uint64_t triggered_by;
	uint64_t other, n_other;
};

struct dbg_gcs *dbg_gcs_create(dbg_gc_fn *fn, void *arg)
{
	struct dbg_gcs *gcs = xcalloc(1, sizeof(*gcs));

	gcs->fn = fn;
	gcs->arg = arg;
	return gcs;
}

void dbg_gcs_destroy(struct dbg_gcs *gcs)
{
	free(gcs);
}

void dbg_gcs_other(const struct dbg_gcs *gcs, uint64_t *ret_paused,
		   uint64_t *ret_pauses)
{
	*ret_paused = gcs->other;
	*ret_pauses = gcs->n_other;
}

static const char *cause_of(uint32_t reason)
{
	return reason < sizeof(causes) / sizeof(*causes) ? causes[reason]
							 : "unknown";
}

static void tell_over(struct dbg_gcs *gcs, struct collecting *c)
{
	if (c->here && c->over)
		gcs->fn(gcs->arg, &c->gc);
	c->here = c->here && !c->over;
}

static void begin(struct dbg_gcs *gcs, const struct dbg_trace_event *e,
		  struct reader *r)
{
	uint64_t number = reader_u32(r);
	uint32_t generation = reader_u32(r), reason = reader_u32(r),
		 type = reader_u32(r);
	bool background = type == 1;
	struct collecting *c = background ? &gcs->background : &gcs->blocking;

	if (r->bad || generation > GENERATION_MAX)
		return;
	tell_over(gcs, c);
	*c = (struct collecting){
	    .here = true,
	    .gc = {.number = number,
		   .generation = generation,
		   .kind = background  ? DBG_GC_BACKGROUND
			   : type == 2 ? DBG_GC_FOREGROUND
				       : DBG_GC_BLOCKING,
		   .cause = cause_of(reason),
		   .began = gcs->suspended ? gcs->since : e->time,
		   .tid = gcs->triggered_by ? gcs->triggered_by : e->tid},
	};
	gcs->triggered_by = 0;
}

// Find the collection @number. If it is not known yet, it begins here.
static struct collecting *collecting_find(struct dbg_gcs *gcs, uint64_t number,
					  uint32_t generation)
{
	if (gcs->background.here && gcs->background.gc.number == number)
		return &gcs->background;
	if (gcs->blocking.here && gcs->blocking.gc.number == number)
		return &gcs->blocking;
	if (!gcs->suspended)
		return NULL; // it began before the trace
	gcs->blocking = (struct collecting){
	    .here = true,
	    .gc = {.number = number,
		   .generation = generation,
		   .kind = DBG_GC_UNKNOWN,
		   .began = gcs->since,
		   .tid = gcs->triggered_by},
	};
	gcs->triggered_by = 0;
	return &gcs->blocking;
}

static void collection_end(struct dbg_gcs *gcs, const struct dbg_trace_event *e,
			   struct reader *r)
{
	uint64_t number = reader_u32(r);
	uint32_t generation = reader_u32(r);

	if (r->bad || generation > GENERATION_MAX)
		return;
	struct collecting *c = collecting_find(gcs, number, generation);
	if (!c)
		return;
	c->over = true;
	c->gc.lasted = e->time - c->gc.began;
}

// Read the event GCHeapStats: the size of each generation, and how much was
// promoted out of it.
static void read_heap_stats(struct dbg_gcs *gcs,
			    const struct dbg_trace_event *e, struct reader *r)
{
	struct collecting *c =
	    gcs->blocking.here && gcs->blocking.over       ? &gcs->blocking
	    : gcs->background.here && gcs->background.over ? &gcs->background
							   : NULL;
	uint64_t heap = 0, promoted = 0;

	(void)e;
	for (int i = 0; i < 4; i++) {
		heap += reader_u64(r);
		promoted += reader_u64(r);
	}
	reader_skip(r, 8 + 8 + 4 + 4 + 4 + 2); // finalizers, handles, runtime
	if (reader_left(r)) {
		heap += reader_u64(r); // pinned objects: since .NET 5
		promoted += reader_u64(r);
	}
	if (!c || r->bad)
		return;
	c->gc.sized = true;
	c->gc.heap = heap;
	c->gc.promoted = promoted;
	if (!gcs->suspended)
		tell_over(gcs, c);
}

static void explain(struct dbg_gcs *gcs, const struct dbg_trace_event *e,
		    struct reader *r)
{
	(void)e;
	reader_skip(r, 8 + 4 + 4 + 4); // budget, heaps, generation, reductions
	uint32_t reason = reader_u32(r);
	if (!r->bad && gcs->blocking.here && !gcs->blocking.gc.cause)
		gcs->blocking.gc.cause = cause_of(reason);
}

static struct suspending *suspending_find(struct dbg_gcs *gcs, uint64_t tid)
{
	for (size_t i = 0; i < SUSPENDING_MAX; i++)
		if (gcs->suspending[i].tid == tid)
			return &gcs->suspending[i];
	return NULL;
}

static void suspend(struct dbg_gcs *gcs, const struct dbg_trace_event *e,
		    struct reader *r)
{
	struct suspending *s = suspending_find(gcs, e->tid);

	if (!s)
		s = suspending_find(gcs, 0);
	if (s)
		*s = (struct suspending){e->tid, e->time, reader_u32(r)};
}

static void suspended(struct dbg_gcs *gcs, const struct dbg_trace_event *e,
		      struct reader *r)
{
	struct suspending *s = suspending_find(gcs, e->tid);

	(void)r;
	if (!s)
		return; // the trace began meanwhile
	gcs->suspended = true;
	gcs->since =
	    s->since > gcs->restarted_at ? s->since : gcs->restarted_at;
	gcs->reason = s->reason;
	s->tid = 0;
}

static void restart(struct dbg_gcs *gcs, const struct dbg_trace_event *e,
		    struct reader *r)
{
	bool collects =
	    gcs->reason == SUSPEND_FOR_GC || gcs->reason == SUSPEND_FOR_GC_PREP;
	struct collecting *c = gcs->blocking.here ? &gcs->blocking
			       : gcs->background.here && collects
				   ? &gcs->background
				   : NULL;

	(void)r;
	gcs->restarted_at = e->time;
	if (!gcs->suspended)
		return; // the trace began within the pause
	gcs->suspended = false;
	uint64_t paused = e->time - gcs->since;
	if (c) {
		c->gc.paused += paused;
		c->gc.pauses++;
	} else {
		gcs->other += paused;
		gcs->n_other++;
	}
	tell_over(gcs, &gcs->blocking);
	tell_over(gcs, &gcs->background);
}

static void note_trigger(struct dbg_gcs *gcs, const struct dbg_trace_event *e,
			 struct reader *r)
{
	(void)r;
	gcs->triggered_by = e->tid;
}

static const struct {
	uint32_t id;
	void (*take)(struct dbg_gcs *gcs, const struct dbg_trace_event *e,
		     struct reader *r);
} events[] = {
    {GC_START, begin},
    {GC_END, collection_end},
    {GC_RESTARTED, restart},
    {GC_HEAP_STATS, read_heap_stats},
    {GC_SUSPENDING, suspend},
    {GC_SUSPENDED, suspended},
    {GC_TRIGGERED, note_trigger},
    {GC_GLOBAL_HISTORY, explain},
};

void dbg_gcs_event(struct dbg_gcs *gcs, const struct dbg_trace_event *e)
{
	struct reader r;

	if (strcmp(e->kind->provider, DBG_RUNTIME_PROVIDER))
		return;
	reader_init(&r, e->payload, e->n_payload);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (events[i].id == e->kind->id)
			events[i].take(gcs, e, &r);
}
