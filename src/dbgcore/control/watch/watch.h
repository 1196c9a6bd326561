/* Watchpoints inside control/: see watch.c. */
#ifndef CONTROL_WATCH_H
#define CONTROL_WATCH_H

#include "eval/eval.h"
#include "target/target.h"

struct arena;
struct bp;
struct control;
struct frame;

enum {
	WATCH_BYTES = 16, /* of the largest value that is watched */
	WATCH_PARTS = 4 + EVAL_LINKS_MAX,
};

/* The activation whose variables an expression names. */
struct watch_frame {
	pid_t tid; /* 0: of none */
	uint64_t method, sp, bp;
	bool framed;          /* known by bp, else by sp */
	uint64_t return_addr; /* a site; 0: none */
	uint64_t catch_addr;  /* a site at a handler further out; 0: none */
};

/* Where the expression leads to at some moment, and its value then. */
struct watch_state {
	bool known;     /* else @text says why not */
	bool is_place;  /* a value in memory, its own parts come first */
	bool moves;     /* the GC writes or moves some of it */
	bool in_object; /* the place is in an object on the heap */
	bool of_frame, of_thread; /* as in struct eval_trace */
	uint64_t type;            /* MethodTable of the value's, 0: none */
	uint32_t size;            /* of the value */
	uint8_t bytes[WATCH_BYTES];
	struct target_watch parts[WATCH_PARTS];
	size_t n_parts, n_own; /* the first n_own are the value's */
	char *text;            /* of the value */
};

struct watch {
	enum dbg_watch access;
	const char *expr; /* in the breakpoint's text */
	bool located;
	bool object;  /* located, if that is in an object on the heap */
	bool quiet;   /* does not stop where it ends */
	bool lost;    /* -location: cannot be followed, is about to go */
	bool on_path; /* -location: the GC found it where expr leads */
	struct watch_frame frame;
	struct thread_ref thread; /* whose statics are meant; tid 0: none */
	uint64_t class;           /* MethodTable of the scope's; 0: none */
	struct watch_state now;
	unsigned int slots; /* debug registers of all parts */
	unsigned int own;   /* ... of the value itself */
	bool blind;         /* some link of the path is not watched */
	const char *why;    /* pending: static words, or NULL */
};

struct watches {
	size_t n;             /* breakpoints that are watchpoints */
	uint64_t gc_count;    /* see dac_gc_count; 0: unknown */
	unsigned int gc_slot; /* register that watches it, a bit; 0: none */
	bool moving;          /* it was seen to go up */
};

/* watch.c */
/* A thread hit what is watched. */
struct dbg_error *watch_hit(struct control *c, const struct target_event *ev,
			    struct arena *arena, struct dbg_stop *stop,
			    bool *ret_stops);
/* A thread is where the frame of watched variables may have ended. */
struct dbg_error *watch_trap(struct control *c, const struct target_event *ev,
			     struct arena *arena, struct dbg_stop *stop,
			     bool *ret_stops);
/* Look for what is pending (all stopped). */
void watch_refresh(struct control *c);
/*
 * Before a stop that the user sees: evaluate anew the watchpoints that may be
 * out of date.
 */
void watch_stopped(struct control *c);
/* Is one pending that the next method to be compiled may resolve? */
bool watch_waits(const struct control *c);
/* A method is about to run for the first time. */
struct dbg_error *watch_prepared(struct control *c);
/* @bp is about to go; was disabled or enabled. */
void watch_remove(struct control *c, struct bp *bp);
struct dbg_error *watch_switch(struct control *c, struct bp *bp);
void watch_end_run(struct control *c);

/* watchread.c */
/* Evaluate it; *ret_gone: in a frame that is not there. Fills *ret always. */
struct dbg_error *watch_read(struct control *c, struct watch *w,
			     struct watch_state *ret, bool *ret_gone);
/*
 * Does @expr hold in the frame whose variables are watched? *ret_known is
 * false if there is no such frame.
 */
struct dbg_error *watch_condition(struct control *c, const struct watch *w,
				  const char *expr, bool *ret, bool *ret_known);
/* Does @expr hold where there is no frame, in the class of the watch? */
struct dbg_error *watch_class_condition(struct control *c,
					const struct watch *w, const char *expr,
					bool *ret);
/* Read the place that it has. Fills *ret always. */
struct dbg_error *watch_read_place(struct control *c, const struct watch *w,
				   struct watch_state *ret);
/* Remember what the expression needs of @frame besides its variables. */
struct dbg_error *watch_context(struct control *c, struct watch *w,
				const struct frame *frame);
void watch_state_deinit(struct watch_state *s);
/* NULL in *ret: it is not on the stack. */
struct dbg_error *watch_frame_find(struct control *c,
				   const struct watch_frame *wf,
				   const struct frame **ret);
/* A thread is about to enter the catch handler at @entry. */
void watch_frame_catch(struct control *c, pid_t tid, uint64_t entry);

#endif
