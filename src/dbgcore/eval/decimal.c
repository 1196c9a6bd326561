/*
 * System.Decimal as text and of it: 96 bits, a sign and a scale. Int128 as
 * text.
 */
#include "eval/literal.h"

__extension__ struct wide {
	unsigned __int128 v;
};

enum {
	SCALE_MAX = 28,
	DIGITS_MAX = 40
};

static struct wide magnitude(const struct decimal *d)
{
	struct wide w = {.v = d->high};
	w.v = w.v << 64 | d->low;
	return w;
}

/* False if it needs more than 96 bits. */
static bool set_magnitude(struct decimal *d, struct wide w)
{
	if (w.v >> 96)
		return false;
	d->low = (uint64_t)w.v;
	d->high = (uint32_t)(w.v >> 64);
	return true;
}

/* Write the decimal digits of @w, at least @min of them; returns how many. */
static size_t digits_of(struct wide w, size_t min, char text[DIGITS_MAX])
{
	char reversed[DIGITS_MAX];
	size_t n = 0;
	while ((w.v || n < min) && n < DIGITS_MAX) {
		reversed[n++] = (char)('0' + (int)(w.v % 10));
		w.v /= 10;
	}
	for (size_t i = 0; i < n; i++)
		text[i] = reversed[n - 1 - i];
	return n;
}

void decimal_load(const uint32_t words[4], struct decimal *ret)
{
	ret->negative = words[0] >> 31;
	ret->scale = words[0] >> 16 & 0xff;
	if (ret->scale > SCALE_MAX)
		ret->scale = SCALE_MAX;
	ret->high = words[1];
	ret->low = (uint64_t)words[3] << 32 | words[2];
}

void decimal_store(const struct decimal *d, uint32_t words[4])
{
	words[0] = d->scale << 16 | (uint32_t)d->negative << 31;
	words[1] = d->high;
	words[2] = (uint32_t)d->low;
	words[3] = (uint32_t)(d->low >> 32);
}

void decimal_text(const struct decimal *d, struct str *out)
{
	char text[DIGITS_MAX];
	size_t n = digits_of(magnitude(d), (size_t)d->scale + 1, text);
	size_t whole = n - d->scale;
	// .NET prints no sign on a zero.
	if (d->negative && (d->low || d->high))
		str_addc(out, '-');
	str_addn(out, text, whole);
	if (d->scale)
		str_addc(out, '.');
	str_addn(out, text + whole, d->scale);
}

/*
 * Parse the exponent of "1.5e-3" from its sign on; false: it is too large, or
 * none.
 */
static bool exponent_parse(const char *text, int *ret)
{
	bool negative = *text == '-';
	int n = 0;
	if (*text == '-' || *text == '+')
		text++;
	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || n > 2 * DIGITS_MAX)
			return false;
		n = n * 10 + (*text - '0');
	}
	*ret = negative ? -n : n;
	return true;
}

/*
 * Multiply @d by 10 to the power of @exponent; false: the result is no decimal.
 */
static bool decimal_shift(struct decimal *d, int exponent)
{
	int scale = d->scale - exponent;
	struct wide w = magnitude(d);
	for (; scale < 0 && w.v; scale++) {
		w.v *= 10;
		if (!set_magnitude(d, w))
			return false;
	}
	if (scale > SCALE_MAX)
		return false;
	d->scale = scale < 0 ? 0 : (uint8_t)scale;
	return true;
}

bool decimal_parse(const char *text, struct decimal *ret)
{
	struct decimal d = {0};
	struct wide w = {0};
	bool point = false;
	int exponent = 0;
	if (*text == '-') {
		d.negative = true;
		text++;
	}
	for (; *text && *text != 'e' && *text != 'E'; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9')
			return false;
		w.v = w.v * 10 + (unsigned int)(*text - '0');
		d.scale += point;
		if (d.scale > SCALE_MAX || !set_magnitude(&d, w))
			return false;
	}
	if (*text && (!exponent_parse(text + 1, &exponent) ||
		      !decimal_shift(&d, exponent)))
		return false;
	*ret = d;
	return true;
}

void literal_int128(uint64_t low, uint64_t high, bool is_signed,
		    struct str *out)
{
	char text[DIGITS_MAX];
	struct wide w = {.v = high};
	w.v = w.v << 64 | low;
	if (is_signed && high >> 63) {
		str_addc(out, '-');
		w.v = -w.v;
	}
	str_addn(out, text, digits_of(w, 1, text));
}
