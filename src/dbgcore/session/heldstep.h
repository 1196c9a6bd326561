/* A step that holds the other threads: heldstep.c. */
#ifndef SESSION_HELDSTEP_H
#define SESSION_HELDSTEP_H

#include <stdint.h>

#include "session/ticks.h"

struct dbg;

struct held_step {
	struct ticks ticks;
	int64_t looked;      /* by clock_ms */
	unsigned int asleep; /* how often it was found so */
};

/* The program is resumed, perhaps by a step that holds other threads. */
void heldstep_begin(struct dbg *dbg);
/* The program has stopped, or is gone: nothing is held back any more. */
void heldstep_end(struct dbg *dbg);
/*
 * Let the other threads run if the step has been waiting for one of them for
 * long.
 */
void heldstep_tick(struct dbg *dbg);

#endif
