/* Names of methods as the DAC spells them. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"

struct args_case {
	const char *dac;
	const char *want; /* arguments of the type; of the method */
};

static const struct args_case args_cases[] = {
    {"Ns.Type.M(Int32)", ";"},
    {"Ns.Type`1[[System.Int32, System.Private.CoreLib]].M(Int32)", "int;"},
    {"Ns.Type.M[[System.Int32, System.Private.CoreLib]](Int32)", ";int"},
    {"Ns.Type`1[[System.String, A]].M[[System.Byte, B]]()", "string;byte"},
    {"T`2[[System.Int32, A],[N.C, B]].M()", "int,N.C;"},
    {"T`2[[System.Int32, A], [N.C, B, Version=1.0.0.0]].M()", "int,N.C;"},
    {"T`1[[System.__Canon, A]].M[[System.Int32, A]](!!0)", "-;int"},
    {"T`1[[L`1[[System.__Canon, A]], B]].M()", "-;"},
    {"T`1[[L`1[[System.Int32, A]], B]].M()", "L<int>;"},
    {"T`1[[System.Int32[], A]].M(System.Int32[])", "int[];"},
    {"T`1[[System.Int32[,], A]]..ctor()", "int[,];"},
    {"O`1+I`1[[System.Int32, A],[System.Char, A]].M()", "int,char;"},
    {"", ";"},
    {"T[[A\\,B, C]].M()", "A,B;"},
};

static void add_args(struct str *s, const struct dacname_args *args)
{
	for (size_t i = 0; i < args->n; i++) {
		if (i)
			str_addc(s, ',');
		str_add(s, args->args[i] ? args->args[i] : "-");
	}
}

static void arguments(void **state)
{
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(args_cases) / sizeof(*args_cases); i++) {
		_cleanup_str_ struct str got = {0};
		struct dacname_args type, method;

		dacname_args(args_cases[i].dac, arena, &type, &method);
		add_args(&got, &type);
		str_addc(&got, ';');
		add_args(&got, &method);
		assert_string_equal(str_get(&got), args_cases[i].want);
	}
	arena_destroy(arena);
}

// Nothing is demanded of these but an end.
static void broken_names(void **state)
{
	static const char *const names[] = {
	    "[", "[[", "[[[[[[[[", "]", "T[[A", "T[[A,", "T[[A]", "T[[\\", "((",
	};
	struct arena *arena = arena_create();
	struct dacname_args type, method;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		dacname_args(names[i], arena, &type, &method);
		assert_true(type.n + method.n <= 1);
		assert_non_null(dacname_csharp(names[i], arena));
	}
	arena_destroy(arena);
}

static void many_arguments_are_cut_off(void **state)
{
	struct arena *arena = arena_create();
	_cleanup_str_ struct str dac = {0};
	struct dacname_args type, method;

	(void)state;
	str_add(&dac, "T[");
	for (int i = 0; i < 1000; i++)
		str_add(&dac, i ? ",[A]" : "[A]");
	str_add(&dac, "].M()");
	dacname_args(str_get(&dac), arena, &type, &method);
	assert_int_equal(type.n, DACNAME_MAX_ARGS);
	assert_int_equal(method.n, 0);
	arena_destroy(arena);
}

static void parameters_in_csharp(void **state)
{
	static const char *const cases[][2] = {
	    {"Dyn(System.String)", "Dyn(string)"},
	    {"N.C.Go(Int32, N.Int32)", "N.C.Go(int, N.Int32)"},
	    {"Dyn()", "Dyn()"},
	    {"Dyn", "Dyn"},
	    {"Dyn(System.Int32, N.C[])", "Dyn(int, N.C[])"},
	    {"Dyn(L`1[[System.Int32, A]], System.Byte)", "Dyn(L<int>, byte)"},
	    {"Dyn(System.Int32", "Dyn(int"},
	    {"(", "("},
	    {"", ""},
	};
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(dacname_csharp(cases[i][0], arena),
				    cases[i][1]);
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(arguments),
	    cmocka_unit_test(broken_names),
	    cmocka_unit_test(many_arguments_are_cut_off),
	    cmocka_unit_test(parameters_in_csharp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
