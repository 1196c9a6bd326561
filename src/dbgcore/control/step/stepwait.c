/*
 * A thread that is blocked until an async call is done (Task.Wait, Result,
 * GetResult): one whose stack has a frame of Task's own wait, which holds the
 * address of the task. A step out of the call ends where that thread returns
 * to code of the user's. A thread that is about to wait is found as well, since
 * its stack holds the task already: before it waits the heap does not lead from
 * the task to the thread, and if the call ends first it never will.
 */
#include "control/control_priv.h"
#include "control/step/stepasync.h"
#include "control/step/steps.h"
#include "dac/gcheap.h"

#include <string.h>

#include "base/err.h"

enum {
	STACK_MAX =
	    1 << 16, /* bytes from the newest frame to the frame of the wait */
	FRAMES_MAX = 64,
	STATEMENT_MAX = 1 << 12,
};

/*
 * Find a reference to an object of @call in the registers or on the stack of
 * @tid. Returns the lowest address on the stack that has one (for a register
 * the top of the stack); 0: there is none.
 */
static uint64_t held_word(struct control *c, pid_t tid,
			  const struct async_call *call)
{
	struct regs regs;
	_cleanup_free_ uint64_t *words = xmalloc(STACK_MAX);
	struct dbg_error *err = target_regs(c->target, tid, &regs);
	size_t n;

	if (dbg_err_drop(err))
		return 0;

	uint64_t start = regs_sp(&regs) & ~(uint64_t)7;

	for (unsigned int i = 0; i < ARCH_GENERAL; i++)
		if (asynccall_has(call, regs_get(&regs, i)))
			return start;
	n = target_read_some(c->target, start, words, STACK_MAX);
	for (size_t i = 0; i < n / sizeof(*words); i++)
		if (asynccall_has(call, words[i]))
			return start + i * sizeof(*words);
	return 0;
}

/*
 * Most words of a stack are left over from earlier calls. What the runtime
 * would keep alive for a frame is in use; it can tell of all frames of a thread
 * that lets it collect, and of any other but for the newest frames.
 */
uint64_t stepwait_held(struct control *c, pid_t tid,
		       const struct async_call *call)
{
	const uint64_t word = held_word(c, tid, call);
	const struct dac_thread *thread = dac_thread_find(c->dac, tid);
	uint64_t held = 0, known = UINT64_MAX;
	struct gc_stack_ref *refs;
	size_t n = 0;

	if (!word)
		return 0;
	struct arena *arena = arena_create();
	struct dbg_error *err = dac_gc_stack(c->dac, tid, arena, &refs, &n);
	for (size_t i = 0; !err && i < n; i++) {
		const struct gc_stack_ref *r = &refs[i];

		if (r->sp < known)
			known = r->sp;
		if (asynccall_has(call, r->object) && (!held || r->sp < held))
			held = r->sp;
	}
	arena_destroy(arena);
	const bool exact = !dbg_err_drop(err) && thread && !thread->cooperative;
	return !exact && word < known ? word : held;
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
static bool thread_awaits(struct control *c, uint32_t thread)
{
	for (uint32_t level = 0; level < FRAMES_MAX; level++) {
		const struct frame *f = NULL;
		struct dbg_error *err =
		    stack_frame(c->stack, thread, level, &f);

		if (dbg_err_drop(err) || !f || (f->pos && f->pos->point.line))
			return false;
		if (f->kind == DBG_FRAME_MANAGED && is_wait(c, f))
			return true;
	}
	return false;
}

/*
 * @thread waits for some task. Is it what it has at @held? The wait has that
 * then, not only who calls it.
 */
static struct dbg_error *
plan_blocked(struct control *c, const struct dbg_thread *thread, uint64_t held)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	const struct frame *f;

	err = step_user_frame(c, thread->number, 0, &f);
	// the wait of the compiler's own Main has no code of the user's
	if (err || !f || !f->pos || !f->pos->point.line || held >= f->raw.sp)
		return err;
	p->blocked = thread->tid;
	step_add(p, f->raw.ip, STEP_AT_UNBLOCK,
		 &(struct activation){.sp = f->raw.sp});
	return NULL;
}

static bool is_waiting_call(const struct code_call *call)
{
	static const char *const names[] = {"GetResult", "get_Result", "Wait",
					    "WaitAll", "WaitAny"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(call->simple, names[i]))
			return true;
	return false;
}

static void add_join(struct step_plan *p, uint64_t addr)
{
	step_add(p, addr, STEP_AT_JOIN,
		 &(struct activation){.sp = p->suspended.sp});
}

/*
 * Is the call at @addr one of @calls, and does it wait? In optimised code an
 * entry of the map may stand for several calls: there it is not known.
 */
static bool call_waits(struct control *c, uint64_t addr,
		       const struct code_calls *calls)
{
	const struct code_pos *pos;
	bool any = false, thread_awaits = false;
	struct dbg_error *err = code_pos_at(c->code, addr, true, &pos, &any);

	if (dbg_err_drop(err) || !any)
		return false;
	for (size_t i = 0; i < calls->n; i++) {
		const struct code_call *call = &calls->calls[i];
		if (!target_entry_holds(c, addr, pos->il_offset,
					call->il_offset))
			continue;
		if (!is_waiting_call(call))
			return false;
		thread_awaits = true;
	}
	return thread_awaits;
}

/* Traps behind those calls in [start, end) that wait. */
static void join_behind(struct control *c, uint64_t start, uint64_t end,
			const struct code_calls *calls)
{
	uint8_t code[STATEMENT_MAX];
	size_t n = 0;
	struct insn insn;

	if (end > start && end - start <= sizeof(code))
		n = target_read_some(c->target, start, code, end - start);
	for (size_t off = 0; off < n; off += insn.size) {
		if (!insn_decode(code + off, n - off, start + off, &insn))
			break;
		if (insn.kind == INSN_CALL && call_waits(c, start + off, calls))
			add_join(&c->plan, start + off + insn.size);
	}
}

/* Traps behind the calls of @f's statement that wait, and at later ones. */
static struct dbg_error *join_statement(struct control *c,
					const struct frame *f,
					const struct code_calls *calls)
{
	const struct code_point *points;
	const uint32_t il = f->pos->point.il_offset;
	size_t n;
	struct dbg_error *err = code_points(c->code, f->raw.ip, &points, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (points[i].point.line && points[i].point.il_offset > il)
			add_join(&c->plan, points[i].addr);
		else if (points[i].point.il_offset == il && i + 1 < n)
			join_behind(c, points[i].addr, points[i + 1].addr,
				    calls);
	}
	return NULL;
}

static bool any_waits(const struct code_calls *calls, uint32_t il_offset)
{
	for (size_t i = 0; i < calls->n; i++)
		if (calls->calls[i].il_offset >= il_offset &&
		    is_waiting_call(&calls->calls[i]))
			return true;
	return false;
}

/* Traps behind the calls of @f's later statements that wait. */
static struct dbg_error *join_later(struct control *c, const struct frame *f)
{
	const struct code_point *points;
	size_t n;
	struct dbg_error *err = code_points(c->code, f->raw.ip, &points, &n);

	for (size_t i = 0; !err && i + 1 < n; i++) {
		struct code_calls calls = {.arena = arena_create()};
		struct code_pos pos = *f->pos;

		if (points[i].point.line &&
		    points[i].point.il_offset > f->pos->point.il_offset) {
			pos.point = points[i].point;
			code_calls(&pos, &calls);
		}
		if (any_waits(&calls, 0))
			join_behind(c, points[i].addr, points[i + 1].addr,
				    &calls);
		arena_destroy(calls.arena);
	}
	return err;
}

/* If @f, which is in no async method, is about to wait. */
static struct dbg_error *plan_wait(struct control *c, const struct frame *f)
{
	struct dbg_error *err = NULL;
	struct code_calls calls = {.arena = arena_create()};

	code_calls(f->pos, &calls);
	if (any_waits(&calls, f->pos->il_offset)) {
		c->plan.suspended = (struct suspended){
		    .tid = f->tid,
		    .sp = f->raw.sp,
		};
		err = join_statement(c, f, &calls);
	}
	arena_destroy(calls.arena);
	return err;
}

/*
 * Plan for a later statement of @f that blocks the thread until an async call
 * is done: set traps where that call is resumed.
 */
static struct dbg_error *plan_wait_later(struct control *c,
					 const struct frame *f)
{
	struct step_plan *p = &c->plan;
	const struct suspended before = p->suspended;
	const size_t n_sites = p->n_sites;

	if (!before.tid)
		p->suspended =
		    (struct suspended){.tid = f->tid, .sp = f->raw.sp};
	struct dbg_error *err = join_later(c, f);
	if (p->n_sites == n_sites)
		p->suspended = before;
	return err;
}

static struct dbg_error *plan_wait_of(struct control *c, const struct frame *f,
				      const struct async_call *call, bool later)
{
	struct step_plan *p = &c->plan;
	struct dbg_error *err = stepasync_plan_held(c, f, call, later);

	if (!err && !p->suspended.tid)
		stepchain_plan_held(c, f, call, later);
	if (!err && later)
		err = plan_wait_later(c, f);
	return err || p->suspended.tid ? err : plan_wait(c, f);
}

/* Is @f of the call itself, in the thread that began it? */
static bool is_own(struct control *c, const struct frame *f,
		   const struct async_call *call)
{
	struct async_call own;
	struct value machine;

	if (!stack_machine(c->stack, f, &machine))
		return false;
	asynccall_objects(c, &machine, &own);
	return (own.task && own.task == call->task) ||
	       (own.machine && own.machine == call->machine);
}

/*
 * Is @thread about to wait for @call, whose task it holds at @held? In the
 * statement that a frame of it is at; who holds the task, or is handed it on,
 * in a later one, too.
 */
static struct dbg_error *plan_holder(struct control *c,
				     const struct dbg_thread *thread,
				     uint64_t held,
				     const struct async_call *call)
{
	struct dbg_error *err = NULL;
	const struct frame *f = NULL, *caller = NULL;
	bool holds = true;

	for (uint32_t level = 0; level < FRAMES_MAX; level++) {
		f = caller;
		err = stack_frame(c->stack, thread->number, level, &caller);
		if (err || (level && !caller))
			break;
		if (!f || !step_is_user(c, f) || is_own(c, f, call) ||
		    (caller && caller->raw.sp <= held))
			continue;
		const bool hands_on = asynccall_hands_on(f->pos);

		err = plan_wait_of(c, f, call, false);
		if (!err && holds && !hands_on && !c->plan.suspended.tid)
			err = plan_wait_of(c, f, call, true);
		if (err || c->plan.suspended.tid)
			break;
		holds &= hands_on;
	}
	return err;
}

struct dbg_error *stepwait_plan(struct control *c,
				const struct async_call *call)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct dbg_thread *threads;
	uint64_t held;
	size_t n;

	err = stack_threads(c->stack, &threads, &n);
	for (size_t i = 0; !err && i < n && !step_is_awaited(p); i++) {
		if (!threads[i].managed || threads[i].tid == p->tid)
			continue;
		held = stepwait_held(c, threads[i].tid, call);
		if (!held)
			continue;
		err = thread_awaits(c, threads[i].number)
			  ? plan_blocked(c, &threads[i], held)
			  : plan_holder(c, &threads[i], held, call);
	}
	return err;
}
