/* Members of a value or type, by name, for completion. */
#ifndef SESSION_MEMBERS_H
#define SESSION_MEMBERS_H

#include "dbg.h"
#include "view/view.h"

/*
 * Call @fn for the members of what @expr means in a frame (0: the newest): of a
 * value, or the static ones of a type. @all: see view_members. They come in no
 * order, one maybe several times.
 */
DBG_MUST struct dbg_error *session_members(struct dbg_stopped at, dbg_id frame,
					   const char *expr, bool all,
					   view_member_fn *fn, void *arg);

#endif
