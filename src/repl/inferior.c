/*
 * The programs that are debugged, at the prompt: what front/debuggees.h tells
 * of them is printed, and the user looks at the current one. r->first is the
 * session of inferior 1, which `run` starts its program in; it is main's.
 * r->dbg is the session of the inferior that is looked at, r->first or a
 * child's.
 */
#include "repl/inferior.h"
#include "base/mem.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "front/debuggees.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/uis.h"

const char *inferior_program(const struct repl *r,
			     const struct dbg_inferior *inf)
{
	const char *program = r->launch->program;

	return inf->number == 1 && program ? program : inf->name;
}

// Look at the engine's current inferior.
static void inferior_look(struct repl *r)
{
	struct dbg *dbg = dbg_inferior_current(r->first);

	if (r->dbg == dbg)
		return;
	r->dbg = dbg;
	loop_use(r->loop, dbg);
	r->thread = dbg_stop_thread(dbg);
	r->level = 0;
	r->last_thread = 0;
	r->step_token = 0;
	r->has_frame = false;
}

void inferior_select(struct repl *r, struct dbg *dbg)
{
	dbg_inferior_select(dbg);
	inferior_look(r);
}

// A program ended or was detached from: if it was the current one, make another
// one current.
static void leave_inferior(struct repl *r)
{
	r->has_frame = false;
	if (dbg_state(r->dbg) != DBG_IDLE)
		return;
	inferior_look(r);
	r->stopped = dbg_state(r->dbg) == DBG_STOPPED;
	r->exited = dbg_state(r->dbg) == DBG_IDLE;
}

/* ---- Events ---------------------------------------------------------- */

static void say_exit(const struct repl *r, const struct dbg_inferior *inf,
		     const struct dbg_event *event)
{
	if (event->exit_signal) {
		const char *name = sigabbrev_np(event->exit_signal);

		out(r,
		    "\nProgram terminated with signal SIG%s, %s.\n"
		    "The program no longer exists.\n",
		    name ? name : "?", strsignal(event->exit_signal));
	} else if (event->exit_code) {
		out(r, "[Inferior %u (process %d) exited with code %02o]\n",
		    inf->number, (int)inf->pid, (unsigned int)event->exit_code);
	} else {
		out(r, "[Inferior %u (process %d) exited normally]\n",
		    inf->number, (int)inf->pid);
	}
}

static void on_end(struct repl *r, const struct debuggee_event *e)
{
	const struct dbg_event *event = &e->event;

	if (!event->exit_signal)
		dbg_variable_set(r->dbg, "_exitcode", event->exit_code);
	if (!r->killed && e->inferior.number == 1)
		r->program_status = event->exit_signal
					? 128 + event->exit_signal
					: event->exit_code;
	leave_inferior(r);
}

/* Tell the user that the program made a process that is followed. */
static void say_child(const struct repl *r, const struct debuggee_event *e)
{
	const struct dbg_inferior *parent = &e->inferior;

	if (!e->child.number)
		return;
	out(r, "[Following process %d: %s]\n", (int)e->child.pid,
	    e->event.text);
	if (parent->state == DBG_IDLE)
		out(r, "[Detaching from process %d]\n", (int)parent->pid);
}

static void on_child(struct repl *r, const struct debuggee_event *e)
{
	if (!e->child.number && e->err)
		repl_warn(r, "", e->err);
	if (e->child.number && e->inferior.state == DBG_IDLE)
		leave_inferior(r);
}

// Print what the program has written, with its own line ends.
static void show_output(const struct repl *r, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		out(r, "%.*s", (int)n, text);
		text += n;
		if (*text) {
			out(r, "\n");
			text++;
		}
	}
}

void inferior_tell(struct repl *r, const struct debuggee_event *e)
{
	switch (e->event.kind) {
	case DBG_EVENT_EXITED:
		if (!r->killed)
			say_exit(r, &e->inferior, &e->event);
		break;
	case DBG_EVENT_CHILD:
		say_child(r, e);
		break;
	case DBG_EVENT_MESSAGE:
		// a dprintf says what it is told to, as it is
		if (e->event.number)
			out_lines(r, e->event.text, 0, "");
		else
			repl_say(r->out, e->event.text);
		break;
	case DBG_EVENT_OUTPUT:
		show_output(r, e->event.text);
		break;
	case DBG_EVENT_STOPPED:
	case DBG_EVENT_EVALUATED:
	case DBG_EVENT_DUMPER:
	case DBG_EVENT_CONTINUED:
	case DBG_EVENT_THREAD:
	case DBG_EVENT_MODULE:
	case DBG_EVENT_BREAKPOINT:
		break;
	}
}

static void on_event(struct repl *r, const struct debuggee_event *e)
{
	const struct dbg_inferior *inf = &e->inferior;

	inferior_tell(r, e);

	switch (e->event.kind) {
	case DBG_EVENT_STOPPED:
		if (r->stopped_inferior != inf->number)
			out(r, "[Switching to inferior %u (process %d)]\n",
			    inf->number, (int)inf->pid);
		inferior_look(r);
		r->stopped_inferior = inf->number;
		r->stopped = r->untold = true;
		break;
	case DBG_EVENT_EXITED:
		on_end(r, e);
		break;
	case DBG_EVENT_CHILD:
		on_child(r, e);
		break;
	case DBG_EVENT_EVALUATED:
		r->evaluated = true;
		break;
	case DBG_EVENT_MESSAGE:
	case DBG_EVENT_OUTPUT:
	case DBG_EVENT_DUMPER:
	case DBG_EVENT_CONTINUED:
	case DBG_EVENT_THREAD:
	case DBG_EVENT_MODULE:
	case DBG_EVENT_BREAKPOINT:
		break;
	}
}

void repl_events(struct repl *r)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct debuggee_event e;

	if (r->hosted)
		return;
	while (debuggees_event_next(r->first, arena, &e)) {
		on_event(r, &e);
		uis_event(r, &e);
	}
	// The program's own output follows.
	fflush(r->out);
}

/* ---- Ends ------------------------------------------------------------ */

struct dbg_error *inferior_kill(struct repl *r, struct dbg *dbg)
{
	struct dbg_error *err = dbg_kill(dbg);

	if (err)
		return err;
	r->killed = true;
	repl_events(r);
	r->killed = false;
	return NULL;
}

struct dbg_error *inferiors_kill(struct repl *r)
{
	struct dbg_error *err = NULL;
	struct dbg *dbg;

	while (!err && (dbg = debuggees_alive(r->first)))
		err = inferior_kill(r, dbg);
	return err;
}

struct dbg_error *inferior_detach(struct repl *r, struct dbg *dbg)
{
	struct dbg_error *err = dbg_detach(dbg, false);
	struct dbg_inferior inf;

	if (err)
		return err;
	dbg_inferior_get(dbg, &inf);
	out(r, "[Inferior %u (process %d) detached]\n", inf.number,
	    (int)inf.pid);
	debuggees_leave(r->first);
	leave_inferior(r);
	repl_events(r);
	return NULL;
}
