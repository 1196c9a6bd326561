/*
 * Values of the API: ids, and the view of them.
 *
 * A value's id is the stop's number and its place in the table of nodes that
 * were handed out in this stop; nodes live in the stop's arena. Scopes are
 * made once per frame and stop.
 */
#include "session/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/eval.h"
#include "view/view.h"

struct frame_scope {
	const struct frame *frame;
	struct scope *scope;
};

struct values {
	struct dbg *dbg;
	struct types *types; /* NULL: no runtime */
	struct node *nodes;  /* handed out in this stop */
	size_t n_nodes, cap_nodes;
	struct frame_scope *scopes;
	size_t n_scopes, cap_scopes;
	struct history *history;
	struct value last; /* shown by an API call; no type: none */
};

/* ---- Life ------------------------------------------------------------ */

struct values *values_create(struct dbg *dbg)
{
	struct values *v = xcalloc(1, sizeof(*v));
	v->dbg = dbg;
	v->history = history_create();
	return v;
}

void values_destroy(struct values *v)
{
	if (!v)
		return;
	types_destroy(v->types);
	history_destroy(v->history);
	free(v->nodes);
	free(v->scopes);
	free(v);
}

void values_runtime(struct values *v)
{
	types_destroy(v->types);
	v->types = NULL;
	values_reset(v);
	if (v->dbg->dac)
		v->types =
		    types_create(v->dbg->target, v->dbg->dac, v->dbg->code);
	if (v->dbg->stack)
		stack_set_types(v->dbg->stack, v->types);
}

void values_reset(struct values *v)
{
	v->n_nodes = 0;
	v->n_scopes = 0;
	v->last = value_absent(NULL, WHY_NONE, 0);
	history_stop(v->history);
	if (v->types)
		types_stop(v->types);
}

/* ---- Ids ------------------------------------------------------------- */

/* An id's lower half is the node's number from 1; frames set its top bit. */
static dbg_id hand_out(struct values *v, const struct node *node)
{
	mem_grow(&v->nodes, &v->cap_nodes, v->n_nodes, sizeof(v->nodes[0]));
	v->nodes[v->n_nodes++] = *node;
	return (dbg_id)v->dbg->stop_number << 32 | v->n_nodes;
}

static struct dbg_error *find_node(struct values *v, dbg_id id,
				   const struct node **ret)
{
	uint32_t index = (uint32_t)id;
	if (id >> 32 != v->dbg->stop_number)
		return dbg_err(DBG_E_STALE,
			       "the program has run since this value was seen");
	if (index == 0 || index > v->n_nodes)
		return dbg_err(DBG_E_ARGUMENT, "no value has this id");
	*ret = &v->nodes[index - 1];
	return NULL;
}

/* ---- What the rooms below want --------------------------------------- */

static uint64_t find_thread(struct thread_ref *ref)
{
	return stack_managed_thread(ref->arg, ref->tid);
}

static struct dbg_error *scope_of(struct values *v, const struct frame *frame,
				  struct scope **ret)
{
	struct dbg *dbg = v->dbg;
	for (size_t i = 0; i < v->n_scopes; i++) {
		if (v->scopes[i].frame == frame) {
			*ret = v->scopes[i].scope;
			return NULL;
		}
	}
	struct thread_ref *thread = NULL;
	if (frame) {
		thread = arena_alloc(dbg->stop_arena, sizeof(*thread));
		thread->find = find_thread;
		thread->arg = dbg->stack;
		thread->tid = frame->tid;
	}
	struct dbg_error *err =
	    scope_get(v->types, frame, thread, dbg->stop_arena, ret);
	if (err)
		return err;
	mem_grow(&v->scopes, &v->cap_scopes, v->n_scopes, sizeof(v->scopes[0]));
	v->scopes[v->n_scopes].frame = frame;
	v->scopes[v->n_scopes++].scope = *ret;
	return NULL;
}

static struct view make_view(const struct values *v, struct thread_ref *thread)
{
	struct view w = {.types = v->types, .arena = v->dbg->stop_arena};
	w.thread = thread;
	w.elements = v->dbg->elements;
	return w;
}

static struct dbg_error *make_eval(struct values *v, const struct frame *frame,
				   struct eval *ret)
{
	struct scope *scope;
	struct dbg_error *err = scope_of(v, frame, &scope);
	if (err)
		return err;
	memset(ret, 0, sizeof(*ret));
	ret->types = v->types;
	ret->scope = scope;
	ret->arena = v->dbg->stop_arena;
	ret->exception = v->dbg->stop.exception;
	ret->history = v->history;
	ret->stack = v->dbg->stack;
	return NULL;
}

/* Frame and evaluator of an API call. */
static struct dbg_error *begin(struct dbg *dbg, dbg_id frame, struct eval *ret)
{
	const struct frame *f;
	struct dbg_error *err = session_need_runtime(dbg);
	if (!err && !dbg->values->types)
		err = dbg_err(DBG_E_STATE, "the runtime is not usable");
	if (!err)
		err = session_frame_or_newest(dbg, frame, &f);
	return err ? err : make_eval(dbg->values, f, ret);
}

static struct dbg_value describe(struct values *v, const struct view *w,
				 const struct node *node)
{
	struct dbg_value value;
	view_describe(w, node, &value);
	if (value.n_named || value.n_indexed) {
		value.id = hand_out(v, node);
		v->nodes[v->n_nodes - 1].thread = w->thread;
	}
	return value;
}

static void describe_all(struct values *v, const struct view *w,
			 const struct node *nodes, size_t n,
			 struct dbg_value **ret)
{
	struct dbg_value *list = arena_calloc(w->arena, n + 1, sizeof(list[0]));
	for (size_t i = 0; i < n; i++)
		list[i] = describe(v, w, &nodes[i]);
	*ret = list;
}

/* ---- The API --------------------------------------------------------- */

struct dbg_error *dbg_scope_list(struct dbg *dbg, dbg_id frame,
				 enum dbg_scope scope, struct dbg_value **ret,
				 size_t *ret_n)
{
	struct eval e;
	struct dbg_error *err = begin(dbg, frame, &e);
	if (err)
		return err;
	struct view w = make_view(dbg->values, e.scope->thread);
	struct node *nodes = NULL;
	size_t n = 0;
	if (scope != DBG_SCOPE_STATICS)
		view_scope(&w, e.scope, scope == DBG_SCOPE_ARGS, &nodes, &n);
	else if (e.scope->type)
		view_statics(&w, e.scope->type, &nodes, &n);
	describe_all(dbg->values, &w, nodes, n, ret);
	*ret_n = n;
	return NULL;
}

struct dbg_error *dbg_children(struct dbg *dbg, dbg_id value,
			       enum dbg_children kind, uint64_t first,
			       uint32_t count, struct dbg_value **ret,
			       size_t *ret_n)
{
	const struct node *found = NULL;
	struct dbg_error *err = session_need_runtime(dbg);
	if (!err)
		err = find_node(dbg->values, value, &found);
	if (err)
		return err;
	// Handing out more moves the table.
	struct node node = *found, *nodes;
	struct view w = make_view(dbg->values, node.thread);
	size_t n;
	view_children(&w, &node, kind, first, count, &nodes, &n);
	describe_all(dbg->values, &w, nodes, n, ret);
	*ret_n = n;
	return NULL;
}

struct dbg_error *dbg_value_code(struct dbg *dbg, dbg_id value,
				 struct dbg_location *ret)
{
	const struct node *node = NULL;
	struct dac_method method;
	struct dbg_error *err = session_need_runtime(dbg);
	if (!err)
		err = find_node(dbg->values, value, &node);
	if (err)
		return err;
	struct types *types = dbg->values->types;
	struct value v = value_settle(types, &node->value);
	uint64_t md = 0;
	if (node->kind == NODE_VALUE && v.where != VALUE_ABSENT &&
	    type_is_delegate(types, v.type))
		md = value_delegate_method(types, &v);
	if (!md)
		return dbg_err(DBG_E_NOT_FOUND, "'%s' leads to no one method",
			       node->name);
	err = dac_method_get(dbg->dac, md, &method);
	if (err)
		return err;
	memset(ret, 0, sizeof(*ret));
	struct code *c = dbg->code;
	struct arena *arena = dbg->stop_arena;
	ret->function = code_method_name(c, md, true, arena);
	struct code_module *m = code_module_find(c, method.module);
	if (!m || method.dynamic)
		return NULL;
	uint32_t body = code_move_next(c, m, method.token);
	struct code_place place;
	code_entry(c, m, body ? body : method.token, &place);
	ret->module = m->name;
	ret->line = place.line;
	if (place.line)
		ret->file = code_place_path(c, &place, arena);
	return NULL;
}

struct dbg_error *dbg_eval(struct dbg *dbg, dbg_id frame, const char *expr,
			   struct dbg_value *ret)
{
	struct eval e;
	struct node node = {.kind = NODE_VALUE};
	struct dbg_error *err = begin(dbg, frame, &e);
	if (err)
		return err;
	struct view w = make_view(dbg->values, e.scope->thread);
	node.name = arena_strdup(w.arena, expr);
	node.path = node.name;
	err = eval_value(&e, expr, &node.value);
	if (err)
		return err;
	dbg->values->last = node.value;
	*ret = describe(dbg->values, &w, &node);
	return NULL;
}

struct dbg_error *dbg_assign(struct dbg *dbg, dbg_id frame, const char *target,
			     const char *value, struct dbg_value *ret)
{
	struct eval e;
	struct node node = {.kind = NODE_VALUE};
	bool assigned = true;
	struct dbg_error *err = begin(dbg, frame, &e);
	if (err)
		return err;
	if (value)
		err = eval_assign(&e, target, value, &node.value);
	else
		err = eval_statement(&e, target, &node.value, &assigned);
	// A scope knows what was in its closures before.
	if (assigned)
		dbg->values->n_scopes = 0;
	if (err)
		return err;
	if (assigned && node.value.where == VALUE_MEMORY)
		control_written(dbg->control, node.value.addr,
				node.value.type->size);
	struct view w = make_view(dbg->values, e.scope->thread);
	node.name = arena_strdup(w.arena, target);
	node.path = node.name;
	dbg->values->last = node.value;
	*ret = describe(dbg->values, &w, &node);
	return NULL;
}

struct dbg_error *dbg_format(struct dbg *dbg, dbg_id frame, const char *expr,
			     char letter, const char **ret)
{
	struct eval e;
	struct value value;
	struct dbg_error *err = begin(dbg, frame, &e);
	if (!err)
		err = eval_value(&e, expr, &value);
	if (err)
		return err;
	struct view w = make_view(dbg->values, e.scope->thread);
	_cleanup_str_ struct str text = {0};
	err = view_format(&w, &value, letter, &text);
	if (err)
		return err;
	dbg->values->last = value;
	*ret = arena_strdup(w.arena, str_get(&text));
	return NULL;
}

uint32_t dbg_keep(struct dbg *dbg)
{
	struct values *v = dbg->values;
	return v->types ? history_add(v->history, v->types, &v->last) : 0;
}

struct dbg_error *dbg_type_describe(struct dbg *dbg, dbg_id frame,
				    const char *expr, const char **ret)
{
	struct eval e;
	struct value value;
	struct dbg_error *err = begin(dbg, frame, &e);
	if (err)
		return err;
	struct view w = make_view(dbg->values, e.scope->thread);
	struct type *type = NULL;
	err = eval_value(&e, expr, &value);
	if (err) {
		type = eval_type(&e, expr);
		if (!type)
			return err;
		dbg_error_destroy(err);
	} else {
		value = value_settle(e.types, &value);
		type = value.type;
	}
	if (!type)
		return dbg_err(DBG_E_NOT_FOUND, "'%s' has no type", expr);
	_cleanup_str_ struct str text = {0};
	view_declare(&w, type, &text);
	*ret = arena_strdup(w.arena, str_get(&text));
	return NULL;
}

struct dbg_error *values_evaluator(struct values *v, const struct frame *frame,
				   struct eval *ret_eval, struct view *ret_view)
{
	struct dbg_error *err;
	if (!v->types)
		return dbg_err(DBG_E_STATE, "the runtime is not usable");
	err = make_eval(v, frame, ret_eval);
	if (!err)
		*ret_view = make_view(v, ret_eval->scope->thread);
	return err;
}

void values_object_text(struct values *v, uint64_t addr, struct str *out)
{
	struct view w = make_view(v, NULL);
	struct value value = value_object(v->types, addr);
	if (addr)
		view_text(&w, &value, out);
	else
		str_add(out, "null");
}

/* ---- Modules ---------------------------------------------------------- */

const char *values_context(struct values *v, uint64_t module,
			   struct arena *arena)
{
	uint16_t units[128];
	uint32_t n;
	if (!v->types || v->dbg->state != DBG_STOPPED)
		return NULL;
	uint64_t addr = dac_module_context(v->dbg->dac, module);
	struct value at = addr ? value_object(v->types, addr)
			       : value_absent(NULL, WHY_NONE, 0);
	const struct field *f = at.where == VALUE_ABSENT
				    ? NULL
				    : type_field(v->types, at.type, "_name");
	if (!f)
		return NULL;
	at = value_field(v->types, &at, f);
	if (value_is_null(v->types, &at) ||
	    !value_string_length(v->types, &at, &n))
		return NULL;
	if (n > sizeof(units) / sizeof(units[0]))
		n = sizeof(units) / sizeof(units[0]);
	_cleanup_str_ struct str text = {0};
	if (!value_string_read(v->types, &at, 0, units, n))
		return NULL;
	str_add_utf16(&text, units, n);
	return arena_strdup(arena, str_get(&text));
}

/* ---- Conditions ------------------------------------------------------ */

struct dbg_error *values_check(const char *expr)
{
	return eval_check(expr);
}

struct dbg_error *values_condition(struct values *v, uint32_t thread,
				   const char *expr, bool *ret)
{
	const struct frame *frame;
	struct eval e;
	if (!v->types)
		return dbg_err(DBG_E_STATE, "the runtime is not usable");
	struct dbg_error *err = stack_frame(v->dbg->stack, thread, 0, &frame);
	if (!err)
		err = make_eval(v, frame, &e);
	return err ? err : eval_condition(&e, expr, ret);
}

struct dbg_error *values_text(struct values *v, uint32_t thread,
			      const char *expr, const char **ret)
{
	const struct frame *frame;
	struct eval e;
	struct node node = {.kind = NODE_VALUE};

	if (!v->types)
		return dbg_err(DBG_E_STATE, "the runtime is not usable");
	struct dbg_error *err = stack_frame(v->dbg->stack, thread, 0, &frame);
	if (!err)
		err = make_eval(v, frame, &e);
	if (!err)
		err = eval_value(&e, expr, &node.value);
	if (err)
		return err;
	struct view w = make_view(v, e.scope->thread);
	*ret = describe(v, &w, &node).text;
	return NULL;
}
