/* What is kept of fields that hot reload added, see heap/latefield.c. */
#ifndef DAC_LATEFIELD_H
#define DAC_LATEFIELD_H

#include "base/map.h"

/* Second objects of dependent handles by these, until the next stop. */
struct dac_late {
	struct map holders;
	bool current;
};

void dac_late_clear(struct dac_late *late);

#endif
