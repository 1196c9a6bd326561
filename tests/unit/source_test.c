/* Substitution rules and source texts, over the compiled fixture Hello. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "codefixture.h"

struct rule_case {
	const char *from, *to, *path, *want;
};

static const struct rule_case rule_cases[] = {
    {"/usr/src", "/mnt", "/usr/src/a/b.cs", "/mnt/a/b.cs"},
    {"/usr/src/", "/mnt/", "/usr/src/a/b.cs", "/mnt/a/b.cs"},
    {"/usr/src", "/mnt", "/usr/src", "/mnt"},
    {"/usr/src", "/mnt", "/usr/srcs/a.cs", "/usr/srcs/a.cs"},
    {"/usr/src", "/mnt", "/usr/sr", "/usr/sr"},
    {"/usr/src", "/mnt", "/a/usr/src/b.cs", "/a/usr/src/b.cs"},
    {"/", "/mnt", "/a.cs", "/mnt/a.cs"},
    {"C:\\src", "/mnt", "C:\\src\\sub\\a.cs", "/mnt/sub/a.cs"},
    {"C:/src", "/mnt", "C:\\src\\sub\\a.cs", "/mnt/sub/a.cs"},
    {"/_", "", "/_/a.cs", "/a.cs"},
    {"", "/mnt", "/a.cs", "/a.cs"},
};

static void rules(void **state)
{
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(rule_cases) / sizeof(*rule_cases); i++) {
		const struct rule_case *rc = &rule_cases[i];
		struct source_rules *r = source_rules_create();

		source_rules_add(r, rc->from, rc->to);
		assert_string_equal(source_rules_apply(r, rc->path, arena),
				    rc->want);
		source_rules_destroy(r);
	}
	arena_destroy(arena);
}

static void first_rule_wins(void **state)
{
	struct arena *arena = arena_create();
	struct source_rules *r = source_rules_create();

	(void)state;
	assert_string_equal(source_rules_text(r, arena), "");
	source_rules_add(r, "/a", "/x");
	source_rules_add(r, "/a/b", "/y");
	assert_string_equal(source_rules_apply(r, "/a/b/c.cs", arena),
			    "/x/b/c.cs");
	// A second rule for one FROM takes the place of the first.
	source_rules_add(r, "/a/", "/z");
	assert_string_equal(source_rules_apply(r, "/a/b/c.cs", arena),
			    "/z/b/c.cs");
	assert_string_equal(source_rules_text(r, arena),
			    "/a -> /z\n  /a/b -> /y");
	source_rules_clear(r);
	assert_string_equal(source_rules_apply(r, "/a/b/c.cs", arena),
			    "/a/b/c.cs");
	source_rules_destroy(r);
	arena_destroy(arena);
}

struct hello {
	struct source_rules *rules;
	struct code *code;
	struct arena *arena;
	const char *const *lines;
	size_t n;
	const char *note;
};

// Hello as built with the symbols of @kind; false without text of its source.
static bool open_hello(struct hello *h, const char *kind, const char *from,
		       const char *to)
{
	struct dbg_error *err;
	struct code_module *m;

	*h = (struct hello){.rules = source_rules_create(),
			    .arena = arena_create()};
	h->code = code_create(NULL, NULL, h->rules, NULL);
	if (from)
		source_rules_add(h->rules, from, to);
	const struct dac_module dm = {
	    .addr = 1,
	    .path = arena_printf(h->arena, "%s/Symbols/%s/Hello.dll",
				 codefixture_dir(h->arena), kind),
	    .name = "Hello",
	};
	err = code_module_add(h->code, &dm, &m);
	assert_null(err);
	assert_true(md_rows(&m->md, MD_TYPEDEF) > 0);
	err = source_lines(h->code, "Hello.cs", &h->lines, &h->n, &h->note);
	bool found = !err;
	dbg_error_destroy(err);
	return found;
}

static void close_hello(struct hello *h)
{
	code_destroy(h->code);
	source_rules_destroy(h->rules);
	arena_destroy(h->arena);
}

// Does the text hold Main?
static void check_text(const struct hello *h)
{
	bool found = false;

	for (size_t i = 0; i < h->n; i++) {
		assert_null(strchr(h->lines[i], '\r'));
		found |= strstr(h->lines[i], "Main(") != NULL;
	}
	assert_true(found);
}

static void checksums_agree(void **state)
{
	static const char *const kinds[] = {"Embedded", "Sha1", "Elsewhere"};
	struct hello h;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_true(open_hello(&h, kinds[i], NULL, NULL));
		check_text(&h);
		assert_null(h.note);
		close_hello(&h);
	}
}

static void changed_source_is_said(void **state)
{
	struct hello h;

	(void)state;
	assert_true(open_hello(&h, "Changed", NULL, NULL));
	check_text(&h);
	assert_non_null(h.note);
	close_hello(&h);
}

static void embedded_source(void **state)
{
	struct hello h;

	(void)state;
	assert_true(open_hello(&h, "EmbedSource", NULL, NULL));
	check_text(&h);
	assert_null(h.note);
	close_hello(&h);
}

static void moved_source_needs_a_rule(void **state)
{
	struct codefixture f;
	struct hello h;

	(void)state;
	assert_false(open_hello(&h, "Moved", NULL, NULL));
	close_hello(&h);
	codefixture_init(&f, "Debug", "Hello");
	const char *path = pdb_document_path(f.module->pdb, 1);
	const char *dir =
	    arena_strndup(f.arena, path, (size_t)(str_basename(path) - path));
	assert_true(open_hello(&h, "Moved", "/nowhere/src", dir));
	check_text(&h);
	assert_null(h.note);
	// Lines handed out stay when they are asked for again.
	const char *const *lines = h.lines;
	struct dbg_error *err =
	    source_lines(h.code, path, &h.lines, &h.n, &h.note);
	assert_null(err);
	assert_ptr_equal(lines, h.lines);
	close_hello(&h);
	codefixture_deinit(&f);
}

static void unknown_file(void **state)
{
	struct dbg_error *err;
	struct hello h;

	(void)state;
	assert_true(open_hello(&h, "Embedded", NULL, NULL));
	err = source_lines(h.code, "Nowhere.cs", &h.lines, &h.n, &h.note);
	assert_non_null(err);
	assert_int_equal(err->code, DBG_E_NOT_FOUND);
	dbg_error_destroy(err);
	close_hello(&h);
}

static void states_of_symbols(void **state)
{
	static const struct {
		const char *kind;
		enum dbg_symbols want;
	} cases[] = {
	    {"NoPdb", DBG_SYMBOLS_NONE},
	    {"Mismatch", DBG_SYMBOLS_MISMATCH},
	    {"Truncated", DBG_SYMBOLS_BROKEN},
	    {"Windows", DBG_SYMBOLS_WINDOWS},
	    {"Elsewhere", DBG_SYMBOLS_LOADED},
	    {"Embedded", DBG_SYMBOLS_LOADED},
	};
	struct hello h;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool found = open_hello(&h, cases[i].kind, NULL, NULL);
		const struct code_module *m = code_module_find(h.code, 1);

		if (m->symbols != cases[i].want)
			fail_msg("%s: %d, %s", cases[i].kind, m->symbols,
				 m->symbols_note);
		assert_non_null(m->symbols_note);
		assert_int_equal(found, m->symbols == DBG_SYMBOLS_LOADED);
		close_hello(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rules),
	    cmocka_unit_test(first_rule_wins),
	    cmocka_unit_test(checksums_agree),
	    cmocka_unit_test(changed_source_is_said),
	    cmocka_unit_test(embedded_source),
	    cmocka_unit_test(moved_source_needs_a_rule),
	    cmocka_unit_test(unknown_file),
	    cmocka_unit_test(states_of_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
