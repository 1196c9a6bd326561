/*
 * Ways in: a text becomes a tree, which the binder makes an expression of C#
 * and evaluates.
 */
#include "eval/eval.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bind.h"
#include "eval/statement/binddeclare.h"
#include "eval/evalcall.h"
#include "eval/lookup.h"
#include "eval/member.h"

/*
 * A copy of @e for one evaluation: trees and bound nodes are made in @scratch.
 */
static struct eval within(const struct eval *e, struct arena *scratch)
{
	struct eval own = *e;
	own.scratch = scratch;
	return own;
}

/*
 * Parse @text by @fn. An error as long as the core library is not loaded: every
 * expression needs its types.
 */
static struct dbg_error *parse_with(const struct eval *e, const char *text,
				    struct dbg_error *(*fn)(const char *,
							    struct arena *,
							    struct expr **),
				    struct expr **ret)
{
	struct dbg_error *err = fn(text, e->scratch, ret);
	if (!err && !type_of_elem(vm_types(e->vm), ELEM_OBJECT))
		err = dbg_err(DBG_E_STATE,
			      "System.Private.CoreLib.dll is not loaded yet");
	return err;
}

static struct dbg_error *parse(const struct eval *e, const char *text,
			       struct expr **ret)
{
	return parse_with(e, text, expr_parse, ret);
}

static void keep_names(const struct eval *e, struct value *v)
{
	const char **names =
	    arena_calloc(e->arena, v->n_names + 1, sizeof(*names));
	for (size_t i = 0; i < v->n_names; i++)
		if (v->names[i])
			names[i] = arena_strdup(e->arena, v->names[i]);
	v->names = names;
}

/*
 * Copy what a result shares with the text or with the binder's scratch memory
 * into e->arena.
 */
static void keep_texts(const struct eval *e, struct value *v)
{
	if (v->where == VALUE_TEXT)
		v->units = arena_copy(e->arena, v->units, v->n_units,
				      sizeof(*v->units));
	if (v->names)
		keep_names(e, v);
}

/* Parse @text and apply @bind (bind_evaluate or bind_value_type) to it. */
static struct dbg_error *
text_value(const struct eval *e, const char *text,
	   struct dbg_error *(*bind)(const struct eval *e, const char *text,
				     const struct expr *x, struct value *ret),
	   struct value *ret)
{
	struct expr *x;
	_cleanup_arena_ struct arena *scratch = arena_create();
	const struct eval own = within(e, scratch);
	struct dbg_error *err = parse(&own, text, &x);
	if (!err)
		err = bind(&own, text, x, ret);
	if (!err)
		keep_texts(e, ret);
	return err;
}

struct dbg_error *eval_value(const struct eval *e, const char *text,
			     struct value *ret)
{
	return text_value(e, text, bind_evaluate, ret);
}

struct dbg_error *eval_value_type(const struct eval *e, const char *text,
				  struct value *ret)
{
	return text_value(e, text, bind_value_type, ret);
}

struct dbg_error *eval_bind(const struct eval *e, const char *text)
{
	struct expr *x;
	_cleanup_arena_ struct arena *scratch = arena_create();
	const struct eval own = within(e, scratch);
	struct dbg_error *err = parse(&own, text, &x);
	return err ? err : bind_check(&own, text, x);
}

struct dbg_error *eval_assign(const struct eval *e, const char *target,
			      const char *value, struct value *ret)
{
	struct expr *x, *v;
	_cleanup_arena_ struct arena *scratch = arena_create();
	const struct eval own = within(e, scratch);
	struct dbg_error *err = parse(&own, target, &x);
	if (!err)
		err = parse(&own, value, &v);
	if (err)
		return err;
	const struct bind_assignment a = {
	    .text = target, .target = x, .value_text = value, .value = v};
	err = bind_assign(&own, &a, ret);
	if (!err)
		keep_texts(e, ret);
	return err;
}

bool eval_is_assignable(const struct eval *e, const char *text)
{
	struct expr *x;
	_cleanup_arena_ struct arena *scratch = arena_create();
	const struct eval own = within(e, scratch);
	return !dbg_err_drop(parse(&own, text, &x)) &&
	       bind_is_assignable(&own, text, x);
}

static bool is_step(const struct expr *x)
{
	return (x->kind == EXPR_UNARY || x->kind == EXPR_POSTFIX) &&
	       (x->op == OP_INCREMENT || x->op == OP_DECREMENT);
}

/* Copy the value as it is now, if there is room for it. */
static void keep(const struct eval *e, struct value *v)
{
	uint8_t bytes[sizeof(v->bytes)];
	if (v->type && v->type->kind == TYPE_KIND_BYREF)
		*v = value_target(e->values, v);
	if (v->where == VALUE_MEMORY && type_size(v->type) <= sizeof(bytes) &&
	    value_read(e->values, v, 0, bytes, type_size(v->type)))
		*v = value_bytes(v->type, bytes, type_size(v->type));
}

/*
 * Evaluate `x++` or `x--`: assigns as `x += 1` does, but its value is what x
 * was before.
 */
static struct dbg_error *
increment_evaluate(const struct eval *e, const char *text, const struct expr *x,
		   struct value *ret, struct value *ret_place)
{
	struct value old, new = {0};
	struct expr *one;
	struct dbg_error *err = parse(e, "1", &one);
	bool is_kept = !err && evalcall_kept(e, EVAL_FOUND_OLD, &old);
	if (!err && !is_kept)
		err = bind_evaluate(e, text, x->a, &old);
	if (err)
		return err;
	if (!is_kept) {
		keep(e, &old);
		evalcall_keep(e, EVAL_FOUND_OLD, &old);
	}
	// it stands nowhere in the text: errors quote all of it
	one->start = x->start;
	one->end = x->end;
	const struct bind_assignment a = {
	    .text = text,
	    .target = x->a,
	    .op = x->op == OP_INCREMENT ? OP_ADD : OP_SUBTRACT,
	    .value_text = text,
	    .value = one,
	    .old = &old,
	    .assigned = &new};
	err = bind_assign(e, &a, ret_place);
	*ret = x->kind == EXPR_POSTFIX ? old : new.type ? new : *ret_place;
	return err;
}

/* Is it null, or a Nullable<T> without a value? */
static bool is_nothing(const struct eval *e, const struct value *v)
{
	bool null = false;
	if (v->where == VALUE_TEXT || !v->type)
		return false;
	if (v->type->special == TYPE_SPECIAL_NULLABLE)
		member_unwrap(e->values, v, &null);
	return null || value_is_null(e->values, v);
}

/*
 * Evaluate `a ??= b`: a is read once. That it was null is kept over calls,
 * which may change it.
 */
static struct dbg_error *coalesce(const struct eval *e, const char *text,
				  const struct expr *x, struct value *ret,
				  struct value *ret_place, bool *ret_assigned)
{
	struct value was, yes;
	struct expr *t;
	struct dbg_error *err = NULL;
	struct value new = {0};
	const struct bind_assignment a = {.text = text,
					  .target = x->a,
					  .value_text = text,
					  .value = x->b,
					  .assigned = &new};
	if (!evalcall_kept(e, EVAL_FOUND_NULL, &yes)) {
		err = bind_coalesce_check(e, &a);
		if (!err)
			err = bind_evaluate(e, text, x->a, &was);
		if (!err && was.type && was.type->kind == TYPE_KIND_BYREF)
			was = value_target(e->values, &was);
		if (!err && !is_nothing(e, &was)) {
			*ret_assigned = false;
			*ret = was;
			return NULL;
		}
		if (!err)
			err = parse(e, "true", &t);
		if (!err)
			err = bind_evaluate(e, "true", t, &yes);
		if (!err)
			evalcall_keep(e, EVAL_FOUND_NULL, &yes);
	}
	if (err)
		return err;
	err = bind_assign(e, &a, ret_place);
	*ret = new.type ? new : *ret_place;
	return err;
}

static struct dbg_error *assign(const struct eval *e, const char *text,
				const struct expr *x, struct value *ret,
				struct value *ret_place)
{
	struct value new = {0};
	const struct bind_assignment a = {.text = text,
					  .target = x->a,
					  .op = x->op,
					  .value_text = text,
					  .value = x->b,
					  .assigned = &new};
	bool is_chain = x->op == OP_NONE && x->b->kind == EXPR_ASSIGN &&
			x->b->op == OP_NONE;
	struct dbg_error *err = is_chain
				    ? bind_assign_chain(e, text, x, ret_place)
				    : bind_assign(e, &a, ret_place);
	*ret = new.type ? new : *ret_place;
	return err;
}

/* The result of an assignment that is not carried out (`?.` on null): null. */
static struct dbg_error *skipped(const struct eval *e, struct value *ret)
{
	struct expr *null;
	struct dbg_error *err = parse(e, "null", &null);
	return err ? err : bind_evaluate(e, "null", null, ret);
}

static struct dbg_error *statement(const struct eval *e, const char *text,
				   struct value *ret, struct value *ret_place,
				   bool *ret_assigned)
{
	struct expr *x;
	struct dbg_error *err = parse_with(e, text, expr_parse_statement, &x);
	if (err)
		return err;
	*ret_assigned = declare_is(x);
	if (*ret_assigned) {
		err = bind_declare(e, text, x, ret);
		*ret_place = *ret;
		return err;
	}
	*ret_assigned = x->kind == EXPR_ASSIGN || is_step(x);
	if (!*ret_assigned)
		return bind_evaluate(e, text, x, ret);
	if (is_step(x))
		return increment_evaluate(e, text, x, ret, ret_place);
	bool skips;
	err = bind_assign_skips(e, text, x->a, &skips);
	if (err)
		return err;
	*ret_assigned = !skips;
	if (skips)
		return skipped(e, ret);
	if (x->op == OP_COALESCE)
		return coalesce(e, text, x, ret, ret_place, ret_assigned);
	return assign(e, text, x, ret, ret_place);
}

struct dbg_error *eval_statement(const struct eval *e, const char *text,
				 struct value *ret, struct value *ret_place,
				 bool *ret_assigned)
{
	_cleanup_arena_ struct arena *scratch = arena_create();
	struct eval own = within(e, scratch);
	own.declares = true;
	struct dbg_error *err =
	    statement(&own, text, ret, ret_place, ret_assigned);
	if (!err)
		keep_texts(e, ret);
	if (!err && *ret_assigned)
		keep_texts(e, ret_place);
	return err;
}

struct type *eval_type(const struct eval *e, const char *text)
{
	struct expr *t;
	struct type *type = NULL;
	_cleanup_arena_ struct arena *scratch = arena_create();
	const struct eval own = within(e, scratch);
	struct dbg_error *err = expr_parse_type(text, scratch, &t);
	if (!err)
		err = lookup_type(&own, t, &type);
	dbg_error_destroy(err);
	return type;
}

struct dbg_error *eval_condition(const struct eval *e, const char *text,
				 bool *ret)
{
	struct expr *x;
	_cleanup_arena_ struct arena *scratch = arena_create();
	const struct eval own = within(e, scratch);
	struct dbg_error *err = parse(&own, text, &x);
	return err ? err : bind_condition(&own, text, x, ret);
}

struct dbg_error *eval_bind_condition(const struct eval *e, const char *text)
{
	struct expr *x;
	_cleanup_arena_ struct arena *scratch = arena_create();
	const struct eval own = within(e, scratch);
	struct dbg_error *err = parse(&own, text, &x);
	return err ? err : bind_check_condition(&own, text, x);
}

struct dbg_error *eval_misplaced(void)
{
	return dbg_err(DBG_E_ARGUMENT,
		       "an assignment cannot stand here ('==' compares)");
}

struct dbg_error *eval_check(const char *text)
{
	struct expr *x;
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err = expr_parse(text, arena, &x);
	if (!err && (x->kind == EXPR_ASSIGN || is_step(x)))
		err = eval_misplaced();
	return err;
}
