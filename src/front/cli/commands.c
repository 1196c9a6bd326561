/*
 * A command's output captured: the prompt is made at the first command, each
 * line prints to a stream in memory.
 */
#include "front/cli/commands.h"

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

/* Collects the output of commands, up to a limit. */
struct printed {
	FILE *file;
	char *text;
	size_t n;
};

static struct dbg_error *print_begin(struct printed *p)
{
	p->file = open_memstream(&p->text, &p->n);
	return p->file ? NULL
		       : dbg_err(DBG_E_FILE, "cannot make a buffer: %s",
				 strerror(errno));
}

static void print_end(struct printed *p, struct str *ret)
{
	fclose(p->file);
	str_addn(ret, p->text,
		 p->n < PRINTED_MAX_BYTES ? p->n : PRINTED_MAX_BYTES);
	free(p->text);
}

struct dbg_error *commands_run(struct commands *c, const char *line,
			       const struct command_place *place,
			       struct str *ret)
{
	struct printed p = {0};
	struct dbg_error *err = print_begin(&p);

	if (err)
		return err;
	err = c->ops->line(host(c), line, place, p.file);
	print_end(&p, ret);
	return err;
}

struct dbg_error *commands_lines(struct commands *c, const struct words *lines,
				 const struct command_place *place,
				 struct str *ret)
{
	struct printed p = {0};
	struct dbg_error *err = print_begin(&p);

	if (err)
		return err;
	err = c->ops->lines(host(c), lines, place, p.file);
	print_end(&p, ret);
	return err;
}

struct dbg_error *commands_stopped(struct commands *c,
				   const struct command_place *place, bool show,
				   struct str *ret)
{
	struct printed p = {0};
	struct dbg_error *err = print_begin(&p);

	if (err)
		return err;
	c->ops->stopped(host(c), place, show, p.file);
	print_end(&p, ret);
	return NULL;
}

void commands_tell(struct commands *c, const struct debuggee_event *e,
		   const struct command_place *place, struct str *ret)
{
	struct printed p = {0};

	if (dbg_err_drop(print_begin(&p)))
		return;
	c->ops->tell(host(c), e, place, p.file);
	print_end(&p, ret);
}

void commands_event(struct commands *c, const struct debuggee_event *e)
{
	if (c->host)
		c->ops->event(c->host, e);
}

void commands_changed(struct commands *c)
{
	if (c->host)
		c->ops->changed(c->host);
}

struct command_result commands_result(struct commands *c)
{
	struct command_result result;

	c->ops->after(host(c), &result);
	return result;
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
