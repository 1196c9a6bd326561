/*
 * Breakpoints of dbg.h. A change stops the threads, is made in every program of
 * the family, and lets them go on.
 */
#include "session/session.h"
#include "session/siblings.h"

#include "base/err.h"
#include "base/mem.h"

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
		inspect_stop(&dbg->inspect);
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

struct dbg_error *session_just_my_code(struct dbg *dbg, bool on)
{
	struct dbg_error *err = begin_change(dbg);

	if (err)
		return err;
	control_just_my_code(dbg->control, on);
	return end_change(dbg, NULL);
}

const char *session_frame_path(struct dbg *dbg, dbg_id id)
{
	const struct frame *f;
	struct dbg_error *err;

	if (dbg->state != DBG_STOPPED)
		return NULL;
	err = session_frame_or_newest(session_standing(dbg), id, &f);
	if (dbg_err_drop(err))
		return NULL;
	return f->pos ? f->pos->path : NULL;
}

static struct dbg_error *check_thread(struct dbg *dbg, uint32_t thread)
{
	struct stack *stack = dbg->inspect.stack;

	if (!thread || (stack && stack_thread_tid(stack, thread)))
		return NULL;
	return dbg_err(DBG_E_NOT_FOUND, "no thread number %u", thread);
}

/*
 * Add a watchpoint. In a running program there is no frame whose variables the
 * expression could name.
 */
static struct dbg_error *watch_add(struct dbg *dbg,
				   const struct dbg_break_req *req,
				   uint32_t *ret_number)
{
	struct dbg_error *err = NULL;
	const struct frame *f = NULL;

	if (dbg->state == DBG_STOPPED && dbg->stop.thread)
		err =
		    session_frame_if_any(session_standing(dbg), req->frame, &f);
	return err ? err : control_watch_add(dbg->control, req, f, ret_number);
}

/*
 * Open the files of a program that is not run yet; if that fails, breakpoints
 * stay pending.
 */
static void open_files(struct dbg *dbg)
{
	dbg_error_destroy(session_files_open(dbg));
}

/* ---- Changes, in all siblings ---------------------------------------- */

struct change {
	uint32_t number;
	bool enabled, deletes;
	uint64_t count;
	const char *expr;
	const struct dbg *from; /* where it was added */
};

typedef struct dbg_error *change_fn(struct control *c, const struct change *ch);

static struct dbg_error *change_one(struct dbg *dbg, change_fn *fn,
				    const struct change *ch)
{
	struct dbg_error *err = begin_change(dbg);

	return err ? err : end_change(dbg, fn(dbg->control, ch));
}

static struct dbg_error *change_others(struct dbg *dbg, change_fn *fn,
				       const struct change *ch)
{
	struct dbg_error *first = NULL;

	for (struct dbg *s = NULL; (s = sibling_next(dbg, s));) {
		struct dbg_error *err = change_one(s, fn, ch);

		// one at an address is of one program only
		if (first || (err && err->code == DBG_E_NOT_FOUND))
			dbg_error_destroy(err);
		else
			first = err;
	}
	return first;
}

static struct dbg_error *change_all(struct dbg *dbg, change_fn *fn,
				    const struct change *ch)
{
	struct dbg_error *err = change_one(dbg, fn, ch);

	return err ? err : change_others(dbg, fn, ch);
}

static struct dbg_error *change_copy(struct control *c, const struct change *ch)
{
	return control_break_copy(c, ch->from->control, ch->number);
}

static struct dbg_error *change_delete(struct control *c,
				       const struct change *ch)
{
	return control_break_delete(c, ch->number);
}

static struct dbg_error *change_enable(struct control *c,
				       const struct change *ch)
{
	return control_break_enable(c, ch->number, ch->enabled);
}

static struct dbg_error *change_stops(struct control *c,
				      const struct change *ch)
{
	return control_break_stops(c, ch->number, (uint32_t)ch->count,
				   ch->deletes);
}

static struct dbg_error *change_ignore(struct control *c,
				       const struct change *ch)
{
	return control_break_ignore(c, ch->number, ch->count);
}

static struct dbg_error *change_condition(struct control *c,
					  const struct change *ch)
{
	return control_break_condition(c, ch->number, ch->expr);
}

struct dbg_error *dbg_break_add(struct dbg *dbg,
				const struct dbg_break_req *req,
				uint32_t *ret_number)
{
	struct dbg_error *err = check_thread(dbg, req->thread);
	uint32_t number = 0;

	if (!err)
		err = begin_change(dbg);
	if (err)
		return err;
	open_files(dbg);
	if (req->kind == DBG_BREAK_WATCH)
		err = watch_add(dbg, req, &number);
	else
		err = control_break_add(dbg->control, req,
					session_frame_path(dbg, req->frame),
					&number);
	err = end_change(dbg, err);
	if (err)
		return err;
	*ret_number = number;
	return change_others(dbg, change_copy,
			     &(struct change){.number = number, .from = dbg});
}

struct dbg_error *dbg_break_delete(struct dbg *dbg, uint32_t number)
{
	return change_all(dbg, change_delete,
			  &(struct change){.number = number});
}

void session_break_gone(struct dbg *dbg, uint32_t number)
{
	struct dbg_error *err = change_others(
	    dbg, change_delete, &(struct change){.number = number});

	if (err)
		session_message(dbg, "%s", err->message);
	dbg_error_destroy(err);
}

struct dbg_error *dbg_break_enable(struct dbg *dbg, uint32_t number,
				   bool enabled)
{
	return change_all(
	    dbg, change_enable,
	    &(struct change){.number = number, .enabled = enabled});
}

struct dbg_error *dbg_break_stops(struct dbg *dbg, uint32_t number,
				  uint32_t stops)
{
	return change_all(dbg, change_stops,
			  &(struct change){.number = number, .count = stops});
}

struct dbg_error *dbg_break_last(struct dbg *dbg, uint32_t number)
{
	return change_all(
	    dbg, change_stops,
	    &(struct change){.number = number, .count = 1, .deletes = true});
}

struct dbg_error *dbg_break_ignore(struct dbg *dbg, uint32_t number,
				   uint64_t count)
{
	return change_all(dbg, change_ignore,
			  &(struct change){.number = number, .count = count});
}

struct dbg_error *dbg_break_condition(struct dbg *dbg, uint32_t number,
				      const char *expr)
{
	return change_all(dbg, change_condition,
			  &(struct change){.number = number, .expr = expr});
}

struct dbg_error *dbg_check_condition(const char *expr)
{
	return str_is_blank(expr) ? NULL : eval_check(expr);
}

struct dbg_error *dbg_check_log(const char *log)
{
	struct dbg_error *err = logpoint_check(log);

	return err ? dbg_err_prefix(err, "the message '%s'", log) : NULL;
}

struct dbg_error *dbg_check_hits(const char *rule)
{
	return control_check_hits(rule);
}

/* ---- Descriptions ---------------------------------------------------- */

static void add_hits(struct dbg *dbg, struct dbg_breakpoint *list, size_t n)
{
	for (struct dbg *s = NULL; (s = sibling_next(dbg, s));)
		for (size_t i = 0; i < n; i++)
			list[i].hits +=
			    control_break_hits(s->control, list[i].number);
}

struct dbg_error *dbg_break_get(struct dbg *dbg, uint32_t number,
				struct arena *arena, struct dbg_breakpoint *ret)
{
	struct dbg_error *err;
	struct dbg_breakpoint *list;
	size_t n;

	if (!number)
		return dbg_err(DBG_E_ARGUMENT, "no breakpoint number 0");
	open_files(dbg);
	err = control_break_list(dbg->control, number, arena, &list, &n);
	if (err)
		return err;
	add_hits(dbg, list, 1);
	*ret = list[0];
	return NULL;
}

struct dbg_error *dbg_break_list(struct dbg *dbg, struct arena *arena,
				 struct dbg_breakpoint **ret, size_t *ret_n)
{
	struct dbg_error *err;

	open_files(dbg);
	err = control_break_list(dbg->control, 0, arena, ret, ret_n);
	if (!err)
		add_hits(dbg, *ret, *ret_n);
	return err;
}

struct dbg_error *dbg_locate(struct dbg *dbg, dbg_id frame,
			     const struct dbg_place *place, struct arena *arena,
			     struct dbg_location **ret, size_t *ret_n)
{
	struct dbg_error *err = session_need_modules(dbg, true);

	return err ? err
		   : control_locate(dbg->control, place,
				    session_frame_path(dbg, frame), arena, ret,
				    ret_n);
}
