/*
 * The sessions of one family: which they are, stopping and going together, and
 * the settings by which children are followed (siblings.c).
 */
#ifndef SESSION_SIBLINGS_H
#define SESSION_SIBLINGS_H

#include "dbg.h"

/*
 * Add @dbg to the family of @of, without a number yet, or, with @of NULL, to a
 * new one; and remove it.
 */
void siblings_join(struct dbg *dbg, struct dbg *of);
void siblings_leave(struct dbg *dbg);
/* The next sibling, without @dbg itself; @after NULL begins, NULL ends. */
struct dbg *sibling_next(struct dbg *dbg, const struct dbg *after);
/* Stop the siblings, since @dbg has stopped; resume them, since it goes on. */
void siblings_freeze(struct dbg *dbg);
void siblings_thaw(struct dbg *dbg);
/* Stop @dbg, which begins to run, if the family is stopped. */
void siblings_freeze_with(struct dbg *dbg);
/* Find out what the program runs and whether its children are followed. */
void session_follow(struct dbg *dbg);
/* Handle a process that the program has made and that is held at its exec. */
DBG_MUST struct dbg_error *session_child(struct dbg *dbg, pid_t pid);
DBG_MUST struct dbg_error *follow_set_exec(struct dbg *dbg, const char *value);
const char *follow_get_exec(struct dbg *dbg);
DBG_MUST struct dbg_error *follow_set_fork(struct dbg *dbg, const char *value);
const char *follow_get_fork(struct dbg *dbg);
DBG_MUST struct dbg_error *follow_set_detach(struct dbg *dbg,
					     const char *value);
const char *follow_get_detach(struct dbg *dbg);

#endif
