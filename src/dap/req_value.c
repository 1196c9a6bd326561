/* Expressions and exceptions. */
#include <inttypes.h>
#include <string.h>

#include "alloc.h"
#include "command.h"
#include "dap_priv.h"
#include "emit.h"
#include "fault.h"
#include "variable.h"

enum {
	COMPLETIONS_MAX = 200
};

/* ---- evaluate ---------------------------------------------------------- */

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

static struct dbg_error *wants_hex(const cJSON *args, bool *ret)
{
	const cJSON *format = NULL;
	struct dbg_error *err = args_object(args, "format", &format);

	return err ? err : args_bool(format, "hex", ret);
}

// @writes: it may assign, as the user typed it.
static struct dbg_error *evaluate(struct dap *d, struct request *req,
				  const char *expr, bool writes)
{
	struct dbg_error *err;
	struct dbg_value v;
	dbg_id frame = 0;
	bool hex = false;
	const char *text = NULL;

	err = get_frame(d, req->args, &frame);
	if (!err)
		err = wants_hex(req->args, &hex);
	if (!err)
		err = writes ? dbg_assign(d->dbg, frame, expr, NULL, &v)
			     : dbg_eval(d->dbg, frame, expr, &v);
	if (err)
		return err;
	if (hex) {
		// what is no integer has no other form
		err = dbg_format(d->dbg, frame, expr, 'x', &text);
		if (!err)
			v.text = text;
		dbg_error_destroy(err);
	}
	variable_add_value(d, req->body, "result", &v, frame);
	return NULL;
}

// A line typed at the debug console while the program runs is its input.
static struct dbg_error *type(struct dap *d, struct request *req,
			      const char *line)
{
	if (!console_type(&d->console, line))
		return fault(DBG_E_STATE,
			     "the program is running: it takes no input here");
	emit_str(req->body, "result", "");
	emit_int(req->body, "variablesReference", 0);
	return NULL;
}

// What the command changed, nobody knows.
static void commanded(struct dap *d)
{
	if (dbg_state(d->dbg) == DBG_STOPPED)
		variable_assigned(d);
	else if (dbg_state(d->dbg) == DBG_IDLE && d->start == DAP_STARTED)
		d->left = true;
}

static struct dbg_error *command(struct dap *d, struct request *req,
				 const char *line)
{
	_cleanup_text_ struct text printed = {0};
	const struct dbg_stop *stop = dbg_stop_reason(d->dbg);
	struct command_place place = {.thread = stop ? stop->thread : 0};
	struct handle h = {0};
	uint32_t number = 0;

	struct dbg_error *err = args_u32(req->args, "frameId", &number);
	if (!err && number)
		err = handles_find(&d->frames, number, "frame", &h);
	if (err)
		return err;
	if (number)
		place = (struct command_place){(uint32_t)h.frame, h.aux};
	d->tell_continued = true;
	err = command_run(d, line, &place, &printed);
	commanded(d);
	if (err)
		return err;
	emit_strn(req->body, "result", text_get(&printed), printed.len);
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
	bool console = strcmp(context, "repl") == 0;
	if (console && command_of(expr))
		return command(d, req, command_of(expr));
	if (console && dbg_state(d->dbg) == DBG_RUNNING)
		return type(d, req, expr);
	if (dbg_state(d->dbg) != DBG_STOPPED)
		return fault(DBG_E_STATE, dbg_state(d->dbg) == DBG_RUNNING
					      ? "the program is running"
					      : "there is no program");
	if (!expr[strspn(expr, " \t\r\n")])
		return fault_arg("there is nothing to evaluate");
	err = evaluate(d, req, expr, console);
	if (!err && console)
		variable_assigned(d);
	return err;
}

static struct dbg_error *do_completions(struct dap *d, struct request *req)
{
	struct dbg_error *err;
	struct text *t = req->body;
	const char *text = NULL;
	uint32_t column = 0;
	const char **list;
	size_t n;

	err = args_need(req->args, "text");
	if (!err)
		err = args_str(req->args, "text", &text);
	if (!err)
		err = args_u32(req->args, "column", &column);
	if (err)
		return err;
	size_t end = column ? column - !d->client.columns_from_0 : 0;
	if (end > strlen(text))
		end = strlen(text);
	size_t start = end;
	while (start && !strchr(" ()[]{}+-*/%&|^!<>=?:,;~\"'", text[start - 1]))
		start--;
	_cleanup_free_ char *prefix = alloc_strn(text + start, end - start);
	err = dbg_complete(d->dbg, DBG_NAMES_LOCALS | DBG_NAMES_TYPES, prefix,
			   COMPLETIONS_MAX, &list, &n);
	if (err)
		return err;
	emit_array(t, "targets");
	for (size_t i = 0; i < n; i++) {
		emit_object(t, NULL);
		emit_str(t, "label", list[i]);
		emit_int(t, "start", (int64_t)start);
		emit_int(t, "length", (int64_t)(end - start));
		emit_object_end(t);
	}
	emit_array_end(t);
	return NULL;
}

static struct dbg_error *do_set_expression(struct dap *d, struct request *req)
{
	const char *target = NULL;
	dbg_id frame = 0;

	struct dbg_error *err = args_need(req->args, "expression");
	if (!err)
		err = args_str(req->args, "expression", &target);
	if (!err)
		err = get_frame(d, req->args, &frame);
	return err ? err : variable_assign(d, req, frame, target);
}

/* ---- exceptionInfo ----------------------------------------------------- */

// One exception of the list, without what is within it.
static void add_details(struct text *t, const struct dbg_exception *list)
{
	const char *dot = strrchr(list->type, '.');

	emit_str(t, "message", list->message);
	emit_str(t, "typeName", dot ? dot + 1 : list->type);
	emit_str(t, "fullTypeName", list->type);
	emit_str(t, "stackTrace", list->stack);
	if (!list->depth)
		emit_str(t, "evaluateName", "$exception");
}

// All of them: objects in arrays, as deep as they are.
static void add_all(struct text *t, const struct dbg_exception *list, size_t n)
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

static struct dbg_error *do_exception_info(struct dap *d, struct request *req)
{
	struct text *t = req->body;
	struct dbg_exception *list;
	size_t n;

	struct dbg_error *err = dbg_exception_list(d->dbg, &list, &n);
	if (err)
		return err;
	const struct dbg_stop *stop = dbg_stop_reason(d->dbg);
	if (!n)
		return fault(DBG_E_STATE,
			     "the program is not stopped at an exception");
	emit_str(t, "exceptionId", list[0].type);
	emit_str(t, "description", list[0].message);
	emit_str(t, "breakMode",
		 !stop || stop->reason == DBG_STOP_THROWN  ? "always"
		 : stop->reason == DBG_STOP_USER_UNHANDLED ? "userUnhandled"
							   : "unhandled");
	emit_object(t, "details");
	add_all(t, list, n);
	emit_object_end(t);
	return NULL;
}

const struct dap_request req_value[] = {
    {"evaluate", "supportsEvaluateForHovers", 0, do_evaluate},
    {"setExpression", "supportsSetExpression", REQ_NEEDS_STOP,
     do_set_expression},
    {"completions", "supportsCompletionsRequest", REQ_NEEDS_STOP,
     do_completions},
    {"exceptionInfo", "supportsExceptionInfoRequest", REQ_NEEDS_STOP,
     do_exception_info},
    {0},
};
