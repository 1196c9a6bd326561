/*
 * `threads`, `stackTrace` and `scopes`. Frames are walked no further than
 * asked, in pieces with a look at the client's `cancel` between.
 */
#include <string.h>

#include "base/mem.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"
#include "dap/request/variable.h"

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
