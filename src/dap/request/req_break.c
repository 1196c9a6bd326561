/*
 * Requests that make breakpoints: on lines, functions, instructions and
 * exceptions, and where in a line there may be one. Each reads its arguments
 * into a struct break_spec; breaks.c does the rest.
 */
#include <string.h>

#include "base/mem.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"

enum {
	BREAKS_MAX = 100000
};

static struct dbg_error *get_list(const cJSON *args, const char *name,
				  const cJSON **ret)
{
	const cJSON *item;

	struct dbg_error *err = args_array(args, name, ret);
	if (err)
		return err;
	if (cJSON_GetArraySize(*ret) > BREAKS_MAX)
		return dbg_err_arg("'%s' has more than %d entries", name,
				   BREAKS_MAX);
	cJSON_ArrayForEach(item, *ret)
	{
		if (!cJSON_IsObject(item))
			return dbg_err_arg("'%s' must hold objects only", name);
	}
	return NULL;
}

static struct dbg_error *get_common(const cJSON *item, struct break_spec *s)
{
	struct dbg_error *err = args_str(item, "condition", &s->condition);

	if (!err)
		err = args_str(item, "hitCondition", &s->req.hits);
	if (!err)
		err = args_str(item, "logMessage", &s->req.log);
	return err;
}

/* ---- setBreakpoints -------------------------------------------------- */

static struct dbg_error *get_path(const cJSON *args, char **ret)
{
	const cJSON *source = NULL;
	const char *path = NULL;

	struct dbg_error *err = args_need(args, "source");
	if (!err)
		err = args_object(args, "source", &source);
	if (!err)
		err = args_str(source, "path", &path);
	if (!err && !path)
		err = args_str(source, "name", &path);
	if (!err && (!path || !*path))
		err = dbg_err_arg("'source' names no file");
	return err ? err : body_path(path, ret);
}

static uint32_t from_client(uint32_t n, bool from_0)
{
	return n + from_0;
}

static struct dbg_error *put_line(struct dap *d, const char *group,
				  const char *path, const cJSON *item,
				  struct str *t)
{
	struct break_spec s = {0};
	uint32_t line = 0, column = 0;

	struct dbg_error *err = args_need(item, "line");
	if (!err)
		err = args_u32(item, "line", &line);
	if (!err)
		err = args_u32(item, "column", &column);
	if (!err)
		err = get_common(item, &s);
	if (err)
		return err;
	s.line = from_client(line, d->client.lines_from_0);
	if (args_get(item, "column"))
		s.column = from_client(column, d->client.columns_from_0);
	s.req.kind = DBG_BREAK_LOCATION;
	s.req.place = (struct dbg_place){.kind = DBG_PLACE_LINE,
					 .file = path,
					 .line = s.line,
					 .column = s.column};
	breaks_put(d, group, path, &s, t);
	return NULL;
}

// The oldest form: `lines` alone.
static struct dbg_error *put_lines(struct dap *d, const char *group,
				   const char *path, const cJSON *args,
				   struct str *t)
{
	const cJSON *lines = NULL;
	const cJSON *item;

	struct dbg_error *err = args_array(args, "lines", &lines);
	cJSON_ArrayForEach(item, lines)
	{
		if (err)
			break;
		cJSON line = *item;
		cJSON holder = {.type = cJSON_Object, .child = &line};
		char name[] = "line";
		line.string = name;
		line.next = NULL;
		err = put_line(d, group, path, &holder, t);
	}
	return err;
}

static struct dbg_error *do_set_breakpoints(struct dap *d, struct request *req)
{
	struct dbg_error *err;
	_cleanup_free_ char *path = NULL;
	const cJSON *list = NULL;
	const cJSON *item;

	err = get_path(req->args, &path);
	if (!err)
		err = get_list(req->args, "breakpoints", &list);
	if (err)
		return err;
	_cleanup_free_ char *group = xasprintf("source %s", path);
	breaks_begin(&d->breaks, group);
	emit_array(req->body, "breakpoints");
	cJSON_ArrayForEach(item, list)
	{
		if (!err)
			err = put_line(d, group, path, item, req->body);
	}
	if (!err && !list)
		err = put_lines(d, group, path, req->args, req->body);
	emit_array_end(req->body);
	breaks_end(d, group);
	return err;
}

/* ---- breakpointLocations --------------------------------------------- */

static struct dbg_error *do_locations(struct dap *d, struct request *req)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct str *t = req->body;
	_cleanup_free_ char *path = NULL;
	uint32_t line = 0, end = 0;
	struct dbg_source_range *list = NULL;
	size_t n = 0;

	struct dbg_error *err = get_path(req->args, &path);
	if (!err)
		err = args_need(req->args, "line");
	if (!err)
		err = args_u32(req->args, "line", &line);
	if (!err)
		err = args_u32(req->args, "endLine", &end);
	if (err)
		return err;
	line = from_client(line, d->client.lines_from_0);
	end = args_get(req->args, "endLine")
		  ? from_client(end, d->client.lines_from_0)
		  : line;
	err = dbg_source_points(d->dbg, path, line, end, arena, &list, &n);
	if (err) {
		// nothing is known before the program's code is there
		dbg_error_destroy(err);
		n = 0;
	}
	emit_array(t, "breakpoints");
	for (size_t i = 0; i < n; i++) {
		emit_object(t, NULL);
		emit_int(t, "line", body_line(d, list[i].line));
		emit_int(t, "column", body_column(d, list[i].column));
		emit_int(t, "endLine", body_line(d, list[i].end_line));
		emit_int(t, "endColumn", body_column(d, list[i].end_column));
		emit_object_end(t);
	}
	emit_array_end(t);
	return NULL;
}

/* ---- Functions and instructions -------------------------------------- */

static struct dbg_error *do_set_functions(struct dap *d, struct request *req)
{
	const cJSON *list = NULL;
	const cJSON *item;

	struct dbg_error *err = get_list(req->args, "breakpoints", &list);
	if (err)
		return err;
	breaks_begin(&d->breaks, "function");
	emit_array(req->body, "breakpoints");
	cJSON_ArrayForEach(item, list)
	{
		struct break_spec s = {.req.kind = DBG_BREAK_LOCATION};
		if (!err)
			err = args_need(item, "name");
		if (!err)
			err = args_str(item, "name", &s.req.place.text);
		if (!err)
			err = get_common(item, &s);
		if (!err)
			breaks_put(d, "function", NULL, &s, req->body);
	}
	emit_array_end(req->body);
	breaks_end(d, "function");
	return err;
}

static struct dbg_error *put_instruction(struct dap *d, const cJSON *item,
					 struct str *t)
{
	struct break_spec s = {.req.kind = DBG_BREAK_LOCATION};
	const char *ref = NULL;
	int64_t offset = 0;
	uint64_t addr = 0;

	struct dbg_error *err = args_need(item, "instructionReference");
	if (!err)
		err = args_str(item, "instructionReference", &ref);
	if (!err)
		err = args_i64(item, "offset", &offset);
	if (!err)
		err = get_common(item, &s);
	if (!err && !args_parse_addr(ref, &addr))
		err = dbg_err_arg("'%s' is not an address", ref);
	if (err)
		return err;
	s.req.place = (struct dbg_place){.kind = DBG_PLACE_ADDRESS,
					 .addr = addr + (uint64_t)offset};
	breaks_put(d, "instruction", NULL, &s, t);
	return NULL;
}

static struct dbg_error *do_set_instructions(struct dap *d, struct request *req)
{
	const cJSON *list = NULL;
	const cJSON *item;

	struct dbg_error *err = get_list(req->args, "breakpoints", &list);
	if (err)
		return err;
	breaks_begin(&d->breaks, "instruction");
	emit_array(req->body, "breakpoints");
	cJSON_ArrayForEach(item, list)
	{
		if (!err)
			err = put_instruction(d, item, req->body);
	}
	emit_array_end(req->body);
	breaks_end(d, "instruction");
	return err;
}

/* ---- Exceptions ------------------------------------------------------ */

struct filter {
	const char *id, *label, *description;
	enum dbg_break_kind kind;
	bool on, typed; /* by default; takes a condition: types */
};

static const struct filter filters[] = {
    {"all", "All Exceptions", "Stops when an exception is thrown.",
     DBG_BREAK_THROW, false, true},
    {"user-unhandled", "User-Unhandled Exceptions",
     "Stops when no code of the user's will catch an exception.",
     DBG_BREAK_USER_UNHANDLED, true, true},
    {"unhandled", "Unhandled Exceptions",
     "Stops when nothing will catch an exception, before the program ends.",
     DBG_BREAK_UNHANDLED, true, false},
};

enum {
	N_FILTERS = sizeof(filters) / sizeof(*filters)
};

void capabilities_more(struct str *t)
{
	emit_array(t, "exceptionBreakpointFilters");
	for (size_t i = 0; i < N_FILTERS; i++) {
		const struct filter *f = &filters[i];
		emit_object(t, NULL);
		emit_str(t, "filter", f->id);
		emit_str(t, "label", f->label);
		emit_str(t, "description", f->description);
		emit_bool(t, "default", f->on);
		emit_bool(t, "supportsCondition", f->typed);
		if (f->typed)
			emit_str(t, "conditionDescription",
				 "Types with commas or blanks between; ! in "
				 "front: all but these");
		emit_object_end(t);
	}
	emit_array_end(t);
	emit_bool(t, "supportsExceptionFilterOptions", true);
	emit_bool(t, "supportsExceptionOptions", true);
	emit_bool(t, "supportsConditionalBreakpoints", true);
	emit_bool(t, "supportsHitConditionalBreakpoints", true);
	emit_bool(t, "supportsLogPoints", true);
	emit_bool(t, "supportsValueFormattingOptions", true);
	emit_bool(t, "supportsClipboardContext", true);
	emit_bool(t, "supportSuspendDebuggee", true);
	emit_array(t, "completionTriggerCharacters");
	emit_str(t, NULL, ".");
	emit_array_end(t);
}

static const struct filter *find_filter(const char *id)
{
	for (size_t i = 0; i < N_FILTERS; i++)
		if (!strcmp(filters[i].id, id))
			return &filters[i];
	return NULL;
}

static struct dbg_error *put_id(struct dap *d, const char *id,
				const char *types, struct str *t)
{
	const struct filter *f = find_filter(id);

	if (!f)
		return dbg_err_arg("there is no exception filter '%s'", id);
	if (types && *types && !f->typed)
		return dbg_err_arg("the filter '%s' takes no condition", id);
	struct break_spec s = {.req.kind = f->kind, .req.text = types};
	s.req.catches.exact = types && *types;
	s.req.catches.again = f->kind == DBG_BREAK_USER_UNHANDLED;
	breaks_put(d, "exception", NULL, &s, t);
	return NULL;
}

/* ---- exceptionOptions ------------------------------------------------ */

struct mode {
	const char *name;
	const char *filter; /* NULL: nothing stops */
};

static const struct mode modes[] = {
    {"never", NULL},
    {"always", "all"},
    {"unhandled", "unhandled"},
    {"userUnhandled", "user-unhandled"},
};

// The types that a path ends in: its last segment's names.
static struct dbg_error *path_types(const cJSON *option, struct str *ret)
{
	const cJSON *path = NULL;
	const cJSON *names = NULL;
	const cJSON *name;
	bool negate = false;

	struct dbg_error *err = args_array(option, "path", &path);
	if (err || !path)
		return err;
	const cJSON *last =
	    cJSON_GetArrayItem(path, cJSON_GetArraySize(path) - 1);
	if (!last || cJSON_GetArraySize(path) < 2)
		return NULL; // a category: all of it
	err = args_bool(last, "negate", &negate);
	if (!err)
		err = args_array(last, "names", &names);
	cJSON_ArrayForEach(name, names)
	{
		if (!cJSON_IsString(name))
			return dbg_err_arg("'names' must hold strings only");
		str_add(ret, ret->len ? "," : negate ? "!" : "");
		str_add(ret, name->valuestring);
	}
	return err;
}

static struct dbg_error *put_option(struct dap *d, const cJSON *option,
				    struct str *t)
{
	_cleanup_str_ struct str types = {0};
	const char *name = "";

	struct dbg_error *err = args_word(option, "breakMode", &name);
	if (!err)
		err = path_types(option, &types);
	if (err)
		return err;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (strcmp(modes[i].name, name))
			continue;
		if (modes[i].filter)
			return put_id(d, modes[i].filter,
				      types.len ? str_get(&types) : NULL, t);
		emit_object(t, NULL);
		emit_bool(t, "verified", true);
		emit_object_end(t);
		return NULL;
	}
	return dbg_err_arg("'breakMode' is not '%s'", name);
}

static struct dbg_error *put_filters(struct dap *d, const cJSON *args,
				     struct str *t)
{
	const cJSON *ids = NULL, *options = NULL, *old = NULL;
	const cJSON *item;

	struct dbg_error *err = args_array(args, "filters", &ids);
	if (!err)
		err = get_list(args, "filterOptions", &options);
	if (!err)
		err = get_list(args, "exceptionOptions", &old);
	cJSON_ArrayForEach(item, ids)
	{
		if (!err && !cJSON_IsString(item))
			err = dbg_err_arg("'filters' must hold strings only");
		if (!err)
			err = put_id(d, item->valuestring, NULL, t);
	}
	cJSON_ArrayForEach(item, options)
	{
		const char *id = "";
		const char *types = NULL;
		if (!err)
			err = args_str(item, "filterId", &id);
		if (!err)
			err = args_str(item, "condition", &types);
		if (!err)
			err = put_id(d, id, types, t);
	}
	cJSON_ArrayForEach(item, old)
	{
		if (!err)
			err = put_option(d, item, t);
	}
	return err;
}

static struct dbg_error *do_set_exceptions(struct dap *d, struct request *req)
{
	breaks_begin(&d->breaks, "exception");
	emit_array(req->body, "breakpoints");
	struct dbg_error *err = put_filters(d, req->args, req->body);
	emit_array_end(req->body);
	breaks_end(d, "exception");
	return err;
}

const struct dap_request req_break[] = {
    {"setBreakpoints", NULL, 0, .run = do_set_breakpoints},
    {"breakpointLocations", "supportsBreakpointLocationsRequest", 0,
     .run = do_locations},
    {"setFunctionBreakpoints", "supportsFunctionBreakpoints", 0,
     .run = do_set_functions},
    {"setInstructionBreakpoints", "supportsInstructionBreakpoints", 0,
     .run = do_set_instructions},
    {"setExceptionBreakpoints", NULL, 0, .run = do_set_exceptions},
    {0},
};
