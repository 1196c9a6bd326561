/*
 * A session that looks at a program which runs, as it would at one that stands:
 * of dbg.h dbg_observe() and what is read so.
 */
#include "session/session.h"

#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dac/dac.h"
#include "dac/gcheap.h"
#include "meta/csname.h"
#include "session/attach.h"
#include "target/proc.h"
#include "target/target.h"
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

void dbg_observe_again(struct dbg *dbg)
{
	if (!dbg->target)
		return;
	target_observe_again(dbg->target);
	inspect_go(&dbg->inspect);
	inspect_stop(&dbg->inspect);
}

// The name of the type of the object at @addr, which may move meanwhile: then
// there is no MethodTable at its beginning any more, or none that is whole.
static const char *object_type(struct dbg *dbg, uint64_t addr,
			       struct arena *arena)
{
	_cleanup_str_ struct str name = {0};
	const char *spelled;
	uint64_t mt;

	if (target_read_some(dbg->target, addr, &mt, sizeof(mt)) != sizeof(mt))
		return NULL;
	if (dbg_err_drop(
		dac_type_name(dbg->inspect.dac, mt & ~UINT64_C(7), &spelled)))
		return NULL;
	csname_from_dac(spelled, &name);
	return arena_strdup(arena, str_get(&name));
}

const char *dbg_lock_type(struct dbg *dbg, uint64_t lock, struct arena *arena)
{
	struct gc_sync_block *v;
	size_t n;

	if (!dbg->target || !dbg->inspect.dac)
		return NULL;
	target_cache_drop(dbg->target);
	dac_flush(dbg->inspect.dac);
	if (dbg_err_drop(dac_gc_sync_blocks(dbg->inspect.dac, arena, &v, &n)))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (v[i].addr == lock || (v[i].lock && v[i].lock == lock))
			return object_type(dbg, v[i].object, arena);
	return NULL;
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

static void totals_read(struct inspect *in, struct dbg_vitals *ret)
{
	struct dac_totals totals;

	dac_totals_read(in->dac, &totals);
	ret->totals_known = totals.known;
	ret->exceptions = totals.exceptions;
	ret->paused_us = totals.paused_us;
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
	totals_read(in, ret);

	const struct tasks t = {
	    .stack = in->stack, .values = in->values, .arena = in->arena};

	pool_read(&t, false, &ret->pool);
}
