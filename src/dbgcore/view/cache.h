/*
 * Cache of what views have found out, valid while the program does not run. All
 * of it is in the arena of the stop.
 */
#ifndef VIEW_CACHE_H
#define VIEW_CACHE_H

#include "base/map.h"

struct view_cache {
	struct map looks;   /* struct type *: struct look */
	struct map proxies; /* address of an object: struct proxy */
	struct map results; /* ... of what is enumerated */
};

#endif
