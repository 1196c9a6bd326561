/*
 * Unions (C# 15, "Unions" of csharplang): a type with the attribute Union holds
 * one of several cases in its property Value. Each public constructor with one
 * parameter is a case, and a conversion from the parameter's type; patterns
 * look at Value, all but `var`, `_` and those that only join others.
 */
#include "eval/bind/bindunion.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindpattern.h"
#include "eval/overload/conversion.h"

enum {
	ACCESS_MASK = 7, /* MethodAttributes, II.23.1.10 */
	ACCESS_PUBLIC = 6,
};

#define UNION "System.Runtime.CompilerServices.UnionAttribute"

static bool is_union(const struct type *type)
{
	return type && type->module &&
	       (type->kind == TYPE_KIND_STRUCT ||
		type->kind == TYPE_KIND_CLASS) &&
	       type_attribute(type, UNION, NULL);
}

/* ---- Conversions ------------------------------------------------------- */

/* Is the case @x rather to be taken than @y: does it convert to that one? */
static bool is_better(struct binder *b, struct type *x, struct type *y)
{
	return conversion_of_types(b, x, y) != CONVERSION_NONE;
}

/* The constructor whose parameter is @from, else one that it converts to. */
static struct type_method *case_of(struct binder *b, struct type *in,
				   struct type *from, struct type **ret)
{
	struct type_method *const *all;
	struct type_method *found = NULL;
	size_t n;
	*ret = NULL;
	type_methods(b->ts, in, &all, &n);
	for (size_t i = 0; i < n; i++) {
		const struct type_sig *sig;
		if (strcmp(all[i]->name, ".ctor") ||
		    (all[i]->flags & ACCESS_MASK) != ACCESS_PUBLIC ||
		    dbg_err_drop(type_method_sig(b->ts, all[i], &sig)) ||
		    sig->n_params != 1)
			continue;
		struct type *of = sig->params[0];
		if (of != from &&
		    conversion_of_types(b, from, of) == CONVERSION_NONE)
			continue;
		if (found && of != from && !is_better(b, of, *ret))
			continue;
		found = all[i];
		*ret = of;
		if (of == from)
			break;
	}
	return found;
}

struct dbg_error *union_convert(struct binder *b, struct bound *v,
				struct type *to, struct bound **ret)
{
	struct type *in = to, *of;
	struct bound *arg;
	*ret = NULL;
	if (to->special == TYPE_SPECIAL_NULLABLE)
		in = to->args[0];
	if (!v->type || v->type == in || !is_union(in))
		return NULL;
	struct type_method *ctor = case_of(b, in, v->type, &of);
	if (!ctor)
		return NULL;
	struct dbg_error *err = convert(b, v, of, &arg);
	if (err)
		return err;
	struct bound *made = bound_make(b, BOUND_NEW, in, v->syntax);
	made->method = ctor;
	made->list = arena_copy(b->arena, &arg, 1, sizeof(arg));
	made->n_list = 1;
	*ret = made;
	return in == to ? NULL : convert(b, made, to, ret);
}

/* ---- Patterns ---------------------------------------------------------- */

static struct dbg_error *value_of(struct binder *b, struct bound *v,
				  const struct expr *x, struct bound **ret)
{
	struct type_method *get =
	    type_method_named(b->ts, v->type, "get_Value", 0);
	struct bound *self = v;
	if (!get)
		return bind_error(b, x, "the union '%s' has no Value",
				  type_name(b->ts, v->type));
	if (v->type->is_value) {
		self =
		    bound_make(b, BOUND_ADDRESS, type_byref(b->ts, v->type), x);
		self->a = v;
	}
	*ret = bound_call(b, get, &self, 1, bind_prim(b, ELEM_OBJECT), x);
	return NULL;
}

struct dbg_error *union_content(struct binder *b, struct bound *v,
				const struct expr *x, struct bound **ret)
{
	struct bound *has = NULL, *inner = v;
	struct type *object = bind_prim(b, ELEM_OBJECT);
	struct dbg_error *err = NULL;
	*ret = v;
	if (!v->type)
		return NULL;
	if (v->type->special == TYPE_SPECIAL_NULLABLE) {
		if (!is_union(v->type->args[0]))
			return NULL;
		err = bound_open(b, v, &has, &inner);
	} else if (!is_union(v->type)) {
		return NULL;
	} else if (v->type->is_reference) {
		has =
		    bound_make(b, BOUND_BINARY, bind_prim(b, ELEM_BOOLEAN), x);
		has->op = OP_NOT_EQUAL;
		has->a = v;
		has->b = bound_make(b, BOUND_DEFAULT, object, x);
	}
	if (!err)
		err = value_of(b, inner, x, ret);
	if (!err && has)
		*ret = bound_choice(b, has, *ret,
				    bound_make(b, BOUND_DEFAULT, object, x));
	return err;
}
