/*
 * ReadyToRun images: where the code of a method compiled ahead of time begins.
 * The format is the runtime's NativeFormat: arrays of blocks, each a binary
 * tree over the bits of the index.
 */
#include "meta/r2r.h"

enum {
	SIGNATURE = 0x00525452, /* "RTR" */
	RUNTIME_FUNCTIONS = 102,
	METHOD_ENTRY_POINTS = 103,
	MAX_SECTIONS = 64,
	FUNCTION_SIZE = 12, /* begin, end, unwind data */
	BLOCK = 16,         /* elements that share an index entry */
};

static struct bytes section(const struct pe *pe, uint32_t type)
{
	struct reader r;

	reader_init(&r, pe->native.p, pe->native.n);
	if (reader_u32(&r) != SIGNATURE)
		return (struct bytes){NULL, 0};
	reader_skip(&r, 8);
	uint32_t n = reader_u32(&r);
	for (uint32_t i = 0; i < n && i < MAX_SECTIONS && !r.bad; i++) {
		uint32_t found = reader_u32(&r);
		uint32_t rva = reader_u32(&r);
		uint32_t size = reader_u32(&r);

		if (found == type && !r.bad)
			return bytes_slice(pe_at_rva(pe, rva), 0, size);
	}
	return (struct bytes){NULL, 0};
}

/* An unsigned number: the low bits of the first byte tell its length. */
static uint32_t array_number(struct reader *r)
{
	uint8_t first = reader_u8(r);
	uint32_t value;

	for (unsigned int more = 0; more < 4; more++) {
		if (first & 1u << more)
			continue;
		value = (uint32_t)first >> (more + 1);
		for (unsigned int i = 0; i < more; i++)
			value |= (uint32_t)reader_u8(r) << (7 - more + 8 * i);
		return value;
	}
	if (first & 1u << 4)
		r->bad = true;
	return reader_u32(r);
}

/*
 * Offset of the block of @index in the array @a, whose block index is at @base.
 */
static uint32_t block_at(struct bytes a, size_t base, uint32_t width,
			 uint32_t index)
{
	struct reader r;

	reader_init(&r, a.p, a.n);
	reader_skip(&r, base);
	reader_skip(&r, (size_t)(index / BLOCK) << width);
	return width == 0   ? reader_u8(&r)
	       : width == 1 ? reader_u16(&r)
			    : reader_u32(&r);
}

/*
 * A sparse array: each block is a binary tree over the bits of the index, the
 * left branch behind its node, a leaf alone in its branch with its index.
 * True: @r stands at the element.
 */
static bool array_element_at(struct bytes a, uint32_t index, struct reader *r)
{
	reader_init(r, a.p, a.n);
	uint32_t head = array_number(r);
	size_t base = a.n - reader_left(r);
	if (r->bad || index >= head >> 2 || (head & 3) == 3)
		return false;
	reader_skip(r, block_at(a, base, head & 3, index));
	for (uint32_t bit = BLOCK / 2; bit && !r->bad; bit /= 2) {
		struct reader node = *r;
		uint32_t value = array_number(r);

		if (index & bit && value & 2) {
			*r = node;
			reader_skip(r, value >> 2);
		} else if (index & bit || !(value & 1)) {
			return !(value & 3) && value >> 2 == index % BLOCK;
		}
	}
	return !r->bad;
}

bool r2r_method(const struct pe *pe, uint32_t rid, uint32_t *ret_function)
{
	struct reader r;

	if (!rid ||
	    !array_element_at(section(pe, METHOD_ENTRY_POINTS), rid - 1, &r))
		return false;
	// bit 0: fixups follow; bit 1 then: they stand elsewhere
	uint32_t id = array_number(&r);
	if (r.bad)
		return false;
	*ret_function = id & 1 ? id >> 2 : id >> 1;
	return true;
}

uint32_t r2r_functions(const struct pe *pe)
{
	return (uint32_t)(section(pe, RUNTIME_FUNCTIONS).n / FUNCTION_SIZE);
}

bool r2r_function(const struct pe *pe, uint32_t function, uint32_t *ret_begin,
		  uint32_t *ret_end)
{
	struct bytes functions = section(pe, RUNTIME_FUNCTIONS);
	struct reader r;

	reader_init(&r, functions.p, functions.n);
	reader_skip(&r, (size_t)function * FUNCTION_SIZE);
	uint32_t begin = reader_u32(&r), end = reader_u32(&r);
	if (r.bad || end <= begin)
		return false;
	*ret_begin = begin;
	*ret_end = end;
	return true;
}

uint32_t r2r_entry(const struct pe *pe, uint32_t rid)
{
	uint32_t function, begin, end;

	return r2r_method(pe, rid, &function) &&
		       r2r_function(pe, function, &begin, &end)
		   ? begin
		   : 0;
}
