/*
 * Methods and delegates: the expression is one method, each lambda in it
 * another, whose `this` is the closure with the variables that it captures.
 */
#include "base/err.h"
#include "base/mem.h"
#include "eval/overload/bindparam.h"
#include "eval/generate/generate_priv.h"

static struct dbg_error *ilgen_delegate_new(struct generator *e,
					    const struct bound *n)
{
	struct type_method *ctor =
	    type_method_named(e->b->ts, n->type, ".ctor", 2);
	if (!ctor)
		return dbg_err(DBG_E_RUNTIME, "'%s' is no delegate",
			       type_name(e->b->ts, n->type));
	ilgen_call(e, IL_OP_NEWOBJ, ctor);
	return NULL;
}

struct dbg_error *ilgen_delegate(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = NULL;
	bool is_virtual =
	    n->a && !n->nonvirtual && (n->method->flags & TYPE_METHOD_VIRTUAL);
	if (n->a && !(n->method->flags & TYPE_METHOD_STATIC))
		err = ilgen_value(e, n->a);
	else
		ilgen_op(e, IL_OP_LDNULL);
	if (err)
		return err;
	if (is_virtual)
		ilgen_op(e, IL_OP_DUP);
	ilgen_call(e, is_virtual ? IL_OP_LDVIRTFTN : IL_OP_LDFTN, n->method);
	return ilgen_delegate_new(e, n);
}

static struct dbg_error *method_finish(struct generator *e, const char *name,
				       const struct type_sig *sig,
				       struct type_method **ret)
{
	struct arena *arena = e->b->e->arena;
	struct type **locals =
	    arena_calloc(arena, e->n_slots + 1, sizeof(*locals));
	for (size_t i = 0; i < e->n_slots; i++)
		locals[i] = e->slots[i].type;
	for (size_t i = 0; i < e->n_pool; i++)
		if (e->pool[i].kind == MADE_STRING)
			e->pool[i].units = arena_copy(
			    arena, e->pool[i].units, e->pool[i].n_units,
			    sizeof(*e->pool[i].units));
	const struct made_code code = {
	    .code = {arena_copy(arena, e->code.s, e->code.len, 1), e->code.len},
	    .locals = locals,
	    .n_locals = e->n_slots,
	    .clauses = arena_copy(arena, e->clauses, e->n_clauses,
				  sizeof(*e->clauses)),
	    .n_clauses = e->n_clauses,
	    .pool = arena_copy(arena, e->pool, e->n_pool, sizeof(*e->pool)),
	    .n_pool = e->n_pool};
	str_deinit(&e->code);
	*ret = made_create(arena, name, sig, &code);
	return NULL;
}

/*
 * Generate one method that returns the value of @body, by the signature @sig.
 */
static struct dbg_error *ilgen_body(struct binder *b,
				    const struct bound_lambda *lambda,
				    const struct bound *body,
				    const struct type_sig *sig,
				    struct type_method **ret)
{
	struct generator e = {.b = b, .lambda = lambda};
	struct dbg_error *err;
	bool value = body->kind != BOUND_THROW && body->type->elem != ELEM_VOID;
	e.returns = sig->ret->elem != ELEM_VOID;
	ilgen_prologue(&e);
	if (body->kind == BOUND_BLOCK) {
		if (e.returns)
			e.result = ilgen_temporary(&e, sig->ret);
		err = ilgen_statement(&e, body);
		ilgen_land_all(&e, NULL, false);
		if (e.returns)
			ilgen_var(&e, IL_OP_LDLOC, e.result);
	} else {
		err = ilgen_value(&e, body);
		if (value && !e.returns)
			ilgen_op(&e, IL_OP_POP);
	}
	ilgen_op(&e, IL_OP_RET);
	if (!err)
		return method_finish(&e, lambda ? "lambda" : "expression", sig,
				     ret);
	str_deinit(&e.code);
	return err;
}

static struct dbg_error *ilgen_closure(struct generator *e,
				       const struct bound_lambda *l)
{
	ilgen_int(e, (int64_t)l->n_captures, false);
	ilgen_type(e, IL_OP_NEWARR, bind_prim(e->b, ELEM_OBJECT));
	for (size_t i = 0; i < l->n_captures; i++) {
		ilgen_op(e, IL_OP_DUP);
		ilgen_int(e, (int64_t)i, false);
		ilgen_holder(e, l->captures[i]);
		ilgen_op(e, IL_OP_STELEM_REF);
	}
	return NULL;
}

struct dbg_error *ilgen_lambda(struct generator *e, const struct bound *n)
{
	const struct bound_lambda *l = n->lambda;
	struct binder *b = e->b;
	const struct type_sig *invoke;
	struct type_method *m;
	struct dbg_error *err =
	    type_method_sig(b->ts, type_method_invoke(b->ts, n->type), &invoke);
	if (err)
		return err;
	struct type_sig sig = {.ret = invoke->ret, .n_params = l->n_params + 1};
	sig.params =
	    arena_calloc(b->e->arena, sig.n_params, sizeof(*sig.params));
	sig.params[0] = bind_prim(b, ELEM_OBJECT);
	for (size_t i = 0; i < l->n_params; i++)
		sig.params[i + 1] = l->params[i]->type;
	err = ilgen_body(b, l, n->a, &sig, &m);
	if (!err)
		err = ilgen_closure(e, l);
	if (err)
		return err;
	ilgen_call(e, IL_OP_LDFTN, m);
	return ilgen_delegate_new(e, n);
}

struct dbg_error *ilgen_method(struct binder *b, struct bound *body,
			       struct type_method **ret)
{
	struct type_sig sig = {.ret = body->type};
	const struct frame_params *p = b->params;
	if (p) {
		sig.n_params = p->n + 1;
		sig.params = arena_calloc(b->e->arena, sig.n_params,
					  sizeof(*sig.params));
		sig.params[0] = bind_prim(b, ELEM_OBJECT);
	}
	for (size_t i = 0; p && i < p->n; i++)
		sig.params[i + 1] = p->vars[i]->type;
	return ilgen_body(b, NULL, body, &sig, ret);
}
