/*
 * The attribute `symbolOptions`: where PDBs are searched, and for which
 * modules. It becomes settings of the engine.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dap/request/args.h"
#include "dap/dap_priv.h"
#include "base/err.h"
#include "dap/launch/setup.h"

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
static struct dbg_error *take_paths(struct dap *d, const cJSON *from)
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

static struct dbg_error *take_filter(struct dap *d, const cJSON *from)
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

static struct dbg_error *take_servers(struct dap *d, const cJSON *from)
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

struct dbg_error *symbol_options_take(struct dap *d, const cJSON *args,
				      const char *name)
{
	const cJSON *from = NULL;
	const cJSON *item;

	struct dbg_error *err = args_object(args, name, &from);
	if (!err)
		err = take_paths(d, from);
	if (!err)
		err = take_filter(d, from);
	if (!err)
		err = take_servers(d, from);
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
