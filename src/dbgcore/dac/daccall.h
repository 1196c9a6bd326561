/* Calls of the DAC's objects by slot, and what they may cost. */
#ifndef DAC_DACCALL_H
#define DAC_DACCALL_H

#include "dac/dac.h"
#include "dac/guard.h"

/* What the calls of a DAC have cost, and may cost. */
struct dac_limits {
	bool on;
	unsigned int n_ended; /* calls that did not end by themselves */
	unsigned int lost;    /* ticks that went into them */
	bool circle_told;     /* that the list of threads has no end */
	dac_tell_fn *tell;    /* NULL: nobody, or all is told */
	void *arg;
};

/* guard_call with the limits that hold for this DAC. */
int32_t dac_call_fn(struct dac *d, com_fn *fn, void *self,
		    const uint64_t a[DAC_MAX_ARGS]);
/* Tell that the list of threads leads in a circle, of a core. */
void dac_tell_circle(struct dac *d);
/* Call a slot of an object with @n arguments, likewise, and count it. */
int32_t dac_call(struct dac *d, void *object, unsigned slot, unsigned n, ...);

/* Call a slot of a COM object of the DAC. */
#define DAC_CALL(d, object, slot, ...)                                         \
	dac_call((d), (object), (slot), DAC_COUNT(__VA_ARGS__), ##__VA_ARGS__)
#define DAC_COUNT(...) DAC_EIGHTH(0, ##__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0)
#define DAC_EIGHTH(skip, a, b, c, d, e, f, g, n, ...) n

#endif
