/* The programs that are debugged, of which one is looked at. */
#ifndef REPL_INFERIOR_H
#define REPL_INFERIOR_H

#include "dbg.h"

struct call;
struct debuggee_event;
struct repl;

/* ---- inferior.c ------------------------------------------------------ */

/*
 * Take the engine's events; print exits, children and messages. A stop is
 * printed by who waits for it.
 */
void repl_events(struct repl *r);
/* Print exits, children, messages and output of an event. */
void inferior_tell(struct repl *r, const struct debuggee_event *e);
/* The inferior's program as the user knows it; borrowed. */
const char *inferior_program(const struct repl *r,
			     const struct dbg_inferior *inf);
/* Look at the inferior of that session. */
void inferior_select(struct repl *r, struct dbg *dbg);
DBG_MUST struct dbg_error *inferior_kill(struct repl *r, struct dbg *dbg);
DBG_MUST struct dbg_error *inferior_detach(struct repl *r, struct dbg *dbg);
/* Kill all programs. */
DBG_MUST struct dbg_error *inferiors_kill(struct repl *r);

/* ---- cmd_run.c -------------------------------------------------- */

/* `info inferiors`; `kill inferiors N`, `detach inferiors N`. */
DBG_MUST struct dbg_error *inferior_info(struct repl *r,
					 const struct call *call);
DBG_MUST struct dbg_error *inferior_kill_cmd(struct repl *r,
					     const struct call *call);
DBG_MUST struct dbg_error *inferior_detach_cmd(struct repl *r,
					       const struct call *call);

#endif
