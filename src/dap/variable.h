/* What the families of variables, expressions and watches share. */
#ifndef DAP_VARIABLE_H
#define DAP_VARIABLE_H

#include "handle.h"
#include "request.h"
#include "text.h"

/*
 * The members that a variable and a result have in common. @key: "value" or
 * "result"; @frame: where the value's expression means it.
 */
void variable_add_value(struct dap *d, struct text *t, const char *key,
			const struct dbg_value *v, dbg_id frame);
/* The variable @name of the container @h, which has an expression. */
DBG_MUST struct dbg_error *variable_find(struct dap *d, const struct handle *h,
					 const char *name,
					 const struct dbg_value **ret);
/* Assign the request's `value` to the expression @target, and answer. */
DBG_MUST struct dbg_error *variable_assign(struct dap *d, struct request *req,
					   dbg_id frame, const char *target);
/* Tell the client that what it shows may have changed. */
void variable_assigned(struct dap *d);

#endif
