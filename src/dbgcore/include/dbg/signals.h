/* dbg.h: signals of the program. */
#ifndef DBG_SIGNALS_H
#define DBG_SIGNALS_H

#include "dbg/stopped.h"

struct dbg_signal {
	int number;
	const char *name; /* "SIGUSR1" */
	const char *text; /* "User defined signal 1" */
	/* Stops only where it would end the program; reaches it. The default.
	 */
	bool automatic;
	bool stop, print, pass; /* else: what is done, in gdb's words */
};

/* List all signals, by number. */
void dbg_signal_list(struct dbg *dbg, struct arena *arena,
		     struct dbg_signal **ret, size_t *ret_n);
/* Set what is done with signal->number; name and text are not looked at. */
DBG_MUST struct dbg_error *dbg_signal_set(struct dbg *dbg,
					  const struct dbg_signal *signal);
/*
 * Deliver @signal to @thread when it is resumed, in place of the one that
 * stopped it; 0: none.
 */
DBG_MUST struct dbg_error *dbg_signal_queue(struct dbg_stopped at,
					    uint32_t thread, int signal);
/*
 * Send @signal to the program. It is delivered without a stop, and so is the
 * same one by which a program that handled it ends itself.
 */
DBG_MUST struct dbg_error *dbg_signal_send(struct dbg *dbg, int signal);
/*
 * Is the process @pid, which has sent a signal to the caller, the program or
 * one that it has started, or was it until it ended just now? (Those that are
 * let go by the setting "follow-exec" are not known.)
 */
bool dbg_signal_from_program(struct dbg *dbg, pid_t pid);

#endif
