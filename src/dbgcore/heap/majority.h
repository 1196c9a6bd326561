/*
 * Who retains half of what is alive, or more: one object, or all of a type
 * together. Found by the shortest ways from roots to samples of all bytes that
 * are alive: who retains half of these is on the ways of half of the samples.
 * How much those retain that are, is then found by following all references but
 * theirs, so that no dominator tree is needed.
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
/* Of types with some, but not very many objects, that nearest to the roots. */
DBG_MUST struct dbg_error *heap_crowd_find(struct heap_graph *g,
					   const struct heap_roots *roots,
					   struct heap_crowd *ret);

#endif
