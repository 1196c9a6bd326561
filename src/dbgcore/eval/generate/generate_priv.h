/* IL under construction: generate.c. */
#ifndef EVAL_GENERATE_PRIV_H
#define EVAL_GENERATE_PRIV_H

#include "base/str.h"
#include "eval/bind/bind_priv.h"
#include "il/made.h"
#include "meta/il.h"

/* The local of a variable; a captured one's is its T[1]. */
struct slot {
	const struct bound_var *var; /* NULL: for a moment */
	struct type *type;
};

/* A jump whose end is not known yet. */
struct jump {
	const struct bound *to; /* NULL: the end of the method */
	bool again;             /* its step, not behind it */
	size_t at;
};

/* State of generating one method. */
struct generator {
	struct binder *b;
	const struct bound_lambda *lambda; /* NULL: the expression */
	struct str code;
	struct slot *slots;
	size_t n_slots, cap_slots;
	struct made_entry *pool;
	size_t n_pool, cap_pool;
	struct jump *jumps;
	size_t n_jumps, cap_jumps;
	struct type_eh *clauses;
	size_t n_clauses;
	bool returns;    /* a value, kept in the local */
	uint32_t result; /* until the method's end */
};

void ilgen_op(struct generator *e, enum il_code op);
void ilgen_type(struct generator *e, enum il_code op, struct type *type);
void ilgen_call(struct generator *e, enum il_code op, struct type_method *m);
void ilgen_field(struct generator *e, enum il_code op, struct type_field *f);
void ilgen_int(struct generator *e, int64_t value, bool wide);
/* A branch whose target is set later, by ilgen_land. */
size_t ilgen_branch(struct generator *e, enum il_code op);
void ilgen_land(struct generator *e, size_t branch);
uint32_t ilgen_temporary(struct generator *e, struct type *type);
/* ldloc and the like: a variable of 16 bits. */
void ilgen_var(struct generator *e, enum il_code op, uint32_t index);
void ilgen_variable(struct generator *e, const struct bound_var *var);

/* Captured variables of this method get their vectors. */
void ilgen_prologue(struct generator *e);
/* Push the vector of a captured variable. */
void ilgen_holder(struct generator *e, const struct bound_var *var);
DBG_MUST struct dbg_error *ilgen_delegate(struct generator *e,
					  const struct bound *n);
DBG_MUST struct dbg_error *ilgen_lambda(struct generator *e,
					const struct bound *n);
/* Push the value of a node; its address. */
DBG_MUST struct dbg_error *ilgen_value(struct generator *e,
				       const struct bound *n);
DBG_MUST struct dbg_error *ilgen_address(struct generator *e,
					 const struct bound *n);
/* ---- generate.c ---------------------------------------------- */

DBG_MUST struct dbg_error *ilgen_statement(struct generator *e,
					   const struct bound *n);
DBG_MUST struct dbg_error *ilgen_block(struct generator *e,
				       const struct bound *n);
DBG_MUST struct dbg_error *ilgen_if(struct generator *e, const struct bound *n);
DBG_MUST struct dbg_error *ilgen_loop(struct generator *e,
				      const struct bound *n);
DBG_MUST struct dbg_error *ilgen_once(struct generator *e,
				      const struct bound *n);
DBG_MUST struct dbg_error *ilgen_jump(struct generator *e,
				      const struct bound *n);
DBG_MUST struct dbg_error *ilgen_return(struct generator *e,
					const struct bound *n);
DBG_MUST struct dbg_error *ilgen_try(struct generator *e,
				     const struct bound *n);
/*
 * Let the pending jumps out of the statement @to (or with @again the jumps to
 * its next iteration) land at the next instruction.
 */
void ilgen_land_all(struct generator *e, const struct bound *to, bool again);

#endif
