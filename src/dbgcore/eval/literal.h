/* Values as C# literals: characters, strings, floating point, decimals. */
#ifndef EVAL_LITERAL_H
#define EVAL_LITERAL_H

#include "base/str.h"
#include "dbg.h"

/* Append a char literal: 'a', '\n', '\u0007' with the quotes. */
void literal_char(uint16_t unit, struct str *out);
/* Append a string literal with escapes; "..." behind it if it was @cut. */
void literal_string(const uint16_t *units, size_t n, bool cut, struct str *out);
/*
 * Convert UTF-8 to UTF-16, in @units, which must have room for as many units as
 * @text has bytes; returns how many.
 */
size_t literal_units(const char *text, uint16_t *units);
/*
 * Append the shortest text that reads back as the same number, as C# prints it.
 */
void literal_double(double value, struct str *out);
void literal_float(float value, struct str *out);
/* ... of the same bits as an IEEE binary16 (System.Half). */
void literal_half(uint16_t bits, struct str *out);

/* System.Decimal: (-1)^negative * (high:low) / 10^scale. */
struct decimal {
	uint64_t low; /* of the 96-bit magnitude */
	uint32_t high;
	uint32_t scale; /* 0 .. 28 */
	bool negative;
};

/* Read a System.Decimal from memory: flags, high, low, middle word. */
void decimal_load(const uint32_t words[4], struct decimal *ret);
void decimal_store(const struct decimal *d, uint32_t words[4]);
void decimal_text(const struct decimal *d, struct str *out);
/* Parse digits with point (no exponent); false if it does not fit. */
bool decimal_parse(const char *text, struct decimal *ret);

/* 128 bits in decimal, with sign if @is_signed (System.Int128). */
void literal_int128(uint64_t low, uint64_t high, bool is_signed,
		    struct str *out);

#endif
