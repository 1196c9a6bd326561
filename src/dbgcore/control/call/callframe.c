/*
 * What the collector finds in the statement's frame: while the thread stands
 * there, and during a call, when the frame is one that has called. The code
 * tells it for each instruction, and the two instructions are not the same:
 * a frame that has called is described by the last instruction in front of the
 * statement. So the runtime is asked for both, once for each statement.
 *
 * Registers that a call may destroy are not looked at in a frame that has
 * called, but they are at a statement: the compiler says of a register that it
 * holds an object until it is used for something else, though nothing reads it
 * any more. What was there before the call may have moved since; the thread
 * gets null there, which the collector passes.
 */
#include "control/call/callcode.h"
#include "control/call/call_priv.h"
#include "control/control_priv.h"
#include "dac/gcheap.h"

#include "base/err.h"

/* What the frame at @ip and @sp holds, as it stands now. */
static struct dbg_error *refs_of(struct control *c, pid_t tid,
				 const struct regs *statement,
				 struct arena *arena, struct gc_stack_ref **ret,
				 size_t *ret_n)
{
	struct gc_stack_ref *all;
	size_t n, kept = 0;

	dac_flush(c->dac);
	struct dbg_error *err = dac_gc_stack(c->dac, tid, arena, &all, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (!all[i].frame && all[i].ip == regs_pc(statement) &&
		    all[i].sp == regs_sp(statement))
			all[kept++] = all[i];
	*ret = all;
	*ret_n = kept;
	return NULL;
}

static bool is_scratch(const struct gc_stack_ref *r)
{
	return !r->addr && callcode_is_scratch(r->reg);
}

/* Is all that @from holds for longer than a call in @in, too? */
static bool is_within(const struct gc_stack_ref *from, size_t n_from,
		      const struct gc_stack_ref *in, size_t n_in)
{
	for (size_t i = 0; i < n_from; i++) {
		bool found = is_scratch(&from[i]);

		for (size_t j = 0; j < n_in && !found; j++)
			found = from[i].addr == in[j].addr &&
				from[i].reg == in[j].reg &&
				from[i].offset == in[j].offset;
		if (!found)
			return false;
	}
	return true;
}

static struct dbg_error *ask(struct control *c, pid_t tid,
			     const struct regs *called, struct arena *arena)
{
	struct calls *v = &c->calls;
	struct gc_stack_ref *here, *there = NULL;
	size_t n_here, n_there = 0;
	struct dbg_error *err =
	    refs_of(c, tid, &v->saved, arena, &here, &n_here);

	if (!err)
		err = target_regs_set(c->target, tid, called);
	if (err)
		return err;
	err = refs_of(c, tid, &v->saved, arena, &there, &n_there);
	struct dbg_error *back = target_regs_set(c->target, tid, &v->saved);
	dac_flush(c->dac);
	if (err || back) {
		dbg_error_destroy(err ? back : NULL);
		return err ? err : back;
	}
	v->frame.ip = regs_pc(&v->saved);
	v->frame.is_sound = is_within(here, n_here, there, n_there) &&
			    is_within(there, n_there, here, n_here);
	v->frame.n_dead = 0;
	for (size_t i = 0; i < n_here; i++)
		if (is_scratch(&here[i]) && v->frame.n_dead < CALL_DEAD_MAX)
			v->frame.dead[v->frame.n_dead++] = here[i].reg;
	return NULL;
}

struct dbg_error *callframe_check(struct control *c, pid_t tid,
				  const struct regs *called)
{
	struct calls *v = &c->calls;

	if (v->frame.ip != regs_pc(&v->saved)) {
		struct arena *arena = arena_create();
		struct dbg_error *err = ask(c, tid, called, arena);

		arena_destroy(arena);
		if (err)
			return err;
	}
	if (!v->frame.is_sound)
		return dbg_err(DBG_E_STATE,
			       "no call can be made from here: the collector "
			       "could not find what this method refers to; "
			       "step to another line first");
	for (size_t i = 0; i < v->frame.n_dead; i++)
		callcode_clear(&v->saved, v->frame.dead[i]);
	return NULL;
}
