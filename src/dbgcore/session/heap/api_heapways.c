/*
 * What keeps objects alive, by type: the room heap/ finds the ways; here roots
 * get their names, and the result is sorted.
 */
#include "session/heap/sessionheap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "heap/retention.h"
#include "inspect/waits.h"

/* ---- The names of roots -------------------------------------------------- */

/*
 * The variable, or else the register, of a method that runs; the static field
 * whose place lies in an array that a handle keeps.
 */

enum {
	LEVELS_MAX = 4096, // frames that are looked through
};

static const char *const handle_names[] = {
    "weak short", "weak long", "strong",        "pinned",
    "variable",   "counted",   "dependent",     "async pinned",
    "sized",      "weak COM",  "weak interior",
};

const char *dbg_handle_name(enum dbg_handle_kind kind)
{
	return (size_t)kind < sizeof(handle_names) / sizeof(*handle_names)
		   ? handle_names[kind]
		   : "unknown";
}

static const char *static_field_name(struct dbg *dbg, const struct root *root);

/* ---- Variables ------------------------------------------------------- */

// The frame that holds the reference; NULL: it is not found.
static const struct frame *frame_of(struct dbg *dbg, const struct root *root)
{
	const struct frame *f = NULL, *by_ip = NULL;

	for (uint32_t level = 0; level < LEVELS_MAX; level++) {
		if (dbg_err_drop(stack_frame(dbg->inspect.stack,
					     root->is.thread, level, &f)) ||
		    !f)
			break;
		if (f->raw.ip != root->ref.ip)
			continue;
		if (f->raw.sp == root->ref.sp)
			return f;
		if (!by_ip)
			by_ip = f;
	}
	return by_ip;
}

// The name of the variable at that place, else of one with the same value.
static const char *variable_of(struct dbg *dbg, const struct root *root,
			       const struct frame *f)
{
	struct values *ts = dbg->inspect.values;
	const char *by_value = NULL;
	struct eval e;

	if (dbg_err_drop(inspect_eval(&dbg->inspect, f, &e)))
		return NULL;
	for (size_t i = 0; i < e.scope->n_vars; i++) {
		const struct var *v = &e.scope->vars[i];
		uint64_t size = v->value.type ? type_size(v->value.type) : 0;
		uint64_t value;

		if (v->value.where == VALUE_MEMORY && root->is.addr &&
		    root->is.addr - v->value.addr < (size ? size : 8))
			return v->name;
		if (!by_value && v->value.type && v->value.type->is_reference &&
		    value_pointer(ts, &v->value, &value) &&
		    value == root->ref.object)
			by_value = v->name;
	}
	return by_value;
}

static const char *stack_name(struct dbg *dbg, const struct root *root)
{
	struct inspect *in = &dbg->inspect;
	const struct frame *f = root->ref.ip ? frame_of(dbg, root) : NULL;
	const char *variable = f ? variable_of(dbg, root, f) : NULL;
	struct code_name name = {.plain = "the runtime"};

	if (root->is.uncertain)
		return arena_printf(in->arena,
				    "perhaps [0x%" PRIx64 "], thread %" PRIu32
				    ", which cannot be walked",
				    root->is.addr, root->is.thread);
	if (f && f->pos)
		code_method_names(in->code, f->pos->method, in->arena, &name);
	if (!variable)
		variable = root->is.addr
			       ? arena_printf(in->arena, "[0x%" PRIx64 "]",
					      root->is.addr)
			       : "a register";
	return arena_printf(in->arena, "%s in %s, thread %" PRIu32, variable,
			    name.plain, root->is.thread);
}

/* The name of a root for users, in the arena of the stop. */
static const char *root_name(struct dbg *dbg, const struct root *root)
{
	if (root->is.kind == DBG_ROOT_STACK)
		return stack_name(dbg, root);
	if (root->field)
		return static_field_name(dbg, root);
	if (root->is.kind == DBG_ROOT_FINALIZER)
		return "queue of due finalizers";
	return arena_printf(dbg->inspect.arena, "%s handle 0x%" PRIx64,
			    dbg_handle_name(root->is.handle), root->is.addr);
}

/* ---- Static fields --------------------------------------------------- */

struct search {
	struct dbg *dbg;
	uint64_t slot, box;
	const char *found;
};

/* The name of a static field for users; NULL: not known. Likewise. */
static const char *root_field_name(struct dbg *dbg, uint64_t mt,
				   const struct dac_field *raw)
{
	struct type *type = value_type_of_mt(dbg->inspect.values, mt);
	const struct field *fields;
	size_t n = 0;

	if (!type)
		return NULL;
	value_type_fields(dbg->inspect.values, type, &fields, &n);
	for (size_t i = 0; i < n; i++)
		if (fields[i].token == raw->token)
			return arena_printf(
			    dbg->inspect.arena, "%s %s.%s",
			    raw->is_thread_static ? "thread static" : "static",
			    value_type_name(type),
			    fields[i].source ? fields[i].source
					     : fields[i].name);
	return NULL;
}

static bool is_at(struct search *s, uint64_t mt, const struct dac_field *f,
		  uint64_t thread)
{
	uint64_t addr = 0;

	if (dbg_err_drop(
		dac_static_addr(s->dbg->inspect.dac, mt, f, thread, &addr)))
		return false;
	return addr &&
	       (addr == s->slot || (s->box && addr == s->box + HEAP_WORD));
}

static bool is_field(void *arg, uint64_t mt, const struct dac_field *f,
		     const struct static_thread *thread)
{
	struct search *s = arg;

	if (is_at(s, mt, f, thread ? thread->addr : 0))
		s->found = root_field_name(s->dbg, mt, f);
	return !s->found;
}

/*
 * The name of the static field stored at @slot or in the box @box, in the arena
 * of the stop; NULL: not known.
 */
static const char *static_name(struct dbg *dbg, struct heap *h, uint64_t slot,
			       uint64_t box)
{
	struct search s = {.dbg = dbg, .slot = slot, .box = box};

	statics_each(dbg, h, false, is_field, &s);
	return s.found;
}

static const char *static_field_name(struct dbg *dbg, const struct root *root)
{
	const char *name = root_field_name(dbg, root->type, root->field);

	return arena_printf(dbg->inspect.arena, "%s, thread %" PRIu32,
			    name ? name : "thread static", root->is.thread);
}

/* ---- What keeps objects alive -------------------------------------------- */

/*
 * What keeps objects alive: paths from roots, handles, the finalizer queue,
 * locks.
 */

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

/* ---- What keeps objects alive, by type ----------------------------------- */

enum {
	DEPTH = 20, // unless told
	/* Arrays of statics have some thousands of elements. */
	STATICS_MAX = 1 << 17,
};

struct static_place {
	uint64_t addr, mt;
	const struct dac_field *field;
};

struct retaining {
	struct heap_query query;
	struct root_list roots;
	struct map root_of; /* the first root of an object */
	struct static_place *statics;
	size_t n_statics, cap_statics;
	const char **texts; /* of roots, which are told apart by them */
	struct map numbers; /* 1 + index of a text, by its hash or beyond */
	size_t n_texts, cap_texts;
	struct map keys; /* 1 + index of a text, by object; of statics | 1 */
	const struct heap_type *type; /* of what is asked for */
	uint64_t n_held;
	bool many; /* it has several */
	struct heap_retention is;
	const struct dbg_heap_way_limits *limits;
	struct dbg_heap_ways *ret;
	size_t cap;
};

/* ---- Roots and their names ------------------------------------------- */

/*
 * Note the address of a static field, so that ways from it can be named. Thread
 * statics have other roots.
 */
static bool note_static(void *arg, uint64_t mt, const struct dac_field *f,
			const struct static_thread *thread)
{
	struct retaining *t = arg;
	struct static_place place = {.mt = mt, .field = f};

	if (thread || dbg_err_drop(dac_static_addr(t->query.dbg->inspect.dac,
						   mt, f, 0, &place.addr)))
		return true;
	mem_grow(&t->statics, &t->cap_statics, t->n_statics,
		 sizeof(*t->statics));
	t->statics[t->n_statics++] = place;
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct static_place *s = a, *t = b;

	return (s->addr > t->addr) - (s->addr < t->addr);
}

static void take_roots(struct retaining *t)
{
	for (size_t i = t->roots.n; i--;) {
		const struct root *root = &t->roots.v[i];
		const struct root *behind =
		    map_find(&t->root_of, root->is.object);

		if (!behind || !root_is_better(behind, root))
			map_put(&t->root_of, root->is.object, &t->roots.v[i]);
	}
	statics_each(t->query.dbg, t->query.heap, false, note_static, t);
	if (t->n_statics)
		qsort(t->statics, t->n_statics, sizeof(*t->statics), by_addr);
}

static uint32_t key_of(struct retaining *t, const char *text)
{
	uint64_t hash = str_hash(text, strlen(text));
	uintptr_t known;

	// another text of the same hash is passed over
	while ((known = (uintptr_t)map_find(&t->numbers, hash)) &&
	       strcmp(t->texts[known - 1], text))
		hash++;
	if (known)
		return (uint32_t)(known - 1);
	mem_grow(&t->texts, &t->cap_texts, t->n_texts, sizeof(*t->texts));
	t->texts[t->n_texts++] = text;
	map_put(&t->numbers, hash, (void *)(uintptr_t)t->n_texts);
	return (uint32_t)(t->n_texts - 1);
}

// The text of a root; handles of one kind have the same text, so that their
// ways are merged.
static const char *text_of(struct retaining *t, const struct root *root)
{
	struct dbg *dbg = t->query.dbg;

	if (!root)
		return "?";
	if (root->is.kind == DBG_ROOT_HANDLE)
		return arena_printf(dbg->inspect.arena, "%s handle",
				    dbg_handle_name(root->is.handle));
	return root_name(dbg, root);
}

// The name of the static field that refers to @child from an array that a
// handle keeps, or whose box @child is.
static const char *static_text(struct retaining *t, uint64_t array,
			       uint64_t child)
{
	const struct root *root = map_find(&t->root_of, array);
	uint64_t offset, box = child + HEAP_WORD;
	const struct static_place *found;
	struct heap_object o;

	if (!root || root->is.kind != DBG_ROOT_HANDLE || !t->n_statics ||
	    !heap_object_at(t->query.heap, array, &o) ||
	    o.type->component_size != HEAP_WORD || o.size > STATICS_MAX)
		return NULL;
	offset = heap_graph_offset(&t->is.graph, array, child);
	found = bsearch(&(struct static_place){.addr = array + offset},
			t->statics, t->n_statics, sizeof(*found), by_addr);
	if (!found)
		found = bsearch(&(struct static_place){.addr = box}, t->statics,
				t->n_statics, sizeof(*found), by_addr);
	return found ? root_field_name(t->query.dbg, found->mt, found->field)
		     : NULL;
}

static bool find_root(void *arg, uint64_t object, uint64_t child, uint32_t *ret)
{
	enum {
		NONE = UINT32_MAX,
	};
	struct retaining *t = arg;
	uint64_t at = child ? child | 1 : object;
	uintptr_t known = (uintptr_t)map_find(&t->keys, at);
	uint32_t key = (uint32_t)(known - 1);

	if (!known) {
		const char *text =
		    child ? static_text(t, object, child)
			  : text_of(t, map_find(&t->root_of, object));

		key = text ? key_of(t, text) : NONE;
		map_put(&t->keys, at, (void *)((uintptr_t)key + 1));
	}
	*ret = key;
	return key != NONE;
}

/* ---- What is asked for ----------------------------------------------- */

static bool retained_hold(void *arg, const struct heap_object *o)
{
	struct retaining *t = arg;

	if (o->type->is_free || !heap_query_has(&t->query, o) ||
	    !heap_graph_hold(&t->is.graph, o->addr))
		return true;
	t->many |= t->type && t->type != o->type;
	t->type = o->type;
	t->n_held++;
	return true;
}

/* ---- In order -------------------------------------------------------- */

static const char *way_text(struct retaining *t, const struct heap_way *way)
{
	struct heap_object o;

	if (way->key & RETENTION_ROOT)
		return t->texts[way->key & ~RETENTION_ROOT];
	if (way->key == RETENTION_DEEP)
		return "...";
	if (way->key == RETENTION_TOP && (t->many || !t->type))
		return t->query.filter->type;
	if (way->key == RETENTION_TOP)
		return session_type_name(t->query.dbg, t->type);
	return heap_object_at(t->query.heap, way->object, &o)
		   ? session_type_name(t->query.dbg, o.type)
		   : "?";
}

static struct dbg_heap_way *way_add(struct retaining *t)
{
	mem_grow(&t->ret->v, &t->cap, t->ret->n, sizeof(*t->ret->v));
	return &t->ret->v[t->ret->n++];
}

static void add_way(struct retaining *t, const struct heap_way *way)
{
	*way_add(t) = (struct dbg_heap_way){
	    .kind = way->key & RETENTION_ROOT    ? DBG_WAY_ROOT
		    : way->key == RETENTION_DEEP ? DBG_WAY_DEEP
						 : DBG_WAY_TYPE,
	    .depth = way->depth,
	    .text = way_text(t, way),
	    .object = way->object,
	    .objects = way->objects,
	    .count = way->count,
	    .bytes = way->bytes,
	};
}

static int by_bytes(const void *a, const void *b)
{
	const struct heap_way *s = *(struct heap_way *const *)a;
	const struct heap_way *t = *(struct heap_way *const *)b;

	if (s->bytes != t->bytes)
		return s->bytes > t->bytes ? -1 : 1;
	if (s->count != t->count)
		return s->count > t->count ? -1 : 1;
	return (s->object > t->object) - (s->object < t->object);
}

static void add_rest(struct retaining *t, const struct heap_way *const *v,
		     size_t n)
{
	struct dbg_heap_way rest = {
	    .kind = DBG_WAY_REST, .depth = v[0]->depth, .objects = n};

	for (size_t i = 0; i < n; i++) {
		rest.count += v[i]->count;
		rest.bytes += v[i]->bytes;
	}
	rest.text = arena_printf(t->query.dbg->inspect.arena,
				 "(%zu more way%s)", n, n == 1 ? "" : "s");
	*way_add(t) = rest;
}

// Add the tree below a way, down to the limit of depth.
static void add_tree(struct retaining *t, const struct heap_way *way)
{
	const struct heap_way *ways = t->is.v;
	const struct heap_way **below = NULL;
	size_t n = 0, cap = 0, width = t->limits->width;

	add_way(t, way);
	for (uint32_t i = way->first; i; i = ways[i].next) {
		mem_grow(&below, &cap, n, sizeof(*below));
		below[n++] = &ways[i];
	}
	if (n)
		qsort(below, n, sizeof(*below), by_bytes);
	size_t shown = width && n > width ? width : n;

	for (size_t i = 0; i < shown; i++)
		add_tree(t, below[i]);
	if (shown < n)
		add_rest(t, below + shown, n - shown);
	free(below);
}

/* ---- All of it ------------------------------------------------------- */

static struct dbg_error *ways_find(struct retaining *t)
{
	uint32_t depth = t->limits->depth ? t->limits->depth : DEPTH;
	struct heap_roots objects;
	struct dbg_error *err =
	    roots_read(t->query.dbg, t->query.heap, &t->roots);

	if (!err)
		err = heap_graph_init(&t->is.graph, t->query.heap);
	if (!err)
		err = heap_each(t->query.heap, false, retained_hold, t);
	if (err)
		return err;
	take_roots(t);
	t->is.root = find_root;
	t->is.arg = t;
	t->is.max_depth = depth < DBG_WAY_DEPTH_MAX ? depth : DBG_WAY_DEPTH_MAX;
	roots_objects(&t->roots, &objects);
	err = heap_retention_run(&t->is, &objects);
	free(objects.objects);
	return err;
}

struct dbg_error *dbg_heap_way_list(struct dbg_stopped at,
				    const struct dbg_heap_filter *filter,
				    const struct dbg_heap_way_limits *limits,
				    struct dbg_heap_ways *ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_heap_ways found = {0};
	struct retaining t = {.limits = limits, .ret = &found};
	struct dbg_error *err = heap_query_init(at, filter, &t.query);

	if (!err)
		err = ways_find(&t);
	if (!err) {
		add_tree(&t, t.is.v);
		*ret = found;
		ret->v = arena_copy(dbg->inspect.arena, found.v, found.n,
				    sizeof(*found.v));
		ret->garbage = t.n_held - t.is.v->count;
		ret->cut = t.is.cut;
	}
	free(found.v);
	free(t.statics);
	free(t.texts);
	map_deinit(&t.numbers);
	map_deinit(&t.keys);
	map_deinit(&t.root_of);
	heap_retention_deinit(&t.is);
	roots_deinit(&t.roots);
	heap_query_deinit(&t.query);
	return err;
}
