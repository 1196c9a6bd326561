/*
 * Makes the frame of a statement safe for the GC during a call.
 *
 * The GC finds references in a frame by tables for each instruction. While the
 * thread stands at the statement, the frame is described by that instruction;
 * during a call it counts as a frame that has called, described by the last
 * instruction before the statement. The two differ, so the runtime is asked for
 * both, once for each statement.
 *
 * In a frame that has called, registers that a call may destroy are ignored; at
 * a statement they are not: the compiler reports an object in a register until
 * it is reused, even if nothing reads it any more. What was in such a register
 * before the call may have moved since, so the thread gets null there, which
 * the GC skips.
 */
#include "control/call/callcode.h"
#include "control/call/call_priv.h"
#include "control/control_priv.h"
#include "dac/gcheap.h"

#include "base/err.h"

enum {
	OTHERS_MAX = 32 /* other statements whose frame is compared as well */
};

struct refs {
	struct gc_stack_ref *v;
	size_t n;
};

/*
 * Get the references in the frame of the statement, as the thread stands now.
 */
static struct dbg_error *refs_of(struct control *c, pid_t tid,
				 const struct regs *statement,
				 struct arena *arena, struct refs *ret)
{
	struct gc_stack_ref *all;
	size_t n;

	dac_flush(c->dac);
	struct dbg_error *err = dac_gc_stack(c->dac, tid, arena, &all, &n);
	if (err)
		return err;
	*ret = (struct refs){.v = all};
	for (size_t i = 0; i < n; i++)
		if (!all[i].frame && all[i].ip == regs_pc(statement) &&
		    all[i].sp == regs_sp(statement))
			all[ret->n++] = all[i];
	return NULL;
}

static bool is_scratch(const struct gc_stack_ref *r)
{
	return !r->addr && callcode_is_scratch(r->reg);
}

/*
 * Is everything that @from holds beyond a call (not in scratch registers) also
 * held by @in?
 */
static bool is_within(const struct refs *from, const struct refs *in)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct gc_stack_ref *r = &from->v[i];
		bool found = is_scratch(r);

		for (size_t j = 0; j < in->n && !found; j++)
			found = r->addr == in->v[j].addr &&
				r->reg == in->v[j].reg &&
				r->offset == in->v[j].offset;
		if (!found)
			return false;
	}
	return true;
}

/* As refs_of, but as if the thread's registers were @regs. */
static struct dbg_error *refs_at(struct control *c, pid_t tid,
				 const struct regs *regs,
				 const struct regs *statement,
				 struct arena *arena, struct refs *ret)
{
	struct dbg_error *err = target_regs_set(c->target, tid, regs);

	return err ? err : refs_of(c, tid, statement, arena, ret);
}

/*
 * No reference was found at the statement. *ret: the frame really has none.
 * Otherwise the place is amid instructions at which the GC never looks: it
 * finds some at other statements.
 */
static struct dbg_error *is_empty(struct control *c, pid_t tid,
				  struct arena *arena, bool *ret)
{
	struct regs regs = c->calls.saved;
	const struct code_point *points;
	size_t n;
	struct dbg_error *err =
	    code_points(c->code, regs_pc(&regs), &points, &n);

	*ret = true;
	for (size_t i = 0; !err && *ret && i < n && i < OTHERS_MAX; i++) {
		struct refs refs;

		regs_set_pc(&regs, points[i].addr);
		err = refs_at(c, tid, &regs, &regs, arena, &refs);
		*ret = err || !refs.n;
	}
	return err;
}

static struct dbg_error *frame_examine(struct control *c, pid_t tid,
				       const struct regs *called,
				       struct arena *arena)
{
	struct calls *v = &c->calls;
	struct refs here, there;
	bool is_sound = false;
	struct dbg_error *err = refs_of(c, tid, &v->saved, arena, &here);

	if (!err)
		err = refs_at(c, tid, called, &v->saved, arena, &there);
	if (!err)
		is_sound = is_within(&here, &there) && is_within(&there, &here);
	if (!err && is_sound && !there.n)
		err = is_empty(c, tid, arena, &is_sound);
	struct dbg_error *back = target_regs_set(c->target, tid, &v->saved);
	dac_flush(c->dac);
	if (err || back) {
		dbg_error_destroy(err ? back : NULL);
		return err ? err : back;
	}
	v->frame.ip = regs_pc(&v->saved);
	v->frame.is_sound = is_sound;
	v->frame.n_dead = 0;
	for (size_t i = 0; i < here.n; i++)
		if (is_scratch(&here.v[i]) && v->frame.n_dead < CALL_DEAD_MAX)
			v->frame.dead[v->frame.n_dead++] = here.v[i].reg;
	return NULL;
}

struct dbg_error *callframe_check(struct control *c, pid_t tid,
				  const struct regs *called)
{
	struct calls *v = &c->calls;

	if (v->frame.ip != regs_pc(&v->saved)) {
		struct arena *arena = arena_create();
		struct dbg_error *err = frame_examine(c, tid, called, arena);

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
