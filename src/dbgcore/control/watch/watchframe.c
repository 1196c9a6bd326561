/*
 * The frame whose variables are watched: which one it is, and when it ends.
 *
 * It ends by a return to its caller, where a trap counts if the thread's
 * stack is above the frame; or by an exception, which the runtime tells of
 * when the handler is entered. A handler is a function of its own with the
 * frame pointer of its method: above the watched frame's, that frame is gone.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/step/steps.h"

#include <string.h>

#include "base/err.h"

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

struct dbg_error *watch_frame_set(struct control *c, struct watch_frame *wf,
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

struct dbg_error *watch_frame_arm(struct control *c, struct watch_frame *wf)
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

void watch_frame_forget(struct control *c, struct watch_frame *wf)
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

bool watch_frame_ended(const struct watch_frame *wf,
		       const struct target_event *ev, const struct regs *regs)
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
