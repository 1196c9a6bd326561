/*
 * Values as C# source has them: characters and strings with their escapes,
 * floating point with as few digits as .NET prints.
 */
#include "eval/literal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/syntax/token.h"

/* ---- Characters ------------------------------------------------------ */

static bool is_high(uint16_t unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(uint16_t unit)
{
	return unit >= 0xdc00 && unit < 0xe000;
}

/*
 * Append the escape of a unit that must not be printed as it is; false: it may.
 */
static bool add_escape(uint16_t unit, char quote, struct str *out)
{
	static const char letters[] = "0abfnrtv";
	static const char meant[] = "\0\a\b\f\n\r\t\v";
	if (unit == (uint16_t)quote || unit == '\\') {
		str_addc(out, '\\');
		str_addc(out, (char)unit);
		return true;
	}
	const char *found = unit < 0x20 ? memchr(meant, unit, 8) : NULL;
	if (found) {
		str_addc(out, '\\');
		str_addc(out, letters[found - meant]);
		return true;
	}
	// Controls, line and paragraph separators, bidirectional overrides,
	// halves of surrogate pairs and what is no character would spoil the
	// line or the terminal.
	bool bidi = (unit >= 0x200b && unit <= 0x200f) ||
		    (unit >= 0x2028 && unit <= 0x202e) ||
		    (unit >= 0x2066 && unit <= 0x2069) || unit == 0xfeff;
	if (unit < 0x20 || (unit >= 0x7f && unit < 0xa0) || bidi ||
	    is_high(unit) || is_low(unit) || unit >= 0xfffe ||
	    (unit >= 0xfdd0 && unit <= 0xfdef)) {
		str_addf(out, "\\u%04x", unit);
		return true;
	}
	return false;
}

void literal_char(uint16_t unit, struct str *out)
{
	str_addc(out, '\'');
	if (!add_escape(unit, '\'', out))
		str_add_utf8(out, unit);
	str_addc(out, '\'');
}

/*
 * Append the units at the beginning that need no escape, 64 at most; returns
 * how many.
 */
static size_t add_plain(const uint16_t *units, size_t n, struct str *out)
{
	char run[64];
	size_t i = 0;
	for (; i < n && i < sizeof(run); i++) {
		uint16_t unit = units[i];
		if (unit < 0x20 || unit >= 0x7f || unit == '"' || unit == '\\')
			break;
		run[i] = (char)unit;
	}
	str_addn(out, run, i);
	return i;
}

void literal_string(const uint16_t *units, size_t n, bool cut, struct str *out)
{
	str_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		i += add_plain(units + i, n - i, out);
		if (i == n)
			break;
		if (is_high(units[i]) && i + 1 < n && is_low(units[i + 1])) {
			str_add_utf16(out, units + i, 2);
			i++;
			continue;
		}
		// A pair that was cut in two is left out.
		if (cut && i + 1 == n && is_high(units[i]))
			break;
		if (!add_escape(units[i], '"', out))
			str_add_utf8(out, units[i]);
	}
	str_add(out, cut ? "\"..." : "\"");
}

size_t literal_units(const char *text, uint16_t *units)
{
	size_t n = 0;
	for (size_t i = 0; text[i];) {
		uint32_t c = lex_utf8(text, &i);
		if (c >= 0x10000)
			units[n++] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
		units[n++] =
		    (uint16_t)(c < 0x10000 ? c
					   : 0xdc00 + ((c - 0x10000) & 0x3ff));
	}
	return n;
}

/* ---- Floating point -------------------------------------------------- */

/*
 * Print digits "d.ddde±x" as .NET's R format does: plain from 1e-5 up to
 * the type's own precision in digits, else with an exponent of at least two
 * digits (dotnet/runtime, Number.Formatting.cs, FormatGeneral).
 */
static void add_general(const char *scientific, int precision, struct str *out)
{
	char digits[40];
	int n = 0;
	const char *p = scientific;
	if (*p == '-') {
		str_addc(out, '-');
		p++;
	}
	for (; *p && *p != 'e'; p++) {
		if (*p >= '0' && *p <= '9' && n < (int)sizeof(digits))
			digits[n++] = *p;
	}
	long exponent = *p ? strtol(p + 1, NULL, 10) : 0;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	int plain_max = n > precision ? n : precision;
	if (exponent >= plain_max || exponent < -4) {
		str_addc(out, digits[0]);
		if (n > 1)
			str_addc(out, '.');
		str_addn(out, digits + 1, (size_t)n - 1);
		str_addf(out, "E%c%02ld", exponent < 0 ? '-' : '+',
			 labs(exponent));
		return;
	}
	if (exponent < 0) {
		str_add(out, "0.");
		for (long i = exponent + 1; i < 0; i++)
			str_addc(out, '0');
		str_addn(out, digits, (size_t)n);
		return;
	}
	for (long i = 0; i <= exponent; i++)
		str_addc(out, i < n ? digits[i] : '0');
	if (n > exponent + 1) {
		str_addc(out, '.');
		str_addn(out, digits + exponent + 1,
			 (size_t)(n - exponent - 1));
	}
}

static bool add_special(double value, struct str *out)
{
	if (isnan(value))
		str_add(out, "NaN");
	else if (isinf(value))
		str_add(out, value < 0 ? "-Infinity" : "Infinity");
	else if (value == 0)
		str_add(out, signbit(value) ? "-0" : "0");
	else
		return false;
	return true;
}

void literal_double(double value, struct str *out)
{
	char text[40];
	if (add_special(value, out))
		return;
	for (int digits = 0; digits <= 16; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	add_general(text, 17, out);
}

void literal_float(float value, struct str *out)
{
	char text[40];
	if (add_special((double)value, out))
		return;
	for (int digits = 0; digits <= 8; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits, (double)value);
		if (strtof(text, NULL) == value)
			break;
	}
	add_general(text, 9, out);
}

/* Does @near read back as @value, a binary16 of @exponent and @fraction? */
static bool is_half(double near, double value, int exponent, int fraction)
{
	double step = ldexp(1.0, (exponent ? exponent : 1) - 25);
	double below = fraction || exponent < 2 ? step / 2 : step / 4;
	double off = near - value;
	// a tie goes to the even one
	return fraction % 2 ? off < step / 2 && -off < below
			    : off <= step / 2 && -off <= below;
}

void literal_half(uint16_t bits, struct str *out)
{
	char text[40];
	int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
	double value = exponent ? ldexp(fraction + 1024, exponent - 25)
				: ldexp(fraction, -24);
	if (exponent == 0x1f)
		value = fraction ? (double)NAN : HUGE_VAL;
	if (add_special(bits & 0x8000 ? -value : value, out))
		return;
	str_add(out, bits & 0x8000 ? "-" : "");
	for (int digits = 0; digits <= 4; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits, value);
		if (is_half(strtod(text, NULL), value, exponent, fraction))
			break;
	}
	add_general(text, 5, out);
}
