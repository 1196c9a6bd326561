/*
 * Reading binary data that may be anything. A read behind the end gives 0 and
 * marks the reader as bad, so a parser checks once at its end.
 */
#include "base/reader.h"

void reader_init(struct reader *r, const void *p, size_t n)
{
	r->p = p;
	r->end = n ? r->p + n : r->p;
	r->bad = false;
}

size_t reader_left(const struct reader *r)
{
	return (size_t)(r->end - r->p);
}

static bool need(struct reader *r, size_t n)
{
	if (r->bad || reader_left(r) < n) {
		r->bad = true;
		return false;
	}
	return true;
}

uint8_t reader_u8(struct reader *r)
{
	if (!need(r, 1))
		return 0;
	return *r->p++;
}

uint16_t reader_u16(struct reader *r)
{
	if (!need(r, 2))
		return 0;
	const uint8_t *p = r->p;
	r->p += 2;
	return (uint16_t)(p[0] | p[1] << 8);
}

uint32_t reader_u32(struct reader *r)
{
	if (!need(r, 4))
		return 0;
	const uint8_t *p = r->p;
	r->p += 4;
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

uint64_t reader_u64(struct reader *r)
{
	if (!need(r, 8))
		return 0;
	uint64_t low = reader_u32(r);
	return low | (uint64_t)reader_u32(r) << 32;
}

struct bytes reader_bytes(struct reader *r, size_t n)
{
	if (!need(r, n))
		return (struct bytes){NULL, 0};
	struct bytes b = {r->p, n};
	r->p += n;
	return b;
}

void reader_skip(struct reader *r, size_t n)
{
	// There may be no bytes at all, not even a place.
	if (n && need(r, n))
		r->p += n;
}

// Read a compressed integer, and how many bytes it took, which the signed form
// depends on.
static uint32_t compressed(struct reader *r, unsigned int *ret_size)
{
	uint32_t first = reader_u8(r);

	*ret_size = 1;
	if (!(first & 0x80))
		return first;
	*ret_size = 2;
	if (!(first & 0x40))
		return (first & 0x3f) << 8 | reader_u8(r);
	*ret_size = 4;
	if (first & 0x20) {
		r->bad = true;
		return 0;
	}
	uint32_t value = (first & 0x1f) << 24;
	value |= (uint32_t)reader_u8(r) << 16;
	value |= (uint32_t)reader_u8(r) << 8;
	return value | reader_u8(r);
}

uint32_t reader_cuint(struct reader *r)
{
	unsigned int size;
	uint32_t value = compressed(r, &size);

	return r->bad ? 0 : value;
}

int32_t reader_cint(struct reader *r)
{
	unsigned int size;
	uint32_t value = compressed(r, &size);

	if (r->bad)
		return 0;
	// Rotated right by one within 7, 14 or 29 bits: bit 0 is the sign.
	int32_t half = (int32_t)(value >> 1);
	if (!(value & 1))
		return half;
	if (size == 1)
		return half - 0x40;
	if (size == 2)
		return half - 0x2000;
	return half - 0x10000000;
}

uint64_t reader_uleb(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 70; shift += 7) {
		uint8_t byte = reader_u8(r);

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return r->bad ? 0 : value;
	}
	r->bad = true;
	return 0;
}

int64_t reader_sleb(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 70; shift += 7) {
		uint8_t byte = reader_u8(r);

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift + 7 < 64)
			value |= UINT64_MAX << (shift + 7);
		return r->bad ? 0 : (int64_t)value;
	}
	r->bad = true;
	return 0;
}

struct bytes bytes_slice(struct bytes b, uint64_t off, uint64_t n)
{
	if (!b.p || off > b.n || n > b.n - off)
		return (struct bytes){NULL, 0};
	return (struct bytes){b.p + off, n};
}
