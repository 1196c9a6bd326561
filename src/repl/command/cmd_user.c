/*
 * User-defined commands: `define`, `document`, `alias`. They are found by their
 * whole names, before the commands of the tables.
 */
#include "repl/cmd.h"
#include "repl/command/sosnames.h"
#include "repl/command/subcmd.h"
#include "repl/line/edit.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/uis.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- User-defined commands ----------------------------------------------- */

enum {
	DEPTH_MAX = 64,
	NAME_MAX_BYTES = 64,
};

static struct user_command *defined_find(struct repl *r, const char *name,
					 size_t n)
{
	for (size_t i = 0; i < r->n_commands; i++)
		if (strlen(r->commands[i].name) == n &&
		    !strncmp(r->commands[i].name, name, n))
			return &r->commands[i];
	return NULL;
}

static struct user_command *make(struct repl *r, const char *name)
{
	struct user_command *c = defined_find(r, name, strlen(name));

	if (c)
		return c;
	mem_grow(&r->commands, &r->cap_commands, r->n_commands,
		 sizeof(*r->commands));
	c = &r->commands[r->n_commands++];
	*c = (struct user_command){.name = xstrdup(name)};
	return c;
}

void user_commands_deinit(struct repl *r)
{
	for (size_t i = 0; i < r->n_commands; i++) {
		free(r->commands[i].name);
		free(r->commands[i].text);
		words_deinit(&r->commands[i].lines);
	}
	free(r->commands);
}

const struct user_command *user_command_find(struct repl *r, const char *line)
{
	struct cmd_line parts;

	cmd_parse(line, &parts);
	return defined_find(r, parts.name, parts.n_name);
}

/* ---- Carrying out ---------------------------------------------------- */

// @line with "$argN" and "$argc" replaced.
static void substitute(const char *line, const struct words *args,
		       struct str *ret)
{
	static const char mark[] = "$arg";
	size_t n_mark = sizeof(mark) - 1;
	const char *p;

	for (; (p = strstr(line, mark)); line = p) {
		str_addn(ret, line, (size_t)(p - line));
		p += n_mark;
		if (*p == 'c') {
			str_addf(ret, "%zu", args->n);
			p++;
			continue;
		}
		size_t digits = strspn(p, "0123456789");
		uint64_t i = UINT64_MAX;
		_cleanup_free_ char *number = xstrndup(p, digits);
		parse_u64(number, &i);
		if (i < args->n)
			str_add(ret, args->v[i]);
		else
			str_addn(ret, p - n_mark, n_mark + digits);
		p += digits;
	}
	str_add(ret, line);
}

// Arguments as gdb takes them apart: quotes stay.
static void split(const char *s, struct words *ret)
{
	while (*(s += strspn(s, " \t"))) {
		const char *p = s;
		char quote = 0;
		for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
			if (quote)
				quote = *p == quote ? 0 : quote;
			else if (*p == '"' || *p == '\'')
				quote = *p;
		}
		words_add(ret, s, (size_t)(p - s));
		s = p;
	}
}

static struct dbg_error *
defined_run(struct repl *r, const struct user_command *c, const char *args)
{
	_cleanup_words_ struct words words = {0};
	_cleanup_words_ struct words lines = {0};

	// An alias stands for the text behind it, followed by the arguments.
	if (c->alias) {
		_cleanup_free_ char *line =
		    xasprintf("%s %s", c->lines.v[0], args);
		return cmd_execute(r, line);
	}
	split(args, &words);
	for (size_t i = 0; i < c->lines.n; i++) {
		_cleanup_str_ struct str line = {0};
		substitute(c->lines.v[i], &words, &line);
		words_add(&lines, str_get(&line), line.len);
	}
	return input_lines(r, &lines);
}

struct dbg_error *user_command_run(struct repl *r, const struct user_command *c,
				   const char *line)
{
	struct cmd_line parts;

	if (r->user_depth >= DEPTH_MAX)
		return dbg_err_arg("\"%s\" calls itself too deep.", c->name);
	cmd_parse(line, &parts);
	r->user_depth++;
	struct dbg_error *err = defined_run(r, c, parts.args);
	r->user_depth--;
	return err;
}

/* ---- Making ---------------------------------------------------------- */

static struct dbg_error *check_name(const char *name)
{
	size_t n = strlen(name);

	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_')
			n = 0;
	if (!n || n > NAME_MAX_BYTES)
		return dbg_err_arg("\"%s\" is not the name of a command.",
				   name);
	return NULL;
}

static struct dbg_error *cmd_define(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	const char *name = call->args;
	struct words lines = {0};

	err = check_name(name);
	if (err)
		return err;
	if (cmd_named(name)) {
		_cleanup_free_ char *question =
		    xasprintf("Really redefine built-in command \"%s\"?", name);
		if (!repl_confirm(r, question))
			return dbg_err(DBG_E_STATE,
				       "Command \"%s\" not "
				       "redefined.",
				       name);
	}
	if (r->terminal && input_is_user(r))
		out(r,
		    "Type commands for definition of \"%s\".\n"
		    "End with a line saying just \"end\".\n",
		    name);
	err = input_block(r, "define", &lines);
	if (err) {
		words_deinit(&lines);
		return err;
	}
	struct user_command *c = make(r, name);
	words_deinit(&c->lines);
	c->lines = lines;
	c->alias = false;
	return NULL;
}

static struct dbg_error *cmd_document(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	_cleanup_words_ struct words lines = {0};
	_cleanup_str_ struct str text = {0};
	struct user_command *c =
	    defined_find(r, call->args, strlen(call->args));

	if (!c)
		return dbg_err_arg("\"%s\" is not a command that was defined.",
				   call->args);
	if (r->terminal && input_is_user(r))
		out(r,
		    "Type documentation for \"%s\".\n"
		    "End with a line saying just \"end\".\n",
		    c->name);
	err = input_block(r, "document", &lines);
	if (err)
		return err;
	for (size_t i = 0; i < lines.n; i++)
		str_addf(&text, "%s\n", lines.v[i]);
	free(c->text);
	c->text = str_take(&text);
	return NULL;
}

static struct dbg_error *cmd_alias(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	const struct repl_cmd *target;
	const char *args = call->args;
	struct cmd_line parts;

	// gdb's: not in lists of completions
	if (!strncmp(args, "-a ", 3))
		args += 3 + strspn(args + 3, " \t");
	size_t n = strcspn(args, " \t=");
	_cleanup_free_ char *name = xstrndup(args, n);
	const char *command = args + n + strspn(args + n, " \t");
	if (*command != '=')
		return dbg_err_arg("Usage: alias NAME = COMMAND");
	command += 1 + strspn(command + 1, " \t");
	err = check_name(name);
	if (err)
		return err;
	if (cmd_named(name) || defined_find(r, name, n))
		return dbg_err_arg("There is a command \"%s\" already.", name);
	cmd_parse(command, &parts);
	if (!parts.n_name)
		return dbg_err_arg("Usage: alias NAME = COMMAND");
	if (!defined_find(r, parts.name, parts.n_name)) {
		err = cmd_find(NULL, parts.name, parts.n_name, &target);
		if (err)
			return err;
	}
	struct user_command *c = make(r, name);
	words_add(&c->lines, command, strlen(command));
	c->alias = true;
	return NULL;
}

/* ---- Help ------------------------------------------------------------ */

void user_command_help(const struct repl *r, const struct user_command *c)
{
	if (c->alias)
		out(r, "%s -- alias of \"%s\"\n", c->name, c->lines.v[0]);
	else if (c->text && *c->text)
		out_lines(r, c->text, 0, "");
	else
		out(r, "User-defined.\n");
}

/* Print a line for each user-defined command. */
static void user_commands_list(const struct repl *r)
{
	for (size_t i = 0; i < r->n_commands; i++) {
		const struct user_command *c = &r->commands[i];
		const char *text = c->text ? c->text : "User-defined.";
		if (c->alias)
			text = c->lines.v[0];
		out(r, "%s -- %.*s\n", c->name, (int)strcspn(text, "\n"), text);
	}
	if (!r->n_commands)
		out(r, "No commands were defined.\n");
}

struct dbg_error *user_commands_show(struct repl *r, const struct call *call)
{
	bool any = false;

	for (size_t i = 0; i < r->n_commands; i++) {
		const struct user_command *c = &r->commands[i];
		if (c->alias || (*call->args && strcmp(call->args, c->name)))
			continue;
		any = true;
		out(r, "User command \"%s\":\n", c->name);
		for (size_t k = 0; k < c->lines.n; k++)
			out(r, "  %s\n", c->lines.v[k]);
		out(r, "\n");
	}
	if (*call->args && !any)
		return dbg_err_arg("\"%s\" is not a command that was defined.",
				   call->args);
	return NULL;
}

static const struct repl_cmd user_cmds[] = {
    {
	.names = "define",
	.args = "NAME",
	.help = "make a command of other commands",
	.more = "They follow, one a line, up to a line \"end\". In them "
		"$arg0, $arg1 ... are the\nwords behind NAME where it is "
		"used, $argc is their number.",
	.flags = CMD_NEEDS_ARGS,
	.run = cmd_define,
    },
    {
	.names = "document",
	.args = "NAME",
	.help = "write the help of a command that was defined",
	.more = "The text follows, up to a line \"end\".",
	.flags = CMD_NEEDS_ARGS,
	.run = cmd_document,
    },
    {
	.names = "alias",
	.args = "NAME = COMMAND",
	.help = "give a command, with its first arguments, another name",
	.more = "alias bl = info breakpoints",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_COMMANDS,
	.run = cmd_alias,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_user = {"user-defined",
					   "Commands of your own", user_cmds};

/* ---- The table of commands as text --------------------------------------- */

/*
 * The table of commands as text: `help`, `apropos` and the manual page (dndbg
 * --manual). Nothing is said of a command anywhere else.
 */

static void list(const struct repl *r, const struct repl_cmd *cmds,
		 const char *prefix)
{
	for (; cmds->names; cmds++)
		out(r, "%s%.*s -- %s\n", prefix, (int)cmd_name_len(cmds),
		    cmds->names, cmds->help);
}

static void classes(const struct repl *r)
{
	out(r, "Classes of commands:\n\n");
	for (size_t i = 0; cmd_families[i]; i++)
		out(r, "%s -- %s\n", cmd_families[i]->name,
		    cmd_families[i]->title);
	out(r, "\n\"help CLASS\" lists the commands of a class, \"help all\" "
	       "those of all, \"help COMMAND\"\ntells all about one. The "
	       "beginning of a name is enough if no other begins so.\nAn "
	       "empty line repeats some commands.\n");
}

static void family(const struct repl *r, const struct cmd_family *f)
{
	out(r, "%s\n\n", f->title);
	list(r, f->cmds, "");
	if (f == &cmd_family_user && r->n_commands) {
		out(r, "\nYours:\n\n");
		user_commands_list(r);
	}
}

static bool by_family(const struct repl *r, const char *name)
{
	bool all = !strcmp(name, "all");
	bool any = false;

	for (size_t i = 0; cmd_families[i]; i++) {
		if (!all && strcmp(cmd_families[i]->name, name))
			continue;
		out_ours(r, any ? "\n" : "");
		family(r, cmd_families[i]);
		any = true;
	}
	return any;
}

// Print the manual's entry of a command. @path: the words in front of its name,
// "info " for the subcommands of info.
static void command(const struct repl *r, const struct repl_cmd *cmd,
		    const char *path)
{
	const char *name = cmd->names;
	int len = (int)cmd_name_len(cmd);
	size_t n = 0;

	for (size_t i = 0; cmd_name_next(&name, &n); i++)
		out(r, "%s%s%.*s", i ? ", " : "", path, (int)n, name);
	out(r, " -- %s\nUsage: %s%.*s%s%s%s\n", cmd->help, path, len,
	    cmd->names, cmd->flags & CMD_FORMAT ? "[/FMT]" : "",
	    cmd->args ? " " : "", cmd->args ? cmd->args : "");
	if (cmd->more) {
		out(r, "\n");
		out_lines(r, cmd->more, 0, "");
	}
	if (!cmd->sub)
		return;
	_cleanup_free_ char *prefix =
	    xasprintf("%s%.*s ", path, len, cmd->names);
	out(r, "\nSubcommands:\n\n");
	list(r, cmd->sub, prefix);
}

static void show_sos(const struct repl *r, const struct sos_answer *sos,
		     const char *name)
{
	if (sos->to)
		out(r, "%s -- as \"%s\"\n", name, sos->to);
	else
		out(r, "%s -- %s\n", name, sos->says);
}

// Is it "help set NAME" or "help show NAME"?
static bool is_of_settings(const struct str *path)
{
	return !strcmp(str_get(path), "set ") ||
	       !strcmp(str_get(path), "show ");
}

struct dbg_error *help_run(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	const struct repl_cmd *table = NULL;
	const struct repl_cmd *cmd = NULL;
	_cleanup_str_ struct str path = {0};
	const char *rest = call->args;
	struct cmd_line parts;
	struct sos_answer sos;

	if (!*rest) {
		classes(r);
		return NULL;
	}
	if (by_family(r, rest)) {
		// of a class and a command of one name both are told
		cmd = cmd_named(rest);
		if (cmd) {
			out(r, "\n");
			command(r, cmd, "");
		}
		return NULL;
	}
	const struct user_command *own = user_command_find(r, rest);
	if (own) {
		user_command_help(r, own);
		return NULL;
	}
	if (sos_find(rest, &sos)) {
		show_sos(r, &sos, rest);
		return NULL;
	}
	for (;;) {
		cmd_parse(rest, &parts);
		if (!parts.n_name)
			break;
		if (cmd && !table)
			return dbg_err_arg("\"%.*s\" has no subcommands.",
					   (int)cmd_name_len(cmd), cmd->names);
		if (cmd)
			str_addf(&path, "%.*s ", (int)cmd_name_len(cmd),
				 cmd->names);
		err = cmd_find(table, parts.name, parts.n_name, &cmd);
		if (err && is_of_settings(&path) &&
		    settings_help(r, rest, true)) {
			dbg_error_destroy(err);
			return NULL;
		}
		if (err)
			return err;
		table = cmd->sub;
		rest = parts.args;
	}
	if (cmd)
		command(r, cmd, str_get(&path));
	return NULL;
}

static bool mentions(const struct repl_cmd *cmd, const char *word)
{
	return strcasestr(cmd->names, word) || strcasestr(cmd->help, word) ||
	       (cmd->more && strcasestr(cmd->more, word));
}

static void apropos(const struct repl *r, const struct repl_cmd *cmds,
		    const char *prefix, const char *word)
{
	for (; cmds->names; cmds++) {
		int len = (int)cmd_name_len(cmds);
		if (mentions(cmds, word))
			out(r, "%s%.*s -- %s\n", prefix, len, cmds->names,
			    cmds->help);
		if (!cmds->sub)
			continue;
		_cleanup_free_ char *inner =
		    xasprintf("%s%.*s ", prefix, len, cmds->names);
		apropos(r, cmds->sub, inner, word);
	}
}

struct dbg_error *help_apropos(struct repl *r, const struct call *call)
{
	for (size_t i = 0; cmd_families[i]; i++)
		apropos(r, cmd_families[i]->cmds, "", call->args);
	settings_help(r, call->args, false);
	return NULL;
}

// Print text of the manual page. A '.' or '\'' at the beginning of a line is
// escaped, since it would be taken as a request of roff.
static void roff(FILE *out, const char *s)
{
	bool begin = true;

	for (; *s; s++) {
		if (begin && (*s == '.' || *s == '\''))
			fputs("\\&", out);
		if (*s == '\\')
			fputs("\\e", out);
		else if (*s == '-')
			fputs("\\-", out);
		else
			fputc(*s, out);
		begin = *s == '\n';
	}
}

static void manual_command(FILE *out, const struct repl_cmd *cmd,
			   const char *path)
{
	const char *name = cmd->names;
	size_t n = 0;

	fprintf(out, ".TP\n.B ");
	for (size_t i = 0; cmd_name_next(&name, &n); i++) {
		_cleanup_free_ char *word =
		    xasprintf("%s%s%.*s", i ? ", " : "", path, (int)n, name);
		roff(out, word);
	}
	if (cmd->flags & CMD_FORMAT)
		fputs("[/FMT]", out);
	if (cmd->args) {
		fputs(" \\fI", out);
		roff(out, cmd->args);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	roff(out, cmd->help);
	fputs(".\n", out);
	if (cmd->more) {
		// An example keeps its lines, a text is filled.
		bool table = strstr(cmd->more, "\n  ");
		fputs(table ? ".RS\n.nf\n" : "", out);
		roff(out, cmd->more);
		fputs(table ? "\n.fi\n.RE\n" : "\n", out);
	}
	if (!cmd->sub)
		return;
	_cleanup_free_ char *prefix =
	    xasprintf("%s%.*s ", path, (int)cmd_name_len(cmd), cmd->names);
	for (const struct repl_cmd *sub = cmd->sub; sub->names; sub++)
		manual_command(out, sub, prefix);
}

void repl_manual(FILE *out)
{
	for (size_t i = 0; cmd_families[i]; i++) {
		fprintf(out, ".SS ");
		roff(out, cmd_families[i]->title);
		fputc('\n', out);
		for (const struct repl_cmd *cmd = cmd_families[i]->cmds;
		     cmd->names; cmd++)
			manual_command(out, cmd, "");
	}
}
