/* Parts of an assignment: the place, the value, writing it. */
#ifndef EVAL_ASSIGN_PRIV_H
#define EVAL_ASSIGN_PRIV_H

#include "eval/bind/bind.h"
#include "eval/bind/bind_priv.h"

struct assignment {
	struct binder *b;  /* of the target */
	const char *name;  /* the target as written */
	struct value to;   /* its place, by-refs followed */
	struct type *type; /* of the place */
	struct value *ret; /* the place afterwards */
};

/* Find the place that @x is: a->to, a->type. *ret as soon as it is bound. */
DBG_MUST struct dbg_error *assignment_place(struct assignment *a,
					    const struct expr *x,
					    struct bound **ret);
/* Is @n what stands for a place, or a property or an indexer? */
bool assignment_writes(const struct bound *n);
/* The value @n, known by @b, converted to the place's type. */
DBG_MUST struct dbg_error *assignment_value(struct assignment *a,
					    struct binder *b, struct bound *n,
					    struct value *ret);
/* Get @from as a value of the program, if only the debugger has it. */
DBG_MUST struct dbg_error *assignment_made(const struct assignment *a,
					   const struct eval *e,
					   const struct value *from,
					   struct value *ret);
/* Write it, NULL: zeros. */
DBG_MUST struct dbg_error *assignment_store(const struct assignment *a,
					    const struct value *to,
					    const struct value *from);
/* The enum behind a type, whose names may stand bare in the value. */
struct type *assignment_enum(struct type *type);

#endif
