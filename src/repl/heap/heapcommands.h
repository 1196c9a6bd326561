/* Handlers of `heap` that stand in other files. */
#ifndef REPL_HEAPCOMMANDS_H
#define REPL_HEAPCOMMANDS_H

#include "dbg.h"

struct call;
struct repl;
struct str;

/* ---- cmd_roots.c ----------------------------------------------------- */

DBG_MUST struct dbg_error *heap_roots_cmd(struct repl *r, struct dbg_stopped at,
					  const struct call *call);

/*
 * Append the way on which a root keeps the object alive, say "static
 * Shop.Feed.Instance -> Updated -> _invocationList"; nothing if no root does,
 * or if that is not known. *@ret, if not NULL: the way; its n_steps is 0 if
 * there is none.
 */
void heap_way_add(struct dbg_stopped at, uint64_t object, struct str *text,
		  struct dbg_heap_path *ret);

/* ---- cmd_heap.c ------------------------------------------------------ */

DBG_MUST struct dbg_error *heap_exceptions_cmd(struct repl *r,
					       struct dbg_stopped at,
					       const struct call *call);

#endif
