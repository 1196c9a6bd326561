/* The thread pool and timers of dbg.h. */
#include "session/session.h"
#include "tasks/pool.h"
#include "tasks/tasks.h"

static struct tasks reader(struct dbg *dbg)
{
	return (struct tasks){
	    .stack = dbg->inspect.stack,
	    .values = dbg->inspect.values,
	    .arena = dbg->inspect.arena,
	};
}

struct dbg_error *dbg_pool_get(struct dbg_stopped at, bool items,
			       struct dbg_pool *ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_runtime(at);

	if (err)
		return err;
	const struct tasks t = reader(dbg);

	pool_read(&t, items, ret);
	return NULL;
}

struct dbg_error *dbg_timer_list(struct dbg_stopped at, struct dbg_timer **ret,
				 size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_runtime(at);

	if (err)
		return err;
	const struct tasks t = reader(dbg);

	pool_timers(&t, ret, ret_n);
	return NULL;
}
