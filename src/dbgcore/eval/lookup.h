/* Names in expressions: variables, members of `this`, types. */
#ifndef EVAL_LOOKUP_H
#define EVAL_LOOKUP_H

#include "eval/eval.h"
#include "eval/syntax/statement.h"

enum {
	LOOKUP_ARGS_MAX = 64 /* of a generic name */
};

/*
 * Get the variable, register or kept value that a name stands for, if it does.
 */
DBG_MUST struct dbg_error *lookup_value(const struct eval *e,
					const struct expr *x, struct value *ret,
					bool *ret_any);
/* Are extension methods of this namespace in scope? */
bool lookup_space(const struct eval *e, const char *space);
/* The class around @type, as a definition; NULL: none. */
struct type *lookup_enclosing(const struct eval *e, const struct type *type);
/*
 * A type by dotted name, relative to the scope's namespace; NULL if none is
 * known.
 */
struct type *lookup_type_name(const struct eval *e, const char *name,
			      struct expr *const *args, size_t n_args);
/* The error that copies of a module have the type; NULL: that is not so. */
DBG_MUST struct dbg_error *lookup_copies(const struct eval *e, const char *name,
					 size_t n_args);
/* The error why lookup_type has found none. */
DBG_MUST struct dbg_error *lookup_no_type(const struct eval *e,
					  const char *name,
					  struct expr *const *args,
					  size_t n_args);
/* A type as written; an error names it if it is not known. */
DBG_MUST struct dbg_error *lookup_type(const struct eval *e,
				       const struct expr *t, struct type **ret);
/*
 * The dotted name of @x, a chain of names, without its type arguments, and
 * these from the left; false if it is something else.
 */
struct dotted {
	const char *name;
	struct expr *args[LOOKUP_ARGS_MAX];
	size_t n_args;
};
bool lookup_dotted(const struct eval *e, const struct expr *x,
		   struct dotted *ret);

#endif
