/*
 * Watching the program while it runs: `sample`, `events`, `counters`, `top`,
 * `perfmap`. Each is dndbg's command of that name (src/monitor/), which has no
 * session, as a process of its own. If it watches what runs, the program goes
 * on meanwhile as after `continue`, and is stopped when the result is there; a
 * stop that comes before, or Ctrl-C, ends the watching early.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/cmd.h"
#include "repl/inferior.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"

enum {
	VALUE_ALL = 1, /* of a command: it takes no program */
};

struct watching {
	struct repl *r;
	struct shell_child child;
	int pidfd;    /* readable when it has ended */
	bool resumed; /* the program was, for it */
	bool told;    /* to end */
	bool ended;
};

/* ---- The other process ------------------------------------------------- */

static void watching_tell(struct watching *w)
{
	if (!w->told && !w->ended)
		kill(w->child.pid, SIGINT);
	w->told = true;
}

static void watching_end(struct watching *w)
{
	watching_tell(w);
	if (w->pidfd >= 0)
		close(w->pidfd);
	// The engine may have done this.
	while (waitpid(w->child.pid, NULL, 0) < 0 && errno == EINTR)
		;
	shell_end(w->r, &w->child);
}

// Start dndbg with the words of @line behind its name. Its end is noticed by a
// descriptor, since the engine may reap it.
static struct dbg_error *watching_begin(struct watching *w, const char *line,
					struct str *printed)
{
	_cleanup_words_ struct words words = {0};
	_cleanup_free_ char *self = file_self();
	const char *path = self ? self : "/proc/self/exe";

	words_add(&words, path, strlen(path));
	struct dbg_error *err = words_split(line, &words);
	if (!err)
		err = shell_start(w->r, words.v,
				  &(struct shell_how){.apart = true,
						      .held = w->resumed,
						      .printed = printed},
				  &w->child);
	if (err)
		return err;
	w->pidfd = (int)syscall(SYS_pidfd_open, w->child.pid, 0);
	if (w->pidfd >= 0)
		return NULL;
	err = dbg_err_errno(DBG_E_TARGET, errno, "cannot wait for process %d",
			    (int)w->child.pid);
	watching_end(w);
	return err;
}

// Wait until the command has ended, handling the program's events meanwhile.
static struct dbg_error *watching_wait(struct watching *w)
{
	struct pollfd fd = {.fd = w->pidfd, .events = POLLIN};
	struct loop_wait wait = {.fds = &fd, .n = 1, .timeout = -1};
	struct repl *r = w->r;
	unsigned int what;

	while (!w->ended) {
		struct dbg_error *err = loop_wait_fds(r->loop, &wait, &what);

		repl_events(r);
		w->ended = fd.revents;
		r->interrupted |= what & LOOP_INTERRUPT;
		if (what & LOOP_END)
			repl_end(r);
		if (err || r->interrupted || r->quit ||
		    (w->resumed && (r->stopped || r->exited)))
			watching_tell(w);
		if (err && dbg_state(r->dbg) == DBG_RUNNING) {
			repl_warn(r, "", err);
			err = NULL;
		}
		if (err)
			return err;
	}
	return NULL;
}

static struct dbg_error *watching_run(struct repl *r, const char *line,
				      bool resumed, struct str *printed)
{
	struct watching w = {.r = r, .resumed = resumed, .pidfd = -1};
	struct dbg_error *err = watching_begin(&w, line, printed);

	if (err)
		return err;
	err = watching_wait(&w);
	watching_end(&w);
	return err;
}

/* ---- The commands ------------------------------------------------------ */

struct dbg_error *watching_resume(struct repl *r, struct dbg_stopped at,
				  const char *line, struct str *printed)
{
	resume_begin(r, RESUME_RUN);
	struct dbg_error *err = dbg_continue(at, 0);
	if (err)
		return resume_wait(r, err);
	err = watching_run(r, line, true, printed);
	if (!r->stopped && !r->exited && !r->quit)
		resume_interrupt(r);
	struct dbg_error *stop =
	    printed ? resume_wait(r, NULL) : resume_end(r, NULL);
	if (!err)
		return stop;
	dbg_error_destroy(stop);
	return err;
}

// The words of dndbg for the command.
static void line_of(struct repl *r, const struct call *call, struct str *ret)
{
	str_addf(ret, "%s %s", call->cmd->names, call->args);
	if (!(call->cmd->value & VALUE_ALL))
		str_addf(ret, " %d", (int)dbg_pid(r->dbg));
}

static struct dbg_error *cmd_watch_running(struct repl *r,
					   struct dbg_stopped at,
					   const struct call *call)
{
	_cleanup_str_ struct str line = {0};

	if (r->hosted)
		return dbg_err(DBG_E_STATE,
			       "The program would have to go on for that: "
			       "\"dndbg %s\" in a terminal watches process %d "
			       "while it runs.",
			       call->cmd->names, (int)dbg_pid(r->dbg));
	line_of(r, call, &line);
	return watching_resume(r, at, str_get(&line), NULL);
}

static struct dbg_error *cmd_watch(struct repl *r, const struct call *call)
{
	_cleanup_str_ struct str line = {0};

	r->interrupted = false;
	line_of(r, call, &line);
	return watching_run(r, str_get(&line), false, NULL);
}

static const struct repl_cmd cmds[] = {
    {
	.names = "sample",
	.args = "[--seconds N] [--rate N] [--flame FILE.html] [OPTION]...",
	.help = "let the program go on, and see where its time goes",
	.more =
	    "It is stopped again after 10 seconds, N, or at Ctrl-C. Options "
	    "are those of\n\"dndbg sample\".",
	.flags = CMD_RUNS,
	.stopped = cmd_watch_running,
    },
    {
	.names = "events",
	.args = "gc|exceptions|alloc|contention|jit|threadpool [OPTION]...",
	.help = "let the program go on, and see what its runtime tells",
	.more = "It is stopped again after 10 seconds, --seconds N, or at "
		"Ctrl-C. Options are\nthose of \"dndbg events\".",
	.flags = CMD_RUNS | CMD_NEEDS_ARGS,
	.stopped = cmd_watch_running,
    },
    {
	.names = "counters",
	.args = "[--seconds N] [--meter NAME] [OPTION]...",
	.help = "let the program go on, and see what it counts",
	.more = "It is stopped again after 5 seconds, N, or at Ctrl-C. Options "
		"are those of\n\"dndbg counters\".",
	.flags = CMD_RUNS,
	.stopped = cmd_watch_running,
    },
    {
	.names = "top",
	.args = "[OPTION]...",
	.help = "what all .NET programs use, until Ctrl-C",
	.value = VALUE_ALL,
	.run = cmd_watch,
    },
    {
	.names = "perfmap",
	.args = "[--output FILE]",
	.help = "write down where the program's code is, for perf",
	.flags = CMD_NEEDS_PROCESS | CMD_RUNS,
	.run = cmd_watch,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_watching = {
    "watching", "Watching the program while it runs", cmds};
