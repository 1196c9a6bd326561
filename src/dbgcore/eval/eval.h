/*
 * Expressions: the engine's one entry for them. C#, evaluated over the stopped
 * program without running code in it.
 *
 * syntax/ makes a tree of the text, bind/ makes a typed tree of that by C#'s
 * rules, with the frame's variables, registers and kept values as leaves
 * (lookup.c). Places are read in the program (bind/fetch.c); what else there
 * is to compute becomes IL for the machine. assign/assign.c writes.
 */
#ifndef EVAL_EVAL_H
#define EVAL_EVAL_H

#include "eval/dollar.h"
#include "eval/scope.h"
#include "il/vm.h"
#include "value/value.h"

/*
 * The memory that an evaluation went through: the variables and references by
 * which the expression leads to its value, for a watchpoint. Structures are
 * left out, since their parts are recorded.
 */
enum {
	EVAL_LINKS_MAX = 16
};

struct eval_link {
	uint64_t addr;
	uint32_t size;
};

struct eval_trace {
	struct eval_link links[EVAL_LINKS_MAX]; /* in order of reading */
	size_t n_links;                         /* more are not kept */
	bool of_frame;                          /* a variable was used */
	uint32_t block; /* OF_FRAME: end of the innermost one's, struct var */
	bool of_thread; /* a thread's static was used */
	bool unknown;   /* a name stands for nothing that can be seen here */
	bool moves;     /* some of it lies where the GC may move it */
};

struct eval_calls;

struct eval {
	struct values *values;
	struct vm *vm;             /* to interpret methods in; NULL: none */
	struct eval_calls *calls;  /* made in the program; NULL: none are */
	const struct scope *scope; /* never NULL, may be empty */
	uint64_t exception;        /* object of $exception, 0: none */
	struct value returned;     /* $returnvalue; no type: none */
	struct history *history;   /* of $1, NULL: none */
	struct stack *stack;       /* to write registers, NULL: none */
	bool declares;             /* `out var n` stays known */
	struct arena *arena;       /* for the result */
	struct arena *scratch;     /* until the end of one evaluation */
	struct eval_trace *trace;  /* NULL: nobody wants it */
	struct value *thrown;      /* by a failed one; NULL: nobody asks */
};

/* Record in the trace, if there is one, that the evaluation went through @v. */
void eval_note(const struct eval *e, const struct value *v);
/* ... through a variable of the frame. */
void eval_note_variable(const struct eval *e, const struct var *v);
void eval_note_unknown(const struct eval *e);

/* Evaluate an expression; the value is not dereferenced. */
DBG_MUST struct dbg_error *eval_value(const struct eval *e, const char *text,
				      struct value *ret);
/*
 * The type that @text has by C#'s rules, which need no value: *ret is absent,
 * of that type and with the names of its tuples.
 */
DBG_MUST struct dbg_error *eval_value_type(const struct eval *e,
					   const char *text, struct value *ret);
/*
 * Fail if @text is wrong here, as far as that is known without evaluating it.
 */
DBG_MUST struct dbg_error *eval_bind(const struct eval *e, const char *text);
/* Carry out an assignment: *ret is the place that was written. */
DBG_MUST struct dbg_error *eval_assign(const struct eval *e, const char *target,
				       const char *value, struct value *ret);
/*
 * Evaluate @text; an assignment, `x++` or `--x` is carried out: *ret_assigned
 * (also set on an error), and *ret_place is what was written.
 */
DBG_MUST struct dbg_error *eval_statement(const struct eval *e,
					  const char *text, struct value *ret,
					  struct value *ret_place,
					  bool *ret_assigned);
/*
 * Is it a kind of expression that can be assigned to? The place itself may
 * still be read-only.
 */
bool eval_is_assignable(const struct eval *e, const char *text);
/* Find the type that @text names; *ret NULL: it names none. */
struct type *eval_type(const struct eval *e, const char *text);
/* Evaluate a condition; an error if it is not a bool. */
DBG_MUST struct dbg_error *eval_condition(const struct eval *e,
					  const char *text, bool *ret);
/*
 * Fail if the condition is wrong, as far as that is known without evaluating
 * it.
 */
DBG_MUST struct dbg_error *eval_bind_condition(const struct eval *e,
					       const char *text);
/* The error that an assignment is not the whole expression. */
DBG_MUST struct dbg_error *eval_misplaced(void);
/* Is @text a well-formed expression? For conditions before they are set. */
DBG_MUST struct dbg_error *eval_check(const char *text);

#endif
