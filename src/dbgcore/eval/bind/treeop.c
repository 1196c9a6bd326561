/*
 * Operators of an expression tree. Where the left side uses no parameter it is
 * computed when the tree is made, and the side that C# would not evaluate is
 * neither computed nor part of the tree.
 */
#include "base/err.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindtree_priv.h"
#include "eval/bind/conversion.h"

/* Expression's methods, in the order of enum op. */
static const char *const factories[N_OPS] = {
    [OP_ADD] = "Add",
    [OP_SUBTRACT] = "Subtract",
    [OP_MULTIPLY] = "Multiply",
    [OP_DIVIDE] = "Divide",
    [OP_REMAINDER] = "Modulo",
    [OP_SHIFT_LEFT] = "LeftShift",
    [OP_SHIFT_RIGHT] = "RightShift",
    [OP_AND] = "And",
    [OP_OR] = "Or",
    [OP_XOR] = "ExclusiveOr",
    [OP_EQUAL] = "Equal",
    [OP_NOT_EQUAL] = "NotEqual",
    [OP_LESS] = "LessThan",
    [OP_GREATER] = "GreaterThan",
    [OP_LESS_EQUAL] = "LessThanOrEqual",
    [OP_GREATER_EQUAL] = "GreaterThanOrEqual",
    [OP_AND_ALSO] = "AndAlso",
    [OP_OR_ELSE] = "OrElse",
    [OP_COALESCE] = "Coalesce",
    [OP_PLUS] = "UnaryPlus",
    [OP_MINUS] = "Negate",
    [OP_NOT] = "Not",
    [OP_COMPLEMENT] = "Not",
};

/* Without Nullable. */
static struct type *bare(struct type *type)
{
	return type->special == TYPE_SPECIAL_NULLABLE ? type->args[0] : type;
}

static bool is_number(const struct type *type)
{
	return type->kind == TYPE_KIND_ENUM || type_is_numeric(type);
}

/* What both operands are converted to; NULL: each stays what it is. */
static struct type *promoted(struct binder *b, enum op op,
			     const struct bound *l, const struct bound *r)
{
	struct type *x = bare(l->type), *y = bare(r->type), *to = NULL;
	bool same = x == y && (op == OP_EQUAL || op == OP_NOT_EQUAL);
	if (same || (x == y && !is_number(x)))
		to = x;
	else if (is_number(x) && is_number(y))
		to = bind_prim(b, numeric_common(l, r));
	else if (is_number(x) && y->special == TYPE_SPECIAL_DECIMAL)
		to = y;
	else if (is_number(y) && x->special == TYPE_SPECIAL_DECIMAL)
		to = x;
	return to && to->is_value && (x != l->type || y != r->type)
		   ? type_nullable(b->ts, to)
		   : to;
}

/* The types that the operands are to have. */
static void operands(struct binder *b, const struct expr *x,
		     const struct bound *l, const struct bound *r,
		     struct type *types[2])
{
	struct type *to;
	types[0] = l->type ? l->type : r->type;
	types[1] = r->type ? r->type : l->type;
	if (x->op == OP_COALESCE) {
		if (r->type != l->type && bare(l->type) != r->type)
			types[1] = l->type;
		return;
	}
	if (x->op == OP_SHIFT_LEFT || x->op == OP_SHIFT_RIGHT) {
		types[0] = promoted(b, x->op, l, l);
		return;
	}
	to = types[0] ? promoted(b, x->op, l->type ? l : r, r->type ? r : l)
		      : NULL;
	if (to)
		types[0] = types[1] = to;
}

/* string.Concat, which is what + means there. */
static struct dbg_error *concatenation(struct tree *t, const struct expr *x,
				       struct bound **ret)
{
	struct type *object = bind_prim(t->b, ELEM_OBJECT);
	struct type *string = bind_prim(t->b, ELEM_STRING);
	struct bound *l, *r, *args[3], *types[2];
	struct dbg_error *err = bind_operand(t->b, x->a, &l);
	if (!err)
		err = bind_operand(t->b, x->b, &r);
	if (err)
		return err;
	struct type *to =
	    l->type == string && r->type == string ? string : object;
	err = tree_to(t, x->a, to, &args[0]);
	if (!err)
		err = tree_to(t, x->b, to, &args[1]);
	t->at = x;
	types[0] = types[1] = bound_type_object(t->b, to, x);
	if (!err)
		err = tree_method(t, string, "Concat", types, 2, &args[2]);
	return err ? err : tree_make(t, "Add", args, 3, ret);
}

/* One of these trees is made, as @test, which uses no parameter, tells. */
static struct dbg_error *decided(struct tree *t, struct bound *test,
				 struct bound *yes, struct bound *no,
				 struct bound **ret)
{
	struct dbg_error *err = convert(t->b, yes, t->factory, &yes);
	if (!err)
		err = convert(t->b, no, t->factory, &no);
	if (!err)
		*ret = bound_choice(t->b, test, yes, no);
	return err;
}

/* && and || whose left side, @l, decides now whether the right one counts. */
static struct dbg_error *decided_logical(struct tree *t, const struct expr *x,
					 struct bound *l, struct bound **ret)
{
	struct type *boolean = bind_prim(t->b, ELEM_BOOLEAN);
	bool and = x->op == OP_AND_ALSO;
	struct bound *fixed = bound_int(t->b, ELEM_BOOLEAN, !and, x), *r;
	if (bind_has_truth(t->b, l))
		return tree_refused(t, x);
	struct dbg_error *err = convert(t->b, l, boolean, &l);
	if (!err)
		err = tree_to(t, x->b, boolean, &r);
	t->at = x;
	if (!err)
		err = tree_constant(t, fixed, boolean, &fixed);
	return err ? err : decided(t, l, and? r : fixed, and? fixed : r, ret);
}

/* ... and ??, whose value is a @to. */
static struct dbg_error *decided_coalesce(struct tree *t, const struct expr *x,
					  struct bound *l, struct type *to,
					  struct bound **ret)
{
	struct bound *store, *value, *test, *yes, *no;
	struct bound *null = bound_make(t->b, BOUND_NULL, NULL, x);
	struct dbg_error *err;
	l = value = bound_keep(t->b, l, &store);
	if (bound_is_nullable(l))
		err = bound_open(t->b, l, &test, &value);
	else // as object: an operator != of its type is not asked
		err = convert(t->b, l, bind_prim(t->b, ELEM_OBJECT), &test);
	if (!err && value == l)
		err = bind_operator(t->b, OP_NOT_EQUAL, test, null, x, &test);
	if (!err)
		err = tree_constant(t, value, to, &yes);
	if (!err)
		err = tree_to(t, x->b, to, &no);
	t->at = x;
	if (!err)
		err = decided(t, test, yes, no, ret);
	if (!err)
		*ret = bound_after(t->b, &store, 1, *ret);
	return err;
}

struct dbg_error *tree_binary(struct tree *t, const struct expr *x,
			      struct bound *v, struct bound **ret)
{
	struct bound *l, *r, *args[2];
	struct type *types[2];
	if (!factories[x->op])
		return tree_refused(t, x);
	if (x->op == OP_ADD && v->type->special == TYPE_SPECIAL_STRING)
		return concatenation(t, x, ret);
	struct dbg_error *err = bind_operand(t->b, x->a, &l);
	if (!err)
		err = bind_operand(t->b, x->b, &r);
	if (err)
		return err;
	if (x->op == OP_COALESCE && !tree_uses(t, l))
		return decided_coalesce(t, x, l, v->type, ret);
	if ((x->op == OP_AND_ALSO || x->op == OP_OR_ELSE) && !tree_uses(t, l))
		return decided_logical(t, x, l, ret);
	operands(t->b, x, l, r, types);
	if (!types[0] || !types[1])
		return tree_refused(t, x);
	err = tree_to(t, x->a, types[0], &args[0]);
	if (!err)
		err = tree_to(t, x->b, types[1], &args[1]);
	t->at = x;
	if (!err)
		err = tree_make(t, factories[x->op], args, 2, ret);
	if (err || bare(v->type)->kind != TYPE_KIND_ENUM)
		return err;
	return tree_as(t, *ret, types[0], v->type, ret);
}

struct dbg_error *tree_unary(struct tree *t, const struct expr *x,
			     struct bound *v, struct bound **ret)
{
	struct bound *args[1];
	if (!factories[x->op])
		return tree_refused(t, x);
	struct dbg_error *err = tree_to(t, x->a, v->type, &args[0]);
	t->at = x;
	return err ? err : tree_make(t, factories[x->op], args, 1, ret);
}

struct dbg_error *tree_choice(struct tree *t, const struct expr *x,
			      struct bound *v, struct bound **ret)
{
	struct bound *args[4], *test;
	struct dbg_error *err = bind_operand(t->b, x->a, &test);
	bool now = !err && !tree_uses(t, test);
	if (now)
		err = bind_truth(t->b, test, x->a, &test);
	else if (!err)
		err = tree_to(t, x->a, bind_prim(t->b, ELEM_BOOLEAN), &args[0]);
	if (!err)
		err = tree_to(t, x->b, v->type, &args[1]);
	if (!err)
		err = tree_to(t, x->c, v->type, &args[2]);
	t->at = x;
	if (err || now)
		return err ? err : decided(t, test, args[1], args[2], ret);
	args[3] = bound_type_object(t->b, v->type, x);
	return tree_make(t, "Condition", args, 4, ret);
}
