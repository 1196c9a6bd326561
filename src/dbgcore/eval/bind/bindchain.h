/* Conditional access, see bindchain.c. */
#ifndef EVAL_BINDCHAIN_H
#define EVAL_BINDCHAIN_H

#include "eval/bind/bind_priv.h"

/* ?. and ?[ : the chain that @x ends, null if its receiver is. */
DBG_MUST struct dbg_error *
bind_conditional(struct binder *b, const struct expr *x, struct bound **ret);
bool bind_is_conditional(const struct expr *x);
/*
 * The operand of the last ?. in the chain that @x ends; NULL: the chain has
 * none.
 */
const struct expr *bind_asked(const struct expr *x);
/* @x with each ?. a dot. */
const struct expr *bind_unconditional(struct binder *b, const struct expr *x);

#endif
