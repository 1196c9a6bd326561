/*
 * `generate-core-file`: a core file of the program as it stands. The engine
 * writes it; here the words are taken apart and the size is told.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/words.h"
#include "repl/cmd.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

static struct dbg_error *cmd_generate(struct repl *r, const struct call *call)
{
	enum dbg_core_kind kind = DBG_CORE_FULL;
	_cleanup_words_ struct words words = {0};
	_cleanup_free_ char *path = NULL;
	struct dbg_inferior inf;
	size_t at = 0;
	uint64_t size;

	struct dbg_error *err = words_split(call->args, &words);
	if (err)
		return err;
	if (words.n && !strcmp(words.v[0], "--heap")) {
		kind = DBG_CORE_HEAP;
		at = 1;
	}
	if (words.n > at + 1)
		return dbg_err_arg("The name of one file expected.");
	dbg_inferior_get(r->dbg, &inf);
	path = words.n > at ? xstrdup(words.v[at])
			    : xasprintf("core.%d", (int)inf.pid);
	err = dbg_core_write(r->dbg, path, kind, &size);
	if (err)
		return err;
	out(r, "Saved corefile %s (%" PRIu64 " MB)\n", path, size >> 20);
	return NULL;
}

static const struct repl_cmd cmds[] = {
    {
	.names = "generate-core-file gcore",
	.args = "[--heap] [FILE]",
	.help = "write a core file of the program as it stands",
	.more = "Without FILE its name is core.PID; its owner alone may read "
		"it. With --heap\npages that are as in their files are left "
		"out: it is smaller, and needs these\nfiles to be looked at.",
	.flags = CMD_RUNS,
	.complete = COMPLETE_PATHS,
	.run = cmd_generate,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_dumps = {"dumps", "Core dumps", cmds};
