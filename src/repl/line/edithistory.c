/*
 * The file of the history: where it is (XDG_STATE_HOME), its directories,
 * reading and writing it through libedit. A file or a directory that another
 * user could write is not used, which is an error with the reason; the session
 * goes on without history.
 */
#include "repl/line/edithistory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/err.h"
#include "front/statefile.h"

enum {
	HISTORY_MAX_BYTES = 16 << 20
};

static struct dbg_error *refused(const char *path, const char *why)
{
	return dbg_err(DBG_E_FILE, "no history is kept: '%s' %s", path, why);
}

static struct dbg_error *failed(const char *path, int errnum)
{
	return dbg_err(DBG_E_FILE, "no history is kept: '%s': %s", path,
		       strerror(errnum));
}

/*
 * Make the directories above the file. Nothing is made below a directory of
 * another user but root.
 */
static struct dbg_error *make_dirs(char *path)
{
	struct dbg_error *err = NULL;
	bool ours = true;
	struct stat st;

	for (char *p = strchr(path + 1, '/'); p && !err;
	     p = strchr(p + 1, '/')) {
		*p = 0;
		if (!stat(path, &st))
			ours = st.st_uid == geteuid() || !st.st_uid;
		else if (!ours)
			err = refused(path, "would be in a directory of "
					    "another user");
		else if (mkdir(path, 0700) && errno != EEXIST)
			err = failed(path, errno);
		*p = '/';
	}
	return err;
}

static struct dbg_error *check_dir(const char *path)
{
	struct stat st;
	size_t n = (size_t)(strrchr(path, '/') - path);

	_cleanup_free_ char *dir = xstrndup(path, n);
	if (lstat(dir, &st))
		return failed(dir, errno);
	if (!S_ISDIR(st.st_mode))
		return refused(dir, "is not a directory");
	if (st.st_uid != geteuid())
		return refused(dir, "belongs to another user");
	return NULL;
}

static struct dbg_error *load(History *lines, const char *path)
{
	struct dbg_error *err;
	HistEvent event;
	struct stat st;
	char link[32];
	int fd;

	if (lstat(path, &st) && errno == ENOENT)
		return NULL;
	err = dbg_open_file(path, O_RDONLY | O_NOFOLLOW, false, &fd);
	if (err) {
		struct dbg_error *all =
		    dbg_err(err->code, "no history is kept: %s", err->message);
		dbg_error_destroy(err);
		return all;
	}
	if (fstat(fd, &st))
		err = failed(path, errno);
	else if (st.st_uid != geteuid())
		err = refused(path, "belongs to another user");
	else if (st.st_size > HISTORY_MAX_BYTES)
		err = refused(path, "is too large");
	// libedit takes a path only.
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (!err)
		history(lines, &event, H_LOAD, link);
	close(fd);
	return err;
}

struct dbg_error *edithistory_load(History *lines, char **ret)
{
	struct dbg_error *err;

	_cleanup_free_ char *path = state_file_path("history");
	*ret = NULL;
	if (!path)
		return NULL;
	err = make_dirs(path);
	if (!err)
		err = check_dir(path);
	if (!err)
		err = load(lines, path);
	if (err)
		return err;
	*ret = path;
	path = NULL;
	return NULL;
}

struct dbg_error *edithistory_save(History *lines, const char *path)
{
	HistEvent event;

	_cleanup_free_ char *fresh = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(fresh, O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		return failed(path, errno);
	errno = EIO;
	bool good = history(lines, &event, H_SAVE_FP, file) >= 0 &&
		    !fflush(file) && !ferror(file) && !rename(fresh, path);
	int saved = errno;
	fclose(file);
	if (good)
		return NULL;
	unlink(fresh);
	return failed(path, saved);
}
