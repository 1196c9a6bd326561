/* Shared by the files of evaluations that have calls made. */
#ifndef SESSION_EVALUATION_PRIV_H
#define SESSION_EVALUATION_PRIV_H

#include <stdbool.h>

#include "dbg.h"
#include "dbg/values.h"
#include "eval/evalcall.h"
#include "session/evaluation.h"
#include "session/session.h"
#include "session/ticks.h"
#include "value/callrequest.h"
#include "view/view.h"

/* ---- api_value.c --------------------------------------------------------- */

struct dbg;
struct eval;

struct session_expression {
	const char *expr;
	const char *value; /* is assigned to @expr; NULL: nothing is */
	bool assigns;      /* an assignment in @expr is carried out */
	enum dbg_thrown thrown;
	bool typed; /* of what only the program can evaluate, the type */
};

/*
 * Carry it out in the frame of @e. With e->calls wanting a call or a string
 * nothing was written yet, and there is an error.
 */
DBG_MUST struct dbg_error *session_evaluate(struct dbg *dbg,
					    const struct eval *e,
					    const struct session_expression *x,
					    struct dbg_value *ret);

/* The value of what has thrown the object @thrown, if x->thrown is such. */
void session_threw(struct dbg *dbg, const struct eval *e,
		   const struct session_expression *x,
		   const struct value *thrown, struct dbg_value *ret);

/* Evaluate in a frame (0: the newest one), without calls. */
DBG_MUST struct dbg_error *
session_evaluate_at(struct dbg_stopped at, dbg_id frame,
		    const struct session_expression *x, struct dbg_value *ret);

/* ---- Evaluations --------------------------------------------------------- */

enum {
	ANSWERS_MAX = 64,
	GIVEN_MAX = VM_OWN_MAX,
	/* An answer has three, struct making two, struct invoking two. */
	HELD_MAX =
	    FOLLOWED_MAX + 3 * ANSWERS_MAX + GIVEN_MAX + 4 + EVAL_ARGS_MAX,
	REPEATS_MAX = 256, /* calls that serve one expression */
};

/* The purpose of the call under way. */
enum doing {
	DOING_NOTHING, /* over: the result is to be asked for */
	DOING_PREPARE, /* calls are made possible */
	DOING_CALL,    /* one of the expression's */
	/* from here on: calls of core library methods, see calling_helper */
	DOING_STRING, /* a string that the expression has */
	DOING_ALLOC,  /* a handle for an object */
	DOING_HOLD,   /* ... there is one */
	DOING_NAME,   /* a type's name, to have it loaded: */
	DOING_LOAD,
	DOING_TYPE,      /* the object of a type that is loaded */
	DOING_SHOWN,     /* ... for an argument */
	DOING_ARRAY,     /* the array of a method's type arguments */
	DOING_SET,       /* ... one of them is set */
	DOING_CLASS,     /* the method of an instance of a generic class */
	DOING_STUB,      /* ... with type arguments of its own */
	DOING_OBJECT,    /* a copy of an object that the interpreter has */
	DOING_VECTOR,    /* ... of an array */
	DOING_METHOD,    /* the object of a method, for eval/invoke.h */
	DOING_SIGNATURE, /* ... of its signature */
	DOING_MEMORY,    /* memory for arguments */
	DOING_INVOKE,    /* only looked for: such calls are DOING_CALL */
	DOING_ADDRESS,
	DOING_N,
};

/* An object that is needed after further calls. */
struct held {
	uint64_t handle; /* by which the program follows it; 0: none yet */
	uint8_t *place;  /* where its address is kept */
	struct followed_object *value; /* of the stop's; NULL: it is not */
};

/* Allocation context of a thread: where it puts its next object. */
struct allocating {
	pid_t tid; /* 0: not known */
	uint64_t next, limit;
};

/* A generic method that the program is to have. */
struct making {
	struct type_method *method; /* NULL: none is made */
	uint64_t class;             /* MethodDesc in the class; 0: not asked */
	uint64_t array;             /* of type arguments; 0: not made */
	size_t n_set;               /* of them */
	uint64_t name;              /* a string for Type.GetType; 0: none */
	struct type *naming;        /* what the call under way is for */
	struct type *loaded;        /* was last tried to be loaded */
	struct type *shown;         /* whose object was last asked for */
};

/* A call by the program's reflection, see eval/invoke.h. */
struct invoking {
	struct type_method *method;   /* whose object: */
	uint64_t object;              /* 0: none */
	uint64_t signature;           /* 0: none */
	uint64_t args[EVAL_ARGS_MAX]; /* by address: those that are objects */
	size_t receiver, array;       /* among given from 1; 0: none */
	bool is_begun;                /* the expression's last call is one */
};

/* Large: all that is kept over the calls of one expression. */
struct evaluation {
	struct arena *arena;
	struct session_expression expr;
	struct applying *applying; /* instead of it; NULL: none */
	const char *why;           /* it was not interpreted; NULL: not tried */
	uint32_t thread, level;    /* whose frame */
	struct dbg_stop stop;      /* strings in arena */
	uint32_t ms;
	enum doing doing;
	bool is_late;       /* the limit is over */
	int64_t since;      /* by clock_ms */
	const char *name;   /* of the method that is called */
	const char *wanted; /* ... that the expression calls */
	bool is_void;
	enum value_moved moved; /* what it returns */
	uint64_t module;        /* and its method */
	uint32_t token;
	unsigned int n_repeats;
	uint64_t serial; /* of the machine that it was evaluated in last */
	struct eval_answer answers[ANSWERS_MAX];
	size_t n_answers;
	struct eval_chosen chosen;
	struct eval_kept kept;
	uint64_t given[GIVEN_MAX]; /* to the program: eval/evalcall.h */
	size_t n_given;
	struct invoking invoking;
	const uint16_t *units;
	size_t n_units;
	struct making making;
	struct held held[HELD_MAX];
	size_t n_held;
	size_t n_values;              /* of the stop, that are among them */
	struct allocating allocating; /* before something was held */
	struct dbg_error *error;      /* the result */
	struct dbg_value value;
	struct ticks ticks;
};

/* ---- evaluation.c ---------------------------------------------------- */

/*
 * What is being evaluated, for messages: the user's method that is called, or
 * the expression.
 */
const char *evaluation_subject(const struct evaluation *v);

/* Hold the object whose address is at @place (null: none) from now on. */
void holding_add(struct evaluation *v, void *place);
void holding_drop(struct dbg *dbg, const void *place);
/* The handle that holds the object whose address is at @place; 0: none. */
uint64_t holding_handle(const struct evaluation *v, const void *place);
/* The reference held at @place has moved to @to. */
void holding_move(struct evaluation *v, const void *place, void *to);
/* Have one held that is not yet; *ret_runs: a call was begun for it. */
DBG_MUST struct dbg_error *holding_begin(struct dbg *dbg, pid_t tid,
					 bool *ret_runs);
/* Take the answer @word of a call that made a handle. */
DBG_MUST struct dbg_error *holding_take(struct dbg *dbg, uint64_t word);
/*
 * After a call that made a handle, or that made calls possible: give up the
 * values that it may have moved.
 */
void holding_lose(struct dbg *dbg, const struct call_result *r);
/* Fail if an object was not held while the program ran. */
DBG_MUST struct dbg_error *holding_check(struct evaluation *v);

/* ---- applying.c ------------------------------------------------------ */

/* Read and check the update; what is wrong with it is told before any call. */
DBG_MUST struct dbg_error *applying_create(struct dbg *dbg,
					   const struct dbg_update *u,
					   struct applying **ret);
void applying_destroy(struct applying *a);
/*
 * Get the newest frame of a thread that can make calls: of that of *ret (NULL:
 * none), or of another.
 */
DBG_MUST struct dbg_error *applying_frame(struct dbg *dbg,
					  const struct frame **ret);
/*
 * Write down the next call, as the evaluation of an expression does. None is
 * wanted: it is over, with what is returned.
 */
DBG_MUST struct dbg_error *applying_step(struct dbg *dbg,
					 struct eval_calls *calls);
/* A call threw @why, which is taken over; false: that ends the evaluation. */
bool applying_threw(struct dbg *dbg, struct dbg_error *why);

/* ---- calling.c ------------------------------------------------------- */

/* Have @calls' call made, or what it needs before. */
DBG_MUST struct dbg_error *
calling_begin(struct dbg *dbg, const struct eval_calls *calls, pid_t tid);
/*
 * Have the method of the core library called that serves @doing, with these
 * words. What is needed behind the call is held before.
 */
DBG_MUST struct dbg_error *calling_helper(struct dbg *dbg, pid_t tid,
					  enum doing doing,
					  const uint64_t *words, size_t n);
/* Take the call's result, or what went wrong. */
DBG_MUST struct dbg_error *calling_take(struct dbg *dbg,
					const struct call_result *r);

#endif
