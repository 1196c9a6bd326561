/* The nodes of an expression tree, by the kind of their syntax. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/overload/bindlambda.h"
#include "eval/bind/bindop.h"
#include "eval/tree/bindtree_priv.h"
#include "eval/overload/conversion.h"

/* ---- Operators ------------------------------------------------------- */

/*
 * Operators of an expression tree. Where the left side uses no parameter it is
 * computed when the tree is made, and the side that C# would not evaluate is
 * neither computed nor part of the tree.
 */

static struct dbg_error *tree_refused(struct tree *t, const struct expr *x);

static struct dbg_error *tree_method(struct tree *t, struct type *owner,
				     const char *name,
				     struct bound *const *types, size_t n,
				     struct bound **ret);

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

/* The type without Nullable. */
static struct type *bare(struct type *type)
{
	return type->special == TYPE_SPECIAL_NULLABLE ? type->args[0] : type;
}

static bool is_number(const struct type *type)
{
	return type->kind == TYPE_KIND_ENUM || type_is_numeric(type);
}

/* The type that both operands are converted to; NULL: each keeps its own. */
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

/*
 * Make one of two trees at run time, by the value of @test, which uses no
 * parameter.
 */
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

static struct dbg_error *tree_binary(struct tree *t, const struct expr *x,
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

static struct dbg_error *tree_unary(struct tree *t, const struct expr *x,
				    struct bound *v, struct bound **ret)
{
	struct bound *args[1];
	if (!factories[x->op])
		return tree_refused(t, x);
	struct dbg_error *err = tree_to(t, x->a, v->type, &args[0]);
	t->at = x;
	return err ? err : tree_make(t, factories[x->op], args, 1, ret);
}

static struct dbg_error *tree_choice(struct tree *t, const struct expr *x,
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

/* ---- Nodes ----------------------------------------------------------- */

/*
 * Make the error that @x cannot be in an expression tree, with text and column.
 */
static struct dbg_error *tree_refused(struct tree *t, const struct expr *x)
{
	return bind_error(t->b, x, "'%s' cannot be part of an expression tree",
			  bind_source(t->b, x));
}

/* ---- Conversions and types --------------------------------------------- */

/* The operand as what it is. */
static struct dbg_error *own(struct tree *t, const struct expr *x,
			     struct type **ret_type, struct bound **ret)
{
	struct bound *v;
	struct dbg_error *err = bind_value(t->b, x, &v);
	if (err)
		return err;
	*ret_type = v->type;
	return tree_to(t, x, v->type, ret);
}

static struct dbg_error *cast(struct tree *t, const struct expr *x,
			      struct bound *v, struct bound **ret)
{
	struct type *from;
	struct bound *args[2];
	struct dbg_error *err = own(t, x->a, &from, &args[0]);
	t->at = x;
	args[1] = bound_type_object(t->b, v->type, x);
	return err ? err
		   : tree_make(t, x->kind == EXPR_AS ? "TypeAs" : "Convert",
			       args, 2, ret);
}

static struct dbg_error *type_test(struct tree *t, const struct expr *x,
				   struct bound *v, struct bound **ret)
{
	struct type *from, *type;
	struct bound *args[2];
	const struct expr *of = x->b->kind == PATTERN_TYPE && !x->b->name
				    ? x->b->type
				: x->b->kind == PATTERN_CONSTANT ? x->b->a
								 : NULL;
	(void)v;
	if (!of || dbg_err_drop(bind_type(t->b, of, &type)))
		return tree_refused(t, x);
	struct dbg_error *err = own(t, x->a, &from, &args[0]);
	t->at = x;
	args[1] = bound_type_object(t->b, type, x);
	return err ? err : tree_make(t, "TypeIs", args, 2, ret);
}

/* ---- Members and calls ----------------------------------------------- */

static struct dbg_error *variable(struct tree *t, const struct expr *x,
				  struct bound *v, struct bound **ret)
{
	const struct tree_name *name = t->names;
	while (name && name->var != v->var)
		name = name->outer;
	if (v->kind != BOUND_VAR || !name)
		return tree_refused(t, x);
	*ret = name->parameter;
	return NULL;
}

/* BindingFlags: DeclaredOnly, Instance, Public, NonPublic */
enum {
	OWN_MEMBERS = 0x36
};

/* The FieldInfo, or PropertyInfo, of what @owner itself declares. */
static struct dbg_error *info_named(struct tree *t, struct type *owner,
				    const char *name, bool field,
				    struct bound **ret)
{
	struct bound *of = bound_type_object(t->b, owner, t->at);
	struct bound *args[2];
	struct type *flags;
	struct dbg_error *err =
	    bind_core(t->b, "System.Reflection.BindingFlags", &flags);
	if (err)
		return err;
	args[0] = bound_text(t->b, name, t->at);
	args[1] = bound_make(t->b, BOUND_CONST, flags, t->at);
	args[1]->integer = OWN_MEMBERS;
	return tree_call(t, of, of->type, field ? "GetField" : "GetProperty",
			 args, 2, ret);
}

/* ... of what @v reads. */
static struct dbg_error *member_info(struct tree *t, const struct bound *v,
				     struct bound **ret)
{
	if (v->kind == BOUND_FIELD)
		return info_named(t, v->field->owner, v->field->name, true,
				  ret);
	return v->kind == BOUND_CALL && v->n_list == 1 &&
		       str_starts(v->method->name, "get_")
		   ? info_named(t, v->method->owner, v->method->name + 4, false,
				ret)
		   : tree_refused(t, t->at);
}

/* @x, bound as @v; Rest of a long tuple is in @v alone, not in the text. */
static struct dbg_error *member_of(struct tree *t, const struct expr *x,
				   const struct bound *v, struct bound **ret)
{
	struct type *from;
	struct bound *args[2];
	bool is_rest = v->kind == BOUND_FIELD && v->a &&
		       v->a->kind == BOUND_FIELD && v->a->syntax->end == x->end;
	struct dbg_error *err = is_rest ? member_of(t, x, v->a, &args[0])
					: own(t, x->a, &from, &args[0]);
	t->at = x;
	if (err || v->kind == BOUND_LENGTH)
		return err ? err : tree_make(t, "ArrayLength", args, 1, ret);
	err = member_info(t, v, &args[1]);
	return err ? err
		   : tree_make(t, v->kind == BOUND_FIELD ? "Field" : "Property",
			       args, 2, ret);
}

static struct dbg_error *member(struct tree *t, const struct expr *x,
				struct bound *v, struct bound **ret)
{
	return x->conditional ? tree_refused(t, x) : member_of(t, x, v, ret);
}

/* The MethodInfo, or ConstructorInfo, of a public member. */
static struct dbg_error *tree_method(struct tree *t, struct type *owner,
				     const char *name,
				     struct bound *const *types, size_t n,
				     struct bound **ret)
{
	struct binder *b = t->b;
	struct bound *of = bound_type_object(b, owner, t->at);
	bool constructor = !strcmp(name, ".ctor");
	struct bound *args[2];
	size_t k = 0;
	if (!constructor)
		args[k++] = bound_text(b, name, t->at);
	struct dbg_error *err = tree_array(t, of->type, types, n, &args[k++]);
	return err ? err
		   : tree_call(t, of, of->type,
			       constructor ? "GetConstructor" : "GetMethod",
			       args, k, ret);
}

static struct dbg_error *argument(struct tree *t, const struct expr *x,
				  struct bound *v, struct type *to,
				  struct bound **ret);

static struct dbg_error *elements(struct tree *t, const struct expr *x,
				  const struct bound *v, struct bound **ret)
{
	struct bound *args[2];
	struct bound **list =
	    arena_calloc(t->b->arena, v->n_list + 1, sizeof(*list));
	struct dbg_error *err = NULL;
	for (size_t i = 0; !err && i < v->n_list; i++)
		err = argument(t, x, v->list[i], v->type->inner, &list[i]);
	t->at = x;
	args[0] = bound_type_object(t->b, v->type->inner, x);
	if (!err)
		err = tree_array(t, t->factory, list, v->n_list, &args[1]);
	return err ? err : tree_make(t, "NewArrayInit", args, 2, ret);
}

/* An argument of the call @x, bound as @v. */
static struct dbg_error *argument(struct tree *t, const struct expr *x,
				  struct bound *v, struct type *to,
				  struct bound **ret)
{
	t->at = v->syntax;
	if (v->kind == BOUND_ADDRESS)
		v = v->a;
	if (v->syntax->kind == EXPR_LAMBDA)
		return tree_lambda(t, v->syntax, to, ret);
	if (!tree_uses(t, v))
		return tree_constant(t, v, to, ret);
	if (v->kind == BOUND_ARRAY && v->syntax == x)
		return elements(t, x, v, ret);
	return v->syntax == x ? tree_refused(t, x)
			      : tree_to(t, v->syntax, to, ret);
}

/* The arguments of @v, `this` and all; their types as Type objects. */
static struct dbg_error *tree_arguments(struct tree *t, const struct expr *x,
					const struct bound *v,
					const struct type_sig *sig,
					size_t first, struct bound **trees,
					struct bound **types)
{
	struct dbg_error *err = NULL;
	for (size_t i = 0; !err && i < sig->n_params; i++) {
		if (sig->params[i]->kind == TYPE_KIND_BYREF)
			return tree_refused(t, x);
		err = argument(t, x, v->list[first + i], sig->params[i],
			       &trees[i]);
		types[i] = bound_type_object(t->b, sig->params[i], x);
	}
	t->at = x;
	return err;
}

/*
 * Make the tree of a generic method's call by the method's name: the factory
 * method Expression.Call finds the overload that fits.
 */
static struct dbg_error *generic_call(struct tree *t, struct bound *of,
				      const struct bound *v,
				      struct bound *const *trees, size_t n,
				      struct bound **ret)
{
	struct type_method *m = v->method;
	struct binder *b = t->b;
	struct bound *types[BIND_ARGS_MAX], *args[4];
	args[0] = of ? of : bound_type_object(b, m->owner, t->at);
	args[1] = bound_text(b, m->name, t->at);
	for (size_t i = 0; i < m->n_args; i++)
		types[i] = bound_type_object(b, m->args[i], t->at);
	struct type *type = bound_type_object(b, m->owner, t->at)->type;
	struct dbg_error *err = tree_array(t, type, types, m->n_args, &args[2]);
	if (!err)
		err = tree_array(t, t->factory, trees, n, &args[3]);
	return err ? err : tree_make(t, "Call", args, 4, ret);
}

static struct dbg_error *call_tree(struct tree *t, const struct expr *x,
				   struct bound *v, struct bound **ret)
{
	struct bound *trees[BIND_ARGS_MAX], *types[BIND_ARGS_MAX], *args[3];
	struct bound *of = NULL;
	const struct type_sig *sig;
	size_t k = 0;
	if (v->kind != BOUND_CALL ||
	    dbg_err_drop(type_method_sig(t->b->ts, v->method, &sig)) ||
	    v->n_list > BIND_ARGS_MAX || v->method->n_args > BIND_ARGS_MAX)
		return tree_refused(t, x);
	struct dbg_error *err = NULL;
	if (sig->has_this) {
		struct bound *self = v->list[0];
		bool boxed = !self->type->is_reference;
		self = self->kind == BOUND_ADDRESS ? self->a : self;
		err = argument(t, x, self,
			       boxed ? v->method->owner : self->type, &of);
	}
	if (!err)
		err = tree_arguments(t, x, v, sig, sig->has_this, trees, types);
	if (err)
		return err;
	if (v->method->n_args)
		return generic_call(t, of, v, trees, sig->n_params, ret);
	if (of)
		args[k++] = of;
	err = tree_method(t, v->method->owner, v->method->name, types,
			  sig->n_params, &args[k++]);
	if (!err)
		err =
		    tree_array(t, t->factory, trees, sig->n_params, &args[k++]);
	return err ? err : tree_make(t, "Call", args, k, ret);
}

static struct dbg_error *tree_element(struct tree *t, const struct expr *x,
				      struct bound *v, struct bound **ret)
{
	struct type *from;
	struct bound *args[2];
	if (v->kind == BOUND_CALL)
		return call_tree(t, x, v, ret);
	if (v->kind != BOUND_ELEMENT || x->n_list != 1)
		return tree_refused(t, x);
	struct dbg_error *err = own(t, x->a, &from, &args[0]);
	if (!err)
		err = tree_to(t, x->list[0]->a, bind_prim(t->b, ELEM_I4),
			      &args[1]);
	t->at = x;
	return err ? err : tree_make(t, "ArrayIndex", args, 2, ret);
}

/* ---- Creation -------------------------------------------------------- */

/* { Name = value, ... } */
static struct dbg_error *bindings(struct tree *t, const struct expr *x,
				  struct bound *made, struct bound *v,
				  struct bound **ret)
{
	struct bound *list[BIND_ARGS_MAX], *args[2], *place;
	size_t n = x->b->n_list;
	struct dbg_error *err = NULL;
	if (x->b->kind != EXPR_OBJECT_INITIALIZER || n > BIND_ARGS_MAX)
		return tree_refused(t, x);
	for (size_t i = 0; !err && i < n; i++) {
		const struct expr *of = x->b->list[i];
		struct bound *self =
		    bound_make(t->b, BOUND_DEFAULT, v->type, of);
		if (!of->name)
			return tree_refused(t, x);
		err = bind_member_of(t->b, self,
				     made_member(t->b, of, of->name), &place);
		if (!err)
			err = tree_to(t, of->b, place->type, &args[1]);
		t->at = x;
		if (!err)
			err = member_info(t, place, &args[0]);
		if (!err)
			err = tree_make(t, "Bind", args, 2, &list[i]);
	}
	struct type *binding =
	    type_named(t->b->ts, t->factory->module,
		       "System.Linq.Expressions.MemberBinding");
	args[0] = made;
	if (!err && !binding)
		return tree_refused(t, x);
	if (!err)
		err = tree_array(t, binding, list, n, &args[1]);
	return err ? err : tree_make(t, "MemberInit", args, 2, ret);
}

/* Make the tree of a `new` expression without its initialiser. */
static struct dbg_error *creation(struct tree *t, const struct expr *x,
				  struct bound *v, struct bound **ret)
{
	struct bound *trees[BIND_ARGS_MAX], *types[BIND_ARGS_MAX], *args[2];
	struct expr *plain = arena_copy(t->b->arena, x, 1, sizeof(*x));
	const struct type_sig *sig;
	struct bound *made;
	struct type *type = v->type;
	plain->b = NULL;
	struct dbg_error *err = bind_new(t->b, plain, type, &made);
	if (err)
		return err;
	if (made->kind != BOUND_NEW ||
	    dbg_err_drop(type_method_sig(t->b->ts, made->method, &sig)) ||
	    made->n_list > BIND_ARGS_MAX)
		return tree_refused(t, x);
	err = tree_arguments(t, plain, made, sig, 0, trees, types);
	if (!err)
		err = tree_method(t, type, ".ctor", types, made->n_list,
				  &args[0]);
	if (!err)
		err = tree_array(t, t->factory, trees, made->n_list, &args[1]);
	if (!err)
		err = tree_make(t, "New", args, 2, ret);
	return err || !x->b ? err : bindings(t, x, *ret, v, ret);
}

/*
 * An anonymous object, or the tuple that stands for it, with the members that
 * the values can be read from again: a provider looks for them.
 */
static struct dbg_error *anonymous(struct tree *t, const struct expr *x,
				   struct bound *v, struct bound **ret)
{
	struct bound *trees[BIND_ARGS_MAX], *types[BIND_ARGS_MAX], *args[3];
	struct bound *infos[BIND_ARGS_MAX];
	struct type *info;
	bool tuple = v->kind == BOUND_TUPLE;
	struct dbg_error *err =
	    bind_core(t->b, "System.Reflection.MemberInfo", &info);
	if (err)
		return err;
	// eight elements of a tuple are not its own fields
	if ((v->kind != BOUND_NEW && !tuple) || v->n_list > BIND_ARGS_MAX ||
	    v->n_list != x->n_list || (tuple && v->n_list > 7))
		return tree_refused(t, x);
	for (size_t i = 0; !err && i < v->n_list; i++) {
		struct type *type = v->list[i]->type;
		const char *name =
		    tuple ? arena_printf(t->b->arena, "Item%zu", i + 1)
			  : x->list[i]->name;
		err = tree_to(t, x->list[i]->b, type, &trees[i]);
		t->at = x;
		types[i] = bound_type_object(t->b, type, x);
		if (!err)
			err = info_named(t, v->type, name, tuple, &infos[i]);
	}
	if (!err)
		err = tree_method(t, v->type, ".ctor", types, v->n_list,
				  &args[0]);
	if (!err)
		err = tree_array(t, t->factory, trees, v->n_list, &args[1]);
	if (!err)
		err = tree_array(t, info, infos, v->n_list, &args[2]);
	return err ? err : tree_make(t, "New", args, 3, ret);
}

/* ---- The table ------------------------------------------------------- */

typedef struct dbg_error *node_fn(struct tree *t, const struct expr *x,
				  struct bound *v, struct bound **ret);

/* An expression whose node is that of its operand, such as `x!`. */
static struct dbg_error *node_of_operand(struct tree *t, const struct expr *x,
					 struct bound *v, struct bound **ret)
{
	return tree_node(t, x->a, v, ret);
}

static node_fn *const by_kind[] = {
    [EXPR_NAME] = variable,
    [EXPR_MEMBER] = member,
    [EXPR_INDEX] = tree_element,
    [EXPR_CALL] = call_tree,
    [EXPR_SUPPRESS] = node_of_operand,
    [EXPR_NEW] = creation,
    [EXPR_UNARY] = tree_unary,
    [EXPR_BINARY] = tree_binary,
    [EXPR_CAST] = cast,
    [EXPR_AS] = cast,
    [EXPR_CHOICE] = tree_choice,
    [EXPR_IS] = type_test,
    [EXPR_INTERPOLATED] = call_tree,
    [EXPR_ANONYMOUS] = anonymous,
};

struct dbg_error *tree_node(struct tree *t, const struct expr *x,
			    struct bound *v, struct bound **ret)
{
	node_fn *fn = x->kind < sizeof(by_kind) / sizeof(by_kind[0])
			  ? by_kind[x->kind]
			  : NULL;
	t->at = x;
	return fn && v->type ? fn(t, x, v, ret) : tree_refused(t, x);
}
