/* What reports of crashes are grouped by, and lines of output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "report/report.h"

enum {
	FRAMES = 16 /* more than are listed of a folded stack */
};

/* The methods that call each other, and how often. */
struct stack {
	const char *const *names;
	size_t n, times;
};

static struct report_frame frame_of(const char *name)
{
	return (struct report_frame){
	    .kind = DBG_FRAME_MANAGED,
	    .name = name,
	    .path = "/src/Program.cs",
	    .line = 7,
	};
}

// The fingerprint of an overflow of @s, whose newest frame is that of @phase.
static void overflow(const struct stack *s, size_t phase, char ret[17])
{
	struct report_frame v[FRAMES];
	struct report_exception x = {.type = "System.StackOverflowException"};
	struct report_thread thread = {.number = 1, .frames = v};
	struct report r = {
	    .cause = "Unhandled exception: System.StackOverflowException",
	    .exceptions = &x,
	    .n_exceptions = 1,
	    .thread = 1,
	    .threads = &thread,
	    .n_threads = 1,
	};
	size_t n = 0;

	for (size_t i = phase; i < s->n * s->times; i++) {
		v[n++] = frame_of(s->names[i % s->n]);
		n = report_fold(v, n);
		assert_true(n < FRAMES);
	}
	v[n++] = frame_of("P.Main");
	thread.n_frames = n;
	report_fingerprint(&r, ret);
}

/*
 * Who is to blame of an AggregateException with an exception that wraps another
 * and one that was never thrown: the wrapped one where it has passed a method
 * of the user's, else what is around it.
 */
static void test_culprits(void **state)
{
	struct report_frame inner = frame_of("P.Inner");
	struct report_frame wraps = frame_of("P.Wraps");
	struct report_frame main = frame_of("P.Main");
	struct report_exception x[] = {
	    {.type = "Aggregate"},
	    {.type = "Wraps", .depth = 1, .frames = &wraps, .n_frames = 1},
	    {.type = "Inner", .depth = 2, .frames = &inner, .n_frames = 1},
	    {.type = "Never", .message = "thrown", .depth = 1},
	};
	struct report_thread thread = {
	    .number = 1, .frames = &main, .n_frames = 1};
	struct report_culprit v[REPORT_CULPRITS_MAX];
	char first[17], next[17];
	struct report r = {
	    .arena = arena_create(),
	    .cause = "cause",
	    .thread = 1,
	    .exceptions = x,
	    .n_exceptions = 4,
	    .threads = &thread,
	    .n_threads = 1,
	};

	(void)state;
	assert_int_equal(report_culprits(&r, v), 2);
	assert_ptr_equal(v[0].frame, &inner);
	assert_string_equal(v[0].text, "cause");
	assert_ptr_equal(v[1].frame, &main);
	assert_string_equal(v[1].text, "Never: thrown");
	report_fingerprint(&r, first);
	inner.name = "P.Other";
	report_fingerprint(&r, next);
	assert_string_not_equal(first, next);
	x[2].n_frames = 0;
	assert_int_equal(report_culprits(&r, v), 2);
	assert_ptr_equal(v[0].frame, &wraps);
	// wherever the outermost was thrown: nobody waits for the same
	report_fingerprint(&r, first);
	x[0].type = "Other";
	report_fingerprint(&r, next);
	assert_string_equal(first, next);
	r.n_exceptions = 0;
	assert_int_equal(report_culprits(&r, v), 1);
	assert_ptr_equal(v[0].frame, &main);
	report_destroy(&r);
}

static void test_overflow(void **state)
{
	static const char *const three[] = {"P.A", "P.B", "P.C"};
	static const char *const other[] = {"P.A", "P.B", "P.D"};
	static const char *const twice[] = {"P.A", "P.B", "P.A", "P.C"};
	const struct stack s = {three, 3, 50}, longer = {three, 3, 80};
	const struct stack others = {other, 3, 50};
	const struct stack doubled = {twice, 4, 50};
	char first[17], next[17];

	(void)state;
	overflow(&s, 0, first);
	for (size_t phase = 1; phase < 3; phase++) {
		overflow(&s, phase, next);
		assert_string_equal(first, next);
	}
	overflow(&longer, 1, next);
	assert_string_equal(first, next);
	overflow(&others, 0, next);
	assert_string_not_equal(first, next);
	// one method is called twice in each round
	overflow(&doubled, 0, first);
	for (size_t phase = 1; phase < 4; phase++) {
		overflow(&doubled, phase, next);
		assert_string_equal(first, next);
	}
}

/* The last @max lines of @text, joined by '|'. */
static void check_lines(const char *wanted, unsigned int max, const char *text,
			size_t n)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	_cleanup_free_ char *copy = malloc(n + 1); // its end is where it ends
	char joined[100] = "";
	size_t n_lines;

	assert_non_null(copy);
	memcpy(copy, text, n);
	const char **lines = output_lines(copy, n, max, arena, &n_lines);
	assert_true(n_lines <= max);
	for (size_t i = 0; i < n_lines; i++) {
		assert_true(strlen(joined) + strlen(lines[i]) + 2 <
			    sizeof(joined));
		strcat(joined, lines[i]);
		strcat(joined, "|");
	}
	assert_string_equal(wanted, joined);
}

static void test_lines(void **state)
{
	static const struct {
		const char *wanted;
		unsigned int max;
		const char *text;
	} cases[] = {
	    {"", 3, ""},
	    {"|", 3, "\n"},
	    {"a|", 3, "a"},
	    {"a|b|", 3, "a\nb\n"},
	    {"b||", 2, "a\nb\n\n"},
	    {"a|b|", 2, "a\r\nb\r\n"},
	    {"done|", 2, "10 %\r50 %\rdone\r\n"},
	    {"red text|", 1, "\x1b[1;31mred\x1b[0m text\n"},
	    {"a link|", 1, "\x1b]8;;http://x\x1b\\a link\x1b]8;;\a\n"},
	    {"x|", 1, "\x1b(Bx\x1b"},
	    {"|", 1, "\x1b["},
	    {"|", 1, "\x1b]0;title"},
	    {"a\xef\xbf\xbd|", 1, "a\xff\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_lines(cases[i].wanted, cases[i].max, cases[i].text,
			    strlen(cases[i].text));
	check_lines("ab|", 1, "a\0b\n", 4);

	char text[OUTPUT_LINE_MAX + 1];
	_cleanup_arena_ struct arena *arena = arena_create();
	size_t n;

	memset(text, 'x', sizeof(text));
	const char **lines = output_lines(text, sizeof(text), 1, arena, &n);
	assert_int_equal(1, n);
	assert_int_equal(OUTPUT_LINE_MAX + 3, strlen(lines[0]));
	assert_string_equal("x...", lines[0] + OUTPUT_LINE_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_overflow),
	    cmocka_unit_test(test_culprits),
	    cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
