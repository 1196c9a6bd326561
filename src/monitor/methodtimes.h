/* A profile by its methods: what they and those they have called took. */
#ifndef MONITOR_METHODTIMES_H
#define MONITOR_METHODTIMES_H

#include "monitor/tally.h"
#include "dbg.h"

/* Nanoseconds, of one frame in all stacks. */
struct method_times {
	uint32_t frame;
	uint64_t run, wait; /* in itself */
	uint64_t total;     /* run, with what it has called */
};

/*
 * The frames of @p that have run or waited for a processor, and the program's
 * own that have called these, those that have run the most themselves first;
 * the caller frees them.
 */
struct method_times *method_times(const struct dbg_profile *p, size_t *ret_n);

/* Nanoseconds of all threads. */
struct profile_sums {
	uint64_t run, wait, blocked;
	uint64_t idle; /* of what was blocked */
};

void profile_sums(const struct dbg_profile *p, struct profile_sums *ret);

/*
 * Time that was blocked, as far as it was seen, but for idle threads of the
 * runtime: by what was waited for (the row's `last`, in brackets) and the
 * program's own method that did, or the thread (its text).
 */
void blocked_times(const struct dbg_profile *p, struct tally *ret);

#endif
