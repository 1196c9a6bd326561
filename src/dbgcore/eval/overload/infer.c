/*
 * Type arguments that a call leaves out (ECMA-334, 12.6.3): first what the
 * arguments' types tell, then, as soon as a lambda's parameter types are
 * known, what its body is.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindcollection.h"
#include "eval/overload/conversion.h"
#include "eval/tree/treenode.h"

enum {
	PARAMS_MAX = 8, // type parameters
	BOUNDS_MAX = 16
};

enum bound_side {
	SIDE_EXACT,
	SIDE_LOWER,
	SIDE_UPPER
};

struct inference {
	struct binder *b;
	const struct expr *x;
	uint32_t n;
	struct type *fixed[PARAMS_MAX]; /* NULL: not yet */
	struct {
		struct type *type;
		enum bound_side side;
	} bounds[PARAMS_MAX][BOUNDS_MAX];
	size_t n_bounds[PARAMS_MAX];
};

static void add_bound(struct inference *in, uint32_t k, struct type *type,
		      enum bound_side side)
{
	if (k >= in->n || in->n_bounds[k] == BOUNDS_MAX ||
	    type->elem == ELEM_VOID)
		return;
	in->bounds[k][in->n_bounds[k]].type = type;
	in->bounds[k][in->n_bounds[k]++].side = side;
}

static void infer(struct inference *in, struct type *from, struct type *to,
		  enum bound_side side, int depth);

/*
 * Infer from an argument of the same generic type, by the variance of its
 * parameter.
 */
static void infer_argument(struct inference *in, struct type *to, uint32_t i,
			   struct type *from, enum bound_side side, int depth)
{
	struct type_generic_param p = {0};
	struct type *def = type_generic(in->b->ts, to);
	enum bound_side inner = SIDE_EXACT;
	if (dbg_err_drop(type_generic_param(in->b->ts, def, NULL, i, &p)))
		p.flags = 0;
	uint16_t variance = from->is_reference ? p.flags & 3 : 0;
	if (variance == 1)
		inner = side;
	else if (variance == 2 && side != SIDE_EXACT)
		inner = side == SIDE_LOWER ? SIDE_UPPER : SIDE_LOWER;
	infer(in, from, to->args[i], inner, depth);
}

static void infer_generic(struct inference *in, struct type *from,
			  struct type *to, enum bound_side side, int depth)
{
	struct types *ts = in->b->ts;
	struct type *def = type_generic(ts, to), *as = NULL;
	if (from->n_args && type_generic(ts, from) == def)
		as = from;
	else if (side == SIDE_LOWER &&
		 dbg_err_drop(type_as(ts, from, def, &as)))
		as = NULL;
	for (uint32_t i = 0; as && i < to->n_args && i < as->n_args; i++)
		infer_argument(in, to, i, as->args[i], side, depth);
}

static void infer(struct inference *in, struct type *from, struct type *to,
		  enum bound_side side, int depth)
{
	if (!to->open || depth > 16)
		return;
	if (to->kind == TYPE_KIND_MVAR) {
		add_bound(in, to->number, from, side);
	} else if (to->kind == TYPE_KIND_BYREF) {
		infer(in, from->kind == TYPE_KIND_BYREF ? from->inner : from,
		      to->inner, SIDE_EXACT, depth + 1);
	} else if (to->kind == TYPE_KIND_ARRAY) {
		if (from->kind == TYPE_KIND_ARRAY && from->rank == to->rank)
			infer(in, from->inner, to->inner,
			      from->inner->is_reference ? side : SIDE_EXACT,
			      depth + 1);
	} else if (collection_is_span(to) && from->elem == ELEM_SZARRAY) {
		infer(in, from->inner, to->args[0], SIDE_EXACT, depth + 1);
	} else if (to->n_args) {
		infer_generic(in, from, to, side, depth + 1);
	}
}

/* ---- Fixing ---------------------------------------------------------- */

static bool fits_all(struct inference *in, uint32_t k, struct type *type)
{
	for (size_t i = 0; i < in->n_bounds[k]; i++) {
		struct type *other = in->bounds[k][i].type;
		enum bound_side side = in->bounds[k][i].side;
		struct type *from = side == SIDE_UPPER ? type : other;
		struct type *to = side == SIDE_UPPER ? other : type;
		if (type == other)
			continue;
		const struct bound v = {
		    .kind = BOUND_DEFAULT, .type = from, .syntax = in->x};
		if (side == SIDE_EXACT ||
		    conversion_find(in->b, &v, to) == CONVERSION_NONE)
			return false;
	}
	return true;
}

static bool fix(struct inference *in, uint32_t k)
{
	for (size_t i = 0; !in->fixed[k] && i < in->n_bounds[k]; i++) {
		if (fits_all(in, k, in->bounds[k][i].type))
			in->fixed[k] = in->bounds[k][i].type;
	}
	return in->fixed[k] != NULL;
}

/* @type with the inferred types in place of parameters. */
static struct type *substitute(struct inference *in, struct type *type)
{
	struct type *args[PARAMS_MAX];
	for (uint32_t i = 0; i < in->n; i++)
		args[i] = in->fixed[i] ? in->fixed[i]
				       : type_param(in->b->ts, true, i);
	const struct type_context ctx = {.method_args = args,
					 .n_method_args = in->n};
	return type_subst(in->b->ts, type, &ctx);
}

/* Fix the parameters that @type mentions, as far as they have bounds. */
static void fix_mentioned(struct inference *in, struct type *type, int depth)
{
	if (!type->open || depth > 16)
		return;
	if (type->kind == TYPE_KIND_MVAR && type->number < in->n)
		fix(in, type->number);
	if (type->inner)
		fix_mentioned(in, type->inner, depth + 1);
	for (size_t i = 0; i < type->n_args; i++)
		fix_mentioned(in, type->args[i], depth + 1);
}

/* ---- Lambdas --------------------------------------------------------- */

/* True: it told something, or never will. */
static bool infer_lambda(struct inference *in, const struct expr *x,
			 struct type *to)
{
	const struct type_sig *sig;
	struct type *types[BIND_ARGS_MAX], *body;
	struct bound_lambda *lambda;
	struct type_method *invoke =
	    type_method_invoke(in->b->ts, tree_delegate(to));
	if (!invoke || dbg_err_drop(type_method_sig(in->b->ts, invoke, &sig)) ||
	    sig->n_params != x->n_list || sig->n_params > BIND_ARGS_MAX)
		return true;
	for (size_t i = 0; i < sig->n_params; i++) {
		struct type *given;
		if (x->list[i]->type &&
		    !dbg_err_drop(bind_type(in->b, x->list[i]->type, &given)))
			infer(in, given, sig->params[i], SIDE_EXACT, 0);
		fix_mentioned(in, sig->params[i], 0);
		types[i] = substitute(in, sig->params[i]);
		if (types[i]->open)
			return false;
	}
	if (!sig->ret->open)
		return true;
	if (lambda_bind(in->b, x, types, sig->n_params, &lambda, &body) && body)
		infer(in, body, sig->ret, SIDE_LOWER, 0);
	return true;
}

/*
 * Infer from a method group whose parameter types are known: by what it
 * returns.
 */
static bool infer_group(struct inference *in, struct bound *g, struct type *to)
{
	const struct type_sig *sig;
	struct type *types[BIND_ARGS_MAX];
	struct choice best;
	struct type_method *invoke = type_method_invoke(in->b->ts, to);
	if (!invoke || dbg_err_drop(type_method_sig(in->b->ts, invoke, &sig)) ||
	    sig->n_params > BIND_ARGS_MAX)
		return true;
	for (size_t i = 0; i < sig->n_params; i++) {
		fix_mentioned(in, sig->params[i], 0);
		types[i] = substitute(in, sig->params[i]);
		if (types[i]->open)
			return false;
	}
	if (!dbg_err_drop(
		group_resolve(in->b, g, types, sig->n_params, &best)) &&
	    best.method)
		infer(in, best.sig->ret, sig->ret, SIDE_LOWER, 0);
	return true;
}

static bool infer_delegate(struct inference *in, struct bound *v,
			   struct type *to)
{
	if (v->kind == BOUND_GROUP)
		return infer_group(in, v, to);
	return v->syntax->kind != EXPR_LAMBDA ||
	       infer_lambda(in, v->syntax, to);
}

/* ---- The whole ------------------------------------------------------- */

/*
 * The type that an argument `out T x` declares; NULL: it is no such argument,
 * or says `var`.
 */
static struct type *declared_as(struct binder *b, const struct bound *v)
{
	const struct expr *x = v->syntax;
	struct type *type;
	if (v->kind != BOUND_UNTYPED || x->kind != EXPR_DECLARATION ||
	    x->type->kind == EXPR_VAR_TYPE ||
	    dbg_err_drop(bind_type(b, x->type, &type)))
		return NULL;
	return type;
}

/* Infer from the elements of a collection expression, for a collection @to. */
static void infer_elements(struct inference *in, const struct bound *v,
			   struct type *to)
{
	struct type *element = to->kind == TYPE_KIND_ARRAY ? to->inner
			       : to->n_args == 1           ? to->args[0]
							   : NULL;
	const struct expr *x = v->syntax;
	struct bound *part;

	if (v->kind != BOUND_UNTYPED || x->kind != EXPR_COLLECTION || !element)
		return;
	for (size_t i = 0; i < x->n_list; i++)
		if (x->list[i]->kind != EXPR_SPREAD &&
		    !dbg_err_drop(bind_operand(in->b, x->list[i], &part)) &&
		    part->type)
			infer(in, part->type, element, SIDE_LOWER, 0);
}

bool infer_method(struct binder *b, const struct call *c, struct type_method *m,
		  bool expanded, struct type_method **ret)
{
	const struct type_sig *sig;
	if (dbg_err_drop(type_method_sig(b->ts, m, &sig)))
		return false;

	struct inference in = {.b = b, .x = c->x, .n = sig->n_generic};
	bool done[BIND_ARGS_MAX] = {false}, progress = true;
	if (in.n > PARAMS_MAX || c->n > BIND_ARGS_MAX)
		return false;
	for (size_t i = 0; i < call_n_told(m); i++)
		in.fixed[i] = m->args[i];
	for (size_t i = 0; i < c->n; i++) {
		struct type *to = call_param(b, sig, i, expanded);
		struct type *type = c->args[i]->type
					? c->args[i]->type
					: declared_as(b, c->args[i]);
		done[i] = type || !to || c->args[i]->kind == BOUND_NULL;
		if (type && to)
			infer(&in, type, to, SIDE_LOWER, 0);
		else if (to)
			infer_elements(&in, c->args[i], to);
	}
	while (progress) {
		progress = false;
		for (size_t i = 0; i < c->n; i++) {
			if (done[i])
				continue;
			done[i] = infer_delegate(
			    &in, c->args[i], call_param(b, sig, i, expanded));
			progress = progress || done[i];
		}
	}
	for (uint32_t k = 0; k < in.n; k++) {
		if (!fix(&in, k))
			return false;
	}
	*ret = type_method_instance(b->ts, m, in.fixed, in.n);
	return true;
}
