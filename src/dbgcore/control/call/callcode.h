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
 * From the entry at @entry, with @back as return address, to the first call at
 * @body or behind it; calls in front of it are passed. *ret_call is where that
 * call returns to. False: instructions that are not known.
 */
bool callcode_enter(struct target *t, struct regs *r, uint64_t entry,
		    uint64_t back, uint64_t body, uint64_t *ret_call);
/* From @at on to the end of the method, passing calls. */
bool callcode_leave(struct target *t, struct regs *r, uint64_t at);
/* Call @method from there by way of ThePreStub, to return to @back. */
bool callcode_call(struct target *t, struct regs *r, uint64_t prestub,
		   uint64_t method, uint64_t back);
/*
 * What a thread has changed of @saved by a call that is complete: of the
 * registers only those that the called preserve.
 */
void callcode_restore(const struct regs *saved, struct regs *r);
/* What a method has returned, a word. */
uint64_t callcode_result(const struct regs *r);
/* Null arguments for a guard. */
void callcode_clear_args(struct regs *r);
/* Of a register by the number that the runtime's tables give it. */
bool callcode_is_scratch(int32_t number);
void callcode_clear(struct regs *r, int32_t number);
/* Arguments that a handler may have its exception in. */
enum {
	CALLCODE_HANDLER_ARGS = 2
};

#endif
