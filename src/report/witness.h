/*
 * A process of our group that only keeps what it is sent: the same signal of
 * the same sender that came to us was sent to the whole group.
 */
#ifndef REPORT_WITNESS_H
#define REPORT_WITNESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

struct witness;

/* Start it, for the signals of @set, which are blocked. NULL: it cannot be. */
struct witness *witness_start(const sigset_t *set);
/* NULL is none. */
void witness_end(struct witness *w);
/*
 * Was what has come to us sent to the group? To be asked of each signal that we
 * read, once. False if @w is NULL or cannot tell.
 */
bool witness_has(struct witness *w, const struct signalfd_siginfo *info);

#endif
