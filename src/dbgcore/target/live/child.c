/*
 * Tasks that the process makes: threads, forked and vforked children. Which of
 * these a new task is, is told by its clone event or found by comparing memory;
 * children get our traps lifted from their copy of the memory, then are let go,
 * kept aside until their exec, or handed over to a target of their own.
 */
#include "target/guard/orphan.h"
#include "target/live/family.h"
#include "target/live/live.h"
#include "target/live/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Traps, and children of vfork ---------------------------------------- */

/*
 * Such a child runs in the program's memory and executes the traps there, but
 * it has no handler of SIGTRAP that would know them: who starts processes sets
 * all signals back first. While we live it is traced and passes them unseen;
 * should we die, a trap would be its end. So traps in native code, which is all
 * that it executes, yield to it: they are out of memory while there is one.
 *
 * The other threads go on: how long the child lives is the program's affair,
 * and nothing of it is to stand still for us. They do not hit those traps
 * meanwhile. Most children have their exec within a millisecond.
 *
 * They have to be out before there is a child, for it is let go as soon as we
 * are dead: the room above tells of a thread that comes to a function which
 * makes one. Of a child that is made elsewhere we know when it is there. One
 * that was there when we attached is not traced, and is known by the thread
 * that waits for it in the kernel.
 */

// Change the byte at the trap to @to if it is @from; else the program has
// written it.
static bool trap_switch(struct live *l, uint64_t addr, uint8_t from, uint8_t to)
{
	uint8_t now;

	return live_read(&l->target, addr, &now, 1) == 1 && now == from &&
	       !dbg_err_drop(live_write_code(&l->target, addr, &to, 1));
}

static void trap_lift(struct live *l, struct trap *trap)
{
	if (trap->yields && !trap->lifted)
		trap->lifted =
		    target_in_image(&l->target, trap->addr) &&
		    trap_switch(l, trap->addr, ARCH_TRAP, trap->byte);
}

static void trap_return(struct live *l, struct trap *trap)
{
	if (trap->lifted)
		trap_switch(l, trap->addr, trap->byte, ARCH_TRAP);
	trap->lifted = false;
}

void live_trap_yield(struct target *t, uint64_t addr, bool on)
{
	struct live *l = live_of(t);
	struct trap *trap = traps_find(&t->traps, addr);

	if (!trap)
		return;
	trap->yields = on;
	if (!on)
		trap_return(l, trap);
	else if (l->n_sharing)
		trap_lift(l, trap);
}

void vfork_begin(struct live *l, struct thread *th)
{
	if (th->vfork.shares)
		return;
	th->vfork.shares = true;
	l->n_sharing++;
	for (size_t i = 0; i < l->target.traps.n; i++)
		trap_lift(l, &l->target.traps.v[i]);
}

void vfork_end(struct live *l, struct thread *th)
{
	if (!th->vfork.shares)
		return;
	th->vfork.shares = th->vfork.found = false;
	l->n_sharing--;
	for (size_t i = 0; !l->n_sharing && i < l->target.traps.n; i++)
		trap_return(l, &l->target.traps.v[i]);
}

void vfork_look(struct live *l, struct thread *th)
{
	if (th->vfork.shares || !proc_makes_child(l->target.pid, th->tid))
		return;
	th->vfork.found = true;
	vfork_begin(l, th);
}

void live_thread_spawns(struct target *t, pid_t tid, bool on)
{
	struct live *l = live_of(t);
	struct thread *th = thread_find(l, tid);

	if (th && on)
		vfork_begin(l, th);
	else if (th && !th->vfork.waits)
		vfork_end(l, th);
}

/* ---- Tasks that the process makes ---------------------------------------- */

enum {
	STRAYS_MAX = 1024,
	GHOSTS_MAX = 4096,
	STOP_TRIES = 1000, /* a millisecond each */
};

// What kind of task a clone event has made: clone() tells only by the signal
// that its end sends.
static enum thread_kind kind_of(struct live *l, const struct thread *parent,
				pid_t tid, int event)
{
	if (parent->kind == THREAD_ASIDE)
		return THREAD_ASIDE;
	l->target.counters.syscalls++;
	if (parent->kind == THREAD_OWN &&
	    !syscall(SYS_tgkill, l->target.pid, tid, 0))
		return THREAD_OWN;
	if (proc_same_memory(parent->tid, tid, event != PTRACE_EVENT_FORK))
		return THREAD_SHARED;
	return THREAD_FORKED;
}

// Take a status that came before the event that announces its task.
bool child_take_stray(struct family *f, pid_t tid, int *ret)
{
	for (size_t i = 0; i < f->n_strays; i++) {
		if (f->strays[i].tid != tid)
			continue;
		*ret = f->strays[i].status;
		f->n_strays--;
		memmove(&f->strays[i], &f->strays[i + 1],
			(f->n_strays - i) * sizeof(f->strays[0]));
		return true;
	}
	return false;
}

void child_stray(struct family *f, pid_t tid, int status)
{
	int old;

	child_take_stray(f, tid, &old);
	// Children of dndbg that are not debugged leave their ends here: the
	// oldest is dropped.
	if (f->n_strays == STRAYS_MAX)
		child_take_stray(f, f->strays[0].tid, &old);
	mem_grow(&f->strays, &f->strays_cap, f->n_strays, sizeof(*f->strays));
	f->strays[f->n_strays++] = (struct stray){tid, status};
}

struct dbg_error *child_born(struct live *l, struct thread *parent, int event)
{
	unsigned long message = 0;
	int status = 0;

	if (event == PTRACE_EVENT_VFORK) {
		parent->vfork.waits = true;
		vfork_begin(l, parent);
	}
	// The parent was killed: its child is left as a stray.
	if (live_ptrace(l, PTRACE_GETEVENTMSG, parent->tid, 0,
			(uintptr_t)&message))
		return NULL;
	pid_t tid = (pid_t)message;
	bool stray = child_take_stray(l->family, tid, &status);
	if ((stray && !WIFSTOPPED(status)) || thread_find(l, tid))
		return NULL;
	struct thread *th = thread_add(l, tid, kind_of(l, parent, tid, event));
	if (th->kind == THREAD_OWN)
		live_queue(l, TARGET_BORN, tid);
	return stray ? live_file(l, th, status) : NULL;
}

// Lift the traps of @v that lie within one page, through the child's memory.
static void lift_page(struct live *l, int fd, const struct trap *v, size_t n)
{
	uint8_t span[PAGE_BYTES];
	uint64_t base = v[0].addr;
	size_t size = (size_t)(v[n - 1].addr - base) + 1;
	bool dirty = false;

	l->target.counters.syscalls += 2;
	if (pread(fd, span, size, (off_t)base) != (ssize_t)size)
		return;
	for (size_t i = 0; i < n; i++) {
		uint8_t *byte = &span[v[i].addr - base];

		if (*byte == ARCH_TRAP && v[i].byte != ARCH_TRAP) {
			*byte = v[i].byte;
			dirty = true;
		}
	}
	if (!dirty)
		return;
	// Nothing can be done about a refusal: the child is not ours.
	ssize_t done = pwrite(fd, span, size, (off_t)base);
	(void)done;
}

static void lift_all(struct live *l, int fd, const struct trap *v, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t end = i + 1;

		while (end < n &&
		       v[end].addr / PAGE_BYTES == v[i].addr / PAGE_BYTES)
			end++;
		// Double-mapped code is the parent's as well.
		if (!live_code_shared(l, v[i].addr))
			lift_page(l, fd, v + i, end - i);
		i = end;
	}
}

static void lift_in(struct live *l, pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	_cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	lift_all(l, fd, l->target.traps.v, l->target.traps.n);
	for (size_t i = 0; i < l->memory.n_ghosts; i++)
		lift_all(l, fd, &l->memory.ghosts[i], 1);
}

void child_release(struct live *l, struct thread *child)
{
	lift_in(l, child->tid);
	if (!l->follow || l->releasing) {
		child_detach(l, child);
		return;
	}
	thread_set_kind(l, child, THREAD_ASIDE);
	child_aside_stop(l, child, false);
}

void child_detach(struct live *l, struct thread *child)
{
	live_ptrace(l, PTRACE_DETACH, child->tid, 0, 0);
	thread_remove(l, child);
}

// Unclaimed task, neither a thread nor a child of a traced process: no event
// will claim it.
static bool is_orphan(struct family *f, pid_t tid)
{
	uint64_t parent = 0, process = 0;

	// Threads are the most: of one its process is enough.
	return (!proc_status(tid, "Tgid", 10, &process) ||
		!family_owner(f, (pid_t)process)) &&
	       (!proc_status(tid, "PPid", 10, &parent) ||
		!family_owner(f, (pid_t)parent));
}

void child_release_strays(struct live *l)
{
	struct family *f = l->family;
	int status;

	f->bereft = true;
	for (size_t i = f->n_strays; i-- > 0;) {
		pid_t tid = f->strays[i].tid;

		if (!WIFSTOPPED(f->strays[i].status) || !is_orphan(f, tid))
			continue;
		child_take_stray(f, tid, &status);
		lift_in(l, tid);
		child_detach(l, thread_add(l, tid, THREAD_FORKED));
	}
}

/* ---- Tasks aside ----------------------------------------------------- */

void child_aside_stop(struct live *l, struct thread *child, bool group)
{
	if (l->releasing) {
		child_detach(l, child);
		return;
	}
	if (child->fresh)
		live_ptrace(l, PTRACE_SETOPTIONS, child->tid, 0, LIVE_OPTIONS);
	child->fresh = false;
	if (child->execed) {
		live_queue(l, TARGET_CHILD, child->tid);
		child->execed = false;
		child->offered = true;
		return;
	}
	live_ptrace(l, group ? PTRACE_LISTEN : PTRACE_CONT, child->tid, 0, 0);
}

void child_exec(struct live *l, struct thread *child)
{
	unsigned long old = 0;

	if (child->kind == THREAD_SHARED && !l->follow) {
		child_detach(l, child);
		return;
	}
	// The thread that called execve bears the leader's id from now on.
	live_ptrace(l, PTRACE_GETEVENTMSG, child->tid, 0, (uintptr_t)&old);
	struct thread *caller = thread_find(l, (pid_t)old);
	if (caller && caller != child && caller->kind == THREAD_ASIDE)
		thread_remove(l, caller);
	thread_set_kind(l, child, THREAD_ASIDE);
	child->ends = false;
	child->execed = true;
	// From inside execve to the first instruction.
	thread_ask(l, child);
	live_ptrace(l, PTRACE_CONT, child->tid, 0, 0);
}

// Release a task at its next stop, out of whatever memory it is in.
static void release_one(struct live *l, struct thread *th)
{
	if ((l->killed && th->ends) ||
	    (th->tid == l->tracer && proc_dying(l->target.pid)))
		kill(th->tid, SIGKILL);
	if (th->offered) {
		child_detach(l, th);
		return;
	}
	// A process that is dead has no use for its memory: take our traps
	// out for the child that still runs in it.
	if (th->kind == THREAD_SHARED)
		thread_set_kind(l, th, THREAD_FORKED);
	thread_ask(l, th);
}

static bool any_besides(const struct live *l)
{
	for (size_t i = 0; i < l->n_threads; i++)
		if (l->threads[i]->kind != THREAD_OWN)
			return true;
	return false;
}

void child_release_all(struct live *l)
{
	struct dbg_error *err = NULL;
	bool any;

	l->releasing = true;
	for (size_t i = l->n_threads; i-- > 0;)
		if (l->threads[i]->kind != THREAD_OWN)
			release_one(l, l->threads[i]);
	while (!err && any_besides(l))
		err = live_take(l, true, &any);
	dbg_error_destroy(err);
}

/* ---- What is to become of a process held at its exec ----------------- */

void live_follow(struct target *t, bool on)
{
	live_of(t)->follow = on;
}

static struct dbg_error *offered(struct live *l, pid_t pid, struct thread **ret)
{
	struct thread *th = thread_find(l, pid);

	if (!th || !th->offered)
		return dbg_err(DBG_E_NOT_FOUND, "no process %d is held", pid);
	*ret = th;
	return NULL;
}

struct dbg_error *live_child_pass(struct target *t, pid_t pid, bool ends)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	struct thread *th = NULL;

	err = offered(l, pid, &th);
	if (err)
		return err;
	th->offered = false;
	th->ends = ends && !l->survives;
	live_ptrace(l, PTRACE_SETOPTIONS, pid, 0,
		    LIVE_OPTIONS | (th->ends ? PTRACE_O_EXITKILL : 0));
	live_ptrace(l, PTRACE_CONT, pid, 0, 0);
	return NULL;
}

// Wait until the SIGSTOP has taken effect: a debugger that attaches before
// meets the signal, and a SIGCONT sent before is lost. It takes one schedule
// of the child.
static void await_stopped(pid_t pid)
{
	for (int i = 0; i < STOP_TRIES; i++) {
		char state = proc_state(pid, pid);

		if (!state || !strchr("RSDt", state))
			return;
		poll(NULL, 0, 1);
	}
}

struct dbg_error *live_child_leave(struct target *t, pid_t pid, bool stopped)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	struct thread *th = NULL;

	err = offered(l, pid, &th);
	if (err)
		return err;
	// It is pending, and taken before the first instruction.
	if (stopped)
		kill(pid, SIGSTOP);
	child_detach(l, th);
	if (stopped)
		await_stopped(pid);
	return NULL;
}

struct dbg_error *live_child_adopt(struct target *t, pid_t pid,
				   struct target **ret)
{
	struct dbg_error *err;
	struct live *parent = live_of(t), *l = NULL;
	struct thread *th = NULL;

	err = offered(parent, pid, &th);
	if (!err)
		err = live_create(parent->family, &l);
	if (err)
		return err;
	thread_remove(parent, th);
	l->target.pid = pid;
	th = thread_add(l, pid, THREAD_OWN);
	th->fresh = false;
	thread_set_stop(l, th, STOP_EVENT);
	l->survives = parent->survives;
	live_ptrace(l, PTRACE_SETOPTIONS, pid, 0, thread_options(l));
	err = live_memory_open(l);
	if (!err && l->survives)
		err = cleanup_process_start(pid, &l->cleanup);
	if (err) {
		live_destroy(&l->target);
		return err;
	}
	live_set_root(l);
	*ret = &l->target;
	return NULL;
}

static void ghost_add(struct live *l, const struct trap *trap)
{
	// No fork takes as long as that many.
	if (l->memory.n_ghosts == GHOSTS_MAX) {
		l->memory.n_ghosts /= 2;
		memcpy(l->memory.ghosts, l->memory.ghosts + l->memory.n_ghosts,
		       l->memory.n_ghosts * sizeof(*l->memory.ghosts));
	}
	mem_grow(&l->memory.ghosts, &l->memory.ghosts_cap, l->memory.n_ghosts,
		 sizeof(*l->memory.ghosts));
	l->memory.ghosts[l->memory.n_ghosts++] = *trap;
}

void child_ghosts(struct live *l, const struct trap *traps, size_t n)
{
	// With all stopped and no child under way, no copy is being made.
	if (!l->n_running && !l->n_children && !l->family->n_strays) {
		l->memory.n_ghosts = 0;
		return;
	}
	for (size_t i = 0; i < n; i++)
		ghost_add(l, &traps[i]);
}
