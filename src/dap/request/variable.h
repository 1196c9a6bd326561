/* Shared by the requests about variables, expressions and watches. */
#ifndef DAP_VARIABLE_H
#define DAP_VARIABLE_H

#include "dap/request/handle.h"
#include "dap/request/request.h"
#include "base/str.h"

/* How to show values. */
struct value_style {
	dbg_id frame; /* where their expressions mean them */
	char letter;  /* as of dbg_format; 0: none */
	bool no_hint; /* the answer has no place for one */
};

/* The style that `format` in the arguments asks for. */
DBG_MUST struct dbg_error *variable_style(const cJSON *args,
					  struct value_style *ret);
/* The variable @name of the container @h, which has an expression. */
DBG_MUST struct dbg_error *variable_find(struct dbg_stopped at,
					 const struct handle *h,
					 const char *name,
					 const struct dbg_value **ret);
/* Assign the request's `value` to the expression @target, and answer. */
DBG_MUST struct dbg_error *variable_assign(struct dap *d, struct dbg_stopped at,
					   struct request *req, dbg_id frame,
					   const char *target);
/* Tell the client that any value may have changed, so that it asks anew. */
void variable_assigned(struct dap *d);

#endif
