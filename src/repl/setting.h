/* The settings that `set` and `show` know: setting.c. */
#ifndef REPL_SETTING_H
#define REPL_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dbg.h"

struct repl;
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
