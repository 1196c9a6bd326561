/* Shared by the files of control/call/. */
#ifndef CONTROL_CALL_PRIV_H
#define CONTROL_CALL_PRIV_H

#include "control/call/call.h"

struct control;

/* ---- callthread.c ------------------------------------------------------ */

/* Handles the call's thread at a place where it was awaited. */
typedef struct dbg_error *place_fn(struct control *c, struct regs *regs);

/* ---- callthread.c ------------------------------------------------------ */

/*
 * Is the statement one where the collector finds all that it would, when the
 * thread stands as @called tells, in the guard that the statement has called?
 * Registers of calls.saved that it may take for objects are cleared.
 */
DBG_MUST struct dbg_error *callframe_check(struct control *c, pid_t tid,
					   const struct regs *called);

#endif
