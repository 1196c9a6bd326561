/*
 * The running program: owner of breakpoints, steps, watchpoints and
 * catchpoints, and of everything that is armed for them. control_runtime()
 * takes a runtime over when it is up; notifications (modules, code) keep the
 * bindings up to date; control_judge() decides for each event of the target
 * whether the user is to see a stop. It tells its session by struct control_ops
 * only.
 */
#include "control/control.h"
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/debugger.h"
#include "control/exception/catcher.h"
#include "control/exception/exceptions.h"
#include "control/jit/jit.h"
#include "control/step/step.h"
#include "control/step/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "dac/asyncmethod.h"
#include "inspect/fault.h"

static void spawn_trap_hit(struct control *c, pid_t tid, uint64_t addr);

/* ---- Loads of assemblies --------------------------------------------- */

/*
 * Loads of assemblies from bytes. The runtime tells of one before it takes the
 * PDB given with it: that is there when the managed code that called the
 * runtime returns. (Precompiled code tells where it prepared its call, not from
 * where.)
 */

/* @tid is loading an assembly: look for symbols when the load returns. */
static struct dbg_error *load_await(struct control *c, pid_t tid)
{
	const struct frame *f = NULL;
	struct dbg_error *err =
	    stack_frame(c->stack, stack_thread_number(c->stack, tid), 1, &f);

	if (err || !f || f->kind == DBG_FRAME_NATIVE)
		return err;
	return thread_trap_add(c, &c->loads, SITE_LOAD,
			       &(struct thread_trap){tid, f->raw.ip});
}

/*
 * Handle a thread at the return address of a load: the assembly is loaded now.
 */
static struct dbg_error *load_returned(struct control *c, pid_t tid,
				       uint64_t addr)
{
	struct dbg_error *err = control_halt(c);
	struct code_module *const *modules;
	size_t n;

	if (err || !thread_trap_take(c, &c->loads, SITE_LOAD,
				     &(struct thread_trap){tid, addr}))
		return err;
	modules = code_modules(c->code, &n);
	for (size_t i = 0; i < n; i++) {
		if (!code_module_symbols(c->code, modules[i]))
			continue;
		for (size_t j = 0; j < c->n_bps; j++) {
			bind_forget(c, c->bps[j], modules[i]);
			if (bind_module(c, c->bps[j], modules[i]) &&
			    bp_is_users(c->bps[j]))
				c->ops->changed(c->arg, c->bps[j]->number,
						false);
		}
	}
	return NULL;
}

/* ---- Control --------------------------------------------------------- */

struct control *control_create(struct inspect *in,
			       const struct control_ops *ops, void *arg)
{
	struct control *c = xcalloc(1, sizeof(*c));

	c->inspect = in;
	c->ops = ops;
	c->arg = arg;
	c->rules = (struct step_rules){
	    .just_my_code = true,
	    .over_properties = true,
	};
	return c;
}

void control_destroy(struct control *c)
{
	if (!c)
		return;
	// first: nobody is told any more of those that end with the run
	bp_destroy_all(c);
	control_end_run(c);
	free(c->plan.sites);
	free(c->loads.v);
	free(c->catches.v);
	target_forget(c);
	skip_reset(c);
	map_deinit(&c->sites);
	map_deinit(&c->hits);
	map_deinit(&c->waits.methods);
	map_deinit(&c->entry_traps.codes);
	free(c->entry_traps.fresh);
	map_deinit(&c->waits.bodies);
	map_deinit(&c->waits.compiling);
	map_deinit(&c->throws.passed);
	free(c);
}

struct dbg_error *control_halt(struct control *c)
{
	struct dbg_error *err = NULL;

	if (!target_all_stopped(c->target))
		err = target_stop_all(c->target);
	if (!err)
		inspect_stop(c->inspect);
	return err;
}

void control_warn(struct control *c, struct dbg_error *err)
{
	if (!err)
		return;
	if (!target_dying(c->target))
		c->ops->message(c->arg, 0, err->message);
	dbg_error_destroy(err);
}

void control_catch(struct control *c, enum catch_user who, bool on)
{
	unsigned int old = c->catch_users;
	struct dbg_error *err;

	c->catch_users = on ? old | who : old & ~(unsigned int)who;
	if (!c->dac)
		c->catch_users = 0;
	if (!c->catch_users == !old || !c->dac)
		return;
	err = dac_notify_catch(c->dac, on);
	// its end fails only in a program that is ending
	if (on)
		control_warn(c, err);
	else
		dbg_error_destroy(err);
}

/* ---- Runs ------------------------------------------------------------ */

void control_files(struct control *c, struct code *code)
{
	bp_unbind_all(c);
	c->code = code;
	for (size_t i = 0; code && i < c->n_bps; i++)
		bind_all(c, c->bps[i]);
}

void control_begin_run(struct control *c)
{
	c->target = c->inspect->target;
	c->stack = c->inspect->stack;
}

void control_tell_unmatched(struct control *c)
{
	for (size_t i = 0; c->code && i < c->n_bps; i++) {
		const struct bp *bp = c->bps[i];

		if (bp->kind != DBG_BREAK_REGEX || bp->n_places)
			continue;
		_cleanup_free_ char *text =
		    xasprintf("breakpoint %u: no method matched '%s'",
			      bp->number, bp->text);
		c->ops->message(c->arg, 0, text);
	}
}

void control_end_run(struct control *c)
{
	c->target = NULL; // nothing to lift any more
	c->dac = NULL;
	c->plan.n_sites = 0;
	c->loads.n = 0;
	c->catches.n = 0;
	c->spawns.n = 0;
	call_reset(c);
	c->catch_users = 0;
	step_clear(c);
	watch_end_run(c);
	sites_forget(c);
	code_wait_reset(c);
	bp_unbind_all(c);
	throw_trap_reset(c);
	probe_reset(c);
	debugger_reset(c);
	hot_reload_reset(c);
	c->plan.home = NULL;
	c->code = NULL;
	c->stack = NULL;
	c->cxa_throw = 0;
	c->notify_call = 0;
}

void control_leave(struct control *c)
{
	if (!c->dac)
		return;
	step_clear(c);
	thread_traps_forget(c, &c->catches, SITE_CATCH, 0);
	control_catch(c, CATCH_USER_BREAK, false);
	control_warn(c, dac_notify_modules(c->dac, false));
	code_wait_leave(c);
}

struct dbg_error *control_throw_addr(struct control *c, uint64_t *ret)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	struct target_image image;
	bool found;

	err = target_image_find(c->target, "libstdc++.so.6", arena, &image,
				&found);
	if (!err && !found)
		err =
		    dbg_err(DBG_E_RUNTIME, "the program has no libstdc++.so.6");
	if (!err)
		err = target_symbol(c->target, &image, "__cxa_throw", ret);
	if (!err && !*ret)
		err = dbg_err(DBG_E_RUNTIME, "no __cxa_throw in '%s'",
			      image.path);
	arena_destroy(arena);
	return err ? dbg_err_prefix(err, "watching the runtime") : NULL;
}

void control_library_functions(struct control *c, const char *library,
			       const char *name, uint64_t ret[TARGET_OVERLOADS])
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	struct target_image image;
	bool found;

	err = target_image_find(c->target, library, arena, &image, &found);
	if (!err && found)
		err = target_symbol(c->target, &image, name, ret);
	else if (!err && c->dac)
		dac_native_functions(c->dac, name, ret);
	dbg_error_destroy(err);
	arena_destroy(arena);
}

static struct dbg_error *arm_cxa_throw(struct control *c)
{
	struct dbg_error *err = control_throw_addr(c, &c->cxa_throw);

	if (!err)
		err = control_site_add(c, SITE_THROW, &c->cxa_throw, 1);
	if (err || !throw_trap_native(c))
		return err;
	// __cxa_throw is only for those who ask for exceptions
	c->notify_call = dac_notify_call(c->dac);
	if (!c->notify_call)
		return NULL;
	return control_site_add(c, SITE_THROW, &c->notify_call, 1);
}

void control_suppress_optimizations(struct control *c, bool on)
{
	c->unoptimize = on;
}

// Ask the runtime to compile @m without optimisation. Called before any of its
// code is compiled and before breakpoints are bound in it, so that these take
// it for a module built without optimisation.
static void module_unoptimize(struct control *c, struct code_module *m)
{
	bool done = false;

	if (!c->unoptimize || !m->optimized || m->dynamic)
		return;
	struct dbg_error *err = dac_module_unoptimize(c->dac, m->addr, &done);
	if (done) {
		m->optimized = false;
	} else if (!m->framework) {
		_cleanup_free_ char *text =
		    xasprintf("'%s' stays optimized: %s", m->name,
			      err ? err->message
				  : "it was compiled ahead of time; set env "
				    "DOTNET_ReadyToRun=0 has it compiled anew");
		c->ops->message(c->arg, 0, text);
	}
	dbg_error_destroy(err);
}

// Handle a loaded module: report it, and bind the breakpoints that were waiting
// for it.
static void take_module(struct control *c, struct code_module *m)
{
	LOG(target_log(c->target), LOG_CODE,
	    "module %s at 0x%" PRIx64 " loaded", m->name, m->addr);
	c->ops->module(c->arg, m, false);
	for (size_t i = 0; i < c->n_bps; i++)
		if (bind_module(c, c->bps[i], m) && bp_is_users(c->bps[i]))
			c->ops->changed(c->arg, c->bps[i]->number, false);
}

struct dbg_error *control_runtime(struct control *c)
{
	struct dbg_error *err;
	struct code_module *const *modules;
	size_t n;

	c->dac = c->inspect->dac;
	c->code = c->inspect->code;
	modules = code_modules(c->code, &n);
	for (size_t i = 0; i < n; i++)
		take_module(c, modules[i]);
	if (!target_can(c->target, TARGET_RUN))
		return NULL;
	err = dac_notify_modules(c->dac, true);
	if (!err)
		err = arm_cxa_throw(c);
	if (!err)
		err = debugger_runtime(c);
	if (err)
		return err;
	c->watches.gc_count = dac_gc_count(c->dac);
	throw_trap_runtime(c);
	watch_refresh(c);
	return NULL;
}

/* ---- Notifications --------------------------------------------------- */

static struct dbg_error *module_loaded(struct control *c, pid_t tid,
				       uint64_t addr, struct code_module **ret)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	struct dac_module dm;
	struct code_module *m = NULL;

	err = dac_module_get(c->dac, addr, arena, &dm);
	if (!err)
		err = code_module_add(c->code, &dm, &m);
	arena_destroy(arena);
	if (err)
		return err;
	module_unoptimize(c, m);
	take_module(c, m);
	entry_module(c, m);
	watch_refresh(c);
	*ret = m;
	return m->path || m->pdb || m->dynamic ? NULL : load_await(c, tid);
}

static void module_unloaded(struct control *c, struct code_module *m)
{
	uint64_t addr = m->addr;

	LOG(target_log(c->target), LOG_CODE,
	    "module %s at 0x%" PRIx64 " unloaded", m->name, addr);
	for (size_t i = 0; i < c->n_bps; i++)
		bind_forget(c, c->bps[i], m);
	if (c->plan.home == m)
		c->plan.home = NULL;
	call_unloaded(c);
	c->ops->module(c->arg, m, true);
	code_module_remove(c->code, addr);
	dac_forget(c->dac);
	map_clear(&c->throws.passed); // the addresses may come again
}

static struct dbg_error *module_changed(struct control *c, pid_t tid,
					const struct dac_notification *n,
					struct dbg_stop *stop, bool *ret_stops)
{
	bool loaded = n->kind == DAC_NOTIFY_MODULE_LOAD;
	struct dbg_error *err = NULL;
	struct code_module *m = code_module_find(c->code, n->a);

	if (loaded)
		err = module_loaded(c, tid, n->a, &m);
	if (err || !m)
		return err;

	const struct load_event ev = {
	    loaded ? DBG_BREAK_LOAD : DBG_BREAK_UNLOAD, tid, m};

	err = load_catch(c, &ev, stop, ret_stops);
	if (!loaded)
		module_unloaded(c, m);
	return err;
}

static struct dbg_error *code_made(struct control *c, uint64_t desc,
				   uint64_t ip)
{
	struct dbg_error *err;
	struct dac_method method;

	err = dac_method_get(c->dac, desc, &method);
	if (err)
		return err;
	struct code_module *m = code_module_find(c->code, method.module);
	if (!m || dac_async_is_thunk(c->dac, ip))
		return NULL;
	call_code(c, desc, ip);
	throw_trap_code(c, m, method.token, ip);
	step_code(c, m, method.token, ip);
	if (code_wait_find(c, m, method.token))
		bind_code(c, m, method.token, ip);
	return NULL;
}

void control_notification(struct control *c, const struct regs *regs,
			  struct dac_notification *ret)
{
	if (regs_pc(regs) == c->notify_call)
		dac_notification_called(c->target, regs, ret);
	else
		dac_notification_decode(c->target, regs, ret);
}

static void catch_entered(struct control *c, pid_t tid,
			  const struct dac_notification *n)
{
	bool steps = c->plan.phase != STEP_NONE && c->plan.tid == tid;
	bool watches = c->catch_users & CATCH_USER_WATCH;
	bool breaks = c->catch_users & CATCH_USER_BREAK && !call_is_of(c, tid);

	if (!steps && !watches && !breaks)
		return;

	uint64_t entry = catcher_entry(c, tid, n->a, n->b);

	if (steps)
		step_catch(c, n->a, entry);
	if (watches && entry)
		watch_frame_catch(c, tid, entry);
	if (breaks && entry)
		catch_trap_await(c, tid, entry);
}

static struct dbg_error *notification_take(struct control *c, pid_t tid,
					   struct arena *arena,
					   struct dbg_stop *stop,
					   bool *ret_stops)
{
	struct dbg_error *err;
	struct regs regs;
	struct dac_notification n;

	err = target_regs(c->target, tid, &regs);
	if (err)
		return err;
	control_notification(c, &regs, &n);
	if (n.kind == DAC_NOTIFY_NONE)
		return NULL;
	if (n.kind == DAC_NOTIFY_PAL_THROW && call_is_of(c, tid))
		return NULL;
	if (n.kind == DAC_NOTIFY_PAL_THROW)
		return throw_trap_pal(c, tid, arena, stop, ret_stops);
	if (regs_pc(&regs) == c->cxa_throw) {
		throw_trap_raised(c, &regs);
		if (c->notify_call)
			return NULL; // seen there
	}
	err = control_halt(c);
	if (err)
		return err;
	switch (n.kind) {
	case DAC_NOTIFY_MODULE_LOAD:
	case DAC_NOTIFY_MODULE_UNLOAD:
		return module_changed(c, tid, &n, stop, ret_stops);
	case DAC_NOTIFY_CODE:
		return code_made(c, n.a, n.b);
	case DAC_NOTIFY_CATCH:
		catch_entered(c, tid, &n);
		return NULL;
	default:
		return NULL;
	}
}

/* ---- Judging --------------------------------------------------------- */

/*
 * Class Debugger is also answered while the program makes a call for us, but
 * does not stop it.
 */
static struct dbg_error *called_debugger(struct control *c,
					 const struct target_event *ev)
{
	struct dbg_stop stop = {0};
	bool stops = false;

	return debugger_trap(c, ev, &stop, &stops);
}

static struct dbg_error *judge_trap(struct control *c,
				    const struct target_event *ev,
				    struct arena *arena, struct dbg_stop *stop,
				    bool *ret_stops)
{
	struct dbg_error *err;
	uint64_t addr = ev->addr;
	unsigned int kinds = control_site_kinds(c, addr);

	if (kinds & SITE_SPAWN)
		spawn_trap_hit(c, ev->tid, addr);
	if (kinds & SITE_CALL && call_trap(c, ev, stop, ret_stops))
		return NULL;
	if (kinds & SITE_COMPILE && jit_gate_trap(c, ev->tid, ev->addr, &addr))
		kinds = control_site_kinds(c, addr);
	if (kinds & SITE_ENTRY_TRAP) {
		entry_trap_trap(c, addr);
		kinds = control_site_kinds(c, addr);
	}
	if (kinds & SITE_THROW) {
		err = notification_take(c, ev->tid, arena, stop, ret_stops);
		if (err || *ret_stops)
			return err;
	}
	if (kinds & SITE_LOAD) {
		err = load_returned(c, ev->tid, addr);
		if (err)
			return err;
	}
	if (kinds & SITE_UPDATE) {
		err = hot_reload_returned(c, ev->tid, addr);
		if (err)
			return err;
	}
	if (kinds & SITE_PRESTUB)
		code_wait_prestub(c, ev->tid);
	if (call_is_of(c, ev->tid))
		return kinds & SITE_DEBUGGER ? called_debugger(c, ev) : NULL;
	if (kinds & SITE_DISPATCH) {
		err = throw_trap_dispatch(c, ev->tid, arena, stop, ret_stops);
		if (err || *ret_stops)
			return err;
	}
	if (kinds & SITE_CATCH) {
		err = catch_trap_met(c, ev, arena, stop, ret_stops);
		if (!err && *ret_stops)
			stop->stepped = step_ends_at(c, ev->tid, addr);
		if (err || *ret_stops)
			return err;
	}
	if (kinds & SITE_BREAK) {
		err = bp_hit(c, ev, addr, stop, ret_stops);
		if (!err && *ret_stops)
			stop->stepped = step_ends_at(c, ev->tid, addr);
		if (!err && stop->stepped)
			step_returned(c, ev->tid, addr, stop);
		if (err || *ret_stops)
			return err;
	}
	if (kinds & SITE_DEBUGGER) {
		err = debugger_trap(c, ev, stop, ret_stops);
		if (err || *ret_stops)
			return err;
	}
	if (kinds & SITE_WATCH) {
		err = watch_trap(c, ev, arena, stop, ret_stops);
		if (err || *ret_stops)
			return err;
	}
	if (kinds & SITE_STEP)
		return step_trap(c, ev->tid, addr, stop, ret_stops);
	return NULL;
}

// Add the cause to a stop by a signal that ends the program.
static void death_describe(struct control *c, pid_t tid,
			   const struct fault_signal *fault,
			   struct dbg_stop *stop)
{
	if (fault->signal == SIGABRT && c->dac)
		aborted_judge(c, tid, fault, stop);
	else
		stop->fault = fault_find(c->inspect, tid, fault);
}

static struct dbg_error *judge_signal(struct control *c,
				      const struct target_event *ev,
				      struct arena *arena,
				      struct dbg_stop *stop, bool *ret_stops)
{
	struct dbg_error *err;

	if (control_is_user_break(c, ev))
		return debugger_int3(c, ev->tid, stop, ret_stops);
	if (ev->signal == SIGABRT && debugger_aborts(c, ev->tid))
		return NULL;
	if (!target_signal_is_fatal(c->target, ev->signal))
		return call_is_of(c, ev->tid)
			   ? NULL
			   : throw_trap_fault(c, ev, arena, stop, ret_stops);
	err = control_halt(c);
	if (err)
		return err;
	stop->reason = DBG_STOP_SIGNAL;
	stop->signal = ev->signal;
	stop->fatal = true;
	*ret_stops = true;
	struct fault_signal fault = {
	    .signal = ev->signal,
	    .told = ev->signal,
	    .code = ev->info.si_code,
	    .addr = (uintptr_t)ev->info.si_addr,
	};
	death_describe(c, ev->tid, &fault, stop);
	return NULL;
}

void control_terminated(struct control *c, pid_t tid,
			const struct fault_signal *fault, struct dbg_stop *stop)
{
	stop->reason = DBG_STOP_TERMINATED;
	stop->signal = fault->signal;
	stop->fatal = true;
	death_describe(c, tid, fault, stop);
}

struct dbg_error *control_judge(struct control *c,
				const struct target_event *ev,
				struct arena *arena, struct dbg_stop *ret_stop,
				bool *ret_stops)
{
	struct dbg_error *err = NULL;
	struct dbg_stop stop = {0};
	bool stops = false;

	if (ev->kind == TARGET_TRAP)
		err = judge_trap(c, ev, arena, &stop, &stops);
	else if (ev->kind == TARGET_WATCH)
		err = watch_hit(c, ev, arena, &stop, &stops);
	else if (ev->kind == TARGET_SIGNAL)
		err = judge_signal(c, ev, arena, &stop, &stops);
	if (err)
		return err;
	if (ev->kind == TARGET_WATCH && call_is_of(c, ev->tid))
		stops = false;
	*ret_stops = stops;
	if (!stops)
		return NULL;
	watch_stopped(c);
	debugger_stopped(c, ev->tid, &stop);
	if (!stop.thread)
		stop.thread = stack_thread_number(c->stack, ev->tid);
	*ret_stop = stop;
	step_clear(c);
	return NULL;
}

struct step_rules *control_step_rules(struct control *c)
{
	return &c->rules;
}

pid_t control_runs_only(const struct control *c, pid_t current)
{
	const struct step_plan *p = &c->plan;

	if (c->calls.phase != CALL_NONE && !c->calls.left)
		return c->calls.alone ? c->calls.tid : 0;

	enum step_locking locking =
	    c->rules.alone ? LOCKING_ON : c->rules.locking;

	if (locking == LOCKING_OFF)
		return 0;
	if (p->phase == STEP_NONE)
		return locking == LOCKING_ON ? current : 0;
	return step_is_awaited(p) || c->rules.shares ? 0 : p->tid;
}

bool control_step_holds(const struct control *c)
{
	return c->plan.phase != STEP_NONE && c->rules.locking != LOCKING_ON &&
	       control_runs_only(c, 0);
}

void control_step_cancel(struct control *c)
{
	step_clear(c);
}

/* ---- Functions that make a child by vfork -------------------------------- */

/*
 * Functions that make a child by vfork: while a thread is in one, traps in
 * native code yield (target_trap_yield). There are traps at these as long as
 * there may be one in native code.
 *
 * Not only the child: before it makes one such a function blocks all signals,
 * and a trap that is hit then, when we are dead, would be the program's end. So
 * the traps are out from the function's first instruction on. If we are dead
 * by then, the orphan trap handler, which answers there, takes all out.
 */

static const struct {
	const char *library, *name;
} spawners[] = {
    {"libSystem.Native.so", "SystemNative_ForkAndExecProcess"},
    {"libc.so.6", "posix_spawn"},
    {"libc.so.6", "posix_spawnp"},
    {"libc.so.6", "system"},
    {"libc.so.6", "popen"},
};

void spawn_traps_arm(struct control *c, uint64_t addr)
{
	if (!target_in_image(c->target, addr))
		return;
	for (size_t i = 0; i < sizeof(spawners) / sizeof(*spawners); i++) {
		uint64_t at[TARGET_OVERLOADS] = {0};

		control_library_functions(c, spawners[i].library,
					  spawners[i].name, at);
		if (*at)
			control_warn(c, control_site_add(c, SITE_SPAWN, at, 1));
	}
}

/* Handle a thread at a SITE_SPAWN. */
static void spawn_trap_hit(struct control *c, pid_t tid, uint64_t addr)
{
	struct regs regs;
	struct thread_trap returns = {tid, addr};

	if (thread_trap_take(c, &c->spawns, SITE_SPAWN, &returns)) {
		target_thread_spawns(c->target, tid, false);
		return;
	}
	if (dbg_err_drop(target_regs(c->target, tid, &regs)) ||
	    dbg_err_drop(regs_return_address(&regs, c->target, &returns.addr)))
		return;
	target_thread_spawns(c->target, tid, true);
	control_warn(c, thread_trap_add(c, &c->spawns, SITE_SPAWN, &returns));
}
