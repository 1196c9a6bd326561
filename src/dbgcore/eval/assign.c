/*
 * Assignments: C#'s, over the stopped program. The target is evaluated to a
 * place of some static type, the value is converted to that type as C# does
 * it (convert.c), references by what the object is at run time, and written.
 * What C# would do by making an object is refused: a box, a string.
 */
#include "eval/eval.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/arith.h"
#include "eval/cast.h"
#include "eval/convert.h"
#include "eval/dollar.h"
#include "eval/eval_priv.h"
#include "il/vm.h"

struct assignment {
	const struct eval *e;
	const char *name;  /* the target as written */
	struct value to;   /* its place, by-refs followed */
	struct value ref;  /* the value if it is a reference, else no type */
	struct value *ret; /* the place afterwards */
};

/* ---- The place ------------------------------------------------------- */

static struct dbg_error *no_place(const struct run *r, const struct expr *x,
				  const struct value *v)
{
	const char *name = run_source(r, x);
	if (v->where == VALUE_ABSENT && v->why == WHY_OPTIMIZED)
		return dbg_err(DBG_E_STATE,
			       "'%s' is optimized out: there is no place for "
			       "a value",
			       name);
	if (v->where == VALUE_ABSENT)
		return dbg_err(DBG_E_MEMORY, "'%s' cannot be read", name);
	return dbg_err(DBG_E_ARGUMENT,
		       "'%s' is not a variable that can be assigned to", name);
}

/* What cannot be written although it has an address. */
static struct dbg_error *check_target(struct run *r, const struct expr *x,
				      const struct operand *o)
{
	const char *name = run_source(r, x);
	struct type *type = o->value.type;
	struct value of;
	if (o->behind)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "property '%s' is set by a call, which is not "
			       "served yet: its getter returns the field '%s'",
			       name, o->behind->name);
	if (x->kind == EXPR_THIS && type->kind == TYPE_CLASS)
		return dbg_err(DBG_E_ARGUMENT, "'this' cannot be assigned to");
	if (x->kind == EXPR_NAME && history_names(x->name))
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is not a variable that can be assigned to",
			       name);
	// A cast of a reference has the reference's place but another type.
	if ((x->kind == EXPR_CAST || x->kind == EXPR_AS) &&
	    type->kind == TYPE_CLASS)
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is not a variable that can be assigned to",
			       name);
	if (x->kind != EXPR_INDEX)
		return NULL;
	struct dbg_error *err = run_plain(r, x->a, &of);
	if (err)
		return err;
	if (!strcmp(type_simple_name(of.type), "ReadOnlySpan`1") ||
	    !strcmp(type_simple_name(of.type), "ReadOnlyMemory`1"))
		return dbg_err(DBG_E_ARGUMENT,
			       "elements of '%s' cannot be assigned to",
			       of.type->name);
	return NULL;
}

static struct dbg_error *find_place(struct run *r, const struct expr *x,
				    struct value *ret)
{
	struct operand o;
	struct value v;
	struct dbg_error *err = run_node(r, x, &o);
	if (err)
		return err;
	if (o.kind == OPERAND_SHORT)
		return dbg_err(DBG_E_ARGUMENT, "'%s' is null",
			       run_source(r, x));
	if (o.kind != OPERAND_VALUE)
		return run_value(r, x, &v); // says what it is
	v = o.value;
	if (v.where != VALUE_ABSENT) {
		err = check_target(r, x, &o);
		if (err)
			return err;
		if (v.type->kind == TYPE_BYREF)
			v = value_target(r->e->types, &v);
	}
	if (v.where != VALUE_MEMORY && !v.in_register)
		return no_place(r, x, &v);
	type_mt(r->e->types, v.type);
	*ret = v;
	return NULL;
}

/* ---- The value ------------------------------------------------------- */

/* The JIT keeps numbers of less than 32 bits widened to these. */
static struct dbg_error *store_register(const struct assignment *a,
					const struct value *to,
					const struct value *from)
{
	struct dbg_error *err;
	struct types *ts = a->e->types;
	const struct frame *f = a->e->scope->frame;
	uint64_t word = 0;
	size_t n = to->type->kind == TYPE_CLASS ? sizeof(word) : to->type->size;
	unsigned int reg;
	if (!a->e->stack || !f || !n || n > sizeof(word))
		return dbg_err(DBG_E_STATE, "it is in several registers");
	if (from && !value_integer(ts, from, &word) &&
	    !value_read(ts, from, 0, &word, n))
		return dbg_err(DBG_E_MEMORY, "the new value cannot be read");
	if (n < sizeof(word))
		word = (uint32_t)word;
	err = stack_var_register(ts, f, to->in_register, &reg);
	if (!err)
		err = stack_register_set(a->e->stack, f, reg, word);
	if (!err)
		memcpy(a->ret->bytes, &word, sizeof(word));
	return err;
}

/*
 * Does the value hold a reference to what only the debugger has? Its
 * addresses are none that a program may have.
 */
static bool is_imaginary(const struct assignment *a, const struct value *from)
{
	struct types *ts = a->e->types;
	size_t size = from->type->kind == TYPE_CLASS ? sizeof(uint64_t)
						     : from->type->size;
	for (size_t at = 0; at + sizeof(uint64_t) <= size;
	     at += sizeof(uint64_t)) {
		uint64_t word;
		if (value_read(ts, from, at, &word, sizeof(word)) &&
		    vm_owns(NULL, word))
			return true;
	}
	return false;
}

static struct dbg_error *store(const struct assignment *a,
			       const struct value *to, const struct value *from)
{
	if (from && is_imaginary(a, from))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "an object for '%s' is made by a call, which is "
			       "not served yet: only the debugger has the one "
			       "that is assigned",
			       a->name);
	struct dbg_error *err =
	    to->in_register
		? store_register(a, to, from)
		: value_store(a->e->types, a->e->scope->thread, to, from);
	return err ? dbg_err_prefix(err, "cannot write '%s'", a->name) : NULL;
}

static struct dbg_error *not_null(const struct type *type)
{
	return dbg_err(DBG_E_ARGUMENT, "'%s' cannot be null", type->name);
}

static struct dbg_error *assign(const struct assignment *a,
				const struct value *to, const struct value *v);

/* null, or a value, which is first written behind a "has none". */
static struct dbg_error *assign_nullable(const struct assignment *a,
					 const struct value *to,
					 const struct value *v)
{
	struct types *ts = a->e->types;
	const struct field *has = type_field(ts, to->type, "hasValue");
	const struct field *inner = type_field(ts, to->type, "value");
	if (value_is_null(ts, v))
		return store(a, to, NULL);
	if (!has || !inner)
		return dbg_err(DBG_E_RUNTIME, "'%s' is not loaded",
			       to->type->name);
	struct value part = value_field(ts, to, inner);
	struct dbg_error *err = assign(a, &part, v);
	if (err)
		return err;
	struct value yes = arith_make_bool(ts, true);
	part = value_field(ts, to, has);
	return store(a, &part, &yes);
}

static struct dbg_error *assign_struct(const struct assignment *a,
				       const struct value *to,
				       const struct value *v)
{
	struct types *ts = a->e->types;
	struct value number;
	if (to->type->special == SPECIAL_NULLABLE)
		return assign_nullable(a, to, v);
	if (type_same(ts, v->type, to->type))
		return store(a, to, v);
	if (value_is_null(ts, v))
		return not_null(to->type);
	if (to->type->special != SPECIAL_DECIMAL)
		return convert_refuse(v->type, to->type);
	struct dbg_error *err = convert_number(ts, v, to->type, &number);
	return err ? err : store(a, to, &number);
}

static struct dbg_error *assign_reference(const struct assignment *a,
					  const struct value *to,
					  const struct value *v)
{
	struct types *ts = a->e->types;
	if (value_is_null(ts, v))
		return store(a, to, NULL);
	if (v->where == VALUE_TEXT)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "a new string is made by a call, which is not "
			       "served yet: only a string that the program "
			       "has can be assigned to '%s'",
			       a->name);
	if (!cast_assignable(ts, v->type, to->type))
		return convert_refuse(v->type, to->type);
	if (a->ref.type)
		return store(a, to, &a->ref);
	return dbg_err(DBG_E_UNSUPPORTED,
		       "a box for '%s' is made by a call, which is not "
		       "served yet; '(%s)%s' is the value in the box that is "
		       "there",
		       v->type->name, v->type->name, a->name);
}

static struct dbg_error *assign_pointer(const struct assignment *a,
					const struct value *to,
					const struct value *v)
{
	struct types *ts = a->e->types;
	if (value_is_null(ts, v))
		return store(a, to, NULL);
	struct type *inner = to->type->inner;
	bool opaque = inner && inner->kind == TYPE_VOID;
	if (v->type->kind != TYPE_POINTER ||
	    (!opaque && !type_same(ts, v->type, to->type)))
		return convert_refuse(v->type, to->type);
	return store(a, to, v);
}

/* @v is settled, and opened if it is a Nullable. */
static struct dbg_error *assign(const struct assignment *a,
				const struct value *to, const struct value *v)
{
	struct value number;
	struct dbg_error *err;
	switch (to->type->kind) {
	case TYPE_PRIM:
	case TYPE_ENUM:
		if (value_is_null(a->e->types, v))
			return not_null(to->type);
		err = convert_number(a->e->types, v, to->type, &number);
		return err ? err : store(a, to, &number);
	case TYPE_STRUCT:
		return assign_struct(a, to, v);
	case TYPE_CLASS:
		return assign_reference(a, to, v);
	case TYPE_POINTER:
		return assign_pointer(a, to, v);
	case TYPE_BYREF:
	case TYPE_VOID:
		break;
	}
	return dbg_err(DBG_E_ARGUMENT, "'%s' cannot be assigned to", a->name);
}

/* ---- Entries --------------------------------------------------------- */

/* The enum behind a type, whose names may stand bare in the value. */
static struct type *enum_of(struct type *type)
{
	if (type->special == SPECIAL_NULLABLE && type->n_args == 1)
		type = type->args[0];
	return type->kind == TYPE_ENUM ? type : NULL;
}

/* The value, settled; a->ref, if what stands there is a reference. */
static struct dbg_error *evaluate(struct assignment *a, struct run *r,
				  const struct expr *x, struct value *ret)
{
	struct value raw;
	struct dbg_error *err = run_plain(r, x, ret);
	if (!err)
		err = run_value(r, x, &raw);
	if (err)
		return err;
	if (raw.type->kind == TYPE_BYREF)
		raw = value_target(r->e->types, &raw);
	if (raw.where != VALUE_ABSENT && raw.type->kind == TYPE_CLASS)
		a->ref = raw;
	return NULL;
}

static struct dbg_error *carry_out(struct run *left, const struct expr *target,
				   struct run *right, const struct expr *value,
				   struct value *ret)
{
	struct assignment a = {.e = left->e, .ret = ret};
	struct value v;
	a.name = run_source(left, target);
	if (target->kind == EXPR_NAME && dollar_names(target->name)) {
		struct dbg_error *bad = run_value(right, value, ret);
		return bad ? bad : dollar_set(left->e, target->name, ret);
	}
	struct dbg_error *err = find_place(left, target, &a.to);
	if (err)
		return err;
	*ret = a.to;
	right->wanted = enum_of(a.to.type);
	if (value->kind == EXPR_DEFAULT && !value->type)
		return store(&a, &a.to, NULL);
	err = evaluate(&a, right, value, &v);
	return err ? err : assign(&a, &a.to, &v);
}

struct dbg_error *eval_assign(const struct eval *e, const char *target,
			      const char *value, struct value *ret)
{
	struct expr *x, *v;
	struct eval places = *e;
	// what a call returns is no place to assign to
	places.vm = NULL;
	struct run left = {.e = &places, .text = target};
	struct run right = {.e = e, .text = value};
	struct dbg_error *err = expr_parse(target, e->arena, &x);
	if (!err)
		err = expr_parse(value, e->arena, &v);
	return err ? err : carry_out(&left, x, &right, v, ret);
}

struct dbg_error *eval_statement(const struct eval *e, const char *text,
				 struct value *ret, bool *ret_assigned)
{
	struct expr *x;
	struct eval places = *e;
	places.vm = NULL;
	struct run left = {.e = &places, .text = text};
	struct run right = {.e = e, .text = text};
	struct dbg_error *err = expr_parse(text, e->arena, &x);
	if (err)
		return err;
	*ret_assigned = x->kind == EXPR_ASSIGN;
	if (!*ret_assigned)
		return run_value(&right, x, ret);
	// a += b is a = a + b, but that a is looked at once.
	struct expr sum = *x;
	sum.kind = EXPR_BINARY;
	return carry_out(&left, x->a, &right, x->op ? &sum : x->b, ret);
}
