/*
 * Does a command do anything? It is idle for as long as none of its processes
 * writes, reads from a disk, is born or ends, and all together they use less
 * than a twentieth of one processor: runners of tests that wait for a test use
 * a hundredth or two.
 */
#ifndef REPORT_IDLE_H
#define REPORT_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "report/tree.h"

/* All times are those of one clock, in milliseconds. */
struct idle {
	uint64_t since;
	uint64_t looked;
	struct tree_work work; /* when it was last seen to work */
	struct tree_work last; /* at the last look */
};

/* It is taken to work now: it begins, or what it did is not known. */
void idle_restart(struct idle *idle, uint64_t now);
/* When idle_look() has something to do again. */
uint64_t idle_next(const struct idle *idle, uint64_t hang_ms);
/*
 * Look, if it is time to, at @pid and what it has started, of which it is
 * @hang_ms that count as a hang; true: it was idle again.
 */
bool idle_look(struct idle *idle, pid_t pid, uint64_t hang_ms, uint64_t now);

#endif
