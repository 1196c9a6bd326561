/*
 * A process that runs, and goes on running, as a target that is only read:
 * nothing is stopped, nothing traced, nothing written. Its memory changes
 * meanwhile; what is read is kept for one look (target_observe_again), so that
 * a look costs each page once, and is of a piece as far as it can be.
 */
#include "target/live/live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

struct observed {
	struct target target;
	int mem_fd, maps_fd;
	bool no_vm;
	uint64_t stack; /* see struct memory_of */
	struct live_root root;
};

static struct observed *observed_of(const struct target *t)
{
	return (struct observed *)(uintptr_t)t;
}

static void observed_destroy(struct target *t)
{
	struct observed *o = observed_of(t);

	mem_close_fd(&o->mem_fd);
	mem_close_fd(&o->maps_fd);
	live_root_deinit(&o->root);
	target_deinit(t);
	free(o);
}

static size_t observed_read(struct target *t, uint64_t addr, void *buf,
			    size_t n)
{
	struct observed *o = observed_of(t);
	const struct memory_of m = {.pid = t->pid,
				    .fd = o->mem_fd,
				    .no_vm = &o->no_vm,
				    .stack = &o->stack,
				    .syscalls = &t->counters.syscalls};

	return memory_read(&m, addr, buf, n);
}

// Memory counts as unchanging within one look.
static bool observed_frozen(const struct target *t)
{
	(void)t;
	return true;
}

static struct dbg_error *observed_maps(struct target *t, struct proc_maps *ret)
{
	struct observed *o = observed_of(t);
	struct dbg_error *err = proc_maps_read(o->maps_fd, t->pid, ret);

	if (!err)
		live_root_cut(&o->root, ret);
	return err;
}

static struct dbg_error *observed_auxv(struct target *t, uint64_t type,
				       uint64_t *ret)
{
	return proc_auxv(t->pid, type, ret);
}

static const char *observed_root(const struct target *t)
{
	return observed_of(t)->root.path;
}

static struct dbg_error *observed_threads(struct target *t, struct arena *arena,
					  struct target_thread **ret,
					  size_t *ret_n)
{
	struct target_thread *v = NULL;
	size_t n = 0, cap = 0;
	DIR *tasks = proc_tasks_open(t->pid);
	pid_t tid;

	if (!tasks)
		return dbg_err(DBG_E_NOT_FOUND, "process %d has ended", t->pid);
	while ((tid = proc_tasks_next(tasks))) {
		mem_grow(&v, &cap, n, sizeof(*v));
		v[n++] = (struct target_thread){tid, false};
	}
	closedir(tasks);
	*ret = arena_copy(arena, v, n, sizeof(*v));
	*ret_n = n;
	free(v);
	return NULL;
}

static void observed_thread_name(struct target *t, pid_t tid, char ret[16])
{
	proc_comm(t->pid, tid, ret);
}

static pid_t observed_tid_inside(struct target *t, pid_t tid)
{
	return observed_of(t)->root.other_pids ? proc_tid_inside(tid) : tid;
}

static pid_t observed_memory_of(struct target *t)
{
	return t->pid;
}

static struct dbg_error *observed_regs(struct target *t, pid_t tid,
				       struct regs *ret)
{
	if (proc_syscall(t->pid, tid, ret))
		return NULL;
	return dbg_err(DBG_E_STATE, "thread %d runs", tid);
}

static struct dbg_error *observed_fpregs(struct target *t, pid_t tid,
					 struct fpregs *ret)
{
	(void)ret;
	return dbg_err(DBG_E_STATE,
		       "process %d is only looked at: the floating point "
		       "registers of thread %d are not known",
		       t->pid, tid);
}

static const struct target_ops observed_ops = {
    .destroy = observed_destroy,
    .read = observed_read,
    .frozen = observed_frozen,
    .maps = observed_maps,
    .auxv = observed_auxv,
    .root = observed_root,
    .threads = observed_threads,
    .thread_name = observed_thread_name,
    .tid_inside = observed_tid_inside,
    .memory_of = observed_memory_of,
    .regs = observed_regs,
    .fpregs = observed_fpregs,
};

struct dbg_error *target_observe(pid_t pid, struct target **ret)
{
	struct observed *o = xcalloc(1, sizeof(*o));
	char path[32];

	target_init(&o->target, &observed_ops, pid);
	live_root_init(&o->root, pid);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	o->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	int errnum = errno;
	o->maps_fd = proc_maps_open(pid);
	if (o->mem_fd < 0 || o->maps_fd < 0) {
		errnum = o->mem_fd < 0 ? errnum : errno;
		observed_destroy(&o->target);
		if (errnum == ENOENT || errnum == ESRCH)
			return dbg_err(DBG_E_NOT_FOUND,
				       "there is no process %d", pid);
		return live_refused(pid, errnum);
	}
	*ret = &o->target;
	return NULL;
}

void target_observe_again(struct target *t)
{
	t->runs++;
	target_cache_drop(t);
}

bool target_changes(const struct target *t)
{
	return target_can(t, TARGET_RUN) || t->ops == &observed_ops;
}
