/*
 * The table of commands: found by name, what an entry needs (a program, a stop)
 * checked, carried out, answered by one result record. Also what several
 * commands have in common: --thread and --frame, numbers, expressions.
 */
#include "mi/mi_command.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- A line of the client taken apart ------------------------------------ */

/* Token, command, options and parameters; C escapes within quotes undone. */

static const char blanks[] = " \t\v\f";

static char *trimmed(const char *s)
{
	s += strspn(s, blanks);
	size_t n = strlen(s);
	while (n && strchr(blanks, s[n - 1]))
		n--;
	return xstrndup(s, n);
}

void mi_line_parse(const char *text, struct mi_line *ret)
{
	const char *p = text + strspn(text, blanks);
	size_t n = strspn(p, "0123456789");

	*ret = (struct mi_line){.cli = true};
	if (n <= MI_TOKEN_MAX) {
		memcpy(ret->token, p, n);
		p += n;
	}
	p += strspn(p, blanks);
	if (*p != '-') {
		ret->rest = trimmed(p);
		return;
	}
	n = strcspn(++p, blanks);
	ret->cli = false;
	ret->name = xstrndup(p, n);
	ret->rest = trimmed(p + n);
}

void mi_line_deinit(struct mi_line *line)
{
	free(line->name);
	free(line->rest);
}

// Up to three octal digits at *@p.
static char octal(const char **p)
{
	unsigned int c = 0;

	for (int i = 0; i < 3 && **p >= '0' && **p <= '7'; i++)
		c = c * 8 + (unsigned int)(*(*p)++ - '0');
	return (char)c;
}

// Decode what follows a backslash.
static char escaped(const char **p)
{
	static const char names[] = "abtnvfre";
	static const char letters[] = "\a\b\t\n\v\f\r\033";
	const char *found = strchr(names, **p);

	if (**p >= '0' && **p <= '7')
		return octal(p);
	char c = *(*p)++;
	return found ? letters[found - names] : c;
}

static struct dbg_error *quoted(const char **p, char **ret)
{
	struct str t = {0};

	for ((*p)++; **p && **p != '"';) {
		char c = *(*p)++;
		if (c == '\\' && **p)
			c = escaped(p);
		// a string of C ends at a zero
		if (c)
			str_addc(&t, c);
	}
	if (!**p || (*++*p && !strchr(blanks, **p))) {
		str_deinit(&t);
		return dbg_err(DBG_E_ARGUMENT,
			       "Problem parsing arguments: a quote without "
			       "its end, or text right behind it");
	}
	*ret = str_take(&t);
	return NULL;
}

struct dbg_error *mi_line_argument(const char **p, char **ret)
{
	struct dbg_error *err;

	*ret = NULL;
	*p += strspn(*p, blanks);
	if (!**p)
		return NULL;
	if (**p == '"') {
		err = quoted(p, ret);
		if (err)
			return err;
	} else {
		size_t n = strcspn(*p, blanks);
		*ret = xstrndup(*p, n);
		*p += n;
	}
	*p += strspn(*p, blanks);
	return NULL;
}

struct dbg_error *mi_line_arguments(const char *text, struct words *ret)
{
	for (;;) {
		_cleanup_free_ char *word = NULL;
		struct dbg_error *err = mi_line_argument(&text, &word);
		if (err || !word)
			return err;
		words_add(ret, word, strlen(word));
	}
}

/* ---- The table of commands ----------------------------------------------- */

static const struct mi_cmd *const families[] = {
    mi_exec_cmds,   mi_session_cmds, mi_setting_cmds, mi_file_cmds,
    mi_break_cmds,  mi_catch_cmds,   mi_stack_cmds,   mi_thread_cmds,
    mi_var_cmds,    mi_varinfo_cmds, mi_data_cmds,    mi_disasm_cmds,
    mi_symbol_cmds, mi_os_cmds,      mi_task_cmds,    NULL,
};

const struct mi_cmd *mi_find(const char *name)
{
	for (size_t i = 0; families[i]; i++)
		for (const struct mi_cmd *c = families[i]; c->name; c++)
			if (!strcmp(c->name, name))
				return c;
	return NULL;
}

struct dbg_error *mi_usage(const struct mi_call *call)
{
	return dbg_err(DBG_E_ARGUMENT, "-%s: Usage: -%s %s", call->cmd->name,
		       call->cmd->name,
		       call->cmd->usage ? call->cmd->usage : "");
}

/* ---- What arguments mean ----------------------------------------------- */

struct dbg_error *mi_number(const char *word, uint64_t max, uint64_t *ret)
{
	char *end;

	uint64_t n = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || n > max || strlen(word) > 19)
		return dbg_err(DBG_E_ARGUMENT,
			       "\"%.80s\" is not a number that fits here",
			       word);
	*ret = n;
	return NULL;
}

struct dbg_error *mi_address(struct dbg_stopped at, const struct mi_call *call,
			     const char *text, uint64_t *ret)
{
	struct dbg_error *err;
	struct dbg_value v;
	struct dbg_frame f;

	if (str_to_u64(text, ret))
		return NULL;
	err = mi_frame(at, call, &f);
	if (err)
		return err;
	// also before there is a runtime, which expressions need
	if (*text == '$' &&
	    !dbg_err_drop(dbg_register_get(at, f.id, text + 1, ret)))
		return NULL;
	err = dbg_eval(at, f.id, text, &v);
	if (err)
		return err;
	// of an object its address; else a number
	if (v.kind == DBG_VALUE_SCALAR && str_to_u64(v.text, ret))
		return NULL;
	if (!v.addr)
		return dbg_err(DBG_E_ARGUMENT, "\"%.80s\" is not an address",
			       text);
	*ret = v.addr;
	return NULL;
}

struct dbg_error *mi_expression(const struct mi_call *call, size_t from,
				char **ret)
{
	const char *p = call->rest;

	if (call->args.n == from + 1) {
		*ret = xstrdup(call->args.v[from]);
		return NULL;
	}
	for (size_t i = 0; i < from; i++) {
		_cleanup_free_ char *word = NULL;
		struct dbg_error *err = mi_line_argument(&p, &word);
		if (err)
			return err;
	}
	if (!*p)
		return mi_usage(call);
	// not quoted as a whole: as it was written
	*ret = xstrdup(p);
	return NULL;
}

struct dbg_error *mi_frame(struct dbg_stopped at, const struct mi_call *call,
			   struct dbg_frame *ret)
{
	struct dbg_frame *list;
	size_t n;

	struct dbg_error *err =
	    dbg_frame_list(at, call->thread, call->level, 1, &list, &n);
	if (err)
		return err;
	if (!n)
		return dbg_err(DBG_E_NOT_FOUND,
			       "No frame at level %" PRIu32 ".", call->level);
	*ret = list[0];
	return NULL;
}

/* ---- One line ---------------------------------------------------------- */

// Choose another group and thread while the command is carried out.
static void context_choose(struct mi *m, struct mi_call *call, struct dbg *dbg,
			   uint32_t thread)
{
	if (dbg == m->dbg && thread == call->thread)
		return;
	groups_use(m, dbg);
	// the selected thread keeps the selected frame
	call->thread = thread;
	call->level = 0;
}

static struct dbg_error *choose_thread(struct mi *m, struct mi_call *call,
				       uint32_t id)
{
	struct dbg *dbg = m->dbg;
	uint32_t number = id;

	if (!groups_thread_find(m, id, &dbg, &number) && m->groups.several &&
	    id < DBG_THREAD_SUSPENDED)
		return dbg_err(DBG_E_NOT_FOUND, "Invalid thread id: %" PRIu32,
			       id);
	context_choose(m, call, dbg, number);
	return NULL;
}

static struct dbg_error *choose_group(struct mi *m, struct mi_call *call,
				      const char *id)
{
	struct dbg *dbg = groups_find(m, id);

	if (!dbg)
		return dbg_err(DBG_E_ARGUMENT, "Invalid thread group for the "
					       "--thread-group option");
	if (dbg == m->dbg)
		return NULL;
	uint32_t thread = dbg_stop_thread(dbg);
	context_choose(m, call, dbg, thread ? thread : 1);
	return NULL;
}

enum {
	EVAL_FLAGS = 4, /* netcoredbg's; what they are matters not here */
	N_COMMON
};

static const char *const common[N_COMMON] = {
    "--thread", "--frame", "--thread-group", "--language", "--evalFlags"};

static bool is_word(const char *s, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(word, s, len);
}

// Where the last word of @text, which has @n bytes, begins.
static size_t last_word(const char *text, size_t n)
{
	while (n && text[n - 1] != ' ' && text[n - 1] != '\t')
		n--;
	return n;
}

static size_t without_blanks(const char *text, size_t n)
{
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	return n;
}

/*
 * Cut off options that stand behind the arguments, as netcoredbg's clients
 * write them: --frame 0 --evalFlags 128. *ret: where they begin.
 */
static void cut_tail(char *text, const char **ret)
{
	size_t n = strlen(text);
	size_t end = n;

	for (;;) {
		size_t value = last_word(text, end);
		size_t len = without_blanks(text, value);
		size_t name = last_word(text, len);
		size_t i = 0;

		while (i < N_COMMON &&
		       !is_word(text + name, len - name, common[i]))
			i++;
		if (i == N_COMMON ||
		    strspn(text + value, "0123456789") < end - value ||
		    value == end || !name)
			break;
		n = name;
		end = without_blanks(text, name);
	}
	*ret = text + n;
	if (text[n] && n)
		text[n - 1] = '\0';
}

// Options that every command takes, in front of its own.
static struct dbg_error *common_options(struct mi *m, struct mi_call *call,
					const char **p)
{
	uint64_t values[N_COMMON] = {0};
	bool given[N_COMMON] = {false};

	for (;;) {
		const char *next = *p;
		size_t len = strcspn(next, " \t");
		size_t i = 0;
		while (i < N_COMMON && !is_word(next, len, common[i]))
			i++;
		if (i == N_COMMON ||
		    (i == EVAL_FLAGS && !(call->cmd->flags & MI_TAIL)))
			break;
		next += len + strspn(next + len, " \t");
		_cleanup_free_ char *word = NULL;
		struct dbg_error *err = mi_line_argument(&next, &word);
		if (!err && !word)
			err = dbg_err(DBG_E_ARGUMENT,
				      "Missing value for option %s", common[i]);
		if (!err && i < 2)
			err = mi_number(word, UINT32_MAX, &values[i]);
		if (!err && i == 2)
			err = choose_group(m, call, word);
		if (!err && !i)
			err = choose_thread(m, call, (uint32_t)values[0]);
		if (!err && i == EVAL_FLAGS)
			mi_dialect(m, MI_NETCOREDBG);
		if (err)
			return err;
		given[i] = true;
		*p = next;
	}
	call->chosen |= given[0] || given[1];
	if (given[1])
		call->level = (uint32_t)values[1];
	return NULL;
}

// The stop that the command needs, or why there is none, in gdb's words.
static struct dbg_error *take_stop(const struct mi *m, const struct mi_cmd *cmd,
				   struct dbg_stopped *ret)
{
	enum dbg_state state = dbg_state(m->dbg);

	if (state == DBG_IDLE)
		return dbg_err(DBG_E_STATE,
			       cmd->flags & MI_RUNS
				   ? "The program is not being run."
				   : "No registers.");
	if (state == DBG_RUNNING)
		return dbg_err(
		    DBG_E_STATE,
		    "Cannot execute this command while the target is "
		    "running.\nUse the \"interrupt\" command to stop "
		    "the target\nand then try again.");
	if ((cmd->flags & MI_RUNS) && !dbg_can_run(m->dbg))
		return dbg_err(DBG_E_STATE, "This needs a process, and a core "
					    "cannot run.");
	return dbg_stopped(m->dbg, ret);
}

/*
 * netcoredbg takes the rest of the line as it is, in one pair of quotes or
 * without; as a string of C it is undone only if it is one, whole.
 */
static struct dbg_error *take_text(const char *rest, struct words *ret)
{
	const char *text = rest;
	_cleanup_free_ char *word = NULL;
	_cleanup_free_ char *string = NULL;

	struct dbg_error *err = mi_line_argument(&text, &word);
	if (err || !word)
		return err;
	words_add(ret, word, strlen(word));
	size_t n = strlen(text);
	const char *end = text;
	if (!dbg_err_drop(mi_line_argument(&end, &string)) && string && !*end)
		words_add(ret, string, strlen(string));
	else if (n > 3 && str_starts(text, "\"\"") && text[n - 2] == '"' &&
		 text[n - 1] == '"')
		words_add(ret, text + 1, n - 2);
	else if (n)
		words_add(ret, text, n);
	return NULL;
}

static struct dbg_error *take_arguments(const struct mi *m,
					struct mi_call *call)
{
	if (m->dialect == MI_NETCOREDBG && (call->cmd->flags & MI_TEXT))
		return take_text(call->rest, &call->args);
	return mi_line_arguments(call->rest, &call->args);
}

static struct dbg_error *run(struct mi *m, const struct mi_line *line,
			     struct mi_call *call)
{
	struct dbg_error *err = NULL;
	struct dbg_stopped at;
	const char *tail = "";

	call->cmd = mi_find(line->name);
	if (!call->cmd)
		return dbg_err(DBG_E_NOT_FOUND, "Undefined MI command: %.80s",
			       line->name);
	call->rest = line->rest;
	if (call->cmd->flags & MI_TAIL)
		cut_tail(line->rest, &tail);
	err = common_options(m, call, &call->rest);
	if (!err)
		err = common_options(m, call, &tail);
	if (!err)
		err = take_arguments(m, call);
	if (!err && (call->cmd->flags & MI_AGAIN) &&
	    m->dialect == MI_NETCOREDBG && dbg_state(m->dbg) == DBG_RUNNING)
		return NULL;
	if (!err && call->cmd->stopped)
		err = take_stop(m, call->cmd, &at);
	if (err)
		return err;
	if (call->args.n < call->cmd->min ||
	    (call->cmd->max < MI_ANY && call->args.n > call->cmd->max))
		return mi_usage(call);
	return call->cmd->stopped ? call->cmd->stopped(m, at, call)
				  : call->cmd->run(m, call);
}

// netcoredbg's words for commands that it does not have.
static void put_error(struct mi *m, const struct mi_line *line,
		      const struct dbg_error *err, bool unknown)
{
	struct str *t = &m->results;

	str_clear(t);
	_cleanup_free_ char *text = dbg_err_text(err);

	if (unknown && m->dialect == MI_NETCOREDBG)
		record_strf(t, "msg", "Unknown command: %s", line->name);
	else
		record_str(t, "msg", text);
	if (unknown && m->dialect == MI_GDB)
		record_str(t, "code", "undefined-command");
}

static void result_answer(struct mi *m, const char *token, const char *class)
{
	_cleanup_str_ struct str head = {0};

	str_addf(&head, "%s^%s", token, class);
	mi_send(m, str_get(&head), &m->results);
}

static struct dbg_error *run_cli(struct mi *m, const struct mi_line *line)
{
	if (*line->rest)
		mi_log(m, line->rest);
	return mi_cli(m, line->rest);
}

void mi_carry_out(struct mi *m, const char *text)
{
	struct mi_call call = {.thread = m->thread, .level = m->level};
	struct dbg_error *err;
	struct mi_line line;

	mi_line_parse(text, &line);
	str_clear(&m->results);
	call.out = &m->results;
	m->resumed = false;
	err = line.cli ? run_cli(m, &line) : run(m, &line, &call);
	if (!err && call.cmd && (call.cmd->flags & MI_RUNS))
		m->resumed = true;
	if (call.cmd && (call.cmd->flags & MI_BREAKS))
		notify_breaks(m, m->dialect == MI_NETCOREDBG);
	groups_started(m);
	groups_back(m);
	if (err)
		put_error(m, &line, err, !line.cli && !call.cmd);
	if (err && line.cli)
		mi_log(m, err->message);
	if (err)
		result_answer(m, line.token, "error");
	else if (m->resumed && !call.class)
		result_answer(m, line.token, "running");
	else
		result_answer(m, line.token,
			      call.class ? call.class
			      : m->quit  ? "exit"
					 : "done");
	if (m->resumed && !err)
		notify_running(m);
	dbg_error_destroy(err);
	if (!m->quit || m->dialect == MI_NETCOREDBG)
		mi_prompt(m);
	words_deinit(&call.args);
	mi_line_deinit(&line);
}
