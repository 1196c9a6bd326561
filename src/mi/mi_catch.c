/*
 * Catchpoints: gdb's -catch-throw, -catch-load and the like, and netcoredbg's
 * -break-exception-insert, which becomes the same request.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/err.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

static struct dbg_error *add(struct mi *m, const struct dbg_break_req *req,
			     struct str *t)
{
	uint32_t number;
	struct dbg_error *err = dbg_break_add(m->dbg, req, &number);

	return err ? err : mi_break_put_one(m, t, number);
}

// [-t] [-r TYPES]: gdb's regular expression is a list of types here.
static struct dbg_error *take(const struct mi_call *call,
			      struct dbg_break_req *req)
{
	for (size_t i = 0; i < call->args.n; i++) {
		if (!strcmp(call->args.v[i], "-t"))
			req->temporary = true;
		else if (!strcmp(call->args.v[i], "-r") && i + 1 < call->args.n)
			req->text = call->args.v[++i];
		else
			return mi_usage(call);
	}
	return NULL;
}

static struct dbg_error *catch_throw(struct mi *m, struct mi_call *call)
{
	struct dbg_break_req req = {.kind = DBG_BREAK_THROW};

	struct dbg_error *err = take(call, &req);
	return err ? err : add(m, &req, call->out);
}

static struct dbg_error *catch_rethrow(struct mi *m, struct mi_call *call)
{
	struct dbg_break_req req = {.kind = DBG_BREAK_THROW,
				    .catches.again = true};

	struct dbg_error *err = take(call, &req);
	return err ? err : add(m, &req, call->out);
}

static struct dbg_error *catch_catch(struct mi *m, struct mi_call *call)
{
	struct dbg_break_req req = {.kind = DBG_BREAK_CAUGHT};

	struct dbg_error *err = take(call, &req);
	return err ? err : add(m, &req, call->out);
}

static struct dbg_error *catch_user(struct mi *m, struct mi_call *call)
{
	struct dbg_break_req req = {.kind = DBG_BREAK_USER_UNHANDLED};

	struct dbg_error *err = take(call, &req);
	return err ? err : add(m, &req, call->out);
}

static struct dbg_error *catch_unhandled(struct mi *m, struct mi_call *call)
{
	struct dbg_break_req req = {.kind = DBG_BREAK_UNHANDLED};

	struct dbg_error *err = take(call, &req);
	return err ? err : add(m, &req, call->out);
}

// [-t] [-d] REGEXP
static struct dbg_error *catch_module(struct mi *m, const struct mi_call *call,
				      enum dbg_break_kind kind)
{
	struct dbg_break_req req = {.kind = kind};
	bool enabled = true;
	uint32_t number;
	size_t i = 0;

	for (; i < call->args.n && *call->args.v[i] == '-'; i++) {
		if (!strcmp(call->args.v[i], "-t"))
			req.temporary = true;
		else if (!strcmp(call->args.v[i], "-d"))
			enabled = false;
		else
			return mi_usage(call);
	}
	if (i + 1 != call->args.n)
		return mi_usage(call);
	req.text = call->args.v[i];
	struct dbg_error *err = dbg_break_add(m->dbg, &req, &number);
	if (!err && !enabled)
		err = dbg_break_enable(m->dbg, number, false);
	return err ? err : mi_break_put_one(m, call->out, number);
}

static struct dbg_error *catch_load(struct mi *m, struct mi_call *call)
{
	return catch_module(m, call, DBG_BREAK_LOAD);
}

static struct dbg_error *catch_unload(struct mi *m, struct mi_call *call)
{
	return catch_module(m, call, DBG_BREAK_UNLOAD);
}

/* ---- netcoredbg's ------------------------------------------------------ */

static struct dbg_error *stage_of(const char *word, enum dbg_break_kind *ret)
{
	if (!strcmp(word, "throw"))
		*ret = DBG_BREAK_THROW;
	else if (!strcmp(word, "user-unhandled"))
		*ret = DBG_BREAK_USER_UNHANDLED;
	else if (!strcmp(word, "throw+user-unhandled"))
		*ret = DBG_BREAK_THROW;
	else if (!strcmp(word, "unhandled"))
		*ret = DBG_BREAK_UNHANDLED;
	else
		return dbg_err(DBG_E_ARGUMENT, "Unknown exception stage: %.80s",
			       word);
	return NULL;
}

static struct dbg_error *add_number(struct mi *m, struct dbg_break_req *req,
				    const char *type, struct str *t)
{
	uint32_t number;

	req->text = strcmp(type, "*") ? type : NULL;
	req->catches.exact = req->text;
	struct dbg_error *err = dbg_break_add(m->dbg, req, &number);
	if (err)
		return err;
	record_tuple(t, NULL);
	record_uint(t, "number", number);
	record_tuple_end(t);
	return NULL;
}

static struct dbg_error *exception_insert(struct mi *m, struct mi_call *call)
{
	struct dbg_break_req req = {0};
	struct dbg_error *err;
	size_t i = !strcmp(call->args.v[0], "--mda");

	m->dialect = MI_NETCOREDBG;
	if (call->args.n < i + 2)
		return mi_usage(call);
	err = stage_of(call->args.v[i++], &req.kind);
	if (err)
		return err;
	bool several = call->args.n > i + 1;
	struct str t = {0};
	for (; !err && i < call->args.n; i++)
		err = add_number(m, &req, call->args.v[i], &t);
	str_addf(call->out, several ? "bkpt=[%s]" : "bkpt=%s", str_get(&t));
	str_deinit(&t);
	return err;
}

static struct dbg_error *exception_delete(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err = NULL;
	uint64_t number;

	m->dialect = MI_NETCOREDBG;
	for (size_t i = 0; !err && i < call->args.n; i++) {
		err = mi_number(call->args.v[i], UINT32_MAX, &number);
		if (!err)
			err = dbg_break_delete(m->dbg, (uint32_t)number);
	}
	return err;
}

static const char options[] = "[-t] [-r TYPES]";

const struct mi_cmd mi_catch_cmds[] = {
    {"catch-throw", MI_BREAKS, options, 0, 3, .run = catch_throw},
    {"catch-rethrow", MI_BREAKS, options, 0, 3, .run = catch_rethrow},
    {"catch-user-unhandled", MI_BREAKS, options, 0, 3, .run = catch_user},
    {"catch-unhandled", MI_BREAKS, options, 0, 3, .run = catch_unhandled},
    {"catch-catch", MI_BREAKS, options, 0, 3, .run = catch_catch},
    {"catch-load", MI_BREAKS, "[-t] [-d] REGEXP", 1, 3, .run = catch_load},
    {"catch-unload", MI_BREAKS, "[-t] [-d] REGEXP", 1, 3, .run = catch_unload},
    {"break-exception-insert", MI_BREAKS, "[--mda] STAGE *|TYPE...", 1, MI_ANY,
     .run = exception_insert},
    {"break-exception-delete", MI_BREAKS, "NUMBER...", 1, MI_ANY,
     .run = exception_delete},
    {.name = NULL},
};
