/*
 * Commands of the shell: `shell`, `!` and the receiving end of `pipe`. The
 * shell inherits the terminal and the signal mask that dndbg was started with.
 * If the output of a command goes elsewhere (a pipe, another front end), the
 * shell prints to a file in memory, which is passed on when it has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/err.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"

enum {
	PRINTED_MAX_BYTES = 4 << 20
};

static void streams_close(struct shell_child *s)
{
	if (s->in >= 0)
		close(s->in);
	if (s->out >= 0)
		close(s->out);
}

static struct dbg_error *streams_open(const struct repl *r,
				      const struct shell_how *how,
				      struct shell_child *ret)
{
	const struct str *input = how->input;
	bool good = true;

	*ret =
	    (struct shell_child){.in = -1, .out = -1, .printed = how->printed};
	if (input) {
		ret->in = memfd_create("input", MFD_CLOEXEC);
		good = ret->in >= 0 &&
		       write(ret->in, str_get(input), input->len) ==
			   (ssize_t)input->len &&
		       lseek(ret->in, 0, SEEK_SET) == 0;
	} else if (!r->screen) {
		// What we read is not the user's.
		ret->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
		good = ret->in >= 0;
	}
	if (good && (how->printed || r->out != r->screen)) {
		ret->out = memfd_create("printed", MFD_CLOEXEC);
		good = ret->out >= 0;
	}
	if (good)
		return NULL;
	int saved = errno;
	streams_close(ret);
	return dbg_err(DBG_E_FILE, "cannot redirect: %s", strerror(saved));
}

// In the child: redirect and execute. SIGCHLD is blocked in dndbg; the child
// begins with all signals unblocked, but for the one that is held.
static void child_exec(char *const *argv, const struct shell_how *how,
		       const struct shell_child *c)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	if (how->held)
		sigaddset(&blocked, SIGINT);
	if (how->apart && (setpgid(0, 0) || prctl(PR_SET_PDEATHSIG, SIGTERM)))
		return;
	if (c->in >= 0 && dup2(c->in, STDIN_FILENO) < 0)
		return;
	if (c->out >= 0 && dup2(c->out, STDOUT_FILENO) < 0)
		return;
	if (c->out >= 0 && !how->printed && dup2(c->out, STDERR_FILENO) < 0)
		return;
	pthread_sigmask(SIG_SETMASK, &blocked, NULL);
	execv(argv[0], argv);
}

// Returns 0, or what has failed. A child that begins closes the pipe.
static int child_begin(char *const *argv, const struct shell_how *how,
		       struct shell_child *c)
{
	int failed = 0, fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return errno;
	c->pid = fork();
	if (!c->pid) {
		child_exec(argv, how, c);
		failed = errno;
		_exit(write(fds[1], &failed, sizeof(failed)) < 0 ? 126 : 127);
	}
	if (c->pid < 0)
		failed = errno;
	close(fds[1]);
	if (c->pid > 0 && read(fds[0], &failed, sizeof(failed)) > 0)
		waitpid(c->pid, NULL, 0);
	close(fds[0]);
	return failed;
}

static void take_printed(const struct repl *r, const struct shell_child *c)
{
	char buf[4096];
	ssize_t n;
	off_t at = 0;

	while (at < PRINTED_MAX_BYTES &&
	       (n = pread(c->out, buf, sizeof(buf), at)) > 0) {
		if (c->printed)
			str_addn(c->printed, buf, (size_t)n);
		else
			fwrite(buf, 1, (size_t)n, r->out);
		at += n;
	}
}

struct dbg_error *shell_start(struct repl *r, char *const *argv,
			      const struct shell_how *how,
			      struct shell_child *ret)
{
	struct dbg_error *err = streams_open(r, how, ret);

	if (err)
		return err;
	fflush(r->out);
	int failed = child_begin(argv, how, ret);
	if (!failed)
		return NULL;
	streams_close(ret);
	return dbg_err(DBG_E_FILE, "cannot start '%s': %s", argv[0],
		       strerror(failed));
}

void shell_end(struct repl *r, struct shell_child *c)
{
	if (c->out >= 0)
		take_printed(r, c);
	streams_close(c);
}

static struct dbg_error *shell_wait(const struct shell_child *c)
{
	int status;

	while (waitpid(c->pid, &status, 0) < 0)
		if (errno != EINTR)
			return dbg_err(DBG_E_TARGET, "cannot wait: %s",
				       strerror(errno));
	if (WIFSIGNALED(status))
		return dbg_err(DBG_E_TARGET,
			       "The shell was ended by signal %d.",
			       WTERMSIG(status));
	return NULL;
}

struct dbg_error *shell_run(struct repl *r, const char *command,
			    const struct str *input)
{
	const char *shell = getenv("SHELL");
	char sh[] = "/bin/sh", option[] = "-c";
	struct shell_child child;

	_cleanup_free_ char *copy = xstrdup(command);
	_cleanup_free_ char *program =
	    xstrdup(!*command && shell && *shell ? shell : sh);
	char *argv[] = {program, option, copy, NULL};
	if (!*command)
		argv[1] = NULL;
	struct dbg_error *err =
	    shell_start(r, argv, &(struct shell_how){.input = input}, &child);
	if (err)
		return err;
	err = shell_wait(&child);
	shell_end(r, &child);
	return err;
}
