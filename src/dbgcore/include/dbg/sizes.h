/* dbg.h: how much objects keep alive. */
#ifndef DBG_SIZES_H
#define DBG_SIZES_H

#include "dbg/stopped.h"
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
DBG_MUST struct dbg_error *dbg_heap_size(struct dbg_stopped at,
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
dbg_heap_retainers(struct dbg_stopped at, const struct dbg_heap_filter *filter,
		   size_t max, struct dbg_heap_retainer **ret, size_t *ret_n);

/*
 * The objects that retain half of what is alive or more: each dominates the one
 * behind it, of which the last may retain somewhat less. None is left out that
 * clearly does.
 */
DBG_MUST struct dbg_error *dbg_heap_majority(struct dbg_stopped at,
					     struct dbg_heap_retainer **ret,
					     size_t *ret_n);

/* Objects of one type, some, but not very many. */
struct dbg_heap_crowd {
	const char *type;      /* NULL: there are none */
	uint64_t count, bytes; /* that they retain together */
	uint64_t example;      /* a large object that one of them leads to */
	const char *example_type;
};

/* The type nearest to the roots whose objects retain half of what is alive. */
DBG_MUST struct dbg_error *dbg_heap_crowd(struct dbg_stopped at,
					  struct dbg_heap_crowd *ret);

/* ---- What keeps objects alive, by type ------------------------------- */

enum dbg_way_kind {
	DBG_WAY_TYPE, /* objects of a type that refer to what stands above */
	DBG_WAY_ROOT, /* a root, where the way ends */
	DBG_WAY_DEEP, /* objects of any types, deeper than was asked for */
	DBG_WAY_REST, /* ways beside those above that are not listed */
};

struct dbg_heap_way {
	enum dbg_way_kind kind;
	uint32_t depth;   /* 0: the objects asked for */
	const char *text; /* a type's name, a root in words */
	uint64_t object;  /* one of those that it leads through; 0: none */
	uint64_t objects; /* how many these are; REST: ways */
	uint64_t count;   /* of the objects asked for that are kept by it */
	uint64_t bytes;   /* that these retain */
};

struct dbg_heap_ways {
	struct dbg_heap_way *v; /* each in front of those below it */
	size_t n;
	uint64_t garbage; /* objects that nothing keeps alive */
	bool cut;         /* there are more ways than are told apart */
};

struct dbg_heap_way_limits {
	uint32_t depth; /* 0: as is usual */
	size_t width;   /* below one way; 0: all */
};

enum {
	DBG_WAY_DEPTH_MAX = 100,
};

/*
 * Find what keeps the objects of @filter alive: shortest paths from roots that
 * lead through none of the others, merged by type. The bytes are what the
 * objects retain together; what several retain counts once, for the way to the
 * object from which it was reached first.
 */
DBG_MUST struct dbg_error *
dbg_heap_way_list(struct dbg_stopped at, const struct dbg_heap_filter *filter,
		  const struct dbg_heap_way_limits *limits,
		  struct dbg_heap_ways *ret);

#endif
