/*
 * Long work as the client sees it: `progressStart`, `progressUpdate`,
 * `progressEnd` for waits of the adapter and for requests that are carried out
 * in pieces, with a look for `cancel` between two.
 */
#include "dap/wire/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"

struct wait {
	const char *id, *title;
	bool cancellable;
};

static const struct wait waits[N_PROGRESS] = {
    [PROGRESS_TERMINAL] = {"terminal", "Waiting for the terminal", true},
    [PROGRESS_END] = {"end", "Waiting for the program to end", false},
};

void progress_start(struct dap *d, enum progress_kind kind, int64_t request)
{
	const struct wait *w = &waits[kind];

	d->waits[kind] = true;
	if (!d->client.progress)
		return;
	struct str *t = dap_event(d, "progressStart");
	emit_str(t, "progressId", w->id);
	emit_str(t, "title", w->title);
	if (request)
		emit_int(t, "requestId", request);
	emit_bool(t, "cancellable", w->cancellable);
	dap_send(d);
}

void progress_end(struct dap *d, enum progress_kind kind)
{
	if (!d->waits[kind])
		return;
	d->waits[kind] = false;
	if (!d->client.progress)
		return;
	struct str *t = dap_event(d, "progressEnd");
	emit_str(t, "progressId", waits[kind].id);
	dap_send(d);
}

bool progress_is(const struct dap *d, enum progress_kind kind, const char *id)
{
	return d->waits[kind] && !strcmp(waits[kind].id, id);
}

/* ---- Requests in pieces ---------------------------------------------- */

// The first piece starts it.
static void tell_piece(struct dap *d, const struct request *req, struct work *w)
{
	struct str *t =
	    dap_event(d, w->told ? "progressUpdate" : "progressStart");

	emit_strf(t, "progressId", "%" PRId64, req->seq);
	if (!w->told) {
		emit_str(t, "title", w->title);
		emit_int(t, "requestId", req->seq);
		emit_bool(t, "cancellable", true);
	}
	emit_strf(t, "message", "%" PRIu64 " %s", w->done, w->unit);
	w->told = true;
	dap_send_now(d);
}

struct dbg_error *work_piece(struct dap *d, const struct request *req,
			     struct work *w)
{
	if (d->client.progress)
		tell_piece(d, req, w);
	if (!dap_hear_cancel(d, req->seq))
		return NULL;
	return dbg_err(DBG_E_INTERRUPTED, "cancelled");
}

void work_end(struct dap *d, const struct request *req, const struct work *w)
{
	if (!w->told)
		return;
	struct str *t = dap_event(d, "progressEnd");
	emit_strf(t, "progressId", "%" PRId64, req->seq);
	emit_strf(t, "message", "%" PRIu64 " %s", w->done, w->unit);
	dap_send_now(d);
}
