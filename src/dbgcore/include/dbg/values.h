/* dbg.h: scopes, values and expressions. */
#ifndef DBG_VALUES_H
#define DBG_VALUES_H

#include "dbg/stopped.h"

struct dbg_frame;
struct dbg_location;

enum dbg_value_kind {
	DBG_VALUE_ABSENT, /* text says why: "<optimized out>", ... */
	DBG_VALUE_SCALAR, /* one thing: a number, a date, a pointer, null */
	DBG_VALUE_STRING, /* or a span of char: text in quotes */
	DBG_VALUE_ENUM,
	DBG_VALUE_OBJECT,   /* of a class or struct, a tuple */
	DBG_VALUE_ARRAY,    /* or span, inline array: has elements */
	DBG_VALUE_DELEGATE, /* see dbg_value_code */
	DBG_VALUE_GROUP,    /* not a value: static members */
};

struct dbg_value {
	dbg_id id; /* asks for children; 0: has none */
	const char *name;
	const char *type;     /* C# name of the run-time type; "" : none */
	const char *declared; /* of its place where that differs; NULL */
	const char *text;     /* one line, never NULL */
	const char *path;     /* expression that names it, NULL: none */
	enum dbg_value_kind kind;
	bool is_static;
	bool brief;         /* text stands for the children: "{Type}" */
	bool titled;        /* text is a title of the elements: "Count = 3" */
	bool keyed;         /* an element whose name is its key: "[7]" */
	bool needs_call;    /* a property that only a call can tell; absent */
	uint64_t addr;      /* of an object its own; 0: not in memory */
	uint32_t size;      /* bytes at addr; 0: an object's */
	uint64_t data;      /* of elements, of a pointer's target; 0: none */
	uint64_t n_indexed; /* array elements */
	uint32_t n_named;   /* fields and groups */
};

enum dbg_scope {
	DBG_SCOPE_ARGS,    /* `this` first */
	DBG_SCOPE_LOCALS,  /* what is in scope at the pc, innermost block
			      first; constants too */
	DBG_SCOPE_STATICS, /* of the method's class */
	DBG_SCOPE_ALL,     /* arguments, then locals as they are declared */
};

/* List the variables of one scope of a frame (0: the newest). */
DBG_MUST struct dbg_error *dbg_scope_list(struct dbg_stopped at, dbg_id frame,
					  enum dbg_scope scope,
					  struct dbg_value **ret,
					  size_t *ret_n);

enum dbg_children {
	DBG_CHILDREN_NAMED,
	DBG_CHILDREN_INDEXED,
};

/* Children @first .. of a value; @count 0 asks for the rest, up to a cap. */
DBG_MUST struct dbg_error *dbg_children(struct dbg_stopped at, dbg_id value,
					enum dbg_children kind, uint64_t first,
					uint32_t count, struct dbg_value **ret,
					size_t *ret_n);

/* Find where the method that a delegate calls begins; file NULL: no symbols. */
DBG_MUST struct dbg_error *dbg_value_code(struct dbg_stopped at, dbg_id value,
					  struct dbg_location *ret);

/*
 * Evaluate an expression in a frame (0: the newest of the thread of the
 * stop) without running code in the program. `$exception` is the exception
 * of the stop.
 */
DBG_MUST struct dbg_error *dbg_eval(struct dbg_stopped at, dbg_id frame,
				    const char *expr, struct dbg_value *ret);

/* What an expression needs from the frame it is evaluated in. */
enum dbg_needs {
	DBG_NEEDS_NOTHING,
	DBG_NEEDS_FRAME,   /* variables of the frame */
	DBG_NEEDS_ANOTHER, /* a name in it is not known in this frame */
};

/*
 * Find what an evaluation of @expr would need, without evaluating it; no other
 * fault of @expr is an error. *ret_block tells the blocks of a method apart
 * (FRAME): it is the IL offset at which the innermost block whose variables
 * @expr names ends.
 */
DBG_MUST struct dbg_error *dbg_eval_needs(struct dbg_stopped at, dbg_id frame,
					  const char *expr, enum dbg_needs *ret,
					  uint32_t *ret_block);

/*
 * Assign the value of expression @value, converted as C# does, to @target, a
 * variable, field, element or other place; *ret is the target afterwards.
 * With @value NULL @target is a whole expression: an assignment in it
 * ("x = 3", "x += 3") is carried out, anything else is evaluated. Ids of
 * values stay valid and show what is there now.
 */
DBG_MUST struct dbg_error *dbg_assign(struct dbg_stopped at, dbg_id frame,
				      const char *target, const char *value,
				      struct dbg_value *ret);

/* Is @expr a variable or another place, or a property with a setter? */
bool dbg_is_assignable(struct dbg_stopped at, dbg_id frame, const char *expr);

/*
 * Get what the call that the last step (OUT) has left returned, as the variable
 * "METHOD returned"; its name in expressions is `$returnvalue`. *ret_any is
 * false if there is none or it cannot be had.
 */
DBG_MUST struct dbg_error *dbg_returned(struct dbg_stopped at,
					struct dbg_value *ret, bool *ret_any);

/* Identifies a call in progress, to learn later whether it is over. */
struct dbg_call_mark {
	uint32_t thread;
	uint64_t address;      /* where it returns to */
	uint64_t sp;           /* the stack pointer there */
	uint64_t method, type; /* the runtime's: its MethodDesc, its class */
};

/*
 * Mark the call of a thread's newest frame. DBG_E_NOT_FOUND: it is not known
 * where it returns to.
 */
DBG_MUST struct dbg_error *dbg_call_mark(struct dbg_stopped at, uint32_t thread,
					 struct dbg_call_mark *ret);

enum dbg_call_state {
	DBG_CALL_GOES_ON,
	DBG_CALL_RETURNED, /* just now: dbg_returned() has its result */
	DBG_CALL_GONE,     /* before, or it was left by an exception */
};

/* Tell the state in this stop of a call that was marked. */
enum dbg_call_state dbg_call_state(struct dbg_stopped at,
				   const struct dbg_call_mark *mark);

/*
 * Keep what dbg_eval, dbg_assign, dbg_format or dbg_returned gave last:
 * expressions name it `$N` by the number returned (from 1), the last of all
 * `$`. Numbers and strings for good, anything else for this stop. 0: there is
 * no runtime.
 */
uint32_t dbg_keep(struct dbg_stopped at);
/* The number of the value that was kept last; 0: there is none. */
uint32_t dbg_kept(const struct dbg *dbg);

/*
 * Convenience variables, `$NAME` in expressions, given here without the '$': an
 * integer is set and asked for with and without a program, any value by
 * dbg_assign in a stop. `$_thread` is the thread of the frame.
 */
void dbg_variable_set(struct dbg *dbg, const char *name, int64_t value);

struct dbg_variable {
	const char *name;
	bool number; /* an integer, which is @value */
	int64_t value;
};

/* List all variables, in the order in which they were first set. */
void dbg_variable_list(struct dbg *dbg, struct arena *arena,
		       struct dbg_variable **ret, size_t *ret_n);

struct dbg_exception {
	const char *type;
	const char *module;  /* that throws it: its file; NULL: not known */
	const char *message; /* NULL: none */
	const char *stack;   /* lines recorded so far, NULL: none */
	/*
	 * the stack of its thread, likewise, if it is being thrown and has no
	 * lines yet
	 */
	const char *living;
	const char *data; /* lines "key = value" of Data, NULL: none */
	/* frames recorded at its throw, newest first: DBG_FRAME_THROWN */
	struct dbg_frame *frames;
	size_t n_frames;
	bool cut; /* it has more frames */
	uint32_t hresult;
	uint32_t depth; /* 0: itself; else in the last before of depth - 1 */
};

/*
 * The exception of the stop and those within, each in front of its own, all
 * of an AggregateException, up to a cap; none (*ret_n 0) if the stop has no
 * exception.
 */
DBG_MUST struct dbg_error *dbg_exception_list(struct dbg_stopped at,
					      struct dbg_exception **ret,
					      size_t *ret_n);

/*
 * gdb's /x /d /u /t /c: an integer value's text anew; /s: the text without a
 * limit to its length. Dies with the stop.
 */
DBG_MUST struct dbg_error *dbg_format(struct dbg_stopped at, dbg_id frame,
				      const char *expr, char letter,
				      const char **ret);

/*
 * As dbg_format, for the value that dbg_keep would keep, which may be the
 * result of a call.
 */
DBG_MUST struct dbg_error *dbg_format_last(struct dbg_stopped at, char letter,
					   const char **ret);

/*
 * The type of @expr's value; of what only the program can evaluate, the one
 * that C# gives the expression. "" if it has none.
 */
DBG_MUST struct dbg_error *dbg_type_name(struct dbg_stopped at, dbg_id frame,
					 const char *expr, const char **ret);

/* Several lines of C# that declare the type of @expr or named by @expr. */
DBG_MUST struct dbg_error *dbg_type_describe(struct dbg_stopped at,
					     dbg_id frame, const char *expr,
					     const char **ret);

#endif
