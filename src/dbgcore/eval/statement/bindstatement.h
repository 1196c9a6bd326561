/* The statements of a lambda's body. */
#ifndef EVAL_BINDSTATEMENT_H
#define EVAL_BINDSTATEMENT_H

#include "eval/bind/bind_priv.h"

/*
 * Bind the block that is the body of b->lambda; its `return`s are noted there.
 * *ret_type: what it returns, NULL: nothing.
 */
DBG_MUST struct dbg_error *bind_block_body(struct binder *b,
					   const struct expr *x,
					   struct bound **ret,
					   struct type **ret_type);
/* Do all values that the lambda returns convert to @to? */
bool returns_fit(struct binder *b, const struct bound_lambda *l,
		 struct type *to);
/* Convert them. */
DBG_MUST struct dbg_error *returns_convert(struct binder *b,
					   const struct bound_lambda *l,
					   struct type *to);

/*
 * bindfunction.c: the variables of the local functions among @x's list behind
 * @from, by their places in it. Each is bound where it stands; *ret sets it,
 * and belongs to the beginning of the block.
 */
DBG_MUST struct dbg_error *functions_declare(struct binder *b,
					     const struct expr *x, size_t from,
					     struct bound ***ret);
DBG_MUST struct dbg_error *function_bind(struct binder *b, const struct expr *x,
					 struct bound *var, struct bound **ret);

/* bindstatement.c */
DBG_MUST struct dbg_error *bind_foreach(struct binder *b, const struct expr *x,
					struct bound **ret);

/*
 * bindfunction.c: the local function of the program's of this name, of the
 * method that the frame is in; *ret NULL: it has none.
 */
DBG_MUST struct dbg_error *
function_named(struct binder *b, const struct expr *x, struct bound **ret);

#endif
