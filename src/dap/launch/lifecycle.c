/*
 * Starting and ending the program.
 *
 * `launch` starts the program at once and is answered when its runtime is up:
 * by then it is certain that it can be debugged. There it is held, before any
 * code of its own, until `configurationDone`. So a client may wait for the
 * answer to `launch` before it sets its breakpoints, or send all at once, and
 * no breakpoint is late. A program that loads no runtime for a while (a host,
 * a script) runs, and `launch` is answered all the same. What is attached to
 * is held likewise, but only for a moment: it has other things to do than to
 * wait for us. The one stop of a core dump is held as long, and told then.
 *
 * With a terminal of the client's, that is first asked for (`runInTerminal`),
 * and the program starts when the helper in it has told its name.
 */
#include "dap/launch/lifecycle.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Children that are followed ------------------------------------------ */

void children_deinit(struct children *c)
{
	for (size_t i = 0; i < c->n; i++)
		kill(c->asked[i].pid, SIGCONT);
	free(c->asked);
	*c = (struct children){0};
}

static void alone(struct dap *d, const struct dbg_event *e)
{
	dap_say(d,
		"'%s' (process %d) is not debugged: this client starts no "
		"sessions for children. Launch it itself, or attach to it.",
		e->text, (int)e->child);
}

void children_take(struct dap *d, const struct dbg_event *e)
{
	struct children *c = &d->children;
	bool asks = d->client.start_debugging;
	struct dbg_error *err = dbg_child_leave(d->dbg, e->child, asks);

	if (err) {
		dap_warn(d, err);
		return;
	}
	if (!asks) {
		alone(d, e);
		return;
	}
	begin_runs(d);
	mem_grow(&c->asked, &c->cap, c->n, sizeof(*c->asked));
	struct child *child = &c->asked[c->n++];
	child->pid = e->child;
	struct str *t = dap_ask(d, "startDebugging", &child->seq);
	emit_str(t, "request", "attach");
	emit_object(t, "configuration");
	emit_str(t, "request", "attach");
	emit_strf(t, "name", "%s (%d)", e->text, (int)e->child);
	emit_int(t, "processId", e->child);
	emit_bool(t, "__wake", true);
	setup_child(&d->setup, t);
	emit_object_end(t);
	dap_send(d);
}

/* The client answered the request @seq, which may be for something else. */
static void children_answered(struct dap *d, int64_t seq, bool success)
{
	struct children *c = &d->children;
	size_t i = 0;

	while (i < c->n && c->asked[i].seq != seq)
		i++;
	if (i == c->n)
		return;
	if (!success) {
		kill(c->asked[i].pid, SIGCONT);
		dap_say(d,
			"Process %d is not debugged: the client started no "
			"session for it.",
			(int)c->asked[i].pid);
	}
	c->asked[i] = c->asked[--c->n];
}

/* ---- Starting and ending the program ------------------------------------- */

enum {
	ANSWER_MS = 5000, /* for a program to load a runtime */
	HELD_MS = 1000,   /* what was attached to, for breakpoints */
};

void begin_answer(struct dap *d, struct dbg_error *err)
{
	struct request req = {
	    .seq = d->launch_seq,
	    .command = d->setup.attach ? "attach" : "launch",
	    .by_hand = true,
	};

	d->timers[TIMER_ANSWER] = 0;
	if (!d->launching) {
		dbg_error_destroy(err);
		return;
	}
	d->launching = false;
	dap_answer(d, &req, err);
}

void begin_runs(struct dap *d)
{
	begin_answer(d, NULL);
}

// The start has failed: end what was started, so that another start may follow.
static void start_failed(struct dap *d, struct dbg_error *err)
{
	progress_end(d, PROGRESS_TERMINAL);
	if (d->launching) {
		d->start = DAP_START_NONE;
		begin_answer(d, err);
	} else {
		dap_warn(d, err);
		begin_terminated(d);
	}
	console_close(&d->console);
	if (dbg_state(d->dbg) != DBG_IDLE)
		dap_warn(d, dbg_kill(d->dbg));
}

static void tell_process(struct dap *d)
{
	struct dbg_inferior inf;

	dbg_inferior_get(d->dbg, &inf);
	struct str *t = dap_event(d, "process");
	emit_str(t, "name",
		 d->setup.attach ? inf.path : d->setup.launch.program);
	emit_int(t, "systemProcessId", inf.pid);
	emit_bool(t, "isLocalProcess", true);
	emit_str(t, "startMethod", d->setup.attach ? "attach" : "launch");
	emit_int(t, "pointerSize", 64);
	dap_send(d);
}

// Only the client knows how to come by a process to attach to again.
static void tell_attached(struct dap *d)
{
	struct str *t = dap_event(d, "capabilities");

	emit_object(t, "capabilities");
	emit_bool(t, "supportsRestartRequest", false);
	emit_object_end(t);
	dap_send(d);
}

static struct dbg_error *launch(struct dap *d)
{
	struct setup *s = &d->setup;
	struct dbg_error *err = NULL;
	struct dbg_launch launch = launch_config_request(&s->launch);

	if (d->console.tty)
		launch.tty = d->console.tty;
	launch.stop_at_entry = s->stop_at_entry && !s->no_debug;
	launch.hold = true;
	launch.unseen = s->no_debug;
	if (!launch.tty)
		err = console_pipes(&d->console, &launch);
	if (!err)
		err = dbg_launch(d->dbg, &launch);
	console_started(&d->console);
	return err;
}

static struct dbg_error *attach_program(struct dap *d)
{
	struct dbg_attach attach_to = {
	    .pid = (pid_t)d->setup.pid,
	    .name = d->setup.process_name,
	};

	if (d->setup.core)
		return dbg_core(d->dbg, d->setup.core);
	return dbg_attach(d->dbg, &attach_to);
}

static struct dbg_error *ask_terminal(struct dap *d)
{
	static const char *const kinds[] = {"", "integrated", "external"};
	struct dbg_error *err;
	_cleanup_free_ char *arg = NULL;
	_cleanup_free_ char *self = file_self();

	if (!d->client.run_in_terminal)
		return dbg_err(
		    DBG_E_UNSUPPORTED,
		    "this client cannot run a program in a terminal: "
		    "set 'console' to internalConsole");
	if (!self)
		return dbg_err(DBG_E_FILE, "cannot find dndbg itself");
	err = console_listen(&d->console, &arg);
	if (err)
		return err;
	struct str *t = dap_ask(d, "runInTerminal", &d->terminal_seq);
	emit_str(t, "kind", kinds[d->setup.console]);
	emit_str(t, "title", d->setup.name ? d->setup.name : "dndbg");
	emit_str(t, "cwd", d->setup.launch.cwd ? d->setup.launch.cwd : "");
	emit_array(t, "args");
	emit_str(t, NULL, self);
	emit_str(t, NULL, arg);
	emit_array_end(t);
	dap_send(d);
	d->start = DAP_START_TERMINAL;
	progress_start(d, PROGRESS_TERMINAL, d->launch_seq);
	return NULL;
}

static void launched(struct dap *d, struct dbg_error *err)
{
	d->start = DAP_STARTED;
	if (err) {
		start_failed(d, err);
		return;
	}
	progress_end(d, PROGRESS_TERMINAL);
	tell_process(d);
	// the first thread is born with the program
	events_thread_main(d);
	if (d->launching)
		dap_timer(d, TIMER_ANSWER, ANSWER_MS);
}

static void attached(struct dap *d, struct dbg_error *err)
{
	d->start = DAP_STARTED;
	if (err) {
		start_failed(d, err);
		return;
	}
	begin_runs(d);
	tell_process(d);
	tell_attached(d);
}

static void start(struct dap *d)
{
	struct dbg_error *err = NULL;

	d->terminated = false;
	if (d->setup.attach)
		attached(d, attach_program(d));
	else if (d->setup.console == SETUP_CONSOLE_INTERNAL)
		launched(d, launch(d));
	else
		err = ask_terminal(d);
	if (err)
		start_failed(d, err);
}

/* ---- Held, let go, gone ---------------------------------------------- */

void begin_ready(struct dap *d, const struct dbg_stop *stop)
{
	bool waits = d->setup.attach && !d->setup.wake;

	if (stop->note && d->launching && !d->setup.no_debug) {
		start_failed(d, dbg_err(DBG_E_RUNTIME, "%s", stop->note));
		return;
	}
	if (stop->note)
		dap_say(d, "%s", stop->note);
	begin_runs(d);
	d->held = true;
	if (d->configured)
		begin_release(d);
	else if (waits)
		dap_timer(d, TIMER_GO, HELD_MS);
}

void begin_release(struct dap *d)
{
	d->timers[TIMER_GO] = 0;
	if (!d->held)
		return;
	d->held = false;
	struct dbg_stopped at;
	struct dbg_error *err = dbg_stopped(d->dbg, &at);
	if (!err && !dbg_can_run(d->dbg)) {
		events_stopped(d, dbg_stop_reason(at));
		return;
	}
	// a child that another session held for this one
	if (d->setup.wake)
		dap_warn(d, dbg_signal_send(d->dbg, SIGCONT));
	dap_warn(d, err ? err : dbg_continue(at, 0));
}

bool begin_gone(struct dap *d, int status)
{
	bool asked = d->timers[TIMER_KILL];

	if (d->launching && d->setup.no_debug)
		begin_runs(d);
	if (d->launching)
		start_failed(
		    d,
		    dbg_err(DBG_E_RUNTIME,
			    "'%s' ended with exit code %d before it loaded a "
			    ".NET runtime: see what it printed",
			    d->setup.launch.program, status));
	else if (d->start != DAP_START_NONE)
		return false;
	if (asked)
		begin_terminated(d);
	return true;
}

void begin_cancel(struct dap *d)
{
	d->cancel_start = false;
	start_failed(d, dbg_err(DBG_E_INTERRUPTED, "cancelled"));
}

static void try_terminal(struct dap *d)
{
	if (d->console.tty)
		launched(d, launch(d));
	else if (d->console.listener < 0 && d->console.helper < 0)
		start_failed(d, dbg_err(DBG_E_FILE, "the terminal was closed"));
}

void begin_try(struct dap *d)
{
	if (d->cancel_start) {
		begin_cancel(d);
	} else if (d->start == DAP_START_TERMINAL) {
		try_terminal(d);
	} else if (d->left) {
		d->left = false;
		begin_terminated(d);
	} else if (d->restart == DAP_RESTART_NOW) {
		d->restart = DAP_RESTART_NONE;
		console_close(&d->console);
		start(d);
	} else if (d->start == DAP_START_NONE && d->launching) {
		start(d);
	} else if (d->configured) {
		begin_release(d);
	}
}

void dap_answered(struct dap *d, const cJSON *message)
{
	const char *why = "the client gives no terminal";
	int64_t seq = 0;
	bool success = true;

	dbg_error_destroy(args_i64(message, "request_seq", &seq));
	dbg_error_destroy(args_bool(message, "success", &success));
	children_answered(d, seq, success);
	if (!seq || seq != d->terminal_seq)
		return;
	d->terminal_seq = 0;
	// what matters is that the helper calls; some clients answer late
	if (success || d->start != DAP_START_TERMINAL)
		return;
	dbg_error_destroy(args_str(message, "message", &why));
	start_failed(
	    d, dbg_err(DBG_E_TARGET, "cannot run in a terminal: %s", why));
}

void begin_terminated(struct dap *d)
{
	if (d->terminated || !d->initialized)
		return;
	progress_end(d, PROGRESS_END);
	d->terminated = true;
	dap_event(d, "terminated");
	dap_send(d);
}
