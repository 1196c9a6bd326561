/* Arguments about the caller; see bindcaller.c. */
#ifndef EVAL_BINDCALLER_H
#define EVAL_BINDCALLER_H

#include "eval/overload/overload.h"

/*
 * What the compiler passes for the optional parameter @p of @k by an attribute
 * of System.Runtime.CompilerServices; NULL: it has none, or that is not known.
 */
struct bound *caller_argument(struct binder *b, const struct call *c,
			      const struct candidate *k,
			      const struct type_param *p);
/*
 * The method in whose text the frame is, by its name in metadata; NULL: it is
 * in none.
 */
const char *caller_method(struct binder *b);

#endif
