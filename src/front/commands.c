#include "front/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/err.h"

enum {
	PRINTED_MAX_BYTES = 4 << 20
};

static struct command_host *host(struct commands *c)
{
	if (!c->host)
		c->host = c->ops->create(c);
	return c->host;
}

struct dbg_error *commands_run(struct commands *c, const char *line,
			       const struct command_place *place,
			       struct str *ret)
{
	char *printed = NULL;
	size_t n = 0;

	FILE *out = open_memstream(&printed, &n);
	if (!out)
		return dbg_err(DBG_E_FILE, "cannot make a buffer: %s",
			       strerror(errno));
	struct dbg_error *err = c->ops->line(host(c), line, place, out);
	fclose(out);
	str_addn(ret, printed, n < PRINTED_MAX_BYTES ? n : PRINTED_MAX_BYTES);
	free(printed);
	return err;
}

void commands_complete(struct commands *c, const char *line,
		       const struct command_place *place, struct words *ret,
		       size_t *start)
{
	c->ops->complete(host(c), line, place, ret, start);
}

void commands_deinit(struct commands *c)
{
	if (c->host)
		c->ops->destroy(c->host);
	c->host = NULL;
}
