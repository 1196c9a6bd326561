/* What a runtime counts of itself from its beginning on. */
#ifndef DAC_TOTALS_H
#define DAC_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

struct dac;

struct dac_totals {
	bool known;
	uint32_t exceptions; /* thrown; goes round */
	uint64_t paused_us;  /* threads stood still for collections */
};

/* Read them from memory, also of a program that runs. */
void dac_totals_read(struct dac *d, struct dac_totals *ret);

#endif
