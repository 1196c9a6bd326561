/*
 * The dominator tree of the objects that are alive, by the algorithm of
 * Lengauer and Tarjan: an object is below another if every path from a root
 * leads through that one. What is below an object is what it retains: it would
 * be freed with it.
 *
 * An object without references that one reference leads to is not numbered: it
 * is below the object that has the reference. The others are numbered in the
 * order of a depth-first search, from 1; 0 stands in front of all roots.
 */
#ifndef HEAP_DOMINATORS_H
#define HEAP_DOMINATORS_H

#include "heap/graph.h"

/* An edge of the search that does not lead to a higher number. */
struct heap_edge {
	uint32_t from;
	uint32_t next; /* of the same target, 1 + index; 0: none */
};

struct heap_dominators {
	struct heap *heap;
	uint64_t *marks, *nodes; /* bits: alive, and numbered */
	uint32_t n;              /* the highest number */
	size_t n_nodes;          /* how many can be numbered */
	uint32_t *order;         /* position by number */
	uint32_t *dominator;     /* the next above */
	uint32_t *words;         /* that it retains, itself included */
	uint32_t *types;         /* number of its type */
	uint64_t *retained;      /* bytes below any of a type, by type */
	size_t n_types;
	/* While it is made. */
	struct heap_pair *pairs; /* by what leads */
	size_t n_pairs;
	uint64_t *leads;  /* bits: positions of those */
	uint32_t *ranks;  /* of the nodes in front of each word of @nodes */
	uint32_t *number; /* by rank; then the next below the same one */
	uint32_t *parent; /* in the search; then an ancestor; then @types */
	uint32_t *semi;   /* the semidominator; then @words */
	uint32_t *label;  /* edges; the best ancestor; the first below it */
	struct heap_edge *edges;
	size_t n_edges, cap_edges;
};

/*
 * Make the tree, of what @roots and @pairs keep alive. DBG_E_STATE,
 * DBG_E_INTERRUPTED.
 */
DBG_MUST struct dbg_error *heap_dominators_init(struct heap_dominators *d,
						struct heap *h,
						const struct heap_roots *roots);
void heap_dominators_deinit(struct heap_dominators *d);
/* The object of a number. */
uint64_t heap_dominators_object(const struct heap_dominators *d,
				uint32_t number);

#endif
