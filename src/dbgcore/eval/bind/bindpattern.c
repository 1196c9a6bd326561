/*
 * Patterns bound: `is`, `as` and switch expressions (ECMA-334, 11.2). A pattern
 * becomes a bool expression over the value, which is kept in a variable of its
 * own, since it is looked at more than once.
 */
#include "eval/bind/bindpattern.h"
#include "eval/assign/bindassign.h"
#include "eval/bind/bindcollection.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindtuple.h"
#include "eval/overload/conversion.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Unions (C# 15, "Unions" of csharplang) ------------------------------ */

/*
 * A type with the attribute Union holds one of several cases in its property
 * Value. Each public constructor with one parameter is a case, and a conversion
 * from the parameter's type; patterns look at Value, all but `var`, `_` and
 * those that only join others.
 */

enum {
	ACCESS_MASK = 7, /* MethodAttributes, II.23.1.10 */
	ACCESS_PUBLIC = 6,
};

static bool is_union(const struct type *type)
{
	return type && type_is_union(type);
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

/* ---- Patterns over unions ------------------------------------------------ */

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

/*
 * What a pattern about a union (or a nullable one) is matched against: its
 * Value, of type object, null if there is no union. @v itself if it is no
 * union. It is put into a variable, since patterns read it more than once.
 */
static struct dbg_error *union_content(struct binder *b, struct bound *v,
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

/* ---- Patterns of shape ----------------------------------------------- */

/* Positional patterns and list patterns (ECMA-334, 11.2.5; C# 11). */

static struct dbg_error *pattern_names(struct binder *b, struct bound *v,
				       const struct expr *p,
				       struct bound **ret);

static struct dbg_error *pattern_present(struct binder *b, struct bound *v,
					 const struct expr *p,
					 struct bound **ret_test,
					 struct bound **ret_value);

/* Truth behind what has to be computed first. */
static struct bound *truth_after(struct binder *b, struct bound *before,
				 struct bound *test)
{
	return bound_after(b, &before, 1, test);
}

/* @v in a variable for the patterns in it, stored when that is met. */
static struct dbg_error *pattern_inside(struct binder *b, struct bound *v,
					const struct expr *p,
					struct bound **ret)
{
	if (bound_is_pure(v))
		return bind_pattern(b, v, p, ret);
	struct bound *local = bound_local(b, v->type, p);
	struct bound *store = bound_store(b, local, v);
	struct dbg_error *err = bind_pattern(b, local, p, ret);
	if (!err)
		*ret = truth_after(b, store, *ret);
	return err;
}

/* ---- Positional ------------------------------------------------------ */

/* The parts of a tuple literal are tested as they are. */
static struct dbg_error *parts_of(struct binder *b, struct bound *v, size_t n,
				  const struct expr *p, struct bound **ret,
				  struct bound **ret_before)
{
	if (n > TUPLE_MAX)
		return bind_error(b, p, "too many parts");
	return deconstruct_parts(b, v, n, p, ret, ret_before);
}

typedef struct dbg_error *part_fn(struct binder *b, struct bound *v,
				  const struct expr *p, struct bound **ret);

/*
 * Test each positional part of @v by @fn; *ret is true where all of them match.
 */
static struct dbg_error *all_parts(struct binder *b, struct bound *v,
				   const struct expr *p, part_fn *fn,
				   struct bound **ret)
{
	struct bound *parts[TUPLE_MAX], *before, *test;
	struct bound *all = pattern_truth(b, true, p);
	struct dbg_error *err = parts_of(b, v, p->n_list, p, parts, &before);
	for (size_t i = 0; !err && i < p->n_list; i++) {
		err = fn(b, parts[i], p->list[i], &test);
		if (!err)
			all = pattern_both(b, all, test);
	}
	if (!err)
		*ret = truth_after(b, before, all);
	return err;
}

static struct dbg_error *inner_part(struct binder *b, struct bound *v,
				    const struct expr *p, struct bound **ret)
{
	return pattern_inside(b, v, p->b, ret);
}

/* An object is asked by ITuple whether it is a tuple, and for its elements. */
static struct dbg_error *positional_object(struct binder *b, struct bound *v,
					   const struct expr *p,
					   struct bound **ret)
{
	struct type *type;
	struct bound *store, *local, *test;
	struct dbg_error *err =
	    bind_core(b, "System.Runtime.CompilerServices.ITuple", &type);
	if (err)
		return err;
	struct bound *as = bound_make(b, BOUND_AS, type, p);
	as->a = v;
	const struct expr *name = made_keep(b, as, &store);
	err = bind_value(b, name, &local);
	if (err)
		return err;
	struct bound *all = bound_binary(b, OP_NOT_EQUAL, local,
					 bound_make(b, BOUND_DEFAULT, type, p),
					 bind_prim(b, ELEM_BOOLEAN));
	err =
	    bind_value(b,
		       made_binary(b, OP_EQUAL, made_member(b, name, "Length"),
				   made_int(b, (int64_t)p->n_list, p)),
		       &test);
	for (size_t i = 0; !err && i < p->n_list; i++) {
		struct bound *part;
		all = pattern_both(b, all, test);
		err = bind_value(
		    b, made_index(b, name, made_int(b, (int64_t)i, p)), &part);
		if (!err)
			err = inner_part(b, part, p->list[i], &test);
	}
	if (!err)
		*ret = truth_after(b, store, pattern_both(b, all, test));
	return err;
}

/* (a, b) and [a, .., b] of a value that is not null. */
static struct dbg_error *pattern_positional(struct binder *b, struct bound *v,
					    const struct expr *p,
					    struct bound **ret)
{
	if (v->type->special == TYPE_SPECIAL_OBJECT)
		return positional_object(b, v, p, ret);
	return all_parts(b, v, p, inner_part, ret);
}

static struct dbg_error *name_part(struct binder *b, struct bound *v,
				   const struct expr *p, struct bound **ret)
{
	if (p->n_list)
		return pattern_names(b, v, p, ret);
	*ret = pattern_truth(b, true, p);
	if (!strcmp(p->name, "_"))
		return NULL;
	struct bound *store =
	    bound_store(b, declare_var(b, p->name, v->type, p), v);
	*ret = truth_after(b, store, *ret);
	return NULL;
}

/* The parts of @v against `var (a, b)`. */
static struct dbg_error *pattern_names(struct binder *b, struct bound *v,
				       const struct expr *p, struct bound **ret)
{
	struct bound *test;
	struct dbg_error *err = pattern_present(b, v, p, &test, &v);
	if (!err)
		err = all_parts(b, v, p, name_part, ret);
	if (!err)
		*ret = pattern_both(b, test, *ret);
	return err;
}

/* ---- Lists ----------------------------------------------------------- */

/* The value that a list pattern is matched against. */
struct sequence {
	const struct expr *of;
	const struct expr *length;
	size_t n;     /* patterns that are elements */
	size_t slice; /* index of `..`, n_list: there is none */
};

static struct dbg_error *list_element(struct binder *b,
				      const struct sequence *s,
				      const struct expr *p, size_t i,
				      struct bound **ret)
{
	struct bound *v;
	const struct expr *index = made_int(b, (int64_t)i, p);
	if (i > s->slice)
		index = made_binary(b, OP_SUBTRACT, s->length,
				    made_int(b, (int64_t)(s->n + 1 - i), p));
	struct dbg_error *err = bind_value(b, made_index(b, s->of, index), &v);
	return err ? err : pattern_inside(b, v, p->list[i], ret);
}

static struct dbg_error *middle(struct binder *b, const struct sequence *s,
				const struct expr *p, struct bound **ret)
{
	struct bound *v;
	const struct expr *inner = p->list[s->slice]->a;
	*ret = pattern_truth(b, true, p);
	if (!inner)
		return NULL;
	struct expr *range = made_node(b, EXPR_RANGE, p);
	struct expr *end = made_node(b, EXPR_UNARY, p);
	end->op = OP_FROM_END;
	end->a = made_int(b, (int64_t)(s->n - s->slice), p);
	range->a = made_int(b, (int64_t)s->slice, p);
	range->b = end;
	struct dbg_error *err = bind_value(b, made_index(b, s->of, range), &v);
	return err ? err : pattern_inside(b, v, inner, ret);
}

static bool has_length(struct binder *b, struct bound *of,
		       const struct expr *name)
{
	struct bound *found;
	return !dbg_err_drop(bind_member_of(
		   b, of, made_member(b, name, "Length"), &found)) &&
	       found->type;
}

/* (a, b) and [a, .., b] of a value that is not null. */
static struct dbg_error *pattern_list(struct binder *b, struct bound *v,
				      const struct expr *p, struct bound **ret)
{
	struct bound *store, *test;
	struct sequence s = {.of = made_keep(b, v, &store), .slice = p->n_list};
	for (size_t i = 0; i < p->n_list; i++) {
		if (p->list[i]->kind != PATTERN_SLICE)
			s.n++;
		else
			s.slice = i;
	}
	s.length = made_member(
	    b, s.of, has_length(b, store->a, s.of) ? "Length" : "Count");
	struct expr *count =
	    made_binary(b, s.slice < p->n_list ? OP_GREATER_EQUAL : OP_EQUAL,
			s.length, made_int(b, (int64_t)s.n, p));
	struct dbg_error *err = bind_value(b, count, ret);
	for (size_t i = 0; !err && i < p->n_list; i++) {
		err = i == s.slice ? middle(b, &s, p, &test)
				   : list_element(b, &s, p, i, &test);
		if (!err)
			*ret = pattern_both(b, *ret, test);
	}
	if (!err)
		*ret = truth_after(b, store, *ret);
	return err;
}

/* ---- Patterns -------------------------------------------------------- */

struct bound *pattern_truth(struct binder *b, bool value, const struct expr *x)
{
	return bound_int(b, ELEM_BOOLEAN, value, x);
}

struct bound *pattern_both(struct binder *b, struct bound *x, struct bound *y)
{
	return bound_choice(b, x, y, pattern_truth(b, false, x->syntax));
}

/* Bring a name into sight of what follows, and give it its value. */
static struct bound *declare(struct binder *b, struct bound *v,
			     const char *name, const struct expr *x)
{
	struct bound *local = bound_local(b, v->type, x);
	struct name_scope *scope = arena_alloc(b->arena, sizeof(*scope));
	local->var->name = name;
	local->var->written = x->type;
	scope->outer = b->names;
	scope->var = local->var;
	b->names = scope;
	struct bound *store = bound_make(b, BOUND_STORE, v->type, x);
	store->a = local;
	store->b = v;
	struct bound *done =
	    bound_make(b, BOUND_EFFECT, bind_prim(b, ELEM_BOOLEAN), x);
	done->list = arena_copy(b->arena, &store, 1, sizeof(store));
	done->n_list = 1;
	done->a = pattern_truth(b, true, x);
	return done;
}

/* Is the value of this type? And what it is as one. */
static struct dbg_error *type_test(struct binder *b, struct bound *v,
				   struct type *type, const struct expr *x,
				   struct bound **ret_test,
				   struct bound **ret_value)
{
	struct type *boolean = bind_prim(b, ELEM_BOOLEAN);
	struct bound *object = v;
	if (v->type == type && type->is_value) {
		*ret_test = pattern_truth(b, true, x);
		*ret_value = v;
		return NULL;
	}
	if (v->type->is_value) {
		object = bound_make(b, BOUND_BOX, v->type, x);
		object->a = v;
	}
	struct bound *as = bound_make(b, BOUND_AS, type, x);
	as->a = object;
	struct bound *null =
	    bound_make(b, BOUND_DEFAULT, bind_prim(b, ELEM_OBJECT), x);
	*ret_test = bound_make(b, BOUND_BINARY, boolean, x);
	(*ret_test)->op = OP_NOT_EQUAL;
	(*ret_test)->a = as;
	(*ret_test)->b = null;
	*ret_value =
	    bound_make(b, type->is_value ? BOUND_UNBOX : BOUND_CAST, type, x);
	(*ret_value)->a = object;
	return NULL;
}

/* Is @v, of a type that has null, not null? And what it is then. */
static struct dbg_error *pattern_present(struct binder *b, struct bound *v,
					 const struct expr *p,
					 struct bound **ret_test,
					 struct bound **ret_value)
{
	if (v->type->is_reference)
		return type_test(b, v, v->type, p, ret_test, ret_value);
	if (v->type->special == TYPE_SPECIAL_NULLABLE)
		return type_test(b, v, v->type->args[0], p, ret_test,
				 ret_value);
	*ret_test = pattern_truth(b, true, p);
	*ret_value = v;
	return NULL;
}

static struct dbg_error *of_type(struct binder *b, struct bound *v,
				 struct type *type, const struct expr *p,
				 struct bound **ret)
{
	struct bound *value;
	struct dbg_error *err = type_test(b, v, type, p, ret, &value);
	if (!err && p->name)
		*ret = pattern_both(b, *ret, declare(b, value, p->name, p));
	return err;
}

static struct dbg_error *null_pattern(struct binder *b, struct bound *v,
				      const struct expr *p, struct bound **ret)
{
	struct bound *null = bound_make(b, BOUND_NULL, NULL, p);
	if (v->type->is_value && v->type->special != TYPE_SPECIAL_NULLABLE) {
		*ret = pattern_truth(b, false, p);
		return NULL;
	}
	if (v->type->is_reference) {
		*ret =
		    bound_make(b, BOUND_BINARY, bind_prim(b, ELEM_BOOLEAN), p);
		(*ret)->op = OP_EQUAL;
		(*ret)->a = v;
		(*ret)->b =
		    bound_make(b, BOUND_DEFAULT, bind_prim(b, ELEM_OBJECT), p);
		return NULL;
	}
	return bind_operator(b, OP_EQUAL, v, null, p, ret);
}

/* A span of chars against a text: by its chars (11.2.3). */
static struct dbg_error *compare_span(struct binder *b, struct bound *v,
				      struct bound *text, const struct expr *p,
				      struct bound **ret)
{
	struct bound *args[2] = {v};
	struct type *type;
	struct dbg_error *err = bind_core(b, "System.MemoryExtensions", &type);
	if (!err)
		err = call_static(b, type, "AsSpan", &text, 1, p, &args[1]);
	return err ? err
		   : call_static(b, type, "SequenceEqual", args, 2, p, ret);
}

/* A constant of a type that the value may be, compared by @op. */
static struct dbg_error *compare(struct binder *b, enum op op, struct bound *v,
				 struct bound *c, const struct expr *p,
				 struct bound **ret)
{
	struct bound *test, *value = v;
	struct dbg_error *err;
	bool inner = v->type->special == TYPE_SPECIAL_OBJECT ||
		     v->type->kind == TYPE_KIND_INTERFACE;
	bool is_nan =
	    op == OP_EQUAL && c->kind == BOUND_CONST && c->real != c->real;
	if (c->kind == BOUND_STRING && collection_is_span(v->type))
		return compare_span(b, v, c, p, ret);
	if (!inner && c->type && c->type != v->type &&
	    type_is_numeric(v->type) && numeric_is_argument(b, v->type))
		return bind_error(b, p,
				  "whether what is tested is of a type "
				  "parameter, of which a constant of another "
				  "type is never one, or '%s' itself is not "
				  "known here: cast the constant",
				  type_name(b->ts, v->type));
	if (!inner || !c->type) {
		if (!inner && c->type && v->type->is_value &&
		    conversion_find(b, c, v->type)) {
			err = convert(b, c, v->type, &c);
			if (err)
				return err;
		}
		return is_nan ? bind_operator(b, OP_NOT_EQUAL, v, v, p, ret)
			      : bind_operator(b, op, v, c, p, ret);
	}
	err = type_test(b, v, c->type, p, &test, &value);
	if (!err)
		err = is_nan
			  ? bind_operator(b, OP_NOT_EQUAL, value, value, p, ret)
			  : bind_operator(b, op, value, c, p, ret);
	if (!err)
		*ret = pattern_both(b, test, *ret);
	return err;
}

static struct dbg_error *constant(struct binder *b, struct bound *v,
				  const struct expr *p, struct bound **ret)
{
	struct bound *c;
	if (p->a->kind == EXPR_NULL)
		return null_pattern(b, v, p, ret);
	struct dbg_error *err = bind_any(b, p->a, &c);
	if (err)
		return err;
	if (c->kind == BOUND_TYPE)
		return of_type(b, v, c->type, p, ret);
	err = bind_operand(b, p->a, &c);
	return err ? err : compare(b, OP_EQUAL, v, c, p, ret);
}

static struct dbg_error *relation(struct binder *b, struct bound *v,
				  const struct expr *p, struct bound **ret)
{
	struct bound *c;
	struct dbg_error *err = bind_value(b, p->a, &c);
	return err ? err : compare(b, p->op, v, c, p, ret);
}

/*
 * @v with the type that it has where the pattern @p matches, if @p names one.
 */
static struct bound *narrowed(struct binder *b, struct bound *v,
			      const struct expr *p)
{
	struct bound *test, *value, *c = NULL;
	struct type *type = NULL;
	if (p->kind == PATTERN_AND)
		return narrowed(b, narrowed(b, v, p->a), p->b);
	if ((p->kind == PATTERN_TYPE || p->kind == PATTERN_SHAPE) && p->type &&
	    dbg_err_drop(bind_type(b, p->type, &type)))
		return v;
	if (p->kind == PATTERN_CONSTANT &&
	    !dbg_err_drop(bind_any(b, p->a, &c)) && c->kind == BOUND_TYPE)
		type = c->type;
	if (!type || type == v->type ||
	    dbg_err_drop(type_test(b, v, type, p, &test, &value)))
		return v;
	return value;
}

static struct dbg_error *junction(struct binder *b, struct bound *v,
				  const struct expr *p, struct bound **ret)
{
	struct bound *x, *y;
	struct dbg_error *err = bind_pattern(b, v, p->a, &x);
	if (!err)
		err = bind_pattern(
		    b, p->kind == PATTERN_AND ? narrowed(b, v, p->a) : v, p->b,
		    &y);
	if (err)
		return err;
	*ret = p->kind == PATTERN_AND
		   ? pattern_both(b, x, y)
		   : bound_choice(b, x, pattern_truth(b, true, p), y);
	return NULL;
}

/* { A: pattern }; { A.B: pattern } is { A: { B: pattern } }. */
static struct dbg_error *member(struct binder *b, struct bound *v,
				const struct expr *p, struct bound **ret)
{
	const struct expr *x = p->a, *inner = p->b;
	for (; x->kind == EXPR_MEMBER; x = x->a) {
		struct expr *part = made_node(b, p->kind, p);
		struct expr *around = made_node(b, PATTERN_SHAPE, p);
		part->a = made_name(b, x->name, x);
		part->b = (struct expr *)inner;
		around->args = arena_copy(b->arena, &part, 1, sizeof(part));
		around->n_args = 1;
		inner = around;
	}
	if (x->kind != EXPR_NAME)
		return bind_error(b, p, "a member is wanted");
	struct dbg_error *err = bind_member_of(b, v, x, &v);
	return err ? err : pattern_inside(b, v, inner, ret);
}

/* [a, .., b] of what is not null. */
static struct dbg_error *list(struct binder *b, struct bound *v,
			      const struct expr *p, struct bound **ret)
{
	struct bound *test, *null;
	struct dbg_error *err = pattern_list(b, v, p, &test);
	if (!err && p->name)
		test = pattern_both(b, test, declare(b, v, p->name, p));
	*ret = test;
	if (err || !v->type->is_reference)
		return err;
	err = null_pattern(b, v, p, &null);
	if (!err)
		*ret = pattern_both(b, bound_not(b, null), test);
	return err;
}

static struct dbg_error *shape(struct binder *b, struct bound *v,
			       const struct expr *p, struct bound **ret)
{
	struct type *type = v->type;
	struct bound *part;
	struct dbg_error *err = NULL;
	if (p->type)
		err = bind_type(b, p->type, &type);
	if (!err && p->type)
		err = type_test(b, v, type, p, ret, &v);
	else if (!err)
		err = pattern_present(b, v, p, ret, &v);
	if (!err && p->positional) {
		err = pattern_positional(b, v, p, &part);
		if (!err)
			*ret = pattern_both(b, *ret, part);
	}
	for (size_t i = 0; !err && i < p->n_args; i++) {
		err = member(b, v, p->args[i], &part);
		if (!err)
			*ret = pattern_both(b, *ret, part);
	}
	if (!err && p->name)
		*ret = pattern_both(b, *ret, declare(b, v, p->name, p));
	return err;
}

/* A pattern that looks at the value, or at what a union holds. */
static struct dbg_error *about_content(struct binder *b, struct bound *v,
				       const struct expr *p, struct bound **ret)
{
	struct type *type;
	struct dbg_error *err = union_content(b, v, p, &v);
	if (err)
		return err;
	switch (p->kind) {
	case PATTERN_CONSTANT:
		return constant(b, v, p, ret);
	case PATTERN_RELATION:
		return relation(b, v, p, ret);
	case PATTERN_TYPE:
		err = bind_type(b, p->type, &type);
		return err ? err : of_type(b, v, type, p, ret);
	case PATTERN_SHAPE:
		return shape(b, v, p, ret);
	default:
		return list(b, v, p, ret);
	}
}

struct dbg_error *bind_pattern(struct binder *b, struct bound *v,
			       const struct expr *p, struct bound **ret)
{
	struct dbg_error *err;
	switch (p->kind) {
	case PATTERN_CONSTANT:
	case PATTERN_RELATION:
	case PATTERN_TYPE:
	case PATTERN_SHAPE:
	case PATTERN_LIST:
		return about_content(b, v, p, ret);
	case PATTERN_DISCARD:
		*ret = pattern_truth(b, true, p);
		return NULL;
	case PATTERN_VAR:
		if (p->n_list)
			return pattern_names(b, v, p, ret);
		*ret = declare(b, v, p->name, p);
		return NULL;
	case PATTERN_NOT:
		err = bind_pattern(b, v, p->a, ret);
		if (!err)
			*ret = bound_not(b, *ret);
		return err;
	case PATTERN_AND:
	case PATTERN_OR:
		return junction(b, v, p, ret);
	default:
		break;
	}
	if (p->kind == PATTERN_SLICE)
		return bind_error(b, p, "a list pattern has one '..'");
	return dbg_err(DBG_E_UNSUPPORTED,
		       "'%s' is not served in expressions yet",
		       bind_source(b, p));
}

/* ---- Expressions ----------------------------------------------------- */

static struct dbg_error *operand_keep(struct binder *b, const struct expr *x,
				      struct bound **ret,
				      struct bound **ret_store)
{
	struct bound *v;
	struct dbg_error *err = bind_operand(b, x, &v);
	// null as T
	if (!err && v->kind == BOUND_NULL)
		err = convert(b, v, bind_prim(b, ELEM_OBJECT), &v);
	else if (!err)
		err = bind_value(b, x, &v);
	if (err)
		return err;
	*ret = bound_local(b, v->type, x);
	*ret_store = bound_make(b, BOUND_STORE, v->type, x);
	(*ret_store)->a = *ret;
	(*ret_store)->b = v;
	return NULL;
}

static struct dbg_error *bind_as(struct binder *b, const struct expr *x,
				 struct bound **ret)
{
	struct type *type;
	struct bound *v, *store, *test, *value;
	struct dbg_error *err = bind_type(b, x->type, &type);
	if (!err)
		err = operand_keep(b, x->a, &v, &store);
	if (err)
		return err;
	bool nullable = type->special == TYPE_SPECIAL_NULLABLE;
	err =
	    type_test(b, v, nullable ? type->args[0] : type, x, &test, &value);
	if (!err)
		err = convert(b, value, type, &value);
	if (!err)
		*ret = bound_after(
		    b, &store, 1,
		    bound_choice(b, test, value,
				 bound_make(b, BOUND_DEFAULT, type, x)));
	return err;
}

struct dbg_error *bind_is(struct binder *b, const struct expr *x,
			  struct bound **ret)
{
	struct bound *v, *store, *test;
	if (x->kind == EXPR_AS)
		return bind_as(b, x, ret);
	struct dbg_error *err = operand_keep(b, x->a, &v, &store);
	if (!err)
		err = bind_pattern(b, v, x->b, &test);
	if (!err)
		*ret = bound_after(b, &store, 1, test);
	return err;
}

static struct dbg_error *bind_arm(struct binder *b, struct bound *v,
				  const struct expr *arm, struct bound **test,
				  struct bound **value)
{
	struct bound *when;
	struct dbg_error *err = bind_pattern(b, v, arm->a, test);
	if (!err && arm->c) {
		err = bind_operand(b, arm->c, &when);
		if (!err)
			err =
			    convert(b, when, bind_prim(b, ELEM_BOOLEAN), &when);
		if (!err)
			*test = pattern_both(b, *test, when);
	}
	return err ? err : bind_operand(b, arm->b, value);
}

struct dbg_error *bind_switch(struct binder *b, const struct expr *x,
			      struct bound **ret)
{
	struct bound *v, *store, *tests[64], *values[64];
	struct name_scope *names = b->names;
	size_t n = x->n_list;
	if (n == 0 || n > 64)
		return bind_error(b, x, "a switch of %zu arms", n);
	struct dbg_error *err = operand_keep(b, x->a, &v, &store);
	size_t n_noted = b->n_noted;
	for (size_t i = 0; !err && i < n; i++) {
		err = bind_arm(b, v, x->list[i], &tests[i], &values[i]);
		b->names = names;
		b->n_noted = n_noted;
	}
	if (err)
		return err;
	struct type *type = bind_common_type(b, values, n), *fault;
	if (!type)
		return bind_error(b, x, "the arms have no common type");
	err = bind_core(
	    b, "System.Runtime.CompilerServices.SwitchExpressionException",
	    &fault);
	if (err)
		return err;
	struct bound *none = bound_make(b, BOUND_THROW, type, x);
	none->a = bound_make(b, BOUND_NEW, fault, x);
	none->a->method = type_method_named(b->ts, fault, ".ctor", 0);
	*ret = none;
	for (size_t i = n; !err && i > 0; i--) {
		err = convert(b, values[i - 1], type, &values[i - 1]);
		if (!err)
			*ret =
			    bound_choice(b, tests[i - 1], values[i - 1], *ret);
	}
	if (!err)
		*ret = bound_after(b, &store, 1, *ret);
	return err;
}
