/*
 * Inputs that lines come from: the user, with line editing and completion,
 * sourced files, the start-up options.
 */
#ifndef REPL_EDIT_H
#define REPL_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "dbg.h"
#include "front/cli/words.h"

struct repl;
struct str;

/* ---- edit.c: where lines come from ---------------------------------- */

/* Is the innermost input the user? */
bool input_is_user(const struct repl *r);
/* Carry out the lines of a file up to the first error. */
DBG_MUST struct dbg_error *input_source(struct repl *r, const char *path);
/* Carry out @lines up to the first error. */
DBG_MUST struct dbg_error *input_lines(struct repl *r,
				       const struct words *lines);
/* Read the lines of a block, @what, up to its "end". */
DBG_MUST struct dbg_error *input_block(struct repl *r, const char *what,
				       struct words *ret);
/* Carry out the start-up options: the early ones, or the others. */
void input_startup(struct repl *r, bool early);
/* Read and carry out the user's lines. */
void input_user(struct repl *r);
/* Read one line from the user, whatever the input is; false at the end. */
bool input_ask(struct repl *r, const char *prompt, struct str *ret);

/* NULL if the terminal cannot. */
struct edit *edit_create(struct repl *r);
void edit_destroy(struct edit *e);

enum edit_result {
	EDIT_LINE,
	EDIT_CANCEL, /* Ctrl-C */
	EDIT_END,
};

/* ---- complete.c ------------------------------------------------------ */

struct completion {
	struct words words; /* what the last word may become, sorted */
	size_t start;       /* where in the line that word begins */
	bool whole;         /* a blank follows, not more of the word */
};

/* Complete the word at the end of @line; the caller frees the words. */
void complete_line(struct repl *r, const char *line, struct completion *ret);

#endif
