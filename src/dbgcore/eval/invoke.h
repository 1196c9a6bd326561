/*
 * Calls that registers do not hold: of methods that return more than two of
 * them, or by reference, or that are given more than there are, or the address
 * of a variable that only the machine has; and virtual methods of generic
 * structures, which the runtime gives out for boxes alone.
 * The program makes such a call as its own reflection does, by
 * MethodBase.Invoke: values go and come in boxes, which are objects like others
 * to the collector.
 *
 * What has no box, a span among more arguments than there are registers, is
 * given by its address: to the method behind Invoke, which copies all arguments
 * from memory to where the method expects them. That memory is the debugger's,
 * and unknown to the collector; so an object stands in the handle by which it
 * is held, and nothing else may lead into the collector's heap.
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

#endif
