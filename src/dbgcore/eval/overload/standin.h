/* What is chosen by static types in generic code; see standin.c. */
#ifndef EVAL_STANDIN_H
#define EVAL_STANDIN_H

#include "eval/bind/bind_priv.h"

/*
 * Are there arguments of @c whose static type may mention a type parameter of
 * the frame's? Then *ret is the call and @to are the methods as for any type
 * argument; @constrained: that meets the constraints, but is
 * no more than they say. @sure: which of its types do mention one is known.
 */
bool standin_call(struct binder *b, const struct call *c,
		  struct type_method *const *methods, size_t n,
		  bool constrained, struct call *ret, struct type_method **to,
		  bool *sure);

#endif
