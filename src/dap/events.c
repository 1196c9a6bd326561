/*
 * The engine's events as events of the protocol: stops, exits, threads,
 * modules, messages. The client learns of a thread when the program stops and
 * the thread turns out to be the program's own, and of its end when it ends.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"

/* The program was resumed: numbers of frames and values are stale. */
static void events_resumed(struct dap *d)
{
	handles_reset(&d->frames);
	handles_reset(&d->values);
	handles_reset(&d->gotos);
	d->suspended = 0;
	words_clear(&d->lazy);
}

/* ---- Stops ----------------------------------------------------------- */

struct stop_words {
	const char *reason, *description;
};

// By enum dbg_stop_reason. Clients show the description, where there is room
// for three words; anything else is in the text.
static const struct stop_words stop_words[] = {
    [DBG_STOP_ATTACH] = {"pause", "Core dump"},
    [DBG_STOP_EXEC] = {"entry", "Paused on entry"},
    [DBG_STOP_ENTRY] = {"entry", "Paused on entry"},
    [DBG_STOP_BREAKPOINT] = {"breakpoint", "Paused on breakpoint"},
    [DBG_STOP_STEP] = {"step", "Paused on step"},
    [DBG_STOP_PAUSE] = {"pause", "Paused"},
    [DBG_STOP_THROWN] = {"exception", "Paused on exception"},
    [DBG_STOP_USER_UNHANDLED] = {"exception", "Paused on exception"},
    [DBG_STOP_WATCH] = {"data breakpoint", "Paused on change"},
    [DBG_STOP_WATCH_SCOPE] = {"data breakpoint", "Watchpoint ended"},
    [DBG_STOP_UNHANDLED] = {"exception", "Unhandled exception"},
    [DBG_STOP_CAUGHT] = {"exception", "Paused on catch"},
    [DBG_STOP_LOAD] = {"breakpoint", "Paused on load"},
    [DBG_STOP_UNLOAD] = {"breakpoint", "Paused on unload"},
    [DBG_STOP_SIGNAL] = {"exception", "Paused on signal"},
    [DBG_STOP_TERMINATED] = {"exception", "Ended by signal"},
    [DBG_STOP_USER_BREAK] = {"pause", "Paused on Debugger.Break"},
    [DBG_STOP_FAIL_FAST] = {"exception", "Paused on FailFast"},
    [DBG_STOP_GOTO] = {"goto", "Paused on goto"},
};

static void add_exception_text(struct str *t, const struct dbg_stop *s)
{
	if (s->exception_message)
		emit_strf(t, "text", "%s: %s", s->exception_type,
			  s->exception_message);
	else
		emit_str(t, "text", s->exception_type);
}

static void add_stop_text(struct str *t, const struct dbg_stop *s)
{
	if (s->exception_type)
		add_exception_text(t, s);
	else if (s->reason == DBG_STOP_WATCH && s->old_value)
		emit_strf(t, "text", "%s: %s, was %s", s->expr, s->value,
			  s->old_value);
	else if (s->reason == DBG_STOP_WATCH)
		emit_strf(t, "text", "%s: %s", s->expr, s->value);
	else if (s->reason == DBG_STOP_SIGNAL)
		emit_strf(t, "text", "SIG%s: %s", sigabbrev_np(s->signal),
			  strsignal(s->signal));
	else if (s->module)
		emit_str(t, "text", s->module);
	else
		emit_str(t, "text", s->note);
}

void events_stopped(struct dap *d, const struct dbg_stop *s)
{
	bool breaks = s->reason == DBG_STOP_BREAKPOINT && !s->stepped;
	const struct stop_words *words =
	    &stop_words[s->stepped ? DBG_STOP_STEP : s->reason];

	console_drain(d);
	echo_flush(d);
	events_resumed(d);
	breaks_stopped(d);
	struct str *t = dap_event(d, "stopped");
	emit_str(t, "reason",
		 breaks ? breaks_reason(&d->breaks, s->breakpoint)
			: words->reason);
	emit_str(t, "description",
		 s->late ? "Paused in call" : words->description);
	if (s->thread)
		emit_int(t, "threadId", s->thread);
	d->last_thread = s->thread;
	add_stop_text(t, s);
	emit_bool(t, "allThreadsStopped", true);
	if (s->breakpoint) {
		emit_array(t, "hitBreakpointIds");
		emit_int(t, NULL, s->breakpoint);
		emit_array_end(t);
	}
	dap_send(d);
}

static struct dap_thread *find_thread(struct dap *d, uint32_t number)
{
	for (size_t i = 0; i < d->n_threads; i++)
		if (d->threads[i].number == number)
			return &d->threads[i];
	return NULL;
}

// Whether a thread is one of the program's is known when all stand. Names are
// asked for if there is one that is new.
static void tell_threads(struct dap *d, struct dbg_stopped at)
{
	uint32_t *numbers;
	struct dbg_thread *list = NULL;
	size_t n, n_list = 0;
	bool is_new = false;

	struct dbg_error *err = dbg_thread_numbers(at, &numbers, &n);
	for (size_t i = 0; !err && i < n; i++)
		is_new = is_new || !find_thread(d, numbers[i]);
	if (!err && is_new)
		err = dbg_thread_list(at, &list, &n_list);
	if (err) {
		dap_warn(d, err);
		return;
	}
	for (size_t i = 0; i < n_list; i++)
		events_thread_seen(d, &list[i]);
}

// Tell the client of a stop. Only a pause stops a program that runs without
// debugging.
static void on_stopped(struct dap *d, const struct dbg_stop *s)
{
	bool passes = d->setup.no_debug && s->reason != DBG_STOP_PAUSE;
	struct dbg_stopped at;

	if (dbg_err_drop(dbg_stopped(d->dbg, &at)))
		return;
	if (!passes)
		tell_threads(d, at);
	if (s->reason == DBG_STOP_ATTACH || s->reason == DBG_STOP_READY ||
	    !dbg_can_run(d->dbg))
		begin_ready(d, s);
	else if (passes)
		dap_warn(d, dbg_continue(at, 0));
	else
		events_stopped(d, s);
}

static void tell_thread(struct dap *d, uint32_t number, bool gone)
{
	struct str *t = dap_event(d, "thread");

	emit_str(t, "reason", gone ? "exited" : "started");
	emit_int(t, "threadId", number);
	dap_send(d);
}

/* ---- The end --------------------------------------------------------- */

void events_threads_forget(struct dap *d)
{
	while (d->n_threads)
		free(d->threads[--d->n_threads].name);
}

// Tell the client that all threads have ended: another run of the program may
// follow, with the same numbers.
static void threads_end(struct dap *d)
{
	for (size_t i = 0; i < d->n_threads; i++)
		tell_thread(d, d->threads[i].number, true);
	events_threads_forget(d);
}

static void tell_exit(struct dap *d, const struct dbg_event *e)
{
	struct dbg_inferior inf;

	dbg_inferior_get(d->dbg, &inf);
	if (e->exit_signal)
		dap_say(d, "The program '[%d] %s' was ended by SIG%s.",
			(int)inf.pid, inf.name, sigabbrev_np(e->exit_signal));
	else
		dap_say(d,
			"The program '[%d] %s' has exited with code %d "
			"(0x%x).",
			(int)inf.pid, inf.name, e->exit_code,
			(unsigned int)e->exit_code);
}

static void on_exited(struct dap *d, const struct dbg_event *e)
{
	int status = e->exit_signal ? 128 + e->exit_signal : e->exit_code;

	console_drain(d);
	echo_flush(d);
	console_ended(&d->console, status);
	if (d->restart == DAP_RESTART_AT_END)
		threads_end(d);
	else if (d->setup.process_exit)
		tell_exit(d, e);
	events_threads_forget(d);
	events_resumed(d);
	d->held = false;
	bool never_began = begin_gone(d, status);
	memset(d->timers, 0, sizeof(d->timers));
	if (never_began)
		return;
	if (d->restart == DAP_RESTART_AT_END) {
		d->restart = DAP_RESTART_NOW;
		begin_try(d);
		return;
	}
	struct str *t = dap_event(d, "exited");
	emit_int(t, "exitCode", status);
	dap_send(d);
	begin_terminated(d);
}

/* ---- Threads, modules, messages -------------------------------------- */

static struct dap_thread *add_thread(struct dap *d, uint32_t number)
{
	mem_grow(&d->threads, &d->cap_threads, d->n_threads,
		 sizeof(*d->threads));
	struct dap_thread *thread = &d->threads[d->n_threads++];
	*thread = (struct dap_thread){.number = number};
	tell_thread(d, number, false);
	return thread;
}

const char *events_thread_seen(struct dap *d, const struct dbg_thread *seen)
{
	struct dap_thread *thread = find_thread(d, seen->number);

	if (!thread)
		thread = add_thread(d, seen->number);
	free(thread->name);
	bool has_id = seen->managed_id && seen->tid != dbg_pid(d->dbg);
	bool named = seen->named || seen->runtime;
	thread->name =
	    has_id ? xasprintf("%s [%" PRIu32 "]",
			       named ? seen->name : "Thread", seen->managed_id)
		   : xstrdup(seen->name);
	return thread->name;
}

void events_thread_main(struct dap *d)
{
	if (!find_thread(d, 1))
		add_thread(d, 1);
}

static void on_thread_gone(struct dap *d, uint32_t number)
{
	struct dap_thread *old = find_thread(d, number);

	if (old) {
		free(old->name);
		*old = d->threads[--d->n_threads];
		tell_thread(d, number, true);
	}
	if (d->setup.thread_exit)
		dap_say(d, "Thread %u has ended.", number);
}

static void tell_sources(struct dap *d, uint32_t module)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	const char **list;
	size_t n;

	struct dbg_error *err =
	    dbg_source_list(d->dbg, module, arena, &list, &n);
	if (err) {
		dap_warn(d, err);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct str *t = dap_event(d, "loadedSource");
		emit_str(t, "reason", "new");
		body_source(d, t, "source", list[i]);
		dap_send(d);
	}
}

static void on_module(struct dap *d, const struct dbg_event *e)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_module *list;
	size_t n = 0;

	struct dbg_error *err = dbg_module_list(d->dbg, arena, &list, &n);
	const struct dbg_module *m = NULL;
	for (size_t i = 0; !err && i < n; i++)
		if (list[i].number == e->number)
			m = &list[i];
	dbg_error_destroy(err);
	if (!m && !e->gone)
		return;
	struct str *t = dap_event(d, "module");
	emit_str(t, "reason", e->gone ? "removed" : "new");
	if (m) {
		body_module(t, "module", m);
	} else {
		emit_object(t, "module");
		emit_str(t, "id", e->text);
		emit_str(t, "name", e->text);
		emit_object_end(t);
	}
	dap_send(d);
	if (m && d->setup.module_load)
		dap_say(d, "Loaded '%s'. %s", m->path ? m->path : m->name,
			m->symbols_note ? m->symbols_note : "");
	if (m && m->symbols == DBG_SYMBOLS_LOADED)
		tell_sources(d, m->number);
	// what the framework does not have is no news
	if (m && !e->gone &&
	    (m->symbols == DBG_SYMBOLS_LOADED || !m->framework))
		breaks_loaded(d);
}

static void on_message(struct dap *d, const struct dbg_event *e)
{
	if (!e->number) {
		dap_say(d, "%s", e->text);
		return;
	}
	// a logpoint: with its place, which clients link to
	struct str *t = dap_output(d, e->text);
	breaks_place(d, t, e->number);
	dap_send(d);
}

/* Show what the program has written by Debug.WriteLine. */
static void on_output(struct dap *d, const struct dbg_event *e)
{
	echo_debug(d, e->text);
}

void events_tell_continued(struct dap *d)
{
	struct str *t = dap_event(d, "continued");
	emit_int(t, "threadId", d->last_thread);
	emit_bool(t, "allThreadsContinued", true);
	dap_send(d);
}

static void on_continued(struct dap *d)
{
	events_resumed(d);
	d->held = false;
	if (d->tell_continued)
		events_tell_continued(d);
}

void events_take(struct dap *d)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_event e;

	while (dbg_event_next(d->dbg, arena, &e)) {
		switch (e.kind) {
		case DBG_EVENT_STOPPED:
			on_stopped(d, &e.stop);
			break;
		case DBG_EVENT_CONTINUED:
			on_continued(d);
			break;
		case DBG_EVENT_EXITED:
			on_exited(d, &e);
			break;
		case DBG_EVENT_THREAD:
			// a stop shows which are the program's
			if (e.gone)
				on_thread_gone(d, e.number);
			break;
		case DBG_EVENT_MODULE:
			on_module(d, &e);
			break;
		case DBG_EVENT_BREAKPOINT:
			breaks_changed(d, e.number, e.gone);
			break;
		case DBG_EVENT_MESSAGE:
			on_message(d, &e);
			break;
		case DBG_EVENT_OUTPUT:
			on_output(d, &e);
			break;
		case DBG_EVENT_CHILD:
			children_take(d, &e);
			break;
		case DBG_EVENT_DUMPER:
			break;
		case DBG_EVENT_EVALUATED:
			pending_over(d);
			break;
		}
	}
}
