/*
 * A stopped program or a core, put together: owns the runtime's reader, code,
 * types and stacks, and what was handed out of them in the present stop.
 * inspect_stop() begins a stop (the arena is empty, the stop number rises),
 * inspect_go() ends it; ids carry the stop's number, so one of an earlier stop
 * is an error (inspectvalue.c).
 */
#include "inspect/inspect.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Static constructors at work ----------------------------------------- */

/*
 * Those that have a frame on some stack. The runtime keeps no note of them in
 * the class itself.
 */

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

/* Is a thread running the static constructor of the class @mt (MethodTable)? */
static bool class_runs_have(struct inspect *in, uint64_t mt)
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

/* ---- A stopped program or a core, put together --------------------------- */

enum {
	ELEMENTS_DEFAULT = 200
};

/* ---- Life ------------------------------------------------------------ */

void inspect_init(struct inspect *in)
{
	in->arena = arena_create();
	in->ways = arena_create();
	in->rules = source_rules_create();
	in->history = history_create(&in->followed);
	in->style.elements = ELEMENTS_DEFAULT;
}

void inspect_deinit(struct inspect *in)
{
	inspect_end(in);
	source_rules_destroy(in->rules);
	symbol_rules_deinit(&in->symbols);
	history_destroy(in->history);
	arena_destroy(in->arena);
	arena_destroy(in->ways);
	free(in->frames);
	free(in->nodes);
	free(in->scopes);
}

void inspect_begin(struct inspect *in, struct target *t)
{
	in->target = t;
	in->stack = stack_create(t);
	stack_reset(in->stack, in->arena);
}

/* ---- Interpreting ---------------------------------------------------- */

static bool vm_memory(void *arg, uint64_t addr, void *buf, size_t n)
{
	struct inspect *in = arg;

	return vm_owns(in->vm, addr) && vm_read(in->vm, addr, buf, n);
}

static uint64_t vm_memory_late(void *arg, struct type_field *field,
			       uint64_t object)
{
	struct inspect *in = arg;

	return vm_owns(in->vm, object) ? vm_late(in->vm, field, object, false)
				       : 0;
}

static bool is_class_run(void *arg, uint64_t mt)
{
	return class_runs_have(arg, mt);
}

static void vm_open(struct inspect *in)
{
	in->types = values_types(in->values);
	in->vm = vm_create(in->values);
	in->vm_serial++;
	types_ask_runs(in->types, is_class_run, in);
	values_set_beside(in->values, vm_memory, vm_memory_late, in);
	in->views = view_cache_create();
}

static void vm_close(struct inspect *in)
{
	view_cache_destroy(in->views);
	in->views = NULL;
	vm_destroy(in->vm);
	in->vm = NULL;
	in->types = NULL;
}

/* Drop everything that was read from the program, since it has run. */
static void vm_renew(struct inspect *in)
{
	if (values_stop(in->values)) {
		vm_destroy(in->vm);
		in->vm = vm_create(in->values);
		in->vm_serial++;
		// The types are gone with the machine, and followed values name
		// types.
		followed_clear(&in->followed);
	}
	vm_stop(in->vm);
	// A call under way still uses the types.
	if (!in->returns)
		types_release(in->types);
}

struct dbg_error *inspect_runtime(struct inspect *in, const char *bundle)
{
	in->code = code_create(in->target, in->dac, in->rules, &in->symbols);
	if (bundle)
		code_set_bundle(in->code, bundle);
	stack_set_runtime(in->stack, in->dac, in->code);
	in->values = values_create(in->target, in->dac, in->code);
	stack_set_types(in->stack, in->values);
	vm_open(in);
	struct dbg_error *err = code_modules_read(in->code);
	if (!err)
		update_record_read(in);
	return err;
}

/* Forget what was handed out in this stop. */
static void forget_stop(struct inspect *in)
{
	in->n_old_frames = in->n_frames;
	in->n_scopes = 0;
	view_cache_clear(in->views);
	in->last = value_absent(NULL, WHY_NONE, 0);
	in->returned = (struct returned){0};
	in->returned_value = in->last;
	history_stop(in->history, in->returns);
}

void inspect_runtime_gone(struct inspect *in)
{
	forget_stop(in);
	inspect_ids_forget(in);
	vm_close(in);
	values_destroy(in->values);
	in->values = NULL;
	if (in->stack) {
		stack_set_types(in->stack, NULL);
		stack_set_runtime(in->stack, NULL, NULL);
	}
	code_destroy(in->code);
	in->code = NULL;
	dac_close(in->dac);
	in->dac = NULL;
}

void inspect_end(struct inspect *in)
{
	inspect_runtime_gone(in);
	stack_destroy(in->stack);
	in->stack = NULL;
	in->target = NULL;
	in->stopped = false;
	in->returns = false;
	in->stop_number++;
	inspect_ids_forget(in);
}

/* ---- Stops ----------------------------------------------------------- */

void inspect_stop(struct inspect *in)
{
	if (in->stopped)
		return;
	in->stopped = true;
	in->interrupted = 0;
	in->exception = 0;
	in->class_runs = (struct class_runs){0};
	arena_reset(in->arena);
	in->stop_number++;
	if (in->dac)
		dac_flush(in->dac);
	stack_reset(in->stack, in->arena);
	forget_stop(in);
	if (!in->returns)
		inspect_ids_forget(in);
	if (in->values)
		vm_renew(in);
}

void inspect_go(struct inspect *in)
{
	in->stopped = false;
}
