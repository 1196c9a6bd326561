/*
 * The expressions of `display`, shown at each stop. As in gdb, an expression
 * with variables is shown in the block where it was made, and in the blocks,
 * lambdas and local functions inside; elsewhere its names mean something else,
 * or nothing.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

static bool is_memory(const char *format)
{
	struct parse_format f;
	struct dbg_error *err = parse_format(format, &f);

	return !dbg_err_drop(err) &&
	       (f.size || f.letter == 'i' || f.letter == 's' || f.count != 1);
}

static void show_display(struct repl *r, const struct display *d)
{
	struct dbg_error *err;
	struct dbg_stopped at;

	out(r, "%" PRIu32 ": ", d->number);
	if (is_memory(d->format)) {
		out(r, "x/%s %s\n", d->format, d->expr);
		err = dbg_stopped(r->dbg, &at);
		if (!err)
			err = show_memory(r, at, d->expr, d->format);
		if (err)
			show_error(r, err);
		else
			return;
	} else {
		out(r, "%s%s%s%s = ", *d->format ? "/" : "", d->format,
		    *d->format ? " " : "", d->expr);
		err = show_expr(r, d->expr, d->format, SHOW_DISPLAY);
		if (err)
			show_error(r, err);
	}
	out(r, "\n");
}

// Is @f a frame of the method that @d is of, or of one within it?
static bool is_within(const struct display *d, const struct dbg_frame *f)
{
	size_t n = strlen(d->method);

	if (!f->mvid || strcmp(f->mvid, d->mvid))
		return false;
	return f->token == d->token ||
	       (!strncmp(f->name, d->method, n) && f->name[n] == '.');
}

bool display_in_scope(struct repl *r, struct display *d)
{
	_cleanup_free_ char *expr = xstrndup(d->expr, repeat_operand(d->expr));
	enum dbg_needs needs;
	struct dbg_stopped at;
	struct dbg_frame f;
	uint32_t block;

	if (!r->stopped || dbg_err_drop(frame_get(r, &f)) ||
	    dbg_err_drop(dbg_stopped(r->dbg, &at)))
		return true;
	if (d->method && !is_within(d, &f))
		return false;
	if (dbg_err_drop(dbg_eval_needs(at, f.id, expr, &needs, &block)))
		return true;
	if (needs == DBG_NEEDS_FRAME && !d->method && f.mvid) {
		d->method = xstrdup(f.name);
		d->mvid = xstrdup(f.mvid);
		d->token = f.token;
		d->block = block;
	}
	// the blocks of a lambda are its own
	if (needs == DBG_NEEDS_FRAME && d->method && f.token == d->token)
		return block == d->block;
	return needs != DBG_NEEDS_ANOTHER;
}

struct dbg_error *display_begin(struct repl *r, struct display *d)
{
	if (!r->stopped)
		return NULL;
	if (!display_in_scope(r, d))
		return show_expr(r, d->expr, "", SHOW_DISPLAY);
	show_display(r, d);
	return NULL;
}

void display_show(struct repl *r)
{
	for (size_t i = 0; r->stopped && i < r->n_displays; i++) {
		struct display *d = &r->displays[i];

		if (d->enabled && display_in_scope(r, d))
			show_display(r, d);
	}
}
