/*
 * Packed files, read from front to end. zlib is part of us; the libraries of
 * the other formats are loaded when such a file is met, as most people never
 * have one: what is used of them is in their stable interfaces (zstd 1.4, xz
 * 5.2, lz4 1.8), whose structures are declared here, since their headers need
 * not be installed.
 */
#include "target/unpacker.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"

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

struct dbg_error *unpacker_create(struct bytes head, int fd,
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

ssize_t unpacker_read(struct unpacker *u, uint8_t *p, size_t n)
{
	return u->format->read(u, p, n);
}

void unpacker_destroy(struct unpacker *u)
{
	if (!u)
		return;
	u->format->end(u);
	free(u->input);
	free(u);
}
