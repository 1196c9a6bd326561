/*
 * Packed core files, as systemd-coredump leaves them. To look at a core its
 * memory is needed in any order, so it is unpacked to a temporary file without
 * a name, where zeros are holes. How much that may be is what its program
 * headers say: a few bytes can be unpacked to any number of them.
 */
#include "target/corepack.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "target/unpacker.h"

#define UNPACKED_MAX (UINT64_C(1) << 36)

enum {
	CHUNK = 4 << 20, /* all program headers but of the largest cores */
	PAGE = 4096,
	LEVEL = 1, /* the program stands still while it is packed */
};

/* ---- Unpacking ------------------------------------------------------- */

static uint64_t end_of(uint64_t at, uint64_t n, uint64_t end)
{
	if (at > UINT64_MAX - n)
		return UINT64_MAX;
	return at + n > end ? at + n : end;
}

/* Get the length of the core that begins with @b, from its ELF headers. */
static struct dbg_error *extent(struct bytes b, const char *format,
				uint64_t *ret)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;

	if (b.n < sizeof(h) || memcmp(b.p, ELFMAG, SELFMAG))
		return dbg_err(DBG_E_FORMAT,
			       "it is packed by %s, but no ELF file", format);
	memcpy(&h, b.p, sizeof(h));
	*ret =
	    end_of(h.e_shoff, (uint64_t)h.e_shnum * h.e_shentsize, sizeof(h));
	for (uint64_t at = h.e_phoff; at <= b.n && b.n - at >= sizeof(p);
	     at += sizeof(p)) {
		memcpy(&p, b.p + at, sizeof(p));
		if (h.e_phnum == PN_XNUM
			? p.p_type != PT_LOAD && p.p_type != PT_NOTE
			: (at - h.e_phoff) / sizeof(p) >= h.e_phnum)
			break;
		if (p.p_type == PT_LOAD || p.p_type == PT_NOTE)
			*ret = end_of(p.p_offset, p.p_filesz, *ret);
	}
	if (*ret > UNPACKED_MAX)
		return dbg_err(DBG_E_FORMAT,
			       "unpacked it would be %" PRIu64 " bytes", *ret);
	return NULL;
}

/* Make a file without a name, where there is room for large ones; -1: errno. */
static int make_temporary(void)
{
	const char *dirs[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(dirs) / sizeof(*dirs); i++)
		if (dirs[i] && *dirs[i])
			fd =
			    open(dirs[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd;
}

/* Write the pages that are not zero; the others become holes. */
static bool pages_put(int fd, const uint8_t *p, size_t n, uint64_t at)
{
	static const uint8_t zeros[PAGE];

	for (size_t i = 0; i < n; i += PAGE) {
		size_t part = n - i < PAGE ? n - i : PAGE;

		errno = ENOSPC;
		if (memcmp(p + i, zeros, part) &&
		    pwrite(fd, p + i, part, (off_t)(at + i)) != (ssize_t)part)
			return false;
	}
	return true;
}

/* Unpack a chunk, or what is left before the end or damage. */
static size_t chunk_fill(struct unpacker *in, uint8_t *chunk)
{
	size_t n = 0;
	ssize_t got;

	while (n < CHUNK && (got = unpacker_read(in, chunk + n, CHUNK - n)) > 0)
		n += (size_t)got;
	return n;
}

/* Unpack a core. One that ends too soon counts as cut off. */
static struct dbg_error *unpack(struct unpacker *in, const char *format, int fd,
				uint64_t *ret)
{
	struct dbg_error *err = NULL;
	_cleanup_free_ uint8_t *chunk = xmalloc(CHUNK);
	uint64_t limit = 0, at = 0;
	size_t n;

	while (!err && (n = chunk_fill(in, chunk)) > 0) {
		if (!at)
			err = extent((struct bytes){chunk, n}, format, &limit);
		if (err || at >= limit)
			break;
		n = n < limit - at ? n : (size_t)(limit - at);
		if (!pages_put(fd, chunk, n, at))
			err = dbg_err_errno(DBG_E_FILE, errno,
					    "no room for the %" PRIu64
					    " bytes that it unpacks to (set "
					    "TMPDIR, or unpack it yourself)",
					    limit);
		at += n;
	}
	if (!err && !at)
		err = dbg_err(DBG_E_FORMAT, "it is packed by %s, and damaged",
			      format);
	*ret = at;
	return err;
}

static struct dbg_error *map(int fd, uint64_t n, struct file *ret)
{
	void *p = MAP_FAILED;

	if (!ftruncate(fd, (off_t)n))
		p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return dbg_err_errno(DBG_E_FILE, errno, "cannot map it");
	file_unload(ret);
	*ret = (struct file){{p, n}, true};
	return NULL;
}

struct dbg_error *corepack_unpack(const char *path, struct file *ret)
{
	struct dbg_error *err;
	_cleanup_close_ int packed = -1;
	struct unpacker *in = NULL;
	uint64_t n = 0;

	err = dbg_open_file(path, O_RDONLY, false, &packed);
	if (!err)
		err = unpacker_create(ret->bytes, packed, &in);
	if (err)
		return err;
	_cleanup_close_ int fd = make_temporary();
	err = fd < 0 ? dbg_err_errno(DBG_E_FILE, errno,
				     "no file can be made to unpack it to (set "
				     "TMPDIR)")
		     : unpack(in, unpacker_format(ret->bytes), fd, &n);
	unpacker_destroy(in);
	return err ? err : map(fd, n, ret);
}

/* ---- Packing --------------------------------------------------------- */

struct corepack {
	gzFile out;
	uint64_t at;
};

struct dbg_error *corepack_create(int fd, struct corepack **ret)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	gzFile out = own < 0 ? NULL : gzdopen(own, "wb");

	if (!out) {
		mem_close_fd(&own);
		return dbg_err_errno(DBG_E_FILE, errno, "cannot pack it");
	}
	gzsetparams(out, LEVEL, Z_DEFAULT_STRATEGY);
	*ret = xcalloc(1, sizeof(**ret));
	(*ret)->out = out;
	return NULL;
}

static struct dbg_error *put_out(struct corepack *c, const void *p, size_t n)
{
	c->at += n;
	if (!n || gzwrite(c->out, p, (unsigned)n) == (int)n)
		return NULL;
	return dbg_err_errno(DBG_E_FILE, errno ? errno : ENOSPC,
			     "cannot write it");
}

struct dbg_error *corepack_write(struct corepack *c, const void *data, size_t n,
				 uint64_t at)
{
	static const uint8_t zeros[64 * PAGE];
	struct dbg_error *err = NULL;

	while (!err && c->at < at)
		err = put_out(c, zeros,
			      at - c->at < sizeof(zeros) ? (size_t)(at - c->at)
							 : sizeof(zeros));
	return err ? err : put_out(c, data, n);
}

struct dbg_error *corepack_end(struct corepack *c)
{
	int rc = gzclose(c->out);

	free(c);
	return rc == Z_OK ? NULL
			  : dbg_err_errno(DBG_E_FILE, errno ? errno : ENOSPC,
					  "cannot write it");
}
