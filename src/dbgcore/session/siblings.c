/*
 * Programs that the program starts. Whether one is followed is decided at its
 * exec by the settings `follow-exec` and `follow-fork-mode` and by what it runs
 * (attach.c). Those that are have sessions of their own in one family: when
 * one stops the others are stopped too (siblings_freeze), and what resumes one
 * resumes all (siblings_thaw).
 */
#include "session/siblings.h"
#include "session/session.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "inspect/exception.h"
#include "target/proc.h"

/* ---- A stop that the user sees ------------------------------------------- */

/*
 * The state, the event, the other programs of the family; and the one that the
 * user asks for, dbg_pause(), by which no thread in particular is stopped.
 */

/* Note that the GC holds all threads, as a stop from outside may find them. */
static void tell_of_gc(struct dbg *dbg, enum dbg_stop_reason reason)
{
	uint32_t moves = 0;

	if (!dbg->inspect.dac ||
	    (reason != DBG_STOP_ATTACH && reason != DBG_STOP_PAUSE &&
	     reason != DBG_STOP_SIGNAL))
		return;
	uint64_t count = dac_gc_count(dbg->inspect.dac);
	if (count)
		dbg_error_destroy(target_read_u32(dbg->target, count, &moves));
	if (moves)
		session_message(dbg, "the garbage collector is moving objects: "
				     "values may be wrong until the program "
				     "has run on for a moment");
}

/*
 * How the stop came about: the user has asked for the place, or an exception
 * has led there.
 */
static enum stack_home home_of(enum dbg_stop_reason reason)
{
	switch (reason) {
	case DBG_STOP_BREAKPOINT:
	case DBG_STOP_STEP:
	case DBG_STOP_GOTO:
	case DBG_STOP_ENTRY:
	case DBG_STOP_WATCH:
	case DBG_STOP_USER_BREAK:
		return STACK_HOME_ASKED;
	case DBG_STOP_THROWN:
	case DBG_STOP_USER_UNHANDLED:
	case DBG_STOP_UNHANDLED:
	case DBG_STOP_FAIL_FAST:
	case DBG_STOP_SIGNAL:
	case DBG_STOP_TERMINATED:
		return STACK_HOME_THROWN;
	default:
		return STACK_HOME_HERE;
	}
}

void session_stopped(struct dbg *dbg, const struct dbg_stop *stop)
{
	evaluation_stopped(dbg, stop);
	heldstep_end(dbg);
	dbg->state = DBG_STOPPED;
	dbg->pausing = false;
	dbg->stop = *stop;
	dbg->inspect.exception = stop->exception;
	if (stop->reason == DBG_STOP_UNHANDLED ||
	    stop->reason == DBG_STOP_USER_UNHANDLED)
		exception_list_thrown(&dbg->inspect, stop, dbg->inspect.arena);
	if (dbg->inspect.stack)
		stack_set_stopped(dbg->inspect.stack, stop->thread,
				  home_of(stop->reason));
	siblings_freeze(dbg);
	target_terminal_take(dbg->target);
	tell_of_gc(dbg, stop->reason);
	session_event(
	    dbg, &(struct dbg_event){.kind = DBG_EVENT_STOPPED, .stop = *stop});
}

/* ---- Pause ----------------------------------------------------------- */

uint32_t session_pause_thread(struct dbg *dbg, pid_t tid)
{
	uint32_t number = evaluation_thread(dbg);

	if (!number)
		number = stack_first_managed(dbg->inspect.stack);
	return number ? number : stack_thread_number(dbg->inspect.stack, tid);
}

struct dbg_error *session_paused(struct dbg *dbg, pid_t tid, int signal)
{
	struct dbg_error *err = target_stop_all(dbg->target);

	if (err)
		return err;
	inspect_stop(&dbg->inspect);

	struct dbg_stop stop = {.reason = DBG_STOP_PAUSE, .signal = signal};

	stop.note = evaluation_late(dbg, dbg->inspect.arena);
	stop.late = stop.note;
	if (!stop.late && control_runs_only(dbg->control, dbg->resumed))
		stop.note = "the other threads were held (scheduler-locking): "
			    "this one may have waited for one of them";
	control_step_cancel(dbg->control);
	stop.thread = session_pause_thread(dbg, tid);
	session_stopped(dbg, &stop);
	return NULL;
}

struct dbg_error *dbg_pause(struct dbg *dbg)
{
	if (dbg->state != DBG_RUNNING && dbg->state != DBG_LENT)
		return dbg_err(DBG_E_STATE, "the program is not running");
	if (dbg->pausing)
		return NULL;
	dbg->pausing = true;
	if (dbg->state == DBG_RUNNING)
		return target_interrupt(dbg->target);
	target_recall(dbg->target);
	return NULL;
}

/* ---- Programs that the program starts ------------------------------------ */

enum {
	COMMAND_MAX = 4096,
};

struct dbg *sibling_next(struct dbg *dbg, const struct dbg *after)
{
	struct siblings *s = dbg->siblings;
	size_t i = 0;

	while (after && s->v[i++] != after)
		;
	while (i < s->n && s->v[i] == dbg)
		i++;
	return i < s->n ? s->v[i] : NULL;
}

static void take_number(struct dbg *dbg)
{
	dbg->inferior.number = ++dbg->siblings->last_number;
	dbg_variable_set(dbg, "_inferior", dbg->inferior.number);
}

void siblings_join(struct dbg *dbg, struct dbg *of)
{
	struct siblings *s = of ? of->siblings : xcalloc(1, sizeof(*s));

	mem_grow(&s->v, &s->cap, s->n, sizeof(*s->v));
	s->v[s->n++] = dbg;
	dbg->siblings = s;
	dbg->inferior.number = 0;
	if (of)
		return;
	s->current = dbg;
	take_number(dbg);
}

void siblings_leave(struct dbg *dbg)
{
	struct siblings *s = dbg->siblings;
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i] != dbg)
			s->v[kept++] = s->v[i];
	s->n = kept;
	// hits that were counted here are added to the first one's
	if (kept)
		control_break_merge(s->v[0]->control, dbg->control);
	dbg->siblings = NULL;
	if (kept && s->current == dbg)
		s->current = s->v[0];
	if (kept)
		return;
	free(s->v);
	free(s);
}

/* ---- Stopping and going together ------------------------------------- */

static void freeze(struct dbg *dbg)
{
	struct dbg_error *err = target_stop_all(dbg->target);

	if (err) {
		session_message(dbg, "%s", err->message);
		dbg_error_destroy(err);
		return;
	}
	inspect_stop(&dbg->inspect);
	control_step_cancel(dbg->control);
	dbg->state = DBG_STOPPED;
	dbg->pausing = false;
	dbg->stop = (struct dbg_stop){
	    .reason = DBG_STOP_PAUSE,
	    .thread = session_pause_thread(dbg, target_pid(dbg->target)),
	};
}

void siblings_freeze(struct dbg *dbg)
{
	for (struct dbg *s = NULL; (s = sibling_next(dbg, s));)
		if (s->state == DBG_RUNNING)
			freeze(s);
}

void siblings_freeze_with(struct dbg *dbg)
{
	for (struct dbg *s = NULL; (s = sibling_next(dbg, s));)
		if (s->state == DBG_STOPPED) {
			freeze(dbg);
			return;
		}
}

void siblings_thaw(struct dbg *dbg)
{
	for (struct dbg *s = NULL; (s = sibling_next(dbg, s));) {
		struct dbg_error *err;

		if (s->state != DBG_STOPPED)
			continue;
		s->state = DBG_RUNNING;
		holding_forget(s);
		memset(&s->stop, 0, sizeof(s->stop));
		target_keys_pending(s->target, &s->answered);
		err = session_go(s);
		if (err)
			session_message(s, "%s", err->message);
		dbg_error_destroy(err);
	}
}

/* ---- Which are followed ---------------------------------------------- */

static bool follows_all(const struct follow *f)
{
	return f->fork_child || f->keep_both;
}

static bool follows_any(const struct dbg *dbg)
{
	const struct follow *f = &dbg->follow;

	switch (f->exec) {
	case FOLLOW_OFF:
		return follows_all(f);
	case FOLLOW_AUTO:
		return follows_all(f) || dbg->inferior.kind == PROGRAM_SDK;
	case FOLLOW_ON:
	case FOLLOW_PATTERN:
		break;
	}
	return true;
}

static bool wants(const struct dbg *dbg, const struct program *p)
{
	const struct follow *f = &dbg->follow;

	if (follows_all(f))
		return true;
	if (f->exec == FOLLOW_PATTERN)
		return !fnmatch(f->pattern, p->name, 0);
	return follows_any(dbg) && p->kind == PROGRAM_DOTNET;
}

// Was the program started by the runtime of its parent, to dump that?
static bool is_dumper(const struct dbg *dbg, const struct program *p, pid_t pid)
{
	uint64_t parent = 0;

	return !strcmp(p->name, "createdump") &&
	       proc_status(pid, "PPid", 10, &parent) &&
	       (pid_t)parent == target_pid(dbg->target);
}

void session_follow(struct dbg *dbg)
{
	struct program p;

	if (!dbg_can_run(dbg))
		return;
	program_of(target_pid(dbg->target), &p);
	dbg->inferior.kind = p.kind;
	session_inferior_name(dbg, &p);
	target_follow(dbg->target, follows_any(dbg));
}

struct dbg_error *session_child(struct dbg *dbg, pid_t pid)
{
	struct program p;

	program_of(pid, &p);
	if (!follows_any(dbg))
		return target_child_leave(dbg->target, pid, false);
	if (dbg->lends && is_dumper(dbg, &p, pid)) {
		_cleanup_str_ struct str command = {0};

		proc_command(pid, COMMAND_MAX, &command);
		session_event(dbg, &(struct dbg_event){
				       .kind = DBG_EVENT_DUMPER,
				       .child = pid,
				       .text = str_get(&command),
				   });
		return NULL;
	}
	// the SDK's tools are parts of the command that was given
	if (!wants(dbg, &p))
		return target_child_pass(dbg->target, pid,
					 p.kind == PROGRAM_SDK &&
					     dbg->inferior.kind == PROGRAM_SDK);
	session_event(dbg, &(struct dbg_event){.kind = DBG_EVENT_CHILD,
					       .child = pid,
					       .text = p.name});
	return NULL;
}

/* ---- What becomes of one --------------------------------------------- */

static struct dbg_error *sibling_begin(struct dbg *dbg)
{
	struct dbg_error *err;

	session_begin(dbg, NULL);
	// another program of the family has stopped for these
	target_keys_pending(dbg->target, &dbg->answered);
	stack_thread_number(dbg->inspect.stack, target_pid(dbg->target));
	err = start_begin(dbg);
	if (!err)
		siblings_freeze_with(dbg);
	return err || dbg->state == DBG_STOPPED ? err : session_go(dbg);
}

struct dbg_error *dbg_child_adopt(struct dbg *dbg, pid_t pid, struct dbg **ret)
{
	struct dbg_error *err;
	struct dbg *child;

	if (!dbg->target)
		return dbg_err(DBG_E_STATE, "the program is not being run");
	err = dbg_create(&child);
	if (err)
		return err;
	siblings_leave(child);
	siblings_join(child, dbg);
	control_set_unseen(child->control, control_is_unseen(dbg->control));
	child->lends = dbg->lends;
	err = session_settings_copy(child, dbg);
	if (!err)
		err = control_break_copy(child->control, dbg->control, 0);
	if (!err)
		err = target_child_adopt(dbg->target, pid, &child->target);
	if (!err)
		err = sibling_begin(child);
	if (err) {
		// the program itself is not to suffer: let it run
		if (child->target)
			dbg_error_destroy(dbg_detach(child, false));
		dbg_destroy(child);
		return err;
	}
	take_number(child);
	*ret = child;
	if (!dbg->follow.fork_child || dbg->follow.keep_both)
		return NULL;
	err = dbg_detach(dbg, false);
	if (err)
		session_message(dbg, "%s", err->message);
	dbg_error_destroy(err);
	return NULL;
}

struct dbg_error *dbg_child_leave(struct dbg *dbg, pid_t pid, bool stopped)
{
	if (!dbg->target)
		return dbg_err(DBG_E_STATE, "the program is not being run");
	return target_child_leave(dbg->target, pid, stopped);
}

/* ---- Settings -------------------------------------------------------- */

struct dbg_error *follow_set_exec(struct dbg *dbg, const char *value)
{
	static const char *const words[] = {
	    [FOLLOW_OFF] = "off", [FOLLOW_AUTO] = "auto", [FOLLOW_ON] = "on"};
	struct follow *f = &dbg->follow;

	if (!*value)
		return dbg_err(DBG_E_ARGUMENT,
			       "off, auto, on or the name of a program "
			       "expected");
	f->exec = FOLLOW_PATTERN;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(value, words[i]))
			f->exec = (enum follow_exec)i;
	free(f->pattern);
	f->pattern = xstrdup(value);
	session_follow(dbg);
	return NULL;
}

const char *follow_get_exec(struct dbg *dbg)
{
	return dbg->follow.pattern ? dbg->follow.pattern : "off";
}

struct dbg_error *follow_set_fork(struct dbg *dbg, const char *value)
{
	bool child = !strcmp(value, "child");

	if (!child && strcmp(value, "parent"))
		return dbg_err(DBG_E_ARGUMENT, "'%s' is not parent or child",
			       value);
	dbg->follow.fork_child = child;
	session_follow(dbg);
	return NULL;
}

const char *follow_get_fork(struct dbg *dbg)
{
	return dbg->follow.fork_child ? "child" : "parent";
}

struct dbg_error *follow_set_detach(struct dbg *dbg, const char *value)
{
	bool on = false;
	struct dbg_error *err = dbg_parse_switch(value, &on);

	if (err)
		return err;
	dbg->follow.keep_both = !on;
	session_follow(dbg);
	return NULL;
}

const char *follow_get_detach(struct dbg *dbg)
{
	return dbg->follow.keep_both ? "off" : "on";
}
