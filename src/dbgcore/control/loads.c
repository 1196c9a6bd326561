/*
 * Loads of assemblies from bytes. The runtime tells of one before it takes the
 * PDB given with it: that is there when the managed code that called the
 * runtime returns. (Precompiled code tells where it prepared its call, not from
 * where.)
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"

struct dbg_error *load_await(struct control *c, pid_t tid)
{
	const struct frame *f = NULL;
	struct dbg_error *err =
	    stack_frame(c->stack, stack_thread_number(c->stack, tid), 1, &f);

	if (err || !f || f->kind == DBG_FRAME_NATIVE)
		return err;
	return thread_trap_add(c, &c->loads, SITE_LOAD,
			       &(struct thread_trap){tid, f->raw.ip});
}

struct dbg_error *load_returned(struct control *c, pid_t tid, uint64_t addr)
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
