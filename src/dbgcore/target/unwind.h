/*
 * From a native frame to its caller, by the image's .eh_frame.
 *
 * Everything is read from the target's memory and believed only as far as it
 * makes sense: a stack that cannot be unwound ends, it is no error.
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

/* What a callee keeps for its caller, after those of arch_saved. */
enum {
	SAVED_REG_FP = ARCH_SAVED,
	SAVED_REG_PC,
	N_SAVED_REGS,
};

/* Where register @number, ARCH_PC too, is among these; N_SAVED_REGS: it is not.
 */
unsigned int unwind_saved(unsigned int number);

enum {
	SAVED_REG_LOST = 1 /* an address: it is somewhere, not known where */
};

/*
 * The same; registers that the frame has saved get their address in @at, the
 * others' stay.
 */
bool unwind_step_saved(struct target *t, struct regs *regs, bool *leaf,
		       uint64_t at[N_SAVED_REGS]);
/*
 * Where a frame's caller is, as far as stack and frame pointer tell, so that it
 * can be kept for the code at a pc. The return address is in the word in front
 * of the caller's stack pointer.
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
