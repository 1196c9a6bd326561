/*
 * Conversions (ECMA-334, 10): which one leads from a value to a type, and the
 * node that carries it out.
 */
#include "eval/overload/conversion.h"
#include "eval/bind/bindcollection.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindrange.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindpattern.h"
#include "eval/bind/bindtuple.h"
#include "eval/literal.h"
#include "eval/overload/overload.h"
#include "eval/statement/bindasync.h"
#include "eval/statement/bindstatement.h"
#include "eval/tree/treenode.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Lambdas ------------------------------------------------------------- */

/*
 * One is bound for given types of its parameters, during inference perhaps
 * several times; what came of it is remembered, so that lambdas within lambdas
 * don't multiply.
 */

void lambda_use(struct binder *b, struct bound_var *var)
{
	for (struct bound_lambda *l = b->lambda; l && l != var->owner;
	     l = l->outer) {
		size_t i = 0;
		while (i < l->n_captures && l->captures[i] != var)
			i++;
		if (i < l->n_captures)
			continue;
		struct bound_var **more =
		    arena_calloc(b->arena, l->n_captures + 1, sizeof(*more));
		for (i = 0; i < l->n_captures; i++)
			more[i] = l->captures[i];
		more[l->n_captures++] = var;
		l->captures = more;
		var->captured = true;
	}
}

struct name_scope *lambda_enter(struct binder *b, struct bound_lambda *l)
{
	struct name_scope *names = b->names;
	struct name_scope *scopes =
	    arena_calloc(b->arena, l->n_params + 1, sizeof(*scopes));
	for (size_t i = 0; i < l->n_params; i++) {
		scopes[i] =
		    (struct name_scope){.outer = b->names, .var = l->params[i]};
		b->names = &scopes[i];
	}
	b->lambda = l;
	return names;
}

void lambda_leave(struct binder *b, const struct bound_lambda *l,
		  struct name_scope *names)
{
	b->lambda = l->outer;
	b->names = names;
}

static struct lambda_memo *find_memo(struct binder *b, const struct expr *x,
				     struct type *const *types, size_t n)
{
	struct lambda_memo *m = b->memos;
	while (m && (m->syntax != x || m->outer != b->lambda || m->n != n ||
		     (n && memcmp(m->types, types, n * sizeof(*types)))))
		m = m->next;
	return m;
}

static bool types_agree(struct binder *b, const struct expr *x,
			struct type *const *types)
{
	for (size_t i = 0; i < x->n_list; i++) {
		struct type *given;
		if (types[i]->open || types[i]->kind == TYPE_KIND_BYREF)
			return false;
		if (x->list[i]->type &&
		    (dbg_err_drop(bind_type(b, x->list[i]->type, &given)) ||
		     given != types[i]))
			return false;
	}
	return true;
}

static bool bind_body(struct binder *b, const struct expr *x,
		      struct lambda_memo *memo, struct bound_lambda *l)
{
	struct name_scope *names = lambda_enter(b, l);
	struct dbg_error *err;
	if (x->a->kind == STMT_BLOCK) {
		err = bind_block_body(b, x->a, &l->body, &memo->ret);
	} else {
		err = bind_operand(b, x->a, &l->body);
		memo->ret = err ? NULL : l->body->type;
	}
	lambda_leave(b, l, names);
	if (err)
		memo->why = arena_strdup(b->arena, err->message);
	return !dbg_err_drop(err) && l->body->kind != BOUND_GROUP;
}

static bool bind_fresh(struct binder *b, const struct expr *x,
		       struct type *const *types, struct lambda_memo *memo)
{
	struct bound_lambda *l = arena_alloc(b->arena, sizeof(*l));
	size_t n = x->n_list;
	if (!types_agree(b, x, types))
		return false;
	l->outer = b->lambda;
	l->n_params = n;
	l->params = arena_calloc(b->arena, n + 1, sizeof(*l->params));
	for (size_t i = 0; i < n; i++) {
		struct bound_var *v = arena_alloc(b->arena, sizeof(*v));
		v->name = x->list[i]->name;
		v->type = types[i];
		v->written = x->list[i]->type;
		v->owner = l;
		v->is_param = true;
		v->index = (uint32_t)i;
		l->params[i] = v;
	}
	if (!bind_body(b, x, memo, l))
		return false;
	memo->lambda = l;
	return true;
}

bool lambda_bind(struct binder *b, const struct expr *x,
		 struct type *const *types, size_t n, struct bound_lambda **ret,
		 struct type **ret_ret)
{
	if (n != x->n_list)
		return false;
	struct lambda_memo *m = find_memo(b, x, types, n);
	if (!m) {
		m = arena_alloc(b->arena, sizeof(*m));
		m->syntax = x;
		m->outer = b->lambda;
		m->types = arena_copy(b->arena, types, n, sizeof(*types));
		m->n = n;
		bind_fresh(b, x, types, m);
		m->next = b->memos;
		b->memos = m;
	}
	*ret = m->lambda;
	*ret_ret = m->ret;
	bool known = m->ret || (m->lambda && !m->lambda->gives &&
				m->lambda->body->kind == BOUND_BLOCK);
	if (x->async && known)
		*ret_ret = async_task(b, m->ret);
	return m->lambda != NULL;
}

/* Why the last lambda_bind of @x with these types failed. */
static const char *lambda_why(struct binder *b, const struct expr *x,
			      struct type *const *types, size_t n)
{
	const struct lambda_memo *m = find_memo(b, x, types, n);
	return m ? m->why : NULL;
}

const char *lambda_refused(const struct binder *b, const struct expr *x)
{
	for (const struct lambda_memo *m = b->memos; m; m = m->next)
		if (m->syntax == x && m->why)
			return m->why;
	return NULL;
}

struct dbg_error *lambda_fault(struct binder *b, const struct expr *x,
			       const struct type_sig *sig, struct type *to)
{
	const char *why = lambda_why(b, x, sig->params, sig->n_params);
	if (why)
		return dbg_err(DBG_E_ARGUMENT, "%s", why);
	return bind_error(b, x, "'%s' does not fit '%s'", bind_source(b, x),
			  type_name(b->ts, to));
}

struct dbg_error *lambda_convert(struct binder *b, const struct expr *x,
				 struct type *to, struct bound **ret)
{
	const struct type_sig *sig;
	struct bound_lambda *l;
	struct type *type;
	struct type_method *invoke = type_method_invoke(b->ts, to);
	struct dbg_error *err = invoke ? type_method_sig(b->ts, invoke, &sig)
				       : bind_error(b, x, "'%s' is no delegate",
						    type_name(b->ts, to));
	if (err)
		return err;
	if (!lambda_bind(b, x, sig->params, sig->n_params, &l, &type))
		return lambda_fault(b, x, sig, to);
	*ret = bound_make(b, BOUND_LAMBDA, to, x);
	(*ret)->lambda = l;
	(*ret)->a = l->body;
	struct type *gives = x->async ? async_result(b, sig->ret) : sig->ret;
	if (sig->ret->elem == ELEM_VOID)
		return NULL;
	if (!gives)
		return lambda_fault(b, x, sig, to);
	struct name_scope *names = lambda_enter(b, l);
	if (l->body->kind == BOUND_BLOCK)
		err = returns_convert(b, l, gives);
	else if (gives->elem != ELEM_VOID)
		err = convert(b, l->body, gives, &(*ret)->a);
	lambda_leave(b, l, names);
	return !err && x->async ? async_wrap(b, l, sig->ret, &(*ret)->a) : err;
}

struct dbg_error *lambda_natural(struct binder *b, const struct bound *v,
				 struct bound **ret)
{
	const struct expr *x = v->syntax;
	struct type *types[BIND_ARGS_MAX + 1], *type, *def;
	struct bound_lambda *l;
	size_t n = 0;
	bool typed = v->kind == BOUND_UNTYPED && x->kind == EXPR_LAMBDA &&
		     x->n_list <= BIND_ARGS_MAX;
	for (; typed && n < x->n_list; n++) {
		if (!x->list[n]->type)
			break;
		struct dbg_error *err =
		    bind_type(b, x->list[n]->type, &types[n]);
		if (err)
			return err;
	}
	if (!typed || n < x->n_list || !lambda_bind(b, x, types, n, &l, &type))
		return dbg_err_cs(8917,
				  bind_error(b, x, "'%s' has no type here",
					     bind_source(b, x)));
	bool gives = type && type->elem != ELEM_VOID;
	if (gives)
		types[n++] = type;
	struct dbg_error *err =
	    bind_core(b,
		      n ? arena_printf(b->arena, "System.%s`%zu",
				       gives ? "Func" : "Action", n)
			: "System.Action",
		      &def);
	if (err)
		return err;
	return lambda_convert(
	    b, x, n ? type_instance(b->ts, def, types, n) : def, ret);
}

/* ---- Numbers --------------------------------------------------------- */

/* Implicit numeric conversions (10.2.3), a bit for each target. */
static uint32_t numeric_targets(enum elem from)
{
	enum {
		REAL = 1u << ELEM_R4 | 1u << ELEM_R8,
		SIGNED = 1u << ELEM_I8 | 1u << ELEM_I | REAL,
		BOTH = SIGNED | 1u << ELEM_U8 | 1u << ELEM_U
	};
	switch (from) {
	case ELEM_I1:
		return 1u << ELEM_I2 | 1u << ELEM_I4 | SIGNED;
	case ELEM_U1:
		return 1u << ELEM_I2 | 1u << ELEM_U2 | 1u << ELEM_I4 |
		       1u << ELEM_U4 | BOTH;
	case ELEM_I2:
		return 1u << ELEM_I4 | SIGNED;
	case ELEM_CHAR:
		return 1u << ELEM_U2 | 1u << ELEM_I4 | 1u << ELEM_U4 | BOTH;
	case ELEM_U2:
		return 1u << ELEM_I4 | 1u << ELEM_U4 | BOTH;
	case ELEM_I4:
		return SIGNED;
	case ELEM_U4:
		return BOTH;
	case ELEM_I:
		return 1u << ELEM_I8 | REAL;
	case ELEM_U:
		return 1u << ELEM_U8 | REAL;
	case ELEM_I8:
	case ELEM_U8:
		return REAL;
	case ELEM_R4:
		return 1u << ELEM_R8;
	default:
		return 0;
	}
}

bool type_is_numeric(const struct type *type)
{
	return type && type->kind == TYPE_KIND_PRIM &&
	       type->elem != ELEM_BOOLEAN && type->elem != ELEM_VOID;
}

/*
 * Is it an int constant that fits a smaller type (10.2.11), or 0 for an enum?
 */
static bool constant_fits(const struct bound *v, const struct type *to)
{
	int64_t n = v->integer;
	if (v->kind != BOUND_CONST || !v->constant || !v->type)
		return false;
	if (to->kind == TYPE_KIND_ENUM)
		return type_is_numeric(v->type) && n == 0 && v->real == 0;
	if (v->type->elem == ELEM_I8)
		return (to->elem == ELEM_U8 || to->elem == ELEM_U) && n >= 0;
	if (v->type->kind != TYPE_KIND_PRIM || v->type->elem != ELEM_I4)
		return false;
	switch (to->elem) {
	case ELEM_I1:
		return n >= INT8_MIN && n <= INT8_MAX;
	case ELEM_U1:
		return n >= 0 && n <= UINT8_MAX;
	case ELEM_I2:
		return n >= INT16_MIN && n <= INT16_MAX;
	case ELEM_U2:
		return n >= 0 && n <= UINT16_MAX;
	case ELEM_U4:
	case ELEM_U8:
	case ELEM_U:
		return n >= 0;
	default:
		return false;
	}
}

/* ---- Which conversion ------------------------------------------------ */

static bool is_void_pointer(const struct type *type)
{
	return type->kind == TYPE_KIND_POINTER && type->inner &&
	       type->inner->elem == ELEM_VOID;
}

bool type_is_address(const struct type *type)
{
	return type && (type->kind == TYPE_KIND_POINTER ||
			type->kind == TYPE_KIND_FUNCTION);
}

/*
 * Is it a function pointer of unknown signature, as those of variables are
 * (bind_frame_value)?
 */
static bool is_any_function(const struct type *type)
{
	return type->kind == TYPE_KIND_FUNCTION && !type->function;
}

enum conversion conversion_of_types(struct binder *b, struct type *from,
				    struct type *to)
{
	bool fits = false;
	if (from == to)
		return CONVERSION_IDENTITY;
	if (from->elem == ELEM_VOID || to->elem == ELEM_VOID)
		return CONVERSION_NONE;
	if (type_is_address(from) && is_void_pointer(to))
		return CONVERSION_REFERENCE;
	if (is_any_function(from) && to->kind == TYPE_KIND_FUNCTION)
		return CONVERSION_REFERENCE;
	if (type_is_numeric(from) && type_is_numeric(to) &&
	    (numeric_targets(from->elem) >> to->elem & 1))
		return CONVERSION_NUMERIC;
	if (to->special == TYPE_SPECIAL_NULLABLE && from->is_value) {
		struct type *inner = from->special == TYPE_SPECIAL_NULLABLE
					 ? from->args[0]
					 : from;
		enum conversion c = conversion_of_types(b, inner, to->args[0]);
		return c == CONVERSION_IDENTITY || c == CONVERSION_NUMERIC
			   ? CONVERSION_NULLABLE
			   : CONVERSION_NONE;
	}
	if (tuple_types_fit(b, from, to))
		return CONVERSION_TUPLE;
	if (!to->is_reference || (!from->is_reference && !from->is_value))
		return CONVERSION_NONE;
	struct type *boxed =
	    from->special == TYPE_SPECIAL_NULLABLE ? from->args[0] : from;
	if (dbg_err_drop(type_assignable(b->ts, boxed, to, &fits)) || !fits)
		return CONVERSION_NONE;
	return from->is_value ? CONVERSION_BOX : CONVERSION_REFERENCE;
}

/* `c ? a : b` and `switch` without a type of their own. */
static bool untyped_parts_fit(struct binder *b, const struct bound *v,
			      struct type *to)
{
	for (size_t i = 0; i < v->n_list; i++) {
		if (!conversion_find(b, v->list[i], to))
			return false;
	}
	return v->n_list != 0;
}

static bool untyped_fits(struct binder *b, const struct bound *v,
			 struct type *to)
{
	switch (v->syntax->kind) {
	case EXPR_DEFAULT:
		return true;
	case EXPR_NEW:
		return to->kind == TYPE_KIND_CLASS ||
		       to->kind == TYPE_KIND_STRUCT;
	case EXPR_CHOICE:
		return untyped_parts_fit(b, v, to);
	default:
		return false;
	}
}

/* Types of a delegate's parameters; false: it is none, or has too many. */
static bool delegate_types(struct binder *b, struct type *to,
			   const struct type_sig **ret)
{
	struct type_method *invoke =
	    to->is_delegate ? type_method_invoke(b->ts, to) : NULL;
	return invoke && !dbg_err_drop(type_method_sig(b->ts, invoke, ret)) &&
	       (*ret)->n_params <= BIND_ARGS_MAX;
}

static bool lambda_fits(struct binder *b, const struct expr *x, struct type *to)
{
	to = tree_delegate(to);
	const struct type_sig *sig;
	struct bound_lambda *lambda;
	struct type *ret;
	struct bound body = {0};
	if (!delegate_types(b, to, &sig) ||
	    !lambda_bind(b, x, sig->params, sig->n_params, &lambda, &ret))
		return false;
	struct type *gives = x->async ? async_result(b, sig->ret) : sig->ret;
	if (!gives)
		return false;
	if (lambda->body->kind == BOUND_BLOCK)
		return returns_fit(b, lambda, gives);
	if (gives->elem == ELEM_VOID)
		return true;
	if (!ret) {
		struct name_scope *names = lambda_enter(b, lambda);
		enum conversion c = conversion_find(b, lambda->body, gives);
		lambda_leave(b, lambda, names);
		return c != CONVERSION_NONE;
	}
	body = *lambda->body;
	return conversion_find(b, &body, gives) != CONVERSION_NONE;
}

/* Do Delegate and its like take the lambda @v as its natural type (10.2.14)? */
static bool natural_fits(struct binder *b, const struct bound *v,
			 struct type *to)
{
	struct bound *made;
	return (to->special == TYPE_SPECIAL_DELEGATE ||
		to->special == TYPE_SPECIAL_OBJECT) &&
	       !dbg_err_drop(lambda_natural(b, v, &made));
}

/* op_Implicit or op_Explicit; NULL in *ret: none. */
static struct dbg_error *convert_user(struct binder *b, struct bound *v,
				      struct type *to, bool is_explicit,
				      struct bound **ret);

struct dbg_error *group_resolve(struct binder *b, const struct bound *v,
				struct type *const *params, size_t n,
				struct choice *ret)
{
	struct call call = {.x = v->syntax,
			    .name = v->name,
			    .given = v->args,
			    .n_given = v->n_args};
	struct type_method *all[64];
	*ret = (struct choice){0};
	if (n > BIND_ARGS_MAX)
		return NULL;
	// for its type alone
	for (size_t i = 0; i < n; i++)
		call.args[call.n++] =
		    bound_make(b, BOUND_DEFAULT, params[i], v->syntax);
	struct type *type = v->b ? v->b->type : v->a->type;
	struct dbg_error *err = NULL;
	while (!err && type && !ret->method) {
		size_t n_all = methods_named(b, type, v->name, all, 64);
		err = call_resolve(b, &call, all, n_all, ret);
		if (!err)
			err = type_parent(b->ts, type, &type);
	}
	if (!err && !ret->method && v->b)
		err = call_implemented(b, v->b->type, v->name, &call, ret);
	return err;
}

/* Is there a method in the group @v that a delegate of type @to can be of? */
static bool group_fits(struct binder *b, const struct bound *v, struct type *to)
{
	const struct type_sig *sig, *of;
	struct choice best;
	if (!delegate_types(b, to, &sig))
		return false;
	for (size_t i = 0; i < sig->n_params; i++)
		if (sig->params[i]->open)
			return true;
	if (dbg_err_drop(
		group_resolve(b, v, sig->params, sig->n_params, &best)) ||
	    !best.method ||
	    dbg_err_drop(type_method_sig(b->ts, best.method, &of)))
		return false;
	return of->ret == sig->ret || sig->ret->open ||
	       (of->ret->is_reference &&
		conversion_of_types(b, of->ret, sig->ret) != CONVERSION_NONE);
}

enum conversion conversion_find(struct binder *b, const struct bound *v,
				struct type *to)
{
	if (to->kind == TYPE_KIND_MVAR || to->kind == TYPE_KIND_VAR)
		return CONVERSION_NONE;
	switch (v->kind) {
	case BOUND_NULL:
		return to->is_reference || type_is_address(to) ||
			       to->special == TYPE_SPECIAL_NULLABLE
			   ? CONVERSION_NULL
			   : CONVERSION_NONE;
	case BOUND_GROUP:
		return group_fits(b, v, to) ? CONVERSION_GROUP
					    : CONVERSION_NONE;
	case BOUND_UNTYPED:
		if (v->syntax->kind == EXPR_LAMBDA)
			return lambda_fits(b, v->syntax, to) ||
				       natural_fits(b, v, to)
				   ? CONVERSION_LAMBDA
				   : CONVERSION_NONE;
		if (v->syntax->kind == EXPR_TUPLE)
			return tuple_fits(b, v, to) ? CONVERSION_TUPLE
						    : CONVERSION_NONE;
		if (v->syntax->kind == EXPR_COLLECTION)
			return collection_fits(b, v, to) ? CONVERSION_COLLECTION
							 : CONVERSION_NONE;
		return untyped_fits(b, v, to) ? CONVERSION_UNTYPED
					      : CONVERSION_NONE;
	case BOUND_TUPLE:
		if (v->type == to)
			return CONVERSION_IDENTITY;
		if (to->special == TYPE_SPECIAL_NULLABLE &&
		    to->args[0] == v->type)
			return CONVERSION_NULLABLE;
		if (tuple_fits(b, v, to))
			return CONVERSION_TUPLE;
		break;
	case BOUND_THROW:
		return CONVERSION_UNTYPED;
	default:
		break;
	}
	if (!v->type)
		return CONVERSION_NONE;
	enum conversion c = conversion_of_types(b, v->type, to);
	if (c == CONVERSION_NONE && constant_fits(v, to))
		return CONVERSION_CONSTANT;
	if (c != CONVERSION_NONE)
		return c;
	if (interpolated_fits(b, v, to))
		return CONVERSION_INTERPOLATED;
	if (inline_array_fits(b, v, to))
		return CONVERSION_INLINE_ARRAY;
	struct bound copy = *v, *made;
	if (dbg_err_drop(convert_user(b, &copy, to, false, &made)) || !made)
		return CONVERSION_NONE;
	return CONVERSION_USER;
}

/* ---- User-defined ---------------------------------------------------- */

static bool is_any_number(const struct type *type)
{
	return type_is_numeric(type) || type->special == TYPE_SPECIAL_DECIMAL;
}

/*
 * Is it an integer that becomes a decimal? The language does that, without an
 * operator.
 */
static bool to_decimal(const struct type *from, const struct type *to)
{
	return to->special == TYPE_SPECIAL_DECIMAL && type_is_numeric(from) &&
	       from->elem != ELEM_R4 && from->elem != ELEM_R8;
}

/*
 * Of two conversion operators that fit, is @x the more specific one (10.5.4)?
 * It is if its operand type is nearer to @from, or else its result type nearer
 * to @to.
 */
static bool is_more_specific(struct binder *b, const struct type_sig *x,
			     const struct type_sig *y, const struct type *from,
			     struct type *to)
{
	struct type *xs = x->params[0], *ys = y->params[0];
	if (xs != ys)
		return xs == from ||
		       (ys != from && conversion_of_types(b, xs, ys));
	if (x->ret == to || y->ret == to)
		return x->ret == to;
	bool implicit = conversion_of_types(b, x->ret, to);
	if (implicit != (conversion_of_types(b, y->ret, to) != CONVERSION_NONE))
		return implicit;
	return implicit ? conversion_of_types(b, y->ret, x->ret)
			: conversion_of_types(b, x->ret, y->ret);
}

/* A search for an operator that converts @v to @to. */
struct user_search {
	const struct bound *v;
	struct type *to;
	bool is_explicit;
	struct type_method *found; /* the most specific one so far, or NULL */
	const struct type_sig *sig;
};

static bool operator_fits(struct binder *b, const struct user_search *s,
			  const struct type_sig *sig)
{
	struct type *param = sig->params[0], *made = sig->ret;
	if (made->special == TYPE_SPECIAL_NULLABLE)
		made = made->args[0];
	bool in_fits = conversion_of_types(b, s->v->type, param) ||
		       constant_fits(s->v, param);
	// what it makes may be cast further
	return in_fits &&
	       (conversion_of_types(b, sig->ret, s->to) ||
		to_decimal(sig->ret, s->to) ||
		(s->is_explicit && (made == s->to || (is_any_number(made) &&
						      is_any_number(s->to)))));
}

/*
 * Is @name a conversion operator that the search may use? *ret_checked: it is
 * op_CheckedExplicit, which a checked context prefers (10.5.5).
 */
static bool is_conversion(const struct binder *b, const struct user_search *s,
			  const char *name, bool *ret_checked)
{
	*ret_checked =
	    s->is_explicit && b->checked && !strcmp(name, "op_CheckedExplicit");
	return *ret_checked || !strcmp(name, "op_Implicit") ||
	       (s->is_explicit && !strcmp(name, "op_Explicit"));
}

static void search_operators(struct binder *b, struct type *in,
			     struct user_search *s)
{
	struct type_method *const *all;
	size_t n;
	type_methods(b->ts, in, &all, &n);
	for (size_t i = 0; i < n; i++) {
		const struct type_sig *sig;
		bool checked;
		if (!is_conversion(b, s, all[i]->name, &checked) ||
		    dbg_err_drop(type_method_sig(b->ts, all[i], &sig)) ||
		    sig->n_params != 1 || !operator_fits(b, s, sig))
			continue;
		bool like = s->found && sig->ret == s->sig->ret &&
			    sig->params[0] == s->sig->params[0];
		if (like ? !checked
			 : s->found && !is_more_specific(b, sig, s->sig,
							 s->v->type, s->to))
			continue;
		s->found = all[i];
		s->sig = sig;
	}
}

/*
 * Convert by a user-defined operator of either side's type or its base classes
 * (10.5.3).
 */
static struct dbg_error *convert_user(struct binder *b, struct bound *v,
				      struct type *to, bool is_explicit,
				      struct bound **ret)
{
	struct user_search s = {.v = v, .to = to, .is_explicit = is_explicit};
	*ret = NULL;
	for (int i = 0; v->type && i < 2; i++) {
		struct type *in = i ? to : v->type;
		while (in && (in->kind == TYPE_KIND_STRUCT ||
			      in->kind == TYPE_KIND_CLASS)) {
			search_operators(b, in, &s);
			if (dbg_err_drop(type_parent(b->ts, in, &in)))
				break;
		}
	}
	struct type_method *m = s.found;
	if (!m)
		return union_convert(b, v, to, ret);
	struct bound *arg;
	struct dbg_error *err = convert(b, v, s.sig->params[0], &arg);
	if (err)
		return err;
	struct bound *call = bound_call(b, m, &arg, 1, s.sig->ret, v->syntax);
	return is_explicit ? convert_cast(b, call, to, ret)
			   : convert(b, call, to, ret);
}

/* ---- Carrying it out ------------------------------------------------- */

static struct bound *wrap(struct binder *b, enum bound_kind kind,
			  struct bound *v, struct type *to)
{
	struct bound *n = bound_make(b, kind, to, v->syntax);
	n->a = v;
	n->checked = b->checked;
	return n;
}

static struct bound *zeros(struct binder *b, struct bound *v, struct type *to)
{
	return bound_make(b, BOUND_DEFAULT, to, v->syntax);
}

/* U? to T?: null, or its value converted. */
static struct dbg_error *lifted(struct binder *b, struct bound *v,
				struct type *to, struct bound **ret)
{
	struct bound *store, *has, *value;
	struct bound *local = bound_keep(b, v, &store);
	struct dbg_error *err = bound_open(b, local, &has, &value);
	if (!err)
		err = convert_cast(b, value, to->args[0], &value);
	if (!err)
		err = convert(b, value, to, &value);
	if (!err)
		*ret = bound_after(
		    b, &store, 1, bound_choice(b, has, value, zeros(b, v, to)));
	return err;
}

/* T or U? to T?: new T?(v), or its own value lifted. */
static struct dbg_error *to_nullable(struct binder *b, struct bound *v,
				     struct type *to, struct bound **ret)
{
	struct type_method *ctor = type_method_named(b->ts, to, ".ctor", 1);
	if (v->type->special == TYPE_SPECIAL_NULLABLE)
		return lifted(b, v, to, ret);
	struct dbg_error *err = convert(b, v, to->args[0], &v);
	if (err)
		return err;
	*ret = bound_make(b, BOUND_NEW, to, v->syntax);
	(*ret)->method = ctor;
	(*ret)->list = arena_copy(b->arena, &v, 1, sizeof(v));
	(*ret)->n_list = 1;
	return ctor ? NULL
		    : dbg_err(DBG_E_RUNTIME, "no constructor of '%s'",
			      type_name(b->ts, to));
}

/* Convert a number; constants stay constants. */
static struct bound *convert_number(struct binder *b, struct bound *v,
				    struct type *to)
{
	bool real = v->type->elem == ELEM_R4 || v->type->elem == ELEM_R8;
	bool to_real = to->elem == ELEM_R4 || to->elem == ELEM_R8;
	if (v->kind != BOUND_CONST || real || to_real)
		return wrap(b, BOUND_NUMBER, v, to);
	struct bound *n = bound_make(b, BOUND_CONST, to, v->syntax);
	n->integer = v->integer;
	n->constant = v->constant;
	return n;
}

static struct dbg_error *group_to_delegate(struct binder *b, struct bound *v,
					   struct type *to, struct bound **ret)
{
	const struct type_sig *sig;
	struct choice best;
	if (!delegate_types(b, to, &sig))
		return dbg_err_cs(149,
				  dbg_err(DBG_E_ARGUMENT, "'%s' is no delegate",
					  type_name(b->ts, to)));
	struct dbg_error *err =
	    group_resolve(b, v, sig->params, sig->n_params, &best);
	struct type_method *method = best.method;
	if (err)
		return err;
	if (!method)
		return dbg_err_cs(
		    123, bind_error(b, v->syntax, "no method '%s' fits '%s'",
				    v->name, type_name(b->ts, to)));
	if (type_method_attribute(
		method, "System.Diagnostics.ConditionalAttribute", NULL))
		return bind_error(b, v->syntax,
				  "no delegate can be made of '%s': it has the "
				  "attribute Conditional",
				  type_method_name(b->ts, method));
	err = bind_of_base(b, v->a, &method);
	if (err)
		return err;
	*ret = bound_make(b, BOUND_DELEGATE, to, v->syntax);
	(*ret)->a = v->a;
	(*ret)->method = method;
	(*ret)->nonvirtual = bind_is_base(v->a);
	if (v->a && v->a->type->is_value)
		(*ret)->a = wrap(b, BOUND_BOX, v->a, v->a->type);
	return NULL;
}

static struct dbg_error *untyped_to(struct binder *b, struct bound *v,
				    struct type *to, struct bound **ret)
{
	if (v->kind == BOUND_THROW) {
		*ret = arena_copy(b->arena, v, 1, sizeof(*v));
		(*ret)->type = to;
		return NULL;
	}
	if (v->syntax->kind == EXPR_NEW)
		return bind_new(b, v->syntax, to, ret);
	if (v->syntax->kind == EXPR_CHOICE) {
		struct bound *parts[2];
		struct dbg_error *err = convert(b, v->list[0], to, &parts[0]);
		if (!err)
			err = convert(b, v->list[1], to, &parts[1]);
		if (!err)
			*ret = bound_choice(b, v->a, parts[0], parts[1]);
		return err;
	}
	*ret = zeros(b, v, to);
	return NULL;
}

static struct dbg_error *no_conversion(struct binder *b, struct bound *v,
				       struct type *to)
{
	const struct type_sig *sig;
	if (v->kind == BOUND_UNTYPED && v->syntax->kind == EXPR_LAMBDA &&
	    delegate_types(b, tree_delegate(to), &sig))
		return lambda_fault(b, v->syntax, sig, to);
	if (!v->type)
		return dbg_err_cs(29, bind_error(b, v->syntax,
						 "cannot convert '%s' to '%s'",
						 bind_source(b, v->syntax),
						 type_name(b->ts, to)));
	return dbg_err_cs(
	    29, bind_error(b, v->syntax, "cannot convert '%s' to '%s'",
			   type_name(b->ts, v->type), type_name(b->ts, to)));
}

static struct dbg_error *natural(struct binder *b, struct bound *v,
				 struct type *to, struct bound **ret)
{
	struct dbg_error *err = lambda_natural(b, v, ret);
	return err ? err : convert(b, *ret, to, ret);
}

struct dbg_error *convert(struct binder *b, struct bound *v, struct type *to,
			  struct bound **ret)
{
	switch (conversion_find(b, v, to)) {
	case CONVERSION_IDENTITY:
	case CONVERSION_REFERENCE:
		*ret = v->type == to ? v : wrap(b, BOUND_EFFECT, v, to);
		return NULL;
	case CONVERSION_NUMERIC:
	case CONVERSION_CONSTANT:
		*ret = convert_number(b, v, to);
		return NULL;
	case CONVERSION_NULL:
		*ret = zeros(b, v, to);
		return NULL;
	case CONVERSION_NULLABLE:
		return to_nullable(b, v, to, ret);
	case CONVERSION_BOX:
		*ret =
		    wrap(b, BOUND_EFFECT, wrap(b, BOUND_BOX, v, v->type), to);
		return NULL;
	case CONVERSION_LAMBDA:
		if (!tree_delegate(to)->is_delegate)
			return natural(b, v, to, ret);
		return tree_is_wanted(to)
			   ? tree_convert(b, v->syntax, to, ret)
			   : lambda_convert(b, v->syntax, to, ret);
	case CONVERSION_GROUP:
		return group_to_delegate(b, v, to, ret);
	case CONVERSION_UNTYPED:
		return untyped_to(b, v, to, ret);
	case CONVERSION_TUPLE:
		return tuple_convert(b, v, to, ret);
	case CONVERSION_COLLECTION:
		return collection_convert(b, v, to, ret);
	case CONVERSION_INTERPOLATED:
		return interpolated_convert(b, v, to, ret);
	case CONVERSION_INLINE_ARRAY:
		return inline_array_convert(b, v, to, ret);
	case CONVERSION_USER:
		return convert_user(b, v, to, false, ret);
	case CONVERSION_NONE:
		break;
	}
	return no_conversion(b, v, to);
}

/*
 * Is it a number or an enum? Explicit conversions between any of these exist
 * (10.3.2, 10.3.3).
 */
static bool is_number(const struct type *type)
{
	return type_is_numeric(type) || type->kind == TYPE_KIND_ENUM;
}

/* Is there a conversion from it to value types (10.3.7)? */
static bool may_be_box(const struct type *type)
{
	return type->kind == TYPE_KIND_INTERFACE ||
	       type->special == TYPE_SPECIAL_OBJECT ||
	       type->special == TYPE_SPECIAL_VALUETYPE ||
	       type->special == TYPE_SPECIAL_ENUM;
}

/* T or U? to T?, by a cast of the value. */
static struct dbg_error *cast_to_nullable(struct binder *b, struct bound *v,
					  struct type *to, struct bound **ret)
{
	if (v->type->special == TYPE_SPECIAL_NULLABLE)
		return lifted(b, v, to, ret);
	struct dbg_error *err = convert_user(b, v, to, true, ret);
	if (err || *ret)
		return err;
	err = convert_cast(b, v, to->args[0], &v);
	return err ? err : to_nullable(b, v, to, ret);
}

/*
 * A real constant as a decimal, with the digits that the compiler keeps of it;
 * runtimes differ. *ret NULL: it is none.
 */
static struct dbg_error *constant_decimal(struct binder *b, struct bound *v,
					  const struct type *to,
					  struct bound **ret)
{
	char text[64];
	struct decimal d;
	*ret = NULL;
	if (to->special != TYPE_SPECIAL_DECIMAL || v->kind != BOUND_CONST ||
	    !v->constant ||
	    (v->type->elem != ELEM_R4 && v->type->elem != ELEM_R8))
		return NULL;
	snprintf(text, sizeof(text), "%.*g", v->type->elem == ELEM_R4 ? 7 : 15,
		 v->real);
	return decimal_parse(text, &d) ? bound_decimal(b, text, v->syntax, ret)
				       : NULL;
}

struct dbg_error *convert_cast(struct binder *b, struct bound *v,
			       struct type *to, struct bound **ret)
{
	if (v->type) {
		struct dbg_error *err = constant_decimal(b, v, to, ret);
		if (err || *ret)
			return err;
	}
	enum conversion implicit = conversion_find(b, v, to);
	if (v->type && implicit == CONVERSION_USER)
		return convert_user(b, v, to, true, ret);
	if (!v->type || implicit != CONVERSION_NONE)
		return convert(b, v, to, ret);
	*ret = NULL;
	bool from_pointer = type_is_address(v->type);
	if (to->kind == TYPE_KIND_POINTER &&
	    (from_pointer || type_is_numeric(v->type))) {
		if (!from_pointer)
			v = wrap(b, BOUND_NUMBER, v, bind_prim(b, ELEM_U));
		*ret = wrap(b, BOUND_EFFECT, v, to);
		return NULL;
	}
	if ((is_number(v->type) || from_pointer) && is_number(to)) {
		*ret = wrap(b, BOUND_NUMBER, v, to);
		return NULL;
	}
	// explicit nullable conversions (10.3.4)
	if (to->special == TYPE_SPECIAL_NULLABLE && v->type->is_value)
		return cast_to_nullable(b, v, to, ret);
	if (v->type->special == TYPE_SPECIAL_NULLABLE && to->is_value) {
		struct type_method *get =
		    type_method_named(b->ts, v->type, "get_Value", 0);
		struct bound *self = wrap(b, BOUND_ADDRESS, v, NULL);
		self->type = type_byref(b->ts, v->type);
		if (get)
			return convert_cast(b,
					    bound_call(b, get, &self, 1,
						       v->type->args[0],
						       v->syntax),
					    to, ret);
	}
	struct dbg_error *err = convert_user(b, v, to, true, ret);
	if (err || *ret)
		return err;
	if (may_be_box(v->type) && to->is_value)
		*ret = wrap(b, BOUND_UNBOX, v, to);
	else if (v->type->is_reference && to->is_reference)
		*ret = wrap(b, BOUND_CAST, v, to);
	else
		return no_conversion(b, v, to);
	return NULL;
}
