/*
 * `evaluate` (an expression, a command of the prompt, or a line for the
 * program's input, by the context), `completions`, `setExpression`,
 * `exceptionInfo`.
 */
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dap/dap_priv.h"
#include "dap/request/req_variable.h"
#include "dap/request/variable.h"
#include "dap/wire/emit.h"
#include "dbg.h"
#include "front/cli/commands.h"
#include "front/cli/words.h"
#include "front/utf8.h"

/* ---- Console commands ------------------------------------------------ */

/*
 * Commands of the prompt at the debug console, `-exec COMMAND` and `` `COMMAND
 * ``: recognised here, carried out by front/cli/commands.h. They share the
 * session and the launch configuration; starting a program is left to the
 * client.
 */

static const char exec[] = "-exec";

/*
 * Is @line a command: "-exec COMMAND", or "`COMMAND"? The command, else
 * NULL; borrowed.
 */
static const char *command_of(const char *line)
{
	size_t n = sizeof(exec) - 1;

	line += strspn(line, " \t");
	if (*line == '`')
		return line + 1;
	if (!strncmp(line, exec, n) && (line[n] == ' ' || !line[n]))
		return line + n;
	return NULL;
}

/* Is @word the beginning of what makes a line a command? */
static bool command_begins(const char *word)
{
	return !strncmp(word, exec, strlen(word));
}

// The commands of the prompt, for this session.
static struct commands *prompt(struct dap *d)
{
	struct commands *c = &d->commands;

	if (!c->host)
		*c = (struct commands){
		    .ops = d->options->commands,
		    .front = d->options,
		    .first = d->dbg,
		    .loop = d->loop,
		    .launch = &d->setup.launch,
		    .no_start = "The client starts and restarts the program.",
		};
	return c;
}

/*
 * Complete the last word of @command, which begins at byte *@start. The caller
 * frees the words.
 */
static void command_complete(struct dap *d, const char *command,
			     const struct command_place *place,
			     struct words *ret, size_t *start)
{
	commands_complete(prompt(d), command, place, ret, start);
}

/* Carry it out and append what it prints to @ret. */
static struct dbg_error *command_run(struct dap *d, const char *command,
				     const struct command_place *place,
				     struct str *ret)
{
	return commands_run(prompt(d), command, place, ret);
}

/* ---- Values ---------------------------------------------------------- */

enum {
	COMPLETIONS_MAX = 200
};

/* ---- evaluate -------------------------------------------------------- */

static struct dbg_error *get_frame(struct dap *d, const cJSON *args,
				   dbg_id *ret)
{
	struct handle h = {0};
	uint32_t number = 0;

	struct dbg_error *err = args_u32(args, "frameId", &number);
	if (!err && number)
		err = handles_find(&d->frames, number, "frame", &h);
	if (!err)
		*ret = h.id;
	return err;
}

/*
 * What an evaluation may do, by the client's context. What the user has typed
 * may make calls, as the setting says. What the client evaluates of its own
 * accord (a hover) may not, unless launch.json allows it: the program would run
 * while the user reads.
 */
static const struct context {
	const char *name;
	bool typed;   /* by the user, or asked for by the user */
	bool assigns; /* an assignment is carried out */
	char letter;  /* of the form that the value is shown in */
} contexts[] = {
    {"repl", .typed = true, .assigns = true},
    {"watch", .typed = true},
    // the clipboard gets the whole text, not an abbreviation
    {"clipboard", .typed = true, .letter = 's'},
    {.name = ""},
};

static const struct context *context_of(const char *name)
{
	const struct context *c = contexts;

	while (*c->name && strcmp(c->name, name))
		c++;
	return c;
}

static struct dbg_error *evaluate(struct dap *d, struct dbg_stopped at,
				  struct request *req, const char *expr,
				  const char *context)
{
	const struct context *c = context_of(context);
	bool calls = c->typed || d->setup.implicit_calls;
	struct pending_request is = {
	    .eval = {.expr = expr,
		     .assigns = c->assigns,
		     .thrown = *c->name ? DBG_THROWN_TOLD : DBG_THROWN_NAMED,
		     .calls = calls ? DBG_CALLS_SETTING : DBG_CALLS_NEVER},
	    .style = {.letter = c->letter},
	    .key = "result",
	    // a watch is evaluated again when values are said to be invalid
	    .changes = c->assigns,
	};
	struct dbg_error *err = get_frame(d, req->args, &is.style.frame);

	if (!err)
		err = variable_style(req->args, &is.style);
	is.eval.frame = is.style.frame;
	return err ? err : pending_begin(d, at, req, &is);
}

// A line typed at the debug console while the program runs is its input.
static struct dbg_error *type(struct dap *d, struct request *req,
			      const char *line)
{
	if (!console_type(&d->console, line))
		return dbg_err(
		    DBG_E_STATE,
		    "the program is running: it takes no input here");
	emit_str(req->body, "result", "");
	emit_int(req->body, "variablesReference", 0);
	return NULL;
}

// After a command, which may have changed anything: let the client read the
// variables again.
static void commanded(struct dap *d)
{
	if (dbg_state(d->dbg) == DBG_STOPPED)
		variable_assigned(d);
	else if (dbg_state(d->dbg) == DBG_IDLE && d->start == DAP_STARTED)
		d->left = true;
}

// Get the thread and frame at which a command is carried out: the frame of the
// request, if it has one.
static struct dbg_error *get_place(struct dap *d, const cJSON *args,
				   struct command_place *ret)
{
	struct handle h = {0};
	uint32_t number = 0;

	struct dbg_error *err = args_u32(args, "frameId", &number);
	if (!err && number)
		err = handles_find(&d->frames, number, "frame", &h);
	if (err)
		return err;
	*ret = (struct command_place){.thread = dbg_stop_thread(d->dbg)};
	if (number)
		*ret = (struct command_place){(uint32_t)h.frame, h.aux};
	return NULL;
}

static struct dbg_error *command(struct dap *d, struct request *req,
				 const char *line)
{
	_cleanup_str_ struct str printed = {0};
	struct command_place place;

	struct dbg_error *err = get_place(d, req->args, &place);
	if (err)
		return err;
	d->tell_continued = true;
	err = command_run(d, line, &place, &printed);
	commanded(d);
	if (err)
		return err;
	emit_strn(req->body, "result", str_get(&printed), printed.len);
	emit_int(req->body, "variablesReference", 0);
	return NULL;
}

static struct dbg_error *do_evaluate(struct dap *d, struct request *req)
{
	const char *expr = NULL;
	const char *context = "";

	struct dbg_error *err = args_need(req->args, "expression");
	if (!err)
		err = args_str(req->args, "expression", &expr);
	if (!err)
		err = args_str(req->args, "context", &context);
	if (err)
		return err;
	bool console = !strcmp(context, "repl");
	if (console && command_of(expr))
		return command(d, req, command_of(expr));
	if (console && dbg_state(d->dbg) == DBG_RUNNING)
		return type(d, req, expr);
	struct dbg_stopped at;
	err = request_stop(d, &at);
	if (err)
		return err;
	expr += strspn(expr, " \t\r\n");
	// as in Visual Studio's Immediate Window
	if (console && *expr == '?')
		expr += 1 + strspn(expr + 1, " \t");
	if (!*expr)
		return dbg_err_arg("there is nothing to evaluate");
	return evaluate(d, at, req, expr, context);
}

// How many UTF-16 units, in which the client counts columns, the first @n bytes
// are.
static size_t units_of(const char *s, size_t n)
{
	size_t units = 0;
	bool cut;

	for (size_t i = 0; i < n;) {
		size_t length = utf8_length(s + i, n - i, &cut);
		units += length == 4 ? 2 : 1;
		i += length ? length : 1;
	}
	return units;
}

// The byte of @s that column @units counts to.
static size_t byte_at(const char *s, size_t units)
{
	size_t n = strlen(s);
	size_t i = 0;
	bool cut;

	for (size_t seen = 0; i < n && seen < units;) {
		size_t length = utf8_length(s + i, n - i, &cut);
		seen += length == 4 ? 2 : 1;
		i += length ? length : 1;
	}
	return i;
}

// The word that ends at @end, and the part of it that is replaced.
struct completion {
	const char *prefix;
	size_t dot; /* of prefix: behind the last dot */
	int64_t start, length;
};

static const char *const name_types[] = {
    [DBG_NAME_FILE] = "file",         [DBG_NAME_TYPE] = "class",
    [DBG_NAME_METHOD] = "method",     [DBG_NAME_FIELD] = "field",
    [DBG_NAME_PROPERTY] = "property", [DBG_NAME_VARIABLE] = "variable",
};

static struct dbg_error *complete(struct dap *d, dbg_id frame,
				  const struct completion *c,
				  unsigned int names, struct str *t)
{
	struct dbg_name *list;
	size_t n;

	struct dbg_error *err = dbg_complete(d->dbg, frame, names, c->prefix,
					     COMPLETIONS_MAX, &list, &n);
	for (size_t i = 0; !err && i < n; i++) {
		emit_object(t, NULL);
		emit_str(t, "label", list[i].text + c->dot);
		emit_str(t, "type", name_types[list[i].kind]);
		if (list[i].kind == DBG_NAME_METHOD && list[i].overloads)
			emit_strf(t, "detail", "%s (+ %u overload%s)",
				  list[i].detail, list[i].overloads,
				  list[i].overloads > 1 ? "s" : "");
		else
			emit_str(t, "detail", list[i].detail);
		emit_int(t, "start", c->start);
		emit_int(t, "length", c->length);
		emit_object_end(t);
	}
	return err;
}

// A line that may become a command, before anything else is offered.
static void offer_command(const char *line, bool starts_from_1, struct str *t)
{
	size_t blanks = strspn(line, " \t");

	if (!command_begins(line + blanks))
		return;
	emit_object(t, NULL);
	emit_str(t, "label", "-exec");
	emit_str(t, "text", "-exec ");
	emit_str(t, "sortText", "!");
	emit_str(t, "type", "keyword");
	emit_int(t, "start", (int64_t)blanks + starts_from_1);
	emit_int(t, "length", (int64_t)strlen(line + blanks));
	emit_object_end(t);
}

// Complete the last word of the command in @line.
static struct dbg_error *complete_command(struct dap *d, struct request *req,
					  const char *line)
{
	_cleanup_words_ struct words words = {0};
	const char *text = command_of(line);
	struct command_place place;
	size_t start = 0;

	struct dbg_error *err = get_place(d, req->args, &place);
	if (err)
		return err;
	command_complete(d, text, &place, &words, &start);
	size_t before = units_of(line, (size_t)(text - line) + start);
	size_t length = units_of(text + start, strlen(text + start));
	emit_array(req->body, "targets");
	for (size_t i = 0; i < words.n && i < COMPLETIONS_MAX; i++) {
		emit_object(req->body, NULL);
		emit_str(req->body, "label", words.v[i]);
		emit_str(req->body, "type", "text");
		emit_int(req->body, "start",
			 (int64_t)before + !d->client.starts_from_0);
		emit_int(req->body, "length", (int64_t)length);
		emit_object_end(req->body);
	}
	emit_array_end(req->body);
	return NULL;
}

// Where the brackets or quotes that end at @end begin; @end: they have no
// beginning.
static size_t matching(const char *s, size_t end)
{
	char close = s[end - 1];
	char open = close == ')' ? '(' : close == ']' ? '[' : close;
	int depth = close == open ? 0 : 1;

	for (size_t i = end - 1; i-- > 0;) {
		if (s[i] == open && (close == open || !--depth))
			return i;
		depth += s[i] == close;
	}
	return end;
}

// The name, and what it is a member of, that end at @end.
static size_t operand_start(const char *s, size_t end)
{
	size_t start = end;

	while (start) {
		char c = s[start - 1];
		bool behind = start < end && strchr(".[(", s[start]);
		size_t before = start;

		if (!strchr(" ()[]{}+-*/%&|^!<>=?:,;~\"'", c))
			before = start - 1;
		else if (behind && strchr(")]\"", c))
			before = matching(s, start);
		if (before == start)
			break;
		start = before;
	}
	return start;
}

static struct dbg_error *do_completions(struct dap *d, struct request *req)
{
	const char *text = NULL;
	uint32_t column = 0;

	struct dbg_error *err = args_need(req->args, "text");
	if (!err)
		err = args_str(req->args, "text", &text);
	if (!err)
		err = args_need(req->args, "column");
	if (!err)
		err = args_u32(req->args, "column", &column);
	if (err)
		return err;
	bool from_1 = !d->client.columns_from_0;
	bool starts_from_1 = !d->client.starts_from_0;
	size_t end = byte_at(text, column > from_1 ? column - from_1 : 0);
	_cleanup_free_ char *line = xstrndup(text, end);
	if (command_of(line))
		return complete_command(d, req, line);
	if (dbg_state(d->dbg) == DBG_RUNNING)
		return dbg_err(DBG_E_STATE, "the program is running");
	size_t start = operand_start(text, end);
	_cleanup_free_ char *prefix = xstrndup(text + start, end - start);
	const char *dot = strrchr(prefix, '.');
	struct completion c = {.prefix = prefix,
			       .dot = dot ? (size_t)(dot + 1 - prefix) : 0};
	size_t units = units_of(text, start + c.dot);
	c.start = (int64_t)units + starts_from_1;
	c.length = (int64_t)(units_of(text, end) - units);
	dbg_id frame = 0;
	err = get_frame(d, req->args, &frame);
	if (err)
		return err;
	emit_array(req->body, "targets");
	offer_command(line, starts_from_1, req->body);
	err = complete(d, frame, &c, DBG_NAMES_LOCALS, req->body);
	if (!err)
		err = complete(d, frame, &c, DBG_NAMES_TYPES, req->body);
	emit_array_end(req->body);
	return err;
}

static struct dbg_error *do_set_expression(struct dap *d, struct dbg_stopped at,
					   struct request *req)
{
	const char *target = NULL;
	dbg_id frame = 0;

	struct dbg_error *err = args_need(req->args, "expression");
	if (!err)
		err = args_str(req->args, "expression", &target);
	if (!err)
		err = get_frame(d, req->args, &frame);
	return err ? err : variable_assign(d, at, req, frame, target);
}

/* ---- exceptionInfo --------------------------------------------------- */

// Add one exception of the list, without its inner ones.
static void add_details(struct str *t, const struct dbg_exception *list)
{
	const char *dot = strrchr(list->type, '.');

	emit_str(t, "message", list->message);
	emit_str(t, "typeName", dot ? dot + 1 : list->type);
	emit_str(t, "fullTypeName", list->type);
	emit_str(t, "stackTrace", list->stack ? list->stack : list->living);
	emit_str(t, "source", list->module);
	emit_strf(t, "formattedDescription", "**%s:** '%s'", list->type,
		  list->message ? list->message : "");
	emit_int(t, "hresult", (int32_t)list->hresult);
	if (!list->depth)
		emit_str(t, "evaluateName", "$exception");
}

// Add all exceptions: nested objects in arrays.
static void add_all(struct str *t, const struct dbg_exception *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t next = i + 1 < n ? list[i + 1].depth : 0;

		if (i)
			emit_object(t, NULL);
		add_details(t, &list[i]);
		if (next > list[i].depth)
			emit_array(t, "innerException");
		for (uint32_t d = list[i].depth; d && d >= next; d--) {
			emit_object_end(t);
			if (d > next)
				emit_array_end(t);
		}
	}
}

// Indexed by enum dbg_stop_reason.
static const struct {
	const char *mode, *what, *end;
} throws[] = {
    [DBG_STOP_THROWN] = {"always", "Exception thrown: '%s'", ""},
    [DBG_STOP_USER_UNHANDLED] = {"userUnhandled",
				 "An exception of type '%s' occurred",
				 " but was not handled in user code"},
    [DBG_STOP_CAUGHT] = {"always", "Exception caught: '%s'", ""},
    [DBG_STOP_UNHANDLED] = {"unhandled",
			    "An unhandled exception of type '%s' occurred", ""},
};

// "Exception thrown: 'T' in M: 'message'", and the innermost within.
static void add_description(struct str *t, const struct dbg_exception *list,
			    size_t n, enum dbg_stop_reason reason)
{
	_cleanup_str_ struct str s = {0};
	size_t last = 0;

	while (last + 1 < n && list[last + 1].depth > list[last].depth)
		last++;
	str_addf(&s, throws[reason].what, list[0].type);
	if (list[0].module)
		str_addf(&s, " in %s", list[0].module);
	str_add(&s, throws[reason].end);
	if (list[0].message)
		str_addf(&s, ": '%s'", list[0].message);
	if (last)
		str_addf(&s,
			 "\n Inner exceptions found, see $exception in the "
			 "variables for more details.\n Innermost exception: "
			 "%s: %s%s%s",
			 list[last].type,
			 list[last].message ? list[last].message : "",
			 list[last].stack ? "\n" : "",
			 list[last].stack ? list[last].stack : "");
	emit_str(t, "description", str_get(&s));
}

static struct dbg_error *do_exception_info(struct dap *d, struct dbg_stopped at,
					   struct request *req)
{
	struct str *t = req->body;
	struct dbg_exception *list;
	size_t n;

	(void)d;

	struct dbg_error *err = dbg_exception_list(at, &list, &n);
	if (err)
		return err;
	const struct dbg_stop *stop = dbg_stop_reason(at);
	if (stop->reason == DBG_STOP_FAIL_FAST) {
		emit_str(t, "exceptionId", stop->exception_type);
		emit_str(t, "description", stop->exception_message);
		emit_str(t, "breakMode", "unhandled");
		return NULL;
	}
	if (!n)
		return dbg_err(DBG_E_STATE,
			       "the program is not stopped at an exception");
	enum dbg_stop_reason reason = stop->reason;
	if (reason >= sizeof(throws) / sizeof(*throws) || !throws[reason].mode)
		reason = DBG_STOP_UNHANDLED;
	emit_strf(t, "exceptionId", "CLR/%s", list[0].type);
	add_description(t, list, n, reason);
	emit_str(t, "breakMode", throws[reason].mode);
	emit_object(t, "details");
	add_all(t, list, n);
	emit_object_end(t);
	return NULL;
}

/* ---- applyDeltas ----------------------------------------------------- */

// Not in the protocol: clients of netcoredbg asked for it. `lineUpdates` is not
// read: the texts tell which lines moved.
static struct dbg_error *do_apply_deltas(struct dap *d, struct dbg_stopped at,
					 struct request *req)
{
	static const char *const names[] = {"dllFileName", "deltaMD", "deltaIL",
					    "deltaPDB"};
	struct dbg_update update = {.module = NULL};
	const char **const texts[] = {&update.module, &update.md, &update.il,
				      &update.pdb};
	struct dbg_error *err = NULL;

	for (size_t i = 0; !err && i < sizeof(names) / sizeof(*names); i++) {
		if (texts[i] != &update.pdb)
			err = args_need(req->args, names[i]);
		if (!err)
			err = args_str(req->args, names[i], texts[i]);
	}
	if (err)
		return err;
	const struct pending_request is = {
	    .eval = {.expr = req->command, .update = &update},
	    .empty = true,
	    .plain = true,
	    .changes = true,
	};
	return pending_begin(d, at, req, &is);
}

const struct dap_request req_value[] = {
    {"evaluate", "supportsEvaluateForHovers", 0, .run = do_evaluate},
    {"setExpression", "supportsSetExpression", REQ_BY_HAND,
     .stopped = do_set_expression},
    {"applyDeltas", "supportsApplyDeltasRequest", REQ_BY_HAND,
     .stopped = do_apply_deltas},
    {"completions", "supportsCompletionsRequest", REQ_NEEDS_PROCESS,
     .run = do_completions},
    {"exceptionInfo", "supportsExceptionInfoRequest", 0,
     .stopped = do_exception_info},
    {0},
};
