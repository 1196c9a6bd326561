/* Foreign text on a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/plain.h"

static void shows(const char *wanted, const char *s, size_t n)
{
	_cleanup_str_ struct str t = {0};

	plain_add(&t, s, n);
	assert_string_equal(wanted, str_get(&t));
}

#define SHOWS(wanted, s) shows(wanted, s, sizeof(s) - 1)

static void test_escapes(void **state)
{
	(void)state;
	SHOWS("", "");
	SHOWS("a\tb \"c\\d\"", "a\tb \"c\\d\"");
	SHOWS("\\u001b[31m\\a\\b\\n\\v\\f\\r\\u0000\\u007f",
	      "\033[31m\a\b\n\v\f\r\0\177");
	// Letters of all lengths stay.
	SHOWS("\u00e9\u00a0\u20ac\U0001f600", "\u00e9\u00a0\u20ac\U0001f600");
	// C1 controls, as a character and as a byte.
	SHOWS("\\u009b1m\\x9b1m", "\xc2\x9b"
				  "1m\x9b"
				  "1m");
	SHOWS("\\u202e\\u2066\\u2028", "\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8");
	// Overlong, a surrogate, cut short.
	SHOWS("\\xc0\\x9b\\xed\\xa0\\x80\\xe2\\x82",
	      "\xc0\x9b\xed\xa0\x80\xe2\x82");
}

static void test_plain(void **state)
{
	(void)state;
	assert_true(plain_is(""));
	assert_true(plain_is("Namespace.Type`1\t\u00e9"));
	assert_false(plain_is("a\nb"));
	assert_false(plain_is("\xff"));
}

__attribute__((format(printf, 2, 3))) static void prints(const char *wanted,
							 const char *fmt, ...)
{
	char *got = NULL;
	size_t n = 0;
	va_list ap;

	FILE *out = open_memstream(&got, &n);
	assert_non_null(out);
	va_start(ap, fmt);
	plain_vprintf(out, fmt, ap);
	va_end(ap);
	fclose(out);
	assert_string_equal(wanted, got);
	free(got);
}

static void test_printf(void **state)
{
	(void)state;
	prints("one\nline 100%\033[0m\n", "%s\nline %d%%\033[0m\n", "one", 100);
	prints("<a\\n   >", "<%-6s>", "a\n");
	prints("<   a\\n>", "<%6s>", "a\n");
	prints("<a\\n>", "<%.*s>", 2, "a\nb");
	prints("<    >", "<%*s>", 4, "");
	prints("\\u001b'x'", "%c'%c'", '\033', 'x');
	prints("-1 4294967295 ff 0x00000000000000ff", "%d %u %x 0x%016lx", -1,
	       UINT32_MAX, 255, 255ul);
	prints("18446744073709551615 -9223372036854775808 7", "%lu %ld %zu",
	       UINT64_MAX, INT64_MIN, (size_t)7);
	prints("<42      > 007 017", "<%-8lu> %03o 0%o", 42ul, 7, 15);
	prints("0.1 0.10000000000000001", "%.9g %.17g", 0.1, 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_escapes),
	    cmocka_unit_test(test_plain),
	    cmocka_unit_test(test_printf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
