/*
 * Variables from files: `envFile` (lines NAME=VALUE) and the profiles of
 * launchSettings.json, whose variables, arguments and addresses count less than
 * those of launch.json.
 */
#include "dap/launch/envfile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "dap/request/args.h"
#include "base/err.h"
#include "dap/launch/setup.h"

enum {
	FILE_MAX_BYTES = 1 << 20
};

static struct dbg_error *read_all(const char *path, struct str *ret)
{
	char buf[4096];
	ssize_t n = 0;
	int fd;

	struct dbg_error *err = dbg_open_file(path, O_RDONLY, false, &fd);
	if (err)
		return err;
	while (ret->len <= FILE_MAX_BYTES &&
	       (n = read(fd, buf, sizeof(buf))) > 0)
		str_addn(ret, buf, (size_t)n);
	int failed = n < 0 ? errno : 0;
	close(fd);
	if (failed)
		return dbg_err(DBG_E_FILE, "cannot read '%s': %s", path,
			       strerror(failed));
	if (ret->len > FILE_MAX_BYTES || memchr(str_get(ret), 0, ret->len))
		return dbg_err(DBG_E_FORMAT, "'%s' is too large or no text",
			       path);
	return NULL;
}

static void trim(const char **s, size_t *n)
{
	while (*n && isspace((unsigned char)**s)) {
		(*s)++;
		(*n)--;
	}
	while (*n && isspace((unsigned char)(*s)[*n - 1]))
		(*n)--;
}

/*
 * A value without its quotes, and without a comment behind them; what stands
 * in double quotes may have `\n` for a new line.
 */
static void add_value(const char *value, size_t n, struct str *ret)
{
	char quote = n ? *value : 0;
	const char *end = quote == '"' || quote == '\''
			      ? memchr(value + 1, quote, n - 1)
			      : NULL;
	const char *rest = end ? end + 1 : value;
	size_t n_rest = n - (size_t)(rest - value);

	trim(&rest, &n_rest);
	if (!end || (n_rest && *rest != '#')) {
		str_addn(ret, value, n);
		return;
	}
	for (value++; value < end; value++) {
		if (quote == '"' && value[0] == '\\' && value[1] == 'n') {
			str_addc(ret, '\n');
			value++;
		} else {
			str_addc(ret, *value);
		}
	}
}

/* @n bytes that may be a variable's name: no blank is among them. */
static bool is_name(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isspace((unsigned char)s[i]))
			return false;
	return n > 0;
}

// Skip "export", which files for a shell have before the name.
static void skip_export(const char **s, size_t *n)
{
	static const char word[] = "export";
	size_t len = sizeof(word) - 1;

	if (*n <= len || strncmp(*s, word, len) ||
	    !isspace((unsigned char)(*s)[len]))
		return;
	*s += len;
	*n -= len;
	trim(s, n);
}

// false: it is no NAME=VALUE.
static bool parse_line(const char *s, size_t n, struct words *env)
{
	trim(&s, &n);
	if (!n || *s == '#')
		return true;
	skip_export(&s, &n);
	const char *equals = memchr(s, '=', n);
	if (!equals)
		return false;
	size_t n_name = (size_t)(equals - s);
	const char *value = equals + 1;
	size_t n_value = n - n_name - 1;
	trim(&s, &n_name);
	trim(&value, &n_value);
	if (!is_name(s, n_name))
		return false;
	_cleanup_str_ struct str both = {0};
	str_addn(&both, s, n_name);
	str_addc(&both, '=');
	add_value(value, n_value, &both);
	words_add(env, str_get(&both), both.len);
	return true;
}

struct dbg_error *envfile_read(const char *path, struct words *env,
			       struct envfile_odd *odd)
{
	_cleanup_str_ struct str all = {0};
	size_t number = 0;

	struct dbg_error *err = read_all(path, &all);
	const char *s = str_get(&all);
	if (!strncmp(s, "\xef\xbb\xbf", 3))
		s += 3;
	while (!err && *s) {
		size_t n = strcspn(s, "\n");
		number++;
		if (!parse_line(s, n, env) && !odd->n++)
			odd->first = number;
		s += n + (s[n] == '\n');
	}
	return err;
}

/* ---- launchSettings.json --------------------------------------------- */

static const cJSON *first_project(const cJSON *profiles)
{
	const cJSON *p;

	cJSON_ArrayForEach(p, profiles)
	{
		const cJSON *command = args_get(p, "commandName");
		if (cJSON_IsString(command) &&
		    !strcmp(command->valuestring, "Project"))
			return p;
	}
	return NULL;
}

static void add_below(struct words *env, const char *name, const char *value)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < env->n; i++)
		if (!strncmp(env->v[i], name, n) &&
		    (env->v[i][n] == '=' || !env->v[i][n]))
			return;
	_cleanup_free_ char *s = xasprintf("%s=%s", name, value);
	words_add(env, s, strlen(s));
}

static struct dbg_error *apply(struct setup *s, const cJSON *profile)
{
	struct dbg_error *err;
	const cJSON *env = NULL;
	const cJSON *item;
	const char *url = NULL;
	const char *line = NULL;

	err = args_object(profile, "environmentVariables", &env);
	if (!err)
		err = args_str(profile, "applicationUrl", &url);
	if (!err)
		err = args_str(profile, "commandLineArgs", &line);
	if (err)
		return err;
	cJSON_ArrayForEach(item, env) if (cJSON_IsString(item))
	    add_below(&s->launch.env, item->string, item->valuestring);
	if (url)
		add_below(&s->launch.env, "ASPNETCORE_URLS", url);
	if (profile->string)
		add_below(&s->launch.env, "DOTNET_LAUNCH_PROFILE",
			  profile->string);
	if (line && !s->launch.args.n)
		words_split_dotnet(line, &s->launch.args);
	return NULL;
}

/*
 * Make JSON of what .NET's own tools take for it: comments and a comma behind
 * the last member are usual in this file.
 */
static char *strict_json(char *text)
{
	bool within = false;
	char *to;

	cJSON_Minify(text);
	if (!strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	to = text;
	for (const char *p = text; *p; p++) {
		if (within && *p == '\\' && p[1])
			*to++ = *p++;
		else if (*p == '"')
			within = !within;
		else if (!within && *p == ',' && (p[1] == '}' || p[1] == ']'))
			continue;
		*to++ = *p;
	}
	*to = 0;
	return text;
}

static struct dbg_error *parse_json(struct setup *s, const char *path,
				    const cJSON *json)
{
	const cJSON *profiles = NULL;
	struct dbg_error *err = args_object(json, "profiles", &profiles);

	if (err)
		return err;
	const cJSON *profile = s->profile && *s->profile
				   ? args_get(profiles, s->profile)
				   : first_project(profiles);
	if (s->profile && *s->profile && !cJSON_IsObject(profile))
		return dbg_err_arg("'%s' has no profile '%s'", path,
				   s->profile);
	return profile ? apply(s, profile) : NULL;
}

struct dbg_error *profile_take(struct setup *s)
{
	_cleanup_str_ struct str all = {0};
	_cleanup_free_ char *path = NULL;
	bool asked = s->settings_file || s->profile;

	if (s->settings_file)
		path = xstrdup(s->settings_file);
	else if (s->launch.cwd)
		path = xasprintf("%s/Properties/launchSettings.json",
				 s->launch.cwd);
	if (!path)
		return NULL;
	struct dbg_error *err = read_all(path, &all);
	if (err && !asked) {
		dbg_error_destroy(err);
		return NULL;
	}
	if (err)
		return err;
	if (!all.len)
		return NULL;
	cJSON *json = cJSON_Parse(strict_json(all.s));
	err = json ? parse_json(s, path, json)
		   : dbg_err(DBG_E_FORMAT, "'%s' is no JSON", path);
	cJSON_Delete(json);
	return err;
}
