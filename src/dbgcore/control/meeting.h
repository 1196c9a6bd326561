/*
 * A thread that is awaited at an address. Others that come by there go on, and
 * the trap is lifted when nobody is awaited there.
 */
#ifndef CONTROL_MEETING_H
#define CONTROL_MEETING_H

#include "control/control.h"

struct control;

struct meeting {
	pid_t tid;
	uint64_t addr;
};

/* Those whose traps are of one kind. */
struct meetings {
	struct meeting *v;
	size_t n, cap;
};

/* Await @at's thread there, once. */
DBG_MUST struct dbg_error *meeting_add(struct control *c, struct meetings *list,
				       enum site_kind kind,
				       const struct meeting *at);
/* Is it awaited there? Then it is no longer. */
bool meeting_take(struct control *c, struct meetings *list, enum site_kind kind,
		  const struct meeting *at);
/* Await @tid no more; 0: nobody. */
void meetings_forget(struct control *c, struct meetings *list,
		     enum site_kind kind, pid_t tid);

#endif
