/*
 * A frozen copy of a process as a target: the memory is that of a process which
 * was forked off and never runs (inject.c); threads and registers are recorded
 * at that moment, since the copy has only one thread.
 *
 * The runtime's code lies in memory that the copy shares with the process (see
 * memory.c), which goes on changing it, so it is read when the copy is made.
 * Traps that are armed in the process at that moment are in the copy as well,
 * and are masked in what is read.
 */
#include "target/live/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

#define SHARED_MAX (UINT64_C(256) << 20)

enum {
	END_LOOKS = 40,
	END_LOOK_MS = 50,
};

/* A thread of the process at the moment of the copy. */
struct copied_thread {
	pid_t tid, inside;
	char name[16];
	struct regs regs;
	struct fpregs fpregs;
};

/* Shared memory at the moment of the copy. */
struct copied_memory {
	uint64_t start, n;
	uint8_t *data;
};

struct snapshot {
	struct target target; /* its pid is the process's */
	pid_t copy;
	int pidfd, mem_fd, maps_fd;
	bool no_vm;
	uint64_t stack; /* see struct memory_of */
	struct live_root root;
	struct traps masked; /* of the process */
	struct copied_thread *threads;
	size_t n_threads;
	struct copied_memory *shared; /* by address */
	size_t n_shared, cap_shared;
};

static struct snapshot *snapshot_of(const struct target *t)
{
	return (struct snapshot *)(uintptr_t)t;
}

/* ---- Its end --------------------------------------------------------- */

/*
 * End the copy. One in a frozen cgroup ends when that is thawed, which is not
 * waited for.
 */
static void copy_end(struct snapshot *s)
{
	struct pollfd gone = {.fd = s->pidfd, .events = POLLIN};
	int status;

	if (!s->copy)
		return;
	if (s->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, s->pidfd, SIGKILL, NULL, 0);
	else
		kill(s->copy, SIGKILL);
	for (int i = 0; i < END_LOOKS; i++) {
		pid_t got = waitpid(s->copy, &status, __WALL | WNOHANG);

		if (got < 0 ? errno != EINTR : got && !WIFSTOPPED(status))
			break;
		if (!got)
			poll(&gone, 1, END_LOOK_MS);
	}
}

static void snapshot_destroy(struct target *t)
{
	struct snapshot *s = snapshot_of(t);

	copy_end(s);
	mem_close_fd(&s->pidfd);
	mem_close_fd(&s->mem_fd);
	mem_close_fd(&s->maps_fd);
	for (size_t i = 0; i < s->n_shared; i++)
		free(s->shared[i].data);
	free(s->shared);
	free(s->threads);
	free(s->masked.v);
	live_root_deinit(&s->root);
	target_deinit(t);
	free(s);
}

/* ---- Memory ---------------------------------------------------------- */

/* The first piece of shared memory that ends behind @addr; NULL: none. */
static const struct copied_memory *shared_behind(const struct snapshot *s,
						 uint64_t addr)
{
	size_t low = 0, high = s->n_shared;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->shared[mid].start + s->shared[mid].n <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n_shared ? &s->shared[low] : NULL;
}

static size_t snapshot_read(struct target *t, uint64_t addr, void *buf,
			    size_t n)
{
	struct snapshot *s = snapshot_of(t);
	const struct memory_of m = {.pid = s->copy,
				    .fd = s->mem_fd,
				    .no_vm = &s->no_vm,
				    .stack = &s->stack,
				    .syscalls = &t->counters.syscalls};
	size_t done = 0, got = 1;

	while (done < n && got) {
		uint64_t at = addr + done;
		const struct copied_memory *c = shared_behind(s, at);
		bool inside = c && c->start <= at;
		uint64_t left = n - done, copy_end = UINT64_MAX;

		if (c)
			copy_end = inside ? c->start + c->n : c->start;
		if (left > copy_end - at)
			left = copy_end - at;
		got = (size_t)left;
		if (inside)
			memcpy((char *)buf + done, c->data + (at - c->start),
			       got);
		else
			got = memory_read(&m, at, (char *)buf + done, got);
		done += got;
	}
	traps_mask(&s->masked, addr, buf, done);
	return done;
}

static bool snapshot_frozen(const struct target *t)
{
	(void)t;
	return true;
}

static struct dbg_error *snapshot_maps(struct target *t, struct proc_maps *ret)
{
	struct snapshot *s = snapshot_of(t);
	struct dbg_error *err = proc_maps_read(s->maps_fd, s->copy, ret);

	if (!err)
		live_root_cut(&s->root, ret);
	return err;
}

static struct dbg_error *snapshot_auxv(struct target *t, uint64_t type,
				       uint64_t *ret)
{
	return proc_auxv(snapshot_of(t)->copy, type, ret);
}

static const char *snapshot_root(const struct target *t)
{
	return snapshot_of(t)->root.path;
}

/* ---- Threads --------------------------------------------------------- */

static struct dbg_error *snapshot_threads(struct target *t, struct arena *arena,
					  struct target_thread **ret,
					  size_t *ret_n)
{
	const struct snapshot *s = snapshot_of(t);

	*ret = arena_calloc(arena, s->n_threads + 1, sizeof(**ret));
	*ret_n = s->n_threads;
	for (size_t i = 0; i < s->n_threads; i++)
		(*ret)[i] = (struct target_thread){s->threads[i].tid, true};
	return NULL;
}

static const struct copied_thread *thread_of(const struct target *t, pid_t tid)
{
	const struct snapshot *s = snapshot_of(t);

	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].tid == tid)
			return &s->threads[i];
	return NULL;
}

static void snapshot_thread_name(struct target *t, pid_t tid, char ret[16])
{
	const struct copied_thread *th = thread_of(t, tid);

	memset(ret, 0, 16);
	if (th)
		memcpy(ret, th->name, sizeof(th->name));
}

static pid_t snapshot_tid_inside(struct target *t, pid_t tid)
{
	const struct copied_thread *th = thread_of(t, tid);

	return th ? th->inside : 0;
}

static pid_t snapshot_tid_outside(struct target *t, pid_t inside)
{
	const struct snapshot *s = snapshot_of(t);

	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].inside == inside)
			return s->threads[i].tid;
	return 0;
}

static pid_t snapshot_memory_of(struct target *t)
{
	return snapshot_of(t)->copy;
}

static struct dbg_error *known(struct target *t, pid_t tid,
			       const struct copied_thread **ret)
{
	*ret = thread_of(t, tid);
	return *ret ? NULL
		    : dbg_err(DBG_E_NOT_FOUND, "the snapshot has no thread %d",
			      tid);
}

static struct dbg_error *snapshot_regs(struct target *t, pid_t tid,
				       struct regs *ret)
{
	const struct copied_thread *th;
	struct dbg_error *err = known(t, tid, &th);

	if (!err)
		*ret = th->regs;
	return err;
}

static struct dbg_error *snapshot_fpregs(struct target *t, pid_t tid,
					 struct fpregs *ret)
{
	const struct copied_thread *th;
	struct dbg_error *err = known(t, tid, &th);

	if (!err)
		*ret = th->fpregs;
	return err;
}

static const struct target_ops snapshot_ops = {
    .destroy = snapshot_destroy,
    .read = snapshot_read,
    .frozen = snapshot_frozen,
    .maps = snapshot_maps,
    .auxv = snapshot_auxv,
    .root = snapshot_root,
    .threads = snapshot_threads,
    .thread_name = snapshot_thread_name,
    .tid_inside = snapshot_tid_inside,
    .tid_outside = snapshot_tid_outside,
    .memory_of = snapshot_memory_of,
    .regs = snapshot_regs,
    .fpregs = snapshot_fpregs,
};

/* ---- Its making ------------------------------------------------------ */

static struct dbg_error *copy_threads(struct live *l, struct snapshot *s,
				      struct arena *arena)
{
	struct dbg_error *err;
	struct target *t = &l->target;
	struct target_thread *list;
	size_t n;

	err = live_threads(t, arena, &list, &n);
	if (err)
		return err;
	s->threads = xcalloc(n + 1, sizeof(*s->threads));
	for (size_t i = 0; !err && i < n; i++) {
		struct copied_thread *th = &s->threads[s->n_threads++];

		th->tid = list[i].tid;
		th->inside = live_tid_inside(t, th->tid);
		err = live_regs(t, th->tid, &th->regs);
	}
	return err;
}

struct copying {
	struct target *from;
	struct snapshot *to;
	struct dbg_error *err;
};

/*
 * Read, while the kernel copies the memory, what takes a millisecond or two for
 * 200 threads: names, by files below /proc, and floating-point registers.
 */
static void copy_meanwhile(void *arg)
{
	struct copying *c = arg;

	for (size_t i = 0; i < c->to->n_threads; i++) {
		struct copied_thread *th = &c->to->threads[i];

		proc_comm(c->from->pid, th->tid, th->name);
		if (!c->err)
			c->err = live_fpregs(c->from, th->tid, &th->fpregs);
	}
}

static bool is_code(const struct proc_map *m)
{
	return m->shared && m->read && strstr(m->path, "doublemapper");
}

static struct dbg_error *copy_shared(struct live *l, struct snapshot *s)
{
	struct dbg_error *err;
	const struct proc_maps *maps;
	uint64_t total = 0;

	err = images_maps(&l->target, &maps);
	for (size_t i = 0; !err && i < maps->n; i++) {
		const struct proc_map *m = &maps->v[i];
		uint64_t n = m->end - m->start;

		if (!is_code(m) || n > SHARED_MAX - total)
			continue;
		struct copied_memory c = {m->start, 0, xmalloc(n)};

		c.n = live_read(&l->target, m->start, c.data, n);
		total += n;
		mem_grow(&s->shared, &s->cap_shared, s->n_shared,
			 sizeof(*s->shared));
		s->shared[s->n_shared++] = c;
	}
	return err;
}

static void copy_traps(const struct live *l, struct snapshot *s)
{
	size_t n = l->target.traps.n;

	s->masked.v = xcalloc(n + 1, sizeof(*s->masked.v));
	s->masked.n = n;
	if (n)
		memcpy(s->masked.v, l->target.traps.v,
		       n * sizeof(*s->masked.v));
}

static struct dbg_error *open_copy(struct snapshot *s)
{
	char path[32];

	live_root_init(&s->root, s->copy);
	s->pidfd = (int)syscall(SYS_pidfd_open, s->copy, 0);
	s->maps_fd = proc_maps_open(s->copy);
	snprintf(path, sizeof(path), "/proc/%d/mem", s->copy);
	s->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (s->mem_fd < 0 || s->maps_fd < 0)
		return dbg_err_errno(DBG_E_TARGET, errno, "cannot open '%s'",
				     path);
	return NULL;
}

struct dbg_error *live_snapshot(struct target *t, struct target **ret)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	pid_t copy = 0;

	// Refused: there is nothing to undo but what was read.
	struct snapshot *s = xcalloc(1, sizeof(*s));
	struct arena *arena = arena_create();
	struct copying c = {.from = t, .to = s};

	target_init(&s->target, &snapshot_ops, t->pid);
	s->pidfd = s->mem_fd = s->maps_fd = -1;
	copy_traps(l, s);
	err = copy_threads(l, s, arena);
	arena_destroy(arena);
	if (!err)
		err = copy_shared(l, s);
	if (!err)
		err = live_fork(l, copy_meanwhile, &c, &copy);
	s->copy = copy;
	err = dbg_err_first(err, c.err);
	if (!err)
		err = open_copy(s);
	if (err) {
		snapshot_destroy(&s->target);
		return err;
	}
	*ret = &s->target;
	return NULL;
}
