/*
 * Compiling switch, throw, return and the ends of handlers. A leave knows the
 * finally blocks on its way from the table of clauses; they run by the
 * operation, innermost first.
 */
#include "il/compile/compile_priv.h"

bool gen_switch(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	struct spot value;
	uint32_t end = in->offset + in->size;
	if (!pop(c, &value))
		return false;
	emit(c, op_switch, 0, value.at, 0)->n = in->n_cases;
	for (uint32_t k = 0; k < in->n_cases; k++) {
		uint32_t case_at = end + (uint32_t)get_i4(in->cases + 4 * k);
		emit(c, op_jump, 0, 0, 0);
		if (!branch_to(c, case_at))
			return false;
	}
	return true;
}

/* ---- Exceptions -------------------------------------------------------- */

static bool in_range(uint32_t at, uint32_t from, uint32_t to)
{
	return at >= from && at < to;
}

/* The innermost clause whose handler (or filter) holds the instruction. */
static bool enclosing(struct compiler *c, unsigned int kinds, bool of_filter,
		      uint32_t *ret)
{
	for (size_t k = 0; k < c->body.n_clauses; k++) {
		const struct type_eh *e = &c->body.clauses[k];
		uint32_t from = of_filter ? e->filter : e->handler_start;
		uint32_t to = of_filter ? e->handler_start : e->handler_end;
		if ((kinds >> e->flags & 1) && in_range(c->offset, from, to)) {
			*ret = (uint32_t)k;
			return true;
		}
	}
	return fail(c, "the end of a handler outside of one");
}

bool gen_leave(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	uint32_t target = (uint32_t)in->value;
	c->n_stack = 0;
	c->top = c->base;
	for (size_t k = 0; k < c->body.n_clauses; k++) {
		const struct type_eh *e = &c->body.clauses[k];
		if (e->flags == CLAUSE_FINALLY &&
		    in_range(c->offset, e->try_start, e->try_end) &&
		    !in_range(target, e->try_start, e->try_end))
			emit(c, op_leave_call, 0, 0, 0)->n = (uint32_t)k;
	}
	return gen_jump(c, in, arg);
}

bool gen_throw(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	(void)arg;
	struct spot object;
	if (!pop(c, &object))
		return false;
	emit(c, op_throw, 0, object.at, 0);
	c->reached = false;
	return true;
}

bool gen_rethrow(struct compiler *c, const struct il_insn *in, int arg)
{
	uint32_t k = 0;
	(void)in;
	(void)arg;
	if (!enclosing(c, 1u << CLAUSE_CATCH | 1u << CLAUSE_FILTER, false, &k))
		return false;
	emit(c, op_rethrow, 0, 0, 0)->n = k;
	c->reached = false;
	return true;
}

bool gen_end_finally(struct compiler *c, const struct il_insn *in, int arg)
{
	uint32_t k = 0;
	(void)in;
	(void)arg;
	if (!enclosing(c, 1u << CLAUSE_FINALLY | 1u << CLAUSE_FAULT, false, &k))
		return false;
	emit(c, op_end_finally, 0, 0, 0)->n = k;
	c->reached = false;
	return true;
}

bool gen_end_filter(struct compiler *c, const struct il_insn *in, int arg)
{
	uint32_t k = 0;
	struct spot value;
	(void)in;
	(void)arg;
	if (!enclosing(c, 1u << CLAUSE_FILTER, true, &k) || !pop(c, &value))
		return false;
	emit(c, op_end_filter, 0, value.at, 0)->n = k;
	c->reached = false;
	return true;
}

bool gen_return(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape shape;
	struct spot value = {0};
	(void)in;
	(void)arg;
	if (!shape_of(c, c->sig->ret, &shape))
		return false;
	if (shape.place) {
		if (!pop(c, &value) || !coerce(c, &value, shape.kind))
			return false;
		if (value.shape.place != shape.place)
			return fail(c, "another value is returned");
		if (shape.access < ACCESS_4)
			emit(c, ops_move[shape.access], value.at, value.at, 0);
	}
	emit(c, op_return, 0, value.at, 0)->n = shape.place;
	c->reached = false;
	return true;
}
