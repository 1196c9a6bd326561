/* Shared by eval.c, assign.c and match.c. */
#ifndef EVAL_EVAL_PRIV_H
#define EVAL_EVAL_PRIV_H

#include "eval/eval.h"
#include "eval/syntax/expr.h"
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
/* The truth of a bool. */
DBG_MUST struct dbg_error *run_truth(struct run *r, const struct expr *x,
				     bool *ret);
/* A binary operator, but && || ??, on two plain values. */
DBG_MUST struct dbg_error *run_operator(struct run *r, enum op op,
					const struct value ab[2],
					struct value *ret);
/* The error of what cannot be evaluated without running code. */
DBG_MUST struct dbg_error *run_unserved(const struct run *r,
					const struct expr *x);
/* The error of an assignment that is not the whole expression. */
DBG_MUST struct dbg_error *eval_misplaced(void);
/* By an indexer, if @of is no row of elements itself; else *ret_any is false.
 */
DBG_MUST struct dbg_error *run_indexer(struct run *r, const struct expr *x,
				       const struct operand *of,
				       struct value *ret, bool *ret_any);
/* The node's text, for messages. */
const char *run_source(const struct run *r, const struct expr *x);

#endif
