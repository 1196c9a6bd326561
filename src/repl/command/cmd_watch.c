/*
 * `watch`, `rwatch`, `awatch`: options and the condition are taken apart here,
 * the expression is the engine's.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"

// Skip the option "-l" or "-location". Returns the rest of @args; *ret: was the
// option there?
static const char *skip_location(const char *args, bool *ret)
{
	static const char *const options[] = {"-location", "-l"};

	*ret = false;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		size_t n = strlen(options[i]);

		if (strncmp(args, options[i], n) ||
		    !isspace((unsigned char)args[n]))
			continue;
		*ret = true;
		return args + n + strspn(args + n, " \t");
	}
	return args;
}

static struct dbg_error *watch(struct repl *r, const struct call *call,
			       enum dbg_watch access)
{
	bool located;
	const char *args = skip_location(call->args, &located);
	const char *condition = parse_if(args);
	size_t n = condition ? (size_t)(condition - args) : strlen(args);

	while (n && isspace((unsigned char)args[n - 1]))
		n--;
	if (!n)
		return dbg_err_arg(
		    "Argument required (expression to compute).");
	_cleanup_free_ char *expr = xstrndup(args, n);
	if (condition)
		condition += 2 + strspn(condition + 2, " \t");
	const struct dbg_break_req req = {
	    .kind = DBG_BREAK_WATCH,
	    .text = expr,
	    .frame = r->stopped ? frame_id(r) : 0,
	    .access = access,
	    .located = located,
	};
	return break_add(r, &req, condition);
}

static struct dbg_error *cmd_watch(struct repl *r, const struct call *call)
{
	return watch(r, call, DBG_WATCH_WRITE);
}

static struct dbg_error *cmd_rwatch(struct repl *r, const struct call *call)
{
	return watch(r, call, DBG_WATCH_READ);
}

static struct dbg_error *cmd_awatch(struct repl *r, const struct call *call)
{
	return watch(r, call, DBG_WATCH_ACCESS);
}

static const struct repl_cmd cmds[] = {
    {
	.names = "watch",
	.args = "[-l] EXPRESSION [if CONDITION]",
	.help = "stop when the value of an expression changes",
	.more = "EXPRESSION is a variable, field, element or static. A "
		"watchpoint on a\nvariable of a frame goes when the frame is "
		"left. Objects are followed when the\ngarbage collector moves "
		"them. With -l (-location) it stays with the place that\n"
		"EXPRESSION leads to now.\nThe processor watches four places "
		"of up to eight bytes; one of them serves to\nfollow objects.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_EXPRESSIONS,
	.run = cmd_watch,
    },
    {
	.names = "rwatch",
	.args = "[-l] EXPRESSION [if CONDITION]",
	.help = "stop when the value of an expression is read",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_EXPRESSIONS,
	.run = cmd_rwatch,
    },
    {
	.names = "awatch",
	.args = "[-l] EXPRESSION [if CONDITION]",
	.help = "stop when the value of an expression is read or changes",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_EXPRESSIONS,
	.run = cmd_awatch,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_watchpoints = {
    "watchpoints", "Stopping where data changes", cmds};
