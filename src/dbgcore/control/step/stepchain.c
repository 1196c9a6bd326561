/*
 * Steps in methods of runtime async (.NET 11), which have no state machine.
 *
 * Over `await`: where the method has to wait its code makes a Continuation,
 * returns that to its caller, and so do the callers, up to a thunk that makes a
 * task of the chain. A trap at the code that suspends sees the step leave;
 * another at the code that resumes the same await, in which the same code
 * version goes on, sees it come back. The objects move; what a call is known by
 * is the number of its task and how many calls of the task await it: both are
 * the same while it is suspended and when it is resumed. A call that is
 * suspended for the first time has no task yet: the thunk returns it, and if
 * another thread resumes a call before, the task that it resumes is looked for
 * in what the first thread is about to return.
 *
 * Out of a method that was resumed: it returns to who resumes the chain, which
 * then resumes who awaits. The step ends behind the await there. An exception
 * that the awaited call ends with is given to the next call that has a handler
 * around its await; those between are never resumed. So all that await, in this
 * task and in others, are waited for, and the first that comes has it.
 */
#include "control/control_priv.h"
#include "control/step/step.h"
#include "control/step/stepasync.h"
#include "control/step/steps.h"
#include "dac/asyncmethod.h"

#include "base/err.h"

enum {
	FRAMES_MAX = 4096,
	RESUME_STEPS = 1000, /* instructions that resume a method */
	RESULT = 0, /* the register that a function returns a pointer in */
};

/* ---- Which call is it? ----------------------------------------------- */

/* A call that a thread runs. */
struct running {
	struct step_chain id;
	struct value task;
	const struct frame *resumer; /* of the task; NULL: it has none yet */
	bool direct;                 /* nothing is between it and that */
	/* else where the caller of its thunk continues; 0: there is none */
	uint64_t back, back_sp;
};

static bool suspends(struct control *c, const struct frame *f)
{
	struct dac_async async;

	if (f->kind != DBG_FRAME_MANAGED)
		return false;
	dac_async_get(c->dac, f->raw.method, &async);
	return async.suspends;
}

/*
 * Is the call that @f has begun awaited by it? A method that is not async
 * returns what it calls so, and is gone when that is resumed.
 */
static bool awaits(struct control *c, const struct frame *f)
{
	struct dac_async async;

	dac_async_get(c->dac, f->raw.method, &async);
	return !async.version;
}

bool stepchain_is_thunk(struct control *c, const struct frame *f)
{
	struct dac_async async;

	if (f->kind != DBG_FRAME_RUNTIME)
		return false;
	dac_async_get(c->dac, f->raw.method, &async);
	return async.thunk && !async.suspends;
}

bool stepchain_runs(struct control *c, const struct frame *f)
{
	return suspends(c, f) && f->pos && f->pos->module;
}

static uint32_t chain_length(struct values *ts, const struct value *first)
{
	struct value at = *first, next;
	uint32_t n = 1;

	while (n < CONTINUATIONS_MAX && continuation_next(ts, &at, &next)) {
		at = next;
		n++;
	}
	return n;
}

static void running_resumed(struct control *c, const struct frame *resumer,
			    const struct continuation_record *record,
			    struct running *ret)
{
	struct values *ts = stack_types(c->stack);

	ret->resumer = resumer;
	ret->direct = !ret->id.depth;
	ret->task = record->task;
	ret->id.task = asynccall_task(c, &record->task);
	if (record->any)
		ret->id.depth += chain_length(ts, &record->next);
}

/* Get the call of runtime async at @level of @tid; false: it is none. */
static bool running_find(struct control *c, pid_t tid, uint32_t level,
			 struct running *ret)
{
	uint32_t thread = stack_thread_number(c->stack, tid);
	struct continuation_record record;
	const struct frame *f = NULL;
	bool through = false;

	*ret = (struct running){0};
	for (uint32_t i = level; i < level + FRAMES_MAX; i++) {
		struct dbg_error *err = stack_frame(c->stack, thread, i, &f);

		if (dbg_err_drop(err) || !f)
			return i > level;
		through = through || stepchain_is_thunk(c, f);
		if (f->kind != DBG_FRAME_MANAGED)
			continue;
		if (i == level && !suspends(c, f))
			return false;
		if (through) {
			ret->back = f->raw.ip;
			ret->back_sp = f->raw.sp;
			return true;
		}
		if (continuation_record_of(c->stack, f, &record)) {
			running_resumed(c, f, &record, ret);
			return true;
		}
		if (!suspends(c, f))
			return true;
		ret->id.depth += i > level && awaits(c, f);
	}
	return true;
}

static bool same_chain(const struct step_chain *a, const struct step_chain *b)
{
	return a->task == b->task && a->depth == b->depth;
}

bool stepchain_has_suspended(struct control *c, const struct returned *of)
{
	struct values *ts = stack_types(c->stack);
	struct dac_async async;

	dac_async_get(c->dac, of->method, &async);
	if (!async.suspends || !ts)
		return false;
	struct value v = value_object(ts, value_suspended(c->target, of->tid));
	struct value at = value_dereference(ts, &v);
	return continuation_is(ts, &at);
}

bool stepchain_own(struct control *c, pid_t tid)
{
	struct running call;

	return !running_find(c, tid, 0, &call) ||
	       same_chain(&call.id, &c->plan.own_chain);
}

/* ---- Places ---------------------------------------------------------- */

void stepchain_plan(struct control *c, uint64_t pc,
		    const struct activation *frame)
{
	struct dac_code code;
	const struct debug_info *info = dac_debug_info(c->dac, pc);

	if (!info || dbg_err_drop(dac_code_at(c->dac, pc, &code)))
		return;
	for (size_t i = 0; i < info->n_awaits; i++)
		step_add(&c->plan, code.start + info->awaits[i].native,
			 STEP_AT_SUSPEND, frame);
}

/*
 * Where the code that holds @ip resumes awaits that it tells nothing of; 0: it
 * has none.
 */
static uint64_t resume_untold(struct control *c, uint64_t ip,
			      struct dac_code *ret)
{
	const struct debug_info *info = dac_debug_info(c->dac, ip);

	if (!info || !info->resume ||
	    dbg_err_drop(dac_code_at(c->dac, ip, ret)))
		return 0;
	return ret->start + info->resume;
}

static void add_untold(struct control *c, uint64_t ip)
{
	struct dac_code code;
	uint64_t addr = resume_untold(c, ip, &code);

	if (addr)
		step_add(&c->plan, addr, STEP_AT_RESUMED, NULL);
}

/* Add sites where the code that is suspended at @ip is resumed. */
static void add_resumes(struct control *c, uint64_t ip)
{
	const struct dac_il_map *map;
	size_t n = 0;
	uint32_t il = DAC_IL_NO_MAPPING;

	add_untold(c, ip);
	if (dbg_err_drop(dac_il_map(c->dac, ip, &map, &n)))
		return;
	for (size_t i = 0; i < n; i++)
		if (map[i].start == ip && map[i].kind == DAC_IL_AWAIT)
			il = map[i].il_offset;
	for (size_t i = 0; i < n; i++)
		if (map[i].il_offset == il && map[i].kind == DAC_IL_AWAIT &&
		    !dac_await_at(c->dac, map[i].start))
			step_add(&c->plan, map[i].start, STEP_AT_RESUMED, NULL);
}

/* Add sites at all code that resumes the method whose code is at @ip. */
static void add_all_resumes(struct control *c, uint64_t ip)
{
	const struct dac_il_map *map;
	size_t n = 0;

	add_untold(c, ip);
	if (dbg_err_drop(dac_il_map(c->dac, ip, &map, &n)))
		return;
	for (size_t i = 0; i < n; i++)
		if (map[i].kind == DAC_IL_AWAIT &&
		    !dac_await_at(c->dac, map[i].start))
			step_add(&c->plan, map[i].start, STEP_AT_RESUMED, NULL);
}

/*
 * Identify a suspended call of runtime async: by its task and its depth in the
 * chain.
 */
static struct step_chain chain_of(struct control *c,
				  const struct continuation *call)
{
	struct values *ts = stack_types(c->stack);
	struct value v = value_object(ts, call->addr);
	struct value at = value_dereference(ts, &v);
	struct step_chain ret = {.depth = chain_length(ts, &at) - 1};

	v = value_object(ts, call->task);
	at = value_dereference(ts, &v);
	if (at.where != VALUE_ABSENT)
		ret.task = asynccall_task(c, &at);
	return ret;
}

/*
 * Let the step also wait until the awaiting call @f is resumed, if it is user
 * code.
 */
static void add_outer(void *arg, struct frame *f)
{
	struct control *c = arg;
	struct step_plan *p = &c->plan;

	if (!f->continuation || !f->pos ||
	    !mycode_is_user(c, f->pos->module, f->pos->token) ||
	    p->n_outer == STEP_OUTER)
		return;
	p->outer[p->n_outer++] = chain_of(c, f->continuation);
	add_resumes(c, f->continuation->ip);
}

/*
 * Let the step wait for the calls that await the async call at the top of
 * @tid's stack.
 */
static void add_callers(struct control *c, pid_t tid,
			const struct frame *resumer)
{
	uint32_t thread = stack_thread_number(c->stack, tid);
	const struct frame *f = NULL;

	for (uint32_t i = 1; i < FRAMES_MAX; i++) {
		if (dbg_err_drop(stack_frame(c->stack, thread, i, &f)) || !f ||
		    stepchain_is_thunk(c, f) ||
		    (f->kind == DBG_FRAME_MANAGED && !suspends(c, f)))
			break;
		if (stepchain_runs(c, f) && step_is_user(c, f))
			add_all_resumes(c, f->raw.ip);
	}
	if (resumer)
		stack_waiters(c->stack, resumer, add_outer, c);
}

/* ---- Over await ------------------------------------------------------ */

struct dbg_error *stepchain_suspend(struct control *c,
				    const struct step_hit *hit, bool *ret_done)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct running call;
	const uint64_t sp = hit->site.frame.sp, addr = hit->site.addr;

	(void)ret_done;
	err = control_halt(c);
	if (err)
		return err;
	if (!running_find(c, hit->tid, 0, &call))
		call = (struct running){0};
	step_lift(c);
	p->suspended = (struct suspended){.tid = hit->tid, .sp = sp};
	p->tid = 0;
	p->phase = STEP_AWAITING;
	p->chain = call.id;
	add_resumes(c, addr);
	add_callers(c, hit->tid, call.resumer);
	if (!call.resumer && call.back)
		step_add(p, call.back, STEP_AT_STARTED,
			 &(struct activation){.sp = call.back_sp});
	return step_arm(c);
}

/*
 * The task that a thread has got from a thunk: a Task, or the one in a
 * ValueTask.
 */
static bool task_returned(struct control *c, pid_t tid, struct value *ret)
{
	struct values *ts = stack_types(c->stack);
	struct regs regs;
	uint64_t addr;

	if (!ts || dbg_err_drop(target_regs(c->target, tid, &regs)))
		return false;
	addr = regs_get(&regs, RESULT);
	for (int i = 0; i < 2 && addr; i++) {
		struct value v = value_object(ts, addr);

		*ret = value_dereference(ts, &v);
		if (ret->where != VALUE_ABSENT &&
		    continuation_is_task(ts, ret->type))
			return true;
		if (dbg_err_drop(target_read_u64(c->target, addr, &addr)))
			return false;
	}
	return false;
}

struct dbg_error *stepchain_started(struct control *c,
				    const struct step_hit *hit, bool *ret_done)
{
	struct value task;
	struct dbg_error *err = control_halt(c);

	(void)ret_done;
	if (err)
		return err;
	if (task_returned(c, hit->tid, &task))
		c->plan.chain.task = asynccall_task(c, &task);
	return step_drop(c, STEP_AT_STARTED);
}

/*
 * May @call, which is resumed, be the one that is waited for? *ret_outer: or
 * one that awaits it, by an exception.
 */
static bool is_awaited(struct control *c, const struct running *call,
		       bool *ret_outer)
{
	const struct step_plan *p = &c->plan;
	struct async_call held = {0};

	*ret_outer =
	    call->id.depth != p->chain.depth || call->id.task != p->chain.task;
	for (size_t i = 0; *ret_outer && i < p->n_outer; i++)
		if (same_chain(&p->outer[i], &call->id))
			return true;
	*ret_outer = call->id.depth < p->chain.depth;
	if (call->id.depth > p->chain.depth)
		return false;
	if (p->chain.task)
		return p->chain.task == call->id.task;
	// Who suspended it has not returned its task yet, or does not tell.
	if (!step_has(p, 0, STEP_AT_STARTED) || !p->suspended.tid)
		return !*ret_outer;
	value_pointer(stack_types(c->stack), &call->task, &held.task);
	return stepwait_held(c, p->suspended.tid, &held);
}

/* Go on with the step in the call that is resumed. */
static struct dbg_error *take_up(struct control *c, pid_t tid, uint64_t addr)
{
	struct step_plan *p = &c->plan;
	struct regs regs;
	struct dbg_error *err = target_regs(c->target, tid, &regs);

	if (err)
		return err;
	step_lift(c);
	p->tid = tid;
	p->frame = (struct activation){
	    .sp = regs_sp(&regs),
	    .bp = regs_fp(&regs),
	    .framed = step_is_framed(c, addr),
	};
	p->phase = STEP_RUNNING;
	return NULL;
}

/* The awaiting call continues: end behind the await, or in a handler. */
static struct dbg_error *end_behind(struct control *c, pid_t tid, uint64_t addr)
{
	struct dbg_error *err = take_up(c, tid, addr);
	uint64_t behind = err ? 0 : dac_await_behind(c->dac, addr);

	if (behind)
		step_add(&c->plan, behind, STEP_AT_LINE, NULL);
	return err ? err : behind ? step_arm(c) : step_go_on(c);
}

/* Does the code at @addr begin a line, and is nothing left of the await's? */
static bool begins_line(struct control *c, uint64_t addr)
{
	const struct dac_il_map *map;
	size_t n = 0;

	if (dbg_err_drop(dac_il_map(c->dac, addr, &map, &n)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (map[i].start == addr && map[i].kind == DAC_IL_CODE &&
		    map[i].il_offset < DAC_IL_EPILOG)
			return true;
	return false;
}

/*
 * The call is at @addr, where its code branches to what resumes one of the
 * awaits: follow it, through no call, to where it joins the other code, which
 * lies before. The step ends there if @ends, or if a line begins there.
 */
static struct dbg_error *untold_resumed(struct control *c, pid_t tid,
					const struct dac_code *code,
					uint64_t addr, bool ends,
					bool *ret_done)
{
	struct regs regs;
	bool stepped = true;
	uint64_t at = addr;
	struct dbg_error *err = take_up(c, tid, addr);

	for (int i = 0; !err && stepped && i < RESUME_STEPS && at >= addr &&
			at < code->start + code->size;
	     i++) {
		err = target_thread_step(c->target, tid, true, &stepped);
		if (!err)
			err = target_regs(c->target, tid, &regs);
		if (!err)
			at = regs_pc(&regs);
	}
	// what is known of its stack is of the place before
	inspect_go(c->inspect);
	if (!err)
		err = control_halt(c);
	if (err)
		return err;
	*ret_done =
	    at >= code->start && at < addr && (ends || begins_line(c, at));
	return *ret_done ? NULL : step_go_on(c);
}

struct dbg_error *stepchain_resumed(struct control *c,
				    const struct step_hit *hit, bool *ret_done)
{
	struct dbg_error *err = control_halt(c);
	const uint64_t addr = hit->site.addr;
	struct step_plan *p = &c->plan;
	struct dac_code code;
	struct running call;
	bool outer;

	if (err || !running_find(c, hit->tid, 0, &call) ||
	    !is_awaited(c, &call, &outer))
		return err;
	if (resume_untold(c, addr, &code) == addr)
		return untold_resumed(c, hit->tid, &code, addr,
				      p->chain_ends || outer, ret_done);
	if (p->chain_ends || outer)
		return end_behind(c, hit->tid, addr);
	step_lift(c);
	p->tid = hit->tid;
	return step_go_on(c);
}

/* ---- Out of the method ----------------------------------------------- */

struct dbg_error *stepchain_waiter(struct control *c, const struct frame *f)
{
	struct step_plan *p = &c->plan;

	p->chain = chain_of(c, f->continuation);
	p->waiter = p->chain.task ? p->chain.task : CALL_UNNUMBERED;
	p->chain_ends = true;
	add_resumes(c, f->continuation->ip);
	return NULL;
}

struct dbg_error *stepchain_plan_end(struct control *c, const struct frame *f,
				     bool *ret_any, bool *ret_returns)
{
	struct step_plan *p = &c->plan;
	struct continuation_record record;
	struct running call = {0};
	struct async_call task = {0};

	*ret_any = continuation_record_of(c->stack, f, &record);
	if (*ret_any)
		running_resumed(c, f, &record, &call);
	else if (stepchain_runs(c, f))
		*ret_any = running_find(c, f->tid, f->level, &call);
	if (!*ret_any || !call.resumer || !call.direct)
		return NULL;
	*ret_returns = false;
	p->own_chain = call.id;
	const struct frame *awaiter = stepasync_awaiter(c, call.resumer);
	stack_waiters(c->stack, call.resumer, add_outer, c);
	if (awaiter && awaiter->continuation)
		return stepchain_waiter(c, awaiter);
	if (awaiter)
		return stepasync_waits(c, awaiter);
	value_pointer(stack_types(c->stack), &call.task, &task.task);
	return stepwait_plan(c, &task);
}

/* ---- Who is about to await ------------------------------------------- */

/* Are both IL offsets of one statement of the method? */
static bool same_statement(struct control *c, const struct code_pos *pos,
			   uint32_t il_offset)
{
	struct code_pos other;

	code_pos_of(c->code, pos->module, pos->token, il_offset, &other);
	return other.point.il_offset == pos->point.il_offset;
}

static bool is_resume(struct control *c, const struct dac_il_map *e)
{
	return e->kind == DAC_IL_AWAIT && !dac_await_at(c->dac, e->start);
}

/*
 * The entries of code that resume @f: at the await of its statement that comes
 * next, or is under way; @later: at any. False: there is none.
 */
static bool resumes_ahead(struct control *c, const struct frame *f, bool later,
			  const struct dac_il_map **ret, size_t *ret_n)
{
	const struct dac_il_map *map, *found = NULL;
	const uint32_t il = f->pos->il_offset;
	size_t n = 0;

	if (il == UINT32_MAX ||
	    dbg_err_drop(dac_il_map(c->dac, f->raw.ip, &map, &n)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (is_resume(c, &map[i]) &&
		    (later || map[i].il_offset >= il) &&
		    (!found || map[i].il_offset < found->il_offset))
			found = &map[i];
	*ret = later ? map : found;
	*ret_n = later ? n : 1;
	return found && (later || same_statement(c, f->pos, found->il_offset));
}

/* Where @f goes on behind its awaits, whether it has to wait or not. */
static void add_awaits(struct control *c, const struct frame *f,
		       const struct dac_il_map *resumes, size_t n)
{
	const struct activation frame = {.sp = f->raw.sp};

	for (size_t i = 0; i < n; i++) {
		if (!is_resume(c, &resumes[i]))
			continue;
		step_add(&c->plan, resumes[i].start, STEP_AT_RESUMED, NULL);
		uint64_t behind = dac_await_behind(c->dac, resumes[i].start);
		if (behind)
			step_add(&c->plan, behind, STEP_AT_JOIN, &frame);
	}
}

void stepchain_plan_held(struct control *c, const struct frame *f,
			 const struct async_call *call, bool later)
{
	struct step_plan *p = &c->plan;
	struct async_call own = {0};
	struct running running;
	const struct dac_il_map *resumes;
	size_t n;

	if (!stepchain_runs(c, f) || !step_is_user(c, f) ||
	    !running_find(c, f->tid, f->level, &running))
		return;
	value_pointer(stack_types(c->stack), &running.task, &own.task);
	if (!resumes_ahead(c, f, later, &resumes, &n) ||
	    (own.task && own.task == call->task))
		return;
	p->suspended = (struct suspended){.tid = f->tid, .sp = f->raw.sp};
	p->chain = running.id;
	p->waiter = p->chain.task ? p->chain.task : CALL_UNNUMBERED;
	p->chain_ends = true;
	add_awaits(c, f, resumes, n);
	if (!running.resumer && running.back)
		step_add(p, running.back, STEP_AT_STARTED,
			 &(struct activation){.sp = running.back_sp});
}
