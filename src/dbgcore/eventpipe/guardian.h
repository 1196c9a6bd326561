/*
 * A command that a runtime carries out until it is told to stop, such as a
 * trace. It is begun by a process of dndbg's, the guardian, so that there is no
 * moment at which it goes on and only dndbg, which may be killed, knows of it.
 * The guardian waits at a socket whose other end dndbg holds: messages say that
 * dndbg has stopped the command, or when the runtime was busy with it last; the
 * end of the stream that dndbg is dead, and then the guardian stops it.
 */
#ifndef EVENTPIPE_GUARDIAN_H
#define EVENTPIPE_GUARDIAN_H

#include "eventpipe/ipc.h"

struct guarded {
	const struct ipc_port *port;
	int stream; /* the connection on which it is begun */
	const struct ipc_command *begin;
	uint8_t end; /* the command that stops it, of the same set */
	bool has_id; /* the runtime gives it a number */
	/*
	 * It must not be stopped for so long, or until guardian_busy(), and
	 * then not while the runtime is likely to be busy with it again; 0: it
	 * may at any time. The runtime itself would stop it when nobody is at
	 * the other end of @stream, so the guardian holds that end meanwhile.
	 */
	int min_ms;
};

struct guardian {
	const struct ipc_port *port; /* the caller's */
	pid_t pid;
	int socket; /* -1: none yet */
};

/* Begin it; fails as the command does. guardian_dismiss() follows anyway. */
DBG_MUST struct dbg_error *guardian_start(struct guardian *g,
					  const struct guarded *what,
					  uint64_t *ret_id);
/*
 * The runtime was busy with it from @since on (clock_ns()), as it is each
 * DBG_TRACE_BUSY_MS.
 */
void guardian_busy(struct guardian *g, uint64_t since);
/* The command that stops the session @id; the caller frees its payload. */
struct ipc_command guarded_end(const struct guarded *what, uint64_t id);
/*
 * End the guardian. @done: the session was stopped; if not, the guardian stops
 * it. That is waited for, unless the program is stopped: it is left to the
 * guardian then.
 */
void guardian_dismiss(struct guardian *g, bool done);

#endif
