/* dbg_code_list(): all code of a program that runs. */
#include "session/session.h"

#include "base/err.h"
#include "base/mem.h"
#include "sample/coderanges.h"
#include "target/proc.h"
#include "target/target.h"

struct dbg_error *dbg_code_list(struct dbg *dbg, dbg_code_fn *fn, void *arg,
				bool *ret_file)
{
	struct inspect *in = &dbg->inspect;

	if (!dbg->target || !in->dac || !in->code)
		return dbg_err(DBG_E_RUNTIME,
			       "there is no .NET runtime that can be read: it "
			       "is not up yet, or not permitted");
	dbg_observe_again(dbg);
	*ret_file = code_ranges(dbg->target, in->dac, in->code, fn, arg);
	return NULL;
}

bool dbg_code_at(struct dbg *dbg, uint64_t addr, struct arena *arena,
		 struct dbg_code_range *ret)
{
	struct inspect *in = &dbg->inspect;

	return dbg->target && in->dac && in->code &&
	       code_range_at(dbg->target, in->dac, in->code, addr, arena, ret);
}

struct dbg_error *dbg_mapping_list(struct dbg *dbg, struct arena *arena,
				   struct dbg_mapping **ret, size_t *ret_n)
{
	const struct proc_maps *maps;
	struct dbg_error *err = target_maps(dbg->target, &maps);
	size_t n = 0;

	if (err)
		return err;
	*ret = arena_calloc(arena, maps->n, sizeof(**ret));
	for (size_t i = 0; i < maps->n; i++) {
		const struct proc_map *m = &maps->v[i];

		if (m->exec && *m->path)
			(*ret)[n++] = (struct dbg_mapping){
			    m->start, m->end, m->offset,
			    arena_printf(arena, "%s%s", m->path,
					 m->deleted ? " (deleted)" : "")};
	}
	*ret_n = n;
	return NULL;
}

const char *dbg_perf_map_path(pid_t pid, struct arena *arena)
{
	struct proc_summary summary;

	if (!proc_summary(pid, &summary))
		return NULL;
	return summary.inside == pid
		   ? arena_printf(arena, "/tmp/perf-%d.map", pid)
		   : arena_printf(arena, "/proc/%d/root/tmp/perf-%d.map", pid,
				  summary.inside);
}

bool dbg_may_be_thread(pid_t pid, pid_t tid)
{
	uint64_t tgid;

	return tid == pid || !proc_status(tid, "Tgid", 10, &tgid) ||
	       (pid_t)tgid == pid;
}
