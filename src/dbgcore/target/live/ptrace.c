/*
 * Letting threads go on: PTRACE_CONT, PTRACE_SINGLESTEP and detaching, each
 * with the signals that are due. PTRACE_CONT delivers one; further ones are
 * queued and passed when they come back.
 */
#include "target/live/live.h"
#include "target/live/thread.h"
#include "target/proc.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"

/* ---- Letting threads go on ----------------------------------------------- */

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

/* ---- Displace ------------------------------------------------------------ */

/*
 * The instruction beneath a trap, for a thread that goes on from there:
 * emulated if it is a simple one; all others executed in place with everything
 * stopped, a system call to its entry only, for it may last. No thread is given
 * a pc that is not its own: should we die, it stands where it was.
 */

// Read memory as the instruction itself would: within its rights.
static bool emulated_read(void *arg, uint64_t addr, void *buf, size_t n)
{
	struct live *l = arg;

	// The processor would tell of what is watched.
	if (hwbreak_touches(l, addr, n) || !live_read_plain(l, addr, buf, n))
		return false;
	traps_mask(&l->target.traps, addr, buf, n);
	return true;
}

static bool emulated_write(void *arg, uint64_t addr, const void *buf, size_t n)
{
	struct live *l = arg;
	const struct traps *traps = &l->target.traps;
	size_t i = traps_lower(traps, addr);

	if ((i < traps->n && traps->v[i].addr - addr < n) ||
	    hwbreak_touches(l, addr, n))
		return false;
	target_cache_drop(&l->target);
	return live_write_plain(l, addr, buf, n);
}

static bool emulate(struct live *l, struct thread *th, struct trap *trap)
{
	struct target *t = &l->target;
	const struct emu_memory mem = {emulated_read, emulated_write, l};
	uint8_t code[ARCH_INSN_MAX];

	if (!trap->decoded) {
		size_t n = target_read_some(t, trap->addr, code, sizeof(code));

		emu_decode(code, n, &trap->insn);
		trap->decoded = true;
	}
	// Killed between the memory and the registers, we would have it done
	// again by the thread.
	if (l->survives && emu_is_once(&trap->insn))
		return false;
	if (!emu_run(&trap->insn, &th->regs.now, &mem))
		return false;
	th->regs.dirty = true;
	return true;
}

// Is it an instruction with a repeat prefix, of which this step is one of many
// turns?
static bool is_repeated(struct live *l, uint64_t pc)
{
	struct insn insn;

	return insn_at(&l->target, pc, &insn) && insn.repeats;
}

enum placed {
	PLACED_AGAIN, /* nothing was executed, or one turn of many */
	PLACED_DONE,
	PLACED_ENTERED, /* it stands at the entry of the system call */
	PLACED_SIGNAL,  /* th->due.signal is to be delivered */
	PLACED_GONE,
};

// Was the trap armed again before we came to it? A vfork child passes traps
// while others run, one of which may have done so.
static bool armed_again(struct live *l, struct thread *th, uint64_t pc)
{
	const struct trap *trap = traps_find(&l->target.traps, pc);

	if (!trap || trap->byte == ARCH_TRAP || !thread_load_regs(l, th) ||
	    regs_pc(&th->regs.now) != pc + ARCH_TRAP_BEHIND)
		return false;
	regs_set_pc(&th->regs.now, pc);
	th->regs.dirty = true;
	return true;
}

// Judge the stop of a thread that was stepped in place.
static enum placed placed_judge(struct live *l, struct thread *th, uint64_t pc)
{
	int signal = WSTOPSIG(th->placed);
	siginfo_t info;

	if (th->placed >> 16 ||
	    live_ptrace(l, PTRACE_GETSIGINFO, th->tid, 0, (uintptr_t)&info))
		return PLACED_AGAIN;
	bool raised = info.si_code > 0;
	if (signal == SIGTRAP && info.si_code == SI_KERNEL &&
	    armed_again(l, th, pc))
		return PLACED_AGAIN;
	if (signal == SIGTRAP && raised && info.si_code != SI_KERNEL) {
		th->hits |= hwbreak_hits(l, th);
		if (thread_load_regs(l, th) && regs_pc(&th->regs.now) == pc &&
		    is_repeated(l, pc))
			return PLACED_AGAIN;
		return PLACED_DONE;
	}
	th->due.signal = signal;
	th->due.info = info;
	th->due.here = raised;
	// Sent by somebody, not raised: it waits for the instruction.
	return raised ? PLACED_SIGNAL : PLACED_AGAIN;
}

// Is it still the same thread, in the same program (no exec)?
static bool is_same_thread(struct live *l, const struct thread *th, pid_t tid,
			   uint64_t execs)
{
	return thread_find(l, tid) == th && l->execs == execs;
}

static struct dbg_error *await_place(struct live *l, struct thread *th)
{
	struct dbg_error *err;
	pid_t tid = th->tid;
	bool any;

	while (thread_find(l, tid) == th && th->stop == STOP_NONE &&
	       !th->zombie) {
		err = live_take(l, true, &any);
		if (err)
			return err;
	}
	return NULL;
}

static struct dbg_error *lift_here(struct live *l, uint64_t pc)
{
	const struct trap *trap = traps_find(&l->target.traps, pc);

	return trap ? live_write_code(&l->target, pc, &trap->byte, 1) : NULL;
}

static struct dbg_error *arm_here(struct live *l, uint64_t pc)
{
	static const uint8_t byte = ARCH_TRAP;
	const struct trap *trap = traps_find(&l->target.traps, pc);

	if (!trap || trap->lifted || l->exited)
		return NULL;
	return live_write_code(&l->target, pc, &byte, 1);
}

// The same for a thread that was let go to the entry of a system call.
static enum placed judge_entry(struct live *l, struct thread *th, uint64_t pc)
{
	if (WSTOPSIG(th->placed) != (SIGTRAP | 0x80))
		return placed_judge(l, th, pc);
	th->entering = true;
	return PLACED_ENTERED;
}

// Lift the trap and step until the instruction is done, or entered.
static struct dbg_error *step_placed(struct live *l, struct thread *th,
				     enum placed *ret)
{
	struct dbg_error *err;
	uint64_t pc = regs_pc(&th->regs.now), execs = l->execs;
	pid_t tid = th->tid;
	bool enters = thread_at_syscall(l, th);

	*ret = PLACED_AGAIN;
	while (*ret == PLACED_AGAIN) {
		err = lift_here(l, pc);
		if (err)
			return err;
		thread_mask(l, th);
		thread_flush_regs(l, th);
		th->in_place = true;
		thread_set_stop(l, th, STOP_NONE);
		err = thread_request(
		    l, th, enters ? PTRACE_SYSCALL : PTRACE_SINGLESTEP, 0);
		if (!err)
			err = await_place(l, th);
		if (!is_same_thread(l, th, tid, execs)) {
			*ret = PLACED_GONE;
			return err;
		}
		th->in_place = false;
		if (err)
			return err;
		*ret =
		    enters ? judge_entry(l, th, pc) : placed_judge(l, th, pc);
	}
	return NULL;
}

static struct dbg_error *step_in_place(struct live *l, struct thread *th,
				       bool *ret_done)
{
	struct dbg_error *err;
	uint64_t pc = regs_pc(&th->regs.now), execs = l->execs;
	enum placed placed = PLACED_GONE;
	pid_t tid = th->tid;

	// A vfork child cannot wait for its parent, which waits for it.
	bool pause = th->kind == THREAD_OWN;
	err = pause ? live_pause(l) : NULL;
	if (!err && is_same_thread(l, th, tid, execs)) {
		err = step_placed(l, th, &placed);
		err = dbg_err_first(err, arm_here(l, pc));
	}
	if (placed == PLACED_SIGNAL)
		thread_due(l, th, th->due.signal);
	if (placed == PLACED_DONE && th->hits && th->kind == THREAD_OWN)
		thread_keep(l, th, TARGET_WATCH);
	*ret_done = placed == PLACED_DONE;
	return dbg_err_first(err, pause ? live_unpause(l) : NULL);
}

struct dbg_error *thread_displace(struct live *l, struct thread *th,
				  bool *ret_done)
{
	*ret_done = false;
	if (!th->skip_pc)
		return NULL;
	uint64_t pc = th->skip_pc;
	th->skip_pc = 0;
	if (!thread_load_regs(l, th) || regs_pc(&th->regs.now) != pc)
		return NULL;
	struct trap *trap = traps_find(&l->target.traps, pc);
	if (!trap)
		return NULL;
	if (emulate(l, th, trap)) {
		*ret_done = true;
		return NULL;
	}
	return step_in_place(l, th, ret_done);
}
