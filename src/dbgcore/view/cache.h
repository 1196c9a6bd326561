/*
 * What views have found out, for as long as the program does not run. All of
 * it lies in the arena of the stop.
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
