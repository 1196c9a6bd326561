/*
 * What keeps objects alive: paths from roots, handles, the finalizer queue,
 * locks.
 */
#include "session/heap/sessionheap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "inspect/waits.h"

enum {
	STEPS_MAX = 1 << 20,
	QUEUE_AT_ONCE = 1024,
};

/* ---- All roots ------------------------------------------------------- */

struct dbg_error *dbg_heap_root_list(struct dbg_stopped at,
				     struct dbg_heap_root **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct root_list roots = {0};
	struct heap *h;
	struct dbg_error *err = session_heap_get(at, &h);

	if (!err)
		err = roots_read(dbg, h, &roots);
	if (!err) {
		*ret = arena_calloc(dbg->inspect.arena, roots.n + 1,
				    sizeof(**ret));
		*ret_n = roots.n;
		for (size_t i = 0; i < roots.n; i++) {
			(*ret)[i] = roots.v[i].is;
			(*ret)[i].text = root_name(dbg, &roots.v[i]);
		}
	}
	roots_deinit(&roots);
	return err;
}

/* ---- Paths ----------------------------------------------------------- */

struct tracing {
	struct dbg *dbg;
	struct heap *heap;
	const struct root_list *roots;
	struct heap_graph *graph;
};

// Is the root named? A variable is, a temporary has only a place or a register.
static bool is_named(const struct tracing *t, const struct root *root)
{
	const char *name = root_name(t->dbg, root);

	return *name != '[' && !str_starts(name, "a register");
}

static bool is_better(const struct tracing *t, const struct root *root,
		      const struct root *other)
{
	bool both =
	    root->is.kind == DBG_ROOT_STACK && other->is.kind == DBG_ROOT_STACK;

	return both ? !is_named(t, other) && is_named(t, root)
		    : root_is_better(root, other);
}

// Is it the best root of the object so far?
static const struct root *root_of(const struct tracing *t, uint64_t object)
{
	const struct root *found = NULL;

	for (size_t i = 0; i < t->roots->n; i++) {
		const struct root *root = &t->roots->v[i];

		if (root->is.object == object &&
		    (!found || is_better(t, root, found)))
			found = root;
	}
	return found;
}

static void name_step(struct tracing *t, struct dbg_heap_path *path, size_t i)
{
	struct dbg_heap_step *step = &path->steps[i];
	uint64_t from = path->steps[i - 1].object;
	uint64_t offset = heap_graph_offset(t->graph, from, step->object);
	struct heap_object o;

	if (offset == UINT64_MAX || !heap_object_at(t->heap, from, &o)) {
		step->name = heap_object_at(t->heap, from, &o) &&
				     o.type->allocator == step->object
				 ? "(its LoaderAllocator)"
				 : "(a dependent handle)";
		return;
	}
	step->name = session_ref_name(t->dbg, &o, offset);
	// statics of all classes lie in arrays that handles keep
	if (i != 1 || path->root.kind != DBG_ROOT_HANDLE ||
	    !o.type->component_size)
		return;
	const char *name =
	    static_name(t->dbg, t->heap, from + offset, step->object);
	if (!name)
		return;
	path->root.kind = DBG_ROOT_STATIC;
	path->root.text = name;
}

static void finish_path(struct tracing *t, const struct root *root,
			struct dbg_heap_path *path)
{
	path->root = root->is;
	path->root.text = root_name(t->dbg, root);
	for (size_t i = 0; i < path->n_steps; i++) {
		path->steps[i].type =
		    session_object_type(t->dbg, t->heap, path->steps[i].object);
		if (i)
			name_step(t, path, i);
	}
}

// The path to @object, and by way of the queue's @index before it.
static bool trace(struct tracing *t, uint32_t index, uint64_t object,
		  struct dbg_heap_path *path)
{
	struct dbg_heap_step *steps = NULL;
	size_t n = 0, cap = 0;
	bool more = true;

	mem_grow(&steps, &cap, n, sizeof(*steps));
	steps[n++] = (struct dbg_heap_step){.object = object};
	while (more && n < STEPS_MAX) {
		mem_grow(&steps, &cap, n, sizeof(*steps));
		steps[n++].object = heap_graph_object(t->graph, index);
		steps[n - 1].name = NULL;
		more = heap_graph_parent(t->graph, index, &index);
	}
	const struct root *root = root_of(t, steps[n - 1].object);

	path->steps =
	    arena_calloc(t->dbg->inspect.arena, n, sizeof(*path->steps));
	path->n_steps = n;
	for (size_t i = 0; i < n; i++)
		path->steps[i].object = steps[n - 1 - i].object;
	free(steps);
	if (root)
		finish_path(t, root, path);
	return root;
}

// Order of the roots that refer to an object directly: lasting ones, then named
// ones.
enum rank {
	RANK_LASTING,
	RANK_NAMED,
	RANK_OTHER,
	N_RANKS,
};

static enum rank rank_of(const struct tracing *t, const struct root *root)
{
	return root->is.kind == DBG_ROOT_HANDLE ||
		       root->is.kind == DBG_ROOT_STATIC
		   ? RANK_LASTING
	       : is_named(t, root) ? RANK_NAMED
				   : RANK_OTHER;
}

static void add_direct_of(struct tracing *t, uint64_t object, enum rank rank,
			  size_t max, struct dbg_heap_paths *ret)
{
	for (size_t i = 0; i < t->roots->n; i++) {
		const struct root *root = &t->roots->v[i];

		if (root->is.object != object || rank_of(t, root) != rank ||
		    ++ret->n_all > max)
			continue;
		struct dbg_heap_path *path = &ret->paths[ret->n_paths++];

		path->steps =
		    arena_alloc(t->dbg->inspect.arena, sizeof(*path->steps));
		path->steps[0].object = object;
		path->n_steps = 1;
		finish_path(t, root, path);
	}
}

static void add_paths(struct tracing *t, uint64_t object, size_t max,
		      struct dbg_heap_paths *ret)
{
	struct heap_graph *g = t->graph;

	add_direct_of(t, object, RANK_LASTING, max, ret);
	add_direct_of(t, object, RANK_NAMED, max, ret);
	for (size_t i = 0; i < g->referrers.n; i++) {
		if (ret->n_all++ < max && trace(t, g->referrers.v[i], object,
						&ret->paths[ret->n_paths]))
			ret->n_paths++;
	}
	for (size_t i = 0; i < g->n_links; i++) {
		uint32_t index = g->links[i].index, parent;

		if (heap_graph_object(g, index) != object ||
		    !heap_graph_parent(g, index, &parent) ||
		    ret->n_all++ >= max)
			continue;
		if (trace(t, parent, object, &ret->paths[ret->n_paths]))
			ret->n_paths++;
	}
	add_direct_of(t, object, RANK_OTHER, max, ret);
}

struct dbg_error *dbg_heap_roots(struct dbg_stopped at, uint64_t addr,
				 size_t max, struct dbg_heap_paths *ret)
{
	struct dbg *dbg = at.dbg;
	struct root_list roots = {0};
	struct heap_graph graph = {0};
	struct tracing t = {.dbg = dbg, .roots = &roots, .graph = &graph};
	struct heap_object o;
	struct dbg_error *err = session_heap_get(at, &t.heap);

	if (!err && !heap_find(t.heap, addr, &o))
		err = dbg_err(DBG_E_MEMORY, "no object at 0x%" PRIx64, addr);
	if (!err)
		err = roots_read(dbg, t.heap, &roots);
	if (!err)
		err = roots_mark(t.heap, &roots, o.addr, &graph);
	if (!err) {
		*ret = (struct dbg_heap_paths){
		    .object = o.addr,
		    .type = session_object_name(dbg, o.addr, o.type),
		    .paths = arena_calloc(dbg->inspect.arena, max + 1,
					  sizeof(*ret->paths)),
		};
		add_paths(&t, o.addr, max, ret);
	}
	heap_graph_deinit(&graph);
	roots_deinit(&roots);
	return err;
}

struct dbg_error *dbg_heap_way_get(struct dbg_stopped at, uint64_t object,
				   struct dbg_heap_path *ret)
{
	struct dbg_heap_path one[2] = {0};
	struct dbg_heap_paths direct = {.paths = one};
	struct tracing t = {.dbg = at.dbg};
	struct alive *alive = NULL;
	uint32_t index, parent;
	struct dbg_error *err = session_heap_get(at, &t.heap);

	*ret = (struct dbg_heap_path){.n_steps = 0};
	if (!err)
		err = alive_get(at.dbg, t.heap, &alive);
	if (err)
		return err;
	t.roots = &alive->roots;
	t.graph = &alive->graph;
	for (enum rank rank = RANK_LASTING; rank < N_RANKS; rank++) {
		// an unnamed place of a stack tells less than a way
		if (rank == RANK_OTHER &&
		    heap_graph_index(t.graph, object, &index) &&
		    heap_graph_parent(t.graph, index, &parent) &&
		    trace(&t, parent, object, ret))
			return NULL;
		add_direct_of(&t, object, rank, 1, &direct);
		if (direct.n_paths) {
			*ret = one[0];
			return NULL;
		}
	}
	return NULL;
}

/* ---- Handles and finalizers ------------------------------------------ */

struct dbg_error *dbg_handle_list(struct dbg_stopped at,
				  struct dbg_handle **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct arena *arena = dbg->inspect.arena;
	struct gc_handle *all;
	struct heap *h;
	size_t n = 0;
	struct dbg_error *err = session_heap_get(at, &h);

	if (!err)
		err = dac_gc_handles(dbg->inspect.dac, arena, &all, &n);
	if (err)
		return err;
	*ret = arena_calloc(arena, n + 1, sizeof(**ret));
	*ret_n = n;
	for (size_t i = 0; i < n; i++)
		(*ret)[i] = (struct dbg_handle){
		    .addr = all[i].addr,
		    .object = all[i].object,
		    .type = session_object_type(dbg, h, all[i].object),
		    .kind = all[i].kind,
		    .strong = all[i].strong,
		    .dependent = all[i].secondary,
		    .count = all[i].count,
		};
	return NULL;
}

struct queue {
	struct dbg_finalizable *v;
	size_t n, cap;
};

static void add_queue(struct dbg *dbg, struct heap *h, uint32_t heap,
		      bool ready, struct queue *q)
{
	const struct gc_queue *from = &h->is.queues[heap];
	uint64_t at = ready ? from->ready : from->start;
	uint64_t end = ready ? from->end : from->ready;
	uint64_t some[QUEUE_AT_ONCE];

	while (at < end) {
		uint64_t want =
		    end - at < sizeof(some) ? end - at : sizeof(some);
		size_t n = target_read_some(dbg->target, at, some, want) /
			   sizeof(*some);

		for (size_t i = 0; i < n; i++) {
			if (!some[i])
				continue;
			mem_grow(&q->v, &q->cap, q->n, sizeof(*q->v));
			q->v[q->n++] = (struct dbg_finalizable){
			    .object = some[i],
			    .type = session_object_type(dbg, h, some[i]),
			    .heap = heap,
			    .ready = ready,
			};
		}
		if (!n)
			return;
		at += n * sizeof(*some);
	}
}

struct dbg_error *dbg_finalizable_list(struct dbg_stopped at,
				       struct dbg_finalizable **ret,
				       size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct queue q = {0};
	struct heap *h;
	struct dbg_error *err = session_heap_get(at, &h);

	if (err)
		return err;
	for (int ready = 0; ready < 2; ready++)
		for (uint32_t i = 0; i < h->is.n_heaps; i++)
			add_queue(dbg, h, i, ready, &q);
	*ret = arena_copy(dbg->inspect.arena, q.v, q.n, sizeof(*q.v));
	*ret_n = q.n;
	free(q.v);
	return NULL;
}

/* ---- Locks ----------------------------------------------------------- */

struct locks {
	struct dbg *dbg;
	struct dbg_lock *v;
	size_t n, cap;
	struct dbg_wait *waits; /* once they are asked for */
	size_t n_waits;
};

// Number of the thread of a Thread*, and what the runtime calls it.
static void take_owner(struct dbg *dbg, uint64_t thread, struct dbg_lock *lock)
{
	struct arena *arena = arena_create();
	struct target_thread *threads = NULL;
	size_t n = 0;

	dbg_error_destroy(target_threads(dbg->target, arena, &threads, &n));
	for (size_t i = 0; i < n && thread; i++) {
		const struct dac_thread *t =
		    dac_thread_find(dbg->inspect.dac, threads[i].tid);

		if (!t || t->addr != thread)
			continue;
		lock->owner = stack_thread_number(dbg->inspect.stack, t->tid);
		lock->owner_id = t->managed_id;
	}
	arena_destroy(arena);
}

// Read the header of an object, the word in front of it.
static bool header_of(struct dbg *dbg, const struct heap_object *o,
		      uint32_t *ret)
{
	if (o->part->data && o->addr > o->part->is.start) {
		memcpy(ret, o->bytes - sizeof(*ret), sizeof(*ret));
		return true;
	}
	return target_read_some(dbg->target, o->addr - sizeof(*ret), ret,
				sizeof(*ret)) == sizeof(*ret);
}

static bool add_thin(void *arg, const struct heap_object *o)
{
	struct locks *l = arg;
	struct dac *d = l->dbg->inspect.dac;
	struct gc_thin_lock thin;
	uint32_t header;

	if (o->type->is_free || !header_of(l->dbg, o, &header) ||
	    !dac_gc_thin_lock(d, header, &thin))
		return true;
	mem_grow(&l->v, &l->cap, l->n, sizeof(*l->v));
	struct dbg_lock *lock = &l->v[l->n++];

	*lock = (struct dbg_lock){
	    .object = o->addr,
	    .type = session_type_name(l->dbg, o->type),
	    .held = true,
	    .depth = thin.depth,
	};
	take_owner(l->dbg, dac_gc_thin_owner(d, thin.number), lock);
	return true;
}

/*
 * How many threads wait for a lock. If the runtime does not count them, those
 * that were found waiting are counted.
 */
static uint32_t waiting_for(struct locks *l, const struct gc_sync_block *b)
{
	uint32_t found = 0;

	if (!b->lock)
		return b->waiting;
	if (!l->waits &&
	    dbg_err_drop(waits_list(&l->dbg->inspect, &l->waits, &l->n_waits)))
		l->n_waits = 0;
	for (size_t i = 0; i < l->n_waits; i++)
		found += l->waits[i].object == b->object && !l->waits[i].pulse;
	return found;
}

static void add_block(struct locks *l, struct heap *h,
		      const struct gc_sync_block *b)
{
	mem_grow(&l->v, &l->cap, l->n, sizeof(*l->v));
	struct dbg_lock *lock = &l->v[l->n++];

	*lock = (struct dbg_lock){
	    .object = b->object,
	    .type = session_object_type(l->dbg, h, b->object),
	    .index = b->index,
	    .block = b->addr,
	    .held = b->owner,
	    .depth = b->recursion,
	    .waiting = waiting_for(l, b),
	};
	take_owner(l->dbg, b->owner, lock);
}

struct dbg_error *dbg_lock_list(struct dbg_stopped at, struct dbg_lock **ret,
				size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct locks l = {.dbg = dbg};
	struct gc_sync_block *blocks;
	struct heap *h;
	size_t n = 0;
	struct dbg_error *err = session_heap_get(at, &h);

	if (!err)
		err = dac_gc_sync_blocks(dbg->inspect.dac, dbg->inspect.arena,
					 &blocks, &n);
	for (size_t i = 0; i < n && !err; i++)
		add_block(&l, h, &blocks[i]);
	if (!err)
		err = heap_each(h, false, add_thin, &l);
	if (!err) {
		*ret = arena_copy(dbg->inspect.arena, l.v, l.n, sizeof(*l.v));
		*ret_n = l.n;
	}
	free(l.v);
	return err;
}
