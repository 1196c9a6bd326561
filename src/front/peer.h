/* Who is at the other end of a connection. */
#ifndef FRONT_PEER_H
#define FRONT_PEER_H

#include <stdbool.h>

/*
 * Does the connection @fd, over TCP within this machine or over a Unix
 * socket, come from a process of the user we run as? What cannot be told does
 * not.
 */
bool peer_is_same_user(int fd, bool tcp);

#endif
