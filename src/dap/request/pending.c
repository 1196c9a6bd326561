/* The evaluation that goes on, from its request to the answer. */
#include "dap/request/pending.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "front/cli/netcoredbg.h"

void pending_deinit(struct pending *p)
{
	free(p->command);
	free(p->name);
	free(p->expr);
	*p = (struct pending){0};
}

struct dbg_error *pending_begin(struct dap *d, struct dbg_stopped at,
				struct request *req,
				const struct pending_request *is)
{
	struct pending *p = &d->pending;
	struct dbg_error *err = dbg_eval_begin(at, &is->eval);

	if (err)
		return err;
	pending_deinit(p);
	*p = (struct pending){
	    .active = true,
	    .request = *req,
	    .command = xstrdup(req->command),
	    .name = xstrdup(is->name ? is->name : ""),
	    .expr = xstrdup(is->eval.expr),
	    .is = *is,
	};
	p->request.command = p->command;
	req->deferred = true;
	return NULL;
}

struct dbg_error *pending_cancel(struct dap *d, int64_t seq)
{
	bool is_this = d->pending.active && seq == d->pending.request.seq;

	return is_this ? dbg_eval_cancel(d->dbg) : NULL;
}

// The client shows the error in the place of a value: mark it as an error.
static struct dbg_error *as_value(const struct dap *d, const struct pending *p,
				  struct dbg_error *err)
{
	unsigned int number = err->cs;

	if (d->options->netcoredbg)
		return netcoredbg_error(err, "error", p->expr);
	if (!number)
		return dbg_err_prefix(err, "error");
	err->cs = 0;
	return dbg_err_prefix(err, "error CS%04u", number);
}

static void add_answer(struct dap *d, const struct pending *p,
		       const struct dbg_value *v)
{
	struct str *t = p->request.body;

	if (p->is.key) {
		variable_add_value(d, t, p->is.key, v, &p->is.style);
		return;
	}
	emit_array(t, "variables");
	emit_object(t, NULL);
	emit_str(t, "name", p->name);
	variable_add_value(d, t, "value", v, &p->is.style);
	emit_str(t, "evaluateName", v->path);
	emit_object_end(t);
	emit_array_end(t);
}

void pending_over(struct dap *d)
{
	_cleanup_str_ struct str body = {0};
	struct pending p = d->pending;
	struct dbg_value v;
	bool shown = dbg_state(d->dbg) == DBG_STOPPED;

	if (!p.active)
		return;
	d->pending = (struct pending){0};
	p.request.body = &body;
	struct dbg_error *err = dbg_eval_result(d->dbg, &v);
	if (!err)
		add_answer(d, &p, &v);
	else if (!p.is.plain)
		err = as_value(d, &p, err);
	bool written = !err && p.is.changes;
	// an evaluation that threw may have changed something as well
	bool changed =
	    written || (err && err->code == DBG_E_STATE && p.is.changes);
	dap_answer(d, &p.request, err);
	if (shown && changed)
		variable_assigned(d);
	if (shown && written)
		variable_written(d, &v);
	pending_deinit(&p);
}
