#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/csname.h"
#include "meta/md.h"
#include "mdfixture.h"

struct fixture {
	struct mdfixture f;
	struct md md;
};

static int setup(void **state)
{
	struct fixture *x = xcalloc(1, sizeof(*x));

	mdfixture_init(&x->f);
	assert_null(md_parse(x->f.bytes, &x->md));
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	mdfixture_deinit(&x->f);
	free(x);
	return 0;
}

static void check_method(const struct md *md, uint32_t rid,
			 const struct csname_args *args, const char *name)
{
	_cleanup_str_ struct str s = {NULL, 0, 0};

	csname_method(md, MD_TOKEN(MD_METHODDEF, rid), true, args, &s);
	assert_string_equal(str_get(&s), name);
}

static void check_type(const struct md *md, uint32_t token, const char *name,
		       const char *metadata)
{
	_cleanup_str_ struct str s = {NULL, 0, 0};

	csname_type(md, token, NULL, &s);
	assert_string_equal(str_get(&s), name);
	str_clear(&s);
	csname_metadata_type(md, token, &s);
	assert_string_equal(str_get(&s), metadata);
}

static void test_keyword(void **state)
{
	(void)state;
	assert_string_equal(csname_keyword("System.Int32"), "int");
	assert_string_equal(csname_keyword("System.UIntPtr"), "nuint");
	assert_string_equal(csname_keyword("System.Void"), "void");
	assert_null(csname_keyword("System.DateTime"));
	assert_null(csname_keyword("Int32"));
}

static void test_types(void **state)
{
	struct fixture *x = *state;
	const struct mdfixture *f = &x->f;

	check_type(&x->md, MD_TOKEN(MD_TYPEDEF, f->type), "Ns.Type", "Ns.Type");
	check_type(&x->md, MD_TOKEN(MD_TYPEDEF, f->inner), "Ns.Outer<T>.Inner",
		   "Ns.Outer`1+Inner");
	check_type(&x->md, MD_TOKEN(MD_TYPEDEF, f->machine),
		   "Ns.Outer<T>.Inner.<System-IFoo-Go>d__3<V>",
		   "Ns.Outer`1+Inner+<System-IFoo-Go>d__3`1");
	check_type(&x->md, MD_TOKEN(MD_TYPEREF, f->object_ref), "object",
		   "System.Object");
	check_type(&x->md, MD_TOKEN(MD_TYPEREF, f->dictionary_ref),
		   "System.Collections.Generic.Dictionary<,>",
		   "System.Collections.Generic.Dictionary`2");
	check_type(&x->md, MD_TOKEN(MD_TYPESPEC, f->list_spec),
		   "System.Collections.Generic.List<int>", "");
	check_type(&x->md, MD_TOKEN(MD_FIELD, 1), "?", "");
	check_type(&x->md, MD_TOKEN(MD_TYPEDEF, 999), "", "");
}

static void test_methods(void **state)
{
	struct fixture *x = *state;
	const struct mdfixture *f = &x->f;

	check_method(&x->md, f->ctor, NULL, "Ns.Type.Type(int)");
	check_method(&x->md, f->cctor, NULL, "Ns.Type..cctor()");
	check_method(&x->md, f->main, NULL, "Ns.Type.Main(string[])");
	check_method(&x->md, f->accessor, NULL, "Ns.Type.Count.get()");
	check_method(&x->md, f->indexer, NULL, "Ns.Type.Item.set(int, string)");
	check_method(&x->md, f->operator_plus, NULL,
		     "Ns.Type.operator checked +(Ns.Type, Ns.Type)");
	check_method(&x->md, f->to_int, NULL,
		     "Ns.Type.explicit operator int(Ns.Type)");
	check_method(&x->md, f->finalizer, NULL, "Ns.Type.~Type()");
	check_method(&x->md, f->explicit_get, NULL,
		     "Ns.Type.System.Collections.Generic."
		     "IReadOnlyList<int, T>.Item.get(int)");
	check_method(&x->md, f->swap, NULL,
		     "Ns.Type.Swap<S>(ref S, out S, in S)");
	check_method(
	    &x->md, f->all_types, NULL,
	    "Ns.Type.All(int[,][], System.Collections.Generic.Dictionary<"
	    "string, System.Collections.Generic.List<double[]>>, int?, "
	    "(int, string), void**, delegate*<int, void>, "
	    "System.Collections.Generic.Dictionary<int, object>.Enumerator, "
	    "nint, System.TypedReference, T0, ref nuint)");
}

static void test_made(void **state)
{
	struct fixture *x = *state;
	const struct mdfixture *f = &x->f;

	check_method(&x->md, f->lambda, NULL,
		     "Ns.Outer<T>.Outer.lambda(string)");
	check_method(&x->md, f->generic_lambda, NULL,
		     "Ns.Outer<T>.Run<U>.lambda(U)");
	check_method(&x->md, f->local, NULL, "Ns.Outer<T>.Load.Helper(int)");
	// Two methods are named Load: the attribute tells which it was.
	check_method(&x->md, f->move_next_overload, NULL,
		     "Ns.Outer<T>.Load(string)");
	check_method(&x->md, f->move_next, NULL,
		     "Ns.Outer<T>.Inner.System.IFoo.Go<V>(V)");
	check_method(&x->md, f->finally, NULL,
		     "Ns.Outer<T>.Inner.System.IFoo.Go<V>(V)");
	check_method(&x->md, f->move_next_other, NULL,
		     "Ns.Outer<T>.Inner.Plain.MoveNext()");
	assert_int_equal(csname_kickoff(&x->md, f->move_next), f->kickoff);
	assert_int_equal(csname_kickoff(&x->md, f->move_next_other), 0);
	assert_int_equal(csname_kickoff(&x->md, f->kickoff), 0);
	assert_true(csname_is_machine("<M>d__0"));
	assert_true(csname_is_machine("<<Main>$>d__0")); // top-level statements
	assert_true(csname_is_machine("VB$StateMachine_0_M"));
	assert_false(csname_is_machine("<>c__DisplayClass0_0"));
	assert_false(csname_is_machine("M"));
}

static void test_args(void **state)
{
	struct fixture *x = *state;
	const struct mdfixture *f = &x->f;
	const char *const types[] = {"int", "Foo"};
	struct csname_args both = {.type_args = types, .n_type_args = 2};
	struct csname_args one = {.type_args = types,
				  .n_type_args = 1,
				  .method_args = types + 1,
				  .n_method_args = 1};

	// The state machine has the class's and the method's.
	check_method(&x->md, f->move_next, &both,
		     "Ns.Outer<int>.Inner.System.IFoo.Go<Foo>(Foo)");
	check_method(&x->md, f->kickoff, &one,
		     "Ns.Outer<int>.Inner.System.IFoo.Go<Foo>(Foo)");
	check_method(&x->md, f->generic_lambda, &both,
		     "Ns.Outer<int>.Run<Foo>.lambda(Foo)");
	check_method(&x->md, f->swap, &one,
		     "Ns.Type.Swap<Foo>(ref Foo, out Foo, in Foo)");
	_cleanup_str_ struct str s = {NULL, 0, 0};
	csname_method(&x->md, MD_TOKEN(MD_METHODDEF, f->swap), false, NULL, &s);
	assert_string_equal(str_get(&s), "Ns.Type.Swap<S>");
}

static void test_source_name(void **state)
{
	(void)state;
	static const struct {
		const char *made, *source;
	} cases[] = {
	    {"x", "x"},
	    {"_count", "_count"},
	    {"<x>5__2", "x"},
	    {"<>4__this", "this"},
	    {"<Prop>k__BackingField", "Prop"},
	    {"<cap>P", "cap"},
	    {"<Name>i__Field", "Name"},
	    {"<>1__state", NULL},
	    {"<>2__current", NULL},
	    {"<>3__n", NULL},
	    {"<>8__1", NULL},
	    {"<>u__1", NULL},
	    {"<>t__builder", NULL},
	    {"<>9__0_0", NULL},
	    {"<>7__wrap1", NULL},
	    {"CS$<>8__locals0", NULL},
	    {"$VB$Local_total", "total"},
	    {"$VB$ResumableLocal_i$1", "i"},
	    {"$VB$Me", "this"},
	    {"<broken", "<broken"},
	    {"", NULL},
	};
	struct arena *a = arena_create();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *source = csname_source_name(a, cases[i].made);

		if (cases[i].source)
			assert_string_equal(source, cases[i].source);
		else
			assert_null(source);
	}
	arena_destroy(a);
}

static void test_dac(void **state)
{
	(void)state;
	static const struct {
		const char *dac, *name;
	} cases[] = {
	    {"System.Int32", "int"},
	    {"Ns.Outer+Inner", "Ns.Outer.Inner"},
	    {"System.Collections.Generic.List`1[[System.Int32, "
	     "System.Private.CoreLib]][]",
	     "System.Collections.Generic.List<int>[]"},
	    {"System.Collections.Generic.Dictionary`2[System.String,"
	     "System.Int32]",
	     "System.Collections.Generic.Dictionary<string, int>"},
	    {"System.Collections.Generic.Dictionary`2+Enumerator"
	     "[[A, x, Version=1.0.0.0, Culture=neutral],[B, y]]",
	     "System.Collections.Generic.Dictionary<A, B>.Enumerator"},
	    {"A`1+B`1[[System.Byte[,][], x],[C*&, y]]",
	     "A<byte[][,]>.B<ref C*>"},
	    {"System.Nullable`1[[System.Int64, x]]", "long?"},
	    {"System.ValueTuple`2[[A, x],[System.ValueTuple`2[[B, x],"
	     "[C, x]], x]]",
	     "(A, (B, C))"},
	    {"System.ValueTuple`8[[A],[B],[C],[D],[E],[F],[G],"
	     "[System.ValueTuple`1[[H]]]]",
	     "(A, B, C, D, E, F, G, H)"},
	    {"Ns.Fn<A\\,B>", "Ns.Fn<A,B>"},
	    {"List`1", "List<>"},
	    {"X[*]", "X[*]"},
	    {"X[[[", "X[[["},
	    {"X[[A]", "X[[A]"},
	    {"X]", "X]"},
	    {"", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_str_ struct str s = {NULL, 0, 0};

		csname_from_dac(cases[i].dac, &s);
		assert_string_equal(str_get(&s), cases[i].name);
	}
}

/* Names of C#, and as the CLR has them. */
static void test_clr(void **state)
{
	static const struct {
		const char *name, *clr;
	} cases[] = {
	    {"int", "System.Int32"},
	    {"string[]", "System.String[]"},
	    {"My.string", "My.string"},
	    {"Ns.Outer.Inner", "Ns.Outer.Inner"},
	    {"N.List<int>", "N.List`1[[System.Int32]]"},
	    {"N.Map<string, N.List<A.B>>[]",
	     "N.Map`2[[System.String],[N.List`1[[A.B]]]][]"},
	    {"N.List<T>.Enumerator", "N.List`1+Enumerator[[T]]"},
	    {"A<int>.B<char>", "A`1+B`1[[System.Int32],[System.Char]]"},
	    {"N.List<(int, byte[,])>", "N.List`1[[System.ValueTuple`2[[System."
				       "Int32],[System.Byte[,]]]]]"},
	    {"List<>", "List`1"},
	    {"Map<,>", "Map`2"},
	    {"P.<M>d__0", "P.<M>d__0"},
	    {"<M>d__0<int>", "<M>d__0`1[[System.Int32]]"},
	    {"A<", "A<"},
	    {"A<B", "A<B"},
	    {"A>>", "A>>"},
	    {"(", "("},
	    {"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_str_ struct str s = {NULL, 0, 0};

		csname_to_clr(cases[i].name, &s);
		assert_string_equal(str_get(&s), cases[i].clr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_keyword),
	    cmocka_unit_test_setup_teardown(test_types, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_methods, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_made, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_args, setup, teardown),
	    cmocka_unit_test(test_source_name),
	    cmocka_unit_test(test_dac),
	    cmocka_unit_test(test_clr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
