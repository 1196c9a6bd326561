/* Settings: the prompt's, and the few that only GDB/MI has. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/err.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

// Length of @name at the beginning of @text; 0: it is another word.
static size_t match(const char *name, const char *text)
{
	size_t n = strlen(name);

	return !strncmp(name, text, n) && (!text[n] || text[n] == ' ') ? n : 0;
}

/* ---- The session's own ------------------------------------------------- */

static bool is_on(const char *value)
{
	bool on = false;

	return !dbg_err_drop(dbg_parse_switch(value, &on)) && on;
}

static struct dbg_error *set_async(struct mi *m, const char *value)
{
	if (dbg_state(m->dbg) == DBG_RUNNING)
		return dbg_err(DBG_E_STATE, "Cannot change this setting while "
					    "the inferior is running.");
	m->async = is_on(value);
	return NULL;
}

static struct dbg_error *set_non_stop(struct mi *m, const char *value)
{
	(void)m;
	if (!is_on(value))
		return NULL;
	return dbg_err(DBG_E_UNSUPPORTED, "Non-stop mode is not supported: all "
					  "threads stop and go together.");
}

void mi_dialect(struct mi *m, enum mi_dialect dialect)
{
	if (m->dialect == dialect)
		return;
	m->dialect = dialect;
	m->values++;
	const char *on = dialect == MI_NETCOREDBG ? "on" : "off";
	static const char *const settings[] = {
	    "print for-editor", "print delegate-types", "print exception-types",
	    "backtrace caught"};

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		mi_warn(m, dbg_set(m->dbg, settings[i], on));
}

static struct dbg_error *set_dialect(struct mi *m, const char *value)
{
	bool plain = !strcmp(value, "netcoredbg");

	if (!plain && strcmp(value, "gdb"))
		return dbg_err(DBG_E_ARGUMENT,
			       "\"gdb\" or \"netcoredbg\" expected.");
	mi_dialect(m, plain ? MI_NETCOREDBG : MI_GDB);
	return NULL;
}

// These names are netcoredbg's, whose clients say them first.
static struct dbg_error *set_just_my_code(struct mi *m, const char *value)
{
	if (!strcmp(value, "0") || !strcmp(value, "1"))
		mi_dialect(m, MI_NETCOREDBG);
	return dbg_set(m->dbg, "just-my-code", value);
}

static struct dbg_error *set_filtering(struct mi *m, const char *value)
{
	mi_dialect(m, MI_NETCOREDBG);
	return dbg_set(m->dbg, "step-over-properties", value);
}

static struct dbg_error *set_hot_reload(struct mi *m, const char *value)
{
	mi_dialect(m, MI_NETCOREDBG);
	launch_config_env(m->launch, "DOTNET_MODIFIABLE_ASSEMBLIES",
			  is_on(value) ? "debug" : NULL);
	return NULL;
}

static const char *get_async(struct mi *m)
{
	return m->async ? "on" : "off";
}

static const char *get_non_stop(struct mi *m)
{
	(void)m;
	return "off";
}

static const char *get_dialect(struct mi *m)
{
	return m->dialect == MI_GDB ? "gdb" : "netcoredbg";
}

static const char *get_switch(struct mi *m, const char *name)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	bool plain = m->dialect == MI_NETCOREDBG;
	bool on = !strcmp(dbg_setting_get(m->dbg, name, arena), "on");

	if (plain)
		return on ? "1" : "0";
	return on ? "on" : "off";
}

static const char *get_just_my_code(struct mi *m)
{
	return get_switch(m, "just-my-code");
}

static const char *get_filtering(struct mi *m)
{
	mi_dialect(m, MI_NETCOREDBG);
	return get_switch(m, "step-over-properties");
}

static const char *get_prompt(struct mi *m)
{
	(void)m;
	return "(gdb) ";
}

struct own {
	const char *name;
	struct dbg_error *(*set)(struct mi *m, const char *value);
	const char *(*get)(struct mi *m);
};

static const struct own owns[] = {
    {"mi-async", set_async, get_async},
    {"target-async", set_async, get_async},
    {"non-stop", set_non_stop, get_non_stop},
    {"dialect", set_dialect, get_dialect},
    {"just-my-code", set_just_my_code, get_just_my_code},
    {"enable-step-filtering", set_filtering, get_filtering},
    {"enable-hot-reload", set_hot_reload, NULL},
    {"prompt", NULL, get_prompt},
};

static const struct own *find_own(const char *text)
{
	for (size_t i = 0; i < sizeof(owns) / sizeof(*owns); i++)
		if (match(owns[i].name, text))
			return &owns[i];
	return NULL;
}

/* ---- Commands ---------------------------------------------------------- */

bool mi_setting_own(struct mi *m, const char *text, struct dbg_error **ret)
{
	const struct own *own = find_own(text);

	if (!own || !own->set)
		return false;
	const char *value = text + strlen(own->name);
	*ret = own->set(m, value + strspn(value, " "));
	return true;
}

static struct dbg_error *set(struct mi *m, struct mi_call *call)
{
	_cleanup_str_ struct str line = {0};
	struct dbg_error *err;

	for (size_t i = 0; i < call->args.n; i++)
		str_addf(&line, "%s%s", i ? " " : "", call->args.v[i]);
	if (mi_setting_own(m, str_get(&line), &err))
		return err;
	// an assignment is an expression, with its quotes
	_cleanup_free_ char *cli = xasprintf(
	    "set %s",
	    !strncmp(call->rest, "var", 3) ? call->rest : str_get(&line));
	return mi_cli_quiet(m, cli, NULL);
}

void mi_setting_tell(struct mi *m, const char *text)
{
	_cleanup_str_ struct str t = {0};
	_cleanup_str_ struct str shown = {0};
	size_t n = 0;

	// the name is as many words as the prompt knows a setting by
	while (text[n]) {
		n += strspn(text + n, " ");
		n += strcspn(text + n, " ");
		_cleanup_free_ char *cli = xasprintf("show %.*s", (int)n, text);
		str_clear(&shown);
		dbg_error_destroy(mi_cli_quiet(m, cli, &shown));
		const char *s = str_get(&shown);
		if (strncmp(s, text, n) || s[n] != ':')
			continue;
		const char *value = s + n + 1 + strspn(s + n + 1, " ");
		str_clear(&t);
		record_strf(&t, "param", "%.*s", (int)n, text);
		record_strf(&t, "value", "%.*s", (int)strcspn(value, "\n"),
			    value);
	}
	if (t.len && m->dialect == MI_GDB)
		mi_send(m, "=cmd-param-changed", &t);
}

// "NAME: VALUE" as the prompt shows it.
static struct dbg_error *show_cli(struct mi *m, const char *name,
				  struct str *out)
{
	_cleanup_str_ struct str shown = {0};
	_cleanup_free_ char *cli = xasprintf("show %s", name);

	struct dbg_error *err = mi_cli_quiet(m, cli, &shown);
	if (err)
		return err;
	const char *s = str_get(&shown);
	const char *value = strchr(s, ':');
	value = value ? value + 1 + strspn(value + 1, " ") : s;
	record_strf(out, "value", "%.*s", (int)strcspn(value, "\n"), value);
	return NULL;
}

static struct dbg_error *show(struct mi *m, struct mi_call *call)
{
	_cleanup_str_ struct str name = {0};

	for (size_t i = 0; i < call->args.n; i++)
		str_addf(&name, "%s%s", i ? " " : "", call->args.v[i]);
	const struct own *own = find_own(str_get(&name));
	if (own && own->get)
		record_str(call->out, "value", own->get(m));
	else
		return show_cli(m, str_get(&name), call->out);
	return NULL;
}

const struct mi_cmd mi_setting_cmds[] = {
    {"gdb-set", 0, "SETTING VALUE", 1, MI_ANY, .run = set},
    {"gdb-show", 0, "SETTING", 1, MI_ANY, .run = show},
    {.name = NULL},
};
