/*
 * Async calls that were resumed: whoever awaits them is on no stack. The
 * session knows them by their objects, which it reads while the program runs.
 */
#ifndef SAMPLE_ASYNCOPS_H
#define SAMPLE_ASYNCOPS_H

#include "dbg.h"

/* What a method has to do with such calls. */
enum async_part {
	ASYNC_NONE,
	ASYNC_CALL,       /* a state machine's: it may be one */
	ASYNC_RESUMES,    /* the core library's: it resumes one that it calls */
	ASYNC_DISPATCHES, /* ... of runtime async, by a record in its frame */
};

/* A call that @by has resumed, on a stack that was copied a moment ago. */
struct async_resumed {
	enum async_part by;
	uint64_t method; /* MethodDesc of the call */
	/*
	 * Words in which what has resumed it may be: n_outer in a row from the
	 * call's frame on, then others.
	 */
	const uint64_t *words;
	size_t n_words, n_outer;
};

typedef void async_awaiter_fn(void *arg, const struct dbg_sample_frame *frame);

struct async_ops {
	enum async_part (*part)(void *arg, uint64_t method);
	/*
	 * Calls @fn for each call that waits for @r, the nearest first; false:
	 * it is not found, or is over.
	 */
	bool (*awaiters)(void *arg, const struct async_resumed *r,
			 async_awaiter_fn *fn, void *fn_arg);
	void *arg;
};

#endif
