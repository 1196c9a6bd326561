/* Files that a command was asked to write: see monitor.h. */
#include "monitor/monitor.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

struct dbg_error *outfile_write(const char *path, const struct str *text)
{
	struct stat st;
	FILE *out = fopen(path, "we");
	bool ok = out && fwrite(str_get(text), 1, text->len, out) == text->len;
	int errnum = errno;

	if (out && fclose(out) && ok) {
		ok = false;
		errnum = errno;
	}
	if (ok)
		return NULL;
	if (out && !lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
	return dbg_err_errno(DBG_E_FILE, errnum, "cannot write '%s'", path);
}
