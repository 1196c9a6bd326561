#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum {
	ELEMENTS_DEFAULT = 200
};

/* ---- What control asks of us ------------------------------------------ */

static void control_inspect(void *arg)
{
	session_halted(arg);
}

static struct dbg_error *control_condition(void *arg, uint32_t thread,
					   uint64_t exception, const char *expr,
					   bool *ret)
{
	struct dbg_error *err;
	struct dbg *dbg = arg;

	// $exception, of a stop that is to be or not
	dbg->stop.exception = exception;
	err = values_condition(dbg->values, thread, expr, ret);
	dbg->stop.exception = 0;
	return err;
}

static struct dbg_error *control_evaluator(void *arg, const struct frame *frame,
					   struct eval *ret_eval,
					   struct view *ret_view)
{
	struct dbg *dbg = arg;

	return values_evaluator(dbg->values, frame, ret_eval, ret_view);
}

static void control_changed(void *arg, uint32_t number, bool gone)
{
	if (gone)
		session_break_gone(arg, number);
	session_event(arg, &(struct dbg_event){.kind = DBG_EVENT_BREAKPOINT,
					       .number = number,
					       .gone = gone});
}

static void control_module(void *arg, const struct code_module *m, bool gone)
{
	session_event(arg, &(struct dbg_event){.kind = DBG_EVENT_MODULE,
					       .number = m->number,
					       .gone = gone,
					       .text = m->name});
}

static void control_log(void *arg, uint32_t number, uint32_t thread,
			uint64_t exception, const char *form)
{
	struct dbg *dbg = arg;
	_cleanup_str_ struct str text = {0};

	dbg->stop.exception = exception;
	logpoint_text(dbg->values, thread, form, &text);
	dbg->stop.exception = 0;
	session_event(dbg, &(struct dbg_event){.kind = DBG_EVENT_MESSAGE,
					       .number = number,
					       .text = str_get(&text)});
}

static void control_says(void *arg, const char *text)
{
	session_message(arg, "%s", text);
}

static const struct control_ops control_ops = {
    .inspect = control_inspect,
    .condition = control_condition,
    .evaluator = control_evaluator,
    .changed = control_changed,
    .module = control_module,
    .log = control_log,
    .message = control_says,
};

/* ---- Life -------------------------------------------------------------- */

struct dbg_error *dbg_create(struct dbg **ret)
{
	struct dbg *dbg = xcalloc(1, sizeof(*dbg));

	dbg->stop_arena = arena_create();
	dbg->list_arena = arena_create();
	dbg->rules = source_rules_create();
	dbg->control = control_create(&control_ops, dbg);
	dbg->values = values_create(dbg);
	dbg->elements = ELEMENTS_DEFAULT;
	siblings_join(dbg, NULL);
	*ret = dbg;
	return NULL;
}

void dbg_destroy(struct dbg *dbg)
{
	if (!dbg)
		return;
	session_ended(dbg);
	siblings_leave(dbg);
	control_destroy(dbg->control);
	values_destroy(dbg->values);
	source_rules_destroy(dbg->rules);
	symbol_rules_deinit(&dbg->symbols);
	session_events_deinit(dbg);
	arena_destroy(dbg->stop_arena);
	arena_destroy(dbg->list_arena);
	free(dbg->frames);
	free(dbg->dac_path);
	log_deinit(&dbg->log);
	for (size_t i = 0; i < dbg->n_made; i++)
		free(dbg->made[i].value);
	free(dbg->made);
	free(dbg->follow.pattern);
	free(dbg);
}

enum dbg_state dbg_state(const struct dbg *dbg)
{
	return dbg->state;
}

pid_t dbg_pid(const struct dbg *dbg)
{
	return dbg->target ? target_pid(dbg->target) : 0;
}

int dbg_fd(const struct dbg *dbg)
{
	return dbg->target ? target_fd(dbg->target) : -1;
}

void dbg_interrupt(struct dbg *dbg)
{
	dbg->interrupted = 1;
}

/* ---- Halting and going ------------------------------------------------- */

void session_halted(struct dbg *dbg)
{
	if (dbg->halted)
		return;
	dbg->halted = true;
	dbg->interrupted = 0;
	arena_reset(dbg->stop_arena);
	dbg->stop_number++;
	dbg->n_frames = 0;
	if (dbg->dac)
		dac_flush(dbg->dac);
	stack_reset(dbg->stack, dbg->stop_arena);
	values_reset(dbg->values);
}

struct dbg_error *session_go(struct dbg *dbg)
{
	struct dbg_error *err;

	control_go(dbg->control);
	dbg->halted = false;
	target_run_only(dbg->target,
			control_runs_only(dbg->control, dbg->resumed));
	err = target_resume_all(dbg->target);
	// halting took back a pause that was asked for
	if (!err && dbg->pausing)
		err = target_interrupt(dbg->target);
	return err;
}

void session_ended(struct dbg *dbg)
{
	if (!dbg->target)
		return;

	struct dbg_counters now;

	dbg_counters(dbg, &now);
	dbg->counters = now;
	control_end_run(dbg->control);
	start_reset(dbg);

	struct dac *dac = dbg->dac;

	dbg->dac = NULL;
	values_runtime(dbg->values);
	stack_destroy(dbg->stack);
	code_destroy(dbg->code);
	dac_close(dac);
	target_destroy(dbg->target);
	leftover_remove(&dbg->left);
	dbg->stack = NULL;
	dbg->code = NULL;
	dbg->target = NULL;
	dbg->state = DBG_IDLE;
	dbg->halted = false;
	dbg->pausing = false;
	sigemptyset(&dbg->sent);
	dbg->n_frames = 0;
	dbg->stop_number++;
}

void dbg_counters(const struct dbg *dbg, struct dbg_counters *ret)
{
	*ret = dbg->counters;
	if (!dbg->target)
		return;

	struct dbg_counters run = {0};

	target_counters(dbg->target, &run);
	ret->stops += run.stops;
	ret->syscalls += run.syscalls;
	if (dbg->dac)
		ret->dac_calls += dac_calls(dbg->dac);
}

struct dbg_error *session_need_stop(const struct dbg *dbg)
{
	switch (dbg->state) {
	case DBG_IDLE:
		return dbg_err(DBG_E_STATE, "the program is not being run");
	case DBG_RUNNING:
		return dbg_err(DBG_E_STATE,
			       "the program is running: pause it first");
	case DBG_STOPPED:
		break;
	}
	return NULL;
}

struct dbg_error *session_need_runtime(const struct dbg *dbg)
{
	struct dbg_error *err = session_need_stop(dbg);

	if (!err && !dbg->code)
		err = dbg_err(DBG_E_STATE,
			      "no .NET runtime is loaded in the program yet");
	return err;
}

/* ---- Frames ------------------------------------------------------------ */

// a frame's id is told from a value's by this bit of its lower half
#define FRAME_BIT 0x80000000u

dbg_id session_frame_id(struct dbg *dbg, const struct frame *frame)
{
	size_t i = frame->serial;

	while (dbg->n_frames <= i) {
		mem_grow(&dbg->frames, &dbg->cap_frames, dbg->n_frames,
			 sizeof(*dbg->frames));
		dbg->frames[dbg->n_frames++] = NULL;
	}
	dbg->frames[i] = frame;
	return (dbg_id)dbg->stop_number << 32 | FRAME_BIT | (uint32_t)i;
}

struct dbg_error *session_frame(struct dbg *dbg, dbg_id id,
				const struct frame **ret)
{
	struct dbg_error *err = session_need_stop(dbg);
	uint32_t i = (uint32_t)id & ~FRAME_BIT;

	if (err)
		return err;
	if (id >> 32 != dbg->stop_number || !(id & FRAME_BIT) ||
	    i >= dbg->n_frames || !dbg->frames[i])
		return dbg_err(DBG_E_STALE, "that frame is of an earlier stop");
	*ret = dbg->frames[i];
	return NULL;
}

struct dbg_error *session_frame_or_newest(struct dbg *dbg, dbg_id id,
					  const struct frame **ret)
{
	struct dbg_error *err = session_need_stop(dbg);

	if (err)
		return err;
	if (id)
		return session_frame(dbg, id, ret);
	return stack_frame(dbg->stack, dbg->stop.thread, 0, ret);
}

/* ---- Launch and end ---------------------------------------------------- */

void session_begin(struct dbg *dbg)
{
	dbg->stack = stack_create(dbg->target);
	stack_reset(dbg->stack, dbg->stop_arena);
	stack_show_native(dbg->stack, dbg->show_native);
	session_watch_signals(dbg);
	session_follow(dbg);
	target_log_to(dbg->target, &dbg->log);
	control_begin_run(dbg->control, dbg->target, dbg->stack);
	dbg->state = DBG_RUNNING;
}

static struct dbg_error *launch(struct dbg *dbg, const struct dbg_launch *req,
				struct arena *arena)
{
	struct dbg_error *err;
	struct launch_plan plan;

	err = launch_resolve(req, arena, &plan);
	if (!err)
		err = target_spawn(plan.path, plan.argv, req, &dbg->target);
	if (err)
		return err;
	session_begin(dbg);
	control_stop_at_entry(dbg->control, req->stop_at_entry);
	stack_thread_number(dbg->stack, target_pid(dbg->target));
	err = start_begin(dbg);
	return err ? err : session_go(dbg);
}

struct dbg_error *dbg_launch(struct dbg *dbg, const struct dbg_launch *req)
{
	struct dbg_error *err;

	if (dbg->target)
		return dbg_err(DBG_E_STATE,
			       "a program is being debugged already");

	struct arena *arena = arena_create();

	err = launch(dbg, req, arena);
	if (err)
		session_ended(dbg);
	arena_destroy(arena);
	return err;
}

struct dbg_error *dbg_kill(struct dbg *dbg)
{
	struct dbg_error *err;

	if (!dbg->target)
		return dbg_err(DBG_E_STATE, "the program is not being run");
	err = target_kill(dbg->target);
	if (err)
		return err;
	session_ended(dbg);
	session_event(dbg, &(struct dbg_event){.kind = DBG_EVENT_EXITED,
					       .exit_signal = SIGKILL});
	return NULL;
}
