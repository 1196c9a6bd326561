/*
 * Local functions (ECMA-334, 13.6.4): each is a variable that holds the
 * delegate of a lambda, known in all of its block and set where that begins.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindassign.h"
#include "eval/bind/bindlambda.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindstatement.h"

enum {
	PARAMS_MAX = 16 // of System.Func
};

/* Action<...> or Func<..., @ret>. */
static struct dbg_error *delegate_of(struct binder *b, struct type **types,
				     size_t n_params, struct type *returns,
				     struct type **ret)
{
	char name[64];
	bool gives = returns->elem != ELEM_VOID;
	size_t n = n_params + gives;
	if (gives)
		types[n_params] = returns;
	if (n)
		snprintf(name, sizeof(name), "System.%s`%zu",
			 gives ? "Func" : "Action", n);
	struct dbg_error *err = bind_core(b, n ? name : "System.Action", ret);
	if (!err && n)
		*ret = type_instance(b->ts, *ret, types, n);
	return err;
}

static struct dbg_error *declare(struct binder *b, const struct expr *x,
				 struct bound **ret)
{
	struct type *types[PARAMS_MAX + 1], *type;
	const struct expr *lambda = x->a;
	struct dbg_error *err = bind_type(b, x->type, &type);
	if (!err && lambda->n_list > PARAMS_MAX)
		err = bind_error(b, x, "too many parameters");
	for (size_t i = 0; !err && i < lambda->n_list; i++)
		err = bind_type(b, lambda->list[i]->type, &types[i]);
	if (!err)
		err = delegate_of(b, types, lambda->n_list, type, &type);
	if (!err)
		*ret = declare_var(b, x->name, type, x);
	return err;
}

struct dbg_error *functions_declare(struct binder *b, const struct expr *x,
				    size_t from, struct bound ***ret)
{
	struct bound **all =
	    arena_calloc(b->arena, x->n_list + 1, sizeof(*all));
	struct dbg_error *err = NULL;
	for (size_t i = from; !err && i < x->n_list; i++) {
		const struct expr *s = x->list[i];
		// what follows is a block of its own
		if (s->kind == STMT_USING && !s->b)
			break;
		if (s->kind == STMT_FUNCTION)
			err = declare(b, s, &all[i]);
	}
	*ret = all;
	return err;
}

struct dbg_error *function_bind(struct binder *b, const struct expr *x,
				struct bound *var, struct bound **ret)
{
	struct bound *lambda;
	struct dbg_error *err = lambda_convert(b, x->a, var->type, &lambda);
	if (err)
		return err;
	const struct bound_lambda *l = lambda->lambda;
	if (l->body->kind == BOUND_BLOCK && !l->gives && !l->ends &&
	    !strncmp(type_simple_name(var->type), "Func", 4))
		return dbg_err_cs(
		    161, bind_error(b, x, "not all code paths return a value"));
	*ret = bound_store(b, var, lambda);
	return NULL;
}
