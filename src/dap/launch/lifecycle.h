/*
 * Programs that the program starts, as sessions of their own: the client is
 * asked to start one for each (`startDebugging`), which attaches to it. Until
 * the client has agreed, the child is ours to let run.
 */
#ifndef DAP_LIFECYCLE_H
#define DAP_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dap;
struct dbg_event;

struct child {
	int64_t seq; /* of the request */
	pid_t pid;
};

struct children {
	struct child *asked; /* for which there is no answer yet */
	size_t n, cap;
};

/* Let the children run for which the client has started no session. */
void children_deinit(struct children *c);
/* A child is held (DBG_EVENT_CHILD). */
void children_take(struct dap *d, const struct dbg_event *e);

#endif
