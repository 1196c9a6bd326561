/*
 * `variables` and `setVariable`: scopes and children of values, named and
 * indexed, in pieces as the client asks for them.
 */
#include <string.h>

#include "base/mem.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"
#include "dap/request/pending.h"
#include "dap/request/variable.h"

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

const char *variable_text(struct dap *d, const struct dbg_value *v,
			  const struct value_style *style)
{
	const char *text = v->text;
	struct dbg_stopped at;

	if (style->letter && v->path && !dbg_err_drop(dbg_stopped(d->dbg, &at)))
		dbg_error_destroy(dbg_format(at, style->frame, v->path,
					     style->letter, &text));
	return text;
}

void variable_add_value(struct dap *d, struct str *t, const char *key,
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
void variable_assigned(struct dap *d)
{
	if (!d->client.invalidated)
		return;
	struct str *t = dap_event(d, "invalidated");
	emit_array(t, "areas");
	emit_str(t, NULL, "variables");
	emit_array_end(t);
	dap_send(d);
}

void variable_written(struct dap *d, const struct dbg_value *v)
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
