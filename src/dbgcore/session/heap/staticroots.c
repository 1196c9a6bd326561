/*
 * Lists all static fields that hold references or structures: of the types of
 * each module, user modules first, then of generic types that have objects on
 * the heap.
 */
#include "session/heap/sessionheap.h"

#include "base/err.h"
#include "base/mem.h"

struct visit {
	struct dbg *dbg;
	const struct heap *heap;
	bool threads_only;
	const struct static_thread *threads;
	size_t n_threads;
	static_fn *fn;
	void *arg;
	bool on;
};

static void visit_field(struct visit *v, uint64_t mt, const struct dac_field *f)
{
	if (!f->is_static || (v->threads_only && !f->is_thread_static) ||
	    (f->elem != ELEM_CLASS && f->elem != ELEM_VALUETYPE))
		return;
	if (!f->is_thread_static) {
		v->on = v->fn(v->arg, mt, f, NULL);
		return;
	}
	for (size_t i = 0; i < v->n_threads && v->on; i++)
		v->on = v->fn(v->arg, mt, f, &v->threads[i]);
}

static void visit_type(struct visit *v, uint64_t mt)
{
	struct dac *d = v->dbg->inspect.dac;
	const struct dac_type *type;
	const struct dac_field *fields = NULL;
	size_t n = 0;

	if (dbg_err_drop(dac_type_get(d, mt, &type)) || !type->n_statics ||
	    dbg_err_drop(dac_fields(d, mt, &fields, &n)))
		return;
	for (size_t i = 0; i < n && v->on; i++)
		visit_field(v, mt, &fields[i]);
}

static void visit_module(struct visit *v, const struct code_module *m)
{
	uint32_t rows = md_rows(&m->md, MD_TYPEDEF);

	for (uint32_t rid = 2; rid <= rows && v->on; rid++) {
		uint64_t mt = dac_type_of_token(v->dbg->inspect.dac, m->addr,
						MD_TOKEN(MD_TYPEDEF, rid));

		if (mt)
			visit_type(v, mt);
		v->on = v->on && !*v->heap->interrupted;
	}
}

// Was it met in its module?
static bool is_definition(struct dac *d, uint64_t mt)
{
	const struct dac_type *type;

	return dbg_err_drop(dac_type_get(d, mt, &type)) ||
	       dac_type_of_token(d, type->module, type->token) == mt;
}

static void take_threads(struct visit *v)
{
	struct inspect *in = &v->dbg->inspect;
	struct target_thread *threads = NULL;
	struct static_thread *found;
	size_t n = 0;

	if (dbg_err_drop(
		target_threads(v->dbg->target, in->arena, &threads, &n)))
		return;
	found = arena_calloc(in->arena, n + 1, sizeof(*found));
	for (size_t i = 0; i < n; i++) {
		struct static_thread t = {
		    .addr = stack_managed_thread(in->stack, threads[i].tid),
		    .tid = threads[i].tid,
		};

		if (t.addr)
			found[v->n_threads++] = t;
	}
	v->threads = found;
}

void statics_each(struct dbg *dbg, struct heap *h, bool threads_only,
		  static_fn *fn, void *arg)
{
	struct visit v = {.dbg = dbg,
			  .heap = h,
			  .threads_only = threads_only,
			  .fn = fn,
			  .arg = arg,
			  .on = true};
	const struct heap_type *type;
	size_t n, it = 0;
	struct code_module *const *modules =
	    code_modules(dbg->inspect.code, &n);

	take_threads(&v);
	for (int framework = 0; framework < 2; framework++)
		for (size_t i = 0; i < n && v.on; i++)
			if (modules[i]->framework == (framework == 1))
				visit_module(&v, modules[i]);
	while (v.on && (type = heap_type_next(h, &it)))
		if (!type->component_size &&
		    !is_definition(dbg->inspect.dac, type->mt))
			visit_type(&v, type->mt);
}
