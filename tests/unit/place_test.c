/* Lines and functions to places, over the compiled fixture Breaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "codefixture.h"

static int set_up(void **state)
{
	static struct codefixture f;

	codefixture_init(&f, "Debug", "Breaks");
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	codefixture_deinit(*state);
	return 0;
}

// Break at @line of Breaks.cs: names of the methods that get a place, in
// @names, each followed by a blank. Returns the line chosen, 0 for none.
static uint32_t line_places(struct codefixture *f, uint32_t line,
			    struct str *names)
{
	struct dbg_error *err;
	struct code_place *places;
	struct code_name name;
	size_t n;

	err = code_find_line(f->code, f->module, "Breaks.cs", line, f->arena,
			     &places, &n);
	assert_null(err);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(places[i].line, places[0].line);
		code_token_names(f->module, places[i].token, NULL, f->arena,
				 &name);
		str_add(names, name.full);
		str_addc(names, ' ');
	}
	return n ? places[0].line : 0;
}

static void check_line(struct codefixture *f, const char *mark,
		       const char *want)
{
	_cleanup_str_ struct str names = {0};
	uint32_t line = codefixture_mark(f, mark);

	assert_int_equal(line_places(f, line, &names), line);
	assert_string_equal(str_get(&names), want);
}

static void lines_of_each_kind(void **state)
{
	struct codefixture *f = *state;

	check_line(f, "note", "Breaks.Program.Note(int) ");
	check_line(f, "generic-show", "Breaks.Generic.Show<T>(T) ");
	check_line(f, "box-get", "Breaks.Box<T>.Get() ");
	check_line(f, "local-static", "Breaks.Lambdas.Run.Local(int) ");
	check_line(f, "iterator", "Breaks.Bodies.Iterate(int) ");
	check_line(f, "async-after", "Breaks.Bodies.Async(int) ");
	check_line(f, "prop-get", "Breaks.Props.Full.get() ");
}

static void initialisers_are_in_every_constructor(void **state)
{
	struct codefixture *f = *state;

	// The third calls the second, which runs them.
	check_line(f, "init-first",
		   "Breaks.Init.Init() Breaks.Init.Init(int) ");
	check_line(f, "init-static", "Breaks.Init..cctor() ");
}

static void lambda_and_its_statement(void **state)
{
	struct codefixture *f = *state;

	check_line(f, "lambda-plain", "Breaks.Lambdas.Run() ");
	check_line(f, "lambda-two", "Breaks.Lambdas.Run() ");
	check_line(f, "lambda-inner", "Breaks.Lambdas.Run.lambda(int) ");
}

static void inside_a_statement(void **state)
{
	struct codefixture *f = *state;
	_cleanup_str_ struct str names = {0};
	uint32_t line = codefixture_mark(f, "generics");

	assert_int_equal(line_places(f, line + 2, &names), line);
	assert_string_equal(str_get(&names), "Breaks.Program.Generics() ");
}

// Between two statements, and in front of the first method.
static void next_line_with_code(void **state)
{
	struct codefixture *f = *state;
	_cleanup_str_ struct str names = {0};

	assert_int_equal(line_places(f, 1, &names),
			 codefixture_mark(f, "pair-ctor"));
	str_clear(&names);
	// A blank line in a method, followed by a local function.
	uint32_t blank = codefixture_mark(f, "lambda-use") + 2;
	assert_int_equal(line_places(f, blank, &names), blank + 2);
	assert_string_equal(str_get(&names), "Breaks.Lambdas.Run.Local(int) ");
	str_clear(&names);
	assert_int_equal(line_places(f, 1000000, &names), 0);
}

static void for_loop_begins_once(void **state)
{
	struct codefixture *f = *state;
	struct dbg_error *err;
	struct code_place *places;
	size_t n;
	uint32_t body = codefixture_mark(f, "osr-loop");

	err = code_find_line(f->code, f->module, "Breaks.cs", body - 2,
			     f->arena, &places, &n);
	assert_null(err);
	assert_int_equal(n, 1);
	err = code_find_line(f->code, f->module, "Breaks.cs", body, f->arena,
			     &places, &n);
	assert_null(err);
	assert_int_equal(n, 1);
	assert_int_equal(places[0].line, body);
}

static bool has_file(struct codefixture *f, const char *file)
{
	return code_has_file(f->code, f->module, file);
}

static void names_of_files(void **state)
{
	struct codefixture *f = *state;
	const char *path = pdb_document_path(f->module->pdb, 1);

	assert_true(has_file(f, path));
	assert_true(has_file(f, "Breaks.cs"));
	assert_true(has_file(f, "fixtures/Breaks.cs"));
	assert_true(has_file(f, "fixtures\\Breaks.cs"));
	assert_true(has_file(f, "./Breaks.cs"));
	assert_false(has_file(f, "breaks.cs"));
	assert_false(has_file(f, "reaks.cs"));
	assert_false(has_file(f, "/Breaks.cs"));
	assert_false(has_file(f, "other/Breaks.cs"));
	assert_false(has_file(f, ""));
	assert_false(has_file(f, "./"));
	source_rules_add(f->rules,
			 arena_strndup(f->arena, path, strlen(path) - 10),
			 "/moved");
	assert_true(has_file(f, "/moved/Breaks.cs"));
	assert_true(has_file(f, path));
	source_rules_clear(f->rules);
	assert_false(has_file(f, "/moved/Breaks.cs"));
}

struct function_case {
	const char *name, *params;
	const char *marks; /* of the places' lines, each behind a blank */
};

static const struct function_case function_cases[] = {
    {"Program.Note", NULL, " note"},
    {"Breaks.Program.Note", NULL, " note"},
    {"Note", NULL, " note"},
    {"global::Breaks.Program.Note", NULL, " note"},
    {"Other.Program.Note", NULL, ""},
    {"Program.Not", NULL, ""},
    {"rogram.Note", NULL, ""},
    {"Over.Do", "", " do-none"},
    {"Over.Do", " ", " do-none"},
    {"Over.Do", "int", " do-int"},
    {"Over.Do", "System.Int32", " do-int"},
    {"Over.Do", "Int32", " do-int"},
    {"Over.Do", "int n", " do-int"},
    {"Over.Do", "string", " do-string"},
    {"Over.Do", "string?", " do-string"},
    {"Over.Do", "int,string", " do-int-string"},
    {"Over.Do", " int , String ", " do-int-string"},
    {"Over.Do", "int[]", " do-array"},
    {"Over.Do", "int [ ]", " do-array"},
    {"Over.Do", "List<int>", " do-list"},
    {"Over.Do", "System.Collections.Generic.List<System.Int32>", " do-list"},
    {"Over.Do", "List<int>?", " do-list"},
    {"Over.Do", "List<int?>", ""},
    {"Over.Do", "List<string>", ""},
    {"Over.Do", "ref int", " do-ref"},
    {"Over.Do", "int&", " do-ref"},
    {"Over.Do", "int?", " do-nullable"},
    {"Over.Do", "T, T[]", " do-generic"},
    {"Over.Do<T>", "T, T[]", " do-generic"},
    {"Over.Do", "Outer.Inner", " do-nested"},
    {"Over.Do", "Outer+Inner", " do-nested"},
    {"Over.Do", "Inner", " do-nested"},
    {"Over.Do", "float", ""},
    {"Over.Opt", "int, int, int[]", " opt"},
    {"Over.Opt", "int, int, params int[]", " opt"},
    {"Outer.Inner.Get", NULL, " inner"},
    {"Outer+Inner.Get", NULL, " inner"},
    {"Outer.Inner.Innermost.Get", NULL, " innermost"},
    {"Breaks.Outer+Inner+Innermost.Get", NULL, " innermost"},
    {"Box.Get", NULL, " box-get"},
    {"Box<T>.Get", NULL, " box-get"},
    {"Box`1.Get", NULL, " box-get"},
    {"Box<int>.Map<string>", NULL, " box-map"},
    {"Box<T>.Nest<V>.Both", NULL, " box-nest"},
    {"Box.Nest.Both", "T, V", " box-nest"},
    {"Pair.Pair", NULL, " pair-ctor"},
    {"Pair..ctor", NULL, " pair-ctor"},
    {"Breaks.Pair.Pair", "int,int", " pair-ctor"},
    {"Init.Init", "string", " init-ctor2"},
    {"Cctor..cctor", NULL, " cctor"},
    {"Props.Full", NULL, " prop-get prop-set"},
    {"Props.Full.get", NULL, " prop-get"},
    {"Props.Full.set", NULL, " prop-set"},
    {"Props.get_Full", NULL, " prop-get"},
    {"Props.Arrow", NULL, " prop-arrow"},
    {"Props.this", NULL, " prop-index"},
    {"Props.this[int]", NULL, " prop-index"},
    {"Props.this.get", NULL, " prop-index"},
    {"Props.Item", NULL, " prop-index"},
    {"Props.Event.add", NULL, " event-add"},
    {"Props.Event", NULL, " event-add event-remove"},
    {"Num.operator +", NULL, " op-add"},
    {"Breaks.Num.operator+", "Num, Num", " op-add"},
    {"Num.operator -", NULL, " op-neg"},
    {"Num.operator ==", NULL, " op-eq"},
    {"Num.op_Equality", NULL, " op-eq"},
    {"Num.operator <", NULL, ""},
    {"Num.implicit operator Num", NULL, " op-implicit"},
    {"Num.explicit operator int", NULL, " op-explicit"},
    {"IShape.Twice", NULL, " default-method"},
    {"IShape.Area", NULL, " explicit-impl"},
    {"Square.Area", NULL, " explicit-impl"},
    {"Square.IShape.Area", NULL, " explicit-impl"},
    {"Breaks.Square.Breaks.IShape.Area", NULL, " explicit-impl"},
    {"Square.~Square", NULL, " finalizer"},
    {"Extensions.Half", "this int", " extension"},

    {"Lambdas.Run.Local", NULL, " local-static"},
    {"Run.Closed", "int", " local-closed"},
    {"Local", NULL, " local-static"},
    {"Bodies.Async", NULL, " async-before"},
    {"Bodies.Async", "int", " async-before"},
    {"Bodies.Async", "long", ""},
    {"MoveNext", NULL, ""},
    {"Late.Plugin.Run", NULL, ""},
    {"", NULL, ""},
    {".", NULL, ""},
    {"...", NULL, ""},
    {"operator", NULL, ""},
    {"<", NULL, ""},
    {"Program.", NULL, ""},
};

static const char *mark_at(const struct codefixture *f, uint32_t line)
{
	const char *mark = strstr(f->lines[line - 1], "// @");

	return mark ? mark + 4 : "?";
}

static void check_function(struct codefixture *f,
			   const struct function_case *fc)
{
	struct dbg_error *err;
	struct code_place *places;
	size_t n;
	_cleanup_str_ struct str marks = {0};
	const struct code_function fn = {.name = fc->name,
					 .params = fc->params};

	err =
	    code_find_function(f->code, f->module, &fn, f->arena, &places, &n);
	assert_null(err);
	for (size_t i = 0; i < n; i++)
		str_addf(&marks, " %s", mark_at(f, places[i].line));
	if (strcmp(str_get(&marks), fc->marks))
		fail_msg("%s(%s): '%s' instead of '%s'", fc->name,
			 fc->params ? fc->params : "...", str_get(&marks),
			 fc->marks);
}

static void functions(void **state)
{
	for (size_t i = 0; i < sizeof(function_cases) / sizeof(*function_cases);
	     i++)
		check_function(*state, &function_cases[i]);
}

// The one place of the method @name.
static struct code_place place_of(struct codefixture *f, const char *name)
{
	struct dbg_error *err;
	struct code_place *places;
	size_t n;
	const struct code_function fn = {.name = name};

	err =
	    code_find_function(f->code, f->module, &fn, f->arena, &places, &n);
	assert_null(err);
	assert_int_equal(n, 1);
	return places[0];
}

static void body_of_an_iterator(void **state)
{
	struct codefixture *f = *state;
	struct code_place place = place_of(f, "Bodies.Iterate");

	assert_int_equal(place.line, codefixture_mark(f, "iterator") - 2);
	assert_string_equal(md_col_string(&f->module->md, MD_METHODDEF,
					  MD_TOKEN_RID(place.token), 3),
			    "MoveNext");
}

// Its closure is made in front of the brace.
static void statement_behind_the_brace(void **state)
{
	struct codefixture *f = *state;

	assert_int_equal(place_of(f, "Lambdas.Run").line,
			 codefixture_mark(f, "lambda-capture") - 1);
}

static bool is_note(void *arg, const char *name)
{
	(void)arg;
	return strstr(name, "Program.Note(int)") ||
	       strstr(name, "Bodies.Async(");
}

static void matching(void **state)
{
	struct codefixture *f = *state;
	struct dbg_error *err;
	struct code_place *places;
	size_t n;

	err = code_find_matching(f->code, f->module, is_note, NULL, f->arena,
				 &places, &n);
	assert_null(err);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++)
		assert_true(places[i].line == codefixture_mark(f, "note") ||
			    places[i].line ==
				codefixture_mark(f, "async-before"));
}

static void module_names(void **state)
{
	struct codefixture *f = *state;

	assert_ptr_equal(code_module_named(f->code, "Breaks"), f->module);
	assert_ptr_equal(code_module_named(f->code, "breaks.DLL"), f->module);
	assert_null(code_module_named(f->code, "Break"));
	assert_null(code_module_named(f->code, "Breaks.dll.dll"));
	assert_false(f->module->optimized);
	assert_int_equal(f->module->symbols, DBG_SYMBOLS_LOADED);
}

static void modules_that_are_not_loaded(void **state)
{
	struct codefixture *f = *state;
	struct code_module *late;
	char name[16];

	// what is looked for in vain takes no room from what is there
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "None%d", i % 2000);
		assert_null(code_module_unloaded(f->code, f->module, name));
	}
	late = code_module_unloaded(f->code, f->module, "BreaksLate");
	assert_non_null(late);
	assert_string_equal(late->name, "BreaksLate.dll");
	assert_ptr_equal(code_module_unloaded(f->code, f->module, "BreaksLate"),
			 late);
	assert_null(code_module_unloaded(f->code, NULL, "BreaksLate"));
}

static void release_is_optimized(void **state)
{
	struct codefixture f;

	(void)state;
	codefixture_init(&f, "Release", "Breaks");
	assert_true(f.module->optimized);
	code_module_remove(f.code, f.module->addr);
	assert_null(code_module_find(f.code, 0x1000));
	codefixture_deinit(&f);
}

static void missing_file_is_kept_with_a_note(void **state)
{
	struct dbg_error *err;
	struct code *c = code_create(NULL, NULL, NULL, NULL);
	struct code_module *m;
	const struct dac_module dm = {
	    .addr = 1, .path = "/nowhere/x.dll", .name = "x"};

	(void)state;
	err = code_module_add(c, &dm, &m);
	assert_null(err);
	assert_non_null(strstr(m->symbols_note, "/nowhere/x.dll"));
	assert_string_equal(m->name, "x.dll");
	assert_false(code_has_file(c, m, "x.cs"));
	code_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_of_each_kind),
	    cmocka_unit_test(initialisers_are_in_every_constructor),
	    cmocka_unit_test(lambda_and_its_statement),
	    cmocka_unit_test(inside_a_statement),
	    cmocka_unit_test(next_line_with_code),
	    cmocka_unit_test(for_loop_begins_once),
	    cmocka_unit_test(names_of_files),
	    cmocka_unit_test(functions),
	    cmocka_unit_test(body_of_an_iterator),
	    cmocka_unit_test(statement_behind_the_brace),
	    cmocka_unit_test(matching),
	    cmocka_unit_test(module_names),
	    cmocka_unit_test(modules_that_are_not_loaded),
	    cmocka_unit_test(release_is_optimized),
	    cmocka_unit_test(missing_file_is_kept_with_a_note),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
