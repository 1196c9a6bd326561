/*
 * Expressions compiled for one address of code: evaluated with the registers
 * and the memory of the one thread that has come there, while others may run.
 *
 * The text is bound by the declared types of the frame's variables and
 * becomes a method of the machine whose parameters they are. Where they are
 * at this address (a register, a distance from the frame or stack pointer) is
 * taken from a frame that stood there once. The runtime is asked for nothing
 * when it is evaluated; what that would take (a virtual call, an object of a
 * type that was not met before, a variable that is not there) is left to
 * eval_value and eval_condition.
 *
 * A thread that has come to a trap in managed code is not at a safe point, so
 * the collector, which has to suspend it first, moves nothing meanwhile.
 */
#ifndef EVAL_FRAMECODE_H
#define EVAL_FRAMECODE_H

#include "eval/eval.h"
#include "target/arch.h"

struct frame_code;

/*
 * Compile @text, whose value is a number, an enum or a string (@truth: a bool,
 * as conditions are), for the newest frame of a thread, whose scope is @e's and
 * whose registers are @regs; DBG_E_UNSUPPORTED if it cannot be. It is good as
 * long as @e's machine.
 */
DBG_MUST struct dbg_error *frame_code_create(const struct eval *e,
					     const char *text, bool truth,
					     const struct regs *regs,
					     struct frame_code **ret);
void frame_code_destroy(struct frame_code *c);
/*
 * Evaluate it for a thread with @regs, behind vm_stop; false: it has no answer,
 * for which the general way is to be gone.
 */
bool frame_code_run(struct frame_code *c, struct vm *vm,
		    const struct regs *regs, struct value *ret);
/*
 * @old was compiled for the same address, from another frame there: what both
 * agree on holds. False if they do not.
 */
bool frame_code_merge(struct frame_code *c, const struct frame_code *old);

#endif
