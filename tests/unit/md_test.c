#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "meta/md.h"
#include "mdfixture.h"

static void test_fixture(void **state)
{
	(void)state;
	struct mdfixture f;
	struct md md;
	uint32_t first, end, n;

	mdfixture_init(&f);
	assert_null(md_parse(f.bytes, &md));
	assert_int_equal(md_rows(&md, MD_TYPEDEF), f.plain);
	assert_string_equal(md_col_string(&md, MD_TYPEDEF, f.type, 1), "Type");
	assert_string_equal(md_col_string(&md, MD_TYPEDEF, f.type, 2), "Ns");
	assert_memory_equal(md_mvid(&md), "0123456789abcdef", 16);
	md_type_methods(&md, f.type, &first, &end);
	assert_int_equal(first, f.ctor);
	assert_int_equal(end, f.all_types + 1);
	md_type_methods(&md, f.module_type, &first, &end);
	assert_int_equal(first, end);
	md_type_fields(&md, f.type, &first, &end);
	assert_int_equal(first, f.count_field);
	assert_int_equal(end, f.count_field + 1);
	assert_int_equal(md_field_type(&md, f.count_field), f.type);
	assert_int_equal(md_method_type(&md, f.ctor), f.type);
	assert_int_equal(md_method_type(&md, f.all_types), f.type);
	assert_int_equal(md_method_type(&md, f.lambda), f.closure);
	assert_int_equal(md_method_type(&md, f.move_next_other), f.plain);
	assert_int_equal(md_method_type(&md, 0), 0);
	assert_int_equal(md_method_type(&md, f.move_next_other + 1), 0);
	assert_int_equal(md_enclosing(&md, f.machine), f.inner);
	assert_int_equal(md_enclosing(&md, f.type), 0);
	assert_string_equal(md_param_name(&md, f.ctor, 1), "count");
	assert_string_equal(md_param_name(&md, f.swap, 3), "c");
	assert_string_equal(md_param_name(&md, f.swap, 4), "");
	assert_string_equal(md_param_name(&md, f.cctor, 1), "");
	uint32_t rid = md_find(&md, MD_GENERICPARAM, 2, f.machine << 1, &n);
	assert_int_equal(n, 2);
	assert_string_equal(md_col_string(&md, MD_GENERICPARAM, rid, 3), "T");
	assert_int_equal(md_user_string(&md, f.hello).n, 2 * 7);
	mdfixture_deinit(&f);
}

static void test_attribute(void **state)
{
	(void)state;
	static const char name[] =
	    "System.Runtime.CompilerServices.AsyncStateMachineAttribute";
	struct mdfixture f;
	struct bytes blob;
	struct md md;

	mdfixture_init(&f);
	assert_null(md_parse(f.bytes, &md));
	uint32_t token = MD_TOKEN(MD_METHODDEF, f.overload_2);
	assert_true(md_has_attribute(&md, token, name, &blob));
	assert_int_equal(blob.p[0], 1);
	assert_true(md_has_attribute(&md, token, name, NULL));
	assert_false(md_has_attribute(&md, token, name + 7, NULL));
	assert_false(md_has_attribute(&md, token, "", NULL));
	assert_false(
	    md_has_attribute(&md, MD_TOKEN(MD_METHODDEF, f.ctor), name, NULL));
	// The same without the order that the file promised.
	md.sorted = 0;
	assert_true(md_has_attribute(&md, token, name, NULL));
	assert_int_equal(md_enclosing(&md, f.machine), f.inner);
	mdfixture_deinit(&f);
}

// Wide heaps and tables: 4-byte indexes.
static void test_wide(void **state)
{
	(void)state;
	struct mdwriter w;
	struct md md;
	uint32_t n;

	mdwriter_init(&w);
	w.heap_sizes = 7;
	uint32_t name = mdwriter_string(&w, "x");
	uint32_t sig = mdwriter_blob(&w, "\x20\x00\x01", 3);
	// 0x4000 rows make the two-bit coded indexes of TypeDef wide.
	for (uint32_t i = 0; i < 0x4000; i++)
		mdwriter_row(&w, MD_TYPEDEF, "444422", i, name, 0,
			     i == 9 ? 0x1235 : 0, 1, 1 + i);
	for (uint32_t i = 0; i < 0x4001; i++)
		mdwriter_row(&w, MD_METHODDEF, "422442", i, 0, 0, name, sig, 1);
	mdwriter_row(&w, MD_CONSTANT, "224", 8, 3 << 2 | 1, sig);
	for (uint32_t i = 1; i < 100; i++)
		mdwriter_row(&w, MD_INTERFACEIMPL, "24", i / 3, 0x10001);
	w.sorted = UINT64_C(1) << MD_INTERFACEIMPL;
	struct bytes b = mdwriter_build(&w);
	assert_null(md_parse(b, &md));
	assert_string_equal(md_col_string(&md, MD_METHODDEF, 0x4001, 3), "x");
	assert_int_equal(md_col_blob(&md, MD_METHODDEF, 2, 4).n, 3);
	assert_int_equal(md_typedef_or_ref(md_col(&md, MD_TYPEDEF, 10, 3)),
			 MD_TOKEN(MD_TYPEREF, 0x48d));
	assert_int_equal(md_col(&md, MD_CONSTANT, 1, 1), 3 << 2 | 1);
	assert_int_equal(md_find(&md, MD_INTERFACEIMPL, 0, 7, &n), 21);
	assert_int_equal(n, 3);
	assert_int_equal(md_find(&md, MD_INTERFACEIMPL, 0, 34, &n), 0);
	assert_int_equal(n, 0);
	// The last type owns what is left.
	assert_int_equal(md_method_type(&md, 0x4001), 0x4000);
	assert_int_equal(md_method_type(&md, 77), 77);
	free((void *)(uintptr_t)b.p);
	mdwriter_deinit(&w);
}

static void test_names(void **state)
{
	(void)state;
	struct mdwriter w;
	struct md md;
	uint32_t offset = 0;

	mdwriter_init(&w);
	uint32_t outer = mdwriter_string(&w, "EH");
	uint32_t space = mdwriter_string(&w, "A.B");
	uint32_t inner = mdwriter_string(&w, "Info");
	uint32_t run = mdwriter_string(&w, "Run");
	uint32_t first = mdwriter_string(&w, "first");
	uint32_t second = mdwriter_string(&w, "second");
	uint32_t sig = mdwriter_blob(&w, "\x06\x08", 2);

	// Info, A.B.EH, A.B.EH+Info
	mdwriter_row(&w, MD_TYPEDEF, "422222", 0, inner, 0, 0, 1, 1);
	mdwriter_row(&w, MD_TYPEDEF, "422222", 0, outer, space, 0, 1, 1);
	mdwriter_row(&w, MD_TYPEDEF, "422222", 0, inner, 0, 0, 1, 2);
	mdwriter_row(&w, MD_METHODDEF, "422222", 0, 0, 0, run, sig, 1);
	mdwriter_row(&w, MD_FIELD, "222", 0, first, sig);
	mdwriter_row(&w, MD_FIELD, "222", 0, second, sig);
	mdwriter_row(&w, MD_FIELDLAYOUT, "42", 0xa8, 2);
	mdwriter_row(&w, MD_NESTEDCLASS, "22", 3, 2);
	w.sorted = UINT64_C(1) << MD_NESTEDCLASS | UINT64_C(1)
						       << MD_FIELDLAYOUT;
	struct bytes b = mdwriter_build(&w);
	assert_null(md_parse(b, &md));
	assert_int_equal(md_type_named(&md, "Info"), 1);
	assert_int_equal(md_type_named(&md, "A.B.EH"), 2);
	assert_int_equal(md_type_named(&md, "A.B.EH+Info"), 3);
	assert_int_equal(md_type_named(&md, "A.B.EH+Inf"), 0);
	assert_int_equal(md_type_named(&md, "A.EH"), 0);
	assert_int_equal(md_type_named(&md, "Info+Info"), 0);
	assert_int_equal(md_type_named(&md, ""), 0);
	assert_int_equal(md_method_named(&md, 2, "Run"), 1);
	assert_int_equal(md_method_named(&md, 3, "Run"), 0);
	assert_int_equal(md_field_named(&md, 3, "second"), 2);
	assert_int_equal(md_field_named(&md, 2, "second"), 0);
	assert_true(md_field_offset(&md, 2, &offset));
	assert_int_equal(offset, 0xa8);
	assert_false(md_field_offset(&md, 1, &offset));
	assert_false(md_field_offset(&md, 0, &offset));
	free((void *)(uintptr_t)b.p);
	mdwriter_deinit(&w);
}

static void test_absent(void **state)
{
	(void)state;
	struct mdfixture f;
	struct md md;
	uint32_t first = 9, end = 9, n = 9;

	mdfixture_init(&f);
	assert_null(md_parse(f.bytes, &md));
	assert_int_equal(md_col(&md, MD_TYPEDEF, 0, 1), 0);
	assert_int_equal(md_col(&md, MD_TYPEDEF, f.plain + 1, 1), 0);
	assert_int_equal(md_col(&md, MD_TYPEDEF, 1, 6), 0);
	assert_int_equal(md_col(&md, MD_TYPEDEF, 1, 99), 0);
	assert_int_equal(md_col(&md, MD_EVENT, 1, 0), 0);
	assert_int_equal(md_col(&md, 0x99, 1, 0), 0);
	assert_int_equal(md_rows(&md, 0x99), 0);
	assert_string_equal(md_string(&md, 0xffffffff), "");
	assert_null(md_blob(&md, 0xffffffff).p);
	assert_int_equal(md_blob(&md, 0).n, 0);
	assert_null(md_guid(&md, 0));
	assert_null(md_guid(&md, 2));
	assert_int_equal(md_user_string(&md, 0x999999).n, 0);
	md_type_methods(&md, 999, &first, &end);
	assert_int_equal(first, end);
	assert_int_equal(md_find(&md, MD_EVENT, 0, 0, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(md_memberref_parent(0x17), 0);
	assert_int_equal(md_custom_attribute_type(0x08), 0);
	assert_int_equal(md_typedef_or_ref(1), 0);
	assert_int_equal(md_resolution_scope(0x0b), MD_TOKEN(MD_TYPEREF, 2));
	mdfixture_deinit(&f);
}

static void check_broken(struct bytes b)
{
	struct md md;
	struct dbg_error *err = md_parse(b, &md);

	assert_non_null(err);
	dbg_error_destroy(err);
}

static void test_broken(void **state)
{
	(void)state;
	struct mdfixture f;
	struct md md;

	mdfixture_init(&f);
	// Cut inside the tables, the heaps, the root.
	for (size_t n = 0; n < 200; n++)
		check_broken((struct bytes){f.bytes.p, n});
	uint8_t *copy = malloc(f.bytes.n);
	memcpy(copy, f.bytes.p, f.bytes.n);
	copy[0] ^= 1;
	check_broken((struct bytes){copy, f.bytes.n});
	copy[0] ^= 1;
	// The row count of the first table.
	assert_null(md_parse(f.bytes, &md));
	size_t at = (size_t)(md.tables[MD_MODULE].rows.p - f.bytes.p);
	for (; memcmp(copy + at, "\x01\x00\x00\x00\x08\x00\x00\x00", 8); at--)
		;
	copy[at + 2] = 0xff;
	check_broken((struct bytes){copy, f.bytes.n});
	free(copy);
	mdfixture_deinit(&f);
}

static void test_edited(void **state)
{
	(void)state;
	struct mdwriter w;
	struct md md;

	mdwriter_init(&w);
	mdwriter_row(&w, MD_METHODPTR, "2", 1);
	struct bytes b = mdwriter_build(&w);
	struct dbg_error *err = md_parse(b, &md);
	assert_int_equal(err->code, DBG_E_UNSUPPORTED);
	dbg_error_destroy(err);
	free((void *)(uintptr_t)b.p);
	mdwriter_deinit(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fixture), cmocka_unit_test(test_attribute),
	    cmocka_unit_test(test_wide),    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_absent),  cmocka_unit_test(test_broken),
	    cmocka_unit_test(test_edited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
