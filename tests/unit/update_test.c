/*
 * Metadata and PDB of a module through its updates (hot reload): those of
 * tests/programs/HotReload, as the compiler makes them, and the same damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "codefixture.h"
#include "meta/md_update.h"
#include "meta/pdb.h"
#include "meta/pe.h"

enum {
	N_UPDATES = 4,
	FILE_MAX = 16 << 20,
	METHODDEF_NAME = 3,
	FIELD_NAME = 1,
	TYPEDEF_NAME = 1,
};

struct fixture {
	struct arena *arena;
	struct file files[2 + 3 * N_UPDATES];
	struct bytes md[N_UPDATES], il[N_UPDATES], pdb[N_UPDATES];
	struct pe pe;
	struct md base;
	struct bytes symbols;
};

static struct bytes load(struct fixture *x, size_t at, const char *rest)
{
	const char *path = arena_printf(x->arena, "%s/HotReload/HotReload.%s",
					codefixture_dir(x->arena), rest);

	if (dbg_err_drop(file_load(path, FILE_MAX, &x->files[at])))
		fail_msg("no '%s': run scripts/build-fixtures", path);
	return x->files[at].bytes;
}

static int setup(void **state)
{
	struct fixture *x = xcalloc(1, sizeof(*x));

	x->arena = arena_create();
	assert_null(pe_parse(load(x, 0, "dll"), false, &x->pe));
	assert_null(md_parse(x->pe.metadata, &x->base));
	x->symbols = load(x, 1, "pdb");
	for (unsigned int i = 0; i < N_UPDATES; i++) {
		char name[8] = {(char)('1' + i), '.', 'm', 'd', 0};

		x->md[i] = load(x, 2 + 3 * i, name);
		memcpy(name + 2, "il", 2);
		x->il[i] = load(x, 3 + 3 * i, name);
		memcpy(name + 2, "pd", 2);
		x->pdb[i] = load(x, 4 + 3 * i, name);
	}
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	for (size_t i = 0; i < sizeof(x->files) / sizeof(*x->files); i++)
		file_unload(&x->files[i]);
	arena_destroy(x->arena);
	free(x);
	return 0;
}

/* Apply @bytes, or tell why not; in @arena. */
static const char *apply(struct fixture *x, struct md_updates *u,
			 struct bytes bytes, struct bytes il, struct md *md)
{
	struct md delta;
	struct dbg_error *err = md_parse(bytes, &delta);
	const char *ret = NULL;

	if (!err)
		err = md_updates_apply(u, &delta, il, md);
	if (err)
		ret = arena_strdup(x->arena, err->message);
	dbg_error_destroy(err);
	return ret;
}

static uint32_t row_named(const struct md *md, enum md_table table,
			  unsigned int col, const char *name)
{
	for (uint32_t rid = 1; rid <= md_rows(md, table); rid++)
		if (!strcmp(md_col_string(md, table, rid, col), name))
			return rid;
	return 0;
}

static uint32_t method(const struct md *md, const char *name)
{
	return row_named(md, MD_METHODDEF, METHODDEF_NAME, name);
}

static uint32_t rva_of(const struct md *md, uint32_t rid)
{
	return md_col(md, MD_METHODDEF, rid, 0);
}

static bool is_sorted(const struct md *md, enum md_table table,
		      unsigned int col)
{
	for (uint32_t rid = 2; rid <= md_rows(md, table); rid++)
		if (md_col(md, table, rid - 1, col) >
		    md_col(md, table, rid, col))
			return false;
	return true;
}

/* ---- Metadata -------------------------------------------------------- */

static void test_applied(void **state)
{
	struct fixture *x = *state;
	struct md_updates *u = md_updates_create(&x->base);
	struct md md;
	struct il_body body;
	uint32_t changed = method(&x->base, "Changed");
	uint32_t above = method(&x->base, "Above"), rid;

	assert_int_equal(method(&x->base, "Added"), 0);
	assert_null(apply(x, u, x->md[0], x->il[0], &md));
	assert_true(rva_of(&md, changed) & MD_UPDATED_IL);
	assert_int_equal(rva_of(&md, above), rva_of(&x->base, above));
	assert_int_equal(method(&md, "Changed"), changed);
	assert_null(il_body_parse(md_updates_il(u, rva_of(&md, changed)),
				  x->arena, &body));
	assert_true(body.code.n);
	assert_null(apply(x, u, x->md[1], x->il[1], &md));
	rid = method(&md, "Added");
	assert_true(rid > md_rows(&x->base, MD_METHODDEF));
	assert_string_equal(md_col_string(&md, MD_TYPEDEF,
					  md_method_type(&md, rid),
					  TYPEDEF_NAME),
			    "Program");
	assert_null(
	    il_body_parse(md_updates_il(u, rva_of(&md, rid)), x->arena, &body));
	assert_true(is_sorted(&md, MD_CUSTOMATTRIBUTE, 0));
	assert_true(is_sorted(&md, MD_NESTEDCLASS, 0));
	md_updates_destroy(u);
}

/* Fields of a type that the program had before are not in its objects. */
static void test_added_fields(void **state)
{
	struct fixture *x = *state;
	struct md_updates *u = md_updates_create(&x->base);
	struct md md;
	uint32_t first, end, shape;
	bool listed = false;

	for (unsigned int i = 0; i < N_UPDATES; i++)
		assert_null(apply(x, u, x->md[i], x->il[i], &md));
	uint32_t second = row_named(&md, MD_FIELD, FIELD_NAME, "second");
	assert_true(second > md_rows(&x->base, MD_FIELD));
	assert_true(md_field_is_late(&md, second));
	assert_false(md_field_is_late(
	    &md, row_named(&md, MD_FIELD, FIELD_NAME, "first")));
	shape = row_named(&md, MD_TYPEDEF, TYPEDEF_NAME, "Shape");
	assert_int_equal(md_field_type(&md, second), shape);
	md_type_fields(&md, shape, &first, &end);
	for (uint32_t i = first; i < end; i++)
		listed |= md_member(&md, MD_LIST_FIELDS, i) == second;
	assert_false(listed);
	md_updates_destroy(u);
}

static void test_order(void **state)
{
	struct fixture *x = *state;
	struct md_updates *u = md_updates_create(&x->base);
	struct md md;
	static const char *const unknown =
	    "one that was applied before it is not known";

	assert_string_equal(apply(x, u, x->md[1], x->il[1], &md), unknown);
	assert_null(apply(x, u, x->md[0], x->il[0], &md));
	assert_string_equal(apply(x, u, x->md[0], x->il[0], &md),
			    "it has been applied already");
	assert_string_equal(apply(x, u, x->md[2], x->il[2], &md), unknown);
	assert_null(apply(x, u, x->md[1], x->il[1], &md));
	assert_true(method(&md, "Added"));
	md_updates_destroy(u);
}

static struct bytes copy(struct fixture *x, struct bytes b)
{
	return (struct bytes){arena_copy(x->arena, b.p, b.n, 1), b.n};
}

/* The bytes of row @rid of the delta's EncMap, in a copy of its own. */
static uint8_t *map_row(struct bytes delta, uint32_t rid)
{
	struct md md;

	assert_null(md_parse(delta, &md));
	const struct md_layout *t = &md.tables[MD_ENCMAP];
	return (uint8_t *)(uintptr_t)t->rows.p + (rid - 1) * t->row_size;
}

/* A delta that lies fails without a trace: the true one is applied behind. */
static void test_lies(void **state)
{
	struct fixture *x = *state;
	struct md_updates *u = md_updates_create(&x->base);
	struct bytes b;
	struct md md;

	b = copy(x, x->md[0]);
	memcpy(map_row(b, 2), map_row(b, 1), 4);
	assert_string_equal(apply(x, u, b, x->il[0], &md),
			    "broken update: its map is out of order");
	b = copy(x, x->md[0]);
	map_row(b, 1)[2] = 0x7f;
	assert_non_null(apply(x, u, b, x->il[0], &md));
	b = copy(x, x->md[0]);
	assert_null(md_parse(b, &md));
	((uint8_t *)(uintptr_t)md_mvid(&md))[0] ^= 1;
	assert_string_equal(apply(x, u, b, x->il[0], &md),
			    "it is of another module");
	for (size_t n = 0; n < x->md[0].n; n++) {
		// what is cut off the last heap alone may be missed by nobody
		struct md_updates *v = md_updates_create(&x->base);

		apply(x, v, (struct bytes){x->md[0].p, n}, x->il[0], &md);
		md_updates_destroy(v);
	}
	assert_null(apply(x, u, x->md[0], x->il[0], &md));
	assert_true(rva_of(&md, method(&md, "Changed")) & MD_UPDATED_IL);
	md_updates_destroy(u);
}

/* ---- PDB ------------------------------------------------------------- */

/* The line of a text in that version of the source. */
static uint32_t line_of(struct fixture *x, unsigned int version,
			const char *text)
{
	char name[] = {(char)('0' + version), '.', 'c', 's', 0};
	struct file file;
	const char *path =
	    arena_printf(x->arena, "%s/HotReload/HotReload.%s",
			 codefixture_dir(x->arena), version ? name : "cs");
	uint32_t line = 1;

	assert_null(file_load(path, FILE_MAX, &file));
	const char *all =
	    arena_printf(x->arena, "%.*s", (int)file.bytes.n, file.bytes.p);
	file_unload(&file);
	const char *at = strstr(all, text);
	assert_non_null(at);
	for (; all < at; all++)
		line += *all == '\n';
	return line;
}

static bool has_line(struct fixture *x, const struct pdb *pdb, uint32_t rid,
		     uint32_t version, uint32_t line)
{
	struct seq_point *points;
	size_t n;

	assert_null(pdb_sequence_points(pdb, (struct pdb_method){rid, version},
					x->arena, &points, &n));
	for (size_t i = 0; i < n; i++)
		if (points[i].line == line)
			return true;
	return false;
}

static void test_lines(void **state)
{
	struct fixture *x = *state;
	uint32_t rid = method(&x->base, "Changed");
	struct pdb *pdb;

	assert_null(pdb_parse(x->symbols, &pdb));
	uint32_t documents = pdb_n_documents(pdb);
	for (unsigned int i = 0; i < N_UPDATES; i++)
		assert_true(pdb_update(pdb, x->pdb[i]));
	assert_int_equal(pdb_n_documents(pdb), documents);
	assert_true(has_line(x, pdb, rid, 0, line_of(x, 0, "// @old")));
	assert_true(has_line(x, pdb, rid, 1, line_of(x, 1, "// @new")));
	assert_true(has_line(x, pdb, rid, 2, line_of(x, 2, "// @new")));
	assert_true(has_line(x, pdb, rid, 4, line_of(x, 4, "// @four")));
	assert_true(
	    has_line(x, pdb, rid, PDB_NEWEST, line_of(x, 4, "// @four")));
	assert_false(has_line(x, pdb, rid, 2, line_of(x, 4, "// @four")));
	pdb_destroy(pdb);
}

static void test_damaged_pdb(void **state)
{
	struct fixture *x = *state;
	uint32_t rid = method(&x->base, "Changed");
	struct pdb *pdb;

	assert_null(pdb_parse(x->symbols, &pdb));
	assert_false(pdb_update(pdb, (struct bytes){NULL, 0}));
	assert_false(pdb_update(pdb, (struct bytes){x->pdb[0].p, 40}));
	// the module's image is no PDB, though metadata
	assert_false(pdb_update(pdb, x->pe.metadata));
	assert_true(pdb_update(pdb, x->pdb[0]));
	assert_true(has_line(x, pdb, rid, 4, line_of(x, 1, "// @new")));
	pdb_destroy(pdb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_applied), cmocka_unit_test(test_added_fields),
	    cmocka_unit_test(test_order),   cmocka_unit_test(test_lies),
	    cmocka_unit_test(test_lines),   cmocka_unit_test(test_damaged_pdb),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
