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
#include <sys/user.h>

struct target;

/*
 * Make the caller's registers of @regs. @leaf: rip is where the thread
 * stands, not a return address; on return, whether that holds of the caller
 * (it was interrupted by a signal). False if there is no way: code without
 * unwind information, or a broken stack.
 */
bool unwind_step(struct target *t, struct user_regs_struct *regs, bool *leaf);
/* Does @pc lie in an image with unwind information? Cheap. */
bool unwind_is_native(struct target *t, uint64_t pc);

#endif
