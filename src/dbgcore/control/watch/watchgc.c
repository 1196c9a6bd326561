/*
 * Watchpoints and the collector: its count of collections that move objects
 * goes up before the first object is moved, and down to 0 when every
 * reference leads to the new places and no thread of the program runs yet.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"

#include "base/err.h"

bool watch_gc_moves(struct control *c)
{
	uint32_t count = 0;

	if (!c->watches.gc_slot)
		return false;
	dbg_error_destroy(
	    target_read_u32(c->target, c->watches.gc_count, &count));
	return count != 0;
}

/* Before anything is moved: does the path of @w lead to its place? */
static void check_path(struct control *c, struct watch *w)
{
	struct watch_state path;
	bool gone;
	struct dbg_error *err = watch_read(c, w, &path, &gone);

	w->on_path = !err && !gone && path.n_own && w->now.n_own &&
		     path.parts[0].addr == w->now.parts[0].addr;
	dbg_error_destroy(err);
	watch_state_deinit(&path);
}

static struct dbg_error *gc_begins(struct control *c)
{
	struct dbg_error *err = NULL;

	c->watches.moving = true;
	for (size_t i = 0; i < c->n_bps && !err; i++) {
		struct watch *w = c->bps[i]->watch;

		if (!w || !w->located || !w->now.moves)
			continue;
		err = control_halt(c);
		if (!err)
			check_path(c, w);
	}
	return err;
}

static struct dbg_error *gc_ends(struct control *c)
{
	struct dbg_error *err;

	c->watches.moving = false;
	err = control_halt(c);
	if (err)
		return err;
	for (size_t i = 0; i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];

		if (bp->watch && bp->watch->now.moves)
			watch_look(c, bp);
	}
	return watch_arm(c);
}

struct dbg_error *watch_gc_told(struct control *c)
{
	if (!watch_gc_moves(c))
		return gc_ends(c);
	return c->watches.moving ? NULL : gc_begins(c);
}
