/* Where the pointers of an object are, by the GCDesc of its type. */
#include "heap/heap.h"

static bool next_series(struct heap_refs *r, uint64_t *offset, uint64_t *n)
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

static bool next_item(struct heap_refs *r, uint64_t *offset, uint64_t *n)
{
	// the object's header of the next one is within its size
	uint64_t end = r->size - HEAP_WORD;

	while (r->offset < end) {
		const struct heap_item *item = &r->type->items[r->i];

		r->i = r->i + 1 < r->type->n ? r->i + 1 : 0;
		*offset = r->offset;
		*n = item->pointers;
		r->offset += *n * HEAP_WORD + item->skip;
		if (*offset + *n * HEAP_WORD > end)
			return false;
		if (*n)
			return true;
	}
	return false;
}

bool heap_refs_next(struct heap_refs *r, uint64_t *offset, uint64_t *n)
{
	return r->type->repeats ? next_item(r, offset, n)
				: next_series(r, offset, n);
}
