/*
 * `a = b = c`. C# finds the places from left to right, then evaluates c, then
 * writes from right to left. Carried out only where the places are the same
 * whenever they are looked for, and no call stands between what is written.
 */
#include "base/err.h"
#include "eval/assign/assign.h"
#include "eval/assign/assign_priv.h"
#include "eval/bind/bind.h"
#include "eval/dollar.h"
#include "eval/overload/conversion.h"
#include "stack/stack.h"

enum {
	CHAIN_MAX = 8
};

struct chain {
	struct binder b; /* makes no calls */
	struct eval plain;
	const struct expr *targets[CHAIN_MAX]; /* as written */
	struct assignment to[CHAIN_MAX];
	struct value values[CHAIN_MAX];
	size_t n;
};

static struct dbg_error *not_chained(const struct chain *c, size_t i)
{
	return dbg_err(DBG_E_UNSUPPORTED,
		       "'%s' cannot be assigned to in a chain: assign to one "
		       "after the other",
		       bind_source(&c->b, c->targets[i]));
}

/*
 * Is @n, written @x, the same place whatever is evaluated and written before?
 * A variable, a field of `this`, what is static; unless a setter is called.
 */
static bool is_fixed(struct binder *b, const struct expr *x,
		     const struct bound *n)
{
	bool is_static = n->kind == BOUND_FIELD
			     ? !n->a
			     : n->kind == BOUND_CALL &&
				   (n->method->flags & TYPE_METHOD_STATIC);
	bool is_own = x->kind == EXPR_MEMBER &&
		      (x->a->kind == EXPR_THIS || x->a->kind == EXPR_BASE);
	return !assigncall_sets(b, n) &&
	       (x->kind == EXPR_NAME || x->kind == EXPR_THIS || is_own ||
		(x->kind == EXPR_MEMBER && is_static));
}

static struct dbg_error *chain_place(struct chain *c, size_t i)
{
	const struct expr *x = c->targets[i];
	const struct thread_ref *t = c->plain.scope->thread;
	struct assignment *a = &c->to[i];
	struct bound *place = NULL;
	bool in_heap;
	*a = (struct assignment){
	    .b = &c->b, .name = bind_source(&c->b, x), .ret = &a->to};
	if (x->kind == EXPR_NAME && dollar_names(x->name))
		return not_chained(c, i);
	struct dbg_error *err = assignment_place(a, x, &place);
	bool refused =
	    (place && assignment_writes(place) && !is_fixed(&c->b, x, place)) ||
	    (!err && a->to.where != VALUE_MEMORY);
	if (refused) {
		dbg_error_destroy(err);
		return not_chained(c, i);
	}
	// not while the collector is at work
	return err ? err
		   : dac_heap_holds(values_dac(c->plain.values), t ? t->tid : 0,
				    a->to.addr, &in_heap);
}

/* Keep what it is now: a later one is written from it. */
static struct dbg_error *chain_keep(struct chain *c, size_t i)
{
	struct value *v = &c->values[i];
	size_t n =
	    v->type->is_reference ? sizeof(uint64_t) : type_size(v->type);
	uint8_t bytes[sizeof(v->bytes)];
	if (n > sizeof(bytes))
		return not_chained(c, i);
	if (!value_read(c->plain.values, v, 0, bytes, n))
		return dbg_err(DBG_E_MEMORY, "the new value cannot be read");
	*v = value_bytes(v->type, bytes, n);
	return NULL;
}

/* The value on the right, @x, as the last target is given it. */
static struct dbg_error *chain_value(struct chain *c, const struct eval *e,
				     const struct expr *x)
{
	struct binder right;
	struct bound *n;
	struct assignment *a = &c->to[c->n - 1];
	struct value *v = &c->values[c->n - 1];
	binder_init(&right, e, c->b.text);
	right.wanted = assignment_enum(a->type);
	struct dbg_error *err = bind_operand(&right, x, &n);
	if (!err)
		err = assignment_value(a, &right, n, v);
	if (!err)
		err = assignment_made(a, e, v, v);
	return err ? err : chain_keep(c, c->n - 1);
}

/*
 * Convert the value for target @i: the value of the target to the right of it,
 * with that target's type.
 */
static struct dbg_error *chain_convert(struct chain *c, size_t i)
{
	struct assignment *a = &c->to[i];
	struct bound *n = bound_value(&c->b, &c->values[i + 1],
				      c->to[i + 1].type, c->targets[i + 1]);
	// a box is an object that has to be made
	if (conversion_find(&c->b, n, a->type) == CONVERSION_BOX)
		return not_chained(c, i);
	struct dbg_error *err = assignment_value(a, &c->b, n, &c->values[i]);
	if (!err && assigncall_is_imaginary(c->plain.values, &c->values[i]))
		return not_chained(c, i);
	return err ? err : chain_keep(c, i);
}

static struct dbg_error *chain_write(struct chain *c, size_t i)
{
	const struct value *v = &c->values[i];
	bool null = value_is_null(c->plain.values, v);
	return assignment_store(&c->to[i], &c->to[i].to, null ? NULL : v);
}

struct dbg_error *bind_assign_each(const struct eval *e, const char *text,
				   const struct expr *const *targets,
				   const struct expr *const *values, size_t n,
				   struct value *ret)
{
	struct chain c = {.plain = *e};
	struct dbg_error *err = NULL;
	c.plain.calls = NULL;
	binder_init(&c.b, &c.plain, text);
	for (; c.n < n && c.n < CHAIN_MAX && !err; c.n++) {
		struct assignment *a = &c.to[c.n];
		struct bound *place, *v;
		const struct expr *x = c.targets[c.n] = targets[c.n];
		*a = (struct assignment){
		    .b = &c.b, .name = bind_source(&c.b, x), .ret = &a->to};
		err = assignment_place(a, x, &place);
		if (!err && a->to.where != VALUE_MEMORY)
			err = not_chained(&c, c.n);
		if (!err)
			err = bind_operand(&c.b, values[c.n], &v);
		if (!err)
			err = assignment_value(a, &c.b, v, &c.values[c.n]);
		if (!err && assigncall_is_imaginary(e->values, &c.values[c.n]))
			err = not_chained(&c, c.n);
		if (!err)
			err = chain_keep(&c, c.n);
	}
	for (size_t i = 0; !err && i < n; i++)
		err = chain_write(&c, i);
	if (!err)
		*ret = c.to[n - 1].to;
	return err;
}

struct dbg_error *bind_assign_chain(const struct eval *e, const char *text,
				    const struct expr *x, struct value *ret)
{
	struct chain c = {.plain = *e};
	struct dbg_error *err = NULL;
	c.plain.calls = NULL;
	binder_init(&c.b, &c.plain, text);
	for (; x->kind == EXPR_ASSIGN && x->op == OP_NONE; x = x->b) {
		if (c.n == CHAIN_MAX)
			return not_chained(&c, 0);
		c.targets[c.n++] = x->a;
	}
	for (size_t i = 0; !err && i < c.n; i++)
		err = chain_place(&c, i);
	if (!err)
		err = chain_value(&c, e, x);
	for (size_t i = c.n - 1; !err && i-- > 0;)
		err = chain_convert(&c, i);
	for (size_t i = c.n; !err && i-- > 0;)
		err = chain_write(&c, i);
	if (!err)
		*ret = c.to[0].to;
	return err;
}
