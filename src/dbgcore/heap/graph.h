/*
 * What can be reached, from roots, and by which way: breadth first, so that
 * each way is a shortest one.
 *
 * Objects are met in the order of a queue of positions, which is kept: with a
 * bit for each word of the heap that is all the memory it takes, some 5 bytes
 * an object. Who put an object into the queue is not kept: since the queue is
 * served in order these numbers only grow, so one of each GRAPH_STEP is kept
 * and the objects between are looked at again for a way that is asked for.
 */
#ifndef HEAP_GRAPH_H
#define HEAP_GRAPH_H

#include "heap/heap.h"

enum {
	GRAPH_STEP = 64,
};

/* While the first is alive the second is: a dependent handle. */
struct heap_pair {
	uint64_t from, to;
};

/* Where reachability begins. */
struct heap_roots {
	uint64_t *objects;
	size_t n;
	const struct heap_pair *pairs; /* borrowed */
	size_t n_pairs;
};

struct heap_link {
	uint32_t index; /* in the queue */
	uint64_t from;
};

struct heap_graph {
	struct heap *heap;
	uint64_t *marks; /* bits by position */
	uint32_t *queue; /* positions */
	size_t n, cap, served;
	size_t n_roots;    /* the first of it */
	uint32_t *parents; /* of each GRAPH_STEPth: its index in the queue */
	size_t n_parents, cap_parents;
	const struct heap_pair *pairs; /* borrowed */
	size_t n_pairs;
	struct heap_link *links; /* objects that are alive by a pair */
	size_t n_links, cap_links;
	uint64_t bytes; /* of the objects that were visited */
	/*
	 * Bits of objects that are not passed through until they are released,
	 * and those of them that something else leads to.
	 */
	uint64_t *held, *met;
	/*
	 * When the caller sets it, an array of bits as marks: objects that
	 * have references, are roots, or were met more than once.
	 */
	uint64_t *nodes;
	uint64_t target;     /* who refers to it is noted; 0: nobody */
	uint32_t *referrers; /* to it, in the order of the queue */
	size_t n_referrers, cap_referrers;
};

/*
 * Begin. All of the heap is brought into memory first where it is not there;
 * DBG_E_STATE: there are more objects than can be numbered.
 */
DBG_MUST struct dbg_error *heap_graph_init(struct heap_graph *g,
					   struct heap *h);
void heap_graph_deinit(struct heap_graph *g);
/* Add a root; false if it is no object, or one that was added before. */
bool heap_graph_root(struct heap_graph *g, uint64_t object);
/* Do not pass through this object; false if it is none, or held already. */
bool heap_graph_hold(struct heap_graph *g, uint64_t object);
/*
 * Visit all that can be reached. It may be called again after more roots were
 * added. DBG_E_INTERRUPTED.
 */
DBG_MUST struct dbg_error *heap_graph_run(struct heap_graph *g);
/* Let go what is held: roots are those that were led to. */
void heap_graph_release(struct heap_graph *g);
/* Add all roots, and visit what they keep alive. */
DBG_MUST struct dbg_error *heap_graph_mark(struct heap_graph *g,
					   const struct heap_roots *roots);
bool heap_graph_has(const struct heap_graph *g, uint64_t object);
/*
 * The object that put the @index-th into the queue, in @ret an index again;
 * false: it is a root.
 */
bool heap_graph_parent(struct heap_graph *g, uint32_t index, uint32_t *ret);
/* The object of an entry of the queue. */
uint64_t heap_graph_object(const struct heap_graph *g, uint32_t index);
/* Where @from refers to @to, UINT64_MAX: nowhere that is known. */
uint64_t heap_graph_offset(struct heap_graph *g, uint64_t from, uint64_t to);

#endif
