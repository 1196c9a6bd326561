/* Shared by scope.c and scope.c. */
#ifndef EVAL_SCOPE_PRIV_H
#define EVAL_SCOPE_PRIV_H

#include "eval/scope.h"

enum {
	CLOSURES_MAX = 32 /* around each other */
};

struct gather {
	struct values *ts;
	const struct frame *frame;
	struct arena *arena;
	struct scope *scope;
	size_t cap;
	struct il_range *hoisted;
	size_t n_hoisted;
	uint32_t end; /* of the block at hand, see struct var */
	/*
	 * 0: the variables added next belong to the method itself; more: to a
	 * closure that the method was given. The method's own variables hide
	 * those of closures.
	 */
	unsigned int level;
	uint64_t outer[CLOSURES_MAX]; /* addresses of those closures */
	size_t n_outer;
	const struct var_origin *origin; /* of the next variable */
};

struct slots {
	struct sig_type **sigs;
	uint32_t n_sigs;
	struct dac_var *vars;
	size_t n_vars;
};

/* Append a variable; it may be changed until the next is added. */
struct var *scope_add(struct gather *g, const char *name, enum var_kind kind,
		      struct value value);
/* A LocalConstant of the PDB. */
void scope_add_constant(struct gather *g, const struct pdb_local *local);
/* Static locals of a method of Visual Basic. */
void scope_add_statics(struct gather *g);
/* The class that the code is of, NULL: unknown, and its generic arguments. */
void scope_set_class(struct scope *s, struct type *type);
/* Generic arguments of a method; NULL: one that the code does not tell. */
void scope_method_args(struct gather *g, uint64_t method);
/*
 * Give the tuples in the parameter @seq (0: what is returned) of a method of
 * the scope's module their names.
 */
void scope_name_param(struct gather *g, uint32_t method_rid, uint32_t seq,
		      struct value *v);

#endif
