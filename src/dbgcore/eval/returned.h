/* `$returnvalue`: the value returned by the call that was stepped out of. */
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
 * The value; call before the registers change. Absent without a type if the
 * method returns none, or its place is not known.
 */
struct value returned_value(struct values *ts, const struct returned *of,
			    struct arena *arena);

#endif
