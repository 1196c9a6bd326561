/*
 * Stacks of threads that nobody stops, as addresses: of a running one from what
 * the kernel copied at that moment, of a blocked one from its memory.
 *
 * Native frames are unwound by .eh_frame as far as that needs stack and frame
 * pointer only, code of the JIT by its frame pointers. Where a frame has none
 * of its own, at the top, its caller is found by the code itself: who walks by
 * frame pointers alone misses that caller.
 */
#ifndef SAMPLE_CALLSTACK_H
#define SAMPLE_CALLSTACK_H

#include "base/map.h"
#include "dbg.h"
#include "sample/perfevents.h"

struct regs;
struct target;
struct target_glance;

enum {
	CALLSTACK_MAX = 512,
};

struct callstack {
	uint64_t pcs[CALLSTACK_MAX]; /* the innermost first, then returns */
	uint64_t sps[CALLSTACK_MAX]; /* where each frame's memory begins; 0:
					that is not known */
	size_t n;
	/* What was read of it, as words, and of registers: until the next. */
	uint64_t at;
	const uint8_t *bytes;
	size_t n_bytes;
	uint64_t saved[ARCH_SAVED];
	size_t n_saved;
	bool whole; /* it goes on to where the thread began */
};

/* Managed code. */
struct callstack_code {
	uint64_t start;
	/*
	 * the code was entered in a loop of the method's first code (OSR),
	 * whose frame lies above its own: a return address into that code
	 * follows the frame pointer, not the caller's
	 */
	bool osr;
};

/*
 * What of a blocked thread's stack tells that it is the same one again: where
 * the return addresses of its frames are, and which.
 */
struct callstack_mark {
	uint64_t pc, sp; /* pc 0: there is none */
	struct callstack_return {
		uint64_t at, pc;
	} * returns;
	size_t n, cap;
};

struct callstack_ops {
	/* Get the managed code that contains @pc; false: none is known. */
	bool (*code)(void *arg, uint64_t pc, struct callstack_code *ret);
	/* Read the mappings anew; false: they are new enough. */
	bool (*anew)(void *arg);
};

struct callstacks {
	struct target *target;
	const struct callstack_ops *ops;
	void *arg;
	struct map rules; /* of native code, by pc */
	uint8_t *buf;     /* of a blocked thread's stack */
};

void callstacks_init(struct callstacks *c, struct target *t,
		     const struct callstack_ops *ops, void *arg);
void callstacks_deinit(struct callstacks *c);
/* The stack of a sample. */
void callstack_of_sample(struct callstacks *c, const struct perf_sample *s,
			 struct callstack *ret);
/*
 * Walk the stack of a thread that waits in the kernel, from these two
 * registers.
 */
void callstack_of_blocked(struct callstacks *c, uint64_t pc, uint64_t sp,
			  struct callstack *ret);
/*
 * Does the managed frame @i call native code itself, as the JIT compiles calls
 * of P/Invoke methods and QCalls into their callers? Then an InlinedCallFrame
 * with its return address lies in it (vm/frames.h); a helper of the runtime's
 * that is called leaves none. For as long as the bytes of the copy are kept.
 */
bool callstack_calls_native(const struct callstack *c, size_t i);
/* Take the mark of a stack that callstack_of_blocked() has found whole. */
void callstack_mark_set(struct callstack_mark *mark,
			const struct callstack *stack);
/*
 * Is a thread that waits in the kernel at the place of the mark? This is one
 * short read where the walk costs several and a search for each frame.
 */
bool callstack_mark_holds(struct callstacks *c,
			  const struct callstack_mark *mark, uint64_t pc,
			  uint64_t sp);
void callstack_mark_deinit(struct callstack_mark *mark);
/*
 * Walk the stack of a thread that was stopped for a moment, in the copy
 * @glance.
 */
void callstack_of_copy(struct callstacks *c, const struct regs *regs,
		       const struct target_glance *glance,
		       struct callstack *ret);

#endif
