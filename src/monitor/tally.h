/* Counting by a text and a number. */
#ifndef MONITOR_TALLY_H
#define MONITOR_TALLY_H

#include "base/map.h"

struct tally_row {
	char *text;
	uint64_t key;
	uint64_t n;         /* how often */
	uint64_t sum, most; /* of what belongs to it, and the largest */
	char *last;         /* what was said last of it; NULL: nothing */
	uint64_t with;      /* another number that belongs to it */
};

struct tally {
	struct tally_row **rows;
	size_t n, cap;
	struct map index; /* by the hash of both; a row */
};

void tally_deinit(struct tally *t);
/*
 * The row of both, which is made if it is not there. Of too many the rest is
 * one row, "(others)".
 */
struct tally_row *tally_at(struct tally *t, const char *text, uint64_t key);
/* Count one that has @amount. */
void tally_add(struct tally_row *row, uint64_t amount);
/* The largest sums first, of equal ones what came most often. */
void tally_sort(struct tally *t);

#endif
