/*
 * Commands of the prompt at the debug console, `-exec COMMAND` and `` `COMMAND
 * ``: recognised here, carried out by front/commands.h. They share the session
 * and the launch configuration; starting a program is left to the client.
 */
#include "dap/request/command.h"

#include <string.h>

#include "dap/dap_priv.h"

static const char exec[] = "-exec";

const char *command_of(const char *line)
{
	size_t n = sizeof(exec) - 1;

	line += strspn(line, " \t");
	if (*line == '`')
		return line + 1;
	if (!strncmp(line, exec, n) && (line[n] == ' ' || !line[n]))
		return line + n;
	return NULL;
}

bool command_begins(const char *word)
{
	return !strncmp(word, exec, strlen(word));
}

// Those of the prompt, for this session.
static struct commands *prompt(struct dap *d)
{
	struct commands *c = &d->commands;

	if (!c->host)
		*c = (struct commands){
		    .ops = d->options->commands,
		    .front = d->options,
		    .first = d->dbg,
		    .loop = d->loop,
		    .launch = &d->setup.launch,
		    .no_start = "The client starts and restarts the program.",
		};
	return c;
}

void command_complete(struct dap *d, const char *command,
		      const struct command_place *place, struct words *ret,
		      size_t *start)
{
	commands_complete(prompt(d), command, place, ret, start);
}

struct dbg_error *command_run(struct dap *d, const char *command,
			      const struct command_place *place,
			      struct str *ret)
{
	return commands_run(prompt(d), command, place, ret);
}
