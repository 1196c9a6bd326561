/* Protocol buffers and gzip: see protobuf.h. */
#include "monitor/protobuf.h"

#include <stdlib.h>
#include <zlib.h>

enum {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
	GZIP_WINDOW = 15 + 16, // of zlib: with the header of gzip
	GZIP_MEMORY = 8,
	GZIP_PART = 1 << 16,
	INPUT_MAX = 1 << 30,
};

void protobuf_varint(struct str *to, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		str_addc(to, (char)((n & 0x7f) | 0x80));
	str_addc(to, (char)n);
}

void protobuf_number(struct str *to, unsigned int field, uint64_t n)
{
	protobuf_varint(to, field << 3 | WIRE_VARINT);
	protobuf_varint(to, n);
}

void protobuf_bytes(struct str *to, unsigned int field, const char *bytes,
		    size_t n)
{
	protobuf_varint(to, field << 3 | WIRE_BYTES);
	protobuf_varint(to, n);
	str_addn(to, bytes, n);
}

void gzip_add(struct str *to, const char *bytes, size_t n)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes};
	int done = Z_OK;

	// It fails for want of memory only, which ends us elsewhere as well.
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
			 GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	while (done == Z_OK) {
		if (!z.avail_in) {
			z.avail_in = (uInt)(n < INPUT_MAX ? n : INPUT_MAX);
			n -= z.avail_in;
		}
		z.next_out = (Bytef *)str_room(to, GZIP_PART);
		z.avail_out = GZIP_PART;
		done = deflate(&z, n ? Z_NO_FLUSH : Z_FINISH);
		str_end(to, (char *)z.next_out);
	}
	deflateEnd(&z);
}
