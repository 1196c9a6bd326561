/*
 * Variables that the user declares (`int z = 1`, `out var n`): of a frame, in
 * which they are known like its own, as in an Immediate Window. What is kept
 * of their values is what the history keeps.
 */
#ifndef EVAL_DECLARED_H
#define EVAL_DECLARED_H

#include "eval/eval.h"

/* Is @name one of the scope's frame, and no variable of the program's? */
bool declared_names(const struct eval *e, const char *name);
/* Read a declared variable. DBG_E_STALE: its value was of an earlier stop. */
DBG_MUST struct dbg_error *declared_get(const struct eval *e, const char *name,
					struct value *ret);
/* Declare the variable, or give it another value. */
DBG_MUST struct dbg_error *declared_set(const struct eval *e, const char *name,
					const struct value *v);

#endif
