/*
 * Calls of the DAC's functions that outlive its faults and, if they are
 * limited, its endless loops.
 */
#ifndef DAC_GUARD_H
#define DAC_GUARD_H

#include "dac/com.h"

enum {
	DAC_MAX_ARGS = 7
};

/*
 * Install the handlers by which a fault inside the DAC ends only the call
 * (COM_E_FAULT). Idempotent.
 */
void guard_install(void);
/* The addresses of a DAC's own code, in which a call can be ended. */
void guard_code(uintptr_t start, uintptr_t end);

enum {
	GUARD_TICK_MS = 20,
	GUARD_MB = 128, /* of memory that a limited call may take */
};

/* What a call may cost, and has cost. */
struct guard_limit {
	unsigned int ticks_max; /* of GUARD_TICK_MS of processor time */
	unsigned int ticks;
	bool big; /* it was ended for the memory that it took */
};

/*
 * Call a function of the DAC: COM_E_FAULT if it faulted, COM_E_TIMEOUT if it
 * was ended at its limit (NULL: none).
 */
int32_t guard_call(com_fn *fn, void *self, const uint64_t a[DAC_MAX_ARGS],
		   struct guard_limit *limit);
/* Asked for memory: end a call that has reached its limit. */
void guard_check(void);

#endif
