/* Expressions that are bound by declared types, to be evaluated repeatedly. */
#ifndef EVAL_BINDPARAM_H
#define EVAL_BINDPARAM_H

#include "eval/bind/bind.h"
#include "eval/bind/bind_priv.h"

/* The arguments and slots of the frame's method that an expression uses. */
struct frame_params {
	const struct var_origin *origins[BIND_PARAMS_MAX];
	struct bound_var *vars[BIND_PARAMS_MAX];
	size_t n;
};

/*
 * The variable that a simple name stands for, as a parameter or a field of
 * one; *ret NULL: it stands for none. What only has a value (a register, an
 * object of the history) is refused.
 */
DBG_MUST struct dbg_error *param_name(struct binder *b, const struct expr *x,
				      struct bound **ret);
/* The same for a variable that is already known. */
DBG_MUST struct dbg_error *param_variable(struct binder *b,
					  const struct var *var,
					  const struct expr *x,
					  struct bound **ret);

#endif
