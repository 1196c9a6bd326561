/*
 * Assignments: C#'s, over the stopped program. The target is a place of the
 * program, the value is converted to its type by C#'s rules, and written. A
 * debugger knows every object, so a reference needs no cast where its object
 * is of the type. What C# would do by making an object is refused: a box, a
 * string.
 */
#include "eval/assign/bindassign.h"
#include "eval/bind/bind.h"
#include "eval/bind/bind_priv.h"
#include "eval/bind/bindchain.h"
#include "eval/bind/bindop.h"
#include "eval/dollar.h"
#include "eval/evalcall.h"
#include "eval/overload/conversion.h"
#include "eval/statement/binddeclare.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "stack/stack.h"

struct assignment {
	struct binder *b;  /* of the target */
	const char *name;  /* the target as written */
	struct value to;   /* its place, by-refs followed */
	struct type *type; /* of the place */
	struct value *ret; /* the place afterwards */
};

/* ---- Assignments that a call makes --------------------------------------- */

/*
 * The setter is to be the only call: what leads to the property, and the value,
 * are interpreted before if that can be done.
 */

enum {
	AUTO_SETTER = 8 // ldarg.0, ldarg.1, stfld, ret
};

static struct dbg_error *assignment_step(struct binder *b,
					 const struct bind_assignment *x,
					 struct bound *old, struct bound **ret);

/* Is @n a property or an indexer, read by its getter? */
static bool assigncall_gets(const struct bound *n)
{
	return n->kind == BOUND_CALL && str_starts(n->method->name, "get_");
}

/* Does an automatic property keep its value in @f, which may be NULL? */
static bool assigncall_is_backing(const struct type_field *f)
{
	return f && str_ends(f->name, ">k__BackingField");
}

/* Is @n set by a call: a property, but for those that are only a field? */
static bool assigncall_sets(struct binder *b, const struct bound *n)
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

/*
 * Does @v hold a reference to what only the debugger has? Its addresses are
 * none that a program may have.
 */
static bool assigncall_is_imaginary(struct values *ts, const struct value *v)
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

/* The value of @n as it is without a call in the program. */
static struct dbg_error *
assigncall_fetch_uncalled(struct binder *b, struct bound *n, struct value *ret)
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
static void node_fetch(struct binder *b, struct bound **n)
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
		node_fetch(b, ret);
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

/*
 * Set the property that is the target of @x, where calls can be made: ends as
 * any expression that wants a call. *ret is its value afterwards.
 */
static struct dbg_error *assigncall_run(const struct eval *e,
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
		node_fetch(&b, &to->list[i]);
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

/*
 * If the target of a compound @x has an instance operator for it (C# 14), call
 * that: *ret_done; *ret is the target afterwards.
 */
static struct dbg_error *assigncall_operator(const struct eval *e,
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

static struct dbg_error *assigncall_string(const struct eval *e,
					   const struct value *v,
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

/*
 * The same for an object that @v, or a structure in it, refers to, and for all
 * that the object refers to.
 */
static struct dbg_error *assigncall_object(const struct eval *e,
					   const struct value *v,
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

/* ---- The place ------------------------------------------------------- */

static struct dbg_error *no_place(const char *name, const struct value *v)
{
	if (v->where == VALUE_ABSENT && v->why == WHY_OPTIMIZED)
		return dbg_err(DBG_E_STATE,
			       "'%s' is optimized out: there is no place for "
			       "a value",
			       name);
	if (v->where == VALUE_ABSENT)
		return dbg_err(DBG_E_MEMORY, "'%s' cannot be read", name);
	return dbg_err_cs(
	    131,
	    dbg_err(DBG_E_ARGUMENT,
		    "'%s' is not a variable that can be assigned to", name));
}

/* Explain why a property or indexer cannot be set when no call may be made. */
static struct dbg_error *no_call(struct binder *b, const struct expr *x,
				 const struct bound *n)
{
	const struct type_field *f = getter_field(b, n->method);
	const char *name = bind_source(b, x);
	bool sets = assigncall_sets(b, n);
	if (x->kind == EXPR_INDEX && !sets)
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' cannot be assigned to: the indexer of "
			       "'%s' has no setter",
			       name, type_name(b->ts, n->method->owner));
	if (x->kind == EXPR_INDEX)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is set by a call of the indexer, which is "
			       "not allowed here: assign to the field that "
			       "holds the value, '%s,raw' shows it",
			       name, bind_source(b, x->a));
	return dbg_err(sets ? DBG_E_UNSUPPORTED : DBG_E_ARGUMENT,
		       "property '%s' %s%s%s%s", name,
		       sets ? "is set by a call, which is not allowed here"
			    : "has no setter",
		       f ? ": its getter returns the field '" : "",
		       f ? f->name : "", f ? "'" : "");
}

/*
 * If a property only returns its field: the property's place is that field's.
 */
static struct dbg_error *check_property(struct binder *b, const struct expr *x,
					const struct bound *n)
{
	if (!assigncall_gets(n) || x->kind == EXPR_INDEX ||
	    (assigncall_is_backing(getter_field(b, n->method)) &&
	     !assigncall_sets(b, n)))
		return NULL;
	return no_call(b, x, n);
}

/*
 * Get the place of @n; of an indexer, if that only returns an element of an
 * array, without a call. Something without a place gives its value.
 */
static struct dbg_error *fetch_place(struct binder *b, const struct expr *x,
				     struct bound *n, struct value *ret)
{
	if (x->kind != EXPR_INDEX || !assigncall_gets(n))
		return fetch_value(b, n, ret);
	struct dbg_error *err = assigncall_fetch_uncalled(b, n, ret);
	if (!err && ret->where == VALUE_MEMORY && !vm_owns(b->vm, ret->addr))
		return NULL;
	dbg_error_destroy(err);
	return no_call(b, x, n);
}

/*
 * Refuse a target that has an address but cannot be written: constants, kept
 * values, casts, memory of the interpreter.
 */
static struct dbg_error *check_target(struct binder *b, const struct expr *x,
				      const struct bound *n,
				      const struct value *v)
{
	const char *name = bind_source(b, x);
	bool is_class = v->type->is_reference;
	if (x->kind == EXPR_THIS && is_class)
		return dbg_err_cs(
		    1604,
		    dbg_err(DBG_E_ARGUMENT, "'this' cannot be assigned to"));
	// A cast of a reference has the reference's place but another type, and
	// `*reference` is the object.
	bool is_object = x->kind == EXPR_UNARY && x->op == OP_DEREFERENCE &&
			 n->kind != BOUND_DEREF;
	if ((x->kind == EXPR_NAME && history_names(x->name)) ||
	    ((x->kind == EXPR_CAST || x->kind == EXPR_AS) && is_class) ||
	    is_object || (v->where == VALUE_MEMORY && vm_owns(b->vm, v->addr)))
		return dbg_err_cs(
		    131,
		    dbg_err(DBG_E_ARGUMENT,
			    "'%s' is not a variable that can be assigned to",
			    name));
	if (n->kind == BOUND_DEREF && n->a->kind == BOUND_CALL &&
	    !strcmp(type_simple_name(n->a->method->owner), "ReadOnlySpan`1"))
		return dbg_err(DBG_E_ARGUMENT,
			       "elements of '%s' cannot be assigned to",
			       type_name(b->ts, n->a->method->owner));
	return NULL;
}

/*
 * Refuse a static field whose class is not initialised yet: its static
 * constructor would overwrite the value later.
 */
static struct dbg_error *
check_initialized(struct binder *b, const struct expr *x, const struct bound *n)
{
	while (n->kind == BOUND_FIELD && !n->is_static && n->a &&
	       n->a->type->is_value)
		n = n->a;
	const struct type_field *f = n->kind == BOUND_FIELD ? n->field
				     : assigncall_gets(n)
					 ? getter_field(b, n->method)
					 : NULL;
	if (!f || !f->is_static || fetch_is_ready(b, f))
		return NULL;
	return dbg_err(DBG_E_STATE,
		       "'%s' cannot be assigned to: '%s' is not initialized "
		       "yet, and its static constructor would overwrite it",
		       bind_source(b, x), type_name(b->ts, f->owner));
}

/* Find the place that @x is: a->to, a->type. *ret as soon as it is bound. */
static struct dbg_error *
assignment_place(struct assignment *a, const struct expr *x, struct bound **ret)
{
	struct binder *b = a->b;
	struct value v;
	b->target = bind_unconditional(b, x);
	struct dbg_error *err = bind_value(b, b->target, ret);
	b->target = NULL;
	if (!err)
		err = check_initialized(b, x, *ret);
	if (!err)
		err = check_property(b, x, *ret);
	if (!err)
		err = fetch_place(b, x, *ret, &v);
	if (!err && v.where != VALUE_ABSENT)
		err = check_target(b, x, *ret, &v);
	if (err)
		return err;
	if (v.where != VALUE_ABSENT && v.type->kind == TYPE_KIND_BYREF)
		v = value_target(b->e->values, &v);
	if (v.where != VALUE_MEMORY && !v.in_register)
		return no_place(a->name, &v);
	value_type_mt(b->e->values, v.type);
	a->to = v;
	a->type = value_type_exact(v.type);
	// Shared code that does not tell its type: what fits the object that is
	// there fits the variable.
	if (!a->type && v.type->is_reference &&
	    !value_is_null(b->e->values, &v))
		a->type = (*ret)->type;
	return a->type ? NULL
		       : dbg_err(DBG_E_RUNTIME, "the type of '%s' is not known",
				 a->name);
}

/* ---- Writing --------------------------------------------------------- */

/* Store to a register. The JIT keeps numbers of less than 32 bits widened. */
static struct dbg_error *store_register(const struct assignment *a,
					const struct value *to,
					const struct value *from)
{
	struct dbg_error *err;
	struct values *ts = a->b->e->values;
	const struct frame *f = a->b->e->scope->frame;
	uint64_t word = 0;
	size_t n = to->type->is_reference ? sizeof(word) : type_size(to->type);
	unsigned int reg;
	if (!a->b->e->stack || !f || !n || n > sizeof(word))
		return dbg_err(DBG_E_STATE, "it is in several registers");
	if (from && !value_integer(ts, from, &word) &&
	    !value_read(ts, from, 0, &word, n))
		return dbg_err(DBG_E_MEMORY, "the new value cannot be read");
	if (n < sizeof(word))
		word = (uint32_t)word;
	err = stack_var_register(ts, f, to->in_register, &reg);
	if (!err)
		err = stack_register_set(a->b->e->stack, f, reg, word);
	if (!err)
		memcpy(a->ret->bytes, &word, sizeof(word));
	return err;
}

/* Get @from as a value of the program, if only the debugger has it. */
static struct dbg_error *assignment_made(const struct assignment *a,
					 const struct eval *e,
					 const struct value *from,
					 struct value *ret)
{
	*ret = *from;
	if (!assigncall_is_imaginary(e->values, from))
		return NULL;
	if (!e->calls)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "an object for '%s' is made by a call, which is "
			       "not allowed here: only the debugger has the "
			       "one that is assigned",
			       a->name);
	return assigncall_object(e, from, ret);
}

/* Write it, NULL: zeros. */
static struct dbg_error *assignment_store(const struct assignment *a,
					  const struct value *to,
					  const struct value *from)
{
	const struct eval *e = a->b->e;
	struct value given;
	struct dbg_error *err =
	    from ? assignment_made(a, e, from, &given) : NULL;
	if (err)
		return err;
	from = from ? &given : NULL;
	err = to->in_register
		  ? store_register(a, to, from)
		  : value_store(e->values, e->scope->thread, to, from);
	return err ? dbg_err_prefix(err, "cannot write '%s'", a->name) : NULL;
}

/* ---- The value ------------------------------------------------------- */

static bool is_number(const struct type *type)
{
	return type_is_numeric(type) || type->kind == TYPE_KIND_ENUM ||
	       type->special == TYPE_SPECIAL_DECIMAL;
}

/* The value @n, known by @b, is a @from. */
static struct dbg_error *refuse(const struct assignment *a, struct binder *b,
				const struct bound *n, const char *from)
{
	bool cast = n->type && is_number(n->type) && is_number(a->type);
	struct dbg_error *err = dbg_err_cs(
	    cast ? 266 : 29,
	    dbg_err(DBG_E_ARGUMENT, "cannot convert '%s' to '%s'%s", from,
		    type_name(b->ts, a->type), cast ? " without a cast" : ""));
	// a value that is given by itself is told without its place
	if (a->b->text != b->text || !n->syntax)
		return err;
	return dbg_err_suffix(err, " at column %u",
			      token_column(b->text, n->syntax->start));
}

/* Is the integer @raw of type @from within what @to holds? */
static struct dbg_error *check_range(uint64_t raw, const struct type *from,
				     const struct type *to)
{
	unsigned int bits = type_size(to) * 8;
	bool negative = elem_is_signed(from->elem) && (int64_t)raw < 0;
	uint64_t max = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	int64_t min = 0;
	if (elem_is_signed(to->elem)) {
		max >>= 1;
		min = -(int64_t)max - 1;
	}
	if (negative ? (int64_t)raw >= min : raw <= max)
		return NULL;
	if (negative)
		return dbg_err(DBG_E_ARGUMENT,
			       "%" PRId64 " does not fit '%s' (%" PRId64
			       " to %" PRIu64 ")",
			       (int64_t)raw, value_type_name(to), min, max);
	return dbg_err(DBG_E_ARGUMENT,
		       "%" PRIu64 " does not fit '%s' (%" PRId64 " to %" PRIu64
		       ")",
		       raw, value_type_name(to), min, max);
}

static bool is_integer(const struct type *type)
{
	return (type->kind == TYPE_KIND_PRIM || type->kind == TYPE_KIND_ENUM) &&
	       type->elem != ELEM_BOOLEAN && type->elem != ELEM_CHAR &&
	       type->elem != ELEM_R4 && type->elem != ELEM_R8;
}

/* Does the value @v, which is known, fit, though C# has no conversion? */
static struct dbg_error *fit(struct assignment *a, struct binder *b,
			     const struct bound *n, struct value *v)
{
	struct values *ts = a->b->e->values;
	struct value at = value_dereference(ts, v);
	uint64_t raw;
	if (at.where == VALUE_ABSENT)
		return fetch_missing(a->b, n->syntax, &at);
	// only a constant is converted to a smaller type (10.2.11); a number
	// stands for the member of an enum
	if (n->kind == BOUND_CONST && type_is_numeric(n->type) &&
	    is_integer(n->type) && is_integer(a->type) &&
	    value_integer(ts, &at, &raw)) {
		struct dbg_error *err = check_range(raw, at.type, a->to.type);
		if (err || a->type->kind != TYPE_KIND_ENUM)
			return err ? err
				   : refuse(a, b, n, value_type_name(at.type));
		*v = value_bytes(a->to.type, &raw, sizeof(raw));
		return NULL;
	}
	struct type *actual = value_type_exact(at.type);
	bool fits = false;
	if (a->type->is_reference && value_is_null(ts, &at))
		return NULL;
	if (n->type->is_reference && a->type->is_reference && actual) {
		struct dbg_error *err =
		    type_assignable(a->b->ts, actual, a->type, &fits);
		if (err || fits)
			return err;
	}
	return refuse(a, b, n, value_type_name(at.type));
}

static struct dbg_error *no_object(const struct assignment *a,
				   const struct value *v)
{
	if (v->where == VALUE_TEXT)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "a new string is made by a call, which is not "
			       "allowed here: only a string that the program "
			       "has can be assigned to '%s'",
			       a->name);
	return dbg_err(DBG_E_UNSUPPORTED,
		       "a box for '%s' is made by a call, which is not "
		       "allowed here; '(%s)%s' is the value in the box that is "
		       "there",
		       value_type_name(v->type), value_type_name(v->type),
		       a->name);
}

/* The value @n, known by @b, converted to the place's type. */
static struct dbg_error *assignment_value(struct assignment *a,
					  struct binder *b, struct bound *n,
					  struct value *ret)
{
	struct values *ts = b->e->values;
	bool box = false;
	struct dbg_error *err = NULL;
	if (n->kind == BOUND_NULL && a->type->is_value &&
	    a->type->special != TYPE_SPECIAL_NULLABLE)
		return dbg_err_cs(37,
				  dbg_err(DBG_E_ARGUMENT, "'%s' cannot be null",
					  type_name(b->ts, a->type)));
	enum conversion c = conversion_find(b, n, a->type);
	if (c == CONVERSION_NONE && !n->type)
		return refuse(a, b, n, bind_source(b, n->syntax));
	// the machine makes it, and then the program its like
	box = c == CONVERSION_BOX && !b->e->calls;
	if (c != CONVERSION_NONE && !box)
		err = convert(b, n, a->type, &n);
	if (!err)
		err = c == CONVERSION_BOX && !box ? machine_value(b, n, ret)
						  : fetch_value(b, n, ret);
	if (!err && c == CONVERSION_NONE)
		err = fit(a, b, n, ret);
	if (err)
		return err;
	if (ret->type && ret->type->kind == TYPE_KIND_BYREF)
		*ret = value_target(ts, ret);
	if (ret->where == VALUE_ABSENT)
		return fetch_missing(b, n->syntax, ret);
	if (ret->where == VALUE_TEXT && b->e->calls && !box)
		return assigncall_string(b->e, ret, ret);
	if (a->type->is_reference && !value_is_null(ts, ret) &&
	    (box || !ret->type->is_reference || ret->where == VALUE_TEXT))
		return no_object(a, ret);
	return NULL;
}

/* ---- Entry ----------------------------------------------------------- */

static struct type *assignment_enum(struct type *type)
{
	if (type->special == TYPE_SPECIAL_NULLABLE)
		type = type->args[0];
	return type->kind == TYPE_KIND_ENUM ? type : NULL;
}

/* The right side of a op= b, which is a op b with a evaluated once. */
static struct dbg_error *right_side(struct binder *b, enum op op,
				    struct bound *place, const struct expr *x,
				    struct bound **ret)
{
	struct dbg_error *err = bind_operand(b, x, ret);
	if (err || op == OP_NONE)
		return err;
	// what is made of smaller types goes back to them (12.21.4)
	bool fits = is_number(place->type) && (*ret)->type &&
		    (op == OP_SHIFT_LEFT || op == OP_SHIFT_RIGHT ||
		     op == OP_SHIFT_UNSIGNED ||
		     conversion_find(b, *ret, place->type) != CONVERSION_NONE);
	err = bind_operator(b, op, place, *ret, x, ret);
	return !err && fits ? convert_cast(b, *ret, place->type, ret) : err;
}

/* `old++` by an operator of its type; NULL in *ret: it is no step, or has none.
 */
static struct dbg_error *assignment_step(struct binder *b,
					 const struct bind_assignment *x,
					 struct bound *old, struct bound **ret)
{
	*ret = NULL;
	return x->old ? bind_user_step(
			    b, x->op == OP_ADD ? OP_INCREMENT : OP_DECREMENT,
			    old, x->target, ret)
		      : NULL;
}

/* Set a convenience variable. */
static struct dbg_error *set_dollar(struct binder *left, struct binder *right,
				    const struct bind_assignment *a,
				    struct value *ret)
{
	struct bound *place = NULL, *n;
	struct dbg_error *err = NULL;
	if (a->op != OP_NONE)
		err = bind_value(left, a->target, &place);
	if (!err)
		err = right_side(right, a->op, place, a->value, &n);
	if (!err && n->kind != BOUND_NULL && !n->type)
		err = bind_value(right, a->value, &n);
	if (!err)
		err = fetch_value(right, n, ret);
	return err ? err : dollar_set(left->e, a->target->name, ret);
}

bool bind_is_assignable(const struct eval *e, const char *text,
			const struct expr *x)
{
	struct binder b;
	struct bound *place = NULL;
	struct value to;
	binder_init(&b, e, text);
	struct assignment a = {.b = &b, .name = bind_source(&b, x), .ret = &to};
	if (x->kind == EXPR_NAME &&
	    (dollar_names(x->name) || declared_names(e, x->name)))
		return true;
	return !dbg_err_drop(assignment_place(&a, x, &place)) ||
	       (place && assigncall_sets(&b, place));
}

struct dbg_error *bind_assign_skips(const struct eval *e, const char *text,
				    const struct expr *target, bool *ret)
{
	struct binder b;
	struct value v;
	const struct expr *asked = bind_asked(target);
	*ret = false;
	if (!asked)
		return NULL;
	struct dbg_error *err = bind_evaluate(e, text, asked, &v);
	if (!err && v.type && v.type->kind == TYPE_KIND_BYREF)
		v = value_target(e->values, &v);
	if (!err && v.where == VALUE_ABSENT) {
		binder_init(&b, e, text);
		err = fetch_missing(&b, asked, &v);
	}
	if (!err)
		*ret = v.where != VALUE_TEXT && value_is_null(e->values, &v);
	return err;
}

struct dbg_error *bind_assign(const struct eval *e,
			      const struct bind_assignment *x,
			      struct value *ret)
{
	struct binder left, right;
	struct bound *place = NULL, *n;
	struct value v;
	binder_init(&left, e, x->text);
	binder_init(&right, e, x->value_text);
	struct assignment a = {
	    .b = &left, .name = bind_source(&left, x->target), .ret = ret};
	bool done;
	struct dbg_error *err = assigncall_operator(e, x, ret, &done);
	if (err || done)
		return err;
	if (x->target->kind == EXPR_NAME && dollar_names(x->target->name))
		return set_dollar(&left, &right, x, ret);
	if (x->target->kind == EXPR_NAME && declared_names(e, x->target->name))
		return declare_assign(&left, &right, x, ret);
	err = assignment_place(&a, x->target, &place);
	if (err && place && e->calls && assigncall_sets(&left, place)) {
		dbg_error_destroy(err);
		return assigncall_run(e, x, ret);
	}
	if (err)
		return err;
	*ret = a.to;
	if (x->old && a.type->special == TYPE_SPECIAL_STRING)
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is a string: '++' and '--' are not for "
			       "strings",
			       a.name);
	if (x->value->kind == EXPR_DEFAULT && !x->value->type)
		return assignment_store(&a, &a.to, NULL);
	right.wanted = assignment_enum(a.type);
	err = assignment_step(&right, x, place, &n);
	if (!err && !n)
		err = right_side(&right, x->op, place, x->value, &n);
	if (!err)
		err = assignment_value(&a, &right, n, &v);
	if (err)
		return err;
	return assignment_store(&a, &a.to,
				value_is_null(e->values, &v) ? NULL : &v);
}

/* ---- ??= --------------------------------------------------------------- */

static bool assignment_writes(const struct bound *n)
{
	return n->kind == BOUND_PLACE || n->kind == BOUND_VAR ||
	       n->kind == BOUND_FIELD || n->kind == BOUND_ELEMENT ||
	       n->kind == BOUND_DEREF || assigncall_gets(n);
}

/* The value could not be one of the place's type, whatever it is. */
static struct dbg_error *check_value(struct assignment *a, struct binder *b,
				     const struct expr *x)
{
	struct bound *n;
	struct dbg_error *err = bind_operand(b, x, &n);
	if (err || conversion_find(b, n, a->type) != CONVERSION_NONE)
		return err;
	if (!n->type)
		return refuse(a, b, n, bind_source(b, n->syntax));
	return n->type->is_reference && a->type->is_reference
		   ? NULL
		   : refuse(a, b, n, type_name(b->ts, n->type));
}

struct dbg_error *bind_coalesce_check(const struct eval *e,
				      const struct bind_assignment *x)
{
	struct eval plain = *e;
	struct binder left, right;
	struct bound *place;
	plain.calls = NULL;
	if (x->target->kind == EXPR_NAME && dollar_names(x->target->name))
		return bind_check(&plain, x->value_text, x->value);
	binder_init(&left, &plain, x->text);
	binder_init(&right, &plain, x->value_text);
	struct assignment a = {.b = &left,
			       .name = bind_source(&left, x->target)};
	struct dbg_error *err =
	    bind_value(&left, bind_unconditional(&left, x->target), &place);
	if (err)
		return err;
	a.type = place->type;
	if (!assignment_writes(place))
		return dbg_err_cs(
		    131,
		    dbg_err(DBG_E_ARGUMENT,
			    "'%s' is not a variable that can be assigned to",
			    a.name));
	if (a.type->is_value && a.type->special != TYPE_SPECIAL_NULLABLE)
		return dbg_err_cs(37,
				  dbg_err(DBG_E_ARGUMENT, "'%s' cannot be null",
					  type_name(left.ts, a.type)));
	if (x->value->kind == EXPR_DEFAULT && !x->value->type)
		return NULL;
	right.wanted = assignment_enum(a.type);
	return check_value(&a, &right, x->value);
}

/* ---- Chains: `a = b = c` ------------------------------------------------- */

/*
 * `a = b = c`. C# finds the places from left to right, then evaluates c, then
 * writes from right to left. Carried out only where the places are the same
 * whenever they are looked for, and no call stands between what is written.
 */

enum {
	CHAIN_MAX = 8
};

struct chain {
	struct binder b; /* makes no calls */
	struct eval plain;
	const struct expr *targets[CHAIN_MAX]; /* as written */
	struct assignment to[CHAIN_MAX];
	struct value values[CHAIN_MAX];
	size_t n;
};

static struct dbg_error *not_chained(const struct chain *c, size_t i)
{
	return dbg_err(DBG_E_UNSUPPORTED,
		       "'%s' cannot be assigned to in a chain: assign to one "
		       "after the other",
		       bind_source(&c->b, c->targets[i]));
}

/*
 * Is @n, written @x, the same place whatever is evaluated and written before?
 * A variable, a field of `this`, what is static; unless a setter is called.
 */
static bool is_fixed(struct binder *b, const struct expr *x,
		     const struct bound *n)
{
	bool is_static = n->kind == BOUND_FIELD
			     ? !n->a
			     : n->kind == BOUND_CALL &&
				   (n->method->flags & TYPE_METHOD_STATIC);
	bool is_own = x->kind == EXPR_MEMBER &&
		      (x->a->kind == EXPR_THIS || x->a->kind == EXPR_BASE);
	return !assigncall_sets(b, n) &&
	       (x->kind == EXPR_NAME || x->kind == EXPR_THIS || is_own ||
		(x->kind == EXPR_MEMBER && is_static));
}

static struct dbg_error *chain_place(struct chain *c, size_t i)
{
	const struct expr *x = c->targets[i];
	const struct thread_ref *t = c->plain.scope->thread;
	struct assignment *a = &c->to[i];
	struct bound *place = NULL;
	bool in_heap;
	*a = (struct assignment){
	    .b = &c->b, .name = bind_source(&c->b, x), .ret = &a->to};
	if (x->kind == EXPR_NAME && dollar_names(x->name))
		return not_chained(c, i);
	struct dbg_error *err = assignment_place(a, x, &place);
	bool refused =
	    (place && assignment_writes(place) && !is_fixed(&c->b, x, place)) ||
	    (!err && a->to.where != VALUE_MEMORY);
	if (refused) {
		dbg_error_destroy(err);
		return not_chained(c, i);
	}
	// not while the collector is at work
	return err ? err
		   : dac_heap_holds(values_dac(c->plain.values), t ? t->tid : 0,
				    a->to.addr, &in_heap);
}

/* Keep what it is now: a later one is written from it. */
static struct dbg_error *chain_keep(struct chain *c, size_t i)
{
	struct value *v = &c->values[i];
	size_t n =
	    v->type->is_reference ? sizeof(uint64_t) : type_size(v->type);
	uint8_t bytes[sizeof(v->bytes)];
	if (n > sizeof(bytes))
		return not_chained(c, i);
	if (!value_read(c->plain.values, v, 0, bytes, n))
		return dbg_err(DBG_E_MEMORY, "the new value cannot be read");
	*v = value_bytes(v->type, bytes, n);
	return NULL;
}

/* The value on the right, @x, as the last target is given it. */
static struct dbg_error *chain_value(struct chain *c, const struct eval *e,
				     const struct expr *x)
{
	struct binder right;
	struct bound *n;
	struct assignment *a = &c->to[c->n - 1];
	struct value *v = &c->values[c->n - 1];
	binder_init(&right, e, c->b.text);
	right.wanted = assignment_enum(a->type);
	struct dbg_error *err = bind_operand(&right, x, &n);
	if (!err)
		err = assignment_value(a, &right, n, v);
	if (!err)
		err = assignment_made(a, e, v, v);
	return err ? err : chain_keep(c, c->n - 1);
}

/*
 * Convert the value for target @i: the value of the target to the right of it,
 * with that target's type.
 */
static struct dbg_error *chain_convert(struct chain *c, size_t i)
{
	struct assignment *a = &c->to[i];
	struct bound *n = bound_value(&c->b, &c->values[i + 1],
				      c->to[i + 1].type, c->targets[i + 1]);
	// a box is an object that has to be made
	if (conversion_find(&c->b, n, a->type) == CONVERSION_BOX)
		return not_chained(c, i);
	struct dbg_error *err = assignment_value(a, &c->b, n, &c->values[i]);
	if (!err && assigncall_is_imaginary(c->plain.values, &c->values[i]))
		return not_chained(c, i);
	return err ? err : chain_keep(c, i);
}

static struct dbg_error *chain_write(struct chain *c, size_t i)
{
	const struct value *v = &c->values[i];
	bool null = value_is_null(c->plain.values, v);
	return assignment_store(&c->to[i], &c->to[i].to, null ? NULL : v);
}

struct dbg_error *bind_assign_each(const struct eval *e, const char *text,
				   const struct expr *const *targets,
				   const struct expr *const *values, size_t n,
				   struct value *ret)
{
	struct chain c = {.plain = *e};
	struct dbg_error *err = NULL;
	c.plain.calls = NULL;
	binder_init(&c.b, &c.plain, text);
	for (; c.n < n && c.n < CHAIN_MAX && !err; c.n++) {
		struct assignment *a = &c.to[c.n];
		struct bound *place, *v;
		const struct expr *x = c.targets[c.n] = targets[c.n];
		*a = (struct assignment){
		    .b = &c.b, .name = bind_source(&c.b, x), .ret = &a->to};
		err = assignment_place(a, x, &place);
		if (!err && a->to.where != VALUE_MEMORY)
			err = not_chained(&c, c.n);
		if (!err)
			err = bind_operand(&c.b, values[c.n], &v);
		if (!err)
			err = assignment_value(a, &c.b, v, &c.values[c.n]);
		if (!err && assigncall_is_imaginary(e->values, &c.values[c.n]))
			err = not_chained(&c, c.n);
		if (!err)
			err = chain_keep(&c, c.n);
	}
	for (size_t i = 0; !err && i < n; i++)
		err = chain_write(&c, i);
	if (!err)
		*ret = c.to[n - 1].to;
	return err;
}

struct dbg_error *bind_assign_chain(const struct eval *e, const char *text,
				    const struct expr *x, struct value *ret)
{
	struct chain c = {.plain = *e};
	struct dbg_error *err = NULL;
	c.plain.calls = NULL;
	binder_init(&c.b, &c.plain, text);
	for (; x->kind == EXPR_ASSIGN && x->op == OP_NONE; x = x->b) {
		if (c.n == CHAIN_MAX)
			return not_chained(&c, 0);
		c.targets[c.n++] = x->a;
	}
	for (size_t i = 0; !err && i < c.n; i++)
		err = chain_place(&c, i);
	if (!err)
		err = chain_value(&c, e, x);
	for (size_t i = c.n - 1; !err && i-- > 0;)
		err = chain_convert(&c, i);
	for (size_t i = c.n; !err && i-- > 0;)
		err = chain_write(&c, i);
	if (!err)
		*ret = c.to[0].to;
	return err;
}
