#include "dap/request/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/dap_priv.h"
#include "base/err.h"

enum {
	PRINTED_MAX_BYTES = 4 << 20
};

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
	return strncmp(word, exec, strlen(word)) == 0;
}

static const struct command_ops *host(struct dap *d)
{
	const struct command_ops *ops = d->options->commands;

	if (!d->host)
		d->host = ops->create(d->dbg, d->loop);
	return ops;
}

void command_complete(struct dap *d, const char *command,
		      const struct command_place *place, struct words *ret,
		      size_t *start)
{
	host(d)->complete(d->host, command, place, ret, start);
}

struct dbg_error *command_run(struct dap *d, const char *command,
			      const struct command_place *place,
			      struct str *ret)
{
	const struct command_ops *ops = host(d);
	char *printed = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&printed, &n);
	if (!out)
		return dbg_err(DBG_E_FILE, "cannot make a buffer: %s",
			       strerror(errno));
	struct dbg_error *err = ops->line(d->host, command, place, out);
	fclose(out);
	str_addn(ret, printed, n < PRINTED_MAX_BYTES ? n : PRINTED_MAX_BYTES);
	free(printed);
	return err;
}
