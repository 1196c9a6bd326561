/* How much memory objects keep alive: inclusive and retained sizes. */
#include "session/heap/sessionheap.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	RETAINERS_MAX = 1 << 20,
};

/* ---- Of some objects ------------------------------------------------- */

struct measuring {
	struct heap_query query;
	const struct heap_object *one; /* NULL: what the query finds */
	struct heap_graph graph;
	struct dbg_heap_size *ret;
};

static bool measured_hold(void *arg, const struct heap_object *o)
{
	struct measuring *m = arg;

	if (o->type->is_free ||
	    (o != m->one && !heap_query_has(&m->query, o)) ||
	    !heap_graph_hold(&m->graph, o->addr))
		return true;
	m->ret->own.count++;
	m->ret->own.bytes += o->size;
	return true;
}

static bool count_live(void *arg, const struct heap_object *o)
{
	struct measuring *m = arg;

	if (o->type->is_free ||
	    (o != m->one && !heap_query_has(&m->query, o)) ||
	    !heap_graph_has(&m->graph, o->addr))
		return true;
	m->ret->live.count++;
	m->ret->live.bytes += o->size;
	return true;
}

static bool add_root(void *arg, const struct heap_object *o)
{
	struct measuring *m = arg;

	if (!o->type->is_free && (o == m->one || heap_query_has(&m->query, o)))
		heap_graph_root(&m->graph, o->addr);
	return true;
}

static struct dbg_error *each(struct measuring *m, heap_fn *fn)
{
	if (!m->one)
		return heap_each(m->query.heap, false, fn, m);
	fn(m, m->one);
	return NULL;
}

// Measure by two searches: what is reached without passing the objects, then
// what is reached by them alone.
static struct dbg_error *measure_retained(struct measuring *m,
					  const struct root_list *roots)
{
	struct heap_graph *g = &m->graph;
	struct heap_roots objects;
	struct dbg_error *err = heap_graph_init(g, m->query.heap);

	if (!err)
		err = each(m, measured_hold);
	roots_objects(roots, &objects);
	if (!err)
		err = heap_graph_mark(g, &objects);
	free(objects.objects);
	uint64_t n = g->n, bytes = g->bytes;

	heap_graph_release(g);
	if (!err)
		err = heap_graph_run(g);
	if (!err)
		err = each(m, count_live);
	m->ret->retained.count = g->n - n;
	m->ret->retained.bytes = g->bytes - bytes;
	heap_graph_deinit(g);
	return err;
}

static struct dbg_error *measure_inclusive(struct measuring *m,
					   const struct root_list *roots)
{
	struct heap_graph *g = &m->graph;
	struct dbg_error *err = heap_graph_init(g, m->query.heap);

	g->pairs = roots->pairs;
	g->n_pairs = roots->n_pairs;
	if (!err)
		err = each(m, add_root);
	if (!err)
		err = heap_graph_run(g);
	m->ret->inclusive.count = g->n;
	m->ret->inclusive.bytes = g->bytes;
	heap_graph_deinit(g);
	return err;
}

struct dbg_error *dbg_heap_size(struct dbg_stopped at,
				const struct dbg_heap_filter *filter,
				uint64_t addr, struct dbg_heap_size *ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_heap_size size = {0};
	struct measuring m = {.ret = &size};
	struct root_list roots = {0};
	struct heap_object o;
	struct dbg_error *err = heap_query_init(at, filter, &m.query);

	if (!err && addr) {
		if (!heap_find(m.query.heap, addr, &o))
			err = dbg_err(DBG_E_MEMORY, "no object at 0x%" PRIx64,
				      addr);
		else
			size.type = session_type_name(dbg, o.type);
		m.one = &o;
		size.object = o.addr;
	}
	if (!err)
		err = roots_read(dbg, m.query.heap, &roots);
	if (!err)
		err = measure_retained(&m, &roots);
	if (!err)
		err = measure_inclusive(&m, &roots);
	if (!err)
		*ret = size;
	roots_deinit(&roots);
	heap_query_deinit(&m.query);
	return err;
}

/* ---- Of all objects -------------------------------------------------- */

struct dbg_error *session_retained(struct dbg *dbg, struct heap *h,
				   struct heap_dominators *ret,
				   heap_retained_fn *fn, void *arg)
{
	struct root_list roots;
	struct heap_roots objects;
	struct dbg_error *err = roots_read(dbg, h, &roots);

	*ret = (struct heap_dominators){0};
	roots_objects(&roots, &objects);
	if (!err)
		err = heap_dominators_init(ret, h, &objects);
	free(objects.objects);
	roots_deinit(&roots);
	return err ? err : heap_retained_each(ret, fn, arg);
}

/* The objects that retain the most: a binary heap with the smallest on top. */
struct best {
	struct heap_query query;
	struct heap_retained *v;
	size_t n, cap, max;
};

static bool is_less(const struct heap_retained *s,
		    const struct heap_retained *t)
{
	return s->bytes != t->bytes ? s->bytes < t->bytes
				    : s->object > t->object;
}

static void swap(struct best *b, size_t i, size_t k)
{
	struct heap_retained t = b->v[i];

	b->v[i] = b->v[k];
	b->v[k] = t;
}

static void sift_up(struct best *b, size_t i)
{
	for (size_t above; i; i = above) {
		above = (i - 1) / 2;
		if (!is_less(&b->v[i], &b->v[above]))
			return;
		swap(b, i, above);
	}
}

static void sift_down(struct best *b, size_t i)
{
	for (size_t child; (child = 2 * i + 1) < b->n; i = child) {
		if (child + 1 < b->n && is_less(&b->v[child + 1], &b->v[child]))
			child++;
		if (!is_less(&b->v[child], &b->v[i]))
			return;
		swap(b, i, child);
	}
}

static void offer(void *arg, const struct heap_retained *r)
{
	struct best *b = arg;
	struct heap_object o;

	// most are too small to be looked at
	if (!b->max || (b->n == b->max && !is_less(&b->v[0], r)))
		return;
	if (!heap_object_at(b->query.heap, r->object, &o) ||
	    !heap_query_has(&b->query, &o))
		return;
	if (b->n < b->max) {
		mem_grow(&b->v, &b->cap, b->n, sizeof(*b->v));
		b->v[b->n++] = *r;
		sift_up(b, b->n - 1);
	} else {
		b->v[0] = *r;
		sift_down(b, 0);
	}
}

// Takes the least one away.
static struct heap_retained take_least(struct best *b)
{
	struct heap_retained least = b->v[0];

	b->v[0] = b->v[--b->n];
	sift_down(b, 0);
	return least;
}

static void describe(struct dbg *dbg, struct heap *h, struct heap_retained r,
		     struct dbg_heap_retainer *ret)
{
	struct heap_object o = {0};

	heap_object_at(h, r.object, &o);
	*ret = (struct dbg_heap_retainer){
	    .object = r.object,
	    .size = o.size,
	    .retained = r.bytes,
	    .type = o.type ? session_type_name(dbg, o.type) : "?",
	    .dominator = r.dominator,
	};
}

struct dbg_error *dbg_heap_retainers(struct dbg_stopped at,
				     const struct dbg_heap_filter *filter,
				     size_t max, struct dbg_heap_retainer **ret,
				     size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct heap_dominators d = {0};
	struct best b = {.max = max < RETAINERS_MAX ? max : RETAINERS_MAX};
	struct dbg_error *err = heap_query_init(at, filter, &b.query);

	if (!err)
		err = session_retained(dbg, b.query.heap, &d, offer, &b);
	// that has looked at what roots lead to alone
	if (!err)
		err = heap_count(b.query.heap, -1, NULL, NULL);
	if (!err) {
		*ret_n = b.n;
		*ret = arena_calloc(dbg->inspect.arena, b.n + 1, sizeof(**ret));
		for (size_t i = b.n; i--;)
			describe(dbg, b.query.heap, take_least(&b), *ret + i);
	}
	free(b.v);
	heap_dominators_deinit(&d);
	heap_query_deinit(&b.query);
	return err;
}

struct dbg_error *dbg_heap_majority(struct dbg_stopped at,
				    struct dbg_heap_retainer **ret,
				    size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct heap_retained *v = NULL;
	struct alive *alive = NULL;
	struct heap *h = NULL;
	size_t n = 0;
	struct dbg_error *err = session_heap_get(at, &h);

	if (!err)
		err = alive_get(dbg, h, &alive);
	if (!err)
		err =
		    heap_majority_find(&alive->graph, &alive->objects, &v, &n);
	if (!err) {
		*ret_n = n;
		*ret = arena_calloc(dbg->inspect.arena, n + 1, sizeof(**ret));
		for (size_t i = 0; i < n; i++)
			describe(dbg, h, v[i], *ret + i);
	}
	free(v);
	return err;
}

struct dbg_error *dbg_heap_crowd(struct dbg_stopped at,
				 struct dbg_heap_crowd *ret)
{
	struct dbg *dbg = at.dbg;
	struct heap_crowd found;
	struct alive *alive = NULL;
	struct heap *h = NULL;
	struct dbg_error *err = session_heap_get(at, &h);

	if (!err)
		err = alive_get(dbg, h, &alive);
	if (!err)
		err = heap_crowd_find(&alive->graph, &alive->objects, &found);
	if (err)
		return err;
	*ret = (struct dbg_heap_crowd){0};
	if (found.type)
		*ret = (struct dbg_heap_crowd){
		    .type = session_type_name(dbg, found.type),
		    .count = found.count,
		    .bytes = found.bytes,
		    .example = found.example,
		    .example_type = session_object_type(dbg, h, found.example),
		};
	return NULL;
}
