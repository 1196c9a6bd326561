/*
 * Taking over a running process, and letting it go.
 *
 * Traps that a dead debugger has left are lifted first, while its orphan trap
 * handler answers them yet: a thread that we trace comes to us with them. Then
 * all tasks are seized and asked to stop, until a list that was read while
 * all known ones were stopped names no other: a thread that was inside
 * clone() when it was seized makes one more that nobody traces. Stops at traps
 * are judged after the table of those was read (thread_rewind).
 *
 * What is left behind is nothing: traps are lifted, registers written back,
 * signals that were due are delivered by the detaching.
 */
#include "target/guard/orphan.h"
#include "target/live/family.h"
#include "target/live/inject.h"
#include "target/live/live.h"
#include "target/live/thread.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Taking over a running process, and letting it go -------------------- */

enum {
	ROUNDS_MAX = 1000,
	LEAVING_TRIES = 2000,
	LEFT_TRIES = 5, /* in a row, for one that nobody traces */
	PEEK_MAX = 32,
	BACK_LOOKS = 2000, /* of a millisecond, for one that is on its way */
};

// Add a leader that ended before the other threads: it cannot be seized.
static void add_zombie(struct live *l, pid_t tid)
{
	struct thread *th = thread_add(l, tid, THREAD_OWN);

	th->fresh = false;
	th->zombie = true;
	l->n_running--;
}

// The process that traces a task; 0: none, or the task is gone.
static pid_t tracer_of(pid_t tid)
{
	uint64_t tracer = 0;

	(void)proc_status(tid, "TracerPid", 10, &tracer);
	return (pid_t)tracer;
}

// Will this tracer be gone in a moment: a killed debugger, or a cleanup process
// other than this one?
static bool is_leaving(pid_t tracer)
{
	return tracer && tracer != getpid() &&
	       (cleanup_process_is(tracer) || proc_dying(tracer));
}

/*
 * Seize a task; returns errno. The cleanup process of a debugger that died this
 * moment may have been quicker: it gives way to us, or is done soon.
 */
static int try_seize(struct live *l, pid_t tid)
{
	// Its tracer may let it go between our try and our look at it.
	int untraced = 0;

	for (int i = 0; i < LEAVING_TRIES; i++) {
		if (!live_ptrace(l, PTRACE_SEIZE, tid, 0, thread_options(l)))
			return 0;
		int errnum = errno;
		pid_t tracer = tracer_of(tid);

		untraced = tracer ? 0 : untraced + 1;
		if (errnum != EPERM || untraced > LEFT_TRIES ||
		    (tracer && !is_leaving(tracer)))
			return errnum;
		poll(NULL, 0, 1);
	}
	return EPERM;
}

// Seize a task that may be gone by now, or be a thread's new one: those are
// ours already.
static struct dbg_error *task_seize(struct live *l, pid_t tid)
{
	pid_t pid = l->target.pid;
	int errnum = try_seize(l, tid);

	if (!errnum) {
		thread_add(l, tid, THREAD_OWN)->fresh = false;
		return NULL;
	}
	char state = proc_state(pid, tid);

	if (state == 'Z' && tid == pid)
		add_zombie(l, tid);
	if (errnum == ESRCH || !state || state == 'Z' || state == 'X')
		return NULL;
	if (tracer_of(tid) == getpid())
		return NULL;
	return live_refused(pid, errnum);
}

// Seize all tasks that are not known yet; *ret_n is how many there were.
struct dbg_error *live_seize_new(struct live *l, size_t *ret_n)
{
	struct dbg_error *err = NULL;
	size_t before = l->n_threads;
	DIR *tasks = proc_tasks_open(l->target.pid);
	pid_t tid;

	if (!tasks)
		return dbg_err(DBG_E_NOT_FOUND, "no process %d", l->target.pid);
	while (!err && (tid = proc_tasks_next(tasks)))
		if (!thread_find(l, tid))
			err = task_seize(l, tid);
	closedir(tasks);
	*ret_n = l->n_threads - before;
	return err;
}

// The threads found are not new: drop the events of their births.
static void forget_births(struct live *l)
{
	size_t n = 0;

	for (size_t i = l->queue.first; i < l->queue.n; i++) {
		enum target_event_kind kind = l->queue.events[i].event.kind;

		if (kind != TARGET_BORN && kind != TARGET_GONE)
			l->queue.events[n++] = l->queue.events[i];
	}
	l->queue.first = 0;
	l->queue.n = n;
}

struct dbg_error *live_seize_all(struct live *l)
{
	struct dbg_error *err = NULL;
	size_t n = 1;

	for (int i = 0; !err && n && i < ROUNDS_MAX; i++) {
		err = live_seize_new(l, &n);
		if (!err)
			err = live_stop_all(&l->target);
	}
	if (!err && !l->n_threads)
		err = dbg_err(DBG_E_NOT_FOUND, "process %d has ended",
			      l->target.pid);
	if (!err && n)
		err = dbg_err(DBG_E_TARGET,
			      "process %d makes threads faster than they can "
			      "be stopped",
			      l->target.pid);
	forget_births(l);
	return err;
}

static struct dbg_error *check_pid(pid_t pid)
{
	uint64_t tgid = 0, parent = 0;

	if (pid <= 0 || !proc_status(pid, "Tgid", 10, &tgid))
		return dbg_err(DBG_E_NOT_FOUND, "no process %d", pid);
	if (tgid != (uint64_t)pid)
		return dbg_err(DBG_E_ARGUMENT,
			       "%d is a thread of process %d: attach to that",
			       pid, (int)tgid);
	if (pid == getpid())
		return dbg_err(DBG_E_ARGUMENT,
			       "process %d is this debugger itself", pid);
	// what is written into it is written into the other, which nobody
	// traces
	if (proc_status(pid, "PPid", 10, &parent) &&
	    proc_same_memory(pid, (pid_t)parent, false))
		return dbg_err(DBG_E_ARGUMENT,
			       "process %d has no memory of its own yet, but "
			       "runs in that of process %d, which has made it "
			       "by vfork: attach to that",
			       pid, (int)parent);
	return NULL;
}

/*
 * Take the lock by which one debugger at a time takes a process over or cleans
 * it up: nobody else may set traps between its look for a dead debugger's traps
 * and its seizing. Returns a locked descriptor; -1: it cannot be locked.
 */
static int turn_take(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	for (int i = 0; fd >= 0 && i < LEAVING_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return fd;
		poll(NULL, 0, 1);
	}
	mem_close_fd(&fd);
	return -1;
}

// Does anybody trace one of its threads?
static bool is_traced(pid_t pid)
{
	DIR *tasks = proc_tasks_open(pid);
	bool traced = false;
	pid_t tid;

	while (tasks && !traced && (tid = proc_tasks_next(tasks)))
		traced = tracer_of(tid);
	if (tasks)
		closedir(tasks);
	return traced;
}

// Lift the traps of a dead debugger before a thread is traced. If the process
// may not be looked at, seizing it will say so.
static void lift_before(struct live *l)
{
	if (!dbg_err_drop(live_memory_open(l)) && orphan_find(l) &&
	    !is_traced(l->target.pid))
		orphan_lift_found(l);
	orphan_forget(l);
	images_clear(&l->target.images);
	target_cache_drop(&l->target);
}

static struct dbg_error *take_over(struct live *l)
{
	struct dbg_error *err;
	_cleanup_close_ int turn = turn_take(l->target.pid);

	if (turn >= 0)
		lift_before(l);
	err = live_seize_all(l);
	if (!err)
		err = live_memory_open(l);
	if (err)
		return err;
	live_set_root(l);
	err = inject_recover(l);
	return err ? err : orphan_recover(l);
}

static struct dbg_error *process_attach(pid_t pid, bool watched,
					struct target **ret)
{
	struct dbg_error *err;
	struct live *l;

	err = live_create(NULL, &l);
	if (err)
		return err;
	l->target.pid = pid;
	l->survives = l->family->survives = true;
	// A runtime that sees a tracer may trap (Debugger.Break) before anybody
	// has said which signals are looked at: delivered, it ends the program.
	sigaddset(&l->watched, SIGTRAP);
	if (watched)
		err = cleanup_process_start(pid, &l->cleanup);
	if (!err)
		err = take_over(l);
	if (err) {
		live_destroy(&l->target);
		return err;
	}
	*ret = &l->target;
	return NULL;
}

struct dbg_error *target_attach(pid_t pid, struct target **ret)
{
	struct dbg_error *err = check_pid(pid);

	// A debugger died this moment: wait until its cleanup process is done.
	for (int i = 0; !err && is_leaving(tracer_of(pid)) && i < LEAVING_TRIES;
	     i++)
		poll(NULL, 0, 1);
	return err ? err : process_attach(pid, true, ret);
}

struct dbg_error *attach_to_clean(pid_t pid, struct target **ret)
{
	return process_attach(pid, false, ret);
}

/* ---- Letting go ------------------------------------------------------ */

static struct dbg_error *lift_those(struct target *t, bool yield)
{
	size_t n = 0;
	_cleanup_free_ uint64_t *addrs =
	    xcalloc(t->traps.n + 1, sizeof(*addrs));

	for (size_t i = 0; i < t->traps.n; i++)
		if (t->traps.v[i].yields == yield)
			addrs[n++] = t->traps.v[i].addr;
	return target_traps_lift(t, addrs, n);
}

// Lift all traps, those first that other traps guard, see child.c.
static struct dbg_error *lift_all(struct target *t)
{
	struct dbg_error *err = lift_those(t, true);

	return dbg_err_first(err, lift_those(t, false));
}

// Is there a SIGTRAP on its way to the thread, of a trap or a step?
static bool trap_pending(struct live *l, const struct thread *th)
{
	struct __ptrace_peeksiginfo_args args = {.nr = PEEK_MAX};
	siginfo_t infos[PEEK_MAX] = {0}; // valgrind does not know of the call

	long n = live_ptrace(l, PTRACE_PEEKSIGINFO, th->tid, (uintptr_t)&args,
			     (uintptr_t)infos);
	for (long i = 0; i < n; i++)
		if (infos[i].si_signo == SIGTRAP && infos[i].si_code > 0)
			return true;
	return false;
}

// Bring the thread from one stop to another, executing nothing, so that pending
// changes to it take effect.
static void thread_apply_pending(struct live *l, struct thread *th)
{
	(void)hwbreak_apply(l, th);
	bool pending = trap_pending(l, th);
	// The delivery of a signal takes the flag back as well.
	if (!pending &&
	    (!th->flagged || (th->stop == STOP_SIGNAL && th->due.signal)))
		return;
	if (!pending)
		thread_ask(l, th);
	thread_flush_regs(l, th);
	thread_set_stop(l, th, STOP_NONE);
	live_ptrace(l, PTRACE_CONT, th->tid, 0, 0);
}

struct dbg_error *live_leave_ours(struct live *l)
{
	struct dbg_error *err = NULL;
	bool any;

	l->stopping = true;
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (th->kind == THREAD_OWN && th->stop != STOP_NONE)
			thread_apply_pending(l, th);
	}
	while (!err && l->n_running)
		err = live_take(l, true, &any);
	l->stopping = false;
	return err;
}

struct dbg_error *live_take_out(struct live *l)
{
	struct dbg_error *err;

	err = l->exited ? NULL : lift_all(&l->target);
	if (err)
		return err;
	if (!l->exited)
		journal_undo(l);
	hwbreak_forget(l);
	err = live_leave_ours(l);
	return err ? err : orphan_remove(l);
}

// Is the int3 that a thread has executed the runtime's, of Debugger.Break?
static bool is_runtime_trap(struct live *l, uint64_t after)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	struct target_image image;
	uint64_t addr = after - ARCH_TRAP_BEHIND, table = 0;
	bool found = false;

	err = target_image_at(&l->target, addr, arena, &image, NULL, NULL,
			      &found);
	if (!err && found)
		err = target_symbol(&l->target, &image, "g_dacTable", &table);
	dbg_error_destroy(err);
	arena_destroy(arena);
	return table;
}

/*
 * Before letting go: no thread may leave with a SIGTRAP of a trap that is gone,
 * or of an int3 that the runtime executes because it is traced: nobody will be
 * there to answer it.
 */
static void drop_traps(struct live *l, struct thread *th)
{
	thread_rewind(l, th);
	if (th->stop != STOP_NONE && th->due.signal == SIGTRAP &&
	    th->due.int3 && is_runtime_trap(l, th->due.int3))
		th->due.signal = 0;
}

/* ... when all that is ours is taken out already. */
static void live_detach_own(struct live *l)
{
	for (size_t i = l->n_threads; i-- > 0;) {
		struct thread *th = l->threads[i];

		if (th->kind != THREAD_OWN)
			continue;
		drop_traps(l, th);
		thread_detach(l, th);
	}
	l->let_go = true;
}

struct dbg_error *live_let_go(struct live *l, bool stopped)
{
	struct dbg_error *err;

	err = live_stop_all(&l->target);
	if (!err)
		err = live_take_out(l);
	if (err)
		return err;
	// Pending: the first thread that is let go takes it for all.
	if (stopped && !l->exited)
		kill(l->target.pid, SIGSTOP);
	live_detach_own(l);
	return NULL;
}

static struct thread *first_stuck(struct live *l)
{
	for (size_t i = 0; i < l->n_threads; i++)
		if (l->threads[i]->stuck)
			return l->threads[i];
	return NULL;
}

// Find a thread that is still deaf in the kernel; NULL: none. One that is on
// its way back stops in a moment.
static struct dbg_error *find_stuck(struct live *l, struct thread **ret)
{
	struct dbg_error *err = NULL;
	bool any = true;

	l->stopping = true;
	while (!err && any)
		err = live_take(l, false, &any);
	for (int i = 0; !err && (*ret = first_stuck(l)) && i < BACK_LOOKS &&
			proc_state(l->target.pid, (*ret)->tid) != 'D';
	     i++)
		err = live_take_within(l, 1, &any);
	l->stopping = false;
	return err;
}

/* Stop all; an error if a thread cannot be let go now. */
static struct dbg_error *live_leave_begin(struct live *l)
{
	struct dbg_error *err;
	struct thread *th = NULL;

	err = live_stop_all(&l->target);
	if (!err)
		err = find_stuck(l, &th);
	if (err || !th)
		return err;
	return dbg_err(DBG_E_STATE,
		       "thread %d waits in the kernel, as for a child of vfork "
		       "or a disk, and is let go when it comes back: detach "
		       "again then, or quit",
		       th->tid);
}

struct dbg_error *live_detach(struct target *t, bool stopped)
{
	struct live *l = live_of(t);
	struct dbg_error *err = live_leave_begin(l);

	if (!err)
		err = live_let_go(l, stopped);
	// It goes while we forget the program.
	if (!err)
		cleanup_process_dismiss(&l->cleanup);
	return err;
}

/* ---- A program that is lent ---------------------------------------------- */

/*
 * A program that is lent: a process of its own, createdump, traces it in our
 * place until that has ended.
 *
 *   traced -> live_lend -> lent -> the tracer ends -> live_reclaim -> traced
 *
 * The tracer is traced by us, aside. The kernel tells its parent, the program,
 * which waits for it, of its end when we have reaped it. Then, however it has
 * ended, it traces nothing any more, and we have seized all threads of the
 * program before: nothing that follows is missed. Back, threads run and have
 * statuses as ever, of which none is looked at before TARGET_BACK is.
 *
 * Should we die, the program is not ours, and the tracer goes on.
 */

void tracer_forget(struct live *l)
{
	if (l->tracer)
		l->family->n_lent--;
	l->tracer = 0;
}

struct dbg_error *live_lend(struct target *t, pid_t pid)
{
	struct live *l = live_of(t);
	struct dbg_error *err = live_leave_begin(l);

	if (!err)
		err = live_take_out(l);
	if (err)
		return err;
	struct thread *th = thread_find(l, pid);
	if (!th || !th->offered) {
		// It was killed: the threads stand still.
		live_queue(l, TARGET_BACK, t->pid);
		live_kick(l);
		return NULL;
	}
	l->tracer = pid;
	l->family->n_lent++;
	live_detach_own(l);
	th->offered = false;
	// Its children are not ours to trace.
	live_ptrace(l, PTRACE_SETOPTIONS, pid, 0, 0);
	live_ptrace(l, PTRACE_CONT, pid, 0, 0);
	return NULL;
}

void tracer_status(struct live *l, pid_t tid, int status)
{
	size_t n;

	if (tid != l->tracer || WIFSTOPPED(status))
		return;
	tracer_forget(l);
	live_lent_look(&l->target);
	if (l->exited)
		return;
	// Threads that it had only begun to attach to stop by its SIGSTOP.
	if (WIFSIGNALED(status))
		kill(l->target.pid, SIGCONT);
	// If it fails live_reclaim fails too, and says why.
	l->let_go = dbg_err_drop(live_seize_new(l, &n));
	live_queue(l, TARGET_BACK, l->target.pid);
	live_kick(l);
}

struct dbg_error *live_reclaim(struct target *t)
{
	struct live *l = live_of(t);

	live_image_forget(l);
	l->let_go = false;
	struct dbg_error *err = live_seize_all(l);
	if (!err)
		err = live_memory_open(l);
	if (!err) {
		live_set_root(l);
		return NULL;
	}
	dbg_err_drop(live_let_go(l, false));
	l->let_go = true;
	return err;
}

void live_recall(struct target *t)
{
	if (live_of(t)->tracer)
		kill(live_of(t)->tracer, SIGKILL);
}

bool tracer_program_status(struct family *f, pid_t tid, int status)
{
	for (size_t i = 0; i < f->n_lives; i++) {
		struct live *l = f->lives[i];

		if (l->target.pid != tid || l->exited)
			continue;
		if (WIFSTOPPED(status))
			return l->let_go;
		live_recall(&l->target);
		live_exit(l, status);
		live_kick(l);
		return true;
	}
	return false;
}

// The end of a lent process that is not our child is told to its parent alone:
// if that has been told already, the status is not known.
void live_lent_look(struct target *t)
{
	struct live *l = live_of(t);
	uint64_t parent = 0;
	int status;

	if (!l->let_go || l->exited || !proc_ended(t->pid))
		return;
	// while it is traced no parent is told
	live_recall(t);
	if (l->tracer || (proc_status(t->pid, "PPid", 10, &parent) &&
			  (pid_t)parent == getpid()))
		return;
	live_exit(l, proc_exit_status(t->pid, &status) ? status : -1);
	live_kick(l);
}
