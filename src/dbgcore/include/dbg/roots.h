/* dbg.h: what keeps objects alive, and their locks. Needs a stop. */
#ifndef DBG_ROOTS_H
#define DBG_ROOTS_H

#include "dbg/stopped.h"
#include "dbg/objects.h"

enum dbg_root_kind {
	DBG_ROOT_STACK,     /* a variable or register of a method that runs */
	DBG_ROOT_HANDLE,    /* strong, pinned or counted */
	DBG_ROOT_STATIC,    /* a static field, of a thread or in an array */
	DBG_ROOT_FINALIZER, /* its finalizer is due */
};

struct dbg_heap_root {
	enum dbg_root_kind kind;
	uint64_t addr; /* where it is kept; 0: in a register */
	uint64_t object;
	enum dbg_handle_kind handle; /* HANDLE, STATIC */
	uint32_t thread; /* STACK, thread statics: number; 0: none */
	bool interior;   /* it leads into the object */
	bool pinned;
	/*
	 * STACK: the stack cannot be walked; the object's address is found on
	 * it, which may be by chance.
	 */
	bool uncertain;
	const char *text; /* "x in Shop.Order.Total, thread 1" */
};

/*
 * List all roots: stacks by thread, then handles, then objects to be finalized.
 */
DBG_MUST struct dbg_error *dbg_heap_root_list(struct dbg_stopped at,
					      struct dbg_heap_root **ret,
					      size_t *ret_n);

struct dbg_heap_step {
	uint64_t object;
	const char *type;
	const char *name; /* of the reference in the step before; or NULL */
};

struct dbg_heap_path {
	struct dbg_heap_root root;
	struct dbg_heap_step *steps; /* from the root's object to the last */
	size_t n_steps;
};

struct dbg_heap_paths {
	uint64_t object; /* that they lead to */
	const char *type;
	struct dbg_heap_path *paths; /* the shortest first */
	size_t n_paths;
	uint64_t n_all; /* as many as there are */
};

/*
 * Find what keeps the object at or around @addr alive: for each root, and each
 * reachable object, that refers to it, the shortest path; at most @max.
 */
DBG_MUST struct dbg_error *dbg_heap_roots(struct dbg_stopped at, uint64_t addr,
					  size_t max,
					  struct dbg_heap_paths *ret);

/*
 * The shortest path to an object, from a root that lasts if there is one; no
 * steps: nothing keeps it alive. What is alive is found once a stop, so this is
 * quicker than dbg_heap_roots for more than one object.
 */
DBG_MUST struct dbg_error *dbg_heap_way_get(struct dbg_stopped at,
					    uint64_t object,
					    struct dbg_heap_path *ret);

struct dbg_handle {
	uint64_t addr, object; /* object 0: it refers to nothing */
	const char *type;      /* of the object, NULL: none */
	enum dbg_handle_kind kind;
	bool strong;        /* keeps its object alive */
	uint64_t dependent; /* what a dependent handle's object keeps alive */
	uint32_t count;     /* of references, COUNTED */
};

/* List all GC handles. */
DBG_MUST struct dbg_error *
dbg_handle_list(struct dbg_stopped at, struct dbg_handle **ret, size_t *ret_n);

struct dbg_finalizable {
	uint64_t object;
	const char *type;
	uint32_t heap;
	bool ready; /* nobody refers to it: its finalizer is due */
};

/* Objects with finalizers, those that are due last. */
DBG_MUST struct dbg_error *dbg_finalizable_list(struct dbg_stopped at,
						struct dbg_finalizable **ret,
						size_t *ret_n);

struct dbg_lock {
	uint64_t object;
	const char *type;
	uint32_t index; /* of the sync block; 0: a thin lock */
	uint64_t block;
	bool held;
	uint32_t owner;    /* number of the thread, 0: nobody or not known */
	uint32_t owner_id; /* what the runtime calls it, 0: likewise */
	uint32_t depth;    /* how often it has taken it */
	uint32_t waiting;  /* threads */
};

/* Sync blocks in use, then thin locks that are held. */
DBG_MUST struct dbg_error *dbg_lock_list(struct dbg_stopped at,
					 struct dbg_lock **ret, size_t *ret_n);

#endif
