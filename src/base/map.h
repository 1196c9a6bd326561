/* Hash map from uint64_t to a pointer; open addressing, no deletion order. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	void *value; /* NULL: free */
};

struct map {
	struct map_slot *slots;
	size_t n, cap; /* cap is 0 or a power of two */
};

void map_deinit(struct map *m);
void map_clear(struct map *m);
/* Empty the map and free its values, which must come from xmalloc. */
void map_clear_free(struct map *m);
/* NULL if @key is not there. */
void *map_find(const struct map *m, uint64_t key);
/* Set @key to @value (not NULL), replacing what was there. */
void map_put(struct map *m, uint64_t key, void *value);
/* Remove @key; returns what was there or NULL. */
void *map_take(struct map *m, uint64_t key);

#endif
