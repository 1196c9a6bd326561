/*
 * A step with the other threads held may wait for one of them: for a lock of
 * the runtime's that one was stopped with, or for all of them, before a
 * collection of garbage. When the thread has slept for a while in all, whatever
 * for, the others run as well until the step ends. A wait for a collection is
 * many short sleeps, between which the thread looks and works.
 */
#include "session/session.h"

#include "base/clock.h"

enum {
	LOOK_MS = 50,
	ASLEEP_LOOKS = 10,
};

void heldstep_begin(struct dbg *dbg)
{
	struct held_step *h = &dbg->held_step;

	if (!control_step_holds(dbg->control))
		return;
	h->looked = clock_ms();
	h->asleep = 0;
	ticks_start(&h->ticks, LOOK_MS);
}

void heldstep_end(struct dbg *dbg)
{
	ticks_stop(&dbg->held_step.ticks);
}

static void step_share(struct dbg *dbg)
{
	ticks_stop(&dbg->held_step.ticks);
	control_step_rules(dbg->control)->shares = true;
	session_message(dbg, "the step sleeps, perhaps until another thread "
			     "does something, but those are held "
			     "(scheduler-locking): they run until it ends");
	session_run_all(dbg);
}

void heldstep_tick(struct dbg *dbg)
{
	struct held_step *h = &dbg->held_step;

	if (!h->ticks.on || dbg->state != DBG_RUNNING ||
	    clock_ms() - h->looked < LOOK_MS)
		return;
	h->looked = clock_ms();
	if (control_step_holds(dbg->control) &&
	    target_thread_sleeps(dbg->target, dbg->resumed))
		h->asleep++;
	if (h->asleep == ASLEEP_LOOKS)
		step_share(dbg);
}
