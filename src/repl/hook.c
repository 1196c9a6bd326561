/* Commands that are carried out at each hit of a breakpoint. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "cmd.h"
#include "fault.h"
#include "parse.h"
#include "repl_priv.h"

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

// Read lines up to "end".
static struct dbg_error *read_block(struct repl *r, struct words *ret)
{
	_cleanup_text_ struct text line = {0};

	while (input_line(r, ">", &line)) {
		const char *s = text_get(&line);
		s += strspn(s, " \t");
		size_t n = strlen(s);
		while (n && isspace((unsigned char)s[n - 1]))
			n--;
		if (n == 3 && strncmp(s, "end", 3) == 0)
			return NULL;
		if (n && *s != '#')
			words_add(ret, s, n);
	}
	return fault_arg("\"commands\" lacks its \"end\".");
}

struct dbg_error *hook_commands(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	const char *p = call->args;
	struct dbg_breakpoint b;
	uint32_t number = r->last_break;
	struct words lines = {0};

	if (*p)
		err = parse_number(&p, &number);
	else
		err = number ? NULL : fault_arg("No breakpoints specified.");
	if (!err)
		err = dbg_break_get(r->dbg, number, &b);
	if (!err && r->terminal && input_is_user(r))
		out(r,
		    "Type commands for breakpoint(s) %" PRIu32
		    ", one per line.\n"
		    "End with a line saying just \"end\".\n",
		    number);
	if (!err)
		err = read_block(r, &lines);
	if (err) {
		words_deinit(&lines);
		return err;
	}
	hook_delete(r, number);
	if (!lines.n)
		return NULL;
	alloc_grow(&r->hooks, &r->cap_hooks, r->n_hooks + 1, sizeof(*r->hooks));
	r->hooks[r->n_hooks++] =
	    (struct hook){.breakpoint = number, .lines = lines};
	return NULL;
}
