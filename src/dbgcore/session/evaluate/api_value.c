/*
 * Scopes, values and expressions of dbg.h. Each call finds the frame, makes an
 * evaluator for it and hands out ids of what results; see
 * inspect/inspectvalue.c.
 */
#include "session/evaluate/evaluation_priv.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/evalcall.h"

/* ---- Scopes, values and expressions of dbg.h ----------------------------- */

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
	if (assigned || (e->calls && e->calls->has_stored))
		inspect_assigned(in);
	if (!err && e->calls && e->calls->n_used < e->calls->n_answers)
		err = evalcall_changed();
	return err;
}

/* Describe the value of an expression. @again: its children evaluate it. */
static void describe(struct dbg *dbg, const struct eval *e, struct node *node,
		     bool again, struct dbg_value *ret)
{
	const struct inspect_way way = {.kind = again ? WAY_EXPRESSION
						      : WAY_FOLLOWED,
					.from = frame_id(dbg, e),
					.name = node->name};
	struct view w = inspect_view(&dbg->inspect, e->scope->thread);

	dbg->inspect.last = node->value;
	view_enumerate(&w, node);
	*ret = inspect_describe(&dbg->inspect, &w, node, &way);
	say_void(node, ret);
}

void session_threw(struct dbg *dbg, const struct eval *e,
		   const struct session_expression *x,
		   const struct value *thrown, struct dbg_value *ret)
{
	struct node node;

	inspect_without_form(&dbg->inspect, x->expr, &node);
	node.value = *thrown;
	describe(dbg, e, &node, false, ret);
	if (x->thrown == DBG_THROWN_NAMED)
		ret->text = arena_printf(dbg->inspect.arena, "{%s}", ret->type);
}

struct dbg_error *session_evaluate(struct dbg *dbg, const struct eval *e,
				   const struct session_expression *x,
				   struct dbg_value *ret)
{
	struct node node;
	struct value place = {0}, thrown = {0};
	struct eval own = *e;
	own.thrown = x->thrown ? &thrown : NULL;
	struct dbg_error *err = carry_out(dbg, &own, x, &node, &place);
	if (err && !thrown.type)
		return err;
	if (place.type && place.where == VALUE_MEMORY)
		control_written(dbg->control, place.addr,
				type_size(place.type));
	if (err) {
		dbg_error_destroy(err);
		session_threw(dbg, e, x, &thrown, ret);
		return NULL;
	}
	// carried out again it would assign again, or call
	bool again =
	    (!place.type || x->value) &&
	    !(e->calls && (e->calls->n_answers || e->calls->has_stored));
	describe(dbg, e, &node, again, ret);
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

/*
 * Call @fn for the members of what @expr means in a frame (0: the newest): of a
 * value, or the static ones of a type. @all: see view_members. They come in no
 * order, one maybe several times.
 */
static struct dbg_error *session_members(struct dbg_stopped at, dbg_id frame,
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

/* ---- Completion of expressions ------------------------------------------- */

/*
 * dbg_complete: the names that begin with what the user has written, of files,
 * types and methods from the metadata, of locals and members from the newest
 * frame.
 */

struct names {
	const char *prefix;
	enum dbg_name_kind kind; /* of those that come */
	struct dbg_name *list;
	size_t n, cap;
	struct arena *arena;
};

enum {
	NAMES_MAX = 100000
};

/* The part behind the next dot outside of brackets, or NULL. */
static const char *next_part(const char *name)
{
	int depth = 0;

	for (; *name; name++) {
		depth += *name == '<' || *name == '(';
		depth -= *name == '>' || *name == ')';
		if (*name == '.' && !depth)
			return name + 1;
	}
	return NULL;
}

static void add_name(struct names *names, const char *text,
		     enum dbg_name_kind kind, const char *detail)
{
	if (names->n >= NAMES_MAX)
		return;
	mem_grow(&names->list, &names->cap, names->n, sizeof(*names->list));
	names->list[names->n++] = (struct dbg_name){
	    .text = text,
	    .kind = kind,
	    .detail = detail ? arena_strdup(names->arena, detail) : NULL,
	};
}

static void take_name(void *arg, const char *name)
{
	struct names *names = arg;

	if (str_starts(name, names->prefix))
		add_name(names, arena_strdup(names->arena, name), names->kind,
			 NULL);
}

/*
 * Add a name by each of its parts, since types and methods are also found
 * without their leading parts.
 */
static void take_part(void *arg, const char *name)
{
	struct names *names = arg;

	while (*names->prefix && name && !str_starts(name, names->prefix))
		name = next_part(name);
	if (name)
		take_name(arg, name);
}

static void take_locals(struct dbg *dbg, dbg_id frame, struct names *names)
{
	static const enum dbg_scope scopes[] = {DBG_SCOPE_ARGS,
						DBG_SCOPE_LOCALS};
	const struct frame *f;
	struct dbg_error *err =
	    session_frame_or_newest(session_standing(dbg), frame, &f);

	for (size_t i = 0; !err && i < 2; i++) {
		struct dbg_value *values;
		size_t n = 0;

		err = dbg_scope_list(session_standing(dbg),
				     inspect_frame_id(&dbg->inspect, f),
				     scopes[i], &values, &n);
		for (size_t k = 0; !err && k < n; k++)
			if (str_starts(values[k].name, names->prefix))
				add_name(names, values[k].name,
					 DBG_NAME_VARIABLE, values[k].type);
	}
	dbg_error_destroy(err);
}

/* Completion of members, of what is in front of the last dot. */
struct members {
	struct names *names;
	int left; /* bytes of the prefix */
};

static void take_member(void *arg, const struct view_member *member)
{
	const struct members *m = arg;
	struct names *names = m->names;

	if (str_starts(member->name, names->prefix + m->left + 1))
		add_name(names,
			 arena_printf(names->arena, "%.*s.%s", m->left,
				      names->prefix, member->name),
			 member->kind, member->detail);
}

static void take_members(struct dbg *dbg, dbg_id frame, struct names *names)
{
	const char *dot = strrchr(names->prefix, '.');

	if (!dot)
		return;
	struct members m = {names, (int)(dot - names->prefix)};
	// what is not public of others' classes has to be asked for
	dbg_error_destroy(session_members(
	    session_standing(dbg), frame,
	    arena_printf(names->arena, "%.*s", m.left, names->prefix), dot[1],
	    take_member, &m));
}

static int compare_names(const void *a, const void *b)
{
	const struct dbg_name *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	if (order)
		return order;
	return strcmp(x->detail ? x->detail : "", y->detail ? y->detail : "");
}

// Remove duplicates from the sorted list; returns how many are left, at most
// @max.
static size_t unite(struct dbg_name *list, size_t n, size_t max)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept && !strcmp(list[i].text, list[kept - 1].text)) {
			list[kept - 1].overloads++;
			continue;
		}
		if (kept == max)
			break;
		list[kept++] = list[i];
	}
	return kept;
}

static void take_code(struct dbg *dbg, unsigned int kinds, struct names *names)
{
	static const struct {
		unsigned int kind;
		enum dbg_name_kind name;
	} all[] = {
	    {DBG_NAMES_FILES, DBG_NAME_FILE},
	    {DBG_NAMES_TYPES, DBG_NAME_TYPE},
	    {DBG_NAMES_METHODS, DBG_NAME_METHOD},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		bool files = all[i].kind == DBG_NAMES_FILES;

		if (!(kinds & all[i].kind))
			continue;
		names->kind = all[i].name;
		code_each_name(dbg->inspect.code,
			       all[i].kind |
				   (files ? 0 : kinds & DBG_NAMES_OWN),
			       files ? take_name : take_part, names);
	}
}

struct dbg_error *dbg_complete(struct dbg *dbg, dbg_id frame,
			       unsigned int kinds, const char *prefix,
			       size_t max, struct dbg_name **ret, size_t *ret_n)
{
	struct dbg_error *err = session_need_modules(dbg, true);
	struct names names = {.prefix = prefix, .arena = dbg->inspect.arena};

	if (err)
		return err;
	if (dbg->state == DBG_IDLE) {
		arena_reset(dbg->inspect.arena);
		kinds &= ~(unsigned int)DBG_NAMES_LOCALS;
	}
	take_code(dbg, kinds, &names);
	if (kinds & DBG_NAMES_LOCALS) {
		take_locals(dbg, frame, &names);
		take_members(dbg, frame, &names);
	}
	if (names.n)
		qsort(names.list, names.n, sizeof(*names.list), compare_names);
	*ret_n = unite(names.list, names.n, max);
	*ret = arena_copy(dbg->inspect.arena, names.list, *ret_n,
			  sizeof(*names.list));
	free(names.list);
	return NULL;
}
