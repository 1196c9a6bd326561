/*
 * `display`, `undisplay` and the subcommands of `delete`, `enable` and
 * `disable` for displays: expressions that display_show() prints at each stop.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"
#include "repl/command/subcmd.h"

static void display_deinit(struct display *d)
{
	free(d->format);
	free(d->expr);
	free(d->method);
	free(d->mvid);
}

void displays_deinit(struct repl *r)
{
	for (size_t i = 0; i < r->n_displays; i++)
		display_deinit(&r->displays[i]);
	free(r->displays);
}

static struct dbg_error *cmd_display(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	struct parse_format f;

	err = parse_format(call->format, &f);
	if (err)
		return err;
	if (!*call->args) {
		display_show(r);
		return NULL;
	}
	mem_grow(&r->displays, &r->cap_displays, r->n_displays,
		 sizeof(*r->displays));
	struct display *d = &r->displays[r->n_displays];
	*d = (struct display){
	    .number = r->last_display + 1,
	    .enabled = true,
	    .format = xstrdup(call->format),
	    .expr = xstrdup(call->args),
	};
	err = display_begin(r, d);
	if (err) {
		display_deinit(d);
		return err;
	}
	r->last_display++;
	r->n_displays++;
	return NULL;
}

static void delete_at(struct repl *r, size_t i)
{
	display_deinit(&r->displays[i]);
	r->n_displays--;
	for (; i < r->n_displays; i++)
		r->displays[i] = r->displays[i + 1];
}

enum change {
	CHANGE_ENABLE,
	CHANGE_DISABLE,
	CHANGE_DELETE,
};

// Change the displays of a range; false if there is none.
static bool change_range(struct repl *r, uint64_t first, uint64_t last,
			 enum change change)
{
	bool any = false;

	for (size_t i = r->n_displays; i-- > 0;) {
		struct display *d = &r->displays[i];
		if (d->number < first || d->number > last)
			continue;
		any = true;
		if (change == CHANGE_DELETE)
			delete_at(r, i);
		else
			d->enabled = change == CHANGE_ENABLE;
	}
	return any;
}

static struct dbg_error *change_list(struct repl *r, const char *args,
				     enum change change)
{
	struct dbg_error *err;
	uint64_t first, last;
	bool any;

	if (!*args) {
		change_range(r, 0, UINT64_MAX, change);
		return NULL;
	}
	for (;;) {
		err = parse_range(&args, &first, &last, &any);
		if (err || !any)
			return err;
		if (!change_range(r, first, last, change))
			return dbg_err_arg("Could not find display number "
					   "%" PRIu64 ".",
					   first);
	}
}

struct dbg_error *display_delete(struct repl *r, const struct call *call)
{
	if (!*call->args && r->n_displays &&
	    !repl_confirm(r, "Delete all auto-display expressions?"))
		return NULL;
	return change_list(r, call->args, CHANGE_DELETE);
}

struct dbg_error *display_enable(struct repl *r, const struct call *call)
{
	return change_list(r, call->args, CHANGE_ENABLE);
}

struct dbg_error *display_disable(struct repl *r, const struct call *call)
{
	return change_list(r, call->args, CHANGE_DISABLE);
}

static const struct repl_cmd cmds[] = {
    {
	.names = "display",
	.args = "[EXPRESSION]",
	.help = "show a value at each stop",
	.more = "/FMT is as for \"print\", or as for \"x\" if it has a count "
		"or a size or is /i or /s.\nWithout EXPRESSION all displays "
		"are shown now. What has variables is shown in the block "
		"where the "
		"display was made.",
	.flags = CMD_FORMAT,
	.complete = COMPLETE_EXPRESSIONS,
	.run = cmd_display,
    },
    {
	.names = "undisplay",
	.args = "[LIST]",
	.help = "delete displays",
	.more = "LIST is of their numbers and ranges. Without it, all.",
	.run = display_delete,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_displays = {
    "displays", "Showing values at each stop", cmds};
