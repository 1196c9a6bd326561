/* Inside the heap room: memory in order, types by MethodTable. */
#ifndef HEAP_PRIV_H
#define HEAP_PRIV_H

#include <string.h>

#include "heap/heap.h"

/*
 * A heap without parts, and its parts by what h->is says. Without a target and
 * a DAC (of tests) parts get their memory, and types are known, by the caller.
 */
struct heap *heap_of(struct target *t, struct dac *d,
		     const struct heap_watch *watch);
void heap_take_parts(struct heap *h);

void heap_window_deinit(struct heap_window *w);
/* Forget where objects are. */
void heap_places_drop(struct heap *h);

/* Make the table, empty. */
void heap_types_init(struct heap *h);

/* Add a type that is not in the table yet. */
struct heap_type *heap_type_add(struct heap *h, uint64_t mt);
/* As heap_type_add, with the facts @is that the runtime has told. */
struct heap_type *heap_type_put(struct heap *h, uint64_t mt,
				const struct gc_type *is);

/*
 * Take the GCDesc that lies in front of the MethodTable of @type: @n bytes of
 * memory that end there. What it says of places outside of objects is dropped.
 */
void heap_type_describe(struct heap *h, struct heap_type *type,
			const uint8_t *desc, size_t n);

static inline size_t heap_type_slot(const struct heap *h, uint64_t mt)
{
	return (size_t)((mt >> 3) * 0x9e3779b97f4a7c15 >> 32) &
	       (h->cap_types - 1);
}

static inline struct heap_type *heap_type_of(struct heap *h, uint64_t mt)
{
	if (h->last && h->last->mt == mt)
		return h->last;
	for (size_t i = heap_type_slot(h, mt); h->types[i].type;
	     i = (i + 1) & (h->cap_types - 1))
		if (h->types[i].mt == mt)
			return h->last = h->types[i].type;
	return h->last = heap_type_add(h, mt);
}

enum {
	HEAP_CHUNK = 22,     /* a power of two of bytes: a region's */
	HEAP_POSITIONS = 19, /* the same of words */
	HEAP_CHUNKS_MAX = 1 << 22,
};

/* As heap_part_of, by a table: for each chunk the first part in it. */
static inline const struct heap_part *heap_part_near(const struct heap *h,
						     uint64_t addr)
{
	uint64_t chunk = (addr >> HEAP_CHUNK) - h->first_chunk;

	if (!h->by_addr)
		return heap_part_of(h, addr);
	if (chunk >= h->n_chunks)
		return NULL;
	for (uint32_t i = h->by_addr[chunk]; i < h->n_parts; i++)
		if (addr < h->parts[i].is.end)
			return addr >= h->parts[i].is.start ? &h->parts[i]
							    : NULL;
	return NULL;
}

/* The part of a position. */
static inline const struct heap_part *heap_part_at(const struct heap *h,
						   uint64_t position)
{
	uint32_t i = h->by_position[position >> HEAP_POSITIONS];

	while (i + 1 < h->n_parts && h->parts[i + 1].first <= position)
		i++;
	return &h->parts[i];
}

/* The size of an object, from its first 16 bytes @head. */
static inline uint64_t heap_object_size(const struct heap_type *type,
					const uint8_t *head)
{
	uint32_t n;

	if (!type->component_size)
		return (type->base_size + 7U) & ~(uint64_t)7;
	memcpy(&n, head + 8, sizeof(n));
	uint64_t size = type->base_size + (uint64_t)n * type->component_size;
	return (size + 7) & ~(uint64_t)7;
}

static inline uint64_t heap_word(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* The position of an object; false: no object can have that address. */
static inline bool heap_position_of(const struct heap *h, uint64_t object,
				    uint64_t *ret)
{
	const struct heap_part *part = heap_part_near(h, object);

	if (!part || object & 7)
		return false;
	*ret = part->first + (object - part->is.start) / HEAP_WORD;
	return true;
}

/* The address of a position. */
static inline uint64_t heap_address_at(const struct heap_part *part,
				       uint64_t position)
{
	return part->is.start + (position - part->first) * HEAP_WORD;
}

/* The object at @addr of @part, which is in memory; false: it is damaged. */
static inline bool heap_look(struct heap *h, const struct heap_part *part,
			     uint64_t addr, struct heap_object *o)
{
	uint64_t left = part->is.end - addr;

	if (left < HEAP_OBJECT_MIN)
		return false;
	o->addr = addr;
	o->part = part;
	o->bytes = part->data + (addr - part->is.start);
	o->type = heap_type_of(h, heap_word(o->bytes) & ~(uint64_t)7);
	if (o->type->is_none)
		return false;
	o->size = heap_object_size(o->type, o->bytes);
	return o->size >= HEAP_OBJECT_MIN && o->size <= left;
}

static inline bool heap_bit(const uint64_t *bits, uint64_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static inline void heap_bit_set(uint64_t *bits, uint64_t i)
{
	bits[i / 64] |= (uint64_t)1 << i % 64;
}

/*
 * Marks: a bit for every two words, since objects begin three words apart or
 * more. An address at which none begins may have the mark of one beside it.
 */
static inline size_t heap_marks_size(const struct heap *h)
{
	return h->n_words / 2 / 64 + 1;
}

/* Make an empty set of marks. The caller frees it. */
uint64_t *heap_marks_make(const struct heap *h);

static inline bool heap_marked(const uint64_t *marks, uint64_t position)
{
	return heap_bit(marks, position / 2);
}

static inline void heap_mark(uint64_t *marks, uint64_t position)
{
	heap_bit_set(marks, position / 2);
}

#endif
