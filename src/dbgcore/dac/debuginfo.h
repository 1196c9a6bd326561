/*
 * The JIT's debug information on a version of a method's code: which IL is
 * where, and for a method that the runtime suspends (.NET 11), where it may be
 * suspended and which variables are kept then. The runtime stores it
 * compressed; see docs/design/datacontracts/DebugInfo.md of dotnet/runtime,
 * version 1.
 */
#ifndef DAC_DEBUGINFO_H
#define DAC_DEBUGINFO_H

#include "base/reader.h"

struct arena;

/* Bits of debug_bound.source. */
enum {
	DEBUG_BOUND_CALL = 1,  /* a call instruction */
	DEBUG_BOUND_EMPTY = 2, /* the evaluation stack is empty */
	DEBUG_BOUND_ASYNC = 4, /* code that suspends or resumes */
};

struct debug_bound {
	uint32_t native; /* offset in the code */
	uint32_t il;     /* or DAC_IL_* */
	uint32_t source;
};

/* A variable that is kept while its method is suspended. */
struct debug_kept {
	int32_t number; /* arguments with `this`, then locals; negative: none */
	uint32_t offset; /* in the Continuation, from its MethodTable on */
};

/* A place where a method may be suspended. */
struct debug_await {
	uint32_t native; /* offset of ResumeInfo.DiagnosticIP in the code */
	const struct debug_kept *kept;
	size_t n_kept;
};

struct debug_info {
	const struct debug_bound *bounds;
	size_t n_bounds;
	const struct debug_await *awaits;
	size_t n_awaits;
	/*
	 * Not told, but found in the code with its map: where the method goes
	 * on when it is resumed, if that is not told for an await; 0: it is.
	 */
	uint32_t resume;
};

enum debug_place {
	DEBUG_IN_REGISTER,
	DEBUG_ON_STACK, /* at the register's value + offset */
	DEBUG_BY_REF,   /* ... is its address */
	DEBUG_ELSEWHERE,
};

/* The hidden argument of code that generic instances share. */
#define DEBUG_CONTEXT (-3) /* ICorDebugInfo::TYPECTXT_ILNUM */

/* The place of a variable, for a range of offsets in the code. */
struct debug_var {
	int32_t
	    number; /* arguments with `this`, then locals; negative: other */
	uint32_t start, end;
	enum debug_place place;
	uint32_t reg; /* by its number in machine code */
	int32_t offset;
};

/* Format of the information, by release. */
enum debug_form {
	DEBUG_FORM_8, /* .NET 8 and 9 */
	DEBUG_FORM_10,
	DEBUG_FORM_11, /* .NET 11 and later */
};

enum {
	/* Bytes that are sure to hold the head: seven numbers of 11 nibbles. */
	DEBUG_INFO_HEAD = 48,
	DEBUG_INFO_MAX = 1 << 22,
};

/*
 * Length of the information that begins with @head; 0: it is none, or one of
 * the kinds before .NET 11 that begin with other data.
 */
size_t debug_info_size(struct bytes head, enum debug_form form);
/*
 * Parse information about code of @code_size bytes; before .NET 11 it has
 * no awaits, and what there is at a bound is not told. False: it is none, or an
 * offset in it is not in the code.
 */
bool debug_info_parse(struct bytes b, enum debug_form form, uint32_t code_size,
		      struct arena *arena, struct debug_info *ret);
/* The places of all variables. False: @b is no such information. */
bool debug_info_vars(struct bytes b, enum debug_form form, struct arena *arena,
		     struct debug_var **ret, size_t *ret_n);

#endif
