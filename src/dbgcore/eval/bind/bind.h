/*
 * Expressions that need code to be run: bound by C#'s rules, compiled to IL
 * and executed by the machine, which never touches the program.
 */
#ifndef EVAL_BIND_H
#define EVAL_BIND_H

#include "eval/eval.h"
#include "eval/syntax/expr.h"

/* Does the chain that ends in @x hold what only running code can tell? */
bool bind_wanted(const struct expr *x);
/* The value of @x, a part of @text. Needs e->vm. */
DBG_MUST struct dbg_error *bind_evaluate(const struct eval *e, const char *text,
					 const struct expr *x,
					 struct value *ret);

#endif
