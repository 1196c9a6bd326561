/*
 * Dominators of joins, by what the search has found of each.
 *
 * The search makes a spanning tree, in which an object is below the one whose
 * reference the search came by. Ancestors are those of this tree. The
 * semidominator of a join is one of its ancestors: the first of
 *
 *   the nearest common ancestors of the join and of each object that has a
 *   reference to it, which the search knows when it meets the reference, and
 *
 *   the semidominators of all joins that have a higher number than this one
 *   and are ancestors of such an object: by the edges that are kept.
 *
 * All other objects have the one that refers to them as their dominator.
 */
#include "heap/dominators_priv.h"

#include <stdlib.h>

#include "base/mem.h"

#define FINDING "finding dominators"

static void take_semi(struct heap_join *join, const struct heap_join *from)
{
	if (from->semi >= join->semi)
		return;
	join->semi = from->semi;
	join->semi_at = from->semi_at;
}

static uint32_t next_logged(const struct heap_log *log, size_t *at)
{
	uint32_t number = 0;

	for (unsigned int shift = 0; *at < log->n; shift += 7) {
		uint8_t byte = log->v[(*at)++];

		number |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return number;
}

/* ---- Semidominators -------------------------------------------------- */

// The joins above each in the search.
static uint32_t *make_parents(const struct heap_dominators *d)
{
	uint32_t *parents = xcalloc(d->n + (size_t)1, sizeof(*parents));
	size_t at = 0;

	for (uint32_t w = 1; w <= d->n; w++) {
		uint32_t parent = w - 1;

		for (uint32_t left = next_logged(&d->log, &at); left; left--)
			parent = parents[parent];
		next_logged(&d->log, &at);
		parents[w] = parent;
	}
	return parents;
}

// The join with the least semidominator on the way up from @number to what has
// not been linked, which are the numbers below @linked. Halves the way.
static inline uint32_t best_above(struct heap_join *v, uint32_t *parents,
				  uint32_t number, uint32_t linked)
{
	uint32_t at = number, best = v[at].label;

	while (parents[at] >= linked) {
		uint32_t up = parents[at];

		if (v[v[up].label].semi < v[v[at].label].semi)
			v[at].label = v[up].label;
		parents[at] = parents[up];
		if (v[v[at].label].semi < v[best].semi)
			best = v[at].label;
		if (parents[at] < linked)
			break;
		at = parents[at];
		if (v[v[at].label].semi < v[best].semi)
			best = v[at].label;
	}
	return best;
}

static struct dbg_error *find_semidominators(struct heap_dominators *d)
{
	uint32_t *parents = make_parents(d);
	struct heap_join *v = d->v;
	const struct heap_edge *edge;
	struct dbg_error *err = NULL;

	for (uint32_t w = d->n; w && !err; w--) {
		for (uint32_t e = v[w].label; e; e = edge->next) {
			edge = &d->edges[e - 1];
			take_semi(
			    &v[w],
			    &v[best_above(v, parents, edge->from, w + 1)]);
		}
		v[w].label = w;
		if (w % HEAP_PACE == 0)
			err = heap_pace(d->heap, FINDING, d->n - w, d->n);
	}
	free(parents);
	free(d->edges);
	d->edges = NULL;
	return err;
}

/* ---- Dominators ------------------------------------------------------ */

struct link {
	uint32_t number, depth;
};

/*
 * The joins that dominate one, by depth, while the joins are gone through in
 * the order of the search. Those of the next one below it are the first of
 * these, then the one itself; when that is left, what it took the place of
 * comes back.
 */
struct chain {
	struct link *v; /* the first is in front of all roots */
	size_t n, cap;
	size_t n_used; /* what is behind @n may come back */
	struct undo {
		struct link was;
		uint32_t n;
	} * undo;
	size_t n_undo, cap_undo;
};

// The first of the chain that is deeper than that.
static size_t deeper(const struct chain *c, uint32_t depth)
{
	size_t low = 1, high = c->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->v[mid].depth <= depth)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void leave(struct chain *c)
{
	const struct undo *undo = &c->undo[--c->n_undo];

	c->v[c->n - 1] = undo->was;
	c->n = undo->n;
}

// @link goes behind the first @n.
static void enter(struct chain *c, size_t n, struct link link)
{
	if (n == c->n_used) {
		mem_grow(&c->v, &c->cap, n, sizeof(*c->v));
		c->v[c->n_used++] = link;
	}
	mem_grow(&c->undo, &c->cap_undo, c->n_undo, sizeof(*c->undo));
	c->undo[c->n_undo++] = (struct undo){c->v[n], (uint32_t)c->n};
	c->v[n] = link;
	c->n = n + 1;
}

/*
 * The dominator is the first object, on the way up the tree from the one that
 * has the reference, that is not deeper than the semidominator: this one, or
 * the dominator of the last join on that way that is deeper.
 */
static void find_dominator(struct heap_dominators *d, struct chain *c,
			   uint32_t w, uint32_t depth)
{
	size_t n = deeper(c, d->v[w].semi);

	if (n < c->n)
		take_semi(&d->v[w], &d->v[c->v[n].number]);
	enter(c, n, (struct link){w, depth});
}

struct dbg_error *heap_dominators_find(struct heap_dominators *d)
{
	struct dbg_error *err = find_semidominators(d);
	struct chain c = {0};
	size_t at = 0;

	mem_grow(&c.v, &c.cap, 0, sizeof(*c.v));
	c.v[0] = (struct link){0};
	c.n = c.n_used = 1;
	for (uint32_t w = 1; w <= d->n && !err; w++) {
		for (uint32_t left = next_logged(&d->log, &at); left; left--)
			leave(&c);
		// the last of the chain is the join above this one
		uint32_t depth = c.v[c.n - 1].depth;

		find_dominator(d, &c, w, depth + next_logged(&d->log, &at));
		if (w % HEAP_PACE == 0)
			err = heap_pace(d->heap, FINDING, w, d->n);
	}
	free(c.v);
	free(c.undo);
	return err;
}
