/*
 * A session that looks at a program which runs, as it would at one that stands:
 * of dbg.h dbg_observe() and what is read so.
 */
#include "session/session.h"

#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"
#include "dac/gcheap.h"
#include "session/attach.h"
#include "target/proc.h"
#include "tasks/pool.h"
#include "tasks/tasks.h"

bool dbg_usage_of(pid_t pid, struct dbg_usage *ret)
{
	struct proc_summary summary;
	struct timespec cpu;
	clockid_t clock;

	// The clock of a process includes threads that have ended.
	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &cpu) ||
	    !proc_summary(pid, &summary))
		return false;
	*ret = (struct dbg_usage){
	    .cpu = (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec,
	    .resident = summary.resident,
	    .threads = summary.threads,
	};
	return true;
}

// Names need no symbols, which take time to read.
struct dbg_error *dbg_observe(struct dbg *dbg, pid_t pid)
{
	struct target *t;

	if (dbg->target)
		return dbg_err(DBG_E_STATE,
			       "a program is being debugged already");
	struct dbg_error *err = target_observe(pid, &t);

	if (err)
		return err;
	char *modules = dbg->inspect.symbols.modules;

	dbg->inspect.symbols.modules = xstrdup("!*");
	err = session_stand(dbg, t, NULL);
	free(dbg->inspect.symbols.modules);
	dbg->inspect.symbols.modules = modules;
	return err;
}

static void heap_read(struct inspect *in, struct dbg_vitals *ret)
{
	struct gc_heap heap;
	struct dbg_error *err = dac_gc_heap(in->dac, in->arena, false, &heap);

	if (dbg_err_drop(err))
		return;
	ret->heap_known = true;
	for (size_t i = 0; i < heap.n_parts; i++)
		ret->heap += heap.parts[i].end - heap.parts[i].start;
}

void dbg_vitals_read(struct dbg *dbg, struct dbg_vitals *ret)
{
	struct inspect *in = &dbg->inspect;

	*ret = (struct dbg_vitals){0};
	if (!dbg->target || !in->dac || !in->values)
		return;
	target_observe_again(dbg->target);
	inspect_go(in);
	inspect_stop(in);
	ret->runtime = true;
	heap_read(in, ret);

	const struct tasks t = {
	    .stack = in->stack, .values = in->values, .arena = in->arena};

	pool_read(&t, false, &ret->pool);
}
