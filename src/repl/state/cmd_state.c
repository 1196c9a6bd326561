/* What all threads do at the moment: `pstacks`; who waits: `deadlock`. */
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "repl/cmd.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "report/parallel.h"

enum {
	FRAMES_LISTED = 500,
};

static struct dbg_error *cmd_pstacks(struct repl *r, struct dbg_stopped at,
				     const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	_cleanup_heap_options_ struct heap_options o;
	struct report report;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	const struct report_limits limits = {.frames = FRAMES_LISTED,
					     .all_threads = o.all};

	(void)at;
	if (err)
		return err;
	// the user's own, which a report sets
	const char *before = dbg_setting_get(r->dbg, "runtime-threads", arena);
	err = report_take(r->dbg, &limits, &report);
	struct dbg_error *back = dbg_set(r->dbg, "runtime-threads", before);
	if (!err) {
		(o.json ? report_parallel_json : report_parallel)(&report,
								  r->out);
		report_destroy(&report);
	}
	return dbg_err_first(err, back);
}

/* ---- deadlock -------------------------------------------------------- */

static const char *const kinds[] = {
    [DBG_BLOCKED_MONITOR] = "Monitor",
    [DBG_BLOCKED_LOCK] = "Lock",
    [DBG_BLOCKED_RWLOCK] = "ReaderWriterLockSlim",
    [DBG_BLOCKED_SEMAPHORE] = "SemaphoreSlim",
    [DBG_BLOCKED_TASK] = "Task",
    [DBG_BLOCKED_EVENT] = "Event",
    [DBG_BLOCKED_THREAD] = "Thread",
};

static const struct sheet_column wait_columns[] = {
    {"Thread", "thread", SHEET_NUMBER, 6},
    {"For", "for", SHEET_TEXT, 20},
    {"Object", "object", SHEET_ADDRESS, 14},
    {"Owner", "owner", SHEET_NUMBER, 6},
    {"Deadlock", "deadlock", SHEET_BOOL, 8},
    {"Type", "type", SHEET_TEXT, 0},
};

static void show_verdict(struct repl *r, const struct dbg_blocked *v, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!v[i].deadlock)
			continue;
		out(r, "%s %" PRIu32, any ? "," : "Deadlock of threads",
		    v[i].thread);
		any = true;
	}
	out(r, "%s\n",
	    any ? ""
	    : n ? "No deadlock: no thread waits for one that waits for it."
		: "No thread waits for a lock or a task.");
}

static struct dbg_error *cmd_deadlock(struct repl *r, struct dbg_stopped at,
				      const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_blocked *v;
	size_t n = 0;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_blocked_list(at, true, &v, &n);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "waits", SHEET_COLUMNS(wait_columns));
	for (size_t i = 0; i < n; i++)
		sheet_row(&s, (struct sheet_cell[]){
				  {.number = v[i].thread},
				  {.text = kinds[v[i].kind]},
				  {.number = v[i].object},
				  {.number = v[i].owner, .absent = !v[i].owner},
				  {.number = v[i].deadlock},
				  {.text = v[i].type}});
	sheet_rows_end(&s);
	if (!o.json)
		show_verdict(r, v, n);
	sheet_end(&s);
	return NULL;
}

static const struct repl_cmd cmds[] = {
    {
	.names = "pstacks parallelstacks",
	.args = "[--all] [--json]",
	.help = "print the stacks of all threads as a tree",
	.more = "Callers stand above what they call, with the number of "
		"threads that are in it.\n--all: threads of the runtime's own, "
		"too.",
	.stopped = cmd_pstacks,
    },
    {
	.names = "deadlock dlk",
	.args = "[--json]",
	.help = "show which threads wait for each other",
	.more = "Threads that wait for a lock (lock, Monitor, Lock, "
		"ReaderWriterLockSlim), a\nSemaphoreSlim, a task, an event "
		"(ManualResetEventSlim) or the end of a thread\n(since .NET "
		"10), with the thread that has it or runs it.",
	.stopped = cmd_deadlock,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_state = {"state", "The runtime's state",
					    cmds};
