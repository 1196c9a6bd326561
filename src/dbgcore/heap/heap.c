/* The heap of a stop: its parts, and which one an address lies in. */
#include "heap/heap_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/mem.h"
#include "target/target.h"

#define BYTES_MAX (UINT64_C(1) << 42)

// The memory of a part where it lies, if all of it does.
static const uint8_t *data_of(struct target *t, const struct gc_part *part)
{
	uint64_t n;
	const void *p = t ? target_span(t, part->start, &n) : NULL;

	return p && n >= part->end - part->start ? p : NULL;
}

static void take_parts(struct heap *h)
{
	h->n_parts = h->is.n_parts;
	h->parts = arena_calloc(h->arena, h->n_parts + 1, sizeof(*h->parts));
	for (size_t i = 0; i < h->n_parts; i++) {
		const struct gc_part *is = &h->is.parts[i];

		h->parts[i] = (struct heap_part){
		    .is = *is,
		    .first = h->n_words,
		    .data = data_of(h->target, is),
		};
		h->n_words += (is->end - is->start) / HEAP_WORD;
	}
}

// Tables from addresses and positions to parts.
static void make_tables(struct heap *h)
{
	uint64_t positions = (h->n_words >> HEAP_POSITIONS) + 1;

	if (!h->n_parts)
		return;
	h->first_chunk = h->parts[0].is.start >> HEAP_CHUNK;
	h->n_chunks = (h->parts[h->n_parts - 1].is.end >> HEAP_CHUNK) -
		      h->first_chunk + 1;
	if (h->n_chunks <= HEAP_CHUNKS_MAX) {
		h->by_addr = xcalloc(h->n_chunks, sizeof(*h->by_addr));
		for (uint64_t i = 0, part = 0; i < h->n_chunks; i++) {
			uint64_t start = (h->first_chunk + i) << HEAP_CHUNK;

			while (part < h->n_parts &&
			       h->parts[part].is.end <= start)
				part++;
			h->by_addr[i] = (uint32_t)part;
		}
	}
	h->by_position = xcalloc(positions, sizeof(*h->by_position));
	for (uint64_t i = 0, part = 0; i < positions; i++) {
		while (part + 1 < h->n_parts &&
		       h->parts[part + 1].first <= i << HEAP_POSITIONS)
			part++;
		h->by_position[i] = (uint32_t)part;
	}
}

uint64_t *heap_marks_make(const struct heap *h)
{
	return xcalloc(heap_marks_size(h), sizeof(uint64_t));
}

struct heap *heap_of(struct target *t, struct dac *d,
		     const struct heap_watch *watch)
{
	struct heap *h = xcalloc(1, sizeof(*h));

	h->target = t;
	h->dac = d;
	h->arena = arena_create();
	h->watch = watch;
	h->interrupted = watch->interrupted;
	heap_types_init(h);
	return h;
}

void heap_take_parts(struct heap *h)
{
	take_parts(h);
	make_tables(h);
}

// Refuse a heap whose segments cannot be that large: the runtime's record of
// them may be damaged, and our tables are as large as it says.
static struct dbg_error *check_size(const struct gc_heap *heap)
{
	uint64_t total = 0;

	for (size_t i = 0; i < heap->n_parts; i++) {
		uint64_t n = heap->parts[i].end - heap->parts[i].start;

		if (n > BYTES_MAX - total)
			return dbg_err(
			    DBG_E_FORMAT,
			    "the heap's segments are damaged: one at "
			    "0x%" PRIx64 " would have %" PRIu64 " bytes",
			    heap->parts[i].start, n);
		total += n;
	}
	return NULL;
}

struct dbg_error *heap_create(struct target *t, struct dac *d,
			      const struct heap_watch *watch, bool force,
			      struct heap **ret)
{
	struct heap *h = heap_of(t, d, watch);
	struct dbg_error *err = dac_gc_heap(d, h->arena, force, &h->is);

	if (!err)
		err = check_size(&h->is);
	if (err) {
		heap_destroy(h);
		return err;
	}
	heap_take_parts(h);
	*ret = h;
	return NULL;
}

void heap_destroy(struct heap *h)
{
	if (!h)
		return;
	heap_window_deinit(&h->found);
	heap_places_drop(h);
	for (size_t i = 0; i < h->n_parts; i++)
		if (h->parts[i].own)
			munmap((void *)(uintptr_t)h->parts[i].data,
			       h->parts[i].is.end - h->parts[i].is.start);
	free(h->by_addr);
	free(h->by_position);
	free(h->types);
	free(h->damages);
	free(h->lost);
	arena_destroy(h->arena);
	free(h);
}

struct dbg_error *heap_pace(const struct heap *h, const char *what,
			    uint64_t done, uint64_t total)
{
	const struct heap_watch *watch = h->watch;

	if (watch->progress)
		watch->progress(watch->arg, what, done, total);
	return *watch->interrupted
		   ? dbg_err(DBG_E_INTERRUPTED, "interrupted while %s", what)
		   : NULL;
}

const struct heap_part *heap_part_of(const struct heap *h, uint64_t addr)
{
	size_t low = 0, high = h->n_parts;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (h->parts[mid].is.end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < h->n_parts && h->parts[low].is.start <= addr
		   ? &h->parts[low]
		   : NULL;
}
