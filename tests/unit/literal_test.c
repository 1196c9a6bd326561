#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <float.h>
#include <string.h>

#include <cmocka.h>

#include "eval/literal.h"

static void is(struct str *got, const char *want)
{
	assert_string_equal(str_get(got), want);
	str_deinit(got);
}

static void check_double(double value, const char *want)
{
	struct str s = {0};

	literal_double(value, &s);
	is(&s, want);
}

static void check_float(float value, const char *want)
{
	struct str s = {0};

	literal_float(value, &s);
	is(&s, want);
}

/* What Console.WriteLine prints of these on .NET 8 and later. */
static void test_double(void **state)
{
	(void)state;
	check_double(0, "0");
	check_double(-0.0, "-0");
	check_double(1, "1");
	check_double(-60, "-60");
	check_double(0.1, "0.1");
	check_double(-0.1, "-0.1");
	check_double(1.5, "1.5");
	check_double(0.1 + 0.2, "0.30000000000000004");
	check_double(0.0001, "0.0001");
	check_double(0.00001, "1E-05");
	check_double(123456789012345, "123456789012345");
	check_double(1e14, "100000000000000");
	check_double(1e15, "1000000000000000");
	check_double(1e16, "10000000000000000");
	check_double(1e17, "1E+17");
	check_double(1234567890123456, "1234567890123456");
	check_double(1.25e20, "1.25E+20");
	check_double(DBL_MAX, "1.7976931348623157E+308");
	check_double(DBL_TRUE_MIN, "5E-324");
	check_double((double)NAN, "NaN");
	check_double((double)INFINITY, "Infinity");
	check_double(-(double)INFINITY, "-Infinity");
}

static void test_float(void **state)
{
	(void)state;
	check_float(1.5f, "1.5");
	check_float(0.1f, "0.1");
	check_float(1e7f, "10000000");
	check_float(123456789.125f, "123456790");
	check_float(1e9f, "1E+09");
	check_float(1234567, "1234567");
	check_float(12345678, "12345678");
	check_float(FLT_MAX, "3.4028235E+38");
	check_float(FLT_TRUE_MIN, "1E-45");
}

static void check_char(uint16_t unit, const char *want)
{
	struct str s = {0};

	literal_char(unit, &s);
	is(&s, want);
}

static void test_char(void **state)
{
	(void)state;
	check_char('a', "'a'");
	check_char('\'', "'\\''");
	check_char('"', "'\"'");
	check_char('\\', "'\\\\'");
	check_char(0, "'\\0'");
	check_char('\n', "'\\n'");
	check_char(7, "'\\a'");
	check_char(0x1b, "'\\u001b'");
	check_char(0x7f, "'\\u007f'");
	check_char(0xe9, "'\xc3\xa9'");
	check_char(0xd83d, "'\\ud83d'");
	check_char(0x202e, "'\\u202e'");
}

static void test_string(void **state)
{
	(void)state;
	static const uint16_t text[] = {'s',    '"',    '\r', 0,     0xe9,
					0xd83d, 0xde00, 'x',  0xd83d};
	struct str s = {0};

	literal_string(text, 9, false, &s);
	is(&s, "\"s\\\"\\r\\0\xc3\xa9\xf0\x9f\x98\x80x\\ud83d\"");
	literal_string(text, 9, true, &s);
	is(&s, "\"s\\\"\\r\\0\xc3\xa9\xf0\x9f\x98\x80x\"...");
	literal_string(text, 0, false, &s);
	is(&s, "\"\"");
}

static void check_decimal(const char *text, const char *want)
{
	struct decimal d;
	uint32_t words[4];
	struct str s = {0};

	assert_true(decimal_parse(text, &d));
	decimal_store(&d, words);
	memset(&d, 0, sizeof(d));
	decimal_load(words, &d);
	decimal_text(&d, &s);
	is(&s, want);
}

static void test_decimal(void **state)
{
	(void)state;
	struct decimal d;
	struct str s = {0};

	check_decimal("12.50", "12.50");
	check_decimal("0", "0");
	check_decimal("0.00", "0.00");
	check_decimal("79228162514264337593543950335",
		      "79228162514264337593543950335");
	check_decimal("0.0000000000000000000000000001",
		      "0.0000000000000000000000000001");
	assert_false(decimal_parse("79228162514264337593543950336", &d));
	check_decimal("1e5", "100000");
	check_decimal("-1.5", "-1.5");
	check_decimal("1.50e1", "15.0");
	check_decimal("12e-3", "0.012");
	check_decimal("1e28", "10000000000000000000000000000");
	assert_false(decimal_parse("1e29", &d));
	assert_false(decimal_parse("1e-29", &d));
	assert_false(decimal_parse("1e", &d));
	assert_false(decimal_parse("1e999999999999", &d));
	// decimal.MinValue: sign, high, low, mid as in memory
	decimal_load(
	    (const uint32_t[4]){0x80000000, 0xffffffff, 0xffffffff, 0xffffffff},
	    &d);
	decimal_text(&d, &s);
	is(&s, "-79228162514264337593543950335");
}

static void test_int128(void **state)
{
	(void)state;
	struct str s = {0};

	literal_int128(0, 0, true, &s);
	is(&s, "0");
	literal_int128(0, 1ULL << 63, true, &s);
	is(&s, "-170141183460469231731687303715884105728");
	literal_int128(UINT64_MAX, UINT64_MAX, false, &s);
	is(&s, "340282366920938463463374607431768211455");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_double),  cmocka_unit_test(test_float),
	    cmocka_unit_test(test_char),    cmocka_unit_test(test_string),
	    cmocka_unit_test(test_decimal), cmocka_unit_test(test_int128),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
