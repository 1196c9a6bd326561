/* Async lambdas; see bindasync.c. */
#ifndef EVAL_BINDASYNC_H
#define EVAL_BINDASYNC_H

#include "eval/bind/bind_priv.h"

/*
 * The type of value that the body of an async lambda with the return type @ret
 * returns; NULL: such a lambda is not allowed.
 */
struct type *async_result(struct binder *b, const struct type *ret);
/* The Task that an async lambda returns whose body gives @body. */
struct type *async_task(struct binder *b, struct type *body);
/*
 * The body of the lambda @l, converted to what async_result says, as a @ret:
 * @io is the expression, or the block, whose returns are changed.
 */
DBG_MUST struct dbg_error *async_wrap(struct binder *b,
				      const struct bound_lambda *l,
				      struct type *ret, struct bound **io);

#endif
