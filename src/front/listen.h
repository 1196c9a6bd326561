/* Waiting for a client that connects. */
#ifndef FRONT_LISTEN_H
#define FRONT_LISTEN_H

#include <stdint.h>

#include "dbg.h"
#include "front/framing.h"

struct listen_at {
	uint16_t port;    /* of 127.0.0.1; 0: any */
	const char *path; /* of a Unix socket instead, or NULL */
};

/* The protocol that clients must speak. */
struct listen_protocol {
	const char *name;
	const char *greeting; /* sent to whoever connects, NULL: nothing */
	/* Has the first message come, and is it one? Nothing is taken. */
	enum framing_state (*first)(struct framing *in);
};

/*
 * Say on stderr where, and wait there for a client: a process of our own user
 * that begins with a message of @protocol. Whoever says anything else, as a
 * browser does, is sent away. *@ret is the connection, *@ret_in what it has
 * sent; both are the caller's. A signal that ends us meanwhile does so when the
 * socket's file is gone.
 */
DBG_MUST struct dbg_error *listen_accept(const struct listen_at *at,
					 const struct listen_protocol *protocol,
					 int *ret, struct framing *ret_in);

#endif
