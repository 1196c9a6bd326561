/*
 * A process that traces the program in our place for a while, as createdump
 * does: it is traced itself, so as to be held at its end. Then it traces
 * nothing any more, and the program still waits for it: nothing that the
 * program does comes between its tracing and ours.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "target/proc.h"
#include "target/target.h"

enum {
	LOOK_MS = 100, /* nothing tells of the end of what it traces */
};

/*
 * A stop of it: let it go on. Its own signals are delivered, but for those of a
 * terminal that stop it: who waits for it would not be stopped with it.
 */
static void resume(pid_t pid, int status)
{
	int event = status >> 16, signal = WSTOPSIG(status);
	bool group = event == PTRACE_EVENT_STOP && signal != SIGTRAP;

	if (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)
		signal = 0;

	ptrace(group ? PTRACE_LISTEN : PTRACE_CONT, pid, NULL,
	       (uintptr_t)(event ? 0 : signal));
}

// All that it has to tell: is it held at its end, or gone?
static bool take_statuses(pid_t pid)
{
	int status;
	pid_t got;

	while ((got = waitpid(pid, &status, __WALL | WNOHANG)) > 0) {
		if (!WIFSTOPPED(status) || status >> 16 == PTRACE_EVENT_EXIT)
			return true;
		resume(pid, status);
	}
	return got < 0 && errno != EINTR;
}

// Wait for the next SIGCHLD, or until it is time to look again; false: it is
// @deadline (0: none).
static bool await_news(int fd, int64_t deadline)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	struct signalfd_siginfo info;
	int64_t left = deadline ? deadline - clock_ms() : LOOK_MS;

	if (left <= 0)
		return false;
	poll(&pfd, 1, left < LOOK_MS ? (int)left : LOOK_MS);
	while (read(fd, &info, sizeof(info)) > 0)
		;
	return true;
}

struct dbg_error *tracer_run(pid_t pid, pid_t program, int ms)
{
	int64_t deadline = ms < 0 ? 0 : clock_ms() + ms;
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	_cleanup_close_ int fd =
	    signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot make a signal descriptor");
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	while (!take_statuses(pid)) {
		if (await_news(fd, deadline) && !proc_ended(program))
			continue;
		// it is held at its end all the same
		kill(pid, SIGKILL);
		deadline = 0;
	}
	// others wait for it, too
	raise(SIGCHLD);
	return NULL;
}

void tracer_release(pid_t pid)
{
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}
