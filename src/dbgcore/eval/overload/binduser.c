/* Operators that types define (ECMA-334, 12.4.3 to 12.4.5, 12.14.3). */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/assign/bindassign.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindop.h"
#include "eval/overload/conversion.h"
#include "eval/overload/overload.h"

static const char *const method_names[N_OPS] = {
    [OP_ADD] = "op_Addition",
    [OP_SUBTRACT] = "op_Subtraction",
    [OP_MULTIPLY] = "op_Multiply",
    [OP_DIVIDE] = "op_Division",
    [OP_REMAINDER] = "op_Modulus",
    [OP_SHIFT_LEFT] = "op_LeftShift",
    [OP_SHIFT_RIGHT] = "op_RightShift",
    [OP_SHIFT_UNSIGNED] = "op_UnsignedRightShift",
    [OP_AND] = "op_BitwiseAnd",
    [OP_OR] = "op_BitwiseOr",
    [OP_XOR] = "op_ExclusiveOr",
    [OP_EQUAL] = "op_Equality",
    [OP_NOT_EQUAL] = "op_Inequality",
    [OP_LESS] = "op_LessThan",
    [OP_GREATER] = "op_GreaterThan",
    [OP_LESS_EQUAL] = "op_LessThanOrEqual",
    [OP_GREATER_EQUAL] = "op_GreaterThanOrEqual",
    [OP_PLUS] = "op_UnaryPlus",
    [OP_MINUS] = "op_UnaryNegation",
    [OP_NOT] = "op_LogicalNot",
    [OP_COMPLEMENT] = "op_OnesComplement",
    [OP_INCREMENT] = "op_Increment",
    [OP_DECREMENT] = "op_Decrement",
};

/* `x op= y` and `++x` of C# 14, which change what x is: no static ones. */
static const char *const assignment_names[N_OPS] = {
    [OP_ADD] = "op_AdditionAssignment",
    [OP_SUBTRACT] = "op_SubtractionAssignment",
    [OP_MULTIPLY] = "op_MultiplicationAssignment",
    [OP_DIVIDE] = "op_DivisionAssignment",
    [OP_REMAINDER] = "op_ModulusAssignment",
    [OP_SHIFT_LEFT] = "op_LeftShiftAssignment",
    [OP_SHIFT_RIGHT] = "op_RightShiftAssignment",
    [OP_SHIFT_UNSIGNED] = "op_UnsignedRightShiftAssignment",
    [OP_AND] = "op_BitwiseAndAssignment",
    [OP_OR] = "op_BitwiseOrAssignment",
    [OP_XOR] = "op_ExclusiveOrAssignment",
    [OP_INCREMENT] = "op_IncrementAssignment",
    [OP_DECREMENT] = "op_DecrementAssignment",
};

static size_t operator_methods(struct binder *b, struct type *type,
			       const char *name, struct type_method **ret,
			       size_t max)
{
	size_t n = 0;
	if (type->special == TYPE_SPECIAL_NULLABLE)
		type = type->args[0];
	while (
	    type && !n &&
	    (type->kind == TYPE_KIND_CLASS || type->kind == TYPE_KIND_STRUCT)) {
		n = methods_named(b, type, name, ret, max);
		if (dbg_err_drop(type_parent(b->ts, type, &type)))
			break;
	}
	return n;
}

/*
 * Get the operators @name of both operands' types, up to 64; returns how many.
 */
static size_t both_operands(struct binder *b, const char *name,
			    const struct bound *l, const struct bound *r,
			    struct type_method **ret)
{
	size_t n = 0;
	if (l->type)
		n = operator_methods(b, l->type, name, ret, 32);
	if (r && r->type && r->type != l->type)
		n += operator_methods(b, r->type, name, ret + n, 32);
	return n;
}

static const char *checked_name(struct binder *b, const char *name)
{
	return arena_printf(b->arena, "op_Checked%s", name + 3);
}

/*
 * Resolve an operator of a constraint's interface on a type parameter, by the
 * type that it stands for in this instance.
 */
static struct dbg_error *constraint_operator(struct binder *b, enum op op,
					     struct call *c,
					     struct choice *best)
{
	struct dbg_error *err = NULL;
	for (size_t i = 0; !err && !best->method && i < c->n; i++) {
		struct type *type = c->args[i]->type;
		if (type && (!i || type != c->args[0]->type) &&
		    numeric_is_argument(b, type))
			err = call_implemented(b, type, method_names[op], c,
					       best);
	}
	return err;
}

/*
 * Is a value of a type parameter compared with null? That is always by
 * reference.
 */
static bool is_null_test(struct binder *b, const struct bound *l,
			 const struct bound *r)
{
	const struct bound *v = l->kind == BOUND_NULL ? r : l;
	const struct bound *null = v == l ? r : l;
	return null->kind == BOUND_NULL && v->type && v->type->is_reference &&
	       numeric_is_argument(b, v->type);
}

/*
 * == and != compare delegates of one type, not those that are known as Delegate
 * or MulticastDelegate alone: the compiler compares references there.
 */
static bool is_reference_test(const struct bound *l, const struct bound *r)
{
	bool base = l->type && r->type &&
		    (l->type->special == TYPE_SPECIAL_DELEGATE ||
		     r->type->special == TYPE_SPECIAL_DELEGATE);
	return base && (l->type != r->type || !strcmp(type_simple_name(l->type),
						      "MulticastDelegate"));
}

struct dbg_error *bind_user_operator(struct binder *b, enum op op,
				     struct bound *l, struct bound *r,
				     const struct expr *x, struct bound **ret)
{
	struct type_method *all[64];
	struct call c = {
	    .x = x, .name = op_text(op), .args = {l, r}, .n = r ? 2 : 1};
	struct choice best = {0};
	size_t n = 0;
	*ret = NULL;
	if (!method_names[op] ||
	    ((op == OP_EQUAL || op == OP_NOT_EQUAL) && r &&
	     (is_reference_test(l, r) || is_null_test(b, l, r))))
		return NULL;
	if (b->checked)
		n = both_operands(b, checked_name(b, method_names[op]), l, r,
				  all);
	if (!n)
		n = both_operands(b, method_names[op], l, r, all);
	struct dbg_error *err = call_resolve(b, &c, all, n, &best);
	if (!err && !best.method)
		err = constraint_operator(b, op, &c, &best);
	if (!err && best.method)
		*ret = bound_call(b, best.method, best.args, c.n, best.sig->ret,
				  x);
	return err;
}

struct dbg_error *bind_extension_operator(struct binder *b, enum op op,
					  struct bound *l, struct bound *r,
					  const struct expr *x,
					  struct bound **ret)
{
	struct call c = {
	    .x = x, .name = op_text(op), .args = {l, r}, .n = r ? 2 : 1};
	struct choice best = {0};
	*ret = NULL;
	if (!method_names[op] || !l->type)
		return NULL;
	struct dbg_error *err =
	    call_extension_operator(b, method_names[op], &c, &best);
	if (!err && best.method)
		*ret = bound_call(b, best.method, best.args, c.n, best.sig->ret,
				  x);
	return err;
}

struct dbg_error *bind_user_step(struct binder *b, enum op op, struct bound *v,
				 const struct expr *x, struct bound **ret)
{
	return bind_user_operator(b, op, v, NULL, x, ret);
}

struct dbg_error *bind_user_assignment(struct binder *b, enum op op,
				       struct bound *to, struct bound *v,
				       const struct expr *x, struct bound **ret)
{
	const char *name = assignment_names[op];
	struct dbg_error *err = NULL;
	*ret = NULL;
	// one that is called on a copy of a value would change the copy
	if (!name || !to->type ||
	    (to->type->is_value && dbg_err_drop(bind_by_ref(b, to, x))))
		return NULL;
	for (int checked = b->checked; !err && !*ret && checked >= 0;
	     checked--) {
		struct call c = {.x = x, .args = {v}, .n = v != NULL};
		c.name = checked ? checked_name(b, name) : name;
		err = call_assignment_operator(b, to, &c, ret);
	}
	return err;
}

/* op_True or op_False of @v; NULL: its type has none. */
static struct bound *truth_operator(struct binder *b, const char *name,
				    struct bound *v)
{
	struct type_method *m;
	if (!v->type || !operator_methods(b, v->type, name, &m, 1))
		return NULL;
	return bound_call(b, m, &v, 1, bind_prim(b, ELEM_BOOLEAN), v->syntax);
}

bool bind_has_truth(struct binder *b, struct bound *v)
{
	return truth_operator(b, "op_True", v) != NULL;
}

struct dbg_error *bind_truth(struct binder *b, struct bound *v,
			     const struct expr *x, struct bound **ret)
{
	struct bound *test = truth_operator(b, "op_True", v);
	(void)x;
	if (!test)
		return convert(b, v, bind_prim(b, ELEM_BOOLEAN), ret);
	*ret = test;
	return NULL;
}

/* x && y of a type with operators: false(x) ? x : x & y (12.14.3). */
struct dbg_error *bind_user_logical(struct binder *b, const struct expr *x,
				    struct bound *const *v, struct bound **ret)
{
	bool and = x->op == OP_AND_ALSO;
	struct bound *store, *l = bound_keep(b, v[0], &store), *both;
	struct bound *test = truth_operator(b, and? "op_False" : "op_True", l);
	if (!test)
		return bind_error(b, x, "'%s' has no operator false",
				  type_name(b->ts, l->type));
	struct dbg_error *err =
	    bind_operator(b, and? OP_AND : OP_OR, l, v[1], x, &both);
	if (!err)
		*ret =
		    bound_after(b, &store, 1, bound_choice(b, test, l, both));
	return err;
}
