/* Declarations and deconstructions as whole statements; see binddeclare.c. */
#ifndef EVAL_BINDDECLARE_H
#define EVAL_BINDDECLARE_H

#include "eval/bind/bind.h"
#include "eval/bind/bind_priv.h"

/* Is @x a declaration, or an assignment to several targets? */
bool declare_is(const struct expr *x);
/* Carry it out: *ret is the value of the last variable. */
DBG_MUST struct dbg_error *bind_declare(const struct eval *e, const char *text,
					const struct expr *x,
					struct value *ret);
/* An `out` argument declares @var: keep it once the expression is evaluated. */
void declare_note(struct binder *b, struct bound_var *var);
/* The value of @body, and those that are noted for the names they have. */
DBG_MUST struct dbg_error *declare_noted(struct binder *b, struct bound *body,
					 struct value *ret);
/* z = value of a declared variable; see bind_assignment. */
DBG_MUST struct dbg_error *declare_assign(struct binder *left,
					  struct binder *right,
					  const struct bind_assignment *a,
					  struct value *ret);

#endif
