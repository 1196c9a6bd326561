/*
 * Expressions: the text is parsed as an expression, as a type, and as the
 * message of a logpoint with expressions in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/eval.h"
#include "eval/expr.h"
#include "session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_create();
	char *text = arena_strndup(arena, (const char *)data, size);
	struct expr *expr;
	struct expr_type *type;
	struct dbg_error *err = expr_parse(text, arena, &expr);

	if (!err && (expr->start > expr->end || expr->end > strlen(text)))
		abort();
	dbg_error_destroy(err);
	err = expr_parse_assign(text, arena, &expr);
	dbg_error_destroy(err);
	err = expr_parse_type(text, arena, &type);
	dbg_error_destroy(err);
	err = eval_check(text);
	dbg_error_destroy(err);
	err = logpoint_check(text);
	dbg_error_destroy(err);
	arena_destroy(arena);
	return 0;
}
