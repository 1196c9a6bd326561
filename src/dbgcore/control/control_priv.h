/*
 * Declarations shared by the files of control/: struct control, which all their
 * work hangs on. Each topic has a header of its own.
 */
#ifndef CONTROL_PRIV_H
#define CONTROL_PRIV_H

#include "base/map.h"
#include "base/mem.h"
#include "control/call/call.h"
#include "control/control.h"
#include "control/debugger.h"
#include "control/exception/exceptions.h"
#include "control/hotreload.h"
#include "control/jit/jit.h"
#include "control/step/step.h"
#include "control/step/steps.h"
#include "control/threadtrap.h"
#include "control/watch/watch.h"
#include "value/value.h"

struct bp;

/* Large: each topic's part is a structure of its own header. */
struct control {
	const struct control_ops *ops;
	void *arg;
	struct inspect *inspect;
	struct target *target;
	struct stack *stack;
	struct dac *dac; /* NULL until the runtime is up */
	struct code *code;
	struct map sites; /* address -> struct site */
	struct bp **bps;
	size_t n_bps, cap_bps;
	uint32_t last_number;
	struct map hits; /* address -> struct hit_list */
	struct code_waits waits;
	struct entry_traps entry_traps;
	struct step_plan plan;
	struct step_rules rules;
	struct skips skips;
	bool told_optimized; /* in this session */
	struct probe probe;
	struct throw_traps throws;
	struct debugger debugger;
	struct watches watches;
	unsigned int catch_users; /* bits of enum catch_user */
	uint64_t cxa_throw;
	uint64_t notify_call; /* where notifications are seen instead, or 0 */
	struct thread_traps loads;   /* of assemblies, where the calls return */
	struct thread_traps catches; /* handlers about to be entered */
	struct thread_traps spawns;  /* where functions of SITE_SPAWN return */
	struct hot_reload hot_reload;
	struct calls calls;
	bool stop_at_entry;
	bool unseen; /* Debugger.IsAttached is answered by the runtime: false */
	bool unoptimize; /* modules that are loaded from now on */
};

/* Who wants to be notified of catch handlers that are entered. */
enum catch_user {
	CATCH_USER_STEP = 1,
	CATCH_USER_WATCH = 2,
	CATCH_USER_BREAK = 4, /* catchpoints: DBG_BREAK_CAUGHT */
};

void control_catch(struct control *c, enum catch_user who, bool on);

/* ---- control.c ----------------------------------------------------- */

/*
 * Before a trap is set at @addr: if that is native code, let the trap yield to
 * vfork children.
 */
void spawn_traps_arm(struct control *c, uint64_t addr);

/* Forget all sites: the program they were in is gone. */
void sites_forget(struct control *c);
/* Grow an array of addresses by one. */
void addrs_add(uint64_t **addrs, size_t *n, size_t *cap, uint64_t addr);
bool addrs_have(const uint64_t *addrs, size_t n, uint64_t addr);

/* Stop all threads and begin to inspect. */
DBG_MUST struct dbg_error *control_halt(struct control *c);
/*
 * Get the addresses of a function that @library exports, the first in ret[0]. A
 * single-file program has the functions of the framework's own libraries in its
 * table instead (dac_native_functions). *ret stays as it is if there is none.
 */
void control_library_functions(struct control *c, const char *library,
			       const char *name,
			       uint64_t ret[TARGET_OVERLOADS]);
/* Read the notification that a thread at a SITE_THROW carries. */
void control_notification(struct control *c, const struct regs *regs,
			  struct dac_notification *ret);
/* Report and drop an error that must not end the session. */
void control_warn(struct control *c, struct dbg_error *err);

#endif
