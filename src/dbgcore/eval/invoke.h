/* Members whose value is what a method returns, which is interpreted. */
#ifndef EVAL_INVOKE_H
#define EVAL_INVOKE_H

#include "eval/eval.h"

/*
 * The value of property (or, with arguments, indexer) @name of the settled
 * value @v. *ret_any is false if there is no such property.
 */
DBG_MUST struct dbg_error *
invoke_property(const struct eval *e, const struct value *v, const char *name,
		const struct value *args, size_t n_args, struct value *ret,
		bool *ret_any);
/* The same of a static property of @type. */
DBG_MUST struct dbg_error *
invoke_static_property(const struct eval *e, struct type *type,
		       const char *name, struct value *ret, bool *ret_any);

#endif
