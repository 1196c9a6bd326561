/*
 * `save breakpoints`, which writes the commands that make them anew, and
 * `maint`: what the engine's work costs in stops, system calls and calls of the
 * DAC.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "repl/cmd.h"
#include "base/err.h"
#include "base/mem.h"
#include "front/dprintf.h"
#include "front/plain.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/show.h"

// Names of a file's place are the same in the next run; addresses are not.
static void save_place(FILE *f, const struct dbg_breakpoint *b)
{
	const struct dbg_location *l = b->n_locations ? b->locations : NULL;

	// A path of several lines would be several commands.
	if (strchr("*0123456789", *b->text) && l && l->file &&
	    plain_is(l->file))
		fprintf(f, "%s:%" PRIu32, l->file, l->line);
	else
		fprintf(f, "%s", b->text);
}

// Write the beginning of the command that makes the breakpoint.
static void save_kind(FILE *f, const struct dbg_breakpoint *b)
{
	static const char *const watches[] = {
	    [DBG_WATCH_WRITE] = "watch",
	    [DBG_WATCH_READ] = "rwatch",
	    [DBG_WATCH_ACCESS] = "awatch",
	};

	_cleanup_str_ struct str catches = {0}, log = {0};

	switch (b->kind) {
	case DBG_BREAK_LOCATION:
		fprintf(f, "%s ",
			b->log         ? "dprintf"
			: b->temporary ? "tbreak"
				       : "break");
		save_place(f, b);
		if (b->log) {
			dprintf_text(b->log, &log);
			fprintf(f, ",%s", str_get(&log));
		}
		if (b->thread)
			fprintf(f, " thread %" PRIu32, b->thread);
		break;
	case DBG_BREAK_REGEX:
		fprintf(f, "rbreak %s", b->text);
		break;
	case DBG_BREAK_WATCH:
		fprintf(f, "%s %s", watches[b->access], b->text);
		break;
	case DBG_BREAK_THROW:
	case DBG_BREAK_USER_UNHANDLED:
	case DBG_BREAK_UNHANDLED:
	case DBG_BREAK_CAUGHT:
	case DBG_BREAK_LOAD:
	case DBG_BREAK_UNLOAD:
		catch_add_text(b, &catches);
		fprintf(f, "%s %s", b->temporary ? "tcatch" : "catch",
			str_get(&catches));
		break;
	}
	fputc('\n', f);
}

static void save_one(struct repl *r, FILE *f, const struct dbg_breakpoint *b)
{
	const struct hook *hook = hook_find(r, b->number);

	save_kind(f, b);
	if (b->condition)
		fprintf(f, "  condition $bpnum %s\n", b->condition);
	if (b->ignore)
		fprintf(f, "  ignore $bpnum %" PRIu64 "\n", b->ignore);
	if (hook) {
		fputs("  commands\n", f);
		for (size_t i = 0; i < hook->lines.n; i++)
			fprintf(f, "    %s\n", hook->lines.v[i]);
		fputs("  end\n", f);
	}
	if (!b->enabled)
		fputs("disable $bpnum\n", f);
}

static struct dbg_error *save_breakpoints(struct repl *r,
					  const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_breakpoint *list;
	size_t n;
	int fd;

	err = dbg_break_list(r->dbg, arena, &list, &n);
	if (err)
		return err;
	if (!n) {
		out(r, "Nothing to save.\n");
		return NULL;
	}
	err =
	    dbg_open_file(call->args, O_WRONLY | O_CREAT | O_TRUNC, true, &fd);
	if (err)
		return err;
	FILE *f = fdopen(fd, "w");
	if (!f) {
		close(fd);
		return dbg_err(DBG_E_FILE, "%s: %s.", call->args,
			       strerror(errno));
	}
	for (size_t i = 0; i < n; i++)
		save_one(r, f, &list[i]);
	bool good = !ferror(f);
	if (fclose(f) != 0 || !good)
		return dbg_err(DBG_E_FILE, "%s: %s.", call->args,
			       strerror(errno));
	out(r, "Saved to file '%s'.\n", call->args);
	return NULL;
}

static void print_counters(const struct repl *r, const char *what,
			   const struct dbg_counters *from,
			   const struct dbg_counters *to)
{
	out(r,
	    "%-24s %10" PRIu64 " %14" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n",
	    what, to->stops - from->stops, to->syscalls - from->syscalls,
	    to->looks - from->looks, to->dac_calls - from->dac_calls);
}

static struct dbg_error *print_statistics(struct repl *r,
					  const struct call *call)
{
	static const struct dbg_counters none;
	struct dbg_counters now;

	(void)call;
	dbg_counters(r->dbg, &now);
	out(r, "%-24s %10s %14s %10s %10s\n", "", "stops", "system calls",
	    "in vain", "DAC calls");
	print_counters(r, "since the start", &none, &now);
	print_counters(r, "since the last command", &r->counted, &now);
	return NULL;
}

static const struct repl_cmd save_subs[] = {
    {
	.names = "breakpoints",
	.args = "FILE",
	.help = "write all breakpoints to FILE, for \"source\"",
	.more = "Conditions, ignore counts, commands and what is disabled "
		"are kept.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_PATHS,
	.run = save_breakpoints,
    },
    {.names = NULL},
};

static const struct repl_cmd print_subs[] = {
    {
	.names = "statistics",
	.help = "count the stops, system calls and calls of the DAC",
	.more = "Wait statuses taken, system calls made on the program's "
		"behalf, calls into\nthe runtime's data access library: in "
		"all, and since the command before.",
	.run = print_statistics,
    },
    {.names = NULL},
};

static const struct repl_cmd maint_subs[] = {
    {
	.names = "print",
	.args = "WHAT",
	.help = "print what dndbg knows of its own work",
	.sub = print_subs,
    },
    {.names = NULL},
};

static const struct repl_cmd cmds[] = {
    {
	.names = "save",
	.args = "WHAT FILE",
	.help = "write what was set to a file",
	.sub = save_subs,
    },
    {
	.names = "maintenance maint mt",
	.args = "WHAT",
	.help = "look at dndbg's own work",
	.sub = maint_subs,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_session = {"session",
					      "The session and its cost", cmds};
