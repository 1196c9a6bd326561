/*
 * A call of a managed method that a stopped thread is to make for us, and what
 * comes of it; how it is made is told in control/call/call.h.
 */
#ifndef VALUE_CALLREQUEST_H
#define VALUE_CALLREQUEST_H

#include "dbg.h"
#include "value/value.h"

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
	bool is_reference; /* the collector may move what it returns */
	bool serves;       /* one that the user asked for */
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
	bool alone;          /* no other thread has run meanwhile */
	struct value value;  /* RETURNED; no type: void, or lost */
	const char *type;    /* THREW: C# name; NULL: not known */
	const char *message; /* ... of the exception, or NULL */
	uint64_t exception;  /* ... itself; 0: not known, or may have moved */
};

#endif
