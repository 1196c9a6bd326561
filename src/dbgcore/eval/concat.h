/* Strings as operands: + and ==. */
#ifndef EVAL_CONCAT_H
#define EVAL_CONCAT_H

#include "value/value.h"

struct arena;

/* ab[0] + ab[1], one of them a string; the text is in @arena. */
DBG_MUST struct dbg_error *concat(struct types *ts, struct arena *arena,
				  const struct value *ab, struct value *ret);
/* Equality of two strings, null too; false if they cannot be read. */
bool concat_equal(struct types *ts, const struct value *a,
		  const struct value *b, bool *ret);

#endif
