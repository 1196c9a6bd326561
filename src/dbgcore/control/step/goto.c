/*
 * Setting the next statement: the pc of the newest frame is moved to where
 * another statement of the same method begins. What the runtime demands of
 * such a move: code compiled for debugging (all values have their places in
 * the frame at the beginning of a statement), the same piece of code (each
 * handler is a function of its own in native code), a frame that is complete.
 */
#include "control/control_priv.h"
#include "control/exception/exceptions.h"
#include "control/step/step.h"
#include "control/step/steps.h"

#include "base/err.h"

/* The statement that the thread is stopped in, from which it may be moved. */
struct from {
	struct regs regs;
	const struct code_pos *pos;
	struct dac_code code;
};

static struct dbg_error *from_read(struct control *c, pid_t tid,
				   struct from *ret)
{
	struct dbg_error *err;
	bool any = false;

	if (!c->code)
		return dbg_err(DBG_E_STATE, "the runtime is not loaded yet");
	err = target_regs(c->target, tid, &ret->regs);
	if (!err)
		err = code_pos_at(c->code, regs_pc(&ret->regs), true, &ret->pos,
				  &any);
	if (!err && any)
		err = dac_code_at(c->dac, regs_pc(&ret->regs), &ret->code);
	if (err)
		return err;
	if (!any || !ret->pos->point.line)
		return dbg_err(DBG_E_STATE,
			       "the thread is not in code with source now: "
			       "step or finish until it is");
	if (!probe_has(c, ret->pos->module, regs_pc(&ret->regs)))
		return dbg_err(DBG_E_STATE,
			       "the method is optimized: its next statement "
			       "cannot be set");
	if (ret->pos->in_prolog || ret->pos->in_epilog)
		return dbg_err(DBG_E_STATE,
			       "the frame of the method is not complete here: "
			       "step once");
	return NULL;
}

/* May the pc be moved to @addr? */
static struct dbg_error *goto_check(struct control *c, const struct from *from,
				    uint64_t addr)
{
	struct dbg_error *err;
	const struct code_point *points, *to = NULL;
	struct code_module *m = from->pos->module;
	uint32_t token = from->pos->token;
	size_t n;

	err = code_points(c->code, regs_pc(&from->regs), &points, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (points[i].addr == addr && points[i].point.line)
			to = &points[i];
	if (!to)
		return dbg_err(DBG_E_ARGUMENT,
			       "no statement of the newest frame's method "
			       "begins there");
	if (code_handler_at(m, token, from->pos->il_offset) !=
	    code_handler_at(m, token, to->point.il_offset))
		return dbg_err(DBG_E_ARGUMENT,
			       "that is not possible into or out of a catch, "
			       "finally or filter");
	return NULL;
}

struct dbg_error *control_goto_list(struct control *c, pid_t tid,
				    const struct goto_req *req,
				    struct dbg_location **ret, size_t *ret_n)
{
	struct dbg_error *err, *why = NULL;
	struct from from;
	struct dbg_location *list;
	size_t n, used = 0;

	err = from_read(c, tid, &from);
	if (!err)
		err = control_locate(c, req->place, req->path, req->arena,
				     &list, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		dbg_error_destroy(why);
		why = goto_check(c, &from, list[i].addr);
		if (!why)
			list[used++] = list[i];
	}
	if (!used)
		return why ? why
			   : dbg_err(DBG_E_NOT_FOUND, "there is no code there");
	dbg_error_destroy(why);
	*ret = list;
	*ret_n = used;
	return NULL;
}

struct dbg_error *control_goto(struct control *c, pid_t tid,
			       const struct goto_req *req)
{
	struct dbg_error *err;
	struct regs regs;
	struct dbg_location *list;
	size_t n;

	err = control_goto_list(c, tid, req, &list, &n);
	if (!err)
		err = target_regs(c->target, tid, &regs);
	if (err)
		return err;
	step_clear(c);
	c->throws.second.breakpoint = 0;
	regs_set_pc(&regs, list[0].addr);
	return target_regs_set(c->target, tid, &regs);
}
