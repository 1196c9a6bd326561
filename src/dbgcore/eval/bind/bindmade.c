/*
 * Nodes of syntax that the text does not have, and values kept in variables:
 * see bindmade.h.
 */
#include "eval/bind/bindmade.h"

#include <string.h>

#include "base/mem.h"
#include "eval/literal.h"

/* ---- Syntax ---------------------------------------------------------- */

struct expr *made_node(struct binder *b, enum expr_kind kind,
		       const struct expr *at)
{
	struct expr *e = arena_alloc(b->arena, sizeof(*e));
	e->kind = kind;
	e->start = at->start;
	e->end = at->end;
	return e;
}

struct expr *made_name(struct binder *b, const char *name,
		       const struct expr *at)
{
	struct expr *e = made_node(b, EXPR_NAME, at);
	e->name = name;
	return e;
}

struct expr *made_int(struct binder *b, int64_t value, const struct expr *at)
{
	struct expr *e = made_node(b, EXPR_LITERAL, at);
	struct token *t = arena_alloc(b->arena, sizeof(*t));
	t->kind = TOKEN_INTEGER;
	t->elem = ELEM_I4;
	t->integer = (uint64_t)value;
	t->text = "";
	e->token = t;
	return e;
}

struct expr *made_list(struct binder *b, enum expr_kind kind,
		       const struct expr *const *list, size_t n,
		       const struct expr *at)
{
	struct expr *e = made_node(b, kind, at);
	e->list = arena_copy(b->arena, list, n, sizeof(*list));
	e->n_list = n;
	return e;
}

struct expr *made_member(struct binder *b, const struct expr *of,
			 const char *name)
{
	struct expr *e = made_node(b, EXPR_MEMBER, of);
	e->a = (struct expr *)of;
	e->name = name;
	return e;
}

static struct expr *argument(struct binder *b, const struct expr *value)
{
	struct expr *e = made_node(b, EXPR_ARGUMENT, value);
	e->a = (struct expr *)value;
	return e;
}

struct expr *made_call(struct binder *b, const struct expr *of,
		       const char *name, const struct expr *const *args,
		       size_t n)
{
	struct expr *e = made_node(b, EXPR_CALL, of);
	e->a = name ? made_member(b, of, name) : (struct expr *)of;
	e->list = arena_calloc(b->arena, n + 1, sizeof(*e->list));
	e->n_list = n;
	for (size_t i = 0; i < n; i++)
		e->list[i] = argument(b, args[i]);
	return e;
}

struct expr *made_index(struct binder *b, const struct expr *of,
			const struct expr *index)
{
	struct expr *e = made_call(b, of, NULL, &index, 1);
	e->kind = EXPR_INDEX;
	return e;
}

struct expr *made_binary(struct binder *b, enum op op, const struct expr *l,
			 const struct expr *r)
{
	struct expr *e = made_node(b, EXPR_BINARY, l);
	e->op = op;
	e->a = (struct expr *)l;
	e->b = (struct expr *)r;
	return e;
}

/* ---- Values ---------------------------------------------------------- */

void name_push(struct binder *b, struct bound_var *var)
{
	struct name_scope *scope = arena_alloc(b->arena, sizeof(*scope));
	scope->outer = b->names;
	scope->var = var;
	b->names = scope;
}

struct bound *bound_type_object(struct binder *b, struct type *of,
				const struct expr *x)
{
	uint64_t object = vm_type_object(b->vm, of);
	struct type *type = type_core(b->ts, "System.Type");
	struct bound *n = bound_make(b, BOUND_PLACE, type, x);
	n->addr = vm_room(b->vm, sizeof(object));
	vm_write(b->vm, n->addr, &object, sizeof(object));
	return n;
}

struct bound *bound_text(struct binder *b, const char *text,
			 const struct expr *x)
{
	struct bound *v =
	    bound_make(b, BOUND_STRING, bind_prim(b, ELEM_STRING), x);
	// UTF-16 has no more units than UTF-8 has bytes
	uint16_t *units =
	    arena_calloc(b->arena, strlen(text) + 1, sizeof(*units));
	v->n_units = literal_units(text, units);
	v->units = units;
	return v;
}

struct bound *bound_store(struct binder *b, struct bound *to, struct bound *v)
{
	struct bound *n = bound_make(b, BOUND_STORE, to->type, v->syntax);
	n->a = to;
	n->b = v;
	return n;
}

struct bound *bound_keep(struct binder *b, struct bound *v,
			 struct bound **ret_store)
{
	struct bound *local = bound_local(b, v->type, v->syntax);
	*ret_store = bound_store(b, local, v);
	return local;
}

struct expr *made_keep(struct binder *b, struct bound *v,
		       struct bound **ret_store)
{
	struct bound *local = bound_keep(b, v, ret_store);
	local->var->name = arena_printf(b->arena, "?%zu", b->n_locals);
	name_push(b, local->var);
	return made_name(b, local->var->name, v->syntax);
}

struct bound *bound_after(struct binder *b, struct bound *const *list, size_t n,
			  struct bound *v)
{
	if (!n)
		return v;
	struct bound *e = bound_make(b, BOUND_EFFECT, v->type, v->syntax);
	e->list = arena_copy(b->arena, list, n, sizeof(*list));
	e->n_list = n;
	e->a = v;
	return e;
}

bool bound_is_pure(const struct bound *v)
{
	return v->kind == BOUND_CONST || v->kind == BOUND_STRING ||
	       v->kind == BOUND_VAR || v->kind == BOUND_PLACE;
}
