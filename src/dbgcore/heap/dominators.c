/*
 * The dominator tree: see dominators.h. What is alive and what is a join is
 * found first; then the search (dominators_search.c) and the dominators of the
 * joins (semidominators.c); then joins are put together by what dominates them.
 */
#include "heap/dominators_priv.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

static void free_tables(struct heap_dominators *d)
{
	free(d->number);
	free(d->odd);
	free(d->v);
	free(d->log.v);
	free(d->edges);
	d->number = NULL;
	d->odd = NULL;
	d->v = NULL;
	d->log = (struct heap_log){0};
	d->edges = NULL;
}

void heap_dominators_deinit(struct heap_dominators *d)
{
	free_tables(d);
	free(d->joins);
	free(d->inner);
	free(d->ranks);
	free(d->pairs);
	free(d->leads);
	free(d->starts);
	free(d->below);
	free(d->retained);
}

/* ---- What is alive, and what is a join ------------------------------- */

// Count the marks in front of each block into d->ranks. Returns all of them.
static size_t make_ranks(struct heap_dominators *d, const uint64_t *marks)
{
	size_t n = 0, size = heap_marks_size(d->heap);

	d->ranks = xcalloc(size / (HEAP_BLOCK / 64) + 1, sizeof(*d->ranks));
	for (size_t i = 0; i < size; i++) {
		if (i % (HEAP_BLOCK / 64) == 0)
			d->ranks[i / (HEAP_BLOCK / 64)] = (uint32_t)n;
		n += (size_t)__builtin_popcountll(marks[i]);
	}
	return n;
}

static int by_from(const void *a, const void *b)
{
	const struct heap_pair *s = a, *t = b;

	return (s->from > t->from) - (s->from < t->from);
}

static size_t hash_of(const struct heap_dominators *d, uint64_t object)
{
	return (size_t)(object * 0x9e3779b97f4a7c15 >> 32) & (d->n_leads - 1);
}

static void take_pairs(struct heap_dominators *d,
		       const struct heap_roots *roots,
		       const struct heap_graph *g)
{
	uint64_t from, to;

	for (d->n_leads = 64; d->n_leads / 16 < roots->n_pairs;)
		d->n_leads *= 2;
	d->leads = xcalloc(d->n_leads / 64, sizeof(*d->leads));
	d->pairs = xcalloc(roots->n_pairs + 1, sizeof(*d->pairs));
	for (size_t i = 0; i < roots->n_pairs; i++) {
		const struct heap_pair *pair = &roots->pairs[i];

		if (!heap_graph_has(g, pair->from) ||
		    !heap_position_of(d->heap, pair->from, &from) ||
		    !heap_position_of(d->heap, pair->to, &to))
			continue;
		d->pairs[d->n_pairs++] = *pair;
		heap_bit_set(d->leads, hash_of(d, pair->from));
		heap_mark(d->inner, from);
		heap_mark(d->joins, to);
	}
	if (d->n_pairs)
		qsort(d->pairs, d->n_pairs, sizeof(*d->pairs), by_from);
}

bool heap_leads_pair(const struct heap_dominators *d, struct heap_leads *l,
		     uint64_t *to)
{
	uint64_t from = l->object.addr;
	size_t low = 0, high = d->n_pairs;

	if (!heap_bit(d->leads, hash_of(d, from)))
		return false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->pairs[mid].from < from)
			low = mid + 1;
		else
			high = mid;
	}
	low += (l->at - l->object.size) / HEAP_WORD;
	if (low >= d->n_pairs || d->pairs[low].from != from)
		return false;
	l->at += HEAP_WORD;
	*to = d->pairs[low].to;
	return true;
}

uint32_t heap_leads_place(const struct heap_dominators *d,
			  const struct heap_leads *l)
{
	uint64_t at = l->at, size = l->object.size, n;

	if (at < l->end || (at < size && l->object.type->n &&
			    heap_refs_after(l->object.type, size, at, &at, &n)))
		return (uint32_t)(at / HEAP_WORD);
	if (!heap_bit(d->leads, hash_of(d, l->object.addr)))
		return HEAP_NOWHERE;
	return (uint32_t)((l->at > size ? l->at : size) / HEAP_WORD);
}

static struct dbg_error *mark_all(struct heap_dominators *d,
				  const struct heap_roots *roots)
{
	struct heap_graph g;
	struct dbg_error *err = heap_graph_init(&g, d->heap);

	if (!err) {
		g.marks_only = true;
		g.nodes.joins = heap_marks_make(d->heap);
		g.nodes.inner = heap_marks_make(d->heap);
		err = heap_graph_mark(&g, roots);
		d->n_alive = g.nodes.count;
		d->joins = g.nodes.joins;
		d->inner = g.nodes.inner;
		g.nodes.joins = g.nodes.inner = NULL;
	}
	if (!err)
		take_pairs(d, roots, &g);
	heap_graph_deinit(&g);
	return err;
}

static void make_tables(struct heap_dominators *d)
{
	for (size_t i = 0; i < heap_marks_size(d->heap); i++)
		d->n_joins += (size_t)__builtin_popcountll(d->joins[i]);
	d->number = xcalloc(d->n_joins + 1, sizeof(*d->number));
	d->odd = xcalloc(d->n_joins / 64 + 1, sizeof(*d->odd));
	d->v = xcalloc(d->n_joins + 1, sizeof(*d->v));
}

// A core's file that is written to meanwhile.
struct dbg_error *heap_changes(void)
{
	return dbg_err(DBG_E_STATE, "the heap changes while it is read");
}

/* ---- The tree -------------------------------------------------------- */

// Keep of each join, by rank, what dominates it, and set that in @inner.
// Returns how many objects that are.
static size_t mark_dominators(struct heap_dominators *d)
{
	uint32_t *dominator = d->number;

	d->inner = heap_marks_make(d->heap);
	for (size_t i = 1; i <= d->n_joins; i++) {
		dominator[i] = d->v[d->number[i]].semi_at;
		if (dominator[i] != HEAP_NOWHERE)
			heap_mark(d->inner, dominator[i]);
	}
	free(d->v);
	d->v = NULL;
	return make_ranks(d, d->inner);
}

// Put the joins together that one object dominates, by position.
static void make_tree(struct heap_dominators *d)
{
	size_t n, rank = d->n_joins;
	uint32_t *above = d->number, sum = 0;

	d->v[0].semi_at = HEAP_NOWHERE;
	n = mark_dominators(d) + 2;
	d->starts = xcalloc(n, sizeof(*d->starts));
	d->below = xcalloc(d->n_joins + 1, sizeof(*d->below));
	for (size_t i = 1; i <= d->n_joins; i++) {
		above[i] = above[i] == HEAP_NOWHERE
			       ? 0
			       : heap_rank_of(d, d->inner, above[i]);
		d->starts[above[i]]++;
	}
	for (size_t i = 0; i < n; i++)
		d->starts[i] = sum += d->starts[i];
	for (size_t i = heap_marks_size(d->heap); i--;)
		for (uint64_t marks = d->joins[i], bit; marks; marks &= ~bit) {
			unsigned int last =
			    63 - (unsigned int)__builtin_clzll(marks);
			uint64_t position =
			    (i * 64 + last) * 2 + heap_bit(d->odd, rank);

			bit = (uint64_t)1 << last;
			d->below[--d->starts[above[rank--]]] =
			    (uint32_t)position;
		}
	free_tables(d);
}

struct dbg_error *heap_dominators_init(struct heap_dominators *d,
				       struct heap *h,
				       const struct heap_roots *roots)
{
	struct dbg_error *err;

	*d = (struct heap_dominators){.heap = h};
	err = mark_all(d, roots);
	if (err)
		return err;
	make_tables(d);
	err = heap_dominators_search(d, roots);
	if (!err)
		err = heap_dominators_find(d);
	if (!err)
		make_tree(d);
	return err;
}
