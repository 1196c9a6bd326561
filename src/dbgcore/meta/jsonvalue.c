/*
 * JSON read in place. A value is skipped over to find the next one: strings to
 * their closing quote, objects and arrays by the depth of their brackets, which
 * is capped. Nothing is copied, and no tree is built.
 */
#include "meta/jsonvalue.h"

#include <string.h>

enum {
	DEPTH_MAX = 64,
	HEX = 16,
	DECIMAL = 10,
};

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(struct bytes *b)
{
	while (b->n && is_space(*b->p))
		*b = bytes_slice(*b, 1, b->n - 1);
}

static void skip(struct bytes *b, size_t n)
{
	*b = bytes_slice(*b, n, b->n - n);
}

/* Bytes of the string that @b begins with, its quotes included; 0: none. */
static size_t string_size(struct bytes b)
{
	if (!b.n || *b.p != '"')
		return 0;
	for (size_t i = 1; i < b.n; i++) {
		if (b.p[i] == '"')
			return i + 1;
		if (b.p[i] == '\\')
			i++;
	}
	return 0;
}

static bool ends_plain(uint8_t c)
{
	return is_space(c) || strchr(",:]}[{\"", c);
}

/*
 * Bytes of the value that @b begins with; 0: none. Brackets are counted, not
 * told apart: who looks inside finds those that do not fit.
 */
static size_t value_size(struct bytes b)
{
	size_t i = 0, depth = 0;

	while (i < b.n) {
		uint8_t c = b.p[i];

		if (c == '"') {
			size_t n = string_size(bytes_slice(b, i, b.n - i));
			if (!n)
				return 0;
			i += n;
		} else if (c == '{' || c == '[') {
			if (++depth > DEPTH_MAX)
				return 0;
			i++;
		} else if (c == '}' || c == ']') {
			if (!depth)
				return 0;
			depth--;
			i++;
		} else if (depth) {
			i++;
		} else {
			while (i < b.n && !ends_plain(b.p[i]))
				i++;
			return i;
		}
		if (!depth)
			return i;
	}
	return 0;
}

struct bytes jsonvalue_parse(struct bytes text)
{
	skip_space(&text);
	return bytes_slice(text, 0, value_size(text));
}

/* Take the value that @b begins with, behind space. */
static struct bytes value_take(struct bytes *b)
{
	skip_space(b);

	struct bytes ret = bytes_slice(*b, 0, value_size(*b));

	skip(b, ret.n);
	return ret;
}

static bool parse_char(struct bytes *b, uint8_t c)
{
	skip_space(b);
	if (!b->n || *b->p != c)
		return false;
	skip(b, 1);
	return true;
}

struct bytes jsonvalue_member(struct bytes object, const char *key)
{
	const struct bytes none = {NULL, 0};
	size_t n = strlen(key);

	if (!parse_char(&object, '{'))
		return none;
	do {
		struct bytes name = jsonvalue_string(value_take(&object));

		if (!name.p || !parse_char(&object, ':'))
			return none;

		struct bytes value = value_take(&object);

		if (!value.n)
			return none;
		if (name.n == n && !memcmp(name.p, key, n))
			return value;
	} while (parse_char(&object, ','));
	return none;
}

struct bytes jsonvalue_element(struct bytes array, size_t i)
{
	const struct bytes none = {NULL, 0};

	if (!parse_char(&array, '['))
		return none;
	do {
		struct bytes value = value_take(&array);

		if (!value.n || !i--)
			return value;
	} while (parse_char(&array, ','));
	return none;
}

struct bytes jsonvalue_string(struct bytes value)
{
	if (!value.n || string_size(value) != value.n)
		return (struct bytes){NULL, 0};
	return bytes_slice(value, 1, value.n - 2);
}

/* The value of a digit; @base: it is none. */
static unsigned int digit_of(uint8_t c, unsigned int base)
{
	unsigned int ret = base;

	if (c >= '0' && c <= '9')
		ret = c - (unsigned int)'0';
	else if (c >= 'a' && c <= 'f')
		ret = c - (unsigned int)'a' + DECIMAL;
	else if (c >= 'A' && c <= 'F')
		ret = c - (unsigned int)'A' + DECIMAL;
	return ret < base ? ret : base;
}

bool jsonvalue_number(struct bytes value, uint64_t *ret)
{
	struct bytes text = jsonvalue_string(value);
	unsigned int base = DECIMAL;
	uint64_t n = 0;

	if (!text.p)
		text = value;
	if (text.n > 2 && text.p[0] == '0' && (text.p[1] | 0x20) == 'x') {
		base = HEX;
		skip(&text, 2);
	}
	if (!text.n)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		unsigned int digit = digit_of(text.p[i], base);

		if (digit == base || n > (UINT64_MAX - digit) / base)
			return false;
		n = n * base + digit;
	}
	*ret = n;
	return true;
}
