/* Conditions of breakpoints, as they are evaluated at a hit. */
#ifndef CONTROL_CONDITION_H
#define CONTROL_CONDITION_H

#include <sys/types.h>

#include "dbg.h"

struct bp;
struct control;

/*
 * Does the condition of @bp hold for @tid? May stop all threads. What cannot
 * be answered is told, and holds, as in gdb; but what does not compile would
 * fail at each hit, so it holds once only.
 */
DBG_MUST struct dbg_error *condition_holds(struct control *c, struct bp *bp,
					   pid_t tid, bool *ret);

#endif
