/*
 * Frames, source lines and stops as text, and which frame is looked at.
 * r->thread and r->level say where the user looks; the frame of these is asked
 * for once in a stop (r->frame). show_stop() prints why the program stopped and
 * then the frame as gdb does: whole if the method is another one than before,
 * else the source line alone.
 */
#include "repl/command/subcmd.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/dprintf.h"

static void show_watch_name(const struct repl *r, enum dbg_watch access,
			    bool temporary, uint32_t number, const char *expr);

/* ---- Frames -------------------------------------------------------------- */

struct dbg_error *frame_select(struct repl *r, uint32_t thread, uint32_t level)
{
	struct dbg_error *err;
	struct dbg_stopped at;
	struct dbg_frame *frames;
	size_t n;

	if (!r->stopped)
		return dbg_err(DBG_E_STATE, "No stack.");
	err = dbg_stopped(r->dbg, &at);
	if (!err)
		err = dbg_frame_list(at, thread, level, 1, &frames, &n);
	if (err)
		return err;
	if (!n && !level)
		return dbg_err(DBG_E_STATE, "No stack.");
	if (!n)
		return dbg_err_arg("No frame at level %" PRIu32 ".", level);
	r->thread = thread;
	r->level = level;
	r->frame = frames[0];
	r->has_frame = true;
	return NULL;
}

struct dbg_error *frame_get(struct repl *r, struct dbg_frame *ret)
{
	struct dbg_error *err;

	if (!r->has_frame) {
		err = frame_select(r, r->thread, r->level);
		if (err)
			return err;
	}
	*ret = r->frame;
	return NULL;
}

dbg_id frame_id(struct repl *r)
{
	struct dbg_frame f = {0};

	return dbg_err_drop(frame_get(r, &f)) ? 0 : f.id;
}

const char *source_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *backslash = strrchr(path, '\\');

	if (!slash || (backslash && backslash > slash))
		slash = backslash;
	return slash ? slash + 1 : path;
}

const char *source_name(const struct repl *r, const char *path)
{
	return r->set.full_names ? path : source_base(path);
}

/* Is a value too much for one line of a frame? Print its text cut. */
static void show_brief(const struct repl *r, const struct dbg_value *v)
{
	enum {
		BRIEF_MAX = 120
	};

	if (strlen(v->text) <= BRIEF_MAX) {
		out(r, "%s", v->text);
		return;
	}
	size_t n = BRIEF_MAX;
	// Not in the middle of a character.
	while (n && ((unsigned char)v->text[n] & 0xc0) == 0x80)
		n--;
	out(r, "%.*s...", (int)n, v->text);
}

static void show_args(struct repl *r, const struct dbg_frame *f)
{
	struct dbg_error *err;
	struct dbg_stopped at;
	struct dbg_value *args;
	size_t n;

	if (f->kind != DBG_FRAME_MANAGED && f->kind != DBG_FRAME_ASYNC)
		return;
	err = dbg_stopped(r->dbg, &at);
	if (!err)
		err = dbg_scope_list(at, f->id, DBG_SCOPE_ARGS, &args, &n);
	if (err) {
		out(r, "...");
		dbg_error_destroy(err);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		out(r, "%s", i ? ", " : "");
		paint(r, PAINT_NAME, args[i].name);
		out(r, "=");
		show_brief(r, &args[i]);
	}
}

/*
 * Print the types of the parameters of a frame without source, whose values are
 * seldom known; those of a framework method only if asked for.
 */
static void show_types(const struct repl *r, const struct dbg_frame *f)
{
	if (!f->params || !*f->params)
		return;
	out(r, "%s", f->framework && !r->set.frame_types ? "..." : f->params);
}

/* " at F.cs:12" */
static void show_file_line(const struct repl *r, const char *path,
			   uint32_t line)
{
	out(r, " at ");
	paint(r, PAINT_FILE, source_name(r, path));
	out(r, ":%" PRIu32, line);
}

void show_frame(struct repl *r, const struct dbg_frame *f, bool with_addr)
{
	// "<signal handler called>", "[External Code]": no function at all
	if ((*f->function == '<' && f->kind == DBG_FRAME_NATIVE) ||
	    f->kind == DBG_FRAME_EXTERNAL || f->kind == DBG_FRAME_CALLED ||
	    f->kind == DBG_FRAME_CHAIN) {
		out(r, "%s", f->function);
		return;
	}
	if (with_addr) {
		paint_addr(r, f->pc);
		out(r, " in ");
	}
	if (f->kind == DBG_FRAME_ASYNC)
		out(r, "[async] ");
	if (f->kind == DBG_FRAME_THROWN)
		out(r, "[thrown] ");
	paint(r, PAINT_FUNCTION, f->name);
	out(r, " (");
	if (f->source.path && f->kind != DBG_FRAME_THROWN)
		show_args(r, f);
	else
		show_types(r, f);
	out(r, ")");
	if (f->source.path) {
		show_file_line(r, f->source.path, f->source.line);
	} else if (f->module) {
		out(r, " from ");
		paint(r, PAINT_FILE, f->module);
		if (f->il_offset != UINT32_MAX)
			out(r, " (IL 0x%04" PRIx32 ")", f->il_offset);
	}
	if (f->replaced)
		out(r, " (before the edit)");
}

// As gdb: an address says that the pc is not at the beginning of a line.
static bool needs_addr(struct repl *r, const struct dbg_frame *f)
{
	struct dbg_stopped at;

	if (f->kind == DBG_FRAME_ASYNC || f->kind == DBG_FRAME_THROWN)
		return false;
	if (f->level || !f->source.path || f->kind != DBG_FRAME_MANAGED ||
	    dbg_err_drop(dbg_stopped(r->dbg, &at)))
		return true;
	const struct dbg_stop *stop = dbg_stop_reason(at);
	return stop->reason != DBG_STOP_BREAKPOINT &&
	       stop->reason != DBG_STOP_STEP && stop->reason != DBG_STOP_GOTO &&
	       stop->reason != DBG_STOP_ENTRY && stop->reason != DBG_STOP_WATCH;
}

void show_frame_line(struct repl *r, const struct dbg_frame *f)
{
	if (r->no_levels)
		out(r, "    ");
	else
		out(r, "#%-2" PRIu32 " ", f->level);
	show_frame(r, f, needs_addr(r, f));
	out(r, "\n");
}

void show_source_line(struct repl *r, const char *path, uint32_t line)
{
	struct dbg_error *err;
	const char *const *lines;
	const char *note;
	size_t n;

	if (!path || !line)
		return;
	err = dbg_source_lines(r->dbg, path, &lines, &n, &note);
	// As gdb: without the file, at least its name.
	if (err)
		out(r, "%" PRIu32 "\tin %s\n", line, path);
	else
		out(r, "%" PRIu32 "\t%s\n", line,
		    line <= n ? lines[line - 1] : "");
	dbg_error_destroy(err);
}

/* show_source_line of the frame's line, if there is one. */
static void show_frame_source(struct repl *r, const struct dbg_frame *f)
{
	if (!f->source.path || !f->source.line)
		return;
	if (r->instruction && f->level == 0) {
		paint_addr(r, f->pc);
		out(r, "\t");
	}
	if (f->replaced) // the file has another text now
		out(r, "%" PRIu32 "\tin the text before the edit\n",
		    f->source.line);
	else
		show_source_line(r, f->source.path, f->source.line);
}

struct dbg_error *show_selected(struct repl *r)
{
	struct dbg_error *err;
	struct dbg_frame f;

	err = frame_get(r, &f);
	if (err)
		return err;
	r->listing.first = 0;
	show_frame_line(r, &f);
	show_frame_source(r, &f);
	return NULL;
}

static void show_thread_label(const struct repl *r, const struct dbg_thread *t)
{
	out(r, "Thread %d \"%s\"", (int)t->tid, thread_name_get(r, t));
}

void show_thread(struct repl *r, uint32_t number)
{
	struct dbg_error *err;
	struct dbg_stopped at;
	struct dbg_thread *threads;
	size_t n;

	err = dbg_stopped(r->dbg, &at);
	if (!err)
		err = dbg_thread_list(at, &threads, &n);
	for (size_t i = 0; !err && i < n; i++)
		if (threads[i].number == number)
			show_thread_label(r, &threads[i]);
	dbg_error_destroy(err);
}

static void show_exception(const struct repl *r, const char *what,
			   const struct dbg_stop *stop)
{
	out(r, "\n%s: %s", what,
	    stop->exception_type ? stop->exception_type : "unknown type");
	if (stop->exception_message)
		out(r, ": \"%s\"", stop->exception_message);
	out(r, "\n");
	if (stop->caught)
		repl_say(r->out, stop->caught);
}

static void show_fail_fast(const struct repl *r, const struct dbg_stop *stop)
{
	out(r, "\nProgram called Environment.FailFast");
	if (stop->exception_message)
		out(r, ": \"%s\"", stop->exception_message);
	out(r, "%s\n", stop->exception_message ? "" : ".");
}

static void show_watch(const struct repl *r, const struct dbg_stop *stop)
{
	if (stop->reason == DBG_STOP_WATCH_SCOPE) {
		out(r, "\nWatchpoint %" PRIu32 " deleted because ",
		    stop->breakpoint);
		if (stop->note)
			out(r, "%s.\n", stop->note);
		else
			out(r, "the program has left the block in\n"
			       "which its expression is valid.\n");
		return;
	}
	out(r, "\n");
	show_watch_name(r, stop->access, stop->temporary, stop->breakpoint,
			stop->expr);
	if (stop->old_value)
		out(r, "\nOld value = %s\nNew value = %s\n", stop->old_value,
		    stop->value);
	else
		out(r, "\nValue = %s\n", stop->value);
}

static void show_signal(const struct repl *r, const char *how, int signal)
{
	const char *name = sigabbrev_np(signal);

	// real-time signals have numbers only, as in gdb
	if (name)
		out(r, "\nProgram %s signal SIG%s", how, name);
	else
		out(r, "\nProgram %s signal SIG%d", how, signal);
	out(r, ", %s.\n", strsignal(signal));
}

static void show_fault(const struct repl *r, const struct dbg_stop *stop)
{
	const char *name =
	    stop->fault ? sigabbrev_np(stop->fault->signal) : NULL;

	if (name)
		out(r, "SIG%s: %s.\n", name, stop->fault->text);
}

static void show_load(const struct repl *r, const struct dbg_stop *stop)
{
	// gdb's words
	out(r, "\n%s %" PRIu32 "\n  Inferior %s %s\n",
	    stop->temporary ? "Temporary catchpoint" : "Catchpoint",
	    stop->breakpoint,
	    stop->reason == DBG_STOP_LOAD ? "loaded" : "unloaded",
	    stop->module);
}

// Print why the program stopped, before the frame.
static void show_reason(const struct repl *r, const struct dbg_stop *stop)
{
	switch (stop->reason) {
	case DBG_STOP_ENTRY:
		if (!stop->breakpoint)
			break;
		__attribute__((fallthrough));
	case DBG_STOP_BREAKPOINT:
		out(r, "\n%s %" PRIu32 ", ",
		    stop->temporary ? "Temporary breakpoint" : "Breakpoint",
		    stop->breakpoint);
		break;
	case DBG_STOP_PAUSE:
		// gdb's words, for a pause by any means but a call's time
		if (stop->late)
			break;
		out(r, "\nProgram received signal %s.\n",
		    stop->signal == SIGTSTP ? "SIGTSTP, Stopped (user)"
					    : "SIGINT, Interrupt");
		break;
	case DBG_STOP_THROWN:
		show_exception(r, "Exception thrown", stop);
		break;
	case DBG_STOP_USER_UNHANDLED:
		show_exception(r, "Exception not caught by your code", stop);
		break;
	case DBG_STOP_UNHANDLED:
		show_exception(r, "Unhandled exception", stop);
		show_fault(r, stop);
		break;
	case DBG_STOP_CAUGHT:
		show_exception(r, "Exception caught", stop);
		break;
	case DBG_STOP_LOAD:
	case DBG_STOP_UNLOAD:
		show_load(r, stop);
		break;
	case DBG_STOP_SIGNAL:
		show_signal(r, "received", stop->signal);
		show_fault(r, stop);
		break;
	case DBG_STOP_TERMINATED:
		show_signal(r, "terminated with", stop->signal);
		show_fault(r, stop);
		break;
	case DBG_STOP_EXEC:
		out(r, "\nProgram stopped.\n");
		break;
	case DBG_STOP_USER_BREAK:
		out(r, "\nProgram called Debugger.Break.\n");
		break;
	case DBG_STOP_FAIL_FAST:
		show_fail_fast(r, stop);
		break;
	case DBG_STOP_WATCH:
	case DBG_STOP_WATCH_SCOPE:
		show_watch(r, stop);
		break;
	case DBG_STOP_GOTO:
	case DBG_STOP_READY:
	case DBG_STOP_ATTACH:
	case DBG_STOP_STEP:
		break;
	}
}

/*
 * Does @f belong to the call that was stepped, perhaps as one of its handlers,
 * and is it in the same file? (A method may have lines in several files: a
 * constructor has the initialisers of fields in all parts of the class,
 * generated code has #line.)
 */
static bool is_stepped(const struct repl *r, const struct dbg_frame *f)
{
	return r->step_token && r->step_token == f->token &&
	       (r->step_sp == f->sp || (r->step_bp && r->step_bp == f->bp)) &&
	       r->thread == r->last_thread && r->step_file && f->source.path &&
	       !strcmp(r->step_file, f->source.path);
}

struct dbg_error *show_stop(struct repl *r)
{
	struct dbg_error *err;
	struct dbg_frame f;
	struct dbg_stopped at;

	if (dbg_err_drop(dbg_stopped(r->dbg, &at)))
		return NULL;
	const struct dbg_stop *stop = dbg_stop_reason(at);
	if (r->last_thread && r->thread != r->last_thread) {
		out(r, "[Switching to thread %" PRIu32 " (", r->thread);
		show_thread(r, r->thread);
		out(r, ")]\n");
	}
	show_reason(r, stop);
	// the note of a call's stop is its command's error instead
	if (stop->note && stop->reason != DBG_STOP_WATCH_SCOPE && !stop->late)
		repl_say(r->out, stop->note);
	err = frame_get(r, &f);
	if (err)
		return err;
	if (stop->reason != DBG_STOP_STEP || !is_stepped(r, &f)) {
		show_frame(r, &f, needs_addr(r, &f));
		out(r, "\n");
	}
	show_frame_source(r, &f);
	return NULL;
}

/* ---- Breakpoints as text ------------------------------------------------- */

/*
 * Breakpoints as text: the line that is printed when one is made, and the table
 * of `info breakpoints` with conditions, hits and places.
 */

// The word behind "catch" for a catchpoint; NULL: it is none.
static const char *catch_name(const struct dbg_breakpoint *b)
{
	switch (b->kind) {
	case DBG_BREAK_THROW:
		return "throw";
	case DBG_BREAK_USER_UNHANDLED:
		return "user-unhandled";
	case DBG_BREAK_UNHANDLED:
		return "unhandled";
	case DBG_BREAK_CAUGHT:
		return "catch";
	case DBG_BREAK_LOAD:
		return "load";
	case DBG_BREAK_UNLOAD:
		return "unload";
	case DBG_BREAK_LOCATION:
	case DBG_BREAK_REGEX:
	case DBG_BREAK_WATCH:
		break;
	}
	return NULL;
}

static const char *kind_name(const struct dbg_breakpoint *b)
{
	if (b->kind == DBG_BREAK_WATCH)
		return "Watchpoint";
	if (catch_name(b))
		return b->temporary ? "Temporary catchpoint" : "Catchpoint";
	if (b->log)
		return "Dprintf";
	return b->temporary ? "Temporary breakpoint" : "Breakpoint";
}

/* "Hardware watchpoint 2: EXPR", a line. */
static void show_watch_name(const struct repl *r, enum dbg_watch access,
			    bool temporary, uint32_t number, const char *expr)
{
	static const char *const names[] = {
	    [DBG_WATCH_WRITE] = "ardware watchpoint",
	    [DBG_WATCH_READ] = "ardware read watchpoint",
	    [DBG_WATCH_ACCESS] = "ardware access (read/write) watchpoint",
	};

	out(r, "%s%s %" PRIu32 ": %s\n", temporary ? "Temporary h" : "H",
	    names[access], number, expr);
}

static void show_place(struct repl *r, const struct dbg_breakpoint *b)
{
	const struct dbg_location *l = &b->locations[0];

	out(r, "%s %" PRIu32 " at ", kind_name(b), b->number);
	if (l->addr) {
		paint_addr(r, l->addr);
	} else {
		paint(r, PAINT_FUNCTION, l->name ? l->name : b->text);
	}
	if (l->file && b->n_locations == 1) {
		out(r, ": file ");
		paint(r, PAINT_FILE, source_name(r, l->file));
		out(r, ", line %" PRIu32 ".", l->line);
	} else if (b->n_locations > 1) {
		out(r, ": %s. (%zu locations)", b->text, b->n_locations);
	}
	out(r, "\n");
}

void catch_add_text(const struct dbg_breakpoint *b, struct str *ret)
{
	str_addf(ret, "%s%s", catch_name(b), b->catches.exact ? " -exact" : "");
	if (b->catches.module)
		str_addf(ret, " -module %s", b->catches.module);
	if (b->catches.message)
		str_addf(ret, " -message \"%s\"", b->catches.message);
	if (b->text)
		str_addf(ret, " %s", b->text);
}

struct dbg_error *show_break_new(struct repl *r, uint32_t number)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_breakpoint b;
	_cleanup_str_ struct str catches = {0};

	err = dbg_break_get(r->dbg, number, arena, &b);
	if (err)
		return err;
	if (catch_name(&b)) {
		catch_add_text(&b, &catches);
		out(r, "%s %" PRIu32 " (%s)\n", kind_name(&b), b.number,
		    str_get(&catches));
		return NULL;
	}
	if (b.kind == DBG_BREAK_WATCH && b.state == DBG_BREAK_BOUND) {
		show_watch_name(r, b.access, b.temporary, b.number, b.text);
		if (b.reason)
			repl_say(r->out, b.reason);
		return NULL;
	}
	if (!b.n_locations) {
		out(r, "%s %" PRIu32 " (%s) pending%s%s.\n", kind_name(&b),
		    b.number, b.text, b.reason ? ": " : "",
		    b.reason ? b.reason : "");
		return NULL;
	}
	show_place(r, &b);
	if (b.reason)
		repl_say(r->out, b.reason);
	return NULL;
}

static void show_location(struct repl *r, const struct dbg_location *l)
{
	if (l->addr)
		paint_addr(r, l->addr);
	else
		out(r, "%-18s",
		    l->compiled ? "<optimized out>" : "<not compiled>");
	out(r, " ");
	if (l->function) {
		out(r, "in ");
		paint(r, PAINT_FUNCTION, l->function);
	}
	if (l->file)
		show_file_line(r, l->file, l->line);
	else if (l->module)
		out(r, " from %s", l->module);
	if (l->replaced)
		out(r, " (before the edit)");
	out(r, "\n");
}

static void show_catch(const struct repl *r, const struct dbg_breakpoint *b)
{
	_cleanup_str_ struct str catches = {0};

	if (b->kind == DBG_BREAK_LOAD || b->kind == DBG_BREAK_UNLOAD) {
		out(r, "%-18s %s of library%s%s\n", "", catch_name(b),
		    b->text ? " matching " : "", b->text ? b->text : "");
		return;
	}
	catch_add_text(b, &catches);
	out(r, "%-18s exception %s\n", "", str_get(&catches));
}

static void show_what(struct repl *r, const struct dbg_breakpoint *b)
{
	const char *text = b->text ? b->text : "";

	if (catch_name(b)) {
		show_catch(r, b);
		return;
	}
	if (b->kind == DBG_BREAK_WATCH)
		out(r, "%-18s %s\n",
		    b->state == DBG_BREAK_BOUND ? "" : "<PENDING>", text);
	else if (!b->n_locations)
		out(r, "%-18s %s\n", "<PENDING>", text);
	else if (b->n_locations == 1)
		show_location(r, &b->locations[0]);
	else
		out(r, "%-18s %s\n", "<MULTIPLE>", text);
}

static void show_details(struct repl *r, const struct dbg_breakpoint *b)
{
	if (b->thread)
		out(r, "\tstop only in thread %" PRIu32 "\n", b->thread);
	if (b->condition)
		out(r, "\tstop only if %s\n", b->condition);
	if (b->fault)
		out(r, "\t%s\n", b->fault);
	if (b->hits)
		out(r, "\tbreakpoint already hit %" PRIu64 " time%s\n", b->hits,
		    b->hits == 1 ? "" : "s");
	if (b->ignore)
		out(r, "\tignore next %" PRIu64 " hits\n", b->ignore);
	if (b->stops > 1)
		out(r, "\tdisable after %s %" PRIu32 " hits\n",
		    b->ignore ? "additional" : "next", b->stops);
	if (b->inferior)
		out(r, "\tin inferior %" PRIu32 "\n", b->inferior);
	if (b->reason)
		out(r, "\t%s\n", b->reason);
	if (b->log) {
		_cleanup_str_ struct str text = {0};

		dprintf_text(b->log, &text);
		out(r, "        printf %s\n", str_get(&text));
	}
	const struct hook *hook = hook_find(r, b->number);
	for (size_t i = 0; hook && i < hook->lines.n; i++)
		out(r, "        %s\n", hook->lines.v[i]);
	for (size_t i = 0; b->n_locations > 1 && i < b->n_locations; i++) {
		char id[32];
		snprintf(id, sizeof(id), "%" PRIu32 ".%zu", b->number, i + 1);
		out(r, "%-7s %-14s %-4s %-3s ", id, "", "",
		    b->enabled ? "y" : "n");
		show_location(r, &b->locations[i]);
	}
}

static const char *type_name(const struct dbg_breakpoint *b)
{
	static const char *const watches[] = {
	    [DBG_WATCH_WRITE] = "hw watchpoint",
	    [DBG_WATCH_READ] = "read watchpoint",
	    [DBG_WATCH_ACCESS] = "acc watchpoint",
	};

	if (b->kind == DBG_BREAK_WATCH)
		return watches[b->access];
	return catch_name(b) ? "catchpoint" : b->log ? "dprintf" : "breakpoint";
}

static void show_row(struct repl *r, const struct dbg_breakpoint *b)
{
	out(r, "%-7" PRIu32 " %-14s %-4s %-3s ", b->number, type_name(b),
	    b->temporary ? "del"
	    : b->stops   ? "dis"
			 : "keep",
	    b->enabled ? "y" : "n");
	show_what(r, b);
	show_details(r, b);
}

struct dbg_error *show_breaks(struct repl *r, uint32_t number, bool watches)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_breakpoint *list;
	size_t shown = 0;
	size_t n;

	err = dbg_break_list(r->dbg, arena, &list, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if ((number && list[i].number != number) ||
		    (watches && list[i].kind != DBG_BREAK_WATCH))
			continue;
		if (!shown++)
			out(r, "%-7s %-14s %-4s %-3s %-18s %s\n", "Num", "Type",
			    "Disp", "Enb", "Address", "What");
		show_row(r, &list[i]);
	}
	if (!shown && number)
		out(r, "No %spoint number %" PRIu32 ".\n",
		    watches ? "watch" : "break", number);
	else if (!shown && watches)
		out(r, "No watchpoints.\n");
	else if (!shown)
		out(r, "No breakpoints or catchpoints.\n");
	return NULL;
}
