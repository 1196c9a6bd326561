/* Conversions (ECMA-334, 10): which one there is, and carrying it out. */
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

#endif
