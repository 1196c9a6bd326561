/*
 * Methods whose code we wait for. The runtime's notification table takes
 * DAC_NOTIFY_MAX of them; for the rest there is a trap at the end of
 * ThePreStub, through which every method goes before it first runs. That is
 * slow (each prepared method stops the program), so it is armed only while
 * the table is full.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/jit/jit.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

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

/* ---- Methods whose code we wait for -------------------------------------- */

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
