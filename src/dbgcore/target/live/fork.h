/* A copy of the process: see fork.c. */
#ifndef TARGET_LIVE_FORK_H
#define TARGET_LIVE_FORK_H

#include "target/live/live.h"

/*
 * Let a thread of the stopped process make a copy of it, which is traced, stops
 * before it executes anything and is killed when we end. The program never sees
 * it: it is no child of the program's, and sends no signal. DBG_E_TARGET says
 * why it was refused. @meanwhile is called once, while all threads stand, and
 * if it can be, while the kernel copies. The registers are not as they were.
 */
DBG_MUST struct dbg_error *
live_fork(struct live *l, void (*meanwhile)(void *arg), void *arg, pid_t *ret);

#endif
