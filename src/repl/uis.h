/*
 * Further interfaces beside the prompt, `new-ui`; see front/ui.h.
 *
 * The settings that `set` and `show` know: uis.c.
 */
#ifndef REPL_UIS_H
#define REPL_UIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct words;

struct repl_settings {
	bool confirm, trace, pretty, statics, full_names, style;
	bool frame_types; /* of the framework's parameters */
	bool pagination, log_enabled, log_overwrite, log_redirect;
	uint64_t height, width; /* 0: no end; SCREEN_AUTO */
	char *log_file;
	uint64_t elements, depth, list_size, history_size;
	char *prompt;
};

void settings_init(struct repl *r);
void settings_deinit(struct repl *r);
/* Make the setting that @text names, a name and a value. */
DBG_MUST struct dbg_error *setting_set(struct repl *r, const char *text);
/* Print settings whose name begins with @prefix; how many were there? */
size_t settings_show(struct repl *r, const char *prefix);
/*
 * Tell about the setting of this name (@whole), or about those whose name or
 * help mentions @word; were there any?
 */
bool settings_help(struct repl *r, const char *word, bool whole);
/* Names of all settings that begin with @prefix. */
void settings_complete(struct repl *r, const char *prefix, struct words *ret);

#endif
