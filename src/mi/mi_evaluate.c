/*
 * Expressions for which the program may make calls, as gdb makes them: the
 * command that evaluates is answered when they are over. Meanwhile what the
 * engine tells goes out, a SIGINT or an -exec-interrupt gives the call up, and
 * other commands wait.
 */
#include "mi/mi_evaluate.h"

#include <string.h>

#include "base/err.h"
#include "front/debuggees.h"
#include "mi/mi_priv.h"

static void give_up(struct mi *m, struct dbg *dbg, bool *given_up)
{
	if (!*given_up)
		mi_warn(m, dbg_eval_cancel(dbg));
	*given_up = true;
}

/* Does -exec-interrupt stand among the lines that wait? */
static bool interrupt_waits(const struct mi *m)
{
	const char *s = str_get(&m->in) + m->in_at;

	for (;;) {
		s += strspn(s, "\r\n");
		const char *name = s + strspn(s, "0123456789");
		size_t n = strcspn(name, " \t\r\n");
		if (n == strlen("-exec-interrupt") &&
		    !strncmp(name, "-exec-interrupt", n))
			return true;
		s += strcspn(s, "\r\n");
		if (!*s)
			return false;
	}
}

/* Wait for the value of @dbg, whose number is @group. */
static struct dbg_error *wait_for_value(struct mi *m, struct dbg *dbg,
					uint32_t group)
{
	bool given_up = false;

	for (;;) {
		notify_take(m);
		// a child's session is gone with its program
		if (debuggees_find(m->first, group) != dbg)
			return dbg_err(DBG_E_STATE,
				       "the program ended during the "
				       "evaluation");
		if (m->evaluated)
			return NULL;
		bool interrupted = mi_serve(m);
		if (m->quit)
			return dbg_err(DBG_E_INTERRUPTED, "the client is gone");
		if (interrupted || interrupt_waits(m))
			give_up(m, dbg, &given_up);
	}
}

// Explain a refusal at an interface that new-ui opened: no calls are made
// there.
static struct dbg_error *refused(const struct mi *m, struct dbg_error *err)
{
	if (!err || !m->take || err->code != DBG_E_UNSUPPORTED)
		return err;
	return dbg_err_suffix(err,
			      "; an interface opened by new-ui makes no calls");
}

struct dbg_error *mi_evaluate(struct mi *m, const struct dbg_eval_request *req,
			      struct dbg_value *ret)
{
	struct dbg_eval_request r = *req;
	struct dbg *dbg = m->dbg;
	struct dbg_stopped at;
	uint32_t group = m->group;

	// calls would block the session's first interface as well
	if (m->take)
		r.calls = DBG_CALLS_NEVER;
	m->evaluated = false;
	struct dbg_error *err = dbg_stopped(dbg, &at);
	if (!err)
		err = dbg_eval_begin(at, &r);
	if (!err)
		err = wait_for_value(m, dbg, group);
	// what is known of values is older than the call
	m->values++;
	return refused(m, err ? err : dbg_eval_result(dbg, ret));
}
