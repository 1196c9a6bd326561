/*
 * The JIT's packed debug information. Numbers are in nibbles, the lower half of
 * a byte first: three bits each, the highest first, and a bit that says that
 * more follow. The bounds are a stream of bits of fixed width behind three such
 * numbers. Of the chunks only the bounds, the variables and the awaits are read
 * here.
 */
#include "dac/debuginfo.h"

#include "base/mem.h"

enum {
	NIBBLES_MAX = 11, /* of a number of 32 bits */
	SOURCE_BITS = 3,
	OLD_SOURCE_BITS = 2, // .NET 10
	BITS_MAX = 32,
	BOUNDS_MAX = 1 << 18,
	AWAITS_MAX = 1 << 16,
	VARS_MAX = 1 << 20,
};

// ICorDebugInfo::MAX_ILNUM, and what IL offsets are counted from.
static const uint32_t first_number = (uint32_t)-6, first_il = (uint32_t)-3;

struct nibbles {
	struct bytes b;
	size_t at; // nibble
	bool bad;
};

static uint32_t nibbles_number(struct nibbles *s)
{
	uint32_t ret = 0;

	for (int i = 0; i < NIBBLES_MAX; i++) {
		if (s->at / 2 >= s->b.n)
			break;
		uint8_t byte = s->b.p[s->at / 2];
		uint32_t nibble = s->at++ % 2 ? byte >> 4 : byte & 15;
		ret = ret << 3 | (nibble & 7);
		if (!(nibble & 8))
			return ret;
	}
	s->bad = true;
	return 0;
}

// The sign is the lowest bit.
static int32_t nibbles_signed(struct nibbles *s)
{
	uint32_t number = nibbles_number(s);
	int32_t ret = (int32_t)(number >> 1);

	return number & 1 ? -ret : ret;
}

// A list of as many as there could be in what is left, a nibble each.
static uint32_t nibbles_count(struct nibbles *s, uint32_t max)
{
	uint32_t n = nibbles_number(s);

	if (n > max || n > s->b.n * 2 - s->at)
		s->bad = true;
	return s->bad ? 0 : n;
}

/* ---- Chunks ---------------------------------------------------------- */

enum chunk {
	CHUNK_BOUNDS,
	CHUNK_VARS,
	CHUNK_UNINSTRUMENTED,
	CHUNK_PATCHPOINT,
	CHUNK_RICH,
	CHUNK_ASYNC,
	CHUNK_N,
};

struct head {
	uint64_t offsets[CHUNK_N + 1]; // the last: the end
};

static bool head_read(struct bytes b, struct head *ret)
{
	struct nibbles s = {.b = b};
	uint32_t sizes[CHUNK_N] = {0};

	sizes[0] = nibbles_number(&s);
	if (sizes[0])
		sizes[1] = nibbles_number(&s);
	else
		for (int i = 0; i < CHUNK_N; i++)
			sizes[i] = nibbles_number(&s);
	ret->offsets[0] = (s.at + 1) / 2;
	for (int i = 0; i < CHUNK_N; i++)
		ret->offsets[i + 1] = ret->offsets[i] + sizes[i];
	return !s.bad && ret->offsets[CHUNK_N] <= DEBUG_INFO_MAX;
}

// Read the head as before .NET 11: a byte of flags, which tell of data that
// would come first, then the sizes of two chunks.
static bool old_head_read(struct bytes b, struct head *ret)
{
	struct nibbles s = {.b = b, .at = 2};

	if (!b.n || b.p[0])
		return false;
	uint64_t bounds = nibbles_number(&s), vars = nibbles_number(&s);
	ret->offsets[CHUNK_BOUNDS] = (s.at + 1) / 2;
	ret->offsets[CHUNK_VARS] = ret->offsets[CHUNK_BOUNDS] + bounds;
	for (int i = CHUNK_VARS + 1; i <= CHUNK_N; i++)
		ret->offsets[i] = ret->offsets[CHUNK_VARS] + vars;
	return !s.bad && ret->offsets[CHUNK_N] <= DEBUG_INFO_MAX;
}

static bool form_head_read(struct bytes b, enum debug_form form,
			   struct head *ret)
{
	return form < DEBUG_FORM_11 ? old_head_read(b, ret) : head_read(b, ret);
}

size_t debug_info_size(struct bytes head, enum debug_form form)
{
	struct head h;

	return form_head_read(head, form, &h) ? (size_t)h.offsets[CHUNK_N] : 0;
}

static struct bytes chunk_of(struct bytes b, const struct head *h, enum chunk i)
{
	return bytes_slice(b, h->offsets[i], h->offsets[i + 1] - h->offsets[i]);
}

/* ---- Bounds ---------------------------------------------------------- */

static uint32_t bits_take(struct bytes b, uint64_t *at, unsigned int n)
{
	uint64_t word = 0;

	// What is read lies in five bytes at most.
	for (unsigned int i = 0; i < 5 && *at / 8 + i < b.n; i++)
		word |= (uint64_t)b.p[*at / 8 + i] << (8 * i);
	word >>= *at % 8;
	*at += n;
	return (uint32_t)(word & ((1ULL << n) - 1));
}

// .NET 8 and 9: numbers all through.
static bool bounds_parse_numbers(struct bytes b, uint32_t code_size,
				 struct arena *arena, struct debug_info *ret)
{
	struct nibbles s = {.b = b};
	uint32_t n = nibbles_count(&s, BOUNDS_MAX);
	struct debug_bound *bounds = arena_calloc(arena, n, sizeof(*bounds));
	uint64_t native = 0;

	for (uint32_t i = 0; i < n; i++) {
		native += nibbles_number(&s);
		bounds[i].il = nibbles_number(&s) + first_il;
		nibbles_number(&s);
		if (s.bad || native > code_size)
			return false;
		bounds[i].native = (uint32_t)native;
	}
	ret->bounds = bounds;
	ret->n_bounds = n;
	return !s.bad;
}

static bool bounds_parse(struct bytes b, unsigned int source_bits,
			 uint32_t code_size, struct arena *arena,
			 struct debug_info *ret)
{
	struct nibbles s = {.b = b};
	uint32_t n = nibbles_number(&s);
	uint32_t native_bits = nibbles_number(&s), il_bits = nibbles_number(&s);
	uint64_t at = (s.at + 1) / 2 * 8;

	if (s.bad || n > BOUNDS_MAX || native_bits >= BITS_MAX ||
	    il_bits >= BITS_MAX ||
	    at + n * (uint64_t)(native_bits + il_bits + 2 + source_bits) >
		b.n * (uint64_t)8)
		return false;
	struct debug_bound *bounds = arena_calloc(arena, n, sizeof(*bounds));
	uint64_t native = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t source = bits_take(b, &at, source_bits);

		bounds[i].source = source_bits == SOURCE_BITS ? source : 0;
		native += bits_take(b, &at, native_bits + 1);
		if (native > code_size)
			return false;
		bounds[i].native = (uint32_t)native;
		bounds[i].il = bits_take(b, &at, il_bits + 1) + first_il;
	}
	ret->bounds = bounds;
	ret->n_bounds = n;
	return true;
}

/* ---- Awaits ---------------------------------------------------------- */

static bool awaits_parse(struct bytes b, uint32_t code_size,
			 struct arena *arena, struct debug_info *ret)
{
	struct nibbles s = {.b = b};
	uint32_t n = nibbles_count(&s, AWAITS_MAX);
	uint32_t n_kept = nibbles_count(&s, VARS_MAX);
	struct debug_await *awaits = arena_calloc(arena, n, sizeof(*awaits));
	struct debug_kept *kept = arena_calloc(arena, n_kept, sizeof(*kept));
	int64_t native = 0;
	size_t used = 0;

	for (uint32_t i = 0; i < n && !s.bad; i++) {
		native += nibbles_signed(&s);
		awaits[i].n_kept = nibbles_number(&s);
		awaits[i].kept = kept + used;
		if (native < 0 || native > code_size ||
		    awaits[i].n_kept > n_kept - used)
			return false;
		awaits[i].native = (uint32_t)native;
		used += awaits[i].n_kept;
	}
	for (size_t i = 0; i < used && !s.bad; i++) {
		kept[i].number = (int32_t)(nibbles_number(&s) + first_number);
		kept[i].offset = nibbles_number(&s);
	}
	ret->awaits = awaits;
	ret->n_awaits = n;
	return !s.bad && used == n_kept;
}

bool debug_info_parse(struct bytes b, enum debug_form form, uint32_t code_size,
		      struct arena *arena, struct debug_info *ret)
{
	struct head h;

	*ret = (struct debug_info){0};
	if (!form_head_read(b, form, &h) || h.offsets[CHUNK_N] > b.n)
		return false;
	struct bytes bounds = chunk_of(b, &h, CHUNK_BOUNDS);
	struct bytes awaits = chunk_of(b, &h, CHUNK_ASYNC);
	unsigned int bits =
	    form == DEBUG_FORM_11 ? SOURCE_BITS : OLD_SOURCE_BITS;
	if (bounds.n &&
	    !(form == DEBUG_FORM_8
		  ? bounds_parse_numbers(bounds, code_size, arena, ret)
		  : bounds_parse(bounds, bits, code_size, arena, ret)))
		return false;
	return !awaits.n || awaits_parse(awaits, code_size, arena, ret);
}

/* ---- Variables ------------------------------------------------------- */

enum {
	OLD_NUMBERS = 4, // -MAX_ILNUM, .NET 8 to 10
};

// ICorDebugInfo::VarLocType: what is stored of each, in order.
enum var_part {
	PART_END,
	PART_NUMBER,
	PART_REG,
	PART_OFFSET,
};

static const uint8_t var_parts[][4] = {
    {PART_REG},                           // VLT_REG
    {PART_REG},                           // VLT_REG_BYREF
    {PART_NUMBER},                        // VLT_REG_FP
    {PART_REG, PART_OFFSET},              // VLT_STK
    {PART_REG, PART_OFFSET},              // VLT_STK_BYREF
    {PART_REG, PART_NUMBER},              // VLT_REG_REG
    {PART_REG, PART_NUMBER, PART_OFFSET}, // VLT_REG_STK
    {PART_OFFSET, PART_NUMBER, PART_REG}, // VLT_STK_REG
    {PART_REG, PART_OFFSET},              // VLT_STK2
    {PART_NUMBER},                        // VLT_FPSTK
    {PART_NUMBER},                        // VLT_FIXED_VA
};

enum {
	N_VAR_KINDS = sizeof(var_parts) / sizeof(var_parts[0]),
	VAR_REG = 0,
	VAR_STACK = 3,
	VAR_STACK_BYREF = 4,
};

// False: there is no such kind of a place.
static bool place_parse(struct nibbles *s, struct debug_var *ret)
{
	uint32_t kind = nibbles_number(s);

	if (s->bad || kind >= N_VAR_KINDS)
		return false;
	for (const uint8_t *part = var_parts[kind]; *part; part++) {
		if (*part == PART_OFFSET)
			ret->offset = nibbles_signed(s);
		else if (*part == PART_REG)
			ret->reg = nibbles_number(s);
		else
			nibbles_number(s);
	}
	ret->place = kind == VAR_REG           ? DEBUG_IN_REGISTER
		     : kind == VAR_STACK       ? DEBUG_ON_STACK
		     : kind == VAR_STACK_BYREF ? DEBUG_BY_REF
					       : DEBUG_ELSEWHERE;
	return true;
}

static void range_parse(struct nibbles *s, bool old, struct debug_var *ret)
{
	uint32_t number = 0;

	if (!old)
		number = nibbles_number(s) + first_number;
	ret->start = nibbles_number(s);
	ret->end = ret->start + nibbles_number(s);
	if (old)
		number = nibbles_number(s) - OLD_NUMBERS;
	ret->number = (int32_t)number;
}

static bool vars_parse(struct bytes b, bool old, struct arena *arena,
		       struct debug_var **ret, size_t *ret_n)
{
	struct nibbles s = {.b = b};
	uint32_t n = nibbles_count(&s, VARS_MAX);
	struct debug_var *all = arena_calloc(arena, n, sizeof(*all));

	for (uint32_t i = 0; i < n; i++) {
		range_parse(&s, old, &all[i]);
		if (!place_parse(&s, &all[i]) || s.bad)
			return false;
	}
	*ret = all;
	*ret_n = n;
	return true;
}

bool debug_info_vars(struct bytes b, enum debug_form form, struct arena *arena,
		     struct debug_var **ret, size_t *ret_n)
{
	struct head h;

	*ret_n = 0;
	if (!form_head_read(b, form, &h) || h.offsets[CHUNK_N] > b.n)
		return false;
	struct bytes vars = chunk_of(b, &h, CHUNK_VARS);
	return !vars.n ||
	       vars_parse(vars, form < DEBUG_FORM_11, arena, ret, ret_n);
}
