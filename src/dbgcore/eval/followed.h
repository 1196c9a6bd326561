/*
 * Values that stay good for a stop though calls are made in it, which let the
 * collector move objects: the objects that they refer to, by number. Their
 * addresses, and the program's handles by which it follows them, are kept up
 * by whoever makes the calls (session/evaluate/evaluation.c).
 */
#ifndef EVAL_FOLLOWED_H
#define EVAL_FOLLOWED_H

#include "value/value.h"

enum {
	FOLLOWED_MAX = 64,
	FOLLOWED_WORDS = 2 /* references in one value */
};

struct followed_object {
	uint64_t object; /* 0: nobody knows where it is */
	uint64_t handle; /* 0: it has none yet */
};

struct followed {
	uint32_t age; /* counts what followed_clear ended */
	size_t n;
	struct followed_object v[FOLLOWED_MAX];
};

/* A copy of a value, taken by followed_take. */
struct followed_value {
	struct value value;
	uint32_t age;
	bool is_kept;                    /* no: it cannot be followed */
	uint8_t objects[FOLLOWED_WORDS]; /* number in followed from 1 */
};

/* Follow nothing any more; values taken before become invalid. */
void followed_clear(struct followed *f);
/*
 * Take what @v is now. Not followed: what lies in an object and is larger than
 * two words, what refers to a place, to what the interpreter has made, or to
 * more objects than there is room for.
 */
void followed_take(struct followed *f, struct values *ts, const struct value *v,
		   struct followed_value *ret);
/* The value as it is now; false: it is not known any more. */
bool followed_get(const struct followed *f, const struct followed_value *k,
		  struct value *ret);

#endif
