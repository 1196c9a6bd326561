/* The programs that are debugged, of which one is looked at. */
#ifndef REPL_INFERIOR_H
#define REPL_INFERIOR_H

#include <stdbool.h>
#include <stdint.h>

#include "dbg.h"

struct call;
struct repl;

/* A program that is debugged. */
struct inferior {
	uint32_t number;
	struct dbg *dbg;
	pid_t pid;     /* of the last run */
	char *program; /* NULL: that of `run` */
	bool gone;     /* to be taken out of the list */
};

/* ---- inferior.c ------------------------------------------------------ */

void inferiors_init(struct repl *r);
/* Ends all but the first. */
void inferiors_deinit(struct repl *r);
/* Take the engine's events; prints those that are news of their own. */
void repl_events(struct repl *r);
struct inferior *inferior_current(struct repl *r);
/* NULL: there is none of this number. */
struct inferior *inferior_find(struct repl *r, uint64_t number);
/* Look at it. */
void inferior_select(struct repl *r, struct inferior *inf);
/* Is any program there? */
bool inferiors_alive(struct repl *r);
/* One ended or was let go: if it was looked at, look at another. */
void inferior_left(struct repl *r);
DBG_MUST struct dbg_error *inferior_kill(struct repl *r, struct inferior *inf);
DBG_MUST struct dbg_error *inferior_detach(struct repl *r,
					   struct inferior *inf);
/* Kill all of them. */
DBG_MUST struct dbg_error *inferiors_kill(struct repl *r);

/* ---- cmd_inferior.c -------------------------------------------------- */

/* `info inferiors`; `kill inferiors N`, `detach inferiors N`. */
DBG_MUST struct dbg_error *inferior_info(struct repl *r,
					 const struct call *call);
DBG_MUST struct dbg_error *inferior_kill_cmd(struct repl *r,
					     const struct call *call);
DBG_MUST struct dbg_error *inferior_detach_cmd(struct repl *r,
					       const struct call *call);

#endif
