/* `dndbg events gc`: collections, and what they cost. */
#ifndef MONITOR_GCEVENTS_H
#define MONITOR_GCEVENTS_H

#include "monitor/watching.h"

DBG_MUST struct dbg_error *gc_events(struct dbg *dbg,
				     const struct watch_options *o);

#endif
