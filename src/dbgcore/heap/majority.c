/* What retains half of the live bytes: see majority.h. */
#include "heap/majority.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "heap/heap_priv.h"

enum {
	CHAIN_MAX = 4096, /* objects, from the roots on */
	TYPES_MAX = 64,   /* that half of the samples are below */
	CROWDS_MAX = 8,   /* that are measured */
	CROWD_MIN = 10,
	CROWD_MAX = 4096,
	WAY_MAX = 1000, /* objects of a way that are looked at */
};

/* An entry of the queue, and how many samples it is on the way to. */
struct crossing {
	uint32_t index, parent, n;
};

/* Objects that are held together, one or all of a type: a cut of the graph. */
struct cut {
	uint64_t *objects;
	size_t n, cap;
	const struct heap_type *type;
	uint64_t bytes; /* that they retain; 0: not known */
};

struct cuts {
	struct cut *v; /* from the roots on */
	size_t n;
};

/* ---- Ways to samples ------------------------------------------------- */

typedef void crossing_fn(void *arg, const struct crossing *c);

// Call @fn for each queue entry that is on the way from a root to a sample, the
// last entry of the queue first, so children come before parents.
static void cross_all(struct heap_graph *g, crossing_fn *fn, void *arg)
{
	uint64_t *pending = xcalloc(g->n / 64 + 1, sizeof(*pending));
	struct map counts = {0}; // by entry

	for (size_t i = 0; i < g->samples.at.n; i++) {
		uintptr_t n = (uintptr_t)map_find(&counts, g->samples.at.v[i]);

		map_put(&counts, g->samples.at.v[i], (void *)(n + 1));
		heap_bit_set(pending, g->samples.at.v[i]);
	}
	for (size_t i = g->n; i--;) {
		if (!pending[i / 64])
			i -= i % 64;
		if (!heap_bit(pending, i))
			continue;
		uintptr_t n = (uintptr_t)map_take(&counts, i);
		struct crossing c = {(uint32_t)i, UINT32_MAX, (uint32_t)n};
		uint32_t parent;

		if (heap_graph_parent(g, c.index, &parent)) {
			n += (uintptr_t)map_find(&counts, parent);
			map_put(&counts, parent, (void *)n);
			heap_bit_set(pending, parent);
			c.parent = parent;
		}
		fn(arg, &c);
	}
	map_deinit(&counts);
	free(pending);
}

static bool is_half(const struct heap_graph *g, uint64_t n)
{
	return n * 2 > g->samples.at.n;
}

/* ---- What cuts retain ------------------------------------------------ */

static bool is_met(const struct heap_graph *g, const struct cut *cut)
{
	for (size_t i = 0; i < cut->n; i++)
		if (heap_graph_met(g, cut->objects[i]))
			return true;
	return false;
}

static void let_go(struct heap_graph *g, const struct cut *cut)
{
	for (size_t i = 0; i < cut->n; i++)
		heap_graph_pass(g, cut->objects[i]);
}

// The last cut from number @i on that something leads to; @cuts->n: none.
static size_t last_met(const struct heap_graph *g, const struct cuts *cuts,
		       size_t i)
{
	for (size_t k = cuts->n; k-- > i;)
		if (is_met(g, &cuts->v[k]))
			return k;
	return cuts->n;
}

// How many bytes the objects retain that the search @g did not visit.
static uint64_t rest_of(const struct heap_graph *all,
			const struct heap_graph *g)
{
	return all->bytes > g->bytes ? all->bytes - g->bytes : 0;
}

/*
 * Visit what can be reached without any of the cuts. What leads to one goes
 * around those in front of it, which are let go. If nothing leads to one behind
 * it then, all that was not reached is retained by that one, which is let go
 * itself. So on, up to the first that retains less than @least.
 */
static struct dbg_error *measure(struct cuts *cuts,
				 const struct heap_graph *all,
				 const struct heap_roots *roots, uint64_t least)
{
	struct heap_graph g;
	struct dbg_error *err = heap_graph_init(&g, all->heap);
	size_t gone = 0, at;

	g.marks_only = true;
	for (size_t i = 0; i < cuts->n && !err; i++)
		for (size_t k = 0; k < cuts->v[i].n; k++)
			heap_graph_hold(&g, cuts->v[i].objects[k]);
	if (!err)
		err = heap_graph_mark(&g, roots);
	while (!err && (at = last_met(&g, cuts, gone)) < cuts->n) {
		bool around = at > gone;

		while (gone < at)
			let_go(&g, &cuts->v[gone++]);
		if (around)
			err = heap_graph_run(&g);
		if (err || last_met(&g, cuts, at + 1) < cuts->n)
			continue;
		cuts->v[at].bytes = rest_of(all, &g);
		if (cuts->v[at].bytes < least || at + 1 == cuts->n)
			break;
		let_go(&g, &cuts->v[gone++]);
		err = heap_graph_run(&g);
	}
	heap_graph_deinit(&g);
	return err;
}

static void cuts_deinit(struct cuts *cuts)
{
	for (size_t i = 0; i < cuts->n; i++)
		free(cuts->v[i].objects);
	free(cuts->v);
}

static void cut_add(struct cut *cut, uint64_t object)
{
	mem_grow(&cut->objects, &cut->cap, cut->n, sizeof(*cut->objects));
	cut->objects[cut->n++] = object;
}

/* ---- One object ------------------------------------------------------- */

struct chain {
	struct heap_graph *graph;
	struct crossing *v; /* of the last ones that are told, a ring */
	size_t n;
};

static void take_crossing(void *arg, const struct crossing *c)
{
	struct chain *chain = arg;

	// nine tenths of a half
	if (c->n * UINT64_C(20) >= chain->graph->samples.at.n * UINT64_C(9))
		chain->v[chain->n++ % CHAIN_MAX] = *c;
}

// Take candidates along a chain of objects from the roots, as long as each has
// most of the samples that the one before it has.
static void take_chain(const struct chain *chain, struct cuts *cuts)
{
	const struct crossing *last = NULL;
	size_t n = chain->n < CHAIN_MAX ? chain->n : CHAIN_MAX;

	cuts->v = xcalloc(n + 1, sizeof(*cuts->v));
	for (size_t i = 0; i < n; i++) {
		const struct crossing *c =
		    &chain->v[(chain->n - 1 - i) % CHAIN_MAX];

		if (!is_half(chain->graph, c->n) &&
		    (!last || c->parent != last->index ||
		     c->n < last->n / 10 * 9))
			continue;
		cut_add(&cuts->v[cuts->n++],
			heap_graph_object(chain->graph, c->index));
		last = c;
	}
}

struct dbg_error *heap_majority_find(struct heap_graph *g,
				     const struct heap_roots *roots,
				     struct heap_retained **ret, size_t *ret_n)
{
	struct chain chain = {.graph = g};
	struct cuts cuts = {0};
	struct dbg_error *err = NULL;
	uint64_t above = 0;

	chain.v = xcalloc(CHAIN_MAX, sizeof(*chain.v));
	cross_all(g, take_crossing, &chain);
	take_chain(&chain, &cuts);
	free(chain.v);
	if (cuts.n)
		err = measure(&cuts, g, roots, g->bytes / 20 * 9);
	*ret = xcalloc(cuts.n + 1, sizeof(**ret));
	*ret_n = 0;
	for (size_t i = 0; i < cuts.n; i++) {
		const struct cut *cut = &cuts.v[i];

		if (!cut->bytes)
			continue;
		(*ret)[(*ret_n)++] =
		    (struct heap_retained){cut->objects[0], cut->bytes, above};
		above = cut->objects[0];
	}
	cuts_deinit(&cuts);
	return err;
}

/* ---- All of a type ---------------------------------------------------- */

/*
 * How many samples are below objects of a type, and the first queue entry of
 * that type.
 */
struct tally {
	const struct heap_type *type;
	uint64_t n;
	uint32_t first;
	struct cut *cut; /* that it has become */
};

struct tallies {
	struct heap_graph *graph;
	struct tally *v; /* by number */
	size_t n;
	struct cuts cuts;
};

// Arrays and strings are what others keep.
static void tally_crossing(void *arg, const struct crossing *c)
{
	struct tallies *t = arg;
	struct heap_object o;

	if (!heap_object_at(t->graph->heap,
			    heap_graph_object(t->graph, c->index), &o) ||
	    o.type->component_size || !o.type->has_refs ||
	    o.type->number >= t->n)
		return;
	struct tally *tally = &t->v[o.type->number];

	tally->type = o.type;
	tally->n += c->n;
	tally->first = c->index;
}

static bool crowd_gather(void *arg, const struct heap_object *o)
{
	struct tallies *t = arg;
	struct cut *cut =
	    o->type->number < t->n ? t->v[o->type->number].cut : NULL;

	if (cut && cut->n <= CROWD_MAX && heap_graph_has(t->graph, o->addr))
		cut_add(cut, o->addr);
	return true;
}

static int by_first(const void *a, const void *b)
{
	const struct tally *s = a, *t = b;

	return (s->first > t->first) - (s->first < t->first);
}

// Cuts of the types that half of the samples are below, from the roots on.
static struct dbg_error *take_types(struct tallies *t)
{
	struct tally found[TYPES_MAX];
	struct cuts *cuts = &t->cuts;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < t->n && n < TYPES_MAX; i++)
		if (is_half(t->graph, t->v[i].n))
			found[n++] = t->v[i];
	if (n)
		qsort(found, n, sizeof(*found), by_first);
	cuts->v = xcalloc(n + 1, sizeof(*cuts->v));
	for (size_t i = 0; i < n; i++) {
		cuts->v[i].type = found[i].type;
		t->v[found[i].type->number].cut = &cuts->v[i];
	}
	cuts->n = n;
	struct dbg_error *err =
	    n ? heap_each(t->graph->heap, false, crowd_gather, t) : NULL;

	for (size_t i = 0; i < n; i++)
		if (cuts->v[i].n >= CROWD_MIN && cuts->v[i].n <= CROWD_MAX &&
		    kept < CROWDS_MAX)
			cuts->v[kept++] = cuts->v[i];
		else
			free(cuts->v[i].objects);
	cuts->n = kept;
	return err;
}

// Is the way to an entry by an object of the type?
static bool is_below(struct heap_graph *g, uint32_t index,
		     const struct heap_type *type)
{
	struct heap_object o;
	size_t n = 0;

	do
		if (heap_object_at(g->heap, heap_graph_object(g, index), &o) &&
		    o.type == type)
			return true;
	while (n++ < WAY_MAX && heap_graph_parent(g, index, &index));
	return false;
}

static uint64_t largest_below(struct heap_graph *g,
			      const struct heap_type *type)
{
	uint64_t found = 0, size = 0;

	for (size_t i = 0; i < g->samples.at.n; i++) {
		uint64_t object = heap_graph_object(g, g->samples.at.v[i]);
		struct heap_object o;

		if (!heap_object_at(g->heap, object, &o) || o.size <= size ||
		    !is_below(g, g->samples.at.v[i], type))
			continue;
		found = object;
		size = o.size;
	}
	return found;
}

struct dbg_error *heap_crowd_find(struct heap_graph *g,
				  const struct heap_roots *roots,
				  struct heap_crowd *ret)
{
	struct tallies t = {.graph = g, .n = g->heap->n_types};
	struct dbg_error *err;

	*ret = (struct heap_crowd){0};
	t.v = xcalloc(t.n + 1, sizeof(*t.v));
	cross_all(g, tally_crossing, &t);
	err = take_types(&t);
	for (size_t i = 0; i < t.cuts.n && !err && !ret->type; i++) {
		struct cut *cut = &t.cuts.v[i];
		struct cuts one = {cut, 1};

		err = measure(&one, g, roots, UINT64_MAX);
		if (!err && cut->bytes > g->bytes / 2)
			*ret =
			    (struct heap_crowd){cut->type, cut->n, cut->bytes,
						largest_below(g, cut->type)};
	}
	cuts_deinit(&t.cuts);
	free(t.v);
	return err;
}
