/*
 * The evaluation that goes on: an expression or an assignment for which the
 * program may make calls. Its request is answered when it is over. Meanwhile
 * requests that can wait do (request_is_urgent), in their order.
 */
#ifndef DAP_REQ_VARIABLE_H
#define DAP_REQ_VARIABLE_H

#include "dap/request/request.h"
#include "dap/request/variable.h"

struct pending_request {
	struct dbg_eval_request eval;
	struct value_style style;
	/* The answer's member that has the value; NULL: it is a variable. */
	const char *key;
	const char *name; /* of that variable */
	bool empty;       /* the answer has no body */
	bool plain;       /* the error is not shown in the place of a value */
	bool changes;     /* other values may have changed: invalidate them */
};

struct pending {
	bool active;
	struct request request;
	char *command, *name, *expr;
	struct pending_request is;
};

void pending_deinit(struct pending *p);
/* Begin, and answer @req when it is over. */
DBG_MUST struct dbg_error *pending_begin(struct dap *d, struct dbg_stopped at,
					 struct request *req,
					 const struct pending_request *is);
/* The evaluation is over: answer the request. */
void pending_over(struct dap *d);
/* Give up the evaluation of the request @seq, if that goes on. */
DBG_MUST struct dbg_error *pending_cancel(struct dap *d, int64_t seq);

#endif
