/*
 * The front end for editors: the Debug Adapter Protocol over the engine's API.
 */
#ifndef DAP_DAP_H
#define DAP_DAP_H

#include "front/commands.h"
#include "dbg.h"
#include "dap/wire/listen.h"

struct dap_options {
	const char *version;
	const char *log; /* file that records the exchange, NULL: none */
	bool server;     /* wait for one client that connects */
	struct listen_at listen;
	const struct command_ops *commands; /* of the prompt */
};

/*
 * Serve one client until it leaves. Descriptors 0 and 1 are the client's, or
 * with options->server a connection; from here on whatever is printed to
 * stdout goes to stderr. Returns the exit status.
 */
int dap_main(struct dbg *dbg, const struct dap_options *options);

#endif
