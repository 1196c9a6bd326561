#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/md.h"
#include "meta/pe.h"
#include "meta/r2r.h"
#include "mdfixture.h"

static const uint8_t id[20] = "GGGGGGGGGGGGGGGGSSSS";

static void check_image(bool pe64, bool mapped)
{
	_cleanup_str_ struct str embedded = {NULL, 0, 0};
	struct mdfixture f;
	struct pewriter w;
	struct md md;
	struct pe pe;

	mdfixture_init(&f);
	pewriter_init(&w, f.bytes);
	w.pe64 = pe64;
	w.mapped = mapped;
	pewriter_codeview(&w, id, "/src/t.pdb");
	str_add(&embedded, "MPDB0000xyz");
	pewriter_debug(&w, 17, 0, 0x100, &embedded);
	pewriter_debug(&w, 16, 0, 0, &embedded);
	str_add(&w.bodies, "\x0a\x2a\x2a");
	struct bytes b = pewriter_build(&w);
	assert_null(pe_parse(b, mapped, &pe));
	assert_int_equal(pe.machine, pe64 ? 0x8664 : 0x14c);
	assert_int_equal(pe.timestamp, PEWRITER_STAMP);
	assert_int_equal(pe.image_size, 0x8000);
	assert_int_equal(pe.cli_flags, 1);
	assert_int_equal(pe.metadata.n, f.bytes.n);
	assert_null(md_parse(pe.metadata, &md));
	assert_string_equal(pe.debug.pdb_path, "/src/t.pdb");
	assert_true(pe.debug.portable);
	assert_memory_equal(pe.debug.pdb_id, id, 20);
	assert_int_equal(pe.debug.embedded.n, embedded.len);
	assert_memory_equal(pe.debug.embedded.p, "MPDB0000xyz", 11);
	assert_int_equal(pe_at_rva(&pe, PEWRITER_BODIES).n, w.bodies.len);
	assert_int_equal(pe_at_rva(&pe, PEWRITER_BODIES + 1).p[0], 0x2a);
	assert_null(pe_at_rva(&pe, PEWRITER_BODIES + 3).p);
	assert_null(pe_at_rva(&pe, 0).p);
	assert_null(pe_at_rva(&pe, 0xffffffff).p);
	free((void *)(uintptr_t)b.p);
	pewriter_deinit(&w);
	mdfixture_deinit(&f);
}

static void test_images(void **state)
{
	(void)state;
	check_image(false, false);
	check_image(true, false);
	check_image(false, true);
	check_image(true, true);
}

static void test_broken(void **state)
{
	(void)state;
	struct mdfixture f;
	struct pewriter w;
	struct pe pe;

	mdfixture_init(&f);
	pewriter_init(&w, f.bytes);
	pewriter_codeview(&w, id, "/src/t.pdb");
	struct bytes b = pewriter_build(&w);
	size_t whole = 0x400 + 0x200 + f.bytes.n;
	for (size_t n = 0; n < whole; n++) {
		uint8_t *cut = xmalloc(n);
		memcpy(cut, b.p, n);
		struct dbg_error *err =
		    pe_parse((struct bytes){cut, n}, false, &pe);
		assert_non_null(err);
		assert_int_equal(err->code, DBG_E_FORMAT);
		dbg_error_destroy(err);
		free(cut);
	}
	free((void *)(uintptr_t)b.p);
	pewriter_deinit(&w);
	mdfixture_deinit(&f);
}

static void test_tiny_body(void **state)
{
	(void)state;
	struct arena *a = arena_create();
	struct il_body body;

	struct bytes b = {(const uint8_t *)"\x0a\x00\x2a", 3};
	assert_null(il_body_parse(b, a, &body));
	assert_int_equal(body.code.n, 2);
	assert_int_equal(body.max_stack, 8);
	assert_int_equal(body.local_sig, 0);
	assert_int_equal(body.n_clauses, 0);
	b.n = 2;
	struct dbg_error *err = il_body_parse(b, a, &body);
	assert_non_null(err);
	dbg_error_destroy(err);
	err = il_body_parse((struct bytes){NULL, 0}, a, &body);
	assert_non_null(err);
	dbg_error_destroy(err);
	arena_destroy(a);
}

// A fat header with 5 bytes of code; @flags beyond those of every fat one.
static void put_fat(struct str *s, unsigned int flags)
{
	put_le(s, 0x3003 | flags, 2);
	put_le(s, 17, 2);
	put_le(s, 5, 4);
	put_le(s, 0x11000002, 4);
	str_addn(s, "\0\0\0\0\x2a", 5);
}

static struct bytes whole(const struct str *s)
{
	return (struct bytes){(const uint8_t *)s->s, s->len};
}

static void test_fat_body(void **state)
{
	(void)state;
	struct arena *a = arena_create();
	_cleanup_str_ struct str s = {NULL, 0, 0};
	struct il_body body;

	put_fat(&s, 0x18);
	put_le(&s, 0, 3);
	// Small clauses: a finally and a catch.
	put_le(&s, 0x01 | (4 + 24) << 8, 4);
	put_le(&s, 2, 2);
	put_le(&s, 1, 2);
	put_le(&s, 2, 1);
	put_le(&s, 3, 2);
	put_le(&s, 4, 1);
	put_le(&s, 0, 4);
	put_le(&s, 0, 8);
	put_le(&s, 0x01000007, 4);
	assert_null(il_body_parse(whole(&s), a, &body));
	assert_int_equal(body.code.n, 5);
	assert_int_equal(body.max_stack, 17);
	assert_int_equal(body.local_sig, 0x11000002);
	assert_true(body.init_locals);
	assert_int_equal(body.n_clauses, 2);
	assert_int_equal(body.clauses[0].flags, 2);
	assert_int_equal(body.clauses[0].try_offset, 1);
	assert_int_equal(body.clauses[0].try_length, 2);
	assert_int_equal(body.clauses[0].handler_offset, 3);
	assert_int_equal(body.clauses[0].handler_length, 4);
	assert_int_equal(body.clauses[1].token_or_filter, 0x01000007);
	s.len--;
	struct dbg_error *err = il_body_parse(whole(&s), a, &body);
	assert_non_null(err);
	dbg_error_destroy(err);
	arena_destroy(a);
}

static void test_fat_clauses(void **state)
{
	(void)state;
	struct arena *a = arena_create();
	_cleanup_str_ struct str s = {NULL, 0, 0};
	struct il_body body;

	put_fat(&s, 0x08);
	put_le(&s, 0, 3);
	// A section of another kind, then fat clauses.
	put_le(&s, 0x82 | 8 << 8, 4);
	put_le(&s, 0, 4);
	put_le(&s, 0x41 | (4 + 24) << 8, 4);
	for (uint32_t i = 1; i <= 6; i++)
		put_le(&s, i << 16, 4);
	assert_null(il_body_parse(whole(&s), a, &body));
	assert_false(body.init_locals);
	assert_int_equal(body.n_clauses, 1);
	assert_int_equal(body.clauses[0].try_offset, 0x20000);
	assert_int_equal(body.clauses[0].token_or_filter, 0x60000);
	arena_destroy(a);
}

static void test_precompiled(void **state)
{
	struct mdfixture f;
	struct pewriter w;
	struct pe pe;

	(void)state;
	mdfixture_init(&f);
	pewriter_init(&w, f.bytes);
	w.mapped = true;
	pewriter_native(&w);
	struct bytes b = pewriter_build(&w);
	uint8_t *native = (uint8_t *)(uintptr_t)b.p + PEWRITER_NATIVE;
	assert_null(pe_parse(b, true, &pe));
	assert_int_equal(r2r_entry(&pe, 6), 0x222);
	assert_int_equal(r2r_entry(&pe, 17), 0x111);
	assert_int_equal(r2r_entry(&pe, 18), 0x333);
	assert_int_equal(r2r_entry(&pe, 0), 0);
	assert_int_equal(r2r_entry(&pe, 5), 0);
	assert_int_equal(r2r_entry(&pe, 16), 0);
	assert_int_equal(r2r_entry(&pe, 19), 0);
	assert_int_equal(r2r_entry(&pe, 0xffffffff), 0);
	// entries cut short, functions cut short, another signature
	for (native[36]--; native[36]; native[36]--)
		assert_int_equal(r2r_entry(&pe, 18), 0);
	native[36] = 11;
	native[24] = 24;
	assert_int_equal(r2r_entry(&pe, 6), 0x222);
	assert_int_equal(r2r_entry(&pe, 18), 0);
	native[0] = 'X';
	assert_int_equal(r2r_entry(&pe, 6), 0);
	free((void *)(uintptr_t)b.p);
	pewriter_deinit(&w);
	mdfixture_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_images),   cmocka_unit_test(test_precompiled),
	    cmocka_unit_test(test_broken),   cmocka_unit_test(test_tiny_body),
	    cmocka_unit_test(test_fat_body), cmocka_unit_test(test_fat_clauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
