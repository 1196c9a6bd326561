/* Patterns: `x is int and > 3`. */
#ifndef EVAL_MATCH_H
#define EVAL_MATCH_H

#include "eval/eval_priv.h"

/* The bool that `a is pattern` is. */
DBG_MUST struct dbg_error *match_is(struct run *r, const struct expr *x,
				    struct value *ret);

#endif
