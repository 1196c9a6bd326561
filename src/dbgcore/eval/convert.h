/* C#'s implicit conversions of numbers, for assignments. */
#ifndef EVAL_CONVERT_H
#define EVAL_CONVERT_H

#include "value/value.h"

/*
 * The number, bool, char or enum @v (settled) as a @to. Integers go into any
 * integer type that they fit, whatever their own; into an enum as well.
 */
DBG_MUST struct dbg_error *convert_number(struct types *ts,
					  const struct value *v,
					  struct type *to, struct value *ret);
/* C#: cannot convert A to B. */
DBG_MUST struct dbg_error *convert_refuse(const struct type *from,
					  const struct type *to);

#endif
