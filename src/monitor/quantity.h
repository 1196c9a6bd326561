/* Times and sizes as people read them, in three digits and a unit. */
#ifndef MONITOR_QUANTITY_H
#define MONITOR_QUANTITY_H

#include <stddef.h>
#include <stdint.h>

enum {
	QUANTITY_MAX = 16
};

/* "1.23 ms" of nanoseconds; returns @ret. */
const char *quantity_time(uint64_t ns, char ret[QUANTITY_MAX]);
/* "1.23 MB" of bytes, by powers of 1024. */
const char *quantity_size(uint64_t bytes, char ret[QUANTITY_MAX]);
/* "1.23 %" of @part of @whole. */
const char *quantity_share(double part, double whole, char ret[QUANTITY_MAX]);

/* The value below which @percent of the @n sorted @values lie; 0 of none. */
uint64_t quantity_percentile(const uint64_t *values, size_t n,
			     unsigned int percent);
/* Compare for qsort. */
int quantity_compare(const void *a, const void *b);

#endif
