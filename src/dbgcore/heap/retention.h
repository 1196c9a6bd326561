/*
 * What keeps some objects alive, as a tree. The objects asked about are the
 * top; below each is what refers to it on a shortest path from a root, merged
 * by type; the leaves are roots. Each way (node) has the objects that it keeps,
 * and how many bytes would be free without them.
 *
 * Only paths that lead through none of the other objects asked about count.
 * What several of these keep alive together is counted for the one from which
 * it was reached first, so that bytes add up: the sum over the top is what all
 * of them retain together.
 */
#ifndef HEAP_RETENTION_H
#define HEAP_RETENTION_H

#include "base/map.h"
#include "heap/graph.h"

enum {
	RETENTION_TOP = 0, /* keys that are no types' */
	RETENTION_DEEP = 1,
	RETENTION_TYPE = 2,           /* + the number of the type */
	RETENTION_ROOT = 0x80000000U, /* + what the caller makes of it */
};

struct heap_way {
	uint32_t key;
	uint32_t depth;
	uint32_t first, next; /* below it, and beside it; 0: none */
	uint64_t object;      /* one of those it leads through */
	uint64_t objects;     /* how many these are */
	uint64_t count;       /* of the objects asked for that are kept */
	uint64_t bytes;       /* that these retain */
};

/*
 * Does a path end with @object? What it ends with is @ret, less than
 * RETENTION_ROOT. @child: it leads on to there; 0: the object is a root, and
 * the answer has to be yes.
 */
typedef bool heap_root_fn(void *arg, uint64_t object, uint64_t child,
			  uint32_t *ret);

struct heap_retention {
	struct heap_graph graph; /* of the caller: what is asked for is held */
	heap_root_fn *root;
	void *arg;
	uint32_t max_depth;
	struct heap_way *v; /* the first is the top */
	size_t n, cap;
	struct map
	    below; /* 1 + the index of a way, by its parent (above) and key */
	bool cut;  /* there are more ways than are told apart */
};

/*
 * Make the tree. The caller has begun @r->graph, held the objects and set
 * @root, @arg and @max_depth. DBG_E_INTERRUPTED.
 */
DBG_MUST struct dbg_error *heap_retention_run(struct heap_retention *r,
					      const struct heap_roots *roots);
void heap_retention_deinit(struct heap_retention *r);

#endif
