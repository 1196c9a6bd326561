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

enum {
	WANT_LIMIT = DAC_NOTIFY_MAX - 10, /* some left for DispatchEx */
	STUB_SCAN_MAX = 1024,
	PRECODE_HOPS = 4,
};

static uint64_t want_key(const struct code_module *m, uint32_t token)
{
	return (uint64_t)m->number << 32 | token;
}

void wanted_add(struct control *c, struct code_module *m, uint32_t token)
{
	uint64_t key = want_key(m, token);

	if (!target_can(c->target, TARGET_RUN) ||
	    map_find(&c->wanted.methods, key))
		return;

	struct want *w = xcalloc(1, sizeof(*w));

	w->ref.module = m->addr;
	w->ref.token = token;
	w->fresh = true;
	c->wanted.n_fresh++;
	if (c->wanted.n_listed < WANT_LIMIT) {
		w->listed = true;
		c->wanted.n_listed++;
	} else {
		c->wanted.n_overflow++;
	}
	map_put(&c->wanted.methods, key, w);
	rush_add(c, m, &w->ref);
	ahead_add(c, w, code_ahead_addr(c->code, m, token));
}

void wanted_compiled(struct control *c, struct code_module *m, uint32_t token)
{
	// other instantiations of a generic method have their first code yet
	if (wanted_find(c, m, token) && !code_is_generic(m, token))
		rush_remove(c, m, token);
}

void wanted_drop(struct control *c, struct code_module *m, uint32_t token)
{
	struct want *w = map_take(&c->wanted.methods, want_key(m, token));

	if (!w)
		return;
	rush_remove(c, m, token);
	c->wanted.n_fresh -= w->fresh;
	ahead_drop(c, w);
	if (!w->listed) {
		c->wanted.n_overflow--;
	} else {
		c->wanted.n_listed--;
		if (!w->fresh && c->dac)
			control_complain(
			    c, dac_notify_methods(c->dac, &w->ref, 1, false));
	}
	free(w);
}

struct want *wanted_find(struct control *c, const struct code_module *m,
			 uint32_t token)
{
	return map_find(&c->wanted.methods, want_key(m, token));
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
	c->wanted.prestub_exit = addr;
	return control_site_add(c, SITE_PRESTUB, &addr, 1);
}

static void prestub_update(struct control *c)
{
	uint64_t addr = c->wanted.prestub_exit;

	bool needed = c->wanted.n_overflow || watch_waits(c);

	if (needed && !addr) {
		control_complain(c, prestub_arm(c));
	} else if (!needed && addr) {
		c->wanted.prestub_exit = 0;
		control_complain(
		    c, control_site_remove(c, SITE_PRESTUB, &addr, 1));
	}
}

void wanted_leave(struct control *c)
{
	struct map *methods = &c->wanted.methods;
	_cleanup_free_ struct dac_method_ref *refs =
	    xcalloc(methods->n + 1, sizeof(*refs));
	size_t n = 0;

	for (size_t i = 0; i < methods->cap; i++) {
		struct want *w = methods->slots[i].value;

		if (w && w->listed && !w->fresh)
			refs[n++] = w->ref;
	}
	control_complain(c, dac_notify_methods(c->dac, refs, n, false));
}

static void commit_fresh(struct control *c)
{
	struct map *methods = &c->wanted.methods;
	_cleanup_free_ struct dac_method_ref *refs =
	    xcalloc(c->wanted.n_fresh, sizeof(*refs));
	size_t n = 0;

	for (size_t i = 0; i < methods->cap; i++) {
		struct want *w = methods->slots[i].value;

		if (!w || !w->fresh)
			continue;
		w->fresh = false;
		if (w->listed)
			refs[n++] = w->ref;
	}
	c->wanted.n_fresh = 0;
	control_complain(c, dac_notify_methods(c->dac, refs, n, true));
}

void control_go(struct control *c)
{
	if (!c->dac)
		return;
	if (c->wanted.n_fresh)
		commit_fresh(c);
	ahead_arm(c);
	rush_update(c);
	prestub_update(c);
}

void wanted_reset(struct control *c)
{
	map_clear_free(&c->wanted.methods);
	c->wanted.n_fresh = 0;
	ahead_reset(c);
	c->wanted.n_listed = 0;
	c->wanted.n_overflow = 0;
	c->wanted.prestub_exit = 0;
	rush_reset(c);
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

/* Where the jump by a register at @addr goes; 0 if it is none. */
static uint64_t jump_register(struct target *t, uint64_t addr,
			      const struct regs *r)
{
	struct insn insn;

	if (!insn_at(t, addr, &insn) || insn.kind != INSN_JUMP ||
	    insn.reg == ARCH_GENERAL)
		return 0;
	return regs_get(r, insn.reg);
}

void wanted_prestub(struct control *c, pid_t tid)
{
	struct dbg_error *err;
	struct regs regs;

	control_complain(c, watch_prepared(c));
	// only for a method that the table had no room for
	if (!c->wanted.n_overflow)
		return;
	err = control_halt(c);
	if (!err)
		err = target_regs(c->target, tid, &regs);
	if (err) {
		control_complain(c, err);
		return;
	}

	uint64_t jump = jump_register(c->target, c->wanted.prestub_exit, &regs);
	uint64_t ip = precode_target(c, jump);
	uint64_t desc = ip ? dac_method_at(c->dac, ip) : 0;
	struct dac_method method;

	if (!desc)
		return;
	err = dac_method_get(c->dac, desc, &method);
	if (err) {
		control_complain(c, err);
		return;
	}

	struct code_module *m = code_module_find(c->code, method.module);

	if (m && wanted_find(c, m, method.token))
		bind_code(c, m, method.token, ip);
}
