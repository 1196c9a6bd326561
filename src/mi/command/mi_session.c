/*
 * Commands about the session itself: versions, lists of features, attaching and
 * detaching, completion, -interpreter-exec, -gdb-exit.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/err.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

// netcoredbg tells the end of the program first.
static struct dbg_error *leave(struct mi *m, struct mi_call *call)
{
	struct dbg_inferior inf = {0};

	dbg_inferior_get(m->dbg, &inf);
	call->class = "exit";
	if (m->dialect == MI_NETCOREDBG && inf.state != DBG_IDLE &&
	    !dbg_survives(m->dbg)) {
		mi_warn(m, mi_cli_quiet(m, "kill", NULL));
		notify_take(m);
	}
	m->quit = true;
	return NULL;
}

static struct dbg_error *version(struct mi *m, struct mi_call *call)
{
	_cleanup_free_ char *line =
	    xasprintf("GNU gdb (dndbg %s) 13.1\n", m->front->version);

	(void)call;
	mi_stream(m, '~', line, strlen(line));
	return NULL;
}

static void put_strings(struct str *t, const char *name,
			const char *const *list)
{
	record_list(t, name);
	for (; *list; list++)
		record_str(t, NULL, *list);
	record_list_end(t);
}

static struct dbg_error *features(struct mi *m, struct mi_call *call)
{
	static const char *const list[] = {"frozen-varobjs",
					   "pending-breakpoints",
					   "thread-info",
					   "data-read-memory-bytes",
					   "breakpoint-notifications",
					   "language-option",
					   "info-gdb-mi-command",
					   "undefined-command-error-code",
					   "exec-run-start-option",
					   "data-disassemble-a-option",
					   NULL};

	(void)m;
	put_strings(call->out, "features", list);
	return NULL;
}

static struct dbg_error *target_features(struct mi *m, struct mi_call *call)
{
	static const char *const list[] = {"async", NULL};

	(void)m;
	put_strings(call->out, "features", list);
	return NULL;
}

static struct dbg_error *info_command(struct mi *m, struct mi_call *call)
{
	const char *name = call->args.v[0];

	(void)m;
	record_tuple(call->out, "command");
	record_str(call->out, "exists",
		   mi_find(*name == '-' ? name + 1 : name) ? "true" : "false");
	record_tuple_end(call->out);
	return NULL;
}

static struct dbg_error *interpreter_exec(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err = NULL;

	// netcoredbg accepts and does nothing
	if (call->args.n < 2)
		return m->dialect == MI_NETCOREDBG ? NULL : mi_usage(call);
	bool console = !strcmp(call->args.v[0], "console");
	bool is_mi = !strncmp(call->args.v[0], "mi", 2);
	if (!console && !is_mi)
		return dbg_err(DBG_E_ARGUMENT,
			       "-interpreter-exec: could not find "
			       "interpreter \"%s\"",
			       call->args.v[0]);
	for (size_t i = 1; !err && i < call->args.n; i++)
		err = mi_cli(m, call->args.v[i]);
	return err;
}

static struct dbg_error *complete(struct mi *m, struct mi_call *call)
{
	struct command_place place = {m->thread, m->level};
	struct words found = {0};
	size_t start = 0;
	const char *line = call->args.v[0];

	commands_complete(&m->commands, line, &place, &found, &start);
	if (found.n == 1)
		record_strf(call->out, "completion", "%.*s%s", (int)start, line,
			    found.v[0]);
	record_list(call->out, "matches");
	for (size_t i = 0; i < found.n; i++)
		record_strf(call->out, NULL, "%.*s%s", (int)start, line,
			    found.v[i]);
	record_list_end(call->out);
	record_str(call->out, "max_completions_reached", "0");
	words_deinit(&found);
	return NULL;
}

// The stop comes as a record behind the answer.
static struct dbg_error *attach(struct mi *m, struct mi_call *call)
{
	call->class = "done";
	return mi_cli_word(m, "attach", call->args.v[0]);
}

// Detach from the selected program, or from the given group or process.
static struct dbg_error *detach(struct mi *m, struct mi_call *call)
{
	const char *word = call->args.n ? call->args.v[0] : NULL;
	struct dbg *dbg = word ? groups_find(m, word) : m->dbg;
	struct dbg_inferior inf = {0};
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(m->first, arena, &list, &n);
	for (size_t i = 0; word && i < n; i++)
		if ((uint64_t)list[i].pid == strtoull(word, NULL, 10))
			dbg = list[i].dbg;
	if (!dbg)
		return dbg_err(DBG_E_NOT_FOUND,
			       "\"%.80s\" is no thread group and no process "
			       "that is debugged.",
			       word);
	dbg_inferior_get(dbg, &inf);
	if (inf.state == DBG_IDLE)
		return dbg_err(DBG_E_STATE, "The program is not being run.");
	_cleanup_free_ char *cli =
	    xasprintf("detach inferiors %" PRIu32, inf.number);
	return mi_cli_quiet(m, cli, NULL);
}

static struct dbg_error *select_target(struct mi *m, struct mi_call *call)
{
	if (strcmp(call->args.v[0], "core"))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "Undefined target command: \"%s\"; there are "
			       "\"core FILE\", -target-attach and -exec-run.",
			       call->args.v[0]);
	struct dbg_error *err = mi_cli_word(m, "core-file", call->args.v[1]);
	call->class = "connected";
	return err;
}

// Answer the first command of Samsung's extension for Visual Studio.
static struct dbg_error *handshake(struct mi *m, struct mi_call *call)
{
	mi_dialect(m, MI_NETCOREDBG);
	if (!call->args.n || strcmp(call->args.v[0], "init"))
		return NULL;
	record_str(call->out, "request",
		   "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
	return NULL;
}

static struct dbg_error *accept(struct mi *m, struct mi_call *call)
{
	(void)m;
	(void)call;
	return NULL;
}

// Show values as the authors of their types want. It cannot be turned off
// again, as in gdb.
static struct dbg_error *enable_pretty(struct mi *m, struct mi_call *call)
{
	(void)call;
	m->values++;
	return dbg_set(m->dbg, "print raw-values", "off");
}

const struct mi_cmd mi_session_cmds[] = {
    {"gdb-exit", 0, NULL, 0, 1, .run = leave},
    {"gdb-version", 0, NULL, 0, 0, .run = version},
    {"list-features", 0, NULL, 0, 0, .run = features},
    {"list-target-features", 0, NULL, 0, 0, .run = target_features},
    {"info-gdb-mi-command", 0, "COMMAND", 1, 1, .run = info_command},
    {"interpreter-exec", 0, "INTERPRETER COMMAND", 0, MI_ANY,
     .run = interpreter_exec},
    {"complete", 0, "COMMAND", 1, 1, .run = complete},
    {"enable-pretty-printing", 0, NULL, 0, 0, .run = enable_pretty},
    {"enable-timings", 0, "[yes|no]", 0, 1, .run = accept},
    {"target-attach", 0, "PID", 1, 1, .run = attach},
    {"target-detach", 0, "[PID | GROUP]", 0, 1, .run = detach},
    {"target-disconnect", 0, NULL, 0, 0, .run = detach},
    {"target-select", 0, "TYPE PARAMETERS", 2, 2, .run = select_target},
    {"handshake", 0, "[init]", 0, MI_ANY, .run = handshake},
    {.name = NULL},
};
