/* Inside the session: what the API's files about the heap share. */
#ifndef SESSION_SESSIONHEAP_H
#define SESSION_SESSIONHEAP_H

#include "heap/dominators.h"
#include "heap/graph.h"
#include "heap/majority.h"
#include "session/session.h"

/* ---- api_heap.c ------------------------------------------------------ */

/* Get the heap of this stop, made when it is first asked for. */
DBG_MUST struct dbg_error *session_heap_get(struct dbg_stopped at,
					    struct heap **ret);
/* The name of a type as users know it. */
const char *session_type_name(struct dbg *dbg, const struct heap_type *type);
/*
 * The name of an object for users: its type, or for a suspended call its
 * method.
 */
const char *session_object_name(struct dbg *dbg, uint64_t addr,
				const struct heap_type *type);
/*
 * The name of the field, or of the variable of a suspended call, at an offset
 * of an object, as heap_ref_name.
 */
const char *session_ref_name(struct dbg *dbg, const struct heap_object *o,
			     uint64_t offset);
/*
 * The session_object_name of the object at @addr; NULL if there is no object.
 */
const char *session_object_type(struct dbg *dbg, struct heap *h, uint64_t addr);

/* ---- api_tasks.c ----------------------------------------------------- */

/* Forget the tasks of the heap, which are kept for a stop. */
void session_tasks_drop(struct dbg *dbg);

/* ---- roots.c --------------------------------------------------------- */

struct root {
	struct dbg_heap_root is; /* without text */
	struct gc_stack_ref ref; /* STACK */
	pid_t tid;
	const struct dac_field *field; /* of thread statics, of @type */
	uint64_t type;
};

struct root_list {
	struct root *v;
	size_t n, cap;
	struct heap_pair *pairs; /* dependent handles */
	size_t n_pairs, cap_pairs;
};

/* Read all roots, in the order in which they are found. */
DBG_MUST struct dbg_error *roots_read(struct dbg *dbg, struct heap *h,
				      struct root_list *ret);
void roots_deinit(struct root_list *l);
/*
 * Of two roots of one object: shall @root be named rather than @other? A handle
 * or static is better than a variable: a variable goes when its method returns,
 * and a method that uses static fields may have their array in a register.
 */
bool root_is_better(const struct root *root, const struct root *other);
/*
 * Get the objects of the roots, those of handles and statics first. Free
 * ret->objects.
 */
void roots_objects(const struct root_list *roots, struct heap_roots *ret);
/*
 * Mark everything that @roots keep alive, noting the objects that refer to
 * @target.
 */
DBG_MUST struct dbg_error *roots_mark(struct heap *h,
				      const struct root_list *roots,
				      uint64_t target, struct heap_graph *ret);

/*
 * The reachable objects of a stop, with the shortest ways to them and a sample.
 */
struct alive {
	struct root_list roots;
	struct heap_roots objects; /* of @roots */
	struct heap_graph graph;
};

/*
 * Get the reachable objects; made when first asked for, and kept for the stop.
 */
DBG_MUST struct dbg_error *alive_get(struct dbg *dbg, struct heap *h,
				     struct alive **ret);
void alive_drop(struct dbg *dbg);

/* ---- api_heap.c ----------------------------------------------------- */

struct heap_query {
	struct dbg *dbg;
	struct heap *heap;
	const struct dbg_heap_filter *filter;
	struct pattern *pattern; /* NULL: any type */
	struct heap_kinds types; /* whether they are asked for */
	struct root_list roots;  /* of what is live */
	struct heap_graph graph;
};

/* Begin; deinit it also after an error. */
DBG_MUST struct dbg_error *heap_query_init(struct dbg_stopped at,
					   const struct dbg_heap_filter *filter,
					   struct heap_query *q);
void heap_query_deinit(struct heap_query *q);
/* Is a type, or an object, one of those that are asked for? */
bool heap_query_type(struct heap_query *q, const struct heap_type *type);
bool heap_query_has(struct heap_query *q, const struct heap_object *o);
/* Is @type a class, and @base or derived from it? @known: what was found. */
bool session_derives(struct dbg *dbg, struct heap_kinds *known,
		     const struct heap_type *type, struct type *base);

/* Get the result of the last heap_count; with @d also what types retain. */
void session_take_stat(struct heap_query *q, const struct heap_dominators *d,
		       struct dbg_heap_stat *ret);

/* ---- api_heapsize.c -------------------------------------------------- */

/*
 * Find what objects and types retain, see heap_retained_each. Deinit the tree
 * also after an error.
 */
DBG_MUST struct dbg_error *session_retained(struct dbg *dbg, struct heap *h,
					    struct heap_dominators *ret,
					    heap_retained_fn *fn, void *arg);

/* ---- staticroots.c --------------------------------------------------- */

struct static_thread {
	uint64_t addr; /* Thread* */
	pid_t tid;
};

/*
 * Call @fn for each static field of a reference or structure, thread statics
 * once a thread, until it returns false.
 */
typedef bool static_fn(void *arg, uint64_t mt, const struct dac_field *field,
		       const struct static_thread *thread);
void statics_each(struct dbg *dbg, struct heap *h, bool threads_only,
		  static_fn *fn, void *arg);

#endif
