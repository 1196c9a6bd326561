/*
 * Variable objects: expressions that the client watches, and their children.
 *
 * One outlives the stops; what is known of its value dies with each, and is
 * asked for anew by its expression, or, if it has none, by its place among the
 * children of its parent. It is evaluated in the frame where it was made
 * (fixed), found again by its stack, or in the one that is selected
 * (floating). Parents precede their children in the list.
 */
#ifndef MI_MI_VAR_H
#define MI_MI_VAR_H

#include <stdbool.h>
#include <stdint.h>

#include "dbg.h"

struct mi;
struct mi_call;

struct var {
	char *name;         /* var1.x */
	char *exp;          /* x */
	char *path;         /* expression, NULL: none, see @at */
	struct var *parent; /* NULL: a root */
	uint64_t at;        /* among the parent's children */
	bool floating, frozen, gone;
	bool called;                   /* its value was given by a call */
	uint64_t stop;                 /* CALLED: in which, by m->stops */
	char *given;                   /* ... its natural text */
	uint32_t group, thread, token; /* of the frame */
	uint64_t frame;                /* its stack; 0: fixed to none */
	char format;                   /* x d o t z, 'n': natural */
	uint64_t from, to; /* children that updates tell; to 0: all */

	/* As the client knows it. */
	char *type, *text;
	uint64_t n_children;
	bool in_scope;

	/* the value is of the present stop if this is the session's number */
	uint64_t seen;
	struct dbg_value value;
};
/* Read v->value anew in the present stop. */
DBG_MUST struct dbg_error *var_look(struct mi *m, struct var *v);
/* Keep what v->value says as what the client knows. */
void var_told(struct mi *m, struct var *v);
/* The value's text in its own or another format; freed by the caller. */
char *var_text(struct mi *m, struct var *v, char format);
uint64_t var_count(const struct dbg_value *v);

/* ---- mi_var.c: shared by the commands -------------------------------- */

void mi_vars_deinit(struct mi *m);
/* The one that argument @i names. */
DBG_MUST struct dbg_error *var_get(struct mi *m, const struct mi_call *call,
				   size_t i, struct var **ret);
/* "editable" or "noneditable". */
const char *var_attributes(struct mi *m, const struct var *v);
/* FROM TO at argument @i, or nothing. */
DBG_MUST struct dbg_error *var_range(const struct mi_call *call, size_t i,
				     uint64_t *from, uint64_t *to);

#endif
