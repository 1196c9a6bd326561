/* LINQ of providers, and of objects in memory; see querylambda.c. */
#ifndef EVAL_QUERYLAMBDA_H
#define EVAL_QUERYLAMBDA_H

#include "eval/bind/bind_priv.h"

/* Are objects in memory asked, though they may be called an IQueryable? */
bool query_in_memory(struct binder *b, const struct call *c);
/* Is @m one of Queryable's? */
bool query_is_translated(const struct type_method *m);
/*
 * Refuse the call @c of @m if C# would call the one of Queryable instead, which
 * the program has not loaded.
 */
DBG_MUST struct dbg_error *query_refused(struct binder *b, const struct call *c,
					 const struct type_method *m);

#endif
