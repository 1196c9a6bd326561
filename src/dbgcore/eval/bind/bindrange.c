/* Ranges and indexes from the end (ECMA-334 of C# 8, 18.4). */
#include "eval/bind/bindrange.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/assign/bindassign.h"
#include "eval/bind/bindcollection.h"
#include "eval/bind/bindmade.h"
#include "eval/overload/conversion.h"

/* ---- Values ---------------------------------------------------------- */

static struct dbg_error *made_of(struct binder *b, const char *type,
				 struct expr *const *args, size_t n,
				 const struct expr *x, struct bound **ret)
{
	struct type *t;
	struct expr *made = made_node(b, EXPR_NEW, x);
	struct dbg_error *err = bind_core(b, type, &t);
	if (err)
		return err;
	made->list = arena_calloc(b->arena, n + 1, sizeof(*made->list));
	made->n_list = n;
	for (size_t i = 0; i < n; i++) {
		made->list[i] = made_node(b, EXPR_ARGUMENT, x);
		made->list[i]->a = args[i];
	}
	return bind_new(b, made, t, ret);
}

static struct expr *made_true(struct binder *b, const struct expr *x)
{
	struct expr *e = made_int(b, 1, x);
	e->kind = EXPR_BOOL;
	return e;
}

struct dbg_error *bind_from_end(struct binder *b, const struct expr *x,
				struct bound **ret)
{
	struct expr *args[2] = {x->a, made_true(b, x)};
	return made_of(b, "System.Index", args, 2, x, ret);
}

struct dbg_error *bind_range(struct binder *b, const struct expr *x,
			     struct bound **ret)
{
	struct expr *end = made_node(b, EXPR_UNARY, x);
	end->op = OP_FROM_END;
	end->a = made_int(b, 0, x);
	struct expr *args[2] = {x->a ? x->a : made_int(b, 0, x),
				x->b ? x->b : end};
	return made_of(b, "System.Range", args, 2, x, ret);
}

/* ---- Elements -------------------------------------------------------- */

/* A value with a length, which is indexed by ^i or a range. */
struct counted {
	const struct expr *of;     /* name of what is indexed */
	const struct expr *length; /* of.Length or of.Count */
};

static bool is_core(const struct bound *v, const char *name)
{
	return v->type && !strcmp(type_simple_name(v->type), name) &&
	       !strcmp(type_namespace(v->type), "System");
}

/* The offset that @x means: length - a of ^a, of an Index what it says. */
static struct dbg_error *offset_of(struct binder *b, const struct counted *c,
				   const struct expr *x, struct bound **ret)
{
	struct bound *v;
	if (x->kind == EXPR_UNARY && x->op == OP_FROM_END)
		return bind_value(
		    b, made_binary(b, OP_SUBTRACT, c->length, x->a), ret);
	struct dbg_error *err = bind_value(b, x, &v);
	if (err)
		return err;
	*ret = v;
	if (!is_core(v, "Index"))
		return NULL;
	return bind_value(b, made_call(b, x, "GetOffset", &c->length, 1), ret);
}

static bool has_member(struct binder *b, struct bound *of, const char *name)
{
	struct bound *found;
	struct expr *member = made_member(b, of->syntax, name);
	return !dbg_err_drop(bind_member_of(b, of, member, &found)) &&
	       found->type && found->type->elem == ELEM_I4;
}

/* RuntimeHelpers.GetSubArray(of, a..b) */
static struct dbg_error *sub_array(struct binder *b, const struct counted *c,
				   const struct expr *range, struct bound **ret)
{
	struct bound *type = bound_make(b, BOUND_TYPE, NULL, range), *group;
	const struct expr *args[2] = {c->of, range};
	struct dbg_error *err = bind_core(
	    b, "System.Runtime.CompilerServices.RuntimeHelpers", &type->type);
	struct expr *call = made_call(b, range, "GetSubArray", args, 2);
	if (!err)
		err = bind_member_of(b, type, call->a, &group);
	return err ? err : bind_call_of(b, group, call, ret);
}

static struct dbg_error *slice(struct binder *b, struct bound *of,
			       const struct counted *c,
			       const struct expr *range, struct bound **ret)
{
	struct bound *from, *to, *stores[2];
	const struct expr *end = range->b ? range->b : c->length;
	bool text = of->type->special == TYPE_SPECIAL_STRING;
	if (of->type->elem == ELEM_SZARRAY)
		return sub_array(b, c, range, ret);
	struct dbg_error *err =
	    offset_of(b, c, range->a ? range->a : made_int(b, 0, range), &from);
	if (!err)
		err = offset_of(b, c, end, &to);
	if (err)
		return err;
	const struct expr *start = made_keep(b, from, &stores[0]);
	const struct expr *behind = made_keep(b, to, &stores[1]);
	const struct expr *args[2] = {
	    start, made_binary(b, OP_SUBTRACT, behind, start)};
	err = bind_value(
	    b, made_call(b, c->of, text ? "Substring" : "Slice", args, 2), ret);
	if (!err)
		*ret = bound_after(b, stores, 2, *ret);
	return err;
}

/* of[range] where the range is a value. */
static struct dbg_error *slice_by(struct binder *b, struct bound *of,
				  const struct counted *c, struct bound *value,
				  struct bound **ret)
{
	struct bound *store;
	struct expr *name = made_keep(b, value, &store);
	struct expr *range = made_node(b, EXPR_RANGE, value->syntax);
	range->a = made_member(b, name, "Start");
	range->b = made_member(b, name, "End");
	struct dbg_error *err = of->type->elem == ELEM_SZARRAY
				    ? sub_array(b, c, name, ret)
				    : slice(b, of, c, range, ret);
	if (!err)
		*ret = bound_after(b, &store, 1, *ret);
	return err;
}

/* ---- Inline arrays --------------------------------------------------- */

/* How many elements a value of the type has as an inline array; 0: it is none.
 */
static uint32_t inline_length(const struct type *type)
{
	struct bytes blob;
	uint32_t n = 0;
	if (type->kind == TYPE_KIND_STRUCT &&
	    type_attribute(type,
			   "System.Runtime.CompilerServices."
			   "InlineArrayAttribute",
			   &blob) &&
	    blob.n >= 6)
		memcpy(&n, blob.p + 2, sizeof(n)); // behind the prolog
	return n;
}

bool inline_array_fits(struct binder *b, const struct bound *v,
		       const struct type *to)
{
	struct bound *first;
	return collection_is_span(to) && inline_length(v->type) &&
	       !dbg_err_drop(bind_by_ref(b, v, v->syntax)) &&
	       !dbg_err_drop(bind_value(
		   b, made_index(b, v->syntax, made_int(b, 0, v->syntax)),
		   &first)) &&
	       first->type == to->args[0];
}

struct dbg_error *inline_array_convert(struct binder *b, const struct bound *v,
				       const struct type *to,
				       struct bound **ret)
{
	const struct expr *x = v->syntax;
	bool reads = !strcmp(type_simple_name(to), "ReadOnlySpan`1");
	struct expr *space =
	    made_member(b, made_member(b, made_name(b, "System", x), "Runtime"),
			"InteropServices");
	const struct expr *args[] = {made_index(b, x, made_int(b, 0, x)),
				     made_int(b, inline_length(v->type), x)};
	struct expr *call =
	    made_call(b, made_member(b, space, "MemoryMarshal"),
		      reads ? "CreateReadOnlySpan" : "CreateSpan", args, 2);
	call->list[0]->modifier = MODIFIER_REF;
	return bind_value(b, call, ret);
}

/* A span of the elements of an inline array; *ret NULL: it is none. */
static struct dbg_error *inline_span(struct binder *b, struct bound *of,
				     const struct expr *x, struct bound **ret)
{
	struct bound *first;
	struct type *span;
	*ret = NULL;
	if (!inline_length(of->type))
		return NULL;
	struct dbg_error *err =
	    bind_value(b, made_index(b, of->syntax, made_int(b, 0, x)), &first);
	if (!err)
		err = bind_core(b, "System.Span`1", &span);
	return err ? err
		   : convert(b, of, type_instance(b->ts, span, &first->type, 1),
			     ret);
}

static struct dbg_error *counted(struct binder *b, struct bound *of,
				 const struct expr *x, struct bound *by,
				 struct bound **ret)
{
	struct bound *store, *index;
	struct counted c;
	c.of = made_keep(b, of, &store);
	c.length = made_member(
	    b, c.of, has_member(b, store->a, "Length") ? "Length" : "Count");
	struct dbg_error *err;
	if (x->kind == EXPR_RANGE) {
		err = slice(b, of, &c, x, ret);
	} else if (by && is_core(by, "Range")) {
		err = slice_by(b, of, &c, by, ret);
	} else {
		err = offset_of(b, &c, x, &index);
		if (err)
			return err;
		struct bound *kept;
		struct expr *at = made_keep(b, index, &kept);
		err = bind_value(b, made_index(b, c.of, at), ret);
		if (!err)
			*ret = bound_after(b, &kept, 1, *ret);
	}
	if (!err)
		*ret = bound_after(b, &store, 1, *ret);
	return err;
}

struct dbg_error *bind_counted(struct binder *b, struct bound *of,
			       const struct expr *x, struct bound **ret)
{
	const struct expr *by = x->list[0]->a;
	struct bound *v = NULL;
	bool written = by->kind == EXPR_RANGE ||
		       (by->kind == EXPR_UNARY && by->op == OP_FROM_END);
	*ret = NULL;
	if (!written) {
		struct dbg_error *err = bind_operand(b, by, &v);
		if (err)
			return err;
		if (!is_core(v, "Index") && !is_core(v, "Range"))
			return NULL;
	}
	struct bound *span;
	struct dbg_error *err = inline_span(b, of, x, &span);
	return err ? err : counted(b, span ? span : of, by, v, ret);
}
