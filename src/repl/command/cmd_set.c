/*
 * `set`, `show` and `unset`, with what they change besides the settings of
 * uis.c: the program to run (args, environment, cwd, terminal).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/inert.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/show/show.h"
#include "repl/uis.h"

static struct dbg_error *set_var(struct repl *r, struct dbg_stopped at,
				 const struct call *call)
{
	struct dbg_value v;

	return evaluate_typed(r, at, call->args, &v);
}

// `set $NAME = VALUE`. Without a stopped program the value must be a number.
static struct dbg_error *set_variable(struct repl *r, const struct call *call)
{
	size_t n = strcspn(call->args, " \t=");
	const char *value = call->args + n + strspn(call->args + n, " \t");
	struct dbg_stopped at;
	uint64_t number;

	if (!dbg_err_drop(dbg_stopped(r->dbg, &at)))
		return set_var(r, at, call);
	if (*value != '=' ||
	    !parse_u64(value + 1 + strspn(value + 1, " \t"), &number))
		return dbg_err_arg("Without a stopped program a variable is "
				   "set to a number: set $NAME = NUMBER.");
	_cleanup_free_ char *name = xstrndup(call->args + 1, n - 1);
	dbg_variable_set(r->dbg, name, (int64_t)number);
	return NULL;
}

static struct dbg_error *cmd_set(struct repl *r, const struct call *call)
{
	if (*call->args == '$')
		return set_variable(r, call);
	return setting_set(r, call->args);
}

static struct dbg_error *set_args(struct repl *r, const struct call *call)
{
	struct dbg_error *err = launch_config_args(r->launch, call->args);

	if (!err)
		dbg_error_destroy(program_name(r));
	return err;
}

// NAME=VALUE, NAME VALUE or NAME alone (set to nothing).
static struct dbg_error *set_env(struct repl *r, const struct call *call)
{
	size_t n = strcspn(call->args, " \t=");
	const char *value = call->args + n + strspn(call->args + n, " \t");

	if (!n)
		return dbg_err_arg("A name is needed in front of the '='.");
	if (*value == '=')
		value += 1 + strspn(value + 1, " \t");
	_cleanup_free_ char *name = xstrndup(call->args, n);
	launch_config_env(r->launch, name, value);
	return NULL;
}

static struct dbg_error *unset_env(struct repl *r, const struct call *call)
{
	if (strchr(call->args, '='))
		return dbg_err_arg("\"%s\" is not the name of a variable.",
				   call->args);
	launch_config_env(r->launch, call->args, NULL);
	return NULL;
}

static struct dbg_error *unset_substitute(struct repl *r,
					  const struct call *call)
{
	(void)call;
	return dbg_set(r->dbg, "substitute-path", "");
}

static struct dbg_error *set_cwd(struct repl *r, const struct call *call)
{
	str_set(&r->launch->cwd, *call->args ? call->args : NULL);
	dbg_error_destroy(program_name(r));
	return NULL;
}

static struct dbg_error *set_tty(struct repl *r, const struct call *call)
{
	str_set(&r->launch->tty, *call->args ? call->args : NULL);
	return NULL;
}

static struct dbg_error *cmd_show(struct repl *r, const struct call *call)
{
	if (!settings_show(r, call->args) && !inert_show(r, call->args))
		return dbg_err_arg("There is no setting \"%s\"; see \"show\".",
				   call->args);
	return NULL;
}

static void show_words(const struct repl *r, const char *what,
		       const struct words *words)
{
	_cleanup_str_ struct str line = {0};

	for (size_t i = 0; i < words->n; i++) {
		str_addc(&line, ' ');
		words_quote(words->v[i], &line);
	}
	out(r, "%s:%s\n", what, str_get(&line));
}

static struct dbg_error *show_args(struct repl *r, const struct call *call)
{
	static const char *const streams[] = {"<", ">", "2>"};

	(void)call;
	show_words(r, "args", &r->launch->args);
	for (int i = 0; i < 3; i++) {
		const char *to = r->launch->stdio[i];
		bool append = to && str_starts(to, ">>");

		if (to)
			out(r, "  %s%s%s%s\n", streams[i], append ? ">" : "",
			    *to == '&' ? "" : " ", append ? to + 2 : to);
	}
	return NULL;
}

// The value of an environment variable that the program will get.
static const char *variable_of(const struct words *env, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = env->n; i-- > 0;)
		if (!strncmp(env->v[i], name, n) &&
		    (!env->v[i][n] || env->v[i][n] == '='))
			return env->v[i][n] ? env->v[i] + n + 1 : NULL;
	return getenv(name);
}

static struct dbg_error *show_env(struct repl *r, const struct call *call)
{
	const struct words *env = &r->launch->env;

	if (*call->args) {
		const char *value = variable_of(env, call->args);

		if (value)
			out(r, "%s = %s\n", call->args, value);
		else
			out(r, "Environment variable \"%s\" not defined.\n",
			    call->args);
		return NULL;
	}
	for (size_t i = 0; i < env->n; i++)
		out(r, "%s%s\n", strchr(env->v[i], '=') ? "" : "unset ",
		    env->v[i]);
	if (!env->n)
		out(r, "The program gets the debugger's environment.\n");
	return NULL;
}

static struct dbg_error *show_cwd(struct repl *r, const struct call *call)
{
	(void)call;
	out(r, "cwd: %s\n", r->launch->cwd ? r->launch->cwd : "the debugger's");
	return NULL;
}

static struct dbg_error *show_tty(struct repl *r, const struct call *call)
{
	(void)call;
	out(r, "inferior-tty: %s\n",
	    r->launch->tty ? r->launch->tty : "the debugger's");
	return NULL;
}

static struct dbg_error *show_version(struct repl *r, const struct call *call)
{
	(void)call;
	out(r, "dndbg %s\n", r->options->version);
	return NULL;
}

// Print "$name = VALUE", or the reason why the value cannot be shown.
static void show_by_name(struct repl *r, const char *name)
{
	out(r, "%s = ", name);
	struct dbg_error *err = show_expr(r, name, "", SHOW_OUTPUT);
	if (err)
		show_error(r, err);
	out(r, "\n");
}

static struct dbg_error *show_convenience(struct repl *r,
					  const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_variable *list;
	size_t n;

	(void)call;
	dbg_variable_list(r->dbg, arena, &list, &n);
	_cleanup_words_ struct words names = {0};
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *name = xasprintf("$%s", list[i].name);

		words_add(&names, name, strlen(name));
	}
	for (size_t i = 0; i < names.n; i++)
		show_by_name(r, names.v[i]);
	return NULL;
}

// Print "$3 = ..." for ten values: the last ones, or those around number N.
static struct dbg_error *show_values(struct repl *r, const struct call *call)
{
	const uint64_t last = dbg_kept(r->dbg);
	uint64_t middle = last;

	if (*call->args && !parse_u64(call->args, &middle))
		return dbg_err_arg("\"%s\" is not the number of a value.",
				   call->args);
	uint64_t first = *call->args ? middle - (middle > 5 ? 5 : middle)
				     : last - (last > 9 ? 9 : last);

	first += !first;
	for (uint64_t i = first; i <= last && i < first + 10; i++) {
		_cleanup_free_ char *name = xasprintf("$%" PRIu64, i);

		show_by_name(r, name);
	}
	return NULL;
}

static struct dbg_error *set_next(struct repl *r, struct dbg_stopped at,
				  const struct call *call)
{
	return run_goto(r, at, call->args, false);
}

static const struct repl_cmd set_subs[] = {
    {
	.names = "next-statement",
	.args = "LOCATION",
	.help = "the statement to go on from, in the newest frame's method",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_LOCATIONS,
	.stopped = set_next,
    },
    {
	.names = "args",
	.args = "[ARGS] [< FILE] [> FILE] [2> FILE] [2>&1]",
	.help = "arguments for the next \"run\"",
	.complete = COMPLETE_PATHS,
	.run = set_args,
    },
    {
	.names = "environment env",
	.args = "NAME[=VALUE]",
	.help = "a variable of the program's environment",
	.flags = CMD_NEEDS_ARGS,
	.run = set_env,
    },
    {
	.names = "cwd",
	.args = "[DIRECTORY]",
	.help = "directory to start the program in",
	.complete = COMPLETE_PATHS,
	.run = set_cwd,
    },
    {
	.names = "inferior-tty",
	.args = "[TERMINAL]",
	.help = "terminal of the program",
	.complete = COMPLETE_PATHS,
	.run = set_tty,
    },
    {
	.names = "variable var",
	.args = "PLACE = EXPRESSION",
	.help = "assign to a variable, field or element",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_EXPRESSIONS,
	.stopped = set_var,
    },
    {.names = NULL},
};

static const struct repl_cmd show_subs[] = {
    {
	.names = "user",
	.args = "[COMMAND]",
	.help = "definitions of the commands that you made",
	.run = user_commands_show,
    },
    {
	.names = "args",
	.help = "arguments for the next \"run\"",
	.run = show_args,
    },
    {
	.names = "environment env",
	.args = "[NAME]",
	.help = "a variable of the program's environment, or all changes to it",
	.run = show_env,
    },
    {
	.names = "cwd",
	.help = "directory to start the program in",
	.run = show_cwd,
    },
    {
	.names = "inferior-tty",
	.help = "terminal of the program",
	.run = show_tty,
    },
    {
	.names = "convenience conv",
	.help = "the variables $NAME",
	.run = show_convenience,
    },
    {
	.names = "values",
	.args = "[N]",
	.help = "the ten values shown last, or those around number N",
	.flags = CMD_NEEDS_PROCESS,
	.run = show_values,
    },
    {
	.names = "version",
	.help = "version of dndbg",
	.run = show_version,
    },
    {.names = NULL},
};

static const struct repl_cmd unset_subs[] = {
    {
	.names = "environment env",
	.args = "NAME",
	.help = "take a variable out of the program's environment",
	.flags = CMD_NEEDS_ARGS,
	.run = unset_env,
    },
    {
	.names = "substitute-path",
	.help = "forget the rules for source paths",
	.run = unset_substitute,
    },
    {.names = NULL},
};

static const struct repl_cmd cmds[] = {
    {
	.names = "set",
	.args = "SETTING VALUE",
	.help = "change a setting",
	.more = "\"show\" lists all settings. \"set substitute-path FROM TO\" "
		"makes source paths that\nbegin with FROM begin with TO.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_SETTINGS,
	.run = cmd_set,
	.sub = set_subs,
    },
    {
	.names = "show",
	.args = "[SETTING]",
	.help = "show settings",
	.complete = COMPLETE_SETTINGS,
	.run = cmd_show,
	.sub = show_subs,
    },
    {
	.names = "unset",
	.args = "SETTING",
	.help = "undo a setting",
	.sub = unset_subs,
    },
    {
	.names = "tty",
	.args = "[TERMINAL]",
	.help = "terminal of the program, as \"set inferior-tty\"",
	.complete = COMPLETE_PATHS,
	.run = set_tty,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_settings = {"settings", "Settings", cmds};
