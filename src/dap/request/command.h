/* Commands of the prompt, typed at a client's debug console. */
#ifndef DAP_COMMAND_H
#define DAP_COMMAND_H

#include "front/commands.h"
#include "dbg.h"
#include "base/str.h"

struct dap;
struct words;

/*
 * Is @line a command: "-exec COMMAND", or "`COMMAND"? The command, else
 * NULL; borrowed.
 */
const char *command_of(const char *line);
/* Carry it out and append what it prints to @ret. */
DBG_MUST struct dbg_error *command_run(struct dap *d, const char *command,
				       const struct command_place *place,
				       struct str *ret);
/*
 * What the last word of @command may become; it begins at byte @start. The
 * caller frees the words.
 */
void command_complete(struct dap *d, const char *command,
		      const struct command_place *place, struct words *ret,
		      size_t *start);
/* Is @word the beginning of what makes a line a command? */
bool command_begins(const char *word);

#endif
