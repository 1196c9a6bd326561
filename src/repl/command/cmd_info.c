/*
 * `info`: one handler for each subject that has no file of its own (frames and
 * registers: cmd_stack.c; signals: cmd_signal.c). A handler asks the engine
 * for a list and prints a row for each of it.
 */
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/heap/heapcommands.h"
#include "repl/inferior.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- `info proc`: what the system knows of the process ------------------- */

enum {
	TEXT_MAX = 16 << 20, /* of a file in /proc */
};

enum proc_kind {
	PROC_LINK,
	PROC_WORDS, /* that end with 0 */
	PROC_TEXT,
};

struct proc_file {
	const char *what, *name; /* for the user; in /proc/PID */
	enum proc_kind kind;
	bool brief; /* shown if nothing is named */
};

static const struct proc_file files[] = {
    {"cmdline", "cmdline", PROC_WORDS, true},
    {"cwd", "cwd", PROC_LINK, true},
    {"exe", "exe", PROC_LINK, true},
    {"mappings", "maps", PROC_TEXT, false},
    {"stat", "stat", PROC_TEXT, false},
    {"status", "status", PROC_TEXT, false},
};

static bool read_link(const char *path, struct str *ret)
{
	char link[PATH_MAX];
	ssize_t n = readlink(path, link, sizeof(link));

	if (n > 0)
		str_addn(ret, link, (size_t)n);
	return n > 0;
}

static bool read_text(const char *path, struct str *ret)
{
	char piece[4096];
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return false;
	while (ret->len < TEXT_MAX &&
	       (n = fread(piece, 1, sizeof(piece), f)) > 0)
		str_addn(ret, piece, n);
	fclose(f);
	return true;
}

static struct dbg_error *show_file(const struct repl *r,
				   const struct proc_file *file)
{
	_cleanup_free_ char *path =
	    xasprintf("/proc/%d/%s", (int)dbg_pid(r->dbg), file->name);
	_cleanup_str_ struct str text = {0};
	bool got = file->kind == PROC_LINK ? read_link(path, &text)
					   : read_text(path, &text);

	if (!got)
		return dbg_err(DBG_E_STATE, "cannot read '%s'", path);
	for (size_t i = 0; file->kind == PROC_WORDS && i + 1 < text.len; i++)
		if (!text.s[i])
			text.s[i] = ' ';
	if (file->kind == PROC_TEXT)
		out_lines(r, str_get(&text), 0, "");
	else
		out(r, "%s = '%s'\n", file->what, str_get(&text));
	return NULL;
}

/* `info proc [WHAT]`. */
static struct dbg_error *proc_info(struct repl *r, const struct call *call)
{
	struct dbg_error *err = NULL;
	size_t n_shown = 0;

	if (!dbg_can_run(r->dbg))
		return dbg_err(DBG_E_STATE, "a core has no process");
	for (size_t i = 0; !err && i < sizeof(files) / sizeof(*files); i++) {
		bool meant = *call->args ? !strcmp(call->args, files[i].what)
					 : files[i].brief;

		if (meant && !n_shown++)
			out(r, "process %d\n", (int)dbg_pid(r->dbg));
		if (meant)
			err = show_file(r, &files[i]);
	}
	if (!err && !n_shown)
		err = dbg_err_arg("\"info proc\" knows no \"%s\".", call->args);
	return err;
}

/* ---- info symbol ----------------------------------------------------- */

/*
 * `info symbol ADDRESS` and `info address NAME`: from addresses to names and
 * back.
 */

/* `info symbol ADDRESS`, `info address NAME`. */
static struct dbg_error *symbol_info(struct repl *r, struct dbg_stopped at,
				     const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_location *found;
	struct dbg_insn *code;
	uint64_t addr;
	size_t n, n_code;

	err = address_of(r, at, call->args, &addr);
	if (err)
		return err;
	const struct dbg_place place = {.kind = DBG_PLACE_ADDRESS,
					.addr = addr};
	err = dbg_disassemble(at, addr, 0, &code, &n_code);
	if (!err)
		err =
		    dbg_locate(r->dbg, frame_id(r), &place, arena, &found, &n);
	if (err || !n || !n_code || !found[0].function) {
		dbg_error_destroy(err);
		out(r, "No symbol matches %s.\n", call->args);
		return NULL;
	}
	out(r, "%s", found[0].function);
	if (addr > code[0].addr)
		out(r, " + %" PRIu64, addr - code[0].addr);
	out(r, "\n");
	return NULL;
}

/* `info symbol ADDRESS`, `info address NAME`. */
static struct dbg_error *address_info(struct repl *r, struct dbg_stopped at,
				      const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_location *found;
	struct dbg_value v;
	size_t n = 0;

	err = dbg_eval(at, frame_id(r), call->args, &v);
	if (!err) {
		out(r, "\"%s\" is ", call->args);
		if (v.addr)
			out(r, "at 0x%" PRIx64 ".\n", v.addr);
		else
			out(r, "not in memory.\n");
		return NULL;
	}
	struct dbg_error *no = dbg_locate(
	    r->dbg, frame_id(r), &(struct dbg_place){.text = call->args}, arena,
	    &found, &n);
	if (no || !n) {
		dbg_error_destroy(no);
		return err;
	}
	dbg_error_destroy(err);
	for (size_t i = 0; i < n; i++) {
		out(r, "\"%s\" is ",
		    found[i].function ? found[i].function : "?");
		if (found[i].addr)
			out(r, "code at 0x%" PRIx64 ".\n", found[i].addr);
		else
			out(r, "not compiled yet.\n");
	}
	return NULL;
}

/* ---- info source ----------------------------------------------------- */

/*
 * `info source`, `info sources`, `info scope`: what the program's sources are,
 * and what they declare at a place.
 */

// The language of a source file, by its name.
static const char *language_of(const char *path)
{
	const char *end = strrchr(path, '.');

	if (end && !strcasecmp(end, ".vb"))
		return "Visual Basic";
	if (end && !strncasecmp(end, ".fs", 3))
		return "F#";
	return "C#";
}

// Show what is known of the source file @path, which belongs to @module (NULL:
// unknown).
static void show_source(struct repl *r, const char *path, const char *module)
{
	struct dbg_error *err;
	const char *const *lines;
	const char *note = NULL;
	size_t n;

	out(r, "Current source file is %s\nLocated in %s\n",
	    source_name(r, path), path);
	err = dbg_source_lines(r->dbg, path, &lines, &n, &note);
	if (err)
		out(r, "Not readable: %s.\n", err->message);
	else
		out(r, "Contains %zu lines.\n", n);
	dbg_error_destroy(err);
	if (note)
		out(r, "%s\n", note);
	out(r, "Source language is %s.\n", language_of(path));
	if (module)
		out(r, "Symbols of module %s.\n", module);
}

/* `info source`, `info sources [PART]`. */
static struct dbg_error *source_info(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	struct dbg_frame f;

	(void)call;
	if (!r->stopped) {
		if (r->listing.file)
			show_source(r, r->listing.file, NULL);
		else
			out(r, "No current source file.\n");
		return NULL;
	}
	err = frame_get(r, &f);
	if (err)
		return err;
	if (f.source.path)
		show_source(r, f.source.path, f.module ? f.module : "?");
	else
		out(r, "No current source file: %s has no symbols.\n",
		    f.module ? f.module : "the frame");
	return NULL;
}

/* `info source`, `info sources [PART]`. */
static struct dbg_error *sources_info(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	const char **paths;
	size_t n, n_shown = 0;
	struct dbg_error *err = dbg_source_list(r->dbg, 0, arena, &paths, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n && !loop_interrupted(r->loop); i++) {
		if (!strstr(paths[i], call->args))
			continue;
		out(r, "%s\n", paths[i]);
		n_shown++;
	}
	if (!n_shown)
		out(r, "No source files%s%s.\n", *call->args ? " match " : "",
		    call->args);
	return NULL;
}

/* `info scope LOCATION`. */
static struct dbg_error *scope_info(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_scope_name *names;
	size_t n;
	struct dbg_place place;
	struct dbg_error *err = place_of(r, call->args, &place);
	if (!err)
		err = dbg_scope_names(r->dbg, r->stopped ? frame_id(r) : 0,
				      &place, arena, &names, &n);

	if (err)
		return err;
	out(r, "Scope for %s:\n", call->args);
	for (size_t i = 0; i < n; i++)
		out(r, "Symbol %s is %s%s%s.\n", names[i].name,
		    names[i].argument ? "an argument" : "a variable",
		    *names[i].type ? " of type " : "", names[i].type);
	if (!n)
		out(r, "contains no locals or arguments.\n");
	return NULL;
}

/* ---- Names ----------------------------------------------------------- */

/*
 * `info functions`, `info types`, `info variables`: names that match a pattern.
 * The engine searches and bounds the work; here the names are grouped by source
 * file, those without symbols last, as gdb does.
 */

enum {
	NAMES_SHOWN = 2000
};

struct names_words {
	bool quiet, debug;
	char *type, *module; // NULL: not given
	const char *name;    // borrowed, NULL: none
};

static void names_words_deinit(struct names_words *w)
{
	free(w->type);
	free(w->module);
}

// Take the option at *@p and its value.
static struct dbg_error *take_option(const char **p, struct names_words *ret)
{
	const char *option = *p;
	size_t n = strcspn(option, " \t");
	char **value = NULL;

	*p = option + n + strspn(option + n, " \t");
	if (n == 2 && option[1] == 'q')
		ret->quiet = true;
	else if (n == 2 && option[1] == 'n')
		ret->debug = true;
	else if (n == 2 && option[1] == 't')
		value = &ret->type;
	else if (n == 2 && option[1] == 'm')
		value = &ret->module;
	else
		return dbg_err_arg("No option \"%.*s\": there are -q, -n, -t "
				   "TYPE-REGEX and -m MODULE.",
				   (int)n, option);
	if (!value)
		return NULL;
	n = strcspn(*p, " \t");
	if (!n)
		return dbg_err_arg("Option \"%.2s\" needs a value.", option);
	free(*value);
	*value = xstrndup(*p, n);
	*p += n + strspn(*p + n, " \t");
	return NULL;
}

static struct dbg_error *parse_names(const char *args, struct names_words *ret)
{
	struct dbg_error *err = NULL;

	while (!err && *args == '-')
		err = take_option(&args, ret);
	if (*args)
		ret->name = args;
	return err;
}

// Sort: symbols with a file first, by file; the order of names stays.
static int compare(const void *a, const void *b)
{
	const struct dbg_symbol *const *x = a, *const *y = b;
	const struct dbg_symbol *s = *x, *t = *y;
	int order = 0;

	if (!s->file != !t->file)
		return s->file ? -1 : 1;
	if (s->file)
		order = strcmp(s->file, t->file);
	return order ? order : (s > t) - (s < t);
}

static bool same_group(const struct dbg_symbol *s, const struct dbg_symbol *t)
{
	if (s->file && t->file)
		return !strcmp(s->file, t->file);
	return !s->file && !t->file && s->module == t->module;
}

static void show_names(struct repl *r, const struct dbg_symbol *const *list,
		       size_t n)
{
	for (size_t i = 0; i < n && !loop_interrupted(r->loop); i++) {
		const struct dbg_symbol *s = list[i];

		if (i && same_group(s, list[i - 1]))
			;
		else if (s->file)
			out(r, "\nFile %s:\n", source_name(r, s->file));
		else
			out(r, "\nWithout line numbers, in %s:\n",
			    s->module_name);
		if (s->line)
			out(r, "%" PRIu32 ":", s->line);
		out(r, "\t%s;\n", s->text);
	}
}

static void show_head(const struct repl *r, const char *what,
		      const struct names_words *w)
{
	if (w->name)
		out(r, "All %s matching regular expression \"%s\"", what,
		    w->name);
	else
		out(r, "All defined %s", what);
	if (w->type)
		out(r, " with type matching regular expression \"%s\"",
		    w->type);
	out(r, ":\n");
}

static struct dbg_error *names_info(struct repl *r, const struct call *call,
				    enum dbg_symbol_kind kind, const char *what)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct names_words w = {0};
	struct dbg_symbol_page page;
	struct dbg_error *err = parse_names(call->args, &w);
	struct dbg_symbol_req req = {
	    .kind = kind,
	    .name = w.name,
	    .type = w.type,
	    .module = w.module,
	    // all that there is are a hundred thousand names
	    .own = !w.name && !w.type && !w.module,
	    .debug = w.debug,
	    .max = NAMES_SHOWN,
	};

	if (!err)
		err = dbg_symbol_search(r->dbg, &req, arena, &page);
	if (err) {
		names_words_deinit(&w);
		return err;
	}
	if (!w.quiet || page.n)
		show_head(r, what, &w);
	names_words_deinit(&w);
	_cleanup_free_ const struct dbg_symbol **list =
	    xcalloc(page.n + 1, sizeof(*list));
	for (size_t i = 0; i < page.n; i++)
		list[i] = &page.symbols[i];
	qsort(list, page.n, sizeof(*list), compare);
	show_names(r, list, page.n);
	if (page.more)
		out(r,
		    "(These are the first %d; a longer name matches fewer.)\n",
		    NAMES_SHOWN);
	return NULL;
}

/* `info functions|types|variables [OPTIONS] [REGEX]`. */
static struct dbg_error *functions_info(struct repl *r, const struct call *call)
{
	return names_info(r, call, DBG_SYMBOL_FUNCTION, "functions");
}

/* `info functions|types|variables [OPTIONS] [REGEX]`. */
static struct dbg_error *types_info(struct repl *r, const struct call *call)
{
	return names_info(r, call, DBG_SYMBOL_TYPE, "types");
}

/* `info functions|types|variables [OPTIONS] [REGEX]`. */
static struct dbg_error *variables_info(struct repl *r, const struct call *call)
{
	return names_info(r, call, DBG_SYMBOL_VARIABLE, "variables");
}

static struct dbg_error *list_breaks(struct repl *r, const struct call *call,
				     bool watches)
{
	uint64_t number = 0;

	if (*call->args &&
	    (!parse_u64(call->args, &number) || !number || number > UINT32_MAX))
		return dbg_err_arg("Bad breakpoint number '%s'.", call->args);
	return show_breaks(r, (uint32_t)number, watches);
}

static struct dbg_error *info_breakpoints(struct repl *r,
					  const struct call *call)
{
	return list_breaks(r, call, false);
}

static struct dbg_error *info_watchpoints(struct repl *r,
					  const struct call *call)
{
	return list_breaks(r, call, true);
}

static struct dbg_error *info_scope(struct repl *r, struct dbg_stopped at,
				    enum dbg_scope scope, const char *none)
{
	struct dbg_error *err;
	struct dbg_frame f;

	err = frame_get(r, &f);
	return err ? err : show_scope(r, at, f.id, scope, none, "");
}

static struct dbg_error *info_locals(struct repl *r, struct dbg_stopped at,
				     const struct call *call)
{
	(void)call;
	return info_scope(r, at, DBG_SCOPE_LOCALS, "No locals.");
}

static struct dbg_error *info_args(struct repl *r, struct dbg_stopped at,
				   const struct call *call)
{
	(void)call;
	return info_scope(r, at, DBG_SCOPE_ARGS, "No arguments.");
}

static struct dbg_error *info_statics(struct repl *r, struct dbg_stopped at,
				      const struct call *call)
{
	(void)call;
	return info_scope(r, at, DBG_SCOPE_STATICS, "No statics.");
}

static void show_thread_row(struct repl *r, struct dbg_stopped at,
			    const struct dbg_thread *t)
{
	struct dbg_error *err;
	struct dbg_frame *frames;
	size_t n;

	// Those that run no code of the program's say so.
	_cleanup_free_ char *label =
	    xasprintf("Thread %d \"%s\"%s", (int)t->tid, thread_name_get(r, t),
		      t->runtime    ? " (runtime)"
		      : !t->managed ? " (native)"
				    : "");
	out(r, "%c %-4" PRIu32 " %-30s ", t->number == r->thread ? '*' : ' ',
	    t->number, label);
	err = dbg_frame_list(at, t->number, 0, 1, &frames, &n);
	if (err)
		out(r, "(%s)", err->message);
	else if (n)
		show_frame(r, &frames[0], !frames[0].source.path);
	dbg_error_destroy(err);
	out(r, "\n");
}

// Is @number in the list of numbers and ranges, or the list empty?
static struct dbg_error *in_list(const char *list, uint32_t number, bool *ret)
{
	struct dbg_error *err;
	uint64_t first, last;
	bool any = true;

	*ret = !*list;
	while (*list && !*ret) {
		err = parse_range(&list, &first, &last, &any);
		if (err)
			return err;
		*ret = number >= first && number <= last;
	}
	return NULL;
}

static struct dbg_error *info_threads(struct repl *r, struct dbg_stopped at,
				      const struct call *call)
{
	struct dbg_error *err;
	struct dbg_thread *threads;
	size_t shown = 0;
	size_t n;

	err = dbg_thread_list(at, &threads, &n);
	for (size_t i = 0; !err && i < n && !loop_interrupted(r->loop); i++) {
		bool wanted;
		err = in_list(call->args, threads[i].number, &wanted);
		if (err || !wanted)
			continue;
		if (!shown++)
			out(r, "  %-4s %-30s %s\n", "Id", "Target Id", "Frame");
		show_thread_row(r, at, &threads[i]);
	}
	if (!err && !shown)
		out(r, "No threads match '%s'.\n", call->args);
	return err;
}

static const char *symbols_word(enum dbg_symbols symbols)
{
	switch (symbols) {
	case DBG_SYMBOLS_LOADED:
		return "Yes";
	case DBG_SYMBOLS_NONE:
		return "No";
	case DBG_SYMBOLS_MISMATCH:
		return "Mismatch";
	case DBG_SYMBOLS_WINDOWS:
		return "Windows";
	case DBG_SYMBOLS_BROKEN:
		return "Broken";
	}
	return "?";
}

static bool module_matches(const struct dbg_module *m, const char *part)
{
	return !*part || strcasestr(m->path ? m->path : m->name, part);
}

static struct dbg_error *info_sharedlibrary(struct repl *r,
					    const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_module *modules;
	size_t shown = 0;
	size_t n;

	err = dbg_module_list(r->dbg, arena, &modules, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n && !loop_interrupted(r->loop); i++) {
		const struct dbg_module *m = &modules[i];
		if (!module_matches(m, call->args))
			continue;
		if (!shown++)
			out(r, "%-18s  %-18s  %-9s Shared Object Library\n",
			    "From", "To", "Syms Read");
		paint_addr(r, m->base);
		out(r, "  ");
		paint_addr(r, m->base + m->size);
		out(r, "  %-9s %s%s%s%s%s\n", symbols_word(m->symbols),
		    m->path ? m->path : m->name,
		    m->optimized ? " (optimized)" : "",
		    m->context ? " (context " : "",
		    m->context ? m->context : "", m->context ? ")" : "");
		if (m->symbols_note && (m->symbols != DBG_SYMBOLS_NONE ||
					!m->framework || *call->args))
			out(r, "%-50s %s\n", "", m->symbols_note);
	}
	if (!shown)
		out(r, "No shared libraries loaded at this time.\n");
	return NULL;
}

static struct dbg_error *info_line(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_location *found;
	struct dbg_frame f;
	size_t n;

	struct dbg_place place;
	err = *call->args ? place_of(r, call->args, &place) : frame_get(r, &f);
	if (err)
		return err;
	if (!*call->args)
		place =
		    (struct dbg_place){.kind = DBG_PLACE_ADDRESS, .addr = f.pc};
	err = dbg_locate(r->dbg, r->stopped ? frame_id(r) : 0, &place, arena,
			 &found, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		const struct dbg_location *l = &found[i];
		if (l->file)
			out(r, "Line %" PRIu32 " of \"%s\"", l->line,
			    source_name(r, l->file));
		else
			out(r, "No line number information");
		if (l->addr)
			out(r, " starts at address 0x%" PRIx64, l->addr);
		else
			out(r, " is not compiled yet");
		out(r, " <%s>.\n", l->function ? l->function : "?");
	}
	if (!n)
		out(r, "Nothing found at %s.\n", call->args);
	return NULL;
}

static struct dbg_error *info_display(struct repl *r, const struct call *call)
{
	(void)call;
	if (!r->n_displays)
		out(r, "There are no auto-display expressions now.\n");
	else
		out(r, "Auto-display expressions now in effect:\n"
		       "Num Enb Expression\n");
	for (size_t i = 0; i < r->n_displays; i++) {
		struct display *d = &r->displays[i];
		out(r, "%" PRIu32 ":   %c  %s%s%s%s\n", d->number,
		    d->enabled ? 'y' : 'n', *d->format ? "/" : "", d->format,
		    *d->format ? " " : "", d->expr);
		if (!display_in_scope(r, d))
			out(r, "(cannot be evaluated in the current "
			       "context)\n");
	}
	return NULL;
}

static struct dbg_error *info_calls(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	struct dbg_error *err;
	struct dbg_call *calls;
	size_t n;

	(void)call;
	err = dbg_call_list(at, r->thread, &calls, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		out(r, "%zu  %s\n", i + 1, calls[i].function);
	if (!n)
		out(r, "The line calls nothing.\n");
	return NULL;
}

static struct dbg_error *info_program(struct repl *r, const struct call *call)
{
	static const char *const reasons[] = {
	    [DBG_STOP_EXEC] = "before its first instruction",
	    [DBG_STOP_ENTRY] = "at the start of Main",
	    [DBG_STOP_READY] = "before any of its code ran",
	    [DBG_STOP_ATTACH] = "because it was attached to",
	    [DBG_STOP_BREAKPOINT] = "at a breakpoint",
	    [DBG_STOP_STEP] = "after being stepped",
	    [DBG_STOP_PAUSE] = "because it was interrupted",
	    [DBG_STOP_THROWN] = "where an exception was thrown",
	    [DBG_STOP_USER_UNHANDLED] =
		"where an exception was thrown that your code does not catch",
	    [DBG_STOP_UNHANDLED] = "at an unhandled exception",
	    [DBG_STOP_CAUGHT] = "where an exception is caught",
	    [DBG_STOP_LOAD] = "where a library was loaded",
	    [DBG_STOP_UNLOAD] = "where a library was unloaded",
	    [DBG_STOP_WATCH] = "at a watchpoint",
	    [DBG_STOP_WATCH_SCOPE] = "where a watchpoint ended",
	    [DBG_STOP_SIGNAL] = "at a signal",
	    [DBG_STOP_USER_BREAK] = "because it called Debugger.Break",
	    [DBG_STOP_FAIL_FAST] = "because it called Environment.FailFast",
	    [DBG_STOP_GOTO] = "where its next statement was set",
	};
	struct dbg_stopped at;

	(void)call;
	if (r->launch->program)
		out(r, "Program: %s\n", r->launch->program);
	if (dbg_state(r->dbg) == DBG_IDLE) {
		out(r, "The program being debugged is not being run.\n");
		return NULL;
	}
	out(r, "Process %d, stopped in thread %" PRIu32 ".\n",
	    (int)dbg_pid(r->dbg), r->thread);
	if (dbg_err_drop(dbg_stopped(r->dbg, &at)))
		return NULL;
	const struct dbg_stop *stop = dbg_stop_reason(at);
	if (stop->reason != DBG_STOP_BREAKPOINT || !stop->breakpoint)
		out(r, "It stopped %s.\n", reasons[stop->reason]);
	if (stop->temporary || stop->reason == DBG_STOP_WATCH_SCOPE)
		out(r, "It stopped at a breakpoint that has since been "
		       "deleted.\n");
	else if (stop->breakpoint)
		out(r, "It stopped at breakpoint %" PRIu32 ".\n",
		    stop->breakpoint);
	return NULL;
}

static void show_exception(const struct repl *r, const struct dbg_exception *e)
{
	int indent = e->depth ? 2 * (int)e->depth - 2 : 0;

	out(r, "%*s%s%s", indent, "", e->depth ? " ---> " : "", e->type);
	if (e->message)
		out(r, ": \"%s\"", e->message);
	out(r, "\n");
	out_lines(r, e->stack, indent, "");
	out(r, "%*s   HResult = 0x%08" PRIx32 "\n", indent, "", e->hresult);
	out_lines(r, e->data, indent, "   Data ");
}

static struct dbg_error *info_siginfo(struct repl *r, struct dbg_stopped at,
				      const struct call *call)
{
	const struct dbg_stop *stop = dbg_stop_reason(at);
	const struct dbg_fault *f = stop->fault;

	(void)call;
	if (!f && stop->signal)
		out(r, "si_signo = %d (%s)\n", stop->signal,
		    strsignal(stop->signal));
	else if (!f)
		out(r, "No signal here.\n");
	if (!f)
		return NULL;
	out(r, "si_signo = %d (%s)\n", f->signal, strsignal(f->signal));
	if (f->code)
		out(r, "si_code = %d\n", f->code);
	out(r, "si_addr = 0x%" PRIx64 "\n%s\n", f->addr, f->text);
	return NULL;
}

static struct dbg_error *info_exception(struct repl *r, struct dbg_stopped at,
					const struct call *call)
{
	struct dbg_error *err;
	struct dbg_exception *chain;
	size_t n;

	if (*call->args)
		return heap_exceptions_cmd(r, at, call);
	err = dbg_exception_list(at, &chain, &n);
	if (err)
		return err;
	if (!n)
		out(r, "No exception here.\n");
	for (size_t i = 0; i < n; i++)
		show_exception(r, &chain[i]);
	return NULL;
}

#define NAMES_ARGS "[OPTIONS] [REGEX]"
#define NAMES_MORE                                                             \
	"REGEX is looked for in the full name (\"^Orders\\.\", \"Add$\"); "    \
	"without, those of\nthe program's own modules are listed. Options: "   \
	"-n (only of modules with\nsymbols), -t REGEX (whose type matches), "  \
	"-m MODULE, -q (nothing if there is\nnone)."

static const struct repl_cmd subs[] = {
    {
	.names = "args",
	.help = "arguments of the selected frame",
	.stopped = info_args,
    },
    {
	.names = "breakpoints b",
	.args = "[N]",
	.help = "breakpoints and catchpoints",
	.run = info_breakpoints,
    },
    {
	.names = "display",
	.help = "expressions shown at each stop",
	.run = info_display,
    },
    {
	.names = "exception exceptions",
	.args = "[ADDRESS]",
	.help = "the exception of the stop, or at an address, with the inner "
		"ones",
	.stopped = info_exception,
    },
    {
	.names = "address",
	.args = "NAME",
	.help = "where a variable or the code of a method is",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_EXPRESSIONS,
	.stopped = address_info,
    },
    {
	.names = "symbol",
	.args = "ADDRESS",
	.help = "the method whose code is at an address",
	.flags = CMD_NEEDS_ARGS,
	.stopped = symbol_info,
    },
    {
	.names = "frame f",
	.args = "[N]",
	.help = "all about the selected frame, or frame N",
	.stopped = frame_info,
    },
    {
	.names = "functions",
	.args = NAMES_ARGS,
	.help = "functions whose name matches",
	.more = NAMES_MORE,
	.complete = DBG_NAMES_TYPES | DBG_NAMES_METHODS,
	.run = functions_info,
    },
    {
	.names = "inferiors",
	.help = "the programs that are debugged",
	.run = inferior_info,
    },
    {
	.names = "line",
	.args = "[LOCATION]",
	.help = "where the code of a line is",
	.complete = COMPLETE_LOCATIONS,
	.run = info_line,
    },
    {
	.names = "stack s",
	.args = "[N | -N] [full] [-all] [-native]",
	.help = "the stack, as \"backtrace\"",
	.stopped = stack_info,
    },
    {
	.names = "locals",
	.help = "local variables of the selected frame, innermost block first",
	.stopped = info_locals,
    },
    {
	.names = "proc",
	.args = "[cmdline | cwd | exe | mappings | stat | status]",
	.help = "the process, as the system has it",
	.flags = CMD_NEEDS_PROCESS,
	.run = proc_info,
    },
    {
	.names = "program",
	.help = "the program and why it is stopped",
	.run = info_program,
    },
    {
	.names = "registers r all-registers",
	.args = "[NAME...]",
	.help = "registers of the selected frame",
	.stopped = registers_info,
    },
    {
	.names = "calls",
	.help = "calls of the line, for \"step-into\"",
	.stopped = info_calls,
    },
    {
	.names = "sharedlibrary dll modules files target",
	.args = "[PART]",
	.help = "modules and their symbols",
	.more = "PART of a path selects; why a module has no symbols is said "
		"then.",
	.flags = CMD_NEEDS_PROCESS,
	.run = info_sharedlibrary,
    },
    {
	.names = "siginfo",
	.help = "the fault or signal that the program is stopped at",
	.stopped = info_siginfo,
    },
    {
	.names = "signals handle",
	.args = "[SIGNAL]",
	.help = "what is done with signals",
	.run = signal_info,
    },
    {
	.names = "skip",
	.help = "what \"step\" passes because you said so",
	.run = skip_info,
    },
    {
	.names = "source",
	.help = "the source file of the selected frame, or listed last",
	.run = source_info,
    },
    {
	.names = "scope",
	.args = "LOCATION",
	.help = "arguments and variables in scope at a place",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_LOCATIONS,
	.run = scope_info,
    },
    {
	.names = "sources",
	.args = "[PART]",
	.help = "the source files of all modules with symbols",
	.more = "PART of a path selects.",
	.run = sources_info,
    },
    {
	.names = "statics",
	.help = "statics of the selected frame's class",
	.stopped = info_statics,
    },
    {
	.names = "threads t",
	.args = "[LIST]",
	.help = "threads and where they are",
	.stopped = info_threads,
    },
    {
	.names = "types",
	.args = NAMES_ARGS,
	.help = "types whose name matches",
	.more = NAMES_MORE,
	.complete = DBG_NAMES_TYPES,
	.run = types_info,
    },
    {
	.names = "variables",
	.args = NAMES_ARGS,
	.help = "static fields whose name matches",
	.more = NAMES_MORE,
	.complete = DBG_NAMES_TYPES,
	.run = variables_info,
    },
    {
	.names = "watchpoints wat",
	.args = "[N]",
	.help = "watchpoints and how often they were hit",
	.run = info_watchpoints,
    },
    {.names = NULL},
};

static const struct repl_cmd cmds[] = {
    {
	.names = "info i inf",
	.args = "SUBJECT",
	.help = "show what there is",
	.sub = subs,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_info = {"status", "How things stand", cmds};
