/*
 * A command's processes: walked by /proc/PID/task/TID/children, which has those
 * that the kernel would report to that task. What is no child of a living
 * member (a daemon) is not found.
 */
#include "report/report.h"

#include <glob.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

enum {
	DEPTH_MAX = 100, /* of processes below each other */
	LINE_SIZE = 4096,
};

typedef void member_fn(void *arg, pid_t pid);

/* A walk over a process and what it has started, children first. */
struct visit {
	member_fn *fn;
	void *arg;
};

static void visit_process(const struct visit *v, pid_t pid, unsigned int depth);

static void visit_children(const struct visit *v, const char *path,
			   unsigned int depth)
{
	FILE *file = fopen(path, "re");
	char *word = NULL;
	size_t cap = 0;

	while (file && getdelim(&word, &cap, ' ', file) > 0) {
		long child = strtol(word, NULL, 10);

		if (child > 0 && child <= INT32_MAX)
			visit_process(v, (pid_t)child, depth + 1);
	}
	free(word);
	if (file)
		fclose(file);
}

static void visit_process(const struct visit *v, pid_t pid, unsigned int depth)
{
	glob_t tasks;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/*/children", pid);
	if (depth < DEPTH_MAX && !glob(path, GLOB_NOSORT, NULL, &tasks)) {
		for (size_t i = 0; i < tasks.gl_pathc; i++)
			visit_children(v, tasks.gl_pathv[i], depth);
		globfree(&tasks);
	}
	v->fn(v->arg, pid);
}

// Text of a file of a folder; "" if there is none.
static void read_file(const char *folder, const char *name, char ret[LINE_SIZE])
{
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "re");
	if (file) {
		n = fread(ret, 1, LINE_SIZE - 1, file);
		fclose(file);
	}
	ret[n] = '\0';
}

static uint64_t number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

// The sum of these is as good as different for each set of numbers.
static uint64_t mark_of(pid_t id)
{
	return (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t threads_of(const char *folder)
{
	_cleanup_free_ char *pattern = xasprintf("%s/task/[0-9]*", folder);
	uint64_t sum = 0;
	glob_t tasks;

	if (glob(pattern, GLOB_NOSORT, NULL, &tasks))
		return 0;
	for (size_t i = 0; i < tasks.gl_pathc; i++) {
		const char *name = strrchr(tasks.gl_pathv[i], '/') + 1;

		sum += mark_of((pid_t)strtol(name, NULL, 10));
	}
	globfree(&tasks);
	return sum;
}

static void add_work(void *arg, pid_t pid)
{
	struct tree_work *work = arg;
	char folder[32], text[LINE_SIZE];
	uint64_t user, system;

	snprintf(folder, sizeof(folder), "/proc/%d", pid);
	read_file(folder, "stat", text);
	// The name, in parentheses, may have any characters.
	const char *rest = strrchr(text, ')');
	if (rest &&
	    sscanf(rest,
		   ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64
		   " %" SCNu64,
		   &user, &system) == 2)
		work->ticks += user + system;
	read_file(folder, "io", text);
	work->moved += number_behind(text, "wchar: ") +
		       number_behind(text, "\nread_bytes: ");
	work->members += mark_of(pid);
	work->threads += threads_of(folder);
}

void tree_work(pid_t pid, struct tree_work *ret)
{
	const struct visit v = {add_work, ret};

	*ret = (struct tree_work){0};
	visit_process(&v, pid, 0);
}

/* ---- Signals ---------------------------------------------------------- */

struct tree {
	struct pollfd *fds; /* readable when the process has ended */
	size_t n, cap;
};

static void process_hold(void *arg, pid_t pid)
{
	struct tree *tree = arg;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return;
	mem_grow(&tree->fds, &tree->cap, tree->n, sizeof(*tree->fds));
	tree->fds[tree->n++] = (struct pollfd){fd, POLLIN, 0};
}

struct tree *tree_hold(pid_t pid)
{
	struct tree *tree = xcalloc(1, sizeof(*tree));
	const struct visit v = {process_hold, tree};

	visit_process(&v, pid, 0);
	return tree;
}

void tree_destroy(struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++)
		close(tree->fds[i].fd);
	free(tree->fds);
	free(tree);
}

void tree_signal(const struct tree *tree, int signal)
{
	for (size_t i = 0; i < tree->n; i++)
		syscall(SYS_pidfd_send_signal, tree->fds[i].fd, signal, NULL,
			0);
}

bool tree_gone(const struct tree *tree)
{
	int n = poll(tree->fds, tree->n, 0);

	return n >= 0 && (size_t)n == tree->n;
}
