/*
 * Calls that registers do not hold: of methods that return more than two of
 * them, or by reference, or that are given more than there are, or the address
 * of a variable that only the machine has; and virtual methods of generic
 * structures, which the runtime gives out for boxes alone.
 * The program makes such a call as its own reflection does, by
 * MethodBase.Invoke: values go and come in boxes, which are objects like others
 * to the collector.
 */
#ifndef EVAL_INVOKE_H
#define EVAL_INVOKE_H

#include "eval/evalcall.h"

/* The arguments of Invoke, `this` (the method) first. */
enum {
	INVOKE_OBJECT = 1,
	INVOKE_FLAGS = 2,
	INVOKE_ARRAY = 4,
	INVOKE_ARGS = 6,
};

/* Is the call that the machine waits for one of those, and can be made so? */
bool invoke_is_needed(const struct eval *e, const struct vm_result *r);
/*
 * The arguments of Invoke for that call, to @e's calls; the first, the object
 * that stands for the method, is left 0. What only the machine has of them is
 * added to @g.
 */
DBG_MUST struct dbg_error *invoke_write_down(const struct eval *e,
					     const struct vm_result *r,
					     struct vm_graph *g);
/*
 * What Invoke has answered: the bytes of the value that the call returned, in
 * e->arena. A structure whose method it was is written back, and so is what
 * the parameters led to.
 */
DBG_MUST struct dbg_error *invoke_answer(const struct eval *e,
					 const struct vm_result *r,
					 struct eval_answer *a,
					 const void **ret);

#endif
