/* What a call returned that was stepped out of: `$returnvalue`. */
#ifndef EVAL_RETURNED_H
#define EVAL_RETURNED_H

#include "value/value.h"

struct arena;

/* A call that has returned just now, nothing having run since. */
struct returned {
	pid_t tid;       /* of the thread; 0: there is none */
	uint64_t method; /* MethodDesc */
	uint64_t type;   /* MethodTable of its exact class; 0: as the method's
			  */
};

/*
 * The value, to be asked for before the registers change; absent with no type
 * if there is none or it is not known where it is.
 */
struct value returned_value(struct types *ts, const struct returned *of,
			    struct arena *arena);

#endif
