/* Members of a value or type, by name, for completion. */
#ifndef SESSION_MEMBERS_H
#define SESSION_MEMBERS_H

#include "dbg.h"

/*
 * The names of members of what @expr is in the newest frame: those of a value,
 * or the static ones of a type. They come in no order, one maybe several times.
 */
DBG_MUST struct dbg_error *
session_members(struct dbg *dbg, const char *expr,
		void (*fn)(void *arg, const char *name), void *arg);

#endif
