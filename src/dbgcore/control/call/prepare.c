/*
 * Making calls possible: the guards are methods that few programs use. Their
 * classes are loaded by Type.GetType, whose argument the program makes; then
 * they are compiled as any method is, by a first call, which is ended in front
 * of their first instruction. These calls have no guard: they throw nothing.
 */
#include "control/call/call_priv.h"
#include "control/call/callcode.h"
#include "control/control_priv.h"
#include "types/methods.h"

#include <string.h>

#include "base/err.h"

enum {
	NAME_MAX_UNITS = 64,
	STRING_UNITS = 12, /* where they begin in a string object */
};

/* Have @desc called, with this argument, to return to the statement. */
static struct dbg_error *plain_call(struct control *c, uint64_t desc,
				    uint64_t argument)
{
	struct calls *v = &c->calls;
	struct regs regs = v->saved;
	struct fpregs fpregs = v->saved_fp;
	struct passing p = {.regs = &regs, .fpregs = &fpregs};

	callcode_clear_args(&regs);
	if (!desc)
		return dbg_err(DBG_E_RUNTIME,
			       "this runtime has no methods that make calls "
			       "possible");
	if (!value_pass_word(&p, argument) ||
	    !callcode_call(c->target, &regs, dac_prestub(c->dac), desc,
			   regs_pc(&v->saved)))
		return dbg_err(DBG_E_TARGET, "the stack cannot be written");
	return target_regs_set(c->target, v->tid, &regs);
}

/* The guard is to be compiled: ask the runtime to notify of its code. */
static struct dbg_error *compile(struct control *c)
{
	struct calls *v = &c->calls;
	struct dac_method method;
	struct dbg_error *err = dac_method_get(c->dac, v->guard->desc, &method);

	if (err)
		return err;
	const struct dac_method_ref ref = {method.module, method.token};
	err = dac_notify_methods(c->dac, &ref, 1, true);
	return err ? err : plain_call(c, v->guard->desc, 0);
}

/* Check as before a call by a guard; here the method seems to call itself. */
static struct dbg_error *prepare_check(struct control *c, pid_t tid)
{
	const struct code_pos *pos;
	struct regs called = c->calls.saved;
	uint64_t ip = regs_pc(&called);
	bool any;
	struct dbg_error *err = code_pos_at(c->code, ip, true, &pos, &any);

	if (err)
		return err;
	if (!any || !pos->start ||
	    !callcode_call(c->target, &called, pos->start, 0, ip))
		return dbg_err(DBG_E_TARGET, "the method is not known");
	return callframe_check(c, tid, &called);
}

struct dbg_error *prepare_begin(struct control *c,
				const struct call_request *req)
{
	struct calls *v = &c->calls;
	enum call_phase phase = v->guard->desc ? CALL_PREPARES : CALL_NAMES;
	struct dbg_error *err = prepare_check(c, req->tid);

	if (err)
		return err;
	err = call_trap_at(c, regs_pc(&v->saved));
	v->tid = req->tid;
	if (!err && phase == CALL_PREPARES)
		err = compile(c);
	else if (!err)
		err = plain_call(
		    c,
		    guard_method(c, "System.String", "FastAllocateString", 1),
		    strlen(guard_class(v->guard == &v->guards[true])));
	if (err)
		call_traps_lift(c);
	else
		call_begun(c, req, phase);
	return err;
}

/* The program has made the string at @addr: write it, and load the class. */
static struct dbg_error *prepare_load_class(struct control *c, uint64_t addr)
{
	struct calls *v = &c->calls;
	uint16_t units[NAME_MAX_UNITS];
	const char *name = guard_class(v->guard == &v->guards[true]);
	size_t n = strlen(name);
	struct dbg_error *err;

	for (size_t i = 0; i < n; i++)
		units[i] = (uint8_t)name[i];
	err = target_write(c->target, addr + STRING_UNITS, units,
			   n * sizeof(*units));
	if (!err)
		err = plain_call(
		    c, guard_method(c, "System.Type", "GetType", 1), addr);
	if (!err)
		v->phase = CALL_LOADS;
	return err;
}

struct dbg_error *prepare_returned(struct control *c, struct regs *regs)
{
	struct calls *v = &c->calls;
	uint64_t addr = callcode_result(regs);

	// behind the back of others it cannot have been moved; else once more
	if (v->phase == CALL_NAMES && addr && v->alone) {
		// a collection may have changed what the called preserve
		callcode_restore(&v->saved, regs);
		v->saved = *regs;
		struct dbg_error *err = prepare_load_class(c, addr);
		if (!err)
			return NULL;
		control_warn(c, err);
	}
	call_finish(c);
	return call_restore(c, regs);
}

struct dbg_error *prepare_entered(struct control *c, struct regs *regs)
{
	if (call_is_hijacked(c))
		return NULL; // it has a null argument, and gives null back
	call_finish(c);
	return call_restore(c, regs);
}

void call_code(struct control *c, uint64_t desc, uint64_t ip)
{
	struct calls *v = &c->calls;

	if (v->phase != CALL_PREPARES || desc != v->guard->desc ||
	    v->n_traps != 1)
		return;
	v->guard->code = ip;
	control_warn(c, call_trap_at(c, ip));
}
