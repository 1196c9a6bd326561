/* The ways in for texts that are no assignments. */
#include "base/err.h"
#include "base/mem.h"
#include "eval/eval_priv.h"
#include "eval/lookup.h"

struct dbg_error *eval_value(const struct eval *e, const char *text,
			     struct value *ret)
{
	struct expr *x;
	struct run r = {.e = e, .text = text};
	struct dbg_error *err = expr_parse(text, e->arena, &x);
	return err ? err : run_value(&r, x, ret);
}

struct type *eval_type(const struct eval *e, const char *text)
{
	struct expr *t;
	struct type *type = NULL;
	struct dbg_error *err = expr_parse_type(text, e->arena, &t);
	if (!err)
		err = lookup_type(e, t, &type);
	dbg_error_destroy(err);
	return type;
}

struct dbg_error *eval_condition(const struct eval *e, const char *text,
				 bool *ret)
{
	struct expr *x;
	struct run r = {.e = e, .text = text};
	struct dbg_error *err = expr_parse(text, e->arena, &x);
	return err ? err : run_truth(&r, x, ret);
}

struct dbg_error *eval_check(const char *text)
{
	struct expr *x;
	struct arena *arena = arena_create();
	struct dbg_error *err = expr_parse(text, arena, &x);
	if (!err && x->kind == EXPR_ASSIGN)
		err = eval_misplaced();
	arena_destroy(arena);
	return err;
}
