/* dbg.h: resuming the program, stepping it, stopping it. */
#ifndef DBG_EXECUTION_H
#define DBG_EXECUTION_H

#include "dbg/stopped.h"

struct dbg_place;

enum dbg_step_kind {
	DBG_STEP_IN,
	DBG_STEP_OVER,
	DBG_STEP_OUT,   /* until the frame returns */
	DBG_STEP_UNTIL, /* over, but never backwards in a loop */
};

enum dbg_step_unit {
	DBG_UNIT_LINE,
	DBG_UNIT_STATEMENT, /* a sequence point */
	DBG_UNIT_INSTRUCTION,
};

struct dbg_step {
	uint32_t thread; /* 0: the thread of the last stop */
	enum dbg_step_kind kind;
	enum dbg_step_unit unit;
	uint32_t frame;  /* level to step out of, 0 is the newest */
	uint32_t target; /* IN: the call to enter, 0: the first that is */
	bool alone;      /* the other threads are held meanwhile */
	bool run_on;     /* OUT: without a caller of the user's, no error */
};

/* A call of a line that dbg_step can be told to enter. */
struct dbg_call {
	uint32_t id;
	const char *function; /* C# name with parameter types */
	const char *name;     /* without */
};

/* Calls of the line where @thread stands; they die with the stop. */
DBG_MUST struct dbg_error *dbg_call_list(struct dbg_stopped at, uint32_t thread,
					 struct dbg_call **ret, size_t *ret_n);

/*
 * Resume all threads, or @only one (a number; 0: all). The signal that stopped
 * the program is delivered, unless dbg_signal_queue changed that.
 */
DBG_MUST struct dbg_error *dbg_continue(struct dbg_stopped at, uint32_t only);
DBG_MUST struct dbg_error *dbg_step(struct dbg_stopped at,
				    const struct dbg_step *step);

/*
 * Resume until @place is reached by @thread or its frame returns (gdb's "until
 * LOCATION" and "advance").
 */
DBG_MUST struct dbg_error *dbg_run_to(struct dbg_stopped at, uint32_t thread,
				      const struct dbg_place *place);

/*
 * Make the statement at @place the next one of @thread's newest frame,
 * whose method it must be in; a stop (DBG_STOP_GOTO) with new frames follows.
 * With @run it runs on from there, unless a breakpoint is there.
 */
DBG_MUST struct dbg_error *dbg_goto(struct dbg_stopped at, uint32_t thread,
				    const struct dbg_place *place, bool run);

/* Stop all threads; DBG_EVENT_STOPPED follows. */
DBG_MUST struct dbg_error *dbg_pause(struct dbg *dbg);

#endif
