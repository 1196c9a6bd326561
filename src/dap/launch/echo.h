/*
 * Filters debug messages that the program prints as well: a web application has
 * a logger that writes to the console and one that writes by Debug.WriteLine,
 * so each line would be shown twice.
 */
#ifndef DAP_ECHO_H
#define DAP_ECHO_H

#include <stdbool.h>

#include "base/str.h"
#include "front/cli/words.h"

struct dap;

/* What to do with debug messages. */
enum echo_mode {
	ECHO_AUTO, /* leave out messages whose text is printed as well */
	ECHO_ALL,
	ECHO_NONE,
};

struct echo {
	struct str printed; /* the end of what was */
	struct words held;  /* debug messages that may be printed yet, and
			       those behind them */
};

void echo_deinit(struct echo *e);
/* The program has printed @s. */
void echo_printed(struct dap *d, const char *s, size_t n);
/*
 * The program has written @text by Debug.WriteLine: show it, now or soon, or
 * not.
 */
void echo_debug(struct dap *d, const char *text);
/* Show what is held: it is not printed. */
void echo_flush(struct dap *d);

#endif
