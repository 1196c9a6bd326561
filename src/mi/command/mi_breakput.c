/*
 * Breakpoints, watchpoints and catchpoints as records, with gdb's names of
 * their members: one `bkpt` tuple, its locations behind it if there are
 * several.
 */
#include <inttypes.h>
#include <string.h>

#include "mi/mi_priv.h"
#include "base/mem.h"
#include "mi/record.h"

// Breakpoints are in all of them.
static void put_groups(const struct mi *m, struct str *t)
{
	record_list(t, "thread-groups");
	groups_put(m, t);
	record_list_end(t);
}

static void put_where(const struct mi *m, struct str *t,
		      const struct dbg_location *l)
{
	if (l->addr)
		record_addr(t, "addr", l->addr);
	else
		record_str(t, "addr", "<PENDING>");
	record_str(t, "func", l->name);
	if (l->file) {
		record_str(t, "file", str_basename(l->file));
		record_str(t, "fullname", l->file);
		record_uint(t, "line", l->line);
	} else {
		record_str(t, "at", l->module);
	}
	put_groups(m, t);
}

static void put_location(const struct mi *m, struct str *t,
			 const struct dbg_breakpoint *b, size_t i)
{
	record_tuple(t, NULL);
	record_strf(t, "number", "%" PRIu32 ".%zu", b->number, i + 1);
	record_str(t, "enabled", "y");
	put_where(m, t, &b->locations[i]);
	record_tuple_end(t);
}

static const char *type_of(const struct dbg_breakpoint *b)
{
	static const char *const watches[] = {
	    [DBG_WATCH_WRITE] = "hw watchpoint",
	    [DBG_WATCH_READ] = "read watchpoint",
	    [DBG_WATCH_ACCESS] = "acc watchpoint",
	};

	switch (b->kind) {
	case DBG_BREAK_WATCH:
		return watches[b->access];
	case DBG_BREAK_THROW:
	case DBG_BREAK_USER_UNHANDLED:
	case DBG_BREAK_UNHANDLED:
	case DBG_BREAK_CAUGHT:
	case DBG_BREAK_LOAD:
	case DBG_BREAK_UNLOAD:
		return "catchpoint";
	case DBG_BREAK_LOCATION:
	case DBG_BREAK_REGEX:
		break;
	}
	return b->log ? "dprintf" : "breakpoint";
}

// Put what a breakpoint without place waits for.
static void put_what(const struct mi *m, struct str *t,
		     const struct dbg_breakpoint *b)
{
	static const char *const stages[] = {
	    [DBG_BREAK_THROW] = "throw",
	    [DBG_BREAK_USER_UNHANDLED] = "user-unhandled",
	    [DBG_BREAK_UNHANDLED] = "unhandled",
	    [DBG_BREAK_CAUGHT] = "catch",
	    [DBG_BREAK_LOAD] = "load",
	    [DBG_BREAK_UNLOAD] = "unload",
	};

	const char *text = b->text ? b->text : "";
	if (b->kind == DBG_BREAK_WATCH) {
		record_str(t, "what", text);
		return;
	}
	if (b->kind == DBG_BREAK_LOAD || b->kind == DBG_BREAK_UNLOAD)
		record_strf(t, "what", "%s of library%s%s", stages[b->kind],
			    b->text ? " matching " : "", text);
	else
		record_strf(t, "what", "exception %s%s%s", stages[b->kind],
			    b->text ? " " : "", text);
	record_str(t, "catch-type", stages[b->kind]);
	put_groups(m, t);
}

static bool has_place(const struct dbg_breakpoint *b)
{
	return b->kind == DBG_BREAK_LOCATION || b->kind == DBG_BREAK_REGEX;
}

static void put_script(struct mi *m, struct str *t, uint32_t number)
{
	const struct words *lines = mi_break_script(m, number);

	if (!lines || !lines->n)
		return;
	// before version 4 it was a tuple of strings
	if (m->options->version < 4)
		record_tuple(t, "script");
	else
		record_list(t, "script");
	for (size_t i = 0; i < lines->n; i++)
		record_str(t, NULL, lines->v[i]);
	str_addc(t, m->options->version < 4 ? '}' : ']');
}

static void put_rules(struct mi *m, struct str *t,
		      const struct dbg_breakpoint *b)
{
	record_str(t, "cond", b->condition);
	if (b->thread)
		record_uint(t, "thread", groups_thread_id(m, b->thread));
	record_uint(t, "times", b->hits);
	if (b->ignore)
		record_uint(t, "ignore", b->ignore);
	put_script(m, t, b->number);
	record_str(t, "warning", b->reason);
	if (has_place(b))
		record_str(t, "original-location", b->text);
}

static void put_gdb(struct mi *m, struct str *t, const struct dbg_breakpoint *b)
{
	bool several = b->n_locations > 1;

	record_tuple(t, "bkpt");
	record_uint(t, "number", b->number);
	record_str(t, "type", type_of(b));
	record_str(t, "disp", b->temporary ? "del" : b->stops ? "dis" : "keep");
	record_str(t, "enabled", b->enabled ? "y" : "n");
	if (!has_place(b)) {
		put_what(m, t, b);
	} else if (several) {
		record_str(t, "addr", "<MULTIPLE>");
	} else if (!b->n_locations) {
		record_str(t, "addr", "<PENDING>");
		record_str(t, "pending", b->text);
	} else {
		put_where(m, t, &b->locations[0]);
	}
	put_rules(m, t, b);
	if (several && m->options->version >= 3) {
		record_list(t, "locations");
		for (size_t i = 0; i < b->n_locations; i++)
			put_location(m, t, b, i);
		record_list_end(t);
	}
	record_tuple_end(t);
	// version 2 has them behind the tuple, against its own grammar
	for (size_t i = 0;
	     several && m->options->version < 3 && i < b->n_locations; i++)
		put_location(m, t, b, i);
}

static void put_plain(struct str *t, const struct dbg_breakpoint *b)
{
	bool bound = b->n_locations && b->locations[0].file;
	const struct dbg_location *l = b->locations;

	record_tuple(t, "bkpt");
	record_uint(t, "number", b->number);
	if (!has_place(b)) {
		record_tuple_end(t);
		return;
	}
	record_str(t, "type", "breakpoint");
	record_str(t, "disp", "keep");
	record_str(t, "enabled", b->enabled ? "y" : "n");
	if (bound) {
		record_str(t, "func", "");
		record_str(t, "file", str_basename(l->file));
		record_str(t, "fullname", l->file);
		record_uint(t, "line", l->line);
		record_str(t, "warning", b->reason);
	} else {
		record_str(t, "warning",
			   "No executable code of the debugger's target code "
			   "type is associated with this line.");
	}
	record_tuple_end(t);
}

void mi_break_put(struct mi *m, struct str *t, const struct dbg_breakpoint *b)
{
	if (m->dialect == MI_NETCOREDBG)
		put_plain(t, b);
	else
		put_gdb(m, t, b);
}

struct dbg_error *mi_break_put_one(struct mi *m, struct str *t, uint32_t number)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint b;

	struct dbg_error *err = dbg_break_get(m->dbg, number, arena, &b);
	if (!err)
		mi_break_put(m, t, &b);
	return err;
}

struct column {
	const char *width, *alignment, *name, *head;
};

void mi_break_table(struct mi *m, struct str *t,
		    const struct dbg_breakpoint *list, size_t n)
{
	static const struct column columns[] = {
	    {"7", "-1", "number", "Num"},    {"14", "-1", "type", "Type"},
	    {"4", "-1", "disp", "Disp"},     {"3", "-1", "enabled", "Enb"},
	    {"18", "-1", "addr", "Address"}, {"40", "2", "what", "What"},
	};

	record_tuple(t, "BreakpointTable");
	record_uint(t, "nr_rows", n);
	record_uint(t, "nr_cols", sizeof(columns) / sizeof(*columns));
	record_list(t, "hdr");
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		record_tuple(t, NULL);
		record_str(t, "width", columns[i].width);
		record_str(t, "alignment", columns[i].alignment);
		record_str(t, "col_name", columns[i].name);
		record_str(t, "colhdr", columns[i].head);
		record_tuple_end(t);
	}
	record_list_end(t);
	record_list(t, "body");
	for (size_t i = 0; i < n; i++)
		mi_break_put(m, t, &list[i]);
	record_list_end(t);
	record_tuple_end(t);
}
