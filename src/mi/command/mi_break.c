/*
 * -break-insert, -break-watch and the commands that change and list
 * breakpoints, and the records of their results. Options are translated to one
 * request of the engine.
 */
#include "mi/mi_priv.h"
#include "mi/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/dprintf.h"

/* bkpt={...} of one breakpoint. */
static struct dbg_error *mi_break_put_one(struct mi *m, struct str *t,
					  uint32_t number);

/* ---- Making ------------------------------------------------------------ */

/* The arguments of -break-insert. */
struct insert {
	struct dbg_break_req req;
	const char *condition;
	const char *source, *function, *line, *label, *thread;
	uint64_t ignore;
	bool disabled;
	size_t next; /* the first argument that is no option */
};

static void mi_break_table(struct mi *m, struct str *t,
			   const struct dbg_breakpoint *list, size_t n);

// An option with a value: where that goes; NULL: it is none.
static const char **value_of(struct insert *in, const char *word,
			     const char **unused)
{
	static const char *const ignored[] = {"-g", "--thread-group"};

	if (!strcmp(word, "-c"))
		return &in->condition;
	if (!strcmp(word, "--source"))
		return &in->source;
	if (!strcmp(word, "--function"))
		return &in->function;
	if (!strcmp(word, "--line"))
		return &in->line;
	if (!strcmp(word, "--label"))
		return &in->label;
	if (!strcmp(word, "-p"))
		return &in->thread;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		if (!strcmp(word, ignored[i]))
			return unused;
	return NULL;
}

// Take one option at in->next; *ret false: there are no more.
static struct dbg_error *parse_option(const struct mi_call *call,
				      struct insert *in, bool *ret)
{
	const char *word = call->args.v[in->next];
	const char *unused = NULL;
	const char **value = value_of(in, word, &unused);

	*ret = true;
	in->next++;
	if (!strcmp(word, "-t")) {
		in->req.temporary = true;
	} else if (!strcmp(word, "-d")) {
		in->disabled = true;
	} else if (!strcmp(word, "-f") || !strcmp(word, "-h") ||
		   !strcmp(word, "--qualified")) {
		return NULL;
	} else if (!strcmp(word, "-a")) {
		return dbg_err(DBG_E_UNSUPPORTED,
			       "-break-insert: Target does not support "
			       "tracepoints; -dprintf-insert prints without a "
			       "stop.");
	} else if (value || !strcmp(word, "-i")) {
		if (in->next == call->args.n)
			return dbg_err(DBG_E_ARGUMENT,
				       "-%s: Option %s requires an argument",
				       call->cmd->name, word);
		const char *text = call->args.v[in->next++];
		if (!value)
			return mi_number(text, UINT32_MAX, &in->ignore);
		*value = text;
	} else {
		in->next--;
		*ret = false;
		if (!strcmp(word, "--"))
			in->next++;
		else if (*word == '-' && word[1])
			return dbg_err(DBG_E_ARGUMENT,
				       "-%s: Unknown option ``%s''",
				       call->cmd->name, word + 1);
	}
	return NULL;
}

static struct dbg_error *parse_options(struct mi *m, const struct mi_call *call,
				       struct insert *in)
{
	struct dbg_error *err = NULL;
	struct dbg *dbg;
	bool more = true;
	uint64_t thread;

	while (!err && more && in->next < call->args.n)
		err = parse_option(call, in, &more);
	if (err || !in->thread)
		return err;
	err = mi_number(in->thread, UINT32_MAX, &thread);
	if (dbg_err_drop(err) || !thread)
		return dbg_err(DBG_E_ARGUMENT, "Invalid thread ID: %s",
			       in->thread);
	if (!groups_thread_find(m, (uint32_t)thread, &dbg, &in->req.thread))
		in->req.thread = (uint32_t)thread;
	return NULL;
}

// The compiler writes no labels of a method to its symbols.
static struct dbg_error *no_label(const struct insert *in)
{
	if (in->function)
		return dbg_err(DBG_E_NOT_FOUND,
			       "No label \"%s\" defined in function \"%s\".",
			       in->label, in->function);
	return dbg_err(DBG_E_NOT_FOUND,
		       "No label \"%s\" defined in current function.",
		       in->label);
}

// The place, by --source, --function and --line or as one location, in @words.
static struct dbg_error *location(const struct mi_call *call, struct insert *in,
				  struct str *words)
{
	struct dbg_place *place = &in->req.place;
	uint64_t line;

	if (!in->function && in->source && in->line) {
		struct dbg_error *err = mi_number(in->line, UINT32_MAX, &line);

		*place = (struct dbg_place){.kind = DBG_PLACE_LINE,
					    .file = in->source,
					    .line = (uint32_t)line};
		return err;
	}
	if (in->function || in->line)
		str_add(words, in->function ? in->function : in->line);
	else
		for (size_t i = in->next; i < call->args.n; i++)
			str_addf(words, "%s%s", words->len ? " " : "",
				 call->args.v[i]);
	place->text = str_get(words);
	return words->len ? NULL
			  : dbg_err(DBG_E_ARGUMENT, "-%s: Missing <location>",
				    call->cmd->name);
}

// A bare line is one of the frame's file.
static dbg_id present_frame(struct mi *m, const struct mi_call *call)
{
	struct dbg_frame f = {0};
	struct dbg_stopped at;

	if (!dbg_err_drop(dbg_stopped(m->dbg, &at)))
		dbg_error_destroy(mi_frame(at, call, &f));
	return f.id;
}

static struct dbg_error *apply(struct mi *m, const struct insert *in,
			       uint32_t number)
{
	struct dbg_error *err =
	    dbg_break_condition(m->dbg, number, in->condition);

	if (!err && in->ignore)
		err = dbg_break_ignore(m->dbg, number, in->ignore);
	if (!err && in->disabled)
		err = dbg_break_enable(m->dbg, number, false);
	if (err)
		dbg_error_destroy(dbg_break_delete(m->dbg, number));
	return err;
}

static struct dbg_error *break_insert(struct mi *m, struct mi_call *call,
				      struct insert *in)
{
	uint32_t number = 0;

	in->req.frame = present_frame(m, call);
	struct dbg_error *err = dbg_check_condition(in->condition);
	if (!err)
		err = dbg_break_add(m->dbg, &in->req, &number);
	if (!err)
		err = apply(m, in, number);
	return err ? err : mi_break_put_one(m, call->out, number);
}

static struct dbg_error *insert(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err;
	struct insert in = {.req.kind = DBG_BREAK_LOCATION};
	_cleanup_str_ struct str words = {0};

	err = parse_options(m, call, &in);
	if (!err && in.label)
		err = no_label(&in);
	if (!err)
		err = location(call, &in, &words);
	return err ? err : break_insert(m, call, &in);
}

static struct dbg_error *insert_printf(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err;
	struct insert in = {.req.kind = DBG_BREAK_LOCATION};
	_cleanup_str_ struct str log = {0};

	err = parse_options(m, call, &in);
	if (err)
		return err;
	if (call->args.n < in.next + 2)
		return dbg_err(DBG_E_ARGUMENT,
			       "-dprintf-insert: Missing <format>");
	in.req.place.text = call->args.v[in.next];
	err = dprintf_log(call->args.v[in.next + 1], call->args.v + in.next + 2,
			  call->args.n - in.next - 2, &log);
	if (err)
		return err;
	in.req.log = str_get(&log);
	return break_insert(m, call, &in);
}

static struct dbg_error *watch(struct mi *m, struct mi_call *call)
{
	static const char *const names[] = {"wpt", "hw-rwpt", "hw-awpt"};
	struct dbg_error *err;
	const char *first = call->args.v[0];
	bool reads = !strcmp(first, "-r");
	bool both = !strcmp(first, "-a");
	_cleanup_free_ char *expr = NULL;
	uint32_t number = 0;

	err = mi_expression(call, reads || both, &expr);
	if (err)
		return err;
	struct dbg_break_req req = {
	    .kind = DBG_BREAK_WATCH,
	    .text = expr,
	    .frame = present_frame(m, call),
	    .access = reads  ? DBG_WATCH_READ
		      : both ? DBG_WATCH_ACCESS
			     : DBG_WATCH_WRITE,
	};
	err = dbg_break_add(m->dbg, &req, &number);
	if (err)
		return err;
	record_tuple(call->out, names[req.access]);
	record_uint(call->out, "number", number);
	record_str(call->out, "exp", expr);
	record_tuple_end(call->out);
	return NULL;
}

/* ---- Changing ---------------------------------------------------------- */

static struct dbg_error *number_of(const char *word, uint32_t *ret)
{
	uint64_t n;

	struct dbg_error *err = mi_number(word, UINT32_MAX, &n);
	if (!err) {
		*ret = (uint32_t)n;
		return NULL;
	}
	dbg_error_destroy(err);
	return dbg_err(DBG_E_ARGUMENT, "Bad breakpoint argument: '%.80s'",
		       word);
}

static void script_drop(struct mi *m, uint32_t number)
{
	for (size_t i = 0; i < m->n_scripts; i++) {
		if (m->scripts[i].number != number)
			continue;
		words_deinit(&m->scripts[i].lines);
		m->scripts[i] = m->scripts[--m->n_scripts];
		return;
	}
}

static struct dbg_error *delete_one(struct mi *m, uint32_t number)
{
	struct dbg_error *err = dbg_break_delete(m->dbg, number);

	if (!err)
		script_drop(m, number);
	// netcoredbg does not mind
	if (err && m->dialect == MI_NETCOREDBG) {
		dbg_error_destroy(err);
		return NULL;
	}
	return err;
}

static struct dbg_error *enable_one(struct mi *m, uint32_t number)
{
	return dbg_break_enable(m->dbg, number, true);
}

static struct dbg_error *disable_one(struct mi *m, uint32_t number)
{
	return dbg_break_enable(m->dbg, number, false);
}

typedef struct dbg_error *number_fn(struct mi *m, uint32_t number);

static struct dbg_error *each_of_all(struct mi *m, number_fn *fn)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint *list;
	size_t n;

	struct dbg_error *err = dbg_break_list(m->dbg, arena, &list, &n);
	if (err)
		return err;
	for (size_t i = 0; !err && i < n; i++)
		err = fn(m, list[i].number);
	return err;
}

// Do it for each number among the arguments, up to the first error; without
// arguments for all.
static struct dbg_error *each(struct mi *m, const struct mi_call *call,
			      number_fn *fn)
{
	struct dbg_error *err = NULL;

	if (!call->args.n)
		return each_of_all(m, fn);
	for (size_t i = 0; !err && i < call->args.n; i++) {
		uint32_t number = 0;
		err = number_of(call->args.v[i], &number);
		if (!err)
			err = fn(m, number);
	}
	return err;
}

static struct dbg_error *delete (struct mi *m, struct mi_call *call)
{
	return each(m, call, delete_one);
}

static struct dbg_error *enable(struct mi *m, struct mi_call *call)
{
	return each(m, call, enable_one);
}

static struct dbg_error *disable(struct mi *m, struct mi_call *call)
{
	return each(m, call, disable_one);
}

static struct dbg_error *after(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err;
	uint32_t number = 0;
	uint64_t count;

	err = number_of(call->args.v[0], &number);
	if (!err)
		err = mi_number(call->args.v[1], UINT32_MAX, &count);
	return err ? err : dbg_break_ignore(m->dbg, number, count);
}

static struct dbg_error *condition(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err;
	bool force = !strcmp(call->args.v[0], "--force");
	size_t i = force;
	_cleanup_free_ char *expr = NULL;
	uint32_t number = 0;

	if (call->args.n <= i)
		return mi_usage(call);
	err = number_of(call->args.v[i], &number);
	if (!err && call->args.n > i + 1)
		err = mi_expression(call, i + 1, &expr);
	if (!err && !force)
		err = dbg_check_condition(expr);
	return err ? err : dbg_break_condition(m->dbg, number, expr);
}

static struct dbg_error *passcount(struct mi *m, struct mi_call *call)
{
	(void)m;
	return dbg_err(DBG_E_ARGUMENT,
		       "Could not find tracepoint %s; -break-after is for "
		       "breakpoints.",
		       call->args.v[0]);
}

/* ---- Commands of a breakpoint ------------------------------------------ */

const struct words *mi_break_script(const struct mi *m, uint32_t number)
{
	for (size_t i = 0; i < m->n_scripts; i++)
		if (m->scripts[i].number == number)
			return &m->scripts[i].lines;
	return NULL;
}

void mi_breaks_deinit(struct mi *m)
{
	for (size_t i = 0; i < m->n_scripts; i++)
		words_deinit(&m->scripts[i].lines);
	free(m->scripts);
}

static struct dbg_error *commands(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err;
	_cleanup_words_ struct words lines = {0};
	struct mi_script script = {0};

	err = number_of(call->args.v[0], &script.number);
	if (err)
		return err;
	_cleanup_free_ char *first =
	    xasprintf("commands %" PRIu32, script.number);
	words_add(&lines, first, strlen(first));
	for (size_t i = 1; i < call->args.n; i++)
		words_add(&lines, call->args.v[i], strlen(call->args.v[i]));
	words_add(&lines, "end", 3);
	err = mi_cli_lines(m, &lines);
	if (err)
		return err;
	script_drop(m, script.number);
	for (size_t i = 1; i < call->args.n; i++)
		words_add(&script.lines, call->args.v[i],
			  strlen(call->args.v[i]));
	mem_grow(&m->scripts, &m->cap_scripts, m->n_scripts,
		 sizeof(*m->scripts));
	m->scripts[m->n_scripts++] = script;
	return NULL;
}

/* ---- Showing ----------------------------------------------------------- */

static struct dbg_error *list(struct mi *m, struct mi_call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint *all;
	size_t n;

	struct dbg_error *err = dbg_break_list(m->dbg, arena, &all, &n);
	if (!err)
		mi_break_table(m, call->out, all, n);
	return err;
}

static struct dbg_error *info(struct mi *m, struct mi_call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint b;
	uint32_t number = 0;

	if (!call->args.n)
		return list(m, call);
	struct dbg_error *err = number_of(call->args.v[0], &number);
	if (!err)
		err = dbg_break_get(m->dbg, number, arena, &b);
	if (!err)
		mi_break_table(m, call->out, &b, 1);
	return err;
}

// netcoredbg's own: the breakpoint moves to another line of its file, and is
// the same one.
static struct dbg_error *update_line(struct mi *m, struct mi_call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_breakpoint b;
	uint32_t number = 0;
	uint64_t line = 0;

	mi_dialect(m, MI_NETCOREDBG);
	err = number_of(call->args.v[0], &number);
	if (!err)
		err = mi_number(call->args.v[1], UINT32_MAX, &line);
	if (!err)
		err = dbg_break_get(m->dbg, number, arena, &b);
	if (err)
		return err;
	if (b.kind != DBG_BREAK_LOCATION || b.place.kind != DBG_PLACE_LINE)
		return dbg_err(DBG_E_ARGUMENT,
			       "breakpoint %" PRIu32 " is not at a line",
			       number);
	struct insert in = {.req.kind = DBG_BREAK_LOCATION,
			    .req.place = b.place,
			    .req.number = number,
			    .condition = b.condition,
			    .disabled = !b.enabled};
	in.req.place.line = (uint32_t)line;
	in.req.place.text = NULL;
	err = dbg_break_delete(m->dbg, number);
	return err ? err : break_insert(m, call, &in);
}

const struct mi_cmd mi_break_cmds[] = {
    {"break-insert", MI_BREAKS,
     "[-t] [-h] [-f] [-d] [-c CONDITION] [-i COUNT] [-p THREAD] LOCATION", 1,
     MI_ANY, .run = insert},
    {"dprintf-insert", MI_BREAKS,
     "[-t] [-f] [-d] [-c CONDITION] [-i COUNT] LOCATION FORMAT [ARGUMENT...]",
     1, MI_ANY, .run = insert_printf},
    {"break-watch", MI_BREAKS, "[-r | -a] EXPRESSION", 1, MI_ANY, .run = watch},
    {"break-delete", MI_BREAKS, "[NUMBER...]", 0, MI_ANY, .run = delete},
    {"break-enable", MI_BREAKS, "[NUMBER...]", 0, MI_ANY, .run = enable},
    {"break-disable", MI_BREAKS, "[NUMBER...]", 0, MI_ANY, .run = disable},
    {"break-after", MI_BREAKS, "NUMBER COUNT", 2, 2, .run = after},
    {"break-condition", MI_BREAKS | MI_TEXT, "[--force] NUMBER [EXPRESSION]", 1,
     MI_ANY, .run = condition},
    {"break-passcount", 0, "TRACEPOINT COUNT", 2, 2, .run = passcount},
    {"break-commands", MI_BREAKS, "NUMBER [COMMAND...]", 1, MI_ANY,
     .run = commands},
    {"break-list", 0, NULL, 0, 0, .run = list},
    {"break-info", 0, "[NUMBER]", 0, 1, .run = info},
    {"break-update-line", MI_BREAKS, "NUMBER LINE", 2, 2, .run = update_line},
    {.name = NULL},
};

/* ---- Records of breakpoints ---------------------------------------------- */

/*
 * Breakpoints, watchpoints and catchpoints as records, with gdb's names of
 * their members: one `bkpt` tuple, its locations behind it if there are
 * several.
 */

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
	if (l->replaced)
		record_str(t, "replaced", "y");
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

static struct dbg_error *mi_break_put_one(struct mi *m, struct str *t,
					  uint32_t number)
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

/* BreakpointTable={...} */
static void mi_break_table(struct mi *m, struct str *t,
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

/* ---- Catchpoints --------------------------------------------------------- */

/*
 * Catchpoints: gdb's -catch-throw, -catch-load and the like, and netcoredbg's
 * -break-exception-insert, which becomes the same request.
 */

static struct dbg_error *
catch_add(struct mi *m, const struct dbg_break_req *req, struct str *t)
{
	uint32_t number;
	struct dbg_error *err = dbg_break_add(m->dbg, req, &number);

	return err ? err : mi_break_put_one(m, t, number);
}

// [-t] [-r TYPES]: gdb's regular expression is a list of types here.
static struct dbg_error *catch_exception(struct mi *m, struct mi_call *call,
					 struct dbg_break_req req)
{
	for (size_t i = 0; i < call->args.n; i++) {
		if (!strcmp(call->args.v[i], "-t"))
			req.temporary = true;
		else if (!strcmp(call->args.v[i], "-r") && i + 1 < call->args.n)
			req.text = call->args.v[++i];
		else
			return mi_usage(call);
	}
	return catch_add(m, &req, call->out);
}

static struct dbg_error *catch_throw(struct mi *m, struct mi_call *call)
{
	return catch_exception(m, call,
			       (struct dbg_break_req){.kind = DBG_BREAK_THROW});
}

static struct dbg_error *catch_rethrow(struct mi *m, struct mi_call *call)
{
	return catch_exception(m, call,
			       (struct dbg_break_req){.kind = DBG_BREAK_THROW,
						      .catches.again = true});
}

static struct dbg_error *catch_catch(struct mi *m, struct mi_call *call)
{
	return catch_exception(
	    m, call, (struct dbg_break_req){.kind = DBG_BREAK_CAUGHT});
}

static struct dbg_error *catch_user(struct mi *m, struct mi_call *call)
{
	return catch_exception(
	    m, call, (struct dbg_break_req){.kind = DBG_BREAK_USER_UNHANDLED});
}

static struct dbg_error *catch_unhandled(struct mi *m, struct mi_call *call)
{
	return catch_exception(
	    m, call, (struct dbg_break_req){.kind = DBG_BREAK_UNHANDLED});
}

// [-t] [-d] REGEXP
static struct dbg_error *catch_module(struct mi *m, const struct mi_call *call,
				      enum dbg_break_kind kind)
{
	struct dbg_break_req req = {.kind = kind};
	bool enabled = true;
	uint32_t number;
	size_t i = 0;

	for (; i < call->args.n && *call->args.v[i] == '-'; i++) {
		if (!strcmp(call->args.v[i], "-t"))
			req.temporary = true;
		else if (!strcmp(call->args.v[i], "-d"))
			enabled = false;
		else
			return mi_usage(call);
	}
	if (i + 1 != call->args.n)
		return mi_usage(call);
	req.text = call->args.v[i];
	struct dbg_error *err = dbg_break_add(m->dbg, &req, &number);
	if (!err && !enabled)
		err = dbg_break_enable(m->dbg, number, false);
	return err ? err : mi_break_put_one(m, call->out, number);
}

static struct dbg_error *catch_load(struct mi *m, struct mi_call *call)
{
	return catch_module(m, call, DBG_BREAK_LOAD);
}

static struct dbg_error *catch_unload(struct mi *m, struct mi_call *call)
{
	return catch_module(m, call, DBG_BREAK_UNLOAD);
}

/* ---- -break-exception-insert, of netcoredbg ------------------------------ */

static struct dbg_error *stage_of(const char *word, enum dbg_break_kind *ret)
{
	if (!strcmp(word, "throw"))
		*ret = DBG_BREAK_THROW;
	else if (!strcmp(word, "user-unhandled"))
		*ret = DBG_BREAK_USER_UNHANDLED;
	else if (!strcmp(word, "throw+user-unhandled"))
		*ret = DBG_BREAK_THROW;
	else if (!strcmp(word, "unhandled"))
		*ret = DBG_BREAK_UNHANDLED;
	else
		return dbg_err(DBG_E_ARGUMENT, "Unknown exception stage: %.80s",
			       word);
	return NULL;
}

enum {
	TWIN = 1 << 30, /* in the number of the second of a pair */
};

static bool is_twin_of(uint32_t number, uint32_t other)
{
	return number == (other | TWIN);
}

// The number of an equal one, which netcoredbg has once; 0: there is none.
static uint32_t find_equal(struct mi *m, const struct dbg_break_req *req,
			   bool both)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint *list;
	uint32_t found = 0;
	size_t n = 0;

	dbg_error_destroy(dbg_break_list(m->dbg, arena, &list, &n));
	for (size_t i = 0; i < n && !found; i++) {
		const struct dbg_breakpoint *b = &list[i];
		bool pair = false;

		for (size_t k = 0; k < n; k++)
			pair |= is_twin_of(list[k].number, b->number);
		if (b->kind == req->kind && pair == both &&
		    !strcmp(b->text ? b->text : "", req->text ? req->text : ""))
			found = b->number;
	}
	return found;
}

// Add a catchpoint; with @both also one for user-unhandled exceptions, which
// makes the second stop of the same throw.
static struct dbg_error *add_pair(struct mi *m, const struct dbg_break_req *req,
				  bool both, uint32_t *ret)
{
	struct dbg_break_req second = *req;
	uint32_t number;

	*ret = find_equal(m, req, both);
	if (*ret)
		return NULL;
	struct dbg_error *err = dbg_break_add(m->dbg, req, ret);
	if (err || !both)
		return err;
	second.kind = DBG_BREAK_USER_UNHANDLED;
	second.catches.again = true;
	second.number = *ret | TWIN;
	return dbg_break_add(m->dbg, &second, &number);
}

/* The arguments of -break-exception-insert, without the type. */
struct exception_wish {
	enum dbg_break_kind kind;
	bool both; /* where it is thrown, and if user code does not catch it */
	bool mda; /* a managed debugging assistant, which CoreCLR has none of */
};

static struct dbg_error *add_number(struct mi *m,
				    const struct exception_wish *wish,
				    const char *type, struct str *t)
{
	_cleanup_free_ char *text =
	    xasprintf("%s%s", wish->mda ? "MDA." : "", type);
	// the second stop of a throw that stopped another
	struct dbg_break_req req = {.kind = wish->kind,
				    .catches.again =
					wish->kind == DBG_BREAK_USER_UNHANDLED};
	uint32_t number;

	req.text = strcmp(text, "*") ? text : NULL;
	req.catches.exact = req.text;
	struct dbg_error *err = add_pair(m, &req, wish->both, &number);
	if (err)
		return err;
	record_tuple(t, NULL);
	record_uint(t, "number", number);
	record_tuple_end(t);
	return NULL;
}

static struct dbg_error *exception_insert(struct mi *m, struct mi_call *call)
{
	struct exception_wish wish = {.mda = !strcmp(call->args.v[0], "--mda")};
	struct dbg_error *err;
	size_t i = wish.mda;

	mi_dialect(m, MI_NETCOREDBG);
	if (call->args.n < i + 2)
		return mi_usage(call);
	wish.both = !strcmp(call->args.v[i], "throw+user-unhandled");
	err = stage_of(call->args.v[i++], &wish.kind);
	if (err)
		return err;
	bool several = call->args.n > i + 1;
	struct str t = {0};
	for (; !err && i < call->args.n; i++)
		err = add_number(m, &wish, call->args.v[i], &t);
	str_addf(call->out, several ? "bkpt=[%s]" : "bkpt=%s", str_get(&t));
	str_deinit(&t);
	return err;
}

static struct dbg_error *exception_delete(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err = NULL;
	uint64_t number;

	mi_dialect(m, MI_NETCOREDBG);
	for (size_t i = 0; !err && i < call->args.n; i++) {
		err = mi_number(call->args.v[i], UINT32_MAX, &number);
		if (err)
			break;
		dbg_error_destroy(
		    dbg_break_delete(m->dbg, (uint32_t)number | TWIN));
		err = dbg_break_delete(m->dbg, (uint32_t)number);
	}
	return err;
}

static const char options[] = "[-t] [-r TYPES]";

const struct mi_cmd mi_catch_cmds[] = {
    {"catch-throw", MI_BREAKS, options, 0, 3, .run = catch_throw},
    {"catch-rethrow", MI_BREAKS, options, 0, 3, .run = catch_rethrow},
    {"catch-user-unhandled", MI_BREAKS, options, 0, 3, .run = catch_user},
    {"catch-unhandled", MI_BREAKS, options, 0, 3, .run = catch_unhandled},
    {"catch-catch", MI_BREAKS, options, 0, 3, .run = catch_catch},
    {"catch-load", MI_BREAKS, "[-t] [-d] REGEXP", 1, 3, .run = catch_load},
    {"catch-unload", MI_BREAKS, "[-t] [-d] REGEXP", 1, 3, .run = catch_unload},
    {"break-exception-insert", MI_BREAKS, "[--mda] STAGE *|TYPE...", 1, MI_ANY,
     .run = exception_insert},
    {"break-exception-delete", MI_BREAKS, "NUMBER...", 1, MI_ANY,
     .run = exception_delete},
    {.name = NULL},
};
