/*
 * The heap's segments or regions, and the gaps in them.
 *
 * Each generation has a list of segments. With regions (the default) every
 * segment is of one generation. Without them the youngest two generations are
 * the ends of the last segment of generation 2, from the addresses where they
 * begin. Frozen segments are in the list of generation 2 as well.
 *
 * Where a thread allocates from next there is no object: these allocation
 * contexts are gaps, followed by room for the smallest object.
 */
#include "dac/gcheap.h"

#include <stdlib.h>
#include <string.h>

#include "dac/compound.h"
#include "dac/dac_priv.h"

enum {
	HEAPS_MAX = 1024,
	GENERATIONS = 5,
	GENERATIONS_MAX = 16,
	SEGMENTS_MAX = 1 << 20,
	THREADS_MAX = 1 << 17,
	QUEUE_POINTERS = 7,
	QUEUE_READY = 5, /* from this pointer on */
	SEGMENT_FROZEN = 1,
	OBJECT_MIN = 24,
	TERMINATOR = 2, // of a string
};

struct gathering {
	struct dac *dac;
	struct gc_part *parts;
	size_t n_parts, cap_parts;
	struct gc_gap *gaps;
	size_t n_gaps, cap_gaps;
	struct map seen; /* segments */
	bool regions;
};

/* One GC heap: the only one, or one per processor (server GC). */
struct heap_data {
	uint32_t number;
	struct sos_heap_details details;
	struct sos_generation generations[GENERATIONS_MAX];
	uint64_t queue[QUEUE_POINTERS];
};

static void add_gap(struct gathering *g, uint64_t start, uint64_t limit)
{
	if (!start || limit < start || limit > UINT64_MAX - OBJECT_MIN)
		return;
	mem_grow(&g->gaps, &g->cap_gaps, g->n_gaps, sizeof(*g->gaps));
	g->gaps[g->n_gaps++] = (struct gc_gap){start, limit + OBJECT_MIN};
}

static void add_part(struct gathering *g, const struct gc_part *part)
{
	if (part->end <= part->start || (part->start & 7))
		return;
	mem_grow(&g->parts, &g->cap_parts, g->n_parts, sizeof(*g->parts));
	g->parts[g->n_parts++] = *part;
}

/* ---- Segments -------------------------------------------------------- */

// Cut what ends at the youngest objects where generations 1 and 0 begin.
static void add_ephemeral(struct gathering *g, const struct heap_data *h,
			  struct gc_part part)
{
	uint64_t end = part.end;

	for (int gen = 2; gen >= 0; gen--) {
		part.generation = (enum dbg_generation)gen;
		part.end = gen ? h->generations[gen - 1].start : end;
		if (part.end < part.start || part.end > end)
			part.end = end;
		add_part(g, &part);
		part.start = part.end;
		part.committed = 0;
	}
}

static void add_segments(struct gathering *g, const struct heap_data *h,
			 enum dbg_generation gen)
{
	uint64_t addr = h->generations[gen].first_segment;

	while (addr && g->seen.n < SEGMENTS_MAX && !map_find(&g->seen, addr)) {
		struct sos_segment s = {0};

		map_put(&g->seen, addr, g);
		if (DAC_CALL(g->dac, g->dac->sos, SOS_SEGMENT, addr, &s) < 0)
			return;
		bool last = addr == h->details.ephemeral;
		struct gc_part part = {
		    .start = s.start,
		    .end = last ? h->details.allocated : s.allocated,
		    .committed = s.committed,
		    .segment = addr,
		    .generation = gen,
		    .heap = h->number,
		};

		if (s.flags & SEGMENT_FROZEN)
			part.generation = DBG_GEN_FROZEN;
		if (last && !g->regions)
			add_ephemeral(g, h, part);
		else
			add_part(g, &part);
		addr = s.next;
	}
}

static struct dbg_error *heap_read(struct dac *d, uint64_t addr,
				   struct heap_data *h)
{
	uint32_t n = 0;
	int32_t hr;

	if (!addr) {
		hr = DAC_CALL(d, d->sos, SOS_HEAP_STATIC, &h->details);
		if (hr >= 0)
			hr = DAC_CALL(d, d->sos8, SOS8_GENERATIONS,
				      (uint32_t)GENERATIONS_MAX, h->generations,
				      &n);
		if (hr >= 0)
			hr = DAC_CALL(d, d->sos8, SOS8_FINALIZATION,
				      (uint32_t)QUEUE_POINTERS, h->queue, &n);
	} else {
		hr = DAC_CALL(d, d->sos, SOS_HEAP_DETAILS, addr, &h->details);
		if (hr >= 0)
			hr = DAC_CALL(d, d->sos8, SOS8_GENERATIONS_SERVER, addr,
				      (uint32_t)GENERATIONS_MAX, h->generations,
				      &n);
		if (hr >= 0)
			hr =
			    DAC_CALL(d, d->sos8, SOS8_FINALIZATION_SERVER, addr,
				     (uint32_t)QUEUE_POINTERS, h->queue, &n);
	}
	return hr < 0 ? dac_err(hr, "cannot inspect the heap") : NULL;
}

static struct dbg_error *add_heap(struct gathering *g, uint64_t addr,
				  uint32_t number, struct gc_queue *queue)
{
	struct heap_data h = {.number = number};
	struct dbg_error *err = heap_read(g->dac, addr, &h);

	if (err)
		return err;
	g->regions =
	    h.generations[0].first_segment != h.generations[1].first_segment;
	for (int gen = g->regions ? 0 : 2; gen < GENERATIONS; gen++) {
		add_segments(g, &h, (enum dbg_generation)gen);
		add_gap(g, h.generations[gen].alloc,
			h.generations[gen].alloc_limit);
	}
	if (!g->regions)
		add_gap(g, h.generations[0].alloc,
			h.generations[0].alloc_limit);
	*queue = (struct gc_queue){h.queue[0], h.queue[QUEUE_READY],
				   h.queue[QUEUE_READY + 1]};
	return NULL;
}

/* ---- Gaps ------------------------------------------------------------ */

static void add_contexts(struct gathering *g)
{
	struct dac *d = g->dac;
	struct sos_thread_store store = {0};
	uint64_t alloc = 0, limit = 0;

	if (d->sos12 &&
	    DAC_CALL(d, d->sos12, SOS12_GLOBAL_CONTEXT, &alloc, &limit) >= 0)
		add_gap(g, alloc, limit);
	if (DAC_CALL(d, d->sos, SOS_THREAD_STORE, &store) < 0)
		return;
	uint64_t addr = store.first;

	for (int i = 0; addr && i < store.n_threads && i < THREADS_MAX; i++) {
		struct sos_thread t = {0};

		if (DAC_CALL(d, d->sos, SOS_THREAD, addr, &t) < 0)
			return;
		add_gap(g, t.alloc, t.alloc_limit);
		addr = t.next;
	}
}

// Both begin with their start.
static int by_start(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static void sort_all(struct gathering *g)
{
	size_t n = 0;

	if (g->n_parts)
		qsort(g->parts, g->n_parts, sizeof(*g->parts), by_start);
	for (size_t i = 0; i < g->n_parts; i++)
		if (!n || g->parts[i].start >= g->parts[n - 1].end)
			g->parts[n++] = g->parts[i];
	g->n_parts = n;
	if (g->n_gaps)
		qsort(g->gaps, g->n_gaps, sizeof(*g->gaps), by_start);
}

/* ---- The heap -------------------------------------------------------- */

static struct dbg_error *add_heaps(struct gathering *g,
				   const struct sos_heap *heap,
				   struct gc_queue *queues)
{
	struct dbg_error *err = NULL;
	uint64_t heaps[HEAPS_MAX] = {0};
	uint32_t n = 0;

	if (!heap->server)
		return add_heap(g, 0, 0, queues);
	int32_t hr = DAC_CALL(g->dac, g->dac->sos, SOS_HEAP_LIST, heap->n_heaps,
			      heaps, &n);
	if (hr < 0)
		return dac_err(hr, "cannot inspect the heap");
	for (uint32_t i = 0; i < heap->n_heaps && !err; i++)
		err = add_heap(g, heaps[i], i, &queues[i]);
	return err;
}

static void gc_heap_finish(struct gathering *g, struct arena *arena,
			   struct gc_heap *ret)
{
	add_contexts(g);
	sort_all(g);
	ret->regions = g->regions;
	ret->parts = arena_copy(arena, g->parts, g->n_parts, sizeof(*g->parts));
	ret->n_parts = g->n_parts;
	ret->gaps = arena_copy(arena, g->gaps, g->n_gaps, sizeof(*g->gaps));
	ret->n_gaps = g->n_gaps;
}

bool dac_gc_works(struct dac *d)
{
	struct sos_thread_store threads = {0};
	struct sos_heap heap = {0};

	// it holds all threads for some time before and after
	return DAC_CALL(d, d->sos, SOS_HEAP, &heap) >= 0 &&
	       (!heap.valid ||
		(DAC_CALL(d, d->sos, SOS_THREAD_STORE, &threads) >= 0 &&
		 threads.suspender));
}

bool dac_gc_waits(struct dac *d)
{
	const struct map *all = &d->threads.by_tid;

	dac_thread_find(d, 0); // reads the list to its end
	for (size_t i = 0; i < all->cap; i++) {
		const struct dac_thread *t = all->slots[i].value;
		struct regs regs;

		if (t && t->cooperative &&
		    !dbg_err_drop(target_regs(d->target, t->tid, &regs)) &&
		    !dac_method_at(d, regs_pc(&regs)))
			return true;
	}
	return false;
}

struct dbg_error *dac_gc_heap(struct dac *d, struct arena *arena, bool force,
			      struct gc_heap *ret)
{
	struct sos_heap heap = {0};
	struct gathering g = {.dac = d};

	int32_t hr = DAC_CALL(d, d->sos, SOS_HEAP, &heap);
	if (hr < 0)
		return dac_err(hr, "cannot inspect the heap");
	if (!heap.valid && !force)
		return dbg_err(DBG_E_STATE, "the garbage collector is at work; "
					    "continue and stop again");
	if (!heap.server)
		heap.n_heaps = 1;
	if (!d->sos8 || heap.n_heaps > HEAPS_MAX)
		return dbg_err(DBG_E_RUNTIME, "the heap is of a kind that is "
					      "not known");
	memset(ret, 0, sizeof(*ret));
	ret->server = heap.server;
	ret->collecting = !heap.valid;
	ret->n_heaps = heap.n_heaps;
	ret->queues = arena_calloc(arena, heap.n_heaps, sizeof(*ret->queues));
	ret->free_type = dac_globals(d)->free_type;
	ret->string_type = dac_globals(d)->string_type;
	struct dbg_error *err = add_heaps(&g, &heap, ret->queues);

	if (!err)
		gc_heap_finish(&g, arena, ret);
	free(g.parts);
	free(g.gaps);
	map_deinit(&g.seen);
	return err;
}

bool dac_gc_type(struct dac *d, uint64_t mt, struct gc_type *ret)
{
	struct sos_type_all all = {0};

	if (!mt || DAC_CALL(d, d->sos, SOS_TYPE_ALL, mt, d->sos6, &all) < 0)
		return false;
	const struct sos_type type = all.type;
	const struct sos_collectible c = all.collectible;
	*ret = (struct gc_type){
	    .base_size = type.base_size,
	    .component_size = type.component_size,
	    .references = type.contains_pointers,
	    .is_free = type.is_free,
	};
	// The DAC leaves out the terminator.
	if (mt == dac_globals(d)->string_type)
		ret->base_size += TERMINATOR;
	if (!c.collectible || !c.allocator ||
	    target_read_some(d->target, c.allocator, &ret->allocator,
			     sizeof(ret->allocator)) != sizeof(ret->allocator))
		ret->allocator = 0;
	return true;
}

bool dac_gc_type_unread(struct dac *d, uint64_t mt)
{
	struct read_log log = {.n = 0};
	struct sos_type_all all = {0};
	bool unread = false;
	uint8_t byte;

	d->data_target.log = &log;
	int32_t hr = DAC_CALL(d, d->sos, SOS_TYPE_ALL, mt, d->sos6, &all);
	d->data_target.log = NULL;
	for (size_t i = 0; hr < 0 && !unread && i < log.n; i++)
		unread = !target_read_some(d->target, log.reads[i].addr, &byte,
					   sizeof(byte));
	return unread;
}
