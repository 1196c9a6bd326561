/*
 * `variables` and `setVariable`: scopes and children of values, named and
 * indexed, in pieces as the client asks for them.
 */
#include "dap/request/req_variable.h"
#include "dap/dap_priv.h"
#include "dap/request/variable.h"
#include "dap/wire/emit.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/cli/netcoredbg.h"

/* ---- Variables ----------------------------------------------------------- */

enum {
	COUNT_MAX = 100000,
	WHOLE_MAX = 1000, // elements of a collection that are shown at once
};

/* ---- One value ------------------------------------------------------- */

static void add_hint(struct str *t, const struct dbg_value *v)
{
	bool group = v->kind == DBG_VALUE_GROUP;
	bool string = v->kind == DBG_VALUE_STRING;

	if (!v->is_static && !group && !string)
		return;
	emit_object(t, "presentationHint");
	if (group)
		emit_str(t, "kind", "virtual");
	emit_array(t, "attributes");
	if (v->is_static)
		emit_str(t, NULL, "static");
	if (string)
		emit_str(t, NULL, "rawString");
	emit_array_end(t);
	emit_object_end(t);
}

struct dbg_error *variable_style(const cJSON *args, struct value_style *ret)
{
	const cJSON *format = NULL;
	bool hex = false;

	struct dbg_error *err = args_object(args, "format", &format);
	if (!err)
		err = args_bool(format, "hex", &hex);
	if (!err && hex)
		ret->letter = 'x';
	return err;
}

/* The text of a value; of what has no other form as it is. */
static const char *variable_text(struct dap *d, const struct dbg_value *v,
				 const struct value_style *style)
{
	const char *text = v->text;
	struct dbg_stopped at;

	if (style->letter && v->path && !dbg_err_drop(dbg_stopped(d->dbg, &at)))
		dbg_error_destroy(dbg_format(at, style->frame, v->path,
					     style->letter, &text));
	return text;
}

/*
 * The members that a variable and a result have in common. @key: "value" or
 * "result".
 */
static void variable_add_value(struct dap *d, struct str *t, const char *key,
			       const struct dbg_value *v,
			       const struct value_style *style)
{
	struct handle h = {HANDLE_VALUE, v->id, 0, style->frame};
	bool has = v->id && (v->n_named || v->n_indexed);
	// a collection that is not asked for in pieces has its elements first,
	// what else is to be said of it behind them
	bool whole = v->titled && v->n_indexed <= WHOLE_MAX;

	h.aux = v->titled ? (uint32_t)v->n_indexed : 0;

	emit_str(t, key, variable_text(d, v, style));
	if (v->declared)
		emit_strf(t, "type", "%s {%s}", v->declared, v->type);
	else if (*v->type)
		emit_str(t, "type", v->type);
	emit_int(t, "variablesReference",
		 has ? handles_add(&d->values, &h) : 0);
	if (has && v->n_named && !whole)
		emit_int(t, "namedVariables", v->n_named);
	if (has && v->n_indexed && !whole)
		emit_int(t, "indexedVariables",
			 v->n_indexed > INT32_MAX ? INT32_MAX
						  : (int64_t)v->n_indexed);
	// what has parts, or leads elsewhere, is worth a look at its memory
	uint64_t memory = v->data ? v->data : has ? v->addr : 0;
	if (memory)
		emit_addr(t, "memoryReference", memory);
	h.kind = HANDLE_CODE;
	if (v->id && v->kind == DBG_VALUE_DELEGATE)
		emit_int(t, "valueLocationReference",
			 handles_add(&d->values, &h));
	if (!style->no_hint)
		add_hint(t, v);
}

// A property whose value a call would give: it is made when somebody asks.
static void add_lazy(struct dap *d, struct str *t, const struct dbg_value *v,
		     const struct value_style *style)
{
	struct handle h = {.kind = HANDLE_LAZY, .frame = style->frame};

	h.aux = (uint32_t)d->lazy.n;
	words_add(&d->lazy, v->path, strlen(v->path));
	words_add(&d->lazy, v->name, strlen(v->name));
	emit_str(t, "value", v->text);
	emit_int(t, "variablesReference", handles_add(&d->values, &h));
	emit_object(t, "presentationHint");
	emit_str(t, "kind", "property");
	emit_bool(t, "lazy", true);
	emit_object_end(t);
}

static void add_variable(struct dap *d, struct str *t,
			 const struct dbg_value *v,
			 const struct value_style *style)
{
	emit_object(t, NULL);
	emit_str(t, "name", v->name ? v->name : "");
	if (v->needs_call && v->path && dbg_can_run(d->dbg))
		add_lazy(d, t, v, style);
	else
		variable_add_value(d, t, "value", v, style);
	emit_str(t, "evaluateName", v->path);
	emit_object_end(t);
}

/* ---- variables ------------------------------------------------------- */

struct window {
	bool named, indexed;
	uint64_t start;
	uint32_t count; /* 0: all */
	struct value_style style;
};

static struct dbg_error *get_window(const cJSON *args, struct window *w)
{
	const char *filter = NULL;

	struct dbg_error *err = args_word(args, "filter", &filter);
	if (!err)
		err = args_u64(args, "start", &w->start);
	if (!err)
		err = args_u32(args, "count", &w->count);
	if (!err)
		err = variable_style(args, &w->style);
	if (err)
		return err;
	w->named = !filter || !strcmp(filter, "named");
	w->indexed = !filter || !strcmp(filter, "indexed");
	if (!w->named && !w->indexed)
		return dbg_err_arg(
		    "'filter' must be named or indexed, not '%s'", filter);
	if (!w->count || w->count > COUNT_MAX)
		w->count = COUNT_MAX;
	return NULL;
}

static void add_list(struct dap *d, struct str *t, const struct dbg_value *list,
		     size_t n, struct window *w)
{
	size_t skip = w->start < n ? (size_t)w->start : n;
	size_t i;

	for (i = skip; i < n && w->count; i++, w->count--)
		add_variable(d, t, &list[i], &w->style);
	w->start -= skip;
}

// The exception of the stop, or that which is being handled, as a variable
// like the others.
static void add_exception(struct dap *d, struct dbg_stopped at, struct str *t,
			  const struct handle *h, struct window *w)
{
	struct dbg_value v;

	(void)d;
	if (h->aux != DBG_SCOPE_ALL)
		return;
	struct dbg_error *err = dbg_eval(at, h->id, "$exception", &v);
	if (!err)
		add_list(d, t, &v, 1, w);
	dbg_error_destroy(err);
}

// Add what the call that was stepped out of has returned, in the newest frame.
static void add_returned(struct dap *d, struct dbg_stopped at, struct str *t,
			 const struct handle *h, struct window *w)
{
	struct dbg_frame *newest;
	struct dbg_value v;
	bool any = false;
	size_t n = 0;

	if (h->aux != DBG_SCOPE_ALL)
		return;
	struct dbg_error *err = dbg_returned(at, &v, &any);
	if (!err && any)
		err = dbg_frame_list(at, dbg_stop_thread(d->dbg), 0, 1, &newest,
				     &n);
	if (!err && n && newest->id == h->id)
		add_list(d, t, &v, 1, w);
	dbg_error_destroy(err);
}

static struct dbg_error *add_scope(struct dap *d, struct dbg_stopped at,
				   struct str *t, const struct handle *h,
				   struct window *w)
{
	struct dbg_value *list;
	size_t n;

	struct dbg_error *err =
	    dbg_scope_list(at, h->id, (enum dbg_scope)h->aux, &list, &n);
	if (!err && w->named) {
		add_exception(d, at, t, h, w);
		add_returned(d, at, t, h, w);
		add_list(d, t, list, n, w);
	}
	return err;
}

static struct dbg_error *add_registers(struct dbg_stopped at, struct str *t,
				       const struct handle *h,
				       const struct window *w)
{
	struct dbg_register *list;
	size_t n;

	struct dbg_error *err = dbg_registers(at, h->id, &list, &n);
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

static struct dbg_error *add_indexed(struct dap *d, struct dbg_stopped at,
				     struct request *req,
				     const struct handle *h, struct window *w)
{
	struct dbg_error *err;
	struct work work = {.title = "Reading elements", .unit = "elements"};
	struct dbg_value *list;
	bool more;

	do {
		uint32_t count = w->count < WORK_PIECE ? w->count : WORK_PIECE;
		size_t n = 0;
		err = dbg_children(at, h->id, DBG_CHILDREN_INDEXED,
				   w->start + work.done, count, &list, &n);
		for (size_t i = 0; !err && i < n; i++)
			add_variable(d, req->body, &list[i], &w->style);
		work.done += n;
		w->count -= (uint32_t)n;
		more = !err && n == WORK_PIECE && w->count;
		if (more)
			err = work_piece(d, req, &work);
	} while (more && !err);
	work_end(d, req, &work);
	return err;
}

static struct dbg_error *add_named(struct dap *d, struct dbg_stopped at,
				   struct request *req, const struct handle *h,
				   struct window *w)
{
	struct dbg_value *list;
	size_t n;

	struct dbg_error *err =
	    dbg_children(at, h->id, DBG_CHILDREN_NAMED, 0, 0, &list, &n);
	if (!err)
		add_list(d, req->body, list, n, w);
	return err;
}

// Add the children. Without a filter, start and count range over both kinds:
// named children first, but behind the elements in a collection.
static struct dbg_error *add_children(struct dap *d, struct dbg_stopped at,
				      struct request *req,
				      const struct handle *h, struct window *w)
{
	struct dbg_error *err = NULL;
	bool behind = h->aux && w->named && w->indexed;
	uint64_t start = w->start;

	if (w->named && !behind)
		err = add_named(d, at, req, h, w);
	if (!err && w->indexed && w->count && !(behind && start >= h->aux))
		err = add_indexed(d, at, req, h, w);
	if (err || !behind || !w->count)
		return err;
	w->start = start > h->aux ? start - h->aux : 0;
	return add_named(d, at, req, h, w);
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

// Evaluate a lazy property with calls: by expanding it the user has asked for
// them.
static struct dbg_error *call_lazy(struct dap *d, struct dbg_stopped at,
				   struct request *req, const struct handle *h,
				   const struct value_style *style)
{
	const struct pending_request is = {
	    .eval = {.frame = h->frame, .expr = d->lazy.v[h->aux]},
	    .style = *style,
	    .name = d->lazy.v[h->aux + 1],
	};

	return pending_begin(d, at, req, &is);
}

static struct dbg_error *do_variables(struct dap *d, struct dbg_stopped at,
				      struct request *req)
{
	struct str *t = req->body;
	struct handle h = {0};
	struct window w = {0};

	struct dbg_error *err = get_reference(d, req->args, &h);
	if (!err)
		err = get_window(req->args, &w);
	if (err)
		return err;
	w.style.frame = h.frame;
	if (h.kind == HANDLE_LAZY)
		return call_lazy(d, at, req, &h, &w.style);
	emit_array(t, "variables");
	if (h.kind == HANDLE_SCOPE)
		err = add_scope(d, at, t, &h, &w);
	else if (h.kind == HANDLE_REGISTERS)
		err = add_registers(at, t, &h, &w);
	else
		err = add_children(d, at, req, &h, &w);
	emit_array_end(t);
	return err;
}

// A variable was assigned to: let the client read all again, since other values
// may have changed with it.
static void invalidate(struct dap *d, const char *area)
{
	if (!d->client.invalidated)
		return;
	struct str *t = dap_event(d, "invalidated");
	emit_array(t, "areas");
	emit_str(t, NULL, area);
	emit_array_end(t);
	dap_send(d);
}

void variable_assigned(struct dap *d)
{
	invalidate(d, "variables");
}

/* Tell the client that the memory of @v has changed. */
static void variable_written(struct dap *d, const struct dbg_value *v)
{
	if (!d->client.memory_event || !v->addr || !v->size)
		return;
	struct str *t = dap_event(d, "memory");
	emit_addr(t, "memoryReference", v->addr);
	emit_int(t, "offset", 0);
	emit_int(t, "count", v->size);
	dap_send(d);
}

/* ---- setVariable, setExpression -------------------------------------- */

struct dbg_error *variable_assign(struct dap *d, struct dbg_stopped at,
				  struct request *req, dbg_id frame,
				  const char *target)
{
	struct pending_request is = {
	    .eval = {.frame = frame, .expr = target},
	    .style = {.frame = frame,
		      .no_hint = !strcmp(req->command, "setVariable")},
	    .key = "value",
	    .plain = true,
	    .changes = true,
	};
	struct dbg_error *err = args_need(req->args, "value");

	if (!err)
		err = args_str(req->args, "value", &is.eval.value);
	if (!err)
		err = variable_style(req->args, &is.style);
	return err ? err : pending_begin(d, at, req, &is);
}

static const struct dbg_value *named(const struct dbg_value *list, size_t n,
				     const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].name && !strcmp(list[i].name, name))
			return &list[i];
	return NULL;
}

// "[12]" of a million: only that one is asked for.
static struct dbg_error *find_element(struct dbg_stopped at,
				      const struct handle *h, const char *name,
				      struct dbg_value **ret, size_t *ret_n)
{
	uint64_t index = 0;
	size_t n = strlen(name);

	_cleanup_free_ char *digits = xstrndup(name + 1, n > 1 ? n - 2 : 0);
	bool one = args_parse_addr(digits, &index);
	return dbg_children(at, h->id, DBG_CHILDREN_INDEXED, index,
			    one ? 1 : COUNT_MAX, ret, ret_n);
}

// The variable @name of the container @h.
struct dbg_error *variable_find(struct dbg_stopped at, const struct handle *h,
				const char *name, const struct dbg_value **ret)
{
	struct dbg_error *err;
	struct dbg_value *list = NULL;
	size_t n = 0;

	if (h->kind == HANDLE_REGISTERS)
		return dbg_err(DBG_E_UNSUPPORTED, "registers cannot be set");
	if (h->kind == HANDLE_LAZY)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "this property has no variables of its own; set "
			       "it in the object that has it");
	if (h->kind == HANDLE_SCOPE)
		err = dbg_scope_list(at, h->id, (enum dbg_scope)h->aux, &list,
				     &n);
	else if (*name == '[')
		err = find_element(at, h, name, &list, &n);
	else
		err = dbg_children(at, h->id, DBG_CHILDREN_NAMED, 0, 0, &list,
				   &n);
	if (err)
		return err;
	*ret = named(list, n, name);
	// the key of an entry may look like an index
	if (!*ret && *name == '[') {
		err = dbg_children(at, h->id, DBG_CHILDREN_INDEXED, 0,
				   COUNT_MAX, &list, &n);
		*ret = err ? NULL : named(list, n, name);
		dbg_error_destroy(err);
	}
	if (!*ret)
		return dbg_err(DBG_E_NOT_FOUND, "there is no variable '%s'",
			       name);
	if (!(*ret)->path)
		return dbg_err(DBG_E_UNSUPPORTED, "'%s' cannot be set", name);
	return NULL;
}

static struct dbg_error *do_set_variable(struct dap *d, struct dbg_stopped at,
					 struct request *req)
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
		err = variable_find(at, &h, name, &v);
	return err ? err : variable_assign(d, at, req, h.frame, v->path);
}

const struct dap_request req_variable[] = {
    {"variables", NULL, 0, .stopped = do_variables},
    {"setVariable", "supportsSetVariable", REQ_BY_HAND,
     .stopped = do_set_variable},
    {0},
};

/* ---- The evaluation that goes on, from its request to the answer --------- */

void pending_deinit(struct pending *p)
{
	free(p->command);
	free(p->name);
	free(p->expr);
	*p = (struct pending){0};
}

struct dbg_error *pending_begin(struct dap *d, struct dbg_stopped at,
				struct request *req,
				const struct pending_request *is)
{
	struct pending *p = &d->pending;
	struct dbg_error *err = dbg_eval_begin(at, &is->eval);

	if (err)
		return err;
	pending_deinit(p);
	*p = (struct pending){
	    .active = true,
	    .request = *req,
	    .command = xstrdup(req->command),
	    .name = xstrdup(is->name ? is->name : ""),
	    .expr = xstrdup(is->eval.expr),
	    .is = *is,
	};
	p->request.command = p->command;
	req->deferred = true;
	return NULL;
}

struct dbg_error *pending_cancel(struct dap *d, int64_t seq)
{
	bool is_this = d->pending.active && seq == d->pending.request.seq;

	return is_this ? dbg_eval_cancel(d->dbg) : NULL;
}

// The client shows the error in the place of a value: mark it as an error.
static struct dbg_error *as_value(const struct dap *d, const struct pending *p,
				  struct dbg_error *err)
{
	unsigned int number = err->cs;

	if (d->options->netcoredbg)
		return netcoredbg_error(err, "error", p->expr);
	if (!number)
		return dbg_err_prefix(err, "error");
	err->cs = 0;
	return dbg_err_prefix(err, "error CS%04u", number);
}

static void add_answer(struct dap *d, const struct pending *p,
		       const struct dbg_value *v)
{
	struct str *t = p->request.body;

	if (p->is.empty)
		return;
	if (p->is.key) {
		variable_add_value(d, t, p->is.key, v, &p->is.style);
		return;
	}
	emit_array(t, "variables");
	emit_object(t, NULL);
	emit_str(t, "name", p->name);
	variable_add_value(d, t, "value", v, &p->is.style);
	emit_str(t, "evaluateName", v->path);
	emit_object_end(t);
	emit_array_end(t);
}

void pending_over(struct dap *d)
{
	_cleanup_str_ struct str body = {0};
	struct pending p = d->pending;
	struct dbg_value v;
	bool shown = dbg_state(d->dbg) == DBG_STOPPED;

	if (!p.active)
		return;
	d->pending = (struct pending){0};
	p.request.body = &body;
	struct dbg_error *err = dbg_eval_result(d->dbg, &v);
	if (!err)
		add_answer(d, &p, &v);
	else if (!p.is.plain)
		err = as_value(d, &p, err);
	bool written = !err && p.is.changes;
	// an evaluation that threw may have changed something as well
	bool changed =
	    written || (err && err->code == DBG_E_STATE && p.is.changes);
	dap_answer(d, &p.request, err);
	// an update changes the stacks and the sources as well
	if (shown && changed)
		invalidate(d, p.is.empty ? "all" : "variables");
	if (shown && written)
		variable_written(d, &v);
	pending_deinit(&p);
}

/* ---- Threads and their stacks -------------------------------------------- */

/*
 * `threads`, `stackTrace` and `scopes`. Frames are walked no further than
 * asked, in pieces with a look at the client's `cancel` between.
 */

enum {
	LEVELS_MAX = 100000
};

// Add a thread. The main thread may have no name yet: it is listed before the
// first stop, when nothing is known about it.
static void add_thread(struct str *t, uint32_t number, const char *name)
{
	emit_object(t, NULL);
	emit_int(t, "id", number);
	if (name)
		emit_str(t, "name", name);
	else
		emit_str(t, "name", "Main Thread");
	emit_object_end(t);
}

static bool has_managed(const struct dbg_thread *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].managed)
			return true;
	return false;
}

/*
 * List the threads and, behind them, one that stands for all suspended calls,
 * if there may be some. These are looked for when its stack is asked for, which
 * a client does when the user opens it.
 */
static struct dbg_error *do_threads(struct dap *d, struct request *req)
{
	struct str *t = req->body;
	struct dbg_stopped at;
	struct dbg_thread *list;
	size_t n;

	if (dbg_err_drop(dbg_stopped(d->dbg, &at))) {
		// names are in the program, which runs: those seen before
		emit_array(t, "threads");
		for (size_t i = 0; i < d->n_threads; i++)
			add_thread(t, d->threads[i].number, d->threads[i].name);
		emit_array_end(t);
		return NULL;
	}
	struct dbg_error *err = dbg_thread_list(at, &list, &n);
	if (err)
		return err;
	emit_array(t, "threads");
	for (size_t i = 0; i < n; i++)
		add_thread(t, list[i].number, events_thread_seen(d, &list[i]));
	if (has_managed(list, n) && dbg_suspended_any(at))
		add_thread(t, DBG_THREAD_SUSPENDED, "Suspended async calls");
	emit_array_end(t);
	return NULL;
}

/* ---- Frames ---------------------------------------------------------- */

struct frame_format {
	bool parameters, types, names, values, line, module;
	struct value_style style;
};

static struct dbg_error *get_format(const cJSON *args, struct frame_format *f)
{
	const cJSON *format = NULL;
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
	    {"parameters", &f->parameters},
	    {"parameterTypes", &f->types},
	    {"parameterNames", &f->names},
	    {"parameterValues", &f->values},
	    {"line", &f->line},
	    {"module", &f->module},
	};
	struct dbg_error *err = args_object(args, "format", &format);

	*f = (struct frame_format){.parameters = !format, .types = !format};
	for (size_t i = 0; !err && i < sizeof(flags) / sizeof(*flags); i++)
		err = args_bool(format, flags[i].name, flags[i].flag);
	if (!err)
		err = variable_style(args, &f->style);
	// parameters as such are shown by their types
	f->types = f->types || (f->parameters && !f->names && !f->values);
	return err;
}

static void add_parameter(struct dap *d, struct str *name,
			  const struct dbg_value *v,
			  const struct frame_format *f)
{
	bool before = f->types || f->names;

	str_add(name, f->types ? v->type : "");
	str_add(name, f->types && f->names ? " " : "");
	str_add(name, f->names ? v->name : "");
	if (f->values)
		str_addf(name, "%s%s", before ? " = " : "",
			 variable_text(d, v, &f->style));
}

// "(int i = 5)", as much of it as is wanted.
static void add_parameters(struct dap *d, struct dbg_stopped at,
			   struct str *name, dbg_id frame,
			   struct frame_format f)
{
	const char *between = "";
	struct dbg_value *list;
	size_t n;

	f.style.frame = frame;
	struct dbg_error *err =
	    dbg_scope_list(at, frame, DBG_SCOPE_ARGS, &list, &n);
	str_addc(name, '(');
	for (size_t i = 0; !err && i < n; i++) {
		if (!strcmp(list[i].name, "this"))
			continue;
		str_add(name, between);
		add_parameter(d, name, &list[i], &f);
		between = ", ";
	}
	str_addc(name, ')');
	dbg_error_destroy(err);
}

static void add_name(struct dap *d, struct dbg_stopped at, struct str *t,
		     const struct dbg_frame *f,
		     const struct frame_format *format)
{
	_cleanup_str_ struct str name = {0};
	// the engine's names have the types
	bool own = format->names || format->values || !format->types;

	if (f->kind == DBG_FRAME_ASYNC)
		str_add(&name, "[async] ");
	if (f->kind == DBG_FRAME_THROWN)
		str_add(&name, "[thrown] ");
	if (format->module && f->module)
		str_addf(&name, "%s!", f->module);
	str_add(&name, own ? f->name : f->function);
	if (own && f->params && format->parameters)
		add_parameters(d, at, &name, f->id, *format);
	if (f->replaced)
		str_add(&name, " (before the edit)");
	if (format->line && f->source.path)
		str_addf(&name, " Line %u", f->source.line);
	emit_str(t, "name", str_get(&name));
}

static void add_place(struct dap *d, struct str *t, const struct dbg_frame *f)
{
	const struct dbg_source_range *s = &f->source;

	emit_int(t, "line", s->path ? body_line(d, s->line) : 0);
	emit_int(t, "column",
		 s->path && s->column ? body_column(d, s->column) : 0);
	if (!s->path)
		return;
	body_frame_source(d, t, f);
	if (s->end_line)
		emit_int(t, "endLine", body_line(d, s->end_line));
	if (s->end_column)
		emit_int(t, "endColumn", body_column(d, s->end_column));
}

static void add_frame(struct dap *d, struct dbg_stopped at, struct str *t,
		      uint32_t thread, const struct dbg_frame *f,
		      const struct frame_format *format)
{
	struct handle h = {HANDLE_FRAME, f->id, f->level, thread};

	emit_object(t, NULL);
	emit_int(t, "id", handles_add(&d->frames, &h));
	add_name(d, at, t, f, format);
	add_place(d, t, f);
	if (f->pc)
		emit_addr(t, "instructionPointerReference", f->pc);
	emit_str(t, "moduleId", f->module);
	// clients fold what has no source of the user's
	if (f->kind == DBG_FRAME_RUNTIME || f->kind == DBG_FRAME_EXTERNAL ||
	    f->kind == DBG_FRAME_CALLED || f->kind == DBG_FRAME_CHAIN)
		emit_str(t, "presentationHint", "label");
	else if (!f->source.path)
		emit_str(t, "presentationHint", "subtle");
	emit_object_end(t);
}

struct frame_range {
	uint32_t thread, first, levels;
};

static struct dbg_error *add_piece(struct dap *d, struct dbg_stopped at,
				   struct str *t, const struct frame_range *r,
				   const struct frame_format *format,
				   size_t *ret_n)
{
	uint32_t count = r->levels < WORK_PIECE ? r->levels : WORK_PIECE;
	struct dbg_frame *list;

	struct dbg_error *err =
	    dbg_frame_list(at, r->thread, r->first, count, &list, ret_n);
	for (size_t i = 0; !err && i < *ret_n; i++)
		add_frame(d, at, t, r->thread, &list[i], format);
	return err;
}

static struct dbg_error *add_frames(struct dap *d, struct dbg_stopped at,
				    struct request *req, struct frame_range r,
				    const struct frame_format *format)
{
	struct dbg_error *err;
	struct work work = {.title = "Reading the stack", .unit = "frames"};
	bool more;

	emit_array(req->body, "stackFrames");
	do {
		size_t n = 0;
		err = add_piece(d, at, req->body, &r, format, &n);
		work.done += n;
		r.first += (uint32_t)n;
		r.levels -= (uint32_t)n;
		more = !err && n == WORK_PIECE && r.levels;
		if (more)
			err = work_piece(d, req, &work);
	} while (more && !err);
	work_end(d, req, &work);
	emit_array_end(req->body);
	// The stack was walked no further than asked: is there one more?
	struct dbg_frame *beyond;
	size_t n_beyond = 0;
	if (!err && !r.levels)
		err = dbg_frame_list(at, r.thread, r.first, 1, &beyond,
				     &n_beyond);
	emit_int(req->body, "totalFrames", (int64_t)(r.first + n_beyond));
	return err;
}

// Get the made-up thread of suspended calls. They are found once in a stop: a
// client asks for one part after the other.
static struct dbg_error *suspended_thread(struct dap *d, struct dbg_stopped at,
					  uint32_t *ret)
{
	struct dbg_frame *list;
	size_t n;

	*ret = d->suspended;
	// a call that was made since has ended what it stands for
	if (*ret && !dbg_err_drop(dbg_frame_list(at, *ret, 0, 1, &list, &n)))
		return NULL;
	struct dbg_error *err = dbg_suspended_all(at, ret);
	d->suspended = err ? 0 : *ret;
	return err;
}

static struct dbg_error *do_stack_trace(struct dap *d, struct dbg_stopped at,
					struct request *req)
{
	struct dbg_error *err;
	struct frame_format format;
	uint32_t thread = 0, first = 0, levels = 0;

	err = args_need(req->args, "threadId");
	if (!err)
		err = args_u32(req->args, "threadId", &thread);
	if (!err)
		err = args_u32(req->args, "startFrame", &first);
	if (!err)
		err = args_u32(req->args, "levels", &levels);
	if (!err)
		err = get_format(req->args, &format);
	if (!err && !thread)
		err = dbg_err(DBG_E_NOT_FOUND, "there is no thread 0");
	if (err)
		return err;
	if (!levels || levels > LEVELS_MAX)
		levels = LEVELS_MAX;
	if (thread == DBG_THREAD_SUSPENDED)
		err = suspended_thread(d, at, &thread);
	if (err)
		return err;
	struct frame_range r = {thread, first, levels};
	return add_frames(d, at, req, r, &format);
}

/* ---- Scopes ---------------------------------------------------------- */

struct scope {
	const char *name, *hint;
	enum handle_kind kind;
	enum dbg_scope scope;
	bool expensive;
};

static const struct scope scopes[] = {
    {"Locals", "locals", HANDLE_SCOPE, DBG_SCOPE_ALL, false},
    {"Statics", NULL, HANDLE_SCOPE, DBG_SCOPE_STATICS, true},
    {"Registers", "registers", HANDLE_REGISTERS, 0, true},
};

static struct dbg_error *do_scopes(struct dap *d, struct dbg_stopped at,
				   struct request *req)
{
	struct str *t = req->body;
	struct handle frame;
	uint32_t id = 0;

	(void)at;
	struct dbg_error *err = args_need(req->args, "frameId");
	if (!err)
		err = args_u32(req->args, "frameId", &id);
	if (!err)
		err = handles_find(&d->frames, id, "frame", &frame);
	if (err)
		return err;
	emit_array(t, "scopes");
	for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++) {
		struct handle h = {scopes[i].kind, frame.id, scopes[i].scope,
				   frame.id};
		emit_object(t, NULL);
		emit_str(t, "name", scopes[i].name);
		emit_str(t, "presentationHint", scopes[i].hint);
		emit_int(t, "variablesReference", handles_add(&d->values, &h));
		emit_bool(t, "expensive", scopes[i].expensive);
		emit_object_end(t);
	}
	emit_array_end(t);
	return NULL;
}

const struct dap_request req_stack[] = {
    {"threads", NULL, REQ_URGENT, .run = do_threads},
    {"stackTrace", "supportsDelayedStackTraceLoading", 0,
     .stopped = do_stack_trace},
    {"scopes", NULL, 0, .stopped = do_scopes},
    {0},
};
