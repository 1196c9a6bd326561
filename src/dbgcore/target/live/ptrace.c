/*
 * Letting threads go on: PTRACE_CONT, PTRACE_SINGLESTEP and detaching, each
 * with the signals that are due. PTRACE_CONT delivers one; further ones are
 * queued and passed when they come back.
 */
#include "target/live/live.h"
#include "target/live/thread.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "target/proc.h"

static uint64_t signal_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

// Queue a signal for the thread, to be passed on unseen when it comes.
static void inject(struct live *l, struct thread *th, int signal)
{
	th->due.injected |= signal_bit(signal);
	l->target.counters.syscalls++;
	syscall(SYS_tgkill, l->target.pid, th->tid, signal);
}

// The signal that PTRACE_CONT is to deliver; another one that is due is sent by
// itself.
static int signal_for(struct live *l, struct thread *th)
{
	int signal = th->due.signal;

	th->due.signal = 0;
	th->due.reported = false;
	bool with_info =
	    signal && !th->due.here && th->due.info.si_signo == signal;
	th->due.here = false;
	if (signal && th->stop != STOP_SIGNAL) {
		if (with_info)
			th->due.injected_info = th->due.info;
		inject(l, th, signal);
		signal = 0;
	} else if (with_info) {
		live_ptrace(l, PTRACE_SETSIGINFO, th->tid, 0,
			    (uintptr_t)&th->due.info);
	}
	int extra = th->due.extra;
	th->due.extra = 0;
	if (extra && !signal && th->stop == STOP_SIGNAL)
		return extra;
	if (extra)
		inject(l, th, extra);
	return signal;
}

bool thread_at_syscall(struct live *l, struct thread *th)
{
	struct insn insn;

	return thread_load_regs(l, th) &&
	       insn_at(&l->target, regs_pc(&th->regs.now), &insn) &&
	       insn.kind == INSN_SYSCALL;
}

/*
 * Step to the handler's entry, to unblock SIGTRAP there: while the program's
 * own handler of SIGTRAP runs the signal is blocked, and a trap that is hit
 * then would make the kernel remove the handler (force_sig).
 */
static int to_handler(struct thread *th, int what, int signal)
{
	if (signal != SIGTRAP || what == PTRACE_LISTEN)
		return what;
	th->due.catching = true;
	return PTRACE_SINGLESTEP;
}

void thread_catches(struct live *l, struct thread *th)
{
	uint64_t mask;

	if (live_ptrace(l, PTRACE_GETSIGMASK, th->tid, sizeof(mask),
			(uintptr_t)&mask))
		return;
	// the return from the handler restores the mask from before
	mask &= ~signal_bit(SIGTRAP);
	live_ptrace(l, PTRACE_SETSIGMASK, th->tid, sizeof(mask),
		    (uintptr_t)&mask);
}

struct dbg_error *thread_request(struct live *l, struct thread *th, int what,
				 int signal)
{
	what = to_handler(th, what, signal);
	// ESRCH: it was killed in its stop; its exit status follows.
	if (!live_ptrace(l, what, th->tid, 0, (uint64_t)signal) ||
	    errno == ESRCH)
		return NULL;
	return dbg_err_errno(DBG_E_TARGET, errno, "cannot resume thread %d",
			     th->tid);
}

/* ---- The first process of a pid namespace ----------------------------- */

// Read once: a program may throw by a fault many thousand times a second.
static bool is_of_first(struct live *l, const struct thread *th)
{
	if (th->kind != THREAD_OWN)
		return proc_is_first(th->tid);
	if (!l->first)
		l->first = proc_is_first(th->tid) ? 1 : -1;
	return l->first > 0;
}

/*
 * Will the thread, to which its fault's signal is delivered, fault again for
 * ever? An unhandled fault ends the first process of a namespace, as of a
 * container, unless the thread is traced: the kernel protects it from anything
 * the tracer may send (force_sig_info_to_task of kernel/signal.c).
 */
static bool faults_for_ever(struct live *l, struct thread *th, int signal)
{
	siginfo_t info;
	uint64_t caught = 0;

	return signal_is_fault(signal) && is_of_first(l, th) &&
	       !live_ptrace(l, PTRACE_GETSIGINFO, th->tid, 0,
			    (uintptr_t)&info) &&
	       info.si_code > 0 &&
	       proc_status(th->tid, "SigCgt", 16, &caught) &&
	       !(caught & signal_bit(signal));
}

static bool has_other_own(const struct live *l, const struct thread *th)
{
	for (size_t i = 0; i < l->n_threads; i++)
		if (l->threads[i] != th && l->threads[i]->kind == THREAD_OWN)
			return true;
	return false;
}

// Let it end: its process dies of the fault if the thread is not traced, which
// the other threads tell us. If none does it is killed, for us to be told.
static void let_die(struct live *l, struct thread *th)
{
	if (th->kind != THREAD_OWN || !has_other_own(l, th)) {
		kill(th->tid, SIGKILL);
		return;
	}
	th->due.deadly = true;
	live_ptrace(l, PTRACE_DETACH, th->tid, 0, 0);
}

/* ---- Going on ---------------------------------------------------------- */

struct dbg_error *thread_go(struct live *l, struct thread *th)
{
	if (th->stop == STOP_NONE)
		return NULL;
	int signal = signal_for(l, th);
	int what = th->stepping ? PTRACE_SINGLESTEP : PTRACE_CONT;

	// A step is of one instruction of the program, not of a handler that
	// happens to begin now; a system call may change the mask itself.
	if (th->stepping && !signal && !th->entering &&
	    !thread_at_syscall(l, th))
		thread_mask(l, th);
	th->entering = false;
	if (th->stop == STOP_GROUP && !th->stepping)
		what = PTRACE_LISTEN;
	thread_flush_regs(l, th);
	// A refusal was told when they were set.
	(void)hwbreak_apply(l, th);
	th->skip_pc = 0;
	th->paused = false;
	if (th->asked && l->interrupt_wanted)
		live_ptrace(l, PTRACE_INTERRUPT, th->tid, 0, 0);
	else
		th->asked = false;
	bool dies = signal && faults_for_ever(l, th, signal);
	thread_set_stop(l, th, STOP_NONE);
	if (!dies)
		return thread_request(l, th, what, signal);
	let_die(l, th);
	return NULL;
}

void thread_pass(struct live *l, struct thread *th, int signal)
{
	int what =
	    th->stepping || th->in_place ? PTRACE_SINGLESTEP : PTRACE_CONT;

	// Every trap forgets a PTRACE_INTERRUPT that came before it.
	if (th->asked || (l->stopping && th->kind == THREAD_OWN))
		thread_ask(l, th);
	if (signal && faults_for_ever(l, th, signal)) {
		let_die(l, th);
		return;
	}
	what = to_handler(th, what, signal);
	live_ptrace(l, what, th->tid, 0, (uint64_t)signal);
}

void thread_ask(struct live *l, struct thread *th)
{
	th->asked = true;
	live_ptrace(l, PTRACE_INTERRUPT, th->tid, 0, 0);
}

void thread_detach(struct live *l, struct thread *th)
{
	int signal = th->stop == STOP_NONE ? 0 : signal_for(l, th);

	thread_flush_regs(l, th);
	live_ptrace(l, PTRACE_DETACH, th->tid, 0, (uint64_t)signal);
	thread_remove(l, th);
}
