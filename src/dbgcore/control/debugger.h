/* Calls of the program to its debugger (System.Diagnostics.Debugger). */
#ifndef CONTROL_DEBUGGER_H
#define CONTROL_DEBUGGER_H

#include "control/threadtrap.h"
#include "dbg.h"
#include "target/target.h"

struct control;

enum {
	DEBUGGER_CALLS = 6,
};

struct debugger_place {
	pid_t tid; /* 0: none */
	uint64_t pc, sp;
};

/* The functions of a call of debugger.c's table. */
struct debugger_at {
	uint64_t addrs[TARGET_OVERLOADS]; /* 0: none */
	unsigned int fn;                  /* which of the call's is for them */
};

struct debugger {
	struct debugger_at calls[DEBUGGER_CALLS];
	struct thread_traps
	    breaks; /* Debugger.Break, and where the stop is due */
	struct debugger_place last; /* stop by other than these */
	pid_t failing;              /* called FailFast; 0: none */
};

/* The runtime is up: set traps at the calls of System.Diagnostics.Debugger. */
struct dbg_error *debugger_runtime(struct control *c);
/*
 * Let @tid, which is at the first instruction of a function with these
 * registers, go on as if the function had returned @value.
 */
DBG_MUST struct dbg_error *debugger_answer(struct control *c, pid_t tid,
					   struct regs *regs, uint64_t value);
/*
 * Handle a thread at one of these calls, or at the place where a Debugger.Break
 * is to stop.
 */
struct dbg_error *debugger_trap(struct control *c,
				const struct target_event *ev,
				struct dbg_stop *stop, bool *ret_stops);
/* Handle a thread behind the int3 of a Debugger.Break. */
struct dbg_error *debugger_int3(struct control *c, pid_t tid,
				struct dbg_stop *stop, bool *ret_stops);
/* Has the user been told that @tid aborts? */
bool debugger_aborts(const struct control *c, pid_t tid);
/*
 * The program stops at @tid: note where, so that a Debugger.Break at the same
 * place makes no second stop.
 */
void debugger_stopped(struct control *c, pid_t tid,
		      const struct dbg_stop *stop);
void debugger_reset(struct control *c);

#endif
