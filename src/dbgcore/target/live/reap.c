/*
 * Waiting for statuses: of which task, how long, and when they are reaped. A
 * process that is to survive us is looked at with WNOWAIT: a stop that was
 * reaped loses its signal if we die, so it is reaped only when the thread is
 * fit for that. While one is lent statuses are looked at before they are reaped
 * as well: to reap the end of its tracer wakes the program, which waits for it.
 */
#include "target/live/family.h"
#include "target/live/live.h"
#include "target/live/thread.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/err.h"
#include "target/guard/orphan_code.h"

enum {
	LEADER_POLL_MS = 5,
	STUCK_LOOKS = 100, /* of LEADER_POLL_MS without a status */
};

// Is the leader all that is waited for? One that ended before the other threads
// reports nothing.
static bool only_leader_runs(struct live *l)
{
	struct thread *leader = thread_find(l, l->target.pid);

	return l->n_running == 1 && leader && leader->stop == STOP_NONE &&
	       !leader->zombie && l->n_threads > 1;
}

static bool note_zombie(struct live *l)
{
	struct thread *leader = thread_find(l, l->target.pid);
	char state = proc_state(l->target.pid, leader->tid);

	if (state != 'Z' && state != 'X')
		return false;
	l->n_running--;
	leader->zombie = true;
	live_queue(l, TARGET_GONE, leader->tid);
	return true;
}

// Make the status that waitpid would give of what waitid gives.
static int status_of(const siginfo_t *info)
{
	switch (info->si_code) {
	case CLD_EXITED:
		return (info->si_status & 0xff) << 8;
	case CLD_KILLED:
	case CLD_DUMPED:
		return info->si_status & 0x7f;
	}
	return info->si_status << 8 | 0x7f;
}

// Is a status to be looked at before it is reaped?
static bool looks_first(const struct family *f)
{
	return f->survives || f->n_lent;
}

/*
 * Get a status. Where a process is to survive us it is looked at, not reaped: a
 * stop that was reaped loses its signal if we die. A thread that is resumed at
 * once is never reaped; one that stays stopped is when it is fit for that
 * (thread_reap). @of: a task, or 0 for any.
 */
static pid_t wait_status(struct live *l, pid_t of, bool block, int *ret)
{
	int flags = __WALL | (block ? 0 : WNOHANG);
	bool looks = looks_first(l->family);
	siginfo_t info;
	pid_t tid;

	do {
		l->target.counters.syscalls++;
		info.si_pid = 0;
		if (!looks)
			tid = waitpid(of ? of : -1, ret, flags);
		else if (waitid(of ? P_PID : P_ALL, (id_t)of, &info,
				flags | WEXITED | WSTOPPED | WNOWAIT))
			tid = -1;
		else
			tid = info.si_pid;
	} while (tid < 0 && errno == EINTR);
	if (!tid)
		l->target.counters.looks++;
	if (tid > 0 && looks)
		*ret = status_of(&info);
	return tid;
}

static void task_reap(struct live *l, pid_t tid)
{
	l->target.counters.syscalls++;
	// A task that is not traced may have stopped as well: its stop is
	// reaped so that it is not reported again.
	waitpid(tid, NULL, __WALL | WNOHANG | WUNTRACED);
}

void thread_reap(struct live *l, struct thread *th)
{
	if (!th->unread)
		return;
	th->unread = false;
	if (th->regs.valid && th->regs.dirty) {
		struct regs regs = th->regs.now;

		// Should we die now, before the reaping, its SIGTRAP is
		// delivered: the pc is right already.
		regs_mark(&regs);
		live_ptrace(l, PTRACE_SETREGS, th->tid, 0, (uintptr_t)&regs);
		th->regs.dirty = false;
	}
	task_reap(l, th->tid);
}

// Wait while it is possible that the leader is gone; 0: it is.
static pid_t wait_leader(struct live *l, int *ret)
{
	for (;;) {
		live_drain(l);
		pid_t tid = wait_status(l, 0, false, ret);
		if (tid || note_zombie(l)) {
			// There may be more where SIGCHLD was taken away.
			live_raise(l);
			return tid;
		}
		struct pollfd pfd = {.fd = l->family->signal_fd,
				     .events = POLLIN};
		l->target.counters.syscalls++;
		poll(&pfd, 1, LEADER_POLL_MS);
	}
}

// Handle one wait status.
static struct dbg_error *status_take(struct live *l, pid_t tid, int status)
{
	l->target.counters.stops++;
	bool unread = looks_first(l->family);
	struct live *owner = family_owner(l->family, tid);
	if (owner)
		tracer_status(owner, tid, status);
	if (unread && (!owner || !WIFSTOPPED(status)))
		task_reap(l, tid);
	if (!owner && tracer_program_status(l->family, tid, status))
		return NULL;
	if (!owner) {
		child_stray(l->family, tid, status);
		if (l->family->bereft)
			child_release_strays(l);
		return NULL;
	}
	struct thread *th = thread_find(owner, tid);
	th->unread = unread && WIFSTOPPED(status);
	struct dbg_error *err = live_file(owner, th, status);
	th = thread_find(owner, tid);
	if (th)
		thread_reap(owner, th);
	if (owner != l)
		live_kick(owner);
	return err;
}

struct dbg_error *live_take(struct live *l, bool block, bool *ret_any)
{
	int status;
	pid_t tid;

	*ret_any = false;
	if (block && only_leader_runs(l))
		tid = wait_leader(l, &status);
	else
		tid = wait_status(l, 0, block, &status);
	if (tid < 0 && !block && errno == ECHILD)
		tid = 0;
	if (tid < 0)
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot wait for process %d",
				     l->target.pid);
	*ret_any = tid;
	return tid ? status_take(l, tid, status) : NULL;
}

struct dbg_error *live_take_within(struct live *l, int ms, bool *ret_any)
{
	struct dbg_error *err;
	const struct timespec within = {.tv_nsec = ms * 1000000L};
	sigset_t chld;

	err = live_take(l, false, ret_any);
	if (err || *ret_any)
		return err;
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	l->target.counters.syscalls++;
	sigtimedwait(&chld, NULL, &within);
	return live_take(l, false, ret_any);
}

// There was no status for a while: find the threads that cannot stop now.
static void note_deaf(struct live *l, int looks)
{
	if (only_leader_runs(l) && note_zombie(l))
		return;
	for (size_t i = 0; looks >= STUCK_LOOKS && i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (th->kind == THREAD_OWN && th->stop == STOP_NONE &&
		    !th->zombie && proc_state(l->target.pid, th->tid) == 'D') {
			thread_set_stuck(l, th, true);
			vfork_look(l, th);
		}
	}
}

// Take the threads that have stopped one by one: waitpid for any task looks
// through all of them each time, which is quadratic for hundreds of threads.
static struct dbg_error *stopped_take(struct live *l)
{
	struct dbg_error *err = NULL;
	int status;

	for (size_t i = 0; !err && i < l->n_threads; i++) {
		const struct thread *th = l->threads[i];

		if (th->kind != THREAD_OWN || th->stop != STOP_NONE ||
		    th->zombie)
			continue;
		pid_t tid = wait_status(l, th->tid, false, &status);
		if (tid > 0)
			err = status_take(l, tid, status);
	}
	return err;
}

struct dbg_error *live_await_stops(struct live *l)
{
	struct dbg_error *err = stopped_take(l);
	bool any;
	int looks = 0;

	if (!l->n_running)
		return err;
	while (!err && l->n_running) {
		err = live_take_within(l, LEADER_POLL_MS, &any);
		looks = any ? 0 : looks + 1;
		if (!err && !any)
			note_deaf(l, looks);
	}
	// There may be more where SIGCHLD was taken away.
	live_raise(l);
	return err;
}
