/*
 * The string that the program has for a literal. The table that knows it is
 * the runtime's own; but the runtime puts the strings of literals where nothing
 * is collected, and those that String.Intern was given, or a literal of an
 * assembly that can be unloaded, are held by arrays of the pinned heap.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "heap/heap.h"
#include "target/target.h"

enum {
	LENGTH = 8, /* in a string, and in an array */
	UNITS = 12,
	ELEMENTS = 16,
	UNITS_MAX = 1 << 20,
};

struct search {
	struct heap *heap;
	const void *units;
	size_t n;
	uint8_t *read; /* as large as the text */
	uint64_t found;
	bool held, damaged; /* held: an array refers to such a string */
};

static bool has_length(const struct search *s, const uint8_t *bytes)
{
	uint32_t n;

	memcpy(&n, bytes + LENGTH, sizeof(n));
	return n == s->n;
}

static bool frozen_match(void *arg, const struct heap_object *o)
{
	struct search *s = arg;

	if (o->type->is_string && o->bytes && o->size >= UNITS + s->n * 2 &&
	    has_length(s, o->bytes) &&
	    !memcmp(o->bytes + UNITS, s->units, s->n * 2))
		s->found = o->addr;
	return !s->found;
}

/* Is the object at @addr a string of that text? */
static bool leads_to(const struct search *s, uint64_t addr)
{
	const struct heap *h = s->heap;
	uint8_t head[UNITS];
	uint64_t type;

	if (!addr || target_read_some(h->target, addr, head, sizeof(head)) !=
			 sizeof(head))
		return false;
	memcpy(&type, head, sizeof(type));
	return type == h->is.string_type && has_length(s, head) &&
	       target_read_some(h->target, addr + UNITS, s->read, s->n * 2) ==
		   s->n * 2 &&
	       !memcmp(s->read, s->units, s->n * 2);
}

static bool pinned_match(void *arg, const struct heap_object *o)
{
	struct search *s = arg;
	const struct heap_type *type = o->type;
	uint32_t n;

	if (!type->has_refs || type->component_size != HEAP_WORD || !o->bytes)
		return true;
	memcpy(&n, o->bytes + LENGTH, sizeof(n));
	for (uint64_t i = 0; i < n && !s->held; i++) {
		uint64_t at = ELEMENTS + i * HEAP_WORD, addr;

		if (at + HEAP_WORD > o->size)
			break;
		memcpy(&addr, o->bytes + at, sizeof(addr));
		s->held = leads_to(s, addr);
	}
	return !s->held;
}

static void interned_search(struct search *s)
{
	static const struct {
		enum dbg_generation where;
		heap_fn *take;
	} steps[] = {{DBG_GEN_FROZEN, frozen_match},
		     {DBG_GEN_PINNED, pinned_match}};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !s->found;
	     i++) {
		s->heap->only = 1u << steps[i].where;
		if (dbg_err_drop(heap_each(s->heap, true, steps[i].take, s)) ||
		    s->heap->n_damages)
			s->damaged = true;
	}
}

enum interned interned_find(struct target *t, struct dac *d, const void *units,
			    size_t n, uint64_t *addr)
{
	static volatile int never;
	static const struct heap_watch watch = {.interrupted = &never};
	struct search s = {.units = units, .n = n};

	if (!d || n > UNITS_MAX ||
	    dbg_err_drop(heap_create(t, d, &watch, false, &s.heap)))
		return INTERNED_UNSURE;
	s.read = xmalloc(n * 2 + 1);
	interned_search(&s);
	free(s.read);
	heap_destroy(s.heap);
	*addr = s.found;
	if (s.found)
		return INTERNED_AT;
	return s.damaged || s.held ? INTERNED_UNSURE : INTERNED_NONE;
}
