/* The nodes of an expression tree, by the kind of their syntax. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/bind/bindlambda.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindtree_priv.h"

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

static struct dbg_error *refused(struct tree *t, const struct expr *x)
{
	return bind_error(t->b, x, "'%s' cannot be part of an expression tree",
			  bind_source(t->b, x));
}

/* ---- Operators ------------------------------------------------------- */

/* Without Nullable. */
static struct il_type *bare(struct il_type *type)
{
	return type->special == IL_SPECIAL_NULLABLE ? type->args[0] : type;
}

static bool is_number(const struct il_type *type)
{
	return type->kind == IL_KIND_ENUM || type_is_numeric(type);
}

/* What both operands are converted to; NULL: each stays what it is. */
static struct il_type *promoted(struct binder *b, enum op op,
				const struct bound *l, const struct bound *r)
{
	struct il_type *x = bare(l->type), *y = bare(r->type), *to = NULL;
	bool same = x == y && (op == OP_EQUAL || op == OP_NOT_EQUAL);
	if (same || (x == y && !is_number(x)))
		to = x;
	else if (is_number(x) && is_number(y))
		to = bind_prim(b, numeric_common(l, r));
	else if (is_number(x) && y->special == IL_SPECIAL_DECIMAL)
		to = y;
	else if (is_number(y) && x->special == IL_SPECIAL_DECIMAL)
		to = x;
	return to && to->is_value && (x != l->type || y != r->type)
		   ? il_type_nullable(b->ts, to)
		   : to;
}

/* The types that the operands are to have. */
static void operands(struct binder *b, const struct expr *x,
		     const struct bound *l, const struct bound *r,
		     struct il_type *types[2])
{
	struct il_type *to;
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
	struct il_type *object = bind_prim(t->b, ELEM_OBJECT);
	struct il_type *string = bind_prim(t->b, ELEM_STRING);
	struct bound *l, *r, *args[3], *types[2];
	struct dbg_error *err = bind_operand(t->b, x->a, &l);
	if (!err)
		err = bind_operand(t->b, x->b, &r);
	if (err)
		return err;
	struct il_type *to =
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

static struct dbg_error *binary(struct tree *t, const struct expr *x,
				struct bound *v, struct bound **ret)
{
	struct bound *l, *r, *args[2];
	struct il_type *types[2];
	if (!factories[x->op])
		return refused(t, x);
	if (x->op == OP_ADD && v->type->special == IL_SPECIAL_STRING)
		return concatenation(t, x, ret);
	struct dbg_error *err = bind_operand(t->b, x->a, &l);
	if (!err)
		err = bind_operand(t->b, x->b, &r);
	if (err)
		return err;
	operands(t->b, x, l, r, types);
	if (!types[0] || !types[1])
		return refused(t, x);
	err = tree_to(t, x->a, types[0], &args[0]);
	if (!err)
		err = tree_to(t, x->b, types[1], &args[1]);
	t->at = x;
	if (!err)
		err = tree_make(t, factories[x->op], args, 2, ret);
	if (err || bare(v->type)->kind != IL_KIND_ENUM)
		return err;
	return tree_as(t, *ret, types[0], v->type, ret);
}

static struct dbg_error *unary(struct tree *t, const struct expr *x,
			       struct bound *v, struct bound **ret)
{
	struct bound *args[1];
	if (!factories[x->op])
		return refused(t, x);
	struct dbg_error *err = tree_to(t, x->a, v->type, &args[0]);
	t->at = x;
	return err ? err : tree_make(t, factories[x->op], args, 1, ret);
}

static struct dbg_error *choice(struct tree *t, const struct expr *x,
				struct bound *v, struct bound **ret)
{
	struct bound *args[4];
	struct dbg_error *err =
	    tree_to(t, x->a, bind_prim(t->b, ELEM_BOOLEAN), &args[0]);
	if (!err)
		err = tree_to(t, x->b, v->type, &args[1]);
	if (!err)
		err = tree_to(t, x->c, v->type, &args[2]);
	t->at = x;
	args[3] = bound_type_object(t->b, v->type, x);
	return err ? err : tree_make(t, "Condition", args, 4, ret);
}

/* The operand as what it is. */
static struct dbg_error *own(struct tree *t, const struct expr *x,
			     struct il_type **ret_type, struct bound **ret)
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
	struct il_type *from;
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
	struct il_type *from, *type;
	struct bound *args[2];
	const struct expr *of = x->b->kind == PATTERN_TYPE && !x->b->name
				    ? x->b->type
				: x->b->kind == PATTERN_CONSTANT ? x->b->a
								 : NULL;
	(void)v;
	if (!of || dbg_err_drop(bind_type(t->b, of, &type)))
		return refused(t, x);
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
		return refused(t, x);
	*ret = name->parameter;
	return NULL;
}

/* BindingFlags: DeclaredOnly, Instance, Public, NonPublic */
enum {
	OWN_MEMBERS = 0x36
};

/* The FieldInfo or PropertyInfo of what @v reads. */
static struct dbg_error *member_info(struct tree *t, const struct bound *v,
				     struct bound **ret)
{
	bool field = v->kind == BOUND_FIELD;
	struct il_type *flags;
	struct bound *args[2], *of;
	if (!field && (v->kind != BOUND_CALL || v->n_list != 1 ||
		       !str_starts(v->method->name, "get_")))
		return refused(t, t->at);
	struct dbg_error *err =
	    bind_core(t->b, "System.Reflection.BindingFlags", &flags);
	if (err)
		return err;
	of = bound_type_object(t->b, field ? v->field->owner : v->method->owner,
			       t->at);
	args[0] = bound_text(t->b, field ? v->field->name : v->method->name + 4,
			     t->at);
	args[1] = bound_make(t->b, BOUND_CONST, flags, t->at);
	args[1]->integer = OWN_MEMBERS;
	return tree_call(t, of, of->type, field ? "GetField" : "GetProperty",
			 args, 2, ret);
}

/* @x, bound as @v; Rest of a long tuple is in @v alone, not in the text. */
static struct dbg_error *member_of(struct tree *t, const struct expr *x,
				   const struct bound *v, struct bound **ret)
{
	struct il_type *from;
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
	return x->conditional ? refused(t, x) : member_of(t, x, v, ret);
}

struct dbg_error *tree_method(struct tree *t, struct il_type *owner,
			      const char *name, struct bound *const *types,
			      size_t n, struct bound **ret)
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
				  struct bound *v, struct il_type *to,
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
				  struct bound *v, struct il_type *to,
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
	return v->syntax == x ? refused(t, x) : tree_to(t, v->syntax, to, ret);
}

/* The arguments of @v, `this` and all; their types as Type objects. */
static struct dbg_error *arguments(struct tree *t, const struct expr *x,
				   const struct bound *v,
				   const struct il_sig *sig, size_t first,
				   struct bound **trees, struct bound **types)
{
	struct dbg_error *err = NULL;
	for (size_t i = 0; !err && i < sig->n_params; i++) {
		if (sig->params[i]->kind == IL_KIND_BYREF)
			return refused(t, x);
		err = argument(t, x, v->list[first + i], sig->params[i],
			       &trees[i]);
		types[i] = bound_type_object(t->b, sig->params[i], x);
	}
	t->at = x;
	return err;
}

/* By name, for generic methods: the factory finds the one that fits. */
static struct dbg_error *generic_call(struct tree *t, struct bound *of,
				      const struct bound *v,
				      struct bound *const *trees, size_t n,
				      struct bound **ret)
{
	struct il_method *m = v->method;
	struct binder *b = t->b;
	struct bound *types[BIND_ARGS_MAX], *args[4];
	args[0] = of ? of : bound_type_object(b, m->owner, t->at);
	args[1] = bound_text(b, m->name, t->at);
	for (size_t i = 0; i < m->n_args; i++)
		types[i] = bound_type_object(b, m->args[i], t->at);
	struct il_type *type = bound_type_object(b, m->owner, t->at)->type;
	struct dbg_error *err = tree_array(t, type, types, m->n_args, &args[2]);
	if (!err)
		err = tree_array(t, t->factory, trees, n, &args[3]);
	return err ? err : tree_make(t, "Call", args, 4, ret);
}

static struct dbg_error *call(struct tree *t, const struct expr *x,
			      struct bound *v, struct bound **ret)
{
	struct bound *trees[BIND_ARGS_MAX], *types[BIND_ARGS_MAX], *args[3];
	struct bound *of = NULL;
	const struct il_sig *sig;
	size_t k = 0;
	if (v->kind != BOUND_CALL ||
	    dbg_err_drop(il_method_sig(t->b->ts, v->method, &sig)) ||
	    v->n_list > BIND_ARGS_MAX || v->method->n_args > BIND_ARGS_MAX)
		return refused(t, x);
	struct dbg_error *err = NULL;
	if (sig->has_this) {
		struct bound *self = v->list[0];
		bool boxed = !self->type->is_reference;
		self = self->kind == BOUND_ADDRESS ? self->a : self;
		err = argument(t, x, self,
			       boxed ? v->method->owner : self->type, &of);
	}
	if (!err)
		err = arguments(t, x, v, sig, sig->has_this, trees, types);
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

static struct dbg_error *element(struct tree *t, const struct expr *x,
				 struct bound *v, struct bound **ret)
{
	struct il_type *from;
	struct bound *args[2];
	if (v->kind == BOUND_CALL)
		return call(t, x, v, ret);
	if (v->kind != BOUND_ELEMENT || x->n_list != 1)
		return refused(t, x);
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
		return refused(t, x);
	for (size_t i = 0; !err && i < n; i++) {
		const struct expr *of = x->b->list[i];
		struct bound *self =
		    bound_make(t->b, BOUND_DEFAULT, v->type, of);
		if (!of->name)
			return refused(t, x);
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
	struct il_type *binding =
	    il_type_named(t->b->ts, t->factory->module,
			  "System.Linq.Expressions.MemberBinding");
	args[0] = made;
	if (!err && !binding)
		return refused(t, x);
	if (!err)
		err = tree_array(t, binding, list, n, &args[1]);
	return err ? err : tree_make(t, "MemberInit", args, 2, ret);
}

/* What of an expression makes the object; its initialiser is apart. */
static struct dbg_error *creation(struct tree *t, const struct expr *x,
				  struct bound *v, struct bound **ret)
{
	struct bound *trees[BIND_ARGS_MAX], *types[BIND_ARGS_MAX], *args[2];
	struct expr *plain = arena_copy(t->b->arena, x, 1, sizeof(*x));
	const struct il_sig *sig;
	struct bound *made;
	struct il_type *type = v->type;
	plain->b = NULL;
	struct dbg_error *err = bind_new(t->b, plain, type, &made);
	if (err)
		return err;
	if (made->kind != BOUND_NEW ||
	    dbg_err_drop(il_method_sig(t->b->ts, made->method, &sig)) ||
	    made->n_list > BIND_ARGS_MAX)
		return refused(t, x);
	err = arguments(t, plain, made, sig, 0, trees, types);
	if (!err)
		err = tree_method(t, type, ".ctor", types, made->n_list,
				  &args[0]);
	if (!err)
		err = tree_array(t, t->factory, trees, made->n_list, &args[1]);
	if (!err)
		err = tree_make(t, "New", args, 2, ret);
	return err || !x->b ? err : bindings(t, x, *ret, v, ret);
}

/* An anonymous object, or the tuple that stands for it. */
static struct dbg_error *anonymous(struct tree *t, const struct expr *x,
				   struct bound *v, struct bound **ret)
{
	struct bound *trees[BIND_ARGS_MAX], *types[BIND_ARGS_MAX], *args[3];
	struct dbg_error *err = NULL;
	if ((v->kind != BOUND_NEW && v->kind != BOUND_TUPLE) ||
	    v->n_list > BIND_ARGS_MAX || v->n_list != x->n_list)
		return refused(t, x);
	for (size_t i = 0; !err && i < v->n_list; i++) {
		struct il_type *type = v->list[i]->type;
		err = tree_to(t, x->list[i]->b, type, &trees[i]);
		types[i] = bound_type_object(t->b, type, x);
	}
	t->at = x;
	if (!err)
		err = tree_method(t, v->type, ".ctor", types, v->n_list,
				  &args[0]);
	if (!err)
		err = tree_array(t, t->factory, trees, v->n_list, &args[1]);
	return err ? err : tree_make(t, "New", args, 2, ret);
}

/* ---- The table ------------------------------------------------------- */

typedef struct dbg_error *node_fn(struct tree *t, const struct expr *x,
				  struct bound *v, struct bound **ret);

static struct dbg_error *inner(struct tree *t, const struct expr *x,
			       struct bound *v, struct bound **ret)
{
	return tree_node(t, x->a, v, ret);
}

static node_fn *const by_kind[] = {
    [EXPR_NAME] = variable,     [EXPR_MEMBER] = member,
    [EXPR_INDEX] = element,     [EXPR_CALL] = call,
    [EXPR_SUPPRESS] = inner,    [EXPR_NEW] = creation,
    [EXPR_UNARY] = unary,       [EXPR_BINARY] = binary,
    [EXPR_CAST] = cast,         [EXPR_AS] = cast,
    [EXPR_CHOICE] = choice,     [EXPR_IS] = type_test,
    [EXPR_INTERPOLATED] = call, [EXPR_ANONYMOUS] = anonymous,
};

struct dbg_error *tree_node(struct tree *t, const struct expr *x,
			    struct bound *v, struct bound **ret)
{
	node_fn *fn = x->kind < sizeof(by_kind) / sizeof(by_kind[0])
			  ? by_kind[x->kind]
			  : NULL;
	t->at = x;
	return fn && v->type ? fn(t, x, v, ret) : refused(t, x);
}
