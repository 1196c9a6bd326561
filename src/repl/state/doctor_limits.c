/*
 * Checks of `doctor`: what the program uses outside of the collector's heap:
 * memory, descriptors, and what its cgroups, a container's, allow it. A core
 * does not tell of cgroups, descriptors and what was resident.
 */
#include "repl/state/doctor.h"

#include <inttypes.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/repl_priv.h"

#define NATIVE_MIN (128 * DOCTOR_MIB)

enum {
	PERIODS_FEW = 100, /* too few to say something of */
	FILES_MANY = 500,  /* regular files that are open */
	NATIVE_TIMES = 2,  /* as much as the collector's heap */
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

	if (!dbg_can_run(d->r->dbg)) {
		doctor_untold(d, "the limits of its cgroup");
		return NULL;
	}
	dbg_inferior_get(d->r->dbg, &program);
	dbg_limits_of(program.pid, &limits);
	check_memory(d, &limits);
	check_throttled(d, &limits);
	return check_heaps(d, &limits);
}

struct dbg_error *doctor_descriptors(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_inferior program;
	struct dbg_descriptors fds;

	if (!dbg_can_run(d->r->dbg)) {
		doctor_untold(d, "file descriptors");
		return NULL;
	}
	dbg_inferior_get(d->r->dbg, &program);
	dbg_descriptors_of(program.pid, &fds);
	bool full = fds.max && fds.n >= fds.max / 10 * 9;

	if (!full && !(fds.max && fds.n >= fds.max / 2) &&
	    fds.files < FILES_MANY)
		return NULL;
	str_addf(&text,
		 "%" PRIu64 " file descriptors are open, of %" PRIu64
		 " that may be: %" PRIu64 " files, %" PRIu64
		 " sockets, %" PRIu64 " others",
		 fds.n, fds.max, fds.files, fds.sockets,
		 fds.n - fds.files - fds.sockets);
	if (fds.n_most > 1)
		str_addf(&text, "; %" PRIu64 " of them are %s", fds.n_most,
			 fds.most);
	doctor_find(d, full ? WEIGHT_SEVERE : WEIGHT_WARNING,
		    fds.sockets > fds.files ? "heap paths SafeSocketHandle$"
					    : "heap paths SafeFileHandle$",
		    str_get(&text));
	return NULL;
}

/* ---- Memory outside of the heap --------------------------------------- */

struct native {
	uint64_t gc, malloc, large, n_large, other;
};

static void native_add(struct native *n, const struct dbg_region *r,
		       bool has_resident)
{
	uint64_t bytes = has_resident ? r->resident : r->end - r->start;

	if (r->kind == DBG_REGION_GC)
		n->gc += bytes;
	else if (r->kind == DBG_REGION_MALLOC)
		n->malloc += bytes;
	else if (r->kind == DBG_REGION_MALLOC_LARGE)
		n->large += bytes;
	else if (r->kind == DBG_REGION_OTHER && has_resident)
		n->other += bytes;
	n->n_large += r->kind == DBG_REGION_MALLOC_LARGE;
}

struct dbg_error *doctor_native(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct native n = {0};
	struct dbg_memory memory;
	struct dbg_error *err = dbg_memory_list(d->at, &memory);

	if (err)
		return err;
	for (size_t i = 0; i < memory.n; i++)
		native_add(&n, &memory.v[i], memory.has_resident);
	uint64_t all = n.malloc + n.large + n.other;

	if (!memory.has_resident)
		doctor_untold(d, "resident memory");

	if (memory.no_heap || all < NATIVE_MIN || all < NATIVE_TIMES * n.gc)
		return NULL;
	str_addf(&text,
		 "%" PRIu64
		 " MiB are native memory, outside of the collector's heap, "
		 "which has %" PRIu64 " MiB: malloc's %" PRIu64
		 " MiB, its large blocks %" PRIu64 " MiB (%" PRIu64
		 " blocks), other mappings %" PRIu64 " MiB",
		 all / DOCTOR_MIB, n.gc / DOCTOR_MIB, n.malloc / DOCTOR_MIB,
		 n.large / DOCTOR_MIB, n.n_large, n.other / DOCTOR_MIB);
	doctor_find(d, WEIGHT_WARNING, "memory", str_get(&text));
	return NULL;
}
