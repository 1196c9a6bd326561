/*
 * Steps in async methods.
 *
 * Over `await`: the method returns to its caller at the yield of an await
 * that has to wait, and goes on later, often in another thread, at the resume
 * point of the same await (both are in the PDB). A trap at the yields sees
 * the step leave; then all other traps of the plan are lifted and the resume
 * point is armed. There the step goes on as if it had never left, from the
 * line it began at. Many calls of the method may wait at one await; ours is
 * known by its number (stepasync.c). A call that waits for the first time has
 * none before AwaitUnsafeOnCompleted has made its task: it is looked for
 * behind that call, and if another thread resumes a call before, then.
 *
 * Out of the method: a method that was resumed returns to whoever resumed it,
 * which says nothing. The step ends where the method that awaits it goes on:
 * at any resume point of that, in the call with the right number. Who awaits
 * is found when the method may end: stepped out of, at its last line, or when
 * an exception leaves it for the task.
 */
#include "control/step/stepasync.h"
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/step/step.h"
#include "control/step/steps.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "meta/csname.h"
#include "meta/sig.h"

/* ---- Which call of an async method it is --------------------------------- */

/*
 * Identifies a call of an async method. Its state machine, and the task that
 * holds it once the call has waited, move with every collection. What stays is
 * the task's number, Task.Id, which the runtime assigns when it is first read:
 * the next value of a counter. Here it is assigned from outside by the same two
 * writes, which the program cannot tell from its own.
 */

enum {
	METHOD_IMPL_FLAGS = 1, /* columns, II.22.26 */
	METHOD_SIGNATURE = 4,
	METHOD_IS_ASYNC = 0x2000, /* MethodImplAttributes.Async */
};

/* Address and content of the int32 that is field @f of @v; 0: not there. */
static uint64_t read_int(struct control *c, const struct value *v,
			 uint32_t *ret)
{
	struct dbg_error *err;

	if (v->where != VALUE_MEMORY || !v->addr)
		return 0;
	err = target_read_u32(c->target, v->addr, ret);
	if (!err)
		return v->addr;
	dbg_error_destroy(err);
	return 0;
}

static bool write_int(struct control *c, uint64_t addr, uint32_t value)
{
	struct dbg_error *err =
	    target_write(c->target, addr, &value, sizeof(value));

	return !dbg_err_drop(err);
}

/* Give the task whose number is to be at @addr the next one; 0: failed. */
static uint32_t number_task(struct control *c, struct type *owner,
			    uint64_t addr)
{
	struct values *ts = stack_types(c->stack);
	const struct field *f = value_type_field(ts, owner, "s_taskIdCounter");
	uint32_t number;

	if (!f || f->kind != FIELD_STATIC)
		return 0;

	const struct value counter = value_static(ts, f, NULL);
	uint64_t at = read_int(c, &counter, &number);

	// 0 means that a task has none
	if (!++number)
		number++;
	if (!at || !write_int(c, at, number) || !write_int(c, addr, number))
		return 0;
	return number;
}

uint32_t asynccall_task(struct control *c, const struct value *task)
{
	struct values *ts = stack_types(c->stack);
	const struct field *f = value_type_field(ts, task->type, "m_taskId");
	uint32_t number = 0;

	if (!f || f->kind != FIELD_INSTANCE)
		return 0;

	const struct value id = value_field(ts, task, f);
	uint64_t addr = read_int(c, &id, &number);

	return !addr || number ? number : number_task(c, f->owner, addr);
}

/*
 * The number by which the async call with this state machine is known for
 * good; 0: it did not wait yet, or its builder is none of the framework's.
 */
static uint32_t asynccall_number(struct control *c, const struct value *machine)
{
	struct value task;

	return stack_call(c->stack, machine, &task) ? asynccall_task(c, &task)
						    : 0;
}

void asynccall_objects(struct control *c, const struct value *machine,
		       struct async_call *ret)
{
	struct values *ts = stack_types(c->stack);
	struct value task;

	*ret = (struct async_call){0};
	// the state machine of optimised code is a structure
	if (machine->type->is_reference)
		value_pointer(ts, machine, &ret->machine);
	if (stack_call(c->stack, machine, &task))
		value_pointer(ts, &task, &ret->task);
}

bool asynccall_has(const struct async_call *call, uint64_t addr)
{
	return addr && (addr == call->task || addr == call->machine);
}

/*
 * Get the state machine and the number of the async call that the newest frame
 * of @tid runs; false: it runs none.
 */
static bool asynccall_of(struct control *c, pid_t tid,
			 struct value *ret_machine, uint32_t *ret_number)
{
	struct dbg_error *err;
	const struct frame *f = NULL;

	err = stack_frame(c->stack, stack_thread_number(c->stack, tid), 0, &f);
	if (dbg_err_drop(err) || !f || !stack_machine(c->stack, f, ret_machine))
		return false;
	*ret_number = asynccall_number(c, ret_machine);
	return true;
}

bool asynccall_hands_on(const struct code_pos *pos)
{
	const struct md *md = &pos->module->md;
	const uint32_t rid = MD_TOKEN_RID(pos->token);
	_cleanup_str_ struct str name = {0};
	struct sig_method *sig;

	if (md_col(md, MD_METHODDEF, rid, METHOD_IMPL_FLAGS) & METHOD_IS_ASYNC)
		return false;
	struct arena *arena = arena_create();
	if (!dbg_err_drop(sig_parse_method(
		md_col_blob(md, MD_METHODDEF, rid, METHOD_SIGNATURE), arena,
		&sig)))
		csname_sig(md, sig->ret, 0, NULL, &name);
	arena_destroy(arena);
	return str_starts(str_get(&name), "System.Threading.Tasks.Task") ||
	       str_starts(str_get(&name), "System.Threading.Tasks.ValueTask") ||
	       !strcmp(str_get(&name), "object");
}

/* ---- Steps in async methods ---------------------------------------------- */

enum {
	YIELD_MAX = 512, /* bytes of code from a yield to its return */
	FRAMES_MAX = 2000,
};

struct dbg_error *stepasync_plan(struct control *c, const struct code_pos *pos,
				 uint64_t pc, const struct activation *frame)
{
	struct dbg_error *err = NULL;
	const struct step_site site = {.role = STEP_AT_YIELD, .frame = *frame};
	struct arena *arena = arena_create();
	struct pdb_await *awaits;
	size_t n;

	stepchain_plan(c, pc, frame);
	stepresume_awaits(pos, arena, &awaits, &n);
	for (size_t i = 0; !err && i < n; i++) {
		const struct code_place place = {
		    .module = pos->module,
		    .token = pos->token,
		    .version = pos->version,
		    .il_offset = awaits[i].yield_offset,
		};

		err = stepresume_place(c, &place, pc, &site);
	}
	arena_destroy(arena);
	return err;
}

/* ---- Out of the method ----------------------------------------------- */

/* A search for the nearest awaiting call that is user code. */
struct nearest {
	struct control *c;
	const struct frame *found;
	bool any;
};

static void take_nearest(void *arg, struct frame *f)
{
	struct nearest *nearest = arg;

	nearest->any = true;
	if (!nearest->found && f->pos &&
	    mycode_is_user(nearest->c, f->pos->module, f->pos->token))
		nearest->found = f;
}

const struct frame *stepasync_awaiter(struct control *c, const struct frame *f)
{
	struct nearest nearest = {.c = c};

	stack_waiters(c->stack, f, take_nearest, &nearest);
	c->plan.foreign |= nearest.any && !nearest.found;
	return nearest.found;
}

/* Add all resume points of the awaiting method, in @f's frame of it. */
static struct dbg_error *plan_waiter(struct control *c, const struct frame *f)
{
	return stepresume_add(c, f->pos, NULL, STEP_AT_WAITER);
}

struct dbg_error *stepasync_waits(struct control *c, const struct frame *f)
{
	struct step_plan *p = &c->plan;

	p->waiter = asynccall_number(c, f->machine);
	if (!p->waiter)
		p->waiter = CALL_UNNUMBERED;
	return plan_waiter(c, f);
}

static bool is_iterator(struct control *c, const struct value *machine)
{
	return value_type_field(stack_types(c->stack), machine->type,
				"<>v__promiseOfValueOrEnd");
}

struct dbg_error *stepasync_plan_end(struct control *c, const struct frame *f,
				     bool *ret_returns)
{
	struct step_plan *p = &c->plan;
	struct value machine, task;
	struct async_call call;
	struct dbg_error *err;
	bool any;

	*ret_returns = true;
	err = stepchain_plan_end(c, f, &any, ret_returns);
	if (err || any || !stack_machine(c->stack, f, &machine) ||
	    !stack_call(c->stack, &machine, &task))
		return err;
	const struct frame *awaiter = stepasync_awaiter(c, f);
	if (awaiter && awaiter->machine)
		err = stepasync_waits(c, awaiter);
	// its consumer may have called an iterator, which then returns to it
	*ret_returns = !p->waiter && is_iterator(c, &machine);
	if (!*ret_returns)
		p->own = asynccall_number(c, &machine);
	if (err || p->waiter)
		return err;
	if (awaiter && awaiter->continuation) {
		*ret_returns = false;
		p->own = asynccall_number(c, &machine);
		return stepchain_waiter(c, awaiter);
	}
	asynccall_objects(c, &machine, &call);
	return stepwait_plan(c, &call);
}

// Is it the program's Main? Only the runtime waits for its task.
static bool is_main(struct control *c, const struct code_pos *pos)
{
	struct code_place main;

	if (!entry_place(c, &main) || main.module != pos->module)
		return false;
	return main.token == pos->token ||
	       code_move_next(c->code, pos->module, main.token) == pos->token;
}

struct dbg_error *stepasync_plan_last(struct control *c, const struct frame *f,
				      const struct activation *frame)
{
	struct step_plan *p = &c->plan;
	const struct code_point *points;
	uint32_t last = 0;
	size_t n;

	if (p->step.run_on && is_main(c, f->pos))
		return NULL;
	struct dbg_error *err = code_points(c->code, f->raw.ip, &points, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (points[i].point.line && points[i].point.il_offset > last)
			last = points[i].point.il_offset;
	for (size_t i = 0; i < n; i++) {
		if (!last || points[i].point.il_offset != last ||
		    points[i].addr == f->raw.ip)
			continue;
		step_add(p, points[i].addr, STEP_AT_LAST, frame);
	}
	return NULL;
}

struct dbg_error *stepasync_last(struct control *c, const struct step_hit *hit,
				 bool *ret_done)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	const struct frame *f = NULL;
	bool returns;

	err = control_halt(c);
	if (!err)
		err = stack_frame(
		    c->stack, stack_thread_number(c->stack, hit->tid), 0, &f);
	if (!err && f)
		err = stepasync_plan_end(c, f, &returns);
	if (err)
		return err;
	if (step_is_awaited(p))
		return step_arm(c);
	p->note =
	    p->foreign
		? "no code of yours awaits this call: its last line is here"
		: "nothing awaits this call yet: its last line is here";
	*ret_done = true;
	return NULL;
}

/*
 * Is what is stepped, at @pos, the last of the method, or code without lines of
 * own? A line may go on behind others: the end of an `await using`.
 */
static bool is_last(struct control *c, const struct code_pos *pos, uint64_t pc)
{
	const struct code_point *points;
	size_t n = 0;
	struct dbg_error *err = code_points(c->code, pc, &points, &n);

	if (dbg_err_drop(err))
		return true;
	for (size_t i = 0; i < n; i++)
		if (points[i].point.line &&
		    points[i].point.il_offset > pos->point.il_offset &&
		    !step_same_spot(&c->plan, &points[i].point))
			return pos->module->optimized;
	return true;
}

bool stepasync_may_end(struct control *c, const struct frame *f)
{
	const struct code_pos *pos = f->pos;
	struct value machine;

	if (stepchain_runs(c, f))
		return is_last(c, pos, f->raw.ip);
	if (!pos || !pos->module || !pos->module->pdb ||
	    !pdb_kickoff_of(pos->module->pdb, MD_TOKEN_RID(pos->token)) ||
	    !stack_machine(c->stack, f, &machine))
		return false;
	// an async iterator leaves with every element
	return is_last(c, pos, f->raw.ip) || is_iterator(c, &machine);
}

struct dbg_error *stepasync_own(struct control *c, pid_t tid, bool *ret_own)
{
	struct dbg_error *err;
	struct value machine;
	uint32_t number;

	*ret_own = true;
	if (!c->plan.own && !c->plan.own_chain.task)
		return NULL;
	err = control_halt(c);
	if (!err && c->plan.own_chain.task) {
		*ret_own = stepchain_own(c, tid);
		return NULL;
	}
	if (!err && asynccall_of(c, tid, &machine, &number))
		*ret_own = number == c->plan.own;
	return err;
}

/* ---- Over await ------------------------------------------------------ */

/* Find the await whose yield is at @il_offset, or just before it. */
static const struct pdb_await *find_await(const struct pdb_await *awaits,
					  size_t n, uint32_t il_offset)
{
	const struct pdb_await *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (awaits[i].yield_offset <= il_offset &&
		    (!found || awaits[i].yield_offset > found->yield_offset))
			found = &awaits[i];
	return found;
}

static bool goes_on_at(const struct step_plan *p, uint64_t addr)
{
	return step_has(p, addr, STEP_AT_RESUME) ||
	       step_has(p, addr, STEP_AT_WAITER);
}

/*
 * Add sites behind the calls that follow the yield at @addr: there is a task
 * then.
 */
static void add_tasks(struct control *c, uint64_t addr)
{
	struct step_plan *p = &c->plan;
	uint8_t code[YIELD_MAX];
	size_t n = target_read_some(c->target, addr, code, sizeof(code));
	struct insn insn;

	for (size_t off = 0; off < n; off += insn.size) {
		if (!insn_decode(code + off, n - off, addr + off, &insn) ||
		    goes_on_at(p, addr + off))
			break;
		uint64_t next = addr + off + insn.size;

		if (insn.kind == INSN_CALL && !goes_on_at(p, next))
			step_add(p, next, STEP_AT_TASK, NULL);
	}
}

struct dbg_error *stepasync_yield(struct control *c, const struct step_hit *hit,
				  bool *ret_done)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct arena *arena;
	struct pdb_await *awaits;
	const struct pdb_await *await;
	const struct code_pos *pos;
	size_t n;
	bool any;

	(void)ret_done;
	err = control_halt(c);
	if (!err)
		err = code_pos_at(c->code, hit->site.addr, true, &pos, &any);
	if (err || !any || !pos->module)
		return err;

	struct value machine = {0};
	uint32_t number = 0;

	if (!asynccall_of(c, hit->tid, &machine, &number))
		machine.type = NULL;
	step_lift(c);
	p->suspended = (struct suspended){
	    .tid = hit->tid,
	    .sp = hit->site.frame.sp,
	    .number = number,
	    .type = machine.type,
	    .machine = machine.addr,
	};
	p->tid = 0;
	p->phase = STEP_AWAITING;
	arena = arena_create();
	stepresume_awaits(pos, arena, &awaits, &n);
	await = find_await(awaits, n, pos->il_offset);
	if (await)
		err = stepresume_add(c, pos, await, STEP_AT_RESUME);
	arena_destroy(arena);
	if (!err && !number)
		add_tasks(c, hit->site.addr);
	return err ? err : step_arm(c);
}

/*
 * The frame of the suspended call, if its thread has not returned from it yet.
 */
static const struct frame *suspended_frame(struct control *c)
{
	const struct suspended *s = &c->plan.suspended;
	const struct frame *f = NULL;

	for (uint32_t i = 0; s->tid && i < FRAMES_MAX; i++) {
		struct dbg_error *err = stack_frame(
		    c->stack, stack_thread_number(c->stack, s->tid), i, &f);

		if (dbg_err_drop(err) || !f || f->raw.sp >= s->sp)
			break;
	}
	return f && f->raw.sp == s->sp ? f : NULL;
}

/* Look for the number of the suspended call, while it is not known. */
static void find_number(struct control *c)
{
	struct suspended *s = &c->plan.suspended;
	const struct frame *f = s->number ? NULL : suspended_frame(c);
	struct value machine;

	// a structure stays where it is while its frame, or its caller's, is
	if (!f || !s->type)
		return;
	if (!stack_machine(c->stack, f, &machine)) {
		if (s->type->is_reference)
			return;
		machine = value_memory(s->type, s->machine);
	}
	s->number = asynccall_number(c, &machine);
}

struct dbg_error *stepasync_resume(struct control *c,
				   const struct step_hit *hit, bool *ret_done)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct value machine;
	uint32_t number = 0;

	(void)ret_done;
	err = control_halt(c);
	if (err)
		return err;
	find_number(c);
	// A custom AsyncMethodBuilder has no task id to know the call by:
	// accept the first resumption.
	if (p->suspended.number &&
	    asynccall_of(c, hit->tid, &machine, &number) &&
	    number != p->suspended.number)
		return NULL;
	step_lift(c);
	p->tid = hit->tid;
	return step_go_on(c);
}

/*
 * The suspended call has begun to wait: find what the step may have waited for.
 */
static struct dbg_error *find_waiter(struct control *c)
{
	struct step_plan *p = &c->plan;
	struct dbg_error *err = control_halt(c);

	if (err || p->waiter)
		return err;
	find_number(c);
	p->waiter = p->suspended.number;
	return NULL;
}

struct dbg_error *stepasync_task(struct control *c, const struct step_hit *hit,
				 bool *ret_done)
{
	(void)hit, (void)ret_done;
	return c->plan.suspended.number ? NULL : find_waiter(c);
}

struct dbg_error *stepasync_waiter(struct control *c,
				   const struct step_hit *hit, bool *ret_done)
{
	struct dbg_error *err;
	const struct step_plan *p = &c->plan;
	struct value machine;
	uint32_t number;

	if (!step_is_awaited(p))
		return NULL;
	err = find_waiter(c);
	// A custom AsyncMethodBuilder has no task id to know the call by:
	// accept the first resumption.
	if (!err && asynccall_of(c, hit->tid, &machine, &number))
		*ret_done = !p->waiter || number == p->waiter ||
			    (!number && p->waiter == CALL_UNNUMBERED);
	return err;
}

/* ---- Who is about to await ------------------------------------------- */

/* Find the next await in the statement at @pos, or the one under way. */
static const struct pdb_await *await_ahead(struct control *c,
					   const struct code_pos *pos,
					   const struct pdb_await *awaits,
					   size_t n)
{
	const struct pdb_await *found = NULL;
	struct code_pos yield;

	for (size_t i = 0; i < n; i++)
		if (awaits[i].resume_offset > pos->il_offset &&
		    (!found || awaits[i].yield_offset < found->yield_offset))
			found = &awaits[i];
	if (!found || pos->il_offset == UINT32_MAX)
		return NULL;
	code_pos_of(c->code, pos->module, pos->token, found->yield_offset,
		    &yield);
	return yield.point.il_offset == pos->point.il_offset ? found : NULL;
}

/* Add traps where @f continues if it need not wait at @await. */
static struct dbg_error *add_joins(struct control *c, const struct frame *f,
				   const struct pdb_await *await)
{
	const struct step_site site = {.role = STEP_AT_JOIN,
				       .frame.sp = f->raw.sp};
	const struct code_place place = {
	    .module = f->pos->module,
	    .token = f->pos->token,
	    .version = f->pos->version,
	    .il_offset = code_await_join(f->pos->module, f->pos->token, await),
	};

	return place.il_offset == UINT32_MAX
		   ? NULL
		   : stepresume_place(c, &place, f->raw.ip, &site);
}

/* Add sites behind the calls by which @f begins to wait at @await. */
static struct dbg_error *add_waits(struct control *c, const struct frame *f,
				   const struct pdb_await *await)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	const struct code_place place = {
	    .module = f->pos->module,
	    .token = f->pos->token,
	    .version = f->pos->version,
	    .il_offset = await->yield_offset,
	};
	uint64_t *addrs;
	size_t n;

	err = code_addresses(c->code, &place, f->raw.ip, arena, &addrs, &n);
	for (size_t i = 0; !err && i < n; i++)
		add_tasks(c, addrs[i]);
	arena_destroy(arena);
	return err;
}

static struct dbg_error *plan_held(struct control *c, const struct frame *f,
				   const struct pdb_await *awaits, size_t n,
				   const struct async_call *call)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct async_call own;
	struct value machine;

	if (!stack_machine(c->stack, f, &machine))
		return NULL;
	asynccall_objects(c, &machine, &own);
	if (own.task == call->task)
		return NULL;
	p->suspended = (struct suspended){
	    .tid = f->tid,
	    .sp = f->raw.sp,
	    .number = asynccall_number(c, &machine),
	    .type = machine.type,
	    .machine = machine.addr,
	};
	p->waiter = p->suspended.number;
	err = plan_waiter(c, f);
	for (size_t i = 0; !err && i < n; i++) {
		if (!p->waiter)
			err = add_waits(c, f, &awaits[i]);
		if (!err)
			err = add_joins(c, f, &awaits[i]);
	}
	return err;
}

struct dbg_error *stepasync_plan_held(struct control *c, const struct frame *f,
				      const struct async_call *call, bool later)
{
	struct dbg_error *err = NULL;
	struct arena *arena = arena_create();
	struct pdb_await *awaits;
	const struct pdb_await *await;
	size_t n;

	stepresume_awaits(f->pos, arena, &awaits, &n);
	await = later ? NULL : await_ahead(c, f->pos, awaits, n);
	if (await)
		err = plan_held(c, f, await, 1, call);
	else if (later && n)
		err = plan_held(c, f, awaits, n, call);
	arena_destroy(arena);
	return err;
}
