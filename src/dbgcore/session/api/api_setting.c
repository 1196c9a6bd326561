/*
 * dbg_set and dbg_setting_list: the settings of the engine, one row each in a
 * table with its name, its help, and where it is or the functions that set and
 * tell it. What
 * was set is kept in order, so that it can be set in another session.
 */
#include "session/session.h"
#include "session/siblings.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Breakpoints of dbg.h ------------------------------------------------ */

/*
 * A change stops the threads, is made in every program of the family, and lets
 * them go on.
 */

/*
 * Breakpoints are changed with all threads stopped. A running program is
 * halted for the change and goes on.
 */
static struct dbg_error *begin_change(struct dbg *dbg)
{
	struct dbg_error *err;

	if (dbg->state != DBG_RUNNING)
		return NULL;
	err = target_stop_all(dbg->target);
	if (!err)
		inspect_stop(&dbg->inspect);
	return err;
}

static struct dbg_error *end_change(struct dbg *dbg, struct dbg_error *err)
{
	struct dbg_error *go;

	if (dbg->state != DBG_RUNNING)
		return err;
	go = session_go(dbg);
	if (!err)
		return go;
	dbg_error_destroy(go);
	return err;
}

/*
 * Set just-my-code, which also decides whether breakpoints in marked code are
 * hit.
 */
static struct dbg_error *session_just_my_code(struct dbg *dbg, bool on)
{
	struct dbg_error *err = begin_change(dbg);

	if (err)
		return err;
	control_just_my_code(dbg->control, on);
	return end_change(dbg, NULL);
}

const char *session_frame_path(struct dbg *dbg, dbg_id id)
{
	const struct frame *f;
	struct dbg_error *err;

	if (dbg->state != DBG_STOPPED)
		return NULL;
	err = session_frame_or_newest(session_standing(dbg), id, &f);
	if (dbg_err_drop(err))
		return NULL;
	return f->pos ? f->pos->path : NULL;
}

static struct dbg_error *check_thread(struct dbg *dbg, uint32_t thread)
{
	struct stack *stack = dbg->inspect.stack;

	if (!thread || (stack && stack_thread_tid(stack, thread)))
		return NULL;
	return dbg_err(DBG_E_NOT_FOUND, "no thread number %u", thread);
}

/*
 * Add a watchpoint. In a running program there is no frame whose variables the
 * expression could name.
 */
static struct dbg_error *watch_add(struct dbg *dbg,
				   const struct dbg_break_req *req,
				   uint32_t *ret_number)
{
	struct dbg_error *err = NULL;
	const struct frame *f = NULL;

	if (dbg->state == DBG_STOPPED && dbg->stop.thread)
		err =
		    session_frame_if_any(session_standing(dbg), req->frame, &f);
	return err ? err : control_watch_add(dbg->control, req, f, ret_number);
}

/*
 * Open the files of a program that is not run yet; if that fails, breakpoints
 * stay pending.
 */
static void open_files(struct dbg *dbg)
{
	dbg_error_destroy(session_files_open(dbg));
}

/* ---- Changes, in all siblings ---------------------------------------- */

struct change {
	uint32_t number;
	bool enabled, deletes;
	uint64_t count;
	const char *expr;
	const struct dbg *from; /* where it was added */
};

typedef struct dbg_error *change_fn(struct control *c, const struct change *ch);

static struct dbg_error *change_one(struct dbg *dbg, change_fn *fn,
				    const struct change *ch)
{
	struct dbg_error *err = begin_change(dbg);

	return err ? err : end_change(dbg, fn(dbg->control, ch));
}

static struct dbg_error *change_others(struct dbg *dbg, change_fn *fn,
				       const struct change *ch)
{
	struct dbg_error *first = NULL;

	for (struct dbg *s = NULL; (s = sibling_next(dbg, s));) {
		struct dbg_error *err = change_one(s, fn, ch);

		// one at an address is of one program only
		if (first || (err && err->code == DBG_E_NOT_FOUND))
			dbg_error_destroy(err);
		else
			first = err;
	}
	return first;
}

static struct dbg_error *change_all(struct dbg *dbg, change_fn *fn,
				    const struct change *ch)
{
	struct dbg_error *err = change_one(dbg, fn, ch);

	return err ? err : change_others(dbg, fn, ch);
}

static struct dbg_error *change_copy(struct control *c, const struct change *ch)
{
	return control_break_copy(c, ch->from->control, ch->number);
}

static struct dbg_error *change_delete(struct control *c,
				       const struct change *ch)
{
	return control_break_delete(c, ch->number);
}

static struct dbg_error *change_enable(struct control *c,
				       const struct change *ch)
{
	return control_break_enable(c, ch->number, ch->enabled);
}

static struct dbg_error *change_stops(struct control *c,
				      const struct change *ch)
{
	return control_break_stops(c, ch->number, (uint32_t)ch->count,
				   ch->deletes);
}

static struct dbg_error *change_ignore(struct control *c,
				       const struct change *ch)
{
	return control_break_ignore(c, ch->number, ch->count);
}

static struct dbg_error *change_condition(struct control *c,
					  const struct change *ch)
{
	return control_break_condition(c, ch->number, ch->expr);
}

struct dbg_error *dbg_break_add(struct dbg *dbg,
				const struct dbg_break_req *req,
				uint32_t *ret_number)
{
	struct dbg_error *err = check_thread(dbg, req->thread);
	uint32_t number = 0;

	if (!err)
		err = begin_change(dbg);
	if (err)
		return err;
	open_files(dbg);
	if (req->kind == DBG_BREAK_WATCH)
		err = watch_add(dbg, req, &number);
	else
		err = control_break_add(dbg->control, req,
					session_frame_path(dbg, req->frame),
					&number);
	err = end_change(dbg, err);
	if (err)
		return err;
	*ret_number = number;
	return change_others(dbg, change_copy,
			     &(struct change){.number = number, .from = dbg});
}

struct dbg_error *dbg_break_delete(struct dbg *dbg, uint32_t number)
{
	return change_all(dbg, change_delete,
			  &(struct change){.number = number});
}

void session_break_gone(struct dbg *dbg, uint32_t number)
{
	struct dbg_error *err = change_others(
	    dbg, change_delete, &(struct change){.number = number});

	if (err)
		session_message(dbg, "%s", err->message);
	dbg_error_destroy(err);
}

struct dbg_error *dbg_break_enable(struct dbg *dbg, uint32_t number,
				   bool enabled)
{
	return change_all(
	    dbg, change_enable,
	    &(struct change){.number = number, .enabled = enabled});
}

struct dbg_error *dbg_break_stops(struct dbg *dbg, uint32_t number,
				  uint32_t stops)
{
	return change_all(dbg, change_stops,
			  &(struct change){.number = number, .count = stops});
}

struct dbg_error *dbg_break_last(struct dbg *dbg, uint32_t number)
{
	return change_all(
	    dbg, change_stops,
	    &(struct change){.number = number, .count = 1, .deletes = true});
}

struct dbg_error *dbg_break_ignore(struct dbg *dbg, uint32_t number,
				   uint64_t count)
{
	return change_all(dbg, change_ignore,
			  &(struct change){.number = number, .count = count});
}

struct dbg_error *dbg_break_condition(struct dbg *dbg, uint32_t number,
				      const char *expr)
{
	return change_all(dbg, change_condition,
			  &(struct change){.number = number, .expr = expr});
}

struct dbg_error *dbg_check_condition(const char *expr)
{
	return str_is_blank(expr) ? NULL : eval_check(expr);
}

struct dbg_error *dbg_check_log(const char *log)
{
	struct dbg_error *err = logpoint_check(log);

	return err ? dbg_err_prefix(err, "the message '%s'", log) : NULL;
}

struct dbg_error *dbg_check_hits(const char *rule)
{
	return control_check_hits(rule);
}

/* ---- Descriptions ---------------------------------------------------- */

static void add_hits(struct dbg *dbg, struct dbg_breakpoint *list, size_t n)
{
	for (struct dbg *s = NULL; (s = sibling_next(dbg, s));)
		for (size_t i = 0; i < n; i++)
			list[i].hits +=
			    control_break_hits(s->control, list[i].number);
}

/* Where it is in another program that has its place, if this one has not. */
static void add_places(struct dbg *dbg, struct arena *arena,
		       struct dbg_breakpoint *b)
{
	bool placed =
	    b->kind == DBG_BREAK_LOCATION || b->kind == DBG_BREAK_REGEX;
	struct dbg_breakpoint *other;
	size_t n;

	for (struct dbg *s = NULL;
	     placed && !b->n_locations && (s = sibling_next(dbg, s));) {
		if (dbg_err_drop(control_break_list(s->control, b->number,
						    arena, &other, &n)) ||
		    !other->n_locations)
			continue;
		b->inferior = s->inferior.number;
		b->state = other->state;
		b->reason = other->reason;
		b->locations = other->locations;
		b->n_locations = other->n_locations;
	}
}

static void add_siblings(struct dbg *dbg, struct arena *arena,
			 struct dbg_breakpoint *list, size_t n)
{
	add_hits(dbg, list, n);
	for (size_t i = 0; i < n; i++)
		add_places(dbg, arena, &list[i]);
}

struct dbg_error *dbg_break_get(struct dbg *dbg, uint32_t number,
				struct arena *arena, struct dbg_breakpoint *ret)
{
	struct dbg_error *err;
	struct dbg_breakpoint *list;
	size_t n;

	if (!number)
		return dbg_err(DBG_E_ARGUMENT, "no breakpoint number 0");
	open_files(dbg);
	err = control_break_list(dbg->control, number, arena, &list, &n);
	if (err)
		return err;
	add_siblings(dbg, arena, list, 1);
	*ret = list[0];
	return NULL;
}

struct dbg_error *dbg_break_list(struct dbg *dbg, struct arena *arena,
				 struct dbg_breakpoint **ret, size_t *ret_n)
{
	struct dbg_error *err;

	open_files(dbg);
	err = control_break_list(dbg->control, 0, arena, ret, ret_n);
	if (!err)
		add_siblings(dbg, arena, *ret, *ret_n);
	return err;
}

struct dbg_error *dbg_locate(struct dbg *dbg, dbg_id frame,
			     const struct dbg_place *place, struct arena *arena,
			     struct dbg_location **ret, size_t *ret_n)
{
	struct dbg_error *err = session_need_modules(dbg, true);

	return err ? err
		   : control_locate(dbg->control, place,
				    session_frame_path(dbg, frame), arena, ret,
				    ret_n);
}

/* ---- Dbg_set and dbg_setting_list ---------------------------------------- */

struct setting {
	const char *name;
	const char *help;
	struct dbg_error *(*set)(struct dbg *dbg, const char *value);
	const char *(*get)(struct dbg *dbg);
	/* the same for a text that has to be put together */
	const char *(*make)(struct dbg *dbg, struct arena *arena);
	/* offset in struct dbg of the setting's text or flag; 0: none */
	size_t text, flag;
};

/* Let frames of this stop name their files anew. */
static void renew_paths(struct dbg *dbg)
{
	if (dbg->inspect.code)
		code_renew_paths(dbg->inspect.code);
}

/* The path at *@p, in quotes if it has blanks; *@p is behind it then. */
static char *take_path(const char **p)
{
	const char *start = *p += strspn(*p, " ");
	bool quoted = *start == '"' && strchr(start + 1, '"');
	size_t n = quoted ? strcspn(start + 1, "\"") : strcspn(start, " ");

	*p = start + n + 2 * quoted;
	*p += strspn(*p, " ");
	return xstrndup(start + quoted, n);
}

static struct dbg_error *set_substitute(struct dbg *dbg, const char *value)
{
	value += strspn(value, " ");
	if (!*value) {
		source_rules_clear(dbg->inspect.rules);
		renew_paths(dbg);
		return NULL;
	}

	_cleanup_free_ char *from = take_path(&value);

	if (!*value)
		return dbg_err(DBG_E_ARGUMENT, "two paths are needed: FROM TO");

	_cleanup_free_ char *to =
	    *value == '"' ? take_path(&value) : xstrdup(value);

	source_rules_add(dbg->inspect.rules, from, to);
	renew_paths(dbg);
	return NULL;
}

static const char *make_substitute(struct dbg *dbg, struct arena *arena)
{
	return source_rules_text(dbg->inspect.rules, arena);
}

static struct dbg_error *set_directories(struct dbg *dbg, const char *value)
{
	source_rules_set_directories(dbg->inspect.rules, value);
	renew_paths(dbg);
	return NULL;
}

static const char *get_directories(struct dbg *dbg)
{
	return source_rules_directories(dbg->inspect.rules);
}

struct dbg_error *dbg_parse_switch(const char *value, bool *ret)
{
	static const char *const words[][2] = {
	    {"off", "on"}, {"0", "1"}, {"no", "yes"}, {"disable", "enable"}};

	for (size_t i = 0; i < 2 * sizeof(words) / sizeof(*words); i++)
		if (!strcmp(value, words[i / 2][i % 2])) {
			*ret = i % 2;
			return NULL;
		}
	if (*value)
		return dbg_err(DBG_E_ARGUMENT, "'%s' is not on or off", value);
	*ret = true;
	return NULL;
}

static const char *get_switch(bool on)
{
	return on ? "on" : "off";
}

static struct dbg_error *set_elements(struct dbg *dbg, const char *value)
{
	uint64_t n;

	if (!strcmp(value, "unlimited"))
		n = UINT32_MAX;
	else if (!str_to_u64(value, &n) || n > UINT32_MAX)
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is not a number or 'unlimited'", value);
	dbg->inspect.style.elements = n ? (uint32_t)n : UINT32_MAX;
	return NULL;
}

static const char *make_elements(struct dbg *dbg, struct arena *arena)
{
	if (dbg->inspect.style.elements == UINT32_MAX)
		return "unlimited";
	return arena_printf(arena, "%u", dbg->inspect.style.elements);
}

void session_show_frames(struct dbg *dbg)
{
	if (!dbg->inspect.stack)
		return;
	stack_show_native(dbg->inspect.stack, dbg->show_native);
	stack_fold_external(dbg->inspect.stack,
			    !dbg->show_external &&
				control_step_rules(dbg->control)->just_my_code);
	stack_show_caught(dbg->inspect.stack, dbg->show_caught);
}

// Set a switch that changes which frames are shown.
static struct dbg_error *set_frames(struct dbg *dbg, const char *value,
				    bool *ret)
{
	struct dbg_error *err = dbg_parse_switch(value, ret);

	session_show_frames(dbg);
	return err;
}

static struct dbg_error *set_just_my_code(struct dbg *dbg, const char *value)
{
	bool on = false;
	struct dbg_error *err = dbg_parse_switch(value, &on);

	if (!err)
		err = session_just_my_code(dbg, on);
	session_show_frames(dbg);
	return err;
}

static const char *get_just_my_code(struct dbg *dbg)
{
	return get_switch(control_step_rules(dbg->control)->just_my_code);
}

static struct dbg_error *set_properties(struct dbg *dbg, const char *value)
{
	return dbg_parse_switch(
	    value, &control_step_rules(dbg->control)->over_properties);
}

static const char *get_properties(struct dbg *dbg)
{
	return get_switch(control_step_rules(dbg->control)->over_properties);
}

static struct dbg_error *set_skip(struct dbg *dbg, const char *value)
{
	return control_skip_set(dbg->control, value);
}

static const char *get_skip(struct dbg *dbg)
{
	return control_skip_text(dbg->control);
}

static const char *const lockings[] = {
    [LOCKING_OFF] = "off",
    [LOCKING_ON] = "on",
    [LOCKING_STEP] = "step",
};

static struct dbg_error *set_locking(struct dbg *dbg, const char *value)
{
	for (size_t i = 0; i < sizeof(lockings) / sizeof(*lockings); i++) {
		if (strcmp(lockings[i], value))
			continue;
		control_step_rules(dbg->control)->locking = i;
		return NULL;
	}
	return dbg_err(DBG_E_ARGUMENT, "'%s' is not off, on or step", value);
}

static const char *get_locking(struct dbg *dbg)
{
	return lockings[control_step_rules(dbg->control)->locking];
}

static struct dbg_error *set_trust(struct dbg *dbg, const char *value)
{
	struct dbg_error *err = dbg_parse_switch(value, &dbg->trust_dac);

	if (!err && dbg->trust_dac)
		session_message(dbg, "a DAC owned by another user, or of a "
				     "container, will be loaded: its code "
				     "runs with your rights");
	return err;
}

static struct dbg_error *set_suppress(struct dbg *dbg, const char *value)
{
	struct dbg_error *err = dbg_parse_switch(value, &dbg->suppress_jit);

	if (!err)
		control_suppress_optimizations(dbg->control, dbg->suppress_jit);
	return err;
}

static struct dbg_error *set_native(struct dbg *dbg, const char *value)
{
	return set_frames(dbg, value, &dbg->show_native);
}

static struct dbg_error *set_external(struct dbg *dbg, const char *value)
{
	return set_frames(dbg, value, &dbg->show_external);
}

static struct dbg_error *set_caught(struct dbg *dbg, const char *value)
{
	return set_frames(dbg, value, &dbg->show_caught);
}

static struct dbg_error *set_text(const char *value, char **ret)
{
	free(*ret);
	*ret = *value ? xstrdup(value) : NULL;
	return NULL;
}

static const char *get_text(const char *text)
{
	return text ? text : "";
}

static struct dbg_error *set_brace(struct dbg *dbg, const char *value)
{
	bool skip = true;
	struct dbg_error *err = dbg_parse_switch(value, &skip);

	if (!err)
		dbg->inspect.symbols.at_brace = !skip;
	return err;
}

static const char *get_brace(struct dbg *dbg)
{
	return get_switch(!dbg->inspect.symbols.at_brace);
}

static struct dbg_error *set_log(struct dbg *dbg, const char *value)
{
	return log_set(&dbg->log, value);
}

static const char *get_log(struct dbg *dbg)
{
	return dbg->log.spec ? dbg->log.spec : "";
}

static const struct setting settings[] = {
    {"log",
     "File to log dndbg's own work to: FILE or FILE:ROOMS (session, control, "
     "code, dac).",
     .set = set_log, .get = get_log},
    {"dac-path",
     "Where to look first for the libmscordaccore.so of a program that is a "
     "single file or in a container: a file or a directory.",
     .text = offsetof(struct dbg, dac_path)},
    {"call-threads",
     "Other threads run while an expression's call is made: when it takes "
     "longer (late), always (on) or never (off).",
     .set = evaluation_set_threads, .get = evaluation_get_threads},
    {"call-timeout",
     "Milliseconds after which the program is stopped in such a call.",
     .set = evaluation_set_timeout, .get = evaluation_get_timeout},
    {"debug-file-directory",
     "Where else to look for PDBs: directories with ':' between.",
     .text = offsetof(struct dbg, inspect.symbols.dirs)},
    {"sysroot",
     "Directory that has the files of a core's program by their paths.",
     .text = offsetof(struct dbg, files.sysroot)},
    {"core-search-path",
     "Where else to look for the files of a core's program: directories with "
     "':' between.",
     .text = offsetof(struct dbg, files.dirs)},
    {"symbol-modules",
     "Modules whose PDBs are looked for: names (* and ?) with commas between; "
     "! in front: all but these; + in front: others beside themselves only.",
     .text = offsetof(struct dbg, inspect.symbols.modules)},
    {"require-exact-source",
     "Set breakpoints only by source files that were compiled as they are (on "
     "or off).",
     .flag = offsetof(struct dbg, inspect.symbols.exact)},
    {"backtrace native",
     "Show native frames and the runtime's stubs, or fold them (on or off).",
     .set = set_native, .flag = offsetof(struct dbg, show_native)},
    {"backtrace external",
     "Show frames of code that is not yours, or with just-my-code as one (on "
     "or off).",
     .set = set_external, .flag = offsetof(struct dbg, show_external)},
    {"backtrace caught",
     "In a handler, show what its exception came through: the frames of the "
     "throw, down to the try (on or off).",
     .set = set_caught, .flag = offsetof(struct dbg, show_caught)},
    {"detach-on-fork",
     "Let go of the program or its child, as follow-fork-mode says (on or "
     "off).",
     .set = follow_set_detach, .get = follow_get_detach},
    {"directories",
     "Where source files are looked for that are not where they were compiled "
     "(DIRECTORY:...).",
     .set = set_directories, .get = get_directories},
    {"evaluation",
     "What you type is interpreted by dndbg (interpret), called in the program "
     "where that cannot be (interpret-then-call), or called (call).",
     .set = evaluation_set_calls, .get = evaluation_get_calls},
    {"follow-exec",
     "Debug programs that it starts: off, on, auto (if an SDK tool starts "
     "them) or a name.",
     .set = follow_set_exec, .get = follow_get_exec},
    {"follow-fork-mode",
     "Stay with the program or go on with what it starts (parent or child).",
     .set = follow_set_fork, .get = follow_get_fork},
    {"substitute-path",
     "Rewrite source paths: FROM TO adds a rule, nothing clears them.",
     .set = set_substitute, .make = make_substitute},
    {"print delegate-types",
     "Delegates by their type, not by the methods that they call (on or off).",
     .flag = offsetof(struct dbg, inspect.style.delegate_types)},
    {"print elements",
     "Characters of a string and elements of an array shown at once.",
     .set = set_elements, .make = make_elements},
    {"print exception-types",
     "Exceptions by their type alone, without their message (on or off).",
     .flag = offsetof(struct dbg, inspect.style.exception_types)},
    {"print for-editor",
     "Structs by their type, chars with their code, enum values by name alone "
     "(on or off).",
     .flag = offsetof(struct dbg, inspect.style.editor)},
    {"print properties",
     "Properties that are more than a field are members of values, too, as "
     "they "
     "always are where a type has no fields (on or off).",
     .flag = offsetof(struct dbg, inspect.style.properties)},
    {"print raw-values",
     "Fields as they are, whatever the authors of types want to be seen (on "
     "or off).",
     .flag = offsetof(struct dbg, inspect.style.raw)},
    {"just-my-code",
     "Steps end in your own code: built for debugging, with symbols; "
     "breakpoints in code marked otherwise are not hit (on or off).",
     .set = set_just_my_code, .get = get_just_my_code},
    {"runtime-threads",
     "List threads of the runtime's own and native ones too (on or off).",
     .flag = offsetof(struct dbg, show_runtime_threads)},
    {"scheduler-locking",
     "Threads other than the one resumed are held: always (on), while it is "
     "stepped (step) or never (off).",
     .set = set_locking, .get = get_locking},
    {"skip-opening-brace",
     "Stop behind the brace that opens a method: at its breakpoints, after a "
     "step in, at the start (on or off).",
     .set = set_brace, .get = get_brace},
    {"step-skip",
     "Methods that a step in passes, see \"skip\": fu NAME, rfu REGEX, fi "
     "FILE, gfi GLOB, a line each.",
     .set = set_skip, .get = get_skip},
    {"step-over-properties",
     "A step in passes accessors of properties and operators (on or off).",
     .set = set_properties, .get = get_properties},
    {"suppress-jit-optimizations",
     "Have modules loaded from now on compiled for debugging (on or off).",
     .set = set_suppress, .flag = offsetof(struct dbg, suppress_jit)},
    {"trust-dac",
     "Load a libmscordaccore.so that another user owns, or of a container "
     "(on or off).",
     .set = set_trust, .flag = offsetof(struct dbg, trust_dac)},
};

enum {
	N_SETTINGS = sizeof(settings) / sizeof(*settings)
};

static struct dbg_error *setting_set(struct dbg *dbg, const struct setting *s,
				     const char *value)
{
	if (s->set)
		return s->set(dbg, value);
	return s->text
		   ? set_text(value, (char **)((char *)dbg + s->text))
		   : dbg_parse_switch(value, (bool *)((char *)dbg + s->flag));
}

static const char *setting_get(struct dbg *dbg, const struct setting *s,
			       struct arena *arena)
{
	if (s->make)
		return s->make(dbg, arena);
	if (s->get)
		return arena_strdup(arena, s->get(dbg));
	return s->text ? arena_strdup(
			     arena, get_text(*(char **)((char *)dbg + s->text)))
		       : get_switch(*(bool *)((char *)dbg + s->flag));
}

static const struct setting *setting_find(const char *name)
{
	for (size_t i = 0; i < N_SETTINGS; i++)
		if (!strcmp(settings[i].name, name))
			return &settings[i];
	return NULL;
}

/* Does setting it again add to the former value? Only one setting does. */
static bool is_added(const char *name, const char *value)
{
	return *value && !strcmp(name, "substitute-path");
}

static void made(struct dbg *dbg, const char *name, const char *value)
{
	size_t kept = 0;

	for (size_t i = 0; i < dbg->made.n; i++)
		if (dbg->made.v[i].name == name && !is_added(name, value))
			free(dbg->made.v[i].value);
		else
			dbg->made.v[kept++] = dbg->made.v[i];
	dbg->made.n = kept;
	mem_grow(&dbg->made.v, &dbg->made.cap, dbg->made.n,
		 sizeof(*dbg->made.v));
	dbg->made.v[dbg->made.n++] =
	    (struct setting_made){name, xstrdup(value)};
}

static struct dbg_error *set_one(struct dbg *dbg, const char *name,
				 const char *value)
{
	struct dbg_error *err;
	const struct setting *s = setting_find(name);

	if (!s)
		return dbg_err(DBG_E_ARGUMENT, "no setting '%s'", name);
	err = setting_set(dbg, s, value);
	if (!err)
		made(dbg, s->name, value);
	return err;
}

struct dbg_error *dbg_set(struct dbg *dbg, const char *name, const char *value)
{
	struct dbg_error *err = set_one(dbg, name, value);

	for (struct dbg *s = NULL; !err && (s = sibling_next(dbg, s));)
		err = set_one(s, name, value);
	// where symbols are, or what they are called, may be another now
	if (dbg->state == DBG_IDLE)
		session_files_close(dbg);
	return err;
}

struct dbg_error *session_settings_copy(struct dbg *dbg, const struct dbg *from)
{
	struct dbg_error *err = NULL;

	memcpy(dbg->signals, from->signals, sizeof(dbg->signals));
	for (size_t i = 0; !err && i < from->made.n; i++)
		err = set_one(dbg, from->made.v[i].name, from->made.v[i].value);
	return err;
}

const char *dbg_setting_get(struct dbg *dbg, const char *name,
			    struct arena *arena)
{
	const struct setting *s = setting_find(name);

	return s ? setting_get(dbg, s, arena) : NULL;
}

void dbg_setting_list(struct dbg *dbg, struct arena *arena,
		      struct dbg_setting **ret, size_t *ret_n)
{
	struct dbg_setting *list =
	    arena_calloc(arena, N_SETTINGS, sizeof(*list));

	for (size_t i = 0; i < N_SETTINGS; i++)
		list[i] =
		    (struct dbg_setting){settings[i].name, settings[i].help,
					 setting_get(dbg, &settings[i], arena)};
	*ret = list;
	*ret_n = N_SETTINGS;
}
