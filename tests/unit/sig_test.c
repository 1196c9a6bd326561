#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/md.h"
#include "meta/sig.h"

#define BLOB(s) ((struct bytes){(const uint8_t *)(s), sizeof(s) - 1})

static void drop(struct dbg_error *err)
{
	assert_non_null(err);
	assert_int_equal(err->code, DBG_E_FORMAT);
	dbg_error_destroy(err);
}

static void test_method(void **state)
{
	(void)state;
	struct arena *a = arena_create();
	struct sig_method *m;

	// instance T M<T>(in string, params object[]) with a modifier
	assert_null(sig_parse_method(
	    BLOB("\x30\x01\x02\x1e\x00\x1f\x05\x10\x0e\x1d\x1c"), a, &m));
	assert_int_equal(m->convention, 0x30);
	assert_int_equal(m->n_generic, 1);
	assert_int_equal(m->ret->elem, ELEM_MVAR);
	assert_int_equal(m->n_params, 2);
	assert_int_equal(m->params[0]->elem, ELEM_BYREF);
	assert_int_equal(m->params[0]->inner->elem, ELEM_STRING);
	assert_int_equal(m->params[1]->elem, ELEM_SZARRAY);
	assert_int_equal(m->params[1]->inner->elem, ELEM_OBJECT);
	// A vararg call site: the sentinel is no type.
	assert_null(sig_parse_method(BLOB("\x05\x02\x01\x08\x41\x0e"), a, &m));
	assert_int_equal(m->n_params, 2);
	assert_int_equal(m->params[1]->elem, ELEM_STRING);
	drop(sig_parse_method(BLOB("\x20\x02\x01\x08"), a, &m));
	drop(sig_parse_method(BLOB("\x06\x00\x01"), a, &m));
	drop(sig_parse_method(BLOB(""), a, &m));
	drop(sig_parse_method(BLOB("\x00\xdf\xff\xff\xff\x01"), a, &m));
	arena_destroy(a);
}

static void test_types(void **state)
{
	(void)state;
	struct arena *a = arena_create();
	struct sig_type *t;

	// Dictionary<TypeRef 2, int>, a value type by its mark
	assert_null(
	    sig_parse_type(BLOB("\x15\x11\x09\x02\x12\x05\x08"), a, &t));
	assert_int_equal(t->elem, ELEM_GENERICINST);
	assert_true(t->value_type);
	assert_int_equal(t->token, MD_TOKEN(MD_TYPEREF, 2));
	assert_int_equal(t->n_args, 2);
	assert_int_equal(t->args[0]->token, MD_TOKEN(MD_TYPEREF, 1));
	assert_false(t->args[0]->value_type);
	assert_null(
	    sig_parse_type(BLOB("\x14\x08\x03\x01\x05\x02\x7f\x00"), a, &t));
	assert_int_equal(t->elem, ELEM_ARRAY);
	assert_int_equal(t->number, 3);
	assert_int_equal(t->inner->elem, ELEM_I4);
	assert_null(sig_parse_type(BLOB("\x1b\x09\x01\x01\x0f\x01"), a, &t));
	assert_int_equal(t->elem, ELEM_FNPTR);
	assert_int_equal(t->method->convention, 9);
	assert_int_equal(t->method->params[0]->inner->elem, ELEM_VOID);
	assert_null(sig_parse_field(BLOB("\x06\x20\x05\x13\x03"), a, &t));
	assert_int_equal(t->elem, ELEM_VAR);
	assert_int_equal(t->number, 3);
	drop(sig_parse_field(BLOB("\x07\x08"), a, &t));
	drop(sig_parse_type(BLOB("\x14\x08\x21\x00\x00"), a, &t));
	drop(sig_parse_type(BLOB("\x15\x08\x09\x01\x08"), a, &t));
	drop(sig_parse_type(BLOB("\x17"), a, &t));
	drop(sig_parse_type(BLOB("\x1d"), a, &t));
	arena_destroy(a);
}

static void test_lists(void **state)
{
	(void)state;
	struct arena *a = arena_create();
	struct sig_type **types;
	uint32_t n;

	assert_null(sig_parse_locals(BLOB("\x07\x03\x45\x10\x05\x08\x11\x08"),
				     a, &types, &n));
	assert_int_equal(n, 3);
	assert_true(types[0]->pinned);
	assert_int_equal(types[0]->elem, ELEM_BYREF);
	assert_int_equal(types[2]->token, MD_TOKEN(MD_TYPEDEF, 2));
	assert_null(sig_parse_methodspec(BLOB("\x0a\x01\x0e"), a, &types, &n));
	assert_int_equal(n, 1);
	assert_int_equal(types[0]->elem, ELEM_STRING);
	// Those of dynamic methods have the runtime's handles.
	assert_null(sig_parse_locals(
	    BLOB("\x07\x02\x21\x10\x32\x54\x76\x98\x7f\0\0"
		 "\x15\x21\x18\x32\x54\x76\x98\x7f\0\0\x01\x08"),
	    a, &types, &n));
	assert_int_equal(n, 2);
	assert_int_equal(types[0]->handle, 0x7f9876543210);
	assert_int_equal(types[1]->handle, 0x7f9876543218);
	assert_int_equal(types[1]->n_args, 1);
	drop(sig_parse_locals(BLOB("\x07\x03\x08\x08"), a, &types, &n));
	drop(sig_parse_locals(BLOB("\x0a\x01\x0e"), a, &types, &n));
	arena_destroy(a);
}

// Depth is limited whatever the way down.
static void test_depth(void **state)
{
	(void)state;
	struct arena *a = arena_create();
	struct sig_type *t;
	char deep[5000];

	memset(deep, ELEM_SZARRAY, 60);
	deep[60] = ELEM_I4;
	struct bytes b = {(const uint8_t *)deep, 61};
	assert_null(sig_parse_type(b, a, &t));
	memset(deep, ELEM_PTR, sizeof(deep));
	b.n = sizeof(deep);
	drop(sig_parse_type(b, a, &t));
	for (size_t i = 0; i + 5 <= sizeof(deep); i += 5)
		memcpy(deep + i, "\x15\x12\x05\x01\x15", 5);
	drop(sig_parse_type(b, a, &t));
	for (size_t i = 0; i + 3 <= sizeof(deep); i += 3)
		memcpy(deep + i, "\x1b\x00\x01", 3);
	drop(sig_parse_type(b, a, &t));
	arena_destroy(a);
}

static void test_read_type(void **state)
{
	(void)state;
	struct arena *a = arena_create();
	struct sig_type *t;
	struct reader r;

	reader_init(&r, "\x20\x05\x08\x2a", 4);
	assert_null(sig_read_type(&r, a, &t));
	assert_int_equal(t->elem, ELEM_I4);
	assert_int_equal(reader_left(&r), 1);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_method),    cmocka_unit_test(test_types),
	    cmocka_unit_test(test_lists),     cmocka_unit_test(test_depth),
	    cmocka_unit_test(test_read_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
