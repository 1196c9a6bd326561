/* dbg.h: how much objects keep alive. The program must be stopped. */
#ifndef DBG_SIZES_H
#define DBG_SIZES_H

#include "dbg/error.h"
#include "dbg/objects.h"

struct dbg_heap_amount {
	uint64_t count, bytes;
};

struct dbg_heap_size {
	uint64_t object; /* 0: of many */
	const char *type;
	struct dbg_heap_amount own;
	struct dbg_heap_amount live;      /* of them, what roots lead to */
	struct dbg_heap_amount inclusive; /* with all that they lead to */
	struct dbg_heap_amount retained;  /* with what only they keep alive */
};

/*
 * Measure the object at or around @addr; 0: all objects of @filter together.
 * DBG_E_MEMORY: no object is there.
 */
DBG_MUST struct dbg_error *dbg_heap_size(struct dbg *dbg,
					 const struct dbg_heap_filter *filter,
					 uint64_t addr,
					 struct dbg_heap_size *ret);

struct dbg_heap_retainer {
	uint64_t object, size, retained;
	const char *type;
	uint64_t dominator; /* whose removal would free it; 0: none */
};

/* The @max objects of @filter that retain the most, that with the most first.
 */
DBG_MUST struct dbg_error *
dbg_heap_retainers(struct dbg *dbg, const struct dbg_heap_filter *filter,
		   size_t max, struct dbg_heap_retainer **ret, size_t *ret_n);

#endif
