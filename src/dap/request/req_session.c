/*
 * `initialize`, `launch`, `attach`, `configurationDone`, `restart`,
 * `terminate`, `disconnect`, `cancel`. How the program is started and ended is
 * in launch/lifecycle.c.
 */
#include <signal.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"

enum {
	GRACE_MS = 3000 /* for a program that was asked to end */
};

static struct dbg_error *take_client(struct client *c, const cJSON *args)
{
	const char *format = "path";
	bool lines1 = true, columns1 = true;
	const struct {
		const char *name;
		bool *to;
	} bools[] = {
	    {"linesStartAt1", &lines1},
	    {"columnsStartAt1", &columns1},
	    {"supportsVariableType", &c->variable_type},
	    {"supportsVariablePaging", &c->paging},
	    {"supportsRunInTerminalRequest", &c->run_in_terminal},
	    {"supportsProgressReporting", &c->progress},
	    {"supportsInvalidatedEvent", &c->invalidated},
	    {"supportsMemoryEvent", &c->memory_event},
	    {"supportsStartDebuggingRequest", &c->start_debugging},
	};

	const char *adapter = "coreclr", *id = "";

	struct dbg_error *err = args_word(args, "pathFormat", &format);
	if (!err)
		err = args_word(args, "adapterID", &adapter);
	if (!err)
		err = args_word(args, "clientID", &id);
	for (size_t i = 0; !err && i < sizeof(bools) / sizeof(*bools); i++)
		err = args_bool(args, bools[i].name, bools[i].to);
	if (err)
		return err;
	str_set(&c->adapter, adapter);
	c->lines_from_0 = !lines1;
	c->columns_from_0 = !columns1;
	// VS Code takes the text from there as an index, to filter by it.
	c->starts_from_0 = !columns1 || !strcmp(id, "vscode");
	c->uris = !strcmp(format, "uri");
	if (!c->uris && strcmp(format, "path"))
		return dbg_err_arg("'pathFormat' must be path or uri, not '%s'",
				   format);
	return NULL;
}

static struct dbg_error *do_initialize(struct dap *d, struct request *req)
{
	struct str *t = req->body;

	if (d->initialized)
		return dbg_err(DBG_E_STATE, "'initialize' comes once");
	struct dbg_error *err = take_client(&d->client, req->args);
	// where editors expect a method to begin
	if (!err)
		err = dbg_set(d->dbg, "skip-opening-brace", "off");
	if (err)
		return err;
	request_capabilities(t);
	capabilities_more(t);
	d->initialized = true;
	dap_event(d, "initialized");
	dap_send(d);
	return NULL;
}

static struct dbg_error *session_open(struct dap *d, struct request *req,
				      bool attach)
{
	if (d->launching || d->start != DAP_START_NONE)
		return dbg_err(DBG_E_STATE, "a program was started already");
	struct dbg_error *err = setup_take(d, req->args, attach);
	if (err)
		return err;
	d->launching = true;
	d->launch_seq = req->seq;
	req->deferred = true;
	return NULL;
}

static struct dbg_error *do_launch(struct dap *d, struct request *req)
{
	return session_open(d, req, false);
}

static struct dbg_error *do_attach(struct dap *d, struct request *req)
{
	return session_open(d, req, true);
}

static struct dbg_error *do_configuration_done(struct dap *d,
					       struct request *req)
{
	(void)req;
	d->configured = true;
	return NULL;
}

static struct dbg_error *do_disconnect(struct dap *d, struct request *req)
{
	bool terminate = !d->setup.attach;
	bool suspend = false;

	struct dbg_error *err =
	    args_bool(req->args, "terminateDebuggee", &terminate);
	if (!err)
		err = args_bool(req->args, "suspendDebuggee", &suspend);
	if (err)
		return err;
	d->quit = true;
	begin_answer(d, dbg_err(DBG_E_INTERRUPTED, "the client has left"));
	if (dbg_state(d->dbg) == DBG_IDLE)
		return NULL;
	return terminate && dbg_can_run(d->dbg) ? dbg_kill(d->dbg)
						: dbg_detach(d->dbg, suspend);
}

static struct dbg_error *do_terminate(struct dap *d, struct request *req)
{
	(void)req;
	if (dbg_state(d->dbg) == DBG_IDLE && d->launching) {
		// it waits for its terminal
		begin_cancel(d);
		begin_terminated(d);
		return NULL;
	}
	if (dbg_state(d->dbg) == DBG_IDLE)
		return dbg_err(DBG_E_STATE, "there is no program");
	if (!dbg_can_run(d->dbg)) {
		begin_terminated(d);
		return NULL;
	}
	if (d->timers[TIMER_KILL]) {
		// asked twice: it does not mean to end
		d->timers[TIMER_KILL] = 0;
		return dbg_kill(d->dbg);
	}

	struct dbg_error *err = dbg_signal_send(d->dbg, SIGTERM);

	if (dbg_err_drop(err))
		return dbg_kill(d->dbg);
	dap_timer(d, TIMER_KILL, GRACE_MS);
	progress_start(d, PROGRESS_END, 0);
	struct dbg_stopped at;
	if (dbg_err_drop(dbg_stopped(d->dbg, &at)))
		return NULL;
	// it is to run its own end, which no breakpoint may keep
	breaks_disable(d);
	d->tell_continued = true;
	return dbg_continue(at, 0);
}

static struct dbg_error *do_restart(struct dap *d, struct request *req)
{
	const cJSON *args = NULL;

	if (d->setup.attach)
		return dbg_err(DBG_E_STATE, "a process that was attached to "
					    "cannot be restarted");
	if (d->launching)
		return dbg_err(DBG_E_STATE, "the program is being started");
	struct dbg_error *err = args_object(req->args, "arguments", &args);
	if (!err && args)
		err = setup_take(d, args, false);
	if (!err && !d->setup.launch.program)
		err = dbg_err(DBG_E_STATE, "there is no program to restart");
	if (err)
		return err;
	if (dbg_state(d->dbg) == DBG_IDLE) {
		d->restart = DAP_RESTART_NOW;
		return NULL;
	}
	d->restart = DAP_RESTART_AT_END;
	// what stood is gone: the client is not to show it until the next stop
	if (dbg_state(d->dbg) == DBG_STOPPED)
		events_tell_continued(d);
	return dbg_kill(d->dbg);
}

// A start that waits is given up. Anything else that it names was carried out
// already, or was heard of while it was.
static struct dbg_error *do_cancel(struct dap *d, struct request *req)
{
	const char *id = "";
	int64_t seq = 0;

	struct dbg_error *err = args_str(req->args, "progressId", &id);
	if (!err)
		err = args_i64(req->args, "requestId", &seq);
	if (err)
		return err;
	err = pending_cancel(d, seq);
	if (err)
		return err;
	d->cancel_start = (d->launching && seq && seq == d->launch_seq) ||
			  progress_is(d, PROGRESS_TERMINAL, id);
	return NULL;
}

const struct dap_request req_session[] = {
    {"initialize", NULL, REQ_ANYTIME, .run = do_initialize},
    {"launch", NULL, REQ_BY_HAND, .run = do_launch},
    {"attach", NULL, REQ_BY_HAND, .run = do_attach},
    {"configurationDone", "supportsConfigurationDoneRequest", 0,
     .run = do_configuration_done},
    {"disconnect", "supportTerminateDebuggee",
     REQ_ANYTIME | REQ_BY_HAND | REQ_URGENT, .run = do_disconnect},
    {"terminate", "supportsTerminateRequest", REQ_BY_HAND | REQ_URGENT,
     .run = do_terminate},
    {"restart", "supportsRestartRequest", REQ_BY_HAND | REQ_URGENT,
     .run = do_restart},
    {"cancel", "supportsCancelRequest", 0, .run = do_cancel},
    {0},
};
