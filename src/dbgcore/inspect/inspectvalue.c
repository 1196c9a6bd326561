/*
 * Values of a stop: the scope of a frame (made once), expressions evaluated in
 * a frame. Breakpoint conditions and the text of logpoints come here too, from
 * control.
 */
#include "inspect/inspect.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/handler.h"

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

struct dbg_error *inspect_text(struct inspect *in, const struct inspect_at *at,
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
