/*
 * Values of a stop: the scope of a frame (made once), expressions evaluated in
 * a frame. Breakpoint conditions and the text of logpoints come here too, from
 * control.
 */
#include "inspect/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/handler.h"
#include "view/form.h"

static dbg_id inspect_node_id(struct inspect *in, const struct node *node,
			      const struct inspect_way *way);

/* ---- Descriptions ----------------------------------------------------- */

struct dbg_value inspect_describe(struct inspect *in, const struct view *w,
				  const struct node *node,
				  const struct inspect_way *way)
{
	struct dbg_value value;
	struct node kept = *node;

	view_describe(w, node, &value);
	if (!value.n_named && !value.n_indexed)
		return value;
	kept.thread = w->thread;
	value.id = inspect_node_id(in, &kept, way);
	return value;
}

void inspect_describe_all(struct inspect *in, const struct view *w,
			  const struct inspect_list *list,
			  struct dbg_value **ret)
{
	struct dbg_value *all =
	    arena_calloc(w->arena, list->n + 1, sizeof(all[0]));
	struct inspect_way way = list->way;

	for (size_t i = 0; i < list->n; i++, way.at++) {
		way.name = list->nodes[i].name;
		all[i] = inspect_describe(in, w, &list->nodes[i], &way);
	}
	*ret = all;
}

/* ---- Scopes ---------------------------------------------------------- */

static uint64_t find_thread(struct thread_ref *ref)
{
	return stack_managed_thread(ref->arg, ref->tid);
}

/* Get the scope of a frame, made once in a stop. */
static struct dbg_error *scope_of(struct inspect *in, const struct frame *frame,
				  struct scope **ret)
{
	struct dbg_error *err;
	struct thread_ref *thread = NULL;

	for (size_t i = 0; i < in->n_scopes; i++) {
		if (in->scopes[i].frame == frame) {
			*ret = in->scopes[i].scope;
			return NULL;
		}
	}
	if (frame) {
		thread = arena_alloc(in->arena, sizeof(*thread));
		thread->find = find_thread;
		thread->arg = in->stack;
		thread->tid = frame->tid;
	}
	err = scope_get(in->values, frame, thread, in->arena, ret);
	if (err)
		return err;
	mem_grow(&in->scopes, &in->cap_scopes, in->n_scopes,
		 sizeof(in->scopes[0]));
	in->scopes[in->n_scopes++] = (struct inspect_scope){frame, *ret};
	return NULL;
}

void inspect_assigned(struct inspect *in)
{
	in->n_assigned++;
	in->n_scopes = 0;
	view_cache_clear(in->views);
	vm_forget(in->vm);
}

struct view inspect_view(const struct inspect *in, struct thread_ref *thread)
{
	return (struct view){.values = in->values,
			     .arena = in->arena,
			     .thread = thread,
			     .vm = in->vm,
			     .cache = in->views,
			     .elements = in->style.elements,
			     .editor = in->style.editor,
			     .properties =
				 in->style.editor || in->style.properties,
			     .delegate_types = in->style.delegate_types,
			     .exception_types = in->style.exception_types,
			     .raw = in->style.raw};
}

void inspect_scope_nodes(const struct view *w, const struct eval *e,
			 enum dbg_scope scope, struct node **ret, size_t *ret_n)
{
	*ret = NULL;
	*ret_n = 0;
	if (scope != DBG_SCOPE_STATICS)
		view_scope(w, e->scope, scope, ret, ret_n);
	else if (e->scope->type)
		view_statics(w, e->scope->type, ret, ret_n);
}

/* ---- Expressions ----------------------------------------------------- */

/* Get $returnvalue; without a type: there is none. */
static const struct value *inspect_returned(struct inspect *in)
{
	if (in->returned.tid && in->values)
		in->returned_value =
		    returned_value(in->values, &in->returned, in->arena);
	in->returned.tid = 0;
	return &in->returned_value;
}

/*
 * The exception that the catch handler at @frame has caught: the current
 * exception of its thread, if no newer frame is in a handler. 0: @frame is in
 * no handler.
 */
static uint64_t caught_exception(struct inspect *in, const struct frame *frame)
{
	const struct dac_thread *t;
	const struct frame *f;

	if (!frame || !frame->pos || !in->dac ||
	    frame->kind != DBG_FRAME_MANAGED || !code_is_in_catch(frame->pos))
		return 0;
	for (uint32_t level = 0; level < frame->level; level++)
		if (dbg_err_drop(
			stack_frame(in->stack, frame->thread, level, &f)) ||
		    !f || (f->pos && code_is_in_catch(f->pos)))
			return 0;
	t = dac_thread_find(in->dac, frame->tid);
	return t ? t->exception : 0;
}

struct dbg_error *inspect_eval(struct inspect *in, const struct frame *frame,
			       struct eval *ret)
{
	struct dbg_error *err;
	struct scope *scope;

	if (!in->values)
		return dbg_err(DBG_E_STATE, "the runtime is not usable");
	err = scope_of(in, frame, &scope);
	if (err)
		return err;
	*ret = (struct eval){.values = in->values,
			     .vm = in->vm,
			     .scope = scope,
			     .arena = in->arena,
			     .exception = in->exception
					      ? in->exception
					      : caught_exception(in, frame),
			     .returned = *inspect_returned(in),
			     .history = in->history,
			     .stack = in->stack};
	return NULL;
}

const char *inspect_without_form(struct inspect *in, const char *expr,
				 struct node *ret)
{
	*ret = (struct node){.kind = NODE_VALUE};
	ret->name = ret->path = arena_strdup(in->arena, expr);
	return arena_strndup(in->arena, expr, form_parse(expr, &ret->form));
}

struct dbg_error *inspect_expression(struct inspect *in, const struct eval *e,
				     const char *expr, struct node *ret)
{
	const char *text = inspect_without_form(in, expr, ret);

	return eval_value(e, text, &ret->value);
}

/* Prepare evaluation in the newest frame of the thread of @at. */
static struct dbg_error *eval_at(struct inspect *in,
				 const struct inspect_at *at, struct eval *ret)
{
	struct dbg_error *err;
	const struct frame *frame;

	if (!in->values)
		return dbg_err(DBG_E_STATE, "the runtime is not usable");
	// it has run since something was interpreted last
	view_cache_clear(in->views);
	vm_stop(in->vm);
	err = stack_frame(in->stack, at->thread, 0, &frame);
	if (!err)
		err = inspect_eval(in, frame, ret);
	if (!err && at->exception)
		ret->exception = at->exception;
	return err;
}

struct dbg_error *inspect_condition(struct inspect *in,
				    const struct inspect_at *at,
				    const char *expr, bool *ret)
{
	struct eval e;
	struct dbg_error *err = eval_at(in, at, &e);

	return err ? err : eval_condition(&e, expr, ret);
}

bool inspect_condition_compiles(struct inspect *in, const struct inspect_at *at,
				const char *expr)
{
	struct eval e;
	struct dbg_error *err = eval_at(in, at, &e);

	if (!err)
		err = eval_bind_condition(&e, expr);
	bool wrong = err && (err->code == DBG_E_ARGUMENT ||
			     err->code == DBG_E_NOT_FOUND);
	dbg_error_destroy(err);
	return !wrong;
}

struct dbg_error *inspect_compile(struct inspect *in,
				  const struct inspect_at *at, const char *expr,
				  bool truth, struct frame_code **ret)
{
	struct eval e;
	struct regs regs;
	struct dbg_error *err = eval_at(in, at, &e);

	if (!err && !e.scope->frame)
		err = dbg_err(DBG_E_STATE, "the thread has no frames");
	if (!err)
		err = target_regs(in->target, e.scope->frame->tid, &regs);
	return err ? err : frame_code_create(&e, expr, truth, &regs, ret);
}

/* Evaluate @expr in the newest frame of @at to text, in @arena. */
static struct dbg_error *inspect_text(struct inspect *in,
				      const struct inspect_at *at,
				      const char *expr, const char **ret)
{
	struct dbg_error *err;
	struct eval e;
	struct node node;

	err = eval_at(in, at, &e);
	if (!err)
		err = inspect_expression(in, &e, expr, &node);
	if (err)
		return err;

	struct view w = inspect_view(in, e.scope->thread);

	*ret = inspect_describe(in, &w, &node, &(struct inspect_way){0}).text;
	return NULL;
}

void inspect_value_text(struct inspect *in, const char *expr,
			const struct value *v, struct str *out)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct view w = inspect_view(in, NULL);
	struct node node = {.kind = NODE_VALUE, .value = *v};
	struct dbg_value described;

	w.arena = arena;
	w.vm = NULL;
	w.cache = NULL;
	form_parse(expr, &node.form);
	view_describe(&w, &node, &described);
	str_add(out, described.text);
}

void inspect_object_text(struct inspect *in, uint64_t addr, struct str *out)
{
	struct view w = inspect_view(in, NULL);
	struct value value = value_object(in->values, addr);

	if (addr)
		view_text(&w, &value, out);
	else
		str_add(out, "null");
}

/* ---- Modules --------------------------------------------------------- */

const char *inspect_string_field(struct inspect *in, uint64_t object,
				 const char *name, struct arena *arena)
{
	uint16_t units[128];
	uint32_t n;
	struct value at = value_object(in->values, object);
	const struct field *f =
	    at.where == VALUE_ABSENT
		? NULL
		: value_type_field(in->values, at.type, name);

	if (!f)
		return NULL;
	at = value_field(in->values, &at, f);
	if (value_is_null(in->values, &at) ||
	    !value_string_length(in->values, &at, &n))
		return NULL;
	if (n > sizeof(units) / sizeof(units[0]))
		n = sizeof(units) / sizeof(units[0]);
	_cleanup_str_ struct str text = {0};
	if (!value_string_read(in->values, &at, 0, units, n))
		return NULL;
	str_add_utf16(&text, units, n);
	return arena_strdup(arena, str_get(&text));
}

const char *inspect_load_context(struct inspect *in, uint64_t module,
				 struct arena *arena)
{
	if (!in->values || !in->stopped)
		return NULL;
	uint64_t addr = dac_module_context(in->dac, module);

	return addr ? inspect_string_field(in, addr, "_name", arena) : NULL;
}

/* ---- Ids of frames and values -------------------------------------------- */

/*
 * Each carries the number of the stop that it was handed out in; in a later
 * stop it is an error, unless the program has only run for a call and stands
 * again where it stood (inspect.returns). Then the collector may have moved
 * everything, so what an id names is found again when it is asked for: a frame
 * by its level, a value by the way on which it was come to (an expression, its
 * place in a scope or among the children of another). What calls or assignments
 * gave is followed instead.
 */

enum {
	DEPTH_MAX = 200, /* of values within values, found one in the other */
};

/* A frame's id is told from a value's by this bit of its lower half. */
#define FRAME_BIT 0x80000000u

void inspect_ids_forget(struct inspect *in)
{
	in->ids_since = in->stop_number;
	in->n_frames = in->n_old_frames = 0;
	in->n_nodes = 0;
	followed_clear(&in->followed);
	arena_reset(in->ways);
}

bool inspect_knows(const struct inspect *in, uint64_t stop)
{
	return stop >= in->ids_since && stop <= in->stop_number;
}

/* ---- Frames ---------------------------------------------------------- */

dbg_id inspect_frame_id(struct inspect *in, const struct frame *frame)
{
	size_t i = in->n_old_frames + frame->serial;

	while (in->n_frames <= i) {
		mem_grow(&in->frames, &in->cap_frames, in->n_frames,
			 sizeof(*in->frames));
		in->frames[in->n_frames++].frame = NULL;
	}
	in->frames[i] = (struct inspect_frame_entry){
	    .frame = frame,
	    .raw = frame->raw,
	    .thread = frame->thread,
	    .level = frame->level,
	    .seen = in->stop_number,
	    .kind = frame->kind,
	};
	return (dbg_id)in->stop_number << 32 | FRAME_BIT | (uint32_t)i;
}

/* Find the frame of the entry again by walking the stack anew. */
static struct dbg_error *find_frame(struct inspect *in,
				    struct inspect_frame_entry *entry)
{
	const struct frame *f = NULL;
	struct dbg_error *err =
	    stack_frame(in->stack, entry->thread, entry->level, &f);

	if (err)
		return err;
	if (!f || f->kind != entry->kind || f->raw.sp != entry->raw.sp ||
	    f->raw.method != entry->raw.method)
		return dbg_err(DBG_E_STALE,
			       "that frame has changed while a call was made: "
			       "ask for the stack again");
	entry->frame = f;
	entry->seen = in->stop_number;
	return NULL;
}

struct dbg_error *inspect_frame(struct inspect *in, dbg_id id,
				const struct frame **ret)
{
	uint32_t i = (uint32_t)id & ~FRAME_BIT;
	struct dbg_error *err = NULL;

	if (!inspect_knows(in, id >> 32) || !(id & FRAME_BIT) ||
	    i >= in->n_frames || !in->frames[i].frame)
		return dbg_err(DBG_E_STALE, "that frame is of an earlier stop");
	if (in->frames[i].seen != in->stop_number)
		err = find_frame(in, &in->frames[i]);
	if (!err)
		*ret = in->frames[i].frame;
	return err;
}

/* ---- Values ---------------------------------------------------------- */

/* An id's lower half is the node's number from 1; frames set its top bit. */
static dbg_id inspect_node_id(struct inspect *in, const struct node *node,
			      const struct inspect_way *way)
{
	const struct inspect_entry *parent = NULL;

	mem_grow(&in->nodes, &in->cap_nodes, in->n_nodes, sizeof(in->nodes[0]));
	if (way->kind == WAY_CHILD)
		parent = &in->nodes[(uint32_t)way->from - 1];
	in->nodes[in->n_nodes] = (struct inspect_entry){
	    .node = *node,
	    .way = *way,
	    .seen = in->stop_number,
	    .n_assigned = in->n_assigned,
	    .depth = parent ? parent->depth + 1 : 0,
	};
	if (way->name)
		in->nodes[in->n_nodes].way.name =
		    arena_strdup(in->ways, way->name);
	if (way->kind == WAY_FOLLOWED)
		followed_take(&in->followed, in->values, &node->value,
			      &in->nodes[in->n_nodes].followed);
	in->n_nodes++;
	return (dbg_id)in->stop_number << 32 | in->n_nodes;
}

static struct dbg_error *gone(const struct inspect_way *way)
{
	return dbg_err(DBG_E_STALE,
		       "'%s' is not there any more, since a call was made",
		       way->name ? way->name : "it");
}

/* The one that the way leads to among @nodes, of which it is number @at. */
static struct dbg_error *pick(const struct inspect_way *way,
			      const struct node *nodes, size_t n, size_t at,
			      struct node *ret)
{
	if (at >= n || !nodes[at].name || !way->name ||
	    strcmp(nodes[at].name, way->name))
		return gone(way);
	*ret = nodes[at];
	return NULL;
}

/*
 * Find a value that a call or assignment has returned, and that is followed
 * since.
 */
static struct dbg_error *find_followed(struct inspect *in,
				       const struct inspect_entry *entry,
				       struct node *ret)
{
	inspect_without_form(in, entry->way.name, ret);
	if (followed_get(&in->followed, &entry->followed, &ret->value))
		return NULL;
	return dbg_err(DBG_E_STALE,
		       "a call was made since this value was seen, which may "
		       "have moved it: evaluate it again");
}

static struct dbg_error *find_in_frame(struct inspect *in,
				       const struct inspect_entry *entry,
				       struct node *ret)
{
	const struct inspect_way *way = &entry->way;
	const struct frame *f = NULL;
	struct eval e;
	struct node *nodes;
	size_t n;
	struct dbg_error *err =
	    way->from ? inspect_frame(in, way->from, &f) : NULL;

	if (!err)
		err = inspect_eval(in, f, &e);
	if (err)
		return err;
	struct view w = inspect_view(in, e.scope->thread);
	if (way->kind == WAY_SCOPE) {
		inspect_scope_nodes(&w, &e, (enum dbg_scope)way->which, &nodes,
				    &n);
		err = pick(way, nodes, n, way->at, ret);
	} else {
		err = way->kind == WAY_FOLLOWED
			  ? find_followed(in, entry, ret)
			  : inspect_expression(in, &e, way->name, ret);
		if (!err)
			view_enumerate(&w, ret);
	}
	ret->thread = w.thread;
	return err;
}

static struct dbg_error *
find_child(struct inspect *in, const struct inspect_way *way, struct node *ret)
{
	const struct node *parent = NULL;
	struct node *nodes;
	size_t n;
	struct dbg_error *err = inspect_node(in, way->from, &parent);

	if (err)
		return err;
	struct view w = inspect_view(in, parent->thread);
	view_children(&w, parent, (enum dbg_children)way->which, way->at, 1,
		      &nodes, &n);
	err = pick(way, nodes, n, 0, ret);
	ret->thread = w.thread;
	return err;
}

static struct dbg_error *find_node(struct inspect *in,
				   struct inspect_entry *entry)
{
	struct node found = {0};
	struct dbg_error *err;

	if (entry->way.kind == WAY_NONE || entry->depth > DEPTH_MAX)
		return dbg_err(DBG_E_STALE,
			       "a call was made since this value was seen, "
			       "which may have moved it: evaluate it again");
	err = entry->way.kind == WAY_CHILD ? find_child(in, &entry->way, &found)
					   : find_in_frame(in, entry, &found);
	if (err)
		return err;
	entry->node = found;
	entry->seen = in->stop_number;
	entry->n_assigned = in->n_assigned;
	return NULL;
}

/*
 * After an assignment, read the node again: it may be a copy (of an element, of
 * a getter's result) made before. It stays as it is if it is not found any
 * more.
 */
static void find_assigned(struct inspect *in, struct inspect_entry *entry)
{
	bool again = entry->way.kind == WAY_SCOPE ||
		     entry->way.kind == WAY_CHILD ||
		     entry->way.kind == WAY_EXPRESSION;

	if (again)
		dbg_error_destroy(find_node(in, entry));
	entry->n_assigned = in->n_assigned;
}

struct dbg_error *inspect_node(struct inspect *in, dbg_id id,
			       const struct node **ret)
{
	uint32_t index = (uint32_t)id;
	struct dbg_error *err = NULL;

	if (!inspect_knows(in, id >> 32))
		return dbg_err(DBG_E_STALE,
			       "the program has run since this value was seen");
	if (index == 0 || index > in->n_nodes)
		return dbg_err(DBG_E_ARGUMENT, "no value has this id");
	if (in->nodes[index - 1].seen != in->stop_number)
		err = find_node(in, &in->nodes[index - 1]);
	else if (in->nodes[index - 1].n_assigned != in->n_assigned)
		find_assigned(in, &in->nodes[index - 1]);
	if (!err)
		*ret = &in->nodes[index - 1].node;
	return err;
}

/* ---- Messages of logpoints ----------------------------------------------- */

/*
 * The text of a logpoint, as an interpolated string of C#: literal text with
 * expressions in braces, also "{e,5:D3}", `{{` or `\{` for a brace. An
 * expression that fails becomes its error in the text, since the program is not
 * stopped for it.
 */

/*
 * End of the expression at @p: its closing brace, NULL if there is none.
 * Braces of the expression itself and those in its strings are not it.
 */
static const char *expr_end(const char *p)
{
	unsigned int depth = 0;
	char quote = 0;

	for (; *p; p++) {
		if (quote) {
			if (*p == '\\' && p[1])
				p++;
			else if (*p == quote)
				quote = 0;
		} else if (*p == '"' || *p == '\'') {
			quote = *p;
		} else if (*p == '{') {
			depth++;
		} else if (*p == '}' && !depth--) {
			return p;
		}
	}
	return NULL;
}

struct piece {
	const char *text; /* literal, or the expression */
	size_t n;
	bool expr, escaped;
};

/*
 * Take the next piece at *@p; false at the end. An open brace without its
 * end is text.
 */
static bool next_piece(const char **p, struct piece *ret)
{
	const char *s = *p;
	const char *end = NULL;

	if (!*s)
		return false;
	if (*s == '{' && s[1] != '{')
		end = expr_end(s + 1);
	if (end) {
		*ret =
		    (struct piece){s + 1, (size_t)(end - s - 1), .expr = true};
		*p = end + 1;
		return true;
	}
	if (*s == '\\' && (s[1] == '{' || s[1] == '}')) {
		*ret = (struct piece){s + 1, 1, .escaped = true};
		*p = s + 2;
		return true;
	}
	bool one = *s == '{' || *s == '}' || *s == '\\';
	bool brace = one && *s != '\\';
	size_t n = one ? 1 : strcspn(s, "{}\\");
	*ret = (struct piece){.text = s, .n = n};
	// {{ and }} stand for one
	*p = s + n + (brace && s[1] == *s);
	return true;
}

/*
 * The expression of a piece of the message, allocated. With an alignment or a
 * format, which C# has and the debugger's own specifiers have not, it is an
 * interpolated string that is shown without its quotes.
 */
static char *piece_expression(const struct piece *piece)
{
	struct form specifiers = {0};
	char *expr = xstrndup(piece->text, piece->n);
	_cleanup_free_ char *plain = xstrdup(expr);

	size_t n = form_parse(plain, &specifiers);
	const char *more = expr + n + (expr[n] == ',');
	bool aligned = *more && !more[strspn(more, " -0123456789")];
	plain[n] = 0;
	if (!aligned && !dbg_err_drop(eval_check(plain)))
		return expr;
	_cleanup_free_ char *hole = xasprintf("$\"{%s}\"", expr);
	if (dbg_err_drop(eval_check(hole)))
		return expr;
	free(expr);
	return xasprintf("%s,nq", hole);
}

void logpoint_each(const char *form,
		   void (*text)(void *arg, const char *expr, struct str *out),
		   void *arg, struct str *ret)
{
	struct piece piece;

	while (next_piece(&form, &piece)) {
		if (!piece.expr) {
			str_addn(ret, piece.text, piece.n);
			continue;
		}
		_cleanup_free_ char *expr = piece_expression(&piece);
		text(arg, expr, ret);
	}
}

struct place {
	struct inspect *in;
	const struct inspect_at *at;
};

static void log_evaluate(void *arg, const char *expr, struct str *out)
{
	const struct place *p = arg;
	const char *text = NULL;
	struct dbg_error *err = inspect_text(p->in, p->at, expr, &text);

	if (err)
		str_addf(out, "<%s>", err->message);
	else
		str_add(out, text);
	dbg_error_destroy(err);
}

void logpoint_text(struct inspect *in, const struct inspect_at *at,
		   const char *form, struct str *ret)
{
	struct place p = {in, at};

	logpoint_each(form, log_evaluate, &p, ret);
}

const char *const *logpoint_expressions(const char *form, struct arena *arena,
					size_t *ret_n)
{
	const char **v = arena_calloc(arena, strlen(form) + 1, sizeof(*v));
	struct piece piece;
	size_t n = 0;

	while (next_piece(&form, &piece)) {
		struct form specifiers = {0};

		if (!piece.expr)
			continue;
		_cleanup_free_ char *expr = piece_expression(&piece);
		v[n++] =
		    arena_strndup(arena, expr, form_parse(expr, &specifiers));
	}
	*ret_n = n;
	return v;
}

struct dbg_error *logpoint_check(const char *form)
{
	struct dbg_error *err = NULL;
	struct piece piece;

	while (!err && next_piece(&form, &piece)) {
		if (!piece.expr) {
			if (!piece.escaped && *piece.text == '{' &&
			    piece.text[1] != '{')
				return dbg_err(DBG_E_ARGUMENT, "missing '}'");
			continue;
		}
		_cleanup_free_ char *expr = piece_expression(&piece);
		struct form specifiers = {0};

		expr[form_parse(expr, &specifiers)] = 0;
		err = eval_check(expr);
	}
	return err;
}
