/*
 * dbg.h: all code of a running program that no file of symbols names, as
 * profilers need it: compiled by the JIT, compiled ahead of time, stubs of the
 * runtime.
 */
#ifndef DBG_CODELIST_H
#define DBG_CODELIST_H

#include "dbg/process.h"

enum dbg_code_kind {
	DBG_CODE_JIT,
	DBG_CODE_PRECOMPILED, /* ReadyToRun: it lies in the assembly's file */
	DBG_CODE_STUBS,       /* many, of one kind */
};

struct dbg_code_range {
	uint64_t start, size;
	enum dbg_code_kind kind;
	const char *name;    /* foreign text */
	const char *version; /* "tier 1"; NULL: not known */
	const char *module;  /* file name, "" if there is none */
	bool own;            /* a method, and not the framework's */
};

typedef void dbg_code_fn(void *arg, const struct dbg_code_range *range);

/*
 * Call @fn for each range, of which none overlap, in no order; texts live as
 * long as the call. The session looks at a running program (dbg_observe()), and
 * does so anew: what is compiled meanwhile may be missing. Of code compiled
 * ahead of time instances of generic methods are left out: dbg_code_at() knows
 * those that are in use. *ret_file: the JIT's code lies in a file of memory
 * (W^X), where perf looks for no map.
 * DBG_E_RUNTIME: there is no runtime, or it cannot be read yet.
 */
DBG_MUST struct dbg_error *dbg_code_list(struct dbg *dbg, dbg_code_fn *fn,
					 void *arg, bool *ret_file);
/* The one that holds @addr; texts in the arena. False: none is known. */
bool dbg_code_at(struct dbg *dbg, uint64_t addr, struct arena *arena,
		 struct dbg_code_range *ret);

/* A part of a file that the program has mapped to be executed. */
struct dbg_mapping {
	uint64_t start, end, offset;
	const char *path; /* as the kernel tells it: "... (deleted)" */
};
/* List all executable mappings of files, in @arena. */
DBG_MUST struct dbg_error *dbg_mapping_list(struct dbg *dbg,
					    struct arena *arena,
					    struct dbg_mapping **ret,
					    size_t *ret_n);

/*
 * The path at which perf looks for a process's map of its code, as seen from
 * here: the process may be in a container. In the arena; NULL: it has ended.
 */
const char *dbg_perf_map_path(pid_t pid, struct arena *arena);
/* Is @tid a thread of the process, or of none that there is any more? */
bool dbg_may_be_thread(pid_t pid, pid_t tid);

#endif
