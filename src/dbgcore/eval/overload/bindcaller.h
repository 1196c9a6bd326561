/* Arguments about the caller; see bindcaller.c. */
#ifndef EVAL_BINDCALLER_H
#define EVAL_BINDCALLER_H

#include "eval/overload/overload.h"

/*
 * The argument that the compiler passes for the optional parameter @p because
 * of a caller-info attribute (System.Runtime.CompilerServices); NULL: it has
 * none, or the value is not known.
 */
struct bound *caller_argument(struct binder *b, const struct call *c,
			      const struct candidate *k,
			      const struct type_param *p);
/*
 * The metadata name of the method in whose text the frame is; NULL: it is in
 * none.
 */
const char *caller_method(struct binder *b);

#endif
