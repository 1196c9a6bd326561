/*
 * A hash map from addresses to pointers: open addressing, linear probing, no
 * tombstones, since a removal moves the later entries back.
 */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void map_deinit(struct map *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}

void map_clear(struct map *m)
{
	if (m->n)
		memset(m->slots, 0, m->cap * sizeof(*m->slots));
	m->n = 0;
}

void map_clear_free(struct map *m)
{
	for (size_t i = 0; i < m->cap; i++)
		free(m->slots[i].value);
	map_clear(m);
}

// Addresses differ in their middle bits: multiply by 2^64 / phi and take the
// upper half.
static size_t home_slot(const struct map *m, uint64_t key)
{
	return (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (m->cap - 1);
}

// The slot of @key, or the free one where it would go.
static struct map_slot *probe(const struct map *m, uint64_t key)
{
	size_t i = home_slot(m, key);

	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

void *map_find(const struct map *m, uint64_t key)
{
	return m->n ? probe(m, key)->value : NULL;
}

static void grow(struct map *m)
{
	struct map_slot *old = m->slots;
	size_t old_cap = m->cap;

	m->cap = old_cap ? old_cap * 2 : 16;
	m->slots = xcalloc(m->cap, sizeof(*m->slots));
	for (size_t i = 0; i < old_cap; i++)
		if (old[i].value)
			*probe(m, old[i].key) = old[i];
	free(old);
}

void map_put(struct map *m, uint64_t key, void *value)
{
	if (m->n >= m->cap - m->cap / 4)
		grow(m);
	struct map_slot *slot = probe(m, key);
	if (!slot->value)
		m->n++;
	slot->key = key;
	slot->value = value;
}

void *map_take(struct map *m, uint64_t key)
{
	if (!m->n)
		return NULL;
	size_t mask = m->cap - 1;
	struct map_slot *slot = probe(m, key);
	void *value = slot->value;
	if (!value)
		return NULL;
	m->n--;
	// Move back every later entry of the run that may stand in the gap.
	size_t gap = (size_t)(slot - m->slots);
	for (size_t i = (gap + 1) & mask; m->slots[i].value;
	     i = (i + 1) & mask) {
		size_t from_home = (i - home_slot(m, m->slots[i].key)) & mask;

		if (from_home < ((i - gap) & mask))
			continue;
		m->slots[gap] = m->slots[i];
		gap = i;
	}
	m->slots[gap].value = NULL;
	return value;
}
