/*
 * The front end for editors: the Debug Adapter Protocol over the engine's API.
 */
#ifndef DAP_DAP_H
#define DAP_DAP_H

#include "dbg.h"
#include "front/listen.h"

struct front_options;

/*
 * Serve one client until it leaves. Descriptors 0 and 1 are the client's, or
 * with @listen not NULL a connection, the first that is made to it; from here
 * on whatever is printed to stdout goes to stderr. options->launch is what a
 * `launch` request leaves out; options->log records the exchange. Returns the
 * exit status.
 */
int dap_main(struct dbg *dbg, const struct front_options *options,
	     const struct listen_at *listen);

#endif
