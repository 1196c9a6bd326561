/*
 * The memory that the runtime has taken for itself: code that was compiled,
 * what its loader made, and what the collector keeps beside objects.
 */
#ifndef DAC_MEMORY_H
#define DAC_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct dac;

enum dac_memory_kind {
	DAC_MEMORY_CODE,     /* code of the JIT */
	DAC_MEMORY_LOADER,   /* types, methods, stubs */
	DAC_MEMORY_HANDLES,  /* tables of handles */
	DAC_MEMORY_GC_TABLE, /* cards, marks */
	DAC_MEMORY_GC_FREE,  /* kept for objects to come */
};

struct dac_memory {
	uint64_t start, end;
	enum dac_memory_kind kind;
	const char *name; /* of a loader heap; NULL: none */
};

/* As far as the DAC tells; in @arena, in no order. */
void dac_memory(struct dac *d, struct arena *arena, struct dac_memory **ret,
		size_t *ret_n);

#endif
