#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "dac/contract.h"
#include "meta/jsonvalue.h"

static struct bytes text(const char *s)
{
	return (struct bytes){(const uint8_t *)s, strlen(s)};
}

static bool is(struct bytes b, const char *s)
{
	return b.n == strlen(s) && b.p && !memcmp(b.p, s, b.n);
}

static void test_json(void **state)
{
	(void)state;
	struct bytes v = jsonvalue_parse(text(
	    " {\"a\" : 1, \"b\":{\"a\":[ 2,\"]x\\\"\" , {}],\"c\":null} }x"));
	struct bytes b = jsonvalue_member(v, "b");
	struct bytes a = jsonvalue_member(b, "a");

	assert_int_equal(v.p[v.n - 1], '}');
	assert_true(is(jsonvalue_member(v, "a"), "1"));
	assert_true(is(a, "[ 2,\"]x\\\"\" , {}]"));
	assert_true(is(jsonvalue_element(a, 0), "2"));
	assert_true(is(jsonvalue_element(a, 1), "\"]x\\\"\""));
	assert_true(is(jsonvalue_string(jsonvalue_element(a, 1)), "]x\\\""));
	assert_true(is(jsonvalue_element(a, 2), "{}"));
	assert_null(jsonvalue_element(a, 3).p);
	assert_true(is(jsonvalue_member(b, "c"), "null"));
	assert_null(jsonvalue_member(v, "c").p);
	assert_null(jsonvalue_member(a, "a").p);
	assert_null(jsonvalue_element(v, 0).p);
	assert_null(jsonvalue_string(jsonvalue_element(a, 0)).p);
}

static void test_json_broken(void **state)
{
	(void)state;
	static const char *const broken[] = {
	    "",
	    "{",
	    "}",
	    "{\"a\"",
	    "{\"a\":",
	    "{\"a\":}",
	    "{a:1}",
	    "{\"a\" 1}",
	    "{\"x\":,\"a\":1}",
	    "{\"x\":\"\\\"a\":1}",
	};
	char deep[200] = "{\"a\":";

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++)
		assert_int_equal(jsonvalue_member(text(broken[i]), "a").n, 0);
	memset(deep + 5, '[', 100);
	memset(deep + 105, ']', 94);
	assert_int_equal(jsonvalue_member(text(deep), "a").n, 0);
}

static void test_json_numbers(void **state)
{
	(void)state;
	static const char *const bad[] = {
	    "", "-1", "1.5", "0x", "x", "18446744073709551616", "\"\"", "[1]",
	};
	uint64_t n = 0;

	assert_true(jsonvalue_number(text("18446744073709551615"), &n));
	assert_true(n == UINT64_MAX);
	assert_true(jsonvalue_number(text("\"0xFFFFFFFFFFFFFFFF\""), &n));
	assert_true(n == UINT64_MAX);
	assert_true(jsonvalue_number(text("\"168\""), &n));
	assert_int_equal(n, 168);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(jsonvalue_number(text(bad[i]), &n));
	assert_int_equal(n, 168);
}

/* Both ways to write an offset and a global, as .NET 10 and 11 do. */
static void test_contract(void **state)
{
	(void)state;
	struct contract c = {
	    .text =
		text("{\"version\":2,\"types\":{\"Thread\":{\"!\":8,\"Id\":16,"
		     "\"LinkNext\":[112,\"pointer\"]}},\"globals\":{"
		     "\"GCInfoVersion\":\"0x5\",\"Old\":[\"0x4\",\"uint32\"],"
		     "\"RID\":[\"1-x64\",\"string\"],\"Bare\":\"text\","
		     "\"AppDomain\":[[1],\"pointer\"],\"Alone\":[1]}}"),
	};
	struct arena *arena = arena_create();
	uint64_t n = 0;

	assert_true(contract_offset(&c, "Thread", "Id", &n));
	assert_int_equal(n, 16);
	assert_true(contract_offset(&c, "Thread", "LinkNext", &n));
	assert_int_equal(n, 112);
	assert_false(contract_offset(&c, "Thread", "OSId", &n));
	assert_false(contract_offset(&c, "Threads", "Id", &n));
	assert_true(contract_global(&c, "GCInfoVersion", &n));
	assert_int_equal(n, 5);
	assert_true(contract_global(&c, "Old", &n));
	assert_int_equal(n, 4);
	/* There is no array of pointers. */
	assert_false(contract_global(&c, "AppDomain", &n));
	assert_false(contract_global(&c, "Alone", &n));
	assert_string_equal(contract_text(&c, "RID", arena), "1-x64");
	assert_string_equal(contract_text(&c, "Bare", arena), "text");
	assert_null(contract_text(&c, "AppDomain", arena));
	c.text = (struct bytes){NULL, 0};
	assert_false(contract_offset(&c, "Thread", "Id", &n));
	assert_false(contract_global(&c, "GCInfoVersion", &n));
	assert_null(contract_text(&c, "RID", arena));
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_json),
	    cmocka_unit_test(test_json_broken),
	    cmocka_unit_test(test_json_numbers),
	    cmocka_unit_test(test_contract),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
