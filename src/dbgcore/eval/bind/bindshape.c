/* Positional patterns and list patterns (ECMA-334, 11.2.5; C# 11). */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindassign.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindpattern.h"
#include "eval/bind/bindtuple.h"

/* Truth behind what has to be computed first. */
static struct bound *behind(struct binder *b, struct bound *before,
			    struct bound *test)
{
	return bound_after(b, &before, 1, test);
}

struct dbg_error *pattern_inside(struct binder *b, struct bound *v,
				 const struct expr *p, struct bound **ret)
{
	if (bound_is_pure(v))
		return bind_pattern(b, v, p, ret);
	struct bound *local = bound_local(b, v->type, p);
	struct bound *store = bound_store(b, local, v);
	struct dbg_error *err = bind_pattern(b, local, p, ret);
	if (!err)
		*ret = behind(b, store, *ret);
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

/* All parts of @v, each by @fn. */
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
		*ret = behind(b, before, all);
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
		*ret = behind(b, store, pattern_both(b, all, test));
	return err;
}

struct dbg_error *pattern_positional(struct binder *b, struct bound *v,
				     const struct expr *p, struct bound **ret)
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
	*ret = behind(b, store, *ret);
	return NULL;
}

struct dbg_error *pattern_names(struct binder *b, struct bound *v,
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

/* What a list pattern looks at. */
struct sequence {
	const struct expr *of;
	const struct expr *length;
	size_t n;     /* patterns that are elements */
	size_t slice; /* index of `..`, n_list: there is none */
};

static struct dbg_error *element(struct binder *b, const struct sequence *s,
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

struct dbg_error *pattern_list(struct binder *b, struct bound *v,
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
				   : element(b, &s, p, i, &test);
		if (!err)
			*ret = pattern_both(b, *ret, test);
	}
	if (!err)
		*ret = behind(b, store, *ret);
	return err;
}
