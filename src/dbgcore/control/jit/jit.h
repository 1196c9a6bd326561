/*
 * Methods whose native code is waited for: the runtime tells of it (wanted.c),
 * the traps of the JIT tell which bodies it compiles (rush.c), and code is
 * known in front of the runtime's word for it (ahead.c).
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
	bool listed;          /* in the runtime's table */
	bool fresh;           /* not sent yet */
	struct ahead *aheads; /* its code that the runtime has not told of */
};

struct wanted {
	struct map methods;    /* key of (module, token) -> struct want */
	size_t n_fresh;        /* the runtime does not know of */
	size_t n_listed;       /* in the runtime's notification table */
	size_t n_overflow;     /* waited for at ThePreStub */
	uint64_t prestub_exit; /* armed, 0: not */
	/* rush.c */
	bool watching;           /* the JIT's entry is trapped */
	uint64_t jit_wait;       /* trap until the JIT is loaded, 0: none */
	uint64_t compile_entry;  /* of the JIT, 0: not found */
	uint64_t compile_return; /* where it returns to, 0: not seen yet */
	struct map bodies;       /* address of IL -> the method that it is of */
	struct map compiling;    /* thread in the JIT -> struct compilation */
};

/* Code that the runtime has not told of; ahead.c. */
struct aheads {
	struct map codes; /* address -> struct ahead */
	uint64_t *fresh;  /* addresses that may not be armed yet */
	size_t n_fresh, cap_fresh;
};

/* rush.c */
/* The first code of @ref (borrowed) is waited for, or no longer. */
void rush_add(struct control *c, const struct code_module *m,
	      const struct dac_method_ref *ref);
void rush_remove(struct control *c, const struct code_module *m,
		 uint32_t token);
/* Trap the JIT if any is waited for. */
void rush_update(struct control *c);
/*
 * The trap at the JIT's entry or return. True: all is stopped, and the thread
 * stands at another trap, *ret_addr, where its code is known.
 */
bool rush_trap(struct control *c, pid_t tid, uint64_t addr, uint64_t *ret_addr);
void rush_gone(struct control *c, pid_t tid);
void rush_reset(struct control *c);

/* ahead.c */
/* The code of @w will begin at @addr, 0: nothing is known of it. */
void ahead_add(struct control *c, struct want *w, uint64_t addr);
/* Arm what was added. */
void ahead_arm(struct control *c);
/* The code at @addr was told of. */
void ahead_done(struct control *c, uint64_t addr);
/* Code of @w is not waited for any more. */
void ahead_drop(struct control *c, struct want *w);
/* A thread is about to run the code at @addr; stops all. */
void ahead_trap(struct control *c, uint64_t addr);
void ahead_reset(struct control *c);

/* wanted.c */
/* Code was made of (module, token). */
void wanted_compiled(struct control *c, struct code_module *m, uint32_t token);
void wanted_add(struct control *c, struct code_module *m, uint32_t token);
void wanted_drop(struct control *c, struct code_module *m, uint32_t token);
/* NULL: it is not waited for. */
struct want *wanted_find(struct control *c, const struct code_module *m,
			 uint32_t token);
/* Ask the runtime to tell of none. */
void wanted_leave(struct control *c);
void wanted_reset(struct control *c);
/* The trap at the end of ThePreStub. */
void wanted_prestub(struct control *c, pid_t tid);
/* A tail jump through a register at or behind @ip in native code; 0: none */
uint64_t stub_exit(struct target *t, uint64_t ip);

#endif
