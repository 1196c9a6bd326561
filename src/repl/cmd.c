/*
 * The table of commands: taking a line apart, finding the entry by a name or
 * its unique beginning, checking what the entry asks for (a program, a stop,
 * arguments), calling its handler. A word that is a subcommand of the entry
 * found goes one table deeper; what no subcommand is goes to the command itself
 * as its arguments.
 */
#include "repl/cmd.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/err.h"
#include "repl/repl_priv.h"
#include "repl/command/sosnames.h"
#include "repl/show/show.h"
#include "repl/command/subcmd.h"

const struct cmd_family *const cmd_families[] = {
    &cmd_family_running,     &cmd_family_skips,
    &cmd_family_breakpoints, &cmd_family_watchpoints,
    &cmd_family_stack,       &cmd_family_threads,
    &cmd_family_signals,     &cmd_family_inferiors,
    &cmd_family_data,        &cmd_family_displays,
    &cmd_family_heap,        &cmd_family_roots,
    &cmd_family_state,       &cmd_family_tasks,
    &cmd_family_pool,        &cmd_family_types,
    &cmd_family_assemblies,  &cmd_family_memory,
    &cmd_family_doctor,      &cmd_family_watching,
    &cmd_family_dumps,       &cmd_family_code,
    &cmd_family_info,        &cmd_family_settings,
    &cmd_family_session,     &cmd_family_user,
    &cmd_family_support,     NULL,
};

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

static const char *skip_blanks(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

void cmd_parse(const char *line, struct cmd_line *ret)
{
	const char *p = skip_blanks(line);

	*ret = (struct cmd_line){.name = p, .format = "", .args = ""};
	if (!*p || *p == '#')
		return;
	if (*p == '!' || *p == '|') {
		ret->n_name = 1;
		ret->args = skip_blanks(p + 1);
		return;
	}
	while (is_name_char(*p))
		p++;
	ret->n_name = (size_t)(p - ret->name);
	if (!ret->n_name) {
		// No command begins so: the whole first word is to blame.
		ret->n_name = strcspn(ret->name, " \t");
		return;
	}
	ret->args = skip_blanks(p);
	if (*p == '/')
		cmd_parse_format(ret);
}

void cmd_parse_format(struct cmd_line *parts)
{
	if (*parts->args != '/' || parts->n_format)
		return;
	parts->format = parts->args + 1;
	parts->n_format = strcspn(parts->format, " \t");
	parts->args = skip_blanks(parts->format + parts->n_format);
}

const struct repl_cmd *cmd_iterate(struct cmd_iter *it)
{
	while (cmd_families[it->family]) {
		const struct repl_cmd *cmd =
		    &cmd_families[it->family]->cmds[it->cmd];
		if (cmd->names) {
			it->cmd++;
			return cmd;
		}
		it->family++;
		it->cmd = 0;
	}
	return NULL;
}

bool cmd_name_next(const char **name, size_t *n)
{
	const char *p = *name + *n;

	p = skip_blanks(p);
	*name = p;
	*n = strcspn(p, " ");
	return *n > 0;
}

size_t cmd_name_len(const struct repl_cmd *cmd)
{
	return strcspn(cmd->names, " ");
}

enum match {
	MATCH_NONE,
	MATCH_PREFIX,
	MATCH_WHOLE,
};

static enum match match(const struct repl_cmd *cmd, const char *word, size_t n)
{
	enum match best = MATCH_NONE;
	const char *name = cmd->names;
	size_t len = 0;

	while (cmd_name_next(&name, &len)) {
		if (len < n || strncmp(name, word, n))
			continue;
		if (len == n)
			return MATCH_WHOLE;
		best = MATCH_PREFIX;
	}
	return best;
}

static const struct repl_cmd *table_next(const struct repl_cmd *table,
					 struct cmd_iter *it)
{
	if (!table)
		return cmd_iterate(it);
	return table[it->cmd].names ? &table[it->cmd++] : NULL;
}

const struct repl_cmd *cmd_named(const char *name)
{
	const struct repl_cmd *cmd;
	struct cmd_iter it = {0};

	while ((cmd = cmd_iterate(&it)))
		if (match(cmd, name, strlen(name)) == MATCH_WHOLE)
			break;
	return cmd;
}

struct dbg_error *cmd_find(const struct repl_cmd *table, const char *name,
			   size_t n, const struct repl_cmd **ret)
{
	_cleanup_str_ struct str names = {0};
	const struct repl_cmd *found = NULL;
	const struct repl_cmd *cmd;
	struct cmd_iter it = {0};
	size_t n_found = 0;

	while ((cmd = table_next(table, &it))) {
		enum match m = match(cmd, name, n);
		if (m == MATCH_WHOLE) {
			*ret = cmd;
			return NULL;
		}
		if (m == MATCH_NONE)
			continue;
		str_addf(&names, "%s%.*s", n_found ? ", " : "",
			 (int)cmd_name_len(cmd), cmd->names);
		found = cmd;
		n_found++;
	}
	int len = n > 80 ? 80 : (int)n;
	if (n_found > 1)
		return dbg_err_arg("Ambiguous command \"%.*s\": %s.", len, name,
				   str_get(&names));
	if (!found)
		return dbg_err(DBG_E_NOT_FOUND,
			       "Undefined command: \"%.*s\". Try \"help\".",
			       len, name);
	*ret = found;
	return NULL;
}

static struct dbg_error *cmd_check(struct repl *r, const struct call *call,
				   struct dbg_stopped *ret_at)
{
	const struct repl_cmd *cmd = call->cmd;
	int len = (int)cmd_name_len(cmd);
	struct dbg_error *err = NULL;

	if ((cmd->flags & CMD_STARTS) && r->no_start)
		return dbg_err(DBG_E_STATE, "%s", r->no_start);
	if ((cmd->stopped || (cmd->flags & CMD_NEEDS_PROCESS)) &&
	    dbg_state(r->dbg) == DBG_IDLE)
		return dbg_err(DBG_E_STATE, "The program is not being run.");
	if (cmd->stopped)
		err = dbg_stopped(r->dbg, ret_at);
	if (err)
		return err;
	if ((cmd->flags & CMD_RUNS) && !dbg_can_run(r->dbg))
		return dbg_err(DBG_E_STATE, "This needs a process, and a core "
					    "cannot run.");
	if (*call->format && !(cmd->flags & CMD_FORMAT))
		return dbg_err_arg("\"%.*s\" takes no /%s.", len, cmd->names,
				   call->format);
	if (*call->args && !cmd->args)
		return dbg_err_arg("\"%.*s\" takes no arguments.", len,
				   cmd->names);
	if (!*call->args && (cmd->flags & CMD_NEEDS_ARGS))
		return dbg_err_arg("Argument required: %.*s %s", len,
				   cmd->names, cmd->args);
	return NULL;
}

// Find the table entry for @line (the subcommand's, if @line names one), and
// take the line apart into @parts.
static struct dbg_error *cmd_resolve(const char *line, struct cmd_line *parts,
				     const struct repl_cmd **ret)
{
	struct dbg_error *err;
	const struct repl_cmd *cmd;
	const struct repl_cmd *table = NULL;

	for (;;) {
		struct cmd_line next;
		cmd_parse(line, &next);
		if (!next.n_name)
			break;
		err = cmd_find(table, next.name, next.n_name, &cmd);
		if (err && table && ((*ret)->run || (*ret)->stopped)) {
			// The command itself takes what no subcommand is.
			dbg_error_destroy(err);
			break;
		}
		if (err && table && err->code == DBG_E_NOT_FOUND) {
			dbg_error_destroy(err);
			return dbg_err_arg(
			    "Undefined %.*s command: \"%.*s\". Try "
			    "\"help %.*s\".",
			    (int)cmd_name_len(*ret), (*ret)->names,
			    next.n_name > 80 ? 80 : (int)next.n_name, next.name,
			    (int)cmd_name_len(*ret), (*ret)->names);
		}
		if (err)
			return err;
		*parts = next;
		*ret = cmd;
		table = cmd->sub;
		if (!table)
			break;
		line = next.args;
	}
	return NULL;
}

// Carry out a command of SOS, in which addresses are hexadecimal without 0x.
static struct dbg_error *execute_sos(struct repl *r, const struct sos_answer *a)
{
	if (!a->to)
		return dbg_err(DBG_E_NOT_FOUND, "%s", a->says);
	bool bare =
	    (*a->to == 'x' || !strcmp(a->to, "disassemble")) && *a->args &&
	    strspn(a->args, "0123456789abcdefABCDEF") == strlen(a->args);
	_cleanup_free_ char *line =
	    xasprintf("%s %s%s", a->to, bare ? "0x" : "", a->args);
	return cmd_execute(r, line);
}

struct dbg_error *cmd_execute(struct repl *r, const char *line)
{
	struct dbg_error *err;
	struct sos_answer sos;
	const struct repl_cmd *cmd = NULL;
	const struct user_command *own = user_command_find(r, line);
	struct cmd_line parts;

	if (own)
		return user_command_run(r, own, line);
	if (sos_find(line, &sos))
		return execute_sos(r, &sos);
	err = cmd_resolve(line, &parts, &cmd);
	if (err || !cmd)
		return err;
	if (!cmd->run && !cmd->stopped)
		return dbg_err_arg("\"%.*s\" must be followed by the name of "
				   "a subcommand; see \"help %.*s\".",
				   (int)cmd_name_len(cmd), cmd->names,
				   (int)cmd_name_len(cmd), cmd->names);
	if (cmd->flags & CMD_FORMAT)
		cmd_parse_format(&parts);
	_cleanup_free_ char *format = xstrndup(parts.format, parts.n_format);
	size_t len = strlen(parts.args);
	while (len && isspace((unsigned char)parts.args[len - 1]))
		len--;
	_cleanup_free_ char *args = xstrndup(parts.args, len);
	struct call call = {.cmd = cmd, .args = args, .format = format};
	struct dbg_stopped at;
	err = cmd_check(r, &call, &at);
	if (err)
		return err;
	if (cmd->flags & CMD_LONG)
		show_progress_begin(r);
	err = cmd->stopped ? cmd->stopped(r, at, &call) : cmd->run(r, &call);
	if (cmd->flags & CMD_LONG)
		show_progress_end(r);
	return err;
}
