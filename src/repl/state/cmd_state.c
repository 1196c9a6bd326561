/* What all threads do at the moment: `pstacks`. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "repl/cmd.h"
#include "repl/heap/heapoptions.h"
#include "repl/repl_priv.h"
#include "report/parallel.h"

enum {
	FRAMES_LISTED = 500,
};

// The user's own setting, which a report sets; the caller frees it.
static char *threads_setting(struct dbg *dbg)
{
	struct dbg_setting *v;
	size_t n = 0;

	dbg_error_destroy(dbg_setting_list(dbg, &v, &n));
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, "runtime-threads"))
			return xstrdup(v[i].value);
	return xstrdup("on");
}

static struct dbg_error *cmd_pstacks(struct repl *r, const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct report report;
	struct dbg_error *err = heap_options_parse(call->args, 0, &o);
	const struct report_limits limits = {.frames = FRAMES_LISTED,
					     .all_threads = o.all};

	if (err)
		return err;
	_cleanup_free_ char *before = threads_setting(r->dbg);
	err = report_take(r->dbg, &limits, &report);
	struct dbg_error *back = dbg_set(r->dbg, "runtime-threads", before);
	if (!err) {
		(o.json ? report_parallel_json : report_parallel)(&report,
								  r->out);
		report_destroy(&report);
	}
	return dbg_err_first(err, back);
}

static const struct repl_cmd cmds[] = {
    {
	.names = "pstacks parallelstacks",
	.args = "[--all] [--json]",
	.help = "print the stacks of all threads as a tree",
	.more = "Callers stand above what they call, with the number of "
		"threads that are in it.\n--all: threads of the runtime's own, "
		"too.",
	.flags = CMD_NEEDS_STOP,
	.run = cmd_pstacks,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_state = {"state", "The runtime's state",
					    cmds};
