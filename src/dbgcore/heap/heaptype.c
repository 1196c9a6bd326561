/*
 * Types of objects: a hash table by MethodTable, and the GCDesc, which lies in
 * front of each MethodTable and tells where its objects have references.
 *
 *   MT - 8   the number of series; negative: of items, in arrays of structs
 *   MT - 16  offset of the first series; in front of it its length less the
 *            object's size; the next series in front of that
 *   MT - 24  items, each in front of the one before: 32 bits of pointers in a
 *            row, 32 of bytes to skip
 */
#include "heap/heap_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "target/target.h"

enum {
	SERIES_MAX = 1 << 14,
	TYPES_MIN = 1 << 10,
	TYPES_MAX = 1 << 22, /* then what is met is damage */
};

static void insert(struct heap *h, struct heap_type *type)
{
	size_t i = heap_type_slot(h, type->mt);

	while (h->types[i].type)
		i = (i + 1) & (h->cap_types - 1);
	h->types[i] = (struct heap_slot){type->mt, type};
}

static void grow(struct heap *h)
{
	struct heap_slot *old = h->types;
	size_t cap = h->cap_types;

	h->cap_types = cap ? cap * 2 : TYPES_MIN;
	h->types = xcalloc(h->cap_types, sizeof(*h->types));
	for (size_t i = 0; i < cap; i++)
		if (old[i].type)
			insert(h, old[i].type);
	mem_free_ptr(&old);
}

void heap_types_init(struct heap *h)
{
	h->none.is_none = true;
	grow(h);
}

static uint64_t word_before(const uint8_t *desc, size_t n, uint64_t back)
{
	return back <= n ? heap_word(desc + (n - back)) : 0;
}

static void take_items(struct heap *h, struct heap_type *type,
		       const uint8_t *desc, size_t n, uint32_t count)
{
	uint64_t bytes = 0;

	type->offset = word_before(desc, n, 16);
	if (type->offset < HEAP_WORD || type->offset % HEAP_WORD ||
	    type->offset > UINT32_MAX || !type->component_size)
		return;
	type->items = arena_calloc(h->arena, count, sizeof(*type->items));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t word = word_before(desc, n, 24 + 8 * (uint64_t)i);
		struct heap_item item = {(uint32_t)word,
					 (uint32_t)(word >> 32)};

		bytes += (uint64_t)item.pointers * HEAP_WORD + item.skip;
		if (item.skip % HEAP_WORD || bytes > type->component_size)
			return;
		type->items[i] = item;
	}
	// Each round takes an element; less would not come to an end.
	if (!bytes)
		return;
	type->n = count;
	type->period = bytes;
	type->repeats = type->has_refs = true;
}

static void take_series(struct heap *h, struct heap_type *type,
			const uint8_t *desc, size_t n, uint32_t count)
{
	type->series = arena_calloc(h->arena, count, sizeof(*type->series));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = 16 + 16 * (uint64_t)i;
		struct heap_series s = {
		    .offset = word_before(desc, n, at),
		    .extra = (int64_t)word_before(desc, n, at + 8),
		};

		if (s.offset < HEAP_WORD || s.offset % HEAP_WORD ||
		    s.offset > UINT32_MAX || s.extra > 0 ||
		    s.extra < -(int64_t)UINT32_MAX)
			continue;
		type->series[type->n++] = s;
	}
	type->has_refs = type->has_refs || type->n;
}

void heap_type_describe(struct heap *h, struct heap_type *type,
			const uint8_t *desc, size_t n)
{
	int64_t count = (int64_t)word_before(desc, n, 8);

	if (count > 0 && count <= SERIES_MAX && (uint64_t)count * 16 + 8 <= n)
		take_series(h, type, desc, n, (uint32_t)count);
	else if (count < 0 && count >= -SERIES_MAX &&
		 (uint64_t)-count * 8 + 16 <= n)
		take_items(h, type, desc, n, (uint32_t)-count);
}

static void read_desc(struct heap *h, struct heap_type *type)
{
	int64_t count;

	if (type->mt < 16 || target_read_some(h->target, type->mt - 8, &count,
					      sizeof(count)) != sizeof(count))
		return;
	if (!count || count > SERIES_MAX || count < -SERIES_MAX)
		return;
	size_t n = count > 0 ? (size_t)count * 16 + 8 : (size_t)-count * 8 + 16;
	_cleanup_free_ uint8_t *desc = xmalloc(n);

	if (type->mt > n &&
	    target_read_some(h->target, type->mt - n, desc, n) == n)
		heap_type_describe(h, type, desc, n);
}

struct heap_type *heap_type_find(struct heap *h, uint64_t mt)
{
	return heap_type_of(h, mt);
}

// A place in the table.
static struct heap_type *new_type(struct heap *h, uint64_t mt)
{
	if (h->n_types * 2 >= h->cap_types)
		grow(h);
	struct heap_type *type = arena_alloc(h->arena, sizeof(*type));

	type->mt = mt;
	type->number = (uint32_t)h->n_types++;
	insert(h, type);
	return type;
}

struct heap_type *heap_type_put(struct heap *h, uint64_t mt,
				const struct gc_type *is)
{
	struct heap_type *type = new_type(h, mt);

	type->base_size = is->base_size;
	type->component_size = is->component_size;
	type->is_free = is->is_free || mt == h->is.free_type;
	type->is_string = mt == h->is.string_type;
	type->allocator = is->allocator;
	type->has_refs = is->allocator;
	return type;
}

struct heap_type *heap_type_add(struct heap *h, uint64_t mt)
{
	struct gc_type is;

	if (h->n_types >= TYPES_MAX)
		return &h->none;
	if (!h->dac || !dac_gc_type(h->dac, mt, &is)) {
		struct heap_type *none = new_type(h, mt);

		// kept, so that the DAC is asked once
		none->is_none = true;
		return none;
	}
	struct heap_type *type = heap_type_put(h, mt, &is);

	if (is.references)
		read_desc(h, type);
	return type;
}

struct heap_type *heap_type_next(const struct heap *h, size_t *it)
{
	while (*it < h->cap_types) {
		struct heap_type *type = h->types[(*it)++].type;

		if (type && !type->is_none)
			return type;
	}
	return NULL;
}

void heap_kinds_deinit(struct heap_kinds *k)
{
	free(k->v);
}

void heap_kinds_grow(struct heap_kinds *k, const struct heap_type *type)
{
	while (type->number >= k->cap) {
		size_t n = k->cap;

		mem_grow(&k->v, &k->cap, n, sizeof(*k->v));
		memset(k->v + n, 0, k->cap - n);
	}
}
