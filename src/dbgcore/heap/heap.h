/*
 * The objects of the collector's heap, read without the DAC.
 *
 * The DAC tells once where objects are (dac/gcheap.h) and, for each type that
 * is met, how long they are and where their references lie. From then on
 * memory is read in order, in place where the target has it in our address
 * space (a core), else 4 MiB at a time. A heap is of one stop.
 *
 * An object's position is its address as a number of 8-byte words within all
 * parts put together: small, and dense enough for bitmaps.
 *
 * Nothing read from the heap is trusted. An object whose type the runtime does
 * not know, or that would end behind its part, ends the walk of that part
 * with a sentence in heap->damages; the other parts are walked all the same.
 */
#ifndef HEAP_HEAP_H
#define HEAP_HEAP_H

#include "dac/gcheap.h"
#include "dbg.h"

struct arena;
struct dac;
struct target;
struct values;

enum {
	HEAP_OBJECT_MIN = 24,
	HEAP_WORD = 8,
};

/* Pointers in a row: [offset, size of the object + extra). */
struct heap_series {
	uint64_t offset;
	int64_t extra;
};

/*
 * Layout of each element of an array of structs, repeated: so many pointers,
 * then bytes to skip.
 */
struct heap_item {
	uint32_t pointers, skip;
};

struct heap_type {
	uint64_t mt;
	uint32_t base_size, component_size;
	uint32_t number; /* in order of being met */
	bool is_free, is_string, is_none;
	bool repeats;       /* an array of structs: items, not series */
	bool has_refs;      /* any of what follows */
	uint64_t allocator; /* an object that all of the type refer to, or 0 */
	uint64_t offset;    /* of the first item */
	uint64_t period;    /* bytes of all items, an element's */
	struct heap_series *series;
	struct heap_item *items;
	uint32_t n; /* series or items */
	/* counted by heap_count */
	uint64_t count[DBG_N_GENS], bytes[DBG_N_GENS];
	/* addresses of the objects in ascending order, if heap->placed */
	uint64_t *places;
	size_t n_places, cap_places;
	bool is_common; /* there are too many of them for that */
};

/* The MethodTable beside its type: what is looked for lies in one place. */
struct heap_slot {
	uint64_t mt;
	struct heap_type *type; /* NULL: unused */
};

struct heap_part {
	struct gc_part is;
	uint64_t first;      /* position of its start */
	const uint8_t *data; /* all of it; NULL: it has to be read */
	bool own;            /* a copy, see heap_load */
};

struct heap_object {
	uint64_t addr, size;
	struct heap_type *type;
	const struct heap_part *part;
	const uint8_t *bytes; /* all of it, until the next object */
};

/* How a caller watches long work, and ends it. */
struct heap_watch {
	volatile int *interrupted; /* not 0: break off */
	dbg_progress_fn *progress; /* or NULL */
	void *arg;
};

/* A stretch of a part that was read, for a target that has to be. */
struct heap_window {
	const struct heap_part *part;
	uint64_t start;
	uint8_t *data;
	size_t n, cap;
};

struct heap {
	struct target *target; /* NULL: all parts have their data (tests) */
	struct dac *dac;
	struct arena *arena;
	const struct heap_watch *watch;
	volatile int *interrupted; /* of @watch */
	uint32_t only; /* generations that heap_each walks, 0: all */
	struct gc_heap is;
	struct heap_part *parts; /* by address */
	size_t n_parts;
	uint64_t n_words;  /* positions */
	uint32_t *by_addr; /* see heap_part_near */
	uint32_t *by_position;
	uint64_t first_chunk, n_chunks;
	struct heap_slot *types; /* hash by MethodTable */
	size_t n_types, cap_types;
	struct heap_type *last; /* that was looked up */
	struct heap_type none;  /* of what is no object */
	const char **damages;   /* of the last walk, in @arena */
	struct gc_gap *lost;    /* what each of them leaves out */
	size_t n_damages, cap_damages, cap_lost;
	bool died; /* the program, perhaps of the damages */
	/*
	 * A walk has taken down where all objects of each type are that is not
	 * common, and nothing was damaged.
	 */
	bool placed;
	size_t n_placed;          /* of all types */
	struct heap_window found; /* of heap_find */
};

/*
 * The heap of a stopped program; @watch is borrowed. DBG_E_STATE while the
 * collector is at work, but with @force.
 */
DBG_MUST struct dbg_error *heap_create(struct target *t, struct dac *d,
				       const struct heap_watch *watch,
				       bool force, struct heap **ret);
void heap_destroy(struct heap *h);

/*
 * Long work is at @done of @total, see dbg_set_progress: to be called about a
 * thousand times a second. DBG_E_INTERRUPTED: it is to end.
 */
DBG_MUST struct dbg_error *heap_pace(const struct heap *h, const char *what,
				     uint64_t done, uint64_t total);

/* The part that holds @addr, NULL: none. */
const struct heap_part *heap_part_of(const struct heap *h, uint64_t addr);

/* ---- Types of objects ------------------------------------------------ */

/* Type of a MethodTable, never NULL; is_none if it is none. */
struct heap_type *heap_type_find(struct heap *h, uint64_t mt);
/* The step through types, by number: NULL at the end. */
struct heap_type *heap_type_next(const struct heap *h, size_t *it);

/* A byte for each type, by number: what a walk has found out about it. */
struct heap_kinds {
	uint8_t *v;
	size_t cap;
};

void heap_kinds_deinit(struct heap_kinds *k);
/* Make room for @type, which heap_kind does. */
void heap_kinds_grow(struct heap_kinds *k, const struct heap_type *type);

/* The byte of @type, 0 at first. */
static inline uint8_t *heap_kind(struct heap_kinds *k,
				 const struct heap_type *type)
{
	if (type->number >= k->cap)
		heap_kinds_grow(k, type);
	return &k->v[type->number];
}

/* ---- The walk -------------------------------------------------------- */

/*
 * Call @fn for all objects in the order of their addresses, free space
 * included, until it returns false. With @bytes, the contents of objects that
 * have references or are strings are read; else only the first 16 bytes of each
 * are there. DBG_E_INTERRUPTED.
 */
typedef bool heap_fn(void *arg, const struct heap_object *o);
DBG_MUST struct dbg_error *heap_each(struct heap *h, bool bytes, heap_fn *fn,
				     void *arg);
/*
 * As heap_each, for objects of the types that @wants, and perhaps of others:
 * heap_count has noted where those types are, if there are not too many.
 */
typedef bool heap_wants_fn(void *arg, const struct heap_type *type);
DBG_MUST struct dbg_error *heap_each_of(struct heap *h, bool bytes,
					heap_wants_fn *wants, heap_fn *fn,
					void *arg);
/*
 * Count the objects of each type by generation; @heap -1: of all heaps. The
 * first of all heaps takes down where they are. @fn, or NULL, is told of each
 * string, with its bytes.
 */
DBG_MUST struct dbg_error *heap_count(struct heap *h, int64_t heap, heap_fn *fn,
				      void *arg);
/* Set what was counted to 0. */
void heap_uncount(struct heap *h);
/*
 * The object that @addr lies in, with its bytes until the next call of this or
 * of a walk; false: none.
 */
bool heap_find(struct heap *h, uint64_t addr, struct heap_object *ret);
/*
 * The object that begins at @addr; false: none does, or it is damaged, or not
 * in memory, where heap_load brings all of them.
 */
bool heap_object_at(struct heap *h, uint64_t addr, struct heap_object *ret);
/*
 * Copy into our memory what is not there: a walk that follows does not read the
 * target. DBG_E_STATE: it is too large; DBG_E_INTERRUPTED. See graph.c.
 */
DBG_MUST struct dbg_error *heap_load(struct heap *h);

/* ---- interned.c ------------------------------------------------------ */

/* Whether the program has a string for a literal of some text. */
enum interned {
	INTERNED_NONE,   /* the program has no string for the literal */
	INTERNED_AT,     /* this one is */
	INTERNED_UNSURE, /* one may be: a table of the runtime's knows it */
};

/*
 * *addr: the string, if it is INTERNED_AT; the text is UTF-16. Without a
 * runtime (@d NULL) it is UNSURE.
 */
enum interned interned_find(struct target *t, struct dac *d, const void *units,
			    size_t n, uint64_t *addr);

/* ---- starts.c -------------------------------------------------------- */

/*
 * Addresses at which objects begin, or may, since nothing is known of them, and
 * those that references lead to: of one walk, so that only a heap which is not
 * whole takes another one, for where the references are that lead astray.
 */
struct heap_starts {
	struct heap *heap;
	uint64_t *bits;   /* by position: an object begins */
	uint64_t *led_to; /* likewise: a reference leads there */
	bool astray;      /* a reference leads out of the heap */
	uint64_t objects, references;
};

void heap_starts_init(struct heap_starts *s, struct heap *h);
void heap_starts_deinit(struct heap_starts *s);
/* Note all objects and references. DBG_E_INTERRUPTED. See heap.c. */
DBG_MUST struct dbg_error *heap_starts_walk(struct heap_starts *s);
/* Count all objects that the last walk left out as possible beginnings. */
void heap_starts_lose(struct heap_starts *s);
/* Do all references lead to places where an object begins, or may begin? */
bool heap_starts_suffice(const struct heap_starts *s);
bool heap_starts_has(const struct heap_starts *s, uint64_t addr);

/* ---- refs.c ---------------------------------------------------------- */

/* Steps over the pointers of an object, which come in runs. */
struct heap_refs {
	const struct heap_type *type;
	uint64_t size;   /* of the object */
	uint64_t offset; /* where the next run may begin */
	uint32_t i;
};

static inline void heap_refs_begin(struct heap_refs *r,
				   const struct heap_type *type, uint64_t size)
{
	*r = (struct heap_refs){type, size, type->offset, 0};
}

/*
 * As heap_refs_next, for an array of structs; see there for any other object.
 */
bool heap_items_next(struct heap_refs *r, uint64_t *offset, uint64_t *n);

static inline bool heap_series_next(struct heap_refs *r, uint64_t *offset,
				    uint64_t *n)
{
	while (r->i < r->type->n) {
		const struct heap_series *s = &r->type->series[r->i++];
		int64_t size = (int64_t)r->size + s->extra;

		if (size < HEAP_WORD || s->offset >= r->size)
			continue;
		*offset = s->offset;
		*n = (uint64_t)size / HEAP_WORD;
		if (*n > (r->size - s->offset) / HEAP_WORD)
			*n = (r->size - s->offset) / HEAP_WORD;
		if (*n)
			return true;
	}
	return false;
}

/*
 * The next run: *@n pointers from @offset of the object, all inside of it.
 * False: there are no more.
 */
static inline bool heap_refs_next(struct heap_refs *r, uint64_t *offset,
				  uint64_t *n)
{
	return r->type->repeats ? heap_items_next(r, offset, n)
				: heap_series_next(r, offset, n);
}

/* The run of a series at or behind the offset @from. */
static inline bool heap_series_after(const struct heap_series *s, uint64_t size,
				     uint64_t from, uint64_t *offset,
				     uint64_t *n)
{
	int64_t length = (int64_t)size + s->extra;

	if (length < HEAP_WORD || s->offset >= size)
		return false;
	uint64_t stop = s->offset + ((uint64_t)length & ~(uint64_t)7);
	uint64_t start = s->offset > from ? s->offset : from;

	if (stop > size)
		stop = size;
	if (start + HEAP_WORD > stop)
		return false;
	*offset = start;
	*n = (stop - start) / HEAP_WORD;
	return true;
}

/* As heap_refs_after, of more than one series, or of items. */
bool heap_runs_after(const struct heap_type *type, uint64_t size, uint64_t from,
		     uint64_t *offset, uint64_t *n);

/*
 * The first run of an object's pointers at or behind the offset @from, which is
 * a multiple of 8, less what is in front of it. False: there is none.
 */
static inline bool heap_refs_after(const struct heap_type *type, uint64_t size,
				   uint64_t from, uint64_t *offset, uint64_t *n)
{
	return type->n == 1 && !type->repeats
		   ? heap_series_after(type->series, size, from, offset, n)
		   : heap_runs_after(type, size, from, offset, n);
}

/* The reference at an offset that heap_refs_next gave. */
uint64_t heap_ref_at(const struct heap_object *o, uint64_t offset);

/* ---- refname.c ------------------------------------------------------- */

/*
 * The name of the reference at @offset of an object, in @arena: a field's name,
 * "[3]", "[3].next"; NULL: not known.
 */
const char *heap_ref_name(struct values *ts, const struct heap_object *o,
			  uint64_t offset, struct arena *arena);

#endif
