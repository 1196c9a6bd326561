/* Lambdas that would have to be expression trees; see querylambda.c. */
#ifndef EVAL_QUERYLAMBDA_H
#define EVAL_QUERYLAMBDA_H

#include "eval/bind/bind_priv.h"

/*
 * Refuse the call @c of @m if C# would call the one of Queryable instead, whose
 * lambda the provider of the receiver translates.
 */
DBG_MUST struct dbg_error *query_refused(struct binder *b, const struct call *c,
					 const struct il_method *m);
/* Refuse a lambda for @m, which takes an expression tree. */
DBG_MUST struct dbg_error *tree_refused(struct binder *b, const struct call *c,
					struct il_method *m);

#endif
