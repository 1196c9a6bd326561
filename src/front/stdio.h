/* Standard input and output as the two ends of a protocol. */
#ifndef FRONT_STDIO_H
#define FRONT_STDIO_H

#include "dbg.h"
#include "front/outbox.h"

/*
 * Take over stdin and stdout: *@ret_in (the caller's to close) and @out are the
 * client. From here on descriptor 0 reads nothing and what is printed goes to
 * stderr, so that nothing ends up among the protocol's messages.
 */
DBG_MUST struct dbg_error *stdio_take(int *ret_in, struct outbox *out);

#endif
