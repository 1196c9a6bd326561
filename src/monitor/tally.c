/* Counting by a text and a number: see monitor.h. */
#include "monitor/monitor.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum {
	ROWS_MAX = 4096
};

static const char others[] = "(others)";

void tally_deinit(struct tally *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->rows[i]->text);
		free(t->rows[i]->last);
		free(t->rows[i]);
	}
	free(t->rows);
	map_deinit(&t->index);
	*t = (struct tally){0};
}

struct tally_row *tally_at(struct tally *t, const char *text, uint64_t key)
{
	// Two of one hash would be counted as one; 64 bits make that unlikely.
	uint64_t hash = str_hash(text, strlen(text)) ^ key * 0x9e3779b97f4a7c15;
	struct tally_row *row = map_find(&t->index, hash);

	if (row)
		return row;
	if (t->n >= ROWS_MAX && strcmp(text, others))
		return tally_at(t, others, 0);
	row = xcalloc(1, sizeof(*row));
	row->text = xstrdup(text);
	row->key = key;
	mem_grow(&t->rows, &t->cap, t->n, sizeof(*t->rows));
	t->rows[t->n++] = row;
	map_put(&t->index, hash, row);
	return row;
}

void tally_add(struct tally_row *row, uint64_t amount)
{
	row->n++;
	row->sum += amount;
	if (amount > row->most)
		row->most = amount;
}

static int compare_rows(const void *a, const void *b)
{
	const struct tally_row *x = *(struct tally_row *const *)a,
			       *y = *(struct tally_row *const *)b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->text, y->text);
}

void tally_sort(struct tally *t)
{
	if (t->n)
		qsort(t->rows, t->n, sizeof(*t->rows), compare_rows);
}
