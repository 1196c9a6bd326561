/*
 * The dominator tree of the objects that are alive: an object is below another
 * if every path from a root leads through that one. What is below an object is
 * what it retains: it would be freed with it.
 *
 * An object that a single reference leads to is below the object that has the
 * reference, so nothing is kept of it. The others, and the roots, are joins.
 * Only these are given semidominators (Lengauer and Tarjan) and dominators
 * (Georgiadis and Tarjan), some 22 bytes each. All else is found out by
 * following references again, in the same order.
 *
 * Joins are numbered from 1 in the order of a depth-first search over all
 * objects; 0 stands in front of all roots. Other objects have a place in that
 * search only while they are on its stack. An object's depth is how many
 * objects were on the stack when it came there: of the ancestors of an object
 * the one with the lower depth is nearer to the roots.
 */
#ifndef HEAP_DOMINATORS_H
#define HEAP_DOMINATORS_H

#include "heap/graph.h"

#define HEAP_NOWHERE UINT32_MAX

/* A reference to a join that has a lower number. */
struct heap_edge {
	uint32_t from; /* the nearest join to what has the reference */
	uint32_t next; /* of the same target, 1 + index; 0: none */
};

struct heap_join {
	uint32_t label;   /* edges; then the best join up to the parent */
	uint32_t semi;    /* depth of the semidominator; then the dominator's */
	uint32_t semi_at; /* position of that, HEAP_NOWHERE: it is no object */
};

/*
 * The joins in the order of the search, which is read from the first to the
 * last: numbers of 7 bits a byte, the last with its high bit unset. Of each:
 * how many joins left the stack since the last one came, and how much deeper it
 * is than the one that is now the nearest above it.
 */
struct heap_log {
	uint8_t *v;
	size_t n, cap;
};

struct heap_dominators {
	struct heap *heap;
	uint64_t n_alive; /* objects */
	uint64_t *joins;  /* marks */
	/*
	 * Marks of objects that refer to others; later of objects that dominate
	 * joins.
	 */
	uint64_t *inner;
	uint32_t *ranks; /* marks in front of each block of @inner */
	/* Dependent handles by what leads, and bits by a hash of that. */
	struct heap_pair *pairs;
	size_t n_pairs, n_leads;
	uint64_t *leads;
	/* The joins below each object that has some, by rank, 0: roots. */
	uint32_t *starts;
	uint32_t *below; /* positions */
	/* Bytes that objects of a type retain, each once: heap_retained_each */
	uint64_t *retained;
	size_t n_types;
	/* While dominators are looked for. */
	size_t n_joins;      /* how many there can be */
	uint32_t *number;    /* of a join, by rank in @joins */
	uint64_t *odd;       /* bits by rank: its position is an odd one */
	uint32_t n;          /* the highest */
	struct heap_join *v; /* by number; the first is in front of roots */
	struct heap_log log;
	struct heap_edge *edges;
	size_t n_edges, cap_edges;
};

/*
 * Make the tree, of what @roots and pairs keep alive. DBG_E_STATE,
 * DBG_E_INTERRUPTED. Deinit it also after an error.
 */
DBG_MUST struct dbg_error *heap_dominators_init(struct heap_dominators *d,
						struct heap *h,
						const struct heap_roots *roots);
void heap_dominators_deinit(struct heap_dominators *d);

/* ---- What objects retain ------------------------------------------------- */

struct heap_retained {
	uint64_t object;
	uint64_t bytes;     /* that it retains, itself included */
	uint64_t dominator; /* the object above; 0: none */
};

typedef void heap_retained_fn(void *arg, const struct heap_retained *r);
/*
 * Tell @fn (or NULL) of each object behind those that are below it, and add up
 * what types retain. To be called once. DBG_E_INTERRUPTED, DBG_E_STATE.
 */
DBG_MUST struct dbg_error *heap_retained_each(struct heap_dominators *d,
					      heap_retained_fn *fn, void *arg);

#endif
