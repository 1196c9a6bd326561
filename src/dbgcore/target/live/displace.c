/*
 * The instruction beneath a trap, for a thread that goes on from there:
 * emulated if it is a simple one; a system call made elsewhere, for it may
 * last; all others stepped in place with everything stopped.
 */
#include "target/live/live.h"
#include "target/live/thread.h"

#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/err.h"

enum {
	SCAN_MAX = 4 << 20,
};

// As the instruction itself would access memory: within its rights.
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

// Is it one that repeats itself, this step being one turn of many?
static bool is_repeated(struct live *l, uint64_t pc)
{
	struct insn insn;

	return insn_at(&l->target, pc, &insn) && insn.repeats;
}

enum placed {
	PLACED_AGAIN, /* nothing was executed, or one turn of many */
	PLACED_DONE,
	PLACED_SIGNAL, /* th->due.signal is to be delivered */
	PLACED_GONE,
};

// A vfork child passes traps while others run: one may have armed this trap
// again before we came to it.
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

// What the stop of a thread that was stepped in place says.
static enum placed judge(struct live *l, struct thread *th, uint64_t pc)
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

// Is it still the thread that it was, of the program that it was?
static bool alive(struct live *l, const struct thread *th, pid_t tid,
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

	if (!target_trap_armed(&l->target, pc) || l->exited)
		return NULL;
	return live_write_code(&l->target, pc, &byte, 1);
}

// Lift the trap and step until the instruction is done.
static struct dbg_error *step_placed(struct live *l, struct thread *th,
				     enum placed *ret)
{
	struct dbg_error *err;
	uint64_t pc = regs_pc(&th->regs.now), execs = l->execs;
	pid_t tid = th->tid;

	*ret = PLACED_AGAIN;
	while (*ret == PLACED_AGAIN) {
		err = lift_here(l, pc);
		if (err)
			return err;
		if (!thread_at_syscall(l, th))
			thread_mask(l, th);
		thread_flush_regs(l, th);
		th->in_place = true;
		thread_set_stop(l, th, STOP_NONE);
		err = thread_request(l, th, PTRACE_SINGLESTEP, 0);
		if (!err)
			err = await_place(l, th);
		if (!alive(l, th, tid, execs)) {
			*ret = PLACED_GONE;
			return err;
		}
		th->in_place = false;
		if (err)
			return err;
		*ret = judge(l, th, pc);
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
	if (!err && alive(l, th, tid, execs)) {
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

// A system call instruction within a mapping; 0: there is none.
static uint64_t scan(struct target *t, const struct proc_map *map)
{
	uint8_t buf[PAGE_BYTES];
	uint64_t end = map->end;

	if (end - map->start > SCAN_MAX)
		end = map->start + SCAN_MAX;
	for (uint64_t at = map->start; at < end; at += sizeof(buf)) {
		if (target_read_some(t, at, buf, sizeof(buf)) < sizeof(buf))
			break;
		for (size_t i = 0; i + ARCH_SYSCALL_BYTES <= sizeof(buf); i++)
			if (!memcmp(buf + i, arch_syscall,
				    ARCH_SYSCALL_BYTES) &&
			    !target_trap_armed(t, at + i))
				return at + i;
	}
	return 0;
}

// The vdso has one; else any code of a private mapping.
static struct dbg_error *find_syscall(struct live *l, uint64_t *ret)
{
	struct dbg_error *err;
	struct target *t = &l->target;
	struct proc_maps maps;
	uint64_t addr = l->syscall_addr;

	if (addr && !target_trap_armed(t, addr)) {
		*ret = addr;
		return NULL;
	}
	err = live_mappings(l, &maps);
	if (err)
		return err;
	addr = 0;
	for (size_t i = maps.n; i-- > 0 && !addr;)
		if (maps.v[i].exec && !maps.v[i].shared && maps.v[i].read)
			addr = scan(t, &maps.v[i]);
	proc_maps_deinit(&maps);
	if (!addr)
		return dbg_err(DBG_E_TARGET,
			       "no system call instruction in process %d",
			       t->pid);
	l->syscall_addr = addr;
	*ret = addr;
	return NULL;
}

// Enter the system call by another instruction that makes one, to return behind
// this one: at the stop of the entry the kernel takes the pc that we set. The
// caller lets the thread go on from there.
static struct dbg_error *enter_syscall(struct live *l, struct thread *th)
{
	struct dbg_error *err;
	uint64_t pc = regs_pc(&th->regs.now), other = 0, execs = l->execs;
	pid_t tid = th->tid;

	err = find_syscall(l, &other);
	if (err)
		return err;
	regs_set_pc(&th->regs.now, other);
	th->regs.dirty = true;
	thread_mask(l, th);
	do {
		thread_flush_regs(l, th);
		th->in_place = true;
		thread_set_stop(l, th, STOP_NONE);
		err = thread_request(l, th, PTRACE_SYSCALL, 0);
		if (!err)
			err = await_place(l, th);
		if (!alive(l, th, tid, execs))
			return err;
		th->in_place = false;
	} while (!err && WSTOPSIG(th->placed) != (SIGTRAP | 0x80));
	if (err || !thread_load_regs(l, th))
		return err;
	th->entering = true;
	regs_syscall_made(&th->regs.now, pc);
	th->regs.dirty = true;
	return NULL;
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
	if (thread_at_syscall(l, th))
		return enter_syscall(l, th);
	return step_in_place(l, th, ret_done);
}
