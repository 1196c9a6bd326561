/*
 * Detects a program that stands still though nobody has stopped it: its runtime
 * has suspended all threads for a debugger of its own kind (ICorDebug), and
 * waits until that lets them go on. Such a debugger may be there; if not, the
 * runtime was made to believe so, which an answer of ours can cause, and no
 * event will ever come. While the program runs and nothing happens, its threads
 * are looked at every few seconds, which costs it nothing. A program that
 * sleeps, waits or has a long start is not suspended.
 */
#include "session/session.h"

#include "base/clock.h"

enum {
	LOOK_MS = 900,
	QUIET_MS = 3000,
	SEEN_MIN = 2,
};

void standstill_begin(struct dbg *dbg)
{
	dbg->standstill.due = target_can(dbg->target, TARGET_RUN);
}

/*
 * Begin to watch. The signs of a standstill are looked for once, in all
 * threads, and not when the program is only looked at.
 */
void standstill_go(struct dbg *dbg)
{
	struct standstill *s = &dbg->standstill;

	if (!s->due || !dbg->inspect.stopped)
		return;
	s->due = false;
	if (!dac_tells_suspension(dbg->inspect.dac))
		return;
	standstill_event(dbg);
	ticks_start(&dbg->standstill.ticks, LOOK_MS);
}

void standstill_end(struct dbg *dbg)
{
	dbg->standstill.due = false;
	ticks_stop(&dbg->standstill.ticks);
}

void standstill_event(struct dbg *dbg)
{
	dbg->standstill.last = clock_ms();
	dbg->standstill.seen = 0;
}

/*
 * Tell the user, and lift what might be the cause of it on our side; once in a
 * run is enough.
 */
static void standstill_tell(struct dbg *dbg)
{
	standstill_end(dbg);
	control_lift_answers(dbg->control);
	session_warning(
	    dbg,
	    "the program stands still: its runtime has suspended all threads "
	    "and waits for a debugger of its own kind (ICorDebug, as vsdbg and "
	    "netcoredbg are) to let them go on. In case that dndbg is the "
	    "cause, it does not answer Debugger.IsAttached and Break any more. "
	    "If no such debugger is attached, only an end helps: kill");
}

void standstill_tick(struct dbg *dbg)
{
	struct standstill *s = &dbg->standstill;

	if (!s->ticks.on || dbg->state != DBG_RUNNING ||
	    clock_ms() - s->last < QUIET_MS)
		return;
	s->last = clock_ms();
	s->seen = dac_is_suspended(dbg->inspect.dac) ? s->seen + 1 : 0;
	if (s->seen == SEEN_MIN)
		standstill_tell(dbg);
}
