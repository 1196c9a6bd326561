/* Where files are kept that outlive a session: see statefile.h. */
#include "front/statefile.h"

#include <stdlib.h>

#include "base/mem.h"

char *state_file_path(const char *name)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (state && *state == '/')
		return xasprintf("%s/dndbg/%s", state, name);
	if (home && *home == '/')
		return xasprintf("%s/.local/state/dndbg/%s", home, name);
	return NULL;
}
