/*
 * Lambdas. One is bound for given types of its parameters, during inference
 * perhaps several times; what came of it is remembered, so that lambdas within
 * lambdas don't multiply.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/statement/bindasync.h"
#include "eval/overload/bindlambda.h"
#include "eval/statement/bindstatement.h"
#include "eval/overload/conversion.h"

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
