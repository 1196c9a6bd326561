/* The nodes of an expression tree, by the kind of their syntax. */
#include "eval/tree/treenode.h"
#include "eval/bind/bindop.h"
#include "eval/evalcall.h"
#include "eval/overload/conversion.h"
#include "eval/tree/bindtree_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Lambdas that C# makes expression trees of (ECMA-334, 8.6) ----------- */

/*
 * The calls of Expression's factory methods that build them. What does not use
 * a parameter is computed first and goes in as a constant; of the rest each
 * part of the syntax is a node, for which the factories find operators as C#
 * does, once both operands have the type that they are promoted to.
 */

static const char TREES[] = "System.Linq.Expressions";

static struct dbg_error *tree_as(struct tree *t, struct bound *node,
				 struct type *from, struct type *to,
				 struct bound **ret);
static struct dbg_error *tree_node(struct tree *t, const struct expr *x,
				   struct bound *v, struct bound **ret);

bool tree_is_wanted(const struct type *to)
{
	return to->module && to->n_args == 1 &&
	       !strcmp(type_simple_name(to), "Expression`1") &&
	       !strcmp(type_namespace(to), TREES);
}

struct type *tree_delegate(struct type *to)
{
	return tree_is_wanted(to) ? to->args[0] : to;
}

/* ---- Calls ----------------------------------------------------------- */

/* The method of @type of this name that takes @args; @of: its object. */
static struct dbg_error *tree_call(struct tree *t, struct bound *of,
				   struct type *type, const char *name,
				   struct bound *const *args, size_t n,
				   struct bound **ret)
{
	struct call c = {.x = t->at, .name = name, .n = n};
	struct choice best = {0};
	struct type_method *all[TREE_METHODS_MAX];
	struct bound *given[BIND_ARGS_MAX + 1];
	size_t k = 0;
	memcpy(c.args, args, n * sizeof(*args));
	size_t found = methods_named(t->b, type, name, all, TREE_METHODS_MAX);
	struct dbg_error *err = call_resolve(t->b, &c, all, found, &best);
	if (err)
		return err;
	if (!best.method)
		return bind_error(t->b, t->at,
				  "'%s' cannot be part of an expression tree",
				  bind_source(t->b, t->at));
	if (of)
		given[k++] = of;
	for (size_t i = 0; i < best.sig->n_params; i++)
		given[k++] = best.args[i];
	*ret = bound_call(t->b, best.method, given, k, best.sig->ret, t->at);
	return NULL;
}

/* A factory method. */
static struct dbg_error *tree_make(struct tree *t, const char *name,
				   struct bound *const *args, size_t n,
				   struct bound **ret)
{
	return tree_call(t, NULL, t->factory, name, args, n, ret);
}

static struct dbg_error *tree_array(struct tree *t, struct type *element,
				    struct bound *const *list, size_t n,
				    struct bound **ret)
{
	struct binder *b = t->b;
	struct bound *array =
	    bound_make(b, BOUND_ARRAY, type_vector(b->ts, element), t->at);
	struct dbg_error *err = NULL;
	array->list = arena_calloc(b->arena, n + 1, sizeof(*array->list));
	array->n_list = n;
	array->a = bound_int(b, ELEM_I4, (int64_t)n, t->at);
	for (size_t i = 0; !err && i < n; i++)
		err = convert(b, list[i], element, &array->list[i]);
	*ret = array;
	return err;
}

/* ---- Parts ----------------------------------------------------------- */

/* Does @n use a parameter of one of the lambdas that are made into trees? */
static bool tree_uses(const struct tree *t, const struct bound *n)
{
	if (!n)
		return false;
	if (n->kind == BOUND_VAR) {
		const struct tree_name *name = t->names;
		while (name && name->var != n->var)
			name = name->outer;
		return name != NULL;
	}
	if (tree_uses(t, n->a) || tree_uses(t, n->b) || tree_uses(t, n->c))
		return true;
	for (size_t i = 0; i < n->n_list; i++)
		if (tree_uses(t, n->list[i]))
			return true;
	return n->kind == BOUND_UNTYPED && n->syntax->kind == EXPR_LAMBDA;
}

/* The value of @v, which does not. */
static struct dbg_error *tree_constant(struct tree *t, struct bound *v,
				       struct type *type, struct bound **ret)
{
	struct bound *args[2];
	struct dbg_error *err = NULL;
	if (type->special == TYPE_SPECIAL_NULLABLE && v->type &&
	    v->type->special != TYPE_SPECIAL_NULLABLE) {
		err = tree_constant(t, v, type->args[0], ret);
		return err ? err : tree_as(t, *ret, type->args[0], type, ret);
	}
	err = convert(t->b, v, type, &v);
	if (!err)
		err = convert(t->b, v, bind_prim(t->b, ELEM_OBJECT), &args[0]);
	args[1] = bound_type_object(t->b, type, t->at);
	return err ? err : tree_make(t, "Constant", args, 2, ret);
}

/* @node, of the type @from, converted. */
static struct dbg_error *tree_as(struct tree *t, struct bound *node,
				 struct type *from, struct type *to,
				 struct bound **ret)
{
	struct bound *args[] = {node, bound_type_object(t->b, to, t->at)};
	*ret = node;
	// C# leaves out what needs no code
	if (from == to ||
	    (from->is_reference &&
	     conversion_of_types(t->b, from, to) != CONVERSION_NONE))
		return NULL;
	return tree_make(t, "Convert", args, 2, ret);
}

/* The tree of @x, as a @to. */
static struct dbg_error *tree_to(struct tree *t, const struct expr *x,
				 struct type *to, struct bound **ret)
{
	struct bound *v;
	struct dbg_error *err = bind_operand(t->b, x, &v);
	if (err)
		return err;
	t->at = x;
	if (!tree_uses(t, v))
		return tree_constant(t, v, to, ret);
	if (!v->type)
		return bind_error(t->b, x, "'%s' is no '%s'",
				  bind_source(t->b, x),
				  type_name(t->b->ts, to));
	err = tree_node(t, x, v, ret);
	t->at = x;
	return err ? err : tree_as(t, *ret, v->type, to, ret);
}

/* ---- Lambdas --------------------------------------------------------- */

/* A variable that holds the ParameterExpression of @var. */
static struct dbg_error *parameter(struct tree *t, struct bound_var *var,
				   struct bound **ret)
{
	struct bound *store;
	struct bound *args[] = {bound_type_object(t->b, var->type, t->at),
				bound_text(t->b, var->name, t->at)};
	if (t->n_stores == TREE_PARAMS_MAX)
		return bind_error(t->b, t->at,
				  "an expression tree of more than %d "
				  "parameters",
				  TREE_PARAMS_MAX);
	struct dbg_error *err = tree_make(t, "Parameter", args, 2, ret);
	if (err)
		return err;
	struct tree_name *name = arena_alloc(t->b->arena, sizeof(*name));
	*ret = bound_keep(t->b, *ret, &store);
	*name = (struct tree_name){
	    .outer = t->names, .var = var, .parameter = *ret};
	t->names = name;
	t->stores[t->n_stores++] = store;
	name_push(t->b, var);
	return NULL;
}

static struct dbg_error *wrap(struct tree *t, const struct expr *x,
			      struct type *type, struct bound *body,
			      struct bound *const *parameters,
			      struct bound **ret)
{
	struct bound *args[3];
	t->at = x;
	args[0] = bound_type_object(t->b, type, x);
	args[1] = body;
	struct type *element =
	    type_named(t->b->ts, t->factory->module,
		       "System.Linq.Expressions.ParameterExpression");
	if (!element)
		return bind_error(t->b, x, "the program has no trees");
	struct dbg_error *err =
	    tree_array(t, element, parameters, x->n_list, &args[2]);
	return err ? err : tree_make(t, "Lambda", args, 3, ret);
}

/* LambdaExpression of the delegate @type. */
static struct dbg_error *tree_lambda(struct tree *t, const struct expr *x,
				     struct type *type, struct bound **ret)
{
	struct bound *parameters[BIND_ARGS_MAX], *body;
	struct name_scope *names = t->b->names;
	struct tree_name *outer = t->names;
	struct type_method *invoke = type_method_invoke(t->b->ts, type);
	struct bound_lambda *l;
	const struct type_sig *sig;
	struct type *made;
	struct dbg_error *err = invoke
				    ? type_method_sig(t->b->ts, invoke, &sig)
				    : bind_error(t->b, x, "'%s' is no delegate",
						 type_name(t->b->ts, type));
	if (err)
		return err;
	if (!lambda_bind(t->b, x, sig->params, sig->n_params, &l, &made))
		return lambda_fault(t->b, x, sig, type);
	if (l->body->kind == BOUND_BLOCK)
		return bind_error(t->b, x->a,
				  "a lambda with statements cannot be an "
				  "expression tree");
	t->at = x;
	for (size_t i = 0; !err && i < l->n_params; i++) {
		err = x->list[i]->transparent
			  ? bind_error(t->b, x,
				       "a query with 'let', 'join' or several "
				       "'from' cannot be an expression tree "
				       "here: use its methods")
			  : parameter(t, l->params[i], &parameters[i]);
	}
	if (!err && sig->ret->elem == ELEM_VOID)
		err = tree_node(t, x->a, l->body, &body);
	else if (!err)
		err = tree_to(t, x->a, sig->ret, &body);
	t->b->names = names;
	t->names = outer;
	return err ? err : wrap(t, x, type, body, parameters, ret);
}

struct dbg_error *tree_convert(struct binder *b, const struct expr *x,
			       struct type *to, struct bound **ret)
{
	struct tree t = {.b = b, .at = x};
	if (b->lambda)
		return bind_error(b, x,
				  "within a lambda no expression tree can be "
				  "made");
	t.factory =
	    type_named(b->ts, to->module, "System.Linq.Expressions.Expression");
	if (!t.factory)
		return bind_error(b, x, "the program has no '%s.Expression'",
				  TREES);
	struct bound *made;
	bool in_tree = b->in_tree;
	b->in_tree = true;
	struct dbg_error *err = tree_lambda(&t, x, to->args[0], &made);
	b->in_tree = in_tree;
	if (err)
		return err;
	// one run makes it, in the program, whose objects its parts are.
	b->of_machine = true;
	if (b->e->calls)
		b->e->calls->makes_trees = true;
	*ret = bound_make(b, BOUND_CAST, to, x);
	(*ret)->a = made;
	*ret = bound_after(b, t.stores, t.n_stores, *ret);
	return NULL;
}

/* ---- Operators ------------------------------------------------------- */

/*
 * Of an expression tree. Where the left side uses no parameter it is computed
 * when the tree is made, and the side that C# would not evaluate is neither
 * computed nor part of the tree.
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

/* The tree of @x, which was bound as @v and uses a parameter. */
static struct dbg_error *tree_node(struct tree *t, const struct expr *x,
				   struct bound *v, struct bound **ret)
{
	node_fn *fn = x->kind < sizeof(by_kind) / sizeof(by_kind[0])
			  ? by_kind[x->kind]
			  : NULL;
	t->at = x;
	return fn && v->type ? fn(t, x, v, ret) : tree_refused(t, x);
}
