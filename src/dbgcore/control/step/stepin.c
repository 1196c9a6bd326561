/*
 * Stepping into calls. At a call of the stepped line the thread alone is
 * stepped, instruction by instruction, through whatever stubs stand between
 * the call and the method's code: precodes, virtual and interface dispatch,
 * delegate thunks, tail jumps. Where a stub enters the runtime itself (to
 * compile the method or to resolve the dispatch) all threads run, until the
 * runtime's assembly helper leaves by its closing jump through a register,
 * which is found by disassembling the helper from where it was entered.
 */
#include "control/control_priv.h"
#include "control/jit/jit.h"
#include "control/step/step.h"
#include "control/step/steps.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"

/* ---- Sees user code entered from code that is not stepped ---------------- */

/*
 * A lambda given to the framework, an override that it calls.
 *
 * Code compiled for debugging begins with a probe for in-process debuggers: if
 * a flag in its Module is set, it calls a helper of the runtime, which does
 * nothing unless such a debugger is there. The addresses of the flag and the
 * helper are read from the probe of the method that is stepped. While a step
 * goes through framework code, the flags of all modules built for debugging are
 * set and the helper has a trap: each of their methods that is entered,
 * compiled before or just now, passes it.
 *
 * Other threads hit the helper as well. If they do so too often, the step gives
 * up the probes: it may then miss a callback.
 */

enum {
	PROLOG_MAX = 512,
	STRANGERS_MAX = 2000,
	WALK_MAX = 2000,
};

static struct dbg_error *stepin_enter(struct control *c, uint64_t ip);

/* Find the probe in the prolog of the method at @ip, which is of @m. */
static bool probe_find(struct control *c, const struct code_module *m,
		       uint64_t ip, struct probe *ret)
{
	struct dac_code dc;
	uint8_t code[PROLOG_MAX];
	size_t n = 0;
	struct dbg_error *err = dac_code_at(c->dac, ip, &dc);

	if (!err && dc.method)
		n = target_read_some(c->target, dc.start, code,
				     dc.size < PROLOG_MAX ? dc.size
							  : PROLOG_MAX);
	dbg_error_destroy(err);
	return probe_decode(code, n, dc.start, m->addr, ret);
}

bool probe_has(struct control *c, const struct code_module *m, uint64_t ip)
{
	struct probe probe;

	return m && probe_find(c, m, ip, &probe);
}

/*
 * Set or reset the flags of all modules that have probes. A flag that cannot
 * be reset is gone with the memory of a program that ends.
 */
static void set_flags(struct control *c, uint32_t value)
{
	struct dbg_error *err;
	size_t n;
	struct code_module *const *modules = code_modules(c->code, &n);

	for (size_t i = 0; i < n; i++) {
		if (!modules[i]->pdb || modules[i]->optimized)
			continue;
		err = target_write_undone(c->target,
					  modules[i]->addr + c->probe.offset,
					  &value, sizeof(value));
		if (value)
			control_warn(c, err);
		else
			dbg_error_destroy(err);
	}
}

struct dbg_error *probe_arm(struct control *c)
{
	struct probe *probe = &c->probe;
	const struct step_plan *p = &c->plan;

	if (probe->armed || !p->home)
		return NULL;
	if (!probe->helper && !probe_find(c, p->home, p->home_pc, probe))
		return NULL;
	probe->armed = true;
	probe->strangers = 0;
	set_flags(c, 1);
	return control_site_add(c, SITE_STEP, &probe->helper, 1);
}

void probe_disarm(struct control *c)
{
	struct probe *probe = &c->probe;

	if (!probe->armed)
		return;
	probe->armed = false;
	if (!c->target)
		return;
	set_flags(c, 0);
	control_warn(c, control_site_remove(c, SITE_STEP, &probe->helper, 1));
}

void probe_reset(struct control *c)
{
	memset(&c->probe, 0, sizeof(c->probe));
}

/*
 * Is the newest method called by one that a step passes whole: a static
 * constructor, an accessor?
 */
static bool is_inside_passed(struct control *c)
{
	const struct step_plan *p = &c->plan;
	uint32_t thread = stack_thread_number(c->stack, p->tid);

	for (uint32_t level = 0; level < WALK_MAX; level++) {
		const struct frame *f = NULL;
		struct dbg_error *err =
		    stack_frame(c->stack, thread, level, &f);

		if (dbg_err_drop(err) || !f || f->raw.sp >= p->frame.sp)
			return false;
		if (!f->pos || !f->pos->module)
			continue;

		struct code_module *m = f->pos->module;

		if (code_traits(c->code, m, f->pos->token) & CODE_CCTOR ||
		    mycode_is_passed(c, m, f->pos->token))
			return true;
	}
	return false;
}

struct dbg_error *probe_trap(struct control *c, pid_t tid)
{
	struct dbg_error *err;
	const struct step_plan *p = &c->plan;
	struct regs regs;
	uint64_t ip;

	if (p->tid != tid) {
		if (++c->probe.strangers > STRANGERS_MAX)
			probe_disarm(c);
		return NULL;
	}
	err = target_regs(c->target, tid, &regs);
	if (err || !p->through || regs_sp(&regs) >= p->frame.sp)
		return err;
	err = control_halt(c);
	if (!err)
		err = regs_return_address(&regs, c->target, &ip);
	if (err || is_inside_passed(c))
		return err;
	return stepin_enter(c, ip);
}

/* ---- Stepping into calls ------------------------------------------------- */

enum {
	RESOLVE_STEPS = 3000, /* instructions stepped for one call */
	SCAN_MAX = 1 << 16,   /* bytes of one line's code */
	RUNNER_MAX = 64,      /* frames from a closure to what runs its task */
};

struct dbg_error *stepin_scan(struct control *c, uint64_t start, uint64_t end)
{
	struct step_plan *p = &c->plan;

	if (end <= start || end - start > SCAN_MAX)
		return NULL;

	size_t size = (size_t)(end - start);
	_cleanup_free_ uint8_t *code = xmalloc(size);
	size_t n = target_read_some(c->target, start, code, size);
	struct insn insn;

	for (size_t off = 0; off < n; off += insn.size) {
		if (!insn_decode(code + off, n - off, start + off, &insn))
			break;
		if (insn.kind != INSN_CALL || !target_may_be(c, start + off))
			continue;
		step_add(p, start + off, STEP_AT_CALL, NULL);
	}
	return NULL;
}

/*
 * The runtime's helper was left, by its exit or otherwise: lift the trap there.
 */
static struct dbg_error *forget_exit(struct control *c)
{
	c->plan.phase = STEP_RUNNING;
	return step_drop(c, STEP_AT_STUB);
}

static void add_entry(struct step_plan *p, uint64_t addr)
{
	step_add(p, addr, STEP_AT_ENTRY,
		 &(struct activation){.sp = p->enter_sp});
}

/* Enter a body that continues where it left off: any line may be the first. */
static struct dbg_error *enter_anywhere(struct control *c,
					struct code_module *m, uint32_t token,
					uint64_t ip)
{
	struct dbg_error *err;
	const struct code_point *points;
	struct code_place first;
	size_t n;

	code_entry(c->code, m, token, &first);
	err = code_points(c->code, ip, &points, &n);
	for (size_t i = 0; !err && i < n; i++)
		if (points[i].point.line &&
		    points[i].point.il_offset >= first.il_offset)
			add_entry(&c->plan, points[i].addr);
	return err ? err : step_arm(c);
}

struct dbg_error *stepin_body(struct control *c, struct code_module *m,
			      uint32_t token, uint64_t ip)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	struct code_place place;
	uint64_t *addrs;
	size_t n;

	code_entry(c->code, m, token, &place);
	err = code_addresses(c->code, &place, ip, arena, &addrs, &n);
	for (size_t i = 0; !err && i < n; i++)
		add_entry(&c->plan, addrs[i]);
	arena_destroy(arena);
	return err ? err : step_arm(c);
}

/* Trap the body of an async method or iterator, wherever it is called. */
static struct dbg_error *enter_body(struct control *c, struct code_module *m,
				    uint32_t token)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct arena *arena = arena_create();
	uint64_t *codes;
	size_t n;

	err = dac_method_codes(c->dac, m->addr, token, arena, &codes, &n);
	for (size_t i = 0; !err && i < n; i++)
		err = stepin_body(c, m, token, codes[i]);
	arena_destroy(arena);
	if (err)
		return err;
	return step_body_await(c, &p->enter, m, token);
}

/*
 * The step passes code that may call user code: wait for that, if Just My Code
 * or an attribute (@marked) demands it.
 */
static struct dbg_error *go_through(struct control *c, bool marked)
{
	if (!c->rules.just_my_code && !marked)
		return NULL;
	c->plan.through = true;
	return probe_arm(c);
}

/*
 * Is the stepped frame part of an F# `task { }` that FSharp.Core runs? That
 * calls its next part, or resumes the call that awaits it: wait for both until
 * it returns itself.
 */
static struct dbg_error *plan_runner(struct control *c)
{
	struct dbg_error *err = NULL;
	struct step_plan *p = &c->plan;
	uint32_t thread = stack_thread_number(c->stack, p->tid);
	const struct frame *first = NULL, *runner = NULL, *f;

	for (uint32_t level = 1; level < RUNNER_MAX; level++) {
		err = stack_frame(c->stack, thread, level, &f);
		if (err || !f || runner || step_is_user(c, f))
			break;
		if (level == 1)
			first = f;
		if (stack_runs_closures(c->stack, f))
			runner = f;
	}
	if (err || !runner || !f)
		return err;
	p->caller.sp = runner->raw.sp;
	step_add(p, first->raw.ip, STEP_AT_PASSED,
		 &(struct activation){.sp = first->raw.sp});
	step_add(p, f->raw.ip, STEP_AT_LEFT,
		 &(struct activation){.sp = f->raw.sp});
	return NULL;
}

struct dbg_error *stepin_plan_passed(struct control *c)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	const struct frame *f;

	if (p->step.kind != DBG_STEP_IN || !p->return_addr)
		return c->rules.just_my_code ? plan_runner(c) : NULL;
	err =
	    stack_frame(c->stack, stack_thread_number(c->stack, p->tid), 1, &f);
	if (err || !f || !f->pos || f->raw.ip == p->return_addr)
		return err;
	// Emitted code has no module that we know, and no attributes.
	p->finishes = f->pos->module &&
		      code_traits(c->code, f->pos->module, f->pos->token) &
			  CODE_STEP_THROUGH;
	step_add(p, f->raw.ip, STEP_AT_PASSED,
		 &(struct activation){.sp = f->raw.sp});
	return NULL;
}

struct dbg_error *stepin_passed(struct control *c, const struct step_hit *hit,
				bool *ret_done)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;

	(void)hit, (void)ret_done;
	// all that is called from here on, up to the caller of the user's
	p->frame = (struct activation){.sp = p->caller.sp};
	err = control_halt(c);
	if (!err)
		err = step_drop(c, STEP_AT_PASSED);
	return err ? err : go_through(c, false);
}

struct dbg_error *stepin_left(struct control *c, const struct step_hit *hit,
			      bool *ret_done)
{
	(void)hit, (void)ret_done;
	c->plan.through = false;
	probe_disarm(c);
	return NULL;
}

/* The line calls the method @token of @m, whose code is at @ip. */
static struct dbg_error *callee_enter(struct control *c, struct code_module *m,
				      uint32_t token, uint64_t ip)
{
	struct step_plan *p = &c->plan;
	uint32_t body = code_move_next(c->code, m, token);
	bool chosen = p->target.name && !p->through;

	if (chosen ? !target_is(c, m, token) : mycode_is_passed(c, m, token))
		return NULL;
	if (!mycode_is_user(c, m, body ? body : token))
		return go_through(c, code_traits(c->code, m, token) &
					 CODE_STEP_THROUGH);
	if (body)
		return enter_body(c, m, body);
	if (m->pdb && pdb_kickoff_of(m->pdb, MD_TOKEN_RID(token)))
		return enter_anywhere(c, m, token, ip);
	return stepin_body(c, m, token, ip);
}

/* The stepping thread is about to run code at @ip: end in it if wanted. */
static struct dbg_error *stepin_enter(struct control *c, uint64_t ip)
{
	struct dbg_error *err;
	struct dac_method method;
	uint64_t desc = dac_method_at(c->dac, ip);

	if (!desc)
		return NULL;
	err = dac_method_get(c->dac, desc, &method);
	if (err || method.dynamic)
		return err;

	struct code_module *m = code_module_find(c->code, method.module);

	c->plan.enter_sp = c->plan.frame.sp;
	return m ? callee_enter(c, m, method.token, ip) : NULL;
}

/*
 * The step has come to a managed callee: enter it, or plan to pass it; *ret_on:
 * keep stepping instructions.
 */
static struct dbg_error *callee_arrive(struct control *c, uint64_t desc,
				       const struct regs *regs, bool *ret_on)
{
	struct dbg_error *err;
	struct dac_method method;

	*ret_on = false;
	if (regs_sp(regs) >= c->plan.frame.sp)
		return NULL; // back in the stepped frame
	err = dac_method_get(c->dac, desc, &method);
	if (err)
		return err;
	if (!method.dynamic &&
	    code_method_kind(c->code, desc) != CODE_METHOD_STUB)
		return stepin_enter(c, regs_pc(regs));
	// a stub: it may lead to native code, which may call back
	*ret_on = true;
	return go_through(c, false);
}

static bool in_native_image(struct control *c, uint64_t ip)
{
	struct arena *arena = arena_create();
	struct target_image image;
	bool found = false;
	struct dbg_error *err =
	    target_image_at(c->target, ip, arena, &image, NULL, NULL, &found);

	if (err) {
		dbg_error_destroy(err);
		found = false;
	}

	bool native = found && strstr(str_basename(image.path), ".so");

	arena_destroy(arena);
	return native;
}

/*
 * The return address of the call to a helper, if a stub of the runtime has
 * called it (as that of a multicast delegate does); 0: the stepped line itself
 * has.
 */
static uint64_t stub_return(struct control *c, const struct regs *regs)
{
	uint64_t addr;
	struct dbg_error *err;

	if (regs_sp(regs) + sizeof(addr) >= c->plan.frame.sp)
		return 0;
	err = regs_return_address(regs, c->target, &addr);
	if (!err)
		return dac_method_at(c->dac, addr) ? addr : 0;
	dbg_error_destroy(err);
	return 0;
}

/* Let all threads run until the runtime's helper leaves; if its exit is not
 * found, the call is passed. */
static struct dbg_error *run_helper(struct control *c, const struct regs *regs)
{
	struct step_plan *p = &c->plan;
	uint64_t addr = stub_exit(c->target, regs_pc(regs));

	if (!addr)
		addr = stub_return(c, regs);
	if (!addr)
		return NULL;
	p->phase = STEP_RESOLVING;
	step_add(p, addr, STEP_AT_STUB,
		 &(struct activation){.sp = regs_sp(regs)});
	return step_arm(c);
}

/* Step the thread until it is in managed code or inside the runtime. */
static struct dbg_error *call_resolve_target(struct control *c)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	// a helper may leave right to the native code that its stub calls
	const bool within = p->phase == STEP_RESOLVING && p->through;

	p->through = false;
	err = forget_exit(c);
	if (err)
		return err;
	for (int i = 0; i < RESOLVE_STEPS; i++) {
		struct regs regs;
		bool stepped, on;

		err = target_thread_step(c->target, p->tid, true, &stepped);
		if (err || !stepped)
			return err;
		err = target_regs(c->target, p->tid, &regs);
		if (err)
			return err;

		uint64_t desc = dac_method_at(c->dac, regs_pc(&regs));

		if (desc) {
			err = callee_arrive(c, desc, &regs, &on);
			if (err || !on)
				return err;
		} else if (in_native_image(c, regs_pc(&regs))) {
			p->through |= within;
			return run_helper(c, &regs);
		}
	}
	return NULL;
}

struct dbg_error *stepin_resolve(struct control *c)
{
	const struct target_hit none = {0};
	struct dbg_error *err = control_halt(c);

	if (!err)
		err = call_resolve_target(c);
	// a stub may have led right to a trap: to the next line, behind the
	// call of a write barrier; to the first line of code without a prolog
	if (!err)
		target_hit_give(c->target, c->plan.tid, &none);
	return err;
}
