/* What the kernel tells of threads while they run: see threadlook.h. */
#include "sample/threadlook.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "target/proc.h"

enum {
	TEXT_MAX = 256,
	THREADS_MAX = 100000, // of which short-lived ones are the most
};

static int thread_open(const struct thread_looks *l, pid_t tid,
		       const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", l->pid, tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void thread_close(struct looked_thread *t)
{
	mem_close_fd(&t->times_fd);
	mem_close_fd(&t->call_fd);
	t->times_fd = t->call_fd = -1;
}

void thread_looks_deinit(struct thread_looks *l)
{
	for (size_t i = 0; i < l->n; i++) {
		thread_close(l->v[i]);
		free(l->v[i]);
	}
	free(l->v);
	map_deinit(&l->by_tid);
}

struct looked_thread *thread_looks_find(struct thread_looks *l, pid_t tid,
					uint64_t now)
{
	struct looked_thread *t = map_find(&l->by_tid, (uint64_t)tid);

	// A number of one that has ended may come again.
	if ((t && !t->ended) || l->n >= THREADS_MAX)
		return t;
	t = xcalloc(1, sizeof(*t));
	t->tid = tid;
	t->met = t->looked = t->counted_at = now;
	t->fresh = l->begun;
	proc_comm(l->pid, tid, t->name);
	t->times_fd = thread_open(l, tid, "schedstat");
	t->call_fd = thread_open(l, tid, "syscall");
	t->ended = t->times_fd < 0;
	// What it did before is not ours; of a new one all is.
	if (!t->fresh && thread_times_read(t, &t->first))
		t->now = t->counted = t->first;
	mem_grow(&l->v, &l->cap, l->n, sizeof(*l->v));
	l->v[l->n++] = t;
	map_put(&l->by_tid, (uint64_t)tid, t);
	return t;
}

bool thread_looks_list(struct thread_looks *l, uint64_t now)
{
	DIR *tasks = proc_tasks_open(l->pid);
	bool any = false;
	pid_t tid;

	if (!tasks)
		return false;
	while ((tid = proc_tasks_next(tasks))) {
		thread_looks_find(l, tid, now);
		any = true;
	}
	closedir(tasks);
	l->begun = true;
	return any;
}

// The text of a file of the thread's, which is gone with it.
static bool thread_text(struct looked_thread *t, int fd, char ret[TEXT_MAX])
{
	ssize_t n = fd < 0 ? -1 : pread(fd, ret, TEXT_MAX - 1, 0);

	if (n > 0) {
		ret[n] = '\0';
		return true;
	}
	if (fd >= 0 && errno == ESRCH) {
		t->ended = true;
		thread_close(t);
	}
	return false;
}

bool thread_times_read(struct looked_thread *t, struct thread_times *ret)
{
	char text[TEXT_MAX], *at = text;

	if (!thread_text(t, t->times_fd, text))
		return false;
	ret->run = strtoull(at, &at, 10);
	ret->wait = strtoull(at, &at, 10);
	ret->slices = strtoull(at, &at, 10);
	return true;
}

// "running", or "-1 SP PC", or "NUMBER SIX-ARGUMENTS SP PC".
enum thread_state thread_call_read(struct looked_thread *t,
				   struct blocked_call *ret)
{
	uint64_t v[CALL_WORDS + 3];
	char text[TEXT_MAX], *at = text, *end;
	size_t n = 0;

	if (!thread_text(t, t->call_fd, text))
		return t->ended ? THREAD_GONE : THREAD_RUNS;
	for (; n < sizeof(v) / sizeof(*v); n++, at = end) {
		v[n] = strtoull(at, &end, 0);
		if (end == at)
			break;
	}
	if (n < 3)
		return THREAD_RUNS;
	*ret = (struct blocked_call){
	    .number = (int64_t)v[0], .sp = v[n - 2], .pc = v[n - 1]};
	for (size_t i = 1; i + 2 < n; i++)
		ret->args[i - 1] = v[i];
	return THREAD_BLOCKED;
}
