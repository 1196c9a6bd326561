/* The terminal of a further user interface. */
#include "front/ui.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"

struct dbg_error *ui_terminal(const char *path, int *ret, struct outbox *out)
{
	*ret = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (*ret < 0)
		return dbg_err_errno(DBG_E_FILE, errno, "cannot open '%s'",
				     path);
	if (!isatty(*ret))
		return dbg_err(DBG_E_FILE, "'%s' is no terminal", path);
	outbox_init(out, *ret);
	return NULL;
}
