/*
 * Faults of the processor that end a program: where, and what is there.
 */
#ifndef INSPECT_FAULT_H
#define INSPECT_FAULT_H

#include <stdint.h>
#include <sys/types.h>

#include "dbg.h"

struct inspect;

/* What the kernel tells with the signal. */
struct fault_signal {
	int signal; /* that ends the program */
	/* The siginfo, of a fault that came before it, perhaps; 0: none. */
	int told;
	int code;
	uint64_t addr;
};

/*
 * The fault that the thread @tid of a stopped program is about to die of, in
 * the arena of the stop. NULL: the signal was sent by somebody. With SIGABRT,
 * the fault at its newest managed frame, which the runtime has turned into an
 * exception that nobody catches or a fatal error; NULL if that frame is at no
 * fault.
 */
const struct dbg_fault *fault_find(struct inspect *in, pid_t tid,
				   const struct fault_signal *signal);

#endif
