/*
 * What can be reached from roots, and by which way: a breadth-first search, so
 * that each way is a shortest one.
 *
 * Objects are numbered by their place in a queue, which is kept. Since the
 * queue is served in order, the entries that one object has added stand
 * together, behind those of earlier objects. So a string of bits, one for each
 * entry added and one for each entry served, in the order of these events,
 * tells every entry's parent. With the marks that is all the memory needed,
 * some 5 bytes an object.
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

/* The roots that a search begins at. */
struct heap_roots {
	uint64_t *objects;
	size_t n;
	size_t n_lasting; /* the first ones: ways from these are preferred */
	const struct heap_pair *pairs; /* borrowed */
	size_t n_pairs;
};

struct heap_link {
	uint32_t index;  /* in the queue */
	uint32_t parent; /* likewise, UINT32_MAX: not looked for yet */
	uint64_t from;
};

/*
 * When the caller sets them, marks: of objects that are roots or were met more
 * than once, and of those that have references.
 */
struct heap_nodes {
	uint64_t *joins, *inner;
	size_t count; /* of all objects that were met */
};

/* Where the roots are in the queue. */
struct heap_entries {
	size_t n;            /* the first of it */
	size_t late, n_late; /* added when all that these lead to was visited */
};

/* Indexes in the queue. */
struct heap_entry_list {
	uint32_t *v;
	size_t n, cap;
};

/* See heap_graph_sample. */
struct heap_samples {
	uint64_t step, next; /* bytes visited */
	struct heap_entry_list at;
};

struct heap_graph {
	struct heap *heap;
	uint64_t *marks; /* see heap_marks_make */
	uint32_t *queue; /* positions */
	size_t n, cap, served;
	struct heap_entries roots;
	uint64_t *ways; /* bits: 1 an entry, 0 one was served */
	size_t cap_ways;
	uint32_t *parents; /* of each GRAPH_STEPth: its index in the queue */
	size_t n_parents, cap_parents;
	const struct heap_pair *pairs; /* borrowed */
	size_t n_pairs;
	struct heap_link *links; /* objects that are alive by a pair */
	size_t n_links, cap_links;
	uint64_t bytes; /* of the objects that were visited */
	struct heap_samples samples;
	/*
	 * Marks of the objects that are held: not passed through until they are
	 * released (held), and of those among them that something refers to
	 * (met). A met object is in the queue where it was met, and, once
	 * released, again from @first_again, in the same order.
	 */
	uint64_t *held, *met;
	uint64_t *released; /* what was held */
	uint32_t *again;    /* where each of them was met */
	size_t first_again, n_again;
	/*
	 * Set by the caller: objects are marked, but the queue drops what has
	 * been served, newest first, so that there are no parents. Held objects
	 * are then released by heap_graph_pass alone.
	 */
	bool marks_only;
	struct heap_nodes nodes;
	uint64_t target; /* who refers to it is noted; 0: nobody */
	struct heap_entry_list referrers; /* to it, in the order of the queue */
};

/*
 * Begin. All of the heap is brought into memory first where it is not there;
 * DBG_E_STATE: there are more objects than can be numbered.
 */
DBG_MUST struct dbg_error *heap_graph_init(struct heap_graph *g,
					   struct heap *h);
void heap_graph_deinit(struct heap_graph *g);
/*
 * Note in g->samples.at, for every @step bytes that are visited from now on,
 * the object that has the last of them; one that is larger comes again.
 */
void heap_graph_sample(struct heap_graph *g, uint64_t step);
/* Add a root; false if it is no object, or one that was added before. */
bool heap_graph_root(struct heap_graph *g, uint64_t object);
/* Do not pass through this object; false if it is none, or held already. */
bool heap_graph_hold(struct heap_graph *g, uint64_t object);
/*
 * Visit all that can be reached. It may be called again after more roots were
 * added. DBG_E_INTERRUPTED.
 */
DBG_MUST struct dbg_error *heap_graph_run(struct heap_graph *g);
/*
 * Let go all held objects: the next heap_graph_run() passes through those of
 * them that something led to while they were held.
 */
void heap_graph_release(struct heap_graph *g);
/* Is the object held, and does something lead to it that was visited? */
bool heap_graph_met(const struct heap_graph *g, uint64_t object);
/* Let this one go, if it is held: the next visit goes on from it if it was met.
 */
void heap_graph_pass(struct heap_graph *g, uint64_t object);
/*
 * Add all roots, and visit what they keep alive: all of the lasting ones first,
 * so that what both these and others lead to is reached from them.
 */
DBG_MUST struct dbg_error *heap_graph_mark(struct heap_graph *g,
					   const struct heap_roots *roots);
bool heap_graph_has(const struct heap_graph *g, uint64_t object);
/*
 * The entry of the object that put the @index-th into the queue, or where an
 * object that was released was met; false: it is a root.
 */
bool heap_graph_parent(struct heap_graph *g, uint32_t index, uint32_t *ret);
/* The entry of an object; false: it was not reached. All of them are looked at.
 */
bool heap_graph_index(const struct heap_graph *g, uint64_t object,
		      uint32_t *ret);
/* The object of an entry of the queue. */
uint64_t heap_graph_object(const struct heap_graph *g, uint32_t index);
/*
 * The offset in the object @from of a reference to @to; UINT64_MAX: not known.
 */
uint64_t heap_graph_offset(struct heap_graph *g, uint64_t from, uint64_t to);

#endif
