/*
 * `break`, `tbreak`, `rbreak`, `dprintf`, `clear`, and what is done to
 * breakpoints that are there, by their numbers. A location is passed to the
 * engine as the user wrote it, which keeps it pending until a module has it;
 * only what depends on where the user looks (no location, a bare line, `*$pc`)
 * is completed here. Catchpoints are made in cmd_catch.c, watchpoints in
 * cmd_watch.c.
 */
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/line/edit.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Cmd display --------------------------------------------------------- */

/*
 * `display`, `undisplay` and the subcommands of `delete`, `enable` and
 * `disable` for displays: expressions that display_show() prints at each stop.
 */

static void display_deinit(struct display *d)
{
	free(d->format);
	free(d->expr);
	free(d->method);
	free(d->mvid);
}

void displays_deinit(struct repl *r)
{
	for (size_t i = 0; i < r->n_displays; i++)
		display_deinit(&r->displays[i]);
	free(r->displays);
}

static struct dbg_error *cmd_display(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	struct parse_format f;

	err = parse_format(call->format, &f);
	if (err)
		return err;
	if (!*call->args) {
		display_show(r);
		return NULL;
	}
	mem_grow(&r->displays, &r->cap_displays, r->n_displays,
		 sizeof(*r->displays));
	struct display *d = &r->displays[r->n_displays];
	*d = (struct display){
	    .number = r->last_display + 1,
	    .enabled = true,
	    .format = xstrdup(call->format),
	    .expr = xstrdup(call->args),
	};
	err = display_begin(r, d);
	if (err) {
		display_deinit(d);
		return err;
	}
	r->last_display++;
	r->n_displays++;
	return NULL;
}

static void delete_at(struct repl *r, size_t i)
{
	display_deinit(&r->displays[i]);
	r->n_displays--;
	for (; i < r->n_displays; i++)
		r->displays[i] = r->displays[i + 1];
}

enum change {
	CHANGE_ENABLE,
	CHANGE_DISABLE,
	CHANGE_DELETE,
};

// Change the displays of a range; false if there is none.
static bool change_range(struct repl *r, uint64_t first, uint64_t last,
			 enum change change)
{
	bool any = false;

	for (size_t i = r->n_displays; i-- > 0;) {
		struct display *d = &r->displays[i];
		if (d->number < first || d->number > last)
			continue;
		any = true;
		if (change == CHANGE_DELETE)
			delete_at(r, i);
		else
			d->enabled = change == CHANGE_ENABLE;
	}
	return any;
}

static struct dbg_error *change_list(struct repl *r, const char *args,
				     enum change change)
{
	struct dbg_error *err;
	uint64_t first, last;
	bool any;

	if (!*args) {
		change_range(r, 0, UINT64_MAX, change);
		return NULL;
	}
	for (;;) {
		err = parse_range(&args, &first, &last, &any);
		if (err || !any)
			return err;
		if (!change_range(r, first, last, change))
			return dbg_err_arg("Could not find display number "
					   "%" PRIu64 ".",
					   first);
	}
}

struct dbg_error *display_delete(struct repl *r, const struct call *call)
{
	if (!*call->args && r->n_displays &&
	    !repl_confirm(r, "Delete all auto-display expressions?"))
		return NULL;
	return change_list(r, call->args, CHANGE_DELETE);
}

struct dbg_error *display_enable(struct repl *r, const struct call *call)
{
	return change_list(r, call->args, CHANGE_ENABLE);
}

struct dbg_error *display_disable(struct repl *r, const struct call *call)
{
	return change_list(r, call->args, CHANGE_DISABLE);
}

static const struct repl_cmd display_cmds[] = {
    {
	.names = "display",
	.args = "[EXPRESSION]",
	.help = "show a value at each stop",
	.more = "/FMT is as for \"print\", or as for \"x\" if it has a count "
		"or a size or is /i or /s.\nWithout EXPRESSION all displays "
		"are shown now. What has variables is shown in the block "
		"where the "
		"display was made.",
	.flags = CMD_FORMAT,
	.complete = COMPLETE_EXPRESSIONS,
	.run = cmd_display,
    },
    {
	.names = "undisplay",
	.args = "[LIST]",
	.help = "delete displays",
	.more = "LIST is of their numbers and ranges. Without it, all.",
	.run = display_delete,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_displays = {
    "displays", "Showing values at each stop", display_cmds};

/* ---- Cmd break ----------------------------------------------------------- */

/* ---- Commands that breakpoints run --------------------------------------- */

/*
 * `commands`: lines that are carried out at each hit of a breakpoint. They are
 * stored here by the breakpoint's number; actions_run() in resume.c carries
 * them out.
 */

struct hook *hook_find(struct repl *r, uint32_t breakpoint)
{
	for (size_t i = 0; breakpoint && i < r->n_hooks; i++)
		if (r->hooks[i].breakpoint == breakpoint)
			return &r->hooks[i];
	return NULL;
}

void hook_delete(struct repl *r, uint32_t breakpoint)
{
	struct hook *hook = hook_find(r, breakpoint);

	if (!hook)
		return;
	words_deinit(&hook->lines);
	*hook = r->hooks[--r->n_hooks];
}

/*
 * The command `commands [N]`: read the commands for the breakpoint N, by
 * default the last one made.
 */
static struct dbg_error *hook_commands(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	const char *p = call->args;
	struct dbg_breakpoint b;
	uint32_t number = r->last_break;
	struct words lines = {0};

	if (*p)
		err = parse_number(&p, &number);
	else
		err = number ? NULL : dbg_err_arg("No breakpoints specified.");
	if (!err)
		err = dbg_break_get(r->dbg, number, arena, &b);
	if (!err && r->terminal && input_is_user(r))
		out(r,
		    "Type commands for breakpoint(s) %" PRIu32
		    ", one per line.\n"
		    "End with a line saying just \"end\".\n",
		    number);
	if (!err)
		err = input_block(r, "commands", &lines);
	if (err) {
		words_deinit(&lines);
		return err;
	}
	hook_delete(r, number);
	if (!lines.n)
		return NULL;
	mem_grow(&r->hooks, &r->cap_hooks, r->n_hooks, sizeof(*r->hooks));
	r->hooks[r->n_hooks++] =
	    (struct hook){.breakpoint = number, .lines = lines};
	return NULL;
}

/* ---- Lists of numbers ------------------------------------------------ */

/*
 * `delete`, `enable`, `disable`, `condition`, `ignore`: what is done to
 * breakpoints, catchpoints and watchpoints by their numbers.
 */

/* Delete one, with its commands. */
static struct dbg_error *break_delete_one(struct repl *r, uint32_t number)
{
	struct dbg_error *err = dbg_break_delete(r->dbg, number);

	if (!err)
		hook_delete(r, number);
	return err;
}

static struct dbg_error *enable_one(struct repl *r, uint32_t number)
{
	return dbg_break_enable(r->dbg, number, true);
}

static struct dbg_error *once_one(struct repl *r, uint32_t number)
{
	return dbg_break_stops(r->dbg, number, 1);
}

static struct dbg_error *last_one(struct repl *r, uint32_t number)
{
	return dbg_break_last(r->dbg, number);
}

static struct dbg_error *disable_one(struct repl *r, uint32_t number)
{
	return dbg_break_enable(r->dbg, number, false);
}

typedef struct dbg_error *one_fn(struct repl *r, uint32_t number);

static struct dbg_error *for_all(struct repl *r, one_fn *fn)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_breakpoint *list;
	size_t n;

	err = dbg_break_list(r->dbg, arena, &list, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n && !err; i++)
		err = fn(r, list[i].number);
	return err;
}

static struct dbg_error *for_range(struct repl *r, uint64_t first,
				   uint64_t last, one_fn *fn)
{
	struct dbg_error *err = NULL;

	if (last > UINT32_MAX || last - first > 100000)
		return dbg_err_arg("The range is too large.");
	for (uint64_t i = first; i <= last && !err; i++)
		err = fn(r, (uint32_t)i);
	return err;
}

// Do @fn for each of the numbers and ranges, all breakpoints without any.
static struct dbg_error *for_list(struct repl *r, const char *args, one_fn *fn)
{
	struct dbg_error *err;
	uint64_t first, last;
	bool any;

	if (!*args)
		return for_all(r, fn);
	if (parse_bpnum(&args) && !*args)
		return fn(r, r->last_break);
	for (;;) {
		err = parse_range(&args, &first, &last, &any);
		if (err || !any)
			return err;
		err = for_range(r, first, last, fn);
		if (err)
			return err;
	}
}

/*
 * `delete [LIST]`, `enable [once | delete] [LIST]`, `enable count N LIST`,
 * `disable [LIST]`.
 */
static struct dbg_error *break_delete(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	if (!*call->args) {
		struct dbg_breakpoint *list;
		size_t n;
		err = dbg_break_list(r->dbg, arena, &list, &n);
		if (err || !n || !repl_confirm(r, "Delete all breakpoints?"))
			return err;
	}
	return for_list(r, call->args, break_delete_one);
}

/*
 * `delete [LIST]`, `enable [once | delete] [LIST]`, `enable count N LIST`,
 * `disable [LIST]`.
 */
static struct dbg_error *break_enable(struct repl *r, const struct call *call)
{
	return for_list(r, call->args, enable_one);
}

/*
 * `delete [LIST]`, `enable [once | delete] [LIST]`, `enable count N LIST`,
 * `disable [LIST]`.
 */
static struct dbg_error *break_enable_once(struct repl *r,
					   const struct call *call)
{
	return for_list(r, call->args, once_one);
}

static struct dbg_error *break_enable_delete(struct repl *r,
					     const struct call *call)
{
	return for_list(r, call->args, last_one);
}

static struct dbg_error *break_disable(struct repl *r, const struct call *call)
{
	return for_list(r, call->args, disable_one);
}

static struct dbg_error *break_number(struct repl *r, const char **p,
				      uint32_t *ret)
{
	if (!parse_bpnum(p))
		return parse_number(p, ret);
	if (!r->last_break)
		return dbg_err_arg("No breakpoint was made yet.");
	*ret = r->last_break;
	return NULL;
}

/*
 * `delete [LIST]`, `enable [once | delete] [LIST]`, `enable count N LIST`,
 * `disable [LIST]`.
 */
static struct dbg_error *break_enable_count(struct repl *r,
					    const struct call *call)
{
	struct dbg_error *err;
	const char *p = call->args;
	uint32_t stops = 0;
	uint64_t first, last;
	bool any;

	if (dbg_err_drop(parse_number(&p, &stops)))
		return dbg_err_arg("The count is a number above 0.");
	if (!*p)
		return dbg_err_arg("Which breakpoints? \"enable count COUNT "
				   "LIST\".");
	for (;;) {
		err = parse_range(&p, &first, &last, &any);
		if (err || !any)
			return err;
		for (uint64_t i = first; i <= last; i++) {
			err = dbg_break_stops(r->dbg, (uint32_t)i, stops);
			if (err)
				return err;
		}
	}
}

/* `condition N [EXPRESSION]`, `ignore N COUNT`. */
static struct dbg_error *break_condition(struct repl *r,
					 const struct call *call)
{
	struct dbg_error *err;
	const char *p = call->args;
	uint32_t number;

	err = break_number(r, &p, &number);
	if (!err)
		err = dbg_check_condition(p);
	if (!err)
		err = dbg_break_condition(r->dbg, number, p);
	if (!err && !*p)
		out(r, "Breakpoint %" PRIu32 " now unconditional.\n", number);
	return err;
}

/* `condition N [EXPRESSION]`, `ignore N COUNT`. */
static struct dbg_error *break_ignore(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	const char *p = call->args;
	uint32_t number;
	uint64_t count;

	err = break_number(r, &p, &number);
	if (err)
		return err;
	if (!parse_u64(p, &count))
		return dbg_err_arg("Second argument (the count) is missing or "
				   "no number.");
	err = dbg_break_ignore(r->dbg, number, count);
	if (err)
		return err;
	if (count)
		out(r,
		    "Will ignore next %" PRIu64 " crossing%s of breakpoint "
		    "%" PRIu32 ".\n",
		    count, count == 1 ? "" : "s", number);
	else
		out(r,
		    "Will stop next time breakpoint %" PRIu32 " is reached.\n",
		    number);
	return NULL;
}

/* ---- Commands -------------------------------------------------------- */

// Get the place that `break` without a location means: the selected frame's.
static struct dbg_error *present_place(struct repl *r, struct dbg_place *ret)
{
	struct dbg_error *err;
	struct dbg_frame f;

	err = frame_get(r, &f);
	if (dbg_err_drop(err))
		return dbg_err_arg("No default breakpoint location now.");
	if (f.source.path && f.level)
		*ret = (struct dbg_place){.kind = DBG_PLACE_LINE,
					  .file = f.source.path,
					  .line = f.source.line};
	else
		*ret =
		    (struct dbg_place){.kind = DBG_PLACE_ADDRESS, .addr = f.pc};
	return NULL;
}

struct dbg_error *break_add(struct repl *r, const struct dbg_break_req *req,
			    const char *condition)
{
	struct dbg_error *err;
	uint32_t number;

	err = dbg_check_condition(condition);
	if (!err)
		err = dbg_break_add(r->dbg, req, &number);
	if (err)
		return err;
	r->last_break = number;
	dbg_variable_set(r->dbg, "bpnum", number);
	err = dbg_break_condition(r->dbg, number, condition);
	return err ? err : show_break_new(r, number);
}

static size_t without_blanks(const char *s, size_t n)
{
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return n;
}

// Parse "thread N" at the end of the @n bytes of @s. Returns N, 0: it is not
// there. *@n is then the length of the text before it.
static uint32_t parse_thread(const char *s, size_t *n)
{
	static const char word[] = "thread";
	const size_t n_word = sizeof(word) - 1;
	uint64_t number;
	size_t at = *n;

	while (at && isdigit((unsigned char)s[at - 1]))
		at--;
	_cleanup_free_ char *digits = xstrndup(s + at, *n - at);
	size_t end = without_blanks(s, at);
	if (end == at || end < n_word || !str_to_u64(digits, &number) ||
	    number > UINT32_MAX || memcmp(s + end - n_word, word, n_word))
		return 0;
	end -= n_word;
	if (end && !isspace((unsigned char)s[end - 1]))
		return 0;
	*n = without_blanks(s, end);
	return (uint32_t)number;
}

// The file of a bare line number when there is no frame: the file that was
// listed, or Main's. NULL: there is none.
static const char *file_of_line(struct repl *r, struct arena *arena)
{
	const struct dbg_place main = {.kind = DBG_PLACE_MAIN};
	struct dbg_location *found;
	size_t n;

	if (r->listing.file)
		return r->listing.file;
	if (dbg_err_drop(dbg_locate(r->dbg, 0, &main, arena, &found, &n)))
		return NULL;
	return found[0].file;
}

static struct dbg_error *written_place(struct repl *r, const char *text,
				       struct arena *arena,
				       struct dbg_place *ret)
{
	uint64_t line;

	if (*text == '*' || r->stopped || !parse_u64(text, &line) ||
	    line > UINT32_MAX)
		return place_of(r, text, ret);
	*ret = (struct dbg_place){.text = text};
	const char *file = file_of_line(r, arena);
	if (file)
		*ret = (struct dbg_place){.kind = DBG_PLACE_LINE,
					  .file = file,
					  .line = (uint32_t)line};
	return NULL;
}

static struct dbg_error *break_at(struct repl *r, const char *args,
				  bool temporary)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	const char *condition = parse_if(args);
	size_t n = without_blanks(args, condition ? (size_t)(condition - args)
						  : strlen(args));
	struct dbg_break_req req = {
	    .kind = DBG_BREAK_LOCATION,
	    .frame = r->stopped ? frame_id(r) : 0,
	    .temporary = temporary,
	    .thread = parse_thread(args, &n),
	};

	err = n ? written_place(r, arena_strndup(arena, args, n), arena,
				&req.place)
		: present_place(r, &req.place);
	if (err)
		return err;
	if (condition)
		condition += 2 + strspn(condition + 2, " \t");
	return break_add(r, &req, condition);
}

static struct dbg_error *cmd_break(struct repl *r, const struct call *call)
{
	return break_at(r, call->args, false);
}

static struct dbg_error *cmd_tbreak(struct repl *r, const struct call *call)
{
	return break_at(r, call->args, true);
}

// Find the format of `dprintf LOCATION,"FORMAT",...`; NULL: there is none.
static const char *find_format(const char *args)
{
	const char *at = strchr(args, '"');
	const char *p = at;

	while (p && p > args && isspace((unsigned char)p[-1]))
		p--;
	return p && p > args + 1 && p[-1] == ',' ? at : NULL;
}

static struct dbg_error *cmd_dprintf(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	const char *format = find_format(call->args);
	_cleanup_str_ struct str log = {0};

	if (!format)
		return dbg_err_arg("Format string required: dprintf "
				   "LOCATION,\"FORMAT\",EXPRESSION...");
	err = printf_log(format, &log);
	if (err)
		return err;
	size_t n = without_blanks(call->args, (size_t)(format - call->args));
	struct dbg_break_req req = {
	    .kind = DBG_BREAK_LOCATION,
	    .frame = r->stopped ? frame_id(r) : 0,
	    .log = str_get(&log),
	};
	err = written_place(r, arena_strndup(arena, call->args, n - 1), arena,
			    &req.place);
	return err ? err : break_add(r, &req, NULL);
}

static struct dbg_error *cmd_rbreak(struct repl *r, const struct call *call)
{
	struct dbg_break_req req = {.kind = DBG_BREAK_REGEX,
				    .text = call->args};

	return break_add(r, &req, NULL);
}

static bool same_place(const struct dbg_location *a,
		       const struct dbg_location *b)
{
	if (a->file && b->file)
		return a->line == b->line && !strcmp(a->file, b->file);
	return a->addr && a->addr == b->addr;
}

static bool stands_at(const struct dbg_breakpoint *b,
		      const struct dbg_location *places, size_t n)
{
	for (size_t i = 0; i < b->n_locations; i++)
		for (size_t j = 0; j < n; j++)
			if (same_place(&b->locations[i], &places[j]))
				return true;
	return false;
}

static struct dbg_error *cmd_clear(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_location *places = NULL;
	struct dbg_breakpoint *list;
	size_t n_places = 0;
	size_t n;

	const char *text = call->args;
	struct dbg_place place = {.text = text};
	if (!*text) {
		err = present_place(r, &place);
		if (err)
			return err;
	}
	err = dbg_locate(r->dbg, r->stopped ? frame_id(r) : 0, &place, arena,
			 &places, &n_places);
	// What cannot be found now may still be a pending one's words.
	if (dbg_err_drop(err))
		n_places = 0;
	err = dbg_break_list(r->dbg, arena, &list, &n);
	if (err)
		return err;
	_cleanup_free_ uint32_t *found = xcalloc(n, sizeof(*found));
	size_t n_found = 0;
	for (size_t i = 0; i < n; i++)
		if ((list[i].text && !strcmp(list[i].text, text)) ||
		    stands_at(&list[i], places, n_places))
			found[n_found++] = list[i].number;
	if (!n_found)
		return dbg_err_arg("No breakpoint at %s.",
				   *text ? text : "this line");
	for (size_t i = 0; i < n_found; i++) {
		err = break_delete_one(r, found[i]);
		if (err)
			return err;
		out(r, "Deleted breakpoint %" PRIu32 "\n", found[i]);
	}
	return NULL;
}

static const struct repl_cmd delete_subs[] = {
    {
	.names = "breakpoints",
	.args = "[LIST]",
	.help = "delete breakpoints",
	.run = break_delete,
    },
    {
	.names = "display",
	.args = "[LIST]",
	.help = "delete displays, as \"undisplay\"",
	.run = display_delete,
    },
    {.names = NULL},
};

static const struct repl_cmd enable_subs[] = {
    {
	.names = "breakpoints",
	.args = "[LIST]",
	.help = "enable breakpoints",
	.run = break_enable,
    },
    {
	.names = "once",
	.args = "[LIST]",
	.help = "enable breakpoints for one stop, which disables them",
	.run = break_enable_once,
    },
    {
	.names = "count",
	.args = "COUNT LIST",
	.help = "enable breakpoints for COUNT stops, the last of which "
		"disables them",
	.run = break_enable_count,
    },
    {
	.names = "delete",
	.args = "[LIST]",
	.help = "enable breakpoints for one stop, which deletes them",
	.run = break_enable_delete,
    },
    {
	.names = "display",
	.args = "[LIST]",
	.help = "show displays again at each stop",
	.run = display_enable,
    },
    {.names = NULL},
};

static const struct repl_cmd disable_subs[] = {
    {
	.names = "breakpoints",
	.args = "[LIST]",
	.help = "disable breakpoints",
	.run = break_disable,
    },
    {
	.names = "display",
	.args = "[LIST]",
	.help = "no longer show displays at each stop",
	.run = display_disable,
    },
    {.names = NULL},
};

#define LOCATION_HELP                                                          \
	"LOCATION is one of\n"                                                 \
	"  FILE:LINE      FILE is a bare name, the end of a path or a path\n"  \
	"  LINE           in the file of the selected frame\n"                 \
	"  TYPE.METHOD    with or without namespace; all overloads\n"          \
	"  TYPE.METHOD(int, string)   one overload\n"                          \
	"  MODULE!...     only in that module\n"                               \
	"  *ADDRESS       an instruction\n"

static const struct repl_cmd cmds[] = {
    {
	.names = "break b br brea",
	.args = "[LOCATION] [thread N] [if CONDITION]",
	.help = "stop at a place in the program",
	.more = LOCATION_HELP
	"Without LOCATION it is where the selected frame stands. A place in "
	"a module\nthat is not loaded yet is waited for.",
	.complete = COMPLETE_LOCATIONS,
	.run = cmd_break,
    },
    {
	.names = "tbreak tb",
	.args = "[LOCATION] [thread N] [if CONDITION]",
	.help = "stop at a place once",
	.more = "As \"break\", but the breakpoint is deleted when it is hit.",
	.complete = COMPLETE_LOCATIONS,
	.run = cmd_tbreak,
    },
    {
	.names = "dprintf",
	.args = "LOCATION,\"FORMAT\",EXPRESSION...",
	.help = "print values at a place without stopping",
	.more = "FORMAT is that of \"printf\"; each conversion shows its "
		"value as \"print\" does, %x in\nhexadecimal. Conditions and "
		"ignore counts are as for breakpoints.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_LOCATIONS,
	.run = cmd_dprintf,
    },
    {
	.names = "rbreak rb",
	.args = "REGEX",
	.help = "stop at all methods whose name matches",
	.more = "REGEX is a Perl regular expression that is looked for in "
		"Namespace.Type.Method. Of\nthe framework's methods only "
		"when it begins with ^.",
	.flags = CMD_NEEDS_ARGS,
	.run = cmd_rbreak,
    },
    {
	.names = "catch",
	.args = "throw | user-unhandled | unhandled ...",
	.help = "stop at exceptions",
	.sub = cmd_catch_subs,
    },
    {
	.names = "tcatch",
	.args = "throw | user-unhandled | unhandled ...",
	.help = "stop at the next exception only",
	.sub = cmd_tcatch_subs,
    },
    {
	.names = "delete d",
	.args = "[LIST]",
	.help = "delete breakpoints",
	.more = "LIST is of numbers and ranges: 1 3-5. Without it, all.",
	.run = break_delete,
	.sub = delete_subs,
    },
    {
	.names = "clear cl",
	.args = "[LOCATION]",
	.help = "delete the breakpoints at a place",
	.complete = COMPLETE_LOCATIONS,
	.run = cmd_clear,
    },
    {
	.names = "enable en",
	.args = "[LIST]",
	.help = "enable breakpoints",
	.run = break_enable,
	.sub = enable_subs,
    },
    {
	.names = "disable dis disa",
	.args = "[LIST]",
	.help = "disable breakpoints, keeping them",
	.run = break_disable,
	.sub = disable_subs,
    },
    {
	.names = "condition",
	.args = "N [EXPRESSION]",
	.help = "stop at breakpoint N only if EXPRESSION is true",
	.more = "Without EXPRESSION it stops always.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_EXPRESSIONS,
	.run = break_condition,
    },
    {
	.names = "ignore",
	.args = "N COUNT",
	.help = "do not stop at the next COUNT hits of breakpoint N",
	.flags = CMD_NEEDS_ARGS,
	.run = break_ignore,
    },
    {
	.names = "commands",
	.args = "[N]",
	.help = "carry out commands at each hit of a breakpoint",
	.more = "The commands follow, one a line, up to a line \"end\". "
		"\"silent\" as the first\nkeeps the stop from being shown. "
		"What stands behind a command that resumes the\nprogram is "
		"not carried out. No commands at all remove them. Without N "
		"it is\nthe breakpoint made last.",
	.run = hook_commands,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_breakpoints = {
    "breakpoints", "Stopping at places and exceptions", cmds};
