/*
 * What we leave in a program that is to survive us: see net.h. One page of
 * code, then struct net_data, which is shared with the code and with whoever
 * finds it when we are gone.
 */
#ifndef TARGET_NET_CODE_H
#define TARGET_NET_CODE_H

#include <stddef.h>
#include <stdint.h>

enum {
	NET_CODE_BYTES = 4096,
	NET_TRAPS_MAX = 65536,
	NET_MASKS_MAX = 64,
};

#define NET_MAGIC UINT64_C(0x74656e2d67626e64) /* "dnbg-net" */

/* struct sigaction as the kernel has it. */
struct net_action {
	uint64_t handler, flags, restorer, mask;
};

/* A thread whose signals were blocked for a step: its own mask. */
struct net_mask {
	uint64_t tid, mask;
};

struct net_data {
	uint64_t magic;
	struct net_action ours, old, now;
	uint32_t lock;
	uint32_t prot;     /* of code, as mprotect takes it */
	char mem_path[16]; /* "/proc/self/mem" */
	struct net_mask masks[NET_MASKS_MAX];
	uint64_t n_traps;              /* slots below this were used */
	uint64_t traps[NET_TRAPS_MAX]; /* address << 8 | byte; 0: free */
};

enum {
	NET_BYTES =
	    NET_CODE_BYTES + (sizeof(struct net_data) + 4095) / 4096 * 4096,
};

/* The code, to be copied to the start of a page: section net_code. */
extern const uint8_t __start_net_code[], __stop_net_code[];
/* In it: the handler and what it returns to. */
extern const uint8_t net_code_handler[], net_code_restorer[];

/*
 * The mask that a thread with @mask has while it is stepped: all is blocked
 * but what an instruction may raise itself.
 */
static inline __attribute__((always_inline)) uint64_t
net_step_mask(uint64_t mask)
{
	// SIGILL 4, SIGTRAP 5, SIGBUS 7, SIGFPE 8, SIGSEGV 11, SIGSYS 31; and
	// SIGKILL 9, SIGSTOP 19, which nobody can block
	const uint64_t raised = UINT64_C(0x400004d8), never = 0x40100;

	return (~raised | mask) & ~never;
}

#endif
