/*
 * Assignments that a call makes. The setter is to be the only call: what leads
 * to the property, and the value, are interpreted before if that can be done.
 */
#include "eval/assign/assigncall.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/assign/assign_priv.h"
#include "eval/assign/bindassign.h"
#include "eval/bind/bindchain.h"
#include "eval/bind/bindop.h"
#include "eval/overload/conversion.h"
#include "eval/declared.h"
#include "eval/dollar.h"
#include "eval/evalcall.h"
#include "eval/given.h"

enum {
	AUTO_SETTER = 8 // ldarg.0, ldarg.1, stfld, ret
};

bool assigncall_gets(const struct bound *n)
{
	return n->kind == BOUND_CALL && str_starts(n->method->name, "get_");
}

bool assigncall_is_backing(const struct type_field *f)
{
	return f && str_ends(f->name, ">k__BackingField");
}

bool assigncall_sets(struct binder *b, const struct bound *n)
{
	if (!assigncall_gets(n))
		return false;
	struct type_method *set = getter_setter(b, n->method);
	const struct type_method_body *body;
	bool plain = set && assigncall_is_backing(getter_field(b, n->method)) &&
		     !dbg_err_drop(type_method_body(b->ts, set, &body)) &&
		     body->code.n <= AUTO_SETTER;
	return set && !plain;
}

bool assigncall_is_imaginary(struct values *ts, const struct value *v)
{
	size_t size =
	    v->type->is_reference ? sizeof(uint64_t) : type_size(v->type);
	for (size_t at = 0; at + sizeof(uint64_t) <= size;
	     at += sizeof(uint64_t)) {
		uint64_t word;
		if (value_read(ts, v, at, &word, sizeof(word)) &&
		    vm_owns(NULL, word))
			return true;
	}
	return false;
}

struct dbg_error *assigncall_fetch_uncalled(struct binder *b, struct bound *n,
					    struct value *ret)
{
	const struct eval *e = b->e;
	struct eval plain = *e;
	plain.calls = NULL;
	b->e = &plain;
	struct dbg_error *err = fetch_value(b, n, ret);
	b->e = e;
	return err;
}

/* ---- Properties ------------------------------------------------------ */

/* Put what @n is, if no call is needed to know it, in its place. */
static void node_settle(struct binder *b, struct bound **n)
{
	struct value v;
	if (!(*n)->type || (*n)->kind == BOUND_CONST ||
	    (*n)->kind == BOUND_NULL || (*n)->kind == BOUND_LAMBDA ||
	    (*n)->kind == BOUND_ADDRESS)
		return;
	bool known = !dbg_err_drop(assigncall_fetch_uncalled(b, *n, &v));
	if (known && v.where == VALUE_TEXT) {
		*n = bound_make(b, BOUND_STRING, (*n)->type, (*n)->syntax);
		(*n)->units = v.units;
		(*n)->n_units = v.n_units;
	} else if (known && v.where != VALUE_ABSENT &&
		   !assigncall_is_imaginary(b->e->values, &v))
		*n = bound_value(b, &v, (*n)->type, (*n)->syntax);
}

static struct dbg_error *new_value(struct binder *b, struct bound *to,
				   const struct bind_assignment *x,
				   struct bound **ret)
{
	struct dbg_error *err;
	struct value old;
	bool is_kept = x->old && evalcall_kept(b->e, EVAL_FOUND_OLD, &old);
	if (x->old && !is_kept)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is set by a call: write '=' or '+='",
			       bind_source(b, x->target));
	if (is_kept)
		to = bound_value(b, x->old, to->type, x->target);
	b->text = x->value_text;
	err = assignment_step(b, x, to, ret);
	if (err || *ret)
		return err;
	err = bind_operand(b, x->value, ret);
	if (!err && x->op != OP_NONE)
		err = bind_operator(b, x->op, to, *ret, x->value, ret);
	if (!err && x->op != OP_NONE)
		err = convert_cast(b, *ret, to->type, ret);
	return err;
}

/*
 * Get the value to assign, converted to the target's type. The setter may
 * change what the value was computed from, so the value is kept over the call:
 * *ret_known. A value that exists only in the interpreter is made anew for each
 * call (*ret_known has no type).
 */
static struct dbg_error *assigned_value(struct binder *b, struct bound *to,
					const struct bind_assignment *x,
					struct bound **ret,
					struct value *ret_known)
{
	bool moves =
	    to->type->is_reference && to->type->special != TYPE_SPECIAL_STRING;
	if (evalcall_kept(b->e, EVAL_FOUND_NEW, ret_known)) {
		*ret = bound_value(b, ret_known, to->type, x->target);
		return NULL;
	}
	struct dbg_error *err = new_value(b, to, x, ret);
	if (!err)
		err = convert(b, *ret, to->type, ret);
	if (err || (*ret)->kind == BOUND_LAMBDA)
		return err;
	err = assigncall_fetch_uncalled(b, *ret, ret_known);
	if (err && !moves) {
		dbg_error_destroy(err);
		err = fetch_value(b, *ret, ret_known);
		if (err)
			return err;
	}
	if (err || ret_known->where == VALUE_ABSENT ||
	    !evalcall_keep(b->e, EVAL_FOUND_NEW, ret_known)) {
		dbg_error_destroy(err);
		*ret_known = (struct value){0};
		node_settle(b, ret);
		return NULL;
	}
	*ret = bound_value(b, ret_known, to->type, x->target);
	return NULL;
}

/* Read the target's present value, if that needs no call. */
static void show_target(const struct eval *e, const struct bind_assignment *x,
			struct value *ret)
{
	struct eval plain = *e;
	struct value now;
	plain.calls = NULL;
	if (!dbg_err_drop(bind_evaluate(&plain, x->text, x->target, &now)))
		*ret = now;
}

static struct dbg_error *not_called(struct binder *b,
				    const struct bind_assignment *x,
				    const struct bound *to)
{
	const char *name =
	    type_method_name(b->ts, getter_setter(b, to->method));
	b->text = x->text;
	return dbg_err(DBG_E_UNSUPPORTED,
		       "'%s' is set by '%s', which cannot be called in the "
		       "program here",
		       bind_source(b, x->target), name);
}

/*
 * Fail if the object that has the property is null; the error names that
 * object.
 */
static struct dbg_error *check_object(struct binder *b, const struct bound *to)
{
	struct bound *of = to->n_list ? to->list[0] : NULL;
	struct value v;
	if (!of || !of->type || !of->type->is_reference ||
	    (to->method->flags & TYPE_METHOD_STATIC) ||
	    dbg_err_drop(assigncall_fetch_uncalled(b, of, &v)) ||
	    v.where == VALUE_ABSENT || v.where == VALUE_TEXT ||
	    !value_is_null(b->e->values, &v))
		return NULL;
	return dbg_err(DBG_E_ARGUMENT, "'%s' is null",
		       bind_source(b, of->syntax));
}

struct dbg_error *assigncall_run(const struct eval *e,
				 const struct bind_assignment *x,
				 struct value *ret)
{
	struct binder b;
	struct bound *to, *v, *body;
	struct value known = {0};
	binder_init(&b, e, x->text);
	struct dbg_error *err =
	    bind_value(&b, bind_unconditional(&b, x->target), &to);
	if (err)
		return err;
	err = check_object(&b, to);
	if (err)
		return err;
	to = arena_copy(b.arena, to, 1, sizeof(*to));
	to->list = arena_copy(b.arena, to->list, to->n_list, sizeof(*to->list));
	for (size_t i = 0; i < to->n_list; i++)
		node_settle(&b, &to->list[i]);
	b.wanted = to->type->kind == TYPE_KIND_ENUM ? to->type : NULL;
	err = assigned_value(&b, to, x, &v, &known);
	if (!err)
		err = assign_to(&b, to, v, &body);
	size_t used = e->calls->n_used;
	e->calls->has_effect = true;
	if (!err)
		err = machine_value(&b, body, ret);
	// what cannot be passed the machine executes, for itself alone
	if (!err && e->calls->n_used == used)
		err = not_called(&b, x, to);
	if (!err && x->assigned)
		*x->assigned = known.type ? known : *ret;
	if (!err)
		show_target(e, x, ret);
	return err;
}

/* ---- Operators ------------------------------------------------------- */

static bool is_debuggers(const struct eval *e, const struct expr *x)
{
	return x->kind == EXPR_NAME &&
	       (dollar_names(x->name) || declared_names(e, x->name));
}

struct dbg_error *assigncall_operator(const struct eval *e,
				      const struct bind_assignment *x,
				      struct value *ret, bool *ret_done)
{
	struct binder b;
	struct bound *to, *v = NULL, *call = NULL;
	enum op op = x->op;
	*ret_done = false;
	if (op == OP_NONE)
		return NULL;
	if (x->old)
		op = op == OP_ADD ? OP_INCREMENT : OP_DECREMENT;
	binder_init(&b, e, x->text);
	struct dbg_error *err =
	    bind_value(&b, bind_unconditional(&b, x->target), &to);
	if (!err && !x->old)
		err = bind_operand(&b, x->value, &v);
	if (!err)
		err = bind_user_assignment(&b, op, to, v, x->target, &call);
	// what is wrong with them is told where there is no such operator
	if (dbg_err_drop(err) || !call ||
	    (to->type->is_value && is_debuggers(e, x->target)))
		return NULL;
	*ret_done = true;
	if (!e->calls)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is changed by a call of its operator, "
			       "which is not allowed here",
			       bind_source(&b, x->target));
	size_t used = e->calls->n_used;
	e->calls->has_effect = true;
	err = machine_value(&b, call, ret);
	// what cannot be passed the machine executes, for itself alone
	if (!err && e->calls->n_used == used)
		err =
		    dbg_err(DBG_E_UNSUPPORTED,
			    "'%s' is changed by its operator, which cannot be "
			    "called in the program here",
			    bind_source(&b, x->target));
	if (!err)
		show_target(e, x, ret);
	return err;
}

/* ---- Objects --------------------------------------------------------- */

struct dbg_error *assigncall_string(const struct eval *e, const struct value *v,
				    struct value *ret)
{
	struct eval_calls *calls = e->calls;
	if (calls->n_given) {
		*ret = value_bytes(v->type, &calls->given[0],
				   sizeof(calls->given[0]));
		return NULL;
	}
	calls->want = EVAL_WANT_STRING;
	calls->units =
	    arena_copy(e->arena, v->units, v->n_units, sizeof(*v->units));
	calls->n_units = v->n_units;
	return dbg_err(DBG_E_UNSUPPORTED, "the program makes the string");
}

/* The bytes of a value, as words from @bytes on: those that are only ours. */
static bool add_own(const struct eval *e, const uint8_t *bytes, size_t n,
		    struct vm_graph *g)
{
	for (size_t at = 0; at + sizeof(uint64_t) <= n;
	     at += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, bytes + at, sizeof(word));
		if (vm_owns(e->vm, word) && !vm_graph_add(e->vm, g, word))
			return false;
	}
	return true;
}

/* ... are the program's. */
static void replace_own(const struct eval *e, const struct vm_graph *g,
			uint8_t *bytes, size_t n)
{
	for (size_t at = 0; at + sizeof(uint64_t) <= n;
	     at += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, bytes + at, sizeof(word));
		if (vm_owns(e->vm, word))
			word = given_copy(e, g, word);
		memcpy(bytes + at, &word, sizeof(word));
	}
}

struct dbg_error *assigncall_object(const struct eval *e, const struct value *v,
				    struct value *ret)
{
	struct vm_graph g = {0};
	struct dbg_error *err;
	size_t n =
	    v->type->is_reference ? sizeof(uint64_t) : type_size(v->type);
	uint8_t *bytes = arena_calloc(e->arena, n, 1);
	if (!value_read(e->values, v, 0, bytes, n) || !add_own(e, bytes, n, &g))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "what is assigned leads to an object that only "
			       "the debugger can have, such as a delegate");
	err = given_make(e, &g);
	if (!err && e->calls->want != EVAL_WANT_NOTHING)
		err =
		    dbg_err(DBG_E_UNSUPPORTED, "the program makes the object");
	if (err)
		return err;
	replace_own(e, &g, bytes, n);
	if (n <= sizeof(ret->bytes)) {
		*ret = value_bytes(v->type, bytes, n);
		return NULL;
	}
	uint64_t place = vm_room(e->vm, n);
	if (!place || !vm_write(e->vm, place, bytes, n))
		return dbg_err(DBG_E_UNSUPPORTED, "it wants too much memory");
	*ret = value_memory(v->type, place);
	return NULL;
}
