/* The terminal front end: gdb's commands over the engine's API. */
#ifndef REPL_REPL_H
#define REPL_REPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "dbg.h"
#include "front/cli/commands.h"

struct front_options;

/*
 * Read commands and carry them out until the user leaves. Returns the exit
 * status: with batch the program's status, if it ended with another than 0 (128
 * + signal if a signal ended it), else 1 if a command failed, else 0.
 */
int repl_main(struct dbg *dbg, const struct front_options *options);

/* The prompt's commands, for other front ends. */
extern const struct command_ops repl_commands;

/*
 * Print the command reference for the manual page, in roff with the man macros.
 */
void repl_manual(FILE *out);

#endif
