/* Assignments: to places, properties, indexers, the parts of a tuple. */
#ifndef EVAL_BINDASSIGN_H
#define EVAL_BINDASSIGN_H

#include "eval/bind/bind_priv.h"

/* =, op=, ??=, and the deconstructing =. */
DBG_MUST struct dbg_error *
bind_assignment(struct binder *b, const struct expr *x, struct bound **ret);
/* ++ and --, before or behind. */
DBG_MUST struct dbg_error *bind_step(struct binder *b, const struct expr *x,
				     struct bound **ret);
/* C#'s words if @v, passed by `ref` or `out`, is no variable. */
DBG_MUST struct dbg_error *bind_by_ref(struct binder *b, const struct bound *v,
				       const struct expr *x);
/* @to = @v, converted. */
DBG_MUST struct dbg_error *assign_to(struct binder *b, struct bound *to,
				     struct bound *v, struct bound **ret);
/*
 * Take @v apart into these (names, declarations, (a, b)): the stores in the
 * order of C#. @declared: NULL, or the type that a `var` before all gave.
 */
DBG_MUST struct dbg_error *deconstruct(struct binder *b,
				       const struct expr *targets,
				       struct bound *v, struct bound **ret);
/* The parts of @v, by its type or its method Deconstruct. */
DBG_MUST struct dbg_error *deconstruct_parts(struct binder *b, struct bound *v,
					     size_t n, const struct expr *x,
					     struct bound **ret,
					     struct bound **ret_before);
/* Declare a variable, whose name is known in what is bound after it. */
struct bound *declare_var(struct binder *b, const char *name, struct type *type,
			  const struct expr *x);

#endif
