/*
 * Calls of managed methods that a stopped thread makes for us.
 *
 * The thread must stand where a statement of code compiled for debugging
 * begins: there all values have their places in the frame, the registers that
 * a call may destroy hold nothing, and the collector finds everything, because
 * to it the method is one that has called another. The call goes through a
 * *guard*, a method of the core library whose whole body is a call within
 * `try` and a handler for any exception. Its frame is built as its own
 * instructions would (callcode.h), from its entry up to its call, and that is
 * made to be the call that we want:
 *
 *   statement -> guard (its call) -> ThePreStub -> the method
 *
 *   RUNNING -> back at the guard's call: RETURNED
 *           -> in the guard's handler: THREW -> behind it, in the guard
 *
 * The runtime itself unwinds an exception to the guard's handler, runs what
 * stands in `finally` on the way and ends the exception; nothing in the
 * runtime's own data is touched. If we die the method returns to the guard,
 * the guard to the statement, and the program goes on as if nothing had been.
 *
 * There are two guards, because the collector takes what the guard's call
 * returns for what the guard expects: a reference, or nothing that matters.
 *
 * What must never happen:
 * - a frame dropped whose return address the runtime has changed (it does so to
 *   stop the thread at its return): a collection is let pass then;
 * - the guard's own return to the statement while we can prevent it. The
 *   collector looks into the registers of a method at whose call it stops a
 *   thread, and at a statement these are none that it knows (callthread.c);
 * - objects' addresses in registers put back as they were;
 * - a value read after the program went on.
 */
#ifndef CONTROL_CALL_H
#define CONTROL_CALL_H

#include "target/target.h"
#include "value/callrequest.h"

struct control;

/* A method of the core library that calls are made in, and its parts. */
struct call_guard {
	uint64_t desc;    /* MethodDesc; 0: not looked for */
	uint64_t code;    /* its code; 0: not compiled yet */
	uint64_t body;    /* where the code of its `try` begins */
	uint64_t handler; /* where the code of its handler begins */
};

enum {
	CALL_DEAD_MAX = 9
};

/* The statement that calls were made from last. */
struct call_frame {
	uint64_t ip;   /* 0: none */
	bool is_sound; /* the collector finds the same from in a call */
	size_t n_dead; /* registers that hold nothing but seem to */
	int32_t dead[CALL_DEAD_MAX];
};

enum call_phase {
	CALL_NONE,
	CALL_NAMES,    /* the program makes a string for: */
	CALL_LOADS,    /* the guard's class is being loaded */
	CALL_PREPARES, /* the guard is being compiled */
	CALL_RUNS,
	CALL_SETTLES, /* it has ended, the collector is waited for */
};

/*
 * Hits of threads that ran beside the call; they are reported when it has
 * ended.
 */
struct call_hits {
	bool any;
	bool passed;    /* it takes too long: they are told at once */
	uint64_t since; /* ms of the call; 0: not known yet */
};

struct calls {
	struct call_guard guards[2]; /* by call_request.is_reference */
	enum call_phase phase;
	bool alone;  /* the other threads are held: its first slice */
	bool left;   /* nobody waits for it any more */
	bool serves; /* it is not what the user asked for */
	bool ended;  /* result is to be taken */
	struct call_hits hits;
	pid_t tid;
	char *name;
	struct type *ret;
	struct call_guard *guard;
	struct regs saved;
	struct fpregs saved_fp;
	struct target_hit hit; /* what the thread has to tell there */
	uint64_t back;         /* where the guard's call returns to */
	uint64_t sp;           /* there */
	uint64_t resume;       /* where its handler goes on, 0: none has */
	uint64_t yield;        /* method that lets a collection be */
	struct call_frame frame;
	uint64_t traps[4];
	size_t n_traps;
	struct arena *arena; /* of the result */
	struct call_result result;
};

/*
 * Handle a trap of the call; false: it is none of the call's and is judged like
 * others. *ret_stops: nobody waits for the call any more, and it has ended,
 * which the user has asked for.
 */
bool call_trap(struct control *c, const struct target_event *ev,
	       struct dbg_stop *stop, bool *ret_stops);
/* Does the thread make a call for us? Nothing stops for the user in it. */
bool call_is_of(const struct control *c, pid_t tid);
/*
 * A thread that runs beside the call is to stop at @addr, by one of the
 * breakpoints @held (numbers with 0 behind them): shall it wait there until the
 * call has ended?
 */
bool call_keeps(struct control *c, const struct target_event *ev, uint64_t addr,
		const uint32_t held[TARGET_JUDGED_MAX]);
/* Code was compiled: is it the guard's? */
void call_code(struct control *c, uint64_t desc, uint64_t ip);
void call_thread_gone(struct control *c, pid_t tid);
/*
 * A module is gone: forget all types, and code, in whose place other code may
 * come.
 */
void call_unloaded(struct control *c);
/* The program is gone: forget the call. */
void call_reset(struct control *c);

#endif
