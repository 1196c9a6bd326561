/* Updates that the program is given of its assemblies while it runs. */
#ifndef CONTROL_HOTRELOAD_H
#define CONTROL_HOTRELOAD_H

#include "code/code.h"
#include "control/threadtrap.h"
#include "target/target.h"

/* An update that a thread is about to apply; its bytes are owned. */
struct pending_update {
	pid_t tid;
	uint64_t module; /* its address, and */
	uint32_t number; /* dbg_module.number: it may be gone by then */
	struct code_update update;
};

struct hot_reload {
	struct pending_update *pending;
	size_t n, cap;
	struct thread_traps returns; /* where these have been applied */
	unsigned int n_waits;        /* of an update for threads that compile */
};

/* Handle @tid at the first instruction of the runtime's function. */
DBG_MUST struct dbg_error *hot_reload_begins(struct control *c, pid_t tid,
					     struct regs *regs,
					     struct dbg_stop *stop,
					     bool *ret_stops);
/* Handle a thread at the return address of that function. */
DBG_MUST struct dbg_error *hot_reload_returned(struct control *c, pid_t tid,
					       uint64_t addr);
void hot_reload_reset(struct control *c);

#endif
