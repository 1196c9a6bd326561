/*
 * Exceptions where they are caught. When the frames below have been unwound,
 * the runtime tells which handler a thread is about to enter; a trap waits for
 * the thread at the handler's first place. Handlers in the framework count as
 * well.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/exception/exceptions.h"
#include "inspect/exception.h"

#include "base/err.h"

enum {
	PROLOG_MAX = 64, /* bytes; farther away begins another handler */
};

void catch_trap_update(struct control *c)
{
	bool wanted = false;

	if (!c->dac || !target_can(c->target, TARGET_RUN))
		return;
	for (size_t i = 0; i < c->n_bps; i++)
		wanted = wanted || (c->bps[i]->enabled &&
				    c->bps[i]->kind == DBG_BREAK_CAUGHT);
	control_catch(c, CATCH_USER_BREAK, wanted);
	if (!wanted)
		thread_traps_forget(c, &c->catches, SITE_CATCH, 0);
}

void catch_trap_await(struct control *c, pid_t tid, uint64_t entry)
{
	uint64_t addr = entry;

	control_warn(c, catcher_start(c, entry, &addr));
	if (addr - entry > PROLOG_MAX)
		addr = entry;
	control_warn(c, thread_trap_add(c, &c->catches, SITE_CATCH,
					&(struct thread_trap){tid, addr}));
}

static bool is_wanted(struct control *c, const struct bp *bp, void *arg)
{
	return filter_wants(c, bp, arg);
}

struct dbg_error *catch_trap_met(struct control *c,
				 const struct target_event *ev,
				 struct arena *arena, struct dbg_stop *stop,
				 bool *ret_stops)
{
	struct thrown t = {.tid = ev->tid, .arena = arena};
	const struct bp_event event = {
	    .kind = DBG_BREAK_CAUGHT,
	    .tid = ev->tid,
	    .is_wanted = is_wanted,
	    .arg = &t,
	};
	struct dbg_error *err;
	uint64_t mt = 0;

	if (!thread_trap_take(c, &c->catches, SITE_CATCH,
			      &(struct thread_trap){ev->tid, ev->addr}))
		return NULL;
	err = control_halt(c);
	if (err)
		return err;
	t.object = thrown_last(c, ev->tid);
	if (t.object)
		err = target_read_u64(c->target, t.object, &mt);
	if (err || !mt)
		return err;
	thrown_add_types(c, mt & ~(uint64_t)7, &t);
	exception_describe(c->inspect, t.object, arena, stop);
	t.message = stop->exception_message;
	c->throws.object = t.object;
	stop->reason = DBG_STOP_CAUGHT;
	err = bp_happened(c, &event, stop, ret_stops);
	c->throws.object = 0;
	return err;
}
