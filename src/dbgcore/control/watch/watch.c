/*
 * Watchpoints: breakpoints on what an expression leads to, by the debug
 * registers.
 *
 *   asked -> watch_read: where it leads to now (watch_state: the value, its
 *   parts in memory, the links of its path) -> watch_arm: registers
 *
 * A hit says that something was written (or read). Only the value tells whether
 * that matters: after a hit that leaves the value as it was, the thread goes on
 * silently, and the other threads are not stopped. When a link was changed the
 * expression leads elsewhere, and its value there is the new one.
 *
 * The GC moves objects and updates references; hits during a collection come
 * from it. The runtime's count of moving collections under way is watched by
 * one of our debug registers: when it falls to 0, all references lead to the
 * new places and no thread of the program has gone on yet. Then everything is
 * read again and the registers are set anew. A watchpoint whose place cannot be
 * found then is pending, with the reason, or, if it was to stay with its object
 * (-location), is deleted by a stop: no register ever stays on a place that was
 * left.
 */
#include "control/watch/watch.h"
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/step/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "dac/assumption.h"

/* ---- The frame whose variables are watched ------------------------------- */

/*
 * Which one it is, and when it ends.
 *
 * It ends by a return to its caller, where a trap counts if the thread's stack
 * is above the frame; or by an exception, which the runtime tells of when the
 * handler is entered. A handler is a function of its own with the frame pointer
 * of its method: above the watched frame's, that frame is gone.
 */

enum {
	FRAMES_MAX = 20000
};

static bool is_it(const struct watch_frame *wf, const struct frame *f)
{
	return f->raw.method == wf->method &&
	       (wf->framed ? f->raw.bp == wf->bp : f->raw.sp == wf->sp);
}

struct dbg_error *watch_frame_find(struct control *c,
				   const struct watch_frame *wf,
				   const struct frame **ret)
{
	struct dbg_error *err;
	uint32_t thread = stack_thread_number(c->stack, wf->tid);

	for (uint32_t level = 0; level < FRAMES_MAX; level++) {
		err = stack_frame(c->stack, thread, level, ret);
		if (err || !*ret || is_it(wf, *ret))
			return err;
	}
	*ret = NULL;
	return NULL;
}

static struct dbg_error *watch_frame_set(struct control *c,
					 struct watch_frame *wf,
					 const struct frame *frame)
{
	memset(wf, 0, sizeof(*wf));
	if (frame->kind == DBG_FRAME_NATIVE)
		return dbg_err(DBG_E_STATE,
			       "a native frame has no variables to watch");
	wf->tid = frame->tid;
	wf->method = frame->raw.method;
	wf->sp = frame->raw.sp;
	wf->bp = frame->raw.bp;
	wf->framed = step_is_framed(c, frame->raw.ip);
	return NULL;
}

/* Wait for its end; no longer. */
static struct dbg_error *watch_frame_arm(struct control *c,
					 struct watch_frame *wf)
{
	struct dbg_error *err;
	const struct frame *f;

	err = watch_frame_find(c, wf, &f);
	while (!err && f) {
		err = stack_frame(c->stack, f->thread, f->level + 1, &f);
		if (!err && f && f->kind == DBG_FRAME_MANAGED)
			break;
	}
	// The first managed frame of a thread ends with the thread.
	if (err || !f)
		return err;
	wf->return_addr = f->raw.ip;
	control_catch(c, CATCH_USER_WATCH, true);
	return control_site_add(c, SITE_WATCH, &wf->return_addr, 1);
}

static bool is_used(struct control *c, uint64_t addr)
{
	for (size_t i = 0; i < c->n_bps; i++) {
		const struct watch *w = c->bps[i]->watch;

		if (w && (w->frame.return_addr == addr ||
			  w->frame.catch_addr == addr))
			return true;
	}
	return false;
}

static void lift(struct control *c, uint64_t *addr)
{
	uint64_t old = *addr;

	*addr = 0;
	if (old && c->target && !is_used(c, old))
		control_warn(c, control_site_remove(c, SITE_WATCH, &old, 1));
}

static void watch_frame_forget(struct control *c, struct watch_frame *wf)
{
	bool any = false;

	lift(c, &wf->return_addr);
	lift(c, &wf->catch_addr);
	memset(wf, 0, sizeof(*wf));
	for (size_t i = 0; i < c->n_bps; i++)
		any |= c->bps[i]->watch && c->bps[i]->watch->frame.return_addr;
	if (!any)
		control_catch(c, CATCH_USER_WATCH, false);
}

/* Does @ev, a trap of SITE_WATCH, say that it has ended? */
static bool watch_frame_ended(const struct watch_frame *wf,
			      const struct target_event *ev,
			      const struct regs *regs)
{
	uint64_t base = wf->framed ? wf->bp : wf->sp;

	if (wf->tid != ev->tid)
		return false;
	if (ev->addr == wf->return_addr)
		return regs_sp(regs) > wf->sp;
	return ev->addr == wf->catch_addr && regs_fp(regs) > base;
}

void watch_frame_catch(struct control *c, pid_t tid, uint64_t entry)
{
	uint64_t addr = 0;
	struct dbg_error *err = catcher_start(c, entry, &addr);

	if (err || !addr) {
		control_warn(c, err);
		return;
	}
	for (size_t i = 0; i < c->n_bps; i++) {
		struct watch *w = c->bps[i]->watch;

		if (!w || w->frame.tid != tid || !w->frame.return_addr)
			continue;
		lift(c, &w->frame.catch_addr);
		w->frame.catch_addr = addr;
		control_warn(c, control_site_add(c, SITE_WATCH,
						 &w->frame.catch_addr, 1));
	}
}

/* ---- Assigns the debug registers ----------------------------------------- */

/*
 * Values come first, in the order of the watchpoints' numbers; the links of
 * their paths get what is left. While anything is watched that the GC writes or
 * moves, one register watches the GC's counter.
 */

struct registers {
	struct target_watch v[TARGET_WATCHES];
	unsigned int n;
};

// The register for @part, as a bit; 0: none is free.
static unsigned int register_assign(struct registers *r,
				    const struct target_watch *part)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (r->v[i].addr == part->addr && r->v[i].size == part->size &&
		    r->v[i].reads == part->reads)
			return 1u << i;
	if (r->n == TARGET_WATCHES)
		return 0;
	r->v[r->n] = *part;
	return 1u << r->n++;
}

static bool is_wanted(const struct bp *bp)
{
	return bp->watch && bp->enabled && bp->watch->now.n_parts;
}

// Assign registers to what must be watched: the value, or all that it is
// computed from.
static bool place_own(struct registers *r, struct watch *w)
{
	struct registers before = *r;
	const struct watch_state *s = &w->now;
	size_t n = s->is_place ? s->n_own : s->n_parts;

	for (size_t i = 0; i < n; i++) {
		unsigned int bit = register_assign(r, &s->parts[i]);

		if (!bit) {
			*r = before;
			w->slots = 0;
			return false;
		}
		w->slots |= bit;
	}
	w->own = w->slots;
	return true;
}

static void place_links(struct registers *r, struct watch *w)
{
	const struct watch_state *s = &w->now;

	for (size_t i = s->n_own; i < s->n_parts && !w->located; i++) {
		unsigned int bit = register_assign(r, &s->parts[i]);

		w->slots |= bit;
		w->blind |= !bit;
	}
}

// Must the place be followed through collections? Also while the watchpoint is
// disabled, if it stays with its object (-location).
static bool is_followed(const struct bp *bp)
{
	const struct watch *w = bp->watch;

	return w && (bp->enabled || w->located) && w->now.n_parts &&
	       w->now.moves;
}

static void place_gc(struct control *c, struct registers *r)
{
	const struct target_watch count = {c->watches.gc_count, 4, false};
	struct dac_assumed known;
	bool moves = false;

	for (size_t i = 0; i < c->n_bps; i++)
		moves |= is_followed(c->bps[i]);
	if (moves && !count.addr)
		(void)dac_holds(c->dac, ASSUME_GC_COUNT, &known);
	c->watches.gc_slot =
	    moves && count.addr ? register_assign(r, &count) : 0;
}

static void place_all(struct control *c, struct registers *r)
{
	place_gc(c, r);
	for (size_t i = 0; i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];
		struct watch *w = bp->watch;

		if (!w)
			continue;
		w->slots = w->own = 0;
		w->blind = false;
		w->why = NULL;
		if (!is_wanted(bp))
			continue;
		if (w->now.moves && !c->watches.gc_slot)
			w->why = "the garbage collector of this runtime "
				 "cannot be watched";
		else if (!place_own(r, w))
			w->why = "no debug register is free for it";
	}
	for (size_t i = 0; i < c->n_bps; i++)
		if (is_wanted(c->bps[i]) && !c->bps[i]->watch->why)
			place_links(r, c->bps[i]->watch);
}

struct dbg_error *control_watch_word(struct control *c, uint64_t addr)
{
	const struct target_watch v[TARGET_WATCHES] = {{addr, addr ? 8 : 0, 0}};

	return target_watches_set(c->target, v);
}

/* Set the debug registers as the enabled watchpoints want it. */
static struct dbg_error *watch_arm(struct control *c)
{
	struct registers r = {.n = 0};

	// Before there is a runtime the registers are the session's.
	if (!c->target || !c->dac)
		return NULL;
	place_all(c, &r);
	return target_watches_set(c->target, r.v);
}

/* ---- The collector --------------------------------------------------- */

/*
 * Watchpoints and the collector: its count of collections that move objects
 * goes up before the first object is moved, and down to 0 when every
 * reference leads to the new places and no thread of the program runs yet.
 */

static void watch_look(struct control *c, struct bp *bp);

/* Is the collector moving objects now? */
static bool watch_gc_moves(struct control *c)
{
	uint32_t count = 0;

	if (!c->watches.gc_slot)
		return false;
	dbg_error_destroy(
	    target_read_u32(c->target, c->watches.gc_count, &count));
	return count != 0;
}

/*
 * Before anything moves: does the path of the expression lead to the watched
 * place?
 */
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

/* The count of collections was written. May leave all threads stopped. */
static struct dbg_error *watch_gc_told(struct control *c)
{
	if (!watch_gc_moves(c))
		return gc_ends(c);
	return c->watches.moving ? NULL : gc_begins(c);
}

/* ---- Watchpoints ----------------------------------------------------- */

#define LOCATION_PREFIX "-location "

/* ---- State ----------------------------------------------------------- */

static void take_state(struct watch_state *to, struct watch_state *from)
{
	watch_state_deinit(to);
	*to = *from;
	memset(from, 0, sizeof(*from));
}

/* Unreadable for a reason that @err gives. */
static void take_error(struct watch_state *s, struct dbg_error *err)
{
	if (!err)
		return;
	free(s->text);
	s->text = xstrdup(err->message);
	s->known = false;
	s->n_own = 0;
	dbg_error_destroy(err);
}

static bool same_value(const struct watch_state *a, const struct watch_state *b)
{
	if (a->known != b->known)
		return false;
	if (!a->known)
		return true;
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

static const char *state_text(const struct watch_state *s, struct arena *arena)
{
	if (s->known)
		return arena_strdup(arena, s->text);
	return arena_printf(arena, "<%s>", s->text ? s->text : "unknown");
}

/* ---- Looking again --------------------------------------------------- */

/*
 * Evaluate @bp anew: its place and its value as they are now.
 */
static void watch_look(struct control *c, struct bp *bp)
{
	struct watch *w = bp->watch;
	struct watch_state next;
	bool gone;
	struct dbg_error *err = watch_read(c, w, &next, &gone);

	if (w->located && (err || gone || !w->on_path)) {
		dbg_error_destroy(err);
		watch_state_deinit(&next);
		w->lost = true;
		return;
	}
	if (gone)
		err = dbg_err(DBG_E_STATE, "its frame is not found");
	take_error(&next, err);
	take_state(&w->now, &next);
}

/* Read the place that it has: it stays there. */
static void read_again(struct control *c, struct watch *w)
{
	struct watch_state next;

	take_error(&next, watch_read_place(c, w, &next));
	take_state(&w->now, &next);
}

/* ---- Asking ---------------------------------------------------------- */

/* The first look in the frame that it is asked for in. */
static struct dbg_error *first_look(struct control *c, struct watch *w,
				    const struct frame *frame)
{
	struct dbg_error *err = NULL;
	bool gone;

	if (frame) {
		err = watch_context(c, w, frame);
		if (!err && frame->kind != DBG_FRAME_NATIVE)
			err = watch_frame_set(c, &w->frame, frame);
	}
	if (!err)
		err = watch_read(c, w, &w->now, &gone);
	if (err)
		return err;
	if (w->object)
		w->located = w->now.is_place && w->now.in_object;
	if (!w->now.of_thread)
		w->thread.tid = 0;
	if (!w->now.of_frame)
		memset(&w->frame, 0, sizeof(w->frame));
	if (w->located && !w->now.is_place)
		return dbg_err(DBG_E_ARGUMENT, "'%s' leads to no place",
			       w->expr);
	return w->frame.tid && !w->located ? watch_frame_arm(c, &w->frame)
					   : NULL;
}

static size_t n_refused(const struct control *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_bps; i++)
		n += c->bps[i]->watch && c->bps[i]->watch->why;
	return n;
}

/* Arm @bp besides the others: none of them may lose its register by it. */
static struct dbg_error *arm_new(struct control *c, struct bp *bp)
{
	struct dbg_error *err;

	bp->enabled = false;
	err = watch_arm(c);
	if (err)
		return err;

	size_t before = n_refused(c);

	bp->enabled = true;
	err = watch_arm(c);
	if (!err && n_refused(c) > before)
		err = dbg_err(DBG_E_STATE,
			      "cannot watch '%s': %s (the processor has %d)",
			      bp->watch->expr,
			      bp->watch->why ? bp->watch->why
					     : "no debug register is "
					       "free for it",
			      TARGET_WATCHES);
	return err;
}

static struct dbg_error *watch_begin(struct control *c, struct bp *bp,
				     const struct frame *frame)
{
	struct dbg_error *err;

	err = eval_check(bp->watch->expr);
	if (err || !c->dac)
		return err;
	err = first_look(c, bp->watch, frame);
	return err ? err : arm_new(c, bp);
}

struct dbg_error *control_watch_add(struct control *c,
				    const struct dbg_break_req *req,
				    const struct frame *frame,
				    uint32_t *ret_number)
{
	struct dbg_error *err;
	const char *expr = req->text ? req->text : "";
	struct bp *bp = bp_add(c, DBG_BREAK_WATCH, NULL);
	struct watch *w = xcalloc(1, sizeof(*w));

	bp->watch = w;
	c->watches.n++;
	bp->text = xstrdup(arena_printf(
	    bp->arena, "%s%s", req->located ? LOCATION_PREFIX : "", expr));
	w->expr = bp->text + (req->located ? strlen(LOCATION_PREFIX) : 0);
	w->access = req->access;
	w->located = req->located;
	w->object = req->object;
	w->quiet = req->quiet;
	err = bp_take_rules(bp, req);
	if (!err)
		err = watch_begin(c, bp, frame);
	if (err) {
		bp_remove(c, bp);
		return err;
	}
	bp->number = ++c->last_number;
	*ret_number = bp->number;
	return NULL;
}

void watch_remove(struct control *c, struct bp *bp)
{
	struct watch *w = bp->watch;

	if (!w)
		return;
	watch_frame_forget(c, &w->frame);
	watch_state_deinit(&w->now);
	bp->watch = NULL;
	c->watches.n--;
	free(w);
	control_warn(c, watch_arm(c));
}

struct dbg_error *watch_switch(struct control *c, struct bp *bp)
{
	struct dbg_error *err;

	if (!bp->watch || !c->dac)
		return NULL;
	if (!bp->enabled)
		return watch_arm(c);
	if (bp->watch->located)
		read_again(c, bp->watch);
	else
		watch_look(c, bp);
	err = arm_new(c, bp);
	if (!err)
		return NULL;
	bp->enabled = false;
	dbg_error_destroy(watch_arm(c));
	return err;
}

/* ---- Waiting, going astray ------------------------------------------- */

static bool watch_is_pending(const struct bp *bp)
{
	return bp->watch && bp->enabled && !bp->watch->now.n_parts;
}

bool watch_waits(const struct control *c)
{
	for (size_t i = 0; c->watches.n && i < c->n_bps; i++)
		if (watch_is_pending(c->bps[i]))
			return true;
	return false;
}

/*
 * Look again at watchpoints that are pending. The others stay as they are: a
 * hit of one may still have to be judged by its value before.
 */
void watch_refresh(struct control *c)
{
	if (!c->watches.n || !c->dac)
		return;
	for (size_t i = 0; i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];

		if (!watch_is_pending(bp) || bp->watch->located)
			continue;
		watch_look(c, bp);
		if (!watch_is_pending(bp))
			c->ops->changed(c->arg, bp->number, false);
	}
	control_warn(c, watch_arm(c));
}

/* Does the path lead elsewhere now? (Not all links of it have a register.) */
static bool is_astray(struct control *c, struct watch *w)
{
	struct watch_state next;
	bool gone;
	struct dbg_error *err = watch_read(c, w, &next, &gone);
	bool astray = !err && !gone && next.n_own && w->now.n_own &&
		      next.parts[0].addr != w->now.parts[0].addr;

	dbg_error_destroy(err);
	watch_state_deinit(&next);
	return astray;
}

void watch_stopped(struct control *c)
{
	bool any = false;

	for (size_t i = 0; c->watches.n && c->dac && i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];

		if (!bp->watch || !bp->watch->blind || !is_astray(c, bp->watch))
			continue;
		watch_look(c, bp);
		any = true;
	}
	if (any)
		control_warn(c, watch_arm(c));
}

static bool overlaps(const struct watch_state *s, uint64_t addr, uint64_t n)
{
	for (size_t i = 0; i < s->n_parts; i++)
		if (addr < s->parts[i].addr + s->parts[i].size &&
		    s->parts[i].addr < addr + n)
			return true;
	return false;
}

void control_written(struct control *c, uint64_t addr, uint64_t n)
{
	bool any = false;

	for (size_t i = 0; c->watches.n && c->dac && i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];

		if (!bp->watch || !overlaps(&bp->watch->now, addr, n))
			continue;
		if (bp->watch->located)
			read_again(c, bp->watch);
		else
			watch_look(c, bp);
		any = true;
	}
	if (any)
		control_warn(c, watch_arm(c));
}

struct dbg_error *watch_prepared(struct control *c)
{
	struct dbg_error *err;

	if (!watch_waits(c))
		return NULL;
	err = control_halt(c);
	if (!err)
		watch_refresh(c);
	return err;
}

/* ---- Hits ------------------------------------------------------------ */

/* Is the value unchanged? Read without stopping the other threads. */
static bool is_quiet(struct control *c, const struct watch *w,
		     unsigned int slots, bool moving)
{
	uint8_t bytes[WATCH_BYTES];

	if (moving && w->now.moves)
		return true;
	return w->access == DBG_WATCH_WRITE && w->now.known &&
	       w->now.is_place && !(slots & w->slots & ~w->own) &&
	       target_read_some(c->target, w->now.parts[0].addr, bytes,
				w->now.size) == w->now.size &&
	       !memcmp(bytes, w->now.bytes, w->now.size);
}

static void say_deleted(struct control *c, uint32_t number, const char *why)
{
	control_warn(c, dbg_err(DBG_E_STATE, "watchpoint %u deleted because %s",
				number,
				why ? why
				    : "the program has left the block in which "
				      "its expression is valid"));
}

/*
 * @bp goes, since what it watches is gone or cannot be followed. The program
 * stops for the first one that is enabled and not quiet; of others it is only
 * said.
 */
static void watch_leave(struct control *c, struct bp *bp, struct arena *arena,
			struct dbg_stop *stop, bool *ret_stops)
{
	uint32_t number = bp->number;
	const char *why = NULL;

	if (bp->watch->lost)
		why = arena_printf(arena,
				   "the garbage collector may have moved what "
				   "it watches, and '%s' does not lead there",
				   bp->watch->expr);
	if (bp->enabled && !bp->watch->quiet && !*ret_stops) {
		*ret_stops = true;
		stop->reason = DBG_STOP_WATCH_SCOPE;
		stop->breakpoint = number;
		stop->expr = arena_strdup(arena, bp->text);
		stop->note = why;
	} else {
		say_deleted(c, number, why);
	}
	control_warn(c, control_break_delete(c, number));
	c->ops->changed(c->arg, number, true);
}

/* Was the frame left without a trap that told of it? */
static bool is_left(struct control *c, const struct watch *w)
{
	struct regs regs;
	struct dbg_error *err = target_regs(c->target, w->frame.tid, &regs);

	return dbg_err_drop(err) || regs_sp(&regs) > w->frame.sp;
}

static bool is_asked(const struct watch *w, unsigned int slots, bool changed)
{
	bool touched = slots & w->own;

	switch (w->access) {
	case DBG_WATCH_WRITE:
		return changed;
	case DBG_WATCH_READ:
		return !changed && touched;
	case DBG_WATCH_ACCESS:
		return changed || touched;
	}
	return false;
}

/* Decide what a hit of @bp by @tid means; fills *stop if it is to stop. */
static struct dbg_error *watch_judge(struct control *c, struct bp *bp,
				     pid_t tid, unsigned int slots,
				     struct dbg_stop *stop, struct arena *arena,
				     bool *ret_stops)
{
	struct watch *w = bp->watch;
	struct watch_state next;
	bool gone = false;
	struct dbg_error *err = w->located ? watch_read_place(c, w, &next)
					   : watch_read(c, w, &next, &gone);

	if (gone) {
		if (is_left(c, w))
			watch_leave(c, bp, arena, stop, ret_stops);
		return NULL;
	}
	take_error(&next, err);

	bool changed = !same_value(&w->now, &next);
	const char *old = changed ? state_text(&w->now, arena) : NULL;

	take_state(&w->now, &next);
	if (!is_asked(w, slots, changed))
		return NULL;
	err = bp_counts(c, bp, tid, ret_stops);
	if (err || !*ret_stops)
		return err;
	stop->reason = DBG_STOP_WATCH;
	stop->access = w->access;
	stop->expr = arena_strdup(arena, bp->text);
	stop->old_value = old;
	stop->value = state_text(&w->now, arena);
	return NULL;
}

/* The watchpoints that a hit may concern: is there one? */
static bool any_loud(struct control *c, unsigned int slots)
{
	bool moving = watch_gc_moves(c);

	for (size_t i = 0; i < c->n_bps; i++) {
		const struct watch *w = c->bps[i]->watch;

		if (w && (w->slots & slots) && !is_quiet(c, w, slots, moving))
			return true;
	}
	return false;
}

static struct dbg_error *judge_all(struct control *c,
				   const struct target_event *ev,
				   struct arena *arena, struct dbg_stop *stop,
				   bool *ret_stops)
{
	struct dbg_error *err = NULL;
	bool moving = watch_gc_moves(c);
	struct bp *winner = NULL;

	for (size_t i = 0; i < c->n_bps && !err; i++) {
		struct bp *bp = c->bps[i];
		struct dbg_stop one = *stop;
		size_t n = c->n_bps;
		bool stops = false;

		if (!bp->watch || !(bp->watch->slots & ev->slots) ||
		    (moving && bp->watch->now.moves))
			continue;
		err =
		    watch_judge(c, bp, ev->tid, ev->slots, &one, arena, &stops);
		if (!stops || winner || *ret_stops)
			continue;
		*stop = one;
		*ret_stops = true;
		if (n == c->n_bps)
			winner = bp;
	}
	if (winner)
		bp_spent(c, winner, stop);
	control_warn(c, watch_arm(c));
	return err;
}

/*
 * Delete the watchpoints whose places were lost by the collection that @tid has
 * ended.
 */
static void leave_lost(struct control *c, pid_t tid, struct arena *arena,
		       struct dbg_stop *stop, bool *ret_stops)
{
	for (size_t i = 0; i < c->n_bps;)
		if (c->bps[i]->watch && c->bps[i]->watch->lost)
			watch_leave(c, c->bps[i], arena, stop, ret_stops);
		else
			i++;
	// not one of the collector's own, which runs no managed code
	if (*ret_stops)
		stop->thread = stack_first_managed(c->stack);
	// a call's thread goes on to the call's end
	if (*ret_stops && call_is_of(c, tid))
		say_deleted(c, stop->breakpoint, stop->note);
}

struct dbg_error *watch_hit(struct control *c, const struct target_event *ev,
			    struct arena *arena, struct dbg_stop *stop,
			    bool *ret_stops)
{
	struct dbg_error *err = NULL;

	if (ev->slots & c->watches.gc_slot)
		err = watch_gc_told(c);
	leave_lost(c, ev->tid, arena, stop, ret_stops);
	if (err || *ret_stops || !any_loud(c, ev->slots & ~c->watches.gc_slot))
		return err;
	err = control_halt(c);
	if (err)
		return err;
	stack_behind(c->stack, ev->tid);
	return judge_all(c, ev, arena, stop, ret_stops);
}

struct dbg_error *watch_trap(struct control *c, const struct target_event *ev,
			     struct arena *arena, struct dbg_stop *stop,
			     bool *ret_stops)
{
	struct dbg_error *err;
	struct regs regs;

	err = target_regs(c->target, ev->tid, &regs);
	for (size_t i = 0; !err && i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];

		if (!bp->watch ||
		    !watch_frame_ended(&bp->watch->frame, ev, &regs))
			continue;
		err = control_halt(c);
		if (err)
			return err;
		watch_leave(c, bp, arena, stop, ret_stops);
		i = (size_t)-1;
	}
	return err;
}

void watch_end_run(struct control *c)
{
	for (size_t i = c->n_bps; i-- > 0;) {
		struct bp *bp = c->bps[i];
		struct watch *w = bp->watch;

		if (!w)
			continue;
		if (w->frame.tid || w->thread.tid || w->located) {
			c->ops->changed(c->arg, bp->number, true);
			bp_remove(c, bp);
			continue;
		}
		watch_state_deinit(&w->now);
		w->slots = w->own = 0;
		w->class = 0;
	}
	c->watches.gc_count = 0;
	c->watches.gc_slot = 0;
	c->watches.moving = false;
}
