/*
 * dbg.h: the program as it stands in one stop. Calls that look at a stopped
 * program, or make it go on, take this in place of the session: whoever has one
 * has asked whether the program is stopped.
 */
#ifndef DBG_STOPPED_H
#define DBG_STOPPED_H

#include "dbg/error.h"

/* Made by dbg_stopped() alone; not for longer than the session. */
struct dbg_stopped {
	struct dbg *dbg;
	uint32_t number; /* of the stop */
};

/*
 * The present stop. DBG_E_STATE: there is no program, or it is not stopped.
 *
 * What takes the handle of an earlier stop answers DBG_E_STALE and does nothing
 * else, as with an id (dbg_id). One that was taken before an evaluation is good
 * behind it, if the program stands where it stood (dbg_eval_begin).
 */
DBG_MUST struct dbg_error *dbg_stopped(struct dbg *dbg,
				       struct dbg_stopped *ret);

#endif
