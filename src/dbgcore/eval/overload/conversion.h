/*
 * Conversions (ECMA-334, 10): which one there is, and carrying it out.
 *
 * Lambdas, which are bound for given types of their parameters.
 */
#ifndef EVAL_CONVERSION_H
#define EVAL_CONVERSION_H

#include "eval/bind/bind_priv.h"

enum conversion {
	CONVERSION_NONE,
	CONVERSION_IDENTITY,
	CONVERSION_NUMERIC,
	CONVERSION_CONSTANT, /* of an int constant that fits */
	CONVERSION_NULL,
	CONVERSION_NULLABLE,
	CONVERSION_REFERENCE,
	CONVERSION_BOX,
	CONVERSION_LAMBDA,
	CONVERSION_GROUP,
	CONVERSION_UNTYPED, /* default, new(), ... */
	CONVERSION_TUPLE,
	CONVERSION_COLLECTION,
	CONVERSION_INTERPOLATED,
	CONVERSION_INLINE_ARRAY, /* to a span */
	CONVERSION_USER,
};

/* The implicit conversion of @v to @to. */
enum conversion conversion_find(struct binder *b, const struct bound *v,
				struct type *to);
/* ... between types alone. */
enum conversion conversion_of_types(struct binder *b, struct type *from,
				    struct type *to);
/* The method of the group @v that a call with arguments of these types is of;
 * ret->method NULL: none. */
DBG_MUST struct dbg_error *group_resolve(struct binder *b,
					 const struct bound *v,
					 struct type *const *params, size_t n,
					 struct choice *ret);
/* Convert implicitly; an error that names both. */
DBG_MUST struct dbg_error *convert(struct binder *b, struct bound *v,
				   struct type *to, struct bound **ret);
/* Convert as a cast does. */
DBG_MUST struct dbg_error *convert_cast(struct binder *b, struct bound *v,
					struct type *to, struct bound **ret);
bool type_is_numeric(const struct type *type);

/* A lambda that was bound for some types of its parameters. */
struct lambda_memo {
	struct lambda_memo *next;
	const struct expr *syntax;
	const struct bound_lambda *outer;
	struct type **types;
	size_t n;
	struct bound_lambda *lambda; /* NULL: it failed */
	const char *why;             /* then */
	struct type *ret;            /* of its body; NULL: it has no type */
};

/*
 * Bind the lambda @x with parameters of these types. *ret_ret: the type of
 * its body, NULL: it has none (null, throw). False: it cannot be bound.
 */
bool lambda_bind(struct binder *b, const struct expr *x,
		 struct type *const *types, size_t n, struct bound_lambda **ret,
		 struct type **ret_ret);
/* Why the last lambda_bind of @x failed; NULL: none did. */
const char *lambda_refused(const struct binder *b, const struct expr *x);
/* Why the lambda does not fit a delegate of this signature. */
DBG_MUST struct dbg_error *lambda_fault(struct binder *b, const struct expr *x,
					const struct type_sig *sig,
					struct type *to);
DBG_MUST struct dbg_error *lambda_convert(struct binder *b,
					  const struct expr *x, struct type *to,
					  struct bound **ret);
/* Note that the code being bound uses @var. */
void lambda_use(struct binder *b, struct bound_var *var);

/*
 * Enter the body of @l: names are then looked up as they are known there. Pass
 * the result to lambda_leave.
 */
struct name_scope *lambda_enter(struct binder *b, struct bound_lambda *l);
void lambda_leave(struct binder *b, const struct bound_lambda *l,
		  struct name_scope *names);
/* The lambda @v as the Func or Action that its parameters' types make it. */
DBG_MUST struct dbg_error *
lambda_natural(struct binder *b, const struct bound *v, struct bound **ret);

#endif
