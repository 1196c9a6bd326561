/*
 * Static constructors at work: those that have a frame on some stack. The
 * runtime keeps no note of them in the class itself.
 */
#include "inspect/classruns.h"

#include "base/err.h"
#include "base/mem.h"
#include "inspect/inspect.h"

enum {
	RUNS_MAX = 200, /* frames of a thread, from the newest */
};

/* The class whose static constructor the frame runs; 0: none. */
static uint64_t class_of(struct inspect *in, const struct frame *f)
{
	struct stack_instance exact;
	struct dac_method m;

	if (!f->pos || !f->pos->module ||
	    !(code_traits(in->code, f->pos->module, f->pos->token) &
	      CODE_CCTOR))
		return 0;
	stack_frame_instance(in->values, f, &exact);
	if (exact.type)
		return value_type_mt(in->values, exact.type);
	return dbg_err_drop(dac_method_get(in->dac, f->raw.method, &m))
		   ? 0
		   : m.type;
}

static void look_at(struct inspect *in, uint32_t thread, struct class_run **v,
		    size_t *n, size_t *cap)
{
	const struct frame *f;

	for (uint32_t level = 0;
	     level < RUNS_MAX &&
	     !dbg_err_drop(stack_frame(in->stack, thread, level, &f)) && f;
	     level++) {
		uint64_t type = class_of(in, f);

		if (!type)
			continue;
		mem_grow(v, cap, *n, sizeof(**v));
		(*v)[(*n)++] = (struct class_run){type, thread};
	}
}

const struct class_runs *class_runs_find(struct inspect *in)
{
	struct dbg_thread *threads;
	_cleanup_free_ struct class_run *v = NULL;
	size_t n = 0, cap = 0, n_threads;

	if (in->class_runs.found)
		return &in->class_runs;
	in->class_runs.found = true;
	if (dbg_err_drop(stack_threads(in->stack, &threads, &n_threads)))
		return &in->class_runs;
	for (size_t i = 0; i < n_threads; i++)
		if (threads[i].managed)
			look_at(in, threads[i].number, &v, &n, &cap);
	in->class_runs.v = arena_copy(in->arena, v, n, sizeof(*v));
	in->class_runs.n = n;
	return &in->class_runs;
}

bool class_runs_have(struct inspect *in, uint64_t mt)
{
	const struct class_runs *runs;

	if (!in->stopped || !mt)
		return false;
	runs = class_runs_find(in);
	for (size_t i = 0; i < runs->n; i++)
		if (runs->v[i].type == mt)
			return true;
	return false;
}
