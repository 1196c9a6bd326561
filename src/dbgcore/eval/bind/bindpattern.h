/*
 * Patterns: tests of a value that is kept, which may declare variables.
 *
 * Unions of C# 15; see bindpattern.c.
 */
#ifndef EVAL_BINDPATTERN_H
#define EVAL_BINDPATTERN_H

#include "eval/bind/bind_priv.h"

DBG_MUST struct dbg_error *bind_pattern(struct binder *b, struct bound *v,
					const struct expr *p,
					struct bound **ret);
/* x && y; a constant. */
struct bound *pattern_both(struct binder *b, struct bound *x, struct bound *y);
struct bound *pattern_truth(struct binder *b, bool value, const struct expr *x);

/*
 * @v as the union @to, or as the union that @to is the nullable type of, made
 * by the constructor of its case; *ret NULL: @to is none, or has no such case.
 */
DBG_MUST struct dbg_error *union_convert(struct binder *b, struct bound *v,
					 struct type *to, struct bound **ret);

#endif
