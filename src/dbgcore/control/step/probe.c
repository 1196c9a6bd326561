/*
 * Sees user code entered from code that is not stepped: a lambda given to the
 * framework, an override that it calls.
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
#include "control/control_priv.h"
#include "control/step/mycode.h"
#include "control/step/steps.h"

#include <string.h>

#include "base/err.h"

enum {
	PROLOG_MAX = 512,
	STRANGERS_MAX = 2000,
	WALK_MAX = 2000,
};

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
