/* What keeps objects alive, by type: see retention.h. */
#include "heap/retention.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "heap/heap_priv.h"

enum {
	PACE = 1 << 16, // objects between looks at what else there is to do
	WAYS_MAX = 1 << 16,
};

/* What an object keeps alive by one of the ways. */
struct share {
	uint32_t way;
	uint32_t next; /* of the same object, 1 + index; 0: none */
	uint64_t count, bytes;
};

/* A visit of objects from the last of the queue to the first. */
struct climb {
	struct heap_retention *is;
	struct share *v; /* those that are in use are in lists */
	size_t n, cap;
	uint32_t unused;   /* a list of those that are not */
	struct map first;  /* of each object, 1 + index, by its entry */
	struct map shares; /* 1 + index, by entry and way */
	uint64_t *pending; /* bits: entries with shares */
};

/* ---- What the objects retain ----------------------------------------- */

// Index of the released object that keeps an entry which was met later.
static uint32_t owner_of(struct heap_graph *g, const uint32_t *owners,
			 uint32_t index)
{
	size_t low = 0, high = g->n_again;
	uint32_t parent;

	if (index - g->first_again < g->n_again)
		return (uint32_t)(index - g->first_again);
	if (!heap_graph_parent(g, index, &parent))
		return 0;
	if (parent >= g->first_again)
		return owners[parent - g->first_again];
	// a dependent handle of an object that was released
	while (low + 1 < high) {
		size_t mid = low + (high - low) / 2;

		if (g->again[mid] <= parent)
			low = mid;
		else
			high = mid;
	}
	return (uint32_t)low;
}

// Add each object behind those that were released to the one that keeps it.
static struct dbg_error *share_out(struct heap_retention *r,
				   struct share *shares)
{
	struct heap_graph *g = &r->graph;
	size_t n = g->n - g->first_again;
	uint32_t *owners = xcalloc(n + 1, sizeof(*owners));
	struct dbg_error *err = NULL;
	struct heap_object o;

	for (size_t i = 0; i < n && !err; i++) {
		uint32_t index = (uint32_t)(g->first_again + i);

		owners[i] = owner_of(g, owners, index);
		struct share *s = &shares[owners[i]];

		s->count += heap_marked(g->released, g->queue[index]);
		if (heap_object_at(g->heap, heap_graph_object(g, index), &o))
			s->bytes += o.size;
		if (i % PACE == 0)
			err = heap_pace(g->heap, "adding up sizes", i, n);
	}
	free(owners);
	return err;
}

/* ---- Ways ------------------------------------------------------------ */

static uint64_t way_key(uint32_t above, uint32_t key)
{
	return (uint64_t)above << 32 | key;
}

static uint32_t add_way(struct heap_retention *r, uint32_t above, uint32_t key)
{
	map_put(&r->below, way_key(above, key), (void *)(r->n + 1));
	mem_grow(&r->v, &r->cap, r->n, sizeof(*r->v));
	r->v[r->n] = (struct heap_way){.key = key};
	if (r->n) {
		r->v[r->n].depth = r->v[above].depth + 1;
		r->v[r->n].next = r->v[above].first;
		r->v[above].first = (uint32_t)r->n;
	}
	return (uint32_t)r->n++;
}

// The way with @key below @above. Objects of a type in a row are one.
static uint32_t way_below(struct heap_retention *r, uint32_t above,
			  uint32_t key)
{
	const struct heap_way *from = &r->v[above];
	bool root = key & RETENTION_ROOT;

	if (!root && from->depth >= r->max_depth)
		key = RETENTION_DEEP;
	if (above && from->key == key)
		return above;
	uintptr_t found = (uintptr_t)map_find(&r->below, way_key(above, key));

	if (found)
		return (uint32_t)(found - 1);
	if (r->n >= WAYS_MAX) {
		r->cut = true;
		return above;
	}
	return add_way(r, above, key);
}

static void add_share(struct heap_retention *r, uint32_t way,
		      const struct share *s)
{
	r->v[way].count += s->count;
	r->v[way].bytes += s->bytes;
}

/* ---- From object to object ------------------------------------------- */

static uint32_t new_share(struct climb *c)
{
	uint32_t i = c->unused;

	if (i) {
		c->unused = c->v[i - 1].next;
		return i - 1;
	}
	mem_grow(&c->v, &c->cap, c->n, sizeof(*c->v));
	return (uint32_t)c->n++;
}

// Add to what an entry of the queue keeps by one way.
static void put_share(struct climb *c, uint32_t index, uint32_t way,
		      const struct share *from)
{
	uint64_t key = way_key(index, way);
	uintptr_t known = (uintptr_t)map_find(&c->shares, key);

	if (known) {
		c->v[known - 1].count += from->count;
		c->v[known - 1].bytes += from->bytes;
		return;
	}
	uint32_t first = (uint32_t)(uintptr_t)map_find(&c->first, index);
	uint32_t i = new_share(c);

	c->v[i] = (struct share){way, first, from->count, from->bytes};
	map_put(&c->first, index, (void *)(uintptr_t)(i + 1));
	map_put(&c->shares, key, (void *)(uintptr_t)(i + 1));
	heap_bit_set(c->pending, index);
	c->is->v[way].objects++;
	c->is->v[way].object = heap_graph_object(&c->is->graph, index);
}

// The way ends with a root of that kind.
static void end_way(struct climb *c, const struct share *s, uint32_t key,
		    uint64_t object)
{
	uint32_t way = way_below(c->is, s->way, RETENTION_ROOT | key);

	if (way != s->way)
		add_share(c->is, way, s);
	c->is->v[way].objects++;
	c->is->v[way].object = object;
}

static uint32_t type_key(struct heap_graph *g, uint64_t object)
{
	struct heap_object o;

	return heap_object_at(g->heap, object, &o)
		   ? RETENTION_TYPE + o.type->number
		   : RETENTION_DEEP;
}

static void climb_from(struct climb *c, uint32_t index, const struct share *s)
{
	struct heap_retention *r = c->is;
	struct heap_graph *g = &r->graph;
	uint64_t object = heap_graph_object(g, index), above;
	uint32_t parent, key = 0;

	if (!heap_graph_parent(g, index, &parent)) {
		r->root(r->arg, object, 0, &key);
		end_way(c, s, key, object);
		return;
	}
	above = heap_graph_object(g, parent);
	if (parent < g->roots.n && r->root(r->arg, above, object, &key)) {
		end_way(c, s, key, above);
		return;
	}
	uint32_t way = way_below(r, s->way, type_key(g, above));

	if (way != s->way)
		add_share(r, way, s);
	put_share(c, parent, way, s);
}

static struct dbg_error *climb_all(struct climb *c)
{
	struct heap_graph *g = &c->is->graph;
	struct dbg_error *err = NULL;

	for (size_t i = g->first_again; i-- && !err;) {
		if (i % PACE == 0)
			err = heap_pace(g->heap, "merging paths",
					g->first_again - i, g->first_again);
		if (!heap_bit(c->pending, i))
			continue;
		uint32_t at = (uint32_t)(uintptr_t)map_take(&c->first, i);

		while (at) {
			struct share s = c->v[at - 1];

			c->v[at - 1].next = c->unused;
			c->unused = at;
			map_take(&c->shares, way_key((uint32_t)i, s.way));
			climb_from(c, (uint32_t)i, &s);
			at = s.next;
		}
	}
	return err;
}

/* ---- All of it ------------------------------------------------------- */

void heap_retention_deinit(struct heap_retention *r)
{
	heap_graph_deinit(&r->graph);
	map_deinit(&r->below);
	free(r->v);
}

struct dbg_error *heap_retention_run(struct heap_retention *r,
				     const struct heap_roots *roots)
{
	struct heap_graph *g = &r->graph;
	struct climb c = {.is = r};
	struct dbg_error *err = heap_graph_mark(g, roots);

	add_way(r, 0, RETENTION_TOP);
	if (!err) {
		heap_graph_release(g);
		err = heap_graph_run(g);
	}
	if (err || !g->n_again)
		return err;
	struct share *shares = xcalloc(g->n_again, sizeof(*shares));

	c.pending = xcalloc(g->first_again / 64 + 1, sizeof(*c.pending));
	err = share_out(r, shares);
	for (size_t i = 0; i < g->n_again && !err; i++) {
		add_share(r, 0, &shares[i]);
		put_share(&c, g->again[i], 0, &shares[i]);
	}
	free(shares);
	if (!err)
		err = climb_all(&c);
	free(c.v);
	free(c.pending);
	map_deinit(&c.first);
	map_deinit(&c.shares);
	return err;
}
