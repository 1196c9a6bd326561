/*
 * A stop that the user sees: the state, the event, the other programs of the
 * family; and the one that the user asks for, dbg_pause(), by which no thread
 * in particular is stopped.
 */
#include "inspect/exception.h"
#include "session/session.h"
#include "session/siblings.h"

#include "base/err.h"

/* Note that the GC holds all threads, as a stop from outside may find them. */
static void tell_of_gc(struct dbg *dbg, enum dbg_stop_reason reason)
{
	uint32_t moves = 0;

	if (!dbg->inspect.dac ||
	    (reason != DBG_STOP_ATTACH && reason != DBG_STOP_PAUSE &&
	     reason != DBG_STOP_SIGNAL))
		return;
	uint64_t count = dac_gc_count(dbg->inspect.dac);
	if (count)
		dbg_error_destroy(target_read_u32(dbg->target, count, &moves));
	if (moves)
		session_message(dbg, "the garbage collector is moving objects: "
				     "values may be wrong until the program "
				     "has run on for a moment");
}

/*
 * How the stop came about: the user has asked for the place, or an exception
 * has led there.
 */
static enum stack_home home_of(enum dbg_stop_reason reason)
{
	switch (reason) {
	case DBG_STOP_BREAKPOINT:
	case DBG_STOP_STEP:
	case DBG_STOP_GOTO:
	case DBG_STOP_ENTRY:
	case DBG_STOP_WATCH:
	case DBG_STOP_USER_BREAK:
		return STACK_HOME_ASKED;
	case DBG_STOP_THROWN:
	case DBG_STOP_USER_UNHANDLED:
	case DBG_STOP_UNHANDLED:
	case DBG_STOP_FAIL_FAST:
	case DBG_STOP_SIGNAL:
	case DBG_STOP_TERMINATED:
		return STACK_HOME_THROWN;
	default:
		return STACK_HOME_HERE;
	}
}

void session_stopped(struct dbg *dbg, const struct dbg_stop *stop)
{
	evaluation_stopped(dbg, stop);
	heldstep_end(dbg);
	dbg->state = DBG_STOPPED;
	dbg->pausing = false;
	dbg->stop = *stop;
	dbg->inspect.exception = stop->exception;
	if (stop->reason == DBG_STOP_UNHANDLED ||
	    stop->reason == DBG_STOP_USER_UNHANDLED)
		exception_list_thrown(&dbg->inspect, stop, dbg->inspect.arena);
	if (dbg->inspect.stack)
		stack_set_stopped(dbg->inspect.stack, stop->thread,
				  home_of(stop->reason));
	siblings_freeze(dbg);
	target_terminal_take(dbg->target);
	tell_of_gc(dbg, stop->reason);
	session_event(
	    dbg, &(struct dbg_event){.kind = DBG_EVENT_STOPPED, .stop = *stop});
}

/* ---- Pause ----------------------------------------------------------- */

uint32_t session_pause_thread(struct dbg *dbg, pid_t tid)
{
	uint32_t number = evaluation_thread(dbg);

	if (!number)
		number = stack_first_managed(dbg->inspect.stack);
	return number ? number : stack_thread_number(dbg->inspect.stack, tid);
}

struct dbg_error *session_paused(struct dbg *dbg, pid_t tid, int signal)
{
	struct dbg_error *err = target_stop_all(dbg->target);

	if (err)
		return err;
	inspect_stop(&dbg->inspect);

	struct dbg_stop stop = {.reason = DBG_STOP_PAUSE, .signal = signal};

	stop.note = evaluation_late(dbg, dbg->inspect.arena);
	stop.late = stop.note;
	if (!stop.late && control_runs_only(dbg->control, dbg->resumed))
		stop.note = "the other threads were held (scheduler-locking): "
			    "this one may have waited for one of them";
	control_step_cancel(dbg->control);
	stop.thread = session_pause_thread(dbg, tid);
	session_stopped(dbg, &stop);
	return NULL;
}

struct dbg_error *dbg_pause(struct dbg *dbg)
{
	if (dbg->state != DBG_RUNNING && dbg->state != DBG_LENT)
		return dbg_err(DBG_E_STATE, "the program is not running");
	if (dbg->pausing)
		return NULL;
	dbg->pausing = true;
	if (dbg->state == DBG_RUNNING)
		return target_interrupt(dbg->target);
	target_recall(dbg->target);
	return NULL;
}
