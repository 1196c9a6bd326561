/*
 * Queries that a provider translates (IQueryable): C# calls Queryable's methods
 * for them, with expression trees. Where objects in memory are asked, the same
 * is computed by Enumerable's, which need no call in the program.
 */
#include "eval/bind/querylambda.h"

#include <string.h>

#include "base/err.h"

static bool is_called(struct type *type, const char *space, const char *name)
{
	return type->module && !strcmp(type_simple_name(type), name) &&
	       !strcmp(type_namespace(type), space);
}

/* Does a provider have to translate it? Objects in memory have none. */
static bool is_translated(struct binder *b, const struct bound *of)
{
	struct type *const *faces;
	struct type *type = of->type;
	size_t n = 0;
	bool wrapped =
	    of->kind == BOUND_CALL && !strcmp(of->method->name, "AsQueryable");
	if (!type || wrapped ||
	    is_called(type, "System.Linq", "EnumerableQuery`1"))
		return false;
	if (is_called(type, "System.Linq", "IQueryable`1"))
		return true;
	if (dbg_err_drop(type_interfaces(b->ts, type, &faces, &n)))
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

bool query_in_memory(struct binder *b, const struct call *c)
{
	return lambda_of(c) && !is_translated(b, c->receiver);
}

bool query_is_translated(const struct type_method *m)
{
	return is_called(m->owner, "System.Linq", "Queryable");
}

/* What Queryable has not: it is computed of the query's rows. */
static bool is_of_rows(const struct type_method *m)
{
	return !strcmp(m->name, "ToDictionary") || !strcmp(m->name, "ToLookup");
}

struct dbg_error *query_refused(struct binder *b, const struct call *c,
				const struct type_method *m)
{
	const struct bound *lambda = lambda_of(c);
	if (!lambda || is_of_rows(m) ||
	    !is_called(m->owner, "System.Linq", "Enumerable") ||
	    !is_translated(b, c->receiver))
		return NULL;
	return bind_error(b, lambda->syntax,
			  "call 'ToList()' before '%s': the program has no "
			  "System.Linq.Queryable loaded, which makes a query "
			  "of the lambda",
			  c->name);
}
