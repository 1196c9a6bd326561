/*
 * The language: the text is parsed as an expression, as a type, and as the
 * message of a logpoint. Every node must lie in the text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/eval.h"
#include "eval/syntax/statement.h"
#include "session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_list(struct expr *const *list, size_t n, size_t end);

static void check(const struct expr *e, size_t end)
{
	if (!e)
		return;
	if (e->start > e->end || e->end > end)
		abort();
	check(e->a, end);
	check(e->b, end);
	check(e->c, end);
	check(e->type, end);
	check_list(e->list, e->n_list, end);
	check_list(e->args, e->n_args, end);
}

static void check_list(struct expr *const *list, size_t n, size_t end)
{
	for (size_t i = 0; i < n; i++)
		check(list[i], end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_create();
	char *text = arena_strndup(arena, (const char *)data, size);
	size_t n = strlen(text);
	struct expr *expr;
	struct dbg_error *err = expr_parse(text, arena, &expr);

	if (!err)
		check(expr, n);
	dbg_error_destroy(err);
	dbg_error_destroy(expr_parse_type(text, arena, &expr));
	dbg_error_destroy(eval_check(text));
	dbg_error_destroy(logpoint_check(text));
	arena_destroy(arena);
	return 0;
}
