/*
 * The JIT gate: keeps threads off new code until its breakpoints are set.
 *
 * When several threads call a method for the first time, one of them compiles
 * it; the runtime publishes the code, and only then notifies us. A thread that
 * calls the method in between would run past breakpoints that are not there
 * yet.
 *
 * So while methods without code are waited for (the runtime's exception
 * dispatcher is one, if it was not compiled ahead of time), the JIT's entry is
 * trapped (ICorJitCompiler::compileMethod; its argument names the IL of the
 * method). When the JIT returns with the code of a wanted method, no other
 * thread has seen it: all threads are stopped, and this one goes on alone up to
 * the runtime's notification. That is short, but the thread may need a lock
 * that a stopped one holds: then it falls asleep, and the others run for a
 * moment without it. If it waits for a suspension of all threads, that does not
 * help, because some of them may stand at our own traps; but by then the code
 * is in its place, and its first instruction gets a trap.
 *
 * Versions that replace another (tiers, on-stack replacement) are published
 * after the notification. Code compiled ahead of time (ReadyToRun) does not
 * come from the JIT: gate.c traps its first instruction.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/exception/exceptions.h"
#include "control/jit/jit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- The JIT gate -------------------------------------------------------- */

enum {
	GET_JIT_MAX = 64, /* bytes of getJit looked at */
	ALONE_TRIES = 200,
	OTHERS_NS = 200000, /* for which the others run in between, at first */
	TRIES_EACH = 4,     /* before they are given twice as long */
	OTHERS_SHIFT_MAX = 7,
	PRESTUB_MAX = 256,     /* bytes of ThePreStub looked at */
	STACK_MAX = 256 << 10, /* of a thread that is searched */
};

/* A compilation under way on a thread. */
struct compilation {
	struct dac_method_ref ref;
	uint64_t entry_at; /* where the JIT writes the code's address */
};

/* ---- The methods ----------------------------------------------------- */

uint64_t jit_gate_add(struct control *c, const struct code_module *m,
		      const struct dac_method_ref *ref)
{
	uint64_t il = code_il_addr(c->code, m, ref->token);

	if (il)
		map_put(&c->waits.bodies, il, (void *)ref);
	return il;
}

void jit_gate_remove(struct control *c, const struct dac_method_ref *ref,
		     uint64_t il)
{
	if (il && map_find(&c->waits.bodies, il) == ref)
		map_take(&c->waits.bodies, il);
}

/* ---- The JIT --------------------------------------------------------- */

/*
 * Find compileMethod: getJit returns the address of a static object, whose
 * first word is its table of virtual functions, and in all versions
 * compileMethod is the first entry of that.
 */
static struct dbg_error *find_compile(struct control *c, uint64_t get_jit,
				      uint64_t *ret)
{
	struct dbg_error *err;
	uint8_t code[GET_JIT_MAX];
	size_t n = target_read_some(c->target, get_jit, code, sizeof(code));
	struct insn insn;
	uint64_t addr;

	*ret = 0;
	for (size_t off = 0; off < n; off += insn.size) {
		if (!insn_decode(code + off, n - off, get_jit + off, &insn) ||
		    insn.kind == INSN_RET)
			break;
		if (insn.kind != INSN_ADDRESS || !insn.cell)
			continue;
		err = target_read_u64(c->target, insn.cell, &addr);
		return err ? err : target_read_u64(c->target, addr, ret);
	}
	return NULL;
}

/*
 * Find the JIT. *ret_wait: the address to trap and look again at, 0: none.
 */
static struct dbg_error *jit_find_entry(struct control *c, struct arena *arena,
					uint64_t *ret_entry, uint64_t *ret_wait)
{
	struct dbg_error *err;
	struct target_image image;
	bool found;

	err =
	    target_image_find(c->target, "libclrjit.so", arena, &image, &found);
	if (err)
		return err;
	if (!found) {
		err = target_image_main(c->target, arena, &image);
		if (err || dac_jit_inside(c->dac, &image, ret_entry))
			return err;
		// 9 and 10 load it when they first need it
		return target_r_brk(c->target, ret_wait);
	}
	err = target_symbol(c->target, &image, "getJit", ret_wait);
	if (!err && *ret_wait)
		err = find_compile(c, *ret_wait, ret_entry);
	// it may be mapped and not relocated yet
	if (*ret_entry <= image.base || *ret_entry >= image.end)
		*ret_entry = 0;
	return err;
}

static void wait_at(struct control *c, uint64_t addr)
{
	struct code_waits *w = &c->waits;

	if (addr == w->jit_wait)
		return;
	if (w->jit_wait)
		control_warn(
		    c, control_site_remove(c, SITE_COMPILE, &w->jit_wait, 1));
	w->jit_wait = addr;
	if (addr)
		control_warn(c, control_site_add(c, SITE_COMPILE, &addr, 1));
}

/*
 * Find the JIT's entry. Without it the first hits of several threads that call
 * a method at once may be missed; nothing else depends on it.
 */
static void find_jit(struct control *c)
{
	struct arena *arena = arena_create();
	uint64_t wait = 0;

	dbg_error_destroy(
	    jit_find_entry(c, arena, &c->waits.compile_entry, &wait));
	wait_at(c, c->waits.compile_entry ? 0 : wait);
	arena_destroy(arena);
}

void jit_gate_update(struct control *c)
{
	struct code_waits *w = &c->waits;
	bool needed = w->bodies.n;

	if (needed && !w->compile_entry && !w->jit_wait)
		find_jit(c);
	if (!w->compile_entry || needed == w->watching)
		return;
	w->watching = needed;
	control_warn(
	    c, needed ? control_site_add(c, SITE_COMPILE, &w->compile_entry, 1)
		      : control_site_remove(c, SITE_COMPILE, &w->compile_entry,
					    1));
}

/* ---- One compilation ------------------------------------------------- */

static void jit_gate_begin(struct control *c, pid_t tid)
{
	struct code_waits *w = &c->waits;
	struct regs regs;
	uint64_t returns;
	struct dbg_error *err = target_regs(c->target, tid, &regs);

	if (!err)
		err = regs_return_address(&regs, c->target, &returns);
	if (err) {
		control_warn(c, err);
		return;
	}
	// compileMethod(this, comp, info, flags, &code, &size)
	uint64_t il = dac_compiled_il(c->dac, regs_arg(&regs, 2));
	const struct dac_method_ref *ref = map_find(&w->bodies, il);

	if (!ref)
		return;

	struct compilation *job = xcalloc(1, sizeof(*job));

	job->ref = *ref;
	job->entry_at = regs_arg(&regs, 4);
	// the JIT is not entered twice by one thread
	jit_gate_gone(c, tid);
	map_put(&w->compiling, (uint64_t)tid, job);
	if (w->compile_return == returns)
		return;
	w->compile_return = returns;
	control_warn(c, control_site_add(c, SITE_COMPILE, &returns, 1));
}

/*
 * Is the thread at a place where the address of the newly compiled code can be
 * read: the runtime's notification about it, or the end of ThePreStub?
 * *@ret_addr: the thread's program counter.
 */
static bool gate_code_is_known(struct control *c, pid_t tid, uint64_t *ret_addr)
{
	struct regs regs;
	struct dac_notification n;
	struct dbg_error *err = target_regs(c->target, tid, &regs);

	if (dbg_err_drop(err))
		return false;
	*ret_addr = regs_pc(&regs);
	if (regs_pc(&regs) != c->cxa_throw && regs_pc(&regs) != c->notify_call)
		return regs_pc(&regs) == c->waits.prestub_exit;
	control_notification(c, &regs, &n);
	return n.kind == DAC_NOTIFY_CODE;
}

/*
 * The pause grows, since on a busy machine the thread that is waited for may
 * get no processor for a while.
 */
void jit_gate_others_run(struct control *c, pid_t tid, unsigned int tries)
{
	unsigned int shift = tries / TRIES_EACH;
	const struct timespec pause = {
	    .tv_nsec = OTHERS_NS
		       << (shift < OTHERS_SHIFT_MAX ? shift : OTHERS_SHIFT_MAX),
	};
	target_run_others(c->target, tid);

	struct dbg_error *err = target_resume_all(c->target);

	if (!err) {
		nanosleep(&pause, NULL);
		err = target_stop_all(c->target);
	}
	target_run_others(c->target, 0);
	control_warn(c, err);
}

/*
 * Trap the new code's first instruction, if it was copied to its place by now:
 * before that there are zeros.
 */
static bool trap_code(struct control *c, const struct dac_method_ref *ref,
		      uint64_t entry)
{
	uint64_t code = 0;

	dbg_error_destroy(target_read_u64(c->target, entry, &code));
	if (!code)
		return false;

	struct code_module *m = code_module_find(c->code, ref->module);
	struct want *w = m ? code_wait_find(c, m, ref->token) : NULL;

	if (w)
		entry_trap_add(c, w, entry);
	if (m)
		throw_trap_code(c, m, ref->token, entry);
	entry_trap_arm(c);
	return true;
}

/* Run @tid alone until the runtime has told of its code at @entry. */
static struct dbg_error *run_alone(struct control *c, pid_t tid,
				   const struct dac_method_ref *ref,
				   uint64_t entry, uint64_t *ret_addr)
{
	struct dbg_error *err;
	const uint64_t addrs[] = {
	    c->notify_call ? c->notify_call : c->cxa_throw,
	    c->waits.prestub_exit,
	};
	enum target_alone end;

	for (unsigned int i = 0; i < ALONE_TRIES; i++) {
		err = target_thread_alone(c->target, tid, addrs, 2, &end);
		if (err)
			return err;
		if (end == TARGET_ALONE_THERE &&
		    gate_code_is_known(c, tid, ret_addr))
			return NULL;
		if (end == TARGET_ALONE_THERE)
			continue;
		if (trap_code(c, ref, entry) || end == TARGET_ALONE_ENDED)
			return NULL;
		// it would make its code known to them
		jit_gate_others_run(c, tid, i);
	}
	return NULL;
}

/*
 * Remove the trap where the JIT returns, if no wanted method is being compiled.
 */
static void lift_return(struct control *c)
{
	struct code_waits *w = &c->waits;

	if (!w->compile_return || w->compiling.n)
		return;
	control_warn(
	    c, control_site_remove(c, SITE_COMPILE, &w->compile_return, 1));
	w->compile_return = 0;
}

bool jit_gate_trap(struct control *c, pid_t tid, uint64_t addr,
		   uint64_t *ret_addr)
{
	struct dbg_error *err;
	struct code_waits *w = &c->waits;

	if (addr == w->jit_wait) {
		find_jit(c);
		jit_gate_update(c);
	}
	if (addr == w->compile_entry)
		jit_gate_begin(c, tid);
	if (addr != w->compile_return)
		return false;
	_cleanup_free_ struct compilation *job =
	    map_take(&w->compiling, (uint64_t)tid);
	uint64_t entry = 0;
	if (!job)
		return false;
	err = control_halt(c);
	if (!err)
		err = target_read_u64(c->target, job->entry_at, &entry);
	if (!err)
		err = run_alone(c, tid, &job->ref, entry, ret_addr);
	control_warn(c, err);
	lift_return(c);
	dac_flush(c->dac);
	return gate_code_is_known(c, tid, ret_addr);
}

/* ---- All compilations ------------------------------------------------ */

/* The return address of the call in ThePreStub to its worker; 0: not known. */
static uint64_t prestub_call(struct control *c)
{
	uint64_t at = dac_prestub(c->dac);
	uint8_t code[PRESTUB_MAX];
	size_t n = at ? target_read_some(c->target, at, code, sizeof(code)) : 0;
	struct insn insn;

	for (size_t off = 0;
	     off < n && insn_decode(code + off, n - off, at + off, &insn);
	     off += insn.size)
		if (insn.kind == INSN_CALL)
			return at + off + insn.size;
	return 0;
}

/*
 * Is @thread compiling: is the return address @returns on its stack, in front
 * of its newest managed frame? If it is behind that frame, compilation is over,
 * and the method runs whose class the prestub had to initialise.
 */
static bool is_compiling(struct control *c, const struct dbg_thread *thread,
			 uint64_t returns)
{
	struct regs regs;
	const struct frame *f = NULL;
	pid_t tid = stack_thread_tid(c->stack, thread->number);

	if (dbg_err_drop(target_regs(c->target, tid, &regs)))
		return false;
	uint64_t sp = regs_sp(&regs);
	_cleanup_free_ uint64_t *words = xmalloc(STACK_MAX);
	size_t n = target_read_some(c->target, sp, words, STACK_MAX);
	n /= sizeof(*words);
	size_t i = 0;
	while (i < n && words[i] != returns)
		i++;
	if (i == n ||
	    dbg_err_drop(stack_frame(c->stack, thread->number, 0, &f)))
		return false;
	return !f || sp + i * sizeof(*words) < f->raw.sp;
}

bool jit_gate_busy(struct control *c, pid_t but)
{
	struct dbg_thread *threads;
	size_t n;
	uint64_t returns = prestub_call(c);
	bool busy = false;

	if (!returns || dbg_err_drop(stack_threads(c->stack, &threads, &n)))
		return false;
	for (size_t i = 0; i < n && !busy; i++)
		busy =
		    threads[i].number != stack_thread_number(c->stack, but) &&
		    is_compiling(c, &threads[i], returns);
	return busy;
}

void jit_gate_gone(struct control *c, pid_t tid)
{
	free(map_take(&c->waits.compiling, (uint64_t)tid));
}

void jit_gate_reset(struct control *c)
{
	struct code_waits *w = &c->waits;

	map_clear(&w->bodies);
	map_clear_free(&w->compiling);
	w->jit_wait = 0;
	w->watching = false;
	w->compile_entry = 0;
	w->compile_return = 0;
}

/* ---- Methods whose code we wait for -------------------------------------- */

/*
 * Methods whose code we wait for. The runtime's notification table takes
 * DAC_NOTIFY_MAX of them; for the rest there is a trap at the end of
 * ThePreStub, through which every method goes before it first runs. That is
 * slow (each prepared method stops the program), so it is armed only while
 * the table is full.
 */

/* ---- Code that is there before the runtime tells of it ------------------- */

/*
 * Compiled ahead of time (ReadyToRun), or by the JIT and about to be published.
 * Its first instruction gets a trap. When a thread hits it the runtime knows
 * the code, and no thread has executed any of it, so breakpoints in it can be
 * armed in time.
 */

struct entry_trap {
	struct want *want;
	uint64_t addr;
	bool armed;
	struct entry_trap *next; /* of the same method */
};

void entry_trap_add(struct control *c, struct want *w, uint64_t addr)
{
	struct entry_traps *traps = &c->entry_traps;

	if (!addr || map_find(&traps->codes, addr))
		return;

	struct entry_trap *a = xcalloc(1, sizeof(*a));

	a->want = w;
	a->addr = addr;
	a->next = w->entry_traps;
	w->entry_traps = a;
	map_put(&traps->codes, addr, a);
	mem_grow(&traps->fresh, &traps->cap_fresh, traps->n_fresh,
		 sizeof(*traps->fresh));
	traps->fresh[traps->n_fresh++] = addr;
}

void entry_trap_arm(struct control *c)
{
	struct entry_traps *traps = &c->entry_traps;
	size_t n = 0;

	// some may have been dropped, or be armed since
	for (size_t i = 0; i < traps->n_fresh; i++) {
		struct entry_trap *a = map_find(&traps->codes, traps->fresh[i]);

		if (!a || a->armed)
			continue;
		a->armed = true;
		traps->fresh[n++] = a->addr;
	}
	traps->n_fresh = 0;
	if (n)
		control_warn(
		    c, control_site_add(c, SITE_ENTRY_TRAP, traps->fresh, n));
}

void entry_trap_done(struct control *c, uint64_t addr)
{
	struct entry_trap *a = map_take(&c->entry_traps.codes, addr);

	if (!a)
		return;

	struct entry_trap **at = &a->want->entry_traps;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	if (a->armed && c->target)
		control_warn(c,
			     control_site_remove(c, SITE_ENTRY_TRAP, &addr, 1));
	free(a);
}

/* Stop waiting for code of @w. */
static void entry_trap_drop(struct control *c, struct want *w)
{
	while (w->entry_traps)
		entry_trap_done(c, w->entry_traps->addr);
}

void entry_trap_trap(struct control *c, uint64_t addr)
{
	const struct entry_trap *a = map_find(&c->entry_traps.codes, addr);
	struct code_module *m =
	    a ? code_module_find(c->code, a->want->ref.module) : NULL;

	if (!m)
		return;
	struct dbg_error *err = control_halt(c);

	if (err)
		control_warn(c, err);
	else
		bind_code(c, m, a->want->ref.token, addr);
}

void entry_trap_reset(struct control *c)
{
	map_clear_free(&c->entry_traps.codes);
	c->entry_traps.n_fresh = 0;
}

/* ---- The list of these methods ------------------------------------------- */

enum {
	WANT_LIMIT = DAC_NOTIFY_MAX - 10, /* some left for DispatchEx */
	STUB_SCAN_MAX = 1024,
	PRECODE_HOPS = 4,
};

static uint64_t want_key(const struct code_module *m, uint32_t token)
{
	return (uint64_t)m->number << 32 | token;
}

void code_wait_add(struct control *c, struct code_module *m, uint32_t token)
{
	uint64_t key = want_key(m, token);

	if (!target_can(c->target, TARGET_RUN) ||
	    map_find(&c->waits.methods, key))
		return;

	struct want *w = xcalloc(1, sizeof(*w));

	w->ref.module = m->addr;
	w->ref.token = token;
	w->fresh = true;
	c->waits.n_fresh++;
	if (c->waits.n_listed < WANT_LIMIT) {
		w->listed = true;
		c->waits.n_listed++;
	} else {
		c->waits.n_overflow++;
	}
	map_put(&c->waits.methods, key, w);
	w->il = jit_gate_add(c, m, &w->ref);
	entry_trap_add(c, w, code_precompiled_addr(c->code, m, token));
}

void code_wait_compiled(struct control *c, struct code_module *m,
			uint32_t token)
{
	const struct want *w = code_wait_find(c, m, token);

	// other instantiations of a generic method have their first code yet
	if (w && !code_is_generic(m, token))
		jit_gate_remove(c, &w->ref, w->il);
}

void code_wait_drop(struct control *c, struct code_module *m, uint32_t token)
{
	struct want *w = map_take(&c->waits.methods, want_key(m, token));

	if (!w)
		return;
	jit_gate_remove(c, &w->ref, w->il);
	c->waits.n_fresh -= w->fresh;
	entry_trap_drop(c, w);

	bool told = w->listed && !w->fresh;

	if (w->listed)
		c->waits.n_listed--;
	else
		c->waits.n_overflow--;
	if (c->dac && step_body_keep(c, m, token) != told)
		control_warn(c, dac_notify_methods(c->dac, &w->ref, 1, !told));
	free(w);
}

struct want *code_wait_find(struct control *c, const struct code_module *m,
			    uint32_t token)
{
	return map_find(&c->waits.methods, want_key(m, token));
}

uint64_t stub_exit(struct target *t, uint64_t ip)
{
	uint8_t code[STUB_SCAN_MAX];
	size_t n = target_read_some(t, ip, code, sizeof(code));
	struct insn insn;

	for (size_t off = 0; off < n; off += insn.size) {
		if (!insn_decode(code + off, n - off, ip + off, &insn))
			return 0;
		if (insn.kind == INSN_RET)
			return 0;
		if (insn.kind == INSN_JUMP && insn.reg != ARCH_GENERAL)
			return ip + off;
	}
	return 0;
}

static struct dbg_error *prestub_arm(struct control *c)
{
	uint64_t entry = dac_prestub(c->dac);
	uint64_t addr = entry ? stub_exit(c->target, entry) : 0;

	if (!addr)
		return dbg_err(
		    DBG_E_RUNTIME,
		    "more than %d methods are waited for, and this "
		    "runtime shows no way to see the others compiled",
		    WANT_LIMIT);
	c->waits.prestub_exit = addr;
	return control_site_add(c, SITE_PRESTUB, &addr, 1);
}

static void prestub_update(struct control *c)
{
	uint64_t addr = c->waits.prestub_exit;

	bool needed = c->waits.n_overflow || watch_waits(c);

	if (needed && !addr) {
		control_warn(c, prestub_arm(c));
	} else if (!needed && addr) {
		c->waits.prestub_exit = 0;
		control_warn(c, control_site_remove(c, SITE_PRESTUB, &addr, 1));
	}
}

void code_wait_leave(struct control *c)
{
	struct map *methods = &c->waits.methods;
	_cleanup_free_ struct dac_method_ref *refs =
	    xcalloc(methods->n + 1, sizeof(*refs));
	size_t n = 0;

	for (size_t i = 0; i < methods->cap; i++) {
		struct want *w = methods->slots[i].value;

		if (w && w->listed && !w->fresh)
			refs[n++] = w->ref;
	}
	control_warn(c, dac_notify_methods(c->dac, refs, n, false));
}

static void commit_fresh(struct control *c)
{
	struct map *methods = &c->waits.methods;
	_cleanup_free_ struct dac_method_ref *refs =
	    xcalloc(c->waits.n_fresh, sizeof(*refs));
	size_t n = 0;

	for (size_t i = 0; i < methods->cap; i++) {
		struct want *w = methods->slots[i].value;

		if (!w || !w->fresh)
			continue;
		w->fresh = false;
		if (w->listed)
			refs[n++] = w->ref;
	}
	c->waits.n_fresh = 0;
	control_warn(c, dac_notify_methods(c->dac, refs, n, true));
}

void control_go(struct control *c)
{
	if (!c->dac)
		return;
	if (c->waits.n_fresh)
		commit_fresh(c);
	entry_trap_arm(c);
	jit_gate_update(c);
	prestub_update(c);
}

void code_wait_reset(struct control *c)
{
	map_clear_free(&c->waits.methods);
	c->waits.n_fresh = 0;
	entry_trap_reset(c);
	c->waits.n_listed = 0;
	c->waits.n_overflow = 0;
	c->waits.prestub_exit = 0;
	jit_gate_reset(c);
}

/* Follow precodes to the code behind them; 0: there is none yet. */
static uint64_t precode_target(struct control *c, uint64_t addr)
{
	for (int i = 0; addr && i < PRECODE_HOPS; i++) {
		struct dac_stub stub;

		if (dac_method_at(c->dac, addr))
			return addr;
		dac_stub_at(c->target, addr, &stub);
		addr = stub.code;
	}
	return 0;
}

/* Target of the jump through a register at @addr; 0: it is no such jump. */
static uint64_t jump_register(struct target *t, uint64_t addr,
			      const struct regs *r)
{
	struct insn insn;

	if (!insn_at(t, addr, &insn) || insn.kind != INSN_JUMP ||
	    insn.reg == ARCH_GENERAL)
		return 0;
	return regs_get(r, insn.reg);
}

void code_wait_prestub(struct control *c, pid_t tid)
{
	struct dbg_error *err;
	struct regs regs;

	control_warn(c, watch_prepared(c));
	// only for a method that the table had no room for
	if (!c->waits.n_overflow)
		return;
	err = control_halt(c);
	if (!err)
		err = target_regs(c->target, tid, &regs);
	if (err) {
		control_warn(c, err);
		return;
	}

	uint64_t jump = jump_register(c->target, c->waits.prestub_exit, &regs);
	uint64_t ip = precode_target(c, jump);
	uint64_t desc = ip ? dac_method_at(c->dac, ip) : 0;
	struct dac_method method;

	if (!desc)
		return;
	err = dac_method_get(c->dac, desc, &method);
	if (err) {
		control_warn(c, err);
		return;
	}

	struct code_module *m = code_module_find(c->code, method.module);

	if (m && code_wait_find(c, m, method.token))
		bind_code(c, m, method.token, ip);
}
