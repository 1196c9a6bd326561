/*
 * `print`, `output`, `printf`, `ptype`, `whatis`, `x`. The engine evaluates and
 * makes the text; show_value.c, show_printf.c and show_memory.c print it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "front/cli/words.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/show.h"

static struct dbg_error *cmd_print(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	// Bare, the last value again, as in gdb.
	const char *expr = *call->args ? call->args : "$";

	err = show_expr(r, expr, call->format, SHOW_PRINT);
	if (err)
		return err;
	out(r, "\n");
	return NULL;
}

static struct dbg_error *cmd_call(struct repl *r, struct dbg_stopped at,
				  const struct call *call)
{
	struct dbg_value v;
	struct dbg_error *err =
	    evaluate_wait(r, at, call->args, DBG_CALLS_ALWAYS, &v);

	if (err || !strcmp(v.type, "void"))
		return err;
	out(r, "$%" PRIu32 " = ", dbg_keep(at));
	show_value(r, at, &v);
	out(r, "\n");
	return NULL;
}

static struct dbg_error *cmd_apply_deltas(struct repl *r, struct dbg_stopped at,
					  const struct call *call)
{
	_cleanup_words_ struct words words = {.v = NULL};
	struct dbg_value v;
	struct dbg_error *err = words_split(call->args, &words);

	if (err)
		return err;
	if (words.n < 3 || words.n > 5)
		return dbg_err_arg("a module and two to four files are needed: "
				   "metadata, IL, PDB, line updates");
	const struct dbg_update update = {.module = words.v[0],
					  .md = words.v[1],
					  .il = words.v[2],
					  .pdb = words.v[3]};
	return evaluate_update(r, at, &update, &v);
}

static struct dbg_error *cmd_output(struct repl *r, const struct call *call)
{
	return show_expr(r, call->args, call->format, SHOW_OUTPUT);
}

static struct dbg_error *cmd_printf(struct repl *r, const struct call *call)
{
	return show_printf(r, call->args);
}

static struct dbg_error *cmd_ptype(struct repl *r, struct dbg_stopped at,
				   const struct call *call)
{
	struct dbg_error *err;
	const char *text;

	err = dbg_type_describe(at, frame_id(r), call->args, &text);
	if (err)
		return err;
	out(r, "type = ");
	out_lines(r, text, 0, "");
	return NULL;
}

static struct dbg_error *cmd_whatis(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	struct dbg_error *err;
	const char *type;

	err = dbg_type_name(at, frame_id(r), call->args, &type);
	if (!err)
		out(r, "type = %s\n", *type ? type : "<unknown>");
	return err;
}

static struct dbg_error *cmd_x(struct repl *r, struct dbg_stopped at,
			       const struct call *call)
{
	if (!*call->args && !r->examine.addr)
		return dbg_err_arg("Argument required (an address).");
	return show_memory(r, at, call->args, call->format);
}

static const struct repl_cmd cmds[] = {
    {
	.names = "print p inspect",
	.args = "[EXPRESSION]",
	.help = "show a value",
	.more =
	    "EXPRESSION is C#: locals, fields, elements, statics (a.b[3].c), "
	    "methods, LINQ.\nWhat it names is interpreted without running the "
	    "program; only what cannot be is\ncalled (\"help set "
	    "evaluation\"). An assignment (a = 3, a += 3) is carried out.\n"
	    "$exception is the exception of the stop, $N an earlier value, $ "
	    "the last. /FMT is\none of x (hex), d (decimal), u (unsigned), o "
	    "(octal), t (binary), c (character),\na (address). \",raw\" "
	    "behind it shows the fields, \",results\" what it yields. See\n"
	    "\"show print\" for the limits of what is shown.\n$NAME is a "
	    "variable of yours ($x = 3) or a register ($pc); a[i]@n and *p@n "
	    "are n\nelements.",
	.flags = CMD_FORMAT,
	.complete = COMPLETE_EXPRESSIONS,
	.run = cmd_print,
    },
    {
	.names = "call",
	.args = "EXPRESSION",
	.help = "evaluate an expression; its calls are made by the program",
	.more =
	    "The methods, properties and operators that EXPRESSION names are "
	    "called by the\nselected thread, with all that they do, where "
	    "\"print\" interprets what it can. The\nthread must stand at the "
	    "beginning of a line of code compiled for debugging.\nBreakpoints "
	    "in the call do not stop it, other threads run if it takes longer, "
	    "an\nexception ends it with an error. Ctrl-C, or five seconds, "
	    "stop the program in it.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_EXPRESSIONS,
	.stopped = cmd_call,
    },
    {
	.names = "apply-deltas",
	.args = "MODULE METADATA IL [PDB [LINES]]",
	.help = "have the program apply an update of a module (hot reload)",
	.more =
	    "The files are those that the compiler writes for an edit of "
	    "MODULE. A thread of the\nprogram calls "
	    "MetadataUpdater.ApplyUpdate "
	    "and then the handlers that its assemblies\nname by "
	    "MetadataUpdateHandlerAttribute; see \"help call\". The program "
	    "has "
	    "to be built\nfor debugging and started with "
	    "DOTNET_MODIFIABLE_ASSEMBLIES=debug (\"--hot-reload\"). LINES "
	    "is\nnot read: which lines moved is told by the texts.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_PATHS,
	.stopped = cmd_apply_deltas,
    },
    {
	.names = "printf",
	.args = "\"FORMAT\", EXPRESSION...",
	.help = "print values in a format like that of C",
	.more = "%d %u %x %o %c %p take integers, %s any value; widths and "
		"\\n \\t \\033 as in C.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_EXPRESSIONS,
	.run = cmd_printf,
    },
    {
	.names = "output",
	.args = "EXPRESSION",
	.help = "show a value without number and end of line",
	.flags = CMD_NEEDS_ARGS | CMD_FORMAT,
	.complete = COMPLETE_EXPRESSIONS,
	.run = cmd_output,
    },
    {
	.names = "ptype pt",
	.args = "EXPRESSION | TYPE",
	.help = "show the declaration of a type",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_EXPRESSIONS,
	.stopped = cmd_ptype,
    },
    {
	.names = "whatis",
	.args = "EXPRESSION",
	.help = "show the type of a value",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_EXPRESSIONS,
	.stopped = cmd_whatis,
    },
    {
	.names = "x",
	.args = "[ADDRESS]",
	.help = "show memory",
	.more = "/FMT is a count, a letter (x d u o t a c f, s string, i "
		"instruction) and a size\n(b 1, h 2, w 4, g 8 bytes). "
		"ADDRESS is a number, a $register, each of them + or -\na "
		"number, or an expression. Without it, goes on behind what "
		"was shown last.",
	.flags = CMD_FORMAT | CMD_REPEAT_BARE,
	.complete = COMPLETE_EXPRESSIONS,
	.stopped = cmd_x,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_data = {"data", "Values, types and memory",
					   cmds};
