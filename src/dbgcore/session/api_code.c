/* Modules, sources, disassembly, completion and settings of dbg.h. */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/disasm.h"

/* Has another module the same name? */
static bool is_ambiguous(struct code_module *const *modules, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (k != i && strcmp(modules[k]->name, modules[i]->name) == 0)
			return true;
	return false;
}

/* II.22.2: columns 1 to 4 of the one row. */
static const char *version_of(const struct code_module *m, struct arena *arena)
{
	if (!md_rows(&m->md, MD_ASSEMBLY))
		return NULL;
	return arena_printf(arena, "%u.%u.%u.%u",
			    md_col(&m->md, MD_ASSEMBLY, 1, 1),
			    md_col(&m->md, MD_ASSEMBLY, 1, 2),
			    md_col(&m->md, MD_ASSEMBLY, 1, 3),
			    md_col(&m->md, MD_ASSEMBLY, 1, 4));
}

struct dbg_error *dbg_module_list(struct dbg *dbg, struct dbg_module **ret,
				  size_t *ret_n)
{
	size_t n;

	if (!dbg->inspect.code)
		return dbg_err(DBG_E_STATE,
			       "no .NET runtime is loaded in the program yet");
	arena_reset(dbg->list_arena);

	struct code_module *const *modules =
	    code_modules(dbg->inspect.code, &n);
	struct dbg_module *list =
	    arena_calloc(dbg->list_arena, n, sizeof(*list));

	for (size_t i = 0; i < n; i++) {
		const struct code_module *m = modules[i];

		list[i] = (struct dbg_module){
		    .number = m->number,
		    .name = m->name,
		    .path = m->path,
		    .version = version_of(m, dbg->list_arena),
		    .base = m->base,
		    .size = m->pe.image_size,
		    .optimized = m->optimized,
		    .framework = m->framework,
		    .symbols = m->symbols,
		    .symbols_note = m->symbols_note,
		};
		if (is_ambiguous(modules, n, i))
			list[i].context = inspect_load_context(
			    &dbg->inspect, m->addr, dbg->list_arena);
	}
	*ret = list;
	*ret_n = n;
	return NULL;
}

struct dbg_error *dbg_disassemble(struct dbg *dbg, uint64_t addr,
				  uint32_t count, struct dbg_insn **ret,
				  size_t *ret_n)
{
	struct dbg_error *err = session_need_runtime(dbg);

	return err ? err
		   : disasm_native(dbg->inspect.code, addr, count,
				   dbg->inspect.arena, ret, ret_n);
}

struct dbg_error *dbg_disassemble_il(struct dbg *dbg, dbg_id frame,
				     struct dbg_il_insn **ret, size_t *ret_n)
{
	struct dbg_error *err = session_need_runtime(dbg);
	const struct frame *f = NULL;

	if (!err)
		err = session_frame_or_newest(dbg, frame, &f);
	if (err)
		return err;
	if (!f || !f->pos || !f->pos->module)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the frame has no IL: it is not managed code");
	return disasm_il(dbg->inspect.code, f->pos->module, f->pos->token,
			 dbg->inspect.arena, ret, ret_n);
}

/* ---- Completion --------------------------------------------------------- */

struct names {
	const char *prefix;
	const char **list;
	size_t n, cap;
	struct arena *arena;
};

enum {
	NAMES_MAX = 100000
};

/* The part behind the next dot that stands outside brackets, or NULL. */
static const char *next_part(const char *name)
{
	int depth = 0;

	for (; *name; name++) {
		depth += *name == '<' || *name == '(';
		depth -= *name == '>' || *name == ')';
		if (*name == '.' && !depth)
			return name + 1;
	}
	return NULL;
}

static void take_name(void *arg, const char *name)
{
	struct names *names = arg;

	if (names->n >= NAMES_MAX || !str_starts(name, names->prefix))
		return;
	mem_grow(&names->list, &names->cap, names->n, sizeof(*names->list));
	names->list[names->n++] = arena_strdup(names->arena, name);
}

/* Types and methods are also found without what stands before them. */
static void take_part(void *arg, const char *name)
{
	struct names *names = arg;

	while (*names->prefix && name && !str_starts(name, names->prefix))
		name = next_part(name);
	if (name)
		take_name(arg, name);
}

static void take_locals(struct dbg *dbg, struct names *names)
{
	static const enum dbg_scope scopes[] = {DBG_SCOPE_ARGS,
						DBG_SCOPE_LOCALS};
	const struct frame *f = NULL;
	struct dbg_error *err = session_frame_or_newest(dbg, 0, &f);

	for (size_t i = 0; !err && f && i < 2; i++) {
		struct dbg_value *values;
		size_t n = 0;

		err = dbg_scope_list(dbg, inspect_frame_id(&dbg->inspect, f),
				     scopes[i], &values, &n);
		for (size_t k = 0; !err && k < n; k++)
			take_name(names, values[k].name);
	}
	dbg_error_destroy(err);
}

/* Fields of what stands before the last dot, behind that. */
static void take_members(struct dbg *dbg, struct names *names)
{
	const char *dot = strrchr(names->prefix, '.');
	struct dbg_value value, *list;
	size_t n = 0;

	if (!dot)
		return;

	int left = (int)(dot - names->prefix);
	struct dbg_error *err = dbg_eval(
	    dbg, 0, arena_printf(names->arena, "%.*s", left, names->prefix),
	    &value);

	if (!err && value.id)
		err = dbg_children(dbg, value.id, DBG_CHILDREN_NAMED, 0,
				   NAMES_MAX, &list, &n);
	for (size_t i = 0; !err && i < n; i++)
		if (list[i].path && !(list[i].flags & DBG_VALUE_GROUP))
			take_name(names,
				  arena_printf(names->arena, "%.*s.%s", left,
					       names->prefix, list[i].name));
	dbg_error_destroy(err);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct dbg_error *dbg_complete(struct dbg *dbg, unsigned int kinds,
			       const char *prefix, size_t max,
			       const char ***ret, size_t *ret_n)
{
	struct dbg_error *err = session_need_runtime(dbg);
	struct names names = {.prefix = prefix, .arena = dbg->inspect.arena};
	size_t kept = 0;

	if (err)
		return err;
	code_each_name(dbg->inspect.code, kinds & DBG_NAMES_FILES, take_name,
		       &names);
	code_each_name(
	    dbg->inspect.code,
	    kinds & (DBG_NAMES_TYPES | DBG_NAMES_METHODS | DBG_NAMES_OWN),
	    take_part, &names);
	if (kinds & DBG_NAMES_LOCALS) {
		take_locals(dbg, &names);
		take_members(dbg, &names);
	}
	if (names.n)
		qsort(names.list, names.n, sizeof(*names.list), compare_names);
	for (size_t i = 0; i < names.n && kept < max; i++)
		if (!kept || strcmp(names.list[i], names.list[kept - 1]))
			names.list[kept++] = names.list[i];
	*ret = arena_copy(dbg->inspect.arena, names.list, kept,
			  sizeof(*names.list));
	*ret_n = kept;
	free(names.list);
	return NULL;
}

/* ---- Settings ------------------------------------------------------------ */

struct setting {
	const char *name;
	const char *help;
	struct dbg_error *(*set)(struct dbg *dbg, const char *value);
	const char *(*get)(struct dbg *dbg);
};

/* Frames of this stop name their files anew. */
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

static const char *get_substitute(struct dbg *dbg)
{
	return source_rules_text(dbg->inspect.rules, dbg->list_arena);
}

static struct dbg_error *set_switch(const char *value, bool *ret)
{
	bool on = !strcmp(value, "on");

	if (!on && strcmp(value, "off"))
		return dbg_err(DBG_E_ARGUMENT, "'%s' is not on or off", value);
	*ret = on;
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
	dbg->inspect.elements = n ? (uint32_t)n : UINT32_MAX;
	return NULL;
}

static struct dbg_error *set_editor(struct dbg *dbg, const char *value)
{
	return set_switch(value, &dbg->inspect.editor);
}

static const char *get_editor(struct dbg *dbg)
{
	return get_switch(dbg->inspect.editor);
}

static const char *get_elements(struct dbg *dbg)
{
	if (dbg->inspect.elements == UINT32_MAX)
		return "unlimited";
	return arena_printf(dbg->list_arena, "%u", dbg->inspect.elements);
}

void session_show_frames(struct dbg *dbg)
{
	if (!dbg->inspect.stack)
		return;
	stack_show_native(dbg->inspect.stack, dbg->show_native);
	stack_fold_external(dbg->inspect.stack,
			    !dbg->show_external &&
				control_step_rules(dbg->control)->just_my_code);
}

// A switch that changes which frames are shown.
static struct dbg_error *set_frames(struct dbg *dbg, const char *value,
				    bool *ret)
{
	struct dbg_error *err = set_switch(value, ret);

	session_show_frames(dbg);
	return err;
}

static struct dbg_error *set_just_my_code(struct dbg *dbg, const char *value)
{
	bool on = false;
	struct dbg_error *err = set_switch(value, &on);

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
	return set_switch(value,
			  &control_step_rules(dbg->control)->over_properties);
}

static const char *get_properties(struct dbg *dbg)
{
	return get_switch(control_step_rules(dbg->control)->over_properties);
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
	struct dbg_error *err = set_switch(value, &dbg->trust_dac);

	if (!err && dbg->trust_dac)
		session_message(dbg, "a DAC owned by another user, or of a "
				     "container, will be loaded: its code "
				     "runs with your rights");
	return err;
}

static const char *get_trust(struct dbg *dbg)
{
	return get_switch(dbg->trust_dac);
}

static struct dbg_error *set_suppress(struct dbg *dbg, const char *value)
{
	struct dbg_error *err = set_switch(value, &dbg->suppress_jit);

	if (!err)
		control_suppress_optimizations(dbg->control, dbg->suppress_jit);
	return err;
}

static const char *get_suppress(struct dbg *dbg)
{
	return get_switch(dbg->suppress_jit);
}

static struct dbg_error *set_native(struct dbg *dbg, const char *value)
{
	return set_frames(dbg, value, &dbg->show_native);
}

static const char *get_native(struct dbg *dbg)
{
	return get_switch(dbg->show_native);
}

static struct dbg_error *set_external(struct dbg *dbg, const char *value)
{
	return set_frames(dbg, value, &dbg->show_external);
}

static const char *get_external(struct dbg *dbg)
{
	return get_switch(dbg->show_external);
}

static struct dbg_error *set_runtime_threads(struct dbg *dbg, const char *value)
{
	return set_switch(value, &dbg->show_runtime_threads);
}

static const char *get_runtime_threads(struct dbg *dbg)
{
	return get_switch(dbg->show_runtime_threads);
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

static struct dbg_error *set_dac_path(struct dbg *dbg, const char *value)
{
	return set_text(value, &dbg->dac_path);
}

static const char *get_dac_path(struct dbg *dbg)
{
	return get_text(dbg->dac_path);
}

static struct dbg_error *set_dirs(struct dbg *dbg, const char *value)
{
	return set_text(value, &dbg->inspect.symbols.dirs);
}

static const char *get_dirs(struct dbg *dbg)
{
	return get_text(dbg->inspect.symbols.dirs);
}

static struct dbg_error *set_modules(struct dbg *dbg, const char *value)
{
	return set_text(value, &dbg->inspect.symbols.modules);
}

static const char *get_modules(struct dbg *dbg)
{
	return get_text(dbg->inspect.symbols.modules);
}

static struct dbg_error *set_exact(struct dbg *dbg, const char *value)
{
	return set_switch(value, &dbg->inspect.symbols.exact);
}

static const char *get_exact(struct dbg *dbg)
{
	return get_switch(dbg->inspect.symbols.exact);
}

static struct dbg_error *set_brace(struct dbg *dbg, const char *value)
{
	bool skip = true;
	struct dbg_error *err = set_switch(value, &skip);

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
     set_log, get_log},
    {"dac-path",
     "Where to look first for the libmscordaccore.so of a program that is a "
     "single file or in a container: a file or a directory.",
     set_dac_path, get_dac_path},
    {"debug-file-directory",
     "Where else to look for PDBs: directories with ':' between.", set_dirs,
     get_dirs},
    {"symbol-modules",
     "Modules whose PDBs are looked for: names (* and ?) with commas between; "
     "! in front: all but these; + in front: others beside themselves only.",
     set_modules, get_modules},
    {"require-exact-source",
     "Set breakpoints only by source files that were compiled as they are (on "
     "or off).",
     set_exact, get_exact},
    {"backtrace native",
     "Show native frames and the runtime's stubs, or fold them (on or off).",
     set_native, get_native},
    {"backtrace external",
     "Show frames of code that is not yours, or with just-my-code as one (on "
     "or off).",
     set_external, get_external},
    {"detach-on-fork",
     "Let go of the program or its child, as follow-fork-mode says (on or "
     "off).",
     follow_set_detach, follow_get_detach},
    {"follow-exec",
     "Debug programs that it starts: off, on, auto (if an SDK tool starts "
     "them) or a name.",
     follow_set_exec, follow_get_exec},
    {"follow-fork-mode",
     "Stay with the program or go on with what it starts (parent or child).",
     follow_set_fork, follow_get_fork},
    {"substitute-path",
     "Rewrite source paths: FROM TO adds a rule, nothing clears them.",
     set_substitute, get_substitute},
    {"print elements",
     "Characters of a string and elements of an array shown at once.",
     set_elements, get_elements},
    {"print for-editor",
     "Structs by their type, chars with their code, enum values by name alone "
     "(on or off).",
     set_editor, get_editor},
    {"just-my-code",
     "Steps end in your own code: built for debugging, with symbols; "
     "breakpoints in code marked otherwise are not hit (on or off).",
     set_just_my_code, get_just_my_code},
    {"runtime-threads",
     "List threads of the runtime's own and native ones too (on or off).",
     set_runtime_threads, get_runtime_threads},
    {"scheduler-locking",
     "Threads other than the one resumed are held: always (on), while it is "
     "stepped (step) or never (off).",
     set_locking, get_locking},
    {"skip-opening-brace",
     "Stop behind the brace that opens a method: at its breakpoints, after a "
     "step in, at the start (on or off).",
     set_brace, get_brace},
    {"step-over-properties",
     "A step in passes accessors of properties and operators (on or off).",
     set_properties, get_properties},
    {"suppress-jit-optimizations",
     "Have modules loaded from now on compiled for debugging (on or off).",
     set_suppress, get_suppress},
    {"trust-dac",
     "Load a libmscordaccore.so that another user owns, or of a container "
     "(on or off).",
     set_trust, get_trust},
};

enum {
	N_SETTINGS = sizeof(settings) / sizeof(*settings)
};

static const struct setting *setting_find(const char *name)
{
	for (size_t i = 0; i < N_SETTINGS; i++)
		if (!strcmp(settings[i].name, name))
			return &settings[i];
	return NULL;
}

/* Only one setting adds to what it was before. */
static bool is_added(const char *name, const char *value)
{
	return *value && !strcmp(name, "substitute-path");
}

static void made(struct dbg *dbg, const char *name, const char *value)
{
	size_t kept = 0;

	for (size_t i = 0; i < dbg->n_made; i++)
		if (dbg->made[i].name == name && !is_added(name, value))
			free(dbg->made[i].value);
		else
			dbg->made[kept++] = dbg->made[i];
	dbg->n_made = kept;
	mem_grow(&dbg->made, &dbg->cap_made, dbg->n_made, sizeof(*dbg->made));
	dbg->made[dbg->n_made++] = (struct setting_made){name, xstrdup(value)};
}

static struct dbg_error *set_one(struct dbg *dbg, const char *name,
				 const char *value)
{
	struct dbg_error *err;
	const struct setting *s = setting_find(name);

	if (!s)
		return dbg_err(DBG_E_ARGUMENT, "no setting '%s'", name);
	err = s->set(dbg, value);
	if (!err)
		made(dbg, s->name, value);
	return err;
}

struct dbg_error *dbg_set(struct dbg *dbg, const char *name, const char *value)
{
	struct dbg_error *err = set_one(dbg, name, value);

	for (struct dbg *s = NULL; !err && (s = sibling_next(dbg, s));)
		err = set_one(s, name, value);
	return err;
}

struct dbg_error *session_settings_copy(struct dbg *dbg, const struct dbg *from)
{
	struct dbg_error *err = NULL;

	memcpy(dbg->signals, from->signals, sizeof(dbg->signals));
	for (size_t i = 0; !err && i < from->n_made; i++)
		err = set_one(dbg, from->made[i].name, from->made[i].value);
	return err;
}

struct dbg_error *dbg_setting_list(struct dbg *dbg, struct dbg_setting **ret,
				   size_t *ret_n)
{
	arena_reset(dbg->list_arena);

	struct dbg_setting *list =
	    arena_calloc(dbg->list_arena, N_SETTINGS, sizeof(*list));

	for (size_t i = 0; i < N_SETTINGS; i++)
		list[i] = (struct dbg_setting){
		    settings[i].name, settings[i].help, settings[i].get(dbg)};
	*ret = list;
	*ret_n = N_SETTINGS;
	return NULL;
}
