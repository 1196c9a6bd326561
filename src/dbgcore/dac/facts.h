/*
 * Facts about the runtime's own structures, for users who inspect the runtime:
 * types, methods, assemblies and threads as the DAC describes them. Nothing is
 * cached; everything is of one stop, in the given arena.
 */
#ifndef DAC_FACTS_H
#define DAC_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "dbg/error.h"

struct arena;
struct dac;

/* ---- Types and methods ----------------------------------------------- */

struct dac_type_facts {
	uint64_t eeclass;
	uint32_t n_methods, n_interfaces;
	uint32_t n_virtuals; /* 0: not told, as .NET 9 and later do */
	bool collectible;
};

/* False: @mt is no MethodTable. */
bool dac_type_facts(struct dac *d, uint64_t mt, struct dac_type_facts *ret);
/* The MethodTable of an EEClass; 0: it is none. */
uint64_t dac_type_of_class(struct dac *d, uint64_t eeclass);

struct dac_slot {
	uint32_t slot;
	uint64_t method; /* MethodDesc, 0: it is not known */
	uint64_t entry;  /* where callers go, 0: likewise */
};

/* The methods that a type's slots lead to, inherited ones too. */
DBG_MUST struct dbg_error *dac_type_slots(struct dac *d, uint64_t mt,
					  struct arena *arena,
					  struct dac_slot **ret, size_t *ret_n);

/* ---- Assemblies ------------------------------------------------------ */

struct dac_domain {
	uint64_t addr;
	uint32_t id, n_assemblies;
	const char *name; /* "" if it has none */
	bool system;      /* the one that holds the runtime's own state */
};

/* The application domains: .NET has one, and the system's. */
DBG_MUST struct dbg_error *dac_domains(struct dac *d, struct arena *arena,
				       struct dac_domain **ret, size_t *ret_n);
/* The LoaderAllocator that owns a module's types; 0: not known. */
uint64_t dac_module_allocator(struct dac *d, uint64_t module);

/* ---- Threads --------------------------------------------------------- */

/* Bits of dac_any_thread.state. */
enum {
	DAC_THREAD_BACKGROUND = 0x200,
	DAC_THREAD_UNSTARTED = 0x400,
	DAC_THREAD_DEAD = 0x800,
};

struct dac_any_thread {
	uint64_t addr;       /* Thread* */
	pid_t tid;           /* 0: it has not begun, or has ended */
	uint32_t managed_id; /* 0: none any more */
	uint32_t state;
	bool cooperative;
	uint64_t exception; /* last thrown object, 0: none */
	uint64_t object;    /* System.Threading.Thread, 0: none */
	bool finalizer, suspender;
};

/* List all threads that the runtime has, including ended ones, in its order. */
DBG_MUST struct dbg_error *dac_threads_all(struct dac *d, struct arena *arena,
					   struct dac_any_thread **ret,
					   size_t *ret_n);

#endif
