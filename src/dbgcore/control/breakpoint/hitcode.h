/*
 * Expressions of a breakpoint, compiled for each address where it is hit
 * (eval/framecode.h): its condition, or what its message shows.
 *
 * At the first hit at an address all threads are stopped, the runtime is asked
 * for the frame, and an expression is evaluated as one of a user's is. It is
 * compiled for that address at the same time and, if its code gives the same
 * answer there, that alone is asked at later hits, with no other thread stopped
 * and without the runtime.
 */
#ifndef CONTROL_HITCODE_H
#define CONTROL_HITCODE_H

#include "inspect/inspect.h"

struct bp;
struct control;
struct frame_code;

struct hit_code {
	uint64_t addr;
	struct frame_code **v; /* of each expression; NULL: none (yet) */
	size_t n;
	uint64_t serial; /* of the machine that it is for */
	unsigned int tries;
};

/* Compiled expressions of a breakpoint, by the address of the hit. */
struct hit_codes {
	struct hit_code *v;
	size_t n, cap;
};

/*
 * Result of running compiled code where the right answer is known: none (the
 * code would have to ask the runtime), the same, or another one.
 */
enum hit_verdict {
	HIT_UNKNOWN,
	HIT_SAME,
	HIT_OTHER
};

/* The expressions of a hit, which were just evaluated in the general way. */
struct hit_question {
	const char *const *texts; /* the expressions */
	size_t n;
	bool truth; /* they are conditions */
	/* Compare the code's results with @answer. */
	enum hit_verdict (*compare)(struct control *c, const struct hit_code *k,
				    const struct regs *regs,
				    const void *answer);
	const void *answer;
};

/*
 * Get the record of compiled expressions for hits of @bp at the pc of @regs;
 * borrowed until the next call. NULL: there can be none, since a thread may be
 * at a GC safe point there.
 */
struct hit_code *hit_code_find(const struct bp *bp, struct hit_codes *codes,
			       const struct regs *regs);
/*
 * Run the code of expression @i (from 0); false: it has no answer. It may read
 * facts from the runtime only while all threads are stopped.
 */
bool hit_code_ask(struct control *c, const struct hit_code *k, size_t i,
		  const struct regs *regs, struct value *ret);
/* Compile @q for the address of a hit (all threads stopped). */
void hit_code_prepare(struct control *c, struct hit_code *k,
		      const struct inspect_at *at, const struct regs *regs,
		      const struct hit_question *q);
/* Drop all code: the expressions or the loaded modules have changed. */
void hit_codes_forget(struct hit_codes *codes);

#endif
