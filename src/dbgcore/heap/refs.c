/* Where the pointers of an object are, by the GCDesc of its type. */
#include "heap/heap.h"

bool heap_items_next(struct heap_refs *r, uint64_t *offset, uint64_t *n)
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

/* ---- From an offset on ----------------------------------------------- */

static bool series_after(const struct heap_type *type, uint64_t size,
			 uint64_t from, uint64_t *offset, uint64_t *n)
{
	uint64_t start, some;

	*n = 0;
	for (uint32_t i = 0; i < type->n; i++) {
		if (!heap_series_after(&type->series[i], size, from, &start,
				       &some) ||
		    (*n && start >= *offset))
			continue;
		*offset = start;
		*n = some;
	}
	return *n;
}

static bool items_after(const struct heap_type *type, uint64_t size,
			uint64_t from, uint64_t *offset, uint64_t *n)
{
	uint64_t end = size - HEAP_WORD, at = type->offset;

	if (from > at)
		at += (from - at) / type->period * type->period;
	for (uint32_t i = 0; at < end; i = i + 1 < type->n ? i + 1 : 0) {
		const struct heap_item *item = &type->items[i];
		uint64_t stop = at + item->pointers * (uint64_t)HEAP_WORD;

		if (stop > end)
			return false;
		*offset = at > from ? at : from;
		*n = *offset < stop ? (stop - *offset) / HEAP_WORD : 0;
		if (*n)
			return true;
		at = stop + item->skip;
	}
	return false;
}

bool heap_runs_after(const struct heap_type *type, uint64_t size, uint64_t from,
		     uint64_t *offset, uint64_t *n)
{
	return type->repeats ? items_after(type, size, from, offset, n)
			     : series_after(type, size, from, offset, n);
}
