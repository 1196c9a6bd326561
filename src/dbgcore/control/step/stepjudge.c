/*
 * Decides what a trap of a step's plan means for the step, and where an
 * exception takes it: the runtime notifies of each catch handler that is
 * entered.
 */
#include "control/control_priv.h"
#include "control/step/step.h"
#include "control/step/stepasync.h"
#include "control/step/steps.h"

#include "base/err.h"
#include "code/handler.h"

enum {
	CALLERS_MAX = 20000
};

/* ---- Roles ----------------------------------------------------------- */

/* The thread that counts at a site. */
enum who {
	WHO_ANY,
	WHO_STEPS,
	WHO_SUSPENDED, /* the thread of the suspended call */
	WHO_BLOCKED,
};

/* The frame that counts, compared with the site's own. */
enum where {
	WHERE_ANY,
	WHERE_STEPPED, /* the plan's frame or outside of it */
	WHERE_OUTSIDE, /* the frame, one of its handlers, or outside */
	WHERE_SAME,
	WHERE_INSIDE,
};

enum what {
	ACTS, /* it goes on otherwise */
	ASKS, /* it may end; else the next role is asked */
	ENDS, /* it ends, or almost */
};

static struct dbg_error *role_end(struct control *c, const struct step_hit *hit,
				  bool *ret_done)
{
	(void)c, (void)hit;
	*ret_done = true;
	return NULL;
}

static struct dbg_error *resolve(struct control *c, const struct step_hit *hit,
				 bool *ret_done)
{
	(void)hit, (void)ret_done;
	return stepin_resolve(c);
}

static const struct rule {
	enum who who;
	enum where where;
	enum what what;
	struct dbg_error *(*come)(struct control *c, const struct step_hit *hit,
				  bool *ret_done);
} rules[STEP_ROLES] = {
    [STEP_AT_RESUMED] = {WHO_ANY, WHERE_ANY, ACTS, stepchain_resumed},
    [STEP_AT_STARTED] = {WHO_SUSPENDED, WHERE_SAME, ACTS, stepchain_started},
    [STEP_AT_SUSPEND] = {WHO_STEPS, WHERE_OUTSIDE, ACTS, stepchain_suspend},
    [STEP_AT_RESUME] = {WHO_ANY, WHERE_ANY, ACTS, stepasync_resume},
    [STEP_AT_WAITER] = {WHO_ANY, WHERE_ANY, ASKS, stepasync_waiter},
    [STEP_AT_TASK] = {WHO_SUSPENDED, WHERE_ANY, ACTS, stepasync_task},
    [STEP_AT_UNBLOCK] = {WHO_BLOCKED, WHERE_OUTSIDE, ENDS, role_end},
    [STEP_AT_JOIN] = {WHO_SUSPENDED, WHERE_SAME, ENDS, role_end},
    // a helper runs managed code at times, which may use it too
    [STEP_AT_STUB] = {WHO_STEPS, WHERE_OUTSIDE, ACTS, resolve},
    [STEP_AT_ENTRY] = {WHO_STEPS, WHERE_INSIDE, ENDS, role_end},
    [STEP_AT_PASSED] = {WHO_STEPS, WHERE_OUTSIDE, ACTS, stepin_passed},
    [STEP_AT_LEFT] = {WHO_STEPS, WHERE_OUTSIDE, ACTS, stepin_left},
    [STEP_AT_YIELD] = {WHO_STEPS, WHERE_OUTSIDE, ACTS, stepasync_yield},
    [STEP_AT_LAST] = {WHO_STEPS, WHERE_OUTSIDE, ACTS, stepasync_last},
    [STEP_AT_CALL] = {WHO_STEPS, WHERE_STEPPED, ACTS, resolve},
    [STEP_AT_RETURN] = {WHO_STEPS, WHERE_STEPPED, ENDS, step_back},
    [STEP_AT_LINE] = {WHO_STEPS, WHERE_STEPPED, ENDS, role_end},
};

static bool is_who(const struct step_plan *p, enum who who, pid_t tid)
{
	switch (who) {
	case WHO_STEPS:
		return tid == p->tid;
	case WHO_SUSPENDED:
		return tid == p->suspended.tid;
	case WHO_BLOCKED:
		return tid == p->blocked;
	default:
		return true;
	}
}

static bool in_or_outside(const struct activation *frame,
			  const struct regs *regs)
{
	return regs_sp(regs) >= frame->sp ||
	       (frame->framed && regs_fp(regs) >= frame->bp);
}

/* Is @tid where the role's rule wants it? */
static struct dbg_error *is_where(struct control *c, enum where where,
				  const struct activation *frame, pid_t tid,
				  bool *ret)
{
	struct dbg_error *err;
	struct regs regs;

	*ret = true;
	if (where == WHERE_ANY)
		return NULL;
	err = target_regs(c->target, tid, &regs);
	if (err)
		return err;
	if (where == WHERE_SAME)
		*ret = regs_sp(&regs) == frame->sp;
	else if (where == WHERE_INSIDE)
		*ret = regs_sp(&regs) < frame->sp;
	else
		*ret = in_or_outside(
		    where == WHERE_STEPPED ? &c->plan.frame : frame, &regs);
	// the thread may have run another call of the method meanwhile
	return *ret && where == WHERE_STEPPED ? stepasync_own(c, tid, ret)
					      : NULL;
}

/* ---- Judging --------------------------------------------------------- */

/*
 * Find the next role, from @from on, that the site at @addr has for @tid;
 * STEP_ROLES: none.
 */
static struct dbg_error *next_role(struct control *c, enum step_role from,
				   uint64_t addr, struct step_hit *hit)
{
	const struct step_plan *p = &c->plan;
	bool is = false;

	for (enum step_role role = from; role < STEP_ROLES; role++) {
		if (!is_who(p, rules[role].who, hit->tid))
			continue;
		for (size_t i = 0; i < p->n_sites; i++) {
			hit->site = p->sites[i];
			if (hit->site.addr != addr || hit->site.role != role)
				continue;
			struct dbg_error *err =
			    is_where(c, rules[role].where, &hit->site.frame,
				     hit->tid, &is);
			if (err || is)
				return err;
		}
	}
	hit->site.role = STEP_ROLES;
	return NULL;
}

/* Judge a trap of the plan: *ret_done if the step ends here. */
static struct dbg_error *step_judge(struct control *c, pid_t tid, uint64_t addr,
				    bool *ret_done)
{
	struct dbg_error *err;
	struct step_hit hit = {.tid = tid};
	enum step_role from = 0;
	bool on = c->plan.phase != STEP_NONE;

	while (on) {
		err = next_role(c, from, addr, &hit);
		if (err || hit.site.role == STEP_ROLES)
			return err;
		const struct rule *rule = &rules[hit.site.role];
		err = rule->come(c, &hit, ret_done);
		if (err)
			return err;
		from = hit.site.role + 1;
		on = rule->what == ASKS && !*ret_done;
	}
	return NULL;
}

bool step_ends_at(struct control *c, pid_t tid, uint64_t addr)
{
	struct step_hit hit = {.tid = tid};

	if (c->plan.phase != STEP_RUNNING || c->plan.tid != tid)
		return false;
	struct dbg_error *err = next_role(c, STEP_AT_STUB, addr, &hit);

	return !dbg_err_drop(err) && hit.site.role != STEP_ROLES &&
	       rules[hit.site.role].what == ENDS;
}

void step_returned(struct control *c, pid_t tid, uint64_t addr,
		   struct dbg_stop *stop)
{
	const struct step_plan *p = &c->plan;
	struct regs regs;

	if (p->returns.tid != tid || addr != p->return_addr)
		return;

	struct dbg_error *err = target_regs(c->target, tid, &regs);

	if (dbg_err_drop(err) || regs_sp(&regs) != p->caller.sp)
		return;
	if (stepchain_has_suspended(c, &p->returns))
		stop->note = "the call has no result yet: it waits";
	else
		c->inspect->returned = p->returns;
}

struct dbg_error *step_trap(struct control *c, pid_t tid, uint64_t addr,
			    struct dbg_stop *stop, bool *ret_stops)
{
	struct dbg_error *err;
	bool done = false;

	if (c->probe.armed && addr == c->probe.helper)
		return probe_trap(c, tid);
	err = step_judge(c, tid, addr, &done);
	if (!err && done)
		err = control_halt(c);
	if (err || !done)
		return err;
	stop->reason = DBG_STOP_STEP;
	stop->note = c->plan.note;
	step_returned(c, tid, addr, stop);
	*ret_stops = true;
	return NULL;
}

/* May @f, a call of @method, be the one that handles an exception? */
static bool may_handle(struct control *c, const struct frame *f,
		       uint64_t method)
{
	struct code_handler *handlers;
	size_t n = 0;

	if (f->raw.method != method || !f->pos)
		return false;
	struct arena *arena = arena_create();
	code_handlers(c->code, f->pos, arena, &handlers, &n);
	arena_destroy(arena);
	return n > 0;
}

/*
 * @method's handler at @entry is about to handle an exception of the stepping
 * thread: wait at the handler's first line, or, if it has no source, at every
 * return to source further out.
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
		step_add(&c->plan, points[i].addr, STEP_AT_LINE, NULL);
		return step_arm(c);
	}

	uint32_t thread = stack_thread_number(c->stack, c->plan.tid);
	bool returns = true, found = false;

	for (uint32_t level = 0; returns && level < CALLERS_MAX; level++) {
		const struct frame *f;

		err = stack_frame(c->stack, thread, level, &f);
		if (err || !f)
			break;
		// The handler may belong to an async method or to whatever
		// resumed one, which puts the exception into the task. Only the
		// newest such frame counts: frames further out may be other
		// calls of the same method.
		const bool handles = !found && may_handle(c, f, method);

		found |= handles;
		if (handles && f->raw.sp >= c->plan.frame.sp)
			err = stepasync_plan_end(c, f, &returns);
		if (err)
			break;
		if (step_is_user(c, f) && f->raw.sp > c->plan.frame.sp)
			step_add(&c->plan, f->raw.ip, STEP_AT_LINE, NULL);
	}
	return err ? err : step_arm(c);
}

void step_catch(struct control *c, uint64_t method, uint64_t entry)
{
	// The handler may continue at the very place where the call would have
	// returned to.
	if (method == c->plan.return_method)
		c->plan.returns.tid = 0;
	control_warn(c, plan_handler(c, method, entry));
}
