/*
 * IL of statements. They stand at the top of a method, with nothing on the
 * stack. Every jump is a `leave`, which runs the finally blocks that it goes
 * out of, and empties the stack; where it leads is filled in when that place
 * is reached.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/generate/generate_priv.h"

/* ---- Jumps ----------------------------------------------------------- */

/* A jump to the end (or step) of @to, NULL: to the end of the method. */
static void jump_to(struct generator *e, const struct bound *to, bool again)
{
	if (e->n_jumps == e->cap_jumps) {
		size_t cap = e->cap_jumps ? e->cap_jumps * 2 : 16;
		struct jump *more =
		    arena_calloc(e->b->arena, cap, sizeof(*more));
		if (e->n_jumps)
			memcpy(more, e->jumps, e->n_jumps * sizeof(*more));
		e->jumps = more;
		e->cap_jumps = cap;
	}
	e->jumps[e->n_jumps++] = (struct jump){
	    .to = to, .again = again, .at = ilgen_branch(e, IL_OP_LEAVE)};
}

void ilgen_land_all(struct generator *e, const struct bound *to, bool again)
{
	size_t n = 0;
	for (size_t i = 0; i < e->n_jumps; i++) {
		const struct jump *j = &e->jumps[i];
		if (j->to == to && j->again == again)
			ilgen_land(e, j->at);
		else
			e->jumps[n++] = *j;
	}
	e->n_jumps = n;
}

static void jump_back(struct generator *e, enum il_code op, size_t target)
{
	size_t at = ilgen_branch(e, op);
	uint32_t distance = (uint32_t)target - (uint32_t)at;
	for (size_t i = 0; i < 4; i++)
		e->code.s[at - 4 + i] = (char)(distance >> (8 * i));
}

/* ---- Flow ------------------------------------------------------------ */

struct dbg_error *ilgen_statement(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = ilgen_value(e, n);
	bool value =
	    n->kind != BOUND_THROW && n->type && n->type->elem != ELEM_VOID;
	if (!err && value)
		ilgen_op(e, IL_OP_POP);
	return err;
}

struct dbg_error *ilgen_block(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = NULL;
	// Each time round a loop, a lambda shares a new variable.
	for (size_t i = 0; i < n->n_vars; i++)
		ilgen_fresh(e, n->vars[i]);
	for (size_t i = 0; !err && i < n->n_list; i++)
		err = ilgen_statement(e, n->list[i]);
	return err;
}

struct dbg_error *ilgen_if(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = ilgen_value(e, n->a);
	size_t otherwise = ilgen_branch(e, IL_OP_BRFALSE);
	if (!err)
		err = ilgen_statement(e, n->b);
	if (err || !n->c) {
		ilgen_land(e, otherwise);
		return err;
	}
	size_t end = ilgen_branch(e, IL_OP_BR);
	ilgen_land(e, otherwise);
	err = ilgen_statement(e, n->c);
	ilgen_land(e, end);
	return err;
}

struct dbg_error *ilgen_loop(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = NULL;
	size_t start = e->code.len, out = 0;
	if (n->a && !n->late) {
		err = ilgen_value(e, n->a);
		out = ilgen_branch(e, IL_OP_BRFALSE);
	}
	if (!err)
		err = ilgen_statement(e, n->b);
	ilgen_land_all(e, n, true);
	if (!err && n->c)
		err = ilgen_statement(e, n->c);
	if (!err && n->a && n->late) {
		err = ilgen_value(e, n->a);
		jump_back(e, IL_OP_BRTRUE, start);
	} else {
		jump_back(e, IL_OP_BR, start);
	}
	if (out)
		ilgen_land(e, out);
	ilgen_land_all(e, n, false);
	return err;
}

struct dbg_error *ilgen_once(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = ilgen_statement(e, n->b);
	ilgen_land_all(e, n, false);
	return err;
}

struct dbg_error *ilgen_jump(struct generator *e, const struct bound *n)
{
	jump_to(e, n->a, n->kind == BOUND_CONTINUE);
	return NULL;
}

struct dbg_error *ilgen_return(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = NULL;
	if (n->a && e->returns) {
		err = ilgen_value(e, n->a);
		ilgen_var(e, IL_OP_STLOC, e->result);
	}
	jump_to(e, NULL, false);
	return err;
}

/* ---- Exceptions ------------------------------------------------------ */

static void add_clause(struct generator *e, struct type_eh clause)
{
	struct type_eh *more =
	    arena_calloc(e->b->arena, e->n_clauses + 1, sizeof(*more));
	if (e->n_clauses)
		memcpy(more, e->clauses, e->n_clauses * sizeof(*more));
	more[e->n_clauses++] = clause;
	e->clauses = more;
}

/* `when`: is it of the type, and is the condition true? */
static struct dbg_error *ilgen_filter(struct generator *e,
				      const struct bound *n)
{
	ilgen_type(e, IL_OP_ISINST, n->var->type);
	ilgen_set(e, n->var);
	ilgen_variable(e, n->var);
	size_t other = ilgen_branch(e, IL_OP_BRFALSE);
	uint32_t slot = ilgen_temporary(e, bind_prim(e->b, ELEM_I4));
	struct dbg_error *err = ilgen_value(e, n->a);
	ilgen_var(e, IL_OP_STLOC, slot);
	size_t end = ilgen_branch(e, IL_OP_BR);
	ilgen_land(e, other);
	ilgen_int(e, 0, false);
	ilgen_var(e, IL_OP_STLOC, slot);
	ilgen_land(e, end);
	ilgen_var(e, IL_OP_LDLOC, slot);
	ilgen_op(e, IL_OP_ENDFILTER);
	return err;
}

static struct dbg_error *ilgen_catch(struct generator *e, const struct bound *n,
				     struct type_eh clause)
{
	struct dbg_error *err = NULL;
	clause.flags = n->a ? 1 : 0;
	clause.filter = (uint32_t)e->code.len;
	clause.caught = n->var->type;
	if (n->a)
		err = ilgen_filter(e, n);
	clause.handler_start = (uint32_t)e->code.len;
	if (n->a)
		ilgen_op(e, IL_OP_POP);
	else
		ilgen_set(e, n->var);
	if (!err)
		err = ilgen_statement(e, n->b);
	jump_to(e, n, false);
	clause.handler_end = (uint32_t)e->code.len;
	add_clause(e, clause);
	return err;
}

struct dbg_error *ilgen_try(struct generator *e, const struct bound *n)
{
	struct type_eh clause = {.try_start = (uint32_t)e->code.len};
	struct dbg_error *err = ilgen_statement(e, n->a);
	jump_to(e, n, false);
	clause.try_end = (uint32_t)e->code.len;
	for (size_t i = 0; !err && i < n->n_list; i++) {
		err = ilgen_catch(e, n->list[i], clause);
		// behind the handler is behind the statement
		for (size_t k = 0; k < e->n_jumps; k++) {
			if (e->jumps[k].to == n->list[i])
				e->jumps[k].to = n;
		}
	}
	if (!err && n->b) {
		clause.try_end = (uint32_t)e->code.len;
		clause.flags = 2;
		clause.handler_start = (uint32_t)e->code.len;
		err = ilgen_statement(e, n->b);
		ilgen_op(e, IL_OP_ENDFINALLY);
		clause.handler_end = (uint32_t)e->code.len;
		add_clause(e, clause);
	}
	ilgen_land_all(e, n, false);
	return err;
}
