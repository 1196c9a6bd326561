/* The output at a terminal: pages, and a log of it. */
#ifndef REPL_SCREEN_H
#define REPL_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "dbg.h"

struct repl;

enum {
	SCREEN_AUTO = UINT32_MAX, /* a size: the terminal's */
};

/* Make r->out go to stdout by pages and to the log; stdout itself if not. */
void screen_create(struct repl *r);
void screen_destroy(struct repl *r);
/* Page the output from now on (@on: a command of the user begins) or not. */
void screen_page(struct repl *r, bool on);
/* Begin or end the log, as the settings say. */
DBG_MUST struct dbg_error *screen_log(struct repl *r, bool on);
/*
 * Write an error message to the log: it is not printed to r->out, which the log
 * gets otherwise.
 */
void screen_log_error(struct repl *r, const char *line);
/* The screen's height in lines and width in columns; 0: unlimited. */
uint64_t screen_height(const struct repl *r);
uint64_t screen_width(const struct repl *r);

#endif
