/* Expression trees: lambdas that become data (System.Linq.Expressions). */
#ifndef EVAL_TREENODE_H
#define EVAL_TREENODE_H

#include "eval/bind/bind_priv.h"

/* The delegate D of Expression<D>; @to itself, if it is another type. */
struct type *tree_delegate(struct type *to);
bool tree_is_wanted(const struct type *to);
/* The lambda @x as an Expression<D>, @to, by calls of the factory methods. */
DBG_MUST struct dbg_error *tree_convert(struct binder *b, const struct expr *x,
					struct type *to, struct bound **ret);

#endif
