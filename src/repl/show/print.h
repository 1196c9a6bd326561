/* Printing: escaped, in colours, and what a shell prints for us. */
#ifndef REPL_PRINT_H
#define REPL_PRINT_H

#include <stdint.h>

#include "dbg.h"

struct repl;
struct str;

/* ---- out.c ----------------------------------------------------------- */

/*
 * Print to r->out as printf does, with what comes by %s and %c escaped (see
 * plain.h). All printing goes through here.
 */
void out(const struct repl *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Print text from dndbg itself, which may have several lines. */
void out_ours(const struct repl *r, const char *text);
/* Print each line of foreign text behind @indent blanks and @label. */
void out_lines(const struct repl *r, const char *text, int indent,
	       const char *label);

/* ---- cmd_misc.c --------------------------------------------------------- */

/*
 * Carry out a command of the shell, "" the user's shell itself. It reads
 * @input unless NULL, and prints to where we do.
 */
DBG_MUST struct dbg_error *shell_run(struct repl *r, const char *command,
				     const struct str *input);

/* A child process that prints to where the prompt does. */
struct shell_child {
	pid_t pid;
	int in, out; /* its descriptors, -1: ours */
	struct str *printed;
};

struct shell_how {
	const struct str *input; /* what it reads, NULL: what we do */
	/* Ctrl-C at the terminal does not reach it; it ends with us. */
	bool apart;
	/*
	 * SIGINT is blocked until it takes that (watch_signals()): however
	 * early it is interrupted, it ends by itself.
	 */
	bool held;
	/* Takes what it prints; what it complains of is not in it. NULL: that
	 * is printed to where we do. */
	struct str *printed;
};

/* Start @argv; who waits for its end calls shell_end() then. */
DBG_MUST struct dbg_error *shell_start(struct repl *r, char *const *argv,
				       const struct shell_how *how,
				       struct shell_child *ret);
/* Copy the shell's output to where it belongs, if it was caught in a file. */
void shell_end(struct repl *r, struct shell_child *c);

/* ---- paint.c --------------------------------------------------------- */

enum paint {
	PAINT_FUNCTION,
	PAINT_FILE,
	PAINT_ADDRESS,
	PAINT_NAME,
	PAINT_PROMPT,
	PAINT_ERROR,
};

/* Print @s, which is foreign, in a colour if there are colours. */
void paint(const struct repl *r, enum paint what, const char *s);
/* Print an address as 0x and 16 digits. */
void paint_addr(const struct repl *r, uint64_t addr);
/*
 * The escape sequences that begin @what and end it; "" if output has no
 * colours.
 */
const char *paint_begin(const struct repl *r, enum paint what);
const char *paint_end(const struct repl *r);

#endif
