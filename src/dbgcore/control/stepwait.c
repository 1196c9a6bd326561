/*
 * A thread that is blocked until an async call is done (Task.Wait, Result,
 * GetResult): one whose stack has a frame of Task's own wait and holds the
 * address of the task. A step out of the call ends where that thread returns
 * to code of the user's.
 */
#include "control/control_priv.h"

#include <string.h>

#include "base/err.h"

enum {
	STACK_MAX = 1 << 16, /* from the newest frame to that of the wait */
	FRAMES_MAX = 64,
};

/* Does @tid hold @addr in a register or in the newest part of its stack? */
static bool holds(struct control *c, pid_t tid, uint64_t addr)
{
	struct user_regs_struct regs;
	_cleanup_free_ uint64_t *words = xmalloc(STACK_MAX);
	struct dbg_error *err = target_regs(c->target, tid, &regs);
	size_t n = 0;

	if (!err)
		n = target_read_some(c->target, regs.rsp & ~(uint64_t)7, words,
				     STACK_MAX);
	dbg_error_destroy(err);
	return addrs_have(words, n / sizeof(*words), addr) ||
	       (!err &&
		(regs.rbx == addr || regs.r12 == addr || regs.r13 == addr ||
		 regs.r14 == addr || regs.r15 == addr || regs.rdi == addr));
}

static bool is_wait(struct control *c, const struct frame *f)
{
	bool is;
	struct arena *arena = arena_create();
	const char *name =
	    code_method_name(c->code, f->raw.method, false, arena);

	is = strstr(name, "Tasks.Task.InternalWait") ||
	     strstr(name, "Tasks.Task.SpinThenBlockingWait");
	arena_destroy(arena);
	return is;
}

/* Does the thread wait for some task, called by code of the user's? */
static bool waits(struct control *c, uint32_t thread)
{
	for (uint32_t level = 0; level < FRAMES_MAX; level++) {
		const struct frame *f = NULL;
		struct dbg_error *err =
		    stack_frame(c->stack, thread, level, &f);

		dbg_error_destroy(err);
		if (err || !f || (f->pos && f->pos->point.line))
			return false;
		if (f->kind == DBG_FRAME_MANAGED && is_wait(c, f))
			return true;
	}
	return false;
}

struct dbg_error *stepwait_plan(struct control *c, const struct value *task)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct dbg_thread *threads;
	const struct frame *f;
	uint64_t addr;
	size_t n;

	if (!value_pointer(stack_types(c->stack), task, &addr))
		return NULL;
	err = stack_threads(c->stack, &threads, &n);
	for (size_t i = 0; !err && i < n; i++) {
		if (!threads[i].managed || threads[i].tid == p->tid ||
		    !holds(c, threads[i].tid, addr) ||
		    !waits(c, threads[i].number))
			continue;
		err = step_user_frame(c, threads[i].number, 0, &f);
		if (err || !f)
			return err;
		p->blocked = (struct blocked){
		    .tid = threads[i].tid,
		    .addr = f->raw.ip,
		    .sp = f->raw.sp,
		};
		step_add_site(p, f->raw.ip);
		break;
	}
	return err;
}
