/*
 * The table of commands as text: `help`, `apropos` and the manual page (dndbg
 * --manual). Nothing is said of a command anywhere else.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/setting.h"
#include "repl/command/sosnames.h"
#include "repl/command/subcmd.h"

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
