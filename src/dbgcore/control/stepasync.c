/*
 * Steps over `await`. The method returns to its caller at the yield of an
 * await that has to wait, and goes on later, often in another thread, at the
 * resume point of the same await (both are in the PDB). A trap at the yields
 * sees the step leave; then all other traps of the plan are lifted and the
 * resume point is armed. There the step goes on as if it had never left,
 * from the line it began at.
 *
 * Many calls of the method may wait at one await: the state machine tells
 * them apart, by its address. A collection may have moved it meanwhile. Then
 * what was left at the old address does not hang together any more: a state
 * machine refers to its task, and the task to it or contains it, but of what
 * was moved only the new place is referred to (the collector renews the
 * references in objects before it moves these). After that the first to
 * resume is taken for ours; so it is where optimised code waits for the
 * first time, until when the state machine is on the stack.
 */
#include "control/control_priv.h"

#include <string.h>

#include "base/err.h"

static bool begins_at(struct control *c, uint64_t addr, uint32_t il_offset)
{
	const struct code_pos *pos;
	bool any = false;
	struct dbg_error *err = code_pos_at(c->code, addr, true, &pos, &any);

	dbg_error_destroy(err);
	return !err && any && pos->il_offset != UINT32_MAX &&
	       pos->il_offset >= il_offset;
}

/* Traps of IL offset @il_offset in the code at @ip. */
static struct dbg_error *add_offset(struct control *c,
				    const struct code_pos *pos,
				    uint32_t il_offset, uint64_t ip, bool yield)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct arena *arena = arena_create();
	const struct code_place place = {
	    .module = pos->module,
	    .token = pos->token,
	    .il_offset = il_offset,
	};
	uint64_t *addrs;
	size_t n;

	err = code_addresses(c->code, &place, ip, arena, &addrs, &n);
	for (size_t i = 0; !err && i < n; i++) {
		// of optimised code it may be the statement before
		if (!begins_at(c, addrs[i], il_offset))
			continue;
		step_add_site(p, addrs[i]);
		if (yield)
			addrs_add(&p->yields, &p->n_yields, &p->cap_yields,
				  addrs[i]);
	}
	arena_destroy(arena);
	return err;
}

struct dbg_error *stepasync_plan(struct control *c, const struct code_pos *pos,
				 uint64_t pc)
{
	struct dbg_error *err = NULL;
	struct arena *arena;
	struct pdb_await *awaits;
	size_t n;

	if (!pos->module || !pos->module->pdb)
		return NULL;
	arena = arena_create();
	pdb_awaits(pos->module->pdb, MD_TOKEN_RID(pos->token), arena, &awaits,
		   &n);
	for (size_t i = 0; !err && i < n; i++)
		err = add_offset(c, pos, awaits[i].yield_offset, pc, true);
	arena_destroy(arena);
	return err;
}

/* What tells this call of the async method from others; 0: unknown. */
static uint64_t state_machine(struct control *c, pid_t tid)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	const struct frame *f = NULL;
	struct dac_var *vars;
	size_t n = 0;
	uint64_t addr = 0;

	err = stack_frame(c->stack, stack_thread_number(c->stack, tid), 0, &f);
	if (!err && f)
		err = dac_frame_vars(c->dac, tid, &f->raw, true, arena, &vars,
				     &n);
	if (!err && n && vars[0].present) {
		if (vars[0].type)
			addr = vars[0].addr; // a struct, optimised: its place
		else if (vars[0].in_register)
			memcpy(&addr, vars[0].bytes, sizeof(addr));
		else
			err = target_read_u64(c->target, vars[0].addr, &addr);
	}
	arena_destroy(arena);
	if (!err)
		return addr;
	dbg_error_destroy(err);
	return 0;
}

enum {
	MACHINE_WORDS = 64, /* read of a state machine */
	TASK_WORDS = 32,    /* ... of a task */
	/* a struct's place in its task, from the task's beginning */
	INSIDE_MIN = 0x40,
	INSIDE_MAX = 0x80,
};

/* Does @task, as a state machine refers to it, refer to @machine? */
static bool refers_back(struct control *c, uint64_t task, uint64_t machine)
{
	uint64_t words[TASK_WORDS];
	size_t n;

	if (task % sizeof(task) || task < sizeof(task) || task == machine)
		return false;
	if (machine >= task + INSIDE_MIN && machine <= task + INSIDE_MAX)
		return true;
	n = target_read_some(c->target, task, words, sizeof(words));
	for (size_t i = 0; i < n / sizeof(*words); i++)
		if (words[i] == machine)
			return true;
	return false;
}

/* Is the state machine at @machine still there? */
static bool hangs_together(struct control *c, uint64_t machine)
{
	uint64_t words[MACHINE_WORDS];
	size_t n = target_read_some(c->target, machine, words, sizeof(words));

	for (size_t i = 0; i < n / sizeof(*words); i++)
		if (refers_back(c, words[i], machine))
			return true;
	return false;
}

static bool is_ours(struct control *c, uint64_t machine)
{
	const struct step_plan *p = &c->plan;

	return !p->machine || !machine || machine == p->machine ||
	       !hangs_together(c, p->machine);
}

/* The await whose yield is at @il_offset, or just before it. */
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

/* Trap the resume point in all code the method has. */
static struct dbg_error *
arm_resume(struct control *c, const struct code_pos *pos, uint32_t il_offset)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	uint64_t *codes;
	size_t n;

	err = dac_method_codes(c->dac, pos->module->addr, pos->token, arena,
			       &codes, &n);
	for (size_t i = 0; !err && i < n; i++)
		err = add_offset(c, pos, il_offset, codes[i], false);
	arena_destroy(arena);
	return err ? err : step_arm(c);
}

struct dbg_error *stepasync_yield(struct control *c, uint64_t addr)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct dbg_step step = p->step;
	const struct code_pos *pos;
	struct arena *arena;
	struct pdb_await *awaits;
	const struct pdb_await *await;
	size_t n;
	bool any;

	err = control_halt(c);
	if (!err)
		err = code_pos_at(c->code, addr, true, &pos, &any);
	if (err || !any || !pos->module)
		return err;
	p->machine = state_machine(c, p->tid);
	step_clear(c);
	p->step = step;
	p->tid = 0;
	p->phase = STEP_AWAITING;
	arena = arena_create();
	pdb_awaits(pos->module->pdb, MD_TOKEN_RID(pos->token), arena, &awaits,
		   &n);
	await = find_await(awaits, n, pos->il_offset);
	err = await ? arm_resume(c, pos, await->resume_offset) : NULL;
	arena_destroy(arena);
	return err;
}

struct dbg_error *stepasync_resume(struct control *c, pid_t tid, bool *ret_done)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct dbg_step step = p->step;

	err = control_halt(c);
	if (err || !is_ours(c, state_machine(c, tid)))
		return err;
	step_clear(c);
	p->step = step;
	p->tid = tid;
	return step_go_on(c, ret_done);
}
