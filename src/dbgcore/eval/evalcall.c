/*
 * The machine's calls that are to be made in the program: answered, if they
 * have been made, or written down with their arguments.
 */
#include "eval/evalcall.h"
#include "dac/objectlayout.h"
#include "eval/invoke.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "stack/stack.h"
#include "target/target.h"

/* ---- Objects of the interpreter's that the program is given -------------- */

enum {
	WORD = 8,
	UNITS_MAX = 1 << 20,
	BASE_SIZE_BEYOND = 16, // fields: the header, the MethodTable
	BASE_SIZE_MIN = 24,
};

static struct dbg_error *want_string(const struct eval *e, uint64_t addr)
{
	struct eval_calls *calls = e->calls;
	uint32_t n = 0;

	if (!vm_read(e->vm, addr + STRING_LENGTH, &n, sizeof(n)) ||
	    n > UNITS_MAX)
		return dbg_err(DBG_E_UNSUPPORTED, "the string is too long");
	uint16_t *units = arena_calloc(e->arena, n + 1, sizeof(*units));
	if (!vm_read(e->vm, addr + STRING_CHARS, units, n * sizeof(*units)))
		return dbg_err(DBG_E_MEMORY, "a string cannot be read");
	calls->want = EVAL_WANT_STRING;
	calls->units = units;
	calls->n_units = n;
	return NULL;
}

static struct dbg_error *want(const struct eval *e, const struct vm_own *o)
{
	if (!o->size && o->type->special == TYPE_SPECIAL_STRING)
		return want_string(e, o->addr);
	e->calls->want = o->shown ? EVAL_WANT_TYPE : EVAL_WANT_OBJECT;
	e->calls->type = o->shown ? o->shown : o->type;
	e->calls->n_units = o->n;
	return NULL;
}

uint64_t given_copy(const struct eval *e, const struct vm_graph *g,
		    uint64_t addr)
{
	for (size_t i = 0; i < g->n && i < e->calls->n_given; i++)
		if (g->v[i].addr == addr)
			return e->calls->given[i];
	return 0;
}

/* Is the program's object at @addr what the interpreter takes it for? */
static bool is_like(const struct eval *e, const struct vm_own *o, uint64_t addr)
{
	struct target *t = values_target(e->values);
	const struct dac_type *type;
	uint64_t mt = 0;
	uint32_t size = o->size + BASE_SIZE_BEYOND;

	if (dbg_err_drop(target_read_u64(t, addr, &mt)) ||
	    type_of_handle(vm_types(e->vm), mt) != o->type ||
	    dbg_err_drop(dac_type_get(values_dac(e->values), mt, &type)))
		return false;
	size = (size + WORD - 1) / WORD * WORD;
	return o->type->kind == TYPE_KIND_ARRAY ||
	       type->base_size == (size < BASE_SIZE_MIN ? BASE_SIZE_MIN : size);
}

static bool has_references(const struct eval *e, struct type *type)
{
	const struct type_layout *layout;
	struct type *of = type->kind == TYPE_KIND_ARRAY ? type->inner : type;

	return dbg_err_drop(type_layout(vm_types(e->vm), of, &layout)) ||
	       layout->has_refs;
}

/* Tell the collector of the references among the words at @addr. */
static struct dbg_error *tell(const struct eval *e, uint64_t addr,
			      const uint8_t *bytes, uint32_t n)
{
	struct dac *dac = values_dac(e->values);
	pid_t tid = e->scope->frame->tid;
	struct dbg_error *err = NULL;

	for (uint32_t at = 0; !err && at + WORD <= n; at += WORD) {
		uint64_t word;
		bool is_object = false;

		memcpy(&word, bytes + at, sizeof(word));
		if (word && word % WORD == 0)
			err = dac_heap_holds(dac, tid, word, &is_object);
		if (!err && is_object)
			err = dac_heap_store(dac, tid, addr + at, word);
	}
	return err;
}

/* Write the @n bytes of a @type at @addr, which is the program's. */
static struct dbg_error *given_write(const struct eval *e, struct type *type,
				     uint64_t addr, const uint8_t *bytes,
				     uint32_t n)
{
	bool in_heap = false;
	// not while the collector is at work
	struct dbg_error *err = dac_heap_holds(
	    values_dac(e->values), e->scope->frame->tid, addr, &in_heap);

	if (!err)
		err = target_write(values_target(e->values), addr, bytes, n);
	return err || !in_heap || !has_references(e, type)
		   ? err
		   : tell(e, addr, bytes, n);
}

static struct dbg_error *object_fill(const struct eval *e,
				     const struct vm_graph *g,
				     const struct vm_own *o, uint64_t addr)
{
	uint8_t *bytes = arena_calloc(e->arena, o->size + WORD, 1);

	if (!is_like(e, o, addr))
		return dbg_err(DBG_E_STATE,
			       "the program's '%s' is not as the debugger has "
			       "it: it cannot be given one",
			       type_name(vm_types(e->vm), o->type));
	if (!vm_read(e->vm, o->addr + WORD, bytes, o->size))
		return dbg_err(DBG_E_MEMORY, "an argument cannot be read");
	for (uint32_t at = 0; at + WORD <= o->size; at += WORD) {
		uint64_t word, copy;

		memcpy(&word, bytes + at, sizeof(word));
		copy = vm_owns(e->vm, word) ? given_copy(e, g, word) : word;
		memcpy(bytes + at, &copy, sizeof(copy));
	}
	return given_write(e, o->type, addr + WORD, bytes, o->size);
}

struct dbg_error *given_make(const struct eval *e, const struct vm_graph *g)
{
	struct eval_calls *calls = e->calls;
	struct dbg_error *err = NULL;

	if (g->n > calls->n_given)
		return want(e, &g->v[calls->n_given]);
	for (size_t i = 0; !err && i < g->n; i++)
		if (g->v[i].size)
			err = object_fill(e, g, &g->v[i], calls->given[i]);
	return err;
}

/* ---- Invocations ----------------------------------------------------- */

/* Calls by the program's reflection. */

enum {
	DO_NOT_WRAP_EXCEPTIONS = 0x2000000, /* BindingFlags */
	PARAM_IN = 1,
	PARAM_OUT = 2,
};

/* ---- Is it needed? --------------------------------------------------- */

/* Does Invoke, which calls virtually, come to the method itself? */
static bool is_reached(const struct eval *e, const struct vm_result *r)
{
	const struct type_method *m = r->method;
	struct type_method *runs;
	uint64_t object, handle;

	if (!(m->flags & TYPE_METHOD_VIRTUAL) ||
	    m->flags & TYPE_METHOD_STATIC || m->owner->is_value)
		return true;
	if (!vm_read(e->vm, r->args[0].addr, &object, WORD) ||
	    !vm_read(e->vm, object, &handle, WORD))
		return false;
	struct type *type = type_of_handle(vm_types(e->vm), handle);
	return type &&
	       !dbg_err_drop(type_method_virtual(vm_types(e->vm), r->method,
						 type, &runs)) &&
	       runs->module == m->module && runs->token == m->token;
}

/* Does what is returned go into registers, and can be followed from there? */
static bool returns_in_registers(const struct eval *e, struct type *type)
{
	const struct type_layout *layout;

	if (type->elem == ELEM_VOID || type->is_reference)
		return true;
	if (type->kind == TYPE_KIND_BYREF)
		return false;
	if (dbg_err_drop(type_layout(vm_types(e->vm), type, &layout)))
		return true;
	if (layout->size > EVAL_ANSWER_MAX)
		return false;
	struct type *value = value_type_closed(type);
	return !value ||
	       value_returned_moved(e->values, value) != VALUE_MOVED_OTHER;
}

static bool takes_registers(const struct eval *e, const struct type_sig *sig)
{
	static const uint8_t zeros[EVAL_ANSWER_MAX];
	struct regs regs = {0};
	struct fpregs fpregs = {0};
	struct passing p = {.regs = &regs, .fpregs = &fpregs};
	bool fits = !sig->has_this || value_pass_word(&p, 0);

	for (size_t i = 0; fits && i < sig->n_params; i++) {
		struct type *type = sig->params[i];
		struct type *value =
		    type->is_value ? value_type_closed(type) : NULL;

		fits = value ? value_pass(e->values, value, zeros, &p)
			     : value_pass_word(&p, 0);
	}
	return fits;
}

/*
 * Is an argument the address of a variable that exists only in the interpreter?
 */
static bool takes_own_place(const struct eval *e, const struct vm_result *r)
{
	bool has_this = !(r->method->flags & TYPE_METHOD_STATIC);

	for (size_t i = 0; i < r->n_args; i++) {
		bool is_this = !i && has_this;
		uint64_t addr;

		if ((is_this ? r->method->owner->is_value
			     : r->args[i].type->kind == TYPE_KIND_BYREF) &&
		    vm_read(e->vm, r->args[i].addr, &addr, sizeof(addr)) &&
		    vm_owns(e->vm, addr))
			return true;
	}
	return false;
}

/*
 * Does the entry point that the runtime gives out for @m expect `this` as a
 * box?
 */
static bool has_boxed_entry(const struct type_method *m)
{
	return m->owner && m->owner->is_value &&
	       m->flags & TYPE_METHOD_VIRTUAL &&
	       (m->n_args || m->owner->n_args);
}

/*
 * Is the call that the machine waits for one of those, and can be made so?
 * *ret_by_address: not with boxes.
 */
static bool invoke_is_needed(const struct eval *e, const struct vm_result *r,
			     bool *ret_by_address)
{
	const struct type_sig *sig;

	*ret_by_address = false;
	if (dbg_err_drop(type_method_sig(vm_types(e->vm), r->method, &sig)) ||
	    (!has_boxed_entry(r->method) && takes_registers(e, sig) &&
	     returns_in_registers(e, sig->ret) && !takes_own_place(e, r)))
		return false;
	if (type_method_boxes(r->method, sig))
		return is_reached(e, r);
	*ret_by_address = !takes_registers(e, sig) &&
			  type_method_boxes_result(r->method, sig) &&
			  !(sig->has_this && r->method->owner->is_value) &&
			  is_reached(e, r);
	return *ret_by_address;
}

/* ---- Arguments --------------------------------------------------------- */

static struct dbg_error *no_box(void)
{
	return dbg_err(DBG_E_MEMORY, "an argument cannot be read");
}

static struct dbg_error *no_room(void)
{
	return dbg_err(DBG_E_UNSUPPORTED, "it wants too much memory");
}

/* Get the parts of a Nullable<T> at @addr; false: it has no value. */
static bool nullable_parts(const struct eval *e, struct type *type,
			   uint64_t addr, uint64_t *ret_has, uint64_t *ret)
{
	struct types *ts = vm_types(e->vm);
	struct type_field *has = NULL, *value = NULL;
	uint32_t has_at, value_at;

	if (dbg_err_drop(type_field_find(ts, type, "hasValue", &has)) ||
	    dbg_err_drop(type_field_find(ts, type, "value", &value)) || !has ||
	    !value || dbg_err_drop(type_field_offset(ts, has, &has_at)) ||
	    dbg_err_drop(type_field_offset(ts, value, &value_at)))
		return false;
	*ret_has = addr + has_at;
	*ret = addr + value_at;
	return true;
}

/* Get the value of @type at @addr as an object: its box. */
static struct dbg_error *box(const struct eval *e, struct type *type,
			     uint64_t addr, uint64_t *ret)
{
	const struct type_layout *layout;
	uint64_t has_at;
	bool has = true;
	struct dbg_error *err;

	*ret = 0;
	if (type->is_reference)
		return vm_read(e->vm, addr, ret, WORD) ? NULL : no_box();
	if (type->special == TYPE_SPECIAL_NULLABLE) {
		if (!nullable_parts(e, type, addr, &has_at, &addr) ||
		    !vm_read(e->vm, has_at, &has, sizeof(has)))
			return no_box();
		type = type->args[0];
	}
	err = has ? type_layout(vm_types(e->vm), type, &layout) : NULL;
	if (err || !has)
		return err;
	uint8_t *bytes = arena_calloc(e->scratch, layout->size + WORD, 1);
	*ret = vm_new(e->vm, type);
	if (!*ret)
		return no_room();
	return vm_read(e->vm, addr, bytes, layout->size) &&
		       vm_write(e->vm, *ret + WORD, bytes, layout->size)
		   ? NULL
		   : no_box();
}

/* Does the call write to what parameter @i leads to? */
static bool is_written(const struct type_method *m, size_t i,
		       const struct type *type)
{
	struct type_param param;

	if (type->kind != TYPE_KIND_BYREF)
		return false;
	type_method_param(m, (uint32_t)i, &param);
	return (param.flags & (PARAM_IN | PARAM_OUT)) != PARAM_IN;
}

/* Box an argument, or what a by-ref argument refers to. */
static struct dbg_error *box_argument(const struct eval *e,
				      const struct vm_value *v, uint64_t *ret)
{
	uint64_t addr = v->addr;

	if (v->type->kind != TYPE_KIND_BYREF)
		return box(e, v->type, addr, ret);
	return vm_read(e->vm, addr, &addr, sizeof(addr))
		   ? box(e, v->type->inner, addr, ret)
		   : no_box();
}

static struct dbg_error *array(const struct eval *e, const struct vm_result *r,
			       size_t first, uint64_t *ret)
{
	struct types *ts = vm_types(e->vm);
	uint64_t n = r->n_args - first;
	struct dbg_error *err = NULL;

	*ret = n ? vm_new_array(
		       e->vm, type_vector(ts, type_of_elem(ts, ELEM_OBJECT)), n)
		 : 0;
	if (n && !*ret)
		return no_room();
	for (uint64_t i = 0; !err && i < n; i++) {
		uint64_t object;

		err = box_argument(e, &r->args[first + i], &object);
		e->calls->writes_args |=
		    is_written(r->method, i, r->args[first + i].type);
		if (!err && !vm_write(e->vm, *ret + ARRAY_DATA + i * WORD,
				      &object, sizeof(object)))
			err = no_box();
	}
	return err;
}

/*
 * Write the arguments of Invoke for that call to @e's calls; the first, the
 * method's reflection object, is left 0. Objects that only the interpreter has
 * are added to @g.
 */
static struct dbg_error *invoke_write_down(const struct eval *e,
					   const struct vm_result *r,
					   struct vm_graph *g)
{
	struct eval_calls *calls = e->calls;
	bool has_this = !(r->method->flags & TYPE_METHOD_STATIC);
	uint64_t words[INVOKE_ARGS] = {[INVOKE_FLAGS] = DO_NOT_WRAP_EXCEPTIONS};
	uint64_t *object = &words[INVOKE_OBJECT];
	struct dbg_error *err = NULL;

	calls->boxes_this = has_this && r->method->owner->is_value;
	calls->writes_args = false;
	if (has_this && !vm_read(e->vm, r->args[0].addr, object, WORD))
		return no_box();
	if (calls->boxes_this)
		err = box(e, r->method->owner, *object, object);
	if (!err)
		err = array(e, r, has_this, &words[INVOKE_ARRAY]);
	calls->n_args = INVOKE_ARGS;
	for (size_t i = 0; !err && i < INVOKE_ARGS; i++) {
		calls->args[i] = (struct eval_argument){0};
		memcpy(calls->args[i].bytes, &words[i], WORD);
		if (vm_owns(e->vm, words[i]) &&
		    !vm_graph_add(e->vm, g, words[i]))
			err = dbg_err(DBG_E_UNSUPPORTED,
				      "an argument leads to an object that "
				      "only the debugger can have, such as a "
				      "delegate");
	}
	return err;
}

/* ---- What is returned -------------------------------------------------- */

static struct dbg_error *not_read(const struct eval *e,
				  const struct vm_result *r)
{
	return dbg_err(DBG_E_MEMORY, "what '%s' has returned cannot be read",
		       type_method_name(vm_types(e->vm), r->method));
}

/* The value of @type that @object is the box of, to @to. */
static bool unbox(const struct eval *e, struct type *type, uint32_t size,
		  uint64_t object, uint8_t *to)
{
	const struct type_layout *layout;
	uint64_t has, value;

	if (type->is_reference) {
		memcpy(to, &object, sizeof(object));
		return true;
	}
	if (type->special != TYPE_SPECIAL_NULLABLE)
		return vm_read(e->vm, object + WORD, to, size);
	if (!object)
		return true;
	if (!nullable_parts(e, type, 0, &has, &value) ||
	    dbg_err_drop(
		type_layout(vm_types(e->vm), type->args[0], &layout)) ||
	    value + layout->size > size || has >= size)
		return false;
	to[has] = true;
	return vm_read(e->vm, object + WORD, to + value, layout->size);
}

/*
 * Copy the contents of the box @object, which the call may have changed, back
 * to @place: once in the program, and in each run of the interpreter where it
 * has its own copy of those bytes.
 */
static struct dbg_error *write_back(const struct eval *e,
				    const struct vm_result *r,
				    struct type *type, uint64_t place,
				    uint64_t object)
{
	const struct eval_answer *a = &e->calls->answers[e->calls->n_used - 1];
	const struct type_layout *layout;
	uint64_t addr;
	uint32_t size = WORD;
	struct dbg_error *err = NULL;

	if (!type->is_reference) {
		err = type_layout(vm_types(e->vm), type, &layout);
		if (err)
			return err;
		size = layout->size;
	}
	uint8_t *now = arena_calloc(e->scratch, 2 * size + 1, 1);
	uint8_t *old = now + size;
	if (!vm_read(e->vm, place, &addr, sizeof(addr)) ||
	    !vm_read(e->vm, addr, old, size) ||
	    !unbox(e, type, size, object, now))
		return not_read(e, r);
	if (!memcmp(now, old, size))
		return NULL;
	vm_overwrite(e->vm, addr, now, size);
	return a->is_written || vm_owns(e->vm, addr)
		   ? NULL
		   : given_write(e, type, addr, now, size);
}

/* ... the targets of by-ref arguments. */
static struct dbg_error *write_args(const struct eval *e,
				    const struct vm_result *r, uint64_t array)
{
	bool has_this = !(r->method->flags & TYPE_METHOD_STATIC);
	struct dbg_error *err = NULL;

	for (size_t i = has_this; !err && i < r->n_args; i++) {
		const struct vm_value *v = &r->args[i];
		uint64_t at = array + ARRAY_DATA + (i - has_this) * WORD;
		uint64_t object;

		if (!is_written(r->method, i - has_this, v->type))
			continue;
		err = vm_read(e->vm, at, &object, sizeof(object))
			  ? write_back(e, r, v->type->inner, v->addr, object)
			  : not_read(e, r);
	}
	return err;
}

/*
 * Take the answer of MethodBase.Invoke: the bytes of the returned value, in
 * e->arena. The boxed receiver, if it is a structure, and by-ref arguments are
 * written back to their places.
 */
static struct dbg_error *invoke_answer(const struct eval *e,
				       const struct vm_result *r,
				       struct eval_answer *a, const void **ret)
{
	const struct type_layout *layout;
	const struct type_sig *sig;
	uint64_t object, place;
	struct dbg_error *err =
	    type_method_sig(vm_types(e->vm), r->method, &sig);

	*ret = NULL;
	if (!err && a->receiver)
		err = write_back(e, r, r->method->owner, r->args[0].addr,
				 a->receiver);
	if (!err && a->array)
		err = write_args(e, r, a->array);
	a->is_written = true;
	if (err || sig->ret->elem == ELEM_VOID)
		return err;
	struct type *type =
	    sig->ret->kind == TYPE_KIND_BYREF ? sig->ret->inner : sig->ret;
	err = type_layout(vm_types(e->vm), type, &layout);
	if (err)
		return err;
	uint8_t *bytes = arena_calloc(e->arena, layout->size + 2 * WORD, 1);
	memcpy(&object, a->bytes, sizeof(object));
	if (!unbox(e, type, layout->size, object, bytes))
		return not_read(e, r);
	*ret = bytes;
	if (type == sig->ret)
		return NULL;
	place = vm_room(e->vm, layout->size + WORD);
	if (!place || !vm_write(e->vm, place, bytes, layout->size))
		return not_read(e, r);
	memcpy(bytes, &place, sizeof(place));
	return NULL;
}

/* ---- Calls ----------------------------------------------------------- */

/* Widen a returned small integer, as it is on the IL stack. */
static void widen(const struct type *type, uint8_t bytes[EVAL_ANSWER_MAX])
{
	int32_t wide;

	switch (type->elem) {
	case ELEM_I1:
		wide = (int8_t)bytes[0];
		break;
	case ELEM_BOOLEAN:
	case ELEM_U1:
		wide = bytes[0];
		break;
	case ELEM_I2:
		wide = (int16_t)(bytes[0] | bytes[1] << 8);
		break;
	case ELEM_CHAR:
	case ELEM_U2:
		wide = bytes[0] | bytes[1] << 8;
		break;
	default:
		return;
	}
	memcpy(bytes, &wide, sizeof(wide));
}

/*
 * Refuse a call through a function pointer that leads to no method of the
 * program: it would end the program.
 */
static struct dbg_error *function(const struct eval *e, uint64_t addr)
{
	if (!addr)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "an argument is a function pointer that is "
			       "null: a call by it would end the program");
	if (addr >= VM_FIRST)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "an argument is the address of a method as only "
			       "the debugger has it");
	if (!value_function_method(e->values, addr))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "an argument is a function pointer that leads "
			       "to no managed method: a call by it could end "
			       "the program");
	return NULL;
}

/* Is a word of the structure an address that only the machine has? */
static bool holds_own(const struct eval *e, const struct eval_argument *a)
{
	for (size_t at = 0; at < sizeof(a->bytes); at += WORD) {
		uint64_t word;

		memcpy(&word, a->bytes + at, sizeof(word));
		if (vm_owns(e->vm, word))
			return true;
	}
	return false;
}

/* Add to @g what only the machine has of @v. */
static struct dbg_error *argument(const struct eval *e,
				  const struct vm_value *v, bool is_this,
				  struct vm_graph *g, struct eval_argument *ret)
{
	bool word = is_this || v->type->is_reference || !v->type->is_value;
	const struct type_layout *layout;
	uint64_t addr;
	struct dbg_error *err = type_layout(vm_types(e->vm), v->type, &layout);

	if (err)
		return err;
	if (!word && layout->size > sizeof(ret->bytes))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "an argument of type '%s', which is larger than "
			       "two registers",
			       type_name(vm_types(e->vm), v->type));
	*ret = (struct eval_argument){.type = word ? NULL : v->type};
	if (!vm_read(e->vm, v->addr, ret->bytes, word ? 8 : layout->size))
		return dbg_err(DBG_E_MEMORY, "an argument cannot be read");
	if (!word && holds_own(e, ret))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "an argument of type '%s' leads to memory that "
			       "only the debugger has",
			       type_name(vm_types(e->vm), v->type));
	memcpy(&addr, ret->bytes, sizeof(addr));
	if (v->type->kind == TYPE_KIND_FUNCTION)
		return function(e, addr);
	ret->is_object = is_this ? !v->type->is_value : v->type->is_reference;
	ret->is_place = !is_this && v->type->kind == TYPE_KIND_BYREF;
	if (!word || !vm_owns(e->vm, addr))
		return NULL;
	if (ret->is_object && vm_graph_add(e->vm, g, addr))
		return NULL;
	return dbg_err(DBG_E_UNSUPPORTED,
		       "an argument leads to an object that only the debugger "
		       "can have, such as a delegate");
}

/* Put the program's copies in place of what only the machine has. */
static struct dbg_error *graph_replace(const struct eval *e,
				       const struct vm_graph *g)
{
	struct eval_calls *calls = e->calls;
	struct dbg_error *err = given_make(e, g);

	for (size_t i = 0; !err && i < calls->n_args; i++) {
		uint64_t addr;

		memcpy(&addr, calls->args[i].bytes, sizeof(addr));
		if (calls->args[i].type || !vm_owns(e->vm, addr))
			continue;
		addr = given_copy(e, g, addr);
		memcpy(calls->args[i].bytes, &addr, sizeof(addr));
	}
	return err;
}

/*
 * Nothing but objects themselves may lead into the heap from where the
 * collector does not look: those of @calls, whose arguments are given by their
 * addresses.
 */
static struct dbg_error *none_in_heap(const struct eval *e,
				      const struct vm_result *r)
{
	struct dbg_error *err = NULL;

	for (size_t i = 0; !err && i < r->n_args; i++) {
		const struct eval_argument *a = &e->calls->args[i];

		if (r->args[i].type->special == TYPE_SPECIAL_NULLABLE)
			return dbg_err(DBG_E_UNSUPPORTED,
				       "beside a span, a nullable argument "
				       "cannot be given");
		for (size_t at = 0;
		     !err && !a->is_object && at < sizeof(a->bytes);
		     at += WORD) {
			bool is_in = false;
			uint64_t word;

			memcpy(&word, a->bytes + at, sizeof(word));
			if (word)
				err = dac_heap_holds(values_dac(e->values),
						     e->scope->frame->tid, word,
						     &is_in);
			if (!err && is_in)
				err = dbg_err(
				    DBG_E_UNSUPPORTED,
				    "an argument of type '%s' leads into an "
				    "object, which a collection could move: "
				    "its arguments do not fit in registers",
				    type_name(vm_types(e->vm),
					      r->args[i].type));
		}
	}
	return err;
}

static struct dbg_error *write_down(const struct eval *e,
				    const struct vm_result *r)
{
	struct eval_calls *calls = e->calls;
	bool has_written = calls->has_written || vm_has_written(e->vm);
	struct vm_graph g = {0};
	struct dbg_error *err = NULL;

	if (!calls->chosen->all && has_written)
		return dbg_err(DBG_E_STATE,
			       "'%s' is called in the program, where it does "
			       "not see what the expression has written: "
			       "'call' makes all its calls there",
			       type_method_name(vm_types(e->vm), r->method));
	if (r->n_args > EVAL_ARGS_MAX)
		return dbg_err(DBG_E_UNSUPPORTED, "too many arguments");
	calls->method = r->method;
	calls->n_args = r->n_args;
	calls->want = EVAL_WANT_CALL;
	calls->invokes = invoke_is_needed(e, r, &calls->by_address);
	bool boxes = calls->invokes && !calls->by_address;
	if (boxes)
		err = invoke_write_down(e, r, &g);
	for (size_t i = 0; !err && !boxes && i < r->n_args; i++) {
		bool is_this = !i && !(r->method->flags & TYPE_METHOD_STATIC);

		err = argument(e, &r->args[i], is_this, &g, &calls->args[i]);
	}
	if (!err && calls->by_address)
		err = none_in_heap(e, r);
	if (!err)
		err = graph_replace(e, &g);
	if (err)
		calls->want = EVAL_WANT_NOTHING;
	return err;
}

/*
 * Give the answer to the call that the machine waits for. An error, if the
 * calls that were made have changed what the expression had read, and it goes
 * another way.
 */
static struct dbg_error *call_answer(const struct eval *e,
				     const struct vm_result *r)
{
	struct eval_calls *calls = e->calls;
	struct eval_answer *a = &calls->answers[calls->n_used];
	const struct type_method *m = r->method;
	const struct type_sig *sig;
	uint8_t place[EVAL_ANSWER_MAX];

	if (!m->module || m->module->addr != a->module || m->token != a->token)
		return evalcall_changed();
	calls->n_used++;
	if (a->is_boxed) {
		const void *bytes;
		struct dbg_error *err = invoke_answer(e, r, a, &bytes);

		if (!err)
			vm_answer(e->vm, bytes, 0);
		return err;
	}
	memcpy(place, a->bytes, sizeof(place));
	if (!dbg_err_drop(type_method_sig(vm_types(e->vm), r->method, &sig)))
		widen(sig->ret, place);
	vm_answer(e->vm, place, 0);
	return NULL;
}

static const char *const found_names[EVAL_FOUND_N] = {"old", "null", "new"};

bool evalcall_kept(const struct eval *e, enum eval_found what, struct value *v)
{
	const struct eval_kept *kept = e->calls ? e->calls->kept : NULL;

	if (!kept || !kept->at[what].is)
		return false;
	// objects may have been moved since
	history_stop(kept->values, true);
	if (dbg_err_drop(history_variable(kept->values, e->values,
					  found_names[what], v)))
		return false;
	e->calls->n_used = kept->at[what].n_used;
	e->calls->n_runs = kept->at[what].n_runs;
	return true;
}

bool evalcall_keep(const struct eval *e, enum eval_found what,
		   const struct value *v)
{
	struct eval_kept *kept = e->calls ? e->calls->kept : NULL;
	struct value again;

	if (!kept)
		return false;
	history_set(kept->values, e->values, found_names[what], v);
	kept->at[what].n_used = e->calls->n_used;
	kept->at[what].n_runs = e->calls->n_runs;
	kept->at[what].is = true;
	kept->at[what].is = evalcall_kept(e, what, &again);
	return kept->at[what].is;
}

struct dbg_error *evalcall_changed(void)
{
	return dbg_err(DBG_E_STATE,
		       "the calls changed what the expression had read before "
		       "them: evaluate its parts one by one");
}

/* Tell the machine which calls are to be made in this run. */
static void calls_choose(const struct eval *e,
			 uint32_t numbers[EVAL_CHOSEN_MAX])
{
	const struct eval_calls *calls = e->calls;
	const struct eval_chosen *c = calls ? calls->chosen : NULL;
	size_t n = 0;

	for (size_t i = 0; c && i < c->n; i++)
		if (c->calls[i].run == calls->n_runs)
			numbers[n++] = c->calls[i].number;
	vm_set_calls(e->vm,
		     !c                   ? VM_CALLS_NONE
		     : c->all             ? VM_CALLS_ALL
		     : calls->makes_trees ? VM_CALLS_TREES
					  : VM_CALLS_CHOSEN,
		     numbers, n);
}

/* Has a call been executed that is to be made in the program? */
static bool is_short(const struct eval_calls *calls, size_t used,
		     const struct vm_result *r)
{
	if (calls->want != EVAL_WANT_NOTHING || !calls->n_begun)
		return false;
	// Given up, not refused: it may be the loop of another call.
	if (r->state == VM_SPENT || (calls->chosen->all && !r->error))
		return false;
	return r->error ? r->error->code == DBG_E_UNSUPPORTED && calls->in_call
			: calls->has_effect && r->state == VM_DONE &&
			      calls->n_used == used;
}

/* Choose the call that began last; false: it is chosen. */
static bool choose_last(struct eval_calls *calls)
{
	struct eval_chosen *c = calls->chosen;
	uint32_t number = calls->n_begun - 1;

	for (size_t i = 0; i < c->n; i++)
		if (c->calls[i].run == calls->n_runs &&
		    c->calls[i].number == number)
			return false;
	if (c->n == EVAL_CHOSEN_MAX)
		return false;
	c->calls[c->n].run = calls->n_runs;
	c->calls[c->n++].number = number;
	return true;
}

bool evalcall_again(const struct eval *e, size_t used, struct vm_result *r)
{
	struct eval_calls *calls = e->calls;

	if (!calls)
		return false;
	if (!is_short(calls, used, r)) {
		calls->n_runs++;
		calls->has_written |= vm_has_written(e->vm);
		return false;
	}
	// To choose it did not help: what it is given is not the program's.
	if (!choose_last(calls)) {
		if (calls->chosen->all)
			return false;
		calls->chosen->all = !calls->n_answers;
		if (r->error || !calls->chosen->all)
			return false;
	}
	dbg_error_destroy(r->error);
	*r = (struct vm_result){0};
	calls->n_used = used;
	return true;
}

void evalcall_run(const struct eval *e, struct vm_result *ret)
{
	struct eval_calls *calls = e->calls;
	uint32_t numbers[EVAL_CHOSEN_MAX];

	calls_choose(e, numbers);
	for (;;) {
		vm_run(e->vm, 0, ret);
		if (!calls || ret->state != VM_CALL ||
		    calls->n_used == calls->n_answers)
			break;
		dbg_error_destroy(ret->error);
		ret->error = call_answer(e, ret);
		if (ret->error)
			break;
	}
	if (calls) {
		calls->n_begun = vm_outer_calls(e->vm);
		calls->in_call = vm_in_outer_call(e->vm);
	}
	vm_set_calls(e->vm, VM_CALLS_NONE, NULL, 0);
	if (!calls || ret->state != VM_CALL || calls->n_used < calls->n_answers)
		return;
	struct dbg_error *err = write_down(e, ret);
	if (!err)
		return;
	dbg_error_destroy(ret->error);
	ret->error = err;
}

struct dbg_error *evalcall_refused(const char *why, struct dbg_error *err)
{
	if (!err || err->code != DBG_E_UNSUPPORTED || !why ||
	    !strcmp(why, err->message))
		return err;
	struct dbg_error *both =
	    dbg_err(err->code, "%s. The program cannot do it either: %s", why,
		    err->message);
	dbg_error_destroy(err);
	return both;
}
