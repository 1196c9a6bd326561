/* Compares the heap with a core file: what has grown since it was written. */
#include "session/heap/sessionheap.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

static int by_name(const void *a, const void *b)
{
	const struct dbg_heap_type *s = a, *t = b;

	return strcmp(s->name, t->name);
}

static int by_growth(const void *a, const void *b)
{
	const struct dbg_heap_change *s = a, *t = b;
	int64_t x = (int64_t)(s->bytes - s->old_bytes);
	int64_t y = (int64_t)(t->bytes - t->old_bytes);

	if (x != y)
		return x < y ? -1 : 1;
	x = (int64_t)(s->count - s->old_count);
	y = (int64_t)(t->count - t->old_count);
	return x != y ? (x < y ? -1 : 1) : strcmp(s->type, t->type);
}

// Add up the old counts of all types named ret->type, which begin at *@i, and
// move *@i past them.
static void old_counts_add(const struct dbg_heap_stat *stat, size_t *i,
			   struct dbg_heap_change *ret)
{
	const struct dbg_heap_type *t = stat->types;

	for (; *i < stat->n_types && !strcmp(t[*i].name, ret->type); ++*i) {
		ret->old_count += t[*i].count;
		ret->old_bytes += t[*i].bytes;
	}
}

static void new_counts_add(const struct dbg_heap_stat *stat, size_t *i,
			   struct dbg_heap_change *ret)
{
	const struct dbg_heap_type *t = stat->types;

	for (; *i < stat->n_types && !strcmp(t[*i].name, ret->type); ++*i) {
		ret->count += t[*i].count;
		ret->bytes += t[*i].bytes;
	}
}

static void sort(struct dbg_heap_stat *stat)
{
	if (stat->n_types)
		qsort(stat->types, stat->n_types, sizeof(*stat->types),
		      by_name);
}

// The names of @then die with its session.
static void compare(struct arena *arena, struct dbg_heap_stat *then,
		    struct dbg_heap_stat *now, struct dbg_heap_diff *ret)
{
	size_t i = 0, k = 0;

	sort(then);
	sort(now);
	ret->v = arena_calloc(arena, then->n_types + now->n_types + 1,
			      sizeof(*ret->v));
	while (i < then->n_types || k < now->n_types) {
		struct dbg_heap_change c = {0};
		int order = i == then->n_types ? 1
			    : k == now->n_types
				? -1
				: by_name(&then->types[i], &now->types[k]);

		c.type = order < 0 ? arena_strdup(arena, then->types[i].name)
				   : now->types[k].name;
		old_counts_add(then, &i, &c);
		new_counts_add(now, &k, &c);
		if (c.count != c.old_count || c.bytes != c.old_bytes)
			ret->v[ret->n++] = c;
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_growth);
	ret->all = (struct dbg_heap_change){
	    .old_count = then->count,
	    .old_bytes = then->bytes,
	    .count = now->count,
	    .bytes = now->bytes,
	};
}

static void take_damages(struct arena *arena, const struct dbg_heap_stat *then,
			 const struct dbg_heap_stat *now,
			 struct dbg_heap_diff *ret)
{
	ret->damages = arena_calloc(arena, then->n_damages + now->n_damages + 1,
				    sizeof(*ret->damages));
	for (size_t i = 0; i < then->n_damages; i++)
		ret->damages[ret->n_damages++] =
		    arena_printf(arena, "in the core: %s", then->damages[i]);
	for (size_t i = 0; i < now->n_damages; i++)
		ret->damages[ret->n_damages++] = now->damages[i];
}

struct dbg_error *dbg_heap_diff(struct dbg_stopped at, const char *path,
				const struct dbg_heap_filter *filter,
				struct dbg_heap_diff *ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_heap_stat then, now;
	struct dbg *other;
	struct dbg_error *err = dbg_heap_stat(at, filter, &now);

	if (err)
		return err;
	err = dbg_create(&other);
	if (err)
		return err;
	// show and interrupt the other session's long work as this one's
	other->heap.watch = dbg->heap.watch;
	err = session_settings_copy(other, dbg);
	if (!err)
		err = dbg_core(other, path);
	if (!err)
		err = dbg_heap_stat(session_standing(other), filter, &then);
	if (!err) {
		*ret = (struct dbg_heap_diff){0};
		compare(dbg->inspect.arena, &then, &now, ret);
		take_damages(dbg->inspect.arena, &then, &now, ret);
	}
	dbg_destroy(other);
	return err;
}
