/*
 * Commands that start, resume and end the program: `run`, `start`, `attach`,
 * `core-file`, `continue`, the steps, `until`, `advance`, `jump`, `kill`,
 * `detach`, `file`. Each resuming command is resume_begin(), one call of the
 * engine, resume_end(): see resume.c.
 */
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/inferior.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/debuggees.h"

/* ---- Several programs ---------------------------------------------------- */

/*
 * `inferior`, `info inferiors`, `kill inferiors`, `detach inferiors`: the
 * programs that are debugged together. The list and the numbers are the
 * engine's.
 */

struct dbg_error *inferior_info(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	(void)call;
	out(r, "  Num  Description       Program\n");
	dbg_inferior_list(r->first, arena, &list, &n);
	for (size_t i = 0; i < n; i++) {
		const struct dbg_inferior *inf = &list[i];
		char process[32] = "<null>";

		if (inf->state != DBG_IDLE)
			snprintf(process, sizeof(process), "process %d",
				 (int)inf->pid);
		out(r, "%c %-4u %-17s %s\n", inf->dbg == r->dbg ? '*' : ' ',
		    inf->number, process, inferior_program(r, inf));
	}
	return NULL;
}

static struct dbg_error *inferior_find(struct repl *r, uint64_t number,
				       struct dbg **ret)
{
	*ret = debuggees_find(r->first, number);
	if (!*ret)
		return dbg_err_arg("Inferior number %u does not exist; see "
				   "\"info inferiors\".",
				   (unsigned int)number);
	return NULL;
}

static void show_current(struct repl *r, const char *verb)
{
	struct dbg_inferior inf;

	dbg_inferior_get(r->dbg, &inf);
	const char *program = inferior_program(r, &inf);
	out(r, "[%s inferior %u (", verb, inf.number);
	if (inf.state == DBG_IDLE)
		out(r, "<null>");
	else
		out(r, "process %d", (int)inf.pid);
	out(r, ") (%s)]\n", *program ? program : "<noexec>");
}

static struct dbg_error *cmd_inferior(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	struct dbg *dbg;
	uint64_t number;

	if (!*call->args) {
		show_current(r, "Current");
		return NULL;
	}
	if (!parse_u64(call->args, &number))
		return dbg_err_arg("\"%s\" is not a number.", call->args);
	err = inferior_find(r, number, &dbg);
	if (err)
		return err;
	inferior_select(r, dbg);
	r->stopped_inferior = (uint32_t)number;
	show_current(r, "Switching to");
	if (!r->thread)
		return NULL;
	// One that has no stack yet is no failure of the switch.
	err = show_selected(r);
	dbg_error_destroy(err);
	return NULL;
}

typedef struct dbg_error *inferior_fn(struct repl *r, struct dbg *dbg);

static struct dbg_error *each(struct repl *r, const char *args, inferior_fn *fn)
{
	struct dbg_error *err;
	struct dbg *dbg;
	uint64_t first, last;
	bool any;

	for (;;) {
		err = parse_range(&args, &first, &last, &any);
		if (err || !any)
			return err;
		for (uint64_t n = first; !err && n <= last; n++) {
			err = inferior_find(r, n, &dbg);
			if (!err)
				err = fn(r, dbg);
		}
		if (err)
			return err;
	}
}

static struct dbg_error *kill_one(struct repl *r, struct dbg *dbg)
{
	struct dbg_inferior inf;

	dbg_inferior_get(dbg, &inf);
	struct dbg_error *err = inferior_kill(r, dbg);
	if (!err)
		out(r, "[Inferior %u (process %d) killed]\n", inf.number,
		    (int)inf.pid);
	return err;
}

struct dbg_error *inferior_kill_cmd(struct repl *r, const struct call *call)
{
	if (!*call->args)
		return kill_one(r, r->dbg);
	return each(r, call->args, kill_one);
}

struct dbg_error *inferior_detach_cmd(struct repl *r, const struct call *call)
{
	if (!*call->args)
		return inferior_detach(r, r->dbg);
	return each(r, call->args, inferior_detach);
}

static const struct repl_cmd cmd_inferior_cmds[] = {
    {
	.names = "inferior",
	.args = "[N]",
	.help = "look at another of the programs that are debugged",
	.more = "Without N, say which it is. All of them stop and run "
		"together; \"set follow-exec\"\nand \"set follow-fork-mode\" "
		"say which programs that the program starts are among\nthem.",
	.run = cmd_inferior,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_inferiors = {"inferiors", "Several programs",
						cmd_inferior_cmds};

/* ---- Commands that start, resume and end the program --------------------- */

static void say_start(const struct repl *r)
{
	_cleanup_str_ struct str line = {0};

	launch_config_line(r->launch, &line);
	out(r, "Starting program: %s\n", str_get(&line));
}

struct dbg_error *program_name(const struct repl *r)
{
	const struct dbg_launch l = launch_config_request(r->launch);

	return dbg_program(r->dbg, &l);
}

enum launch_stop {
	LAUNCH_RUN,
	LAUNCH_MAIN,
	LAUNCH_EXEC,
};

static struct dbg_error *run_launch(struct repl *r, const struct call *call,
				    enum launch_stop where)
{
	struct dbg_error *err;

	if (!r->launch->program)
		return dbg_err(DBG_E_STATE, "No program to run. "
					    "Use the \"file\" command.");
	if (debuggees_alive(r->first)) {
		if (!repl_confirm(r, "The program being debugged has been "
				     "started already.\n"
				     "Start it from the beginning?"))
			return dbg_err(DBG_E_STATE, "Program not restarted.");
		err = inferiors_kill(r);
		if (err)
			return err;
	}
	// New arguments, if there are any, replace the earlier ones.
	if (*call->args) {
		err = launch_config_args(r->launch, call->args);
		if (err)
			return err;
	}
	struct dbg_launch l = launch_config_request(r->launch);
	l.stop_at_entry = where == LAUNCH_MAIN;
	l.stop_at_exec = where == LAUNCH_EXEC;
	r->stopped_inferior = 1;
	dbg_error_destroy(program_name(r)); // which dbg_launch says
	thread_names_clear(r);
	say_start(r);
	r->thread = 0;
	r->program_status = -1;
	resume_begin(r, RESUME_RUN);
	if (r->on_launch)
		r->on_launch(r->launch_arg, &l);
	return resume_end(r, dbg_launch(r->dbg, &l));
}

static struct dbg_error *cmd_run(struct repl *r, const struct call *call)
{
	return run_launch(r, call, LAUNCH_RUN);
}

static struct dbg_error *cmd_start(struct repl *r, const struct call *call)
{
	return run_launch(r, call, LAUNCH_MAIN);
}

static struct dbg_error *cmd_starti(struct repl *r, const struct call *call)
{
	return run_launch(r, call, LAUNCH_EXEC);
}

static struct dbg_error *cmd_return(struct repl *r, const struct call *call)
{
	(void)r;
	(void)call;
	return dbg_err(DBG_E_UNSUPPORTED,
		       "A managed frame cannot be dropped: the runtime would "
		       "not release the locks that it holds, nor run its "
		       "finally blocks. Use \"finish\" to run to its end, or "
		       "\"jump\" or \"set next-statement\" to go to its return "
		       "statement.");
}

static struct dbg_error *cmd_continue(struct repl *r, struct dbg_stopped at,
				      const struct call *call)
{
	struct dbg_error *err;
	uint64_t n;

	err = parse_count(call->args, 1, &n);
	if (err)
		return err;
	const struct dbg_stop *stop = dbg_stop_reason(at);
	if (n > 1 && stop->breakpoint) {
		err = dbg_break_ignore(r->dbg, stop->breakpoint, n - 1);
		if (err)
			return err;
		out(r,
		    "Will ignore next %" PRIu64 " crossings of breakpoint "
		    "%" PRIu32 ".  Continuing.\n",
		    n - 1, stop->breakpoint);
	} else {
		out(r, "Continuing.\n");
	}
	resume_begin(r, RESUME_RUN);
	return resume_end(r, dbg_continue(at, 0));
}

static struct dbg_error *step_command(struct repl *r, struct dbg_stopped at,
				      const struct call *call,
				      enum dbg_step_kind kind,
				      enum dbg_step_unit unit)
{
	struct dbg_error *err;
	struct dbg_step step = {
	    .thread = r->thread, .kind = kind, .unit = unit};
	uint64_t n;

	err = parse_count(call->args, 1, &n);
	if (err)
		return err;
	for (; n; n--) {
		resume_begin(r, unit == DBG_UNIT_INSTRUCTION
				    ? RESUME_INSTRUCTION
				    : RESUME_STEP);
		err = dbg_step(at, &step);
		if (n == 1)
			return resume_end(r, err);
		err = resume_wait(r, err);
		if (err || !r->stopped)
			return err;
		err = dbg_stopped(r->dbg, &at);
		if (err)
			return err;
		const struct dbg_stop *stop = dbg_stop_reason(at);
		// a step of an instruction waits for nothing, nor for Ctrl-C,
		// and another may be over when that is seen
		if (stop->reason != DBG_STOP_STEP || r->interrupted ||
		    loop_interrupted(r->loop))
			return resume_end(r, NULL);
	}
	return NULL;
}

// Does @wanted name the call: in full, or by its name with or without leading
// parts?
static bool is_call_named(const struct dbg_call *call, const char *wanted)
{
	size_t n = strlen(call->name);
	size_t len = strlen(wanted);

	return !strcmp(call->function, wanted) ||
	       (len <= n && !strcmp(call->name + n - len, wanted) &&
		(len == n || call->name[n - len - 1] == '.'));
}

static struct dbg_error *find_call(struct repl *r, struct dbg_stopped at,
				   const char *text, uint32_t *ret)
{
	struct dbg_error *err;
	struct dbg_call *calls;
	uint64_t number;
	size_t n;

	err = dbg_call_list(at, r->thread, &calls, &n);
	if (err)
		return err;
	if (parse_u64(text, &number)) {
		if (!number || number > n)
			return dbg_err_arg("No call number %s; see "
					   "\"info calls\".",
					   text);
		*ret = calls[number - 1].id;
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		if (!is_call_named(&calls[i], text))
			continue;
		*ret = calls[i].id;
		return NULL;
	}
	return dbg_err_arg("No call of \"%s\" in the line; see \"info calls\".",
			   text);
}

static struct dbg_error *cmd_step_into(struct repl *r, struct dbg_stopped at,
				       const struct call *call)
{
	struct dbg_error *err;
	struct dbg_step step = {
	    .thread = r->thread, .kind = DBG_STEP_IN, .unit = DBG_UNIT_LINE};

	err = find_call(r, at, call->args, &step.target);
	if (err)
		return err;
	resume_begin(r, RESUME_STEP);
	return resume_end(r, dbg_step(at, &step));
}

static struct dbg_error *cmd_step(struct repl *r, struct dbg_stopped at,
				  const struct call *call)
{
	return step_command(r, at, call, DBG_STEP_IN, DBG_UNIT_LINE);
}

static struct dbg_error *cmd_next(struct repl *r, struct dbg_stopped at,
				  const struct call *call)
{
	return step_command(r, at, call, DBG_STEP_OVER, DBG_UNIT_LINE);
}

static struct dbg_error *cmd_stepi(struct repl *r, struct dbg_stopped at,
				   const struct call *call)
{
	return step_command(r, at, call, DBG_STEP_IN, DBG_UNIT_INSTRUCTION);
}

static struct dbg_error *cmd_nexti(struct repl *r, struct dbg_stopped at,
				   const struct call *call)
{
	return step_command(r, at, call, DBG_STEP_OVER, DBG_UNIT_INSTRUCTION);
}

static struct dbg_error *cmd_finish(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	struct dbg_error *err;
	struct dbg_frame f;

	(void)call;
	err = frame_get(r, &f);
	if (err)
		return err;
	struct dbg_step step_out = {.thread = r->thread,
				    .kind = DBG_STEP_OUT,
				    .unit = DBG_UNIT_LINE,
				    .frame = r->level};
	out(r, "Run till exit from ");
	show_frame_line(r, &f);
	resume_begin(r, RESUME_RUN);
	return resume_finish(r, dbg_step(at, &step_out));
}

// Parse a place. A line number without a file is in the selected frame's file.
static struct dbg_error *full_place(struct repl *r, const char *args,
				    struct dbg_place *ret)
{
	struct dbg_error *err;
	struct dbg_frame f;
	uint64_t line;

	err = frame_get(r, &f);
	if (err)
		return err;
	if (!f.source.path || !parse_u64(args, &line) || line > UINT32_MAX)
		return place_of(r, args, ret);
	*ret = (struct dbg_place){.kind = DBG_PLACE_LINE,
				  .file = f.source.path,
				  .line = (uint32_t)line};
	return NULL;
}

static struct dbg_error *cmd_advance(struct repl *r, struct dbg_stopped at,
				     const struct call *call)
{
	struct dbg_error *err;
	struct dbg_place place;

	err = full_place(r, call->args, &place);
	if (err)
		return err;
	resume_begin(r, RESUME_RUN);
	return resume_end(r, dbg_run_to(at, r->thread, &place));
}

struct dbg_error *run_goto(struct repl *r, struct dbg_stopped at,
			   const char *args, bool run)
{
	struct dbg_error *err;
	struct dbg_place place;

	err = full_place(r, args, &place);
	if (err)
		return err;
	resume_begin(r, RESUME_RUN);
	return resume_end(r, dbg_goto(at, r->thread, &place, run));
}

static struct dbg_error *cmd_jump(struct repl *r, struct dbg_stopped at,
				  const struct call *call)
{
	return run_goto(r, at, call->args, true);
}

static struct dbg_error *cmd_until(struct repl *r, struct dbg_stopped at,
				   const struct call *call)
{
	if (*call->args)
		return cmd_advance(r, at, call);
	return step_command(r, at, call, DBG_STEP_UNTIL, DBG_UNIT_LINE);
}

static struct dbg_error *cmd_kill(struct repl *r, const struct call *call)
{
	if (!repl_confirm(r, "Kill the program being debugged?"))
		return dbg_err(DBG_E_STATE, "Not confirmed.");
	return inferior_kill_cmd(r, call);
}

static struct dbg_error *cmd_attach(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	struct dbg_attach a = {.settle = r->settle};

	err = parse_attach(call->args, &a);
	if (!err && debuggees_alive(r->first))
		err =
		    dbg_err(DBG_E_STATE, "A program is being debugged already: "
					 "\"detach\" or \"kill\" it first.");
	if (err)
		return err;
	thread_names_clear(r);
	if (a.wait)
		out(r, "Waiting for \"%s\".\n", a.name);
	r->thread = 0;
	r->program_status = -1;
	resume_begin(r, RESUME_RUN);
	err = dbg_attach(r->dbg, &a);
	if (!err)
		out(r, "Attaching to process %d\n", (int)dbg_pid(r->dbg));
	return resume_end(r, err);
}

static struct dbg_error *cmd_core(struct repl *r, const struct call *call)
{
	struct dbg_error *err;

	if (debuggees_alive(r->first))
		return dbg_err(DBG_E_STATE,
			       "A program is being debugged already: "
			       "\"detach\" or \"kill\" it first.");
	r->thread = 0;
	r->program_status = -1;
	resume_begin(r, RESUME_RUN);
	err = dbg_core(r->dbg, call->args);
	return resume_end(r, err);
}

static struct dbg_error *cmd_file(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	_cleanup_words_ struct words words = {0};

	err = words_split(call->args, &words);
	if (!err && words.n > 1)
		err = dbg_err_arg("One program expected; its arguments go to "
				  "\"run\" or \"set args\".");
	if (err)
		return err;
	str_set(&r->launch->program, words.n ? words.v[0] : NULL);
	str_set(&r->listing.file, NULL);
	return program_name(r);
}

static const struct repl_cmd kill_subs[] = {
    {
	.names = "inferiors",
	.args = "N...",
	.help = "end some of the programs by force",
	.flags = CMD_NEEDS_ARGS,
	.run = inferior_kill_cmd,
    },
    {.names = NULL},
};

static const struct repl_cmd detach_subs[] = {
    {
	.names = "inferiors",
	.args = "N...",
	.help = "let some of the programs go",
	.flags = CMD_NEEDS_ARGS,
	.run = inferior_detach_cmd,
    },
    {.names = NULL},
};

static const struct repl_cmd cmds[] = {
    {
	.names = "run r",
	.args = "[ARGS] [< FILE] [> FILE] [2> FILE] [2>&1]",
	.help = "start the program",
	.more = "ARGS replace the program's arguments, also for the next "
		"run; they are\nquoted as in a shell, but nothing is "
		"expanded. Without ARGS those of the\nlast time are used. A "
		"running program is killed first.",
	.complete = COMPLETE_PATHS,
	.flags = CMD_STARTS,
	.run = cmd_run,
    },
    {
	.names = "start",
	.args = "[ARGS]",
	.help = "start the program and stop in Main",
	.more = "As \"run\", but the program stops before the first line of "
		"its Main.",
	.complete = COMPLETE_PATHS,
	.flags = CMD_STARTS,
	.run = cmd_start,
    },
    {
	.names = "starti",
	.args = "[ARGS]",
	.help = "start the program and stop at its first instruction",
	.more = "As \"run\", but nothing of the process has run, not even "
		"the dynamic linker.",
	.complete = COMPLETE_PATHS,
	.flags = CMD_STARTS,
	.run = cmd_starti,
    },
    {
	.names = "return",
	.args = "[EXPRESSION]",
	.help = "not possible in managed code, and says what is instead",
	.complete = COMPLETE_EXPRESSIONS,
	.run = cmd_return,
    },
    {
	.names = "continue c fg",
	.args = "[N]",
	.help = "let the program run on",
	.more = "With N, the breakpoint that the program stands at is "
		"ignored N - 1 times.",
	.flags = CMD_RUNS | CMD_REPEAT,
	.stopped = cmd_continue,
    },
    {
	.names = "step s",
	.args = "[N]",
	.help = "step to another line, into calls",
	.more = "Code that is not yours (see \"set just-my-code\") is passed, "
		"up to what it\ncalls back; so are properties and operators "
		"(\"set step-over-properties\").",
	.flags = CMD_RUNS | CMD_REPEAT,
	.stopped = cmd_step,
    },
    {
	.names = "step-into",
	.args = "N|NAME",
	.help = "step into one call of the line",
	.more = "\"info calls\" lists the calls of the line with their "
		"numbers.",
	.flags = CMD_RUNS | CMD_NEEDS_ARGS,
	.stopped = cmd_step_into,
    },
    {
	.names = "next n",
	.args = "[N]",
	.help = "step to the next line, over calls",
	.flags = CMD_RUNS | CMD_REPEAT,
	.stopped = cmd_next,
    },
    {
	.names = "stepi si",
	.args = "[N]",
	.help = "step one machine instruction",
	.flags = CMD_RUNS | CMD_REPEAT,
	.stopped = cmd_stepi,
    },
    {
	.names = "nexti ni",
	.args = "[N]",
	.help = "step one machine instruction, over calls",
	.flags = CMD_RUNS | CMD_REPEAT,
	.stopped = cmd_nexti,
    },
    {
	.names = "finish fin",
	.help = "run until the selected frame returns",
	.more = "The value that it returned is shown and is $returnvalue as "
		"long as the\nprogram stands there.",
	.flags = CMD_RUNS | CMD_REPEAT,
	.stopped = cmd_finish,
    },
    {
	.names = "until u",
	.args = "[LOCATION]",
	.help = "step over, but never back in a loop",
	.more = "With LOCATION, run until it is reached or the frame "
		"returns.",
	.flags = CMD_RUNS | CMD_REPEAT,
	.complete = COMPLETE_LOCATIONS,
	.stopped = cmd_until,
    },
    {
	.names = "advance",
	.args = "LOCATION",
	.help = "run until LOCATION is reached or the frame returns",
	.flags = CMD_RUNS | CMD_NEEDS_ARGS,
	.complete = COMPLETE_LOCATIONS,
	.stopped = cmd_advance,
    },
    {
	.names = "jump j",
	.args = "LOCATION",
	.help = "make LOCATION the next statement and run on from there",
	.more = "LOCATION is in the method that the thread is in. \"set "
		"next-statement LOCATION\"\nonly moves there.",
	.flags = CMD_RUNS | CMD_NEEDS_ARGS,
	.complete = COMPLETE_LOCATIONS,
	.stopped = cmd_jump,
    },
    {
	.names = "kill k",
	.help = "end the program by force",
	.flags = CMD_NEEDS_PROCESS,
	.run = cmd_kill,
	.sub = kill_subs,
    },
    {
	.names = "attach",
	.args = "[--wait] PID|NAME",
	.help = "take over a running program",
	.more = "The program stops, and goes on when it is detached from or "
		"dndbg ends,\nby whatever means. NAME is that of its file, of "
		"its .dll or of its\nprocess; --wait waits for one of that "
		"name to be started.",
	.flags = CMD_STARTS | CMD_NEEDS_ARGS,
	.run = cmd_attach,
    },
    {
	.names = "core-file core",
	.args = "FILE",
	.help = "look at a core dump",
	.more = "Threads, stacks, variables and memory are as they were; "
		"nothing can run.",
	.flags = CMD_STARTS | CMD_NEEDS_ARGS,
	.complete = COMPLETE_PATHS,
	.run = cmd_core,
    },
    {
	.names = "detach",
	.help = "let the program go on without the debugger",
	.flags = CMD_NEEDS_PROCESS,
	.run = inferior_detach_cmd,
	.sub = detach_subs,
    },
    {
	.names = "file exec-file",
	.args = "[PROGRAM]",
	.help = "name the program to run",
	.more = "PROGRAM is a .dll, an apphost or \"dotnet\". Without it "
		"there is none.",
	.complete = COMPLETE_PATHS,
	.run = cmd_file,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_running = {
    "running", "Starting, stepping and ending the program", cmds};
