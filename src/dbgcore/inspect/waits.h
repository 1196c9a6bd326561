/* Threads that wait for locks. */
#ifndef INSPECT_WAITS_H
#define INSPECT_WAITS_H

#include "dbg.h"

struct inspect;

/*
 * Implements dbg_wait_list(); the list is in the arena of the stop. (All
 * stopped.)
 */
DBG_MUST struct dbg_error *waits_list(struct inspect *in, struct dbg_wait **ret,
				      size_t *ret_n);

#endif
