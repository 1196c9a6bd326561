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

static struct dbg_error *
catch_add(struct mi *m, const struct dbg_break_req *req, struct str *t)
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
	return err ? err : catch_add(m, &req, call->out);
}

static struct dbg_error *catch_rethrow(struct mi *m, struct mi_call *call)
{
	struct dbg_break_req req = {.kind = DBG_BREAK_THROW,
				    .catches.again = true};

	struct dbg_error *err = take(call, &req);
	return err ? err : catch_add(m, &req, call->out);
}

static struct dbg_error *catch_catch(struct mi *m, struct mi_call *call)
{
	struct dbg_break_req req = {.kind = DBG_BREAK_CAUGHT};

	struct dbg_error *err = take(call, &req);
	return err ? err : catch_add(m, &req, call->out);
}

static struct dbg_error *catch_user(struct mi *m, struct mi_call *call)
{
	struct dbg_break_req req = {.kind = DBG_BREAK_USER_UNHANDLED};

	struct dbg_error *err = take(call, &req);
	return err ? err : catch_add(m, &req, call->out);
}

static struct dbg_error *catch_unhandled(struct mi *m, struct mi_call *call)
{
	struct dbg_break_req req = {.kind = DBG_BREAK_UNHANDLED};

	struct dbg_error *err = take(call, &req);
	return err ? err : catch_add(m, &req, call->out);
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

enum {
	TWIN = 1 << 30, /* in the number of the second of a pair */
};

static bool is_twin_of(uint32_t number, uint32_t other)
{
	return number == (other | TWIN);
}

// The number of an equal one, which netcoredbg has once; 0: there is none.
static uint32_t find_equal(struct mi *m, const struct dbg_break_req *req,
			   bool both)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint *list;
	uint32_t found = 0;
	size_t n = 0;

	dbg_error_destroy(dbg_break_list(m->dbg, arena, &list, &n));
	for (size_t i = 0; i < n && !found; i++) {
		const struct dbg_breakpoint *b = &list[i];
		bool pair = false;

		for (size_t k = 0; k < n; k++)
			pair |= is_twin_of(list[k].number, b->number);
		if (b->kind == req->kind && pair == both &&
		    !strcmp(b->text ? b->text : "", req->text ? req->text : ""))
			found = b->number;
	}
	return found;
}

// Add a catchpoint; with @both also one for user-unhandled exceptions, which
// makes the second stop of the same throw.
static struct dbg_error *add_pair(struct mi *m, const struct dbg_break_req *req,
				  bool both, uint32_t *ret)
{
	struct dbg_break_req second = *req;
	uint32_t number;

	*ret = find_equal(m, req, both);
	if (*ret)
		return NULL;
	struct dbg_error *err = dbg_break_add(m->dbg, req, ret);
	if (err || !both)
		return err;
	second.kind = DBG_BREAK_USER_UNHANDLED;
	second.catches.again = true;
	second.number = *ret | TWIN;
	return dbg_break_add(m->dbg, &second, &number);
}

/* The arguments of -break-exception-insert, without the type. */
struct exception_wish {
	enum dbg_break_kind kind;
	bool both; /* where it is thrown, and if user code does not catch it */
	bool mda; /* a managed debugging assistant, which CoreCLR has none of */
};

static struct dbg_error *add_number(struct mi *m,
				    const struct exception_wish *wish,
				    const char *type, struct str *t)
{
	_cleanup_free_ char *text =
	    xasprintf("%s%s", wish->mda ? "MDA." : "", type);
	// the second stop of a throw that stopped another
	struct dbg_break_req req = {.kind = wish->kind,
				    .catches.again =
					wish->kind == DBG_BREAK_USER_UNHANDLED};
	uint32_t number;

	req.text = strcmp(text, "*") ? text : NULL;
	req.catches.exact = req.text;
	struct dbg_error *err = add_pair(m, &req, wish->both, &number);
	if (err)
		return err;
	record_tuple(t, NULL);
	record_uint(t, "number", number);
	record_tuple_end(t);
	return NULL;
}

static struct dbg_error *exception_insert(struct mi *m, struct mi_call *call)
{
	struct exception_wish wish = {.mda = !strcmp(call->args.v[0], "--mda")};
	struct dbg_error *err;
	size_t i = wish.mda;

	mi_dialect(m, MI_NETCOREDBG);
	if (call->args.n < i + 2)
		return mi_usage(call);
	wish.both = !strcmp(call->args.v[i], "throw+user-unhandled");
	err = stage_of(call->args.v[i++], &wish.kind);
	if (err)
		return err;
	bool several = call->args.n > i + 1;
	struct str t = {0};
	for (; !err && i < call->args.n; i++)
		err = add_number(m, &wish, call->args.v[i], &t);
	str_addf(call->out, several ? "bkpt=[%s]" : "bkpt=%s", str_get(&t));
	str_deinit(&t);
	return err;
}

static struct dbg_error *exception_delete(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err = NULL;
	uint64_t number;

	mi_dialect(m, MI_NETCOREDBG);
	for (size_t i = 0; !err && i < call->args.n; i++) {
		err = mi_number(call->args.v[i], UINT32_MAX, &number);
		if (err)
			break;
		dbg_error_destroy(
		    dbg_break_delete(m->dbg, (uint32_t)number | TWIN));
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
