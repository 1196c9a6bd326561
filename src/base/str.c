/*
 * Growing strings: text is added at the end, the memory doubles as it is
 * needed; str.h has the rules.
 */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	ROOM_MIN = 40 /* few texts are shorter in the end */
};

void str_deinit(struct str *s)
{
	free(s->s);
	memset(s, 0, sizeof(*s));
}

void str_clear(struct str *s)
{
	s->len = 0;
	if (s->s)
		s->s[0] = '\0';
}

void str_add(struct str *s, const char *text)
{
	str_addn(s, text, strlen(text));
}

void str_grow(struct str *s, size_t n)
{
	size_t len = s->len + n;

	mem_grow(&s->s, &s->cap, len < ROOM_MIN ? ROOM_MIN : len, 1);
}

void str_addn(struct str *s, const char *text, size_t n)
{
	char *end = str_room(s, n);

	str_end(s, n ? mempcpy(end, text, n) : end);
}

void str_addu(struct str *s, uint64_t n)
{
	char buf[20];
	size_t at = sizeof(buf);

	do {
		buf[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	str_addn(s, buf + at, sizeof(buf) - at);
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;
	char buf[256];

	va_start(ap, fmt);
	int n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n < sizeof(buf)) {
		str_addn(s, buf, (size_t)n);
		return;
	}
	va_start(ap, fmt);
	_cleanup_free_ char *text = xvasprintf(fmt, ap);
	va_end(ap);
	str_addn(s, text, (size_t)n);
}

const char *str_get(const struct str *s)
{
	return s->s ? s->s : "";
}

char *str_take(struct str *s)
{
	char *text = s->s ? s->s : xstrdup("");

	memset(s, 0, sizeof(*s));
	return text;
}

void str_set(char **p, const char *s)
{
	char *copy = s ? xstrdup(s) : NULL;

	free(*p);
	*p = copy;
}

void str_add_utf8(struct str *s, uint32_t c)
{
	char buf[4];
	size_t n = 0;

	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		buf[n++] = (char)c;
	} else if (c < 0x800) {
		buf[n++] = (char)(0xc0 | c >> 6);
		buf[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		buf[n++] = (char)(0xe0 | c >> 12);
		buf[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		buf[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		buf[n++] = (char)(0xf0 | c >> 18);
		buf[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		buf[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		buf[n++] = (char)(0x80 | (c & 0x3f));
	}
	str_addn(s, buf, n);
}

void str_add_utf16(struct str *s, const uint16_t *units, size_t n)
{
	// An empty text still makes the string a terminated one.
	str_addn(s, "", 0);
	for (size_t i = 0; i < n; i++) {
		uint32_t c = units[i];

		if (c >= 0xd800 && c < 0xdc00 && i + 1 < n &&
		    units[i + 1] >= 0xdc00 && units[i + 1] < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) +
			    (units[i + 1] - 0xdc00u);
			i++;
		}
		str_add_utf8(s, c);
	}
}

bool str_is_blank(const char *s)
{
	return !s || !s[strspn(s, " \t\r\n")];
}

bool str_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n >= k && !memcmp(s + n - k, suffix, k);
}

const char *const *str_split(const char *list, char sep, struct arena *arena,
			     size_t *ret_n)
{
	const char **ret = arena_calloc(arena, strlen(list) + 1, sizeof(*ret));

	*ret_n = 0;
	for (const char *p = list; *p; p += *p == sep) {
		size_t n = (size_t)(strchrnul(p, sep) - p);

		if (n)
			ret[(*ret_n)++] = arena_strndup(arena, p, n);
		p += n;
	}
	return ret;
}

const char *str_basename(const char *path)
{
	const char *base = path;

	for (const char *p = path; *p; p++)
		if (*p == '/' || *p == '\\')
			base = p + 1;
	return base;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

bool str_to_u64(const char *s, uint64_t *ret)
{
	unsigned int base = 10;
	uint64_t value = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (!*s)
		return false;
	for (; *s; s++) {
		unsigned int d = (unsigned int)digit(*s);

		if (d >= base || __builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, d, &value))
			return false;
	}
	*ret = value;
	return true;
}

uint64_t str_hash(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * 0x100000001b3;
	return h;
}

void str_one_line(struct str *s, size_t from)
{
	for (size_t i = from; i < s->len; i++)
		if (s->s[i] == '\n')
			s->s[i] = '?';
}
