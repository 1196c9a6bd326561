/*
 * The dominator tree: see dominators.h.
 *
 * The search makes a spanning tree, in which an object is below the one whose
 * reference the search came by. Ancestors are those of this tree; of two
 * ancestors of an object the one with the lower order is nearer to the roots.
 * The semidominator of a join is one of its ancestors: the first of
 *
 *   the nearest common ancestors of the join and of each object that has a
 *   reference to it, which the search knows when it meets the reference (see
 *   fold), and
 *
 *   the semidominators of all joins that have a higher number than this one
 *   and are ancestors of such an object: by the edges that are kept.
 *
 * All other objects have the one that refers to them as their dominator.
 */
#include "heap/dominators_priv.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

#define FINDING "finding dominators"

/* An object that the search is within. */
struct frame {
	uint32_t position, order;
	uint32_t at; /* where it goes on, in words */
};

struct search {
	struct heap_dominators *d;
	struct frame *v; /* the first is in front of all roots */
	size_t n, cap;
	uint32_t order; /* the last one that was given */
	uint32_t join;  /* the last one in @v */
	struct heap_leads leads;
};

static void free_tables(struct heap_dominators *d)
{
	free(d->number);
	free(d->v);
	free(d->above);
	free(d->edges);
	d->number = d->above = NULL;
	d->v = NULL;
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

size_t heap_ranks_make(struct heap_dominators *d, const uint64_t *bits)
{
	size_t n = 0;

	for (size_t i = 0; i < d->heap->n_words / 64 + 1; i++) {
		if (i % (HEAP_BLOCK / 64) == 0)
			d->ranks[i / (HEAP_BLOCK / 64)] = (uint32_t)n;
		n += (size_t)__builtin_popcountll(bits[i]);
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
		heap_bit_set(d->inner, from);
		heap_bit_set(d->joins, to);
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
	size_t n = d->heap->n_words / 64 + 1;
	struct heap_graph g;
	struct dbg_error *err = heap_graph_init(&g, d->heap);

	if (!err) {
		g.marks_only = true;
		g.nodes.joins = xcalloc(n, sizeof(*g.nodes.joins));
		g.nodes.inner = xcalloc(n, sizeof(*g.nodes.inner));
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
	d->ranks =
	    xcalloc(d->heap->n_words / HEAP_BLOCK + 1, sizeof(*d->ranks));
	d->n_joins = heap_ranks_make(d, d->joins);
	d->number = xcalloc(d->n_joins + 1, sizeof(*d->number));
	d->v = xcalloc(d->n_joins + 1, sizeof(*d->v));
}

// A core's file that is written to meanwhile.
struct dbg_error *heap_changes(void)
{
	return dbg_err(DBG_E_STATE, "the heap changes while it is read");
}

/* ---- The search ------------------------------------------------------ */

// The last frame with an order that is not higher.
static const struct frame *frame_of(const struct search *s, uint32_t order)
{
	size_t low = 0, high = s->n;

	while (low + 1 < high) {
		size_t mid = low + (high - low) / 2;

		if (s->v[mid].order <= order)
			low = mid;
		else
			high = mid;
	}
	return &s->v[low];
}

static bool is_on_stack(const struct search *s, uint32_t join)
{
	uint32_t order = s->d->v[join].order;

	return frame_of(s, order)->order == order;
}

// What leads to @to has the join @from as its nearest. Of two of these where
// one is an ancestor of the other the lower one will do: it has the other's
// ancestors, too.
static void keep_edge(struct search *s, uint32_t from, struct heap_join *to)
{
	struct heap_dominators *d = s->d;
	struct heap_edge *last = to->label ? &d->edges[to->label - 1] : NULL;

	if (last && last->from >= from)
		return;
	if (last && is_on_stack(s, last->from)) {
		last->from = from;
		return;
	}
	if (d->n_edges == UINT32_MAX)
		return;
	mem_grow(&d->edges, &d->cap_edges, d->n_edges, sizeof(*d->edges));
	d->edges[d->n_edges++] = (struct heap_edge){from, to->label};
	to->label = (uint32_t)d->n_edges;
}

// One more reference leads to a join, from the last object on the stack.
static void fold(struct search *s, uint32_t number)
{
	struct heap_join *to = &s->d->v[number];
	const struct frame *both = &s->v[s->n - 1];

	if (both->order > to->order)
		both = frame_of(s, to->order);
	if (both->order < to->order && both->order < to->semi) {
		to->semi = both->order;
		to->semi_at = both->position;
	}
	if (s->join > number)
		keep_edge(s, s->join, to);
}

static void push(struct search *s, uint32_t position)
{
	s->v[s->n - 1].at = heap_leads_place(s->d, &s->leads);
	mem_grow(&s->v, &s->cap, s->n, sizeof(*s->v));
	s->v[s->n++] = (struct frame){position, ++s->order, 0};
	heap_leads_begin(s->d, position, 0, &s->leads);
}

static void push_join(struct search *s, uint32_t rank, uint32_t position)
{
	const struct frame *top = &s->v[s->n - 1];
	uint32_t number = ++s->d->n;

	s->d->number[rank] = number;
	s->d->v[number] = (struct heap_join){
	    .order = s->order + 1,
	    .parent = s->join,
	    .semi = top->order,
	    .semi_at = top->position,
	};
	s->join = number;
	push(s, position);
}

// The last object on the stack leads to @to.
static inline void follow(struct search *s, uint64_t to)
{
	struct heap_dominators *d = s->d;
	uint64_t position;

	if (!heap_position_of(d->heap, to, &position))
		return;
	if (heap_bit(d->joins, position)) {
		uint32_t rank = heap_rank_of(d, d->joins, position);

		if (d->number[rank])
			fold(s, d->number[rank]);
		else
			push_join(s, rank, (uint32_t)position);
	} else if (heap_bit(d->inner, position)) {
		push(s, (uint32_t)position);
	}
}

// Go back to the last object that leads to more.
static void pop(struct search *s)
{
	const struct frame *top;

	do {
		top = &s->v[--s->n];
		if (s->d->v[s->join].order == top->order)
			s->join = s->d->v[s->join].parent;
		top--;
	} while (top->at == HEAP_NOWHERE);
	if (s->n > 1)
		heap_leads_begin(s->d, top->position, top->at, &s->leads);
}

static struct dbg_error *search_from(struct search *s, uint64_t root)
{
	struct heap_dominators *d = s->d;
	struct dbg_error *err = NULL;
	uint32_t paced = s->order;
	uint64_t to;

	follow(s, root);
	s->v[0].at = 0;
	while (s->n > 1 && !err) {
		if (heap_leads_next(d, &s->leads, &to))
			follow(s, to);
		else
			pop(s);
		if (s->order - paced < HEAP_PACE)
			continue;
		paced = s->order;
		err = heap_pace(d->heap, "numbering objects", s->order,
				d->n_alive);
		if (!err && s->order > d->n_alive)
			err = heap_changes();
	}
	return err;
}

static struct dbg_error *search(struct heap_dominators *d,
				const struct heap_roots *roots)
{
	struct search s = {.d = d};
	struct dbg_error *err = NULL;

	mem_grow(&s.v, &s.cap, 0, sizeof(*s.v));
	s.v[s.n++] = (struct frame){HEAP_NOWHERE, 0, 0};
	for (size_t i = 0; i < roots->n && !err; i++)
		if (roots->objects[i])
			err = search_from(&s, roots->objects[i]);
	free(s.v);
	free(d->inner);
	d->inner = NULL;
	if (!err && d->n_edges == UINT32_MAX)
		err = dbg_err(DBG_E_STATE,
			      "the heap has more references than can be "
			      "numbered: retained sizes are not found");
	return err;
}

/* ---- Dominators ------------------------------------------------------ */

// The join with the least semidominator on the way up from @number to what has
// not been linked, which are the numbers below @linked. Halves the way.
static inline uint32_t best_above(const struct heap_dominators *d,
				  uint32_t number, uint32_t linked)
{
	struct heap_join *v = d->v, *at = &v[number];
	uint32_t best = at->label;

	while (at->parent >= linked) {
		const struct heap_join *up = &v[at->parent];

		if (v[up->label].semi < v[at->label].semi)
			at->label = up->label;
		at->parent = up->parent;
		if (v[at->label].semi < v[best].semi)
			best = at->label;
		if (at->parent < linked)
			break;
		at = &v[at->parent];
		if (v[at->label].semi < v[best].semi)
			best = at->label;
	}
	return best;
}

static void take_semi(struct heap_join *join, const struct heap_join *from)
{
	if (from->semi >= join->semi)
		return;
	join->semi = from->semi;
	join->semi_at = from->semi_at;
}

static struct dbg_error *find_semidominators(struct heap_dominators *d)
{
	const struct heap_edge *edge;
	struct dbg_error *err = NULL;

	for (uint32_t w = d->n; w && !err; w--) {
		for (uint32_t e = d->v[w].label; e; e = edge->next) {
			edge = &d->edges[e - 1];
			uint32_t best = best_above(d, edge->from, w + 1);

			take_semi(&d->v[w], &d->v[best]);
		}
		d->v[w].label = w;
		if (w % HEAP_PACE == 0)
			err = heap_pace(d->heap, FINDING, d->n - w, d->n);
	}
	return err;
}

// The last join on the way up the tree that has a higher order; 0: none.
static uint32_t last_behind(const struct heap_dominators *d, uint32_t at,
			    uint32_t order)
{
	const struct heap_join *v = d->v;
	uint32_t last = 0;

	while (v[at].order > order) {
		last = at;
		at = v[v[at].label].order > order ? v[at].label : d->above[at];
	}
	return last;
}

/*
 * The dominator is the first object, on the way up the tree from the one that
 * has the reference, whose order is not higher than the semidominator's. So
 * that the way is short each join knows one far up the tree (the label), and
 * its depth (the parent).
 */
static struct dbg_error *find_dominators(struct heap_dominators *d)
{
	struct heap_join *v = d->v;
	struct dbg_error *err;

	d->above = xcalloc(d->n + (size_t)1, sizeof(*d->above));
	for (uint32_t w = 1; w <= d->n; w++)
		d->above[w] = v[w].parent;
	err = find_semidominators(d);
	for (uint32_t w = 1; w <= d->n && !err; w++) {
		uint32_t last = last_behind(d, d->above[w], v[w].semi);

		if (last) {
			d->above[w] = d->above[last];
			take_semi(&v[w], &v[last]);
		}
		uint32_t above = d->above[w], far = v[above].label;
		uint32_t farther = v[far].label, depth = v[above].parent;
		bool even =
		    depth - v[far].parent == v[far].parent - v[farther].parent;

		v[w].parent = depth + 1;
		v[w].label = even ? farther : above;
		if (w % HEAP_PACE == 0)
			err = heap_pace(d->heap, FINDING, w, d->n);
	}
	return err;
}

/* ---- The tree -------------------------------------------------------- */

// Keep of each join, by rank, what dominates it, and set that in @inner.
// Returns how many objects that are.
static size_t mark_dominators(struct heap_dominators *d)
{
	uint32_t *dominator = d->number;

	d->inner = xcalloc(d->heap->n_words / 64 + 1, sizeof(*d->inner));
	for (size_t i = 1; i <= d->n_joins; i++) {
		dominator[i] = d->v[d->number[i]].semi_at;
		if (dominator[i] != HEAP_NOWHERE)
			heap_bit_set(d->inner, dominator[i]);
	}
	free(d->v);
	free(d->above);
	d->v = NULL;
	d->above = NULL;
	return heap_ranks_make(d, d->inner);
}

// Put the joins together that one object dominates, by position.
static void make_tree(struct heap_dominators *d)
{
	size_t n, rank = d->n_joins;
	uint32_t *above = d->number, sum = 0;

	free(d->edges);
	d->edges = NULL;
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
	for (size_t i = d->heap->n_words / 64 + 1; i--;)
		for (uint64_t bits = d->joins[i], bit; bits; bits &= ~bit) {
			unsigned int last =
			    63 - (unsigned int)__builtin_clzll(bits);

			bit = (uint64_t)1 << last;
			d->below[--d->starts[above[rank--]]] =
			    (uint32_t)(i * 64 + last);
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
	err = search(d, roots);
	if (!err)
		err = find_dominators(d);
	if (!err)
		make_tree(d);
	return err;
}
