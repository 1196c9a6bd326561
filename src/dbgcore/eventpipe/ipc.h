/*
 * A runtime's diagnostics socket: one command a connection, one answer.
 *
 * Facts: dotnet/diagnostics, documentation/design-docs/ipc-protocol.md. A
 * malformed command can end the program (EnablePerfMap with an empty payload
 * does, on .NET 8 to 10), so the only messages that are sent are those that
 * eventpipe/ makes, to versions of the runtime that know them.
 */
#ifndef EVENTPIPE_IPC_H
#define EVENTPIPE_IPC_H

#include <sys/types.h>

#include "base/reader.h"
#include "base/str.h"
#include "dbg.h"

enum {
	IPC_HEADER = 20,
	IPC_PAYLOAD_MAX = UINT16_MAX - IPC_HEADER,
};

/* The diagnostics socket of a runtime. */
struct ipc_port {
	pid_t pid;
	int dir; /* the directory of the socket, open */
	char name[64];
};

/* A command: set and id, and what follows them. */
struct ipc_command {
	uint8_t set, id;
	struct str payload;
};

/* Append @n, of @size bytes. */
void ipc_put(struct str *to, uint64_t n, unsigned int size);
/* Append a string as the protocol has it; UTF-8 becomes UTF-16. */
void ipc_put_string(struct str *to, const char *text);

/*
 * Find the socket of a process, which may be in a container. DBG_E_STATE: it
 * is stopped, and would not answer; DBG_E_NOT_FOUND, DBG_E_TARGET.
 */
DBG_MUST struct dbg_error *ipc_open(pid_t pid, struct ipc_port *ret);
void ipc_close(struct ipc_port *port);
/*
 * Is the process stopped, by a signal or a debugger, so that it does not
 * answer? What it is sent waits for it.
 */
bool ipc_suspended(const struct ipc_port *port);

/* A connection, for the caller to close; it does not block. */
DBG_MUST struct dbg_error *ipc_connect(const struct ipc_port *port, int *ret);
DBG_MUST struct dbg_error *ipc_send(const struct ipc_port *port, int fd,
				    const struct ipc_command *command);
/*
 * Wait for the answer, no longer than a few seconds. Its payload is appended to
 * @reply; what a connection carries behind it is left there. An answer that is
 * a failure is an error with the runtime's reason.
 */
DBG_MUST struct dbg_error *ipc_receive(const struct ipc_port *port, int fd,
				       struct str *reply);
/* Connect, send a command and read the reply. */
DBG_MUST struct dbg_error *ipc_ask(const struct ipc_port *port,
				   const struct ipc_command *command,
				   struct str *reply);

/*
 * Read and drop what comes until clock_ms() is @deadline, or the other end has
 * closed it.
 */
void ipc_drain(int fd, int64_t deadline);

/* The length of the payload that the header @p announces; false: it is none. */
bool ipc_header(const uint8_t p[IPC_HEADER], bool *ret_failed, size_t *ret_n);
/* The major version of the runtime in an answer to ProcessInfo2; 0: none. */
uint32_t ipc_major_version(struct bytes reply);

#endif
