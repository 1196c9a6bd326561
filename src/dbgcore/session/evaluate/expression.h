/* Expressions of the API's, with or without calls: api_value.c. */
#ifndef SESSION_EXPRESSION_H
#define SESSION_EXPRESSION_H

#include <stdbool.h>

#include "dbg/values.h"

struct dbg;
struct eval;

struct session_expression {
	const char *expr;
	const char *value; /* is assigned to @expr; NULL: nothing is */
	bool assigns;      /* an assignment in @expr is carried out */
	bool exceptions;   /* what it throws is its value */
	bool typed;        /* of what only the program can evaluate, the type */
};

/*
 * Carry it out in the frame of @e. With e->calls wanting a call or a string
 * nothing was written yet, and there is an error.
 */
DBG_MUST struct dbg_error *session_evaluate(struct dbg *dbg,
					    const struct eval *e,
					    const struct session_expression *x,
					    struct dbg_value *ret);

/* Evaluate in a frame (0: the newest one), without calls. */
DBG_MUST struct dbg_error *
session_evaluate_at(struct dbg_stopped at, dbg_id frame,
		    const struct session_expression *x, struct dbg_value *ret);

#endif
