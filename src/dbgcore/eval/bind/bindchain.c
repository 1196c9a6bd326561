/*
 * Conditional access: `a?.b.c` is the rest of the chain on what `a` is, in a
 * variable of its own, or null.
 */
#include "eval/bind/bindchain.h"

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindop.h"
#include "eval/overload/conversion.h"

/* The next node of the chain that ends in @x, from there on, with a ?. */
static const struct expr *next_condition(const struct expr *x)
{
	while (x && (x->kind == EXPR_MEMBER || x->kind == EXPR_INDEX ||
		     x->kind == EXPR_CALL || x->kind == EXPR_SUPPRESS)) {
		if (x->conditional)
			return x;
		// what is in parentheses is a chain of its own
		x = x->a && x->a->parens ? NULL : x->a;
	}
	return NULL;
}

/* The node of the chain that ends in @x at which it may end early. */
static const struct expr *condition_of(const struct expr *x)
{
	const struct expr *found = NULL;
	if (x->kind == EXPR_ASSIGN)
		x = x->a;
	while ((x = next_condition(x))) {
		found = x;
		x = x->a && x->a->parens ? NULL : x->a;
	}
	return found;
}

const struct expr *bind_asked(const struct expr *x)
{
	const struct expr *last = next_condition(x);
	return last ? last->a : NULL;
}

bool bind_is_conditional(const struct expr *x)
{
	return condition_of(x) != NULL;
}

const struct expr *bind_unconditional(struct binder *b, const struct expr *x)
{
	if (!condition_of(x))
		return x;
	struct expr *copy = arena_copy(b->arena, x, 1, sizeof(*x));
	copy->conditional = false;
	copy->a = (struct expr *)(uintptr_t)bind_unconditional(b, x->a);
	return copy;
}

/* @x again, with the part @from of its chain replaced by the name of @var. */
static struct expr *chain_replace(struct binder *b, const struct expr *x,
				  const struct expr *from,
				  struct bound_var *var)
{
	struct expr *copy = arena_copy(b->arena, x, 1, sizeof(*x));
	if (x == from) {
		struct expr *name =
		    arena_copy(b->arena, x->a, 1, sizeof(*name));
		name->kind = EXPR_NAME;
		name->name = var->name;
		name->n_args = 0;
		copy->conditional = false;
		copy->a = name;
	} else {
		copy->a = chain_replace(b, x->a, from, var);
	}
	return copy;
}

/*
 * Bind the test whether @v, of a reference type or a Nullable<T>, is not null,
 * and the value that it has then (of type T). Fails if the type has no null.
 */
static struct dbg_error *bind_null_test(struct binder *b, struct bound *v,
					struct bound **ret_test,
					struct bound **ret_value)
{
	const struct expr *x = v->syntax;
	struct type *type = v->type;
	if (type->is_reference) {
		struct bound *null = bound_make(b, BOUND_DEFAULT, type, x);
		*ret_value = v;
		*ret_test =
		    bound_make(b, BOUND_BINARY, bind_prim(b, ELEM_BOOLEAN), x);
		(*ret_test)->op = OP_NOT_EQUAL;
		(*ret_test)->a = v;
		(*ret_test)->b = null;
		return NULL;
	}
	if (type->special != TYPE_SPECIAL_NULLABLE)
		return bind_error(b, x, "'%s' cannot be null",
				  type_name(b->ts, type));
	struct type_method *has =
	    type_method_named(b->ts, type, "get_HasValue", 0);
	struct type_method *get =
	    type_method_named(b->ts, type, "GetValueOrDefault", 0);
	if (!has || !get)
		return dbg_err(DBG_E_RUNTIME, "'%s' has no value",
			       type_name(b->ts, type));
	struct bound *self = bind_receiver(b, v, has->owner);
	*ret_test = bound_call(b, has, &self, 1, bind_prim(b, ELEM_BOOLEAN), x);
	*ret_value = bound_call(b, get, &self, 1, type->args[0], x);
	return NULL;
}

/* The result, which may also be null. */
static struct type *nullable_type(struct binder *b, struct type *type)
{
	return type->is_value && type->special != TYPE_SPECIAL_NULLABLE
		   ? type_nullable(b->ts, type)
		   : type;
}

struct dbg_error *bind_conditional(struct binder *b, const struct expr *x,
				   struct bound **ret)
{
	const struct expr *from = condition_of(x);
	struct bound *of, *test = NULL, *content = NULL, *result;
	struct dbg_error *err = bind_value(b, from->a, &of);
	// what is dynamic, or of a T, is a value now, which is never null
	bool value = !err && of->type->is_value && !bound_is_nullable(of);
	if (!err && of->dynamic && bind_is_null(b, of)) {
		*ret = bound_make(b, BOUND_DEFAULT, of->type, x);
		return NULL;
	}
	if (value && of->dynamic)
		return bind_any(b, bind_unconditional(b, x), ret);
	if (value && numeric_is_argument(b, of->type)) {
		err = bind_value(b, bind_unconditional(b, x), ret);
		return err ? err
			   : convert(b, *ret, nullable_type(b, (*ret)->type),
				     ret);
	}
	if (err)
		return err;
	struct bound *saved = bound_local(b, of->type, from->a);
	struct bound *store = bound_make(b, BOUND_STORE, of->type, from->a);
	store->a = saved;
	store->b = of;
	err = bind_null_test(b, saved, &test, &content);
	if (err)
		return err;
	struct bound *inner = bound_local(b, content->type, from->a);
	inner->var->name = arena_printf(b->arena, "?%u", b->steps);
	struct name_scope scope = {.outer = b->names, .var = inner->var};
	b->names = &scope;
	err = bind_operand(b, chain_replace(b, x, from, inner->var), &result);
	if (!err && !result->type)
		err = bind_error(b, x, "'%s' has no value", bind_source(b, x));
	b->names = scope.outer;
	if (err)
		return err;
	struct bound *effect = bound_make(b, BOUND_EFFECT, result->type, x);
	struct bound *keep = bound_make(b, BOUND_STORE, content->type, x);
	keep->a = inner;
	keep->b = content;
	effect->list = arena_copy(b->arena, &keep, 1, sizeof(keep));
	effect->n_list = 1;
	effect->a = result;
	struct type *type = nullable_type(b, result->type);
	err = convert(b, effect, type, &effect);
	if (err)
		return err;
	struct bound *choice = bound_choice(
	    b, test, effect, bound_make(b, BOUND_DEFAULT, type, x));
	*ret = bound_make(b, BOUND_EFFECT, type, x);
	(*ret)->list = arena_copy(b->arena, &store, 1, sizeof(store));
	(*ret)->n_list = 1;
	(*ret)->a = choice;
	return NULL;
}
