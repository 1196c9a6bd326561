/*
 * Unwinds from a native frame to its caller, by the image's .eh_frame.
 *
 * Everything is read from the target's memory and believed only as far as it
 * makes sense: a stack that cannot be unwound ends there, which is no error.
 */
#ifndef TARGET_UNWIND_H
#define TARGET_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "target/arch.h"

struct target;

/*
 * Make the caller's registers of @regs. @leaf: pc is where the thread
 * stands, not a return address; on return, whether that holds of the caller
 * (it was interrupted by a signal). False if there is no way: code without
 * unwind information, or a broken stack.
 */
bool unwind_step(struct target *t, struct regs *regs, bool *leaf);

/* Registers that a callee saves for its caller, in addition to arch_saved. */
enum {
	SAVED_REG_FP = ARCH_SAVED,
	SAVED_REG_PC,
	N_SAVED_REGS,
};

/*
 * Index of register @number (ARCH_PC included) among these; N_SAVED_REGS: it is
 * none of them.
 */
unsigned int unwind_saved(unsigned int number);

enum {
	SAVED_REG_LOST = 1 /* an address: it is somewhere, not known where */
};

/*
 * The same, also noting in @at the addresses of registers that the frame has
 * saved; other entries stay.
 */
bool unwind_step_saved(struct target *t, struct regs *regs, bool *leaf,
		       uint64_t at[N_SAVED_REGS]);
/*
 * How to get to a frame's caller by stack and frame pointer alone, so that it
 * can be cached by pc. The return address is the word below the caller's stack
 * pointer.
 */
struct unwind_rule {
	uint64_t start; /* of the function */
	bool by_fp;     /* of the frame pointer, not of the stack pointer */
	bool fp_saved;  /* the caller's frame pointer is on the stack */
	bool outermost; /* there is no caller */
	int32_t cfa;    /* the caller's stack pointer, from that register */
	int32_t fp;     /* where its frame pointer is, from there */
};

/* False: there is no unwind information, or it tells more than that. */
bool unwind_rule_find(struct target *t, uint64_t pc, struct unwind_rule *ret);
/* Does @pc lie in an image with unwind information? Cheap. */
bool unwind_is_native(struct target *t, uint64_t pc);

#endif
