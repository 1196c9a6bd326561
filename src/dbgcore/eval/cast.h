/* Casts and type tests. */
#ifndef EVAL_CAST_H
#define EVAL_CAST_H

#include "value/value.h"

/* (@to)@v of a settled value, by C#'s explicit conversions. */
DBG_MUST struct dbg_error *cast_to(struct types *ts, const struct value *v,
				   struct type *to, struct value *ret);
/* Is a settled value a @type? Not a null. */
bool cast_fits(struct types *ts, const struct value *v, struct type *type);

/*
 * May a place of reference type @to hold an object (or box) of type @type?
 * What cannot be told for certain is refused.
 */
bool cast_assignable(struct types *ts, struct type *type, struct type *to);

#endif
