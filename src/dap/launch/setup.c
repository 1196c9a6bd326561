/*
 * Attributes of launch.json, by a table: name, where it holds (launch, attach,
 * children), and the function that takes its value. What the client sent and
 * the table does not know is named to the user; a wrong value is an error and
 * changes nothing.
 */
#include "dap/launch/setup.h"
#include "dap/dap_priv.h"
#include "dap/launch/envfile.h"
#include "dap/request/args.h"
#include "dap/wire/emit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Paths as launch.json has them --------------------------------------- */

/*
 * File:// and ~ resolved, relative ones looked for below `cwd` and below
 * dndbg's own directory, backslashes tried as slashes.
 */

static bool exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

// A program that is named without its directory is looked for in PATH.
static bool is_there(const char *path, const char *given)
{
	struct stat st;

	if (strchr(given, '/'))
		return exists(path);
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

// ~ alone or in front of a slash.
static char *without_tilde(const char *path)
{
	const char *home = getenv("HOME");

	if (*path != '~' || (path[1] && path[1] != '/') || !home)
		return xstrdup(path);
	return xasprintf("%s%s", home, path + 1);
}

// Below @s's directory, or as it is; NULL: at neither.
static char *find(const struct setup *s, const char *path)
{
	if (*path != '/' && s->launch.cwd) {
		char *below = xasprintf("%s/%s", s->launch.cwd, path);
		if (is_there(below, path))
			return below;
		free(below);
	}
	return is_there(path, path) ? xstrdup(path) : NULL;
}

// Make a path absolute by our own directory: programs start in other ones.
static char *absolute(char *path)
{
	char own[PATH_MAX];

	if (*path == '/' || !getcwd(own, sizeof(own)))
		return path;
	char *whole = xasprintf("%s/%s", own, path);
	free(path);
	return whole;
}

/*
 * A path of launch.json as it is to be opened: file:// and ~ are resolved;
 * what is relative is tried below the working directory of @s, then below our
 * own directory, each as it is and with backslashes turned. *@ret is replaced.
 */
static struct dbg_error *setup_path(const struct setup *s, const char *given,
				    char **ret)
{
	_cleanup_free_ char *decoded = NULL;
	struct dbg_error *err = body_path(given, &decoded);

	if (err)
		return err;
	_cleanup_free_ char *path = without_tilde(decoded);
	char *found = find(s, path);
	if (!found && strchr(path, '\\')) {
		_cleanup_free_ char *turned = xstrdup(path);
		for (char *p = turned; (p = strchr(p, '\\'));)
			*p = '/';
		free(path);
		path = without_tilde(turned);
		found = find(s, path);
	}
	free(*ret);
	*ret = found ? absolute(found) : xstrdup(path);
	return NULL;
}

/* ---- Symbol options -------------------------------------------------- */

/*
 * The attribute `symbolOptions`: where PDBs are searched, and for which
 * modules. It becomes settings of the engine.
 */

static void setup_not_served(struct dap *d, const char *name);

static void no_server(struct dap *d, const char *what)
{
	dap_say(d,
		"Symbols are looked for in files only: '%s' has no effect. "
		"Download them, and name the directory in "
		"'symbolOptions.searchPaths'.",
		what);
}

// Append the string @item to a list with @mark between.
static struct dbg_error *add_one(const char *name, const cJSON *item, char mark,
				 struct str *ret)
{
	if (!cJSON_IsString(item))
		return dbg_err_arg("'%s' must hold strings only", name);
	if (!*item->valuestring)
		return NULL;
	if (strchr(item->valuestring, mark))
		return dbg_err_arg("'%s' in '%s' has a '%c' in it",
				   item->valuestring, name, mark);
	if (ret->len)
		str_addc(ret, mark);
	str_add(ret, item->valuestring);
	return NULL;
}

static bool is_server(const cJSON *item)
{
	return cJSON_IsString(item) && strstr(item->valuestring, "://") &&
	       strncmp(item->valuestring, "file://", 7);
}

static struct dbg_error *add_dir(struct dap *d, const cJSON *item,
				 struct str *dirs)
{
	char *dir = NULL;
	struct dbg_error *err = NULL;

	if (cJSON_IsString(item) && *item->valuestring)
		err = setup_path(&d->setup, item->valuestring, &dir);
	cJSON *path = dir ? cJSON_CreateString(dir) : NULL;
	if (!err)
		err = add_one("searchPaths", path ? path : item, ':', dirs);
	cJSON_Delete(path);
	free(dir);
	return err;
}

// Addresses of servers are taken out of @from.
static struct dbg_error *parse_paths(struct dap *d, const cJSON *from)
{
	const cJSON *list = NULL;
	const cJSON *item;
	_cleanup_str_ struct str dirs = {0};

	struct dbg_error *err = args_array(from, "searchPaths", &list);
	cJSON_ArrayForEach(item, list)
	{
		if (is_server(item))
			no_server(d, item->valuestring);
		else if (!err)
			err = add_dir(d, item, &dirs);
	}
	return err ? err
		   : dbg_set(d->dbg, "debug-file-directory", str_get(&dirs));
}

static struct dbg_error *parse_filter(struct dap *d, const cJSON *from)
{
	const cJSON *filter = NULL;
	const cJSON *list = NULL;
	const cJSON *item;
	const char *mode = "loadAllButExcluded";
	bool beside = true;
	_cleanup_str_ struct str names = {0};

	struct dbg_error *err = args_object(from, "moduleFilter", &filter);
	if (!err && filter)
		err = args_word(filter, "mode", &mode);
	if (!err && filter)
		err = args_bool(filter, "includeSymbolsNextToModules", &beside);
	if (err || !filter)
		return err;
	bool only = !strcmp(mode, "loadOnlyIncluded");
	if (!only && strcmp(mode, "loadAllButExcluded"))
		return dbg_err_arg(
		    "'mode' in 'moduleFilter' must be "
		    "loadAllButExcluded or loadOnlyIncluded, not "
		    "'%s'",
		    mode);
	const char *key = only ? "includedModules" : "excludedModules";
	err = args_array(filter, key, &list);
	cJSON_ArrayForEach(item, list)
	{
		if (!err)
			err = add_one(key, item, ',', &names);
	}
	if (err)
		return err;
	// all but nothing are all, and nothing alone is none
	_cleanup_free_ char *rule =
	    only || names.len ? xasprintf("%s%s",
					  !only    ? "!"
					  : beside ? "+"
						   : "",
					  names.len ? str_get(&names) : "-")
			      : xstrdup("");
	return dbg_set(d->dbg, "symbol-modules", rule);
}

static const char *const members[] = {
    "searchMicrosoftSymbolServer",
    "searchNuGetOrgSymbolServer",
    "searchPaths",
    "moduleFilter",
};

enum {
	N_SERVERS = 2,
	N_MEMBERS = sizeof(members) / sizeof(*members),
};

static struct dbg_error *servers_refuse(struct dap *d, const cJSON *from)
{
	struct dbg_error *err = NULL;

	for (size_t i = 0; !err && i < N_SERVERS; i++) {
		bool on = false;
		err = args_bool(from, members[i], &on);
		if (!err && on)
			no_server(d, members[i]);
	}
	return err;
}

static bool is_known(const char *name)
{
	for (size_t i = 0; i < N_MEMBERS; i++)
		if (!strcmp(members[i], name))
			return true;
	return false;
}

/* The attribute `symbolOptions`. */
static struct dbg_error *symbol_options_take(struct dap *d, const cJSON *args,
					     const char *name)
{
	const cJSON *from = NULL;
	const cJSON *item;

	struct dbg_error *err = args_object(args, name, &from);
	if (!err)
		err = parse_paths(d, from);
	if (!err)
		err = parse_filter(d, from);
	if (!err)
		err = servers_refuse(d, from);
	if (err)
		return err;
	cJSON_ArrayForEach(item, from)
	{
		// what a template leaves empty is not wanted
		if (is_known(item->string) || cJSON_IsFalse(item) ||
		    cJSON_IsNull(item) ||
		    (cJSON_IsString(item) && !*item->valuestring))
			continue;
		_cleanup_free_ char *full =
		    xasprintf("%s.%s", name, item->string);
		setup_not_served(d, full);
	}
	return NULL;
}

/* ---- Setting up ------------------------------------------------------ */

enum {
	FOR_LAUNCH = 1,
	FOR_ATTACH = 2,
	FOR_BOTH = 3,
	FOR_CHILD = 4, /* holds for the sessions of children too */
	OBJECT = 8,    /* false is as good as absent */
};

// The attribute has a value.
typedef struct dbg_error *parse_fn(struct dap *d, const cJSON *args,
				   const char *name);

struct attribute {
	const char *name;
	unsigned int where;
	parse_fn *take; /* NULL: nothing to do here */
};

// Clients fill in what their user left out.
static bool is_empty(const cJSON *item)
{
	return !item || cJSON_IsNull(item) ||
	       (cJSON_IsString(item) && !*item->valuestring);
}

void setup_deinit(struct setup *s)
{
	free(s->name);
	free(s->process_name);
	free(s->core);
	free(s->settings_file);
	free(s->profile);
	if (s->output_copy)
		fclose(s->output_copy);
	launch_config_deinit(&s->launch);
	cJSON_Delete(s->for_children);
	*s = (struct setup){0};
}

/* ---- The program ----------------------------------------------------- */

static struct dbg_error *parse_text(const cJSON *args, const char *name,
				    char **to)
{
	const char *s = NULL;
	struct dbg_error *err = args_str(args, name, &s);

	if (!err)
		str_set(to, s);
	return err;
}

static struct dbg_error *parse_name(struct dap *d, const cJSON *args,
				    const char *name)
{
	return parse_text(args, name, &d->setup.name);
}

// A path, as it is to be opened.
static struct dbg_error *parse_path(struct dap *d, const cJSON *args,
				    const char *name, char **to)
{
	const char *s = NULL;
	struct dbg_error *err = args_str(args, name, &s);

	return err ? err : setup_path(&d->setup, s, to);
}

static struct dbg_error *parse_program(struct dap *d, const cJSON *args,
				       const char *name)
{
	return parse_path(d, args, name, &d->setup.launch.program);
}

static struct dbg_error *parse_cwd(struct dap *d, const cJSON *args,
				   const char *name)
{
	return parse_path(d, args, name, &d->setup.launch.cwd);
}

/*
 * An element of `args`, a value of `env`: a string, or a number or a truth
 * value as it was written. The caller frees it; NULL: none of these.
 */
static char *scalar_text(const cJSON *item)
{
	if (cJSON_IsString(item))
		return xstrdup(item->valuestring);
	if (!cJSON_IsNumber(item) && !cJSON_IsBool(item))
		return NULL;
	char *json = cJSON_PrintUnformatted(item);
	char *text = json ? xstrdup(json) : NULL;
	cJSON_free(json);
	return text;
}

static struct dbg_error *parse_args(struct dap *d, const cJSON *args,
				    const char *name)
{
	const cJSON *list = args_get(args, name);
	const cJSON *item;

	struct launch_config *launch = &d->setup.launch;
	struct redirection redirection;
	bool awaited = false;

	words_clear(&launch->args);
	if (cJSON_IsString(list))
		return launch_config_args(launch, list->valuestring);
	if (!cJSON_IsArray(list))
		return dbg_err_arg(
		    "'%s' must be an array of strings or a string", name);
	cJSON_ArrayForEach(item, list)
	{
		_cleanup_free_ char *word = scalar_text(item);
		if (!word)
			return dbg_err_arg("'%s' must hold strings only", name);
		if (awaited) {
			words_redirect(&redirection, word, launch->stdio);
			awaited = false;
		} else if (!words_redirection(word, &redirection)) {
			words_add(&launch->args, word, strlen(word));
		} else if (redirection.copies) {
			words_redirect(&redirection, NULL, launch->stdio);
		} else {
			awaited = true;
		}
	}
	return awaited ? dbg_err_arg("'%s' ends with a redirection, whose "
				     "file is missing",
				     name)
		       : NULL;
}

static struct dbg_error *parse_env(struct dap *d, const cJSON *args,
				   const char *name)
{
	const cJSON *env = NULL;
	const cJSON *item;

	struct dbg_error *err = args_object(args, name, &env);
	if (err)
		return err;
	cJSON_ArrayForEach(item, env)
	{
		if (!*item->string && is_empty(item))
			continue;
		if (!*item->string || strchr(item->string, '='))
			return dbg_err_arg("'%s' is not the name of a variable",
					   item->string);
		_cleanup_free_ char *value = scalar_text(item);
		if (!value && !cJSON_IsNull(item))
			return dbg_err_arg("'%s' in '%s' must be a string, or "
					   "null to remove it",
					   item->string, name);
		launch_config_env(&d->setup.launch, item->string, value);
	}
	return NULL;
}

static struct dbg_error *parse_env_file(struct dap *d, const cJSON *args,
					const char *name)
{
	_cleanup_free_ char *path = NULL;
	struct envfile_odd odd = {0};
	struct dbg_error *err = parse_path(d, args, name, &path);

	if (!err)
		err = envfile_read(path, &d->setup.launch.env, &odd);
	if (!err && odd.n)
		dap_say(d,
			"Line %zu of '%s' is no NAME=VALUE%s; it is passed "
			"over.",
			odd.first, path, odd.n > 1 ? ", nor are others" : "");
	return err;
}

static struct dbg_error *parse_profile(struct dap *d, const cJSON *args,
				       const char *name)
{
	return parse_text(args, name, &d->setup.profile);
}

static struct dbg_error *parse_settings_file(struct dap *d, const cJSON *args,
					     const char *name)
{
	return parse_path(d, args, name, &d->setup.settings_file);
}

static struct dbg_error *parse_entry(struct dap *d, const cJSON *args,
				     const char *name)
{
	return args_bool(args, name, &d->setup.stop_at_entry);
}

static struct dbg_error *parse_no_debug(struct dap *d, const cJSON *args,
					const char *name)
{
	return args_bool(args, name, &d->setup.no_debug);
}

// vsdbg's older word for a console.
static struct dbg_error *parse_external(struct dap *d, const cJSON *args,
					const char *name)
{
	bool on = false;
	struct dbg_error *err = args_bool(args, name, &on);

	if (!err && on)
		d->setup.console = SETUP_CONSOLE_EXTERNAL;
	return err;
}

static struct dbg_error *parse_output_copy(struct dap *d, const cJSON *args,
					   const char *name)
{
	_cleanup_free_ char *path = NULL;
	int fd;
	struct dbg_error *err = parse_path(d, args, name, &path);

	if (!err)
		err = dbg_open_file(path, O_WRONLY | O_CREAT | O_TRUNC, true,
				    &fd);
	if (err)
		return dbg_err_prefix(err, "'%s'", name);
	if (d->setup.output_copy)
		fclose(d->setup.output_copy);
	d->setup.output_copy = fdopen(fd, "w");
	return NULL;
}

static struct dbg_error *parse_architecture(struct dap *d, const cJSON *args,
					    const char *name)
{
	const char *s = "x86_64";
	struct dbg_error *err = args_str(args, name, &s);

	if (!err && strcmp(s, "x86_64") && strcmp(s, "x64"))
		dap_say(d,
			"The attribute '%s' has no effect: programs are of "
			"this machine, x86_64.",
			name);
	return err;
}

static struct dbg_error *parse_console(struct dap *d, const cJSON *args,
				       const char *name)
{
	static const char *const names[] = {
	    "internalConsole",
	    "integratedTerminal",
	    "externalTerminal",
	};
	const char *s = NULL;

	struct dbg_error *err = args_str(args, name, &s);
	if (err)
		return err;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(s, names[i])) {
			d->setup.console = (enum setup_console)i;
			return NULL;
		}
	return dbg_err_arg(
	    "'%s' must be internalConsole, integratedTerminal or "
	    "externalTerminal, not '%s'",
	    name, s);
}

/* ---- The process to attach to ---------------------------------------- */

static struct dbg_error *parse_pid(struct dap *d, const cJSON *args,
				   const char *name)
{
	const cJSON *item = args_get(args, name);
	uint64_t pid = 0;

	if (cJSON_IsString(item)) {
		if (!args_parse_addr(item->valuestring, &pid))
			return dbg_err_arg("'%s' must be a process number, not "
					   "'%s'",
					   name, item->valuestring);
	} else {
		struct dbg_error *err = args_u64(args, name, &pid);
		if (err)
			return err;
	}
	if (pid > INT32_MAX)
		return dbg_err_arg("'%s' is no process number", name);
	d->setup.pid = (uint32_t)pid;
	return NULL;
}

static struct dbg_error *parse_process_name(struct dap *d, const cJSON *args,
					    const char *name)
{
	return parse_text(args, name, &d->setup.process_name);
}

static struct dbg_error *parse_core(struct dap *d, const cJSON *args,
				    const char *name)
{
	return parse_path(d, args, name, &d->setup.core);
}

static struct dbg_error *parse_hot_reload(struct dap *d, const cJSON *args,
					  const char *name)
{
	bool on = false;
	struct dbg_error *err = args_bool(args, name, &on);

	if (!err && on)
		launch_config_env(&d->setup.launch,
				  "DOTNET_MODIFIABLE_ASSEMBLIES", "debug");
	return err;
}

/* ---- Settings of the engine ------------------------------------------ */

struct switch_of {
	const char *attribute, *setting;
};

// Attributes that are settings of the engine, on or off.
static const struct switch_of switches[] = {
    {"justMyCode", "just-my-code"},
    {"enableStepFiltering", "step-over-properties"},
    {"requireExactSource", "require-exact-source"},
    {"suppressJITOptimizations", "suppress-jit-optimizations"},
    {"showRuntimeThreads", "runtime-threads"},
};

/* An attribute that has no effect: tell the user. */
static void setup_not_served(struct dap *d, const char *name)
{
	dap_say(d, "The attribute '%s' is not served; it has no effect.", name);
}

static struct dbg_error *parse_switch(struct dap *d, const cJSON *args,
				      const char *name)
{
	bool on = false;

	struct dbg_error *err = args_bool(args, name, &on);
	for (size_t i = 0; !err && i < sizeof(switches) / sizeof(*switches);
	     i++)
		if (!strcmp(switches[i].attribute, name))
			err = dbg_set(d->dbg, switches[i].setting,
				      on ? "on" : "off");
	return err;
}

// A setting of the engine: a word or a number.
static struct dbg_error *parse_setting(struct dap *d, const cJSON *args,
				       const char *name)
{
	static const struct switch_of settings[] = {
	    {"evaluation", "evaluation"},
	    {"callTimeout", "call-timeout"},
	    {"callThreads", "call-threads"},
	};
	const cJSON *item = args_get(args, name);
	char number[32];
	const char *value = number;

	if (cJSON_IsString(item))
		value = item->valuestring;
	else if (cJSON_IsNumber(item))
		snprintf(number, sizeof(number), "%.0f", item->valuedouble);
	else
		return dbg_err_arg("'%s' must be a word or a number", name);
	const struct switch_of *s = settings;
	while (strcmp(s->attribute, name))
		s++;
	struct dbg_error *err = dbg_set(d->dbg, s->setting, value);
	return err ? dbg_err_prefix(err, "'%s'", name) : NULL;
}

// vsdbg's option. What the client evaluates of its own accord calls nothing
// unless allowImplicitFuncEval is set.
static struct dbg_error *parse_evaluation(struct dap *d, const cJSON *args,
					  const char *name)
{
	const cJSON *options = NULL;
	bool raw = false;

	struct dbg_error *err = args_object(args, name, &options);
	if (!err)
		err = args_bool(options, "allowImplicitFuncEval",
				&d->setup.implicit_calls);
	if (!err)
		err = args_bool(options, "showRawValues", &raw);
	if (!err && args_get(options, "showRawValues"))
		err = dbg_set(d->dbg, "print raw-values", raw ? "on" : "off");
	return err;
}

// true: all that the program starts; a string: the engine's words.
static struct dbg_error *parse_follow(struct dap *d, const cJSON *args,
				      const char *name)
{
	const cJSON *item = args_get(args, name);

	const char *what = cJSON_IsTrue(item) ? "on" : "off";
	if (cJSON_IsString(item))
		what = item->valuestring;
	else if (!cJSON_IsBool(item))
		return dbg_err_arg("'%s' must be true, false or the name of a "
				   "program",
				   name);
	if (strcmp(what, "off") && !d->client.start_debugging)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "this client starts no sessions for children: "
			       "leave '%s' out",
			       name);
	return dbg_set(d->dbg, "follow-exec", what);
}

// The client has made it.
static struct dbg_error *take_pipe(struct dap *d, const cJSON *args,
				   const char *name)
{
	const cJSON *pipe = NULL;
	struct dbg_error *err = args_object(args, name, &pipe);

	d->setup.piped = pipe != NULL;
	return err;
}

static struct dbg_error *take_woken(struct dap *d, const cJSON *args,
				    const char *name)
{
	return args_bool(args, name, &d->setup.wake);
}

static struct dbg_error *add_rule(struct dap *d, const cJSON *item,
				  const char *name)
{
	_cleanup_free_ char *dir = NULL;

	if (!cJSON_IsString(item))
		return dbg_err_arg("'%s' in '%s' must be a string",
				   item->string, name);
	if (strchr(item->string, '"'))
		return dbg_err_arg("'%s' in '%s' has a quote in it",
				   item->string, name);
	struct dbg_error *err = setup_path(&d->setup, item->valuestring, &dir);
	if (err)
		return err;
	_cleanup_free_ char *rule = xasprintf("\"%s\" %s", item->string, dir);
	return dbg_set(d->dbg, "substitute-path", rule);
}

static struct dbg_error *parse_source_map(struct dap *d, const cJSON *args,
					  const char *name)
{
	const cJSON *map = NULL;
	const cJSON *item;

	struct dbg_error *err = args_object(args, name, &map);
	cJSON_ArrayForEach(item, map)
	{
		if (err)
			break;
		if (*item->string && !is_empty(item))
			err = add_rule(d, item, name);
	}
	return err;
}

// The switch that an entry of `logging` sets.
static bool *logging_flag(struct setup *s, const char *name)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
	    {"programOutput", &s->program_output},
	    {"threadExit", &s->thread_exit},
	    {"processExit", &s->process_exit},
	    {"moduleLoad", &s->module_load},
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (!strcmp(flags[i].name, name))
			return flags[i].flag;
	return NULL;
}

// Entries of `logging` by which other debuggers log themselves: accepted,
// without effect here.
static bool is_silent(const char *name)
{
	static const char *const names[] = {
	    "engineLogging", "diagnosticsLog",      "elapsedTiming",
	    "browserStdOut", "consoleUsageMessage",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static struct dbg_error *parse_debug_output(struct setup *s, const cJSON *item)
{
	if (cJSON_IsString(item) && !strcmp(item->valuestring, "auto"))
		s->debug_output = ECHO_AUTO;
	else if (cJSON_IsBool(item))
		s->debug_output = cJSON_IsTrue(item) ? ECHO_ALL : ECHO_NONE;
	else
		return dbg_err_arg("'%s' must be true, false or auto",
				   item->string);
	return NULL;
}

static struct dbg_error *parse_logging(struct dap *d, const cJSON *args,
				       const char *name)
{
	const cJSON *log = NULL;
	const cJSON *item;

	struct dbg_error *err = args_object(args, name, &log);
	cJSON_ArrayForEach(item, log)
	{
		bool *flag = logging_flag(&d->setup, item->string);
		bool debug = !strcmp(item->string, "debugOutput");
		if (!err && flag)
			err = args_bool(log, item->string, flag);
		if (!err && debug && !is_empty(item))
			err = parse_debug_output(&d->setup, item);
		// what is off is not wanted
		if (err || flag || debug || cJSON_IsFalse(item) ||
		    is_silent(item->string))
			continue;
		_cleanup_free_ char *full =
		    xasprintf("%s.%s", name, item->string);
		setup_not_served(d, full);
	}
	return err;
}

/* ---- The table ------------------------------------------------------- */

static const struct attribute attributes[] = {
    {"name", FOR_BOTH, parse_name},
    {"cwd", FOR_LAUNCH, parse_cwd}, // others are relative to it
    {"program", FOR_BOTH, parse_program},
    {"args", FOR_LAUNCH | OBJECT, parse_args},
    {"envFile", FOR_LAUNCH, parse_env_file},
    {"env", FOR_LAUNCH | OBJECT, parse_env},
    {"launchSettingsFilePath", FOR_LAUNCH, parse_settings_file},
    {"launchSettingsProfile", FOR_LAUNCH, parse_profile},
    {"stopAtEntry", FOR_LAUNCH, parse_entry},
    {"externalConsole", FOR_LAUNCH, parse_external},
    {"console", FOR_LAUNCH, parse_console},
    {"targetOutputLogPath", FOR_LAUNCH, parse_output_copy},
    {"targetArchitecture", FOR_BOTH, parse_architecture},
    {"noDebug", FOR_LAUNCH, parse_no_debug},
    {"hotReload", FOR_LAUNCH, parse_hot_reload},
    {"processId", FOR_ATTACH, parse_pid},
    {"processName", FOR_ATTACH, parse_process_name},
    {"coreDumpPath", FOR_ATTACH, parse_core},
    {"justMyCode", FOR_BOTH | FOR_CHILD, parse_switch},
    {"enableStepFiltering", FOR_BOTH | FOR_CHILD, parse_switch},
    {"requireExactSource", FOR_BOTH | FOR_CHILD, parse_switch},
    {"suppressJITOptimizations", FOR_BOTH | FOR_CHILD, parse_switch},
    {"showRuntimeThreads", FOR_BOTH | FOR_CHILD, parse_switch},
    {"evaluation", FOR_BOTH | FOR_CHILD, parse_setting},
    {"callTimeout", FOR_BOTH | FOR_CHILD, parse_setting},
    {"callThreads", FOR_BOTH | FOR_CHILD, parse_setting},
    {"expressionEvaluationOptions", FOR_BOTH | FOR_CHILD | OBJECT,
     parse_evaluation},
    {"followChildren", FOR_BOTH | FOR_CHILD, parse_follow},
    {"__wake", FOR_ATTACH, take_woken},
    {"symbolOptions", FOR_BOTH | FOR_CHILD | OBJECT, symbol_options_take},
    {"sourceFileMap", FOR_BOTH | FOR_CHILD | OBJECT, parse_source_map},
    {"logging", FOR_BOTH | FOR_CHILD | OBJECT, parse_logging},
    // the client's own
    {"type", FOR_BOTH | FOR_CHILD, NULL},
    {"request", FOR_BOTH, NULL},
    {"mode", FOR_BOTH, NULL},
    {"restart", FOR_BOTH, NULL},
    {"preLaunchTask", FOR_BOTH, NULL},
    {"postDebugTask", FOR_BOTH, NULL},
    {"internalConsoleOptions", FOR_BOTH, NULL},
    {"debugServer", FOR_BOTH, NULL},
    {"presentation", FOR_BOTH, NULL},
    {"serverReadyAction", FOR_BOTH, NULL},
    {"pipeTransport", FOR_BOTH | FOR_CHILD | OBJECT, take_pipe},
    {"suppressMultipleSessionWarning", FOR_BOTH, NULL},
    {"sourceLinkOptions", FOR_BOTH | FOR_CHILD, NULL},
    {"allowFastEvaluate", FOR_BOTH | FOR_CHILD, NULL},
    {"dockerOptions", FOR_BOTH, NULL},
    {"checkForDevCert", FOR_LAUNCH, NULL},
    {"linux", FOR_BOTH, NULL},
    {"osx", FOR_BOTH, NULL},
    {"windows", FOR_BOTH, NULL},
};

static const struct attribute *attribute_find(const char *name)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (!strcmp(attributes[i].name, name))
			return &attributes[i];
	return NULL;
}

static void name_unknown(struct dap *d, const cJSON *args, unsigned int where)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, args)
	{
		const struct attribute *a = attribute_find(item->string);
		// VS Code adds some of its own, all with two underscores
		if (!strncmp(item->string, "__", 2) || is_empty(item) ||
		    cJSON_IsFalse(item) || (a && (a->where & where)))
			continue;
		if (a)
			dap_say(d,
				"The attribute '%s' has no meaning for '%s'; "
				"it has no effect.",
				item->string,
				where == FOR_LAUNCH ? "launch" : "attach");
		else
			setup_not_served(d, item->string);
	}
}

// The type is what the client knows us by; VS Code knows that itself.
static cJSON *for_children(const struct dap *d, const cJSON *args)
{
	cJSON *some = cJSON_CreateObject();

	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
		const char *name = attributes[i].name;
		const cJSON *item = args_get(args, name);
		if (item && attributes[i].where & FOR_CHILD)
			cJSON_AddItemToObject(some, name,
					      cJSON_Duplicate(item, true));
	}
	if (!args_get(some, "type") && d->client.adapter)
		cJSON_AddStringToObject(some, "type", d->client.adapter);
	return some;
}

void setup_child(const struct setup *s, struct str *t)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, s->for_children)
	{
		char *json = cJSON_PrintUnformatted(item);
		if (json)
			emit_json(t, item->string, json);
		cJSON_free(json);
	}
}

static struct dbg_error *setup_check(const struct setup *s)
{
	if (!s->attach && (!s->launch.program || !*s->launch.program))
		return dbg_err_arg("'program' is missing: name the .dll or the "
				   "executable to debug");
	if (s->attach && !s->pid && !s->process_name && !s->core)
		return dbg_err_arg(
		    "'processId' is missing: name the process to "
		    "attach to, or a core dump by 'coreDumpPath'");
	return NULL;
}

/*
 * launchSettings.json: launch.json wants none of it if it names an empty
 * profile. A file that nobody has named does not keep the program from
 * starting, nor does one that is not there.
 */
static struct dbg_error *settings_take(struct dap *d, const cJSON *args)
{
	const cJSON *profile =
	    cJSON_GetObjectItemCaseSensitive(args, "launchSettingsProfile");
	const struct setup *s = &d->setup;

	if (profile && is_empty(profile))
		return NULL;
	struct dbg_error *err = profile_take(&d->setup);
	if (!err || s->settings_file || (s->profile && err->code != DBG_E_FILE))
		return err;
	dap_say(d, "%s; the program is started without its profiles.",
		err->message);
	dbg_error_destroy(err);
	return NULL;
}

static struct dbg_error *parse_all(struct dap *d, const cJSON *args,
				   bool attach)
{
	unsigned int where = attach ? FOR_ATTACH : FOR_LAUNCH;

	d->setup.attach = attach;
	if (!attach)
		launch_config_copy(&d->setup.launch, &d->options->launch);
	d->setup.program_output = true;
	d->setup.process_exit = true;
	d->setup.implicit_calls = d->options->netcoredbg;
	struct dbg_error *err = dbg_set(d->dbg, "follow-exec", "auto");
	if (!err)
		err = dbg_set(d->dbg, "backtrace external",
			      d->options->netcoredbg ? "on" : "off");
	if (!err)
		err = dbg_set(d->dbg, "print delegate-types",
			      d->options->netcoredbg ? "on" : "off");
	if (!err)
		err = dbg_set(d->dbg, "runtime-threads", "off");
	if (!err)
		err = dbg_set(d->dbg, "print for-editor", "on");
	if (!err)
		err = dbg_set(d->dbg, "print elements", "1024");
	if (err)
		return err;
	// In the order of the table: `env` comes over `envFile`.
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
		const struct attribute *a = &attributes[i];
		const cJSON *item = args_get(args, a->name);
		if (!(a->where & where) || !a->take || is_empty(item) ||
		    (a->where & OBJECT && cJSON_IsFalse(item)))
			continue;
		err = a->take(d, args, a->name);
		if (err)
			return err;
	}
	d->setup.for_children = for_children(d, args);
	name_unknown(d, args, where);
	err = setup_check(&d->setup);
	if (!err && d->setup.no_debug)
		err = dbg_set(d->dbg, "follow-exec", "off");
	if (!err && !attach)
		err = settings_take(d, args);
	return err;
}

struct dbg_error *setup_take(struct dap *d, const cJSON *args, bool attach)
{
	struct setup before = d->setup;

	d->setup = (struct setup){0};
	struct dbg_error *err = parse_all(d, args, attach);
	// what is wrong changes nothing
	if (err) {
		setup_deinit(&d->setup);
		d->setup = before;
	} else {
		setup_deinit(&before);
	}
	return err;
}
