/*
 * Lambdas that C# makes expression trees of: those of a query that its provider
 * translates (IQueryable), and of methods that look at what they are given.
 * They are not made here, which is said with what to do instead.
 */
#include "eval/bind/querylambda.h"

#include <string.h>

#include "base/err.h"

static bool is_called(struct il_type *type, const char *space, const char *name)
{
	return type->module && !strcmp(il_type_simple_name(type), name) &&
	       !strcmp(il_type_namespace(type), space);
}

/* Does a provider have to translate it? Objects in memory have none. */
static bool is_translated(struct binder *b, const struct bound *of)
{
	struct il_type *const *faces;
	struct il_type *type = of->type;
	size_t n = 0;
	bool wrapped =
	    of->kind == BOUND_CALL && !strcmp(of->method->name, "AsQueryable");
	if (!type || wrapped ||
	    is_called(type, "System.Linq", "EnumerableQuery`1"))
		return false;
	if (is_called(type, "System.Linq", "IQueryable`1"))
		return true;
	if (dbg_err_drop(il_type_interfaces(b->ts, type, &faces, &n)))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (is_called(faces[i], "System.Linq", "IQueryable"))
			return true;
	}
	return false;
}

static const struct bound *lambda_of(const struct call *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->args[i]->syntax &&
		    c->args[i]->syntax->kind == EXPR_LAMBDA)
			return c->args[i];
	}
	return NULL;
}

struct dbg_error *query_refused(struct binder *b, const struct call *c,
				const struct il_method *m)
{
	const struct bound *lambda = lambda_of(c);
	if (!lambda || !is_called(m->owner, "System.Linq", "Enumerable") ||
	    !is_translated(b, c->receiver))
		return NULL;
	return bind_error(b, lambda->syntax,
			  "call 'ToList()' before '%s': of a query it needs an "
			  "expression tree, which cannot be made of the lambda",
			  c->name);
}

struct dbg_error *tree_refused(struct binder *b, const struct call *c,
			       struct il_method *m)
{
	const struct bound *lambda = lambda_of(c);
	const struct il_sig *sig;
	if (!lambda || dbg_err_drop(il_method_sig(b->ts, m, &sig)))
		return NULL;
	for (size_t i = 0; i < sig->n_params; i++) {
		if (is_called(sig->params[i], "System.Linq.Expressions",
			      "Expression`1"))
			return bind_error(b, lambda->syntax,
					  "'%s' needs an expression tree, "
					  "which cannot be made of the lambda",
					  m->name);
	}
	return NULL;
}
