/*
 * Threads as the target knows them: the list, what each is doing, its
 * registers. Registers are read once a stop and written back when the thread
 * goes on.
 */
#include "target/live/live.h"
#include "target/guard/orphan.h"
#include "target/live/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "base/err.h"
#include "base/mem.h"
#include "target/guard/orphan_code.h"

static bool resumes(int request)
{
	return request == PTRACE_CONT || request == PTRACE_SINGLESTEP ||
	       request == PTRACE_SYSCALL || request == PTRACE_LISTEN ||
	       request == PTRACE_DETACH;
}

long live_ptrace(struct live *l, int request, pid_t tid, uint64_t addr,
		 uint64_t data)
{
	struct thread *th = resumes(request) ? thread_find(l, tid) : NULL;

	if (th)
		th->unread = false;
	// The kernel takes the flag back at the next of these, not at our end.
	if (th && request != PTRACE_LISTEN)
		th->flagged = request == PTRACE_SINGLESTEP;
	if (th && data == SIGTRAP)
		l->orphan.entered = true;
	l->target.counters.syscalls++;
	return ptrace((enum __ptrace_request)request, tid, (void *)addr,
		      (void *)data);
}

uint64_t thread_options(const struct live *l)
{
	return LIVE_OPTIONS | (l->survives ? 0 : PTRACE_O_EXITKILL);
}

pid_t live_body(struct live *l)
{
	const struct thread *leader = thread_find(l, l->target.pid);

	for (size_t i = 0; leader && leader->zombie && i < l->n_threads; i++)
		if (l->threads[i]->kind == THREAD_OWN && !l->threads[i]->zombie)
			return l->threads[i]->tid;
	return l->target.pid;
}

struct thread *thread_find(struct live *l, pid_t tid)
{
	return map_find(&l->by_tid, (uint64_t)tid);
}

struct thread *thread_add(struct live *l, pid_t tid, enum thread_kind kind)
{
	struct thread *th = xcalloc(1, sizeof(*th));

	th->tid = tid;
	th->kind = kind;
	th->fresh = true;
	mem_grow(&l->threads, &l->threads_cap, l->n_threads,
		 sizeof(*l->threads));
	l->threads[l->n_threads++] = th;
	map_put(&l->by_tid, (uint64_t)tid, th);
	if (kind == THREAD_OWN)
		l->n_running++;
	if (kind == THREAD_FORKED)
		l->n_children++;
	return th;
}

// Does the thread count as running?
static bool runs(const struct thread *th)
{
	return th->kind == THREAD_OWN && th->stop == STOP_NONE && !th->zombie &&
	       !th->stuck;
}

void thread_remove(struct live *l, struct thread *th)
{
	size_t i = 0;

	vfork_end(l, th);
	if (runs(th))
		l->n_running--;
	if (th->kind == THREAD_FORKED)
		l->n_children--;
	map_take(&l->by_tid, (uint64_t)th->tid);
	while (l->threads[i] != th)
		i++;
	l->n_threads--;
	memmove(&l->threads[i], &l->threads[i + 1],
		(l->n_threads - i) * sizeof(l->threads[0]));
	free(th);
}

void thread_set_kind(struct live *l, struct thread *th, enum thread_kind kind)
{
	// Never of one of the process's threads, which are counted apart.
	if (th->kind == THREAD_FORKED)
		l->n_children--;
	if (kind == THREAD_FORKED)
		l->n_children++;
	th->kind = kind;
}

void thread_set_stop(struct live *l, struct thread *th, enum thread_stop stop)
{
	l->memory.recent = 0;
	if (runs(th))
		l->n_running--;
	th->stop = stop;
	if (runs(th))
		l->n_running++;
	else
		thread_reap(l, th);
	if (stop != STOP_NONE)
		return;
	target_cache_drop(&l->target);
	if (!l->injecting)
		l->target.runs++;
}

void thread_set_stuck(struct live *l, struct thread *th, bool stuck)
{
	if (runs(th))
		l->n_running--;
	th->stuck = stuck;
	if (runs(th))
		l->n_running++;
}

struct dbg_error *thread_stopped(struct live *l, pid_t tid, struct thread **ret)
{
	struct thread *th = thread_find(l, tid);

	if (!th || th->kind != THREAD_OWN || th->zombie)
		return dbg_err(DBG_E_NOT_FOUND, "no thread %d", tid);
	if (th->stuck)
		return dbg_err(DBG_E_STATE,
			       "thread %d waits in the kernel and cannot be "
			       "stopped there",
			       tid);
	if (th->stop == STOP_NONE)
		return dbg_err(DBG_E_STATE, "thread %d is running", tid);
	*ret = th;
	return NULL;
}

bool thread_load_regs(struct live *l, struct thread *th)
{
	if (th->regs.valid)
		return true;
	if (live_ptrace(l, PTRACE_GETREGS, th->tid, 0,
			(uintptr_t)&th->regs.now))
		return false;
	th->regs.valid = true;
	th->regs.dirty = false;
	return true;
}

void thread_flush_regs(struct live *l, struct thread *th)
{
	// a failure means that it was killed: there is nothing to restore
	if (th->regs.valid && th->regs.dirty)
		live_ptrace(l, PTRACE_SETREGS, th->tid, 0,
			    (uintptr_t)&th->regs.now);
	th->regs.valid = th->regs.fp_valid = false;
	th->regs.dirty = false;
}

void thread_mask(struct live *l, struct thread *th)
{
	uint64_t mask;

	if (th->masked)
		return;
	if (live_ptrace(l, PTRACE_GETSIGMASK, th->tid, sizeof(th->mask),
			(uintptr_t)&th->mask))
		return;
	mask = orphan_step_mask(th->mask);
	if (l->survives)
		orphan_mask(l, th->tid, th->mask);
	th->masked = !live_ptrace(l, PTRACE_SETSIGMASK, th->tid, sizeof(mask),
				  (uintptr_t)&mask);
}

void thread_unmask(struct live *l, struct thread *th)
{
	if (th->masked)
		live_ptrace(l, PTRACE_SETSIGMASK, th->tid, sizeof(th->mask),
			    (uintptr_t)&th->mask);
	th->masked = false;
}

struct dbg_error *live_threads(struct target *t, struct arena *arena,
			       struct target_thread **ret, size_t *ret_n)
{
	struct live *l = live_of(t);
	struct target_thread *v = arena_calloc(arena, l->n_threads, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < l->n_threads; i++) {
		const struct thread *th = l->threads[i];

		if (th->kind != THREAD_OWN || th->zombie)
			continue;
		v[n].tid = th->tid;
		v[n].stopped = th->stop != STOP_NONE || th->stuck;
		n++;
	}
	*ret = v;
	*ret_n = n;
	return NULL;
}

void live_thread_name(struct target *t, pid_t tid, char ret[16])
{
	t->counters.syscalls += 3;
	proc_comm(t->pid, tid, ret);
}

pid_t live_tid_inside(struct target *t, pid_t tid)
{
	struct live *l = live_of(t);
	struct thread *th = l->root.other_pids ? thread_find(l, tid) : NULL;

	if (!l->root.other_pids)
		return tid;
	if (th && !th->inside)
		th->inside = proc_tid_inside(tid);
	return th ? th->inside : 0;
}

pid_t live_tid_outside(struct target *t, pid_t inside)
{
	struct live *l = live_of(t);

	if (!l->root.other_pids)
		return inside;
	for (size_t i = 0; i < l->n_threads; i++)
		if (l->threads[i]->kind == THREAD_OWN &&
		    live_tid_inside(t, l->threads[i]->tid) == inside)
			return l->threads[i]->tid;
	return 0;
}

struct dbg_error *live_regs(struct target *t, pid_t tid, struct regs *ret)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	struct thread *th = thread_find(l, tid);

	// Where it entered the kernel is known all the same.
	if (th && th->stuck && proc_syscall(t->pid, tid, ret))
		return NULL;
	err = thread_stopped(l, tid, &th);
	if (err)
		return err;
	if (!thread_load_regs(l, th))
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot read registers of thread %d", tid);
	*ret = th->regs.now;
	return NULL;
}

struct dbg_error *live_regs_set(struct target *t, pid_t tid,
				const struct regs *regs)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	struct thread *th;

	err = thread_stopped(l, tid, &th);
	if (err)
		return err;
	if (!thread_load_regs(l, th))
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot set registers of thread %d", tid);
	if (regs_pc(regs) != regs_pc(&th->regs.now)) {
		// What moves the pc to a trap does not want to hit it.
		if (th->event_queued == TARGET_TRAP ||
		    th->event_queued == TARGET_STEPPED)
			th->event_queued = 0;
		th->skip_pc = regs_pc(regs);
	}
	th->regs.now = *regs;
	th->regs.dirty = true;
	return NULL;
}

struct dbg_error *live_fpregs(struct target *t, pid_t tid, struct fpregs *ret)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	struct thread *th = thread_find(l, tid);

	if (th && th->stuck) {
		memset(ret, 0, sizeof(*ret));
		return NULL;
	}
	err = thread_stopped(l, tid, &th);
	if (err)
		return err;
	if (!th->regs.fp_valid &&
	    live_ptrace(l, PTRACE_GETFPREGS, tid, 0, (uintptr_t)&th->regs.fp))
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot read registers of thread %d", tid);
	th->regs.fp_valid = true;
	*ret = th->regs.fp;
	return NULL;
}

struct dbg_error *live_fpregs_set(struct target *t, pid_t tid,
				  const struct fpregs *fpregs)
{
	struct live *l = live_of(t);
	struct thread *th;
	struct fpregs now = *fpregs;
	struct dbg_error *err = thread_stopped(l, tid, &th);

	if (err)
		return err;
	if (live_ptrace(l, PTRACE_SETFPREGS, tid, 0, (uintptr_t)&now))
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot set registers of thread %d", tid);
	th->regs.fp = now;
	th->regs.fp_valid = true;
	return NULL;
}
