/*
 * Methods that we make: IL that was compiled from an expression, with a pool
 * of what its tokens stand for. To the machine, to delegates and to generic
 * code they are methods like others: token 0, no module.
 *
 * A lambda is a static method whose first parameter is its closure, any
 * object (the variables that it shares with its method, each in a
 * StrongBox<T> of an object[], need no class of their own). Its delegate is
 * made as compilers do it: the closure, ldftn of the method, newobj of the
 * delegate's constructor; a delegate of a static method with a target passes
 * the target as the first argument.
 */
#ifndef IL_MADE_H
#define IL_MADE_H

#include "types/methodref.h"

enum made_kind {
	MADE_NONE, /* nothing that is known */
	MADE_TYPE,
	MADE_METHOD,
	MADE_FIELD,
	MADE_STRING, /* ldstr */
	MADE_SIG,    /* calli */
};

/* What one token of made code means; its tokens are indexes in the pool. */
struct made_entry {
	enum made_kind kind;
	struct type *type;
	struct type_method *method;
	struct type_field *field;
	const struct type_sig *sig;
	const uint16_t *units; /* STRING */
	size_t n_units;
};

/* All borrowed; a catch clause has its type in `caught`. */
struct made_code {
	struct bytes code;
	struct type **locals;
	size_t n_locals;
	struct type_eh *clauses;
	size_t n_clauses;
	const struct made_entry *pool;
	size_t n_pool;
	bool of_program; /* the program has made it: it is no expression */
};

/*
 * A method of @sig (generic parameters it has none) whose body is @code;
 * @name is for sentences. It lives in @arena, with all that it borrows.
 */
struct type_method *made_create(struct arena *arena, const char *name,
				const struct type_sig *sig,
				const struct made_code *code);
/*
 * The arena of a method made by the debugger, for what shall live as long;
 * NULL: @m is of the program.
 */
struct arena *made_arena_of(const struct type_method *m);
/* NULL if @m was not made by us. */
const struct made_code *made_code_of(const struct type_method *m);
const struct type_sig *made_sig_of(const struct type_method *m);

#endif
