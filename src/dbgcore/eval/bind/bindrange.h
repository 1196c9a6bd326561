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

/* Is @v a variable that is an inline array, and @to a span of its elements? */
bool inline_array_fits(struct binder *b, const struct bound *v,
		       const struct type *to);
/* The span over the elements of what fits. */
DBG_MUST struct dbg_error *inline_array_convert(struct binder *b,
						const struct bound *v,
						const struct type *to,
						struct bound **ret);

#endif
