/*
 * Results written straight into a string: no tree is built. The comma is placed
 * by looking at what stands before.
 */
#include "mi/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "front/utf8.h"

static void add_byte(struct str *t, unsigned char c)
{
	static const char letters[] = "\a\b\t\n\v\f\r\"\\\033";
	static const char names[] = "abtnvfr\"\\e";
	const char *found = c ? strchr(letters, c) : NULL;

	if (found)
		str_addf(t, "\\%c", names[found - letters]);
	else
		str_addf(t, "\\%03o", c);
}

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

void record_quote(struct str *t, const char *s, size_t n)
{
	const char *end = s + n;

	str_addc(t, '"');
	while (s < end) {
		size_t run = 0;
		bool cut;

		while (s + run < end && is_plain((unsigned char)s[run]))
			run++;
		str_addn(t, s, run);
		s += run;
		if (s == end)
			break;
		size_t len = utf8_length(s, (size_t)(end - s), &cut);
		if (len > 1 && utf8_code(s, len) >= 0xa0) {
			str_addn(t, s, len);
			s += len;
		} else {
			add_byte(t, (unsigned char)*s++);
		}
	}
	str_addc(t, '"');
}

// Begin a result: the comma in front, and its name.
static void result_begin(struct str *t, const char *name)
{
	if (t->len && !strchr("{[", t->s[t->len - 1]))
		str_addc(t, ',');
	if (name) {
		str_add(t, name);
		str_addc(t, '=');
	}
}

void record_str(struct str *t, const char *name, const char *value)
{
	if (!value)
		return;
	result_begin(t, name);
	record_quote(t, value, strlen(value));
}

void record_strf(struct str *t, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *value = xvasprintf(fmt, ap);
	va_end(ap);
	record_str(t, name, value);
}

void record_uint(struct str *t, const char *name, uint64_t value)
{
	result_begin(t, name);
	str_addf(t, "\"%" PRIu64 "\"", value);
}

void record_addr(struct str *t, const char *name, uint64_t addr)
{
	result_begin(t, name);
	str_addf(t, "\"0x%016" PRIx64 "\"", addr);
}

void record_tuple(struct str *t, const char *name)
{
	result_begin(t, name);
	str_addc(t, '{');
}

void record_tuple_end(struct str *t)
{
	str_addc(t, '}');
}

void record_list(struct str *t, const char *name)
{
	result_begin(t, name);
	str_addc(t, '[');
}

void record_list_end(struct str *t)
{
	str_addc(t, ']');
}
