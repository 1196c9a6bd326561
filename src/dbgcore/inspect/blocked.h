/* Threads that wait for locks and tasks, and which wait for each other. */
#ifndef INSPECT_BLOCKED_H
#define INSPECT_BLOCKED_H

#include "dbg.h"

struct inspect;
struct tasks;

/*
 * Implements dbg_blocked_list(); the list is in the arena of the stop. @t: the
 * tasks of the heap with who awaits whom; NULL: it is then not known which
 * thread ends a task. (All stopped.)
 */
DBG_MUST struct dbg_error *blocked_list(struct inspect *in,
					const struct tasks *t,
					struct dbg_blocked **ret,
					size_t *ret_n);

/* How many async calls are on stacks: they run, or a thread waits in them. */
size_t blocked_async(struct inspect *in);

#endif
