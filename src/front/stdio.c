/*
 * Standard input and output given to a protocol: moved to descriptors of their
 * own, with nothing and stderr in their places.
 */
#include "front/stdio.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

struct dbg_error *stdio_take(int *ret_in, struct outbox *out)
{
	*ret_in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	outbox_init(out, STDOUT_FILENO);
	if (*ret_in < 0 || out->gone)
		return dbg_err(DBG_E_FILE, "stdin and stdout must be open");
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return dbg_err(DBG_E_FILE, "cannot redirect: %s",
			       strerror(errno));
	close(null);
	return NULL;
}
