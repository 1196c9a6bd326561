/*
 * A line of the client taken apart:
 *
 *     [TOKEN] - NAME (BLANK ARGUMENT)*     a command of GDB/MI
 *     [TOKEN] TEXT                         a command of the prompt
 *
 * TOKEN is digits. An ARGUMENT is all up to the next blank, or a string in
 * quotes with the escapes of C.
 */
#ifndef MI_LINE_H
#define MI_LINE_H

#include <stdbool.h>

#include "dbg.h"
#include "front/cli/words.h"

enum {
	MI_LINE_MAX = 1 << 20, /* bytes of a line */
	MI_TOKEN_MAX = 64,     /* digits of a token; more are no token */
};

struct mi_line {
	char token[MI_TOKEN_MAX + 1]; /* "" if there is none */
	bool cli;                     /* @rest is a command of the prompt */
	char *name;                   /* without the '-'; NULL: cli */
	char *rest; /* behind the name, without blanks around */
};

/* Parse a line. Never fails; the caller calls mi_line_deinit. */
void mi_line_parse(const char *text, struct mi_line *ret);
void mi_line_deinit(struct mi_line *line);

/*
 * Take the argument at *@p, stepping to the next one: its text goes to *@ret,
 * which the caller frees; NULL: there are no more. A quote without an end, or
 * with something right behind it, is an error.
 */
DBG_MUST struct dbg_error *mi_line_argument(const char **p, char **ret);
/* Append all arguments of @text. */
DBG_MUST struct dbg_error *mi_line_arguments(const char *text,
					     struct words *ret);

#endif
