/* The terminal front end: gdb's commands over the engine's API. */
#ifndef REPL_REPL_H
#define REPL_REPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "front/commands.h"
#include "dbg.h"

struct repl_startup {
	bool file; /* text names a file of commands, else it is a command */
	const char *text;
};

struct repl_options {
	const char *program; /* NULL: none yet */
	char *const *args;   /* of the program */
	size_t n_args;
	const char *cwd; /* NULL: ours */
	const char **env;
	size_t n_env;
	const char *tty;
	const char *attach;                 /* PID or name; NULL: none */
	bool wait;                          /* for one of that name */
	const char *core;                   /* a core file; NULL: none */
	const struct repl_startup *startup; /* -ex and -x in order */
	size_t n_startup;
	bool batch; /* end after the start-up commands; ask nothing */
	bool quiet; /* no greeting */
	const char *version;
};

/*
 * Read commands and carry them out until the user leaves. Returns the exit
 * status: with batch that of the program if it ended by itself with another
 * than 0 (128 + signal if one ended it), else 1 if a command failed, else 0.
 */
int repl_main(struct dbg *dbg, const struct repl_options *options);

/* The same commands for another front end. */
extern const struct command_ops repl_commands;

/* Print the command reference in man's language (mdoc's older brother). */
void repl_manual(FILE *out);

#endif
