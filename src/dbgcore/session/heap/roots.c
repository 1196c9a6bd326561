/*
 * Roots of reachability: references on the stacks of threads, handles, and
 * objects due for finalization. Dependent handles are no roots, but lead from
 * one object to another.
 */
#include "session/heap/sessionheap.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	QUEUE_AT_ONCE = 1024,
	STACK_MAX = 8 << 20,
};

static struct root *root_add(struct root_list *l,
			     const struct dbg_heap_root *is)
{
	mem_grow(&l->v, &l->cap, l->n, sizeof(*l->v));
	l->v[l->n] = (struct root){.is = *is};
	return &l->v[l->n++];
}

void roots_deinit(struct root_list *l)
{
	free(l->v);
	free(l->pairs);
}

/* ---- Stacks ---------------------------------------------------------- */

static void add_stack_ref(struct dbg *dbg, struct heap *h, pid_t tid,
			  const struct gc_stack_ref *ref, struct root_list *l)
{
	struct dbg_heap_root is = {
	    .kind = DBG_ROOT_STACK,
	    .addr = ref->reg < 0 || ref->addr ? ref->addr : 0,
	    .object = ref->object,
	    .thread = stack_thread_number(dbg->inspect.stack, tid),
	    .interior = ref->interior,
	    .pinned = ref->pinned,
	};
	struct heap_object o;

	if (!is.object)
		return;
	if (ref->interior) {
		if (!heap_find(h, is.object, &o))
			return;
		is.object = o.addr;
	}
	struct root *root = root_add(l, &is);

	root->ref = *ref;
	root->tid = tid;
}

// May an object begin there: does it have a type?
static bool is_object(struct heap *h, uint64_t addr)
{
	uint64_t mt;

	return addr && !(addr & 7) && heap_part_of(h, addr) &&
	       target_read_some(h->target, addr, &mt, sizeof(mt)) ==
		   sizeof(mt) &&
	       mt && !heap_type_find(h, mt & ~(uint64_t)7)->is_none;
}

// Add roots where the DAC cannot tell them (.NET 10, a thread inside a throw
// that nobody's catch has ended): every word of the stack that leads to an
// object may be a reference.
static void add_words(struct dbg *dbg, struct heap *h, pid_t tid,
		      struct root_list *l)
{
	uint64_t some[QUEUE_AT_ONCE];
	struct regs regs;

	if (dbg_err_drop(target_regs(dbg->target, tid, &regs)))
		return;
	uint64_t at = regs_sp(&regs) & ~(uint64_t)7;

	for (uint64_t end = at + STACK_MAX; at < end; at += sizeof(some)) {
		size_t n =
		    target_read_some(dbg->target, at, some, sizeof(some)) /
		    sizeof(*some);

		for (size_t i = 0; i < n; i++) {
			struct dbg_heap_root is = {
			    .kind = DBG_ROOT_STACK,
			    .addr = at + 8 * i,
			    .object = some[i],
			    .thread =
				stack_thread_number(dbg->inspect.stack, tid),
			    .uncertain = true,
			};

			if (is_object(h, some[i]))
				root_add(l, &is)->tid = tid;
		}
		if (n < QUEUE_AT_ONCE)
			return;
	}
}

static struct dbg_error *add_stacks(struct dbg *dbg, struct heap *h,
				    struct root_list *l)
{
	struct arena *arena = arena_create();
	struct target_thread *threads = NULL;
	size_t n_threads = 0;
	struct dbg_error *err =
	    target_threads(dbg->target, arena, &threads, &n_threads);

	for (size_t i = 0; i < n_threads && !err; i++) {
		struct gc_stack_ref *refs;
		size_t n = 0;

		if (dbg_err_drop(dac_gc_stack(dbg->inspect.dac, threads[i].tid,
					      arena, &refs, &n)))
			add_words(dbg, h, threads[i].tid, l);
		for (size_t k = 0; k < n; k++)
			add_stack_ref(dbg, h, threads[i].tid, &refs[k], l);
		err = heap_pace(h, "looking for roots", i, n_threads);
	}
	arena_destroy(arena);
	return err;
}

/* ---- Thread statics -------------------------------------------------- */

struct adding {
	struct dbg *dbg;
	struct heap *heap;
	struct root_list *list;
};

static void add_static(struct adding *a, const struct dbg_heap_root *is,
		       uint64_t mt, const struct dac_field *field)
{
	struct root *root = root_add(a->list, is);

	root->field = field;
	root->type = mt;
}

// Add a thread static: since .NET 9 no handle keeps them, and the DAC does not
// tell of them.
static bool add_thread_static(void *arg, uint64_t mt,
			      const struct dac_field *field,
			      const struct static_thread *thread)
{
	struct adding *a = arg;
	struct dbg_heap_root is = {.kind = DBG_ROOT_STATIC};
	struct heap_object around;
	uint64_t at = 0;

	if (dbg_err_drop(dac_static_addr(a->dbg->inspect.dac, mt, field,
					 thread->addr, &at)) ||
	    !at)
		return true;
	is.addr = at;
	is.thread = stack_thread_number(a->dbg->inspect.stack, thread->tid);
	if (field->elem == ELEM_VALUETYPE)
		is.object = at - HEAP_WORD;
	else if (target_read_some(a->dbg->target, at, &is.object,
				  sizeof(is.object)) != sizeof(is.object))
		return true;
	if (is_object(a->heap, is.object))
		add_static(a, &is, mt, field);
	// the array that has them
	if (field->elem != ELEM_VALUETYPE && heap_find(a->heap, at, &around)) {
		is.object = around.addr;
		add_static(a, &is, mt, field);
	}
	return true;
}

/* ---- Handles and finalizers ------------------------------------------ */

static struct dbg_error *add_handles(struct dbg *dbg, struct root_list *l)
{
	struct arena *arena = arena_create();
	struct gc_handle *handles = NULL;
	size_t n = 0;
	struct dbg_error *err =
	    dac_gc_handles(dbg->inspect.dac, arena, &handles, &n);

	for (size_t i = 0; i < n && !err; i++) {
		const struct gc_handle *handle = &handles[i];

		if (!handle->object)
			continue;
		if (handle->kind == DBG_HANDLE_DEPENDENT) {
			mem_grow(&l->pairs, &l->cap_pairs, l->n_pairs,
				 sizeof(*l->pairs));
			l->pairs[l->n_pairs++] = (struct heap_pair){
			    handle->object, handle->secondary};
		} else if (handle->strong) {
			root_add(
			    l, &(struct dbg_heap_root){
				   .kind = DBG_ROOT_HANDLE,
				   .addr = handle->addr,
				   .object = handle->object,
				   .handle = handle->kind,
				   .pinned = handle->kind == DBG_HANDLE_PINNED,
			       });
		}
	}
	arena_destroy(arena);
	return err;
}

static void add_finalizers(struct dbg *dbg, const struct heap *h,
			   struct root_list *l)
{
	uint64_t some[QUEUE_AT_ONCE];

	for (uint32_t i = 0; i < h->is.n_heaps; i++) {
		uint64_t at = h->is.queues[i].ready, end = h->is.queues[i].end;

		while (at < end) {
			size_t want = end - at < sizeof(some)
					  ? (size_t)(end - at)
					  : sizeof(some);
			size_t n =
			    target_read_some(dbg->target, at, some, want) /
			    sizeof(*some);

			for (size_t k = 0; k < n; k++)
				if (some[k])
					root_add(l,
						 &(struct dbg_heap_root){
						     .kind = DBG_ROOT_FINALIZER,
						     .addr = at + 8 * k,
						     .object = some[k]});
			if (!n)
				break;
			at += n * sizeof(*some);
		}
	}
}

struct dbg_error *roots_read(struct dbg *dbg, struct heap *h,
			     struct root_list *ret)
{
	struct dbg_error *err;

	*ret = (struct root_list){0};
	struct adding a = {dbg, h, ret};

	err = heap_pace(h, "looking for roots", 0, 0);
	if (!err)
		err = add_stacks(dbg, h, ret);
	if (!err)
		statics_each(dbg, h, true, add_thread_static, &a);
	if (!err)
		err = add_handles(dbg, ret);
	if (!err)
		add_finalizers(dbg, h, ret);
	return err ? err : heap_pace(h, "looking for roots", 1, 1);
}

// Handles and statics stay as they are; what a thread has is gone once its
// method returns, and what is due for finalizers once these have run.
static bool is_lasting(const struct root *root)
{
	return root->is.kind == DBG_ROOT_HANDLE ||
	       root->is.kind == DBG_ROOT_STATIC;
}

bool root_is_better(const struct root *root, const struct root *other)
{
	return is_lasting(root) && !is_lasting(other);
}

void roots_objects(const struct root_list *roots, struct heap_roots *ret)
{
	size_t n = 0;

	*ret = (struct heap_roots){
	    .objects = xcalloc(roots->n + 1, sizeof(*ret->objects)),
	    .n = roots->n,
	    .pairs = roots->pairs,
	    .n_pairs = roots->n_pairs,
	};
	for (size_t i = 0; i < roots->n; i++)
		if (is_lasting(&roots->v[i]))
			ret->objects[n++] = roots->v[i].is.object;
	ret->n_lasting = n;
	for (size_t i = 0; i < roots->n; i++)
		if (!is_lasting(&roots->v[i]))
			ret->objects[n++] = roots->v[i].is.object;
}

struct dbg_error *roots_mark(struct heap *h, const struct root_list *roots,
			     uint64_t target, struct heap_graph *ret)
{
	struct heap_roots objects;
	struct dbg_error *err = heap_graph_init(ret, h);

	if (err)
		return err;
	ret->target = target;
	ret->marks_only = !target;
	roots_objects(roots, &objects);
	err = heap_graph_mark(ret, &objects);
	free(objects.objects);
	return err;
}

static void destroy(struct alive *a)
{
	if (!a)
		return;
	heap_graph_deinit(&a->graph);
	free(a->objects.objects);
	roots_deinit(&a->roots);
	free(a);
}

void alive_drop(struct dbg *dbg)
{
	destroy(dbg->heap.alive);
	dbg->heap.alive = NULL;
}

struct dbg_error *alive_get(struct dbg *dbg, struct heap *h, struct alive **ret)
{
	struct alive *a = dbg->heap.alive;
	struct dbg_error *err = NULL;

	if (!a) {
		a = xcalloc(1, sizeof(*a));
		err = roots_read(dbg, h, &a->roots);
		roots_objects(&a->roots, &a->objects);
		if (!err)
			err = heap_graph_init(&a->graph, h);
		if (!err) {
			heap_graph_sample(
			    &a->graph,
			    h->n_words * HEAP_WORD / MAJORITY_SAMPLES + 1);
			err = heap_graph_mark(&a->graph, &a->objects);
		}
	}
	if (err) {
		destroy(a);
		return err;
	}
	*ret = dbg->heap.alive = a;
	return NULL;
}
