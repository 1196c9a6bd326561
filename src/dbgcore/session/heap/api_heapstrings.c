/* Strings of the heap with the same text, of dbg.h. */
#include "session/heap/sessionheap.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum {
	CHARS = 12, // behind type and length
	TABLE_MIN = 1 << 12,
	AHEAD = 16, // strings
};

/* Strings of one text. */
struct text {
	uint64_t object, size; /* of the first */
	uint64_t count;
	uint32_t length;
};

/* A string that was met. */
struct met {
	uint64_t object, size, hash;
	uint32_t length;
};

struct texts {
	struct heap_query query;
	/*
	 * A hash table. Texts are told apart by 64 bits of hash alone, so that
	 * a string that is met costs one line of the cache.
	 */
	uint64_t *keys; /* 0: the slot is free */
	struct text *v; /* beside each key; NULL: nothing is listed */
	bool listed;
	size_t n, cap;
	/* The last ones, whose slots are on their way into the cache: a ring.
	 */
	struct met met[AHEAD];
	uint64_t count, bytes, wasted;
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9fb21c651e98df25;
	return hash ^ hash >> 29;
}

static uint64_t hash_of(const uint8_t *p, size_t n)
{
	uint64_t hash = n, word;

	for (; n >= sizeof(word); p += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = mix(hash, word);
	}
	word = 0;
	memcpy(&word, p, n);
	hash = mix(mix(hash, word), n);
	return hash ? hash : 1;
}

static size_t slot_of(const struct texts *t, uint64_t hash)
{
	size_t i = (size_t)hash & (t->cap - 1);

	while (t->keys[i] && t->keys[i] != hash)
		i = (i + 1) & (t->cap - 1);
	return i;
}

static void grow(struct texts *t)
{
	uint64_t *keys = t->keys;
	struct text *v = t->v;
	size_t n = t->cap;

	t->cap = n ? n * 2 : TABLE_MIN;
	t->keys = xcalloc(t->cap, sizeof(*t->keys));
	t->v = t->listed ? xcalloc(t->cap, sizeof(*t->v)) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (!keys[i])
			continue;
		size_t slot = slot_of(t, keys[i]);

		t->keys[slot] = keys[i];
		if (v)
			t->v[slot] = v[i];
	}
	free(keys);
	free(v);
}

static void add_text(struct texts *t, const struct met *met)
{
	if (t->n * 2 >= t->cap)
		grow(t);
	size_t slot = slot_of(t, met->hash);

	if (t->keys[slot])
		t->wasted += met->size;
	else
		t->n++;
	if (t->v && !t->keys[slot])
		t->v[slot] = (struct text){.object = met->object,
					   .size = met->size,
					   .length = met->length};
	if (t->v)
		t->v[slot].count++;
	t->keys[slot] = met->hash;
}

static bool add_string(void *arg, const struct heap_object *o)
{
	struct texts *t = arg;
	struct met *met = &t->met[t->count % AHEAD];
	uint32_t length;

	if (!o->type->is_string || !heap_query_has(&t->query, o))
		return true;
	memcpy(&length, o->bytes + HEAP_WORD, sizeof(length));
	uint64_t n = (uint64_t)length * 2;

	if (n + CHARS > o->size)
		return true;
	if (met->hash)
		add_text(t, met);
	*met = (struct met){o->addr, o->size, hash_of(o->bytes + CHARS, n),
			    length};
	if (t->cap)
		__builtin_prefetch(&t->keys[met->hash & (t->cap - 1)], 1);
	t->count++;
	t->bytes += o->size;
	return true;
}

// Add the strings that are still in the ring, the oldest first.
static void add_last(struct texts *t)
{
	for (size_t i = 0; i < AHEAD; i++) {
		struct met *met = &t->met[(t->count + i) % AHEAD];

		if (met->hash)
			add_text(t, met);
	}
}

static uint64_t wasted_of(const struct text *t)
{
	return (t->count - 1) * t->size;
}

static int by_waste(const void *a, const void *b)
{
	const struct text *s = a, *t = b;

	if (wasted_of(s) != wasted_of(t))
		return wasted_of(s) > wasted_of(t) ? -1 : 1;
	return (s->object > t->object) - (s->object < t->object);
}

static void take_texts(struct texts *t, size_t max,
		       struct dbg_heap_strings *ret)
{
	struct dbg *dbg = t->query.dbg;
	struct arena *arena = dbg->inspect.arena;
	size_t n = 0;

	for (size_t i = 0; i < t->cap && t->v; i++)
		if (t->v[i].count > 1)
			t->v[n++] = t->v[i];
	if (n)
		qsort(t->v, n, sizeof(*t->v), by_waste);
	*ret = (struct dbg_heap_strings){
	    .n = n < max ? n : max,
	    .n_all = n,
	    .count = t->count,
	    .bytes = t->bytes,
	    .wasted = t->wasted,
	};
	ret->v = arena_calloc(arena, ret->n + 1, sizeof(*ret->v));
	for (size_t i = 0; i < ret->n; i++) {
		_cleanup_str_ struct str text = {0};

		inspect_object_text(&dbg->inspect, t->v[i].object, &text);
		ret->v[i] = (struct dbg_heap_string){
		    .object = t->v[i].object,
		    .count = t->v[i].count,
		    .length = t->v[i].length,
		    .wasted = wasted_of(&t->v[i]),
		    .text = arena_strdup(arena, str_get(&text)),
		};
	}
}

static void texts_deinit(struct texts *t)
{
	free(t->keys);
	free(t->v);
	heap_query_deinit(&t->query);
}

struct dbg_error *dbg_heap_strings(struct dbg_stopped at,
				   const struct dbg_heap_filter *filter,
				   size_t max, struct dbg_heap_strings *ret)
{
	struct texts t = {.listed = max};
	struct dbg_error *err = heap_query_init(at, filter, &t.query);

	if (!err)
		err = heap_each(t.query.heap, true, add_string, &t);
	add_last(&t);
	if (!err)
		take_texts(&t, max, ret);
	texts_deinit(&t);
	return err;
}

struct dbg_error *dbg_heap_survey(struct dbg_stopped at,
				  struct dbg_heap_stat *ret,
				  struct dbg_heap_strings *strings)
{
	const struct dbg_heap_filter all = {.free = true};
	const struct heap_dominators none = {0};
	struct texts t = {.listed = false};
	struct dbg_error *err = heap_query_init(at, &all, &t.query);

	if (!err)
		err = heap_count(t.query.heap, -1, add_string, &t);
	add_last(&t);
	if (!err) {
		session_take_stat(&t.query, &none, ret);
		take_texts(&t, 0, strings);
	}
	texts_deinit(&t);
	return err;
}
