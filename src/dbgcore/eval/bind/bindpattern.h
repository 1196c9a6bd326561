/* Patterns: tests of a value that is kept, which may declare variables. */
#ifndef EVAL_BINDPATTERN_H
#define EVAL_BINDPATTERN_H

#include "eval/bind/bind_priv.h"

DBG_MUST struct dbg_error *bind_pattern(struct binder *b, struct bound *v,
					const struct expr *p,
					struct bound **ret);
/* x && y; a constant. */
struct bound *pattern_both(struct binder *b, struct bound *x, struct bound *y);
struct bound *pattern_truth(struct binder *b, bool value, const struct expr *x);
/* @v in a variable for the patterns in it, stored when that is met. */
DBG_MUST struct dbg_error *pattern_inside(struct binder *b, struct bound *v,
					  const struct expr *p,
					  struct bound **ret);
/* (a, b) and [a, .., b] of a value that is not null. */
DBG_MUST struct dbg_error *pattern_positional(struct binder *b, struct bound *v,
					      const struct expr *p,
					      struct bound **ret);
DBG_MUST struct dbg_error *pattern_list(struct binder *b, struct bound *v,
					const struct expr *p,
					struct bound **ret);
/* Is @v, of a type that has null, not null? And what it is then. */
DBG_MUST struct dbg_error *pattern_present(struct binder *b, struct bound *v,
					   const struct expr *p,
					   struct bound **ret_test,
					   struct bound **ret_value);
/* The parts of @v against `var (a, b)`. */
DBG_MUST struct dbg_error *pattern_names(struct binder *b, struct bound *v,
					 const struct expr *p,
					 struct bound **ret);

#endif
