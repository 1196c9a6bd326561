/* What the files of stack/ share. */
#ifndef STACK_STACK_PRIV_H
#define STACK_STACK_PRIV_H

#include "base/map.h"
#include "stack/stack.h"

/* A thread and what of its stack was walked in this stop. */
struct stack_thread {
	pid_t tid;
	uint32_t number;
	bool started, done;     /* the walk */
	struct dac_walk *walk;  /* open while started and not done */
	struct dac_frame ahead; /* walked but not looked at */
	bool has_ahead;
	const struct frame **frames;
	size_t n_frames, cap_frames;
};

struct stack {
	struct target *target;
	struct dac *dac; /* NULL: no runtime */
	struct code *code;
	struct arena *arena;           /* of the stop */
	struct stack_thread **threads; /* by number, holes where one went */
	size_t n_threads, cap_threads;
	struct map by_tid;
	uint32_t n_walked; /* frames of all threads in this stop */

	/* The runtime's threads of this stop, read when asked for. */
	bool managed_read;
	struct dac_thread *managed;
	size_t n_managed;
	struct dbg_thread *list;
	size_t n_list;
	/* Where a managed Thread object of this type keeps its name. */
	uint64_t name_type;
	uint32_t name_offset;
};

/* The thread with number @number, NULL if there is none. */
struct stack_thread *stack_thread_get(struct stack *s, uint32_t number);
/* Forget what was walked. */
void stack_thread_reset(struct stack_thread *t);

#endif
