/* See view.h and cache.h. */
#include "view/cache.h"

#include <stdlib.h>

#include "base/mem.h"
#include "view/view.h"

struct view_cache *view_cache_create(void)
{
	return xcalloc(1, sizeof(struct view_cache));
}

void view_cache_destroy(struct view_cache *cache)
{
	if (!cache)
		return;
	map_deinit(&cache->looks);
	map_deinit(&cache->proxies);
	map_deinit(&cache->results);
	free(cache);
}

void view_cache_clear(struct view_cache *cache)
{
	if (!cache)
		return;
	map_clear(&cache->looks);
	map_clear(&cache->proxies);
	map_clear(&cache->results);
}
