/* The thread pool and the timers, by the static fields of the core library. */
#ifndef TASKS_POOL_H
#define TASKS_POOL_H

#include "dbg.h"

struct tasks;

/* Of @t only types, stack and arena are used. Lists are in the arena. */
void pool_read(const struct tasks *t, bool items, struct dbg_pool *ret);
void pool_timers(const struct tasks *t, struct dbg_timer **ret, size_t *ret_n);

#endif
