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
#include "eval/expr.h"

/* ---- Trees as text, fully parenthesised ------------------------------ */

static void add(const struct expr *e, struct str *out);

static void add_type(const struct expr_type *t, struct str *out)
{
	str_add(out, t->name);
	for (size_t i = 0; i < t->n_args; i++) {
		str_add(out, i ? "," : "<");
		add_type(t->args[i], out);
	}
	str_add(out, t->n_args ? ">" : "");
	str_add(out, t->suffix);
}

static void add_name(const struct expr *e, struct str *out)
{
	str_add(out, e->name);
	for (size_t i = 0; i < e->n_args; i++) {
		str_add(out, i ? "," : "<");
		add_type(e->args[i], out);
	}
	str_add(out, e->n_args ? ">" : "");
}

static void add_list(const struct expr *e, const char *brackets,
		     struct str *out)
{
	add(e->a, out);
	str_addf(out, "%s%c", e->conditional ? "?" : "", brackets[0]);
	for (size_t i = 0; i < e->n_list; i++) {
		str_add(out, i ? "," : "");
		add(e->list[i], out);
	}
	str_addc(out, brackets[1]);
}

static void add_literal(const struct expr *e, struct str *out)
{
	const struct token *t = &e->token;

	switch (t->kind) {
	case TOKEN_STRING:
		str_add(out, "S");
		str_add_utf16(out, t->units, t->n_units);
		break;
	case TOKEN_REAL:
		str_addf(out, "R%g", t->real);
		break;
	case TOKEN_DECIMAL:
		str_addf(out, "M%s", t->text);
		break;
	default:
		str_addf(out, "%llu", (unsigned long long)t->integer);
		break;
	}
}

static void add(const struct expr *e, struct str *out)
{
	switch (e->kind) {
	case EXPR_LITERAL:
		add_literal(e, out);
		break;
	case EXPR_NULL:
		str_add(out, "null");
		break;
	case EXPR_BOOL:
		str_add(out, e->token.integer ? "true" : "false");
		break;
	case EXPR_NAME:
		add_name(e, out);
		break;
	case EXPR_TYPE:
		add_type(e->type, out);
		break;
	case EXPR_MEMBER:
		add(e->a, out);
		str_add(out, e->arrow ? "->" : e->conditional ? "?." : ".");
		add_name(e, out);
		break;
	case EXPR_INDEX:
		add_list(e, "[]", out);
		break;
	case EXPR_CALL:
		add_list(e, "()", out);
		break;
	case EXPR_CAST:
		str_add(out, "cast(");
		add_type(e->type, out);
		str_addc(out, ' ');
		add(e->a, out);
		str_addc(out, ')');
		break;
	case EXPR_IS:
	case EXPR_AS:
		str_addc(out, '(');
		add(e->a, out);
		str_add(out, e->kind == EXPR_IS ? " is " : " as ");
		str_add(out, e->negated ? "not " : "");
		if (e->type)
			add_type(e->type, out);
		else
			str_add(out, "null");
		str_addc(out, ')');
		break;
	case EXPR_UNARY:
		str_addf(out, "(%s", e->op);
		add(e->a, out);
		str_addc(out, ')');
		break;
	case EXPR_BINARY:
		str_addc(out, '(');
		add(e->a, out);
		str_addf(out, " %s ", e->op);
		add(e->b, out);
		str_addc(out, ')');
		break;
	case EXPR_CHOICE:
		str_addc(out, '(');
		add(e->a, out);
		str_add(out, " ? ");
		add(e->b, out);
		str_add(out, " : ");
		add(e->c, out);
		str_addc(out, ')');
		break;
	case EXPR_SIZEOF:
	case EXPR_DEFAULT:
		str_add(out, e->kind == EXPR_SIZEOF ? "sizeof(" : "default(");
		if (e->type)
			add_type(e->type, out);
		str_addc(out, ')');
		break;
	case EXPR_ASSIGN:
		add(e->a, out);
		str_addf(out, " %s= ", e->op);
		add(e->b, out);
		break;
	}
}

static void check(const char *text, const char *want)
{
	struct arena *arena = arena_create();
	_cleanup_str_ struct str got = {0};
	struct expr *e;
	struct dbg_error *err = expr_parse_assign(text, arena, &e);

	if (err)
		print_error("%s: %s\n", text, err->message);
	assert_null(err);
	add(e, &got);
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

/* ---- Tests ----------------------------------------------------------- */

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
	refuse("18446744073709551616", "too large a number "
				       "'18446744073709551616'");
	refuse("12abc", "bad number '12a'");
	refuse("'ab'", "not one character: ''ab''");
	refuse("\"abc", "no closing quote for '\"abc'");
	refuse("\"\\q\"", "unknown escape '\\q'");
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
		struct token t;
		size_t at = 0;

		assert_null(token_next(all[i].text, &at, arena, &t));
		assert_int_equal(t.elem, all[i].elem);
		assert_int_equal(at, strlen(all[i].text));
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
	check("(1 + 2) * 3", "((1 + 2) * 3)");
	check("a is B && c", "((a is B) && c)");
	check("a is not null", "(a is not null)");
	check("a is B ? 1 : 2", "((a is B) ? 1 : 2)");
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
	check("global::A.B", "A.B");
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
	check("((int, string s))x", "cast(System.ValueTuple<int,string> x)");
	check("((a) + b)", "(a + b)");
	check("A<(int, B)>.C", "A<System.ValueTuple<int,B>>.C");
	check("(byte[,][])x", "cast(byte[,][] x)");
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
	refuse("a = 1", "an assignment cannot stand here ('==' compares)");
	refuse("a -= 1", "an assignment cannot stand here ('==' compares)");
}

static void test_errors(void **state)
{
	(void)state;
	refuse("", "an expression is wanted");
	refuse("a +", "the expression ends too early");
	refuse("a b", "unexpected 'b'");
	refuse("(a", "')' is missing at the end");
	refuse("a[1", "']' is missing at the end");
	refuse("a.", "the expression ends too early");
	refuse("new A()", "'new' is not served in expressions yet");
	refuse("#", "unexpected '#'");
	refuse("a ? b", "':' is missing at the end");
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
	    cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
