/* Declarations shared by the files of stack/. */
#ifndef STACK_STACK_PRIV_H
#define STACK_STACK_PRIV_H

#include "base/map.h"
#include "stack/stack.h"
#include "target/arch.h"

/* A displayed frame. */
struct display_frame {
	const struct frame *frame;
	uint32_t first; /* managed frames from here to it are folded */
	bool external;  /* it stands for all that follow it in a row */
};

/* A growing list. */
struct raw_list {
	struct dac_frame *v;
	size_t n, cap;
};

/* A thread, and what was walked of its stack in this stop. */
struct stack_thread {
	pid_t tid;
	uint32_t number;
	bool started, done;     /* the walk */
	struct dac_walk *walk;  /* open while started and not done */
	struct dac_frame ahead; /* walked but not looked at */
	bool has_ahead;
	struct frame **frames;
	size_t n_frames, cap_frames;
	struct raw_list between; /* passed over since the newest of these */

	struct display_frame *display;
	size_t n_display, cap_display;
	uint32_t n_taken; /* of frames into shown */
	uint32_t folded;  /* first of frames not in shown */
	bool all_shown;

	/* Kept longer than the stop: see stack_thread_idles. */
	bool of_program, idles;
	struct regs idle; /* with these */
};

/* Frames of this stop that begin the list of @thread: see stack_thrown. */
struct thrown_list {
	const struct stack_thrown *v;
	size_t n;
	uint32_t thread;
};

struct stack {
	struct target *target;
	struct dac *dac; /* NULL: no runtime */
	struct code *code;
	struct arena *arena;           /* of the stop */
	struct stack_thread **threads; /* by number, holes where one went */
	size_t n_threads, cap_threads;
	struct map by_tid;
	pid_t behind;           /* see stack_behind; 0: none */
	uint32_t n_walked;      /* frames of all threads in this stop */
	bool native;            /* show native frames */
	bool fold, caught;      /* see stack_fold_external, stack_show_caught */
	uint32_t first_managed; /* number as last found, 0: none */
	struct values *values;  /* NULL: no runtime */
	struct thrown_list thrown;
	uint32_t stopped; /* thread of the stop, see stack_set_stopped */
	enum stack_home home;
	pid_t called_by; /* see stack_set_called; 0: none */
	uint64_t called_sp;

	struct stack_thread **suspended; /* see stack.c */
	size_t n_suspended, cap_suspended;
	struct map waits; /* -> struct wait of async.c */
	struct map boxes; /* by MethodTable: are its objects boxes? async.c */

	struct dbg_thread *list; /* of this stop, made when asked for */
	size_t n_list;
	/* the type of managed Thread objects, and where they keep the name */
	uint64_t name_type;
	uint32_t name_offset;
};

/* The thread with number @number, NULL if there is none. */
struct stack_thread *stack_thread_get(struct stack *s, uint32_t number);
/* Make a frame of this stop; it is in no list yet. */
struct frame *stack_frame_make(struct stack *s, struct stack_thread *t,
			       const struct dac_frame *raw,
			       enum dbg_frame_kind kind);

/* ---- display.c -------------------------------------------------------- */

/* Registers of a thread as a frame. */
DBG_MUST struct dbg_error *native_top(struct stack *s, pid_t tid,
				      struct dac_frame *ret);
/*
 * Unwind native code from @start, itself a native frame, to the next frame that
 * is not native. *ret_signal: the kernel calls a signal's handler there. False
 * at the end.
 */
struct native_walk {
	struct stack *stack;
	struct regs regs;
	bool leaf;
	size_t left;
};

void native_walk_init(struct native_walk *w, struct stack *s,
		      const struct stack_thread *t,
		      const struct dac_frame *start);
bool native_walk_next(struct native_walk *w, struct dac_frame *ret,
		      bool *ret_signal);
/*
 * Get the native caller of a managed frame by its frame pointer, if there is
 * one.
 */
bool native_caller(struct stack *s, const struct dac_frame *managed,
		   struct dac_frame *ret);
void native_describe(struct stack *s, const struct frame *f,
		     struct dbg_frame *ret);

/* ---- stack.c ----------------------------------------------------- */

/* Append a frame to the displayed ones. */
void display_push(struct stack_thread *t, const struct frame *f);

/* ---- async.c ------------------------------------------------------ */

/*
 * Call @fn for the async methods that wait for the one that frame @f runs,
 * nearest first.
 */
typedef void async_fn(void *arg, struct frame *f);
void async_each(struct stack *s, struct stack_thread *t, const struct frame *f,
		async_fn *fn, void *arg);

/*
 * The variables of a suspended frame, as stack_frame_vars gives them: those
 * that its Continuation has kept.
 */
DBG_MUST struct dbg_error *continuation_vars(const struct frame *f, bool args,
					     struct arena *arena,
					     struct dac_var **ret,
					     size_t *ret_n);
/*
 * The hidden argument that the resumed code would get, if it is generic; 0: it
 * is not kept.
 */
uint64_t continuation_context(struct values *ts, const struct frame *f);

#endif
