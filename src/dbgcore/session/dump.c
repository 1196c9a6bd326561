/*
 * Core files that we write. The file is made anew for its owner alone, since it
 * holds whatever the program knows, and does not stay if it is not whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "dbg.h"
#include "inspect/fault.h"
#include "session/attach.h"
#include "session/session.h"
#include "target/core.h"

/* ---- What a minidump has --------------------------------------------- */

/*
 * Mini dumps: a core with the memory that is read when a debugger without any
 * knowledge of the stopped program shows all its stacks with their variables.
 * Exactly that is done here, by a second session over a target that records
 * what is read; and the DAC is asked for the memory it needs, for other tools
 * that read the dump.
 */

enum {
	FRAMES_MAX = 1000,   /* of a thread */
	VARIABLES_MAX = 100, /* frames of a thread whose variables are there */
	CHILDREN_MAX = 32,
	DEPTH_MAX = 2,
};

/* The session that looks. What cannot be read does not end the look. */
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

/*
 * Read the variables of the thread's newest frames, so that their memory is
 * part of the dump.
 */
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

/*
 * Bring @look, which stands over the same program, to the stop that @dbg is in.
 */
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

/*
 * Record the memory that shows what the stopped program shows: the stacks of
 * all threads with arguments and locals, and the exception of the stop.
 */
static struct dbg_error *minidump_collect(struct dbg *dbg,
					  struct target_spans *ret)
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

/* ---- Dumps ----------------------------------------------------------- */

/*
 * Create an empty file that nobody else may read; an existing one is emptied.
 */
static struct dbg_error *create(const char *path, int *ret)
{
	struct dbg_error *err =
	    dbg_open_file(path, O_WRONLY | O_CREAT, false, ret);

	if (err)
		return err;
	if (!fchmod(*ret, S_IRUSR | S_IWUSR) && !ftruncate(*ret, 0))
		return NULL;
	err = dbg_err_errno(DBG_E_FILE, errno, "cannot write '%s'", path);
	close(*ret);
	return err;
}

struct dbg_error *dbg_core_write(struct dbg_stopped at, const char *path,
				 const struct dbg_core_options *o,
				 uint64_t *ret_size)
{
	struct dbg *dbg = at.dbg;
	_cleanup_close_ int fd = -1;

	struct dbg_error *err = session_need_stop(at);

	if (err)
		return err;
	if (!target_memory_of(dbg->target))
		return dbg_err(DBG_E_STATE,
			       "this is a core dump already: copy its file");
	struct target_core_req req = {
	    .files = o->kind == DBG_CORE_FULL,
	    .pack = o->compress,
	    .first = stack_thread_tid(dbg->inspect.stack, dbg->stop.thread),
	    .signal = dbg->stop.signal,
	    .interrupted = &dbg->inspect.interrupted,
	};
	const struct dbg_fault *fault = dbg->stop.fault;
	struct target_spans only = {0};

	if (fault)
		req.fault = (struct core_fault){fault->signal, fault->code,
						fault->addr};
	err = create(path, &fd);
	if (err)
		return err;
	dbg->inspect.interrupted = 0;
	req.fd = fd;
	if (o->kind == DBG_CORE_MINI) {
		req.only = &only;
		err = minidump_collect(dbg, &only);
	}
	if (!err)
		err = target_core_write(dbg->target, &req, ret_size);
	target_spans_deinit(&only);
	if (!err)
		return NULL;
	unlink(path);
	return dbg_err_prefix(err, "no core file '%s'", path);
}
