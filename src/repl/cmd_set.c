/*
 * `set` and `show`. The settings of the front end are a table; those of the
 * program to run (args, env, cwd) and of the engine stand beside it.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "cmd.h"
#include "fault.h"
#include "parse.h"
#include "repl_priv.h"
#include "screen.h"

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
	    .log_file = alloc_str("dndbg.txt"),
	    .prompt = alloc_str("(dndbg) "),
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

// How much of @text is the setting's name? 0: it is another.
static size_t name_match(const struct setting *s, const char *text)
{
	size_t n = strlen(s->name);

	if (strncmp(text, s->name, n) != 0)
		return 0;
	return !text[n] || text[n] == ' ' || text[n] == '\t' ? n : 0;
}

// The setting that @text begins with; *@ret_value is what follows.
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

	if (strcmp(value, "unlimited") == 0)
		n = 0;
	else if (!parse_u64(value, &n) || n > UINT32_MAX)
		return fault_arg("\"%s\" is not a count.", value);
	if (!n &&
	    (s->offset == FIELD(list_size) || s->offset == FIELD(history_size)))
		return fault_arg("\"%s\" must be at least 1.", s->name);
	*ret = n;
	return NULL;
}

static struct dbg_error *set_file_names(const char *value, bool *ret)
{
	if (strcmp(value, "absolute") != 0 && strcmp(value, "basename") != 0)
		return fault_arg("\"absolute\" or \"basename\" expected.");
	*ret = *value == 'a';
	return NULL;
}

static struct dbg_error *set_log(struct repl *r, const char *value)
{
	struct dbg_error *err;
	bool on;

	err = parse_bool(value, &on);
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
		return parse_bool(value, field(r, s));
	case SETTING_SIZE:
	case SETTING_COUNT:
		return set_count(s, value, field(r, s));
	case SETTING_FILE_NAMES:
		return set_file_names(value, field(r, s));
	case SETTING_FILE:
		if (!*value)
			return fault_arg("The name of a file expected.");
		alloc_replace(field(r, s), value);
		return NULL;
	case SETTING_LOG:
		return set_log(r, value);
	case SETTING_PROMPT:
		break;
	}
	// As in gdb, a blank belongs behind the prompt.
	_cleanup_free_ char *prompt = alloc_printf("%s ", value);
	alloc_replace(&r->set.prompt, prompt);
	return NULL;
}

// The engine's setting that @text begins with; a name may have two words.
static struct dbg_error *find_engine(struct repl *r, const char *text,
				     struct dbg_setting *ret)
{
	struct dbg_error *err;
	struct dbg_setting *list;
	size_t n_list;

	err = dbg_setting_list(r->dbg, &list, &n_list);
	if (err)
		return err;
	for (size_t i = 0; i < n_list; i++) {
		size_t n = strlen(list[i].name);
		if (strncmp(list[i].name, text, n) == 0 &&
		    strchr(" \t=", text[n])) {
			*ret = list[i];
			return NULL;
		}
	}
	size_t n = strcspn(text, " \t=");
	return fault_arg("There is no setting \"%.*s\"; see \"show\".",
			 n > 80 ? 80 : (int)n, text);
}

// The engine's part of a setting, if it has one of this name.
static struct dbg_error *
set_engine_too(struct repl *r, const struct setting *own, const char *value)
{
	struct dbg_error *err;
	struct dbg_setting engine = {0};

	err = find_engine(r, own->name, &engine);
	dbg_error_destroy(err);
	if (err)
		return NULL;
	// The engine has no word for no limit.
	if (own->kind == SETTING_COUNT && strcmp(value, "unlimited") == 0)
		value = "0";
	return dbg_set(r->dbg, own->name, value);
}

static struct dbg_error *cmd_set(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	struct dbg_setting engine = {0};
	const char *value;

	const struct setting *own = setting_find(call->args, &value);
	if (own) {
		err = set_own(r, own, value);
		return err ? err : set_engine_too(r, own, value);
	}
	size_t n = strcspn(call->args, " \t=");
	value = call->args + n + strspn(call->args + n, " \t");
	if (*value == '=')
		return fault_arg("There is no setting \"%.*s\"; \"set var\" "
				 "assigns to variables.",
				 n > 80 ? 80 : (int)n, call->args);
	err = find_engine(r, call->args, &engine);
	if (err)
		return err;
	value = call->args + strlen(engine.name);
	value += strspn(value, " \t");
	_cleanup_free_ char *name = alloc_str(engine.name);
	// It may change what a frame says of its source, and which one has
	// the selected number.
	r->has_frame = false;
	if (strncmp(name, "backtrace", strlen("backtrace")) == 0)
		r->level = 0;
	return dbg_set(r->dbg, name, value);
}

static struct dbg_error *set_var(struct repl *r, const struct call *call)
{
	struct dbg_value v;

	return dbg_assign(r->dbg, frame_id(r), call->args, NULL, &v);
}

static struct dbg_error *set_args(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	struct words words = {0};
	char *stdio[3] = {NULL, NULL, NULL};

	err = words_command(call->args, &words, stdio);
	if (err) {
		words_deinit(&words);
		for (int i = 0; i < 3; i++)
			free(stdio[i]);
		return err;
	}
	words_deinit(&r->args);
	r->args = words;
	for (int i = 0; i < 3; i++) {
		free(r->stdio[i]);
		r->stdio[i] = stdio[i];
	}
	return NULL;
}

// NAME=VALUE, NAME VALUE or NAME alone (set to nothing).
static struct dbg_error *set_env(struct repl *r, const struct call *call)
{
	size_t n = strcspn(call->args, " \t=");
	const char *value = call->args + n + strspn(call->args + n, " \t");

	if (!n)
		return fault_arg("A name is needed in front of the '='.");
	if (*value == '=')
		value += 1 + strspn(value + 1, " \t");
	_cleanup_free_ char *entry =
	    alloc_printf("%.*s=%s", (int)n, call->args, value);
	words_add(&r->env, entry, strlen(entry));
	return NULL;
}

static struct dbg_error *unset_env(struct repl *r, const struct call *call)
{
	if (strchr(call->args, '='))
		return fault_arg("\"%s\" is not the name of a variable.",
				 call->args);
	words_add(&r->env, call->args, strlen(call->args));
	return NULL;
}

static struct dbg_error *unset_substitute(struct repl *r,
					  const struct call *call)
{
	(void)call;
	return dbg_set(r->dbg, "substitute-path", "");
}

static struct dbg_error *set_cwd(struct repl *r, const struct call *call)
{
	alloc_replace(&r->cwd, *call->args ? call->args : NULL);
	return NULL;
}

static struct dbg_error *set_tty(struct repl *r, const struct call *call)
{
	alloc_replace(&r->tty, *call->args ? call->args : NULL);
	return NULL;
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

// Settings whose name begins with @prefix; how many were there?
static size_t show_matching(struct repl *r, const char *prefix)
{
	struct dbg_error *err;
	struct dbg_setting *list;
	const char *value;
	size_t len = strlen(prefix);
	size_t shown = 0;
	size_t n;

	for (size_t i = 0; i < N_SETTINGS; i++)
		if (strncmp(settings[i].name, prefix, len) == 0) {
			show_own(r, &settings[i]);
			shown++;
		}
	err = dbg_setting_list(r->dbg, &list, &n);
	for (size_t i = 0; !err && i < n; i++)
		if (strncmp(list[i].name, prefix, len) == 0 &&
		    !setting_find(list[i].name, &value)) {
			out(r, "%s: ", list[i].name);
			out_lines(r, *list[i].value ? list[i].value : "\n", 0,
				  "");
			shown++;
		}
	dbg_error_destroy(err);
	return shown;
}

static struct dbg_error *cmd_show(struct repl *r, const struct call *call)
{
	if (!show_matching(r, call->args))
		return fault_arg("There is no setting \"%s\"; see \"show\".",
				 call->args);
	return NULL;
}

static void show_words(const struct repl *r, const char *what,
		       const struct words *words)
{
	_cleanup_text_ struct text line = {0};

	for (size_t i = 0; i < words->n; i++) {
		text_addc(&line, ' ');
		words_quote(words->v[i], &line);
	}
	out(r, "%s:%s\n", what, text_get(&line));
}

static struct dbg_error *show_args(struct repl *r, const struct call *call)
{
	static const char *const streams[] = {"<", ">", "2>"};

	(void)call;
	show_words(r, "args", &r->args);
	for (int i = 0; i < 3; i++)
		if (r->stdio[i])
			out(r, "  %s %s\n", streams[i], r->stdio[i]);
	return NULL;
}

static struct dbg_error *show_env(struct repl *r, const struct call *call)
{
	(void)call;
	for (size_t i = 0; i < r->env.n; i++)
		out(r, "%s%s\n", strchr(r->env.v[i], '=') ? "" : "unset ",
		    r->env.v[i]);
	if (!r->env.n)
		out(r, "The program gets the debugger's environment.\n");
	return NULL;
}

static struct dbg_error *show_cwd(struct repl *r, const struct call *call)
{
	(void)call;
	out(r, "cwd: %s\n", r->cwd ? r->cwd : "the debugger's");
	return NULL;
}

static struct dbg_error *show_tty(struct repl *r, const struct call *call)
{
	(void)call;
	out(r, "inferior-tty: %s\n", r->tty ? r->tty : "the debugger's");
	return NULL;
}

static struct dbg_error *show_version(struct repl *r, const struct call *call)
{
	(void)call;
	out(r, "dndbg %s\n", r->options->version);
	return NULL;
}

void settings_apropos(struct repl *r, const char *word)
{
	struct dbg_error *err;
	struct dbg_setting *list;
	size_t n = 0;

	for (size_t i = 0; i < N_SETTINGS; i++)
		if (strcasestr(settings[i].name, word) ||
		    strcasestr(settings[i].help, word))
			out(r, "set %s -- %s\n", settings[i].name,
			    settings[i].help);
	err = dbg_setting_list(r->dbg, &list, &n);
	for (size_t i = 0; !err && i < n; i++)
		if (strcasestr(list[i].name, word) ||
		    strcasestr(list[i].help, word))
			out(r, "set %s -- %s\n", list[i].name, list[i].help);
	dbg_error_destroy(err);
}

void settings_complete(struct repl *r, const char *prefix, struct words *ret)
{
	struct dbg_error *err;
	struct dbg_setting *list;
	size_t len = strlen(prefix);
	size_t n;

	for (size_t i = 0; i < N_SETTINGS; i++)
		if (strncmp(settings[i].name, prefix, len) == 0)
			words_add(ret, settings[i].name,
				  strlen(settings[i].name));
	err = dbg_setting_list(r->dbg, &list, &n);
	for (size_t i = 0; !err && i < n; i++)
		if (strncmp(list[i].name, prefix, len) == 0)
			words_add(ret, list[i].name, strlen(list[i].name));
	dbg_error_destroy(err);
}

static struct dbg_error *set_next(struct repl *r, const struct call *call)
{
	return run_goto(r, call->args, false);
}

static const struct repl_cmd set_subs[] = {
    {
	.names = "next-statement",
	.args = "LOCATION",
	.help = "the statement to go on from, in the newest frame's method",
	.flags = CMD_NEEDS_STOP | CMD_NEEDS_ARGS,
	.complete = COMPLETE_LOCATIONS,
	.run = set_next,
    },
    {
	.names = "args",
	.args = "[ARGS] [< FILE] [> FILE] [2> FILE]",
	.help = "arguments for the next \"run\"",
	.complete = COMPLETE_PATHS,
	.run = set_args,
    },
    {
	.names = "environment env",
	.args = "NAME[=VALUE]",
	.help = "a variable of the program's environment",
	.flags = CMD_NEEDS_ARGS,
	.run = set_env,
    },
    {
	.names = "cwd",
	.args = "[DIRECTORY]",
	.help = "directory to start the program in",
	.complete = COMPLETE_PATHS,
	.run = set_cwd,
    },
    {
	.names = "inferior-tty",
	.args = "[TERMINAL]",
	.help = "terminal of the program",
	.complete = COMPLETE_PATHS,
	.run = set_tty,
    },
    {
	.names = "variable var",
	.args = "PLACE = EXPRESSION",
	.help = "assign to a variable, field or element",
	.flags = CMD_NEEDS_STOP | CMD_NEEDS_ARGS,
	.complete = COMPLETE_EXPRESSIONS,
	.run = set_var,
    },
    {.names = NULL},
};

static const struct repl_cmd show_subs[] = {
    {
	.names = "user",
	.args = "[COMMAND]",
	.help = "definitions of the commands that you made",
	.run = user_commands_show,
    },
    {
	.names = "args",
	.help = "arguments for the next \"run\"",
	.run = show_args,
    },
    {
	.names = "environment env",
	.help = "changes to the program's environment",
	.run = show_env,
    },
    {
	.names = "cwd",
	.help = "directory to start the program in",
	.run = show_cwd,
    },
    {
	.names = "inferior-tty",
	.help = "terminal of the program",
	.run = show_tty,
    },
    {
	.names = "version",
	.help = "version of dndbg",
	.run = show_version,
    },
    {.names = NULL},
};

static const struct repl_cmd unset_subs[] = {
    {
	.names = "environment env",
	.args = "NAME",
	.help = "take a variable out of the program's environment",
	.flags = CMD_NEEDS_ARGS,
	.run = unset_env,
    },
    {
	.names = "substitute-path",
	.help = "forget the rules for source paths",
	.run = unset_substitute,
    },
    {.names = NULL},
};

static const struct repl_cmd cmds[] = {
    {
	.names = "set",
	.args = "SETTING VALUE",
	.help = "change a setting",
	.more = "\"show\" lists all settings. \"set substitute-path FROM TO\" "
		"makes source paths that\nbegin with FROM begin with TO.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_SETTINGS,
	.run = cmd_set,
	.sub = set_subs,
    },
    {
	.names = "show",
	.args = "[SETTING]",
	.help = "show settings",
	.complete = COMPLETE_SETTINGS,
	.run = cmd_show,
	.sub = show_subs,
    },
    {
	.names = "unset",
	.args = "SETTING",
	.help = "undo a setting",
	.sub = unset_subs,
    },
    {
	.names = "tty",
	.args = "[TERMINAL]",
	.help = "terminal of the program, as \"set inferior-tty\"",
	.complete = COMPLETE_PATHS,
	.run = set_tty,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_settings = {"settings", "Settings", cmds};
