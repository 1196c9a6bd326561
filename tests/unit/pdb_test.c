#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/pdb.h"
#include "meta/pe.h"
#include "mdfixture.h"
#include "pdbfixture.h"

struct fixture {
	struct bytes bytes;
	struct pdb *pdb;
	struct arena *arena;
};

/* A method as the PDB itself has it. */
static struct pdb_method of(uint32_t rid)
{
	return (struct pdb_method){rid, 0};
}

static int setup(void **state)
{
	struct fixture *x = xcalloc(1, sizeof(*x));

	x->bytes = pdbfixture_build();
	x->arena = arena_create();
	assert_null(pdb_parse(x->bytes, &x->pdb));
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	pdb_destroy(x->pdb);
	arena_destroy(x->arena);
	free((void *)(uintptr_t)x->bytes.p);
	free(x);
	return 0;
}

static void test_documents(void **state)
{
	struct fixture *x = *state;
	const char *algorithm;

	assert_int_equal(pdb_n_documents(x->pdb), 2);
	const char *path = pdb_document_path(x->pdb, 1);
	assert_string_equal(path, "/home/me/a.cs");
	assert_ptr_equal(pdb_document_path(x->pdb, 1), path);
	assert_string_equal(pdb_document_path(x->pdb, 2), "/home/me/b.cs");
	assert_string_equal(pdb_document_path(x->pdb, 0), "");
	assert_string_equal(pdb_document_path(x->pdb, 3), "");
	struct bytes hash = pdb_document_hash(x->pdb, 1, &algorithm);
	assert_string_equal(algorithm, "SHA256");
	assert_int_equal(hash.n, 4);
	pdb_document_hash(x->pdb, 2, &algorithm);
	assert_null(algorithm);
	struct bytes text = pdb_document_source(x->pdb, 1, x->arena);
	assert_int_equal(text.n, 11);
	assert_memory_equal(text.p, "class C { }", 11);
	text = pdb_document_source(x->pdb, 2, x->arena);
	assert_int_equal(text.n, 5);
	assert_memory_equal(text.p, "plain", 5);
	assert_null(pdb_document_source(x->pdb, 3, x->arena).p);
}

static void check_point(const struct seq_point *p, uint32_t il, uint32_t doc,
			const uint32_t span[4])
{
	assert_int_equal(p->il_offset, il);
	assert_int_equal(p->document, doc);
	assert_int_equal(p->line, span[0]);
	assert_int_equal(p->column, span[1]);
	assert_int_equal(p->end_line, span[2]);
	assert_int_equal(p->end_column, span[3]);
}

static void test_points(void **state)
{
	static const uint32_t hidden[4] = {0, 0, 0, 0};
	static const uint32_t first[4] = {10, 5, 10, 20};
	static const uint32_t second[4] = {300, 9, 302, 3};
	static const uint32_t third[4] = {20, 1, 20, 2};
	static const uint32_t fourth[4] = {18, 1, 18, 9};
	struct fixture *x = *state;
	struct seq_point *p;
	size_t n;

	assert_null(pdb_sequence_points(x->pdb, of(1), x->arena, &p, &n));
	assert_int_equal(n, 2);
	check_point(&p[0], 0, 1, first);
	check_point(&p[1], 6, 2, second);
	assert_null(pdb_sequence_points(x->pdb, of(2), x->arena, &p, &n));
	assert_int_equal(n, 4);
	check_point(&p[0], 0, 1, hidden);
	check_point(&p[1], 1, 1, third);
	check_point(&p[2], 201, 1, hidden);
	check_point(&p[3], 205, 1, fourth);
	assert_null(pdb_sequence_points(x->pdb, of(3), x->arena, &p, &n));
	assert_int_equal(n, 0);
	assert_null(pdb_sequence_points(x->pdb, of(99), x->arena, &p, &n));
	assert_int_equal(n, 0);
}

static void test_index(void **state)
{
	struct fixture *x = *state;
	size_t n;

	const struct pdb_method_lines *e = pdb_method_index(x->pdb, &n);
	assert_int_equal(n, 3);
	assert_int_equal(e[0].method_rid, 1);
	assert_int_equal(e[0].document, 1);
	assert_int_equal(e[0].min_line, 10);
	assert_int_equal(e[0].max_line, 10);
	assert_int_equal(e[1].method_rid, 2);
	assert_int_equal(e[1].min_line, 18);
	assert_int_equal(e[1].max_line, 20);
	assert_int_equal(e[2].method_rid, 1);
	assert_int_equal(e[2].document, 2);
	assert_int_equal(e[2].max_line, 302);
	assert_ptr_equal(pdb_method_index(x->pdb, &n), e);
}

static void check_around(struct fixture *x, uint32_t document, uint32_t line,
			 size_t from, size_t to)
{
	size_t end;

	assert_int_equal(pdb_methods_around(x->pdb, document, line, &end),
			 from);
	assert_int_equal(end, to);
}

static void test_around(void **state)
{
	check_around(*state, 1, 9, 0, 0);
	check_around(*state, 1, 10, 0, 1);
	check_around(*state, 1, 11, 1, 1);
	check_around(*state, 1, 20, 1, 2);
	check_around(*state, 1, 21, 2, 2);
	check_around(*state, 2, 302, 2, 3);
	check_around(*state, 3, 1, 3, 3);
}

static void test_locals(void **state)
{
	struct fixture *x = *state;
	struct pdb_local *l;
	size_t n;

	assert_null(pdb_locals(x->pdb, of(2), UINT32_MAX, x->arena, &l, &n));
	assert_int_equal(n, 4);
	assert_string_equal(l[0].name, "x");
	assert_int_equal(l[0].slot, 0);
	assert_string_equal(l[1].name, "Limit");
	assert_int_equal(l[1].slot, UINT32_MAX);
	assert_int_equal(l[1].constant.n, 5);
	assert_string_equal(l[2].name, "y");
	assert_int_equal(l[2].slot, 3);
	assert_int_equal(l[2].start, 10);
	assert_int_equal(l[2].length, 20);
	assert_int_equal(l[2].rid, 2);
	assert_int_equal(l[3].attributes, 1);
	assert_null(pdb_locals(x->pdb, of(2), 9, x->arena, &l, &n));
	assert_int_equal(n, 2);
	assert_null(pdb_locals(x->pdb, of(2), 29, x->arena, &l, &n));
	assert_int_equal(n, 4);
	assert_null(pdb_locals(x->pdb, of(2), 30, x->arena, &l, &n));
	assert_int_equal(n, 2);
	assert_null(pdb_locals(x->pdb, of(2), 100, x->arena, &l, &n));
	assert_int_equal(n, 0);
	assert_null(pdb_locals(x->pdb, of(3), 0, x->arena, &l, &n));
	assert_int_equal(n, 1);
	assert_string_equal(l[0].name, "w");
	assert_null(pdb_locals(x->pdb, of(1), 0, x->arena, &l, &n));
	assert_int_equal(n, 0);
}

static void test_async(void **state)
{
	struct fixture *x = *state;
	struct il_range *ranges;
	struct pdb_await *awaits;
	const char **names;
	size_t n;

	assert_int_equal(pdb_kickoff_of(x->pdb, 3), 1);
	assert_int_equal(pdb_kickoff_of(x->pdb, 1), 0);
	assert_int_equal(pdb_move_next_of(x->pdb, 1), 3);
	assert_int_equal(pdb_move_next_of(x->pdb, 2), 0);
	pdb_hoisted_scopes(x->pdb, of(3), x->arena, &ranges, &n);
	assert_int_equal(n, 2);
	assert_int_equal(ranges[1].start, 7);
	assert_int_equal(ranges[1].length, 9);
	pdb_hoisted_scopes(x->pdb, of(2), x->arena, &ranges, &n);
	assert_int_equal(n, 0);
	pdb_awaits(x->pdb, of(3), x->arena, &awaits, &n);
	assert_int_equal(n, 2);
	assert_int_equal(awaits[0].yield_offset, 20);
	assert_int_equal(awaits[0].resume_offset, 24);
	assert_int_equal(awaits[1].resume_method, 200);
	pdb_awaits(x->pdb, of(1), x->arena, &awaits, &n);
	assert_int_equal(n, 0);
	pdb_tuple_names(x->pdb, MD_TOKEN(MD_LOCALVARIABLE, 2), x->arena, &names,
			&n);
	assert_int_equal(n, 3);
	assert_string_equal(names[0], "first");
	assert_null(names[1]);
	assert_string_equal(names[2], "third");
	pdb_tuple_names(x->pdb, MD_TOKEN(MD_LOCALVARIABLE, 1), x->arena, &names,
			&n);
	assert_int_equal(n, 0);
}

// Every byte of the file made wrong in turn: no answer matters, only that
// each question gets one.
static void test_lies(void **state)
{
	struct fixture *x = *state;
	uint8_t *copy = xmalloc(x->bytes.n);

	for (size_t i = 0; i < x->bytes.n; i++) {
		struct bytes b = {copy, x->bytes.n};
		struct seq_point *points;
		struct pdb_local *locals;
		struct pdb *pdb;
		size_t n;

		memcpy(copy, x->bytes.p, x->bytes.n);
		copy[i] ^= 0xff;
		struct dbg_error *err = pdb_parse(b, &pdb);
		if (dbg_err_drop(err))
			continue;
		for (uint32_t rid = 0; rid < 5; rid++) {
			dbg_error_destroy(pdb_sequence_points(
			    pdb, of(rid), x->arena, &points, &n));
			dbg_error_destroy(pdb_locals(pdb, of(rid), UINT32_MAX,
						     x->arena, &locals, &n));
			pdb_document_path(pdb, rid);
			pdb_document_source(pdb, rid, x->arena);
		}
		pdb_method_index(pdb, &n);
		arena_reset(x->arena);
		pdb_destroy(pdb);
	}
	free(copy);
}

struct place {
	char dir[32];
	char dll[64], beside[64], codeview[64];
	struct mdfixture f;
	struct pewriter w;
	struct bytes image, pdb;
	struct pe pe;
	struct arena *arena;
	struct pdb *found;
	enum dbg_symbols state;
	const char *note;
	uint64_t inflated; /* by other modules */
};

static void place_init(struct place *p)
{
	memset(p, 0, sizeof(*p));
	strcpy(p->dir, "/tmp/dndbg-test-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->dll, sizeof(p->dll), "%s/app.dll", p->dir);
	snprintf(p->beside, sizeof(p->beside), "%s/app.pdb", p->dir);
	snprintf(p->codeview, sizeof(p->codeview), "%s/obj.pdb", p->dir);
	mdfixture_init(&p->f);
	pewriter_init(&p->w, p->f.bytes);
	p->pdb = pdbfixture_build();
	p->arena = arena_create();
}

static void place_deinit(struct place *p)
{
	pdb_destroy(p->found);
	unlink(p->beside);
	unlink(p->codeview);
	rmdir(p->dir);
	free((void *)(uintptr_t)p->pdb.p);
	free((void *)(uintptr_t)p->image.p);
	pewriter_deinit(&p->w);
	mdfixture_deinit(&p->f);
	arena_destroy(p->arena);
}

static void place_write(const char *path, struct bytes b)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, b.p, b.n), b.n);
	close(fd);
}

static void place_find(struct place *p, const char *search)
{
	struct pdb_request req = {
	    .pe = &p->pe,
	    .dll_path = p->dll,
	    .root = "",
	    .search = &search,
	    .n_search = search != NULL,
	    .inflated = p->inflated,
	};

	if (!p->image.p) {
		p->image = pewriter_build(&p->w);
		assert_null(pe_parse(p->image, false, &p->pe));
	}
	pdb_destroy(p->found);
	pdb_find(&req, p->arena, &p->found, &p->state, &p->note);
	assert_int_equal(p->found != NULL, p->state == DBG_SYMBOLS_LOADED);
}

static void test_find(void **state)
{
	(void)state;
	struct place p;

	place_init(&p);
	pewriter_codeview(&p.w, pdbfixture_id, p.codeview);
	place_find(&p, NULL);
	assert_int_equal(p.state, DBG_SYMBOLS_NONE);
	assert_non_null(strstr(p.note, p.beside));
	assert_non_null(strstr(p.note, p.codeview));
	place_write(p.codeview, p.pdb);
	place_find(&p, NULL);
	assert_int_equal(p.state, DBG_SYMBOLS_LOADED);
	assert_string_equal(p.note, p.codeview);
	place_write(p.beside, p.pdb);
	place_find(&p, NULL);
	assert_string_equal(p.note, p.beside);
	// One that does not fit is passed over while another does.
	place_write(p.beside, p.f.bytes);
	place_find(&p, NULL);
	assert_string_equal(p.note, p.codeview);
	place_deinit(&p);
}

static void test_search(void **state)
{
	(void)state;
	struct place p;

	place_init(&p);
	pewriter_codeview(&p.w, pdbfixture_id, "C:\\build\\obj.pdb");
	place_write(p.codeview, p.pdb);
	snprintf(p.dll, sizeof(p.dll), "/nowhere/app.dll");
	place_find(&p, NULL);
	assert_int_equal(p.state, DBG_SYMBOLS_NONE);
	assert_null(strstr(p.note, "C:"));
	place_find(&p, p.dir);
	assert_int_equal(p.state, DBG_SYMBOLS_LOADED);
	assert_string_equal(p.note, p.codeview);
	place_deinit(&p);
}

static void test_misfits(void **state)
{
	(void)state;
	static const char windows[] =
	    "Microsoft C/C++ MSF 7.00\r\n\032DS\0\0\0";
	uint8_t other[20];
	struct place p;

	place_init(&p);
	memcpy(other, pdbfixture_id, 20);
	other[19] ^= 1;
	pewriter_codeview(&p.w, other, p.codeview);
	place_write(p.beside, p.pdb);
	place_find(&p, NULL);
	assert_int_equal(p.state, DBG_SYMBOLS_MISMATCH);
	assert_non_null(strstr(p.note, "another build"));
	place_write(p.beside, (struct bytes){(const uint8_t *)windows, 32});
	place_find(&p, NULL);
	assert_int_equal(p.state, DBG_SYMBOLS_WINDOWS);
	assert_non_null(strstr(p.note, "Windows PDB"));
	place_write(p.beside, (struct bytes){p.pdb.p, p.pdb.n / 2});
	place_find(&p, NULL);
	assert_int_equal(p.state, DBG_SYMBOLS_BROKEN);
	place_deinit(&p);
}

static void embed(struct place *p, uint32_t size)
{
	_cleanup_str_ struct str data = {NULL, 0, 0};

	str_add(&data, "MPDB");
	put_le(&data, size, 4);
	pdbfixture_deflate(&data, p->pdb.p, p->pdb.n);
	pewriter_debug(&p->w, 17, 0, 0x100, &data);
}

static void test_embedded(void **state)
{
	(void)state;
	struct place p;

	place_init(&p);
	pewriter_codeview(&p.w, pdbfixture_id, "app.pdb");
	embed(&p, (uint32_t)p.pdb.n);
	place_find(&p, NULL);
	assert_int_equal(p.state, DBG_SYMBOLS_LOADED);
	assert_non_null(strstr(p.note, "embedded in "));
	assert_int_equal(pdb_n_documents(p.found), 2);
	place_deinit(&p);
}

// One that fits is not taken where the others take the memory that there is.
static void test_embedded_many(void **state)
{
	(void)state;
	enum {
		ALL = 512 << 20
	};
	struct place p;

	place_init(&p);
	pewriter_codeview(&p.w, pdbfixture_id, "app.pdb");
	embed(&p, (uint32_t)p.pdb.n);
	p.inflated = ALL - p.pdb.n;
	place_find(&p, NULL);
	assert_int_equal(p.state, DBG_SYMBOLS_LOADED);
	assert_int_equal(pdb_inflated(p.found), p.pdb.n);
	p.inflated++;
	place_find(&p, NULL);
	assert_int_equal(p.state, DBG_SYMBOLS_BROKEN);
	assert_non_null(strstr(p.note, "more than 512 MB"));
	place_deinit(&p);
}

static void test_embedded_lies(void **state)
{
	(void)state;
	static const uint32_t lies[] = {1, 0x3fffff, 0x7fffffff, 0xffffffff};

	for (size_t i = 0; i < 4; i++) {
		struct place p;

		place_init(&p);
		pewriter_codeview(&p.w, pdbfixture_id, "app.pdb");
		embed(&p, lies[i]);
		place_find(&p, NULL);
		assert_int_equal(p.state, DBG_SYMBOLS_BROKEN);
		place_deinit(&p);
	}
}

static void test_none(void **state)
{
	(void)state;
	struct place p;

	place_init(&p);
	place_find(&p, NULL);
	assert_int_equal(p.state, DBG_SYMBOLS_NONE);
	assert_string_equal(p.note, "built without a PDB");
	place_deinit(&p);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_documents),
	    TEST(test_points),
	    TEST(test_index),
	    TEST(test_around),
	    TEST(test_locals),
	    TEST(test_async),
	    TEST(test_lies),
	    cmocka_unit_test(test_find),
	    cmocka_unit_test(test_search),
	    cmocka_unit_test(test_misfits),
	    cmocka_unit_test(test_embedded),
	    cmocka_unit_test(test_embedded_many),
	    cmocka_unit_test(test_embedded_lies),
	    cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
