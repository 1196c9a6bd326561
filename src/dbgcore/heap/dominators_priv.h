/* Inside the dominator tree: what an object leads to, and ranks of bits. */
#ifndef HEAP_DOMINATORS_PRIV_H
#define HEAP_DOMINATORS_PRIV_H

#include "heap/dominators.h"
#include "heap/heap_priv.h"

enum {
	HEAP_PACE = 1 << 16, /* objects between calls of heap_pace */
	HEAP_BLOCK = 128,    /* marks, a multiple of 64: see heap_rank_of */
};

/*
 * Steps over what an object leads to. The place is an offset in the object, so
 * that one number tells where to go on: 0 is its type's allocator, and behind
 * its end are its dependent handles.
 */
struct heap_leads {
	struct heap_object object;
	uint64_t at, end; /* of a run of pointers */
};

/* Begin with the object at @position, @at so many words of it. */
static inline void heap_leads_begin(struct heap_dominators *d,
				    uint32_t position, uint32_t at,
				    struct heap_leads *l)
{
	const struct heap_part *part = heap_part_at(d->heap, position);

	l->at = at * (uint64_t)HEAP_WORD;
	l->end = 0;
	if (heap_look(d->heap, part, heap_address_at(part, position),
		      &l->object))
		return;
	// damaged: it may have dependent handles all the same
	l->object = (struct heap_object){
	    .addr = heap_address_at(part, position),
	    .size = HEAP_WORD,
	    .type = &d->heap->none,
	};
}

/*
 * Where the walk of the object's references continues, in words; HEAP_NOWHERE:
 * it has no more.
 */
uint32_t heap_leads_place(const struct heap_dominators *d,
			  const struct heap_leads *l);
/* The dependent handles of the object. */
bool heap_leads_pair(const struct heap_dominators *d, struct heap_leads *l,
		     uint64_t *to);

/* The next address that it leads to; false: there are no more. */
static inline bool heap_leads_next(const struct heap_dominators *d,
				   struct heap_leads *l, uint64_t *to)
{
	const struct heap_type *type = l->object.type;
	uint64_t size = l->object.size, n;

	if (!l->at) {
		l->at = HEAP_WORD;
		*to = type->allocator;
		if (*to)
			return true;
	}
	while (l->at < size) {
		if (l->at >= l->end) {
			if (!type->n ||
			    !heap_refs_after(type, size, l->at, &l->at, &n)) {
				l->at = size;
				break;
			}
			l->end = l->at + n * HEAP_WORD;
		}
		*to = heap_word(l->object.bytes + l->at);
		l->at += HEAP_WORD;
		if (*to)
			return true;
	}
	return d->n_pairs && heap_leads_pair(d, l, to);
}

/* The error that the heap has more objects than at the first look. */
struct dbg_error *heap_changes(void);

/* The number of an object that is marked, from 1. */
static inline uint32_t heap_rank_of(const struct heap_dominators *d,
				    const uint64_t *marks, uint64_t position)
{
	uint64_t at = position / 2;
	uint32_t n = d->ranks[at / HEAP_BLOCK] + 1;

	for (uint64_t i = at / HEAP_BLOCK * (HEAP_BLOCK / 64); i < at / 64; i++)
		n += (uint32_t)__builtin_popcountll(marks[i]);
	return n + (uint32_t)__builtin_popcountll(
		       marks[at / 64] & (((uint64_t)1 << at % 64) - 1));
}

#endif
