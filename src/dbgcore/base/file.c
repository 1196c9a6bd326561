#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

static struct dbg_error *copy(int fd, const char *path, size_t size,
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

struct dbg_error *file_load(const char *path, uint64_t max, struct file *ret)
{
	struct stat st;

	// Without O_NONBLOCK a FIFO would hold us.
	_cleanup_close_ int fd =
	    open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st))
		return dbg_err_errno(DBG_E_FILE, errno, "cannot open '%s'",
				     path);
	if (!S_ISREG(st.st_mode))
		return dbg_err(DBG_E_FILE, "'%s' is not a regular file", path);
	if ((uint64_t)st.st_size > max)
		return dbg_err(DBG_E_FILE,
			       "'%s' is too large: %" PRIu64
			       " bytes, at most %" PRIu64,
			       path, (uint64_t)st.st_size, max);
	size_t size = (size_t)st.st_size;
	if (size <= COPY_MAX)
		return copy(fd, path, size, ret);
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return dbg_err_errno(DBG_E_FILE, errno, "cannot map '%s'",
				     path);
	ret->bytes = (struct bytes){p, size};
	ret->mapped = true;
	return NULL;
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
