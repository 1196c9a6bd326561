/*
 * Commands of the shell: `shell`, `!` and the receiving end of `pipe`. The
 * shell inherits the terminal and the signal mask that dndbg was started with.
 * If the output of a command goes elsewhere (a pipe, another front end), the
 * shell prints to a file in memory, which is passed on when it has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/err.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"

extern char **environ;

enum {
	PRINTED_MAX_BYTES = 4 << 20
};

/* Descriptors of the command, -1: ours. */
struct streams {
	int in, out;
};

static void streams_close(struct streams *s)
{
	if (s->in >= 0)
		close(s->in);
	if (s->out >= 0)
		close(s->out);
}

static struct dbg_error *
streams_open(const struct repl *r, const struct str *input, struct streams *ret)
{
	bool good = true;

	*ret = (struct streams){-1, -1};
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
	if (good && r->out != r->screen) {
		ret->out = memfd_create("printed", MFD_CLOEXEC);
		good = ret->out >= 0;
	}
	if (good)
		return NULL;
	int saved = errno;
	streams_close(ret);
	return dbg_err(DBG_E_FILE, "cannot redirect: %s", strerror(saved));
}

// SIGCHLD is blocked in us; the shell begins as it would without us.
static int start(char *const *argv, const struct streams *s, pid_t *ret)
{
	posix_spawnattr_t attr;
	posix_spawn_file_actions_t actions;
	sigset_t none;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	if (s->in >= 0)
		posix_spawn_file_actions_adddup2(&actions, s->in, 0);
	if (s->out >= 0) {
		posix_spawn_file_actions_adddup2(&actions, s->out, 1);
		posix_spawn_file_actions_adddup2(&actions, s->out, 2);
	}
	int status = posix_spawn(ret, argv[0], &actions, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return status;
}

static void take_printed(const struct repl *r, int fd)
{
	char buf[4096];
	ssize_t n;
	off_t at = 0;

	while (at < PRINTED_MAX_BYTES &&
	       (n = pread(fd, buf, sizeof(buf), at)) > 0) {
		fwrite(buf, 1, (size_t)n, r->out);
		at += n;
	}
}

static struct dbg_error *run(const char *command, const struct streams *s)
{
	const char *shell = getenv("SHELL");
	char sh[] = "/bin/sh", option[] = "-c";
	pid_t pid;
	int status;

	_cleanup_free_ char *copy = xstrdup(command);
	_cleanup_free_ char *program =
	    xstrdup(!*command && shell && *shell ? shell : sh);
	char *argv[] = {program, option, copy, NULL};
	if (!*command)
		argv[1] = NULL;
	int failed = start(argv, s, &pid);
	if (failed)
		return dbg_err(DBG_E_FILE, "cannot start '%s': %s", program,
			       strerror(failed));
	while (waitpid(pid, &status, 0) < 0)
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
	struct dbg_error *err;
	struct streams s;

	err = streams_open(r, input, &s);
	if (err)
		return err;
	fflush(r->out);
	err = run(command, &s);
	if (s.out >= 0)
		take_printed(r, s.out);
	streams_close(&s);
	return err;
}
