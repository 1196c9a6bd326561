/* Targets that the session did not start: attach, cores, snapshots. */
#ifndef SESSION_ATTACH_H
#define SESSION_ATTACH_H

#include "dbg/error.h"

struct dbg;
struct target;

/*
 * Take over @t, which cannot run: nothing is armed, and DBG_EVENT_STOPPED is to
 * follow. @path as for session_begin. @t is destroyed on failure as well.
 */
DBG_MUST struct dbg_error *session_stand(struct dbg *dbg, struct target *t,
					 const char *path);

/* A lent program is traced again (TARGET_BACK): debug it as before. */
DBG_MUST struct dbg_error *session_back(struct dbg *dbg);

#endif
