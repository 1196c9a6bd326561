/* dbg.h: the collector's heap. */
#ifndef DBG_OBJECTS_H
#define DBG_OBJECTS_H

#include "dbg/stopped.h"

enum dbg_generation {
	DBG_GEN_0,
	DBG_GEN_1,
	DBG_GEN_2,
	DBG_GEN_LARGE,  /* the large object heap */
	DBG_GEN_PINNED, /* the pinned object heap */
	DBG_GEN_FROZEN, /* objects that are never collected */
	DBG_N_GENS,
};

enum dbg_handle_kind {
	DBG_HANDLE_WEAK_SHORT,
	DBG_HANDLE_WEAK_LONG,
	DBG_HANDLE_STRONG,
	DBG_HANDLE_PINNED,
	DBG_HANDLE_VARIABLE,
	DBG_HANDLE_COUNTED,
	DBG_HANDLE_DEPENDENT,
	DBG_HANDLE_ASYNC_PINNED,
	DBG_HANDLE_SIZED,
	DBG_HANDLE_WEAK_COM,
	DBG_HANDLE_WEAK_INTERIOR,
	DBG_N_HANDLES,
};

/* Selects objects; all zero but for generations: all objects. */
struct dbg_heap_filter {
	const char *type;      /* pattern of type names, NULL: any */
	uint64_t method_table; /* exactly this one, 0: any */
	uint64_t min, max;     /* bytes; max 0: no limit */
	unsigned int gens;     /* bits 1 << DBG_GEN_..., 0: any */
	bool by_heap;          /* of this heap only */
	uint32_t heap;
	bool free;       /* include free space */
	bool live;       /* only what can be reached from roots */
	bool dead;       /* only what cannot */
	bool refs;       /* dbg_heap_list: fill in what objects refer to */
	size_t refs_max; /* ... but no more than these of one; 0: all */
	bool retained;   /* dbg_heap_stat: find what types retain, sort by it */
};

/* "strong", "weak short". */
const char *dbg_handle_name(enum dbg_handle_kind kind);

struct dbg_heap_type {
	uint64_t method_table;
	const char *name; /* C#; "Free" for free space */
	uint64_t count, bytes;
	uint64_t gen_count[DBG_N_GENS], gen_bytes[DBG_N_GENS];
	/*
	 * Bytes of the objects of the type that are alive, and of what a single
	 * one of them keeps alive; not of what only several do.
	 */
	uint64_t retained;
};

struct dbg_heap_stat {
	struct dbg_heap_type *types; /* the fewest bytes first */
	size_t n_types;
	uint64_t count, bytes;
	/*
	 * Sentences about parts that could not be walked to their ends, the
	 * rest of which is not counted.
	 */
	const char **damages;
	size_t n_damages;
};

/* Objects of the heap by type. Arrays and strings die with the stop. */
DBG_MUST struct dbg_error *dbg_heap_stat(struct dbg_stopped at,
					 const struct dbg_heap_filter *filter,
					 struct dbg_heap_stat *ret);

/*
 * List the sentences about damage that the last walk over the heap has met, in
 * whatever function. If there are any, objects that seem unreachable may be
 * kept alive by what could not be read. They die with the stop.
 */
DBG_MUST struct dbg_error *dbg_heap_damages(struct dbg_stopped at,
					    const char ***ret, size_t *ret_n);

/*
 * What a core without all objects (a mini dump) cannot tell: a sentence to show
 * beside facts about objects, until the next stop. NULL: nothing is missing, or
 * the program runs.
 */
const char *dbg_lacking(struct dbg_stopped at);

struct dbg_heap_object {
	uint64_t addr, size;
	uint64_t method_table;
	const char *type;
	enum dbg_generation generation;
	uint32_t heap;
	const uint64_t *refs; /* until the next object; see filter */
	size_t n_refs;        /* all that it has, also where refs has fewer */
};

/*
 * Objects in the order of their addresses: calls @fn for each until it
 * returns false.
 */
typedef bool dbg_heap_fn(void *arg, const struct dbg_heap_object *object);

/* Call @fn for the objects of @filter; *ret has the totals by type. */
DBG_MUST struct dbg_error *dbg_heap_list(struct dbg_stopped at,
					 const struct dbg_heap_filter *filter,
					 dbg_heap_fn *fn, void *arg,
					 struct dbg_heap_stat *ret);

struct dbg_heap_ref {
	const char *name; /* of the field, "[3]" of an element; NULL: unknown */
	uint32_t offset;  /* in the object; UINT32_MAX: not kept in it */
	uint64_t object;  /* what it refers to */
	const char *type; /* of that, NULL: no object is there */
};

struct dbg_heap_field {
	const char *name, *type;
	uint32_t offset; /* from the object's address */
	const char *text;
};

struct dbg_heap_detail {
	struct dbg_heap_object object;
	uint64_t length; /* elements of an array, characters of a string */
	bool has_length;
	const char *text;              /* one line, as print shows it */
	struct dbg_heap_field *fields; /* bases' first */
	size_t n_fields;
	struct dbg_heap_ref *refs; /* by offset, up to a cap */
	size_t n_refs;
	uint64_t n_all; /* references that it has */
};

enum {
	DBG_HEAP_REFS_MAX = 1000, /* listed by dbg_heap_object */
};

/* The type of the object at or around @addr; NULL: none is there. */
const char *dbg_heap_object_type(struct dbg_stopped at, uint64_t addr);
/* The object at or around @addr. DBG_E_MEMORY: none is there. */
DBG_MUST struct dbg_error *dbg_heap_object(struct dbg_stopped at, uint64_t addr,
					   struct dbg_heap_detail *ret);

struct dbg_heap_part {
	uint64_t start, end, committed; /* 0: not told */
	uint64_t segment;
	enum dbg_generation generation;
	uint32_t heap;
};

struct dbg_heap_parts {
	bool server, regions;
	bool collecting; /* the program ended within the collector */
	uint32_t n_heaps;
	struct dbg_heap_part *parts; /* by address */
	size_t n_parts;
};

/* List the parts of the GC heap. */
DBG_MUST struct dbg_error *dbg_heap_parts(struct dbg_stopped at,
					  struct dbg_heap_parts *ret);

#endif
