#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/dollar.h"

static void test_names(void **state)
{
	static const char *const good[] = {"$", "$$", "$1", "$$12", "$0"};
	static const char *const bad[] = {"$exception", "$1a", "$$$",
					  "$$$1",       "a",   "1"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(history_names(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(history_names(bad[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
