/*
 * Exceptions inside control/: where the runtime throws is trapped, and each
 * throw is held against the catchpoints (throwtrap.c).
 */
#ifndef CONTROL_EXCEPTIONS_H
#define CONTROL_EXCEPTIONS_H

#include "base/map.h"
#include "dac/dac.h"
#include "dbg.h"
#include "target/target.h"

struct arena;
struct code_module;
struct fault_signal;
struct control;

enum {
	DISPATCH_VERSIONS = 8, /* precompiled, then the tiers: four at most */
};

/* A stop that follows another one for the same throw. */
struct second {
	uint32_t breakpoint; /* number, 0: there is none */
	pid_t tid;
	struct dbg_stop stop;
	struct arena *arena; /* its strings; NULL: none yet */
};

/*
 * A method of the core library whose calls are trapped, in all versions of its
 * code.
 */
struct trapped_method {
	struct dac_method_ref ref; /* no token: the runtime has no such */
	uint64_t il;               /* if its first code is waited for */
	uint64_t code[DISPATCH_VERSIONS];
	size_t n_code;
};

/* An exception of which the user was told when user code let it through. */
struct told_exception {
	uint64_t mt, method; /* its type, and where it was thrown */
	uint64_t ip;
};

enum {
	TOLD_MAX = 16
};

struct throw_traps {
	bool wanted;      /* some catchpoint is enabled */
	bool user_wanted; /* ... for what user code lets through */
	bool looked;      /* for the methods in this run */
	struct trapped_method dispatch;  /* DispatchEx; none on .NET 8 */
	struct trapped_method unhandled; /* BreakForUserUnhandledException */
	struct told_exception told[TOLD_MAX]; /* the last ones, in a ring */
	size_t n_told;
	uint64_t object_offset; /* of the exception in its ExInfo */
	uint64_t raise_return;  /* in RaiseException, 0: not seen yet */
	struct map passed;      /* MethodTables that nobody asks for */
	uint64_t object;        /* thrown, while it is judged */
	struct second second;
};

/* throwtrap.c */
void throw_trap_update(struct control *c);
void throw_trap_runtime(struct control *c);
/* Does this runtime throw all its exceptions at __cxa_throw? */
bool throw_trap_native(struct control *c);
void throw_trap_reset(struct control *c);
/* Code of DispatchEx was compiled: trap it. */
bool throw_trap_code(struct control *c, struct code_module *m, uint32_t token,
		     uint64_t ip);
struct dbg_error *throw_trap_dispatch(struct control *c, pid_t tid,
				      struct arena *arena,
				      struct dbg_stop *stop, bool *ret_stops);
/* The runtime announces something by a throw: learn where it throws from. */
void throw_trap_raised(struct control *c, const struct regs *regs);
struct dbg_error *throw_trap_pal(struct control *c, pid_t tid,
				 struct arena *arena, struct dbg_stop *stop,
				 bool *ret_stops);
struct dbg_error *throw_trap_fault(struct control *c,
				   const struct target_event *ev,
				   struct arena *arena, struct dbg_stop *stop,
				   bool *ret_stops);

/* aborted.c */
/*
 * The program is about to abort: find out whether by an exception that nobody
 * catches, a fault in managed code or Environment.FailFast, into *stop.
 */
void aborted_judge(struct control *c, pid_t tid,
		   const struct fault_signal *signal, struct dbg_stop *stop);
/* @tid is about to enter the handler at @entry: await it there. */
void catch_trap_await(struct control *c, pid_t tid, uint64_t entry);
/* Handle a thread that was awaited at a handler. */
struct dbg_error *catch_trap_met(struct control *c,
				 const struct target_event *ev,
				 struct arena *arena, struct dbg_stop *stop,
				 bool *ret_stops);

#endif
