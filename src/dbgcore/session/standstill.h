/* A program that its runtime holds for another debugger: standstill.c. */
#ifndef SESSION_STANDSTILL_H
#define SESSION_STANDSTILL_H

#include <stdint.h>

#include "session/ticks.h"

struct dbg;

struct standstill {
	bool due; /* to be looked out for when the program runs next */
	struct ticks ticks;
	int64_t last;      /* event, or look since then, by clock_ms */
	unsigned int seen; /* how often it was found so in a row */
};

/* Begin when the runtime is up. */
void standstill_begin(struct dbg *dbg);
/* Call before the program, which is stopped, runs. */
void standstill_go(struct dbg *dbg);
/* The program is gone. */
void standstill_end(struct dbg *dbg);
/* Something has happened in the program: it is not at a standstill. */
void standstill_event(struct dbg *dbg);
/* Look at the clock. */
void standstill_tick(struct dbg *dbg);

#endif
