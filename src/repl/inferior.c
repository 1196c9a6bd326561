/*
 * The programs that are debugged. Number 1 is the one that `run` starts, its
 * session is main's; the others are what it started itself, and their
 * sessions end with them. r->dbg is the session of the one looked at; all of
 * them stop and go together.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/err.h"
#include "repl/inferior.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"

static struct inferior *add(struct repl *r, struct dbg *dbg)
{
	struct inferior *inf = xcalloc(1, sizeof(*inf));

	mem_grow(&r->inferiors, &r->cap_inferiors, r->n_inferiors,
		 sizeof(struct inferior *));
	r->inferiors[r->n_inferiors++] = inf;
	inf->number = ++r->last_inferior;
	inf->dbg = dbg;
	return inf;
}

void inferiors_init(struct repl *r)
{
	r->stopped_inferior = add(r, r->dbg)->number;
}

static void inferior_free(struct inferior *inf)
{
	if (inf->number > 1)
		dbg_destroy(inf->dbg);
	free(inf->program);
	free(inf);
}

void inferiors_deinit(struct repl *r)
{
	for (size_t i = r->n_inferiors; i-- > 0;)
		inferior_free(r->inferiors[i]);
	free(r->inferiors);
}

struct inferior *inferior_current(struct repl *r)
{
	size_t i = 0;

	while (r->inferiors[i]->dbg != r->dbg)
		i++;
	return r->inferiors[i];
}

struct inferior *inferior_find(struct repl *r, uint64_t number)
{
	for (size_t i = 0; i < r->n_inferiors; i++)
		if (r->inferiors[i]->number == number)
			return r->inferiors[i];
	return NULL;
}

void inferior_select(struct repl *r, struct inferior *inf)
{
	if (r->dbg == inf->dbg)
		return;
	r->dbg = inf->dbg;
	loop_use(r->loop, inf->dbg);
	const struct dbg_stop *stop = dbg_stop_reason(r->dbg);
	r->thread = stop ? stop->thread : 0;
	r->level = 0;
	r->last_thread = 0;
	r->step_token = 0;
	r->has_frame = false;
}

static struct inferior *any_alive(struct repl *r)
{
	for (size_t i = 0; i < r->n_inferiors; i++)
		if (dbg_state(r->inferiors[i]->dbg) != DBG_IDLE)
			return r->inferiors[i];
	return NULL;
}

bool inferiors_alive(struct repl *r)
{
	return any_alive(r);
}

void inferior_left(struct repl *r)
{
	struct inferior *other = any_alive(r);

	r->has_frame = false;
	if (dbg_state(r->dbg) != DBG_IDLE)
		return;
	inferior_select(r, other ? other : r->inferiors[0]);
	r->stopped = dbg_state(r->dbg) == DBG_STOPPED;
	r->exited = !other;
}

/* ---- Events ------------------------------------------------------------ */

static void say_exit(const struct repl *r, const struct inferior *inf,
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

static void on_end(struct repl *r, struct inferior *inf,
		   const struct dbg_event *event)
{
	inf->gone = inf->number > 1;
	if (!r->killed)
		say_exit(r, inf, event);
	if (!r->killed && inf->number == 1)
		r->program_status = event->exit_signal
					? 128 + event->exit_signal
					: event->exit_code;
	inferior_left(r);
}

static void on_child(struct repl *r, struct inferior *parent,
		     const struct dbg_event *event)
{
	struct dbg_error *err;
	struct dbg *dbg;

	err = dbg_child_adopt(parent->dbg, event->child, &dbg);
	if (err) {
		// One that was killed meanwhile is no news.
		if (err->code == DBG_E_NOT_FOUND)
			dbg_error_destroy(err);
		else
			repl_warn(r, "", err);
		dbg_error_destroy(
		    dbg_child_leave(parent->dbg, event->child, false));
		return;
	}
	struct inferior *inf = add(r, dbg);
	inf->pid = event->child;
	str_set(&inf->program, event->text);
	out(r, "[Following process %d: %s]\n", (int)inf->pid, inf->program);
	if (dbg_state(parent->dbg) != DBG_IDLE)
		return;
	out(r, "[Detaching from process %d]\n", (int)parent->pid);
	parent->gone = parent->number > 1;
	inferior_left(r);
}

/* What the program wrote, with its own line ends. */
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

static void on_event(struct repl *r, struct inferior *inf,
		     const struct dbg_event *event)
{
	switch (event->kind) {
	case DBG_EVENT_STOPPED:
		if (r->stopped_inferior != inf->number)
			out(r, "[Switching to inferior %u (process %d)]\n",
			    inf->number, (int)inf->pid);
		inferior_select(r, inf);
		r->stopped_inferior = inf->number;
		r->stopped = true;
		break;
	case DBG_EVENT_EXITED:
		on_end(r, inf, event);
		break;
	case DBG_EVENT_CHILD:
		on_child(r, inf, event);
		break;
	case DBG_EVENT_MESSAGE:
		repl_say(r->out, event->text);
		break;
	case DBG_EVENT_OUTPUT:
		show_output(r, event->text);
		break;
	case DBG_EVENT_CONTINUED:
	case DBG_EVENT_THREAD:
	case DBG_EVENT_MODULE:
	case DBG_EVENT_BREAKPOINT:
		break;
	}
}

void repl_events(struct repl *r)
{
	struct dbg_event event;
	size_t kept = 0;

	if (r->hosted)
		return;
	for (size_t i = 0; i < r->n_inferiors; i++)
		while (dbg_event_next(r->inferiors[i]->dbg, &event))
			on_event(r, r->inferiors[i], &event);
	for (size_t i = 0; i < r->n_inferiors; i++)
		if (r->inferiors[i]->gone)
			inferior_free(r->inferiors[i]);
		else
			r->inferiors[kept++] = r->inferiors[i];
	r->n_inferiors = kept;
	// The program's own output follows.
	fflush(r->out);
}

/* ---- Ends -------------------------------------------------------------- */

struct dbg_error *inferior_kill(struct repl *r, struct inferior *inf)
{
	struct dbg_error *err = dbg_kill(inf->dbg);

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
	struct inferior *inf;

	while (!err && (inf = any_alive(r)))
		err = inferior_kill(r, inf);
	return err;
}

struct dbg_error *inferior_detach(struct repl *r, struct inferior *inf)
{
	struct dbg_error *err = dbg_detach(inf->dbg, false);

	if (err)
		return err;
	out(r, "[Inferior %u (process %d) detached]\n", inf->number,
	    (int)inf->pid);
	inf->gone = inf->number > 1;
	inferior_left(r);
	repl_events(r);
	return NULL;
}
