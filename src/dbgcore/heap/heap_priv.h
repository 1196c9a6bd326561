/* Inside the heap room: memory in order, types by MethodTable. */
#ifndef HEAP_PRIV_H
#define HEAP_PRIV_H

#include <string.h>

#include "heap/heap.h"

void heap_window_deinit(struct heap_window *w);
/*
 * [addr, addr + n) of @part, which has it; NULL: it cannot be read. Valid
 * until the next call.
 */
const uint8_t *heap_window_get(struct heap *h, struct heap_window *w,
			       const struct heap_part *part, uint64_t addr,
			       uint64_t n);

/* Note that the walk of a part ends: a sentence, in the heap's arena. */
void heap_damage(struct heap *h, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Make the table, empty. */
void heap_types_init(struct heap *h);

/* A type that is not in the table yet. */
struct heap_type *heap_type_add(struct heap *h, uint64_t mt);

static inline size_t heap_type_slot(const struct heap *h, uint64_t mt)
{
	return (size_t)((mt >> 3) * 0x9e3779b97f4a7c15 >> 32) &
	       (h->cap_types - 1);
}

static inline struct heap_type *heap_type_of(struct heap *h, uint64_t mt)
{
	if (h->last && h->last->mt == mt)
		return h->last;
	for (size_t i = heap_type_slot(h, mt); h->types[i];
	     i = (i + 1) & (h->cap_types - 1))
		if (h->types[i]->mt == mt)
			return h->last = h->types[i];
	return h->last = heap_type_add(h, mt);
}

static inline uint64_t heap_word(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

#endif
