/* Calls of the DAC's functions that outlive its faults. */
#ifndef DAC_GUARD_H
#define DAC_GUARD_H

#include "dac/dacmethods.h"

/*
 * Install the handlers by which a fault inside the DAC ends only the call
 * (COM_E_FAULT). Idempotent.
 */
void guard_install(void);

/* Call a function of the DAC; COM_E_FAULT if it faulted. */
int32_t guard_call(com_fn *fn, void *self, const uint64_t a[DAC_MAX_ARGS]);
/*
 * Carry out a method of a DAC object in this process: by guard_call, or by our
 * own function, which makes such calls itself.
 */
int32_t guard_call_method(enum dac_method_id method, void *object,
			  const uint64_t a[DAC_MAX_ARGS]);

#endif
