/*
 * Carrying an expression out: bind, emit, execute, and make of the result
 * what the rest of the debugger knows as a value.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/bind/bind.h"
#include "eval/statement/binddeclare.h"
#include "eval/bind/bind_priv.h"
#include "eval/bind/bindtuple.h"
#include "eval/overload/conversion.h"
#include "eval/evalcall.h"

enum {
	STRING_MAX = 1 << 20 // units of a result
};

/* ---- Results --------------------------------------------------------- */

/* Make a value of a string that only the interpreter has. */
static struct dbg_error *string_result(struct binder *b, uint64_t object,
				       struct value *ret)
{
	uint32_t n = 0;
	if (!vm_read(b->vm, object + 8, &n, sizeof(n)) || n > STRING_MAX)
		return dbg_err(DBG_E_MEMORY, "the string cannot be read");
	uint16_t *units = arena_calloc(b->arena, n + 1, sizeof(*units));
	if (!vm_read(b->vm, object + 12, units, n * sizeof(*units)))
		return dbg_err(DBG_E_MEMORY, "the string cannot be read");
	*ret = value_text(b->e->values, units, n);
	return NULL;
}

static struct dbg_error *make_result(struct binder *b, const struct vm_value *v,
				     struct value *ret)
{
	const struct type_layout *layout;
	uint8_t bytes[16] = {0};
	uint64_t object;
	if (v->type->elem == ELEM_VOID) {
		*ret = value_absent(NULL, WHY_NONE, 0);
		return NULL;
	}
	struct type *type = value_type_closed(v->type);
	if (!type)
		return dbg_err(DBG_E_RUNTIME, "the type '%s' is not known",
			       type_name(b->ts, v->type));
	struct dbg_error *err = type_layout(b->ts, v->type, &layout);
	if (err)
		return err;
	if (layout->size > sizeof(bytes)) {
		*ret = value_memory(type, v->addr);
		return NULL;
	}
	if (!vm_read(b->vm, v->addr, bytes, layout->size))
		return dbg_err(DBG_E_MEMORY, "the result cannot be read");
	memcpy(&object, bytes, sizeof(object));
	if (v->type->is_reference && vm_owns(b->vm, object)) {
		struct type *actual = NULL;
		uint64_t handle = 0;
		if (vm_read(b->vm, object, &handle, sizeof(handle)))
			actual = type_of_handle(b->ts, handle);
		if (actual && actual->special == TYPE_SPECIAL_STRING)
			return string_result(b, object, ret);
	}
	*ret = value_bytes(type, bytes, layout->size);
	return NULL;
}

/* The reference in the field @name of an interpreted object; 0: none. */
static uint64_t field_reference(struct binder *b, struct type *type,
				uint64_t object, const char *name)
{
	struct type_field *field = NULL;
	uint32_t offset;
	uint64_t ret = 0;
	if (dbg_err_drop(type_field_find(b->ts, type, name, &field)) ||
	    !field || dbg_err_drop(type_field_offset(b->ts, field, &offset)) ||
	    !vm_read(b->vm, object + 8 + offset, &ret, sizeof(ret)))
		return 0;
	return ret;
}

/*
 * Append "Ns.Type: its message" of the exception; returns its inner one, 0:
 * none.
 */
static uint64_t add_exception(struct binder *b, uint64_t object,
			      struct str *out)
{
	struct type *type = NULL;
	struct value string;
	uint64_t handle = 0;
	if (vm_read(b->vm, object, &handle, sizeof(handle)))
		type = type_of_handle(b->ts, handle);
	if (!type) {
		str_add(out, "an exception");
		return 0;
	}
	str_add(out, type_name(b->ts, type));
	uint64_t message = field_reference(b, type, object, "_message");
	if (message && !dbg_err_drop(string_result(b, message, &string))) {
		str_add(out, ": ");
		str_add_utf16(out, string.units, string.n_units);
	}
	return field_reference(b, type, object, "_innerException");
}

/* Make an error of the exception that was thrown, as one sentence. */
static struct dbg_error *thrown_error(struct binder *b, const char *text,
				      const struct vm_value *v)
{
	uint64_t object = 0;
	_cleanup_str_ struct str out = {0};
	if (!vm_read(b->vm, v->addr, &object, sizeof(object)))
		return dbg_err(DBG_E_STATE, "'%s' throws an exception", text);
	if (b->e->thrown)
		*b->e->thrown = value_object(b->e->values, object);
	object = add_exception(b, object, &out);
	if (object) {
		if (out.len && !strchr(".!?", str_get(&out)[out.len - 1]))
			str_addc(&out, '.');
		str_add(&out, " Inside of it is ");
		add_exception(b, object, &out);
	}
	return dbg_err(DBG_E_STATE, "'%s' throws %s", text, str_get(&out));
}

static struct dbg_error *method_run(struct binder *b, const struct expr *x,
				    struct type_method *m, struct value *ret)
{
	struct vm_result r = {0};
	const char *text = bind_source(b, x);
	size_t used = b->e->calls ? b->e->calls->n_used : 0;
	do {
		struct dbg_error *err = vm_begin(b->vm, m, NULL, 0, NULL);
		if (err)
			return err;
		evalcall_run(b->e, &r);
	} while (evalcall_again(b->e, used, &r));
	b->has_written |= vm_has_written(b->vm);
	switch (r.state) {
	case VM_DONE:
		return make_result(b, &r.value, ret);
	case VM_THROWN:
		return thrown_error(b, text, &r.value);
	default:
		return r.error ? r.error
			       : dbg_err(DBG_E_STATE, "'%s' has no end", text);
	}
}

/* ---- Code for the machine -------------------------------------------- */

/* Can @n be read before the machine runs? */
static bool is_readable(const struct bound *n)
{
	switch (n->kind) {
	case BOUND_PLACE:
		return n->value != NULL;
	case BOUND_VAR:
		return n->var->value != NULL;
	case BOUND_CONST:
		return true;
	case BOUND_FIELD:
		return n->is_static || is_readable(n->a);
	case BOUND_ELEMENT:
		return is_readable(n->a) && n->n_list == 1 &&
		       is_readable(n->list[0]);
	case BOUND_DEREF:
	case BOUND_CAST:
	case BOUND_LENGTH:
		return is_readable(n->a);
	case BOUND_EFFECT:
		return !n->n_list && is_readable(n->a);
	default:
		return false;
	}
}

/*
 * Replace @n by a leaf with its value, if that can be read. Otherwise the
 * interpreter computes it.
 */
static struct dbg_error *prepare_place(struct binder *b, bool sure,
				       struct bound **n)
{
	struct value v;
	bool var = (*n)->kind == BOUND_VAR;
	if ((*n)->kind == BOUND_FIELD && (*n)->is_static &&
	    !fetch_is_ready(b, (*n)->field))
		return NULL;
	if (!sure && !var && !b->e->trace)
		return NULL; // a place
	struct dbg_error *err = fetch_value(b, *n, &v);
	if (!sure && !var)
		return dbg_err_drop(err), NULL;
	if (err)
		return err;
	if (v.where == VALUE_ABSENT && (*n)->kind == BOUND_FIELD &&
	    (*n)->is_static)
		return NULL;
	if (v.where == VALUE_ABSENT)
		return fetch_missing(b, (*n)->syntax, &v);
	*n = bound_value(b, &v, (*n)->type, (*n)->syntax);
	return NULL;
}

/* Fail if the object of a call is null. */
static struct dbg_error *check_receiver(struct binder *b, const struct bound *n)
{
	const struct bound *of = n->n_list ? n->list[0] : NULL;
	if (!of || (n->method->flags & TYPE_METHOD_STATIC) ||
	    of->kind != BOUND_PLACE || !of->value || !of->type->is_reference ||
	    !value_is_null(b->e->values, of->value))
		return NULL;
	return dbg_err(DBG_E_ARGUMENT, "'%s' is null",
		       bind_source(b, of->syntax));
}

static struct dbg_error *refuse_traced(struct binder *b, const struct bound *n)
{
	enum expr_kind kind = n->syntax ? n->syntax->kind : EXPR_NULL;
	if (!b->e->trace || n->kind != BOUND_CALL ||
	    (kind != EXPR_CALL && kind != EXPR_MEMBER && kind != EXPR_INDEX))
		return NULL;
	return dbg_err(DBG_E_UNSUPPORTED,
		       "'%s' runs code: what that reads cannot be watched",
		       bind_source(b, n->syntax));
}

static struct dbg_error *prepare_parts(struct binder *b, bool sure,
				       struct bound **n);

/*
 * Read what is read in any case (@sure) before the machine runs: what is null
 * or missing is told by its name, and little is left to be compiled.
 */
static struct dbg_error *prepare(struct binder *b, bool sure, struct bound **n)
{
	struct bound *x = *n;
	if (!x || x->kind == BOUND_CONST || x->kind == BOUND_LAMBDA)
		return NULL;
	struct dbg_error *err = refuse_traced(b, x);
	if (err)
		return err;
	// what may not be read the machine reads, of variables that it is given
	bool leaf = x->kind == BOUND_VAR || x->kind == BOUND_PLACE;
	if (is_readable(x) && (sure || leaf || b->e->trace))
		return prepare_place(b, sure, n);
	return prepare_parts(b, sure, n);
}

static struct dbg_error *prepare_parts(struct binder *b, bool sure,
				       struct bound **n)
{
	struct dbg_error *err = NULL;
	struct bound *x = *n = arena_copy(b->arena, *n, 1, sizeof(*x));
	bool choice = x->kind == BOUND_CHOICE;
	// a variable is stored to, not read
	if (x->kind != BOUND_STORE || x->a->kind != BOUND_VAR)
		err = prepare(b, sure, &x->a);
	if (!err)
		err = prepare(b, sure && !choice, &x->b);
	if (!err)
		err = prepare(b, sure && !choice, &x->c);
	x->list = arena_copy(b->arena, x->list, x->n_list, sizeof(*x->list));
	for (size_t i = 0; !err && i < x->n_list; i++)
		err = prepare(b, sure, &x->list[i]);
	if (!err && sure && x->kind == BOUND_CALL)
		err = check_receiver(b, x);
	return err;
}

struct dbg_error *machine_value(struct binder *b, struct bound *n,
				struct value *ret)
{
	struct type_method *m;
	struct dbg_error *err = NULL;
	b->in_parts |= n != b->whole;
	// Not @n itself: who reads it comes here with what cannot be read.
	if (n->kind != BOUND_VAR)
		err = refuse_traced(b, n);
	if (!err && n->kind != BOUND_VAR)
		err = prepare_parts(b, true, &n);
	vm_set_thread(b->vm, b->e->scope->thread);
	if (!err)
		err = ilgen_method(b, n, &m);
	return err ? err : method_run(b, n->syntax, m, ret);
}

/*
 * Parts that were executed one by one, or read, do not see what another has
 * written to objects of the program's. Then one execution computes all.
 */
static bool is_torn(const struct binder *b)
{
	return b->in_parts && b->has_written &&
	       (!b->e->calls || !b->e->calls->n_used);
}

struct dbg_error *bind_carry_writes(struct binder *b)
{
	struct eval_calls *calls = b->e->calls;
	if (!calls || !b->has_written ||
	    (!calls->has_effect && !calls->chosen->orders))
		return NULL;
	if (b->in_parts && !calls->has_effect && calls->n_used)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "its parts were evaluated one by one, and what "
			       "they change is left undone: give them one by "
			       "one");
	calls->has_stored = true;
	return vm_commit(b->vm);
}

/* ---- Entries --------------------------------------------------------- */

void binder_init(struct binder *b, const struct eval *e, const char *text)
{
	*b = (struct binder){.e = e,
			     .text = text,
			     .ts = vm_types(e->vm),
			     .vm = e->vm,
			     .arena = e->scratch};
}

struct dbg_error *bind_evaluate(const struct eval *e, const char *text,
				const struct expr *x, struct value *ret)
{
	struct binder b;
	struct bound *body;
	binder_init(&b, e, text);
	struct dbg_error *err = x->kind == EXPR_NULL
				    ? bind_operand(&b, x, &body)
				    : bind_value(&b, x, &body);
	if (!err && b.n_noted) {
		err = declare_noted(&b, body, ret);
		return err ? err : bind_carry_writes(&b);
	}
	bool is_void = !err && body->type && body->type->elem == ELEM_VOID;
	if (is_void && e->calls) {
		e->calls->has_effect = true;
		err = machine_value(&b, body, ret);
		return err ? err : bind_carry_writes(&b);
	}
	if (is_void)
		err = dbg_err(DBG_E_UNSUPPORTED,
			      "'%s' returns nothing: what it would do is left "
			      "undone",
			      bind_source(&b, x));
	b.whole = body;
	if (!err)
		err = fetch_value(&b, body, ret);
	if (!err && is_torn(&b))
		err = machine_value(&b, body, ret);
	return err ? err : bind_carry_writes(&b);
}

struct dbg_error *bind_value_type(const struct eval *e, const char *text,
				  const struct expr *x, struct value *ret)
{
	struct binder b;
	struct bound *body;

	binder_init(&b, e, text);
	struct dbg_error *err = bind_value(&b, x, &body);
	if (err)
		return err;
	*ret = value_absent(value_type_closed(body->type), WHY_NONE, 0);
	tuple_name_value(&b, body->type, ret);
	return NULL;
}

struct dbg_error *bind_check(const struct eval *e, const char *text,
			     const struct expr *x)
{
	struct binder b;
	struct bound *body;

	binder_init(&b, e, text);
	return bind_operand(&b, x, &body);
}

static struct dbg_error *as_bool(struct binder *b, const struct expr *x,
				 struct bound **ret)
{
	struct type *type = bind_prim(b, ELEM_BOOLEAN);
	struct dbg_error *err = bind_value(b, x, ret);
	if (!err && conversion_find(b, *ret, type) == CONVERSION_NONE)
		err =
		    dbg_err_cs(29, dbg_err(DBG_E_ARGUMENT, "'%s' is not a bool",
					   bind_source(b, x)));
	return err ? err : convert(b, *ret, type, ret);
}

struct dbg_error *bind_check_condition(const struct eval *e, const char *text,
				       const struct expr *x)
{
	struct binder b;
	struct bound *body;
	binder_init(&b, e, text);
	return as_bool(&b, x, &body);
}

struct dbg_error *bind_condition(const struct eval *e, const char *text,
				 const struct expr *x, bool *ret)
{
	struct binder b;
	struct bound *body = NULL;
	binder_init(&b, e, text);
	struct dbg_error *err = as_bool(&b, x, &body);
	b.whole = body;
	if (!err)
		err = fetch_truth(&b, body, ret);
	if (err || !is_torn(&b))
		return err;
	struct value v;
	uint64_t truth = 0;
	err = machine_value(&b, body, &v);
	if (!err && value_integer(b.e->values, &v, &truth))
		*ret = truth & 1;
	return err;
}
