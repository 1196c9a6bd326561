/* Variables, expressions, exceptions. */
#include <inttypes.h>
#include <string.h>

#include "alloc.h"
#include "command.h"
#include "dap_priv.h"
#include "emit.h"
#include "fault.h"

enum {
	COUNT_MAX = 100000,
	COMPLETIONS_MAX = 200,
};

/* ---- One value --------------------------------------------------------- */

static void add_hint(struct text *t, const struct dbg_value *v)
{
	bool is_static = v->flags & DBG_VALUE_STATIC;

	if (!is_static && !(v->flags & (DBG_VALUE_GROUP | DBG_VALUE_STRING)))
		return;
	emit_object(t, "presentationHint");
	if (v->flags & DBG_VALUE_GROUP)
		emit_str(t, "kind", "virtual");
	emit_array(t, "attributes");
	if (is_static)
		emit_str(t, NULL, "static");
	if (v->flags & DBG_VALUE_STRING)
		emit_str(t, NULL, "rawString");
	emit_array_end(t);
	emit_object_end(t);
}

// The members that a variable and a result have in common. @key: "value" or
// "result".
static void add_value(struct dap *d, struct text *t, const char *key,
		      const struct dbg_value *v, dbg_id frame)
{
	struct handle h = {HANDLE_VALUE, v->id, 0, frame};
	bool has = v->id && (v->n_named || v->n_indexed);

	emit_str(t, key, v->text);
	if (*v->type)
		emit_str(t, "type", v->type);
	emit_int(t, "variablesReference",
		 has ? handles_add(&d->values, &h) : 0);
	if (has && v->n_named)
		emit_int(t, "namedVariables", v->n_named);
	if (has && v->n_indexed)
		emit_int(t, "indexedVariables",
			 v->n_indexed > INT32_MAX ? INT32_MAX
						  : (int64_t)v->n_indexed);
	if (v->addr)
		emit_addr(t, "memoryReference", v->addr);
	add_hint(t, v);
}

static void add_variable(struct dap *d, struct text *t,
			 const struct dbg_value *v, dbg_id frame)
{
	emit_object(t, NULL);
	emit_str(t, "name", v->name ? v->name : "");
	add_value(d, t, "value", v, frame);
	emit_str(t, "evaluateName", v->path);
	emit_object_end(t);
}

/* ---- variables --------------------------------------------------------- */

struct window {
	bool named, indexed;
	uint64_t start;
	uint32_t count; /* 0: all */
	dbg_id frame;
};

static struct dbg_error *get_window(const cJSON *args, struct window *w)
{
	const char *filter = NULL;

	struct dbg_error *err = args_str(args, "filter", &filter);
	if (!err)
		err = args_u64(args, "start", &w->start);
	if (!err)
		err = args_u32(args, "count", &w->count);
	if (err)
		return err;
	w->named = !filter || strcmp(filter, "named") == 0;
	w->indexed = !filter || strcmp(filter, "indexed") == 0;
	if (!w->named && !w->indexed)
		return fault_arg("'filter' must be named or indexed, not '%s'",
				 filter);
	if (!w->count || w->count > COUNT_MAX)
		w->count = COUNT_MAX;
	return NULL;
}

static void add_list(struct dap *d, struct text *t,
		     const struct dbg_value *list, size_t n, struct window *w)
{
	size_t skip = w->start < n ? (size_t)w->start : n;
	size_t i;

	for (i = skip; i < n && w->count; i++, w->count--)
		add_variable(d, t, &list[i], w->frame);
	w->start -= skip;
}

static struct dbg_error *add_scope(struct dap *d, struct text *t,
				   const struct handle *h, struct window *w)
{
	struct dbg_value *list;
	size_t n;

	struct dbg_error *err =
	    dbg_scope_list(d->dbg, h->id, (enum dbg_scope)h->aux, &list, &n);
	if (!err && w->named)
		add_list(d, t, list, n, w);
	return err;
}

static struct dbg_error *add_registers(struct dap *d, struct text *t,
				       const struct handle *h,
				       const struct window *w)
{
	struct dbg_register *list;
	size_t n;

	struct dbg_error *err = dbg_registers(d->dbg, h->id, &list, &n);
	if (err || !w->named)
		return err;
	for (size_t i = w->start; i < n && i - w->start < w->count; i++) {
		emit_object(t, NULL);
		emit_str(t, "name", list[i].name);
		emit_addr(t, "value", list[i].value);
		emit_int(t, "variablesReference", 0);
		emit_addr(t, "memoryReference", list[i].value);
		emit_object_end(t);
	}
	return NULL;
}

// Without a filter the named come first; start and count go over both.
static struct dbg_error *add_children(struct dap *d, struct text *t,
				      const struct handle *h, struct window *w)
{
	struct dbg_error *err;
	struct dbg_value *list;
	size_t n;

	if (w->named) {
		err = dbg_children(d->dbg, h->id, DBG_CHILDREN_NAMED, 0, 0,
				   &list, &n);
		if (err)
			return err;
		add_list(d, t, list, n, w);
	}
	if (!w->indexed || !w->count)
		return NULL;
	err = dbg_children(d->dbg, h->id, DBG_CHILDREN_INDEXED, w->start,
			   w->count, &list, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		add_variable(d, t, &list[i], w->frame);
	return NULL;
}

static struct dbg_error *get_reference(struct dap *d, const cJSON *args,
				       struct handle *ret)
{
	uint32_t number = 0;

	struct dbg_error *err = args_need(args, "variablesReference");
	if (!err)
		err = args_u32(args, "variablesReference", &number);
	if (!err)
		err = handles_find(&d->values, number, "variable", ret);
	return err;
}

static struct dbg_error *do_variables(struct dap *d, struct request *req)
{
	struct text *t = req->body;
	struct handle h = {0};
	struct window w = {0};

	struct dbg_error *err = get_reference(d, req->args, &h);
	if (!err)
		err = get_window(req->args, &w);
	if (err)
		return err;
	w.frame = h.frame;
	emit_array(t, "variables");
	if (h.kind == HANDLE_SCOPE)
		err = add_scope(d, t, &h, &w);
	else if (h.kind == HANDLE_REGISTERS)
		err = add_registers(d, t, &h, &w);
	else
		err = add_children(d, t, &h, &w);
	emit_array_end(t);
	return err;
}

// What was shown of other values may have changed with this one.
static void assigned(struct dap *d)
{
	if (!d->client.invalidated)
		return;
	struct text *t = dap_event(d, "invalidated");
	emit_array(t, "areas");
	emit_str(t, NULL, "variables");
	emit_array_end(t);
	dap_send(d);
}

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
	add_value(d, req->body, "result", &v, frame);
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
		assigned(d);
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
		assigned(d);
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

/* ---- setVariable, setExpression ----------------------------------------- */

static struct dbg_error *assign(struct dap *d, struct request *req,
				dbg_id frame, const char *target)
{
	const char *value = NULL;
	struct dbg_value v;

	struct dbg_error *err = args_need(req->args, "value");
	if (!err)
		err = args_str(req->args, "value", &value);
	if (!err)
		err = dbg_assign(d->dbg, frame, target, value, &v);
	if (err)
		return err;
	add_value(d, req->body, "value", &v, frame);
	assigned(d);
	return NULL;
}

static const struct dbg_value *named(const struct dbg_value *list, size_t n,
				     const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].name && strcmp(list[i].name, name) == 0)
			return &list[i];
	return NULL;
}

// "[12]" of a million: only that one is asked for.
static struct dbg_error *find_element(struct dap *d, const struct handle *h,
				      const char *name, struct dbg_value **ret,
				      size_t *ret_n)
{
	uint64_t index = 0;
	size_t n = strlen(name);

	_cleanup_free_ char *digits = alloc_strn(name + 1, n > 1 ? n - 2 : 0);
	bool one = args_parse_addr(digits, &index);
	return dbg_children(d->dbg, h->id, DBG_CHILDREN_INDEXED, index,
			    one ? 1 : COUNT_MAX, ret, ret_n);
}

// The variable @name of the container @h.
static struct dbg_error *find_variable(struct dap *d, const struct handle *h,
				       const char *name,
				       const struct dbg_value **ret)
{
	struct dbg_error *err;
	struct dbg_value *list = NULL;
	size_t n = 0;

	if (h->kind == HANDLE_REGISTERS)
		return fault(DBG_E_UNSUPPORTED, "registers cannot be set");
	if (h->kind == HANDLE_SCOPE)
		err = dbg_scope_list(d->dbg, h->id, (enum dbg_scope)h->aux,
				     &list, &n);
	else if (*name == '[')
		err = find_element(d, h, name, &list, &n);
	else
		err = dbg_children(d->dbg, h->id, DBG_CHILDREN_NAMED, 0, 0,
				   &list, &n);
	if (err)
		return err;
	*ret = named(list, n, name);
	if (!*ret)
		return fault(DBG_E_NOT_FOUND, "there is no variable '%s'",
			     name);
	if (!(*ret)->path)
		return fault(DBG_E_UNSUPPORTED, "'%s' cannot be set", name);
	return NULL;
}

static struct dbg_error *do_set_variable(struct dap *d, struct request *req)
{
	struct handle h = {0};
	const char *name = NULL;
	const struct dbg_value *v = NULL;

	struct dbg_error *err = get_reference(d, req->args, &h);
	if (!err)
		err = args_need(req->args, "name");
	if (!err)
		err = args_str(req->args, "name", &name);
	if (!err)
		err = find_variable(d, &h, name, &v);
	return err ? err : assign(d, req, h.frame, v->path);
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
	return err ? err : assign(d, req, frame, target);
}

/* ---- exceptionInfo ----------------------------------------------------- */

// Leaves the inner exception's object open if there is one.
static void add_details(struct text *t, const struct dbg_exception *list,
			size_t n, bool outermost)
{
	const char *dot = strrchr(list->type, '.');

	emit_str(t, "message", list->message);
	emit_str(t, "typeName", dot ? dot + 1 : list->type);
	emit_str(t, "fullTypeName", list->type);
	emit_str(t, "stackTrace", list->stack);
	if (outermost)
		emit_str(t, "evaluateName", "$exception");
	if (n < 2)
		return;
	emit_array(t, "innerException");
	emit_object(t, NULL);
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
	for (size_t i = 0; i < n; i++)
		add_details(t, &list[i], n - i, i == 0);
	for (size_t i = 1; i < n; i++) {
		emit_object_end(t);
		emit_array_end(t);
	}
	emit_object_end(t);
	return NULL;
}

const struct dap_request req_value[] = {
    {"variables", NULL, REQ_NEEDS_STOP, do_variables},
    {"evaluate", "supportsEvaluateForHovers", 0, do_evaluate},
    {"setVariable", "supportsSetVariable", REQ_NEEDS_STOP, do_set_variable},
    {"setExpression", "supportsSetExpression", REQ_NEEDS_STOP,
     do_set_expression},
    {"completions", "supportsCompletionsRequest", REQ_NEEDS_STOP,
     do_completions},
    {"exceptionInfo", "supportsExceptionInfoRequest", REQ_NEEDS_STOP,
     do_exception_info},
    {0},
};
