/*
 * Packed files, read from front to end. zlib is part of us; the libraries of
 * the other formats are loaded when such a file is met, as most people never
 * have one: what is used of them is in their stable interfaces (zstd 1.4, xz
 * 5.2, lz4 1.8), whose structures are declared here, since their headers need
 * not be installed.
 */
#include "target/corepack.h"
#include "target/unpacker.h"

#include <dlfcn.h>
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

/* ---- Packed files, read from front to end -------------------------------- */

#define XZ_MEMORY_MAX (UINT64_C(512) << 20)

enum {
	INPUT = 1 << 20,
	XZ_CONCATENATED = 8,
	XZ_RUN = 0,
	XZ_FINISH = 3,
	XZ_OK = 0,
	XZ_STREAM_END = 1,
	LZ4_VERSION = 100,
};

/* lzma_stream of <lzma.h>. */
struct xz_stream {
	const uint8_t *next_in;
	size_t avail_in;
	uint64_t total_in;
	uint8_t *next_out;
	size_t avail_out;
	uint64_t total_out;
	const void *allocator;
	void *internal;
	void *reserved_pointers[4];
	uint64_t reserved_numbers[2];
	size_t reserved_sizes[2];
	int reserved_enums[2];
};

/* ZSTD_inBuffer and ZSTD_outBuffer of <zstd.h>. */
struct zstd_buffer {
	const void *p;
	size_t n, at;
};

struct unpacker {
	const struct format *format;
	int fd;
	gzFile gzip;
	void *library, *context;
	struct xz_stream xz;
	uint8_t *input;
	size_t n, at; /* of it */
	bool ended;   /* there is no more */
	union {
		void *symbols[5];
		struct {
			void *(*create)(void);
			size_t (*decompress)(void *context,
					     struct zstd_buffer *out,
					     struct zstd_buffer *in);
			unsigned int (*is_error)(size_t code);
			size_t (*destroy)(void *context);
		} zstd;
		struct {
			int (*decoder)(struct xz_stream *s, uint64_t memory,
				       uint32_t flags);
			int (*code)(struct xz_stream *s, int action);
			void (*end)(struct xz_stream *s);
		} lzma;
		struct {
			size_t (*create)(void **ret, unsigned int version);
			size_t (*decompress)(void *context, void *to,
					     size_t *to_n, const void *from,
					     size_t *from_n, const void *how);
			unsigned int (*is_error)(size_t code);
			size_t (*destroy)(void *context);
		} lz4;
	};
};

struct format {
	const char *name, *tool, *library;
	struct {
		const char *p;
		size_t n;
	} magic;
	const char *symbols[5];
	bool (*begin)(struct unpacker *u);
	/* Bytes put at @p, 0 at the end, -1: the file is damaged. */
	ssize_t (*read)(struct unpacker *u, uint8_t *p, size_t n);
	void (*end)(struct unpacker *u);
};

static void unpacker_destroy(struct unpacker *u);

// Refill the input; false: there is no more.
static bool refill(struct unpacker *u)
{
	while (u->at == u->n && !u->ended) {
		ssize_t got = read(u->fd, u->input, INPUT);

		if (got < 0 && errno == EINTR)
			continue;
		u->ended = got <= 0;
		u->n = got > 0 ? (size_t)got : 0;
		u->at = 0;
	}
	return u->at < u->n;
}

/* ---- gzip ------------------------------------------------------------- */

static bool gzip_begin(struct unpacker *u)
{
	int own = dup(u->fd);

	u->gzip = own < 0 ? NULL : gzdopen(own, "rb");
	if (!u->gzip && own >= 0)
		close(own);
	return u->gzip;
}

static ssize_t gzip_read(struct unpacker *u, uint8_t *p, size_t n)
{
	return gzread(u->gzip, p, (unsigned int)n);
}

static void gzip_end(struct unpacker *u)
{
	if (u->gzip)
		gzclose(u->gzip);
}

/* ---- zstd ------------------------------------------------------------- */

static bool zstd_begin(struct unpacker *u)
{
	u->context = u->zstd.create();
	return u->context;
}

static ssize_t zstd_read(struct unpacker *u, uint8_t *p, size_t n)
{
	struct zstd_buffer out = {p, n, 0};

	while (!out.at && refill(u)) {
		struct zstd_buffer in = {u->input, u->n, u->at};

		if (u->zstd.is_error(u->zstd.decompress(u->context, &out, &in)))
			return -1;
		u->at = in.at;
	}
	return (ssize_t)out.at;
}

static void zstd_end(struct unpacker *u)
{
	if (u->context)
		u->zstd.destroy(u->context);
}

/* ---- xz --------------------------------------------------------------- */

static bool xz_begin(struct unpacker *u)
{
	return u->lzma.decoder(&u->xz, XZ_MEMORY_MAX, XZ_CONCATENATED) == XZ_OK;
}

static ssize_t xz_read(struct unpacker *u, uint8_t *p, size_t n)
{
	int rc = XZ_OK;

	u->xz.next_out = p;
	u->xz.avail_out = n;
	while (rc == XZ_OK && u->xz.avail_out == n) {
		bool any = refill(u);

		u->xz.next_in = u->input + u->at;
		u->xz.avail_in = u->n - u->at;
		rc = u->lzma.code(&u->xz, any ? XZ_RUN : XZ_FINISH);
		u->at = u->n - u->xz.avail_in;
		if (!any && rc == XZ_OK && u->xz.avail_out == n)
			return -1;
	}
	return rc == XZ_OK || rc == XZ_STREAM_END || u->xz.avail_out < n
		   ? (ssize_t)(n - u->xz.avail_out)
		   : -1;
}

static void xz_end(struct unpacker *u)
{
	if (u->lzma.end)
		u->lzma.end(&u->xz);
}

/* ---- lz4 -------------------------------------------------------------- */

static bool lz4_begin(struct unpacker *u)
{
	return !u->lz4.is_error(u->lz4.create(&u->context, LZ4_VERSION));
}

static ssize_t lz4_read(struct unpacker *u, uint8_t *p, size_t n)
{
	size_t done = 0;

	while (!done && refill(u)) {
		size_t used = u->n - u->at;

		done = n;
		if (u->lz4.is_error(u->lz4.decompress(
			u->context, p, &done, u->input + u->at, &used, NULL)))
			return -1;
		u->at += used;
	}
	return (ssize_t)done;
}

static void lz4_end(struct unpacker *u)
{
	if (u->context)
		u->lz4.destroy(u->context);
}

/* ---- All of them ------------------------------------------------------ */

static const struct format formats[] = {
    {.name = "gzip",
     .tool = "gzip -d",
     .magic = {"\x1f\x8b", 2},
     .begin = gzip_begin,
     .read = gzip_read,
     .end = gzip_end},
    {.name = "zstd",
     .tool = "zstd -d",
     .library = "libzstd.so.1",
     .magic = {"\x28\xb5\x2f\xfd", 4},
     .symbols = {"ZSTD_createDStream", "ZSTD_decompressStream", "ZSTD_isError",
		 "ZSTD_freeDStream"},
     .begin = zstd_begin,
     .read = zstd_read,
     .end = zstd_end},
    {.name = "xz",
     .tool = "xz -d",
     .library = "liblzma.so.5",
     .magic = {"\xfd"
	       "7zXZ",
	       6},
     .symbols = {"lzma_stream_decoder", "lzma_code", "lzma_end"},
     .begin = xz_begin,
     .read = xz_read,
     .end = xz_end},
    {.name = "lz4",
     .tool = "lz4 -d",
     .library = "liblz4.so.1",
     .magic = {"\x04\x22\x4d\x18", 4},
     .symbols = {"LZ4F_createDecompressionContext", "LZ4F_decompress",
		 "LZ4F_isError", "LZ4F_freeDecompressionContext"},
     .begin = lz4_begin,
     .read = lz4_read,
     .end = lz4_end},
};

static const struct format *format_of(struct bytes b)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (b.n >= formats[i].magic.n &&
		    !memcmp(b.p, formats[i].magic.p, formats[i].magic.n))
			return &formats[i];
	return NULL;
}

const char *unpacker_format(struct bytes b)
{
	const struct format *f = format_of(b);

	return f ? f->name : NULL;
}

// Load the library. It stays loaded, since another core may need it.
static bool unpacker_load(struct unpacker *u)
{
	const struct format *f = u->format;

	u->library =
	    f->library ? dlopen(f->library, RTLD_NOW | RTLD_LOCAL) : NULL;
	for (size_t i = 0; f->library && f->symbols[i]; i++) {
		u->symbols[i] =
		    u->library ? dlsym(u->library, f->symbols[i]) : NULL;
		if (!u->symbols[i])
			return false;
	}
	return true;
}

/*
 * Read the file @fd from where it stands, which begins with @head, of one of
 * the formats. DBG_E_FORMAT: its library is not installed. @fd is borrowed.
 */
static struct dbg_error *unpacker_create(struct bytes head, int fd,
					 struct unpacker **ret)
{
	struct unpacker *u = xcalloc(1, sizeof(*u));
	const struct format *f = u->format = format_of(head);

	u->fd = fd;
	u->input = xmalloc(INPUT);
	if (unpacker_load(u) && f->begin(u)) {
		*ret = u;
		return NULL;
	}
	memset(u->symbols, 0, u->context ? 0 : sizeof(u->symbols));
	unpacker_destroy(u);
	return dbg_err(DBG_E_FORMAT,
		       "it is packed by %s, and %s is not installed: install "
		       "it, or unpack the core (%s)",
		       f->name, f->library ? f->library : "zlib", f->tool);
}

/*
 * Unpack bytes to @p, perhaps fewer than @n; returns how many, 0: at the end,
 * -1: it is damaged.
 */
static ssize_t unpacker_read(struct unpacker *u, uint8_t *p, size_t n)
{
	return u->format->read(u, p, n);
}

static void unpacker_destroy(struct unpacker *u)
{
	if (!u)
		return;
	u->format->end(u);
	free(u->input);
	free(u);
}

/* ---- Packed core files, as systemd-coredump leaves them ------------------ */

/*
 * Packed core files, as systemd-coredump leaves them. To look at a core its
 * memory is needed in any order, so it is unpacked to a temporary file without
 * a name, where zeros are holes. How much that may be is what its program
 * headers say: a few bytes can be unpacked to any number of them.
 */

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
