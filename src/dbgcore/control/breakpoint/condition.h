/*
 * Conditions of breakpoints, as they are evaluated at a hit.
 *
 * At the first hit at an address all threads are stopped, the runtime is asked
 * for the frame, and the condition is evaluated as an expression of a user's
 * is. It is compiled for that address at the same time (eval/framecode.h) and,
 * if its code gives the same answer there, that alone is asked at later hits,
 * with no other thread stopped.
 */
#ifndef CONTROL_CONDITION_H
#define CONTROL_CONDITION_H

#include <sys/types.h>

#include "dbg.h"

struct bp;
struct condition_code;
struct control;

/* By address of the hits. */
struct condition_codes {
	struct condition_code *v;
	size_t n, cap;
};

/*
 * Does the condition of @bp hold for @tid? May stop all threads. What cannot
 * be answered is told, and holds: gdb's rule.
 */
DBG_MUST struct dbg_error *condition_holds(struct control *c, struct bp *bp,
					   pid_t tid, bool *ret);
/* The condition, or what the program has loaded, is another. */
void condition_forget(struct condition_codes *codes);

#endif
