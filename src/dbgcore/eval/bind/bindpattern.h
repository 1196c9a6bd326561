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

#endif
