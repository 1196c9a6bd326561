/*
 * -exec-run, -exec-continue, the steps, -exec-until, -exec-interrupt and so on.
 * The answer is ^running; the stop comes later as a record of mi_notify.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/err.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

static bool has_option(const struct mi_call *call, const char *name)
{
	for (size_t i = 0; i < call->args.n; i++)
		if (!strcmp(call->args.v[i], name))
			return true;
	return false;
}

static struct dbg_error *no_reverse(const struct mi_call *call)
{
	return has_option(call, "--reverse")
		   ? dbg_err(DBG_E_UNSUPPORTED,
			     "Target native does not support this command.")
		   : NULL;
}

// The program that runs is ended first; its end is told, but is no stop.
static struct dbg_error *run(struct mi *m, struct mi_call *call)
{
	bool start = has_option(call, "--start") || m->dialect == MI_NETCOREDBG;

	if (call->args.n && strcmp(call->args.v[0], "--start") &&
	    strcmp(call->args.v[0], "--all"))
		return dbg_err(DBG_E_ARGUMENT, "Invalid argument: %s",
			       call->args.v[0]);
	return mi_cli_quiet(m, start ? "start" : "run", NULL);
}

static struct dbg_error *go_on(struct mi *m, struct dbg_stopped at,
			       struct mi_call *call)
{
	struct dbg_error *err = no_reverse(call);

	m->way = MI_WAY_RUN;
	return err ? err : dbg_continue(at, 0);
}

static struct dbg_error *interrupt(struct mi *m, struct mi_call *call)
{
	(void)call;
	if (dbg_state(m->dbg) == DBG_IDLE)
		return dbg_err(DBG_E_STATE, "Inferior not executing.");
	m->steps = 0;
	// It may have stopped this moment.
	return dbg_state(m->dbg) == DBG_RUNNING ? dbg_pause(m->dbg) : NULL;
}

static struct dbg_error *step(struct mi *m, struct dbg_stopped at,
			      const struct mi_call *call,
			      enum dbg_step_kind kind, enum dbg_step_unit unit)
{
	struct dbg_error *err = no_reverse(call);
	uint64_t n = 1;

	if (!err && call->args.n)
		err = mi_number(call->args.v[0], UINT32_MAX, &n);
	if (err)
		return err;
	if (!n)
		return NULL;
	m->way = MI_WAY_STEP;
	m->steps = n - 1;
	m->step = (struct dbg_step){
	    .thread = call->thread, .kind = kind, .unit = unit};
	return dbg_step(at, &m->step);
}

/* The unit of -exec-next and -exec-step: gdb's clients expect lines. */
static enum dbg_step_unit step_unit(const struct mi *m)
{
	return m->dialect == MI_NETCOREDBG ? DBG_UNIT_STATEMENT : DBG_UNIT_LINE;
}

static struct dbg_error *next(struct mi *m, struct dbg_stopped at,
			      struct mi_call *call)
{
	return step(m, at, call, DBG_STEP_OVER, step_unit(m));
}

static struct dbg_error *step_in(struct mi *m, struct dbg_stopped at,
				 struct mi_call *call)
{
	return step(m, at, call, DBG_STEP_IN, step_unit(m));
}

static struct dbg_error *next_instruction(struct mi *m, struct dbg_stopped at,
					  struct mi_call *call)
{
	return step(m, at, call, DBG_STEP_OVER, DBG_UNIT_INSTRUCTION);
}

static struct dbg_error *step_instruction(struct mi *m, struct dbg_stopped at,
					  struct mi_call *call)
{
	return step(m, at, call, DBG_STEP_IN, DBG_UNIT_INSTRUCTION);
}

static struct dbg_error *finish(struct mi *m, struct dbg_stopped at,
				struct mi_call *call)
{
	struct dbg_error *err = no_reverse(call);
	struct dbg_step out = {.thread = call->thread,
			       .kind = DBG_STEP_OUT,
			       .unit = DBG_UNIT_LINE,
			       .frame = call->level,
			       .run_on = m->dialect == MI_NETCOREDBG};

	m->way = MI_WAY_FINISH;
	return err ? err : dbg_step(at, &out);
}

// A bare line is one of the file that is looked at.
static struct dbg_error *
place(struct dbg_stopped at, const struct mi_call *call, struct dbg_place *ret)
{
	struct dbg_error *err;
	const char *word = call->args.v[0];
	struct dbg_frame f;
	uint64_t line;

	err = mi_frame(at, call, &f);
	if (err)
		return err;
	*ret = (struct dbg_place){.text = word};
	if (f.source.path && !dbg_err_drop(mi_number(word, UINT32_MAX, &line)))
		*ret = (struct dbg_place){.kind = DBG_PLACE_LINE,
					  .file = f.source.path,
					  .line = (uint32_t)line};
	return NULL;
}

static struct dbg_error *until(struct mi *m, struct dbg_stopped at,
			       struct mi_call *call)
{
	struct dbg_error *err;
	struct dbg_place where;

	if (!call->args.n) {
		err = step(m, at, call, DBG_STEP_UNTIL, DBG_UNIT_LINE);
		return err;
	}
	err = place(at, call, &where);
	if (err)
		return err;
	m->way = MI_WAY_UNTIL;
	return dbg_run_to(at, call->thread, &where);
}

static struct dbg_error *jump(struct mi *m, struct dbg_stopped at,
			      struct mi_call *call)
{
	struct dbg_error *err;
	struct dbg_place where;

	err = place(at, call, &where);
	if (err)
		return err;
	m->way = MI_WAY_RUN;
	return dbg_goto(at, call->thread, &where, true);
}

// Refused, in the prompt's words.
static struct dbg_error *give_back(struct mi *m, struct mi_call *call)
{
	(void)call;
	return mi_cli_quiet(m, "return", NULL);
}

static struct dbg_error *arguments(struct mi *m, struct mi_call *call)
{
	_cleanup_str_ struct str line = {0};

	for (size_t i = 0; i < call->args.n; i++) {
		str_addc(&line, ' ');
		// gdb's are split anew, as a shell does
		if (m->dialect == MI_NETCOREDBG)
			words_quote(call->args.v[i], &line);
		else
			str_add(&line, call->args.v[i]);
	}
	return launch_config_args(m->launch, str_get(&line));
}

static struct dbg_error *exec_abort(struct mi *m, struct mi_call *call)
{
	(void)call;
	if (dbg_state(m->dbg) == DBG_IDLE)
		return dbg_err(DBG_E_STATE, "The program is not being run.");
	return mi_cli_quiet(m, "kill", NULL);
}

const struct mi_cmd mi_exec_cmds[] = {
    {"exec-run", 0, "[--all | --thread-group N] [--start]", 0, 2, .run = run},
    {"exec-continue", MI_RUNS | MI_AGAIN, "[--reverse] [--all]", 0, 2,
     .stopped = go_on},
    {"exec-interrupt", 0, "[--all]", 0, 1, .run = interrupt},
    {"exec-next", MI_RUNS | MI_TAIL, "[N]", 0, 1, .stopped = next},
    {"exec-step", MI_RUNS | MI_TAIL, "[N]", 0, 1, .stopped = step_in},
    {"exec-next-instruction", MI_RUNS, "[N]", 0, 1,
     .stopped = next_instruction},
    {"exec-step-instruction", MI_RUNS, "[N]", 0, 1,
     .stopped = step_instruction},
    {"exec-finish", MI_RUNS | MI_TAIL, NULL, 0, 1, .stopped = finish},
    {"exec-until", MI_RUNS, "[LOCATION]", 0, 1, .stopped = until},
    {"exec-advance", MI_RUNS, "LOCATION", 1, 1, .stopped = until},
    {"exec-jump", MI_RUNS, "LOCATION", 1, 1, .stopped = jump},
    {"exec-return", 0, NULL, 0, 1, .run = give_back},
    {"exec-arguments", 0, "ARGUMENTS", 0, MI_ANY, .run = arguments},
    {"exec-abort", 0, NULL, 0, 0, .run = exec_abort},
    {.name = NULL},
};
