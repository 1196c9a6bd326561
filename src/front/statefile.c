/* Paths of files that outlive a session: see statefile.h. */
#include "front/statefile.h"

#include <stdlib.h>

#include "base/mem.h"

static char *file_path(const char *variable, const char *otherwise,
		       const char *name)
{
	const char *dir = getenv(variable);
	const char *home = getenv("HOME");

	if (dir && *dir == '/')
		return xasprintf("%s/dndbg/%s", dir, name);
	if (home && *home == '/')
		return xasprintf("%s/%s/dndbg/%s", home, otherwise, name);
	return NULL;
}

char *state_file_path(const char *name)
{
	return file_path("XDG_STATE_HOME", ".local/state", name);
}

char *config_file_path(const char *name)
{
	return file_path("XDG_CONFIG_HOME", ".config", name);
}
