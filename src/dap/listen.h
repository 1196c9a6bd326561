/* One client over TCP, from this machine only. */
#ifndef DAP_LISTEN_H
#define DAP_LISTEN_H

#include <stdint.h>

#include "dbg.h"

/*
 * Listen on @port of 127.0.0.1 (0: one that is free, told on stderr), wait
 * for a client, and give its connection, which the caller closes.
 */
DBG_MUST struct dbg_error *listen_accept(uint16_t port, int *ret);

#endif
