/*
 * A session's life: made and ended, launching and killing, the state that each
 * call of the API needs, and the counters. session.h has the model.
 */
#include "session/session.h"
#include "session/siblings.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- The queue of events between a session and its front end ------------- */

/*
 * The queue of events between a session and its front end. Each text is a copy
 * of the queue's until its event is taken.
 */

/* Tell once that the log cannot be written (a full disk). */
static void tell_of_log(struct dbg *dbg)
{
	struct dbg_error *err = log_check(&dbg->log);

	if (err)
		session_message(dbg, "%s", err->message);
	dbg_error_destroy(err);
}

void session_event(struct dbg *dbg, const struct dbg_event *event)
{
	struct event_queue *q = &dbg->queue;

	if (q->first == q->n)
		q->first = q->n = 0;
	mem_grow(&q->events, &q->cap, q->n, sizeof(*q->events));
	q->events[q->n] = *event;
	if (event->text)
		q->events[q->n].text = xstrdup(event->text);
	q->n++;
	if (event->kind == DBG_EVENT_STOPPED || event->kind == DBG_EVENT_EXITED)
		tell_of_log(dbg);
}

static void say(struct dbg *dbg, bool warning, const char *fmt, va_list ap)
{
	_cleanup_free_ char *text = xvasprintf(fmt, ap);

	session_event(dbg, &(struct dbg_event){.kind = DBG_EVENT_MESSAGE,
					       .text = text,
					       .warning = warning});
}

void session_message(struct dbg *dbg, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(dbg, false, fmt, ap);
	va_end(ap);
}

void session_warning(struct dbg *dbg, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(dbg, true, fmt, ap);
	va_end(ap);
}

bool dbg_event_next(struct dbg *dbg, struct arena *arena, struct dbg_event *ret)
{
	struct event_queue *q = &dbg->queue;

	if (q->first == q->n)
		return false;
	*ret = q->events[q->first++];
	_cleanup_free_ char *text = (char *)ret->text;
	if (text)
		ret->text = arena_strdup(arena, text);
	return true;
}

size_t session_events(const struct dbg *dbg)
{
	return dbg->queue.n - dbg->queue.first;
}

void session_events_forget(struct dbg *dbg, size_t n)
{
	struct event_queue *q = &dbg->queue;

	while (session_events(dbg) > n)
		free((char *)q->events[--q->n].text);
}

void session_events_deinit(struct dbg *dbg)
{
	struct event_queue *q = &dbg->queue;

	while (q->first < q->n)
		free((char *)q->events[q->first++].text);
	free(q->events);
}

/* ---- What control asks of us ----------------------------------------- */

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

static void control_says(void *arg, uint32_t number, const char *text)
{
	session_event(arg, &(struct dbg_event){.kind = DBG_EVENT_MESSAGE,
					       .number = number,
					       .text = text});
}

static void control_output(void *arg, const char *text)
{
	session_event(
	    arg, &(struct dbg_event){.kind = DBG_EVENT_OUTPUT, .text = text});
}

static const struct control_ops control_ops = {
    .changed = control_changed,
    .module = control_module,
    .message = control_says,
    .output = control_output,
};

/* ---- Life ------------------------------------------------------------ */

struct dbg_error *dbg_create(struct dbg **ret)
{
	struct dbg *dbg = xcalloc(1, sizeof(*dbg));

	inspect_init(&dbg->inspect);
	dbg->control = control_create(&dbg->inspect, &control_ops, dbg);
	dbg->show_external = dbg->show_runtime_threads = true;
	siblings_join(dbg, NULL);
	*ret = dbg;
	return NULL;
}

void dbg_destroy(struct dbg *dbg)
{
	if (!dbg)
		return;
	session_ended(dbg);
	session_files_close(dbg);
	free(dbg->named.path);
	siblings_leave(dbg);
	evaluation_destroy(dbg->evaluation);
	control_destroy(dbg->control);
	inspect_deinit(&dbg->inspect);
	session_events_deinit(dbg);
	free(dbg->dac_path);
	free(dbg->files.sysroot);
	free(dbg->files.dirs);
	log_deinit(&dbg->log);
	for (size_t i = 0; i < dbg->made.n; i++)
		free(dbg->made.v[i].value);
	free(dbg->made.v);
	free(dbg->follow.pattern);
	session_inferior_deinit(dbg);
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
	dbg->inspect.interrupted = 1;
}

void dbg_set_progress(struct dbg *dbg, dbg_progress_fn *fn, void *arg)
{
	dbg->heap.watch.progress = fn;
	dbg->heap.watch.arg = arg;
}

/* ---- Going ----------------------------------------------------------- */

struct dbg_error *session_go(struct dbg *dbg)
{
	struct dbg_error *err;

	session_heap_drop(dbg);
	standstill_go(dbg);
	control_go(dbg->control);
	inspect_go(&dbg->inspect);
	target_run_only(dbg->target,
			control_runs_only(dbg->control, dbg->resumed));
	err = target_resume_all(dbg->target);
	// halting took back a pause that was asked for
	if (!err && dbg->pausing)
		err = target_interrupt(dbg->target);
	return err;
}

void session_run_all(struct dbg *dbg)
{
	target_run_only(dbg->target, 0);
	struct dbg_error *err = target_resume_all(dbg->target);

	if (err)
		session_message(dbg, "%s", err->message);
	dbg_error_destroy(err);
}

void session_forget(struct dbg *dbg)
{
	session_heap_drop(dbg);
	evaluation_ended(dbg);
	heldstep_end(dbg);
	standstill_end(dbg);
	if (dbg->inspect.dac)
		dbg->counters.dac_calls += dac_calls(dbg->inspect.dac);
	control_end_run(dbg->control);
	start_reset(dbg);
	inspect_end(&dbg->inspect);
}

void session_ended(struct dbg *dbg)
{
	if (!dbg->target)
		return;

	struct dbg_counters now;

	session_forget(dbg);
	ticks_stop(&dbg->lent);
	dbg_counters(dbg, &now);
	dbg->counters = now;
	target_destroy(dbg->target);
	ipc_files_remove(&dbg->ipc_files);
	dbg->target = NULL;
	dbg->state = DBG_IDLE;
	dbg->pausing = false;
	sigemptyset(&dbg->sent);
	dbg->hold = false;
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
	ret->looks += run.looks;
	if (dbg->inspect.dac)
		ret->dac_calls += dac_calls(dbg->inspect.dac);
}

struct dbg_stopped session_standing(const struct dbg *dbg)
{
	return (struct dbg_stopped){(struct dbg *)dbg,
				    dbg->inspect.stop_number};
}

struct dbg_error *dbg_stopped(struct dbg *dbg, struct dbg_stopped *ret)
{
	switch (dbg->state) {
	case DBG_IDLE:
		return dbg_err(DBG_E_STATE, "the program is not being run");
	case DBG_RUNNING:
		return dbg_err(DBG_E_STATE,
			       "the program is running: pause it first");
	case DBG_LENT:
		return dbg_err(DBG_E_STATE,
			       "createdump traces the program: wait until "
			       "that is done");
	case DBG_STOPPED:
		break;
	}
	*ret = session_standing(dbg);
	return NULL;
}

struct dbg_error *session_need_stop(struct dbg_stopped at)
{
	struct dbg_stopped now;
	struct dbg_error *err = dbg_stopped(at.dbg, &now);

	if (!err && !inspect_knows(&at.dbg->inspect, at.number))
		err = dbg_err(DBG_E_STALE, "the program has run on since: this "
					   "was asked of an earlier stop");
	return err;
}

struct dbg_error *session_need_live(struct dbg_stopped at)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_stop(at);

	if (!err && !target_can(dbg->target, TARGET_RUN))
		err = dbg_err(DBG_E_STATE,
			      "a core dump or a snapshot cannot run: look at "
			      "frames, variables, expressions");
	return err;
}

struct dbg_error *session_no_runtime(const struct dbg *dbg)
{
	return dbg_err(DBG_E_STATE,
		       dbg->runtime_unread
			   ? "this needs the program's .NET runtime, of which "
			     "too little can be read: see the warning"
			   : "no .NET runtime is loaded in the program yet");
}

struct dbg_error *session_need_runtime(struct dbg_stopped at)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_stop(at);

	if (!err && !dbg->inspect.code)
		err = session_no_runtime(dbg);
	return err;
}

/* ---- Frames ---------------------------------------------------------- */

/* Get a frame of the present stop by its id. */
static struct dbg_error *session_frame(struct dbg_stopped at, dbg_id id,
				       const struct frame **ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_stop(at);

	return err ? err : inspect_frame(&dbg->inspect, id, ret);
}

struct dbg_error *session_frame_if_any(struct dbg_stopped at, dbg_id id,
				       const struct frame **ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_stop(at);

	if (err)
		return err;
	if (id)
		return session_frame(at, id, ret);
	return stack_frame(dbg->inspect.stack, dbg->stop.thread, 0, ret);
}

struct dbg_error *session_frame_or_newest(struct dbg_stopped at, dbg_id id,
					  const struct frame **ret)
{
	const struct frame *f;
	struct dbg_error *err = session_frame_if_any(at, id, &f);

	if (!err && !f)
		err = dbg_err(DBG_E_NOT_FOUND, "no frame selected");
	if (!err)
		*ret = f;
	return err;
}

/* ---- Launch and end -------------------------------------------------- */

void session_begin(struct dbg *dbg, const char *path)
{
	session_files_close(dbg);
	session_inferior_runs(dbg, path);
	inspect_begin(&dbg->inspect, dbg->target);
	session_show_frames(dbg);
	session_watch_signals(dbg);
	session_follow(dbg);
	target_log_to(dbg->target, &dbg->log);
	control_begin_run(dbg->control);
	dbg->state = DBG_RUNNING;
}

static struct dbg_error *
launch_begin(struct dbg *dbg, const struct dbg_launch *req, struct arena *arena)
{
	struct dbg_error *err;
	struct launch_plan plan;

	err = launch_resolve(req, arena, &plan);
	if (!err)
		err = target_spawn(plan.path, plan.argv, req, &dbg->target);
	if (err)
		return err;
	session_begin(dbg, req->program);
	dbg->hold = req->hold;
	control_stop_at_entry(dbg->control, req->stop_at_entry);
	control_set_unseen(dbg->control, req->unseen);
	dbg->lends = req->lends;
	stack_thread_number(dbg->inspect.stack, target_pid(dbg->target));
	err = start_begin(dbg);
	if (!err && req->stop_at_exec) {
		inspect_stop(&dbg->inspect);
		session_stopped(dbg, &(struct dbg_stop){.reason = DBG_STOP_EXEC,
							.thread = 1});
		return NULL;
	}
	return err ? err : session_go(dbg);
}

struct dbg_error *dbg_launch(struct dbg *dbg, const struct dbg_launch *req)
{
	struct dbg_error *err;

	if (dbg->target)
		return dbg_err(DBG_E_STATE,
			       "a program is being debugged already");

	struct arena *arena = arena_create();

	err = launch_begin(dbg, req, arena);
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
