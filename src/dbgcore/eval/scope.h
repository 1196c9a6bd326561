/*
 * The variables of a frame as their author knows them: arguments, locals in
 * scope, constants, and those that the compiler moved into closures and
 * state machines, under their own names. Compiler temporaries are left out.
 */
#ifndef EVAL_SCOPE_H
#define EVAL_SCOPE_H

#include "stack/stack.h"
#include "value/value.h"

enum var_kind {
	VAR_THIS,
	VAR_ARG,
	VAR_LOCAL,
	VAR_CONST
};

/*
 * Where a variable is stored: in an argument or local slot of the method, or in
 * a field of a holder (closure, state machine).
 */
struct var_origin {
	const struct var_origin *holder; /* NULL: of the method itself */
	const struct field *field;       /* of what the holder leads to */
	bool is_arg;
	uint32_t index;              /* among the arguments, or slots */
	struct type *type;           /* as declared */
	const struct dac_var *place; /* NULL: not known */
};

struct var {
	const char *name;
	enum var_kind kind;
	struct value value;
	uint32_t end; /* of its block, IL offset; UINT32_MAX: the method's */
	unsigned int level; /* 0: the method's own; more: of methods around */
	const struct var_origin *origin; /* NULL: not of the frame */
};

/* A `using` of the file, innermost first. */
struct import {
	const char *alias; /* NULL: none */
	const char *space; /* a namespace, or */
	struct type *type; /* a type: its statics, if there is no alias */
};

struct scope {
	struct var *vars; /* this, arguments, locals from outside in */
	size_t n_vars;
	struct type *type;          /* the author's class, NULL: none */
	struct code_module *module; /* NULL: none */
	struct thread_ref *thread;  /* NULL: none */
	struct import *imports;
	size_t n_imports;
	const struct frame *frame;   /* NULL: none */
	struct type_context context; /* generic arguments of the method */
	bool partial; /* what holds further variables is not there yet */
};

/*
 * Get the scope of a frame, in @arena. A frame without managed code (or @frame
 * NULL) has an empty one. @thread is the frame's.
 */
DBG_MUST struct dbg_error *scope_get(struct values *ts,
				     const struct frame *frame,
				     struct thread_ref *thread,
				     struct arena *arena, struct scope **ret);
/* Find the innermost variable of this name; NULL: none. `this` has its name. */
const struct var *scope_var(const struct scope *s, const char *name);

#endif
