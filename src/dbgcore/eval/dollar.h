/* Names that begin with '$' and are no shown values: see dollar.c. */
#ifndef EVAL_DOLLAR_H
#define EVAL_DOLLAR_H

#include "eval/eval.h"

/* Is @name one of these? */
bool dollar_names(const char *name);
/* Read the value of a $name. */
DBG_MUST struct dbg_error *dollar_get(const struct eval *e, const char *name,
				      struct value *ret);
/* Give the convenience variable @name a value; others are refused. */
DBG_MUST struct dbg_error *dollar_set(const struct eval *e, const char *name,
				      const struct value *v);

#endif
