/*
 * Lambdas that C# makes expression trees of (ECMA-334, 8.6): the calls of
 * Expression's factory methods that build them. What does not use a parameter
 * is computed first and goes in as a constant; of the rest each part of the
 * syntax is a node, for which the factories find operators as C# does, once
 * both operands have the type that they are promoted to.
 */
#include "eval/tree/bindtree.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/overload/bindlambda.h"
#include "eval/tree/bindtree_priv.h"
#include "eval/overload/conversion.h"
#include "eval/evalcall.h"

static const char TREES[] = "System.Linq.Expressions";

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

struct dbg_error *tree_call(struct tree *t, struct bound *of, struct type *type,
			    const char *name, struct bound *const *args,
			    size_t n, struct bound **ret)
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

struct dbg_error *tree_make(struct tree *t, const char *name,
			    struct bound *const *args, size_t n,
			    struct bound **ret)
{
	return tree_call(t, NULL, t->factory, name, args, n, ret);
}

struct dbg_error *tree_array(struct tree *t, struct type *element,
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

bool tree_uses(const struct tree *t, const struct bound *n)
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

struct dbg_error *tree_constant(struct tree *t, struct bound *v,
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

struct dbg_error *tree_as(struct tree *t, struct bound *node, struct type *from,
			  struct type *to, struct bound **ret)
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

struct dbg_error *tree_to(struct tree *t, const struct expr *x, struct type *to,
			  struct bound **ret)
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

struct dbg_error *tree_lambda(struct tree *t, const struct expr *x,
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
