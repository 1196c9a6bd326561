/*
 * The method of the program that an event comes from, by the event's stack,
 * which the runtime tells as addresses. They are named as `sample` names them:
 * by looking at the program while it runs.
 */
#ifndef MONITOR_WHERE_H
#define MONITOR_WHERE_H

#include "dbg.h"

struct where;

/*
 * Look at a process with a session that has no program. It never fails:
 * where_missing() says why there are no names, NULL if there are.
 */
struct where *where_open(struct dbg *dbg, pid_t pid);
/* NULL is allowed. The session goes on looking. */
void where_close(struct where *w);
const struct dbg_error *where_missing(const struct where *w);
/*
 * The innermost method of the program's own, with the one that it has called
 * behind " -> " if that is the framework's; the innermost of all, if there is
 * none of its own; NULL: not known. Foreign text, which lives until the next
 * call.
 */
const char *where_of(struct where *w, const struct dbg_trace_event *e);

/* The name of the method at an address, or NULL; as where_of(). */
const char *where_at(struct where *w, uint64_t addr);
/*
 * The type of the object whose lock that is, or NULL: not known. Lives until
 * the next call.
 */
const char *where_lock_type(struct where *w, uint64_t lock);

#endif
