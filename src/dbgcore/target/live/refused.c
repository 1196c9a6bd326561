/*
 * Why the kernel does not let us trace a process, found out after it has
 * refused, as one sentence with the remedy: another tracer, Yama, seccomp,
 * another user.
 */
#include "target/live/live.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	CAP_SYS_PTRACE_BIT = 19, /* linux/capability.h */
};

static struct dbg_error *by_another(pid_t pid)
{
	uint64_t tracer = 0;
	char name[16];

	if (!proc_status(pid, "TracerPid", 10, &tracer) || !tracer)
		return NULL;
	proc_comm((pid_t)tracer, (pid_t)tracer, name);
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d: '%s' (process %d) traces it "
		       "already, which only one debugger can",
		       pid, name, (int)tracer);
}

static bool is_privileged(void)
{
	uint64_t caps = 0;

	proc_status(getpid(), "CapEff", 16, &caps);
	return caps >> CAP_SYS_PTRACE_BIT & 1;
}

// Is it a child of dndbg? It may be traced where other processes may not.
static bool is_child(pid_t pid)
{
	uint64_t parent = 0;

	return proc_status(pid, "PPid", 10, &parent) &&
	       parent == (uint64_t)getpid();
}

static struct dbg_error *by_yama(pid_t pid)
{
	_cleanup_free_ char *text =
	    proc_read("/proc/sys/kernel/yama/ptrace_scope", NULL);
	int scope = text ? text[0] - '0' : 0;
	bool child = is_child(pid);

	if (scope < (child ? 2 : 1) || (scope < 3 && is_privileged()))
		return NULL;
	if (scope > 2)
		return dbg_err(DBG_E_TARGET,
			       "cannot trace process %d: "
			       "/proc/sys/kernel/yama/ptrace_scope is %d, "
			       "which can be changed at boot time only",
			       pid, scope);
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d: "
		       "/proc/sys/kernel/yama/ptrace_scope is %d; as root set "
		       "it to %d, or run dndbg as root",
		       pid, scope, child ? 1 : 0);
}

// Does a seccomp filter forbid ptrace? Asked with process 0, which does not
// exist: a caller who may use ptrace at all gets ESRCH.
static bool is_filtered(void)
{
	return ptrace(PTRACE_CONT, 0, NULL, NULL) && errno != ESRCH;
}

static struct dbg_error *by_seccomp(pid_t pid)
{
	uint64_t mode = 0;

	if (!proc_status(getpid(), "Seccomp", 10, &mode) || !mode ||
	    !is_filtered())
		return NULL;
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d: a seccomp filter forbids "
		       "ptrace; start the container with --cap-add=SYS_PTRACE",
		       pid);
}

static struct dbg_error *by_user(pid_t pid)
{
	uint64_t uid = 0;

	if (!proc_status(pid, "Uid", 10, &uid) || uid == geteuid() ||
	    is_privileged())
		return NULL;
	if (!geteuid())
		return dbg_err(DBG_E_TARGET,
			       "cannot trace process %d, which user %d runs: "
			       "dndbg lacks CAP_SYS_PTRACE; start its "
			       "container with --cap-add=SYS_PTRACE, or run it "
			       "as that user",
			       pid, (int)uid);
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d, which user %d runs: run dndbg "
		       "as that user or as root",
		       pid, (int)uid);
}

// Is the process not dumpable? Then its files in /proc belong to root.
bool live_is_closed(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/maps", pid);
	struct stat st;

	return !is_privileged() && !stat(path, &st) && st.st_uid != geteuid();
}

static struct dbg_error *by_itself(pid_t pid)
{
	if (!live_is_closed(pid))
		return NULL;
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d: it is setuid, has "
		       "capabilities, or has made itself undumpable "
		       "(PR_SET_DUMPABLE); run dndbg as root",
		       pid);
}

struct dbg_error *live_refused(pid_t pid, int errnum)
{
	static struct dbg_error *(*const reasons[])(pid_t) = {
	    by_another, by_yama, by_seccomp, by_user, by_itself,
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		struct dbg_error *err = reasons[i](pid);

		if (err)
			return err;
	}
	return dbg_err_errno(DBG_E_TARGET, errnum, "cannot trace process %d",
			     pid);
}
