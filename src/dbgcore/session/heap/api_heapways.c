/*
 * What keeps objects alive, by type: the room heap/ finds the ways; here roots
 * get their names, and the result is sorted.
 */
#include "session/heap/sessionheap.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "heap/retention.h"

enum {
	DEPTH = 20, // unless told
	/* Arrays of statics have some thousands of elements. */
	STATICS_MAX = 1 << 17,
};

struct static_place {
	uint64_t addr, mt;
	const struct dac_field *field;
};

struct retaining {
	struct heap_query query;
	struct root_list roots;
	struct map root_of; /* the first root of an object */
	struct static_place *statics;
	size_t n_statics, cap_statics;
	const char **texts; /* of roots, which are told apart by them */
	struct map numbers; /* 1 + index of a text, by its hash or beyond */
	size_t n_texts, cap_texts;
	struct map keys; /* 1 + index of a text, by object; of statics | 1 */
	const struct heap_type *type; /* of what is asked for */
	uint64_t n_held;
	bool many; /* it has several */
	struct heap_retention is;
	const struct dbg_heap_way_limits *limits;
	struct dbg_heap_ways *ret;
	size_t cap;
};

/* ---- Roots and their names ------------------------------------------- */

/*
 * Note the address of a static field, so that ways from it can be named. Thread
 * statics have other roots.
 */
static bool note_static(void *arg, uint64_t mt, const struct dac_field *f,
			const struct static_thread *thread)
{
	struct retaining *t = arg;
	struct static_place place = {.mt = mt, .field = f};

	if (thread || dbg_err_drop(dac_static_addr(t->query.dbg->inspect.dac,
						   mt, f, 0, &place.addr)))
		return true;
	mem_grow(&t->statics, &t->cap_statics, t->n_statics,
		 sizeof(*t->statics));
	t->statics[t->n_statics++] = place;
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct static_place *s = a, *t = b;

	return (s->addr > t->addr) - (s->addr < t->addr);
}

static void take_roots(struct retaining *t)
{
	for (size_t i = t->roots.n; i--;) {
		const struct root *root = &t->roots.v[i];
		const struct root *behind =
		    map_find(&t->root_of, root->is.object);

		if (!behind || !root_is_better(behind, root))
			map_put(&t->root_of, root->is.object, &t->roots.v[i]);
	}
	statics_each(t->query.dbg, t->query.heap, false, note_static, t);
	if (t->n_statics)
		qsort(t->statics, t->n_statics, sizeof(*t->statics), by_addr);
}

static uint32_t key_of(struct retaining *t, const char *text)
{
	uint64_t hash = str_hash(text, strlen(text));
	uintptr_t known;

	// another text of the same hash is passed over
	while ((known = (uintptr_t)map_find(&t->numbers, hash)) &&
	       strcmp(t->texts[known - 1], text))
		hash++;
	if (known)
		return (uint32_t)(known - 1);
	mem_grow(&t->texts, &t->cap_texts, t->n_texts, sizeof(*t->texts));
	t->texts[t->n_texts++] = text;
	map_put(&t->numbers, hash, (void *)(uintptr_t)t->n_texts);
	return (uint32_t)(t->n_texts - 1);
}

// The text of a root; handles of one kind have the same text, so that their
// ways are merged.
static const char *text_of(struct retaining *t, const struct root *root)
{
	struct dbg *dbg = t->query.dbg;

	if (!root)
		return "?";
	if (root->is.kind == DBG_ROOT_HANDLE)
		return arena_printf(dbg->inspect.arena, "%s handle",
				    dbg_handle_name(root->is.handle));
	return root_name(dbg, root);
}

// The name of the static field that refers to @child from an array that a
// handle keeps, or whose box @child is.
static const char *static_text(struct retaining *t, uint64_t array,
			       uint64_t child)
{
	const struct root *root = map_find(&t->root_of, array);
	uint64_t offset, box = child + HEAP_WORD;
	const struct static_place *found;
	struct heap_object o;

	if (!root || root->is.kind != DBG_ROOT_HANDLE || !t->n_statics ||
	    !heap_object_at(t->query.heap, array, &o) ||
	    o.type->component_size != HEAP_WORD || o.size > STATICS_MAX)
		return NULL;
	offset = heap_graph_offset(&t->is.graph, array, child);
	found = bsearch(&(struct static_place){.addr = array + offset},
			t->statics, t->n_statics, sizeof(*found), by_addr);
	if (!found)
		found = bsearch(&(struct static_place){.addr = box}, t->statics,
				t->n_statics, sizeof(*found), by_addr);
	return found ? root_field_name(t->query.dbg, found->mt, found->field)
		     : NULL;
}

static bool find_root(void *arg, uint64_t object, uint64_t child, uint32_t *ret)
{
	enum {
		NONE = UINT32_MAX,
	};
	struct retaining *t = arg;
	uint64_t at = child ? child | 1 : object;
	uintptr_t known = (uintptr_t)map_find(&t->keys, at);
	uint32_t key = (uint32_t)(known - 1);

	if (!known) {
		const char *text =
		    child ? static_text(t, object, child)
			  : text_of(t, map_find(&t->root_of, object));

		key = text ? key_of(t, text) : NONE;
		map_put(&t->keys, at, (void *)((uintptr_t)key + 1));
	}
	*ret = key;
	return key != NONE;
}

/* ---- What is asked for ----------------------------------------------- */

static bool retained_hold(void *arg, const struct heap_object *o)
{
	struct retaining *t = arg;

	if (o->type->is_free || !heap_query_has(&t->query, o) ||
	    !heap_graph_hold(&t->is.graph, o->addr))
		return true;
	t->many |= t->type && t->type != o->type;
	t->type = o->type;
	t->n_held++;
	return true;
}

/* ---- In order -------------------------------------------------------- */

static const char *way_text(struct retaining *t, const struct heap_way *way)
{
	struct heap_object o;

	if (way->key & RETENTION_ROOT)
		return t->texts[way->key & ~RETENTION_ROOT];
	if (way->key == RETENTION_DEEP)
		return "...";
	if (way->key == RETENTION_TOP && (t->many || !t->type))
		return t->query.filter->type;
	if (way->key == RETENTION_TOP)
		return session_type_name(t->query.dbg, t->type);
	return heap_object_at(t->query.heap, way->object, &o)
		   ? session_type_name(t->query.dbg, o.type)
		   : "?";
}

static struct dbg_heap_way *way_add(struct retaining *t)
{
	mem_grow(&t->ret->v, &t->cap, t->ret->n, sizeof(*t->ret->v));
	return &t->ret->v[t->ret->n++];
}

static void add_way(struct retaining *t, const struct heap_way *way)
{
	*way_add(t) = (struct dbg_heap_way){
	    .kind = way->key & RETENTION_ROOT    ? DBG_WAY_ROOT
		    : way->key == RETENTION_DEEP ? DBG_WAY_DEEP
						 : DBG_WAY_TYPE,
	    .depth = way->depth,
	    .text = way_text(t, way),
	    .object = way->object,
	    .objects = way->objects,
	    .count = way->count,
	    .bytes = way->bytes,
	};
}

static int by_bytes(const void *a, const void *b)
{
	const struct heap_way *s = *(struct heap_way *const *)a;
	const struct heap_way *t = *(struct heap_way *const *)b;

	if (s->bytes != t->bytes)
		return s->bytes > t->bytes ? -1 : 1;
	if (s->count != t->count)
		return s->count > t->count ? -1 : 1;
	return (s->object > t->object) - (s->object < t->object);
}

static void add_rest(struct retaining *t, const struct heap_way *const *v,
		     size_t n)
{
	struct dbg_heap_way rest = {
	    .kind = DBG_WAY_REST, .depth = v[0]->depth, .objects = n};

	for (size_t i = 0; i < n; i++) {
		rest.count += v[i]->count;
		rest.bytes += v[i]->bytes;
	}
	rest.text = arena_printf(t->query.dbg->inspect.arena,
				 "(%zu more way%s)", n, n == 1 ? "" : "s");
	*way_add(t) = rest;
}

// Add the tree below a way, down to the limit of depth.
static void add_tree(struct retaining *t, const struct heap_way *way)
{
	const struct heap_way *ways = t->is.v;
	const struct heap_way **below = NULL;
	size_t n = 0, cap = 0, width = t->limits->width;

	add_way(t, way);
	for (uint32_t i = way->first; i; i = ways[i].next) {
		mem_grow(&below, &cap, n, sizeof(*below));
		below[n++] = &ways[i];
	}
	if (n)
		qsort(below, n, sizeof(*below), by_bytes);
	size_t shown = width && n > width ? width : n;

	for (size_t i = 0; i < shown; i++)
		add_tree(t, below[i]);
	if (shown < n)
		add_rest(t, below + shown, n - shown);
	free(below);
}

/* ---- All of it ------------------------------------------------------- */

static struct dbg_error *ways_find(struct retaining *t)
{
	uint32_t depth = t->limits->depth ? t->limits->depth : DEPTH;
	struct heap_roots objects;
	struct dbg_error *err =
	    roots_read(t->query.dbg, t->query.heap, &t->roots);

	if (!err)
		err = heap_graph_init(&t->is.graph, t->query.heap);
	if (!err)
		err = heap_each(t->query.heap, false, retained_hold, t);
	if (err)
		return err;
	take_roots(t);
	t->is.root = find_root;
	t->is.arg = t;
	t->is.max_depth = depth < DBG_WAY_DEPTH_MAX ? depth : DBG_WAY_DEPTH_MAX;
	roots_objects(&t->roots, &objects);
	err = heap_retention_run(&t->is, &objects);
	free(objects.objects);
	return err;
}

struct dbg_error *dbg_heap_way_list(struct dbg_stopped at,
				    const struct dbg_heap_filter *filter,
				    const struct dbg_heap_way_limits *limits,
				    struct dbg_heap_ways *ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_heap_ways found = {0};
	struct retaining t = {.limits = limits, .ret = &found};
	struct dbg_error *err = heap_query_init(at, filter, &t.query);

	if (!err)
		err = ways_find(&t);
	if (!err) {
		add_tree(&t, t.is.v);
		*ret = found;
		ret->v = arena_copy(dbg->inspect.arena, found.v, found.n,
				    sizeof(*found.v));
		ret->garbage = t.n_held - t.is.v->count;
		ret->cut = t.is.cut;
	}
	free(found.v);
	free(t.statics);
	free(t.texts);
	map_deinit(&t.numbers);
	map_deinit(&t.keys);
	map_deinit(&t.root_of);
	heap_retention_deinit(&t.is);
	roots_deinit(&t.roots);
	heap_query_deinit(&t.query);
	return err;
}
