/*
 * dbg.h: how a program that runs is doing, at a glance, as often as it is
 * asked. The program is neither stopped nor traced and asked for nothing: its
 * memory is read while it changes, so a figure may be a moment old, or missing.
 */
#ifndef DBG_VITALS_H
#define DBG_VITALS_H

#include "dbg/async.h"
#include "dbg/process.h"

/* What the kernel tells every user about a process. */
struct dbg_usage {
	uint64_t cpu;      /* nanoseconds of processors since it began */
	uint64_t resident; /* bytes of memory */
	uint32_t threads;
};

/* False: it has ended. */
bool dbg_usage_of(pid_t pid, struct dbg_usage *ret);

/*
 * Have a session without a program look at this one, until it is destroyed.
 * DBG_E_TARGET: no right; DBG_E_NOT_FOUND.
 */
DBG_MUST struct dbg_error *dbg_observe(struct dbg *dbg, pid_t pid);
/* Forget what was read of it: it may have gone on since. */
void dbg_observe_again(struct dbg *dbg);

/*
 * The C# name of the type of the object whose lock is @lock, as dbg_told_wait
 * has it, in @arena. NULL: not known, as of a System.Threading.Lock itself. It
 * is looked up in the table of sync blocks, in which the collector keeps the
 * objects' addresses right.
 */
const char *dbg_lock_type(struct dbg *dbg, uint64_t lock, struct arena *arena);

/* Facts about the memory of a program's runtime. */
struct dbg_vitals {
	bool runtime; /* else there is none that can be read (yet) */
	bool heap_known;
	uint64_t heap; /* bytes of objects, the dead ones included */
	bool totals_known;
	uint32_t exceptions; /* thrown since it began; goes round */
	uint64_t paused_us;  /* that its threads stood for collections */
	struct dbg_pool pool;
};

/* Look at it anew; while the collector is at work the heap is not known. */
void dbg_vitals_read(struct dbg *dbg, struct dbg_vitals *ret);

#endif
