/* ^n and a..b, by themselves and as what an element is named by. */
#ifndef EVAL_BINDRANGE_H
#define EVAL_BINDRANGE_H

#include "eval/bind/bind_priv.h"

/* System.Index of ^a. */
DBG_MUST struct dbg_error *bind_from_end(struct binder *b, const struct expr *x,
					 struct bound **ret);
/* System.Range of a..b. */
DBG_MUST struct dbg_error *bind_range(struct binder *b, const struct expr *x,
				      struct bound **ret);
/*
 * of[^a] and of[a..b] by the length of @of, where it has no indexer for these;
 * *ret NULL: the element is named otherwise.
 */
DBG_MUST struct dbg_error *bind_counted(struct binder *b, struct bound *of,
					const struct expr *x,
					struct bound **ret);

#endif
