/*
 * Follows the programs that a front end debugs together: the one that it starts
 * or attaches to, inferior 1, and the children that it follows.
 *
 * Inferior 1 is the front end's own session, @first in all of these functions;
 * it is never destroyed here. A child that the engine reports gets a session at
 * once, and loses it when its program is gone and all its events were taken.
 * The current inferior (dbg_inferior_current) is the last one that stopped, or
 * the user's choice since; when its program ends, another one that has a
 * program becomes current, else inferior 1. When it may have changed (after an
 * event, and at the end of events), the front end looks, and tells its loop
 * (loop_use).
 */
#ifndef FRONT_DEBUGGEES_H
#define FRONT_DEBUGGEES_H

#include "dbg.h"

struct debuggee_event {
	struct dbg_inferior inferior; /* whose event it is, as it is now */
	struct dbg_event event;
	/* CHILD: the session that the child has got; number 0: it has none. */
	struct dbg_inferior child;
	/*
	 * CHILD: why it has none, for the caller to destroy; NULL: it ended
	 * meanwhile. The child runs on.
	 */
	struct dbg_error *err;
};

/*
 * Take the oldest event of the first inferior that has any. False if there
 * are no more: then the sessions of children that are gone are destroyed.
 * Its text is in @arena.
 */
bool debuggees_event_next(struct dbg *first, struct arena *arena,
			  struct debuggee_event *ret);

/* An inferior that has a program, NULL if there is none. */
struct dbg *debuggees_alive(struct dbg *first);

/* The session of inferior @number, NULL: there is none. */
struct dbg *debuggees_find(struct dbg *first, uint64_t number);

/*
 * After dbg_detach() of the current inferior, which raises no event: make
 * another one current. dbg_inferior_current() tells which.
 */
void debuggees_leave(struct dbg *first);

/*
 * Take all events, and tell on stderr what is missing in all that was shown:
 * for those who show once and end.
 */
void debuggees_warn(struct dbg *first);

/* End the sessions of children, whatever their programs do. */
void debuggees_end_children(struct dbg *first);

#endif
