/*
 * The language: the text is parsed as an expression, as one with format
 * specifiers, as a type, as the message of a logpoint, and with completion at
 * several places. Every node must lie in the text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/eval.h"
#include "eval/syntax/expr.h"
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

static void complete(const char *text, size_t cursor, struct arena *arena)
{
	struct expr *expr, *hole;
	struct dbg_error *err =
	    expr_parse_hole(text, cursor, arena, &expr, &hole);

	if (!err)
		check(expr, cursor);
	if (!err && hole && !hole->hole)
		abort();
	dbg_error_destroy(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_create();
	char *text = arena_strndup(arena, (const char *)data, size);
	size_t n = strlen(text);
	struct expr *expr;
	struct expr_specifiers specs;
	struct dbg_error *err = expr_parse(text, arena, &expr);

	if (!err)
		check(expr, n);
	dbg_error_destroy(err);
	dbg_error_destroy(expr_parse_watch(text, arena, &expr, &specs));
	dbg_error_destroy(expr_parse_type(text, arena, &expr));
	dbg_error_destroy(eval_check(text));
	dbg_error_destroy(logpoint_check(text));
	for (size_t at = 1; at <= 4; at++)
		complete(text, n * at / 4, arena);
	arena_destroy(arena);
	return 0;
}
