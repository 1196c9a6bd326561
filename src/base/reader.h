/*
 * Bounded reading of foreign bytes, little endian.
 *
 * A read past the end sets `bad`, returns 0 and stays there: a parser reads
 * a whole structure and asks once. Nothing here ever reads outside.
 */
#ifndef BASE_READER_H
#define BASE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const uint8_t *p;
	size_t n;
};

struct reader {
	const uint8_t *p, *end;
	bool bad;
};

void reader_init(struct reader *r, const void *p, size_t n);
size_t reader_left(const struct reader *r);
uint8_t reader_u8(struct reader *r);
uint16_t reader_u16(struct reader *r);
uint32_t reader_u32(struct reader *r);
uint64_t reader_u64(struct reader *r);
/* Borrow @n bytes; {NULL, 0} and bad if they are not there. */
struct bytes reader_bytes(struct reader *r, size_t n);
void reader_skip(struct reader *r, size_t n);
/* ECMA-335 II.23.2 compressed unsigned and signed integers. */
uint32_t reader_cuint(struct reader *r);
int32_t reader_cint(struct reader *r);
/* DWARF LEB128. */
uint64_t reader_uleb(struct reader *r);
int64_t reader_sleb(struct reader *r);

/* The part @off .. @off + @n of @b, or {NULL, 0} if it is not inside. */
struct bytes bytes_slice(struct bytes b, uint64_t off, uint64_t n);

#endif
