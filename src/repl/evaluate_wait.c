/*
 * Expressions whose calls are made in the program: begun, and waited for as for
 * a stop. Ctrl-C stops the program in the call.
 */
#include "base/err.h"
#include "front/debuggees.h"
#include "repl/cmd.h"
#include "repl/inferior.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

/* Is @dbg still the session of that inferior? It ends with a child. */
static bool is_there(const struct repl *r, const struct dbg *dbg,
		     uint32_t inferior)
{
	return debuggees_find(r->first, inferior) == dbg;
}

/* Wait for the value of @dbg, whose number is @inferior. */
static struct dbg_error *wait_for_value(struct repl *r, struct dbg *dbg,
					uint32_t inferior)
{
	struct dbg_error *err = NULL;
	unsigned int what;

	for (;;) {
		repl_events(r);
		if (!is_there(r, dbg, inferior))
			return dbg_err(DBG_E_STATE,
				       "the program ended during the "
				       "evaluation");
		if (r->evaluated)
			return err;
		if (r->quit)
			return dbg_err(DBG_E_INTERRUPTED,
				       "the evaluation was given up");
		err = loop_wait(r->loop, -1, &what);
		if (!err && (what & LOOP_INTERRUPT))
			err = dbg_eval_cancel(dbg);
		if (what & LOOP_END)
			repl_end(r);
		if (!err && (what & LOOP_END))
			err = dbg_err(DBG_E_INTERRUPTED,
				      "the evaluation was given up");
		if (err)
			return err;
	}
}

/*
 * The program stopped within a call of the expression: select the frame there
 * and show it.
 */
static void show_where(struct repl *r)
{
	r->untold = false;
	r->has_frame = false;
	if (dbg_state(r->dbg) != DBG_STOPPED)
		return;
	r->thread = dbg_stop_thread(r->dbg);
	r->level = 0;
	resume_stopped(r, true);
}

static struct dbg_error *request(struct repl *r, struct dbg_stopped at,
				 const struct dbg_eval_request *req,
				 struct dbg_value *ret)
{
	struct dbg *dbg = r->dbg;
	struct dbg_inferior inf;

	// its texts end with the engine's stop, as a call begins
	r->has_frame = false;
	if (r->hosted && r->evaluate)
		return r->evaluate(r->evaluate_arg, req, ret);
	if (r->hosted)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "a command in an editor's console cannot call "
			       "the program's code: type the expression there "
			       "without a command");
	r->evaluated = r->stopped = false;
	r->last_thread = r->thread;
	fflush(r->out);
	dbg_inferior_get(dbg, &inf);
	struct dbg_error *err = dbg_eval_begin(at, req);
	if (!err)
		err = wait_for_value(r, dbg, inf.number);
	if (!err)
		err = dbg_eval_result(dbg, ret);
	if (r->stopped && err && is_there(r, dbg, inf.number)) {
		show_where(r);
		return err;
	}
	r->stopped = dbg_state(r->dbg) == DBG_STOPPED;
	// a call ends what was told of it
	r->has_frame = false;
	return err;
}

struct dbg_error *evaluate_wait(struct repl *r, struct dbg_stopped at,
				const char *expr, enum dbg_calls calls,
				struct dbg_value *ret)
{
	const struct dbg_eval_request req = {
	    .frame = frame_id(r),
	    .expr = expr,
	    .assigns = true,
	    .calls = calls,
	};

	return request(r, at, &req, ret);
}

struct dbg_error *evaluate_update(struct repl *r, struct dbg_stopped at,
				  const struct dbg_update *update,
				  struct dbg_value *ret)
{
	const struct dbg_eval_request req = {
	    .frame = frame_id(r),
	    .expr = "apply-deltas",
	    .update = update,
	};

	return request(r, at, &req, ret);
}

struct dbg_error *evaluate_typed(struct repl *r, struct dbg_stopped at,
				 const char *expr, struct dbg_value *ret)
{
	// an editor's command cannot wait for a call
	return r->hosted && !r->evaluate
		   ? dbg_assign(at, frame_id(r), expr, NULL, ret)
		   : evaluate_wait(r, at, expr, DBG_CALLS_SETTING, ret);
}

struct dbg_error *evaluate_shown(struct repl *r, struct dbg_stopped at,
				 const char *expr, struct dbg_value *ret)
{
	const struct dbg_eval_request req = {.frame = frame_id(r),
					     .expr = expr};

	return r->hosted && !r->evaluate ? dbg_eval(at, req.frame, expr, ret)
					 : request(r, at, &req, ret);
}

struct dbg_error *evaluate_format(struct repl *r, struct dbg_stopped at,
				  const char *expr, char letter,
				  const char **ret)
{
	struct dbg_value v;
	struct dbg_error *err = evaluate_shown(r, at, expr, &v);

	return err ? err : dbg_format_last(at, letter, ret);
}
