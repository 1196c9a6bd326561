/*
 * Thread-specific traps: one thread is awaited at an address. Others that
 * reach it go on, and the trap is lifted when no thread is awaited there.
 */
#ifndef CONTROL_THREADTRAP_H
#define CONTROL_THREADTRAP_H

#include "control/control.h"

struct control;

struct thread_trap {
	pid_t tid;
	uint64_t addr;
};

/* All traps of one kind of site. */
struct thread_traps {
	struct thread_trap *v;
	size_t n, cap;
};

/* Await @at's thread there, once. */
DBG_MUST struct dbg_error *thread_trap_add(struct control *c,
					   struct thread_traps *list,
					   enum site_kind kind,
					   const struct thread_trap *at);
/* Is @at's thread awaited there? Then it is no longer. */
bool thread_trap_take(struct control *c, struct thread_traps *list,
		      enum site_kind kind, const struct thread_trap *at);
/* Await @tid nowhere any more; 0: no thread. */
void thread_traps_forget(struct control *c, struct thread_traps *list,
			 enum site_kind kind, pid_t tid);

#endif
