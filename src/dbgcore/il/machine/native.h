/*
 * Methods that the machine answers itself: those without IL (FCalls, QCalls),
 * those whose IL is a stand-in for what the JIT makes of them (intrinsics),
 * and some whose IL would do what a debugger must not.
 *
 * The tables (il/native/) name them by metadata names; the machine asks once
 * a method, before it looks for IL. What a table does not name and has no IL
 * ends the execution with VM_CALL.
 */
#ifndef IL_NATIVE_H
#define IL_NATIVE_H

#include "il/vm.h"

struct op;
struct site;

enum {
	NATIVE_ARGS_MAX = 12
};

enum native_end {
	NATIVE_DONE,
	NATIVE_THROWN,  /* native_throw was called */
	NATIVE_REFUSED, /* native_refuse was called */
	NATIVE_IL,      /* not for this one: interpret its IL, if it has any */
	NATIVE_CALL,    /* native_call was called: its result is ours */
};

/*
 * One call of a native method. Arguments are in places of the stack region:
 * integers below 32 bits are sign- or zero-extended to 32, a reference is 8
 * bytes, a value type is itself; `this` is argument 0. The result is 0 before
 * it is set. Both are only reached by the functions below, which know how large
 * each place is.
 */
struct native {
	struct vm *vm;
	struct types *types;
	struct type_method *method; /* exact */
	size_t n_args;
	struct native_places *places; /* of native_run.c alone, as all behind */
	struct site *site;
	uint64_t base, ret_at, exception;
	const struct op *next, *entered;
	struct dbg_error *error;
};

typedef enum native_end native_fn(struct native *n);

/*
 * The method that @fn replaces. A method with another signature, or in an
 * assembly that is not .NET's own, does not match the row and is treated as any
 * other method.
 *
 * A signature is written "(pi)i" or "t()o": 't' for `this`, parameters, result.
 * Several overloads are listed with a blank between them; "*" matches any
 * signature, for functions that neither read arguments nor have a result. A
 * single signature may be followed by ':' and the exact C# types of its
 * parameters, "(oo)i: string, string", where the letters leave a choice. The
 * letters of parameters and results:
 *
 *   i  an integer, bool, char or enum of at most 32 bits     f  float
 *   l  ... of 64 bits                                        d  double
 *   p  nint, a pointer, a managed pointer                    o  an object
 *   v1, v2  a struct of at most so many words of 64 bits     .  void
 *   T  a generic parameter: whatever the type argument is
 */
struct il_native {
	const char *type;   /* "System.Runtime.CompilerServices.Unsafe" */
	const char *method; /* "Add"; "*": every one that has no own row */
	const char *sig;
	native_fn *fn;
};

/* One file's rows; native_run.c lists the files. */
struct native_table {
	const struct il_native *rows;
	size_t n;
};

extern const struct native_table native_core, native_unsafe, native_math;
extern const struct native_table native_bits, native_type, native_create;
extern const struct native_table native_object, native_span, native_thread;
extern const struct native_table native_culture, native_handle;
extern const struct native_table native_member, native_trace, native_array;
extern const struct native_table native_literal, native_errno;
extern const struct native_table native_delegate, native_locale;

/*
 * The row for @method, whose signature is @sig; NULL: none; the first table
 * that has one.
 */
const struct il_native *native_find(struct types *ts,
				    struct type_method *method,
				    const struct type_sig *sig);

/* ---- For those who write rows ---------------------------------------- */

/*
 * Arguments and results by type. Small integers are read as 32 bits. What there
 * is no argument for, or is larger than its place, is 0, and no such result is
 * set.
 */
int32_t native_i4(const struct native *n, size_t i);
int64_t native_i8(const struct native *n, size_t i);
uint64_t native_ref(const struct native *n, size_t i); /* or a pointer */
double native_r8(const struct native *n, size_t i);
float native_r4(const struct native *n, size_t i);
enum native_end native_ret_i4(struct native *n, int32_t v);
enum native_end native_ret_i8(struct native *n, int64_t v);
enum native_end native_ret_ref(struct native *n, uint64_t v);
enum native_end native_ret_r8(struct native *n, double v);
enum native_end native_ret_r4(struct native *n, float v);
/* The first @size bytes of argument @i; NULL: it has not so many. */
const void *native_arg(const struct native *n, size_t i, size_t size);
/* The result is these bytes; refused if its place has not so many. */
enum native_end native_ret(struct native *n, const void *from, size_t size);
/* Set the result to @size bytes at the address @addr. */
enum native_end native_ret_get(struct native *n, uint64_t addr, size_t size);
/* Write the first @size bytes of argument @i to @addr in the space. */
enum native_end native_put_arg(struct native *n, uint64_t addr, size_t i,
			       size_t size);

/*
 * Throw a new exception of the core library, "System.ArgumentException", in
 * the execution.
 */
enum native_end native_throw(struct native *n, const char *type);
/* End the execution in one sentence; the method is named by the machine. */
enum native_end native_refuse(struct native *n, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Call @method next with these arguments (addresses of places); what it
 * returns is what the native returns.
 */
enum native_end native_call(struct native *n, struct type_method *method,
			    const uint64_t *args, size_t n_args);
/*
 * Read and write the space; on failure the end is set: NATIVE_THROWN with a
 * NullReferenceException near 0, else NATIVE_REFUSED. NATIVE_DONE: it is done.
 */
enum native_end native_get(struct native *n, uint64_t addr, void *buf,
			   size_t size);
enum native_end native_put(struct native *n, uint64_t addr, const void *buf,
			   size_t size);
enum native_end native_move(struct native *n, uint64_t to, uint64_t from,
			    uint64_t size);
enum native_end native_fill(struct native *n, uint64_t to, uint8_t byte,
			    uint64_t size);
/* As native_refuse; takes @err. */
enum native_end native_fail(struct native *n, struct dbg_error *err);
/* Bytes of a place of @type; 0: not known. */
uint32_t native_size(struct native *n, struct type *type);
/* The type of the object at @addr; NULL: none, or it is null. */
struct type *native_type_of(struct native *n, uint64_t addr);

#endif
