/*
 * dbg_exception_list: the exception of the stop with those inside of it, as a
 * list in which each stands in front of its own. The stack of one that is
 * thrown just now is taken from the thread, since nothing is recorded in it
 * yet.
 */
#include "base/mem.h"
#include "base/str.h"
#include "inspect/exception.h"
#include "session/session.h"

enum {
	EXCEPTIONS_MAX = 50,
	FRAMES_MAX = 100, /* of the stack of a throw */
	DEPTH_MAX = 20,
};

struct tree {
	struct dbg *dbg;
	struct dbg_exception *list;
	size_t n;
};

static const char *data_text(struct dbg *dbg,
			     const struct exception_parts *parts)
{
	_cleanup_str_ struct str text = {0};

	for (size_t i = 0; i < parts->n_data; i++) {
		if (i)
			str_addc(&text, '\n');
		inspect_object_text(&dbg->inspect, parts->data[i].key, &text);
		str_add(&text, " = ");
		inspect_object_text(&dbg->inspect, parts->data[i].value, &text);
	}
	return text.len ? arena_strdup(dbg->inspect.arena, str_get(&text))
			: NULL;
}

static void exception_add(struct tree *t, uint64_t addr, uint32_t depth)
{
	struct exception_parts parts;
	struct dbg_exception *e = &t->list[t->n];

	if (!addr || t->n == EXCEPTIONS_MAX || depth == DEPTH_MAX ||
	    !exception_get(&t->dbg->inspect, addr, t->dbg->inspect.arena, e,
			   &parts))
		return;
	t->n++;
	e->depth = depth;
	exception_frames(&t->dbg->inspect, addr, t->dbg->inspect.arena, e);
	e->data = data_text(t->dbg, &parts);
	for (size_t i = 0; i < parts.n_inner; i++)
		exception_add(t, parts.inner[i], depth + 1);
}

// The thread's frames in the form of Exception.StackTrace.
static const char *living_stack(struct dbg *dbg)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_frame *frames;
	size_t n = 0;

	struct dbg_error *err =
	    dbg_frame_list(session_standing(dbg), dbg->stop.thread, 0,
			   FRAMES_MAX, &frames, &n);
	for (size_t i = 0; !err && i < n; i++) {
		const struct dbg_source_range *at = &frames[i].source;

		str_add(&text, i ? "\n" : "");
		size_t from = text.len;
		str_addf(&text, "   at %s", frames[i].function);
		if (at->path)
			str_addf(&text, " in %s:line %u", at->path, at->line);
		str_one_line(&text, from);
	}
	dbg_error_destroy(err);
	return text.len ? arena_strdup(dbg->inspect.arena, str_get(&text))
			: NULL;
}

// An exception that is being thrown has no stack recorded yet: take its
// thread's; its module is the newest frame's.
static void add_throw(struct dbg *dbg, struct dbg_exception *e)
{
	const struct frame *f = NULL;
	struct dbg_error *err =
	    stack_display(dbg->inspect.stack, dbg->stop.thread, 0, &f);

	if (!err && f && f->kind != DBG_FRAME_THROWN)
		err = stack_frame(dbg->inspect.stack, dbg->stop.thread, 0, &f);
	if (!err && f && f->pos && f->pos->module)
		e->module = f->pos->module->name;
	dbg_error_destroy(err);
	if (!e->stack)
		e->living = living_stack(dbg);
}

// Add a fault that the runtime has made a fatal error of, without an object.
static void add_objectless(struct tree *t)
{
	const struct dbg_stop *stop = &t->dbg->stop;

	if (stop->reason != DBG_STOP_UNHANDLED || !stop->exception_type)
		return;
	t->list[t->n++] = (struct dbg_exception){
	    .type = stop->exception_type,
	    .message = stop->exception_message,
	    .living = living_stack(t->dbg),
	    .hresult = 0x80004003, // E_POINTER, which that class has
	};
}

struct dbg_error *dbg_exception_list(struct dbg_stopped at,
				     struct dbg_exception **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_runtime(at);
	struct tree tree = {.dbg = dbg};

	if (err)
		return err;
	tree.list = arena_calloc(dbg->inspect.arena, EXCEPTIONS_MAX + 1,
				 sizeof(*tree.list));
	exception_add(&tree, dbg->stop.exception, 0);
	if (tree.n && dbg->stop.reason != DBG_STOP_FAIL_FAST)
		add_throw(dbg, &tree.list[0]);
	if (!tree.n)
		add_objectless(&tree);
	*ret = tree.list;
	*ret_n = tree.n;
	return NULL;
}
