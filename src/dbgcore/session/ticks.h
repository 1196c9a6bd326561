/* A timer by which dbg_dispatch() is called again and again: run.c. */
#ifndef SESSION_TICKS_H
#define SESSION_TICKS_H

#include <stdbool.h>
#include <time.h>

struct ticks {
	timer_t timer;
	bool on;
};

/*
 * Tick every @ms (below 1,000) from now on: by SIGCHLD, for which callers of
 * dbg_dispatch() wait anyway. Without effect if the kernel has no timer left.
 */
void ticks_start(struct ticks *t, unsigned int ms);
void ticks_stop(struct ticks *t);

#endif
