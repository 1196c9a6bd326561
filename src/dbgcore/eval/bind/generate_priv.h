/* IL under construction: generate.c, generateop.c. */
#ifndef EVAL_GENERATE_PRIV_H
#define EVAL_GENERATE_PRIV_H

#include "base/str.h"
#include "eval/bind/bind_priv.h"
#include "il/made.h"
#include "meta/il.h"

/* The local of a variable; a captured one's is its T[1]. */
struct slot {
	const struct bound_var *var; /* NULL: for a moment */
	struct il_type *type;
};

/* One method. */
struct generator {
	struct binder *b;
	const struct bound_lambda *lambda; /* NULL: the expression */
	struct str code;
	struct slot *slots;
	size_t n_slots, cap_slots;
	struct made_entry *pool;
	size_t n_pool, cap_pool;
};

void ilgen_op(struct generator *e, enum il_code op);
void ilgen_op4(struct generator *e, enum il_code op, uint32_t operand);
void ilgen_type(struct generator *e, enum il_code op, struct il_type *type);
void ilgen_call(struct generator *e, enum il_code op, struct il_method *m);
void ilgen_field(struct generator *e, enum il_code op, struct il_field *f);
void ilgen_int(struct generator *e, int64_t value, bool wide);
/* A branch whose target is set later, by ilgen_land. */
size_t ilgen_branch(struct generator *e, enum il_code op);
void ilgen_land(struct generator *e, size_t branch);
uint32_t ilgen_temporary(struct generator *e, struct il_type *type);

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
/* The operators on numbers, whose operands are pushed here. */
DBG_MUST struct dbg_error *ilgen_binary(struct generator *e,
					const struct bound *n);
DBG_MUST struct dbg_error *ilgen_number(struct generator *e,
					const struct bound *n);

#endif
