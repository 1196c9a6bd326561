/* Tasks that the process makes: threads, forked and vforked children. */
#include "target/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	STRAYS_MAX = 1024,
	GHOSTS_MAX = 4096,
	KCMP_VM_TYPE = 1, /* KCMP_VM of linux/kcmp.h */
};

// Do two tasks share their memory? @unknown where the kernel cannot tell.
static bool same_memory(pid_t a, pid_t b, bool unknown)
{
	long rc = syscall(SYS_kcmp, a, b, KCMP_VM_TYPE, 0, 0);

	return rc < 0 ? unknown : rc == 0;
}

// clone() tells of what it made by the signal that its end sends only.
static enum thread_kind kind_of(struct live *l, const struct thread *parent,
				pid_t tid, int event)
{
	l->target.counters.syscalls++;
	if (parent->kind == THREAD_OWN &&
	    !syscall(SYS_tgkill, l->target.pid, tid, 0))
		return THREAD_OWN;
	if (same_memory(parent->tid, tid, event != PTRACE_EVENT_FORK))
		return THREAD_SHARED;
	return THREAD_FORKED;
}

// A status that came before the event that tells of its task.
static bool take_stray(struct live *l, pid_t tid, int *ret)
{
	for (size_t i = 0; i < l->n_strays; i++) {
		if (l->strays[i].tid != tid)
			continue;
		*ret = l->strays[i].status;
		l->n_strays--;
		memmove(&l->strays[i], &l->strays[i + 1],
			(l->n_strays - i) * sizeof(l->strays[0]));
		return true;
	}
	return false;
}

void child_stray(struct live *l, pid_t tid, int status)
{
	int old;

	take_stray(l, tid, &old);
	// Children of ours that are no business of the target's leave their
	// ends here.
	if (l->n_strays == STRAYS_MAX)
		take_stray(l, l->strays[0].tid, &old);
	mem_grow(&l->strays, &l->strays_cap, l->n_strays, sizeof(*l->strays));
	l->strays[l->n_strays++] = (struct stray){tid, status};
}

struct dbg_error *child_born(struct live *l, struct thread *parent, int event)
{
	unsigned long message = 0;
	int status = 0;

	if (event == PTRACE_EVENT_VFORK)
		parent->in_vfork = true;
	// The parent was killed: its child is left as a stray.
	if (live_ptrace(l, PTRACE_GETEVENTMSG, parent->tid, 0,
			(uintptr_t)&message))
		return NULL;
	pid_t tid = (pid_t)message;
	bool stray = take_stray(l, tid, &status);
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

		if (*byte == INT3 && v[i].byte != INT3) {
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
	for (size_t i = 0; i < l->n_ghosts; i++)
		lift_all(l, fd, &l->ghosts[i], 1);
}

void child_release(struct live *l, struct thread *child)
{
	lift_in(l, child->tid);
	child_detach(l, child);
}

void child_detach(struct live *l, struct thread *child)
{
	live_ptrace(l, PTRACE_DETACH, child->tid, 0, 0);
	thread_remove(l, child);
}

void child_release_strays(struct live *l)
{
	int status;

	while (l->n_strays) {
		pid_t tid = l->strays[0].tid;

		take_stray(l, tid, &status);
		if (!WIFSTOPPED(status))
			continue;
		child_release(l, thread_add(l, tid, THREAD_FORKED));
	}
}

void live_trap_lifted(struct target *t, const struct trap *trap)
{
	struct live *l = live_of(t);

	// With all stopped and no child under way, no copy is being made.
	if (!l->n_running && !l->n_children && !l->n_strays) {
		l->n_ghosts = 0;
		return;
	}
	// No fork takes as long as that many.
	if (l->n_ghosts == GHOSTS_MAX) {
		l->n_ghosts /= 2;
		memcpy(l->ghosts, l->ghosts + l->n_ghosts,
		       l->n_ghosts * sizeof(*l->ghosts));
	}
	mem_grow(&l->ghosts, &l->ghosts_cap, l->n_ghosts, sizeof(*l->ghosts));
	l->ghosts[l->n_ghosts++] = *trap;
}
