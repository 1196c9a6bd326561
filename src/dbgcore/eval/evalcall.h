/*
 * Calls that an expression makes in the program, see control/call/call.h.
 *
 * Evaluating neither waits nor lets the program run: it ends with the call
 * that is wanted, and is done anew from the beginning when that call has been
 * made, with the answer given. So nothing is kept over a call but answers, and
 * all that the expression reads is read where it is then.
 *
 * Objects that only the interpreter has, in arguments of a call that the
 * program makes: it is given copies. Each is made by a call of its own, empty
 * (session/evaluate/calling.c), and filled when all are there.
 */
#ifndef EVAL_EVALCALL_H
#define EVAL_EVALCALL_H

#include "eval/eval.h"

enum {
	EVAL_ANSWER_MAX = 16, /* bytes: what fits in registers */
	EVAL_ARGS_MAX = 16,
	EVAL_CHOSEN_MAX = 8,
};

struct eval_answer {
	uint64_t module; /* whose it is */
	uint32_t token;
	uint8_t bytes[EVAL_ANSWER_MAX]; /* or the object, if it is boxed */
	bool is_boxed;                  /* eval/invoke.h */
	/* what is written back; 0: nothing */
	uint64_t receiver; /* the box of a structure */
	uint64_t array;    /* of the arguments */
	bool is_written;   /* it was done */
};

enum eval_want {
	EVAL_WANT_NOTHING,
	EVAL_WANT_CALL,
	EVAL_WANT_STRING, /* the program is to get a copy of this string */
	EVAL_WANT_OBJECT, /* the program is to allocate an object of this type,
			     all zeros */
	EVAL_WANT_TYPE, /* the program is to make the System.Type object of this
			   type */
};

/*
 * The calls that could not be interpreted: as few as possible are made in the
 * program. Kept over the calls of one expression.
 */
struct eval_chosen {
	bool all;    /* of the expression's own calls */
	bool orders; /* what the expression does is wanted, not its value */
	struct {
		uint32_t run, number; /* the machine's run, the call in it */
	} calls[EVAL_CHOSEN_MAX];
	size_t n;
};

/*
 * Values that an expression had read before its last call, which may have
 * changed their place.
 */
enum eval_found {
	EVAL_FOUND_OLD,  /* x, of `x++` */
	EVAL_FOUND_NULL, /* true: x was null, of `x ??= y` */
	EVAL_FOUND_NEW,  /* y, of `x = y` */
	EVAL_FOUND_N,
};

/* Such values, kept over the calls of one expression. */
struct eval_kept {
	struct history *values; /* by names of evalcall.c */
	struct {
		bool is;
		size_t n_used; /* answers behind which */
		uint32_t n_runs;
	} at[EVAL_FOUND_N];
};

struct eval_calls {
	struct eval_chosen *chosen;
	struct eval_kept *kept;
	struct eval_answer *answers; /* of the first calls */
	size_t n_answers;
	/* The first objects, strings or not, that are wanted for one call. */
	const uint64_t *given;
	size_t n_given;

	/* Set by the evaluation. */
	bool makes_trees; /* of expressions: their factories are called */
	bool has_effect;  /* the last call of the run is made in any case */
	bool has_written; /* what was interpreted, to the program's objects */
	bool has_stored;  /* ... which was carried to the program */
	uint32_t n_runs;  /* of the machine, that are over */
	uint32_t n_begun; /* calls of the expression's own, in the last one */
	bool in_call;     /* ... of which it was refused in the last */
	size_t n_used;    /* answers */
	enum eval_want want;
	struct type_method *method; /* CALL, and its arguments, `this` first */
	struct eval_argument {
		struct type *type; /* NULL: an address as it is */
		uint8_t bytes[EVAL_ANSWER_MAX];
		bool is_object; /* ... of an object */
		bool is_place;  /* ... by reference */
	} args[EVAL_ARGS_MAX];
	size_t n_args;
	bool invokes;          /* they are Invoke's, see eval/invoke.h */
	bool by_address;       /* ... it is made by the arguments' addresses */
	bool boxes_this;       /* ... and its object the box of a structure */
	bool writes_args;      /* ... and it writes to some */
	const uint16_t *units; /* STRING, in e->arena */
	struct type *type;     /* OBJECT, TYPE; n_units: elements of an array */
	size_t n_units;
};

/*
 * The value that @what had when the expression was evaluated first, if it was
 * kept: true, and what came before it is over.
 */
bool evalcall_kept(const struct eval *e, enum eval_found what, struct value *v);
/* Keep @v; false: what it is cannot be followed over a call. */
bool evalcall_keep(const struct eval *e, enum eval_found what,
		   const struct value *v);
/* Calls were made that the expression, evaluated anew, does not come to. */
struct dbg_error *evalcall_changed(void);
/* Execute what vm_begin began, with the answers that there are. */
void evalcall_run(const struct eval *e, struct vm_result *ret);
/*
 * Put @why (or NULL), which says why a call is needed, in front of @err, which
 * says why it cannot be made.
 */
struct dbg_error *evalcall_refused(const char *why, struct dbg_error *err);
/*
 * If the call that was refused may be made in the program: forget @r and return
 * true, to begin anew. @used: answers before the run.
 */
bool evalcall_again(const struct eval *e, size_t used, struct vm_result *r);

/*
 * Fill the copies of @g, or have the first that is missing made: e->calls->want
 * is set then.
 */
DBG_MUST struct dbg_error *given_make(const struct eval *e,
				      const struct vm_graph *g);
/* The program's copy of the object at @addr; 0: it is none of @g. */
uint64_t given_copy(const struct eval *e, const struct vm_graph *g,
		    uint64_t addr);

#endif
