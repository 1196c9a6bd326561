/*
 * Expressions for which the program may make calls, as gdb makes them: the
 * command that evaluates is answered when they are over. Meanwhile what the
 * engine tells goes out, a SIGINT or an -exec-interrupt gives the call up, and
 * other commands wait.
 */
#include "mi/mi_evaluate.h"

#include <string.h>

#include "base/err.h"
#include "mi/mi_priv.h"

static void give_up(struct mi *m, struct dbg *dbg, bool *given_up)
{
	if (!*given_up)
		mi_warn(m, dbg_eval_cancel(dbg));
	*given_up = true;
}

static struct dbg_error *wait_for_value(struct mi *m, struct dbg *dbg)
{
	bool given_up = false;

	for (;;) {
		notify_take(m);
		if (m->evaluated)
			return NULL;
		bool interrupted = mi_serve(m);
		if (m->quit)
			return dbg_err(DBG_E_INTERRUPTED, "the client is gone");
		if (interrupted || strstr(str_get(&m->in), "-exec-interrupt"))
			give_up(m, dbg, &given_up);
	}
}

struct dbg_error *mi_evaluate(struct mi *m, const struct dbg_eval_request *req,
			      struct dbg_value *ret)
{
	struct dbg_eval_request r = *req;
	struct dbg *dbg = m->dbg;

	// whoever serves the console beside us would have to wait, too
	if (m->take)
		r.calls = DBG_CALLS_NEVER;
	m->evaluated = false;
	struct dbg_error *err = dbg_eval_begin(dbg, &r);
	if (!err)
		err = wait_for_value(m, dbg);
	// whatever is known of values is of before the call
	m->values++;
	return err ? err : dbg_eval_result(dbg, ret);
}
