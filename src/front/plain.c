/*
 * Text for a terminal: printf's conversions, carried out here because each %s
 * is escaped character by character, as UTF-8 is decoded.
 */
#include "front/plain.h"

#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "front/utf8.h"

/* A parsed conversion of a format: "%-*.3ld". */
struct conversion {
	char flags[8];
	int width;     /* 0: none */
	int precision; /* -1: none */
	bool is_long;  /* 64 bits */
	char letter;
};

/* A va_list that can be passed on to be read. */
struct args {
	va_list ap;
};

// Characters that reorder the text around them or begin a line.
static bool is_format(uint32_t c)
{
	return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	       c == 0x2028 || c == 0x2029;
}

static bool is_control(uint32_t c)
{
	return (c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0);
}

// Get the escape for a character; false: it is printed as it is.
static bool escape(uint32_t c, char *buf, size_t size)
{
	static const char letters[] = "abtnvfr"; // from 7 to 13

	if (!is_control(c) && !is_format(c))
		return false;
	if (c >= '\a' && c <= '\r')
		snprintf(buf, size, "\\%c", letters[c - '\a']);
	else
		snprintf(buf, size, "\\u%04x", c);
	return true;
}

// Advance *@s behind the next character. *@ret is the text to print for it, in
// @buf or in place; returns the length of that text.
static size_t next(const char **s, size_t n, char *buf, size_t size,
		   const char **ret)
{
	bool cut;
	size_t length = utf8_length(*s, n, &cut);

	*ret = *s;
	*s += length ? length : 1;
	if (length && !escape(utf8_code(*ret, length), buf, size))
		return length;
	if (!length)
		snprintf(buf, size, "\\x%02x", (unsigned char)**ret);
	*ret = buf;
	return strlen(buf);
}

void plain_add(struct str *t, const char *s, size_t n)
{
	const char *end = s + n;
	const char *shown;
	char buf[8];

	while (s < end) {
		size_t size =
		    next(&s, (size_t)(end - s), buf, sizeof(buf), &shown);
		str_addn(t, shown, size);
	}
}

bool plain_is(const char *s)
{
	const char *end = s + strlen(s);
	const char *shown;
	char buf[8];

	while (s < end) {
		next(&s, (size_t)(end - s), buf, sizeof(buf), &shown);
		if (shown == buf)
			return false;
	}
	return true;
}

static void pad(FILE *out, size_t n)
{
	fprintf(out, "%*s", n > INT_MAX ? INT_MAX : (int)n, "");
}

static void print_string(FILE *out, const struct conversion *c, const char *s,
			 size_t n)
{
	_cleanup_str_ struct str t = {0};
	bool left = strchr(c->flags, '-');

	plain_add(&t, s, n);
	size_t fill = (size_t)c->width > t.len ? (size_t)c->width - t.len : 0;
	if (fill && !left)
		pad(out, fill);
	fwrite(str_get(&t), 1, t.len, out);
	if (fill && left)
		pad(out, fill);
}

// A number in the decimals at *@p, or the next argument for a '*'.
static int take_number(const char **p, struct args *args)
{
	int n = 0;

	if (**p == '*') {
		(*p)++;
		return va_arg(args->ap, int);
	}
	for (; **p >= '0' && **p <= '9'; (*p)++)
		n = n * 10 + (**p - '0');
	return n;
}

// Take the conversion at *@p, which is behind its '%'.
static void take_conversion(const char **p, struct args *args,
			    struct conversion *ret)
{
	size_t n = strspn(*p, "-0+ #");

	assert(n < sizeof(ret->flags));
	memcpy(ret->flags, *p, n);
	ret->flags[n] = 0;
	*p += n;
	ret->width = take_number(p, args);
	ret->precision = -1;
	if (**p == '.') {
		(*p)++;
		ret->precision = take_number(p, args);
	}
	ret->is_long = strchr("lz", **p);
	while (strchr("lz", **p))
		(*p)++;
	ret->letter = *(*p)++;
}

static void print_number(FILE *out, const struct conversion *c,
			 struct args *args)
{
	bool is_signed = strchr("di", c->letter);
	char precision[16] = "";
	char fmt[64];

	if (c->precision >= 0)
		snprintf(precision, sizeof(precision), ".%d", c->precision);
	snprintf(fmt, sizeof(fmt), "%%%s*%s%s%c", c->flags, precision,
		 c->letter == 'g' ? "" : "l", c->letter);
	if (c->letter == 'g')
		fprintf(out, fmt, c->width, va_arg(args->ap, double));
	else if (c->is_long)
		fprintf(out, fmt, c->width, va_arg(args->ap, unsigned long));
	else if (is_signed)
		fprintf(out, fmt, c->width, (long)va_arg(args->ap, int));
	else
		fprintf(out, fmt, c->width,
			(unsigned long)va_arg(args->ap, unsigned int));
}

static void print_conversion(FILE *out, const struct conversion *c,
			     struct args *args)
{
	if (c->letter == '%') {
		fputc('%', out);
	} else if (c->letter == 's') {
		const char *s = va_arg(args->ap, const char *);
		bool cut = c->precision >= 0;
		print_string(out, c, s,
			     cut ? strnlen(s, (size_t)c->precision)
				 : strlen(s));
	} else if (c->letter == 'c') {
		char one = (char)va_arg(args->ap, int);
		print_string(out, c, &one, 1);
	} else {
		assert(strchr("diuoxXg", c->letter));
		print_number(out, c, args);
	}
}

void plain_vprintf(FILE *out, const char *fmt, va_list ap)
{
	struct conversion c;
	struct args args;

	va_copy(args.ap, ap);
	for (;;) {
		size_t n = strcspn(fmt, "%");
		fwrite(fmt, 1, n, out);
		fmt += n;
		if (!*fmt)
			break;
		fmt++;
		take_conversion(&fmt, &args, &c);
		print_conversion(out, &c, &args);
	}
	va_end(args.ap);
}

void plain_printf(FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	plain_vprintf(out, fmt, ap);
	va_end(ap);
}

void plain_error(struct dbg_error *err)
{
	if (err)
		plain_printf(stderr, "dndbg: %s\n", err->message);
	dbg_error_destroy(err);
}
