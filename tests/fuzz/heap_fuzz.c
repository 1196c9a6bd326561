/*
 * A heap of anybody's making: the memory of its objects, and the sizes and
 * GCDescs of their types. A word of the memory is a type, an address in the
 * heap or what it is, by its last byte, so that objects are soon found.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "heap/dominators.h"
#include "heap/majority.h"
#include "heap/heap_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	TYPES = 4,
	DESC_WORDS = 6,
	TYPE_BYTES = 4 + 2 * DESC_WORDS,
	BASE = 0x100000,
	WORDS_MAX = 1 << 12,
	ROOTS = 4,
	FLAG_FREE = 1,
	FLAG_STRING = 2,
	FLAG_ITEMS = 4,
	LEAD_TYPE = 0xfe,
	LEAD_ADDRESS = 0xfd,
};

static volatile int interrupted;
static const struct heap_watch watch = {.interrupted = &interrupted};

static int16_t half(const uint8_t *p)
{
	return (int16_t)(p[0] | p[1] << 8);
}

static uint64_t mt_of(unsigned int i)
{
	return 0x5000 + 0x100 * (uint64_t)(i % TYPES);
}

// Base size, component size, flags, then the words in front of it.
static void put_type(struct heap *h, unsigned int i, const uint8_t *p)
{
	uint64_t desc[DESC_WORDS];
	const struct gc_type is = {
	    .base_size = (uint16_t)half(p),
	    .component_size = p[2],
	    .is_free = p[3] & FLAG_FREE,
	};
	struct heap_type *type = heap_type_put(h, mt_of(i), &is);

	type->is_string = p[3] & FLAG_STRING;
	for (size_t k = 0; k < DESC_WORDS; k++) {
		const uint8_t *word = p + 4 + 2 * k;

		desc[k] = (uint64_t)(int64_t)half(word);
		if (p[3] & FLAG_ITEMS && k + 2 < DESC_WORDS)
			desc[k] = word[0] | (uint64_t)word[1] << 32;
	}
	heap_type_describe(h, type, (const uint8_t *)desc, sizeof(desc));
}

static uint64_t word_of(const uint8_t *p, size_t n_words)
{
	if (p[7] == LEAD_TYPE)
		return mt_of(p[0]);
	if (p[7] == LEAD_ADDRESS)
		return BASE + 8 * ((p[0] | (uint64_t)p[1] << 8) % n_words);
	return heap_word(p);
}

/* What is found of references one by one, for that of all of them at once. */
struct checking {
	struct heap_starts starts;
	bool leads_astray;
};

static bool check_object(void *arg, const struct heap_object *o)
{
	struct checking *c = arg;
	struct heap_refs refs;
	uint64_t offset, n, after, n_after;

	if (!heap_starts_has(&c->starts, o->addr))
		abort();
	heap_refs_begin(&refs, o->type, o->size);
	while (o->type->n && heap_refs_next(&refs, &offset, &n)) {
		if (offset < 8 || n > (o->size - offset) / 8)
			abort();
		for (; n; n--, offset += 8) {
			uint64_t to = heap_ref_at(o, offset);

			c->leads_astray |=
			    to && !heap_starts_has(&c->starts, to);
		}
	}
	for (offset = 8; o->type->n && heap_refs_after(o->type, o->size, offset,
						       &after, &n_after);
	     offset = after + 8)
		if (after < offset || !n_after ||
		    n_after > (o->size - after) / 8)
			abort();
	return true;
}

static void check_size(void *arg, const struct heap_retained *r)
{
	const struct heap_dominators *d = arg;

	if (r->dominator == r->object ||
	    (r->dominator && !heap_part_of(d->heap, r->dominator)))
		abort();
}

static void check_majority(struct heap *h, const struct heap_roots *from)
{
	struct heap_retained *v = NULL;
	struct heap_crowd crowd;
	struct heap_graph g;
	size_t n = 0;
	struct dbg_error *err = heap_graph_init(&g, h);

	heap_graph_sample(&g, 8);
	if (!err)
		err = heap_graph_mark(&g, from);
	if (!err)
		err = heap_majority_find(&g, from, &v, &n);
	for (size_t i = 0; i < n; i++)
		if (v[i].bytes > g.bytes)
			abort();
	free(v);
	dbg_error_destroy(err ? err : heap_crowd_find(&g, from, &crowd));
	heap_graph_deinit(&g);
}

static bool wants_all(void *arg, const struct heap_type *type)
{
	(void)arg;
	return !type->is_free;
}

static void look(struct heap *h, const uint64_t *words, size_t n_words)
{
	uint64_t roots[ROOTS];
	struct heap_pair pair = {BASE, words[n_words - 1]};
	struct heap_roots from = {roots, ROOTS, ROOTS / 2, &pair, 1};
	struct heap_dominators d;
	struct checking c = {0};
	struct heap_object o;

	heap_starts_init(&c.starts, h);
	dbg_error_destroy(heap_starts_walk(&c.starts));
	heap_starts_lose(&c.starts);
	dbg_error_destroy(heap_each(h, true, check_object, &c));
	if (heap_starts_suffice(&c.starts) == c.leads_astray)
		abort();
	dbg_error_destroy(heap_count(h, -1, NULL, NULL));
	dbg_error_destroy(heap_each_of(h, true, wants_all, check_object, &c));
	heap_starts_deinit(&c.starts);
	heap_find(h, BASE + 8 * (n_words / 2), &o);
	for (size_t i = 0; i < ROOTS; i++)
		roots[i] = words[i * n_words / ROOTS];
	struct dbg_error *err = heap_dominators_init(&d, h, &from);

	dbg_error_destroy(err ? err : heap_retained_each(&d, check_size, &d));
	heap_dominators_deinit(&d);
	check_majority(h, &from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n_words =
	    size < TYPES * TYPE_BYTES + 8 ? 0 : (size - TYPES * TYPE_BYTES) / 8;

	if (!n_words || n_words > WORDS_MAX)
		return 0;
	uint64_t *words = xmalloc(n_words * sizeof(*words));
	struct heap *h = heap_of(NULL, NULL, &watch);
	struct gc_part part = {.start = BASE, .end = BASE + 8 * n_words};

	for (size_t i = 0; i < n_words; i++)
		words[i] = word_of(data + TYPES * TYPE_BYTES + 8 * i, n_words);
	h->is.parts = arena_copy(h->arena, &part, 1, sizeof(part));
	h->is.n_parts = 1;
	heap_take_parts(h);
	h->parts[0].data = (const uint8_t *)words;
	// pages of it are not to be given back
	h->parts[0].own = true;
	for (unsigned int i = 0; i < TYPES; i++)
		put_type(h, i, data + TYPE_BYTES * i);
	look(h, words, n_words);
	h->parts[0].own = false;
	heap_destroy(h);
	free(words);
	return 0;
}
