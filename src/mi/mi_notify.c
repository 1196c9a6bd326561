/*
 * The engine's events as asynchronous records: *running and *stopped with the
 * reason and the frame, =thread-created, =library-loaded, =breakpoint-modified
 * and the like.
 */
#include "mi/mi_priv.h"
#include "mi/record.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/debuggees.h"

static void mi_cli_stopped(struct mi *m, bool show);

/* ---- The engine's events as asynchronous records ------------------------- */

static struct mi_known *mi_known_of(const struct mi_list *list, uint32_t number)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].number == number)
			return &list->v[i];
	return NULL;
}

static struct mi_known *add(struct mi_list *list, uint32_t number)
{
	mem_grow(&list->v, &list->cap, list->n, sizeof(*list->v));
	list->v[list->n] = (struct mi_known){.number = number};
	return &list->v[list->n++];
}

static void forget(struct mi_list *list, struct mi_known *known)
{
	*known = list->v[--list->n];
}

/* ---- Begin, run, end --------------------------------------------------- */

void notify_running(struct mi *m)
{
	if (!m->running && m->dialect == MI_GDB)
		mi_send(m, "*running,thread-id=\"all\"", NULL);
	m->running = true;
}

static void signal_put(struct str *t, int signal)
{
	const char *name = sigabbrev_np(signal);

	if (name)
		record_strf(t, "signal-name", "SIG%s", name);
	else
		record_strf(t, "signal-name", "SIG%d", signal);
	record_str(t, "signal-meaning", strsignal(signal));
}

static void prompt_after_stop(struct mi *m)
{
	if (!m->async)
		mi_prompt(m);
}

static void put_exit(struct mi *m, const struct dbg_event *e)
{
	_cleanup_str_ struct str t = {0};

	if (m->dialect == MI_NETCOREDBG) {
		record_str(&t, "reason", "exited");
		record_uint(&t, "exit-code",
			    (uint64_t)(e->exit_signal ? 128 + e->exit_signal
						      : e->exit_code));
	} else if (e->exit_signal) {
		record_str(&t, "reason", "exited-signalled");
		signal_put(&t, e->exit_signal);
	} else if (e->exit_code) {
		record_str(&t, "reason", "exited");
		record_strf(&t, "exit-code", "%02o",
			    (unsigned int)e->exit_code);
	} else {
		record_str(&t, "reason", "exited-normally");
	}
	mi_send(m, "*stopped", &t);
	prompt_after_stop(m);
}

// The end of the last one is a stop.
static void on_exited(struct mi *m, const struct debuggee_event *e)
{
	mi_output_drain(m);
	// one that was ended to be started anew
	if (e->inferior.state != DBG_IDLE)
		return;
	groups_exited(m, &e->inferior, &e->event);
	if (!debuggees_alive(m->first))
		put_exit(m, &e->event);
}

/* ---- Stops ------------------------------------------------------------- */

static void put_exception(struct str *t, const struct dbg_stop *s)
{
	static const char *const stages[] = {
	    [DBG_STOP_THROWN] = "throw",
	    [DBG_STOP_USER_UNHANDLED] = "user-unhandled",
	    [DBG_STOP_UNHANDLED] = "unhandled",
	    [DBG_STOP_CAUGHT] = "catch",
	    [DBG_STOP_FAIL_FAST] = "unhandled",
	};

	record_str(t, "exception-name",
		   s->exception_type ? s->exception_type : "");
	record_str(t, "exception",
		   s->exception_message ? s->exception_message : "");
	record_str(t, "exception-stage", stages[s->reason]);
	record_str(t, "exception-category", "clr");
}

static void put_number(const struct mi *m, struct str *t,
		       const struct dbg_stop *s)
{
	if (m->dialect == MI_GDB) {
		record_str(t, "disp", s->temporary ? "del" : "keep");
		record_uint(t, "bkptno", s->breakpoint);
	}
}

static void put_break(const struct mi *m, struct str *t,
		      const struct dbg_stop *s)
{
	record_str(t, "reason", "breakpoint-hit");
	put_number(m, t, s);
}

static void put_load(const struct mi *m, struct str *t,
		     const struct dbg_stop *s)
{
	record_str(t, "reason", "solib-event");
	put_number(m, t, s);
	record_list(t, s->reason == DBG_STOP_LOAD ? "added" : "removed");
	record_str(t, "library", s->module);
	record_list_end(t);
}

static void put_watch(struct str *t, const struct dbg_stop *s)
{
	static const char *const reasons[] = {
	    [DBG_WATCH_WRITE] = "watchpoint-trigger",
	    [DBG_WATCH_READ] = "read-watchpoint-trigger",
	    [DBG_WATCH_ACCESS] = "access-watchpoint-trigger",
	};
	static const char *const names[] = {
	    [DBG_WATCH_WRITE] = "wpt",
	    [DBG_WATCH_READ] = "hw-rwpt",
	    [DBG_WATCH_ACCESS] = "hw-awpt",
	};

	if (s->reason == DBG_STOP_WATCH_SCOPE) {
		record_str(t, "reason", "watchpoint-scope");
		record_uint(t, "wpnum", s->breakpoint);
		return;
	}
	record_str(t, "reason", reasons[s->access]);
	record_tuple(t, names[s->access]);
	record_uint(t, "number", s->breakpoint);
	record_str(t, "exp", s->expr);
	record_tuple_end(t);
	record_tuple(t, "value");
	if (s->old_value) {
		record_str(t, "old", s->old_value);
		record_str(t, "new", s->value);
	} else {
		record_str(t, "value", s->value);
	}
	record_tuple_end(t);
}

static void put_step(struct mi *m, struct str *t)
{
	struct dbg_stopped at;
	struct dbg_value v;
	bool any = false;

	bool plain = m->dialect == MI_NETCOREDBG;

	if (plain || m->way != MI_WAY_FINISH) {
		record_str(t, "reason",
			   !plain && m->way == MI_WAY_UNTIL
			       ? "location-reached"
			       : "end-stepping-range");
		return;
	}
	record_str(t, "reason", "function-finished");
	if (!dbg_err_drop(dbg_stopped(m->dbg, &at)))
		dbg_error_destroy(dbg_returned(at, &v, &any));
	uint32_t number = any ? dbg_keep(at) : 0;
	if (!any)
		return;
	if (number)
		record_strf(t, "gdb-result-var", "$%" PRIu32, number);
	record_str(t, "return-value", v.text);
}

static void put_signal(struct str *t, int signal)
{
	record_str(t, "reason", "signal-received");
	signal_put(t, signal);
}

// netcoredbg's clients know SIGINT alone, whatever paused the program.
static void put_pause(const struct mi *m, struct str *t, int signal)
{
	if (m->dialect == MI_GDB) {
		put_signal(t, signal);
		return;
	}
	record_str(t, "reason", "signal-received");
	record_str(t, "signal-name", "SIGINT");
}

static void put_thrown(struct mi *m, struct str *t, const struct dbg_stop *s)
{
	if (m->dialect == MI_NETCOREDBG)
		record_str(t, "reason", "exception-received");
	else if (s->breakpoint)
		put_break(m, t, s);
	else
		put_signal(t, s->reason == DBG_STOP_UNHANDLED ||
				      s->reason == DBG_STOP_FAIL_FAST
				  ? SIGABRT
				  : SIGTRAP);
	put_exception(t, s);
}

static void put_reason(struct mi *m, struct str *t, const struct dbg_stop *s,
		       enum dbg_stop_reason reason)
{
	bool plain = m->dialect == MI_NETCOREDBG;

	switch (reason) {
	case DBG_STOP_EXEC:
	case DBG_STOP_ENTRY:
	case DBG_STOP_READY:
		if (plain)
			record_str(t, "reason", "entry-point-hit");
		else
			put_break(
			    m, t,
			    &(struct dbg_stop){.breakpoint = s->breakpoint,
					       .temporary = true});
		break;
	case DBG_STOP_BREAKPOINT:
		put_break(m, t, s);
		break;
	case DBG_STOP_STEP:
		put_step(m, t);
		break;
	case DBG_STOP_PAUSE:
		put_pause(m, t, SIGINT);
		break;
	case DBG_STOP_THROWN:
	case DBG_STOP_USER_UNHANDLED:
	case DBG_STOP_UNHANDLED:
	case DBG_STOP_CAUGHT:
	case DBG_STOP_FAIL_FAST:
		put_thrown(m, t, s);
		break;
	case DBG_STOP_LOAD:
	case DBG_STOP_UNLOAD:
		put_load(m, t, s);
		break;
	case DBG_STOP_SIGNAL:
	case DBG_STOP_TERMINATED:
		put_signal(t, s->signal);
		break;
	case DBG_STOP_USER_BREAK:
		put_pause(m, t, SIGTRAP);
		break;
	case DBG_STOP_WATCH:
	case DBG_STOP_WATCH_SCOPE:
		put_watch(t, s);
		break;
	case DBG_STOP_GOTO:
		record_str(t, "reason", "location-reached");
		break;
	case DBG_STOP_ATTACH:
		break;
	}
}

// netcoredbg counts the hits where they are told.
static void put_hits(struct mi *m, struct str *t, const struct dbg_stop *s)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint b;

	record_uint(t, "bkptno", s->breakpoint);
	struct dbg_error *err = dbg_break_get(m->dbg, s->breakpoint, arena, &b);
	record_uint(t, "times", err ? 1 : b.hits);
	dbg_error_destroy(err);
}

// A step that ends at a breakpoint is a step there, a hit for gdb.
static enum dbg_stop_reason reason_of(const struct mi *m,
				      const struct dbg_stop *s)
{
	return m->dialect == MI_NETCOREDBG && s->stepped ? DBG_STOP_STEP
							 : s->reason;
}

static void send_stop(struct mi *m, const struct dbg_stop *s)
{
	_cleanup_str_ struct str t = {0};
	bool plain = m->dialect == MI_NETCOREDBG;
	enum dbg_stop_reason reason = reason_of(m, s);

	put_reason(m, &t, s, reason);
	if (s->note && !plain)
		record_str(&t, "note", s->note);
	if (!plain)
		mi_frame_of(m, &t, s->thread, 0, FRAME_ARGS);
	if (s->thread)
		record_uint(&t, "thread-id", groups_thread_id(m, s->thread));
	record_str(&t, "stopped-threads", "all");
	if (plain && reason == DBG_STOP_BREAKPOINT)
		put_hits(m, &t, s);
	if (plain)
		mi_frame_of(m, &t, s->thread, 0, 0);
	mi_send(m, "*stopped", &t);
}

// Do the next of several steps, without telling the client of the stop between;
// false: there are no more.
static bool steps_on(struct mi *m, const struct dbg_stop *s)
{
	// a step of one instruction waits for nothing, so not for SIGINT
	if (!m->steps || s->reason != DBG_STOP_STEP ||
	    loop_interrupted(m->loop)) {
		m->steps = 0;
		return false;
	}
	m->steps--;
	struct dbg_stopped at;
	struct dbg_error *err = dbg_stopped(m->dbg, &at);
	if (!err)
		err = dbg_step(at, &m->step);
	m->stepped = !err;
	mi_warn(m, err);
	return m->stepped;
}

// Tell the note of a late stop; its reason is the same as of any pause.
static void tell_late(struct mi *m, const struct dbg_stop *s)
{
	_cleanup_str_ struct str line = {0};

	str_addf(&line, "%s.\n", s->note);
	mi_stream(m, '~', str_get(&line), line.len);
}

// netcoredbg lets go on what it has attached to, without a word of a stop.
static bool runs_on(struct mi *m, const struct dbg_stop *s)
{
	struct dbg_stopped at;

	if (m->dialect != MI_NETCOREDBG || s->reason != DBG_STOP_ATTACH)
		return false;
	groups_started(m);
	struct dbg_error *err = dbg_stopped(m->dbg, &at);
	if (!err)
		err = dbg_continue(at, 0);
	mi_warn(m, err);
	return true;
}

static void on_stopped(struct mi *m, const struct dbg_stop *s)
{
	if (steps_on(m, s) || runs_on(m, s))
		return;
	mi_output_drain(m);
	if (s->late)
		tell_late(m, s);
	m->stops++;
	m->values++;
	m->thread = s->thread;
	m->level = 0;
	groups_started(m);
	groups_see_threads(m);
	if (s->breakpoint)
		notify_breaks(m, true);
	send_stop(m, s);
	m->way = MI_WAY_RUN;
	m->running = false;
	// beside a prompt that is the prompt's
	if (!m->take)
		mi_cli_stopped(m, m->by_cli);
	m->by_cli = false;
	prompt_after_stop(m);
}

/* ---- Modules ----------------------------------------------------------- */

void mi_module_id_put(const struct mi *m, struct str *t, const char *member,
		      const char *mvid, const char *name)
{
	if (m->dialect == MI_NETCOREDBG && mvid)
		record_strf(t, member, "{%s}", mvid);
	else
		record_str(t, member, name ? name : "");
}

void mi_module_put(struct mi *m, struct str *t, const struct dbg_module *o)
{
	const char *path = o->path ? o->path : o->name;
	bool loaded = o->symbols == DBG_SYMBOLS_LOADED;

	mi_module_id_put(m, t, "id", o->mvid, path);
	record_str(t, "target-name", path);
	record_str(t, "host-name", path);
	record_str(t, "symbols-loaded", loaded ? "1" : "0");
	if (m->dialect == MI_NETCOREDBG) {
		record_strf(t, "base-address", "0x%" PRIx64, o->base);
		record_uint(t, "size", o->size);
		return;
	}
	groups_put_present(m, t, "thread-group");
	record_list(t, "ranges");
	record_tuple(t, NULL);
	record_addr(t, "from", o->base);
	record_addr(t, "to", o->base + o->size);
	record_tuple_end(t);
	record_list_end(t);
}

static void on_module(struct mi *m, const struct dbg_event *e)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	_cleanup_str_ struct str t = {0};
	struct dbg_module *list;
	size_t n = 0;

	if (e->gone) {
		record_str(&t, "id", e->text);
		record_str(&t, "target-name", e->text);
		record_str(&t, "host-name", e->text);
		if (m->dialect == MI_GDB)
			groups_put_present(m, &t, "thread-group");
		mi_send(m, "=library-unloaded", &t);
		return;
	}
	struct dbg_error *err = dbg_module_list(m->dbg, arena, &list, &n);
	for (size_t i = 0; !err && i < n; i++) {
		if (list[i].number != e->number)
			continue;
		mi_module_put(m, &t, &list[i]);
		mi_send(m, "=library-loaded", &t);
	}
	dbg_error_destroy(err);
}

/* ---- Breakpoints ------------------------------------------------------- */

static void see_break(struct mi *m, const struct dbg_breakpoint *b, bool tell)
{
	_cleanup_str_ struct str t = {0};
	struct mi_known *known = mi_known_of(&m->breaks, b->number);
	bool is_new = !known;

	mi_break_put(m, &t, b);
	if (is_new)
		known = add(&m->breaks, b->number);
	// two states of a breakpoint are told apart by what is printed
	uint64_t mark = str_hash(t.s, t.len);
	bool changed = known->mark != mark;
	known->mark = mark;
	if (!tell || !changed)
		return;
	if (is_new && m->dialect == MI_GDB)
		mi_send(m, "=breakpoint-created", &t);
	else if (!is_new)
		mi_send(m, "=breakpoint-modified", &t);
}

static bool is_listed(const struct dbg_breakpoint *list, size_t n,
		      uint32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].number == number)
			return true;
	return false;
}

void notify_breaks(struct mi *m, bool tell)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint *list;
	size_t n;

	struct dbg_error *err = dbg_break_list(m->dbg, arena, &list, &n);
	if (err) {
		mi_warn(m, err);
		return;
	}
	for (size_t i = 0; i < n; i++)
		see_break(m, &list[i], tell);
	for (size_t i = m->breaks.n; i-- > 0;) {
		_cleanup_str_ struct str t = {0};
		struct mi_known *known = &m->breaks.v[i];
		if (is_listed(list, n, known->number))
			continue;
		record_uint(&t, "id", known->number);
		forget(&m->breaks, known);
		if (tell && m->dialect == MI_GDB)
			mi_send(m, "=breakpoint-deleted", &t);
	}
}

/* ---- All of it --------------------------------------------------------- */

/* Thread or frame are others now. */
static void notify_selected(struct mi *m)
{
	_cleanup_str_ struct str t = {0};

	record_uint(&t, "id", groups_thread_id(m, m->thread));
	mi_frame_of(m, &t, m->thread, m->level, FRAME_LEVEL | FRAME_ARGS);
	mi_send(m, "=thread-selected", &t);
}

static void say(struct mi *m, const char *sentence)
{
	_cleanup_free_ char *line = xasprintf("%s\n", sentence);

	mi_stream(m, '~', line, strlen(line));
}

// A child that is followed becomes a new group.
static void on_child(struct mi *m, const struct debuggee_event *e)
{
	if (e->child.number)
		groups_started(m);
	if (!e->child.number && e->err)
		mi_log(m, e->err->message);
}

static void on_event(struct mi *m, const struct debuggee_event *whole)
{
	const struct dbg_event *e = &whole->event;

	switch (e->kind) {
	case DBG_EVENT_STOPPED:
		on_stopped(m, &e->stop);
		break;
	case DBG_EVENT_CONTINUED:
		notify_running(m);
		break;
	case DBG_EVENT_EXITED:
		on_exited(m, whole);
		break;
	case DBG_EVENT_THREAD:
		if (e->gone)
			groups_thread_gone(m, e->number);
		break;
	case DBG_EVENT_MODULE:
		on_module(m, e);
		break;
	case DBG_EVENT_BREAKPOINT:
		notify_breaks(m, true);
		break;
	case DBG_EVENT_MESSAGE:
		say(m, e->text);
		break;
	case DBG_EVENT_OUTPUT:
		mi_stream(m, '@', e->text, strlen(e->text));
		break;
	case DBG_EVENT_CHILD:
		on_child(m, whole);
		break;
	case DBG_EVENT_DUMPER:
		break;
	case DBG_EVENT_EVALUATED:
		m->evaluated = true;
		break;
	}
}

void notify_event(struct mi *m, const struct debuggee_event *e)
{
	struct dbg *dbg = m->dbg;
	uint32_t group = m->group;

	m->dbg = e->inferior.dbg;
	m->group = e->inferior.number;
	on_event(m, e);
	// what has stopped is selected
	if (e->event.kind == DBG_EVENT_STOPPED) {
		m->selected = m->group;
		return;
	}
	m->dbg = dbg;
	m->group = group;
}

void notify_take(struct mi *m)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct debuggee_event e;

	m->stepped = false;
	if (m->take)
		m->take(m->take_arg);
	while (!m->take && !m->stepped &&
	       debuggees_event_next(m->first, arena, &e)) {
		notify_event(m, &e);
		commands_event(&m->commands, &e);
		dbg_error_destroy(e.err);
	}
	groups_look(m);
	// a program that was let go has no event
	groups_left(m);
}

/* ---- Commands of the prompt for the client ------------------------------- */

/*
 * Commands of the prompt for the client: lines that are no command of GDB/MI,
 * and -interpreter-exec console. They are carried out by front/cli/commands.h;
 * what they print goes out as console stream records, and what they changed is
 * told.
 */

// Take over the state that a command has left, such as the selected frame.
static void after(struct mi *m)
{
	struct command_result result = commands_result(&m->commands);

	groups_look(m);
	if (dbg_state(m->dbg) == DBG_STOPPED && result.place.thread) {
		m->thread = result.place.thread;
		m->level = result.place.level;
	}
	if (result.quit)
		m->quit = true;
	if (result.resumed)
		m->resumed = true;
	mi_output_started(&m->output);
	m->values++;
}

struct dbg_error *mi_cli_quiet(struct mi *m, const char *line, struct str *ret)
{
	struct command_place place = {m->thread, m->level};
	_cleanup_str_ struct str nowhere = {0};

	struct dbg_error *err =
	    commands_run(&m->commands, line, &place, ret ? ret : &nowhere);
	after(m);
	return err;
}

struct dbg_error *mi_cli_word(struct mi *m, const char *command,
			      const char *word)
{
	_cleanup_free_ char *line =
	    xasprintf("%s %s", command, word ? word : "");

	return mi_cli_quiet(m, line, NULL);
}

struct dbg_error *mi_cli(struct mi *m, const char *line)
{
	_cleanup_str_ struct str printed = {0};
	uint32_t group = m->group;
	uint32_t thread = m->thread;
	uint32_t level = m->level;

	struct dbg_error *err = NULL;
	if (strncmp(line, "set ", 4) || !mi_setting_own(m, line + 4, &err))
		err = mi_cli_quiet(m, line, &printed);
	if (!err && !strncmp(line, "set ", 4))
		mi_setting_tell(m, line + 4 + strspn(line + 4, " "));
	mi_stream(m, '~', str_get(&printed), printed.len);
	if (m->resumed) {
		m->by_cli = true;
		m->way = strncmp(line, "fin", 3) ? MI_WAY_RUN : MI_WAY_FINISH;
	}
	notify_breaks(m, true);
	if (dbg_state(m->dbg) == DBG_STOPPED && thread &&
	    (group != m->group || thread != m->thread || level != m->level))
		notify_selected(m);
	return err;
}

struct dbg_error *mi_cli_lines(struct mi *m, const struct words *lines)
{
	struct command_place place = {m->thread, m->level};
	_cleanup_str_ struct str nowhere = {0};

	struct dbg_error *err =
	    commands_lines(&m->commands, lines, &place, &nowhere);
	after(m);
	return err;
}

/* Displays and commands of breakpoints at a stop; @show: print the stop. */
static void mi_cli_stopped(struct mi *m, bool show)
{
	struct command_place place = {m->thread, m->level};
	_cleanup_str_ struct str printed = {0};

	mi_warn(m, commands_stopped(&m->commands, &place, show, &printed));
	after(m);
	mi_stream(m, '~', str_get(&printed), printed.len);
}
