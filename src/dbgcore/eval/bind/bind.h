/*
 * Expressions bound by C#'s rules, and their values: what is a place of the
 * program is read there, all else is compiled to IL and executed by the
 * machine, which never touches the program.
 */
#ifndef EVAL_BIND_H
#define EVAL_BIND_H

#include "eval/eval.h"
#include "eval/syntax/statement.h"

/* The value of @x, a part of @text. Needs e->vm. */
DBG_MUST struct dbg_error *bind_evaluate(const struct eval *e, const char *text,
					 const struct expr *x,
					 struct value *ret);
/*
 * Get the type that the expression has by C#'s rules, in *ret, an absent value.
 */
DBG_MUST struct dbg_error *bind_value_type(const struct eval *e,
					   const char *text,
					   const struct expr *x,
					   struct value *ret);
/*
 * Fail if something is wrong with the expression that can be known without
 * evaluating it.
 */
DBG_MUST struct dbg_error *bind_check(const struct eval *e, const char *text,
				      const struct expr *x);
/* ... as a condition. */
DBG_MUST struct dbg_error *bind_check_condition(const struct eval *e,
						const char *text,
						const struct expr *x);
/* Evaluate a condition; an error if it is no bool. */
DBG_MUST struct dbg_error *bind_condition(const struct eval *e,
					  const char *text,
					  const struct expr *x, bool *ret);

enum {
	BIND_PARAMS_MAX = 16 /* variables that compiled code uses */
};

/* An expression whose variables are parameters: see framecode.h. */
struct bind_code {
	struct type_method *method; /* (closure: null, parameters) */
	struct type *type;          /* what it returns */
	const struct var_origin *origins[BIND_PARAMS_MAX];
	struct type *types[BIND_PARAMS_MAX];
	size_t n;
};

/* With @truth it is converted to bool. The method lives in @e's arena. */
DBG_MUST struct dbg_error *bind_compile(const struct eval *e, const char *text,
					const struct expr *x, bool truth,
					struct bind_code *ret);

/* An assignment; the sides may be parts of different texts. */
struct bind_assignment {
	const char *text; /* of the target */
	const struct expr *target;
	enum op op; /* of a compound one; OP_NONE */
	const char *value_text;
	const struct expr *value;
	const struct value *old; /* of `x++` and the like; NULL: it is none */
	/*
	 * The value of the whole, if that is not what the place holds then: a
	 * setter may do what it likes. NULL: nobody asks.
	 */
	struct value *assigned;
};

/* Fail if `target ??= value` is wrong, whatever value the target has now. */
DBG_MUST struct dbg_error *bind_coalesce_check(const struct eval *e,
					       const struct bind_assignment *a);
/* Is @x a variable or the like, or a property or an indexer with a setter? */
bool bind_is_assignable(const struct eval *e, const char *text,
			const struct expr *x);
/*
 * Does the assignment to @target do nothing, since what a ?. of it is asked of
 * is null (C# 14)?
 */
DBG_MUST struct dbg_error *bind_assign_skips(const struct eval *e,
					     const char *text,
					     const struct expr *target,
					     bool *ret);
/* Carry it out: *ret is the place that was written. */
DBG_MUST struct dbg_error *bind_assign(const struct eval *e,
				       const struct bind_assignment *a,
				       struct value *ret);
/*
 * Carry out `a = b = c`, which @x is: of targets that are the same whatever
 * is evaluated and written before. All values are known, and all places found
 * to be such that they can be written, before any is. *ret is the place of a.
 */
DBG_MUST struct dbg_error *bind_assign_chain(const struct eval *e,
					     const char *text,
					     const struct expr *x,
					     struct value *ret);

/*
 * Carry out the assignments of @values to @targets, variables that the program
 * has, @n of them: all values and places are known before any is written, and
 * no call is made. *ret is the last place.
 */
DBG_MUST struct dbg_error *bind_assign_each(const struct eval *e,
					    const char *text,
					    const struct expr *const *targets,
					    const struct expr *const *values,
					    size_t n, struct value *ret);

#endif
