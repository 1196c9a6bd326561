/*
 * Commands about dndbg itself: `help`, `source`, `echo`, `cd`, `pwd`, `shell`,
 * `pipe`, `complete`, `quit`.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/debuggees.h"
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/inferior.h"
#include "repl/line/edit.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/uis.h"

static struct dbg_error *cmd_source(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	_cleanup_words_ struct words words = {0};

	err = words_split(call->args, &words);
	if (err)
		return err;
	if (words.n != 1)
		return dbg_err_arg("The name of one file expected.");
	r->depth++;
	err = input_source(r, words.v[0]);
	r->depth--;
	return err;
}

static struct dbg_error *cmd_server(struct repl *r, const struct call *call)
{
	return cmd_execute(r, call->args);
}

// List what will happen to the debugged processes when the debugger ends; cores
// and snapshots are none.
static void add_ends(const struct repl *r, struct str *ret)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(r->first, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].state != DBG_IDLE && dbg_can_run(list[i].dbg))
			str_addf(
			    ret, "\tInferior %u [process %d] will be %s.\n",
			    list[i].number, (int)list[i].pid,
			    dbg_survives(list[i].dbg) ? "detached" : "killed");
}

static struct dbg_error *cmd_quit(struct repl *r, const struct call *call)
{
	_cleanup_str_ struct str ends = {0};
	uint64_t status = 0;

	if (*call->args && (!parse_u64(call->args, &status) || status > 255))
		return dbg_err_arg("\"%s\" is not an exit status.", call->args);
	add_ends(r, &ends);
	if (ends.len) {
		_cleanup_free_ char *question =
		    xasprintf("A debugging session is active.\n\n%s\nQuit "
			      "anyway?",
			      ends.s);

		if (!repl_confirm(r, question))
			return dbg_err(DBG_E_STATE, "Not confirmed.");
	}
	if (*call->args)
		r->quit_status = (int)status;
	r->quit = true;
	return NULL;
}

static struct dbg_error *cmd_echo(struct repl *r, const struct call *call)
{
	_cleanup_str_ struct str text = {0};

	for (const char *p = call->args; *p; p++) {
		bool escaped = *p == '\\' && p[1];
		p += escaped;
		str_addc(&text, !escaped    ? *p
				: *p == 'n' ? '\n'
				: *p == 't' ? '\t'
					    : *p);
	}
	out_ours(r, str_get(&text));
	return NULL;
}

static struct dbg_error *cmd_pwd(struct repl *r, const struct call *call)
{
	(void)r;
	(void)call;
	_cleanup_free_ char *cwd = getcwd(NULL, 0);
	if (!cwd)
		return dbg_err(DBG_E_FILE, "cannot name the directory: %s",
			       strerror(errno));
	out(r, "Working directory %s.\n", cwd);
	return NULL;
}

static struct dbg_error *cmd_cd(struct repl *r, const struct call *call)
{
	const char *dir = *call->args ? call->args : getenv("HOME");

	if (!dir)
		return dbg_err_arg("There is no home directory.");
	if (chdir(dir) < 0)
		return dbg_err(DBG_E_FILE, "%s: %s.", dir, strerror(errno));
	return cmd_pwd(r, call);
}

static struct dbg_error *cmd_shell(struct repl *r, const struct call *call)
{
	return shell_run(r, call->args, NULL);
}

// Words that may follow, each as the whole line that it would make.
static struct dbg_error *cmd_complete(struct repl *r, const struct call *call)
{
	struct completion c = {0};

	complete_line(r, call->args, &c);
	for (size_t i = 0; i < c.words.n; i++)
		out(r, "%.*s%s\n", (int)c.start, call->args, c.words.v[i]);
	words_deinit(&c.words);
	return NULL;
}

// Carry out a command and get its output, for a command of the shell to read.
static struct dbg_error *printed_by(struct repl *r, const char *line,
				    struct str *ret)
{
	FILE *outer = r->out;
	char *printed = NULL;
	size_t n = 0;

	FILE *file = open_memstream(&printed, &n);
	if (!file)
		return dbg_err(DBG_E_FILE, "cannot make a buffer: %s",
			       strerror(errno));
	fflush(outer);
	r->out = file;
	struct dbg_error *err = cmd_execute(r, line);
	r->out = outer;
	fclose(file);
	str_addn(ret, printed, n);
	free(printed);
	return err;
}

static struct dbg_error *cmd_pipe(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	const char *args = call->args;
	_cleanup_free_ char *mark = xstrdup("|");
	_cleanup_str_ struct str printed = {0};

	if (!strncmp(args, "-d ", 3)) {
		args += 3 + strspn(args + 3, " \t");
		size_t n = strcspn(args, " \t");
		free(mark);
		mark = xstrndup(args, n);
		args += n + strspn(args + n, " \t");
	}
	const char *end = *mark ? strstr(args, mark) : NULL;
	const char *shell = end ? end + strlen(mark) : "";
	shell += strspn(shell, " \t");
	if (!end || !*shell)
		return dbg_err_arg("Usage: pipe [-d MARK] COMMAND %s SHELL "
				   "COMMAND",
				   *mark ? mark : "|");
	_cleanup_free_ char *line = xstrndup(args, (size_t)(end - args));
	err = printed_by(r, line, &printed);
	return err ? err : shell_run(r, shell, &printed);
}

static struct dbg_error *cmd_interrupt(struct repl *r, const struct call *call)
{
	(void)call;
	resume_interrupt(r);
	return NULL;
}

static const struct repl_cmd cmds[] = {
    {
	.names = "help h he",
	.args = "[CLASS | COMMAND]",
	.help = "tell about commands",
	.complete = COMPLETE_COMMANDS,
	.run = help_run,
    },
    {
	.names = "source",
	.args = "FILE",
	.help = "carry out the commands of a file",
	.more = "The first error ends it. Lines that begin with # are "
		"comments.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_PATHS,
	.run = cmd_source,
    },
    {
	.names = "echo",
	.args = "[TEXT]",
	.help = "print TEXT; \\n is an end of line",
	.run = cmd_echo,
    },
    {
	.names = "shell !",
	.args = "[COMMAND]",
	.help = "carry out a command of the shell",
	.complete = COMPLETE_PATHS,
	.run = cmd_shell,
    },
    {
	.names = "pipe |",
	.args = "[-d MARK] COMMAND | SHELL COMMAND",
	.help = "give what a command prints to one of the shell",
	.more = "With -d, MARK stands between them in place of |.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_COMMANDS,
	.run = cmd_pipe,
    },
    {
	.names = "apropos",
	.args = "WORD",
	.help = "list commands and settings whose help mentions WORD",
	.flags = CMD_NEEDS_ARGS,
	.run = help_apropos,
    },
    {
	.names = "complete",
	.args = "[LINE]",
	.help = "list what the last word of LINE may become",
	.complete = COMPLETE_COMMANDS,
	.run = cmd_complete,
    },
    {
	.names = "cd",
	.args = "[DIRECTORY]",
	.help = "change the working directory",
	.complete = COMPLETE_PATHS,
	.run = cmd_cd,
    },
    {
	.names = "pwd",
	.help = "print the working directory",
	.run = cmd_pwd,
    },
    {
	.names = "interrupt",
	.help = "stop the program that another interface has resumed",
	.more = "At the prompt itself Ctrl-C does that.",
	.flags = CMD_NEEDS_PROCESS,
	.run = cmd_interrupt,
    },
    {
	.names = "new-ui",
	.args = "INTERPRETER TERMINAL",
	.help = "a prompt, or a front end made for gdb, at another terminal",
	.more = "INTERPRETER is console for a prompt, or mi, mi2, mi3 or mi4. "
		"Both see the same\nprogram; what one does the other is told.",
	.flags = CMD_NEEDS_ARGS,
	.run = uis_new,
    },
    {
	.names = "server",
	.args = "COMMAND",
	.help = "carry out COMMAND, which is not repeated by an empty line",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_COMMANDS,
	.run = cmd_server,
    },
    {
	.names = "quit q exit",
	.args = "[STATUS]",
	.help = "end dndbg and the program",
	.more = "STATUS is the exit status of dndbg.",
	.run = cmd_quit,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_support = {
    "support", "Help, scripts, the shell, the end", cmds};
