/* dbg_call_mark(): calls that are known again when they are over. */
#include "session/session.h"

#include "base/err.h"
#include "stack/stack.h"

struct dbg_error *dbg_call_mark(struct dbg_stopped at, uint32_t thread,
				struct dbg_call_mark *ret)
{
	struct inspect *in = &at.dbg->inspect;
	const struct frame *f = NULL, *caller = NULL;
	struct stack_instance exact;
	struct dbg_error *err = session_need_stop(at);

	if (!err)
		err = stack_frame(in->stack, thread, 0, &f);
	if (!err && f)
		err = stack_frame(in->stack, thread, 1, &caller);
	if (err)
		return err;
	if (!f || !caller || !in->values || f->kind != DBG_FRAME_MANAGED ||
	    caller->kind != DBG_FRAME_MANAGED)
		return dbg_err(DBG_E_NOT_FOUND,
			       "it is not known where the call returns to");
	stack_frame_instance(in->values, f, &exact);
	*ret = (struct dbg_call_mark){
	    .thread = thread,
	    .address = caller->raw.ip,
	    .sp = caller->raw.sp,
	    .method = exact.method,
	    .type = exact.type ? value_type_mt(in->values, exact.type) : 0,
	};
	return NULL;
}

enum dbg_call_state dbg_call_state(struct dbg_stopped at,
				   const struct dbg_call_mark *mark)
{
	struct inspect *in = &at.dbg->inspect;
	pid_t tid = stack_thread_tid(in->stack, mark->thread);
	struct dbg_error *err = session_need_stop(at);
	struct regs regs;

	if (!err && tid)
		err = target_regs(in->target, tid, &regs);
	if (dbg_err_drop(err) || !tid)
		return DBG_CALL_GONE;
	if (regs_sp(&regs) < mark->sp)
		return DBG_CALL_GOES_ON;
	if (regs_sp(&regs) > mark->sp || regs_pc(&regs) != mark->address)
		return DBG_CALL_GONE;
	in->returned = (struct returned){
	    .tid = tid, .method = mark->method, .type = mark->type};
	return DBG_CALL_RETURNED;
}
