/*
 * Files read whole. Large ones are mapped: a file that is made shorter
 * meanwhile would end us by SIGBUS, which file_cut() answers with zeros. What
 * is no regular file is refused before it is opened, since opening a device or
 * a pipe may block or do something.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

// Up to this size a file is copied.
enum {
	COPY_MAX = 512 * 1024
};

static struct dbg_error *file_copy(int fd, const char *path, size_t size,
				   struct file *ret)
{
	_cleanup_free_ uint8_t *buf = xmalloc(size);
	size_t done = 0;

	while (done < size) {
		ssize_t n = read(fd, buf + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return dbg_err_errno(DBG_E_FILE, errno,
					     "cannot read '%s'", path);
		// Somebody made it shorter: take what there is.
		if (!n)
			break;
		done += (size_t)n;
	}
	ret->bytes = (struct bytes){buf, done};
	ret->mapped = false;
	buf = NULL;
	return NULL;
}

// May a file of this kind be opened?
static struct dbg_error *check_kind(const char *path, int fd, bool streams)
{
	struct stat st;

	if (fstat(fd, &st))
		return dbg_err_errno(DBG_E_FILE, errno, "cannot open '%s'",
				     path);
	if (S_ISREG(st.st_mode) ||
	    (streams && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))))
		return NULL;
	if (S_ISLNK(st.st_mode))
		return dbg_err(DBG_E_FILE, "'%s' is a symbolic link", path);
	return dbg_err(DBG_E_FILE, "'%s' is not a regular file", path);
}

struct dbg_error *dbg_open_file(const char *path, int flags, bool streams,
				int *ret)
{
	char found[32];
	struct dbg_error *err = NULL;

	flags |= O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	// O_PATH opens nothing: a device does not see it.
	_cleanup_close_ int at =
	    open(path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW));
	int saved = errno;
	if (at >= 0) {
		err = check_kind(path, at, streams);
		snprintf(found, sizeof(found), "/proc/self/fd/%d", at);
		flags &= ~(O_CREAT | O_NOFOLLOW);
	} else if (saved != ENOENT || !(flags & O_CREAT)) {
		err =
		    dbg_err_errno(DBG_E_FILE, saved, "cannot open '%s'", path);
	}
	if (err)
		return err;
	_cleanup_close_ int fd = open(at >= 0 ? found : path, flags, 0666);
	if (fd < 0)
		return dbg_err_errno(DBG_E_FILE, errno, "cannot open '%s'",
				     path);
	// What was made in between may be of any kind.
	err = at >= 0 ? NULL : check_kind(path, fd, streams);
	if (err)
		return err;
	*ret = fd;
	fd = -1;
	return NULL;
}

// Files of up to @copied bytes are copied.
static struct dbg_error *load(const char *path, uint64_t max, size_t copied,
			      struct file *ret)
{
	struct dbg_error *err;
	_cleanup_close_ int fd = -1;
	struct stat st;

	err = dbg_open_file(path, O_RDONLY, false, &fd);
	if (err)
		return err;
	if (fstat(fd, &st))
		return dbg_err_errno(DBG_E_FILE, errno, "cannot open '%s'",
				     path);
	if ((uint64_t)st.st_size > max)
		return dbg_err(DBG_E_FILE,
			       "'%s' is too large: %" PRIu64
			       " bytes, at most %" PRIu64,
			       path, (uint64_t)st.st_size, max);
	size_t size = (size_t)st.st_size;
	if (size <= copied)
		return file_copy(fd, path, size, ret);
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return dbg_err_errno(DBG_E_FILE, errno, "cannot map '%s'",
				     path);
	ret->bytes = (struct bytes){p, size};
	ret->mapped = true;
	return NULL;
}

struct dbg_error *file_load(const char *path, uint64_t max, struct file *ret)
{
	return load(path, max, COPY_MAX, ret);
}

struct dbg_error *file_map(const char *path, uint64_t max, struct file *ret)
{
	return load(path, max, 0, ret);
}

void file_unload(struct file *f)
{
	if (f->mapped)
		munmap((void *)(uintptr_t)f->bytes.p, f->bytes.n);
	else
		free((void *)(uintptr_t)f->bytes.p);
	memset(f, 0, sizeof(*f));
}

void file_rest(const struct file *f)
{
	if (f->mapped)
		madvise((void *)(uintptr_t)f->bytes.p, f->bytes.n,
			MADV_DONTNEED);
}

void file_rest_part(const void *p, size_t n)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = ((uintptr_t)p + size - 1) / size * size;
	uintptr_t end = ((uintptr_t)p + n) / size * size;

	if (start < end)
		madvise((void *)start, end - start, MADV_DONTNEED);
}

bool file_cut(void *addr)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *page = (char *)addr - (uintptr_t)addr % size;

	return mmap(page, size, PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) != MAP_FAILED;
}

bool file_same(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && sa.st_ino == sb.st_ino &&
	       sa.st_dev == sb.st_dev;
}

bool file_exists(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

char *file_self(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path));

	return n > 0 && n < (ssize_t)sizeof(path) ? xstrndup(path, (size_t)n)
						  : NULL;
}
