/*
 * dbg.h: evaluating what may take time, because the program runs for it.
 *
 * dbg_eval and its like only look at the program. Here an expression may also
 * have methods of the program called by the stopped thread, and so its value
 * comes later, with an event. Meanwhile the program is running as far as the
 * API is concerned. When it stops again it is the stop that it was: ids of
 * frames and values name what they named, wherever the collector has moved it.
 * They are stale (DBG_E_STALE) only if that is not there any more, or was given
 * by a call or an assignment and cannot be followed. Other strings of the stop
 * are gone.
 */
#ifndef DBG_EVALUATE_H
#define DBG_EVALUATE_H

#include <stdbool.h>

#include "dbg/values.h"

enum dbg_calls {
	DBG_CALLS_SETTING, /* as the setting "evaluation" says */
	DBG_CALLS_NEVER,   /* what cannot be interpreted is refused */
	DBG_CALLS_NEEDED,  /* ... is called in the program */
	DBG_CALLS_ALWAYS,  /* the expression's own calls are made there */
};

/* What an expression answers that throws. */
enum dbg_thrown {
	DBG_THROWN_ERROR, /* an error, of the exception's type and message */
	DBG_THROWN_NAMED, /* the exception, its type as text */
	DBG_THROWN_TOLD,  /* the exception as any other */
};

/* An update of a module, in the files that the compiler wrote (hot reload). */
struct dbg_update {
	const char *module; /* file name, or a path with it */
	const char *md, *il;
	const char *pdb; /* NULL: there is none */
};

struct dbg_eval_request {
	dbg_id frame; /* 0: the newest of the thread of the stop */
	const char *expr;
	const char
	    *value;   /* assign it to @expr, as dbg_assign; NULL: nothing */
	bool assigns; /* an assignment in @expr is carried out */
	enum dbg_thrown thrown;
	enum dbg_calls calls;
	uint32_t ms; /* limit to one call; 0: the setting's */
	/*
	 * Instead of an expression: have the program apply it, and call the
	 * handlers that its assemblies name for that. @expr says it in
	 * sentences.
	 */
	const struct dbg_update *update;
};

/*
 * Begin; DBG_EVENT_EVALUATED tells when dbg_eval_result can be asked for. An
 * error is one of the request's; others come with the result. One evaluation
 * goes on at a time.
 *
 * If the program stops in a call (a breakpoint in another thread, a signal,
 * dbg_pause, the limit), or ends, the evaluation is over with an error, and
 * the event of that follows. The call goes on with the program; when it
 * returns, the thread stops where it was.
 */
DBG_MUST struct dbg_error *dbg_eval_begin(struct dbg_stopped at,
					  const struct dbg_eval_request *req);
/* End it: as dbg_pause, if the program is running for it. */
DBG_MUST struct dbg_error *dbg_eval_cancel(struct dbg *dbg);
/*
 * The value of the evaluation that ended last, or why there is none; an
 * exception that was thrown is an error with its type and message. Good once.
 * A method that returns nothing gives a value of type "void".
 */
DBG_MUST struct dbg_error *dbg_eval_result(struct dbg *dbg,
					   struct dbg_value *ret);

#endif
