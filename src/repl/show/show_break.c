/*
 * Breakpoints as text: the line that is printed when one is made, and the table
 * of `info breakpoints` with conditions, hits and places.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/dprintf.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/show.h"

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

void show_watch_name(const struct repl *r, enum dbg_watch access,
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
