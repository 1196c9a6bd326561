/*
 * JSON written straight into a string: no tree is built. The comma is placed by
 * looking at what stands before. What is no UTF-8 is replaced, since a client
 * would refuse the whole message.
 */
#include "dap/wire/emit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "front/utf8.h"

// A comma, unless this is the first thing of an object or array or of all.
static void next(struct str *t, const char *key)
{
	char last = t->len ? t->s[t->len - 1] : '[';
	size_t n = key ? strlen(key) : 0;
	char *p = str_room(t, n + 4);

	if (last != '{' && last != '[' && last != ':')
		*p++ = ',';
	if (key) {
		*p++ = '"';
		p = mempcpy(p, key, n);
		p = mempcpy(p, "\":", 2);
	}
	str_end(t, p);
}

void emit_object(struct str *t, const char *key)
{
	next(t, key);
	str_addc(t, '{');
}

void emit_object_end(struct str *t)
{
	str_addc(t, '}');
}

void emit_json(struct str *t, const char *key, const char *json)
{
	next(t, key);
	str_add(t, json);
}

void emit_array(struct str *t, const char *key)
{
	next(t, key);
	str_addc(t, '[');
}

void emit_array_end(struct str *t)
{
	str_addc(t, ']');
}

// A character that JSON wants escaped.
static void escape(struct str *t, unsigned char c)
{
	static const char letters[] = "btn?fr"; // from 8 to 13
	char two[] = {'\\', (char)c};

	if (c >= '\b' && c <= '\r' && c != '\v')
		two[1] = letters[c - '\b'];
	else if (c != '"' && c != '\\')
		two[1] = 'u';
	str_addn(t, two, sizeof(two));
	if (two[1] == 'u')
		str_addf(t, "%04x", c);
}

// How many characters at the beginning need no escape in JSON.
static size_t plain_length(const char *s, size_t n)
{
	static const bool plain[256] = {
	    [' ' ... '!'] = true,
	    ['#' ... '['] = true,
	    [']' ... '~'] = true,
	};
	size_t i = 0;

	while (i < n && plain[(unsigned char)s[i]])
		i++;
	return i;
}

static void add_string(struct str *t, const char *s, size_t n)
{
	bool cut;

	str_addc(t, '"');
	for (size_t i = 0; i < n;) {
		size_t plain = plain_length(s + i, n - i);
		str_addn(t, s + i, plain);
		i += plain;
		if (i == n)
			break;
		size_t size = utf8_length(s + i, n - i, &cut);
		if (size > 1)
			str_addn(t, s + i, size);
		else if (size == 1)
			escape(t, (unsigned char)s[i]);
		else
			str_add(t, "\xef\xbf\xbd"); // U+FFFD
		i += size ? size : 1;
	}
	str_addc(t, '"');
}

void emit_strn(struct str *t, const char *key, const char *s, size_t n)
{
	next(t, key);
	add_string(t, s, n);
}

void emit_str(struct str *t, const char *key, const char *s)
{
	if (s)
		emit_strn(t, key, s, strlen(s));
}

void emit_strf(struct str *t, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *s = xvasprintf(fmt, ap);
	va_end(ap);
	emit_str(t, key, s);
	free(s);
}

static void add_hex(struct str *t, uint64_t n)
{
	char buf[16];
	size_t at = sizeof(buf);

	do {
		buf[--at] = "0123456789abcdef"[n % 16];
		n /= 16;
	} while (n);
	str_addn(t, buf + at, sizeof(buf) - at);
}

void emit_int(struct str *t, const char *key, int64_t n)
{
	next(t, key);
	str_addn(t, "-", n < 0);
	str_addu(t, n < 0 ? -(uint64_t)n : (uint64_t)n);
}

void emit_bool(struct str *t, const char *key, bool b)
{
	next(t, key);
	str_add(t, b ? "true" : "false");
}

void emit_addr(struct str *t, const char *key, uint64_t addr)
{
	next(t, key);
	str_addn(t, "\"0x", 3);
	add_hex(t, addr);
	str_addc(t, '"');
}
