/*
 * The cleanup process: a child of dndbg that cleans up if dndbg dies.
 *
 * It waits at a pipe whose other end dndbg holds. A byte says that all is well;
 * the end of the pipe without one, that dndbg is dead: then the cleanup process
 * attaches to the program as dndbg would, finds our trap handler there, takes
 * everything out, and lets the program go. Until it is done the orphan trap
 * handler (orphan.c) keeps the program alive.
 */
#include "target/live/live.h"
#include "target/guard/orphan.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"

static const char cleanup_process_name[] = "dndbg-cleanup";

enum {
	CLEANUP_FD = 3,
	NAP_MS = 2,
	TRIES_MAX = 1000,
	TRY_SECONDS = 10,
	TIMEOUTS_MAX = 5,
};

static void nap(void)
{
	poll(NULL, 0, NAP_MS);
}

bool cleanup_process_is(pid_t pid)
{
	char name[16];

	proc_comm(pid, pid, name);
	return !strcmp(name, cleanup_process_name);
}

// Detach from dndbg's surroundings: hold no descriptor open, and ignore keys
// and hangups, which are not meant for this process.
static void cleanup_detach(int fd)
{
	static const int ignored[] = {SIGINT,  SIGHUP,  SIGQUIT,
				      SIGTERM, SIGTSTP, SIGPIPE};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	prctl(PR_SET_NAME, cleanup_process_name);
	setsid();
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		sigaction(ignored[i], &ignore, NULL);
	dup2(fd, CLEANUP_FD);
	close_range(CLEANUP_FD + 1, ~0u, 0);
	int null = open("/dev/null", O_RDWR);
	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
}

// Attach, which finds and removes what we left, and let go; false: something is
// left, as where a thread did not come out of the orphan trap handler in time.
static bool clean(pid_t pid)
{
	struct target *t;
	struct dbg_error *err;

	bool left = false;

	err = attach_to_clean(pid, &t);
	if (!err) {
		err = live_let_go(live_of(t), false);
		left = live_of(t)->orphan.addr;
		target_destroy(t);
	}
	return !dbg_err_drop(err) && !left;
}

enum outcome {
	CLEAN,
	LEFT,
	TIMED_OUT,
};

/*
 * Try once, in a child process that SIGALRM ends: whatever it waits for, the
 * program must not stand still for longer. A try can end at any moment, and so
 * can this process; the program then goes on.
 */
static enum outcome clean_within(pid_t pid)
{
	const struct sigaction ends = {.sa_handler = SIG_DFL};
	siginfo_t end = {0};
	sigset_t set;
	pid_t child = fork();

	if (!child) {
		sigaction(SIGALRM, &ends, NULL);
		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		alarm(TRY_SECONDS);
		_exit(clean(pid) ? CLEAN : LEFT);
	}
	if (child < 0)
		return LEFT;
	while (waitid(P_PID, (id_t)child, &end, WEXITED) < 0)
		if (errno != EINTR)
			return LEFT;
	return end.si_code == CLD_EXITED ? (enum outcome)end.si_status
					 : TIMED_OUT;
}

// Wait until the dying @parent does not trace it any more; false: it is gone,
// or has another tracer, who will find the orphan trap handler by himself.
static bool await_turn(pid_t pid, pid_t parent)
{
	uint64_t tracer;

	for (;;) {
		if (!proc_status(pid, "TracerPid", 10, &tracer))
			return false;
		if (tracer != (uint64_t)parent)
			return !tracer;
		nap();
	}
}

static _Noreturn void child(int fd, pid_t pid, pid_t parent, uint64_t started)
{
	char byte;
	ssize_t n;
	int timeouts = 0;

	cleanup_detach(fd);
	do
		n = read(CLEANUP_FD, &byte, 1);
	while (n < 0 && errno == EINTR);
	for (int i = 0; !n && i < TRIES_MAX && timeouts < TIMEOUTS_MAX; i++) {
		if (!await_turn(pid, parent) || proc_start_time(pid) != started)
			break;
		enum outcome outcome = clean_within(pid);
		if (outcome == CLEAN)
			break;
		timeouts += outcome == TIMED_OUT;
		nap();
	}
	_exit(0);
}

struct dbg_error *cleanup_process_start(pid_t pid, struct cleanup_process *ret)
{
	pid_t parent = getpid();
	uint64_t started = proc_start_time(pid);
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return dbg_err_errno(DBG_E_TARGET, errno, "cannot make a pipe");
	ret->pid = fork();
	if (ret->pid < 0) {
		int errnum = errno;

		close(fds[0]);
		close(fds[1]);
		return dbg_err_errno(DBG_E_TARGET, errnum,
				     "cannot start a process");
	}
	if (!ret->pid) {
		close(fds[1]);
		child(fds[0], pid, parent, started);
	}
	close(fds[0]);
	ret->fd = fds[1];
	return NULL;
}

void cleanup_process_dismiss(struct cleanup_process *cleanup)
{
	if (!cleanup->pid || cleanup->fd < 0)
		return;
	ssize_t n = write(cleanup->fd, "", 1);
	(void)n;
	close(cleanup->fd);
	cleanup->fd = -1;
}

void cleanup_process_end(struct cleanup_process *cleanup)
{
	if (!cleanup->pid)
		return;
	cleanup_process_dismiss(cleanup);
	while (waitpid(cleanup->pid, NULL, 0) < 0 && errno == EINTR)
		;
	memset(cleanup, 0, sizeof(*cleanup));
}
