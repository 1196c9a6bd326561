/*
 * Signals that are sent to dndbg are meant for the command: they are passed on.
 * Those that come to all processes of the group are not, since the command is
 * in it as well: of a terminal's keys, or sent to the group. Neither are those
 * that the command and what it has started send: to their group (kill 0), which
 * has sent them to the command already, or to their parent. Somebody else of
 * the group may mean dndbg alone, as a script does by "kill $!".
 *
 * They are blocked and read, which leaves what is done with them as it was for
 * what dndbg starts.
 */
#include "report/report.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/plain.h"

/* ---- A process of our group that only keeps what it is sent -------------- */

/*
 * The kernel sends a signal to the processes of a group one after the other and
 * holds a lock meanwhile that setpgid(2) takes before it looks for the process:
 * after a call of it, even in vain, a signal is not half sent.
 */

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

__attribute__((noreturn)) static void witness_serve(int fd, const sigset_t *set)
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

/* Start it, for the signals of @set, which are blocked. NULL: it cannot be. */
static struct witness *witness_start(const sigset_t *set)
{
	int fds[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return NULL;
	pid_t pid = fork();
	if (!pid) {
		close(fds[0]);
		withdraw(fds[1], parent);
		witness_serve(fds[1], set);
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

static void witness_end(struct witness *w)
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

/*
 * Was what has come to us sent to the group? To be asked of each signal that we
 * read, once. False if @w is NULL or cannot tell.
 */
static bool witness_has(struct witness *w, const struct signalfd_siginfo *info)
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

/* ---- Signals that are sent to dndbg are meant for the command ------------ */

static const int signals[] = {SIGHUP,  SIGINT,   SIGQUIT, SIGTERM, SIGUSR1,
			      SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT};

struct passed {
	struct dbg *dbg;
	struct loop *loop;
	struct witness *witness;
	int fd;
	bool suspended;
	unsigned int asked; /* to end, so often */
};

static sigset_t all_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(&set, signals[i]);
	return set;
}

void passed_block(sigset_t *ret)
{
	const sigset_t set = all_signals();

	sigprocmask(SIG_BLOCK, &set, ret);
}

static bool asks_to_end(int signal)
{
	return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT ||
	       signal == SIGTERM;
}

static void pass(struct passed *p, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;
	bool kernel = info->ssi_code == SI_KERNEL;
	bool group = witness_has(p->witness, info);

	if (signal == SIGTSTP)
		p->suspended = true;
	// Who sends it to us and then to our group (timeout) asks once.
	if (asks_to_end(signal) && (kernel || !group))
		p->asked++;
	// A hangup comes to the leader of the session alone.
	if (group || (kernel && signal != SIGHUP))
		return;
	if (dbg_signal_from_program(p->dbg, (pid_t)info->ssi_pid))
		return;
	struct dbg_error *err = dbg_signal_send(p->dbg, signal);
	// It may have ended this moment.
	if (err && err->code == DBG_E_STATE)
		dbg_error_destroy(err);
	else
		plain_error(err);
}

static void poll_fd(void *arg, struct pollfd *fd)
{
	const struct passed *p = arg;

	*fd = (struct pollfd){p->fd, POLLIN, 0};
}

static void serve(void *arg, short revents)
{
	struct passed *p = arg;
	struct signalfd_siginfo info;

	(void)revents;
	while (read(p->fd, &info, sizeof(info)) == sizeof(info))
		pass(p, &info);
}

struct dbg_error *passed_create(struct dbg *dbg, struct loop *loop,
				struct passed **ret)
{
	struct passed *p = xcalloc(1, sizeof(*p));
	const sigset_t set = all_signals();

	*p = (struct passed){
	    .dbg = dbg,
	    .loop = loop,
	    .witness = witness_start(&set),
	    .fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
	};
	struct dbg_error *err =
	    p->fd < 0 ? dbg_err_errno(DBG_E_TARGET, errno, "no signalfd")
		      : loop_watch(loop, poll_fd, serve, p);
	if (err) {
		witness_end(p->witness);
		if (p->fd >= 0)
			close(p->fd);
		free(p);
		return err;
	}
	*ret = p;
	return NULL;
}

void passed_destroy(struct passed *p)
{
	if (!p)
		return;
	loop_unwatch(p->loop, p);
	witness_end(p->witness);
	close(p->fd);
	free(p);
}

void passed_now(struct passed *p)
{
	serve(p, POLLIN);
}

bool passed_hurries(struct passed *p)
{
	passed_now(p);
	return p->asked > 1;
}

void passed_calm(struct passed *p)
{
	p->asked = 0;
}

bool passed_suspends(struct passed *p)
{
	bool ret = p->suspended;

	p->suspended = false;
	return ret;
}

// Does the command ignore Ctrl-Z?
static bool is_ignored(pid_t pid)
{
	char path[64], line[256];
	unsigned long long ignored = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "SigIgn:", strlen("SigIgn:")))
			ignored = strtoull(line + strlen("SigIgn:"), NULL, 16);
	if (file)
		fclose(file);
	return ignored >> (SIGTSTP - 1) & 1;
}

void passed_suspend(struct passed *p)
{
	sigset_t set;

	if (is_ignored(dbg_pid(p->dbg)))
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	// Nobody is stopped by it without a shell that would continue us.
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
}
