/*
 * Which of two overloads is the better one (ECMA-334, 12.6.4.3 to 12.6.4.7),
 * and which one a receiver is good for.
 */
#include <string.h>

#include "base/err.h"
#include "eval/bind/bindlambda.h"
#include "eval/bind/bindcollection.h"
#include "eval/bind/bindtree.h"
#include "eval/bind/conversion.h"
#include "eval/bind/overload.h"

static bool converts(struct binder *b, struct type *from, struct type *to)
{
	const struct bound v = {.kind = BOUND_DEFAULT, .type = from};
	return conversion_find(b, &v, to) != CONVERSION_NONE;
}

/* 1: @x is the better type for a value than @y, -1: the worse (12.6.4.7). */
static int better_type(struct binder *b, struct type *x, struct type *y)
{
	static const enum elem is_signed[] = {ELEM_I1, ELEM_I2, ELEM_I4,
					      ELEM_I8};
	bool to_y = converts(b, x, y), to_x = converts(b, y, x);
	if (x == y)
		return 0;
	if (to_y != to_x)
		return to_y ? 1 : -1;
	int sx = 0, sy = 0;
	for (size_t i = 0; i < 4; i++) {
		sx |= x->elem == is_signed[i];
		sy |= y->elem == is_signed[i];
	}
	return type_is_numeric(x) && type_is_numeric(y) ? sx - sy : 0;
}

static struct type *return_of(struct binder *b, struct type *type,
			      const struct type_sig **ret_sig)
{
	struct type_method *m = type_method_invoke(b->ts, tree_delegate(type));
	return m && !dbg_err_drop(type_method_sig(b->ts, m, ret_sig))
		   ? (*ret_sig)->ret
		   : NULL;
}

/* Delegates for a lambda: the one that returns what its body is. */
static int better_delegate(struct binder *b, const struct bound *v,
			   struct type *x, struct type *y)
{
	const struct type_sig *sig, *other;
	struct bound_lambda *lambda;
	struct type *body;
	struct type *rx = return_of(b, x, &sig);
	struct type *ry = return_of(b, y, &other);
	if (!rx || !ry || rx == ry ||
	    !lambda_bind(b, v->syntax, sig->params, sig->n_params, &lambda,
			 &body))
		return 0;
	if (rx->elem == ELEM_VOID || ry->elem == ELEM_VOID)
		return ry->elem == ELEM_VOID ? 1 : -1;
	if (body && (rx == body || ry == body))
		return rx == body ? 1 : -1;
	return better_type(b, rx, ry);
}

static int better_conversion(struct binder *b, const struct bound *v,
			     struct type *x, struct type *y);

/* By the elements, then a span before an array or interface (C# 13). */
static int better_collection(struct binder *b, const struct bound *v,
			     struct type *x, struct type *y)
{
	struct type *ex = collection_element(b, x);
	struct type *ey = collection_element(b, y);
	bool wins = false, loses = false;
	for (size_t i = 0; ex && ey && i < v->n_list; i++) {
		int r = better_conversion(b, v->list[i], ex, ey);
		wins = wins || r > 0;
		loses = loses || r < 0;
	}
	if (wins != loses)
		return wins ? 1 : -1;
	if (wins)
		return 0;
	bool span_x = x->kind == TYPE_KIND_STRUCT;
	bool span_y = y->kind == TYPE_KIND_STRUCT;
	if (span_x != span_y)
		return span_x ? 1 : -1;
	return better_type(b, x, y);
}

/* A span before what is none, and one that is read only first (C# 14). */
static int better_span(const struct type *x, const struct type *y)
{
	bool span_x = collection_is_span(x), span_y = collection_is_span(y);
	if (span_x && span_y) {
		int order = strcmp(type_simple_name(y), type_simple_name(x));
		return (order > 0) - (order < 0);
	}
	return (int)span_x - (int)span_y;
}

/* Of the same type, by value before by `in`. */
static int better_by_value(const struct type *x, const struct type *y)
{
	return (x->kind != TYPE_KIND_BYREF) - (y->kind != TYPE_KIND_BYREF);
}

static int better_conversion(struct binder *b, const struct bound *v,
			     struct type *x, struct type *y)
{
	int by_value = better_by_value(x, y);
	if (by_value) {
		x = x->kind == TYPE_KIND_BYREF ? x->inner : x;
		y = y->kind == TYPE_KIND_BYREF ? y->inner : y;
	}
	if (x == y)
		return by_value;
	if (v->kind == BOUND_UNTYPED && v->syntax->kind == EXPR_LAMBDA)
		return better_delegate(b, v, x, y);
	if (v->type && (v->type == x || v->type == y))
		return v->type == x ? 1 : -1;
	if (v->kind == BOUND_UNTYPED && v->syntax->kind == EXPR_COLLECTION)
		return better_collection(b, v, x, y);
	bool has_span = v->type && (v->type->elem == ELEM_SZARRAY ||
				    v->type->special == TYPE_SPECIAL_STRING ||
				    collection_is_span(v->type));
	int span = has_span ? better_span(x, y) : 0;
	return span ? span : better_type(b, x, y);
}

static struct type *param_of(const struct candidate *k, size_t arg)
{
	size_t n = k->sig->n_params;
	for (size_t p = 0; p < n; p++) {
		if (k->map[p] == (int)arg)
			return k->sig->params[p];
	}
	return call_params_element(k->sig);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int special_types(struct type *const *x, struct type *const *y,
			 size_t n);

/* List<T> is more special than T, and int than T (12.6.4.3). */
static int special_type(const struct type *x, const struct type *y)
{
	bool px = x->kind == TYPE_KIND_MVAR || x->kind == TYPE_KIND_VAR;
	bool py = y->kind == TYPE_KIND_MVAR || y->kind == TYPE_KIND_VAR;
	if (px || py)
		return (int)py - (int)px;
	if (x->inner && y->inner)
		return special_type(x->inner, y->inner);
	return special_types(x->args, y->args, least(x->n_args, y->n_args));
}

/* The one that is more special in some types and less in none. */
static int special_types(struct type *const *x, struct type *const *y, size_t n)
{
	int found = 0;
	for (size_t i = 0; i < n; i++) {
		int r = special_type(x[i], y[i]);
		if (r && found && r != found)
			return 0;
		found = r ? r : found;
	}
	return found;
}

static int more_special(const struct call *c, const struct candidate *x,
			const struct candidate *y)
{
	size_t n = least(x->open->n_params, y->open->n_params);
	return special_types(x->open->params, y->open->params, least(n, c->n));
}

/* A params span goes before a params array (C# 13). */
static int better_params(const struct candidate *x, const struct candidate *y)
{
	if (!x->expanded)
		return 0;
	bool ax = x->sig->params[x->sig->n_params - 1]->elem == ELEM_SZARRAY;
	bool ay = y->sig->params[y->sig->n_params - 1]->elem == ELEM_SZARRAY;
	return (int)ay - (int)ax;
}

int call_better(struct binder *b, const struct call *c,
		const struct candidate *x, const struct candidate *y)
{
	bool wins = false, loses = false;
	for (size_t i = 0; i < c->n; i++) {
		int r = better_conversion(b, c->args[i], param_of(x, i),
					  param_of(y, i));
		wins = wins || r > 0;
		loses = loses || r < 0;
	}
	if (wins != loses)
		return wins ? 1 : -1;
	if (wins)
		return 0;
	if (x->generic != y->generic)
		return y->generic ? 1 : -1;
	if (x->expanded != y->expanded)
		return y->expanded ? 1 : -1;
	int special = more_special(c, x, y);
	if (special)
		return special;
	// Optional parameters that were not given make it worse.
	if (x->sig->n_params != y->sig->n_params)
		return x->sig->n_params < y->sig->n_params ? 1 : -1;
	return better_params(x, y);
}

bool call_receiver_fits(struct binder *b, const struct call *c, struct type *to)
{
	enum conversion how = conversion_find(b, c->receiver, to);
	if (c->by_span && collection_is_span(to))
		return how != CONVERSION_NONE;
	return how == CONVERSION_IDENTITY || how == CONVERSION_REFERENCE ||
	       how == CONVERSION_BOX;
}
