/* Shared by the files of control/call/. */
#ifndef CONTROL_CALL_PRIV_H
#define CONTROL_CALL_PRIV_H

#include "control/call/call.h"

struct control;

/* ---- callthread.c ---------------------------------------------------- */

/* Call @fn when the thread comes to @addr, until call_traps_lift. */
DBG_MUST struct dbg_error *call_trap_at(struct control *c, uint64_t addr);
void call_traps_lift(struct control *c);
/* Let the thread go on, whose registers are set for the call. */
void call_begun(struct control *c, const struct call_request *req,
		enum call_phase phase);
/* End the call; its result is set. */
void call_finish(struct control *c);
/* Give the thread the registers that it had, but for those it has kept. */
DBG_MUST struct dbg_error *call_restore(struct control *c, struct regs *regs);
/* Handles the call's thread at a place where it was awaited. */
typedef struct dbg_error *place_fn(struct control *c, struct regs *regs);
/*
 * Has the runtime changed where the call returns to, to stop the thread there?
 * It does so by the word below the statement's stack pointer.
 */
bool call_is_hijacked(struct control *c);

/* ---- callframe.c ------------------------------------------------------ */

/*
 * Is the statement one where the collector finds all that it would, when the
 * thread stands as @called tells, in the guard that the statement has called?
 * Registers of calls.saved that it may take for objects are cleared.
 */
DBG_MUST struct dbg_error *callframe_check(struct control *c, pid_t tid,
					   const struct regs *called);

/* ---- callthread.c ------------------------------------------------------- */

/*
 * Make the thread do what is missing to use the guard, whose class is not
 * loaded or that has no code. When it has ended there may be more to do.
 */
DBG_MUST struct dbg_error *prepare_begin(struct control *c,
					 const struct call_request *req);
/* The thread is back at the statement. */
DBG_MUST struct dbg_error *prepare_returned(struct control *c,
					    struct regs *regs);
/* The thread is at the first instruction of the guard. */
DBG_MUST struct dbg_error *prepare_entered(struct control *c,
					   struct regs *regs);

/* ---- callthread.c ------------------------------------------------------- */

/* Find a method of the core library; 0: there is none. */
uint64_t guard_method(struct control *c, const char *class, const char *name,
		      uint32_t n_params);
/* Metadata name of the class of a guard. */
const char *guard_class(bool is_reference);
/*
 * Find @g's method, and its code if it has any. Without its class in the
 * program there is none of both, and no error.
 */
DBG_MUST struct dbg_error *guard_find(struct control *c, bool is_reference,
				      struct call_guard *g);

#endif
