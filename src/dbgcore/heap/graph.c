/* Reachability: see graph.h. */
#include "heap/graph.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "heap/heap_priv.h"
#include "target/target.h"

enum {
	LOAD_AT_ONCE = 4 << 20,
	PACE = 1 << 16, // objects between looks at what else there is to do
	AHEAD = 16,     // objects that are fetched before they are served
};

#define FOLLOWING "following references"

/* ---- Memory ---------------------------------------------------------- */

// Copy a part of the heap into memory. Bytes that cannot be read stay zero,
// where walks find no object.
static struct dbg_error *load_part(struct heap *h, struct heap_part *part)
{
	uint64_t n = part->is.end - part->is.start;
	uint8_t *data =
	    mmap(NULL, n, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (data == MAP_FAILED)
		return dbg_err(DBG_E_STATE,
			       "there is no memory for a copy of the heap");
	// without it the kernel is asked for each page
	madvise(data, n, MADV_HUGEPAGE);
	part->data = data;
	part->own = true;
	for (uint64_t at = 0; at < n; at += LOAD_AT_ONCE) {
		uint64_t some = n - at < LOAD_AT_ONCE ? n - at : LOAD_AT_ONCE;

		target_read_some(h->target, part->is.start + at, data + at,
				 some);
		struct dbg_error *err =
		    heap_pace(h, "reading the heap",
			      part->first + at / HEAP_WORD, h->n_words);
		if (err)
			return err;
	}
	return NULL;
}

struct dbg_error *heap_load(struct heap *h)
{
	struct dbg_error *err = NULL;

	if (h->n_words >= UINT32_MAX)
		return dbg_err(DBG_E_STATE,
			       "the heap has more than 32 GiB: what can be "
			       "reached is not looked for");
	for (size_t i = 0; i < h->n_parts && !err; i++)
		if (!h->parts[i].data)
			err = load_part(h, &h->parts[i]);
	return err;
}

struct dbg_error *heap_graph_init(struct heap_graph *g, struct heap *h)
{
	struct dbg_error *err;

	*g = (struct heap_graph){.heap = h, .samples.next = UINT64_MAX};
	err = heap_load(h);
	if (!err)
		g->marks = heap_marks_make(h);
	return err;
}

void heap_graph_deinit(struct heap_graph *g)
{
	free(g->marks);
	free(g->held);
	free(g->met);
	free(g->released);
	free(g->again);
	free(g->nodes.joins);
	free(g->nodes.inner);
	free(g->queue);
	free(g->ways);
	free(g->parents);
	free(g->links);
	free(g->samples.at.v);
	free(g->referrers.v);
}

/* ---- Objects by their position --------------------------------------- */

uint64_t heap_graph_object(const struct heap_graph *g, uint32_t index)
{
	const struct heap_part *part = heap_part_at(g->heap, g->queue[index]);

	return heap_address_at(part, g->queue[index]);
}

void heap_graph_sample(struct heap_graph *g, uint64_t step)
{
	g->samples.step = step;
	g->samples.next = step / 2;
}

bool heap_graph_index(const struct heap_graph *g, uint64_t object,
		      uint32_t *ret)
{
	uint64_t position;

	if (!heap_graph_has(g, object) ||
	    !heap_position_of(g->heap, object, &position))
		return false;
	for (size_t i = 0; i < g->n; i++)
		if (g->queue[i] == position) {
			*ret = (uint32_t)i;
			return true;
		}
	return false;
}

/* ---- The queue ------------------------------------------------------- */

// Note that something comes into the queue, or that its first was served.
static inline void note_way(struct heap_graph *g, bool enters)
{
	size_t at = g->n + g->served;

	if (at % 64 == 0) {
		mem_grow(&g->ways, &g->cap_ways, at / 64, sizeof(*g->ways));
		g->ways[at / 64] = 0;
	}
	g->ways[at / 64] |= (uint64_t)enters << at % 64;
}

// Note what leads to the one that comes next.
static void note_parent(struct heap_graph *g)
{
	if (g->n % GRAPH_STEP == 0) {
		mem_grow(&g->parents, &g->cap_parents, g->n_parents,
			 sizeof(*g->parents));
		g->parents[g->n_parents++] = (uint32_t)g->served;
	}
	note_way(g, true);
}

static void queue_enter(struct heap_graph *g, uint32_t position)
{
	if (!g->marks_only)
		note_parent(g);
	if (g->n == g->cap)
		mem_grow(&g->queue, &g->cap, g->n, sizeof(*g->queue));
	g->queue[g->n++] = position;
	g->nodes.count++;
}

// An object that was marked before is met again. True if it is held, and it is
// the first time.
static inline bool meet_held(struct heap_graph *g, uint64_t position)
{
	if (g->nodes.joins)
		heap_mark(g->nodes.joins, position);
	if (!g->held || !heap_marked(g->held, position) ||
	    heap_marked(g->met, position))
		return false;
	heap_mark(g->met, position);
	return true;
}

// True if it comes into the queue.
static bool mark(struct heap_graph *g, uint64_t object)
{
	uint64_t position;

	if (!heap_position_of(g->heap, object, &position))
		return false;
	if (heap_marked(g->marks, position)) {
		if (!meet_held(g, position))
			return false;
	} else {
		heap_mark(g->marks, position);
	}
	queue_enter(g, (uint32_t)position);
	return true;
}

bool heap_graph_has(const struct heap_graph *g, uint64_t object)
{
	uint64_t position;

	return heap_position_of(g->heap, object, &position) &&
	       heap_marked(g->marks, position) &&
	       !(g->held && heap_marked(g->held, position));
}

bool heap_graph_root(struct heap_graph *g, uint64_t object)
{
	uint64_t position;

	if (g->nodes.joins && heap_position_of(g->heap, object, &position))
		heap_mark(g->nodes.joins, position);
	return mark(g, object);
}

/* ---- Objects that are held ------------------------------------------- */

bool heap_graph_hold(struct heap_graph *g, uint64_t object)
{
	uint64_t position;

	if (!heap_position_of(g->heap, object, &position) ||
	    heap_marked(g->marks, position))
		return false;
	if (!g->held) {
		g->held = heap_marks_make(g->heap);
		g->met = heap_marks_make(g->heap);
	}
	heap_mark(g->held, position);
	heap_mark(g->marks, position);
	return true;
}

void heap_graph_release(struct heap_graph *g)
{
	size_t n = g->n, cap = 0;

	if (!g->held)
		return;
	for (size_t i = 0; i < heap_marks_size(g->heap); i++)
		g->marks[i] &= ~g->held[i] | g->met[i];
	g->first_again = n;
	for (size_t i = 0; i < n; i++) {
		if (!heap_marked(g->held, g->queue[i]))
			continue;
		mem_grow(&g->again, &cap, g->n_again, sizeof(*g->again));
		g->again[g->n_again++] = (uint32_t)i;
		queue_enter(g, g->queue[i]);
	}
	g->released = g->held;
	g->held = NULL;
	free(g->met);
	g->met = NULL;
}

bool heap_graph_met(const struct heap_graph *g, uint64_t object)
{
	uint64_t position;

	return g->held && heap_position_of(g->heap, object, &position) &&
	       heap_marked(g->held, position) && heap_marked(g->met, position);
}

static void unmark(uint64_t *marks, uint64_t position)
{
	marks[position / 2 / 64] &= ~((uint64_t)1 << position / 2 % 64);
}

void heap_graph_pass(struct heap_graph *g, uint64_t object)
{
	uint64_t position;

	if (!g->held || !heap_position_of(g->heap, object, &position) ||
	    !heap_marked(g->held, position))
		return;
	unmark(g->held, position);
	if (heap_marked(g->met, position))
		queue_enter(g, (uint32_t)position);
	else
		unmark(g->marks, position);
}

/* ---- The visit ------------------------------------------------------- */

static void note_entry(struct heap_entry_list *l, uint32_t index)
{
	mem_grow(&l->v, &l->cap, l->n, sizeof(*l->v));
	l->v[l->n++] = index;
}

static void note_sample(struct heap_graph *g)
{
	for (; g->bytes > g->samples.next; g->samples.next += g->samples.step)
		note_entry(&g->samples.at, (uint32_t)g->served);
}

static void note_referrer(struct heap_graph *g)
{
	struct heap_entry_list *l = &g->referrers;

	if (!l->n || l->v[l->n - 1] != (uint32_t)g->served)
		note_entry(l, (uint32_t)g->served);
}

static inline void graph_visit(struct heap_graph *g, uint64_t to)
{
	if (to && to == g->target)
		note_referrer(g);
	if (to)
		mark(g, to);
}

// Put what the object refers to into the queue.
static void serve(struct heap_graph *g, const struct heap_object *o,
		  uint32_t position)
{
	struct heap_refs refs;
	uint64_t offset, n;

	if (g->held && heap_marked(g->held, position))
		return;
	g->bytes += o->size;
	if (g->bytes > g->samples.next)
		note_sample(g);
	if (!o->type->has_refs)
		return;
	if (g->nodes.inner)
		heap_mark(g->nodes.inner, position);
	if (o->type->allocator)
		graph_visit(g, o->type->allocator);
	heap_refs_begin(&refs, o->type, o->size);
	while (o->type->n && heap_refs_next(&refs, &offset, &n)) {
		const uint8_t *p = o->bytes + offset;

		for (const uint8_t *end = p + n * HEAP_WORD; p < end;
		     p += HEAP_WORD)
			graph_visit(g, heap_word(p));
	}
}

// Mark objects that are alive because another one is (dependent handles);
// false: there are no more.
static bool follow_pairs(struct heap_graph *g)
{
	bool any = false;

	for (size_t i = 0; i < g->n_pairs; i++) {
		if (!heap_graph_has(g, g->pairs[i].from) ||
		    !mark(g, g->pairs[i].to))
			continue;
		any = true;
		if (g->marks_only)
			continue;
		mem_grow(&g->links, &g->cap_links, g->n_links,
			 sizeof(*g->links));
		g->links[g->n_links++] = (struct heap_link){
		    (uint32_t)(g->n - 1), UINT32_MAX, g->pairs[i].from};
	}
	return any;
}

// Have what is served soon come into the cache.
static inline void fetch_ahead(const struct heap_graph *g)
{
	uint32_t position = g->queue[g->served + AHEAD];
	const struct heap_part *part = heap_part_at(g->heap, position);

	__builtin_prefetch(part->data +
			   (position - part->first) * (size_t)HEAP_WORD);
}

// Serve the first of the queue that was not yet, or, of a stack, the last.
static void serve_next(struct heap_graph *g)
{
	uint32_t position = g->queue[g->marks_only ? --g->n : g->served];

	if (!g->marks_only && g->n - g->served > AHEAD)
		fetch_ahead(g);
	const struct heap_part *part = heap_part_at(g->heap, position);
	struct heap_object o;

	if (heap_look(g->heap, part, heap_address_at(part, position), &o))
		serve(g, &o, position);
	if (g->marks_only)
		return;
	note_way(g, false);
	g->served++;
}

struct dbg_error *heap_graph_run(struct heap_graph *g)
{
	struct dbg_error *err;
	uint64_t done = 0;

	if (!g->served)
		g->roots.n = g->n;
	do {
		while (g->served < g->n) {
			serve_next(g);
			if (++done % PACE)
				continue;
			err = heap_pace(g->heap, FOLLOWING, done, 0);
			if (err)
				return err;
		}
	} while (follow_pairs(g));
	return heap_pace(g->heap, FOLLOWING, done, done);
}

struct dbg_error *heap_graph_mark(struct heap_graph *g,
				  const struct heap_roots *roots)
{
	size_t i = 0;

	g->pairs = roots->pairs;
	g->n_pairs = roots->n_pairs;
	for (; i < roots->n_lasting; i++)
		heap_graph_root(g, roots->objects[i]);
	struct dbg_error *err = i ? heap_graph_run(g) : NULL;

	g->roots.late = g->n;
	for (; i < roots->n; i++)
		heap_graph_root(g, roots->objects[i]);
	g->roots.n_late = g->n - g->roots.late;
	return err ? err : heap_graph_run(g);
}

/* ---- Ways ------------------------------------------------------------ */

uint64_t heap_graph_offset(struct heap_graph *g, uint64_t from, uint64_t to)
{
	struct heap_object o;
	struct heap_refs refs;
	uint64_t offset, n;

	if (!heap_object_at(g->heap, from, &o))
		return UINT64_MAX;
	heap_refs_begin(&refs, o.type, o.size);
	while (o.type->n && heap_refs_next(&refs, &offset, &n))
		for (; n; n--, offset += HEAP_WORD)
			if (heap_word(o.bytes + offset) == to)
				return offset;
	return UINT64_MAX;
}

static size_t hash_of(uint64_t position, size_t n)
{
	return (size_t)(position * 0x9e3779b97f4a7c15 >> 32) & (n - 1);
}

/*
 * Find the entries that links come from, of all at once. Bits by a hash of what
 * is looked for tell of most entries that they are none of these.
 */
static void find_links(struct heap_graph *g)
{
	struct map first = {0}; // 1 + the index in the queue, by position
	uint64_t position = 0;
	size_t n = 64;

	while (n / 16 < g->n_links)
		n *= 2;
	uint64_t *bits = xcalloc(n / 64, sizeof(*bits));

	for (size_t i = 0; i < g->n_links; i++)
		if (heap_position_of(g->heap, g->links[i].from, &position)) {
			heap_bit_set(bits, hash_of(position, n));
			map_put(&first, position, (void *)UINTPTR_MAX);
		}
	for (size_t i = 0; i < g->n; i++)
		if (heap_bit(bits, hash_of(g->queue[i], n)) &&
		    (uintptr_t)map_find(&first, g->queue[i]) == UINTPTR_MAX)
			map_put(&first, g->queue[i], (void *)(i + 1));
	for (size_t i = 0; i < g->n_links; i++) {
		heap_position_of(g->heap, g->links[i].from, &position);
		g->links[i].parent =
		    (uint32_t)((uintptr_t)map_find(&first, position) - 1);
	}
	map_deinit(&first);
	free(bits);
}

// The link to an entry of the queue, NULL: none leads to it.
static const struct heap_link *link_to(struct heap_graph *g, uint32_t index)
{
	size_t low = 0, high = g->n_links;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (g->links[mid].index < index)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == g->n_links || g->links[low].index != index)
		return NULL;
	if (g->links[low].parent == UINT32_MAX)
		find_links(g);
	return &g->links[low];
}

// How many queue entries had been served when @index was added: the number of
// zeros in front of its bit.
static uint32_t served_before(const struct heap_graph *g, uint32_t index)
{
	uint32_t left = index % GRAPH_STEP;
	size_t at = index - left + g->parents[index / GRAPH_STEP];
	uint64_t word = g->ways[at / 64] & ~(uint64_t)0 << at % 64;

	for (at -= at % 64; left >= (uint32_t)__builtin_popcountll(word);) {
		left -= (uint32_t)__builtin_popcountll(word);
		at += 64;
		word = g->ways[at / 64];
	}
	for (; left; left--)
		word &= word - 1;
	return (uint32_t)(at + (size_t)__builtin_ctzll(word) - index);
}

bool heap_graph_parent(struct heap_graph *g, uint32_t index, uint32_t *ret)
{
	const struct heap_link *link = link_to(g, index);
	size_t again = index - g->first_again;

	if (index >= g->first_again && again < g->n_again)
		*ret = g->again[again];
	else if (link)
		*ret = link->parent;
	else if (index < g->roots.n || index - g->roots.late < g->roots.n_late)
		return false;
	else
		*ret = served_before(g, index);
	return *ret < index;
}
