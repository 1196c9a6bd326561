/* Further interfaces beside the prompt, `new-ui`; see front/ui.h. */
#ifndef REPL_UIS_H
#define REPL_UIS_H

#include "dbg.h"

struct call;
struct debuggee_event;
struct repl;
struct ui;
struct ui_ops;

struct ui_entry {
	const struct ui_ops *ops;
	struct ui *ui;
};

/* `new-ui INTERPRETER TERMINAL`. */
DBG_MUST struct dbg_error *uis_new(struct repl *r, const struct call *call);
/*
 * Pass an event on to the other interfaces; tell them that a command was
 * carried out; end them.
 */
void uis_event(struct repl *r, const struct debuggee_event *e);
void uis_changed(struct repl *r);
void uis_deinit(struct repl *r);

#endif
