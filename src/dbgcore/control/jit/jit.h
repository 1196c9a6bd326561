/*
 * Methods whose native code is waited for: the runtime tells of it
 * (gate.c), the traps of the JIT tell which bodies it compiles (gate.c),
 * and code is known in front of the runtime's word for it (gate.c).
 */
#ifndef CONTROL_JIT_H
#define CONTROL_JIT_H

#include "base/map.h"
#include "dac/dac.h"

struct code_module;
struct control;
struct target;

struct want {
	struct dac_method_ref ref;
	uint64_t il; /* in the gate's map, 0: not */
	bool listed; /* in the runtime's table */
	bool fresh;  /* not sent yet */
	struct entry_trap
	    *entry_traps; /* its code that the runtime has not told of */
};

struct code_waits {
	struct map methods;    /* key of (module, token) -> struct want */
	size_t n_fresh;        /* the runtime does not know of */
	size_t n_listed;       /* in the runtime's notification table */
	size_t n_overflow;     /* waited for at ThePreStub */
	uint64_t prestub_exit; /* armed, 0: not */
	/* gate.c */
	bool watching;           /* the JIT's entry is trapped */
	uint64_t jit_wait;       /* trap until the JIT is loaded, 0: none */
	uint64_t compile_entry;  /* of the JIT, 0: not found */
	uint64_t compile_return; /* where it returns to, 0: not seen yet */
	struct map bodies;       /* address of IL -> the method that it is of */
	struct map compiling;    /* thread in the JIT -> struct compilation */
};

/* Code that the runtime has not told of; gate.c. */
struct entry_traps {
	struct map codes; /* address -> struct entry_trap */
	uint64_t *fresh;  /* addresses that may not be armed yet */
	size_t n_fresh, cap_fresh;
};

/* gate.c */
/*
 * Wait for the first code of @ref (borrowed): returns the address of its IL; 0:
 * unknown.
 */
uint64_t jit_gate_add(struct control *c, const struct code_module *m,
		      const struct dac_method_ref *ref);
/* Stop waiting for @ref, whose IL is at @il. */
void jit_gate_remove(struct control *c, const struct dac_method_ref *ref,
		     uint64_t il);
/* Trap the JIT if any method is waited for, else lift its traps. */
void jit_gate_update(struct control *c);
/*
 * Handle the trap at the JIT's entry or return. True: all threads are stopped,
 * and this one stands at another trap, *ret_addr, where its code is known.
 */
bool jit_gate_trap(struct control *c, pid_t tid, uint64_t addr,
		   uint64_t *ret_addr);
/* Has a thread other than @but the runtime compile a method? (All stopped.) */
bool jit_gate_busy(struct control *c, pid_t but);
/* Let all threads but @tid run for a moment, longer with each of @tries. */
void jit_gate_others_run(struct control *c, pid_t tid, unsigned int tries);
void jit_gate_gone(struct control *c, pid_t tid);
void jit_gate_reset(struct control *c);

/* gate.c */
/* The code of @w will begin at @addr; 0: that is not known. */
void entry_trap_add(struct control *c, struct want *w, uint64_t addr);
/* Arm what was added. */
void entry_trap_arm(struct control *c);
/* The runtime has notified of the code at @addr: lift its trap. */
void entry_trap_done(struct control *c, uint64_t addr);
/* Handle a thread that is about to run the code at @addr; stops all. */
void entry_trap_trap(struct control *c, uint64_t addr);
void entry_trap_reset(struct control *c);

/* Code of (module, token) was compiled. */
void code_wait_compiled(struct control *c, struct code_module *m,
			uint32_t token);
void code_wait_add(struct control *c, struct code_module *m, uint32_t token);
void code_wait_drop(struct control *c, struct code_module *m, uint32_t token);
/* NULL: it is not waited for. */
struct want *code_wait_find(struct control *c, const struct code_module *m,
			    uint32_t token);
/* Ask the runtime to tell of none. */
void code_wait_leave(struct control *c);
void code_wait_reset(struct control *c);
/* Handle the trap at the end of ThePreStub. */
void code_wait_prestub(struct control *c, pid_t tid);
/*
 * The address of a tail jump through a register, at or behind @ip in native
 * code; 0: none.
 */
uint64_t stub_exit(struct target *t, uint64_t ip);

#endif
