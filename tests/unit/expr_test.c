#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/eval.h"
#include "eval/syntax/statement.h"
#include "exprdump.h"

static void check(const char *text, const char *want)
{
	struct arena *arena = arena_create();
	_cleanup_str_ struct str got = {0};
	struct expr *e;
	struct dbg_error *err = expr_parse(text, arena, &e);

	if (err)
		print_error("%s: %s\n", text, err->message);
	assert_null(err);
	expr_dump(e, &got);
	assert_string_equal(str_get(&got), want);
	arena_destroy(arena);
}

static void refuse(const char *text, const char *message)
{
	struct dbg_error *err = eval_check(text);

	assert_non_null(err);
	assert_string_equal(err->message, message);
	dbg_error_destroy(err);
}

/* ---- Tests ------------------------------------------------------------ */

static void test_literals(void **state)
{
	(void)state;
	check("12", "12");
	check("0xFFul", "255");
	check("0b1_01", "5");
	check("1_000", "1000");
	check("1.5", "R1.5");
	check("1e3", "R1000");
	check(".5f", "R0.5");
	check("2d", "R2");
	check("9.95m", "M9.95");
	check("'a'", "97");
	check("'\\n'", "10");
	check("'\\u00e9'", "233");
	check("\"a\\tb\"", "Sa\tb");
	check("@\"a\\\"\"b\"", "Sa\\\"b");
	check("\"\xc3\xa9\xf0\x9f\x98\x80\"", "S\xc3\xa9\xf0\x9f\x98\x80");
	check("true", "true");
	check("null", "null");
	check("\"\\e[\"", "S\x1b[");
	check("\"abc\"u8", "Uabc");
	check("0x_FF", "255");
	check("1_0.2_5e1_0", "R1.025e+11");
	check("1 /* one */ + 2 // two", "(1 + 2)");
	refuse("18446744073709551616", "too large a number "
				       "'18446744073709551616' at column 1");
	refuse("1 + 12abc", "bad number '12a' at column 5");
	refuse("1_", "bad number '1_' at column 1");
	refuse("'ab'", "not one character: ''ab'' at column 1");
	refuse("\"abc", "no closing quote for '\"abc' at column 1");
	refuse("a + \"\\q\"", "unknown escape '\\q' at column 6");
	refuse("1 /* a", "no end of the comment '/* a' at column 3");
}

static void test_types_of_literals(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum elem elem;
	} all[] = {
	    {"2147483647", ELEM_I4}, {"2147483648", ELEM_U4},
	    {"4294967296", ELEM_I8}, {"9223372036854775808", ELEM_U8},
	    {"1u", ELEM_U4},         {"1L", ELEM_I8},
	    {"1UL", ELEM_U8},        {"1.0", ELEM_R8},
	    {"1.0f", ELEM_R4},       {"'x'", ELEM_CHAR},
	};
	struct arena *arena = arena_create();

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct tokens t;

		assert_null(tokens_make(all[i].text, arena, &t));
		assert_int_equal(t.n, 2);
		assert_int_equal(t.items[0].elem, all[i].elem);
		assert_int_equal(t.items[0].end, strlen(all[i].text));
	}
	arena_destroy(arena);
}

static void test_precedence(void **state)
{
	(void)state;
	check("1 + 2 * 3", "(1 + (2 * 3))");
	check("1 - 2 - 3", "((1 - 2) - 3)");
	check("a || b && c", "(a || (b && c))");
	check("a == b & c", "((a == b) & c)");
	check("a | b ^ c & d", "(a | (b ^ (c & d)))");
	check("1 << 2 + 3", "(1 << (2 + 3))");
	check("a >> 1 > 2", "((a >> 1) > 2)");
	check("a < b == c >= d", "((a < b) == (c >= d))");
	check("a ?? b ?? c", "(a ?? (b ?? c))");
	check("a ? b : c ? d : e", "(a ? b : (c ? d : e))");
	check("-a * !b", "((-a) * (!b))");
	check("-1", "(-1)");
	check("*p + &q", "((*p) + (&q))");
	check("a >>> 1 >> 2", "((a >>> 1) >> 2)");
	check("arr[0]@3 + 1", "(arr[0] @ (3 + 1))");
	check("a@n", "(a @ n)");
	check("a ?? throw b", "(a ?? throw b)");
	check("a is int ? b : c", "((a is int) ? b : c)");
	check("a as int? ?? 0", "((a as int?) ?? 0)");
	check("a is B and not C or > 3", "(a is ((=B and (not =C)) or >3))");
	check("await a.b", "(await a.b)");
	check("(1 + 2) * 3", "((1 + 2) * 3)");
	check("a is B && c", "((a is =B) && c)");
	check("a is not null", "(a is (not =null))");
	check("a is B ? 1 : 2", "((a is =B) ? 1 : 2)");
	check("a as B == null", "((a as B) == null)");
	check("a?.5:b", "(a ? R0.5 : b)");
}

static void test_primary(void **state)
{
	(void)state;
	check("a.b[3].c", "a.b[3].c");
	check("a[1, i + 1]", "a[1,(i + 1)]");
	check("a?.b?[0].c", "a?.b?[0].c");
	check("p->x", "p->x");
	check("a!.b", "a.b");
	check("f(1).g()", "f(1).g()");
	check("this.x", "this.x");
	check("$exception.Message", "$exception.Message");
	check("@class.@int", "class.int");
	check("global::A.B", "global:.A.B");
	check("a?[1]?.b()", "a?[1]?.b()");
	check("a++ + --b", "((a post++) + (--b))");
	check("f(x: 1, out var y, ref z, in w)", "f(x:1,out var y,ref z,in w)");
	check("f(out int? n)", "f(out int? n)");
	check("nameof(a.b)", "nameof(a.b)");
	check("typeof(Dictionary<,>)", "typeof(Dictionary<,>)");
	check("typeof(int[])", "typeof(int[])");
	check("checked(a + b)", "checked((a + b))");
	check("$rip", "$rip");
	check("where.select", "where.select");
	check("a.event.params", "a.event.params");
	check("int.MaxValue", "int.MaxValue");
	check("sizeof(int)", "sizeof(int)");
	check("default(A.B)", "default(A.B)");
}

static void test_generics(void **state)
{
	(void)state;
	check("Counter<int>.Made", "Counter<int>.Made");
	check("A<B<C>>.D", "A<B<C>>.D");
	check("A<B,C[]>.D", "A<B,C[]>.D");
	check("a < b", "(a < b)");
	check("a < b > c", "((a < b) > c)");
	check("N.A<int?>.B<N.C>.D", "N.A<int?>.B<N.C>.D");
}

static void test_casts(void **state)
{
	(void)state;
	check("(int)x", "cast(int x)");
	check("(int)-x", "cast(int (-x))");
	check("(A)-x", "(A - x)");
	check("(A)x", "cast(A x)");
	check("(A.B<C>)x.y", "cast(A.B<C> x.y)");
	check("((A)x).y", "cast(A x).y");
	check("(int[])x", "cast(int[] x)");
	check("(int?)x", "cast(int? x)");
	check("(int*)p", "cast(int* p)");
	check("(A)(b)", "cast(A b)");
	check("(a) + b", "(a + b)");
	check("(a)", "a");
	check("((int, string s))x", "cast((int,string s) x)");
	check("((a) + b)", "(a + b)");
	check("A<(int, B)>.C", "A<(int,B)>.C");
	check("(byte[,][])x", "cast(byte[][,] x)");
	check("(List<int>)[1, 2]", "cast(List<int> [1,2])");
	check("(a)[1]", "a[1]");
	check("(int)+1", "cast(int (+1))");
	check("(A*)&x", "cast(A* (&x))");
	check("(a, b: 2)", "tuple(a,b:2)");
	check("(a) is B", "(a is =B)");
	check("(a)switch{_=>1}", "(a switch {_ => 1})");
}

static void test_assignments(void **state)
{
	(void)state;
	check("a = 1", "a = 1");
	check("a.b[1] += c == d ? 2 : 3", "a.b[1] += ((c == d) ? 2 : 3)");
	check("(int)o=-1", "cast(int o) = (-1)");
	check("a |= B | C", "a |= (B | C)");
	check("a<=b", "(a <= b)");
	check("a!=b", "(a != b)");
	check("a = b = c", "a = b = c");
	check("a ?\?= b", "a ?\?= b");
	check("a >>= 1", "a >>= 1");
	check("a >>>= 1", "a >>>= 1");
	check("(a, var b) = t", "tuple(a,var b) = t");
	check("(int a, (b, c)) = t", "tuple(int a,tuple(b,c)) = t");
	refuse("a = 1", "an assignment cannot stand here ('==' compares)");
	refuse("a -= 1", "an assignment cannot stand here ('==' compares)");
}

static void test_errors(void **state)
{
	(void)state;
	refuse("", "an expression is wanted");
	refuse("a +", "the expression ends too early");
	refuse("a b", "unexpected 'b' at column 3");
	refuse("\xc3\xa9 \xc3\xa9", "unexpected '\xc3\xa9' at column 3");
	refuse("f(a b)", "unexpected 'b' at column 5, ')' is wanted");
	refuse("()", "unexpected ')' at column 2");
	refuse("new int[]", "an array needs its size or its elements at "
			    "column 10");
	refuse("stackalloc int(3)", "the expression ends too early");
	refuse("() => { T F<T>(T t) => t; }",
	       "a local function of a debugger is not generic at column 12");
	refuse("() => { int F(ref int t) => t; }",
	       "a parameter of a local function of a debugger has a type and "
	       "no more at column 15");
	refuse("$\"{a\"", "no closing quote for '\"' at column 5");
	refuse("(a", "')' is missing at the end");
	refuse("a[1", "']' is missing at the end");
	refuse("a.", "the expression ends too early");
	refuse("#", "unexpected '#' at column 1");
	refuse("a ? b", "':' is missing at the end");
}

static void test_strings(void **state)
{
	(void)state;
	check("\"\"\"a\"b\"\"c\"\"\"", "Sa\"b\"\"c");
	check("\"\"\"\n  a\n   b\n  \"\"\"", "Sa\n b");
	check("\"\"\"\"a\"\"\"b\"\"\"\"", "Sa\"\"\"b");
	check("$\"a{b}c\"", "$(Sa,{b},Sc)");
	check("$\"{a,-5:x2}{{b}}\"", "$({a,(-5):Sx2},S{b})");
	check("$\"{a + $\"{b[\"}\"]}\"}\"", "$({(a + $({b[S}]}))})");
	check("$\"{(a ? b : c)}\"", "$({(a ? b : c)})");
	check("$\"{a:hh\\\\:mm}\"", "$({a:Shh\\:mm})");
	check("$@\"a\"\"{b}\\\"", "$(Sa\",{b},S\\)");
	check("@$\"{b}\"", "$({b})");
	check("$\"\"\"{a}\"b\"\"\"", "$({a},S\"b)");
	check("$$\"\"\"{a}{{b}}\"\"\"", "$(S{a},{b})");
	check("$\"\"", "$()");
	refuse("\"\"\"a", "no closing quotes for '\"\"\"a' at column 1");
	refuse("\"\"\"\n  a\n b\n  \"\"\"",
	       "not indented as the closing quotes are: ' b' at column 9");
	refuse("$\"}\"", "a brace alone, '}}' is meant: '}' at column 3");
}

static void test_creation(void **state)
{
	(void)state;
	check("new A()", "new A()");
	check("new A<B>.C(1, b: 2)", "new A<B>.C(1,b:2)");
	check("new(1)", "new (1)");
	check("new A { B = 1, C = { D = 2 }, E = { 3 } }",
	      "new A(){B=1,C={D=2},E={3}}");
	check("new D { [\"a\"] = 1 }", "new D(){(Sa)=1}");
	check("new L { 1, { 2, 3 }, }", "new L(){1,{2,3}}");
	check("new int[3]", "array int[][3]");
	check("new int[2, 3][]", "array int[][,][2,3]");
	check("new int?[] { 1, null }", "array int?[][]{1,null}");
	check("new[] { 1, 2 }", "array []{1,2}");
	check("new[,] { { 1 }, { 2 } }", "array []{{1},{2}}");
	check("new { a, b.C, D = 1 }", "new{a=a,C=b.C,D=1}");
	check("[1, ..a, b]", "[1,..a,b]");
	check("[]", "[]");
	check("a with { B = 1 }", "(a with {B=1})");
	check("new A().B", "new A().B");
	check("new A[1].Length", "array A[][1].Length");
	check("1..^2", "(1..(^2))");
	check("a[..]", "a[(..)]");
	check("a[1..]", "a[(1..)]");
	check("a[^1]", "a[(^1)]");
}

static void test_patterns(void **state)
{
	(void)state;
	check("a is B b", "(a is B b)");
	check("a is B { C: 1, D.E: > 2 } f", "(a is B{C: =1,D.E: >2} f)");
	check("a is (1, var b)", "(a is (: =1,: var b))");
	check("a is (> 1)", "(a is >1)");
	check("a is (int)3", "(a is =cast(int 3))");
	check("a is A(1) { B: 2 }", "(a is A(: =1){B: =2})");
	check("a is {}", "(a is {})");
	check("a is { } b && c", "((a is {} b) && c)");
	check("a is [1, .., > 2]", "(a is [=1,..,>2])");
	check("a is [var b, ..var c]", "(a is [var b,..var c])");
	check("a is int.MaxValue", "(a is =int.MaxValue)");
	check("a is List<int>", "(a is List<int>)");
	check("a is int[]", "(a is int[])");
	check("a is -1 or 'c'", "(a is (=(-1) or =99))");
	check("a is not (B or C)", "(a is (not (=B or =C)))");
	check("a is var (b, c)", "(a is var b,c)");
	check("a is string { Length: 3 or > 5 } s",
	      "(a is string{Length: (=3 or >5)} s)");
	check("a switch { 1 => b, > 2 when c => d, B e => f, _ => throw g, }",
	      "(a switch {=1 => b,>2 when c => d,B e => f,_ => throw g})");
	check("a switch { (1, _) => 2 } * 3",
	      "((a switch {(: =1,: _) => 2}) * 3)");
}

static void test_lambdas(void **state)
{
	(void)state;
	check("x => x + 1", "((x) => (x + 1))");
	check("() => 1", "(() => 1)");
	check("(x, y) => x", "((x,y) => x)");
	check("(int x, ref List<int> y) => x",
	      "((int x,ref List<int> y) => x)");
	check("static x => x", "((x) => x)");
	check("(int x = 1) => x", "((int x=1) => x)");
	check("a.Where(o => o.B > 1).ToList()",
	      "a.Where(((o) => (o.B > 1))).ToList()");
	check("x => y => x", "((x) => ((y) => x))");
	check("delegate (int x) { return x; }", "((int x) => {return x;})");
	check("x => { var y = x * 2; if (y > 3) return y; else { y++; } "
	      "return 0; }",
	      "((x) => {var y=(x * 2);,if((y > 3))return y; else "
	      "{(y post++);},return 0;})");
	check("() => { for (int i = 0, j = 1; i < 3; i++, j--) continue; }",
	      "(() => {for(int i=0,j=1;(i < 3);(i post++),(j post--))"
	      "continue;})");
	check("() => { foreach (var x in y) { z += x; } }",
	      "(() => {foreach(var x in y){z += x;}})");
	check("() => { try { a(); } catch (E e) when (e.B) { throw; } "
	      "finally { ; } }",
	      "(() => {try{a();} catch(E e when e.B){throw ;} "
	      "finally{;}})");
	check("() => { switch (a) { case 1: case > 2: return b; default: "
	      "break; } }",
	      "(() => {switch(a){=1:,>2: return b;,default: break;}})");
	check("() => { List<int> l = new(); do { l.Add(1); } while (true); }",
	      "(() => {List<int> l=new ();,do {l.Add(1);} while(true)})");
	refuse("() => { yield return 1; }",
	       "'yield' cannot stand in a lambda of a debugger, at column 9");
}

static void test_queries(void **state)
{
	(void)state;
	check("from x in a where x > 1 select x", "a.Where(((x) => (x > 1)))");
	check("from x in a select x", "a.Select(((x) => x))");
	check("from int x in a select x.B",
	      "a.Cast<int>().Select(((x) => x.B))");
	check("from x in a orderby x.B descending, x.C select x",
	      "a.OrderByDescending(((x) => x.B)).ThenBy(((x) => x.C))");
	check("from x in a group x by x.B", "a.GroupBy(((x) => x.B))");
	check("from x in a group x.C by x.B",
	      "a.GroupBy(((x) => x.B),((x) => x.C))");
	check("from x in a from y in x.B select x + y",
	      "a.SelectMany(((x) => x.B),((x,y) => (x + y)))");
	check("from x in a let y = x.B where y > 1 select x",
	      "a.Select(((x) => new{x=x,y=x.B}))"
	      ".Where(((*0) => (y > 1))).Select(((*0) => x))");
	check("from x in a join y in b on x.K equals y.K select y",
	      "a.Join(b,((x) => x.K),((y) => y.K),((x,y) => y))");
	check("from x in a join y in b on x.K equals y.K into g "
	      "select g.Count()",
	      "a.GroupJoin(b,((x) => x.K),((y) => y.K),"
	      "((x,g) => g.Count()))");
	check("from x in a group x by x.B into g where g.Any() select g.Key",
	      "a.GroupBy(((x) => x.B)).Where(((g) => g.Any()))"
	      ".Select(((g) => g.Key))");
	check("(from x in a where x is B select x).Count()",
	      "a.Where(((x) => (x is =B))).Count()");
	refuse("from x in a", "'select' is missing at the end");
}

static void test_limits(void **state)
{
	(void)state;
	char text[EXPR_TEXT_MAX + 2];

	memset(text, '(', sizeof(text));
	text[1000] = '\0';
	refuse(text, "the expression is nested too deeply");
	memset(text, '-', sizeof(text));
	text[1000] = '\0';
	refuse(text, "the expression is nested too deeply");
	memset(text, '1', sizeof(text));
	text[EXPR_TEXT_MAX + 1] = '\0';
	refuse(text, "the expression is too long");
	// Tries that end in nothing must not multiply.
	text[0] = '\0';
	for (int i = 0; i < 40; i++)
		strcat(text, "x is (a[");
	refuse(text, "the expression is too complex");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_literals),
	    cmocka_unit_test(test_types_of_literals),
	    cmocka_unit_test(test_precedence),
	    cmocka_unit_test(test_primary),
	    cmocka_unit_test(test_generics),
	    cmocka_unit_test(test_casts),
	    cmocka_unit_test(test_assignments),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_strings),
	    cmocka_unit_test(test_creation),
	    cmocka_unit_test(test_patterns),
	    cmocka_unit_test(test_lambdas),
	    cmocka_unit_test(test_queries),
	    cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
