/*
 * `dndbg events exceptions`, `alloc`, `contention`, `jit` and `threadpool`:
 * things that happen, each counted by its kind.
 */
#ifndef MONITOR_EVENTLISTS_H
#define MONITOR_EVENTLISTS_H

#include "monitor/watching.h"

DBG_MUST struct dbg_error *exception_events(struct dbg *dbg,
					    const struct watch_options *o);
DBG_MUST struct dbg_error *allocation_events(struct dbg *dbg,
					     const struct watch_options *o);
DBG_MUST struct dbg_error *contention_events(struct dbg *dbg,
					     const struct watch_options *o);
DBG_MUST struct dbg_error *jit_events(struct dbg *dbg,
				      const struct watch_options *o);
DBG_MUST struct dbg_error *pool_events(struct dbg *dbg,
				       const struct watch_options *o);

#endif
