/* Commands of the prompt, typed at a client's debug console. */
#ifndef DAP_COMMAND_H
#define DAP_COMMAND_H

#include "commands.h"
#include "dbg.h"
#include "text.h"

struct dap;

/*
 * Is @line a command: "-exec COMMAND", or "`COMMAND"? The command, else
 * NULL; borrowed.
 */
const char *command_of(const char *line);
/* Carry it out and append what it prints to @ret. */
DBG_MUST struct dbg_error *command_run(struct dap *d, const char *command,
				       const struct command_place *place,
				       struct text *ret);

#endif
