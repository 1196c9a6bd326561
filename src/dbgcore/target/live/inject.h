/*
 * System calls and calls of functions that a thread of the program makes for
 * us: inject.c, and the code for them, which is the processor's.
 *
 * A copy of the process: see inject.c.
 */
#ifndef TARGET_INJECT_H
#define TARGET_INJECT_H

#include "target/arch.h"
#include "target/live/live.h"
#include "target/target.h"

struct live;
struct thread;

enum {
	CAVE_BYTES = 320,
};

/* ---- back.c of the processor ----------------------------------------- */

/*
 * Make the code that makes a call and goes back, with what it restores; returns
 * its size.
 */
size_t back_make(const struct regs *r, uint64_t mask, uint8_t ret[CAVE_BYTES]);
size_t back_code_bytes(void);
/* Do the first bytes of @code belong to that code? */
bool back_is(const uint8_t *code);
/* Restore the registers and the signal mask that the code has saved. */
void back_restore(const uint8_t code[CAVE_BYTES], struct regs *r,
		  uint64_t *ret_mask);
/* Make the thread call from there; it must not be inside a system call. */
void back_syscall(struct regs *r, uint64_t cave, long nr,
		  const uint64_t args[6]);
/*
 * Make it call clone(@flags) with the stack that it has. The new process ends
 * by exit_group when nobody stops it behind the call.
 */
void back_clone(struct regs *r, uint64_t cave, uint64_t flags);
void back_call_leaf(struct regs *r, uint64_t cave, uint64_t addr,
		    const uint64_t args[2]);
uint64_t back_result(const struct regs *r);

/* A process that was made: as we call it, and as the program does. */
struct born {
	pid_t pid, inside;
};

/* A series of system calls by one thread; nothing else happens meanwhile. */
struct inject {
	struct thread *th;
	pid_t tid;
	bool called;
	uint64_t mask; /* the thread's, put back at the end */
	struct regs saved;
	uint64_t cave; /* where our code lies, and what lay there */
	size_t size;
	uint8_t covered[CAVE_BYTES];
};

/*
 * inject_end belongs to each inject_begin, also to one that failed. The
 * thread must be left alone between them. If we die at any
 * point between, the thread restores its registers and goes on.
 */
DBG_MUST struct dbg_error *inject_begin(struct live *l, struct inject *in);
/* Make a system call. Its failure is an error that ends with the reason. */
DBG_MUST struct dbg_error *inject_call(struct live *l, struct inject *in,
				       long nr, const uint64_t args[6],
				       uint64_t *ret);
/*
 * Let the thread call clone(@flags), without a signal at the end of the new
 * process, which is traced with the options of the thread; its first stop is
 * not taken yet. *ret_errnum: why it was refused, 0: it was not.
 */
DBG_MUST struct dbg_error *inject_clone(struct live *l, struct inject *in,
					uint64_t flags, struct born *ret,
					int *ret_errnum);
DBG_MUST struct dbg_error *inject_end(struct live *l, struct inject *in);
/*
 * Bring threads that stand at a trap to a stop that leaves nothing behind: in a
 * signal's stop they would get the signal if we died. Others may run.
 */
DBG_MUST struct dbg_error *inject_event_stops(struct live *l);
/*
 * Let one thread go on to its next entry of a system call or return from one,
 * while the others stand. It may have ended instead.
 */
DBG_MUST struct dbg_error *inject_advance(struct live *l, struct thread *th);
/*
 * Let threads that a dead debugger left inside of its injected code go on as if
 * nothing had been. All is stopped. Without that, the next injection would
 * mistake the dead one's code for its thread's own; and if that debugger died
 * as well, nobody would know where the thread came from.
 */
DBG_MUST struct dbg_error *inject_recover(struct live *l);
DBG_MUST struct dbg_error *live_mmap(struct target *t, size_t size,
				     uint64_t *ret);
DBG_MUST struct dbg_error *live_call_leaf(struct target *t, uint64_t addr,
					  uint64_t a, uint64_t b);
DBG_MUST struct dbg_error *live_find_code(struct target *t, const void *bytes,
					  size_t n, uint64_t *ret, size_t cap,
					  size_t *ret_n);

/*
 * Let a thread of the stopped process make a copy of it, which is traced, stops
 * before it executes anything and is killed when we end. The program never sees
 * it: it is no child of the program's, and sends no signal. DBG_E_TARGET says
 * why it was refused. @meanwhile is called once, while all threads stand, and
 * if it can be, while the kernel copies. The registers are not as they were.
 */
DBG_MUST struct dbg_error *
live_fork(struct live *l, void (*meanwhile)(void *arg), void *arg, pid_t *ret);

#endif
