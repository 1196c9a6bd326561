/* Lines of GDB/MI taken apart, results put together. */
#include "mi/mi_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "mi/record.h"

static void check_line(const char *text, const char *token, const char *name,
		       const char *rest)
{
	struct mi_line line;

	mi_line_parse(text, &line);
	assert_string_equal(line.token, token);
	assert_int_equal(line.cli, !name);
	if (name)
		assert_string_equal(line.name, name);
	assert_string_equal(line.rest, rest);
	mi_line_deinit(&line);
}

static void test_lines(void **state)
{
	(void)state;
	check_line("-exec-run", "", "exec-run", "");
	check_line("12-exec-run  --start ", "12", "exec-run", "--start");
	check_line("007 -x", "007", "x", "");
	check_line("info locals", "", NULL, "info locals");
	check_line("5 print 1 ", "5", NULL, "print 1");
	check_line("5print 1", "5", NULL, "print 1");
	check_line("", "", NULL, "");
	check_line("-", "", "", "");
	check_line("3--x", "3", "-x", "");
	check_line("\t-a\tb\t", "", "a", "b");
}

static void check_words(const char *text, const char *const *words)
{
	_cleanup_words_ struct words got = {0};
	size_t n = 0;

	assert_null(mi_line_arguments(text, &got));
	for (; words[n]; n++) {
		assert_true(n < got.n);
		assert_string_equal(got.v[n], words[n]);
	}
	assert_int_equal(got.n, n);
}

static void test_arguments(void **state)
{
	(void)state;
	check_words("", (const char *[]){NULL});
	check_words("a b  c", (const char *[]){"a", "b", "c", NULL});
	check_words("\"a b\" c", (const char *[]){"a b", "c", NULL});
	check_words("\"\"", (const char *[]){"", NULL});
	check_words("\"\\\"x\\\\\\n\\101\\t\" y",
		    (const char *[]){"\"x\\\nA\t", "y", NULL});
	check_words("a\\b c\"d", (const char *[]){"a\\b", "c\"d", NULL});
	check_words("\"a\\0b\"", (const char *[]){"ab", NULL});
}

static void refused(const char *text)
{
	_cleanup_words_ struct words got = {0};
	struct dbg_error *err = mi_line_arguments(text, &got);

	assert_non_null(err);
	dbg_error_destroy(err);
}

static void test_faults(void **state)
{
	(void)state;
	refused("\"");
	refused("\"a");
	refused("\"a\\");
	refused("a \"b\"c");
}

static void check_quoted(const char *s, size_t n, const char *wanted)
{
	_cleanup_str_ struct str t = {0};

	record_quote(&t, s, n);
	assert_string_equal(str_get(&t), wanted);
}

static void test_quotes(void **state)
{
	(void)state;
	check_quoted("", 0, "\"\"");
	check_quoted("a\"b\\\n\033\001", 7, "\"a\\\"b\\\\\\n\\e\\001\"");
	check_quoted("a\0b", 3, "\"a\\000b\"");
	check_quoted("\303\244", 2, "\"\303\244\"");
	check_quoted("\303", 1, "\"\\303\"");
	// a control character of two bytes
	check_quoted("\302\205", 2, "\"\\302\\205\"");
	check_quoted("\177\377", 2, "\"\\177\\377\"");
}

static void test_records(void **state)
{
	_cleanup_str_ struct str t = {0};

	(void)state;
	record_str(&t, "a", "x{");
	record_str(&t, "none", NULL);
	record_tuple(&t, "b");
	record_uint(&t, "c", 7);
	record_list(&t, "d");
	record_list_end(&t);
	record_tuple_end(&t);
	record_list(&t, "e");
	record_str(&t, NULL, "1");
	record_tuple(&t, NULL);
	record_addr(&t, "f", 16);
	record_tuple_end(&t);
	record_list_end(&t);
	record_strf(&t, "g", "%d", 3);
	assert_string_equal(str_get(&t),
			    "a=\"x{\",b={c=\"7\",d=[]},e=[\"1\",{f="
			    "\"0x0000000000000010\"}],g=\"3\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines),   cmocka_unit_test(test_arguments),
	    cmocka_unit_test(test_faults),  cmocka_unit_test(test_quotes),
	    cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
