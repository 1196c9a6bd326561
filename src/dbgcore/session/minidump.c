/*
 * What a mini dump has: the memory that is read when somebody who knows nothing
 * of the stopped program looks at all its stacks with their variables. That is
 * done here, by a session of its own over a target that notes what is read; and
 * the DAC is asked what it needs, for others that read the dump.
 */
#include "session/minidump.h"

#include <string.h>

#include "base/err.h"
#include "session/attach.h"
#include "inspect/fault.h"
#include "session/session.h"
#include "target/core.h"

enum {
	FRAMES_MAX = 1000,   /* of a thread */
	VARIABLES_MAX = 100, /* frames of a thread whose variables are there */
	CHILDREN_MAX = 32,
	DEPTH_MAX = 2,
};

/* Who looks. Nothing that cannot be read keeps the rest from being there. */
struct look {
	struct dbg_stopped at;
	const volatile int *interrupted;
};

static void look_at_values(const struct look *l, const struct dbg_value *v,
			   size_t n, int depth);

static void look_inside(const struct look *l, const struct dbg_value *v,
			enum dbg_children kind, int depth)
{
	struct dbg_value *list;
	size_t n;

	if (!dbg_err_drop(
		dbg_children(l->at, v->id, kind, 0, CHILDREN_MAX, &list, &n)))
		look_at_values(l, list, n, depth + 1);
}

static void look_at_values(const struct look *l, const struct dbg_value *v,
			   size_t n, int depth)
{
	for (size_t i = 0; depth < DEPTH_MAX && i < n && !*l->interrupted;
	     i++) {
		if (v[i].id && v[i].n_named)
			look_inside(l, &v[i], DBG_CHILDREN_NAMED, depth);
		if (v[i].id && v[i].n_indexed)
			look_inside(l, &v[i], DBG_CHILDREN_INDEXED, depth);
	}
}

static void look_at_stack(const struct look *l, uint32_t thread)
{
	struct dbg_frame *frames;
	struct dbg_value *v;
	size_t n, n_v;

	if (dbg_err_drop(
		dbg_frame_list(l->at, thread, 0, FRAMES_MAX, &frames, &n)))
		return;
	for (size_t i = 0; i < n && i < VARIABLES_MAX && !*l->interrupted; i++)
		if (frames[i].kind == DBG_FRAME_MANAGED &&
		    !dbg_err_drop(dbg_scope_list(l->at, frames[i].id,
						 DBG_SCOPE_ALL, &v, &n_v)))
			look_at_values(l, v, n_v, 0);
}

static struct dbg_error *look_at_all(const struct look *l)
{
	struct dbg_error *err;
	struct dbg_thread *threads;
	struct dbg_exception *exceptions;
	struct dbg_wait *waits;
	size_t n, n_more;

	err = dbg_thread_list(l->at, &threads, &n);
	for (size_t i = 0; !err && i < n; i++) {
		look_at_stack(l, threads[i].number);
		if (*l->interrupted)
			err = dbg_err(DBG_E_INTERRUPTED, "interrupted");
	}
	if (err)
		return err;
	dbg_err_drop(dbg_exception_list(l->at, &exceptions, &n_more));
	dbg_err_drop(dbg_wait_list(l->at, &waits, &n_more));
	return NULL;
}

static void add_region(void *arg, uint64_t addr, uint32_t n)
{
	target_spans_add(arg, addr, n);
}

/* @look stands over the program of @dbg. */
static struct dbg_error *stopped_as(struct dbg *look, const struct dbg *dbg)
{
	pid_t tid = stack_thread_tid(dbg->inspect.stack, dbg->stop.thread);
	struct dbg_stop stop = {.reason = DBG_STOP_ATTACH};

	stop.thread = stack_thread_number(look->inspect.stack, tid);
	if (dbg->stop.signal)
		control_terminated(
		    look->control, tid,
		    &(struct fault_signal){.signal = dbg->stop.signal}, &stop);
	session_stopped(look, &stop);
	return dbg_set(look, "backtrace native", "on");
}

struct dbg_error *minidump_collect(struct dbg *dbg, struct target_spans *ret)
{
	struct dbg_error *err;
	struct dbg *look;

	err = dbg_create(&look);
	if (err)
		return err;
	err = session_settings_copy(look, dbg);
	if (!err)
		err =
		    session_stand(look, target_recording(dbg->target, ret), "");
	if (!err)
		err = stopped_as(look, dbg);
	if (!err)
		err = look_at_all(&(struct look){session_standing(look),
						 &dbg->inspect.interrupted});
	if (!err && look->inspect.dac)
		err = dac_each_memory(look->inspect.dac, add_region, ret);
	dbg_destroy(look);
	return err;
}
