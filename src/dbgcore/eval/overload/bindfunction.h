/* Arguments about the caller; see bindfunction.c. */
#ifndef EVAL_BINDFUNCTION_H
#define EVAL_BINDFUNCTION_H

#include "eval/overload/overload.h"

/*
 * The argument that the compiler passes for the optional parameter @p because
 * of a caller-info attribute (System.Runtime.CompilerServices); NULL: it has
 * none, or the value is not known.
 */
struct bound *caller_argument(struct binder *b, const struct call *c,
			      const struct candidate *k,
			      const struct type_param *p);

#endif
