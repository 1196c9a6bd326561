/*
 * The frame of a guard, made and undone by executing the guard's own
 * instructions in the debugger: on the registers of a stopped thread, and on
 * the part of its stack that it does not use. The processor's part of
 * callthread.c.
 */
#ifndef CONTROL_CALLCODE_H
#define CONTROL_CALLCODE_H

#include "target/target.h"

/*
 * Let the registers @r enter a method at @entry, with @back as return address,
 * and run up to its first call at @body or behind it, whose return address is
 * *ret_call; earlier calls are skipped. False: it has instructions that are not
 * known.
 */
bool callcode_enter(struct target *t, struct regs *r, uint64_t entry,
		    uint64_t back, uint64_t body, uint64_t *ret_call);
/* Run the registers from @at to the end of the method, skipping calls. */
bool callcode_leave(struct target *t, struct regs *r, uint64_t at);
/* Call @method from there by way of ThePreStub, to return to @back. */
bool callcode_call(struct target *t, struct regs *r, uint64_t prestub,
		   uint64_t method, uint64_t back);
/*
 * Restore @saved, as after a complete call: only callee-saved registers keep
 * what the thread has in @r.
 */
void callcode_restore(const struct regs *saved, struct regs *r);
/* The word that a method has returned. */
uint64_t callcode_result(const struct regs *r);
/* Clear the arguments of a guard. */
void callcode_clear_args(struct regs *r);
/* May a call destroy the register? Numbered as in the runtime's tables. */
bool callcode_is_scratch(int32_t number);
void callcode_clear(struct regs *r, int32_t number);
/* Argument registers in which a handler may get its exception. */
enum {
	CALLCODE_HANDLER_ARGS = 2
};

#endif
