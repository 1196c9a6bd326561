/*
 * The typed tree: what an expression means by C#'s rules, with every
 * conversion, call and lambda made explicit. bind*.c make it from the syntax,
 * generate.c makes IL of it.
 *
 * Nodes from BOUND_TYPE on have no value of their own: they stand for a type,
 * a namespace, methods of a name, or something that takes its type from where
 * it stands, until a conversion makes a value of them.
 */
#ifndef EVAL_BOUND_H
#define EVAL_BOUND_H

#include "eval/syntax/statement.h"
#include "types/methodref.h"

struct name_scope;

/* A parameter or local of a method that is made here. */
struct bound_var {
	const char *name;
	struct type *type;
	struct bound_lambda *owner; /* NULL: the expression itself */
	bool is_param;
	bool captured;  /* a lambda within uses it: it lives in a T[1] */
	uint32_t index; /* among parameters or locals, set by emit */
	const struct value *value;  /* what fetch.c has stored in it, or NULL */
	const struct expr *written; /* its type, or NULL */
};

/* A lambda with types; its method's first parameter is the closure. */
struct bound_lambda {
	struct bound_lambda *outer;
	struct bound_var **params;
	size_t n_params;
	struct bound *body; /* as it is, without a conversion */
	struct bound_var **captures;
	size_t n_captures;
	struct bound **returns; /* BOUND_RETURN of a block */
	size_t n_returns;
	bool gives; /* a block returns values */
	bool ends;  /* control never comes to the end of the block */
};

enum bound_kind {
	BOUND_CONST,   /* integer (or real) of a primitive or enum type */
	BOUND_STRING,  /* units */
	BOUND_DEFAULT, /* zeros; null of a reference */
	BOUND_PLACE,   /* value; NULL: at addr */
	BOUND_VAR,     /* var */
	BOUND_FIELD,   /* field of a; a NULL: static */
	BOUND_ELEMENT, /* of the array a, by the indexes list */
	BOUND_LENGTH,  /* of the vector a */
	BOUND_DEREF,   /* what the by-ref or pointer a leads to */
	BOUND_ADDRESS, /* by-ref of the place a, or of a copy of its value */
	BOUND_CALL,    /* method(list), `this` first; arrow: not virtual */
	BOUND_NEW,     /* new type(list) by the constructor method */
	BOUND_ARRAY,   /* vector of a elements, list the first ones */
	BOUND_NUMBER,  /* a as another number; checked */
	BOUND_CAST,    /* castclass, a reference */
	BOUND_BOX,
	BOUND_UNBOX, /* value type from the reference a */
	BOUND_AS,    /* isinst: the reference a or null */
	BOUND_UNARY,
	BOUND_BINARY, /* of one primitive type; comparisons are bool */
	BOUND_CHOICE, /* a ? b : c */
	BOUND_STORE,  /* a = b, whose value it is */
	BOUND_EFFECT, /* list for what they do, then a */
	BOUND_DELEGATE,
	BOUND_LAMBDA, /* delegate: body a, as its type returns it */
	BOUND_THROW,
	BOUND_TUPLE, /* (list) */

	/* Statements, of type void; THROW is one too, a NULL: again */
	BOUND_BLOCK,    /* list; vars are new each time */
	BOUND_IF,       /* if (a) b else c, c NULL: nothing */
	BOUND_LOOP,     /* while (a) { b; c }; a NULL: true; late: do */
	BOUND_ONCE,     /* b, which `break` leaves */
	BOUND_BREAK,    /* behind a */
	BOUND_CONTINUE, /* to the c of a */
	BOUND_RETURN,   /* a; b: as it was before its conversion */
	BOUND_TRY,      /* try a, list of CATCH, finally b or NULL */
	BOUND_CATCH,    /* var, when a: b */

	BOUND_TYPE,  /* type */
	BOUND_SPACE, /* syntax: leading part of a dotted name */
	BOUND_GROUP, /* methods: name, a: receiver or NULL */
	BOUND_NULL,
	BOUND_UNTYPED, /* syntax: a lambda, target-typed new, default, ...;
			* list: parts of a tuple or collection */
};

/*
 * One node. Large: it is of any kind, as in a compiler; what one kind does
 * not use is zero.
 */
struct bound {
	enum bound_kind kind;
	struct type *type; /* NULL: BOUND_SPACE .. BOUND_UNTYPED */
	const struct expr *syntax;
	enum op op;
	bool checked;
	bool constant; /* CONST as C# means it; LOOP, ONCE: has a BREAK */
	bool late;     /* LOOP: the test is behind the body */
	bool is_static;
	bool nonvirtual;
	bool dynamic; /* of the type object, to be bound at run time */
	int64_t integer;
	double real;
	uint64_t addr;
	const struct value *value;
	const char *name;
	const uint16_t *units;
	size_t n_units;
	struct bound *a, *b, *c;
	struct bound **list;
	size_t n_list;
	struct bound_var **vars; /* BLOCK */
	size_t n_vars;
	struct bound_var *var;
	struct type_field *field;
	struct type_method *method;
	struct bound_lambda *lambda;
	struct name_scope *names; /* RETURN: what is known where it stands */
	struct type **args;       /* GROUP: type arguments given */
	size_t n_args;
};

struct binder;

/* A decimal, by its words in memory. */
struct bound *bound_words(struct binder *b, struct type *type,
			  const uint32_t words[4], const struct expr *x);
/* A decimal, by its digits. */
DBG_MUST struct dbg_error *bound_decimal(struct binder *b, const char *text,
					 const struct expr *x,
					 struct bound **ret);

#endif
