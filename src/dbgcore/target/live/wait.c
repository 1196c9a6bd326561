/*
 * Wait statuses: reaped, and what they mean. A status changes the thread's
 * state at once; its event goes to the queue, from which it is reported.
 */
#include "target/guard/orphan.h"
#include "target/guard/orphan_code.h"
#include "target/live/family.h"
#include "target/live/live.h"
#include "target/live/thread.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- The queue of events ------------------------------------------------- */

/*
 * The queue of events: what is to be reported, in order. An event is handed out
 * only while its cause stands (a trap, a watch), and while its thread may run:
 * where one thread runs alone, stops of the others wait until they go on.
 */

struct target_event *queue_slot(struct live *l)
{
	if (l->queue.first && l->queue.first == l->queue.n)
		l->queue.first = l->queue.n = 0;
	mem_grow(&l->queue.events, &l->queue.cap, l->queue.n,
		 sizeof(*l->queue.events));
	struct queued *queued = &l->queue.events[l->queue.n++];
	memset(queued, 0, sizeof(*queued));
	queued->serial = ++l->queue.serial;
	return &queued->event;
}

void live_queue(struct live *l, enum target_event_kind kind, pid_t tid)
{
	struct target_event *event = queue_slot(l);

	event->kind = kind;
	event->tid = tid;
}

void thread_keep(struct live *l, struct thread *th, enum target_event_kind kind)
{
	struct target_event *event = queue_slot(l);

	event->kind = kind;
	event->tid = th->tid;
	th->event_queued = (int)kind;
	th->serial = l->queue.serial;
	if (kind == TARGET_WATCH) {
		l->queue.events[l->queue.n - 1].watch_stamp = th->watch_stamp;
		event->slots = th->hits;
		th->hits = 0;
	}
	if (kind == TARGET_TRAP || kind == TARGET_STEPPED ||
	    kind == TARGET_WATCH)
		event->addr =
		    thread_load_regs(l, th) ? regs_pc(&th->regs.now) : 0;
	if (kind == TARGET_SIGNAL) {
		event->signal = th->due.signal;
		event->info = th->due.info;
	}
}

static bool is_stop(enum target_event_kind kind)
{
	return kind == TARGET_TRAP || kind == TARGET_STEPPED ||
	       kind == TARGET_SIGNAL || kind == TARGET_INTERRUPTED ||
	       kind == TARGET_WATCH;
}

// Is it an event of a trap or watch that was removed since?
static bool is_void(const struct live *l, const struct target_event *event)
{
	if (event->kind == TARGET_WATCH)
		return !hwbreak_any(l);
	return event->kind == TARGET_TRAP &&
	       !target_trap_armed(&l->target, event->addr);
}

// Shall the event wait, since another thread runs alone? An interruption
// concerns no thread in particular and does not wait.
bool queue_waits(const struct live *l, const struct thread *th, int kind)
{
	pid_t only = l->target.only;

	return th->kept ||
	       (only && th->tid != only && kind != TARGET_INTERRUPTED);
}

// May this event be reported? *ret_drop: it is void.
static struct dbg_error *ripe(struct live *l, const struct queued *queued,
			      bool *ret_ripe, bool *ret_drop)
{
	const struct target_event *event = &queued->event;
	struct thread *th = thread_find(l, event->tid);

	*ret_ripe = true;
	*ret_drop = false;
	if (!is_stop(event->kind) && event->kind != TARGET_EXEC)
		return NULL;
	if (!th || !th->event_queued || th->serial != queued->serial) {
		*ret_drop = true;
		return NULL;
	}
	*ret_ripe = event->kind == TARGET_EXEC ||
		    (!l->held && !queue_waits(l, th, event->kind));
	if (!*ret_ripe)
		return NULL;
	th->event_queued = 0;
	if (is_void(l, event)) {
		*ret_drop = true;
		return thread_go(l, th);
	}
	if (event->kind == TARGET_TRAP || event->kind == TARGET_STEPPED)
		th->skip_pc = event->addr;
	return NULL;
}

struct dbg_error *queue_pop(struct live *l, struct target_event *ret,
			    bool *ret_any)
{
	struct dbg_error *err;
	size_t i = l->queue.first;

	*ret_any = false;
	while (i < l->queue.n && !*ret_any) {
		struct queued queued = l->queue.events[i];
		bool is_ripe, drop;

		err = ripe(l, &queued, &is_ripe, &drop);
		if (err)
			return err;
		if (!is_ripe && !drop) {
			i++;
			continue;
		}
		if (i == l->queue.first) {
			i = ++l->queue.first;
		} else {
			l->queue.n--;
			memmove(&l->queue.events[i], &l->queue.events[i + 1],
				(l->queue.n - i) * sizeof(queued));
		}
		*ret_any = !drop;
		if (drop)
			continue;
		*ret = queued.event;
		// The registers were set anew meanwhile: any of the slots may
		// be it.
		if (ret->slots && queued.watch_stamp != l->watch_stamp)
			ret->slots = (1u << TARGET_WATCHES) - 1;
	}
	return NULL;
}

/* ---- Hits that are told later ----------------------------------------- */

static void hit_keep(struct target *t, const struct target_event *event,
		     bool kept)
{
	struct live *l = live_of(t);
	struct thread *th = thread_find(l, event->tid);

	if (!th || th->stop == STOP_NONE || th->event_queued)
		return;
	*queue_slot(l) = *event;
	th->event_queued = (int)event->kind;
	th->serial = l->queue.serial;
	th->skip_pc = 0;
	th->kept = kept;
}

void live_hit_keep(struct target *t, const struct target_event *event)
{
	hit_keep(t, event, true);
}

void live_hit_again(struct target *t, const struct target_event *event)
{
	hit_keep(t, event, false);
	live_kick(live_of(t));
}

void live_hits_release(struct target *t)
{
	struct live *l = live_of(t);

	for (size_t i = 0; i < l->n_threads; i++)
		l->threads[i]->kept = false;
	live_kick(l);
}

/* ---- A thread that runs elsewhere for a while ------------------------ */

struct dbg_error *live_hit_take(struct target *t, pid_t tid,
				struct target_hit *ret)
{
	struct live *l = live_of(t);
	struct target_hit hit = {0};
	struct thread *th;
	struct dbg_error *err = thread_stopped(l, tid, &th);

	if (err)
		return err;
	if (th->event_queued == TARGET_SIGNAL)
		return dbg_err(DBG_E_STATE,
			       "thread %d has a signal to handle first", tid);
	hit.passed =
	    thread_load_regs(l, th) && regs_pc(&th->regs.now) == th->skip_pc;
	for (size_t i = l->queue.first; th->event_queued && i < l->queue.n; i++)
		if (l->queue.events[i].serial == th->serial) {
			hit.event = l->queue.events[i].event;
			hit.watch_stamp = l->queue.events[i].watch_stamp;
		}
	th->event_queued = 0;
	th->kept = false;
	*ret = hit;
	return NULL;
}

void live_hit_give(struct target *t, pid_t tid, const struct target_hit *hit)
{
	struct live *l = live_of(t);
	struct thread *th = thread_find(l, tid);

	if (!th || th->stop == STOP_NONE || th->event_queued ||
	    !thread_load_regs(l, th))
		return;
	th->skip_pc = hit->passed ? regs_pc(&th->regs.now) : 0;
	if (!hit->event.kind)
		return;
	*queue_slot(l) = hit->event;
	l->queue.events[l->queue.n - 1].watch_stamp = hit->watch_stamp;
	th->event_queued = (int)hit->event.kind;
	th->serial = l->queue.serial;
}

/* ---- Wait statuses and what they mean ------------------------------------ */

/* ---- Looking for events ---------------------------------------------- */

void live_raise(struct live *l)
{
	l->target.counters.syscalls++;
	syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGCHLD);
}

void live_kick(struct live *l)
{
	// Raise SIGCHLD ourselves: target_fd polls readable, and
	// event_next finds the queue.
	if (l->queue.first != l->queue.n || l->family->missed)
		live_raise(l);
	l->family->missed = false;
}

bool live_ended(struct target *t)
{
	struct live *l = live_of(t);

	live_drain(l);
	l->family->missed = true;
	char state = proc_state(t->pid, live_body(l));
	return !state || state == 'Z' || state == 'X';
}

void live_rouse(struct target *t)
{
	struct live *l = live_of(t);

	l->family->drained = false;
	live_raise(l);
}

void live_drain(struct live *l)
{
	// One may be pending for the thread and one for the process.
	struct signalfd_siginfo info[2];

	l->target.counters.syscalls++;
	if (read(l->family->signal_fd, info, sizeof(info)) <= 0)
		l->target.counters.looks++;
}

struct dbg_error *live_event_next(struct target *t, struct target_event *ret,
				  bool *ret_any)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	bool any = true;

	// Drained before waiting: what comes later raises SIGCHLD anew.
	if (!l->family->drained)
		live_drain(l);
	l->family->drained = true;
	while (any) {
		err = queue_pop(l, ret, ret_any);
		if (err || *ret_any)
			return err;
		err = live_take(l, false, &any);
		if (err)
			return err;
	}
	l->family->drained = false;
	return NULL;
}

/* ---- Statuses -------------------------------------------------------- */

void thread_due(struct live *l, struct thread *th, int signal)
{
	th->due.signal = signal;
	th->due.reported = false;
	th->due.here = true;
	th->due.int3 = 0;
	if (sigismember(&l->watched, signal) != 1)
		return;
	th->due.reported = true;
	if (live_ptrace(l, PTRACE_GETSIGINFO, th->tid, 0,
			(uintptr_t)&th->due.info))
		memset(&th->due.info, 0, sizeof(th->due.info));
	thread_keep(l, th, TARGET_SIGNAL);
}

// Is the signal a key that is meant for us? It is not if the program is kept
// aside, which nobody then keeps from ending.
static bool is_our_key(struct live *l, struct thread *th)
{
	siginfo_t info;

	return l->family->shares_tty &&
	       !live_ptrace(l, PTRACE_GETSIGINFO, th->tid, 0,
			    (uintptr_t)&info) &&
	       live_is_key(&info);
}

// Is it a signal of job control? These act when they are sent, and on one
// another: sent again, one would undo what came after it.
static bool is_job_control(int signal)
{
	return signal == SIGCONT || signal == SIGSTOP || signal == SIGTSTP ||
	       signal == SIGTTIN || signal == SIGTTOU;
}

/*
 * Give a signal that came while all are being stopped back to the kernel: to be
 * delivered to a thread that blocks it, it becomes pending again, whole, and
 * the thread comes to the stop that it is asked for. If we die no signal is
 * lost then, as it is at a stop that was reaped; nor does it come twice. While
 * there is no table for the mask yet, as when we attach, the thread gets the
 * signal and stops where its handler begins. False: a signal of job control, or
 * one that the thread raised, which it will raise again.
 */
static bool signal_put_back(struct live *l, struct thread *th, int signal)
{
	if (!l->survives || is_job_control(signal) ||
	    !(orphan_step_mask(0) >> (signal - 1) & 1))
		return false;
	if (!l->orphan.addr) {
		thread_pass(l, th, signal);
		return true;
	}
	thread_mask(l, th);
	if (!th->masked)
		return false;
	thread_ask(l, th);
	live_ptrace(l, PTRACE_CONT, th->tid, 0, (uint64_t)signal);
	return true;
}

static void on_signal(struct live *l, struct thread *th, int signal)
{
	uint64_t bit = UINT64_C(1) << (signal - 1);

	if (th->due.injected & bit) {
		th->due.injected &= ~bit;
		if (th->due.injected_info.si_signo == signal)
			live_ptrace(l, PTRACE_SETSIGINFO, th->tid, 0,
				    (uintptr_t)&th->due.injected_info);
		th->due.injected_info.si_signo = 0;
		thread_pass(l, th, signal);
		return;
	}
	bool watched = sigismember(&l->watched, signal) == 1;
	if (th->kind != THREAD_OWN && l->follow && is_our_key(l, th)) {
		thread_pass(l, th, 0);
		return;
	}
	if (th->kind != THREAD_OWN || (!watched && !l->stopping)) {
		thread_pass(l, th, signal);
		return;
	}
	if (!watched && signal_put_back(l, th, signal))
		return;
	thread_set_stop(l, th, STOP_SIGNAL);
	thread_due(l, th, signal);
}

// Was there a trap in front of @after that has been lifted since?
static bool was_lifted(struct live *l, uint64_t after)
{
	uint8_t code[ARCH_TRAP_MAX];
	size_t n = sizeof(code);

	return live_read(&l->target, after - n, code, n) == n &&
	       !insn_traps(code);
}

void thread_rewind(struct live *l, struct thread *th)
{
	if (th->stop == STOP_NONE || th->due.signal != SIGTRAP ||
	    !th->due.int3 || !thread_load_regs(l, th) ||
	    regs_pc(&th->regs.now) != th->due.int3 ||
	    !was_lifted(l, th->due.int3))
		return;
	regs_set_pc(&th->regs.now, th->due.int3 - ARCH_TRAP_BEHIND);
	th->regs.dirty = true;
	th->due.signal = 0;
	th->due.reported = false;
	th->event_queued = 0;
}

// Handle an int3 that a thread has executed; false: it is the program's own.
static struct dbg_error *on_int3(struct live *l, struct thread *th,
				 bool *ret_ours)
{
	struct dbg_error *err;
	bool done;

	*ret_ours = true;
	if (!thread_load_regs(l, th))
		return NULL;
	uint64_t after = regs_pc(&th->regs.now);
	uint64_t addr = after - ARCH_TRAP_BEHIND;
	bool armed = target_trap_armed(&l->target, addr);
	if (!armed && !was_lifted(l, after)) {
		*ret_ours = false;
		return NULL;
	}
	regs_set_pc(&th->regs.now, addr);
	th->regs.dirty = true;
	thread_set_stop(l, th, STOP_SIGNAL);
	if (th->kind == THREAD_OWN && armed) {
		thread_keep(l, th, TARGET_TRAP);
		return NULL;
	}
	if (th->kind == THREAD_OWN && l->stopping)
		return NULL;
	th->skip_pc = addr;
	pid_t tid = th->tid;
	err = thread_displace(l, th, &done);
	if (err || thread_find(l, tid) != th)
		return err;
	return thread_go(l, th);
}

// Is the thread at the entry of a signal handler? A thread that is stepped
// stops there by no signal (signal_delivered of the kernel), and none can be
// delivered from there.
static bool at_handler(const siginfo_t *info)
{
	return info->si_code == SIGTRAP;
}

static enum thread_stop stop_of(const siginfo_t *info)
{
	return at_handler(info) ? STOP_EVENT : STOP_SIGNAL;
}

// Does the thread stand within the instruction that one of our traps covers?
// Only the trap itself leads there; what was due besides would have stopped it
// before.
static bool is_within_trapped(struct live *l, struct thread *th)
{
	if (th->kind == THREAD_ASIDE || th->stepping || th->due.catching ||
	    !thread_load_regs(l, th))
		return false;

	const struct trap *trap = traps_find(
	    &l->target.traps, regs_pc(&th->regs.now) - ARCH_TRAP_BEHIND);

	return trap && trap->decoded && trap->insn.len > ARCH_TRAP_BEHIND &&
	       target_trap_armed(&l->target, trap->addr);
}

static struct dbg_error *on_sigtrap(struct live *l, struct thread *th)
{
	struct dbg_error *err;
	siginfo_t info;
	bool ours;

	if (is_within_trapped(l, th))
		return on_int3(l, th, &ours);
	if (live_ptrace(l, PTRACE_GETSIGINFO, th->tid, 0, (uintptr_t)&info))
		return NULL;
	if (th->due.catching && at_handler(&info))
		thread_catches(l, th);
	th->due.catching = false;
	if (info.si_code > 0 && info.si_code != SI_KERNEL)
		th->hits = hwbreak_hits(l, th);
	if (info.si_code == SI_KERNEL && th->kind != THREAD_ASIDE) {
		err = on_int3(l, th, &ours);
		if (err || ours)
			return err;
	} else if (th->hits) {
		th->stepping = false;
		thread_set_stop(l, th, STOP_SIGNAL);
		thread_keep(l, th, TARGET_WATCH);
		return NULL;
	} else if (th->stepping && info.si_code > 0) {
		// TRAP_TRACE; TRAP_BRKPT behind a system call.
		th->stepping = false;
		thread_set_stop(l, th, stop_of(&info));
		thread_keep(l, th, TARGET_STEPPED);
		return NULL;
	} else if (info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT ||
		   info.si_code == TRAP_HWBKPT || at_handler(&info)) {
		// Of a step that was given up before it was seen, or of a
		// watchpoint that is gone: perhaps a dead debugger's.
		if (l->stopping && th->kind == THREAD_OWN)
			thread_set_stop(l, th, stop_of(&info));
		else
			thread_pass(l, th, 0);
		return NULL;
	}
	on_signal(l, th, SIGTRAP);
	if (info.si_code == SI_KERNEL && th->regs.valid)
		th->due.int3 = regs_pc(&th->regs.now);
	return NULL;
}

static struct dbg_error *on_event_stop(struct live *l, struct thread *th,
				       int signal)
{
	bool group = signal != SIGTRAP, asked = th->asked;
	bool came_late = th->came_late;

	th->came_late = false;
	if (th->kind == THREAD_FORKED) {
		child_release(l, th);
		return NULL;
	}
	th->asked = false;
	if (th->kind == THREAD_ASIDE) {
		child_aside_stop(l, th, group);
		return NULL;
	}
	if (th->kind == THREAD_SHARED) {
		if (th->fresh)
			live_ptrace(l, PTRACE_SETOPTIONS, th->tid, 0,
				    LIVE_OPTIONS);
		th->fresh = false;
		live_ptrace(l, group ? PTRACE_LISTEN : PTRACE_CONT, th->tid, 0,
			    0);
		return NULL;
	}
	thread_set_stop(l, th, group ? STOP_GROUP : STOP_EVENT);
	if (th->fresh) {
		th->fresh = false;
		th->paused = true;
	}
	if (th->execed) {
		th->execed = false;
		thread_keep(l, th, TARGET_EXEC);
		return NULL;
	}
	if (l->stopping || (came_late && l->held))
		return NULL;
	if (asked && l->interrupt_wanted) {
		l->interrupt_wanted = false;
		thread_keep(l, th, TARGET_INTERRUPTED);
		return NULL;
	}
	return thread_go(l, th);
}

static void remove_own(struct live *l, pid_t but)
{
	for (size_t i = l->n_threads; i-- > 0;)
		if (l->threads[i]->kind == THREAD_OWN &&
		    l->threads[i]->tid != but)
			thread_remove(l, l->threads[i]);
}

void live_image_forget(struct live *l)
{
	l->cave = 0;
	traps_clear(&l->target.traps);
	l->memory.n_ghosts = 0;
	orphan_forget(l);
	images_clear(&l->target.images);
	hwbreak_forget(l);
	target_cache_drop(&l->target);
	l->target.runs++;
}

// Handle an exec: the kernel has ended all other threads; the one left bears
// the pid, even if another one called execve.
static struct dbg_error *on_exec(struct live *l, struct thread *th)
{
	if (th->kind != THREAD_OWN) {
		child_exec(l, th);
		return NULL;
	}
	remove_own(l, th->tid);
	thread_remove(l, th);
	child_release_strays(l);
	th = thread_add(l, l->target.pid, THREAD_OWN);
	th->fresh = false;
	th->execed = true;
	l->execs++;
	live_image_forget(l);
	live_set_root(l); // "chroot" and its kin start another program then
	struct dbg_error *err = live_memory_open(l);
	// From inside execve to the first instruction.
	thread_ask(l, th);
	live_ptrace(l, PTRACE_CONT, th->tid, 0, 0);
	return err;
}

void live_exit(struct live *l, int status)
{
	remove_own(l, 0);
	l->exited = true;
	child_release_strays(l);
	traps_clear(&l->target.traps);
	struct target_event *event = queue_slot(l);
	event->kind = TARGET_EXITED;
	event->tid = l->target.pid;
	event->unknown = status < 0;
	if (event->unknown)
		return;
	if (WIFSIGNALED(status))
		event->signal = WTERMSIG(status);
	else
		event->exit_code = WEXITSTATUS(status);
}

// Is none of the process's threads left but a leader that is let die? Nobody
// tells us of that one, and all end with one status.
static bool only_dying(struct live *l)
{
	const struct thread *leader = thread_find(l, l->target.pid);

	if (!leader || !leader->due.deadly)
		return false;
	for (size_t i = 0; i < l->n_threads; i++)
		if (l->threads[i]->kind == THREAD_OWN &&
		    !l->threads[i]->due.deadly)
			return false;
	return true;
}

static struct dbg_error *on_end(struct live *l, struct thread *th, int status)
{
	pid_t tid = th->tid;
	bool own = th->kind == THREAD_OWN, asked = th->asked;

	if (!own || tid == l->target.pid)
		family_gone(l->family, tid);
	if (!own || tid != l->target.pid) {
		bool zombie = th->zombie;

		thread_remove(l, th);
		if (!own)
			child_release_strays(l);
		if (own && only_dying(l)) {
			family_gone(l->family, l->target.pid);
			live_exit(l, status);
			return NULL;
		}
		if (own && !zombie)
			live_queue(l, TARGET_GONE, tid);
		if (own && asked && l->interrupt_wanted && !l->stopping)
			return live_interrupt(&l->target);
		return NULL;
	}
	live_exit(l, status);
	return NULL;
}

struct dbg_error *live_file(struct live *l, struct thread *th, int status)
{
	if (!WIFSTOPPED(status))
		return on_end(l, th, status);
	int event = status >> 16, signal = WSTOPSIG(status);
	struct dbg_error *err = NULL;

	th->regs.valid = th->regs.fp_valid = false;
	th->came_late = th->stuck;
	thread_set_stuck(l, th, false);
	if (th->vfork.found)
		vfork_end(l, th);
	if (th->masked)
		thread_unmask(l, th);
	// The clone that we let it call: the new process is no thread of it.
	if (l->injecting && th->in_place && event == PTRACE_EVENT_CLONE)
		event = 0;
	switch (event) {
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		err = child_born(l, th, event);
		thread_pass(l, th, 0);
		return err;
	case PTRACE_EVENT_VFORK_DONE:
		th->vfork.waits = false;
		vfork_end(l, th);
		thread_pass(l, th, 0);
		return NULL;
	case PTRACE_EVENT_EXEC:
		return on_exec(l, th);
	}
	if (th->in_place) {
		th->placed = status;
		thread_set_stop(l, th, STOP_SIGNAL);
		return NULL;
	}
	if (event == PTRACE_EVENT_STOP)
		return on_event_stop(l, th, signal);
	if (signal == SIGTRAP)
		return on_sigtrap(l, th);
	on_signal(l, th, signal);
	return NULL;
}

/* ---- Waiting for statuses ------------------------------------------------ */

/*
 * Waiting for statuses: of which task, how long, and when they are reaped. A
 * process that is to survive us is looked at with WNOWAIT: a stop that was
 * reaped loses its signal if we die, so it is reaped only when the thread is
 * fit for that. While one is lent statuses are looked at before they are reaped
 * as well: to reap the end of its tracer wakes the program, which waits for it.
 */

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
