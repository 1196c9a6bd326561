/*
 * One command for several processes: see monitor.h. Each is watched by a child,
 * so that what goes wrong with one leaves the others' results whole.
 */
#include "monitor/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum {
	SEVERAL_MAX = 256,
	CHUNK = 1 << 16,
};

/* One of the processes. */
struct several_child {
	pid_t pid;
	int out; // what it prints, -1: it has ended
	struct str printed;
};

static volatile sig_atomic_t told;

static void on_signal(int signal)
{
	told = signal;
}

// In the child: print into the pipe, and end if the parent is killed.
static _Noreturn void child_run(int out, size_t i, several_fn *fn, void *arg)
{
	prctl(PR_SET_PDEATHSIG, SIGINT);
	dup2(out, STDOUT_FILENO);
	close(out);
	int status = fn(arg, i);

	fflush(stdout);
	_exit(status);
}

static struct dbg_error *child_start(struct several_child *c, size_t i,
				     several_fn *fn, void *arg)
{
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC))
		return dbg_err_errno(DBG_E_TARGET, errno, "cannot make a pipe");
	fflush(stdout);
	c->pid = fork();
	if (!c->pid)
		child_run(pipes[1], i, fn, arg);
	close(pipes[1]);
	c->out = pipes[0];
	if (c->pid > 0)
		return NULL;
	mem_close_fd(&c->out);
	return dbg_err_errno(DBG_E_TARGET, errno, "cannot start a process");
}

// Print the whole lines of what a child has printed, or keep all until its end.
static void child_print(struct several_child *c, bool lines)
{
	const char *text = str_get(&c->printed);
	const char *last = lines && c->out >= 0 ? strrchr(text, '\n') : NULL;
	size_t n = c->out < 0 ? c->printed.len
		   : last     ? (size_t)(last - text) + 1
			      : 0;
	struct str rest = {0};

	if (!n)
		return;
	fwrite(text, 1, n, stdout);
	fflush(stdout);
	str_addn(&rest, text + n, c->printed.len - n);
	str_deinit(&c->printed);
	c->printed = rest;
}

static void child_read(struct several_child *c, bool lines)
{
	char chunk[CHUNK];
	ssize_t n = read(c->out, chunk, sizeof(chunk));

	if (n < 0 && errno == EINTR)
		return;
	if (n > 0)
		str_addn(&c->printed, chunk, (size_t)n);
	else
		mem_close_fd(&c->out);
	if (n <= 0)
		c->out = -1;
	child_print(c, lines);
}

static void children_tell(const struct several_child *v, size_t n, int signal)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].out >= 0)
			kill(v[i].pid, signal);
}

static void children_wait(struct several_child *v, size_t n, bool lines)
{
	struct pollfd fds[SEVERAL_MAX];
	size_t left;

	do {
		left = 0;
		for (size_t i = 0; i < n; i++) {
			fds[i] =
			    (struct pollfd){.fd = v[i].out, .events = POLLIN};
			left += v[i].out >= 0;
		}
		int ready = left ? poll(fds, n, -1) : 0;

		if (told)
			children_tell(v, n, told);
		told = 0;
		for (size_t i = 0; i < n && ready > 0; i++)
			if (v[i].out >= 0 && fds[i].revents)
				child_read(&v[i], lines);
	} while (left);
}

struct dbg_error *several_run(size_t n, bool lines, several_fn *fn, void *arg,
			      int *ret_status)
{
	const struct sigaction action = {.sa_handler = on_signal};
	struct several_child v[SEVERAL_MAX] = {0};
	struct dbg_error *err = NULL;
	size_t started = 0;
	int status;

	if (n > SEVERAL_MAX)
		return dbg_err_arg("%d processes at once are the most",
				   SEVERAL_MAX);
	for (; !err && started < n; started += !err)
		err = child_start(&v[started], started, fn, arg);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	if (err)
		children_tell(v, started, SIGINT);
	children_wait(v, started, lines);
	*ret_status = 0;
	for (size_t i = 0; i < started; i++) {
		while (waitpid(v[i].pid, &status, 0) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			*ret_status = 1;
		str_deinit(&v[i].printed);
	}
	return err;
}
