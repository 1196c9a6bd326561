/*
 * Further interfaces beside the prompt, or beside GDB/MI, for which commands
 * are carried out here. The first interface owns the session: it takes the
 * events and passes them on. Commands of the others are carried out by the
 * prompt (its own struct command_host). A program that another interface has
 * resumed also stops at the prompt: resume_told().
 */
#include "repl/uis.h"
#include "repl/cmd.h"
#include "repl/inert.h"
#include "repl/inferior.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/show/screen.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/cli/options.h"
#include "front/cli/words.h"
#include "front/console_ui.h"
#include "front/debuggees.h"
#include "front/ui.h"

/* ---- The settings that `set` and `show` know ----------------------------- */

/*
 * The settings of `set` and `show`. Settings of the front end are a table of
 * fields of struct repl_settings; others are passed to the engine. One name may
 * stand for both: each then has its part of the setting.
 */

enum setting_kind {
	SETTING_BOOL,
	SETTING_COUNT, /* "unlimited" is 0 */
	SETTING_PROMPT,
	SETTING_FILE_NAMES, /* a bool called absolute or basename */
	SETTING_SIZE,       /* a count, or as the terminal is */
	SETTING_FILE,       /* a file's name */
	SETTING_LOG,        /* a bool that begins and ends the log */
};

struct setting {
	const char *name; /* may have two words */
	const char *help;
	enum setting_kind kind;
	size_t offset; /* in struct repl_settings */
};

#define FIELD(name) offsetof(struct repl_settings, name)

static const struct setting settings[] = {
    {"confirm", "ask before what ends the program", SETTING_BOOL,
     FIELD(confirm)},
    {"filename-display",
     "source files by full path (absolute) or name "
     "(basename)",
     SETTING_FILE_NAMES, FIELD(full_names)},
    {"height", "lines of a page, 0 for no end", SETTING_SIZE, FIELD(height)},
    {"history size", "lines of history kept", SETTING_COUNT,
     FIELD(history_size)},
    {"listsize", "lines that \"list\" shows", SETTING_COUNT, FIELD(list_size)},
    {"logging enabled", "write what is shown to a file, too", SETTING_LOG,
     FIELD(log_enabled)},
    {"logging file", "that file", SETTING_FILE, FIELD(log_file)},
    {"logging overwrite", "begin that file anew", SETTING_BOOL,
     FIELD(log_overwrite)},
    {"logging redirect", "show nothing, only write it", SETTING_BOOL,
     FIELD(log_redirect)},
    {"pagination", "stop where a page is full", SETTING_BOOL,
     FIELD(pagination)},
    {"print elements", "elements of an array shown, 0 for all", SETTING_COUNT,
     FIELD(elements)},
    {"print frame-types", "types of the parameters of the framework's frames",
     SETTING_BOOL, FIELD(frame_types)},
    {"print max-depth", "objects inside objects shown", SETTING_COUNT,
     FIELD(depth)},
    {"print pretty", "one field a line", SETTING_BOOL, FIELD(pretty)},
    {"print static-members", "statics in objects", SETTING_BOOL,
     FIELD(statics)},
    {"prompt", "the prompt", SETTING_PROMPT, FIELD(prompt)},
    {"style enabled", "colours on a terminal", SETTING_BOOL, FIELD(style)},
    {"trace-commands", "print each command before it is carried out",
     SETTING_BOOL, FIELD(trace)},
    {"width", "columns of a line, 0 for no end", SETTING_SIZE, FIELD(width)},
};

enum {
	N_SETTINGS = sizeof(settings) / sizeof(*settings)
};

void settings_init(struct repl *r)
{
	r->set = (struct repl_settings){
	    .confirm = true,
	    .style = true,
	    .elements = 200,
	    .depth = 2,
	    .list_size = 10,
	    .history_size = 1000,
	    .pagination = true,
	    .height = SCREEN_AUTO,
	    .width = SCREEN_AUTO,
	    .log_file = xstrdup("dndbg.txt"),
	    .prompt = xstrdup("(dndbg) "),
	};
}

void settings_deinit(struct repl *r)
{
	free(r->set.prompt);
	free(r->set.log_file);
}

static void *field(struct repl *r, const struct setting *s)
{
	return (char *)&r->set + s->offset;
}

// Length of the setting's name at the beginning of @text; 0: it is another
// word.
static size_t name_match(const struct setting *s, const char *text)
{
	size_t n = strlen(s->name);

	if (strncmp(text, s->name, n))
		return 0;
	return !text[n] || text[n] == ' ' || text[n] == '\t' ? n : 0;
}

// The setting whose name @text begins with, NULL: none. *@ret_value: the rest
// of the text, its value.
static const struct setting *setting_find(const char *text,
					  const char **ret_value)
{
	for (size_t i = 0; i < N_SETTINGS; i++) {
		size_t n = name_match(&settings[i], text);
		if (!n)
			continue;
		*ret_value = text + n + strspn(text + n, " \t");
		return &settings[i];
	}
	return NULL;
}

static struct dbg_error *set_count(const struct setting *s, const char *value,
				   uint64_t *ret)
{
	uint64_t n;

	if (!strcmp(value, "unlimited"))
		n = 0;
	else if (!parse_u64(value, &n) || n > UINT32_MAX)
		return dbg_err_arg("\"%s\" is not a count.", value);
	if (!n &&
	    (s->offset == FIELD(list_size) || s->offset == FIELD(history_size)))
		return dbg_err_arg("\"%s\" must be at least 1.", s->name);
	*ret = n;
	return NULL;
}

static struct dbg_error *set_file_names(const char *value, bool *ret)
{
	if (strcmp(value, "absolute") && strcmp(value, "basename"))
		return dbg_err_arg("\"absolute\" or \"basename\" expected.");
	*ret = *value == 'a';
	return NULL;
}

static struct dbg_error *set_log(struct repl *r, const char *value)
{
	struct dbg_error *err;
	bool on;

	err = dbg_parse_switch(value, &on);
	if (!err)
		err = screen_log(r, on);
	if (err)
		return err;
	r->set.log_enabled = on;
	if (on)
		out(r, "Copying output to %s.\n", r->set.log_file);
	return NULL;
}

static struct dbg_error *set_own(struct repl *r, const struct setting *s,
				 const char *value)
{
	switch (s->kind) {
	case SETTING_BOOL:
		return dbg_parse_switch(value, field(r, s));
	case SETTING_SIZE:
	case SETTING_COUNT:
		return set_count(s, value, field(r, s));
	case SETTING_FILE_NAMES:
		return set_file_names(value, field(r, s));
	case SETTING_FILE:
		if (!*value)
			return dbg_err_arg("The name of a file expected.");
		str_set(field(r, s), value);
		return NULL;
	case SETTING_LOG:
		return set_log(r, value);
	case SETTING_PROMPT:
		break;
	}
	// As in gdb, a blank belongs behind the prompt.
	_cleanup_free_ char *prompt = xasprintf("%s ", value);
	str_set(&r->set.prompt, prompt);
	return NULL;
}

// Find the engine's setting whose name @text begins with. A name may have two
// words.
static struct dbg_error *find_engine(struct repl *r, const char *text,
				     const char **ret)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_setting *list;
	size_t n_list;

	dbg_setting_list(r->dbg, arena, &list, &n_list);
	for (size_t i = 0; i < n_list; i++) {
		size_t n = strlen(list[i].name);
		if (!strncmp(list[i].name, text, n) &&
		    strchr(" \t=", text[n])) {
			*ret = list[i].name;
			return NULL;
		}
	}
	size_t n = strcspn(text, " \t=");
	return dbg_err_arg("There is no setting \"%.*s\"; see \"show\".",
			   n > 80 ? 80 : (int)n, text);
}

// Set the engine's setting of the same name, too, if there is one.
static struct dbg_error *
set_engine_too(struct repl *r, const struct setting *own, const char *value)
{
	const char *name;

	if (dbg_err_drop(find_engine(r, own->name, &name)))
		return NULL;
	// The engine has no word for no limit.
	if (own->kind == SETTING_COUNT && !strcmp(value, "unlimited"))
		value = "0";
	return dbg_set(r->dbg, own->name, value);
}

struct dbg_error *setting_set(struct repl *r, const char *text)
{
	struct dbg_error *err;
	const char *name, *value;

	const struct setting *own = setting_find(text, &value);
	if (own) {
		err = set_own(r, own, value);
		return err ? err : set_engine_too(r, own, value);
	}
	size_t n = strcspn(text, " \t=");
	value = text + n + strspn(text + n, " \t");
	if (*value == '=')
		return dbg_err_arg("There is no setting \"%.*s\"; \"set var\" "
				   "assigns to variables.",
				   n > 80 ? 80 : (int)n, text);
	err = find_engine(r, text, &name);
	if (err && inert_set(r, text)) {
		dbg_error_destroy(err);
		return NULL;
	}
	if (err)
		return err;
	value = text + strlen(name);
	value += strspn(value, " \t");
	// It may change what a frame says of its source, and which one has
	// the selected number.
	r->has_frame = false;
	if (!strncmp(name, "backtrace", strlen("backtrace")))
		r->level = 0;
	return dbg_set(r->dbg, name, value);
}

static void show_own(struct repl *r, const struct setting *s)
{
	const void *p = field(r, s);

	out(r, "%s: ", s->name);
	switch (s->kind) {
	case SETTING_LOG:
	case SETTING_BOOL:
		out(r, "%s\n", *(const bool *)p ? "on" : "off");
		break;
	case SETTING_SIZE:
		out(r, "%" PRIu64 "\n",
		    s->offset == FIELD(height) ? screen_height(r)
					       : screen_width(r));
		break;
	case SETTING_COUNT:
		out(r, "%" PRIu64 "\n", *(const uint64_t *)p);
		break;
	case SETTING_FILE_NAMES:
		out(r, "%s\n", *(const bool *)p ? "absolute" : "basename");
		break;
	case SETTING_FILE:
		out(r, "%s\n", *(char *const *)p);
		break;
	case SETTING_PROMPT:
		out(r, "\"%s\"\n", r->set.prompt);
		break;
	}
}

size_t settings_show(struct repl *r, const char *prefix)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_setting *list;
	const char *value;
	size_t len = strlen(prefix);
	size_t shown = 0;
	size_t n;

	for (size_t i = 0; i < N_SETTINGS; i++)
		if (!strncmp(settings[i].name, prefix, len)) {
			show_own(r, &settings[i]);
			shown++;
		}
	dbg_setting_list(r->dbg, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (!strncmp(list[i].name, prefix, len) &&
		    !setting_find(list[i].name, &value)) {
			out(r, "%s: ", list[i].name);
			out_lines(r, *list[i].value ? list[i].value : "\n", 0,
				  "");
			shown++;
		}
	return shown;
}

static bool is_meant(const char *name, const char *help, const char *word,
		     bool whole)
{
	return whole ? !strcmp(name, word)
		     : strcasestr(name, word) || strcasestr(help, word);
}

bool settings_help(struct repl *r, const char *word, bool whole)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_setting *list;
	size_t n = 0;
	bool shown = false;

	for (size_t i = 0; i < N_SETTINGS; i++) {
		const struct setting *s = &settings[i];
		if (!is_meant(s->name, s->help, word, whole))
			continue;
		out(r, "set %s -- %s\n", s->name, s->help);
		shown = true;
	}
	dbg_setting_list(r->dbg, arena, &list, &n);
	for (size_t i = 0; !(whole && shown) && i < n; i++) {
		if (!is_meant(list[i].name, list[i].help, word, whole))
			continue;
		out(r, "set %s -- %s\n", list[i].name, list[i].help);
		shown = true;
	}
	return shown;
}

void settings_complete(struct repl *r, const char *prefix, struct words *ret)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_setting *list;
	size_t len = strlen(prefix);
	size_t n;

	for (size_t i = 0; i < N_SETTINGS; i++)
		if (!strncmp(settings[i].name, prefix, len))
			words_add(ret, settings[i].name,
				  strlen(settings[i].name));
	dbg_setting_list(r->dbg, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (!strncmp(list[i].name, prefix, len))
			words_add(ret, list[i].name, strlen(list[i].name));
}

/* ---- Further interfaces beside the prompt, `new-ui` ---------------------- */

static void repl_take_events(void *arg)
{
	repl_events(arg);
}

static void leave(void *arg)
{
	struct repl *r = arg;

	r->quit = true;
}

static struct dbg_error *open_ui(struct repl *r, const struct ui_ops *ops,
				 const char *path)
{
	if (!r->host)
		r->host = host_of_prompt(r);
	struct commands commands = {
	    .ops = &repl_commands,
	    .first = r->first,
	    .loop = r->loop,
	    .launch = r->launch,
	    .host = r->host,
	};
	struct ui_config config = {
	    .dbg = r->first,
	    .loop = r->loop,
	    .options = r->options,
	    .commands = &commands,
	    .take = r->ui_quit ? r->ui_take : repl_take_events,
	    .quit = r->ui_quit ? r->ui_quit : leave,
	    .arg = r->ui_quit ? r->ui_arg : r,
	};
	struct ui_entry entry = {.ops = ops};
	struct dbg_error *err = ops->open(&config, path, &entry.ui);
	if (err)
		return err;
	mem_grow(&r->uis, &r->cap_uis, r->n_uis, sizeof(*r->uis));
	r->uis[r->n_uis++] = entry;
	return NULL;
}

// NULL: there is none of that name.
static const struct ui_ops *find_ops(const struct repl *r, const char *name)
{
	bool is_mi = !strncmp(name, "mi", 2) &&
		     (!name[2] || (strchr("234", name[2]) && !name[3]));

	return is_mi                      ? r->options->mi_ui
	       : !strcmp(name, "console") ? &console_ui
					  : NULL;
}

struct dbg_error *uis_new(struct repl *r, const struct call *call)
{
	_cleanup_words_ struct words words = {0};

	struct dbg_error *err = words_split(call->args, &words);
	if (err)
		return err;
	if (words.n != 2)
		return dbg_err_arg("Usage: new-ui INTERPRETER TERMINAL");
	const struct ui_ops *ops = find_ops(r, words.v[0]);
	if (r->hosted && !r->ui_quit)
		return dbg_err_arg(
		    "\"new-ui\" is possible at the prompt and in "
		    "GDB/MI.");
	if (!ops)
		return dbg_err_arg("Interpreter \"%s\" unrecognized: there are "
				   "console, mi, mi2, mi3 and mi4.",
				   words.v[0]);
	err = open_ui(r, ops, words.v[1]);
	if (!err)
		out(r, "New UI allocated\n");
	return err;
}

void uis_event(struct repl *r, const struct debuggee_event *e)
{
	for (size_t i = 0; i < r->n_uis; i++)
		r->uis[i].ops->event(r->uis[i].ui, e);
}

void uis_changed(struct repl *r)
{
	for (size_t i = 0; i < r->n_uis; i++)
		r->uis[i].ops->changed(r->uis[i].ui);
}

void uis_deinit(struct repl *r)
{
	for (size_t i = 0; i < r->n_uis; i++)
		r->uis[i].ops->close(r->uis[i].ui);
	free(r->uis);
	free(r->host);
}
