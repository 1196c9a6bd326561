/*
 * What a trap of the plan means, and where an exception takes the step: told
 * by the runtime's word for each catch handler that is entered.
 */
#include "control/control_priv.h"
#include "control/step/mycode.h"
#include "control/step/stepasync.h"
#include "control/step/steps.h"

#include "base/err.h"

enum {
	CALLERS_MAX = 20000
};

/* ---- Judging ---------------------------------------------------------- */

static bool in_or_outside(const struct activation *frame,
			  const struct regs *regs)
{
	return regs_sp(regs) >= frame->sp ||
	       (frame->framed && regs_fp(regs) >= frame->bp);
}

static size_t count(const uint64_t *addrs, size_t n, uint64_t addr)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += addrs[i] == addr;
	return found;
}

/*
 * Is @addr a site only because of who awaits the stepped call? That may run
 * the same method.
 */
static bool is_awaiters(const struct step_plan *p, uint64_t addr)
{
	size_t n = count(p->resumes, p->n_resumes, addr) +
		   count(p->settles, p->n_settles, addr) +
		   count(p->joins, p->n_joins, addr);

	return n && n == count(p->addrs, p->n_addrs, addr);
}

/* A trap of the plan: *ret_done if the step ends here. */
static struct dbg_error *judge(struct control *c, pid_t tid, uint64_t addr,
			       bool *ret_done)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct regs regs;

	if (p->phase == STEP_AWAITING)
		return stepasync_resume(c, tid, addr, ret_done);
	if (p->phase == STEP_NONE)
		return NULL;
	if (step_is_awaited(p) && addrs_have(p->resumes, p->n_resumes, addr)) {
		err = stepasync_waiter(c, tid, ret_done);
		if (err || *ret_done)
			return err;
	}
	if (p->left.tid == tid && addrs_have(p->settles, p->n_settles, addr))
		return stepasync_settled(c);
	if (p->tid != tid && p->blocked.tid != tid && p->left.tid != tid)
		return NULL;
	err = target_regs(c->target, tid, &regs);
	if (err)
		return err;
	if (p->blocked.tid == tid) {
		*ret_done =
		    addr == p->blocked.addr && regs_sp(&regs) >= p->blocked.sp;
		return NULL;
	}
	if (p->left.tid == tid) {
		*ret_done = addrs_have(p->joins, p->n_joins, addr) &&
			    regs_sp(&regs) == p->left.sp;
		return NULL;
	}
	// a helper runs managed code at times, which may use it too
	if (addr == p->exit_addr)
		return regs_sp(&regs) >= p->exit_sp
			   ? stepin_resolve(c, ret_done)
			   : NULL;
	if (addrs_have(p->entries, p->n_entries, addr) &&
	    regs_sp(&regs) < p->enter_sp) {
		*ret_done = true;
		return NULL;
	}
	if (p->left_addr && addr == p->left_addr)
		return regs_sp(&regs) >= p->left_sp ? stepin_left(c) : NULL;
	if (addrs_have(p->yields, p->n_yields, addr))
		return in_or_outside(&p->leaves, &regs)
			   ? stepasync_yield(c, addr)
			   : NULL;
	if (addrs_have(p->ends, p->n_ends, addr))
		return in_or_outside(&p->leaves, &regs)
			   ? stepasync_last(c, ret_done)
			   : NULL;

	const struct activation frame = {p->sp, p->bp, p->framed};

	if (!in_or_outside(&frame, &regs) || is_awaiters(p, addr))
		return NULL;

	bool own;

	// the thread may have run another call of the method meanwhile
	err = stepasync_own(c, tid, &own);
	if (err || !own)
		return err;
	if (addrs_have(p->calls, p->n_calls, addr))
		return stepin_resolve(c, ret_done);
	if (p->finishes && addr == p->return_addr)
		return step_finish(c, ret_done);
	*ret_done = true;
	return NULL;
}

bool step_ends_at(struct control *c, pid_t tid, uint64_t addr)
{
	const struct step_plan *p = &c->plan;
	const struct activation frame = {p->sp, p->bp, p->framed};
	struct regs regs;
	bool own = false;

	if (p->phase != STEP_RUNNING || p->tid != tid ||
	    !addrs_have(p->addrs, p->n_addrs, addr) || is_awaiters(p, addr))
		return false;

	struct dbg_error *err = target_regs(c->target, tid, &regs);

	if (!err)
		err = stepasync_own(c, tid, &own);
	if (dbg_err_drop(err))
		return false;
	if (addrs_have(p->entries, p->n_entries, addr))
		return regs_sp(&regs) < p->enter_sp;
	return own && in_or_outside(&frame, &regs) && addr != p->left_addr &&
	       !addrs_have(p->calls, p->n_calls, addr) &&
	       !addrs_have(p->yields, p->n_yields, addr) &&
	       !addrs_have(p->ends, p->n_ends, addr);
}

void step_returned(struct control *c, pid_t tid, uint64_t addr)
{
	const struct step_plan *p = &c->plan;
	struct regs regs;

	if (p->returns.tid != tid || addr != p->return_addr)
		return;

	struct dbg_error *err = target_regs(c->target, tid, &regs);

	dbg_error_destroy(err);
	if (!err && regs_sp(&regs) == p->return_sp)
		c->inspect->returned = p->returns;
}

struct dbg_error *step_trap(struct control *c, pid_t tid, uint64_t addr,
			    struct dbg_stop *stop, bool *ret_stops)
{
	struct dbg_error *err;
	bool done = false;

	if (c->probe.armed && addr == c->probe.helper)
		return probe_trap(c, tid);
	err = judge(c, tid, addr, &done);
	if (!err && done)
		err = control_halt(c);
	if (err || !done)
		return err;
	step_returned(c, tid, addr);
	stop->reason = DBG_STOP_STEP;
	stop->note = c->plan.note;
	*ret_stops = true;
	return NULL;
}

/*
 * An exception of the stepping thread is about to be handled by @method's
 * handler at @entry: wait at the handler's first line, and if it has no
 * source, at every return to source further out.
 */
static struct dbg_error *plan_handler(struct control *c, uint64_t method,
				      uint64_t entry)
{
	struct dbg_error *err;
	struct dac_method m;
	const struct code_point *points;
	size_t n = 0;

	err = dac_method_get(c->dac, method, &m);
	if (!err && entry &&
	    mycode_is_user(c, code_module_find(c->code, m.module), m.token))
		err = code_points(c->code, entry, &points, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (points[i].addr < entry || !points[i].point.line)
			continue;
		step_add_site(&c->plan, points[i].addr);
		return step_arm(c);
	}

	uint32_t thread = stack_thread_number(c->stack, c->plan.tid);
	bool returns = true;

	for (uint32_t level = 0; returns && level < CALLERS_MAX; level++) {
		const struct frame *f;

		err = stack_frame(c->stack, thread, level, &f);
		if (err || !f)
			break;
		// that of an async method, which puts it into the task
		if (f->raw.method == method && f->raw.sp >= c->plan.sp)
			err = stepasync_plan_end(c, f, &returns);
		if (err)
			break;
		if (step_is_user(c, f) && f->raw.sp > c->plan.sp)
			step_add_site(&c->plan, f->raw.ip);
	}
	return err ? err : step_arm(c);
}

void step_catch(struct control *c, uint64_t method, uint64_t entry)
{
	// it may go on right where the call would have returned to
	if (method == c->plan.return_method)
		c->plan.returns.tid = 0;
	control_complain(c, plan_handler(c, method, entry));
}
