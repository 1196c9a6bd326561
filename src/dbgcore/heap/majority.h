/*
 * What retains half of the live bytes or more: one object, or all objects of
 * one type together. Candidates are found by the shortest ways from the roots
 * to a sample of the live bytes: what retains half of the bytes is on the ways
 * of half of the samples. How much a candidate retains is then measured by a
 * search that does not pass through it, so that no dominator tree is needed.
 */
#ifndef HEAP_MAJORITY_H
#define HEAP_MAJORITY_H

#include "heap/dominators.h"
#include "heap/graph.h"

enum {
	MAJORITY_SAMPLES = 1 << 14, /* of a heap without free space */
};

/* Objects of one type. */
struct heap_crowd {
	const struct heap_type *type; /* NULL: there is none */
	uint64_t count, bytes;        /* that they retain together */
	uint64_t example; /* the largest sample that one of them leads to */
};

/*
 * The objects of which each retains half of what is alive, or nine tenths of
 * what the one in front of it does, which dominates it. @g was marked by
 * @roots, with samples. To be freed. DBG_E_INTERRUPTED, DBG_E_STATE.
 */
DBG_MUST struct dbg_error *heap_majority_find(struct heap_graph *g,
					      const struct heap_roots *roots,
					      struct heap_retained **ret,
					      size_t *ret_n);
/*
 * Find, among the types with some but not very many objects, the one nearest to
 * the roots that retains half.
 */
DBG_MUST struct dbg_error *heap_crowd_find(struct heap_graph *g,
					   const struct heap_roots *roots,
					   struct heap_crowd *ret);

#endif
