/* Unary operators (ECMA-334, 12.9). */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindassign.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindmetaobject.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindrange.h"
#include "eval/bind/conversion.h"
#include "eval/syntax/token.h"

static struct dbg_error *negative(struct binder *b, const struct expr *x,
				  struct bound *v, struct bound **ret)
{
	if (v->kind == BOUND_CONST && v->constant) {
		*ret = arena_copy(b->arena, v, 1, sizeof(*v));
		(*ret)->integer = (int64_t)(0 - (uint64_t)v->integer);
		(*ret)->real = -v->real;
		(*ret)->syntax = x;
		return NULL;
	}
	if (b->checked && v->type->elem != ELEM_R4 &&
	    v->type->elem != ELEM_R8) {
		*ret =
		    bound_binary(b, OP_SUBTRACT,
				 bound_int(b, v->type->elem, 0, x), v, v->type);
		(*ret)->checked = true;
		return NULL;
	}
	*ret = bound_make(b, BOUND_UNARY, v->type, x);
	(*ret)->op = OP_MINUS;
	(*ret)->a = v;
	return NULL;
}

/* -2147483648 is an int, and the least long one a long (6.4.5.3). */
static struct bound *least_integer(struct binder *b, const struct expr *x)
{
	const struct token *t = x->a->token;
	if (x->op != OP_MINUS || x->a->kind != EXPR_LITERAL || x->a->parens ||
	    t->kind != TOKEN_INTEGER || b->text[t->start] == '0' ||
	    strpbrk(bind_source(b, x->a), "uU"))
		return NULL;
	if (t->elem == ELEM_U4 && t->integer == (uint64_t)INT32_MAX + 1)
		return bound_int(b, ELEM_I4, INT32_MIN, x);
	if (t->elem == ELEM_U8 && t->integer == (uint64_t)INT64_MAX + 1)
		return bound_int(b, ELEM_I8, INT64_MIN, x);
	return NULL;
}

/* A nullable operand: null if it is, else of its value. */
static struct dbg_error *lifted_unary(struct binder *b, struct bound *v,
				      const struct expr *x, struct bound **ret)
{
	struct bound *store, *test, *value;
	struct expr *copy = arena_copy(b->arena, x, 1, sizeof(*x));
	v = bound_keep(b, v, &store);
	struct dbg_error *err = bound_open(b, v, &test, &value);
	if (err)
		return err;
	struct bound *kept;
	copy->a = made_keep(b, value, &kept);
	err = bind_unary(b, copy, ret);
	if (err)
		return err;
	struct type *type = type_nullable(b->ts, (*ret)->type);
	*ret = bound_after(b, &kept, 1, *ret);
	err = convert(b, *ret, type, ret);
	if (!err)
		*ret = bound_after(
		    b, &store, 1,
		    bound_choice(b, test, *ret,
				 bound_make(b, BOUND_DEFAULT, type, x)));
	return err;
}

/* Has C# the operator for numbers and enums of this type (12.9)? */
static bool is_predefined(enum op op, const struct bound *v)
{
	if (!v->type)
		return false;
	bool real = v->type->elem == ELEM_R4 || v->type->elem == ELEM_R8;
	if (op == OP_COMPLEMENT)
		return v->type->kind == TYPE_KIND_ENUM ||
		       (type_is_numeric(v->type) && !real);
	return type_is_numeric(v->type);
}

static struct dbg_error *no_operator(struct binder *b, const struct expr *x,
				     const struct bound *v)
{
	return dbg_err_cs(23,
			  bind_error(b, x, "no operator '%s' for '%s'",
				     op_text(x->op), bound_operand_name(b, v)));
}

/* One of an extension block, where the language has none for the type. */
static struct dbg_error *extended(struct binder *b, const struct expr *x,
				  struct bound *v, struct bound **ret)
{
	struct dbg_error *err =
	    bind_extension_operator(b, x->op, v, NULL, x, ret);
	return err || *ret ? err : no_operator(b, x, v);
}

static struct dbg_error *negation(struct binder *b, const struct expr *x,
				  struct bound *v, struct bound **ret)
{
	struct type *type = bind_prim(b, ELEM_BOOLEAN);
	if (!conversion_find(b, v, type))
		return extended(b, x, v, ret);
	struct dbg_error *err = convert(b, v, type, &v);
	if (!err)
		*ret = bound_not(b, v);
	return err;
}

struct dbg_error *bind_unary(struct binder *b, const struct expr *x,
			     struct bound **ret)
{
	struct bound *v;
	if (x->op == OP_ADDRESS || x->op == OP_DEREFERENCE)
		return bind_pointer(b, x, ret);
	if (x->op == OP_INCREMENT || x->op == OP_DECREMENT)
		return bind_step(b, x, ret);
	if (x->op == OP_FROM_END)
		return bind_from_end(b, x, ret);
	*ret = least_integer(b, x);
	if (*ret)
		return NULL;
	struct dbg_error *err = bind_operand(b, x->a, &v);
	if (!err && bound_is_nullable(v))
		return lifted_unary(b, v, x, ret);
	if (!err)
		err = bind_user_operator(b, x->op, v, NULL, x, ret);
	if (err || *ret)
		return err;
	struct type *operand = operator_operand_type(b, x->op, v, NULL);
	if (operand) {
		err = convert(b, v, operand, &v);
		if (!err)
			err = bind_user_operator(b, x->op, v, NULL, x, ret);
		if (err || *ret)
			return err;
	}
	err = metaobject_operator(b, x->op, v, NULL, x, ret);
	if (err || *ret)
		return err;
	if (x->op == OP_NOT)
		return negation(b, x, v, ret);
	if (!is_predefined(x->op, v))
		return extended(b, x, v, ret);
	bool bits = v->type->kind == TYPE_KIND_ENUM;
	// 12.4.7.2: what is smaller than int becomes int, no uint is negated
	enum elem elem = numeric_promote(v->type->elem, v->type->elem);
	if (x->op == OP_MINUS && v->type->elem == ELEM_U4)
		elem = ELEM_I8;
	err = numeric_check(b, v);
	if (!err && !bits)
		err = convert_cast(b, v, bind_prim(b, elem), &v);
	if (err || x->op == OP_PLUS) {
		*ret = v;
		return err;
	}
	if (x->op == OP_MINUS)
		return negative(b, x, v, ret);
	*ret = bound_make(b, BOUND_UNARY, v->type, x);
	(*ret)->op = OP_COMPLEMENT;
	(*ret)->a = v;
	return NULL;
}
