/*
 * `generate-core-file` and `snapshot`: the program as it stands, written to a
 * core file, or as a frozen copy that is looked at while the program goes on.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/debuggees.h"
#include "front/cli/words.h"
#include "repl/cmd.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/command/subcmd.h"

static bool take_option(const char *word, struct dbg_core_options *ret)
{
	if (!strcmp(word, "--heap"))
		ret->kind = DBG_CORE_HEAP;
	else if (!strcmp(word, "--mini"))
		ret->kind = DBG_CORE_MINI;
	else if (!strcmp(word, "--compress"))
		ret->compress = true;
	else
		return false;
	return true;
}

static struct dbg_error *cmd_generate(struct repl *r, struct dbg_stopped at,
				      const struct call *call)
{
	struct dbg_core_options o = {.kind = DBG_CORE_FULL};
	_cleanup_words_ struct words words = {0};
	_cleanup_free_ char *path = NULL;
	struct dbg_inferior inf;
	size_t n = 0;
	uint64_t size;

	struct dbg_error *err = words_split(call->args, &words);
	if (err)
		return err;
	while (n < words.n && take_option(words.v[n], &o))
		n++;
	if (words.n > n + 1)
		return dbg_err_arg("The name of one file expected.");
	dbg_inferior_get(r->dbg, &inf);
	path = words.n > n ? xstrdup(words.v[n])
			   : xasprintf("core.%d", (int)inf.pid);
	err = dbg_core_write(at, path, &o, &size);
	if (err)
		return err;
	out(r, "Saved corefile %s (%" PRIu64 " MB)\n", path, size >> 20);
	return NULL;
}

// Take a snapshot of the program that is debugged, or of another process, which
// is stopped for it.
static struct dbg_error *take_copy(struct repl *r, const char *args)
{
	struct dbg_attach a = {.snapshot = true, .settle = r->settle};
	struct dbg_error *err = NULL;
	struct dbg_stopped at;

	if (!*args) {
		err = dbg_stopped(r->dbg, &at);
		return err ? err : dbg_snapshot(at);
	}
	err = parse_attach(args, &a);
	if (err)
		return err;
	if (debuggees_alive(r->first))
		return dbg_err(DBG_E_STATE,
			       "A program is being debugged already: "
			       "\"snapshot\" alone copies that.");
	thread_names_clear(r);
	return dbg_attach(r->dbg, &a);
}

static struct dbg_error *cmd_snapshot(struct repl *r, const struct call *call)
{
	r->program_status = -1;
	resume_begin(r, RESUME_RUN);
	struct dbg_error *err = take_copy(r, call->args);
	if (!err)
		out(r, "[Snapshot of process %d; the program goes on]\n",
		    (int)dbg_pid(r->dbg));
	return resume_end(r, err);
}

static const struct repl_cmd cmds[] = {
    {
	.names = "generate-core-file gcore",
	.args = "[--heap|--mini] [--compress] [FILE]",
	.help = "write a core file of the program as it stands",
	.more = "Without FILE its name is core.PID; its owner alone may read "
		"it. With --heap\npages that are as in their files are left "
		"out: it is smaller, and needs these\nfiles to be looked at. "
		"With --mini there is what shows the stacks of all\nthreads, "
		"their variables and the exception: some MB. --compress packs "
		"it by gzip.",
	.complete = COMPLETE_PATHS,
	.stopped = cmd_generate,
    },
    {
	.names = "snapshot",
	.args = "[PID|NAME]",
	.help = "look at a frozen copy of the program, which goes on",
	.more = "The program is copied as by fork, in some milliseconds, and "
		"goes on without the\ndebugger. Threads, stacks, variables, "
		"memory and the heap of the copy are those of\nthis moment; "
		"nothing can run. It is gone when dndbg ends. With PID or "
		"NAME, of a\nprogram that is not being debugged.",
	.flags = CMD_STARTS,
	.run = cmd_snapshot,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_dumps = {"dumps", "Core dumps and snapshots",
					    cmds};
