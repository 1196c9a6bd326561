/*
 * Natives: searches and comparisons over spans, which the library does with
 * vectors. Its loops over single elements, which would run instead, are right
 * but slow; these are the ones that everything else stands on.
 */
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "dac/objectlayout.h"
#include "il/machine/native.h"

enum {
	CHUNK = 4096,
	ELEMENT_MAX = 8,
	ENDLESS = 1 << 30, /* units: a text that nothing ends */
};

/* ---- Equality ----------------------------------------------------------- */

static enum native_end equal(struct native *n, uint64_t a, uint64_t b,
			     uint64_t size, bool *ret)
{
	uint8_t x[CHUNK], y[CHUNK];
	*ret = true;
	while (*ret && size && a != b) {
		size_t part = size < CHUNK ? (size_t)size : CHUNK;
		enum native_end end = native_get(n, a, x, part);
		if (end == NATIVE_DONE)
			end = native_get(n, b, y, part);
		if (end != NATIVE_DONE)
			return end;
		*ret = !memcmp(x, y, part);
		a += part;
		b += part;
		size -= part;
	}
	return NATIVE_DONE;
}

/* SequenceEqual(ref byte, ref byte, nuint) */
static enum native_end sequence_equal(struct native *n)
{
	bool same;
	if (n->method->n_args)
		return NATIVE_IL;
	enum native_end end = equal(n, native_ref(n, 0), native_ref(n, 1),
				    native_ref(n, 2), &same);
	return end == NATIVE_DONE ? native_ret_i4(n, same) : end;
}

/* Are two strings equal? Either may be null. */
static enum native_end compare_strings(struct native *n, bool *ret)
{
	uint64_t a = native_ref(n, 0), b = native_ref(n, 1);
	uint32_t length = 0, other = 0;
	*ret = a == b;
	if (a == b || !a || !b)
		return NATIVE_DONE;
	enum native_end end =
	    native_get(n, a + STRING_LENGTH, &length, sizeof(length));
	if (end == NATIVE_DONE)
		end = native_get(n, b + STRING_LENGTH, &other, sizeof(other));
	if (end != NATIVE_DONE)
		return end;
	if (length != other)
		return NATIVE_DONE;
	return equal(n, a + STRING_CHARS, b + STRING_CHARS,
		     (uint64_t)length * 2, ret);
}

static enum native_end strings_equal(struct native *n)
{
	bool same;
	enum native_end end = compare_strings(n, &same);
	return end == NATIVE_DONE ? native_ret_i4(n, same) : end;
}

static enum native_end strings_differ(struct native *n)
{
	bool same;
	enum native_end end = compare_strings(n, &same);
	return end == NATIVE_DONE ? native_ret_i4(n, !same) : end;
}

/* ---- Search ------------------------------------------------------------- */

static bool matches(const uint8_t *at, const uint8_t *value, uint32_t size)
{
	switch (size) {
	case 1:
		return *at == *value;
	case 2:
		return !memcmp(at, value, 2);
	case 4:
		return !memcmp(at, value, 4);
	default:
		return !memcmp(at, value, 8);
	}
}

/* The index of the first of @count elements that equals @value; -1: none. */
static enum native_end span_find(struct native *n, uint64_t at,
				 const uint8_t *value, uint32_t size,
				 int64_t count, int64_t *ret)
{
	uint8_t buf[CHUNK];
	*ret = -1;
	for (int64_t done = 0; done < count;) {
		int64_t part = CHUNK / size;
		// An end is sought page by page: behind it may be nothing.
		if (count == ENDLESS)
			part = (int64_t)((CHUNK - at % CHUNK) / size);
		// The machine's own memory ends anywhere.
		while (count == ENDLESS && part > 1 &&
		       !vm_read(n->vm, at, buf, (size_t)part * size))
			part /= 2;
		if (part == 0)
			part = 1;
		if (part > count - done)
			part = count - done;
		enum native_end end =
		    native_get(n, at, buf, (size_t)part * size);
		if (end != NATIVE_DONE)
			return end;
		for (int64_t i = 0; i < part; i++) {
			if (!matches(buf + (size_t)i * size, value, size))
				continue;
			*ret = done + i;
			return NATIVE_DONE;
		}
		done += part;
		at += (uint64_t)part * size;
	}
	return NATIVE_DONE;
}

/* The size of what the first parameter points to; 0: not a simple one. */
static uint32_t element_size(struct native *n)
{
	const struct type_sig *sig;
	if (dbg_err_drop(type_method_sig(n->types, n->method, &sig)) ||
	    !sig->n_params || !sig->params[0]->inner)
		return 0;
	struct type *type = sig->params[0]->inner;
	bool real = type->elem == ELEM_R4 || type->elem == ELEM_R8;
	if (type->kind != TYPE_KIND_PRIM || real)
		return 0;
	return native_size(n, type);
}

/* (ref T, T, int) */
static enum native_end find_value(struct native *n, int64_t *ret)
{
	uint32_t size = element_size(n);
	if (!size || size > ELEMENT_MAX || n->n_args != 3 ||
	    n->method->n_args > 1)
		return NATIVE_IL;
	const void *value = native_arg(n, 1, size);
	return value ? span_find(n, native_ref(n, 0), value, size,
				 native_i4(n, 2), ret)
		     : NATIVE_IL;
}

static enum native_end index_of(struct native *n)
{
	int64_t at;
	enum native_end end = find_value(n, &at);
	return end == NATIVE_DONE ? native_ret_i4(n, (int32_t)at) : end;
}

static enum native_end contains(struct native *n)
{
	int64_t at;
	enum native_end end = find_value(n, &at);
	return end == NATIVE_DONE ? native_ret_i4(n, at >= 0) : end;
}

/* IndexOfNullByte, IndexOfNullCharacter: the end of a C string. */
static enum native_end index_of_null(struct native *n)
{
	static const uint8_t zeros[ELEMENT_MAX];
	int64_t at;
	uint32_t size = element_size(n);
	if (!size)
		return NATIVE_IL;
	enum native_end end =
	    span_find(n, native_ref(n, 0), zeros, size, ENDLESS, &at);
	if (end == NATIVE_DONE && at < 0)
		return native_throw(n, "System.ArgumentException");
	return end == NATIVE_DONE ? native_ret_i4(n, (int32_t)at) : end;
}

/* ---- What the program made for its vectors ------------------------------ */

/*
 * PackedSpanHelpers: IndexOf..., Contains(ref char, char... or a range, int),
 * Except, InRange, IgnoreCase. SearchValues objects of the program lead here,
 * where the library has no loop of its own.
 */
static bool is_packed_match(const char *name, uint16_t c,
			    const uint16_t *values, size_t n_values)
{
	bool found = false;
	if (strstr(name, "InRange")) {
		found = c >= values[0] && c <= values[1];
	} else {
		uint16_t mask = strstr(name, "IgnoreCase") ? 0x20 : 0;
		for (size_t i = 0; i < n_values; i++)
			found |= (c | mask) == values[i];
	}
	return found != (strstr(name, "Except") != NULL);
}

static enum native_end packed(struct native *n)
{
	uint16_t units[CHUNK], values[4];
	const char *name = n->method->name;
	bool any = !strcmp(name, "Contains");
	if ((!str_starts(name, "IndexOf") && !any) || n->method->n_args ||
	    n->n_args < 3 || n->n_args > 6 ||
	    (strstr(name, "InRange") && n->n_args != 4))
		return NATIVE_IL;
	uint64_t at = native_ref(n, 0);
	size_t n_values = n->n_args - 2;
	for (size_t i = 0; i < n_values; i++)
		values[i] = (uint16_t)native_i4(n, i + 1);
	int32_t count = native_i4(n, n->n_args - 1);
	for (int32_t done = 0; done < count; done += CHUNK) {
		int32_t part = count - done < CHUNK ? count - done : CHUNK;
		enum native_end end = native_get(n, at + 2 * (uint64_t)done,
						 units, 2 * (size_t)part);
		if (end != NATIVE_DONE)
			return end;
		for (int32_t i = 0; i < part; i++) {
			if (is_packed_match(name, units[i], values, n_values))
				return native_ret_i4(n, any ? 1 : done + i);
		}
	}
	return native_ret_i4(n, any ? 0 : -1);
}

/*
 * ProbabilisticMap.IsCharBitSet(ref uint, byte): with vectors the map is an
 * array of bytes, and the program, whose processor has them, has made it so.
 */
static enum native_end is_bit_set(struct native *n)
{
	uint8_t bits, value = (uint8_t)native_i4(n, 1);
	enum native_end end =
	    native_get(n, native_ref(n, 0) + (value & 31), &bits, 1);
	return end == NATIVE_DONE ? native_ret_i4(n, bits >> (value >> 5) & 1)
				  : end;
}

static enum native_end set_bit(struct native *n)
{
	uint8_t bits, value = (uint8_t)native_i4(n, 1);
	uint64_t at = native_ref(n, 0) + (value & 31);
	enum native_end end = native_get(n, at, &bits, 1);
	bits |= (uint8_t)(1 << (value >> 5));
	return end == NATIVE_DONE ? native_put(n, at, &bits, 1) : end;
}

/* The 256 bits, one for each character, of the state at the last argument. */
static enum native_end lookup_of(struct native *n, uint8_t ret[32])
{
	const struct type_sig *sig;
	struct type_field *field = NULL;
	uint32_t offset;
	if (dbg_err_drop(type_method_sig(n->types, n->method, &sig)) ||
	    sig->n_params != 3 || !sig->params[2]->inner ||
	    dbg_err_drop(type_field_find(n->types, sig->params[2]->inner,
					 "Lookup", &field)) ||
	    !field || dbg_err_drop(type_field_offset(n->types, field, &offset)))
		return NATIVE_IL;
	return native_get(n, native_ref(n, 2) + offset, ret, 32);
}

/*
 * IndexOfAnyAsciiSearcher (.NET 9 and later): IndexOfAny, LastIndexOfAny,
 * ContainsAny<Negate or DontNegate, ...>(ref short or byte, int, ref state).
 */
static enum native_end ascii_search(struct native *n)
{
	uint8_t bits[32];
	uint32_t size = element_size(n);
	bool last = str_starts(n->method->name, "Last");
	bool any = !strcmp(n->method->name, "ContainsAny");
	int32_t count = native_i4(n, 1);
	if (n->n_args != 3 || !n->method->n_args || !size || size > 2)
		return NATIVE_IL;
	bool except = !strcmp(type_simple_name(n->method->args[0]), "Negate");
	enum native_end end = lookup_of(n, bits);
	for (int32_t k = 0; end == NATIVE_DONE && k < count; k++) {
		int32_t i = last ? count - 1 - k : k;
		uint16_t c = 0;
		end = native_get(n, native_ref(n, 0) + (uint64_t)i * size, &c,
				 size);
		bool is = c < 256 && bits[c / 8] >> c % 8 & 1;
		if (end == NATIVE_DONE && is != except)
			return native_ret_i4(n, any ? 1 : i);
	}
	return end == NATIVE_DONE ? native_ret_i4(n, any ? 0 : -1) : end;
}

/* ---- Fill ------------------------------------------------------------- */

/* Fill<T>(ref T, nuint, T); Fill(ref byte, byte, nuint) */
static enum native_end span_fill(struct native *n)
{
	uint8_t buf[CHUNK];
	uint32_t size = element_size(n);
	bool of_bytes = !n->method->n_args;
	uint64_t at = native_ref(n, 0);
	uint64_t count = native_ref(n, of_bytes ? 2 : 1);
	const uint8_t *value = native_arg(n, of_bytes ? 1 : 2, size);
	if (!size || !value || count > ENDLESS)
		return NATIVE_IL;
	if (size == 1)
		return native_fill(n, at, *value, count);
	size_t in_chunk = CHUNK / size;
	for (size_t i = 0; i < in_chunk && i < count; i++)
		memcpy(buf + i * size, value, size);
	for (; count; count -= in_chunk < count ? in_chunk : count) {
		size_t part = in_chunk < count ? in_chunk : (size_t)count;
		enum native_end end = native_put(n, at, buf, part * size);
		if (end != NATIVE_DONE)
			return end;
		at += part * size;
	}
	return NATIVE_DONE;
}

#define SPANS "System.SpanHelpers"
#define ASCII "System.Buffers.IndexOfAnyAsciiSearcher"

static const struct il_native rows[] = {
    {SPANS, "SequenceEqual", "(ppi)i (ppp)i", sequence_equal},
    {"System.String", "op_Equality", "(oo)i", strings_equal},
    {"System.String", "op_Inequality", "(oo)i", strings_differ},
    {"System.String", "Equals", "(oo)i: string, string", strings_equal},
    {SPANS, "IndexOf", "(pTi)i (pipi)i", index_of},
    {SPANS, "IndexOfChar", "(pii)i", index_of},
    {SPANS, "IndexOfValueType", "(pTi)i", index_of},
    {SPANS, "Contains", "(pTi)i", contains},
    {SPANS, "ContainsValueType", "(pTi)i", contains},
    {SPANS, "IndexOfNullByte", "(p)i", index_of_null},
    {SPANS, "IndexOfNullCharacter", "(p)i", index_of_null},
    {SPANS, "Fill", "(pip). (ppT).", span_fill},
    {"System.PackedSpanHelpers", "*", "*", packed},
    {ASCII, "IndexOfAny", "(pip)i", ascii_search},
    {ASCII, "LastIndexOfAny", "(pip)i", ascii_search},
    {ASCII, "ContainsAny", "(pip)i", ascii_search},
    {"System.Buffers.ProbabilisticMap", "IsCharBitSet", "(pi)i", is_bit_set},
    {"System.Buffers.ProbabilisticMap", "SetCharBit", "(pi).", set_bit},
};

const struct native_table native_span = {rows, sizeof(rows) / sizeof(rows[0])};
