/* The dominator tree: see dominators.h. */
#include "heap/dominators.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "heap/heap_priv.h"

enum {
	PACE = 1 << 16, // objects between looks at what else there is to do
};

static struct dbg_error *check(const struct heap_dominators *d,
			       const char *what, uint32_t at)
{
	return at % PACE ? NULL : heap_pace(d->heap, what, at, d->n_nodes);
}

void heap_dominators_deinit(struct heap_dominators *d)
{
	free(d->marks);
	free(d->nodes);
	free(d->order);
	free(d->dominator);
	free(d->retained);
	free(d->pairs);
	free(d->leads);
	free(d->ranks);
	free(d->number);
	free(d->parent);
	free(d->semi);
	free(d->label);
	free(d->edges);
}

uint64_t heap_dominators_object(const struct heap_dominators *d,
				uint32_t number)
{
	uint32_t position = d->order[number];

	return heap_address_at(heap_part_at(d->heap, position), position);
}

/* ---- What is alive, and what is numbered ----------------------------- */

static int by_from(const void *a, const void *b)
{
	const struct heap_pair *s = a, *t = b;

	return (s->from > t->from) - (s->from < t->from);
}

// Both ends of what leads from one object to another are numbered.
static void take_pairs(struct heap_dominators *d,
		       const struct heap_roots *roots)
{
	uint64_t from, to;

	d->leads = xcalloc(d->heap->n_words / 64 + 1, sizeof(*d->leads));
	d->pairs = xcalloc(roots->n_pairs + 1, sizeof(*d->pairs));
	for (size_t i = 0; i < roots->n_pairs; i++) {
		const struct heap_pair *pair = &roots->pairs[i];

		if (!heap_position_of(d->heap, pair->from, &from) ||
		    !heap_position_of(d->heap, pair->to, &to) ||
		    !heap_bit(d->marks, from))
			continue;
		d->pairs[d->n_pairs++] = *pair;
		heap_bit_set(d->leads, from);
		heap_bit_set(d->nodes, from);
		heap_bit_set(d->nodes, to);
	}
	if (d->n_pairs)
		qsort(d->pairs, d->n_pairs, sizeof(*d->pairs), by_from);
}

static struct dbg_error *mark_all(struct heap_dominators *d,
				  const struct heap_roots *roots)
{
	struct heap_graph g;
	struct dbg_error *err = heap_graph_init(&g, d->heap);

	if (!err) {
		g.nodes = xcalloc(d->heap->n_words / 64 + 1, sizeof(*g.nodes));
		err = heap_graph_mark(&g, roots);
		d->marks = g.marks;
		d->nodes = g.nodes;
		g.marks = g.nodes = NULL;
	}
	heap_graph_deinit(&g);
	return err;
}

static void make_arrays(struct heap_dominators *d)
{
	size_t n_bits = d->heap->n_words / 64 + 1;
	size_t n = 1;

	d->ranks = xcalloc(n_bits, sizeof(*d->ranks));
	for (size_t i = 0; i < n_bits; i++) {
		d->ranks[i] = (uint32_t)n;
		n += (size_t)__builtin_popcountll(d->nodes[i]);
	}
	d->n_nodes = n - 1;
	d->order = xcalloc(n, sizeof(*d->order));
	d->dominator = xcalloc(n, sizeof(*d->dominator));
	d->number = xcalloc(n, sizeof(*d->number));
	d->parent = xcalloc(n, sizeof(*d->parent));
	d->semi = xcalloc(n, sizeof(*d->semi));
	d->label = xcalloc(n, sizeof(*d->label));
}

/* ---- References of an object ----------------------------------------- */

/*
 * Steps over what an object leads to. The place is an offset in the object, so
 * that the search keeps one number for each object that it is within: 0 is its
 * type's allocator, and behind its end are its dependent handles.
 */
struct leading {
	struct heap_object object;
	uint64_t at, end; /* of a run of pointers */
};

static void lead_begin(struct heap_dominators *d, uint32_t number, uint64_t at,
		       struct leading *l)
{
	uint32_t position = d->order[number];
	const struct heap_part *part = heap_part_at(d->heap, position);

	l->at = at;
	l->end = 0;
	if (heap_look(d->heap, part, heap_address_at(part, position),
		      &l->object))
		return;
	l->object = (struct heap_object){
	    .addr = heap_address_at(part, position),
	    .size = HEAP_WORD,
	    .type = &d->heap->none,
	};
}

static bool pair_next(const struct heap_dominators *d, struct leading *l,
		      uint64_t *to)
{
	uint64_t position;
	size_t low = 0, high = d->n_pairs;

	if (!heap_position_of(d->heap, l->object.addr, &position) ||
	    !heap_bit(d->leads, position))
		return false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->pairs[mid].from < l->object.addr)
			low = mid + 1;
		else
			high = mid;
	}
	low += (l->at - l->object.size) / HEAP_WORD;
	if (low >= d->n_pairs || d->pairs[low].from != l->object.addr)
		return false;
	l->at += HEAP_WORD;
	*to = d->pairs[low].to;
	return true;
}

static inline bool lead_next(const struct heap_dominators *d, struct leading *l,
			     uint64_t *to)
{
	const struct heap_type *type = l->object.type;
	uint64_t size = l->object.size, n;

	if (!l->at) {
		l->at = HEAP_WORD;
		*to = type->allocator;
		if (*to)
			return true;
	}
	while (l->at < size) {
		if (l->at >= l->end) {
			if (!type->n ||
			    !heap_refs_after(type, size, l->at, &l->at, &n)) {
				l->at = size;
				break;
			}
			l->end = l->at + n * HEAP_WORD;
		}
		*to = heap_word(l->object.bytes + l->at);
		l->at += HEAP_WORD;
		if (*to)
			return true;
	}
	return pair_next(d, l, to);
}

/* ---- The search ------------------------------------------------------ */

// The index of a node in @number; 0: it is none.
static inline uint32_t rank_of(const struct heap_dominators *d, uint64_t object,
			       uint64_t *position)
{
	if (!object || !heap_position_of(d->heap, object, position) ||
	    !heap_bit(d->nodes, *position))
		return 0;
	uint64_t before =
	    d->nodes[*position / 64] & (((uint64_t)1 << *position % 64) - 1);

	return d->ranks[*position / 64] +
	       (uint32_t)__builtin_popcountll(before);
}

static void add_edge(struct heap_dominators *d, uint32_t from, uint32_t to)
{
	uint32_t *first = &d->label[to];

	if (from < to && from < d->semi[to])
		d->semi[to] = from;
	if (from <= to || (*first && d->edges[*first - 1].from == from) ||
	    d->n_edges == UINT32_MAX)
		return;
	mem_grow(&d->edges, &d->cap_edges, d->n_edges, sizeof(*d->edges));
	d->edges[d->n_edges++] = (struct heap_edge){from, *first};
	*first = (uint32_t)d->n_edges;
}

// Number what can be reached from a root. While an object is being searched
// @semi is where it goes on.
static struct dbg_error *search(struct heap_dominators *d, uint64_t root)
{
	struct leading l = {0};
	uint64_t position, to = root;
	uint32_t v = 0, rank = rank_of(d, root, &position);
	bool more = true;

	if (!rank)
		return NULL;
	if (d->number[rank]) {
		d->semi[d->number[rank]] = 0;
		return NULL;
	}
	while (v || more) {
		rank = more ? rank_of(d, to, &position) : 0;
		if (rank && !d->number[rank]) {
			d->semi[v] = (uint32_t)(l.at / HEAP_WORD);
			d->number[rank] = ++d->n;
			d->parent[d->n] = v;
			d->order[d->n] = (uint32_t)position;
			v = d->n;
			lead_begin(d, v, 0, &l);
			struct dbg_error *err =
			    check(d, "numbering objects", v);
			if (err)
				return err;
		} else if (rank) {
			add_edge(d, v, d->number[rank]);
		} else if (!more) {
			uint32_t parent = d->parent[v];

			d->semi[v] = parent;
			v = parent;
			if (!v)
				break;
			lead_begin(d, v, d->semi[v] * (uint64_t)HEAP_WORD, &l);
		}
		more = lead_next(d, &l, &to);
	}
	d->semi[0] = 0;
	return d->n_edges < UINT32_MAX
		   ? NULL
		   : dbg_err(DBG_E_STATE,
			     "the heap has more references than can be "
			     "numbered: retained sizes are not found");
}

/* ---- Dominators ------------------------------------------------------ */

// The object with the least semidominator on the way up from @v to what has
// not been linked, which are the numbers below @linked. Halves the way.
static inline uint32_t best_above(struct heap_dominators *d, uint32_t v,
				  uint32_t linked)
{
	uint32_t *up = d->parent, *label = d->label;
	const uint32_t *semi = d->semi;

	if (v < linked)
		return v;
	uint32_t best = label[v];

	while (up[v] >= linked) {
		uint32_t above = up[v];

		if (semi[label[above]] < semi[label[v]])
			label[v] = label[above];
		up[v] = up[above];
		if (semi[label[v]] < semi[best])
			best = label[v];
		v = up[v];
		if (v < linked)
			break;
		if (semi[label[v]] < semi[best])
			best = label[v];
	}
	return best;
}

// The least of what leads to @w other than from above.
static uint32_t semi_of(struct heap_dominators *d, uint32_t w)
{
	uint32_t semi = d->semi[w];

	for (uint32_t e = d->label[w]; e; e = d->edges[e - 1].next) {
		uint32_t best = best_above(d, d->edges[e - 1].from, w + 1);

		if (d->semi[best] < semi)
			semi = d->semi[best];
	}
	return semi;
}

// Those with the semidominator @p, all of which are linked. A list: its first
// is the dominator of @p, as long as that has not been found.
static void empty_bucket(struct heap_dominators *d, uint32_t p, uint32_t linked)
{
	uint32_t v = d->dominator[p];

	d->dominator[p] = 0;
	while (v) {
		uint32_t next = d->dominator[v];
		uint32_t best = best_above(d, v, linked);

		d->dominator[v] = d->semi[best] < d->semi[v] ? best : p;
		v = next;
	}
}

static struct dbg_error *find_dominators(struct heap_dominators *d)
{
	struct dbg_error *err = NULL;

	for (uint32_t w = d->n; w && !err; w--) {
		uint32_t p = d->parent[w], semi = semi_of(d, w);

		d->semi[w] = semi;
		d->label[w] = w;
		d->dominator[w] = d->dominator[semi];
		d->dominator[semi] = w;
		empty_bucket(d, p, w);
		err = check(d, "finding dominators", d->n - w);
	}
	for (uint32_t w = 1; w <= d->n && !err; w++)
		if (d->dominator[w] != d->semi[w])
			d->dominator[w] = d->dominator[d->dominator[w]];
	return err;
}

/* ---- Sizes ----------------------------------------------------------- */

// What is damaged has the number behind the last.
static uint32_t type_of(const struct heap_dominators *d,
			const struct heap_type *type)
{
	return type->is_none || type->number >= d->n_types
		   ? (uint32_t)d->n_types
		   : type->number;
}

// An object that is not numbered: it has no references.
static uint64_t leaf_size(struct heap_dominators *d, uint64_t object)
{
	const struct heap_part *part = heap_part_near(d->heap, object);
	struct heap_object o;

	if (!part || object & 7 || !heap_look(d->heap, part, object, &o))
		return 0;
	d->retained[type_of(d, o.type)] += o.size;
	return o.size / HEAP_WORD;
}

static uint64_t own_size(struct heap_dominators *d, uint32_t w)
{
	struct leading l;
	uint64_t position, to;

	lead_begin(d, w, 0, &l);
	uint64_t words = l.object.size / HEAP_WORD;

	d->types[w] = type_of(d, l.object.type);
	while (l.object.type->has_refs && lead_next(d, &l, &to))
		if (!rank_of(d, to, &position))
			words += leaf_size(d, to);
	return words;
}

static struct dbg_error *add_sizes(struct heap_dominators *d)
{
	struct dbg_error *err = NULL;

	d->words = d->semi;
	d->types = d->parent;
	d->n_types = d->heap->n_types;
	d->retained = xcalloc(d->n_types + 1, sizeof(*d->retained));
	memset(d->words, 0, (d->n + (size_t)1) * sizeof(*d->words));
	for (uint32_t w = d->n; w && !err; w--) {
		d->words[w] += (uint32_t)own_size(d, w);
		d->words[d->dominator[w]] += d->words[w];
		err = check(d, "adding up sizes", d->n - w);
	}
	return err;
}

/* A walk over the tree: how many objects of each type are above. */
struct tour {
	struct heap_dominators *d;
	uint32_t *within; /* by type */
	size_t n_leading; /* those of them with dependent handles */
};

static bool is_leading(const struct heap_dominators *d, uint32_t v)
{
	return heap_bit(d->leads, d->order[v]);
}

// Objects that are not numbered were counted for their types, which have no
// references, but may have dependent handles that lead to them.
static void take_back(struct tour *t, uint32_t v)
{
	struct heap_dominators *d = t->d;
	struct heap_object o;
	struct leading l;
	uint64_t position, to;

	lead_begin(d, v, 0, &l);
	while (lead_next(d, &l, &to)) {
		if (rank_of(d, to, &position) ||
		    !heap_object_at(d->heap, to, &o))
			continue;
		uint32_t type = type_of(d, o.type);

		if (t->within[type])
			d->retained[type] -= o.size;
	}
}

static void enter(struct tour *t, uint32_t v)
{
	struct heap_dominators *d = t->d;

	if (!t->within[d->types[v]]++)
		d->retained[d->types[v]] += (uint64_t)d->words[v] * HEAP_WORD;
	t->n_leading += is_leading(d, v);
	if (t->n_leading)
		take_back(t, v);
}

static void leave(struct tour *t, uint32_t v)
{
	t->within[t->d->types[v]]--;
	t->n_leading -= is_leading(t->d, v);
}

// What is below any of a type: of those that are below another one of it
// nothing is to be added.
static void add_types(struct heap_dominators *d)
{
	uint32_t *first = d->label, *next = d->number;
	struct tour t = {.d = d,
			 .within = xcalloc(d->n_types + 1, sizeof(*t.within))};
	uint32_t v;

	memset(first, 0, (d->n + (size_t)1) * sizeof(*first));
	for (v = d->n; v; v--) {
		next[v] = first[d->dominator[v]];
		first[d->dominator[v]] = v;
	}
	for (v = first[0]; v;) {
		enter(&t, v);
		if (first[v]) {
			v = first[v];
			continue;
		}
		leave(&t, v);
		while (v && !next[v]) {
			v = d->dominator[v];
			if (v)
				leave(&t, v);
		}
		v = next[v];
	}
	free(t.within);
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
	take_pairs(d, roots);
	make_arrays(d);
	for (size_t i = 0; i < roots->n && !err; i++)
		err = search(d, roots->objects[i]);
	if (!err)
		err = find_dominators(d);
	if (!err)
		err = add_sizes(d);
	if (!err)
		add_types(d);
	return err;
}
