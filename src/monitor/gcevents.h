/*
 * `dndbg events gc`: collections, and what they cost.
 *
 * Times and sizes as people read them, in three digits and a unit.
 */
#ifndef MONITOR_GCEVENTS_H
#define MONITOR_GCEVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "monitor/watching.h"

DBG_MUST struct dbg_error *gc_events(struct dbg *dbg,
				     const struct watch_options *o);

enum {
	QUANTITY_MAX = 16
};

/* "1.23 ms" of nanoseconds; returns @ret. */
const char *quantity_time(uint64_t ns, char ret[QUANTITY_MAX]);
/* "1.23 MB" of bytes, by powers of 1024. */
const char *quantity_size(uint64_t bytes, char ret[QUANTITY_MAX]);
/* "1.23 %" of @part of @whole. */
const char *quantity_share(double part, double whole, char ret[QUANTITY_MAX]);

#endif
