/*
 * Check of `doctor`: what the cgroups of the program, a container's, allow it.
 * Of a core nothing is known of them.
 */
#include "repl/state/doctor.h"

#include <inttypes.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/repl_priv.h"

enum {
	PERIODS_FEW = 100, /* too few to say something of */
};

static void check_memory(struct doctor *d, const struct dbg_limits *l)
{
	_cleanup_str_ struct str text = {0};

	if (!l->memory || l->memory_used < l->memory / 10 * 9)
		return;
	str_addf(&text,
		 "The program's cgroup uses %" PRIu64 " of the %" PRIu64
		 " MiB that it may: the kernel ends who asks for more",
		 l->memory_used / DOCTOR_MIB, l->memory / DOCTOR_MIB);
	doctor_find(d, WEIGHT_SEVERE, "memory", str_get(&text));
}

static void check_throttled(struct doctor *d, const struct dbg_limits *l)
{
	_cleanup_str_ struct str text = {0};

	if (l->periods < PERIODS_FEW || l->throttled < l->periods / 4)
		return;
	str_addf(&text,
		 "The program's cgroup has %" PRIu64 ".%02" PRIu64
		 " processors, and was held back in %" PRIu64 " of %" PRIu64
		 " periods",
		 l->cpu / 1000, l->cpu % 1000 / 10, l->throttled, l->periods);
	doctor_find(d, WEIGHT_WARNING, "threadpool", str_get(&text));
}

// The runtime takes as many heaps as there are processors, or as it is told by
// GCHeapCount; each has a thread that collects.
static struct dbg_error *check_heaps(struct doctor *d,
				     const struct dbg_limits *l)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_heap_parts parts;
	struct dbg_error *err = NULL;
	uint64_t processors = (l->cpu + 999) / 1000;

	if (processors)
		err = dbg_heap_parts(d->at, &parts);
	if (err || !processors || !parts.server || parts.n_heaps <= processors)
		return err;
	str_addf(&text,
		 "Server GC has %" PRIu32
		 " heaps, each with its thread, and the program's cgroup has "
		 "%" PRIu64 ".%02" PRIu64
		 " processors: GCHeapCount, or workstation GC",
		 parts.n_heaps, l->cpu / 1000, l->cpu % 1000 / 10);
	doctor_find(d, WEIGHT_WARNING, "heap segments", str_get(&text));
	return NULL;
}

struct dbg_error *doctor_limits(struct doctor *d)
{
	struct dbg_inferior program;
	struct dbg_limits limits;

	if (!dbg_can_run(d->r->dbg))
		return NULL;
	dbg_inferior_get(d->r->dbg, &program);
	dbg_limits_of(program.pid, &limits);
	check_memory(d, &limits);
	check_throttled(d, &limits);
	return check_heaps(d, &limits);
}
