/*
 * The kernel sends a signal to the processes of a group one after the other and
 * holds a lock meanwhile that setpgid(2) takes before it looks for the process:
 * after a call of it, even in vain, a signal is not half sent.
 */
#include "report/witness.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "report/ownprocess.h"

enum {
	ANSWER_MS = 10000,
	SIGNALS = 65,
};

struct witness {
	pid_t pid;
	int pidfd;
	int fd; /* questions are signals as they came to us, answers a byte */
};

/* ---- The process ------------------------------------------------------ */

static bool is_same(const struct signalfd_siginfo *a,
		    const struct signalfd_siginfo *b)
{
	return a->ssi_signo == b->ssi_signo && a->ssi_code == b->ssi_code &&
	       a->ssi_pid == b->ssi_pid;
}

static void withdraw(int fd, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	ownprocess_hide("signal-witness");
	// Who reads our output waits until nobody has it open.
	if (fd)
		close_range(0, (unsigned int)fd - 1, 0);
	close_range((unsigned int)fd + 1, ~0U, 0);
}

__attribute__((noreturn)) static void serve(int fd, const sigset_t *set)
{
	struct signalfd_siginfo seen[SIGNALS] = {0}, one;

	int signals = signalfd(-1, set, SFD_NONBLOCK);
	while (read(fd, &one, sizeof(one)) == sizeof(one)) {
		struct signalfd_siginfo asked = one;
		struct signalfd_siginfo *last = &seen[asked.ssi_signo];

		while (read(signals, &one, sizeof(one)) == sizeof(one))
			seen[one.ssi_signo] = one;
		char answer = is_same(last, &asked);
		last->ssi_signo = 0;
		if (write(fd, &answer, 1) != 1)
			break;
	}
	_exit(0);
}

struct witness *witness_start(const sigset_t *set)
{
	int fds[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return NULL;
	pid_t pid = fork();
	if (!pid) {
		close(fds[0]);
		withdraw(fds[1], parent);
		serve(fds[1], set);
	}
	close(fds[1]);
	int pidfd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0) {
		// it ends by that
		close(fds[0]);
		while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return NULL;
	}
	struct witness *w = xcalloc(1, sizeof(*w));
	*w = (struct witness){
	    .pid = pid,
	    .pidfd = pidfd,
	    .fd = fds[0],
	};
	return w;
}

/* ---- We --------------------------------------------------------------- */

void witness_end(struct witness *w)
{
	if (!w)
		return;
	syscall(SYS_pidfd_send_signal, w->pidfd, SIGKILL, NULL, 0);
	if (w->fd >= 0)
		close(w->fd);
	close(w->pidfd);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(w);
}

static bool witness_ask(struct witness *w, const struct signalfd_siginfo *info,
			char *ret)
{
	struct pollfd answer = {.fd = w->fd, .events = POLLIN};

	return send(w->fd, info, sizeof(*info), MSG_NOSIGNAL) ==
		   sizeof(*info) &&
	       poll(&answer, 1, ANSWER_MS) == 1 && read(w->fd, ret, 1) == 1;
}

bool witness_has(struct witness *w, const struct signalfd_siginfo *info)
{
	char answer = 0;

	if (!w || w->fd < 0 || info->ssi_signo >= SIGNALS)
		return false;
	// There is no such process; but what is being sent is sent then.
	if (!setpgid(INT_MAX, 0) || errno != ESRCH)
		return false;
	if (witness_ask(w, info, &answer))
		return answer;
	// An answer that comes later would be taken for that to another.
	close(w->fd);
	w->fd = -1;
	return false;
}
