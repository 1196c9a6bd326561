/*
 * Calls: which overload the arguments mean (ECMA-334, 12.6.4). The methods of
 * the name are collected from the type and its bases, those that take the
 * arguments stay, and of them the better one, argument by argument.
 */
#include <string.h>

#include "eval/overload/overload.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/assign/bindassign.h"
#include "eval/bind/bind_priv.h"
#include "eval/bind/bindcollection.h"
#include "eval/bind/bindmetaobject.h"
#include "eval/bind/bindop.h"
#include "eval/lookup.h"
#include "eval/overload/conversion.h"
#include "eval/statement/binddeclare.h"
#include "eval/tree/treenode.h"

/* ---- Lambdas of queries ---------------------------------------------- */

/*
 * Queries that a provider translates (IQueryable): C# calls Queryable's methods
 * for them, with expression trees. Where objects in memory are asked, the same
 * is computed by Enumerable's, which need no call in the program.
 */

static bool is_called(struct type *type, const char *space, const char *name)
{
	return type->module && !strcmp(type_simple_name(type), name) &&
	       !strcmp(type_namespace(type), space);
}

/*
 * Is @of a query that its provider translates (to SQL, say), so that it cannot
 * be run here? Queries over objects in memory (EnumerableQuery) are not.
 */
static bool is_translated(struct binder *b, const struct bound *of)
{
	struct type *const *faces;
	struct type *type = of->type;
	size_t n = 0;
	bool wrapped =
	    of->kind == BOUND_CALL && !strcmp(of->method->name, "AsQueryable");
	if (!type || wrapped ||
	    is_called(type, "System.Linq", "EnumerableQuery`1"))
		return false;
	if (is_called(type, "System.Linq", "IQueryable`1"))
		return true;
	if (dbg_err_drop(type_interfaces(b->ts, type, &faces, &n)))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (is_called(faces[i], "System.Linq", "IQueryable"))
			return true;
	}
	return false;
}

static const struct bound *lambda_of(const struct call *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->args[i]->syntax &&
		    c->args[i]->syntax->kind == EXPR_LAMBDA)
			return c->args[i];
	}
	return NULL;
}

/* Are objects in memory asked, though they may be called an IQueryable? */
static bool query_in_memory(struct binder *b, const struct call *c)
{
	return lambda_of(c) && !is_translated(b, c->receiver);
}

/* Is @m one of Queryable's? */
static bool query_is_translated(const struct type_method *m)
{
	return is_called(m->owner, "System.Linq", "Queryable");
}

/* Does Queryable lack this method, which has the query's rows computed? */
static bool needs_rows(const struct type_method *m)
{
	return str_starts(m->name, "To") || !strcmp(m->name, "AsEnumerable") ||
	       !strcmp(m->name, "TryGetNonEnumeratedCount");
}

/*
 * Refuse the call @c of @m if C# would call the one of Queryable instead, which
 * the program has not loaded: Enumerable's would fetch all rows.
 */
static struct dbg_error *query_refused(struct binder *b, const struct call *c,
				       const struct type_method *m)
{
	const struct bound *lambda = lambda_of(c);
	if (needs_rows(m) ||
	    !is_called(m->owner, "System.Linq", "Enumerable") ||
	    !is_translated(b, c->receiver))
		return NULL;
	return bind_error(b, lambda ? lambda->syntax : c->x,
			  "call 'ToList()' before '%s': the program has no "
			  "System.Linq.Queryable loaded, which makes a query "
			  "of %s",
			  c->name, lambda ? "the lambda" : "the call");
}

/* ---- The better of two ----------------------------------------------- */

/* Which of two overloads is better (ECMA-334, 12.6.4.3 to 12.6.4.7). */

static struct type *call_params_element(const struct type_sig *sig);

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

/* Of two parameters of one type the one by value is better than `in`. */
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

/* A params span goes before a params array (C# 13). */
static int better_params(const struct candidate *x, const struct candidate *y)
{
	if (!x->expanded)
		return 0;
	bool ax = x->sig->params[x->sig->n_params - 1]->elem == ELEM_SZARRAY;
	bool ay = y->sig->params[y->sig->n_params - 1]->elem == ELEM_SZARRAY;
	return (int)ay - (int)ax;
}

/* 1: @x is the better of two that fit, -1: the worse, 0: neither. */
static int call_better(struct binder *b, const struct call *c,
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
	int special = more_special(b, c, x, y);
	if (special)
		return special;
	// Optional parameters that were not given make it worse.
	if (x->sig->n_params != y->sig->n_params)
		return x->sig->n_params < y->sig->n_params ? 1 : -1;
	return better_params(x, y);
}

/*
 * May @c->receiver be the first argument of an extension method? User-defined
 * conversions do not count; to a span (C# 14) an array is converted only in a
 * second attempt (@c->by_span), so that the meaning is that of every C#
 * version.
 */
static bool call_receiver_fits(struct binder *b, const struct call *c,
			       struct type *to)
{
	enum conversion how = conversion_find(b, c->receiver, to);
	if (c->by_span && collection_is_span(to))
		return how != CONVERSION_NONE;
	return how == CONVERSION_IDENTITY || how == CONVERSION_REFERENCE ||
	       how == CONVERSION_BOX;
}

/* ---- Overload resolution --------------------------------------------- */

enum {
	METHODS_MAX = 256
};

/* ---- Arguments ------------------------------------------------------- */

/* out _ */
static bool is_discard(struct binder *b, const struct expr *x)
{
	return x->modifier == MODIFIER_OUT && x->a->kind == EXPR_NAME &&
	       !strcmp(x->a->name, "_") && !name_is_known(b, "_");
}

/* Is it an `out` argument whose type the method decides: `var x`, `_`? */
static bool is_declared(const struct bound *v)
{
	return v->kind == BOUND_UNTYPED &&
	       (v->syntax->kind == EXPR_DECLARATION ||
		v->syntax->kind == EXPR_NAME);
}

struct dbg_error *call_arguments(struct binder *b, struct expr *const *list,
				 size_t n, struct call *ret)
{
	if (ret->n + n > BIND_ARGS_MAX)
		return dbg_err(DBG_E_ARGUMENT, "too many arguments");
	for (size_t i = 0; i < n; i++) {
		const struct expr *x = list[i];
		size_t at = ret->n++;
		ret->names[at] = x->name;
		ret->modifiers[at] = x->modifier;
		if (is_discard(b, x)) {
			ret->args[at] =
			    bound_make(b, BOUND_UNTYPED, NULL, x->a);
			continue;
		}
		struct dbg_error *err = bind_operand(b, x->a, &ret->args[at]);
		if (!err && (x->modifier == MODIFIER_REF ||
			     x->modifier == MODIFIER_OUT))
			err = bind_by_ref(b, ret->args[at], x->a);
		if (err)
			return err;
	}
	return NULL;
}

/*
 * The type of one argument for `params`: the element type of the last
 * parameter, an array, span or list (C# 13); NULL: it is none of these.
 */
static struct type *call_params_element(const struct type_sig *sig)
{
	struct type *last = sig->params[sig->n_params - 1];
	if (last->elem == ELEM_SZARRAY)
		return last->inner;
	return last->n_args == 1 ? last->args[0] : NULL;
}

struct type *call_param(struct binder *b, const struct type_sig *sig, size_t i,
			bool expanded)
{
	(void)b;
	if (!expanded || i + 1 < sig->n_params)
		return i < sig->n_params ? sig->params[i] : NULL;
	return call_params_element(sig);
}

/* ---- Does it fit? ---------------------------------------------------- */

static bool map_arguments(const struct call *c, struct candidate *k)
{
	size_t n = k->sig->n_params;
	size_t fixed = k->expanded ? n - 1 : n;
	if (n > BIND_ARGS_MAX || (c->n > n && !k->expanded))
		return false;
	for (size_t i = 0; i < n; i++)
		k->map[i] = NOT_GIVEN;
	for (size_t i = 0; i < c->n; i++) {
		int p = c->names[i] ? parameter_named(k, c->names[i]) : (int)i;
		if (!c->names[i] && i >= fixed && k->expanded)
			continue;
		if (p < 0 || (size_t)p >= n || k->map[p] != NOT_GIVEN)
			return false;
		k->map[p] = (int)i;
		k->n_given++;
	}
	for (size_t i = 0; i < fixed; i++) {
		if (k->map[i] == NOT_GIVEN &&
		    !parameter_is(k, (uint32_t)i, PARAM_OPTIONAL))
			return false;
	}
	return true;
}

static bool declared_fits(struct binder *b, const struct expr *x,
			  struct type *to)
{
	struct type *type;
	return x->kind != EXPR_DECLARATION || x->type->kind == EXPR_VAR_TYPE ||
	       (!dbg_err_drop(bind_type(b, x->type, &type)) && type == to);
}

/* @is_in: the parameter is by reference without a word for it. */
static bool argument_fits(struct binder *b, const struct call *c, size_t i,
			  struct type *to, bool is_in)
{
	enum expr_modifier how = c->modifiers[i];
	bool by_ref = to->kind == TYPE_KIND_BYREF;
	if (is_declared(c->args[i]))
		return by_ref && how == MODIFIER_OUT &&
		       declared_fits(b, c->args[i]->syntax, to->inner);
	if (how == MODIFIER_REF || how == MODIFIER_OUT)
		return by_ref && c->args[i]->type == to->inner;
	// `this ref` takes a variable without a word for it
	if (by_ref && !is_in && c->args[i] == c->receiver)
		return c->receiver->type == to->inner &&
		       !dbg_err_drop(
			   bind_by_ref(b, c->receiver, c->receiver->syntax));
	if (by_ref)
		return is_in && conversion_find(b, c->args[i], to->inner) !=
				    CONVERSION_NONE;
	if (c->args[i] == c->receiver)
		return call_receiver_fits(b, c, to);
	return conversion_find(b, c->args[i], to) != CONVERSION_NONE;
}

/* Does the argument of parameter @p fit, if it has one of its own? */
static bool parameter_fits(struct binder *b, const struct call *c,
			   const struct candidate *k, size_t p)
{
	return k->map[p] == NOT_GIVEN ||
	       argument_fits(b, c, (size_t)k->map[p],
			     call_param(b, k->sig, p, k->expanded),
			     parameter_is(k, (uint32_t)p, PARAM_IN));
}

static bool arguments_fit(struct binder *b, const struct call *c,
			  const struct candidate *k)
{
	size_t n = k->sig->n_params;
	for (size_t p = 0; p < n; p++) {
		if (!parameter_fits(b, c, k, p))
			return false;
	}
	for (size_t i = n ? n - 1 : 0; k->expanded && i < c->n; i++) {
		if (!c->names[i] &&
		    !argument_fits(b, c, i, call_params_element(k->sig), false))
			return false;
	}
	return true;
}

size_t call_n_told(const struct type_method *m)
{
	size_t n = 0;
	while (n < m->n_args &&
	       (m->args[n]->kind != TYPE_KIND_MVAR || m->args[n]->number != n))
		n++;
	return n;
}

/* The method with its own type arguments; false: they cannot be told. */
static bool instantiate(struct binder *b, const struct call *c,
			struct type_method *m, const struct candidate *k,
			struct type_method **ret)
{
	const struct type_sig *sig = k->open;
	const size_t n = call_n_told(m);
	*ret = m;
	if (!c->n_given)
		return sig->n_generic == n ||
		       infer_method(b, c, m, k->expanded, ret);
	if (c->n_given != sig->n_generic)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (c->given[i] != m->args[i])
			return false;
	}
	*ret = type_method_instance(b->ts, m, c->given, c->n_given);
	return true;
}

static bool has_params(const struct binder *b, const struct type_method *m,
		       const struct type_sig *sig)
{
	struct type_param p;
	if (!sig->n_params || !call_params_element(sig) ||
	    (b->in_tree &&
	     sig->params[sig->n_params - 1]->elem != ELEM_SZARRAY))
		return false;
	type_method_param(m, (uint32_t)sig->n_params - 1, &p);
	return p.is_params;
}

/* Bits of type_generic_param.flags. */
enum {
	GENERIC_CLASS = 4,
	GENERIC_STRUCT = 8,
};

/*
 * Does @arg satisfy the constraints of type parameter @p of method @m? A
 * constraint that is still open or cannot be resolved counts as satisfied.
 */
static bool meets_constraint(struct binder *b, const struct type_method *m,
			     struct type *arg,
			     const struct type_generic_param *p)
{
	const struct type_context ctx = {
	    .class_args = m->owner->args,
	    .n_class_args = m->owner->n_args,
	    .method_args = m->args,
	    .n_method_args = m->n_args,
	};
	// it may stand for an anonymous object
	bool tuple = str_starts(type_simple_name(arg), "ValueTuple`");
	bool fit = true;
	if (p->flags & GENERIC_CLASS && arg->is_value && !tuple)
		return false;
	if (p->flags & GENERIC_STRUCT &&
	    (!arg->is_value || arg->special == TYPE_SPECIAL_NULLABLE))
		return false;
	for (size_t i = 0; fit && i < p->n_constraints; i++) {
		struct type *to = type_subst(b->ts, p->constraints[i], &ctx);
		if (!to->open &&
		    dbg_err_drop(type_assignable(b->ts, arg, to, &fit)))
			fit = true;
	}
	return fit;
}

/* Do its type arguments meet the constraints of @m (12.6.4.2)? */
static bool meets_constraints(struct binder *b, const struct type_method *m)
{
	struct type_generic_param p;
	for (uint32_t i = 0; i < m->n_args; i++) {
		if (!m->args[i]->open &&
		    !dbg_err_drop(type_generic_param(b->ts, NULL, m, i, &p)) &&
		    !meets_constraint(b, m, m->args[i], &p))
			return false;
	}
	return true;
}

static bool fits(struct binder *b, const struct call *c, struct type_method *m,
		 bool expanded, struct candidate *ret)
{
	struct candidate k = {.expanded = expanded};
	const struct type_sig *sig;
	k.declared = parameters_of(b, c, m);
	if (dbg_err_drop(type_method_sig(b->ts, m, &sig)) ||
	    sig->n_params > BIND_ARGS_MAX ||
	    (expanded && !has_params(b, m, sig)))
		return false;
	k.method = m;
	k.open = sig;
	k.sig = sig;
	k.generic = sig->n_generic != 0;
	if (!map_arguments(c, &k) || !instantiate(b, c, m, &k, &k.method) ||
	    !meets_constraints(b, k.method) ||
	    dbg_err_drop(type_method_sig(b->ts, k.method, &k.sig)) ||
	    !arguments_fit(b, c, &k))
		return false;
	*ret = k;
	return true;
}

/* ---- The choice ------------------------------------------------------ */

static struct dbg_error *argument_pass(struct binder *b, struct bound *v,
				       struct type *to, struct bound **ret)
{
	if (to->kind != TYPE_KIND_BYREF)
		return convert(b, v, to, ret);
	struct dbg_error *err = NULL;
	if (is_declared(v)) {
		const struct expr *x = v->syntax;
		bool named =
		    x->kind == EXPR_DECLARATION && strcmp(x->name, "_");
		b->of_machine = true;
		v = named ? declare_var(b, x->name, to->inner, x)
			  : bound_local(b, to->inner, x);
		if (named)
			declare_note(b, v->var);
	} else {
		err = convert(b, v, to->inner, &v);
	}
	*ret = bound_make(b, BOUND_ADDRESS, to, v->syntax);
	(*ret)->a = v;
	return err;
}

static struct dbg_error *params_array(struct binder *b, const struct call *c,
				      const struct candidate *k,
				      struct bound **ret)
{
	size_t first = k->sig->n_params - 1, n = 0;
	struct bound *list[BIND_ARGS_MAX];
	if (k->map[first] != NOT_GIVEN)
		list[n++] = c->args[k->map[first]];
	for (size_t i = first; i < c->n; i++)
		if (!c->names[i])
			list[n++] = c->args[i];
	return collection_params(b, list, n, k->sig->params[first], c->x, ret);
}

/* `out var x` has the names of elements that the parameter @p declares. */
static void note_out_names(struct binder *b, const struct call *c,
			   const struct candidate *k, uint32_t p)
{
	struct type_param param;
	if (k->map[p] == NOT_GIVEN || !is_declared(c->args[k->map[p]]))
		return;
	type_method_param(k->method, p, &param);
	bind_note_names(b, k->method->module, param.token,
			k->sig->params[p]->inner);
}

static struct dbg_error *candidate_take(struct binder *b, const struct call *c,
					const struct candidate *k,
					struct choice *ret)
{
	struct dbg_error *err = NULL;
	size_t n = k->sig->n_params;
	ret->method = k->method;
	ret->sig = k->sig;
	for (size_t p = 0; !err && p < n; p++) {
		note_out_names(b, c, k, (uint32_t)p);
		if (k->expanded && p + 1 == n)
			err = params_array(b, c, k, &ret->args[p]);
		else if (k->map[p] == NOT_GIVEN)
			err = default_argument(b, c, k, (uint32_t)p,
					       &ret->args[p]);
		else
			err = argument_pass(b, c->args[k->map[p]],
					    k->sig->params[p], &ret->args[p]);
	}
	return err;
}

/* The best of those that fit, how many these are, and whether none is. */
static size_t candidate_choose(struct binder *b, const struct call *c,
			       struct type_method *const *methods, size_t n,
			       struct candidate *ret, bool *ret_ambiguous)
{
	struct candidate best = {0}, k;
	bool ambiguous = false;
	size_t n_fit = 0;
	for (size_t i = 0; i < n * 2; i++) {
		if (!methods[i / 2] || !fits(b, c, methods[i / 2], i % 2, &k))
			continue;
		n_fit++;
		// The normal form goes before the expanded one.
		i |= 1;
		int r = best.method ? call_better(b, c, &k, &best) : 1;
		if (r > 0)
			best = k;
		ambiguous = (ambiguous || r == 0) && r <= 0;
	}
	*ret = best;
	*ret_ambiguous = ambiguous;
	return n_fit;
}

/* Has @k parameters of the very types that arguments of @over have in it? */
static bool takes_as_is(const struct call *c, const struct call *over,
			const struct candidate *k)
{
	for (size_t p = 0; p < k->sig->n_params; p++) {
		int i = k->map[p];
		if (i != NOT_GIVEN && over->args[i] != c->args[i] &&
		    k->sig->params[p] != over->args[i]->type)
			return false;
	}
	return true;
}

/* The method for all type arguments, NULL: none; false: there are none. */
static bool choose_over(struct binder *b, const struct call *c,
			struct type_method *const *methods, size_t n,
			const struct type_method **ret, bool *sure)
{
	struct type_method *all[METHODS_MAX] = {0};
	struct candidate k;
	struct call over;
	*ret = NULL;
	// what takes a T as it is goes before what takes a constraint
	for (int constrained = 0; constrained < 2; constrained++) {
		bool several;
		if (!standin_call(b, c, methods, n, constrained, &over, all,
				  sure))
			return false;
		candidate_choose(b, &over, all, n, &k, &several);
		if (k.method && !several &&
		    (constrained || takes_as_is(c, &over, &k))) {
			*ret = k.method;
			break;
		}
	}
	return true;
}

static bool is_same(const struct type_method *m, const struct type_method *of)
{
	return m->token == of->token && m->module == of->module;
}

/*
 * What the compiler has chosen for all instances of the frame's generic code,
 * in place of what fits this one best.
 */
static struct dbg_error *choose_for_all(struct binder *b, const struct call *c,
					struct type_method *const *methods,
					size_t n, struct candidate *best,
					bool *ambiguous)
{
	const struct type_method *is;
	bool sure;
	if (n > METHODS_MAX || !choose_over(b, c, methods, n, &is, &sure))
		return NULL;
	if (is && is_same(is, best->method)) {
		*ambiguous = false;
		return NULL;
	}
	// what libraries have for several types does the same for all
	if (!sure && best->method->module != b->e->scope->module &&
	    str_starts(type_namespace(best->method->owner), "System"))
		return NULL;
	for (size_t i = 0; is && sure && i < n; i++)
		if (is_same(is, methods[i]) &&
		    candidate_choose(b, c, &methods[i], 1, best, ambiguous))
			return NULL;
	return bind_error(b, c->x,
			  "which '%s' is called depends on what is of a type "
			  "parameter: cast the arguments",
			  c->name);
}

struct dbg_error *call_resolve(struct binder *b, struct call *c,
			       struct type_method *const *methods, size_t n,
			       struct choice *ret)
{
	struct candidate best;
	bool ambiguous;
	size_t n_fit = candidate_choose(b, c, methods, n, &best, &ambiguous);
	struct dbg_error *err =
	    n_fit > 1 ? choose_for_all(b, c, methods, n, &best, &ambiguous)
		      : NULL;
	if (err || !n_fit)
		return err;
	if (ambiguous)
		return dbg_err_cs(
		    121, bind_error(b, c->x, "the call of '%s' is ambiguous",
				    c->name));
	return candidate_take(b, c, &best, ret);
}

/* ---- Calls ----------------------------------------------------------- */

struct method_list {
	const struct eval *e;
	bool in_memory; /* what LINQ is asked of, with a lambda */
	struct type_method *items[METHODS_MAX];
	size_t n;
};

/* Extension methods of the namespaces that are imported where we are. */
static bool add_method(void *arg, struct type_method *m)
{
	struct method_list *l = arg;
	if (lookup_space(l->e, type_namespace(m->owner)) &&
	    !(l->in_memory && query_is_translated(m)))
		l->items[l->n++] = m;
	return l->n < METHODS_MAX;
}

/* Call @c with the receiver @of as its first argument. */
static struct dbg_error *find_extension(struct binder *b, struct bound *of,
					struct call *c, struct method_list *l,
					struct choice *best)
{
	if (c->n + 1 > BIND_ARGS_MAX)
		return NULL;
	for (size_t i = c->n++; i > 0; i--) {
		c->args[i] = c->args[i - 1];
		c->names[i] = c->names[i - 1];
		c->modifiers[i] = c->modifiers[i - 1];
	}
	c->args[0] = of;
	c->names[0] = NULL;
	c->modifiers[0] = MODIFIER_NONE;
	c->receiver = of;
	l->e = b->e;
	l->in_memory = query_in_memory(b, c);
	type_extension_each(b->ts, c->name, add_method, l);
	struct dbg_error *err = call_resolve(b, c, l->items, l->n, best);
	if (!err && !best->method) {
		c->by_span = true;
		err = call_resolve(b, c, l->items, l->n, best);
	}
	if (!err && best->method)
		err = query_refused(b, c, best->method);
	return err;
}

/* Static methods that extension blocks (C# 14) give to @type. */
static struct dbg_error *
find_static_extension(struct binder *b, struct type *type, struct call *c,
		      struct method_list *l, struct choice *best)
{
	l->e = b->e;
	type_static_extension_each(b->ts, c->name, type, add_method, l);
	return call_resolve(b, c, l->items, l->n, best);
}

struct dbg_error *call_extension_operator(struct binder *b, const char *name,
					  struct call *c, struct choice *best)
{
	struct method_list *l = arena_calloc(b->arena, 1, sizeof(*l));
	l->e = b->e;
	type_extension_each(b->ts, name, add_method, l);
	return call_resolve(b, c, l->items, l->n, best);
}

static struct dbg_error *find_method(struct binder *b, struct type *type,
				     struct call *c, struct choice *best)
{
	struct type_method *all[METHODS_MAX];
	struct type *const *faces;
	size_t n = 0;
	struct dbg_error *err = NULL;
	c->of = type;
	for (struct type *t = type; !err && t && !best->method;) {
		size_t found = methods_named(b, t, c->name, all, METHODS_MAX);
		err = call_resolve(b, c, all, found, best);
		if (!err)
			err = type_parent(b->ts, t, &t);
	}
	if (err || best->method || type->kind != TYPE_KIND_INTERFACE)
		return err;
	err = type_interfaces(b->ts, type, &faces, &n);
	for (size_t i = 0; !err && !best->method && i <= n; i++) {
		struct type *t = i < n ? faces[i] : bind_prim(b, ELEM_OBJECT);
		size_t found = methods_named(b, t, c->name, all, METHODS_MAX);
		err = call_resolve(b, c, all, found, best);
	}
	return err;
}

static struct dbg_error *make_call(struct binder *b, struct bound *of,
				   const struct choice *best,
				   const struct expr *x, struct bound **ret)
{
	struct bound *all[BIND_ARGS_MAX + 1];
	struct type_method *method = best->method;
	size_t n = 0;
	if (best->sig->has_this) {
		if (!of)
			return dbg_err_cs(
			    120, bind_error(b, x, "'%s' needs an object",
					    best->method->name));
		// a value is not boxed for a method that its type overrides
		bool own =
		    of->type->is_value && (method->flags & TYPE_METHOD_VIRTUAL);
		struct dbg_error *err =
		    own ? type_method_virtual(b->ts, method, of->type, &method)
			: bind_of_base(b, of, &method);
		if (err)
			return err;
		all[n++] = bind_receiver(b, of, method->owner);
	}
	for (size_t i = 0; i < best->sig->n_params; i++)
		all[n++] = best->args[i];
	bind_note_names(b, best->method->module,
			type_method_return_token(best->method), best->sig->ret);
	struct bound *call = bound_call(b, method, all, n, best->sig->ret, x);
	call->nonvirtual = bind_is_base(of);
	bind_note_dynamic(call, best->method->owner->module,
			  type_method_return_token(best->method));
	*ret = call;
	if (best->sig->ret->kind == TYPE_KIND_BYREF) {
		*ret = bound_make(b, BOUND_DEREF, best->sig->ret->inner, x);
		(*ret)->a = call;
	}
	return NULL;
}

struct dbg_error *call_assignment_operator(struct binder *b, struct bound *to,
					   struct call *c, struct bound **ret)
{
	struct choice best = {0};
	struct method_list *l = arena_calloc(b->arena, 1, sizeof(*l));
	struct dbg_error *err = find_method(b, to->type, c, &best);
	*ret = NULL;
	if (err || best.method)
		return err ? err : make_call(b, to, &best, c->x, ret);
	err = find_extension(b, to, c, l, &best);
	return err || !best.method ? err : make_call(b, NULL, &best, c->x, ret);
}

struct dbg_error *call_static(struct binder *b, struct type *type,
			      const char *name, struct bound *const *args,
			      size_t n, const struct expr *x,
			      struct bound **ret)
{
	struct call c = {.x = x, .name = name, .n = n};
	struct choice best = {0};
	struct type_method *all[METHODS_MAX];
	for (size_t i = 0; i < n; i++)
		c.args[i] = args[i];
	size_t found = methods_named(b, type, name, all, METHODS_MAX);
	struct dbg_error *err = call_resolve(b, &c, all, found, &best);
	if (!err && !best.method)
		err = call_refused(b, &c, all, found);
	if (!err && !best.method)
		err = dbg_err(DBG_E_RUNTIME, "no '%s.%s'",
			      type_name(b->ts, type), name);
	return err ? err : make_call(b, NULL, &best, x, ret);
}

/* ---- Why none fits --------------------------------------------------- */

/* Has a lambda as many parameters as the delegate that it is to be? */
static bool takes_as_many(struct binder *b, const struct bound *v,
			  struct type *to)
{
	const struct type_sig *sig;
	struct type_method *invoke =
	    type_method_invoke(b->ts, tree_delegate(to));
	return v->syntax->kind != EXPR_LAMBDA || !invoke ||
	       dbg_err_drop(type_method_sig(b->ts, invoke, &sig)) ||
	       sig->n_params == v->syntax->n_list;
}

/* The first argument that @m does not take, if it takes so many. */
static struct dbg_error *wrong_argument(struct binder *b, const struct call *c,
					struct type_method *m, bool expanded)
{
	struct candidate k = {.method = m,
			      .declared = parameters_of(b, c, m),
			      .expanded = expanded};
	if (dbg_err_drop(type_method_sig(b->ts, m, &k.sig)) ||
	    (expanded && !has_params(b, m, k.sig)))
		return NULL;
	k.open = k.sig;
	if (!map_arguments(c, &k) || !instantiate(b, c, m, &k, &k.method) ||
	    dbg_err_drop(type_method_sig(b->ts, k.method, &k.sig)))
		return NULL;
	for (size_t p = 0; p < k.sig->n_params; p++) {
		struct type *to = k.sig->params[p];
		size_t i = (size_t)k.map[p];
		if (parameter_fits(b, c, &k, p))
			continue;
		// An extension of another type, or of other lambdas.
		if (c->args[i] == c->receiver ||
		    !takes_as_many(b, c->args[i], to))
			return NULL;
		return dbg_err_cs(
		    1503,
		    bind_error(
			b, c->args[i]->syntax,
			"the arguments do not fit '%s': cannot convert '%s' to "
			"'%s'",
			type_method_name(b->ts, m),
			bound_operand_name(b, c->args[i]),
			type_name(b->ts, to)));
	}
	return NULL;
}

/* Explain what is wrong with an argument that is a lambda; NULL: nothing. */
static struct dbg_error *wrong_lambda(struct binder *b, const struct call *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const char *why = lambda_refused(b, c->args[i]->syntax);
		if (why)
			return dbg_err(DBG_E_ARGUMENT, "%s", why);
	}
	return NULL;
}

// The compiler's number of a call that fits none of @n methods.
static unsigned int refusal(struct binder *b, const struct call *c,
			    struct type_method *const *methods, size_t n)
{
	const struct type_sig *sig;

	if (n != 1 || dbg_err_drop(type_method_sig(b->ts, methods[0], &sig)))
		return 1501;
	return c->n < sig->n_params ? 7036 : c->n > sig->n_params ? 1501 : 411;
}

struct dbg_error *call_refused(struct binder *b, const struct call *c,
			       struct type_method *const *methods, size_t n)
{
	struct dbg_error *err = wrong_lambda(b, c);
	for (size_t i = 0; !err && i < n * 2; i++)
		err = wrong_argument(b, c, methods[i / 2], i % 2);
	return !err && n
		   ? dbg_err_cs(refusal(b, c, methods, n),
				bind_error(b, c->x,
					   "the arguments do not fit '%s'",
					   type_method_name(b->ts, methods[0])))
		   : err;
}

static struct dbg_error *no_overload(struct binder *b, struct type *type,
				     const struct call *c,
				     const struct call *with,
				     const struct method_list *l)
{
	struct type_method *all[METHODS_MAX];
	size_t n = 0;
	for (struct type *t = type; t && !n;) {
		n = methods_named(b, t, c->name, all, METHODS_MAX);
		if (dbg_err_drop(type_parent(b->ts, t, &t)))
			break;
	}
	struct dbg_error *err = call_refused(b, c, all, n);
	if (!err)
		err = call_refused(b, with, l->items, l->n);
	return err ? err
		   : dbg_err_cs(1501,
				bind_error(b, c->x,
					   "no method '%s' of '%s' fits",
					   c->name, type_name(b->ts, type)));
}

struct dbg_error *call_implemented(struct binder *b, struct type *type,
				   const char *name, struct call *c,
				   struct choice *best)
{
	struct type_method *list[METHODS_MAX];
	struct type *const *all;
	size_t n_all;
	bool box;
	struct dbg_error *err = type_interfaces(b->ts, type, &all, &n_all);
	for (size_t i = 0; !err && !best->method && i < n_all; i++) {
		size_t n = methods_named(b, all[i], name, list, METHODS_MAX);
		if (n && list[0]->flags & TYPE_METHOD_STATIC &&
		    list[0]->flags & TYPE_METHOD_VIRTUAL)
			err = call_resolve(b, c, list, n, best);
	}
	if (err || !best->method)
		return err;
	return type_method_constrained(b->ts, best->method, type, &best->method,
				       &box);
}

static struct dbg_error *call_group(struct binder *b, struct bound *g,
				    struct call *c, struct bound **ret)
{
	struct choice best = {0};
	struct type *type = g->b ? g->b->type : g->a->type;
	c->name = g->name;
	c->given = g->args;
	c->n_given = g->n_args;
	for (size_t i = 0; i < g->n_list && c->n < BIND_ARGS_MAX; i++) {
		c->modifiers[c->n] = MODIFIER_REF;
		c->args[c->n++] = g->list[i];
	}
	struct dbg_error *err = find_method(b, type, c, &best);
	if (!err && !best.method && g->b)
		err = call_implemented(b, type, c->name, c, &best);
	// a static one of an object's type stands behind extensions
	bool is_last = !err && best.method && g->a &&
		       best.method->flags & TYPE_METHOD_STATIC;
	struct choice last = best;
	if (!err && best.method && !is_last)
		return make_call(b, g->a, &best, c->x, ret);
	struct call with = *c;
	struct method_list *l = arena_calloc(b->arena, 1, sizeof(*l));
	best = (struct choice){0};
	if (!err && g->a)
		err = find_extension(b, g->a, &with, l, &best);
	else if (!err)
		err = find_static_extension(b, type, &with, l, &best);
	if (err)
		return err;
	if (!best.method && is_last)
		return make_call(b, g->a, &last, c->x, ret);
	if (!best.method && g->a) {
		err = metaobject_call(b, g->a, c, ret);
		if (err || *ret)
			return err;
	}
	return best.method ? make_call(b, NULL, &best, c->x, ret)
			   : no_overload(b, type, c, &with, l);
}

static struct dbg_error *call_delegate(struct binder *b, struct bound *of,
				       struct call *c, struct bound **ret)
{
	struct choice best = {0};
	struct type_method *invoke =
	    of->type ? type_method_invoke(b->ts, of->type) : NULL;
	if (!invoke && of->type) {
		struct dbg_error *err = metaobject_call(b, of, c, ret);
		if (err || *ret)
			return err;
	}
	if (!invoke)
		return bind_error(b, c->x,
				  of->type &&
					  of->type->kind == TYPE_KIND_FUNCTION
				      ? "'%s' is a pointer, by which no call "
					"is made: call the method itself"
				      : "'%s' is not a method",
				  bind_source(b, of->syntax));
	c->name = "Invoke";
	struct dbg_error *err = call_resolve(b, c, &invoke, 1, &best);
	if (err)
		return err;
	return best.method ? make_call(b, of, &best, c->x, ret)
			   : call_refused(b, c, &invoke, 1);
}

struct dbg_error *bind_call(struct binder *b, const struct expr *x,
			    struct bound **ret)
{
	struct bound *of;
	struct dbg_error *err = bind_operand(b, x->a, &of);
	// What cannot be called does not hide a method: list.Count(f).
	bool called =
	    !err && (of->kind == BOUND_GROUP ||
		     (of->type && (of->type->is_delegate ||
				   of->type->kind == TYPE_KIND_FUNCTION)));
	if (!err && !called && x->a->kind == EXPR_MEMBER)
		err = bind_method_named(b, x->a, &of);
	return err ? err : bind_call_of(b, of, x, ret);
}

struct dbg_error *bind_call_of(struct binder *b, struct bound *of,
			       const struct expr *x, struct bound **ret)
{
	struct call c = {.x = x};
	struct dbg_error *err = call_arguments(b, x->list, x->n_list, &c);
	if (err)
		return err;
	return of->kind == BOUND_GROUP ? call_group(b, of, &c, ret)
				       : call_delegate(b, of, &c, ret);
}
