/*
 * Starting a program: fork, PTRACE_SEIZE before the exec (the child waits at a
 * pipe), exec, and the stop in front of its first instruction. In the child
 * only what is safe after fork; what fails there is reported through a second
 * pipe.
 */
#include "target/live/family.h"
#include "target/live/live.h"
#include "target/live/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Terminal ------------------------------------------------------------ */

/*
 * Who has the foreground of the terminal, the debugger or the program: it is
 * given to the program when that runs, and taken back at a stop, with the
 * terminal modes of each. Also keys that the terminal turns into signals, when
 * these came to a program that has stopped meanwhile.
 */

static void live_terminal_init(struct live *l, const struct dbg_launch *launch)
{
	struct family *f = l->family;

	f->own_pgrp = getpgrp();
	// A program with a terminal of its own leaves ours alone, as does one
	// that is in our group; and from the background nobody gives the
	// foreground away.
	f->shares_tty = !launch->tty && !launch->our_group &&
			isatty(STDIN_FILENO) &&
			tcgetpgrp(STDIN_FILENO) == f->own_pgrp;
}

// Set the terminal's foreground and modes. SIGTTOU is blocked, which tcsetpgrp
// and tcsetattr raise from the background.
static void set_terminal(pid_t pgrp, const struct termios *modes)
{
	sigset_t block, old;

	sigemptyset(&block);
	sigaddset(&block, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &block, &old);
	// It may have hung up; then there is nothing to share.
	int rc = tcsetpgrp(STDIN_FILENO, pgrp);
	if (!rc && modes)
		rc = tcsetattr(STDIN_FILENO, TCSADRAIN, modes);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void target_terminal_give(struct target *t)
{
	struct live *l = live_of(t);

	if (!target_can(t, TARGET_RUN) || l->exited)
		return;
	struct family *f = l->family;
	if (!f->shares_tty || f->given)
		return;
	if (tcgetattr(STDIN_FILENO, &f->own_modes))
		return;
	f->given = true;
	set_terminal(f->its_pgrp, f->has_modes ? &f->its_modes : NULL);
}

void target_terminal_take(struct target *t)
{
	struct live *l = live_of(t);

	if (!target_can(t, TARGET_RUN) || !l->family->given)
		return;
	struct family *f = l->family;
	f->given = false;
	// It may have put a group of its own there, as a shell does.
	pid_t pgrp = tcgetpgrp(STDIN_FILENO);
	if (pgrp > 0 && !l->exited)
		f->its_pgrp = pgrp;
	f->has_modes = !tcgetattr(STDIN_FILENO, &f->its_modes);
	set_terminal(f->own_pgrp, &f->own_modes);
}

/* ---- Keys ------------------------------------------------------------ */

enum {
	PEEKED = 16,       /* signals at a time */
	PEEKED_MAX = 4096, /* all in all */
	TAKE_TRIES = 1000, /* of a millisecond */
};

bool live_is_key(const siginfo_t *info)
{
	return (info->si_signo == SIGINT || info->si_signo == SIGTSTP) &&
	       info->si_code == SI_KERNEL;
}

static bool stands(const struct thread *th)
{
	return th->kind == THREAD_OWN && th->stop != STOP_NONE && !th->zombie;
}

// Has the thread taken a key's signal from the kernel that the session was not
// told of?
static bool has_key(const struct thread *th)
{
	return stands(th) && th->event_queued == TARGET_SIGNAL &&
	       live_is_key(&th->due.info);
}

// Get the pending signals of the process, which any of its threads may take.
static void pending_signals(struct live *l, sigset_t *ret)
{
	struct __ptrace_peeksiginfo_args args = {
	    .flags = PTRACE_PEEKSIGINFO_SHARED,
	    .nr = PEEKED,
	};
	siginfo_t list[PEEKED];
	long n = PEEKED;
	size_t i = 0;

	while (i < l->n_threads && !stands(l->threads[i]))
		i++;
	if (i == l->n_threads)
		return;
	for (; n == PEEKED && args.off < PEEKED_MAX; args.off += PEEKED) {
		n = live_ptrace(l, PTRACE_PEEKSIGINFO, l->threads[i]->tid,
				(uintptr_t)&args, (uintptr_t)list);
		for (long k = 0; k < n; k++)
			if (live_is_key(&list[k]))
				sigaddset(ret, list[k].si_signo);
	}
}

void target_keys_pending(struct target *t, sigset_t *ret)
{
	struct live *l = live_of(t);

	sigemptyset(ret);
	if (!target_can(t, TARGET_RUN))
		return;
	for (size_t i = 0; i < l->n_threads; i++)
		if (has_key(l->threads[i]))
			sigaddset(ret, l->threads[i]->due.info.si_signo);
	pending_signals(l, ret);
}

// Find a thread that will take @signal as soon as it goes on, and has nothing
// else to deliver.
static struct thread *taker(struct live *l, int signal)
{
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];
		uint64_t mask;

		if (!stands(th) || th->stop == STOP_GROUP || th->event_queued ||
		    th->due.signal || th->due.extra)
			continue;
		if (!live_ptrace(l, PTRACE_GETSIGMASK, th->tid, sizeof(mask),
				 (uintptr_t)&mask) &&
		    !(mask >> (signal - 1) & 1))
			return th;
	}
	return NULL;
}

// Let the thread take the signal: it stops again there before it executes
// anything.
static struct dbg_error *take_key(struct live *l, struct thread *th)
{
	struct dbg_error *err;
	pid_t tid = th->tid;
	uint64_t skip_pc = th->skip_pc;
	bool any;

	l->stopping = true;
	err = thread_go(l, th);
	for (int i = 0; !err && l->n_running && i < TAKE_TRIES; i++)
		err = live_take_within(l, 1, &any);
	l->stopping = false;
	err = dbg_err_first(err, live_pause(l));
	th = thread_find(l, tid);
	if (th)
		th->skip_pc = skip_pc;
	return err;
}

struct dbg_error *target_keys_drop(struct target *t, const sigset_t *keys)
{
	struct dbg_error *err = NULL;
	struct live *l = live_of(t);
	sigset_t pending;

	if (!target_can(t, TARGET_RUN) || !l->family->shares_tty)
		return NULL;
	sigemptyset(&pending);
	pending_signals(l, &pending);
	for (int signal = 1; !err && signal < NSIG; signal++) {
		struct thread *th = NULL;

		if (sigismember(keys, signal) == 1 &&
		    sigismember(&pending, signal) == 1)
			th = taker(l, signal);
		if (th)
			err = take_key(l, th);
	}
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (!has_key(th) ||
		    sigismember(keys, th->due.info.si_signo) != 1)
			continue;
		th->event_queued = 0;
		th->due.signal = 0;
	}
	live_kick(l);
	return err;
}

/* ---- Starting a program -------------------------------------------------- */

enum {
	EXIT_FAILED = 127
};

/* The step at which the child has failed, which it reports before it exits. */
enum stage {
	STAGE_CWD,
	STAGE_STDIN,
	STAGE_STDOUT,
	STAGE_STDERR,
	STAGE_TTY,
	STAGE_EXEC,
};

struct report {
	enum stage stage;
	int errnum;
};

struct spawn {
	const char *path;
	const char *const *argv;
	const struct dbg_launch *launch;
	const struct target_signals *signals;
	char **env;
	struct live *live;
	int go[2];     /* a byte: you are traced now */
	int report[2]; /* struct report; closed by a successful exec */
};

void target_signals_get(struct target_signals *ret)
{
	struct sigaction act;

	pthread_sigmask(SIG_SETMASK, NULL, &ret->mask);
	sigemptyset(&ret->ignored);
	for (int i = 1; i < NSIG; i++)
		if (!sigaction(i, NULL, &act) && act.sa_handler == SIG_IGN)
			sigaddset(&ret->ignored, i);
}

/* ---- The environment ------------------------------------------------- */

static size_t name_length(const char *entry)
{
	return strcspn(entry, "=");
}

// Does @entry ("NAME=..." or "NAME") name what @other does?
static bool same_name(const char *entry, const char *other)
{
	size_t n = name_length(entry);

	return n == name_length(other) && !strncmp(entry, other, n);
}

static bool overridden(const struct dbg_launch *launch, size_t from,
		       const char *entry)
{
	for (size_t i = from; i < launch->n_env; i++)
		if (same_name(launch->env[i], entry))
			return true;
	return false;
}

// Make the program's environment: ours with the launch's changes; strings are
// borrowed.
static char **make_env(const struct dbg_launch *launch)
{
	size_t n = 0, out = 0;

	while (environ[n])
		n++;
	char **env = xcalloc(n + launch->n_env + 1, sizeof(*env));
	for (size_t i = 0; i < n; i++)
		if (!overridden(launch, 0, environ[i]))
			env[out++] = environ[i];
	for (size_t i = 0; i < launch->n_env; i++)
		if (strchr(launch->env[i], '=') &&
		    !overridden(launch, i + 1, launch->env[i]))
			env[out++] = (char *)(uintptr_t)launch->env[i];
	return env;
}

/* ---- In the child: only what is safe after fork ---------------------- */

static _Noreturn void child_fail(const struct spawn *s, enum stage stage)
{
	struct report report = {stage, errno};

	ssize_t n = write(s->report[1], &report, sizeof(report));
	(void)n;
	_exit(EXIT_FAILED);
}

static void restore_signals(const struct target_signals *signals)
{
	struct sigaction act = {.sa_handler = SIG_DFL};

	for (int i = 1; i < NSIG; i++) {
		act.sa_handler =
		    sigismember(&signals->ignored, i) == 1 ? SIG_IGN : SIG_DFL;
		sigaction(i, &act, NULL);
	}
}

static void open_tty(const struct spawn *s)
{
	const char *tty = s->launch->tty;

	setsid();
	int fd = open(tty, O_RDWR | O_NOCTTY);
	if (fd < 0)
		child_fail(s, STAGE_TTY);
	// Refused if it is another session's: then the program has it as files
	// only, which is what can be had.
	ioctl(fd, TIOCSCTTY, 0);
	for (int i = 0; i < 3; i++)
		if (dup2(fd, i) < 0)
			child_fail(s, STAGE_TTY);
	if (fd > 2)
		close(fd);
}

// The file of a redirection, without the sign that it is appended to.
static const char *stdio_file(const char *name)
{
	return str_starts(name, ">>") ? name + 2 : name;
}

// Open what stream @i is redirected to; -1: failed. @opened: of those before.
static int open_stream(const char *const *names, int i, const int *opened)
{
	const char *name = names[i], *file = stdio_file(name);

	if (*name == '&')
		return dup(name[1] - '0');
	if (i == 2 && names[1] && !strcmp(names[1], name))
		return dup(opened[1]);
	return open(file,
		    O_NOCTTY | (!i ? O_RDONLY
				   : O_WRONLY | O_CREAT |
					 (file > name ? O_APPEND : O_TRUNC)),
		    0666);
}

static void open_stdio(const struct spawn *s)
{
	const char *const *names = s->launch->stdio;
	int fds[3];

	for (int i = 0; i < 3; i++) {
		fds[i] = names[i] ? open_stream(names, i, fds) : i;
		if (fds[i] < 0)
			child_fail(s, (enum stage)(STAGE_STDIN + i));
	}
	for (int i = 0; i < 3; i++) {
		if (fds[i] == i)
			continue;
		if (dup2(fds[i], i) < 0)
			child_fail(s, (enum stage)(STAGE_STDIN + i));
		close(fds[i]);
	}
}

static _Noreturn void child(const struct spawn *s)
{
	char byte;

	close(s->go[1]);
	if (s->live->family->shares_tty)
		setpgid(0, 0);
	// The end of the pipe without a byte: the parent gave up or died.
	ssize_t n;
	do
		n = read(s->go[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(EXIT_FAILED);
	if (s->launch->tty)
		open_tty(s);
	if (s->launch->cwd && chdir(s->launch->cwd))
		child_fail(s, STAGE_CWD);
	open_stdio(s);
	restore_signals(s->signals);
	pthread_sigmask(SIG_SETMASK, &s->signals->mask, NULL);
	execve(s->path, (char *const *)(uintptr_t)s->argv, s->env);
	child_fail(s, STAGE_EXEC);
}

/* ---- In the parent --------------------------------------------------- */

static const char *subject(const struct spawn *s, enum stage stage)
{
	switch (stage) {
	case STAGE_CWD:
		return s->launch->cwd;
	case STAGE_STDIN:
		return stdio_file(s->launch->stdio[0]);
	case STAGE_STDOUT:
		return stdio_file(s->launch->stdio[1]);
	case STAGE_STDERR:
		return stdio_file(s->launch->stdio[2]);
	case STAGE_TTY:
		return s->launch->tty;
	case STAGE_EXEC:
		break;
	}
	return s->path;
}

// The child ended before its exec: the error that says why.
static struct dbg_error *failure(const struct spawn *s)
{
	struct report report;

	if (read(s->report[0], &report, sizeof(report)) != sizeof(report))
		return dbg_err(DBG_E_TARGET,
			       "'%s' was killed before it was started",
			       s->path);
	enum dbg_code code =
	    report.stage == STAGE_EXEC ? DBG_E_TARGET : DBG_E_FILE;
	const char *what = "cannot open";
	if (report.stage == STAGE_CWD)
		what = "cannot change to";
	else if (report.stage == STAGE_EXEC)
		what = "cannot start";
	return dbg_err_errno(code, report.errnum, "%s '%s'", what,
			     subject(s, report.stage));
}

static struct dbg_error *child_seize(struct spawn *s)
{
	struct live *l = s->live;
	pid_t pid = l->target.pid;

	if (!live_ptrace(l, PTRACE_SEIZE, pid, 0,
			 PTRACE_O_EXITKILL | LIVE_OPTIONS))
		return NULL;
	struct dbg_error *err = live_refused(pid, errno);
	// Not traced, so nothing but its end is to be waited for.
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	l->target.pid = 0;
	return err;
}

// Wait until the child stops in front of the program's first instruction.
static struct dbg_error *await_exec(struct spawn *s)
{
	struct dbg_error *err;
	struct live *l = s->live;
	bool any;

	for (;;) {
		err = live_take(l, true, &any);
		if (err)
			return err;
		if (l->exited)
			return failure(s);
		struct thread *th = thread_find(l, l->target.pid);
		if (th && th->event_queued == TARGET_EXEC) {
			th->event_queued = 0;
			l->queue.n = l->queue.first = 0;
			live_set_root(l);
			return NULL;
		}
	}
}

static struct dbg_error *child_start(struct spawn *s)
{
	struct dbg_error *err;
	struct live *l = s->live;

	pid_t pid = fork();
	if (pid < 0)
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot start a process");
	if (!pid)
		child(s);
	l->target.pid = pid;
	close(s->go[0]);
	close(s->report[1]);
	s->go[0] = s->report[1] = -1;
	err = child_seize(s);
	if (err)
		return err;
	thread_add(l, pid, THREAD_OWN)->fresh = false;
	if (l->family->shares_tty) {
		// Both of us set it, so that neither has to wait.
		setpgid(pid, pid);
		l->family->its_pgrp = pid;
		target_terminal_give(&l->target);
	}
	if (write(s->go[1], "", 1) != 1)
		return dbg_err_errno(DBG_E_TARGET, errno, "cannot start '%s'",
				     s->path);
	return await_exec(s);
}

static struct dbg_error *open_pipes(struct spawn *s)
{
	if (pipe2(s->go, O_CLOEXEC) || pipe2(s->report, O_CLOEXEC))
		return dbg_err_errno(DBG_E_TARGET, errno, "cannot make a pipe");
	return NULL;
}

struct dbg_error *target_spawn_with(const char *path, const char *const *argv,
				    const struct dbg_launch *launch,
				    const struct target_signals *signals,
				    struct target **ret)
{
	struct dbg_error *err;
	struct spawn s = {
	    .path = path,
	    .argv = argv,
	    .launch = launch,
	    .signals = signals,
	    .go = {-1, -1},
	    .report = {-1, -1},
	};

	err = live_create(NULL, &s.live);
	if (err)
		return err;
	s.env = make_env(launch);
	live_terminal_init(s.live, launch);
	err = open_pipes(&s);
	if (!err)
		err = child_start(&s);
	for (int i = 0; i < 2; i++) {
		mem_close_fd(&s.go[i]);
		mem_close_fd(&s.report[i]);
	}
	free(s.env);
	if (err) {
		live_destroy(&s.live->target);
		return err;
	}
	*ret = &s.live->target;
	return NULL;
}

struct dbg_error *target_spawn(const char *path, const char *const *argv,
			       const struct dbg_launch *launch,
			       struct target **ret)
{
	struct target_signals signals;

	target_signals_get(&signals);
	if (launch->blocked)
		signals.mask = *launch->blocked;
	sigdelset(&signals.mask, SIGCHLD);
	return target_spawn_with(path, argv, launch, &signals, ret);
}
