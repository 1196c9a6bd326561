/* Shared by eval.c and assign.c. */
#ifndef EVAL_EVAL_PRIV_H
#define EVAL_EVAL_PRIV_H

#include "eval/eval.h"
#include "eval/expr.h"
#include "eval/member.h"

/* One text under evaluation. */
struct run {
	const struct eval *e;
	const char *text;
	struct type *wanted; /* an enum whose names stand bare, or NULL */
};

/* What a node of the tree stands for. */
DBG_MUST struct dbg_error *run_node(struct run *r, const struct expr *x,
				    struct operand *ret);
/* Its value (not a type or part of a name), as it is stored. */
DBG_MUST struct dbg_error *run_value(struct run *r, const struct expr *x,
				     struct value *ret);
/* ... settled, opened if Nullable, and readable. */
DBG_MUST struct dbg_error *run_plain(struct run *r, const struct expr *x,
				     struct value *ret);
/* The node's text, for messages. */
const char *run_source(const struct run *r, const struct expr *x);

#endif
