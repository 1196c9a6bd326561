/*
 * Data breakpoints: memory that is watched. A dataId is the number of the
 * frame, a colon, and the expression.
 */
#include <string.h>

#include "base/mem.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"
#include "dap/request/variable.h"

static const char *const access_names[] = {
    [DBG_WATCH_WRITE] = "write",
    [DBG_WATCH_READ] = "read",
    [DBG_WATCH_ACCESS] = "readWrite",
};

enum {
	N_ACCESS = sizeof(access_names) / sizeof(*access_names)
};

static void add_info(struct str *t, uint32_t frame, const char *expr)
{
	emit_strf(t, "dataId", "%u:%s", frame, expr);
	emit_str(t, "description", expr);
	emit_array(t, "accessTypes");
	for (size_t i = 0; i < N_ACCESS; i++)
		emit_str(t, NULL, access_names[i]);
	emit_array_end(t);
	emit_bool(t, "canPersist", false);
}

// The number of a frame by its id.
static uint32_t frame_number(struct dap *d, dbg_id id)
{
	for (size_t i = 0; i < d->frames.n; i++)
		if (d->frames.v[i].id == id)
			return d->frames.first + (uint32_t)i + 1;
	return 0;
}

static struct dbg_error *do_info(struct dap *d, struct dbg_stopped at,
				 struct request *req)
{
	struct dbg_error *err;
	const char *name = NULL;
	uint32_t number = 0, frame = 0;
	struct handle h = {0};
	const struct dbg_value *v = NULL;

	err = args_need(req->args, "name");
	if (!err)
		err = args_str(req->args, "name", &name);
	if (!err)
		err = args_u32(req->args, "variablesReference", &number);
	if (!err)
		err = args_u32(req->args, "frameId", &frame);
	if (err)
		return err;
	if (!number) {
		add_info(req->body, frame, name);
		return NULL;
	}
	err = handles_find(&d->values, number, "variable", &h);
	if (!err)
		err = variable_find(at, &h, name, &v);
	if (!err) {
		add_info(req->body, frame_number(d, h.frame), v->path);
		return NULL;
	}
	// not to be watched: an answer, with the reason
	str_add(req->body, "\"dataId\":null");
	emit_str(req->body, "description", err->message);
	dbg_error_destroy(err);
	return NULL;
}

static struct dbg_error *get_access(const cJSON *item, enum dbg_watch *ret)
{
	const char *name = access_names[DBG_WATCH_WRITE];

	struct dbg_error *err = args_word(item, "accessType", &name);
	if (err)
		return err;
	for (size_t i = 0; i < N_ACCESS; i++)
		if (!strcmp(name, access_names[i])) {
			*ret = (enum dbg_watch)i;
			return NULL;
		}
	return dbg_err_arg("'accessType' must be read, write or readWrite, not "
			   "'%s'",
			   name);
}

static struct dbg_error *data_break_put(struct dap *d, const cJSON *item,
					struct str *t)
{
	struct break_spec s = {
	    .req = {.kind = DBG_BREAK_WATCH, .object = true, .quiet = true},
	};
	const char *id = NULL;
	struct handle h = {0};

	struct dbg_error *err = args_need(item, "dataId");
	if (!err)
		err = args_str(item, "dataId", &id);
	if (!err)
		err = args_str(item, "condition", &s.condition);
	if (!err)
		err = args_str(item, "hitCondition", &s.req.hits);
	if (!err)
		err = get_access(item, &s.req.access);
	if (err)
		return err;
	const char *colon = strchr(id, ':');
	_cleanup_free_ char *digits =
	    xstrndup(id, colon ? (size_t)(colon - id) : 0);
	uint64_t frame = 0;
	if (!colon || !args_parse_addr(digits, &frame) || frame > INT32_MAX)
		return dbg_err_arg("'%s' is no dataId", id);
	s.req.text = colon + 1;
	// of an earlier stop: in another frame it may be another variable
	if (frame && dbg_err_drop(handles_find(&d->frames, (uint32_t)frame,
					       "frame", &h)))
		s.fault = "its frame is of an earlier stop: pick it again";
	s.req.frame = h.id;
	breaks_put(d, "data", NULL, &s, t);
	return NULL;
}

static struct dbg_error *do_set(struct dap *d, struct request *req)
{
	const cJSON *list = NULL;
	const cJSON *item;

	struct dbg_error *err = args_array(req->args, "breakpoints", &list);
	if (err)
		return err;
	breaks_begin(&d->breaks, "data");
	emit_array(req->body, "breakpoints");
	cJSON_ArrayForEach(item, list)
	{
		if (!err)
			err = data_break_put(d, item, req->body);
	}
	emit_array_end(req->body);
	breaks_end(d, "data");
	return err;
}

const struct dap_request req_data[] = {
    {"dataBreakpointInfo", "supportsDataBreakpoints", 0, .stopped = do_info},
    {"setDataBreakpoints", NULL, 0, .run = do_set},
    {0},
};
