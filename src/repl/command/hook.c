/*
 * `commands`: lines that are carried out at each hit of a breakpoint. They are
 * stored here by the breakpoint's number; actions_run() in resume.c carries
 * them out.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "repl/line/input.h"
#include "repl/line/parse.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"

struct hook *hook_find(struct repl *r, uint32_t breakpoint)
{
	for (size_t i = 0; breakpoint && i < r->n_hooks; i++)
		if (r->hooks[i].breakpoint == breakpoint)
			return &r->hooks[i];
	return NULL;
}

void hook_delete(struct repl *r, uint32_t breakpoint)
{
	struct hook *hook = hook_find(r, breakpoint);

	if (!hook)
		return;
	words_deinit(&hook->lines);
	*hook = r->hooks[--r->n_hooks];
}

struct dbg_error *hook_commands(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	const char *p = call->args;
	struct dbg_breakpoint b;
	uint32_t number = r->last_break;
	struct words lines = {0};

	if (*p)
		err = parse_number(&p, &number);
	else
		err = number ? NULL : dbg_err_arg("No breakpoints specified.");
	if (!err)
		err = dbg_break_get(r->dbg, number, arena, &b);
	if (!err && r->terminal && input_is_user(r))
		out(r,
		    "Type commands for breakpoint(s) %" PRIu32
		    ", one per line.\n"
		    "End with a line saying just \"end\".\n",
		    number);
	if (!err)
		err = input_block(r, "commands", &lines);
	if (err) {
		words_deinit(&lines);
		return err;
	}
	hook_delete(r, number);
	if (!lines.n)
		return NULL;
	mem_grow(&r->hooks, &r->cap_hooks, r->n_hooks, sizeof(*r->hooks));
	r->hooks[r->n_hooks++] =
	    (struct hook){.breakpoint = number, .lines = lines};
	return NULL;
}
