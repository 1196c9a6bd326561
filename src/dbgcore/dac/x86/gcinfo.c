/*
 * The head of a method's GC information: a stream of bits with numbers of
 * variable length, of which only the frame's layout and the place of the
 * generic argument are read. Two versions are in use: .NET 8 and 9, and 10.
 */
#include "dac/gcinfo.h"

#include <string.h>

// A stream of bits, the lowest first. See gcinfodecoder.cpp of the runtime.
struct bits {
	struct bytes b;
	size_t at;
	bool bad;
};

enum {
	HAS_GS_COOKIE = 0x4,
	HAS_PSP_SYM = 0x8, /* before version 4 */
	CONTEXT_SHIFT = 4,
	CONTEXT_MASK = 3,

	FLAGS_BITS = 10,
	RETURN_KIND_BITS = 4,      /* before version 4 */
	SLIM_RETURN_KIND_BITS = 2, /* ditto */

	/* Bits of a chunk of numbers of variable length. */
	CODE_LENGTH_CHUNK = 8,
	PROLOG_CHUNK = 5,
	EPILOG_CHUNK = 3,
	SLOT_CHUNK = 6,
	SLOT_BYTES = 8,
	NUMBER_BITS = 32,
};

static uint32_t bits_read(struct bits *s, unsigned int n)
{
	uint32_t ret = 0;

	for (unsigned int i = 0; i < n; i++, s->at++) {
		if (s->at / 8 >= s->b.n) {
			s->bad = true;
			return 0;
		}
		uint32_t bit = s->b.p[s->at / 8] >> s->at % 8 & 1;
		ret |= bit << i;
	}
	return ret;
}

// A number in chunks, each with a bit that says whether another follows;
// *@ret_bits of the result are significant.
static uint32_t bits_number(struct bits *s, unsigned int chunk,
			    unsigned int *ret_bits)
{
	uint32_t ret = 0;
	unsigned int shift = 0;

	for (;;) {
		uint32_t part = bits_read(s, chunk + 1);
		if (s->bad || shift + chunk > NUMBER_BITS) {
			s->bad = true;
			return 0;
		}
		ret |= (part & ((1u << chunk) - 1)) << shift;
		shift += chunk;
		if (!(part >> chunk))
			break;
	}
	*ret_bits = shift;
	return ret;
}

static uint32_t unsigned_number(struct bits *s, unsigned int chunk)
{
	unsigned int n;

	return bits_number(s, chunk, &n);
}

static int32_t signed_number(struct bits *s, unsigned int chunk)
{
	unsigned int n = NUMBER_BITS;
	uint32_t value = bits_number(s, chunk, &n);

	if (n < NUMBER_BITS && value >> (n - 1))
		value |= ~0u << n;
	return (int32_t)value;
}

// Methods without anything special have a head without flags.
static bool parse_slim(struct bits *s, uint32_t code_size, bool old)
{
	bits_read(s, 1); // a frame pointer
	if (old)
		bits_read(s, SLIM_RETURN_KIND_BITS);
	return unsigned_number(s, CODE_LENGTH_CHUNK) == code_size && !s->bad;
}

bool gcinfo_parse(struct bytes b, uint32_t code_size, bool old,
		  struct gcinfo *ret)
{
	static const enum gcinfo_context contexts[] = {
	    GCINFO_NONE, GCINFO_TYPE, GCINFO_METHOD, GCINFO_THIS};
	struct bits s = {.b = b};

	*ret = (struct gcinfo){.context = GCINFO_NONE};
	if (!bits_read(&s, 1))
		return parse_slim(&s, code_size, old);
	uint32_t flags = bits_read(&s, FLAGS_BITS);
	if (old)
		bits_read(&s, RETURN_KIND_BITS);
	if (unsigned_number(&s, CODE_LENGTH_CHUNK) != code_size || s.bad)
		return false;
	ret->context = contexts[flags >> CONTEXT_SHIFT & CONTEXT_MASK];
	if (!ret->context)
		return true;
	ret->prolog_size = unsigned_number(&s, PROLOG_CHUNK) + 1;
	if (flags & HAS_GS_COOKIE) {
		unsigned_number(&s, EPILOG_CHUNK);
		signed_number(&s, SLOT_CHUNK);
	}
	if (old && (flags & HAS_PSP_SYM))
		signed_number(&s, SLOT_CHUNK);
	int32_t slot = signed_number(&s, SLOT_CHUNK);
	// Earlier versions count from the caller's stack pointer, above the
	// saved frame pointer and the return address.
	ret->slot =
	    (int32_t)((uint32_t)slot * SLOT_BYTES + (old ? 2 * SLOT_BYTES : 0));
	return !s.bad;
}
