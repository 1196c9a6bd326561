/*
 * Scopes, values and expressions of dbg.h. Each call finds the frame, makes an
 * evaluator for it and hands out ids of what results; see
 * inspect/inspectvalue.c.
 */
#include "eval/evalcall.h"
#include "session/evaluate/expression.h"
#include "session/evaluate/members.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* Get the evaluator for a frame, as each API call needs it. */
static struct dbg_error *eval_begin_at(struct dbg_stopped at, dbg_id frame,
				       struct eval *ret)
{
	struct dbg *dbg = at.dbg;
	const struct frame *f;
	struct dbg_error *err = session_need_runtime(at);

	if (!err)
		err = session_frame_if_any(at, frame, &f);
	return err ? err : inspect_eval(&dbg->inspect, f, ret);
}

static dbg_id frame_id(struct dbg *dbg, const struct eval *e)
{
	const struct frame *f = e->scope->frame;
	return f ? inspect_frame_id(&dbg->inspect, f) : 0;
}

struct dbg_error *dbg_scope_list(struct dbg_stopped at, dbg_id frame,
				 enum dbg_scope scope, struct dbg_value **ret,
				 size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct eval e;
	struct dbg_error *err = eval_begin_at(at, frame, &e);
	if (err)
		return err;
	struct view w = inspect_view(&dbg->inspect, e.scope->thread);
	struct inspect_list list = {.way = {.kind = WAY_SCOPE,
					    .from = frame_id(dbg, &e),
					    .which = scope}};
	inspect_scope_nodes(&w, &e, scope, &list.nodes, &list.n);
	inspect_describe_all(&dbg->inspect, &w, &list, ret);
	*ret_n = list.n;
	return NULL;
}

struct dbg_error *dbg_children(struct dbg_stopped at, dbg_id value,
			       enum dbg_children kind, uint64_t first,
			       uint32_t count, struct dbg_value **ret,
			       size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	const struct node *found = NULL;
	struct dbg_error *err = session_need_runtime(at);
	if (!err)
		err = inspect_node(&dbg->inspect, value, &found);
	if (err)
		return err;
	// Handing out more moves the table.
	struct node node = *found;
	struct view w = inspect_view(&dbg->inspect, node.thread);
	struct inspect_list list = {
	    .way = {
		.kind = WAY_CHILD, .from = value, .which = kind, .at = first}};
	view_children(&w, &node, kind, first, count, &list.nodes, &list.n);
	inspect_describe_all(&dbg->inspect, &w, &list, ret);
	*ret_n = list.n;
	return NULL;
}

struct dbg_error *dbg_value_code(struct dbg_stopped at, dbg_id value,
				 struct dbg_location *ret)
{
	struct dbg *dbg = at.dbg;
	const struct node *node = NULL;
	struct dac_method method;
	struct dbg_error *err = session_need_runtime(at);
	if (!err)
		err = inspect_node(&dbg->inspect, value, &node);
	if (err)
		return err;
	struct values *values = dbg->inspect.values;
	struct value v = value_dereference(values, &node->value);
	uint64_t md = 0;
	if (node->kind == NODE_VALUE && v.where != VALUE_ABSENT &&
	    v.type->is_delegate)
		md = value_delegate_method(values, &v);
	if (!md)
		return dbg_err(DBG_E_NOT_FOUND, "'%s' leads to no one method",
			       node->name);
	err = dac_method_get(dbg->inspect.dac, md, &method);
	if (err)
		return err;
	memset(ret, 0, sizeof(*ret));
	struct code *c = dbg->inspect.code;
	struct arena *arena = dbg->inspect.arena;
	struct code_name name;
	code_method_names(c, md, arena, &name);
	ret->function = name.full;
	ret->name = name.plain;
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

/* A call that returns nothing. */
static void say_void(const struct node *node, struct dbg_value *ret)
{
	if (node->value.where == VALUE_ABSENT && !node->value.type)
		*ret = (struct dbg_value){.name = node->name,
					  .kind = DBG_VALUE_ABSENT,
					  .type = "void",
					  .text = "void"};
}

/*
 * Get a value of the type that @expr has: itself, or absent if it cannot be
 * evaluated without running the program.
 */
static struct dbg_error *typed(const struct eval *e, const char *expr,
			       struct value *ret)
{
	struct dbg_error *err = eval_value(e, expr, ret);

	if (!err || err->code != DBG_E_UNSUPPORTED ||
	    dbg_err_drop(eval_value_type(e, expr, ret)))
		return err;
	dbg_error_destroy(err);
	return NULL;
}

/* Evaluate or assign; *ret_place is what was written; no type: nothing. */
static struct dbg_error *carry_out(struct dbg *dbg, const struct eval *e,
				   const struct session_expression *x,
				   struct node *ret, struct value *ret_place)
{
	struct inspect *in = &dbg->inspect;
	bool assigned = x->value;
	const char *expr = inspect_without_form(in, x->expr, ret);
	struct dbg_error *err;

	if (x->value)
		err = eval_assign(e, expr, x->value, &ret->value);
	else if (x->assigns)
		err =
		    eval_statement(e, expr, &ret->value, ret_place, &assigned);
	else if (x->typed)
		err = typed(e, expr, &ret->value);
	else
		err = eval_value(e, expr, &ret->value);
	if (x->value)
		*ret_place = ret->value;
	if (assigned)
		inspect_assigned(in);
	if (!err && e->calls && e->calls->n_used < e->calls->n_answers)
		err = evalcall_changed();
	return err;
}

struct dbg_error *session_evaluate(struct dbg *dbg, const struct eval *e,
				   const struct session_expression *x,
				   struct dbg_value *ret)
{
	struct node node;
	struct value place = {0}, thrown = {0};
	struct eval own = *e;
	own.thrown = x->exceptions ? &thrown : NULL;
	struct dbg_error *err = carry_out(dbg, &own, x, &node, &place);
	bool threw = err && thrown.type;
	if (err && !threw)
		return err;
	dbg_error_destroy(err);
	if (threw)
		node.value = thrown;
	if (place.type && place.where == VALUE_MEMORY)
		control_written(dbg->control, place.addr,
				type_size(place.type));
	// carried out again it would assign again, or call
	bool again = !threw && (!place.type || x->value) &&
		     !(e->calls && e->calls->n_answers);
	const struct inspect_way way = {.kind = again ? WAY_EXPRESSION
						      : WAY_FOLLOWED,
					.from = frame_id(dbg, e),
					.name = x->expr};
	struct view w = inspect_view(&dbg->inspect, e->scope->thread);
	dbg->inspect.last = node.value;
	view_enumerate(&w, &node);
	*ret = inspect_describe(&dbg->inspect, &w, &node, &way);
	say_void(&node, ret);
	if (threw)
		ret->text = arena_printf(w.arena, "{%s}", ret->type);
	return NULL;
}

struct dbg_error *session_evaluate_at(struct dbg_stopped at, dbg_id frame,
				      const struct session_expression *x,
				      struct dbg_value *ret)
{
	struct eval e;
	struct dbg_error *err = eval_begin_at(at, frame, &e);
	return err ? err : session_evaluate(at.dbg, &e, x, ret);
}

struct dbg_error *dbg_eval(struct dbg_stopped at, dbg_id frame,
			   const char *expr, struct dbg_value *ret)
{
	const struct session_expression x = {.expr = expr};
	return session_evaluate_at(at, frame, &x, ret);
}

struct dbg_error *dbg_eval_needs(struct dbg_stopped at, dbg_id frame,
				 const char *expr, enum dbg_needs *ret,
				 uint32_t *ret_block)
{
	struct dbg *dbg = at.dbg;
	struct eval e;
	struct node node;
	struct eval_trace trace = {0};
	struct dbg_error *err = eval_begin_at(at, frame, &e);

	if (err)
		return err;
	e.trace = &trace;
	expr = inspect_without_form(&dbg->inspect, expr, &node);
	dbg_error_destroy(eval_bind(&e, expr));
	*ret = trace.unknown    ? DBG_NEEDS_ANOTHER
	       : trace.of_frame ? DBG_NEEDS_FRAME
				: DBG_NEEDS_NOTHING;
	*ret_block = trace.block;
	return NULL;
}

struct dbg_error *dbg_assign(struct dbg_stopped at, dbg_id frame,
			     const char *target, const char *value,
			     struct dbg_value *ret)
{
	const struct session_expression x = {
	    .expr = target, .value = value, .assigns = true};
	return session_evaluate_at(at, frame, &x, ret);
}

bool dbg_is_assignable(struct dbg_stopped at, dbg_id frame, const char *expr)
{
	struct eval e;
	struct node node;
	struct dbg_error *err = eval_begin_at(at, frame, &e);
	if (dbg_err_drop(err))
		return false;
	expr = inspect_without_form(&at.dbg->inspect, expr, &node);
	return eval_is_assignable(&e, expr);
}

static struct dbg_error *format(struct dbg *dbg, const struct eval *e,
				const struct value *v, char letter,
				const char **ret)
{
	struct view w = inspect_view(&dbg->inspect, e->scope->thread);
	_cleanup_str_ struct str text = {0};
	struct dbg_error *err = view_format(&w, v, letter, &text);
	if (!err)
		*ret = arena_strdup(w.arena, str_get(&text));
	return err;
}

struct dbg_error *dbg_format(struct dbg_stopped at, dbg_id frame,
			     const char *expr, char letter, const char **ret)
{
	struct dbg *dbg = at.dbg;
	struct eval e;
	struct node node;
	struct dbg_error *err = eval_begin_at(at, frame, &e);
	if (!err)
		err = inspect_expression(&dbg->inspect, &e, expr, &node);
	if (!err)
		err = format(dbg, &e, &node.value, letter, ret);
	if (!err)
		dbg->inspect.last = node.value;
	return err;
}

struct dbg_error *dbg_format_last(struct dbg_stopped at, char letter,
				  const char **ret)
{
	struct dbg *dbg = at.dbg;
	struct eval e;
	struct dbg_error *err = eval_begin_at(at, 0, &e);
	return err ? err : format(dbg, &e, &dbg->inspect.last, letter, ret);
}

struct dbg_error *dbg_returned(struct dbg_stopped at, struct dbg_value *ret,
			       bool *ret_any)
{
	struct dbg *dbg = at.dbg;
	struct eval e;
	struct node node = {.kind = NODE_VALUE, .path = "$returnvalue"};
	struct inspect *in = &dbg->inspect;
	struct dbg_error *err = session_need_stop(at);

	*ret_any = false;
	if (err || !in->values || !in->returned.method)
		return err;
	err = eval_begin_at(at, 0, &e);
	if (err || !e.returned.type)
		return err;
	struct view w = inspect_view(in, e.scope->thread);
	node.name = arena_printf(
	    w.arena, "%s returned",
	    code_method_name(in->code, in->returned.method, false, w.arena));
	node.value = in->last = e.returned;
	*ret = inspect_describe(in, &w, &node, &(struct inspect_way){0});
	*ret_any = true;
	return NULL;
}

uint32_t dbg_keep(struct dbg_stopped at)
{
	struct inspect *in = &at.dbg->inspect;

	if (dbg_err_drop(session_need_stop(at)))
		return 0;
	return in->values ? history_add(in->history, in->values, &in->last) : 0;
}

uint32_t dbg_kept(const struct dbg *dbg)
{
	return history_last(dbg->inspect.history);
}

void dbg_variable_set(struct dbg *dbg, const char *name, int64_t value)
{
	history_set_number(dbg->inspect.history, name, value);
}

void dbg_variable_list(struct dbg *dbg, struct arena *arena,
		       struct dbg_variable **ret, size_t *ret_n)
{
	struct dbg_variable *list = NULL;
	size_t n = 0, cap = 0;
	struct dbg_variable v;

	while (history_variable_at(dbg->inspect.history, n, &v)) {
		v.name = arena_strdup(arena, v.name);
		mem_grow(&list, &cap, n, sizeof(*list));
		list[n++] = v;
	}
	*ret = arena_copy(arena, list, n, sizeof(*list));
	*ret_n = n;
	free(list);
}

// The type of a value, or that is named: *@ret_named.
static struct dbg_error *type_of(struct eval *e, const char *expr,
				 struct type **ret, bool *ret_named)
{
	struct value value;
	struct dbg_error *err = typed(e, expr, &value);

	*ret_named = err;
	if (err) {
		*ret = eval_type(e, expr);
		if (!*ret)
			return err;
		dbg_error_destroy(err);
	} else {
		value = value_dereference(e->values, &value);
		*ret = value.type;
	}
	if (!*ret)
		return dbg_err(DBG_E_NOT_FOUND, "'%s' has no type", expr);
	return NULL;
}

/* The same in @frame, also returning the view of its thread. */
static struct dbg_error *type_at(struct dbg_stopped at, dbg_id frame,
				 const char *expr, struct view *ret_view,
				 struct type **ret, bool *ret_named)
{
	struct eval e;
	struct dbg_error *err = eval_begin_at(at, frame, &e);
	if (!err)
		err = type_of(&e, expr, ret, ret_named);
	if (!err)
		*ret_view = inspect_view(&at.dbg->inspect, e.scope->thread);
	return err;
}

struct dbg_error *session_members(struct dbg_stopped at, dbg_id frame,
				  const char *expr, bool all,
				  view_member_fn *fn, void *arg)
{
	struct view w;
	struct type *type;
	bool named;
	struct dbg_error *err = type_at(at, frame, expr, &w, &type, &named);
	if (!err)
		view_members(&w, type, named, all, fn, arg);
	return err;
}

struct dbg_error *dbg_type_name(struct dbg_stopped at, dbg_id frame,
				const char *expr, const char **ret)
{
	const struct session_expression x = {.expr = expr, .typed = true};
	struct dbg_value v;
	struct dbg_error *err = session_evaluate_at(at, frame, &x, &v);

	if (!err)
		*ret = v.type;
	return err;
}

struct dbg_error *dbg_type_describe(struct dbg_stopped at, dbg_id frame,
				    const char *expr, const char **ret)
{
	struct view w;
	struct type *type;
	bool named;
	_cleanup_str_ struct str text = {0};
	struct dbg_error *err = type_at(at, frame, expr, &w, &type, &named);
	if (err)
		return err;
	view_declare(&w, type, &text);
	*ret = arena_strdup(w.arena, str_get(&text));
	return NULL;
}
