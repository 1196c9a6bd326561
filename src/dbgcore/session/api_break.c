/* Breakpoints of dbg.h. */
#include "session/session.h"

#include "base/err.h"
#include "base/mem.h"

/* Lists outlive a resume only until the next list: an arena of their own. */
static struct arena *fresh_list(struct dbg *dbg)
{
	arena_reset(dbg->list_arena);
	return dbg->list_arena;
}

/*
 * Breakpoints are changed with all threads stopped. A running program is
 * halted for the change and goes on.
 */
static struct dbg_error *begin_change(struct dbg *dbg)
{
	struct dbg_error *err;

	if (dbg->state != DBG_RUNNING)
		return NULL;
	err = target_stop_all(dbg->target);
	if (!err)
		session_halted(dbg);
	return err;
}

static struct dbg_error *end_change(struct dbg *dbg, struct dbg_error *err)
{
	struct dbg_error *go;

	if (dbg->state != DBG_RUNNING)
		return err;
	go = session_go(dbg);
	if (!err)
		return go;
	dbg_error_destroy(go);
	return err;
}

const char *session_frame_path(struct dbg *dbg, dbg_id id)
{
	const struct frame *f = NULL;
	struct dbg_error *err;

	if (dbg->state != DBG_STOPPED)
		return NULL;
	err = session_frame_or_newest(dbg, id, &f);
	if (err) {
		dbg_error_destroy(err);
		return NULL;
	}
	return f && f->pos ? f->pos->path : NULL;
}

/* In a running program there is no frame whose variables could be meant. */
static struct dbg_error *watch_add(struct dbg *dbg,
				   const struct dbg_break_req *req,
				   uint32_t *ret_number)
{
	struct dbg_error *err = NULL;
	const struct frame *f = NULL;

	if (dbg->state == DBG_STOPPED && dbg->stop.thread)
		err = session_frame_or_newest(dbg, req->frame, &f);
	return err ? err : control_watch_add(dbg->control, req, f, ret_number);
}

struct dbg_error *dbg_break_add(struct dbg *dbg,
				const struct dbg_break_req *req,
				uint32_t *ret_number)
{
	struct dbg_error *err = req->log ? logpoint_check(req->log) : NULL;

	if (!err)
		err = begin_change(dbg);
	if (err)
		return err;
	if (req->kind == DBG_BREAK_WATCH)
		return end_change(dbg, watch_add(dbg, req, ret_number));
	return end_change(dbg,
			  control_break_add(dbg->control, req,
					    session_frame_path(dbg, req->frame),
					    ret_number));
}

struct dbg_error *dbg_break_delete(struct dbg *dbg, uint32_t number)
{
	struct dbg_error *err = begin_change(dbg);

	if (err)
		return err;
	return end_change(dbg, control_break_delete(dbg->control, number));
}

struct dbg_error *dbg_break_enable(struct dbg *dbg, uint32_t number,
				   bool enabled)
{
	struct dbg_error *err = begin_change(dbg);

	if (err)
		return err;
	return end_change(dbg,
			  control_break_enable(dbg->control, number, enabled));
}

struct dbg_error *dbg_break_ignore(struct dbg *dbg, uint32_t number,
				   uint64_t count)
{
	return control_break_ignore(dbg->control, number, count);
}

struct dbg_error *dbg_break_condition(struct dbg *dbg, uint32_t number,
				      const char *expr)
{
	struct dbg_error *err = NULL;

	if (expr && *expr)
		err = values_check(expr);
	return err ? err : control_break_condition(dbg->control, number, expr);
}

struct dbg_error *dbg_break_get(struct dbg *dbg, uint32_t number,
				struct dbg_breakpoint *ret)
{
	struct dbg_error *err;
	struct dbg_breakpoint *list;
	size_t n;

	if (!number)
		return dbg_err(DBG_E_ARGUMENT, "no breakpoint number 0");
	err = control_break_list(dbg->control, number, fresh_list(dbg), &list,
				 &n);
	if (!err)
		*ret = list[0];
	return err;
}

struct dbg_error *dbg_break_list(struct dbg *dbg, struct dbg_breakpoint **ret,
				 size_t *ret_n)
{
	return control_break_list(dbg->control, 0, fresh_list(dbg), ret, ret_n);
}

struct dbg_error *dbg_locate(struct dbg *dbg, dbg_id frame,
			     const char *location, struct dbg_location **ret,
			     size_t *ret_n)
{
	struct dbg_error *err = session_need_runtime(dbg);

	if (err)
		return err;
	return control_locate(dbg->control, location,
			      session_frame_path(dbg, frame), dbg->stop_arena,
			      ret, ret_n);
}
