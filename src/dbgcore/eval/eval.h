/*
 * Expressions: the engine's one entry for them. A subset of C#, evaluated
 * over the stopped program without running code in it.
 *
 * token.c makes tokens, expr.c a tree, eval.c evaluates it (operators in
 * arith.c, names in lookup.c), assign.c writes. What C# would answer by a call
 * is refused in one sentence, except property getters that only return a field.
 */
#ifndef EVAL_EVAL_H
#define EVAL_EVAL_H

#include "eval/scope.h"
#include "value/value.h"

struct eval {
	struct types *types;
	const struct scope *scope; /* never NULL, may be empty */
	uint64_t exception;        /* object of $exception, 0: none */
	struct arena *arena;       /* for the result */
};

/* Value of an expression, not settled. */
DBG_MUST struct dbg_error *eval_value(const struct eval *e, const char *text,
				      struct value *ret);
/* Assign: *ret is the place that was written. */
DBG_MUST struct dbg_error *eval_assign(const struct eval *e, const char *target,
				       const char *value, struct value *ret);
/* Value of @text; if it is an assignment, that is carried out. */
DBG_MUST struct dbg_error *eval_statement(const struct eval *e,
					  const char *text, struct value *ret,
					  bool *ret_assigned);
/* Type that @text names, or NULL in *ret if it names none. */
struct type *eval_type(const struct eval *e, const char *text);
/* Truth of a condition; an error if it is not a bool. */
DBG_MUST struct dbg_error *eval_condition(const struct eval *e,
					  const char *text, bool *ret);
/* Is @text a well-formed expression? For conditions before they are set. */
DBG_MUST struct dbg_error *eval_check(const char *text);

#endif
