/*
 * Exception objects in words: type, message, the stack recorded in them, and
 * the exceptions within.
 */
#ifndef INSPECT_EXCEPTION_H
#define INSPECT_EXCEPTION_H

#include "dbg.h"

struct arena;
struct inspect;

/* Objects that belong to an exception, by address; 0 is null. */
struct exception_datum {
	uint64_t key, value;
};
struct exception_parts {
	uint64_t *inner; /* exceptions within */
	size_t n_inner;
	struct exception_datum *data; /* of Exception.Data */
	size_t n_data;
};

/* Is there an object of System.Exception or a class derived from it? */
bool exception_is(struct inspect *in, uint64_t addr);
/*
 * Describe the exception object at @addr in @arena, all but its depth and
 * data. False if there is no object. (All stopped.)
 */
bool exception_get(struct inspect *in, uint64_t addr, struct arena *arena,
		   struct dbg_exception *ret, struct exception_parts *parts);
/*
 * Add the exception's recorded frames to @ret, without those that the runtime
 * hides.
 */
void exception_frames(struct inspect *in, uint64_t addr, struct arena *arena,
		      struct dbg_exception *ret);
/*
 * If the exception of @stop was caught and thrown again from elsewhere: the
 * stack of its throw, which it recorded, is shown first. (All stopped.)
 */
void exception_list_thrown(struct inspect *in, const struct dbg_stop *stop,
			   struct arena *arena);
/* Fill in the exception of a stop from its object at @addr. */
void exception_describe(struct inspect *in, uint64_t addr, struct arena *arena,
			struct dbg_stop *stop);

#endif
