/* Taking over a running program, and letting a program go. */
#include "session/session.h"

#include "base/err.h"
#include "base/mem.h"

static struct dbg_error *number_threads(struct dbg *dbg)
{
	struct dbg_error *err;
	struct target_thread *threads;
	size_t n;

	err = target_threads(dbg->target, dbg->stop_arena, &threads, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		stack_thread_number(dbg->stack, threads[i].tid);
	return NULL;
}

static struct dbg_error *attach(struct dbg *dbg, pid_t pid)
{
	struct dbg_error *err;

	err = target_attach(pid, &dbg->target);
	if (err)
		return err;
	session_begin(dbg);
	session_halted(dbg);
	err = number_threads(dbg);
	if (!err)
		err = start_attached(dbg);
	if (err)
		return err;
	session_stopped(
	    dbg, &(struct dbg_stop){.reason = DBG_STOP_ATTACH,
				    .thread = session_pause_thread(dbg, pid)});
	return NULL;
}

struct dbg_error *dbg_attach(struct dbg *dbg, const struct dbg_attach *req)
{
	struct dbg_error *err;

	if (dbg->target)
		return dbg_err(DBG_E_STATE,
			       "a program is being debugged already");
	err = attach(dbg, req->pid);
	if (err)
		session_ended(dbg);
	return err;
}

struct dbg_error *dbg_detach(struct dbg *dbg)
{
	struct dbg_error *err;

	if (!dbg->target)
		return dbg_err(DBG_E_STATE, "the program is not being run");
	err = target_stop_all(dbg->target);
	if (!err) {
		session_halted(dbg);
		control_leave(dbg->control);
		err = target_detach(dbg->target);
	}
	if (!err) {
		session_ended(dbg);
		return NULL;
	}
	// what cannot be let go is kept, as it was
	if (dbg->state == DBG_RUNNING)
		dbg_error_destroy(session_go(dbg));
	return err;
}
