/*
 * The machine's life: made and destroyed, one execution begun, run in slices
 * and ended, its limits (instructions, memory, depth, time), marks of the heap.
 * vm.h has the model.
 */
#include "il/vm.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "il/machine/literaltext.h"
#include "il/machine/ops.h"
#include "il/machine/space.h"

enum {
	CHUNK = 20000, // operations between two looks at the clock
	DEFAULT_INSTRUCTIONS = 50000000,
	DEFAULT_MEMORY = 64 << 20,
	DEFAULT_DEPTH = 10000,
	DEFAULT_MS = 2000,
};

/* ---- The machine ------------------------------------------------------- */

struct vm *vm_create(struct values *types)
{
	struct vm *vm = xcalloc(1, sizeof(*vm));
	vm->values = types;
	vm->ts = values_types(types);
	vm->arena = arena_create();
	vm->scratch = arena_create();
	vm->dynamic = arena_create();
	vm->epoch = 1;
	return vm;
}

void vm_destroy(struct vm *vm)
{
	if (!vm)
		return;
	space_destroy(vm);
	map_deinit(&vm->sites);
	map_deinit(&vm->literals);
	map_clear_free(&vm->classes);
	map_deinit(&vm->classes);
	map_clear_free(&vm->statics);
	map_deinit(&vm->statics);
	map_deinit(&vm->lates);
	map_deinit(&vm->objects);
	map_deinit(&vm->entries);
	map_deinit(&vm->entry_of);
	map_deinit(&vm->dynamics);
	free(vm->frames);
	dbg_error_destroy(vm->error);
	arena_destroy(vm->arena);
	arena_destroy(vm->scratch);
	arena_destroy(vm->dynamic);
	free(vm);
}

void vm_stop(struct vm *vm)
{
	vm->n_frames = 0;
	vm->filter = NULL;
	vm->ip = NULL;
	// it may have read without having executed anything
	space_forget(vm, true);
	if (vm->base)
		allocate_clear(vm);
	map_clear(&vm->objects);
	map_clear_free(&vm->classes);
	map_clear_free(&vm->statics);
	map_clear(&vm->dynamics);
	literals_forget(vm);
	map_clear(&vm->lates);
	arena_reset(vm->dynamic);
}

void vm_forget(struct vm *vm)
{
	if (!vm)
		return;
	if (vm->keeps)
		space_clean(vm);
	space_forget(vm, false);
	literals_forget(vm);
	map_clear(&vm->dynamics);
}

void vm_set_thread(struct vm *vm, struct thread_ref *thread)
{
	vm->thread = thread;
}

void vm_set_calls(struct vm *vm, enum vm_calls which, const uint32_t *numbers,
		  size_t n)
{
	vm->calls = which;
	vm->chosen = numbers;
	vm->n_chosen = n;
	vm->n_outer = 0;
	vm->outer = NULL;
	vm->outer_opens = false;
}

bool vm_named_texts(const struct vm *vm)
{
	return vm->named_texts;
}

uint32_t vm_outer_calls(const struct vm *vm)
{
	return vm->n_outer + vm->outer_opens;
}

bool vm_in_outer_call(const struct vm *vm)
{
	const struct frame *called = NULL;
	for (size_t k = vm->n_frames; k--; called = &vm->frames[k]) {
		if (!frame_is_expression(&vm->frames[k]))
			continue;
		// an initialiser returns to what began it, which may be behind
		if (!called || called->cctor)
			return vm->outer_opens ||
			       (!called && vm->outer == vm->refused);
		return vm->outer == vm->frames[k].ip;
	}
	return true;
}

struct types *vm_types(struct vm *vm)
{
	return vm->ts;
}

/* ---- Executing --------------------------------------------------------- */

static void set_budget(struct vm *vm, const struct vm_budget *budget)
{
	vm->budget = budget ? *budget : (struct vm_budget){0};
	if (!vm->budget.instructions)
		vm->budget.instructions = DEFAULT_INSTRUCTIONS;
	if (!vm->budget.memory)
		vm->budget.memory = DEFAULT_MEMORY;
	if (!vm->budget.depth)
		vm->budget.depth = DEFAULT_DEPTH;
	if (!vm->budget.ms)
		vm->budget.ms = DEFAULT_MS;
}

static void fresh_budget(struct vm *vm)
{
	vm->left = vm->budget.instructions;
	vm->allocated = 0;
	// most end before the clock is looked at, which is a system call
	vm->cpu_start = 0;
}

/*
 * Make the outermost code of an execution: it calls the method, then returns.
 */
static struct compiled *outermost(struct vm *vm, struct site *s)
{
	struct compiled *code = arena_alloc(vm->scratch, sizeof(*code));
	code->method = NULL;
	code->ops = arena_calloc(vm->scratch, 2, sizeof(code->ops[0]));
	code->n_ops = 2;
	code->size = s->args_size + s->ret_size + 8;
	code->clear = code->size;
	code->ops[0] = (struct op){.fn = op_call, .x.site = s};
	code->ops[1] = (struct op){.fn = op_return, .n = s->ret_size};
	return code;
}

static struct dbg_error *put_args(struct vm *vm, struct site *s,
				  const struct vm_value *args, size_t n)
{
	uint32_t at = 0, size;
	size_t first = s->sig->has_this ? 1 : 0, k = first;
	if (n != s->sig->n_params + first)
		return dbg_err(DBG_E_ARGUMENT, "'%s' takes %zu arguments",
			       method_text(vm, s->method), s->sig->n_params);
	if (s->sig->has_this) {
		struct type *owner = s->method->owner;
		if (owner && owner->is_value)
			put_u8(vm->fp, args[0].addr);
		else if (!vm_read(vm, args[0].addr, vm->fp, 8))
			return dbg_err(DBG_E_MEMORY, "'this' cannot be read");
		at = 8;
	}
	for (; k < n; k++) {
		const struct type_layout *layout;
		struct type *type = s->sig->params[k - first];
		struct dbg_error *err = place_size(vm, type, &size);
		if (!err)
			err = type_layout(vm->ts, type, &layout);
		if (err)
			return err;
		if (!vm_read(vm, args[k].addr, vm->fp + at, layout->size))
			return dbg_err(DBG_E_MEMORY,
				       "an argument cannot be read");
		at += size;
	}
	return NULL;
}

/*
 * Prepare the memory of an execution. Writes by views (@keeps) stay for later
 * views, unless the last view did not finish and left its work half done; every
 * other execution begins without writes.
 */
static void begin_space(struct vm *vm, bool keeps)
{
	if (vm->keeps && vm->state != VM_DONE)
		space_clean(vm);
	if (keeps && !vm->keeps)
		space_take_back(vm);
	else if (!keeps && vm->keeps)
		space_put_aside(vm);
	else if (!keeps)
		space_clean(vm);
	vm->keeps = keeps;
}

struct dbg_error *vm_begin(struct vm *vm, struct type_method *method,
			   const struct vm_value *args, size_t n,
			   const struct vm_budget *budget)
{
	struct site *s;
	if (!vm->base && !space_create(vm))
		return dbg_err(DBG_E_STATE, "no memory to evaluate in");
	execution_drop(vm);
	vm->ip = NULL;
	vm->local_top = REGION_STACK;
	vm->named_texts = false;
	vm->thrown = vm->thread_object = 0;
	dbg_error_destroy(vm->error);
	vm->error = NULL;
	begin_space(vm, budget && budget->keeps);
	arena_reset(vm->scratch);
	set_budget(vm, budget);
	fresh_budget(vm);
	struct dbg_error *err = site_of(vm, method, &s);
	if (err)
		return err;
	vm->ret = vm_room(vm, s->ret_size + 8) - VM_FIRST;
	vm->ip = frame_push(vm, outermost(vm, s), 0, vm->ret, NULL);
	if (!vm->ip)
		return dbg_err(DBG_E_UNSUPPORTED, "too many arguments");
	err = put_args(vm, s, args, n);
	if (err)
		vm->ip = NULL;
	vm->result_type = s->sig->ret;
	return err;
}

/* Since the end of the execution's first chunk. */
static uint64_t spent_ms(struct vm *vm)
{
	uint64_t now = clock_used_ns() / 1000000;

	if (!vm->cpu_start)
		vm->cpu_start = now;
	return now - vm->cpu_start;
}

/* Execute up to @n operations; false: it ended, vm->state says how. */
static bool run_chunk(struct vm *vm, uint64_t n)
{
	const struct op *i = vm->ip;
	vm->ip = NULL;
	vm->fuel = n;
	while (i && vm->fuel) {
		vm->fuel--;
		i = i->fn(vm, i, vm->fp);
	}
	uint64_t used = n - vm->fuel;
	vm->left -= used < vm->left ? used : vm->left;
	if (!i)
		return false;
	vm->ip = i;
	if (!vm->left)
		vm_spent(vm, i, "too many instructions");
	else if (spent_ms(vm) > vm->budget.ms)
		vm_spent(vm, i, "it takes too long");
	else if (vm->allocated > vm->budget.memory)
		vm_spent(vm, i, "it wants too much memory");
	else
		return true;
	return false;
}

static void fill_result(struct vm *vm, struct vm_result *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->state = vm->state;
	if (vm->state == VM_DONE) {
		ret->value.type = vm->result_type;
		ret->value.addr = VM_FIRST + vm->ret;
	} else if (vm->state == VM_THROWN) {
		put_u8(vm->base + vm->ret, vm->thrown);
		ret->value.type = object_type(vm, vm->thrown);
		ret->value.addr = VM_FIRST + vm->ret;
	} else if (vm->state != VM_MORE) {
		ret->method = vm->call;
		ret->args = vm->call_args;
		ret->n_args = vm->state == VM_CALL ? vm->n_call_args : 0;
		ret->error = vm->error;
		vm->error = NULL;
	}
}

void vm_run(struct vm *vm, uint64_t slice, struct vm_result *ret)
{
	if (vm->state == VM_SPENT)
		fresh_budget(vm);
	vm->call = NULL;
	vm->state = VM_MORE;
	if (!vm->ip) {
		vm_refuse(vm, NULL,
			  dbg_err(DBG_E_STATE, "nothing is to be evaluated"));
		fill_result(vm, ret);
		return;
	}
	uint64_t all = slice ? slice : UINT64_MAX;
	while (all) {
		uint64_t n = all < CHUNK ? all : CHUNK;
		if (!run_chunk(vm, n))
			break;
		all -= n;
	}
	fill_result(vm, ret);
}

void vm_answer(struct vm *vm, const void *value, uint64_t exception)
{
	if (vm->state != VM_CALL || !vm->ip)
		return;
	space_forget(vm, false);
	if (exception) {
		vm->ip = throw_object(vm, vm->ip - 1, exception);
		return;
	}
	if (vm->call_size)
		memcpy(vm->base + vm->call_ret, value, vm->call_size);
}
