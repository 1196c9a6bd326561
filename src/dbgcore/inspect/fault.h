/*
 * Faults of the processor that end a program: where, and what is there.
 */
#ifndef INSPECT_FAULT_H
#define INSPECT_FAULT_H

#include <stdint.h>
#include <sys/types.h>

#include "dbg.h"

struct inspect;

/* What the kernel has told with the signal. */
struct fault_signal {
	int signal; /* that ends the program */
	/* The siginfo, of a fault that came before it, perhaps; 0: none. */
	int told;
	int code;
	uint64_t addr;
};

/*
 * The fault that the thread @tid of a stopped program dies of, in the arena of
 * the stop; NULL: somebody has sent the signal. With SIGABRT: that of its
 * newest managed frame, from which the runtime has made an exception that
 * nobody catches, or a fatal error; NULL if it has not stopped at one.
 */
const struct dbg_fault *fault_find(struct inspect *in, pid_t tid,
				   const struct fault_signal *signal);

#endif
