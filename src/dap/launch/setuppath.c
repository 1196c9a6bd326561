/*
 * Paths as launch.json has them: file:// and ~ resolved, relative ones looked
 * for below `cwd` and below dndbg's own directory, backslashes tried as
 * slashes.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "dap/dap_priv.h"
#include "dap/launch/setup.h"

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

struct dbg_error *setup_path(const struct setup *s, const char *given,
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
