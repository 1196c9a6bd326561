/* Calls into the machine for views; see interpret.h. */
#include "view/interpret.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	SIZE_MAX_ARG = 1024, // bytes of a struct that is handed over
	ARGS_MAX = 2,
};

static const struct vm_budget one_of_many = {.instructions = 5000000,
					     .memory = 64 << 20,
					     .depth = 2000,
					     .ms = 250,
					     .keeps = true};
static const struct vm_budget of_rows = {.keeps = true};

/* ---- Values into the machine ----------------------------------------- */

static uint64_t put_word(struct vm *vm, uint64_t word)
{
	uint64_t at = vm_room(vm, sizeof(word));
	return at && vm_write(vm, at, &word, sizeof(word)) ? at : 0;
}

/* The bytes of a struct or primitive, where the machine can reach them. */
static uint64_t put_bytes(const struct view *w, struct type *type,
			  const struct value *v)
{
	const struct type_layout *layout;
	uint8_t bytes[SIZE_MAX_ARG];
	if (v->where == VALUE_MEMORY)
		return v->addr;
	if (dbg_err_drop(type_layout(vm_types(w->vm), type, &layout)) ||
	    layout->size > sizeof(bytes) ||
	    !value_read(w->values, v, 0, bytes, layout->size))
		return 0;
	uint64_t at = vm_room(w->vm, layout->size + 8);
	return at && vm_write(w->vm, at, bytes, layout->size) ? at : 0;
}

static uint64_t put_box(const struct view *w, struct type *type,
			const struct value *v)
{
	const struct type_layout *layout;
	uint8_t bytes[SIZE_MAX_ARG];
	if (dbg_err_drop(type_layout(vm_types(w->vm), type, &layout)) ||
	    layout->size > sizeof(bytes) ||
	    !value_read(w->values, v, 0, bytes, layout->size))
		return 0;
	uint64_t box = vm_new(w->vm, type);
	if (!box || !vm_write(w->vm, box + 8, bytes, layout->size))
		return 0;
	return put_word(w->vm, box);
}

/* A place that holds @v for a parameter of type @to (NULL: `this`); 0: none. */
static uint64_t argument_put(const struct view *w, const struct type *to,
			     const struct value *v)
{
	uint64_t object;
	struct type *type = value_type_exact(v->type);
	if (!type || v->where == VALUE_ABSENT)
		return 0;
	if (v->where == VALUE_TEXT) {
		object = vm_new_string(w->vm, v->units, v->n_units);
		return object ? put_word(w->vm, object) : 0;
	}
	if (!type->is_reference)
		return to && to->is_reference ? put_box(w, type, v)
					      : put_bytes(w, type, v);
	return value_pointer(w->values, v, &object) ? put_word(w->vm, object)
						    : 0;
}

/* ---- Executing ------------------------------------------------------- */

static void outcome_fail(const struct view *w, struct dbg_error *err,
			 struct outcome *ret)
{
	ret->why = arena_strdup(w->arena, err ? err->message : "it has no end");
	dbg_error_destroy(err);
}

static void run(const struct view *w, struct type_method *m,
		const struct vm_value *args, size_t n,
		const struct vm_budget *budget, struct outcome *ret)
{
	struct vm_result r = {0};
	struct types *ts = vm_types(w->vm);
	memset(ret, 0, sizeof(*ret));
	ret->value = value_absent(NULL, WHY_NONE, 0);
	vm_set_thread(w->vm, w->thread);
	struct dbg_error *err = vm_begin(w->vm, m, args, n, budget);
	if (err) {
		outcome_fail(w, err, ret);
		return;
	}
	vm_run(w->vm, 0, &r);
	ret->spent = r.state == VM_SPENT || r.state == VM_MORE;
	ret->thrown = r.state == VM_THROWN;
	ret->refused = r.state == VM_CALL || r.state == VM_REFUSED;
	if (r.state != VM_DONE && r.state != VM_THROWN) {
		outcome_fail(w, r.error, ret);
		return;
	}
	if (r.value.type->elem == ELEM_VOID)
		return;
	struct type *type = value_type_closed(r.value.type);
	if (!type) {
		ret->why = arena_printf(w->arena, "type '%s' is not known",
					type_name(ts, r.value.type));
		return;
	}
	ret->value = value_memory(type, r.value.addr);
	ret->value.fixed = true;
}

static void unreadable(struct outcome *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->value = value_absent(NULL, WHY_NONE, 0);
	ret->why = "the object cannot be read";
}

void interpret_call(const struct view *w, struct type_method *m,
		    const struct value *self, struct outcome *ret)
{
	struct vm_value arg = {.type = value_type_exact(self->type)};
	// a struct that a method of its base is called on has to be boxed
	const struct type *owner = m->owner;
	arg.addr = argument_put(w, owner->is_value ? NULL : owner, self);
	if (arg.addr)
		run(w, m, &arg, 1, &one_of_many, ret);
	else
		unreadable(ret);
}

void interpret_static(const struct view *w, struct type_method *m,
		      struct outcome *ret)
{
	run(w, m, NULL, 0, &one_of_many, ret);
}

void interpret_new(const struct view *w, struct type_method *constructor,
		   const struct value *v, struct outcome *ret)
{
	struct vm_value args[ARGS_MAX];
	struct types *ts = vm_types(w->vm);
	const struct type_sig *sig;
	uint64_t object = vm_new(w->vm, constructor->owner);
	unreadable(ret);
	if (!object || dbg_err_drop(type_method_sig(ts, constructor, &sig)) ||
	    sig->n_params != 1)
		return;
	args[0].type = constructor->owner;
	args[0].addr = put_word(w->vm, object);
	args[1].type = sig->params[0];
	args[1].addr = argument_put(w, sig->params[0], v);
	if (!args[0].addr || !args[1].addr)
		return;
	run(w, constructor, args, ARGS_MAX, &of_rows, ret);
	if (!ret->why && !ret->thrown)
		ret->value = value_object(w->values, object);
}
