/*
 * A copy of the process, made by one of its threads on our behalf.
 *
 * A child of the program's would be there for it to see: when the child ends it
 * stays a zombie until the program asks for it. So the thread makes a process
 * between, which shares the program's memory; that one makes the copy and is
 * killed, and the thread reaps it. The copy's parent is then the system's init.
 * Neither sends a signal to the program when it ends (clone with the exit
 * signal 0). Where the program itself is the init of its namespace, as in a
 * container, the copy is its child: a zombie stays behind, which is silent.
 *
 * Both are traced from their birth and stop before they execute anything. If we
 * die, they end: by PTRACE_O_EXITKILL, which the copy inherits from the process
 * between; before that is set, by the code in the cave (back.c).
 */
#include "target/live/fork.h"
#include "target/live/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	SYSCALL_STOP = SIGTRAP | 0x80,
	STOPS_MAX = 100,
	COPY_OPTIONS =
	    PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL,
};

static struct dbg_error *copy_refused(const struct live *l, int errnum)
{
	pid_t pid = l->target.pid;

	if (errnum == EAGAIN)
		return dbg_err(DBG_E_TARGET,
			       "process %d may make no other process: the "
			       "limit of its user (ulimit -u) or of its cgroup "
			       "(pids.max) is reached",
			       pid);
	if (errnum == ENOMEM)
		return dbg_err(DBG_E_TARGET,
			       "there is no memory for a copy of process %d "
			       "(see vm.overcommit_memory)",
			       pid);
	return dbg_err_errno(DBG_E_TARGET, errnum, "cannot copy process %d",
			     pid);
}

/* ---- Processes that are no threads of the target --------------------- */

/* Wait for the next status of a process; for one that is gone, its end. */
static int copy_await(struct live *l, pid_t pid)
{
	int status = 0;

	if (child_take_stray(l->family, pid, &status))
		return status;
	while (waitpid(pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return 0;
	return status;
}

static void end(struct live *l, pid_t pid)
{
	kill(pid, SIGKILL);
	while (WIFSTOPPED(copy_await(l, pid)))
		;
}

/* Wait for the first stop of a process that was made; false: it is gone. */
static bool copy_take_stop(struct live *l, pid_t pid)
{
	return WIFSTOPPED(copy_await(l, pid)) &&
	       !live_ptrace(l, PTRACE_SETOPTIONS, pid, 0, COPY_OPTIONS);
}

/* Work that is done once while the kernel copies the process. */
struct meanwhile {
	void (*fn)(void *arg);
	void *arg;
	bool done;
};

static void do_meanwhile(struct meanwhile *m)
{
	if (m && !m->done)
		m->fn(m->arg);
	if (m)
		m->done = true;
}

/*
 * Go on to the next entry of a system call, or return from one, or to the birth
 * of a process; *ret_event is 0 or that event's. @m, or NULL, is done on the
 * way.
 */
static bool copy_advance(struct live *l, pid_t pid, struct meanwhile *m,
			 int *ret_event)
{
	for (int i = 0; i < STOPS_MAX; i++) {
		if (live_ptrace(l, PTRACE_SYSCALL, pid, 0, 0))
			return false;
		do_meanwhile(m);
		int status = copy_await(l, pid);

		if (!WIFSTOPPED(status))
			return false;
		*ret_event = status >> 16;
		if (*ret_event == PTRACE_EVENT_CLONE ||
		    WSTOPSIG(status) == SYSCALL_STOP)
			return true;
	}
	return false;
}

/*
 * Let it make the system call for which @regs are set, which become those at
 * the end. The kernel itself begins anew what was interrupted. @m, or NULL, is
 * done while the kernel is at work.
 */
static bool copy_syscall(struct live *l, pid_t pid, struct regs *regs,
			 struct meanwhile *m, int *ret_event)
{
	if (live_ptrace(l, PTRACE_SETREGS, pid, 0, (uintptr_t)regs))
		return false;
	for (int i = 0; i < STOPS_MAX; i++) {
		if (!copy_advance(l, pid, NULL, ret_event) ||
		    !copy_advance(l, pid, m, ret_event) ||
		    live_ptrace(l, PTRACE_GETREGS, pid, 0, (uintptr_t)regs))
			return false;
		if (*ret_event || !regs_restarts(regs))
			return true;
	}
	return false;
}

/* ---- The copy -------------------------------------------------------- */

/*
 * Let the intermediate process @pid make the copy; returns the copy's pid, or 0
 * and errno.
 */
static pid_t copy_by(struct live *l, const struct inject *in, pid_t pid,
		     struct meanwhile *m)
{
	struct regs regs = in->saved;
	unsigned long copy = 0;
	int event;

	back_clone(&regs, in->cave, 0);
	bool made =
	    copy_take_stop(l, pid) && copy_syscall(l, pid, &regs, m, &event);
	errno = ESRCH;
	if (!made)
		return 0;
	if (event == PTRACE_EVENT_CLONE) {
		live_ptrace(l, PTRACE_GETEVENTMSG, pid, 0, (uintptr_t)&copy);
		// Once its parent is dead it would be taken for an orphan.
		return copy && copy_take_stop(l, (pid_t)copy) ? (pid_t)copy : 0;
	}
	errno = (int)-back_result(&regs);
	return 0;
}

static struct dbg_error *copy_between(struct live *l, struct inject *in,
				      struct meanwhile *m, pid_t *ret)
{
	struct dbg_error *err;
	struct born between;
	int errnum = 0;
	uint64_t result;

	err = inject_clone(l, in, CLONE_VM | CLONE_FS | CLONE_FILES, &between,
			   &errnum);
	if (err || errnum)
		return err ? err : copy_refused(l, errnum);
	pid_t copy = copy_by(l, in, between.pid, m);
	errnum = errno;
	end(l, between.pid);

	const uint64_t args[6] = {(uint64_t)between.inside, 0, __WALL};

	err = inject_call(l, in, SYS_wait4, args, &result);
	if (!copy)
		return dbg_err_first(copy_refused(l, errnum), err);
	*ret = copy;
	return err;
}

static struct dbg_error *copy_directly(struct live *l, struct inject *in,
				       pid_t *ret)
{
	struct dbg_error *err;
	struct born copy;
	int errnum = 0;

	err = inject_clone(l, in, 0, &copy, &errnum);
	if (err || errnum)
		return err ? err : copy_refused(l, errnum);
	if (!copy_take_stop(l, copy.pid))
		return copy_refused(l, ESRCH);
	*ret = copy.pid;
	return NULL;
}

/* Make the copy the first process that the kernel ends when memory is short. */
static void set_expendable(pid_t pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", pid);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);
	// Nothing can be done about a refusal.
	if (fd >= 0 && write(fd, "1000", 4) < 0)
		return;
}

/*
 * Close all descriptors of the copy: files, locks and connections that the
 * program closes must not stay open because of it. A kernel older than 5.9
 * keeps them.
 */
static bool copy_settle(struct live *l, const struct inject *in, pid_t copy)
{
	const uint64_t args[6] = {0, UINT32_MAX, 0};
	struct regs regs = in->saved;
	int event;

	set_expendable(copy);
	back_syscall(&regs, in->cave, SYS_close_range, args);
	return copy_syscall(l, copy, &regs, NULL, &event);
}

struct dbg_error *live_fork(struct live *l, void (*meanwhile)(void *arg),
			    void *arg, pid_t *ret)
{
	struct meanwhile m = {.fn = meanwhile, .arg = arg};
	struct dbg_error *err;
	struct inject in;
	pid_t copy = 0;

	err = inject_begin(l, &in);
	if (!err && live_tid_inside(&l->target, l->target.pid) == 1)
		err = copy_directly(l, &in, &copy);
	else if (!err)
		err = copy_between(l, &in, &m, &copy);
	do_meanwhile(&m);
	err = dbg_err_first(err, inject_end(l, &in));
	if (!err && !copy_settle(l, &in, copy))
		err = dbg_err(DBG_E_TARGET, "the copy of process %d was killed",
			      l->target.pid);
	if (err && copy)
		end(l, copy);
	if (!err)
		*ret = copy;
	return err;
}
