/* What reports of crashes are grouped by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
