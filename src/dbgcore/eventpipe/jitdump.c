/*
 * A runtime that writes a jitdump: EnablePerfMap and DisablePerfMap of its
 * diagnostics socket, since .NET 8. The file is jit-PID.dump in the program's
 * directory for temporary files. A payload that is empty ends the program on
 * .NET 8 to 10: the kind of map is always sent.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "eventpipe/guardian.h"
#include "target/proc.h"

enum {
	SET_PROCESS = 4,
	ENABLE_PERF_MAP = 5,
	DISABLE_PERF_MAP = 6,
	KIND_JITDUMP = 2,
};

struct dbg_jitdump {
	struct ipc_port port;
	struct guardian guardian;
	char *path;
	bool on;
};

static struct dbg_error *jitdump_begin(struct dbg_jitdump *j)
{
	struct ipc_command enable = {.set = SET_PROCESS, .id = ENABLE_PERF_MAP};
	_cleanup_close_ int fd = -1;
	struct proc_summary summary;
	uint64_t none;

	struct dbg_error *err = ipc_open(j->port.pid, &j->port);
	if (!err)
		err = ipc_connect(&j->port, &fd);
	if (err)
		return err;
	if (!proc_summary(j->port.pid, &summary))
		return dbg_err(DBG_E_NOT_FOUND, "process %d has ended",
			       j->port.pid);
	_cleanup_free_ char *place = proc_temporary(j->port.pid);

	j->path = summary.inside == j->port.pid
		      ? xasprintf("%s/jit-%d.dump", place, j->port.pid)
		      : xasprintf("/proc/%d/root%s/jit-%d.dump", j->port.pid,
				  place, summary.inside);
	ipc_put(&enable.payload, KIND_JITDUMP, 4);
	const struct guarded what = {.port = &j->port,
				     .stream = fd,
				     .begin = &enable,
				     .end = DISABLE_PERF_MAP};

	err = guardian_start(&j->guardian, &what, &none);
	str_deinit(&enable.payload);
	j->on = !err;
	return err;
}

struct dbg_error *dbg_jitdump_open(pid_t pid, struct dbg_jitdump **ret)
{
	struct dbg_jitdump *j = xcalloc(1, sizeof(*j));

	j->port = (struct ipc_port){.pid = pid, .dir = -1};
	j->guardian.socket = -1;
	struct dbg_error *err = jitdump_begin(j);

	if (!err) {
		*ret = j;
		return NULL;
	}
	dbg_err_drop(dbg_jitdump_close(j));
	return err;
}

const char *dbg_jitdump_path(const struct dbg_jitdump *j)
{
	return j->path;
}

struct dbg_error *dbg_jitdump_close(struct dbg_jitdump *j)
{
	const struct ipc_command disable = {.set = SET_PROCESS,
					    .id = DISABLE_PERF_MAP};
	_cleanup_str_ struct str reply = {0};
	struct dbg_error *err = NULL;

	if (!j)
		return NULL;
	if (j->on)
		err = ipc_ask(&j->port, &disable, &reply);
	// A program that has ended has nothing to stop.
	if (err && err->code == DBG_E_NOT_FOUND) {
		dbg_error_destroy(err);
		err = NULL;
	}
	guardian_dismiss(&j->guardian, !err);
	ipc_close(&j->port);
	free(j->path);
	free(j);
	return err;
}
