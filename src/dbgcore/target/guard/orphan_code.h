/*
 * What is left in a program that is to survive us: see orphan.h. One page of
 * code, then struct orphan_data, which is shared with the code and with whoever
 * finds it when we are gone.
 */
#ifndef TARGET_ORPHAN_CODE_H
#define TARGET_ORPHAN_CODE_H

#include <stddef.h>
#include <stdint.h>

enum {
	ORPHAN_CODE_BYTES = 4096,
	ORPHAN_TRAPS_MAX = 65536,
	ORPHAN_MASKS_MAX = 64,
	ORPHAN_CLEARED_MAX = 256,
	ORPHAN_UNDO_MAX = 4096,
};

#define ORPHAN_MAGIC UINT64_C(0x34656e2d67626e64) /* "dnbg-ne4" */

/* struct sigaction as the kernel has it. */
struct orphan_action {
	uint64_t handler, flags, restorer, mask;
};

/*
 * The program's own action is old; earlier is the one before it, to which old
 * may return what it does not know: see orphan_put_first.
 */
struct orphan_actions {
	struct orphan_action ours, old, now, earlier;
};

/* The signal mask of a thread whose signals were blocked for a step. */
struct orphan_mask {
	uint64_t tid, mask;
};

/*
 * Bytes of an aligned word of the runtime's data that we have written: the
 * original, and the two contents that they have unless somebody else has
 * written them since. The other bytes of these words mean nothing.
 */
struct orphan_undo {
	uint64_t old, now, next;
	uint64_t mask; /* of the bytes: the first is bit 0 */
	uint64_t addr; /* 0: free */
};

struct orphan_data {
	uint64_t magic;
	struct orphan_actions actions;
	uint32_t lock;     /* the process that has it, 0: none */
	uint32_t prot;     /* of code, as mprotect takes it */
	char mem_path[16]; /* "/proc/self/mem" */
	struct orphan_mask masks[ORPHAN_MASKS_MAX];
	uint64_t n_traps;                 /* slots below this were used */
	uint64_t traps[ORPHAN_TRAPS_MAX]; /* address << 8 | byte; 0: free */
	/* Words to be cleared by who cleans up; 0: free. */
	uint64_t cleared[ORPHAN_CLEARED_MAX];
	struct orphan_undo undos[ORPHAN_UNDO_MAX];
	uint64_t chained; /* earlier is set: old may have ours behind it */
};

enum {
	ORPHAN_BYTES = ORPHAN_CODE_BYTES +
		       (sizeof(struct orphan_data) + 4095) / 4096 * 4096,
};

/* The code, to be copied to the start of a page: section orphan_code. */
extern const uint8_t __start_orphan_code[], __stop_orphan_code[];
/* Addresses in that page: the handler, and the code that it returns to. */
extern const uint8_t orphan_code_handler[], orphan_code_restorer[];

/*
 * The mask for a thread with @mask while it is stepped: everything is blocked
 * except what an instruction may raise itself.
 */
static inline __attribute__((always_inline)) uint64_t
orphan_step_mask(uint64_t mask)
{
	// SIGILL 4, SIGTRAP 5, SIGBUS 7, SIGFPE 8, SIGSEGV 11, SIGSYS 31; and
	// SIGKILL 9, SIGSTOP 19, which nobody can block
	const uint64_t raised = UINT64_C(0x400004d8), never = 0x40100;

	return (~raised | mask) & ~never;
}

#endif
