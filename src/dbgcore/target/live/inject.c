/*
 * System calls made by a thread of the process on our behalf.
 *
 * We may be killed at any instant, so the thread must find its way back by
 * itself. The call is made by a few instructions that we have written; unless
 * the thread is stopped behind the call, they go on to restore its signal mask
 * and registers. They lie in a cave: the unused rest of the last page of an
 * image's code, which exists before anything was mapped and which nobody
 * misses.
 *
 * The registers that they restore are the ones the kernel would have set to
 * restart a system call that our stop interrupted. While we live, the registers
 * of the stop are put back unchanged, and the kernel restarts the call.
 */
#include "target/live/inject.h"
#include "target/guard/orphan_code.h"
#include "target/live/live.h"
#include "target/live/thread.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- System calls made by a thread of the process on our behalf ---------- */

enum {
	CAVE_ALIGN = 16,
	TRIES_MAX = 100,
};

/* ---- The cave -------------------------------------------------------- */

// The end of the code of the image at @base, if it is mapped at @map.
static uint64_t code_end(struct live *l, uint64_t base,
			 const struct proc_map *map)
{
	Elf64_Phdr phdrs[ELF_SEGMENTS_MAX];
	Elf64_Ehdr head;

	if (live_read(&l->target, base, &head, sizeof(head)) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_phnum > ELF_SEGMENTS_MAX)
		return 0;
	size_t size = head.e_phnum * sizeof(phdrs[0]);
	if (live_read(&l->target, base + head.e_phoff, phdrs, size) != size)
		return 0;
	for (size_t i = 0; i < head.e_phnum; i++) {
		const Elf64_Phdr *p = &phdrs[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
		    p->p_offset / PAGE_BYTES * PAGE_BYTES == map->offset)
			return map->start + p->p_offset % PAGE_BYTES +
			       p->p_filesz;
	}
	return 0;
}

static uint64_t cave_in(struct live *l, const struct proc_maps *maps, size_t i,
			size_t size)
{
	const struct proc_map *map = &maps->v[i];
	size_t first = i;

	if (!map->exec || map->write || map->shared || !map->inode)
		return 0;
	while (first > 0 && maps->v[first].offset &&
	       maps->v[first - 1].inode == map->inode)
		first--;
	uint64_t end = code_end(l, maps->v[first].start, map);
	end = (end + CAVE_ALIGN - 1) / CAVE_ALIGN * CAVE_ALIGN;
	return end > map->start && end < map->end && map->end - end >= size
		   ? end
		   : 0;
}

// Will the image stay? The one that the program began with does.
static bool stays(struct live *l, const struct proc_map *map)
{
	uint64_t entry = 0;

	dbg_error_destroy(target_entry(&l->target, &entry));
	return entry - map->start < map->end - map->start;
}

// Find the next cave from mapping *i on, which is moved behind its mapping; 0:
// there is none.
static uint64_t cave_next(struct live *l, const struct proc_maps *maps,
			  size_t *i)
{
	uint64_t addr = 0;

	while (!addr && *i < maps->n)
		addr = cave_in(l, maps, (*i)++, CAVE_BYTES);
	return addr;
}

// Does the code of a debugger lie there that died meanwhile?
static bool is_used(struct live *l, uint64_t cave)
{
	uint8_t code[CAVE_BYTES];

	return live_read(&l->target, cave, code, sizeof(code)) ==
		   sizeof(code) &&
	       back_is(code);
}

// Find room for injected code. Room that was used before is the last choice: a
// thread may still come back to it.
static struct dbg_error *cave_find(struct live *l, uint64_t *ret)
{
	struct dbg_error *err;
	const struct proc_maps *maps;
	uint64_t addr, used = 0;
	size_t i = 0;

	*ret = l->cave;
	if (l->cave)
		return NULL;
	err = images_maps(&l->target, &maps);
	if (err)
		return err;
	while ((addr = cave_next(l, maps, &i)) && is_used(l, addr))
		used = used ? used : addr;
	if (!addr && !used)
		return dbg_err(DBG_E_TARGET,
			       "no image of process %d has room behind its "
			       "code",
			       l->target.pid);
	if (addr && stays(l, &maps->v[i - 1]))
		l->cave = addr;
	*ret = addr ? addr : used;
	return NULL;
}

/* ---- The thread ------------------------------------------------------ */

// Find a thread in a stop where registers can be set and nothing is due; one
// that is stopped by job control if there is no other.
static struct thread *borrow(struct live *l)
{
	static const enum thread_stop stops[] = {STOP_EVENT, STOP_SIGNAL,
						 STOP_GROUP};

	for (size_t s = 0; s < sizeof(stops) / sizeof(stops[0]); s++)
		for (size_t i = 0; i < l->n_threads; i++) {
			struct thread *th = l->threads[i];

			if (th->kind == THREAD_OWN && th->stop == stops[s] &&
			    !(stops[s] == STOP_SIGNAL && th->due.signal))
				return th;
		}
	return NULL;
}

// Let the thread go on to its next stop, whatever that is: th->placed.
static struct dbg_error *thread_advance(struct live *l, struct thread *th,
					int what)
{
	struct dbg_error *err;
	pid_t tid = th->tid;
	bool any;

	thread_flush_regs(l, th);
	th->in_place = true;
	thread_set_stop(l, th, STOP_NONE);
	err = thread_request(l, th, what, 0);
	while (!err && thread_find(l, tid) == th && th->stop == STOP_NONE &&
	       !th->zombie)
		err = live_take(l, true, &any);
	if (thread_find(l, tid) != th || th->stop == STOP_NONE)
		return err ? err
			   : dbg_err(DBG_E_TARGET, "thread %d ended", tid);
	th->in_place = false;
	// Nothing but SIGSTOP passes the mask: sent again later.
	if (!(th->placed >> 16) && WSTOPSIG(th->placed) == SIGSTOP)
		th->due.extra = SIGSTOP;
	return err;
}

// Let the thread run to its next entry of, or return from, a system call.
static struct dbg_error *to_syscall(struct live *l, struct thread *th)
{
	struct dbg_error *err;

	for (int i = 0; i < TRIES_MAX; i++) {
		err = thread_advance(l, th, PTRACE_SYSCALL);
		if (err || WSTOPSIG(th->placed) == (SIGTRAP | 0x80))
			return err;
	}
	return dbg_err(DBG_E_TARGET, "thread %d makes no system call", th->tid);
}

static struct dbg_error *to_event_stop(struct live *l, struct thread *th)
{
	struct dbg_error *err;

	for (int i = 0; i < TRIES_MAX; i++) {
		thread_ask(l, th);
		err = thread_advance(l, th, PTRACE_CONT);
		th->asked = false;
		if (err)
			return err;
		if (th->placed >> 16 != PTRACE_EVENT_STOP)
			continue;
		th->stop =
		    WSTOPSIG(th->placed) == SIGTRAP ? STOP_EVENT : STOP_GROUP;
		return NULL;
	}
	return dbg_err(DBG_E_TARGET, "thread %d cannot be stopped", th->tid);
}

struct dbg_error *inject_advance(struct live *l, struct thread *th)
{
	struct dbg_error *err;
	pid_t tid = th->tid;

	err = thread_advance(l, th, PTRACE_SYSCALL);
	if (thread_find(l, tid) == th)
		return err;
	dbg_error_destroy(err);
	return NULL;
}

static void mask_set(struct live *l, struct thread *th, uint64_t mask)
{
	live_ptrace(l, PTRACE_SETSIGMASK, th->tid, sizeof(mask),
		    (uintptr_t)&mask);
}

/* ---- A series of calls ----------------------------------------------- */

static struct dbg_error *none_stopped(const struct live *l)
{
	_cleanup_free_ char *cgroup = proc_frozen(l->target.pid);

	if (cgroup)
		return dbg_err(DBG_E_STATE,
			       "no thread can be stopped: the program's cgroup "
			       "'%s' is frozen, thaw it first",
			       cgroup);
	return dbg_err(DBG_E_STATE, "no thread is stopped");
}

struct dbg_error *inject_event_stops(struct live *l)
{
	struct dbg_error *err = NULL;

	for (size_t i = 0; !err && i < l->n_threads; i++) {
		struct thread *th = l->threads[i];
		pid_t tid = th->tid;

		if (th->kind != THREAD_OWN || th->stop != STOP_SIGNAL ||
		    th->due.signal || !thread_load_regs(l, th))
			continue;
		err = to_event_stop(l, th);
		if (err && thread_find(l, tid) != th) {
			dbg_error_destroy(err);
			err = NULL;
		}
	}
	return err;
}

struct dbg_error *inject_begin(struct live *l, struct inject *in)
{
	struct dbg_error *err;
	uint8_t code[sizeof(in->covered)];
	size_t size;

	memset(in, 0, sizeof(*in));
	in->th = borrow(l);
	if (!in->th)
		return none_stopped(l);
	if (!thread_load_regs(l, in->th) ||
	    live_ptrace(l, PTRACE_GETSIGMASK, in->th->tid, sizeof(in->mask),
			(uintptr_t)&in->mask))
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot use thread %d", in->th->tid);
	err = cave_find(l, &in->cave);
	if (err)
		return err;
	in->tid = in->th->tid;
	in->saved = in->th->regs.now;
	struct regs regs = in->saved;
	regs_restart(&regs);
	size = back_make(&regs, in->mask, code);
	if (live_read(&l->target, in->cave, in->covered, size) != size)
		return dbg_err(DBG_E_MEMORY, "cannot read the program's code");
	in->size = size;
	l->injecting = true;
	return live_write_code(&l->target, in->cave, code, size);
}

// Set the registers of what is to be done; with the first, the mask.
static void send(struct live *l, struct inject *in, const struct regs *regs)
{
	struct thread *th = in->th;

	th->regs.now = *regs;
	th->regs.valid = th->regs.dirty = true;
	thread_flush_regs(l, th);
	// Only now: where it stands, the mask is restored with the registers.
	if (!in->called)
		mask_set(l, th, orphan_step_mask(in->mask));
	in->called = true;
}

struct dbg_error *inject_call(struct live *l, struct inject *in, long nr,
			      const uint64_t args[6], uint64_t *ret)
{
	struct dbg_error *err;
	struct thread *th = in->th;
	struct regs regs = in->saved;

	back_syscall(&regs, in->cave, nr, args);
	send(l, in, &regs);
	err = to_syscall(l, th);
	if (!err)
		err = to_syscall(l, th);
	if (err)
		return err;
	if (!thread_load_regs(l, th))
		return dbg_err(DBG_E_TARGET, "thread %d ended", th->tid);
	uint64_t result = back_result(&th->regs.now);
	if (result > (uint64_t)-4096)
		return dbg_err_errno(DBG_E_TARGET, (int)-result,
				     "system call %ld in process %d", nr,
				     l->target.pid);
	*ret = result;
	return NULL;
}

// Let the thread, which stands before a call of clone, run to the return from
// it.
static struct dbg_error *clone_once(struct live *l, struct thread *th,
				    unsigned long *ret_pid)
{
	struct dbg_error *err = to_syscall(l, th);
	pid_t tid = th->tid;

	if (!err)
		err = thread_advance(l, th, PTRACE_SYSCALL);
	if (!err && th->placed >> 16 == PTRACE_EVENT_CLONE) {
		live_ptrace(l, PTRACE_GETEVENTMSG, tid, 0, (uintptr_t)ret_pid);
		err = to_syscall(l, th);
	}
	if (!err && !thread_load_regs(l, th))
		err = dbg_err(DBG_E_TARGET, "thread %d ended", tid);
	return err;
}

struct dbg_error *inject_clone(struct live *l, struct inject *in,
			       uint64_t flags, struct born *ret,
			       int *ret_errnum)
{
	struct dbg_error *err = NULL;
	struct thread *th = in->th;
	struct regs regs = in->saved;
	unsigned long pid = 0;

	back_clone(&regs, in->cave, flags);
	send(l, in, &regs);
	// The kernel itself begins anew what was interrupted.
	for (int i = 0; i < TRIES_MAX && !err; i++) {
		err = clone_once(l, th, &pid);
		if (!err && (pid || !regs_restarts(&th->regs.now)))
			break;
	}
	if (err) {
		// The thread was killed: nobody takes its child over.
		if (pid)
			kill((pid_t)pid, SIGKILL);
		return err;
	}
	uint64_t result = back_result(&th->regs.now);
	*ret = (struct born){(pid_t)pid, pid ? (pid_t)result : 0};
	*ret_errnum = pid ? 0 : (int)-result;
	return NULL;
}

static struct dbg_error *come_back(struct live *l, struct inject *in)
{
	struct dbg_error *err;
	struct thread *th = in->th;

	err = to_event_stop(l, th);
	if (err)
		return err;
	// In this order: until the registers are there, the code in the cave
	// would restore both.
	mask_set(l, th, in->mask);
	th->regs.now = in->saved;
	th->regs.valid = th->regs.dirty = true;
	thread_flush_regs(l, th);
	return NULL;
}

struct dbg_error *inject_end(struct live *l, struct inject *in)
{
	struct dbg_error *err = NULL;

	if (in->called && thread_find(l, in->tid) == in->th)
		err = come_back(l, in);
	l->injecting = false;
	target_cache_drop(&l->target);
	if (in->size && !l->exited)
		err =
		    dbg_err_first(err, live_write_code(&l->target, in->cave,
						       in->covered, in->size));
	return err;
}

/* ---- Of a debugger that is dead -------------------------------------- */

// Lead threads out of the code in @cave, whose work is not wanted any more: to
// where it would bring them.
static void lead_out(struct live *l, uint64_t cave)
{
	uint8_t code[CAVE_BYTES];
	uint64_t mask;

	if (live_read(&l->target, cave, code, sizeof(code)) != sizeof(code))
		return;
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (th->kind != THREAD_OWN || th->stop == STOP_NONE ||
		    !thread_load_regs(l, th) ||
		    regs_pc(&th->regs.now) - cave >= back_code_bytes())
			continue;
		back_restore(code, &th->regs.now, &mask);
		mask_set(l, th, mask);
		th->regs.dirty = true;
		thread_flush_regs(l, th);
	}
}

struct dbg_error *inject_recover(struct live *l)
{
	struct dbg_error *err;
	const struct proc_maps *maps;
	uint64_t addr;
	size_t i = 0;

	err = images_maps(&l->target, &maps);
	if (err)
		return err;
	while ((addr = cave_next(l, maps, &i)) && is_used(l, addr))
		lead_out(l, addr);
	return NULL;
}

/* ---- Single calls ---------------------------------------------------- */

struct dbg_error *live_mmap(struct target *t, size_t size, uint64_t *ret)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	const uint64_t args[6] = {
	    0,
	    size,
	    PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS,
	    (uint64_t)-1,
	    0,
	};
	struct inject in;

	err = inject_begin(l, &in);
	if (!err)
		err = inject_call(l, &in, SYS_mmap, args, ret);
	err = dbg_err_first(err, inject_end(l, &in));
	if (err)
		return dbg_err_prefix(err, "mapping %zu bytes in the program",
				      size);
	return NULL;
}

struct dbg_error *live_call_leaf(struct target *t, uint64_t addr, uint64_t a,
				 uint64_t b)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	const uint64_t args[] = {a, b};
	struct inject in;
	struct regs regs;

	err = inject_begin(l, &in);
	if (!err) {
		regs = in.saved;
		back_call_leaf(&regs, in.cave, addr, args);
		send(l, &in, &regs);
		// the system call that follows tells that it has returned
		err = to_syscall(l, in.th);
	}
	return dbg_err_first(err, inject_end(l, &in));
}

/* ---- Code of a known form -------------------------------------------- */

// Find copies of @bytes in a mapping; returns how many, at most @cap.
static size_t mapping_search(struct target *t, const struct proc_map *map,
			     const void *bytes, size_t n, uint64_t *ret,
			     size_t cap)
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

	err = live_mappings(live_of(t), &maps);
	if (err)
		return err;
	for (size_t i = 0; i < maps.n && found < cap; i++)
		if (maps.v[i].exec && maps.v[i].read)
			found += mapping_search(t, &maps.v[i], bytes, n,
						ret + found, cap - found);
	proc_maps_deinit(&maps);
	*ret_n = found;
	return NULL;
}

/* ---- A copy of the process ----------------------------------------------- */

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
static bool copy_close_files(struct live *l, const struct inject *in,
			     pid_t copy)
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
	if (!err && !copy_close_files(l, &in, copy))
		err = dbg_err(DBG_E_TARGET, "the copy of process %d was killed",
			      l->target.pid);
	if (err && copy)
		end(l, copy);
	if (!err)
		*ret = copy;
	return err;
}
