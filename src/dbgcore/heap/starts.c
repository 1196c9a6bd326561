/* Where objects begin, as bits: see heap.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "heap/heap_priv.h"

void heap_starts_init(struct heap_starts *s, struct heap *h)
{
	*s = (struct heap_starts){.heap = h};
	s->bits = xcalloc(h->n_words / 64 + 1, sizeof(*s->bits));
	s->led_to = xcalloc(h->n_words / 64 + 1, sizeof(*s->led_to));
}

void heap_starts_deinit(struct heap_starts *s)
{
	free(s->bits);
	free(s->led_to);
}

bool heap_starts_suffice(const struct heap_starts *s)
{
	for (uint64_t i = 0; i < s->heap->n_words / 64 + 1; i++)
		if (s->led_to[i] & ~s->bits[i])
			return false;
	return !s->astray;
}

void heap_starts_lose(struct heap_starts *s)
{
	struct heap *h = s->heap;

	for (size_t i = 0; i < h->n_damages; i++) {
		const struct heap_part *part =
		    heap_part_of(h, h->lost[i].start);

		for (uint64_t at = h->lost[i].start;
		     part && at < h->lost[i].end; at += HEAP_WORD)
			heap_bit_set(s->bits,
				     part->first +
					 (at - part->is.start) / HEAP_WORD);
	}
}

bool heap_starts_has(const struct heap_starts *s, uint64_t addr)
{
	uint64_t position;

	return heap_position_of(s->heap, addr, &position) &&
	       heap_bit(s->bits, position);
}

uint64_t heap_ref_at(const struct heap_object *o, uint64_t offset)
{
	return heap_word(o->bytes + offset);
}
