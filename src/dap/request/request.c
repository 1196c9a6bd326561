/*
 * The table of requests: each family is in a req_*.c; the dispatcher checks
 * what an entry needs (a program, a stop), carries it out and answers. The
 * capabilities that `initialize` announces come from the same table.
 */
#include "dap/request/request.h"

#include <string.h>

#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"

/*
 * Tables of all families, ended by NULL. Each table ends with an entry without
 * a name.
 */
static const struct dap_request *const request_families[] = {
    req_session,  req_break, req_data, req_run,    req_stack,
    req_variable, req_value, req_code, req_memory, NULL,
};

static const struct dap_request *request_find(const char *name)
{
	for (size_t i = 0; request_families[i]; i++)
		for (const struct dap_request *r = request_families[i]; r->name;
		     r++)
			if (!strcmp(r->name, name))
				return r;
	return NULL;
}

void request_capabilities(struct str *t)
{
	for (size_t i = 0; request_families[i]; i++)
		for (const struct dap_request *r = request_families[i]; r->name;
		     r++)
			if (r->capability)
				emit_bool(t, r->capability, true);
}

static struct dbg_error *no_program(void)
{
	return dbg_err(DBG_E_STATE, "there is no program");
}

struct dbg_error *request_stop(struct dap *d, struct dbg_stopped *ret)
{
	if (dbg_state(d->dbg) == DBG_IDLE)
		return no_program();
	if (d->held)
		return dbg_err(DBG_E_STATE,
			       "the program waits for 'configurationDone'");
	return dbg_stopped(d->dbg, ret);
}

static struct dbg_error *request_check(struct dap *d,
				       const struct dap_request *r,
				       struct dbg_stopped *ret_at)
{
	if (!d->initialized && !(r->flags & REQ_ANYTIME))
		return dbg_err(DBG_E_STATE,
			       "'%s' must wait for the answer to 'initialize'",
			       r->name);
	if (r->stopped)
		return request_stop(d, ret_at);
	if ((r->flags & REQ_NEEDS_PROCESS) && dbg_state(d->dbg) == DBG_IDLE)
		return no_program();
	return NULL;
}

static struct dbg_error *carry_out(struct dap *d, struct request *req)
{
	const struct dap_request *r = request_find(req->command);

	if (!r)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "the request '%s' is not known", req->command);
	if (args_get(req->args, "arguments") &&
	    !cJSON_IsObject(args_get(req->args, "arguments")))
		return dbg_err_arg("'arguments' must be an object");
	req->by_hand = r->flags & REQ_BY_HAND;
	struct dbg_stopped at;
	struct dbg_error *err = request_check(d, r, &at);
	if (err)
		return err;
	// an absent member is what an empty object has
	const cJSON *args = args_get(req->args, "arguments");
	cJSON none = {.type = cJSON_Object};
	req->args = args ? args : &none;
	return r->stopped ? r->stopped(d, at, req) : r->run(d, req);
}

bool request_is_urgent(const struct dap *d, const cJSON *message)
{
	const cJSON *command = args_get(message, "command");
	const cJSON *id = args_get(args_get(message, "arguments"), "requestId");
	const struct dap_request *r =
	    cJSON_IsString(command) ? request_find(command->valuestring) : NULL;

	// a cancel of a request that still waits is answered in its turn
	if (r && !strcmp(r->name, "cancel"))
		return !cJSON_IsNumber(id) ||
		       id->valuedouble == (double)d->pending.request.seq;
	return !r || (r->flags & REQ_URGENT);
}

void request_take(struct dap *d, const cJSON *message)
{
	_cleanup_str_ struct str body = {0};
	const char *type = "";
	const char *command = NULL;
	int64_t seq = 0;

	struct dbg_error *err = args_str(message, "type", &type);
	if (!err)
		err = args_i64(message, "seq", &seq);
	if (!err && !strcmp(type, "response")) {
		dap_answered(d, message);
		return;
	}
	if (!err && strcmp(type, "request"))
		err = dbg_err_arg("a message must be a request or a response");
	if (!err)
		err = args_str(message, "command", &command);
	if (!err && !command)
		err = dbg_err_arg("a request must name its command");
	struct request req = {.seq = seq,
			      .command = command ? command : "",
			      .args = message,
			      .body = &body};
	d->answering = true;
	d->tell_continued = false;
	if (!err && inbox_cancels(&d->in, seq))
		err = dbg_err(DBG_E_INTERRUPTED, "cancelled");
	if (!err)
		err = carry_out(d, &req);
	d->answering = false;
	if (!req.deferred || err)
		dap_answer(d, &req, err);
	dap_late_events(d);
	begin_try(d);
}
