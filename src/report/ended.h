/* Reports of programs that are gone: how they ended is all that is known. */
#ifndef REPORT_ENDED_H
#define REPORT_ENDED_H

#include "report/report.h"

/* What the kernel has counted for the cgroup that we and the command are in. */
struct ended_memory {
	uint64_t kills;       /* processes that it killed for want of memory */
	uint64_t limit, peak; /* bytes, 0: not known */
};

void ended_memory(struct ended_memory *ret);
/*
 * A report of @ended without stacks, by its exit code or, if
 * @event->exit_signal is not 0, that; @before is of the time when it was
 * started.
 */
void ended_report(const struct dbg_inferior *ended,
		  const struct dbg_event *event,
		  const struct ended_memory *before, struct report *ret);

/* Did it crash while it was lent to createdump, where no stop is seen? */
bool ended_by_crash(const struct dbg_event *event);

#endif
