/*
 * Methods that the runtime itself suspends (.NET 11, "runtime async"). Of one
 * token there are two MethodDescs then, and two pieces of code: what returns a
 * task, and what returns the result or a Continuation. Of an async method the
 * second has the IL, and the first is made by the runtime and calls it. Of a
 * method that returns a task and is not async both are compiled from its IL.
 */
#ifndef DAC_ASYNCMETHOD_H
#define DAC_ASYNCMETHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dac/debuginfo.h"

struct arena;
struct dac;

struct dac_async {
	bool suspends; /* its calls return a result or a Continuation */
	bool thunk;    /* made by the runtime: no IL of the program's */
	bool variant;  /* the one of the two that metadata does not have */
	/* Variant of a method that is not async: returns what its callee does.
	 */
	bool version;
};

/*
 * Get how the method takes part in runtime async. All false: it is an ordinary
 * method, or the runtime has no such methods.
 */
void dac_async_get(struct dac *d, uint64_t md, struct dac_async *ret);
/*
 * Does the code at @ip belong to a thunk, which has no place in the program's
 * source?
 */
bool dac_async_is_thunk(struct dac *d, uint64_t ip);
/*
 * May the method whose code is at @ip have code under its other MethodDesc as
 * well, which is no thunk? The runtime also makes an async variant of methods
 * that return a task in the usual way.
 */
bool dac_async_has_more(struct dac *d, uint64_t ip);
/*
 * Call @fn for every MethodDesc that metadata does not have: of the method @md,
 * in its type and in all instantiations of it.
 */
void dac_async_variants(struct dac *d, uint64_t md,
			void (*fn)(void *arg, uint64_t variant), void *arg);

/*
 * Where the code at @ip may be suspended and what it keeps then; borrowed for
 * the session, for a dynamic method for the stop. NULL: it is never suspended,
 * or the format of its debug information is not known.
 */
const struct debug_info *dac_debug_info(struct dac *d, uint64_t ip);
/*
 * Where the code at @ip has a variable (enum debug_place), as the JIT has
 * recorded it; the record stays in memory as long as the code. NULL: nowhere.
 */
const struct debug_var *dac_debug_var(struct dac *d, uint64_t ip,
				      int32_t number);
/* The greatest number of a variable, plus 1. */
uint32_t dac_debug_n_vars(struct dac *d, uint64_t ip);
/*
 * Where the code that resumes at @ip, an entry of kind DAC_IL_AWAIT, goes on
 * behind the await; 0: not known.
 */
uint64_t dac_await_behind(struct dac *d, uint64_t ip);
/*
 * Does the call that returns to @ip throw the exception with which the method
 * was resumed?
 */
bool dac_await_throws(struct dac *d, uint64_t ip);
/* The await whose ResumeInfo.DiagnosticIP is @ip; NULL: it is none's. */
const struct debug_await *dac_await_at(struct dac *d, uint64_t ip);

#endif
