/*
 * Evaluates a watched expression: where it leads to, and its value there.
 *
 * It is evaluated anew each time, if it names variables in the frame it was
 * requested for, so that it is right after the GC has moved objects on its
 * path. A watchpoint on a place (-location) evaluates it only to follow that
 * place.
 */
#include "control/control_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

enum {
	BYREFS_MAX = 4
};

void watch_state_deinit(struct watch_state *s)
{
	free(s->text);
	memset(s, 0, sizeof(*s));
}

// The largest piece at @addr that one register watches.
static uint32_t piece_at(uint64_t addr, uint64_t n)
{
	uint32_t size = 8;

	while (size > n || addr % size)
		size /= 2;
	return size;
}

static void add_parts(struct watch_state *s, uint64_t addr, uint64_t n,
		      bool reads)
{
	while (n && s->n_parts < WATCH_PARTS) {
		uint32_t size = piece_at(addr, n);

		s->parts[s->n_parts++] =
		    (struct target_watch){addr, size, reads};
		addr += size;
		n -= size;
	}
}

static bool is_own(const struct watch_state *s, const struct eval_link *link)
{
	for (size_t i = 0; i < s->n_own; i++)
		if (s->parts[i].addr == link->addr)
			return true;
	return false;
}

static void add_links(struct watch_state *s, const struct eval_trace *trace)
{
	for (size_t i = 0; i < trace->n_links; i++)
		if (!is_own(s, &trace->links[i]))
			add_parts(s, trace->links[i].addr, trace->links[i].size,
				  false);
}

static const char *absent_words(const struct value *v)
{
	static const char *const words[] = {
	    [WHY_OPTIMIZED] = "it is optimized out",
	    [WHY_UNREADABLE] = "it cannot be read",
	    [WHY_NOT_IN_CORE] = "it is not in the core",
	    [WHY_UNLOADED] = "its type is not loaded yet",
	    [WHY_UNINIT] = "its class is not initialized yet",
	    [WHY_THREAD] = "the thread has not used it yet",
	    [WHY_NOT_OBJECT] = "it is no object",
	    [WHY_NONE] = "there is nothing",
	};

	return words[v->why];
}

// Through by-refs, not through references.
static struct value target_of(struct values *ts, const struct value *v)
{
	struct value at = *v;
	uint64_t addr;

	for (int i = 0; i < BYREFS_MAX && at.where != VALUE_ABSENT &&
			at.type->kind == TYPE_KIND_BYREF;
	     i++) {
		if (!value_pointer(ts, &at, &addr) || !addr)
			return value_absent(at.type, WHY_UNREADABLE, at.addr);
		at = value_memory(at.type->inner, addr);
	}
	return at;
}

static struct dbg_error *check_size(const char *expr, const struct value *v)
{
	if (v->where == VALUE_TEXT || !type_size(v->type))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is no value that can be watched", expr);
	if (type_size(v->type) > WATCH_BYTES)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' has %u bytes: no more than %d can be "
			       "watched at once; watch a part of it",
			       expr, type_size(v->type), WATCH_BYTES);
	return NULL;
}

// Fill in the value, its text and its parts.
static struct dbg_error *watch_state_take(const struct watch *w,
					  const struct view *view,
					  const struct value *v,
					  struct watch_state *ret)
{
	struct dbg_error *err;

	if (v->where == VALUE_ABSENT) {
		ret->text = xstrdup(absent_words(v));
		return NULL;
	}
	value_type_mt(view->values, v->type);
	err = check_size(w->expr, v);
	if (err)
		return err;
	ret->size = type_size(v->type);
	if (!value_read(view->values, v, 0, ret->bytes, ret->size)) {
		ret->text = xstrdup("it cannot be read");
		return NULL;
	}

	_cleanup_str_ struct str text = {0};

	view_text(view, v, &text);
	ret->text = xstrdup(str_get(&text));
	ret->known = true;
	ret->is_place = v->where == VALUE_MEMORY;
	ret->type = value_type_mt(view->values, v->type);
	if (!ret->is_place)
		return NULL;
	add_parts(ret, v->addr, ret->size, w->access != DBG_WATCH_WRITE);
	ret->n_own = ret->n_parts;
	ret->in_object = !v->fixed;
	// A reference is written by the GC when what it leads to moves.
	ret->moves = !v->fixed || v->type->is_reference ||
		     v->type->kind == TYPE_KIND_STRUCT;
	return NULL;
}

static struct dbg_error *watch_evaluate(struct watch *w, struct eval *e,
					const struct view *view,
					struct watch_state *ret)
{
	struct dbg_error *err;
	struct eval_trace trace = {.n_links = 0};
	struct value v;

	e->trace = &trace;
	err = eval_value(e, w->expr, &v);
	if (!err) {
		v = target_of(e->values, &v);
		err = watch_state_take(w, view, &v, ret);
	}
	add_links(ret, &trace);
	ret->moves |= trace.moves;
	ret->of_frame = trace.of_frame;
	ret->of_thread = trace.of_thread;
	if (!err && ret->known && !ret->n_parts)
		err =
		    trace.of_frame
			? dbg_err(DBG_E_UNSUPPORTED,
				  "'%s' is kept in a register here: only "
				  "memory can be watched",
				  w->expr)
			: dbg_err(DBG_E_ARGUMENT,
				  "cannot watch constant value '%s'", w->expr);
	return err;
}

// Scope without a frame: the class in which the watchpoint was requested.
static void class_scope(const struct watch *w, struct values *ts,
			struct scope *ret)
{
	ret->type = w->class ? value_type_of_mt(ts, w->class) : NULL;
	ret->module = ret->type ? ret->type->module : NULL;
	ret->thread = NULL;
}

struct dbg_error *watch_read(struct control *c, struct watch *w,
			     struct watch_state *ret, bool *ret_gone)
{
	struct dbg_error *err = NULL;
	const struct frame *frame = NULL;
	struct thread_ref thread = w->thread;
	struct scope scope;
	struct eval e;
	struct view view;

	memset(ret, 0, sizeof(*ret));
	*ret_gone = false;
	if (w->frame.tid)
		err = watch_frame_find(c, &w->frame, &frame);
	if (err)
		return err;
	*ret_gone = w->frame.tid && !frame;
	if (*ret_gone)
		return NULL;
	err = inspect_eval(c->inspect, frame, &e);
	if (err)
		return err;
	// the program has run since something was evaluated last
	vm_forget(e.vm);
	view = inspect_view(c->inspect, e.scope->thread);
	scope = *e.scope;
	if (!frame) {
		class_scope(w, e.values, &scope);
		if (thread.tid)
			scope.thread = view.thread = &thread;
	}
	e.scope = &scope;
	return watch_evaluate(w, &e, &view, ret);
}

struct dbg_error *watch_condition(struct control *c, const struct watch *w,
				  const char *expr, bool *ret, bool *ret_known)
{
	struct dbg_error *err = NULL;
	const struct frame *frame = NULL;
	struct eval e;

	if (w->frame.tid)
		err = watch_frame_find(c, &w->frame, &frame);
	*ret_known = frame != NULL;
	if (err || !frame)
		return err;
	err = inspect_eval(c->inspect, frame, &e);
	if (err)
		return err;
	vm_forget(e.vm);
	return eval_condition(&e, expr, ret);
}

struct dbg_error *watch_class_condition(struct control *c,
					const struct watch *w, const char *expr,
					bool *ret)
{
	struct scope scope;
	struct eval e;
	struct dbg_error *err = inspect_eval(c->inspect, NULL, &e);

	if (err)
		return err;
	vm_forget(e.vm);
	scope = *e.scope;
	class_scope(w, e.values, &scope);
	e.scope = &scope;
	return eval_condition(&e, expr, ret);
}

struct dbg_error *watch_context(struct control *c, struct watch *w,
				const struct frame *frame)
{
	struct dbg_error *err;
	struct eval e;

	err = inspect_eval(c->inspect, frame, &e);
	if (err)
		return err;
	w->class = e.scope->type ? value_type_mt(e.values, e.scope->type) : 0;
	memset(&w->thread, 0, sizeof(w->thread));
	if (e.scope->thread) {
		w->thread.find = e.scope->thread->find;
		w->thread.arg = e.scope->thread->arg;
		w->thread.tid = e.scope->thread->tid;
	}
	return NULL;
}

struct dbg_error *watch_read_place(struct control *c, const struct watch *w,
				   struct watch_state *ret)
{
	struct dbg_error *err;
	const struct watch_state *now = &w->now;
	struct eval e;

	memset(ret, 0, sizeof(*ret));
	err = inspect_eval(c->inspect, NULL, &e);
	if (err)
		return err;

	struct view view = inspect_view(c->inspect, e.scope->thread);
	// fields, since what is watched is memory; and nothing is interpreted
	view.raw = true;
	struct type *type = value_type_of_mt(e.values, now->type);
	struct value v = value_memory(type, now->parts[0].addr);

	if (!type)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the type of what is watched is unloaded");
	err = watch_state_take(w, &view, &v, ret);
	ret->moves = now->moves;
	return err;
}
