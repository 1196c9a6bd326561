/* What a thread of the process does on our behalf: calls of the system, leaves.
 */
#include "target/live.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	SCAN_MAX = 4 << 20,
};

// A `syscall` instruction within a mapping; 0: there is none.
static uint64_t scan(struct target *t, const struct proc_map *map)
{
	uint8_t buf[PAGE_BYTES];
	uint64_t end = map->end;

	if (end - map->start > SCAN_MAX)
		end = map->start + SCAN_MAX;
	for (uint64_t at = map->start; at < end; at += sizeof(buf)) {
		if (target_read_some(t, at, buf, sizeof(buf)) < sizeof(buf))
			break;
		for (size_t i = 0; i + 1 < sizeof(buf); i++)
			if (buf[i] == 0x0f && buf[i + 1] == 0x05 &&
			    !target_trap_armed(t, at + i))
				return at + i;
	}
	return 0;
}

// The vdso has one; else any code of a private mapping.
struct dbg_error *live_find_syscall(struct live *l, uint64_t *ret)
{
	struct dbg_error *err;
	struct target *t = &l->target;
	struct proc_maps maps;
	uint64_t addr = l->syscall_addr;

	if (addr && !target_trap_armed(t, addr)) {
		*ret = addr;
		return NULL;
	}
	err = proc_maps_load(t->pid, &maps);
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

// A thread in a stop where registers can be set and nothing is due.
static struct thread *borrow(struct live *l)
{
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (th->kind == THREAD_OWN && th->stop == STOP_EVENT)
			return th;
	}
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (th->kind == THREAD_OWN && th->stop == STOP_SIGNAL &&
		    !th->due_signal)
			return th;
	}
	return NULL;
}

// Step @th over the instruction that regs stand at; all else stays as it is.
static struct dbg_error *step_bare(struct live *l, struct thread *th)
{
	struct dbg_error *err = NULL;
	pid_t tid = th->tid;
	bool any;

	thread_mask(l, th);
	thread_flush_regs(l, th);
	th->in_place = true;
	thread_set_stop(l, th, STOP_NONE);
	live_ptrace(l, PTRACE_SINGLESTEP, tid, 0, 0);
	while (!err && thread_find(l, tid) == th && th->stop == STOP_NONE)
		err = live_take(l, true, &any);
	if (thread_find(l, tid) != th)
		return err ? err
			   : dbg_err(DBG_E_TARGET, "thread %d ended", tid);
	th->in_place = false;
	return err;
}

/*
 * Run from @want's rip until @end is reached, in at most @steps instructions;
 * rax is the result. All registers are then as they were.
 */
static struct dbg_error *call(struct live *l, struct thread *th,
			      const struct user_regs_struct *want, uint64_t end,
			      unsigned int steps, uint64_t *ret)
{
	struct dbg_error *err = NULL;
	pid_t tid = th->tid;
	uint64_t pc = want->rip;

	if (!thread_load_regs(l, th))
		return dbg_err(DBG_E_TARGET, "thread %d is gone", tid);
	struct user_regs_struct saved = th->regs;
	th->regs = *want;
	th->regs.rsp = want->rsp ? want->rsp : saved.rsp;
	th->regs.eflags = saved.eflags;
	th->regs.cs = saved.cs;
	th->regs.ss = saved.ss;
	th->regs.fs_base = saved.fs_base;
	th->regs.gs_base = saved.gs_base;
	th->regs.ds = saved.ds;
	th->regs.es = saved.es;
	th->regs.fs = saved.fs;
	th->regs.gs = saved.gs;
	do {
		th->regs_dirty = true;
		err = step_bare(l, th);
		if (err)
			return err;
		if (!thread_load_regs(l, th))
			return dbg_err(DBG_E_TARGET, "thread %d is gone", tid);
		// A pending group stop comes first; then again.
		if (th->regs.rip != pc)
			steps--;
		pc = th->regs.rip;
	} while (pc != end && steps);
	uint64_t result = th->regs.rax;
	th->regs = saved;
	th->regs_valid = th->regs_dirty = true;
	if (pc != end)
		return dbg_err(DBG_E_TARGET,
			       "thread %d did not go where it "
			       "was sent",
			       tid);
	*ret = result;
	return NULL;
}

struct dbg_error *live_call_leaf(struct target *t, uint64_t addr, uint64_t a,
				 uint64_t b)
{
	enum {
		STEPS_MAX = 200,
		RED_ZONE = 512, // ample: it is 128
	};
	struct live *l = live_of(t);
	struct thread *th = borrow(l);
	// Where nothing is: the return is the last step.
	uint64_t nowhere = 0, result;

	if (!th || !thread_load_regs(l, th))
		return dbg_err(DBG_E_STATE, "no thread is stopped");
	struct user_regs_struct regs = {
	    .rip = addr,
	    .orig_rax = (unsigned long long)-1,
	    .rdi = a,
	    .rsi = b,
	    .rsp = ((th->regs.rsp - RED_ZONE) & ~(uint64_t)15) - 8,
	};
	if (!live_write_plain(l, regs.rsp, &nowhere, sizeof(nowhere)))
		return dbg_err(DBG_E_MEMORY, "no room on the stack at 0x%llx",
			       regs.rsp);
	struct dbg_error *err = call(l, th, &regs, nowhere, STEPS_MAX, &result);
	target_cache_drop(t);
	return err;
}

// Copies of @bytes in a mapping; how many were found, at most @cap.
static size_t search(struct target *t, const struct proc_map *map,
		     const void *bytes, size_t n, uint64_t *ret, size_t cap)
{
	enum {
		BLOCK = 1 << 16,
	};
	_cleanup_free_ uint8_t *buf = xmalloc(BLOCK);
	size_t found = 0;
	uint64_t at = map->start;

	while (found < cap && at + n <= map->end) {
		size_t want = map->end - at < BLOCK ? map->end - at : BLOCK;
		size_t got = target_read_some(t, at, buf, want);
		if (got < n)
			break;
		uint8_t *from = buf, *hit;
		while (found < cap &&
		       (hit = memmem(from, got - (size_t)(from - buf), bytes,
				     n)) != NULL) {
			ret[found++] = at + (uint64_t)(hit - buf);
			from = hit + 1;
		}
		at += got - (n - 1);
	}
	return found;
}

struct dbg_error *live_find_code(struct target *t, const void *bytes, size_t n,
				 uint64_t *ret, size_t cap, size_t *ret_n)
{
	struct dbg_error *err;
	struct proc_maps maps;
	size_t found = 0;

	err = proc_maps_load(t->pid, &maps);
	if (err)
		return err;
	for (size_t i = 0; i < maps.n && found < cap; i++)
		if (maps.v[i].exec && maps.v[i].read)
			found += search(t, &maps.v[i], bytes, n, ret + found,
					cap - found);
	proc_maps_deinit(&maps);
	*ret_n = found;
	return NULL;
}

struct dbg_error *live_mmap(struct target *t, size_t size, uint64_t *ret)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	struct thread *th = borrow(l);
	uint64_t addr = 0, result = 0;

	if (!th)
		return dbg_err(DBG_E_STATE, "no thread is stopped");
	err = live_find_syscall(l, &addr);
	if (err)
		return err;
	struct user_regs_struct regs = {
	    .rip = addr,
	    .rax = SYS_mmap,
	    .orig_rax = (unsigned long long)-1,
	    .rsi = size,
	    .rdx = PROT_READ | PROT_WRITE,
	    .r10 = MAP_PRIVATE | MAP_ANONYMOUS,
	    .r8 = (unsigned long long)-1,
	};
	// A `syscall` has two bytes.
	err = call(l, th, &regs, addr + 2, 1, &result);
	target_cache_drop(t);
	if (err)
		return err;
	if (result > (uint64_t)-4096)
		return dbg_err_errno(DBG_E_MEMORY, (int)-result,
				     "cannot map %zu bytes in the program",
				     size);
	*ret = result;
	return NULL;
}
