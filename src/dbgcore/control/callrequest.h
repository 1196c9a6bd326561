/*
 * Calls of managed methods that a stopped thread makes for us, as the session
 * asks for them; how they are made is told in call/call.h.
 */
#ifndef CONTROL_CALLREQUEST_H
#define CONTROL_CALLREQUEST_H

#include "dbg.h"
#include "value/value.h"

struct control;

enum {
	CALL_ARGS_MAX = 16,
	CALL_BYTES_MAX = 16, /* of an argument in registers */
};

struct call_arg {
	struct type *type; /* NULL: a word, as it is: `this`, a by-ref */
	uint8_t bytes[CALL_BYTES_MAX];
};

struct call_request {
	pid_t tid;
	uint64_t method;   /* MethodDesc */
	const char *name;  /* for sentences; copied */
	struct type *ret;  /* NULL: void */
	bool is_reference; /* what it returns is a reference */
	struct call_arg args[CALL_ARGS_MAX]; /* `this` first */
	size_t n_args;
};

enum call_end {
	CALL_RETURNED,
	CALL_THREW,
	CALL_GONE, /* its thread is */
};

struct call_result {
	enum call_end end;
	struct value value;  /* RETURNED; no type: void, or lost */
	const char *type;    /* THREW: C# name; NULL: not known */
	const char *message; /* ... of the exception, or NULL */
};

/*
 * Does thread @tid stand where it can make a call, and does none go on? Else
 * the reason, and what to do. (All stopped.)
 */
DBG_MUST struct dbg_error *control_call_possible(struct control *c, pid_t tid);
/*
 * Make @req's thread such that it makes the call when it is resumed: alone,
 * until control_call_share. With *ret_prepares it is a first call instead that
 * makes others possible: when it has ended, ask again. (All stopped.)
 */
DBG_MUST struct dbg_error *control_call(struct control *c,
					const struct call_request *req,
					bool *ret_prepares);
/*
 * Has the call ended? True once, with all threads stopped; *ret is good until
 * the next call.
 */
bool control_call_ended(struct control *c, struct call_result *ret);
/* Let the other threads run with it; false: they do, or there is none. */
bool control_call_share(struct control *c);
/*
 * Nobody waits for the call any more. It goes on when the program does; when
 * it returns the thread stops where it was.
 */
void control_call_leave(struct control *c);

#endif
