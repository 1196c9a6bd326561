/*
 * Core files that we write. The file is made anew for its owner alone, since it
 * holds whatever the program knows, and does not stay if it is not whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "session/minidump.h"
#include "session/session.h"
#include "target/core.h"

/* An empty file that nobody else may read; one that is there is emptied. */
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
