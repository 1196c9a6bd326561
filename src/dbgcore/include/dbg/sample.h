/*
 * dbg.h: where the threads of a running program spend their time.
 *
 * The program is neither stopped nor traced: the kernel copies the top of the
 * stack of a thread that runs, many times a second, and the stack of one that
 * is blocked is read as it lies there. How long each thread has run, waited for
 * a processor and been blocked is what the kernel has counted; samples tell
 * what of it was where.
 */
#ifndef DBG_SAMPLE_H
#define DBG_SAMPLE_H

#include "dbg/process.h"

enum dbg_sample_kind {
	DBG_SAMPLE_MANAGED,
	DBG_SAMPLE_NATIVE,
	DBG_SAMPLE_THREAD, /* the thread itself, the root of its stacks */
	DBG_SAMPLE_STATE,  /* what it waits for: "[lock]"; or "[kernel]" */
};

struct dbg_sample_frame {
	/* Of unnamed code its image; foreign text. */
	const char *name;
	const char *module; /* file name, "" if there is none */
	enum dbg_sample_kind kind;
	bool own; /* managed, and not the framework's */
};

/* A stack: a frame that its parent has called, and the time spent there. */
struct dbg_sample_node {
	uint32_t parent; /* index; of the first, the root of all, itself */
	uint32_t frame, thread;
	/* Nanoseconds in this frame itself. */
	uint64_t run, wait, blocked;
};

struct dbg_sample_thread {
	pid_t tid;
	const char *name;
	uint64_t run, wait, blocked;
	uint64_t samples;
};

struct dbg_profile {
	const struct dbg_sample_frame *frames;
	size_t n_frames;
	/* Parents before what they have called. */
	const struct dbg_sample_node *nodes;
	size_t n_nodes;
	const struct dbg_sample_thread *threads;
	size_t n_threads;
	uint64_t began, ended; /* nanoseconds of CLOCK_MONOTONIC */
	/* quality of the profile: */
	uint64_t samples;     /* of running threads */
	uint64_t lost;        /* records of the kernel, samples and switches */
	uint64_t looks, torn; /* at blocked ones; they ran on meanwhile */
	uint64_t broken;      /* stacks of both whose beginning is missing */
	/* Stacks of async calls that were resumed, and those to which whoever
	 * awaits them was joined. */
	uint64_t resumed, joined;
	/*
	 * Nanoseconds for which threads were blocked between two looks, and at
	 * neither: they count for the places that were found then.
	 */
	uint64_t guessed;
	bool kernel; /* was time in the kernel sampled? */
	/* a sentence on what is missing and why; NULL: nothing */
	const char *note;
};

struct dbg_sampler;

struct dbg_sample_request {
	uint32_t hertz; /* samples a second of processor time, 1 to 10,000 */
	/*
	 * Of an async call that was resumed: show who awaits it, in place of
	 * what has resumed it.
	 */
	bool async;
};

/*
 * Begin. The session must have no program; it looks at this one until
 * dbg_sampler_close(). DBG_E_STATE: the process is stopped; DBG_E_TARGET: no
 * right to look at it; DBG_E_NOT_FOUND.
 */
DBG_MUST struct dbg_error *
dbg_sampler_open(struct dbg *dbg, pid_t pid,
		 const struct dbg_sample_request *req,
		 struct dbg_sampler **ret);
/* A descriptor that polls readable when dbg_sampler_read() has work. */
int dbg_sampler_fd(const struct dbg_sampler *s);
/* Take what has come; *ret_ended: the program has ended. */
void dbg_sampler_read(struct dbg_sampler *s, bool *ret_ended);
/* So many samples have come so far. */
uint64_t dbg_sampler_samples(const struct dbg_sampler *s);
/* The major version of the program's runtime, 0: not known. */
uint32_t dbg_sampler_runtime(const struct dbg_sampler *s);
/* End it; the profile lives until dbg_sampler_close(). */
const struct dbg_profile *dbg_sampler_stop(struct dbg_sampler *s);
/* NULL is allowed. */
void dbg_sampler_close(struct dbg_sampler *s);

#endif
