/* The exception objects of the heap, of dbg.h. */
#include "session/heap/sessionheap.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "inspect/exception.h"

enum {
	DESCRIBED_MAX = 100000,
};

struct group {
	struct dbg_heap_exception is;
	struct group *next; /* of the same hash */
};

struct gathering {
	struct heap_query query;
	struct type *base; /* System.Exception */
	struct heap_kinds kinds;
	uint64_t *objects;
	size_t n, cap;
	struct map groups; /* struct group, by hash */
	struct dbg_heap_exceptions *ret;
};

/* ---- Which objects are exceptions ------------------------------------ */

static bool exception_gather(void *arg, const struct heap_object *o)
{
	struct gathering *g = arg;

	if (!session_derives(g->query.dbg, &g->kinds, o->type, g->base) ||
	    !heap_query_has(&g->query, o) || g->ret->count++ >= DESCRIBED_MAX)
		return true;
	mem_grow(&g->objects, &g->cap, g->n, sizeof(*g->objects));
	g->objects[g->n++] = o->addr;
	return true;
}

/* ---- What they are --------------------------------------------------- */

static uint64_t hash_of(const struct dbg_exception *e)
{
	const char *const parts[] = {e->type, e->message, e->stack};
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		hash = hash * 31 +
		       (parts[i] ? str_hash(parts[i], strlen(parts[i])) : 0);
	return hash;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

// Find the group of an exception; NULL: it is the first of its kind.
static struct group *group_of(struct gathering *g, uint64_t hash,
			      const struct dbg_exception *e)
{
	struct group *found = map_find(&g->groups, hash);

	while (found && (!same(found->is.type, e->type) ||
			 !same(found->is.message, e->message) ||
			 !same(found->is.stack, e->stack)))
		found = found->next;
	return found;
}

static struct group *add_group(struct gathering *g, uint64_t hash,
			       const struct dbg_exception *e, uint64_t object)
{
	struct arena *arena = g->query.dbg->inspect.arena;
	struct group *new = arena_alloc(arena, sizeof(*new));

	new->next = map_find(&g->groups, hash);
	new->is = (struct dbg_heap_exception){
	    .object = object,
	    .count = 1,
	    .type = arena_strdup(arena, e->type),
	    .message = e->message ? arena_strdup(arena, e->message) : NULL,
	    .stack = e->stack ? arena_strdup(arena, e->stack) : NULL,
	    .hresult = e->hresult,
	};
	map_put(&g->groups, hash, new);
	g->ret->n++;
	return new;
}

/*
 * Count the exception at @object in its group, which is made if it is the
 * first. @each: every exception is a group of its own.
 */
static void exception_count(struct gathering *g, uint64_t object, bool each,
			    struct arena *arena)
{
	struct exception_parts parts;
	struct dbg_exception e;

	if (!exception_get(&g->query.dbg->inspect, object, arena, &e, &parts))
		return;
	uint64_t hash = each ? object : hash_of(&e);
	struct group *found = each ? NULL : group_of(g, hash, &e);

	if (found) {
		found->is.count++;
		return;
	}
	found = add_group(g, hash, &e, object);
	found->is.inner = parts.n_inner ? parts.inner[0] : 0;
}

static struct dbg_error *describe_all(struct gathering *g, bool each)
{
	struct arena *arena = arena_create();
	struct dbg_error *err = NULL;

	for (size_t i = 0; i < g->n && !err; i++) {
		exception_count(g, g->objects[i], each, arena);
		arena_reset(arena);
		err = heap_pace(g->query.heap, "describing exceptions", i + 1,
				g->n);
	}
	arena_destroy(arena);
	return err;
}

/* ---- In order -------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
	const struct dbg_heap_exception *s = a, *t = b;

	if (s->count != t->count)
		return s->count > t->count ? -1 : 1;
	return (s->object > t->object) - (s->object < t->object);
}

static void take_groups(struct gathering *g)
{
	struct arena *arena = g->query.dbg->inspect.arena;
	struct dbg_heap_exceptions *ret = g->ret;
	size_t n = 0;

	ret->v = arena_calloc(arena, ret->n + 1, sizeof(*ret->v));
	for (size_t i = 0; i < g->groups.cap; i++)
		for (struct group *p = g->groups.slots[i].value; p; p = p->next)
			ret->v[n++] = p->is;
	if (n)
		qsort(ret->v, n, sizeof(*ret->v), by_count);
	ret->cut = ret->count - g->n;
}

struct dbg_error *dbg_heap_exception_list(struct dbg_stopped at,
					  const struct dbg_heap_filter *filter,
					  bool each,
					  struct dbg_heap_exceptions *ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_heap_exceptions found = {0};
	struct gathering g = {.ret = &found};
	struct dbg_error *err = heap_query_init(at, filter, &g.query);

	if (!err)
		g.base =
		    value_type_core(dbg->inspect.values, "System.Exception");
	if (!err && g.base)
		err = heap_each(g.query.heap, false, exception_gather, &g);
	if (!err) {
		session_take_damages(&g.query, &found.damages,
				     &found.n_damages);
		err = describe_all(&g, each);
	}
	if (!err) {
		take_groups(&g);
		*ret = found;
	}
	map_deinit(&g.groups);
	free(g.objects);
	heap_kinds_deinit(&g.kinds);
	heap_query_deinit(&g.query);
	return err;
}
