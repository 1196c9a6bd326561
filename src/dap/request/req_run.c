/*
 * `continue`, `pause`, the steps and `goto`. A step begins in the newest frame
 * of its thread; what it may step into is offered as targets.
 */
#include <string.h>

#include "base/mem.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"

static struct dbg_error *get_thread(struct dap *d, const struct request *req,
				    uint32_t *ret)
{
	struct dbg_error *err = args_need(req->args, "threadId");

	if (!err)
		err = args_u32(req->args, "threadId", ret);
	if (!err && !*ret)
		err = dbg_err(DBG_E_NOT_FOUND, "there is no thread 0");
	d->last_thread = *ret;
	return err;
}

static struct dbg_error *do_continue(struct dap *d, struct dbg_stopped at,
				     struct request *req)
{
	uint32_t thread = 0;
	bool alone = false;

	struct dbg_error *err = get_thread(d, req, &thread);
	if (!err)
		err = args_bool(req->args, "singleThread", &alone);
	if (err)
		return err;
	emit_bool(req->body, "allThreadsContinued", !alone);
	return dbg_continue(at, alone ? thread : 0);
}

static struct dbg_error *get_unit(const struct request *req,
				  enum dbg_step_unit *ret)
{
	static const char *const names[] = {
	    [DBG_UNIT_LINE] = "line",
	    [DBG_UNIT_STATEMENT] = "statement",
	    [DBG_UNIT_INSTRUCTION] = "instruction",
	};
	const char *s = "statement"; // the protocol's default

	struct dbg_error *err = args_word(req->args, "granularity", &s);
	if (err)
		return err;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(s, names[i])) {
			*ret = (enum dbg_step_unit)i;
			return NULL;
		}
	return dbg_err_arg("'granularity' must be line, statement or "
			   "instruction, not '%s'",
			   s);
}

static struct dbg_error *do_step_kind(struct dap *d, struct dbg_stopped at,
				      struct request *req,
				      enum dbg_step_kind kind)
{
	struct dbg_step s = {.kind = kind};

	struct dbg_error *err = get_thread(d, req, &s.thread);
	if (!err)
		err = args_bool(req->args, "singleThread", &s.alone);
	if (!err)
		err = get_unit(req, &s.unit);
	if (!err && kind == DBG_STEP_IN)
		err = args_u32(req->args, "targetId", &s.target);
	if (err)
		return err;
	if (kind == DBG_STEP_OUT) {
		s.unit = DBG_UNIT_LINE;
		s.run_on = true;
	}
	return dbg_step(at, &s);
}

static struct dbg_error *do_next(struct dap *d, struct dbg_stopped at,
				 struct request *req)
{
	return do_step_kind(d, at, req, DBG_STEP_OVER);
}

static struct dbg_error *
do_step_in_targets(struct dap *d, struct dbg_stopped at, struct request *req)
{
	struct str *t = req->body;
	struct handle h = {0};
	uint32_t frame = 0;
	struct dbg_call *list;
	size_t n;

	struct dbg_error *err = args_need(req->args, "frameId");
	if (!err)
		err = args_u32(req->args, "frameId", &frame);
	if (!err)
		err = handles_find(&d->frames, frame, "frame", &h);
	// a step begins in the newest frame
	if (!err && h.aux)
		err = dbg_err(DBG_E_STATE, "only the newest frame is stepped");
	if (!err)
		err = dbg_call_list(at, (uint32_t)h.frame, &list, &n);
	if (err)
		return err;
	emit_array(t, "targets");
	for (size_t i = 0; i < n; i++) {
		emit_object(t, NULL);
		emit_int(t, "id", list[i].id);
		emit_str(t, "label", list[i].function);
		emit_object_end(t);
	}
	emit_array_end(t);
	return NULL;
}

static struct dbg_error *do_step_in(struct dap *d, struct dbg_stopped at,
				    struct request *req)
{
	return do_step_kind(d, at, req, DBG_STEP_IN);
}

static struct dbg_error *do_step_out(struct dap *d, struct dbg_stopped at,
				     struct request *req)
{
	return do_step_kind(d, at, req, DBG_STEP_OUT);
}

static struct dbg_error *do_pause(struct dap *d, struct request *req)
{
	uint32_t thread = 0;

	struct dbg_error *err = args_u32(req->args, "threadId", &thread);
	if (err)
		return err;
	if (d->held)
		return dbg_err(DBG_E_STATE,
			       "the program waits for 'configurationDone'");
	// stopped already: the client has the event, or will
	if (dbg_state(d->dbg) == DBG_STOPPED)
		return NULL;
	return dbg_pause(d->dbg);
}

/* ---- goto ------------------------------------------------------------ */

// The file's name is for the caller to free.
static struct dbg_error *get_place(struct dap *d, const cJSON *args,
				   char **ret_path, struct dbg_place *ret)
{
	const cJSON *source = NULL;
	const char *given = NULL;
	uint32_t line = 0;

	struct dbg_error *err = args_object(args, "source", &source);
	if (!err)
		err = args_str(source, "path", &given);
	if (!err && !given)
		err = dbg_err_arg("'source' names no file");
	if (!err)
		err = args_need(args, "line");
	if (!err)
		err = args_u32(args, "line", &line);
	if (!err)
		err = body_path(given, ret_path);
	if (!err)
		*ret =
		    (struct dbg_place){.kind = DBG_PLACE_LINE,
				       .file = *ret_path,
				       .line = line + d->client.lines_from_0};
	return err;
}

static struct dbg_error *do_goto_targets(struct dap *d, struct dbg_stopped at,
					 struct request *req)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct str *t = req->body;
	_cleanup_free_ char *path = NULL;
	struct dbg_place place;
	struct dbg_location *list = NULL;
	size_t n = 0;

	struct dbg_error *err = get_place(d, req->args, &path, &place);
	if (err)
		return err;
	// the client tells its user that there is no target, we say why
	dap_warn(d, dbg_goto_list(at, 0, &place, arena, &list, &n));
	emit_array(t, "targets");
	for (size_t i = 0; i < n; i++) {
		struct handle h = {.kind = HANDLE_GOTO, .id = list[i].addr};
		emit_object(t, NULL);
		emit_int(t, "id", handles_add(&d->gotos, &h));
		emit_str(t, "label", list[i].function);
		emit_int(t, "line", body_line(d, list[i].line));
		emit_addr(t, "instructionPointerReference", list[i].addr);
		emit_object_end(t);
	}
	emit_array_end(t);
	return NULL;
}

static struct dbg_error *do_goto(struct dap *d, struct dbg_stopped at,
				 struct request *req)
{
	uint32_t thread = 0, target = 0;
	struct handle h = {0};

	struct dbg_error *err = get_thread(d, req, &thread);
	if (!err)
		err = args_need(req->args, "targetId");
	if (!err)
		err = args_u32(req->args, "targetId", &target);
	if (!err)
		err = handles_find(&d->gotos, target, "target", &h);
	if (err)
		return err;
	return dbg_goto(
	    at, thread,
	    &(struct dbg_place){.kind = DBG_PLACE_ADDRESS, .addr = h.id},
	    false);
}

const struct dap_request req_run[] = {
    {"gotoTargets", "supportsGotoTargetsRequest", 0,
     .stopped = do_goto_targets},
    {"goto", NULL, REQ_BY_HAND, .stopped = do_goto},
    {"continue", "supportsSingleThreadExecutionRequests", REQ_BY_HAND,
     .stopped = do_continue},
    {"next", NULL, REQ_BY_HAND, .stopped = do_next},
    {"stepInTargets", "supportsStepInTargetsRequest", 0,
     .stopped = do_step_in_targets},
    {"stepIn", NULL, REQ_BY_HAND, .stopped = do_step_in},
    {"stepOut", "supportsSteppingGranularity", REQ_BY_HAND,
     .stopped = do_step_out},
    {"pause", NULL, REQ_NEEDS_PROCESS | REQ_BY_HAND | REQ_URGENT,
     .run = do_pause},
    {0},
};
