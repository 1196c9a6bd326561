/*
 * dbg.h: what the address space is used for. Arrays and strings die with
 * the stop.
 */
#ifndef DBG_REGIONS_H
#define DBG_REGIONS_H

#include "dbg/stopped.h"
#include "dbg/objects.h"

enum dbg_region_kind {
	DBG_REGION_GC,       /* objects of a generation */
	DBG_REGION_GC_FREE,  /* kept by the collector for objects to come */
	DBG_REGION_GC_TABLE, /* its cards and marks */
	DBG_REGION_HANDLES,
	DBG_REGION_CODE,       /* of the JIT */
	DBG_REGION_LOADER,     /* types, methods, stubs */
	DBG_REGION_EXECUTABLE, /* of the runtime's executable memory, the rest
				*/
	DBG_REGION_STACK,
	DBG_REGION_MALLOC,       /* glibc's heap and arenas */
	DBG_REGION_MALLOC_LARGE, /* ... a block with a mapping of its own */
	DBG_REGION_FILE,
	DBG_REGION_KERNEL,   /* vdso and the like */
	DBG_REGION_OTHER,    /* other memory without a file */
	DBG_REGION_RESERVED, /* not accessible */
	DBG_N_REGIONS,
};

/* "GC heap", "JIT code". */
const char *dbg_region_name(enum dbg_region_kind kind);

struct dbg_region {
	uint64_t start, end;
	enum dbg_region_kind kind;
	enum dbg_generation generation; /* GC */
	uint32_t thread;                /* STACK: number */
	const char *name;  /* path, thread's or loader heap's name; or NULL */
	uint64_t resident; /* bytes in physical memory */
	bool read, write, exec;
};

struct dbg_memory {
	struct dbg_region *v; /* by address, none overlap */
	size_t n;
	bool has_resident;
	const char *no_heap; /* why the GC's heap is not known; NULL: it is */
};

/* List what each mapping is for, split where it has several uses. */
DBG_MUST struct dbg_error *dbg_memory_list(struct dbg_stopped at,
					   struct dbg_memory *ret);

#endif
