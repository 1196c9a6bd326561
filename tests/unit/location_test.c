#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/mem.h"
#include "control/breakpoint/location.h"

static struct arena *arena;

static struct dbg_place good(const char *text, const char *path)
{
	struct dbg_place loc = {0};
	struct dbg_error *err =
	    location_take(&(struct dbg_place){.text = text}, path, arena, &loc);

	if (err)
		fail_msg("'%s': %s", text, err->message);
	return loc;
}

static void bad(const char *text, const char *part)
{
	struct dbg_place loc;
	struct dbg_error *err =
	    location_take(&(struct dbg_place){.text = text}, NULL, arena, &loc);

	assert_non_null(err);
	if (!strstr(err->message, part))
		fail_msg("'%s' lacks '%s'", err->message, part);
	assert_int_equal(err->code, DBG_E_ARGUMENT);
	dbg_error_destroy(err);
}

static void test_lines(void **state)
{
	(void)state;
	struct dbg_place loc = good(" src/Program.cs:12 ", NULL);

	assert_int_equal(loc.kind, DBG_PLACE_LINE);
	assert_string_equal(loc.file, "src/Program.cs");
	assert_int_equal(loc.line, 12);
	assert_null(loc.module);
	// a path of Windows has a colon of its own, and zeros are no octal
	loc = good("C:\\a\\b.cs:010", NULL);
	assert_string_equal(loc.file, "C:\\a\\b.cs");
	assert_int_equal(loc.line, 10);
	loc = good("7", "/x/Y.cs");
	assert_string_equal(loc.file, "/x/Y.cs");
	assert_int_equal(loc.line, 7);
	loc = good("a.cs:12:5", NULL);
	assert_string_equal(loc.file, "a.cs");
	assert_int_equal(loc.line, 12);
	assert_int_equal(loc.column, 5);
	loc = good("C:12", NULL);
	assert_int_equal(loc.column, 0);
	assert_int_equal(loc.line, 12);
	bad("a.cs:12:0", "counted from 1");
	bad("7", "no file for line 7");
	bad("a.cs:0", "counted from 1");
	bad("a.cs:99999999999999999999", "too large");
}

static void test_functions(void **state)
{
	(void)state;
	struct dbg_place loc = good("App!Ns.T.M( int, string )", NULL);

	assert_int_equal(loc.kind, DBG_PLACE_FUNCTION);
	assert_string_equal(loc.module, "App");
	assert_string_equal(loc.function, "Ns.T.M");
	assert_string_equal(loc.params, "int, string");
	loc = good("M()", NULL);
	assert_string_equal(loc.params, "");
	loc = good("List<T>.Add", NULL);
	assert_string_equal(loc.function, "List<T>.Add");
	assert_null(loc.params);
	bad("M(int", "missing ')'");
	bad("(int)", "no function");
	bad("   ", "no location");
}

/* A '!' beside a slash is one of a path. */
static void test_modules(void **state)
{
	(void)state;
	struct dbg_place loc = good("App!src/Program.cs:3", NULL);

	assert_string_equal(loc.module, "App");
	assert_string_equal(loc.file, "src/Program.cs");
	loc = good("/home/me!/a.cs:3", NULL);
	assert_null(loc.module);
	assert_string_equal(loc.file, "/home/me!/a.cs");
	loc = good("really!/a.cs:3", NULL);
	assert_null(loc.module);
	assert_string_equal(loc.file, "really!/a.cs");
	loc = good("C:\\me!\\a.cs:3", NULL);
	assert_string_equal(loc.file, "C:\\me!\\a.cs");
}

/* What comes as numbers and names is not parsed. */
static void test_taken(void **state)
{
	(void)state;
	struct dbg_place loc = {0};

	assert_null(location_take(&(struct dbg_place){.kind = DBG_PLACE_LINE,
						      .file = "*a!b:7",
						      .line = 3},
				  "/x/Y.cs", arena, &loc));
	assert_string_equal(loc.file, "*a!b:7");
	assert_null(loc.module);
	assert_string_equal(loc.text, "*a!b:7:3");
	loc = good("7", "/x/Y.cs");
	assert_string_equal(loc.text, "Y.cs:7");
	assert_null(location_take(&loc, NULL, arena, &loc));
	assert_string_equal(loc.file, "/x/Y.cs");
	assert_string_equal(loc.text, "Y.cs:7");
	bad("", "no location");
}

static void test_addresses(void **state)
{
	(void)state;
	struct dbg_place loc = good("* 0x1f", NULL);

	assert_int_equal(loc.kind, DBG_PLACE_ADDRESS);
	assert_int_equal(loc.addr, 0x1f);
	bad("*here", "not an address");
}

static int set_up(void **state)
{
	(void)state;
	arena = arena_create();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_destroy(arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines),     cmocka_unit_test(test_functions),
	    cmocka_unit_test(test_modules),   cmocka_unit_test(test_taken),
	    cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
