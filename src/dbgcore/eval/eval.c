/*
 * Ways in: a text becomes a tree, which the binder makes an expression of C#
 * and evaluates.
 */
#include "eval/eval.h"

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bind.h"
#include "eval/lookup.h"

/* All that an expression can be is of types of the core library. */
static struct dbg_error *parse(const struct eval *e, const char *text,
			       struct expr **ret)
{
	struct dbg_error *err = expr_parse(text, e->arena, ret);
	if (!err && !il_type_of_elem(vm_types(e->vm), ELEM_OBJECT))
		err = dbg_err(DBG_E_STATE,
			      "System.Private.CoreLib.dll is not loaded yet");
	return err;
}

struct dbg_error *eval_value(const struct eval *e, const char *text,
			     struct value *ret)
{
	struct expr *x;
	struct dbg_error *err = parse(e, text, &x);
	return err ? err : bind_evaluate(e, text, x, ret);
}

struct dbg_error *eval_assign(const struct eval *e, const char *target,
			      const char *value, struct value *ret)
{
	struct expr *x, *v;
	struct dbg_error *err = parse(e, target, &x);
	if (!err)
		err = parse(e, value, &v);
	if (err)
		return err;
	const struct bind_assignment a = {
	    .text = target, .target = x, .value_text = value, .value = v};
	return bind_assign(e, &a, ret);
}

struct dbg_error *eval_statement(const struct eval *e, const char *text,
				 struct value *ret, bool *ret_assigned)
{
	struct expr *x;
	struct dbg_error *err = parse(e, text, &x);
	if (err)
		return err;
	*ret_assigned = x->kind == EXPR_ASSIGN;
	if (!*ret_assigned)
		return bind_evaluate(e, text, x, ret);
	const struct bind_assignment a = {.text = text,
					  .target = x->a,
					  .op = x->op,
					  .value_text = text,
					  .value = x->b};
	return bind_assign(e, &a, ret);
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
	struct dbg_error *err = parse(e, text, &x);
	return err ? err : bind_condition(e, text, x, ret);
}

struct dbg_error *eval_misplaced(void)
{
	return dbg_err(DBG_E_ARGUMENT,
		       "an assignment cannot stand here ('==' compares)");
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
