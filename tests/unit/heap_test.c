/*
 * Heaps made at random: what the dominator tree says an object retains is what
 * cannot be reached any more without it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/mem.h"
#include "heap/dominators.h"
#include "heap/heap_priv.h"
#include "heap/majority.h"
#include "heap/retention.h"

enum {
	BASE = 0x100000,
	OBJECTS = 120,
	REFS = 6,
	ROOTS = 4,
	PAIRS = 4,
	WORDS = OBJECTS * 12,
	GRAPHS = 300,
	GIVEN_WORDS = 24,
	LEAF = 0,
	NODE, // two fields
	ARRAY,
	STRUCTS, // an array of structures: a pointer and 8 bytes
	TYPES,
};

struct made {
	uint64_t words[WORDS];
	size_t n_words, n;
	struct {
		uint64_t addr;
		unsigned int type;
		uint64_t size;
		size_t n_refs, refs[REFS]; /* objects */
	} v[OBJECTS];
	uint64_t roots[ROOTS];
	struct heap_pair pairs[PAIRS];
	size_t root[ROOTS], from[PAIRS], to[PAIRS];
	bool seen[OBJECTS];
	struct heap *heap;
};

static volatile int interrupted;
static dbg_progress_fn tell;
static const struct heap_watch watch = {.interrupted = &interrupted,
					.progress = tell};

static uint64_t mt_of(unsigned int type)
{
	return 0x5000 + 0x100 * type;
}

static void put_types(struct heap *h)
{
	static const struct gc_type types[TYPES] = {
	    [LEAF] = {.base_size = 24},
	    [NODE] = {.base_size = 32},
	    [ARRAY] = {.base_size = 24, .component_size = 8},
	    [STRUCTS] = {.base_size = 24, .component_size = 16},
	};
	// the words in front of the MethodTable, the last one the count
	const uint64_t node[] = {(uint64_t)-16, 8, 1};
	const uint64_t array[] = {(uint64_t)-24, 16, 1};
	const uint64_t structs[] = {1 | (uint64_t)8 << 32, 16, (uint64_t)-1};
	struct heap_type *t[TYPES];

	for (unsigned int i = 0; i < TYPES; i++)
		t[i] = heap_type_put(h, mt_of(i), &types[i]);
	heap_type_describe(h, t[NODE], (const uint8_t *)node, sizeof(node));
	heap_type_describe(h, t[ARRAY], (const uint8_t *)array, sizeof(array));
	heap_type_describe(h, t[STRUCTS], (const uint8_t *)structs,
			   sizeof(structs));
}

static void make_object(struct made *m, size_t i)
{
	static const uint64_t fixed[TYPES] = {24, 32, 24, 24};
	unsigned int type = (unsigned int)rand() % TYPES;
	size_t n = (size_t)rand() % (REFS + 1);
	uint64_t step = type == STRUCTS ? 16 : 8;

	m->v[i].n_refs = type == LEAF ? 0 : type == NODE ? 2 : n;
	m->v[i].type = type;
	m->v[i].addr = BASE + 8 * m->n_words;
	m->v[i].size = fixed[type];
	if (type >= ARRAY) {
		m->v[i].size += m->v[i].n_refs * step;
		m->words[m->n_words + 1] = m->v[i].n_refs;
	}
	m->words[m->n_words] = mt_of(type);
	m->n_words += m->v[i].size / 8;
}

static void make_refs(struct made *m, size_t i)
{
	uint64_t *p = &m->words[(m->v[i].addr - BASE) / 8];
	size_t step = m->v[i].type == STRUCTS ? 2 : 1;

	p += m->v[i].type == NODE ? 1 : 2;
	for (size_t k = 0; k < m->v[i].n_refs; k++, p += step) {
		// near ones more often: long ways, loops, diamonds
		size_t to = rand() % 3 ? (i + (size_t)rand() % 5) % m->n
				       : (size_t)rand() % m->n;

		m->v[i].refs[k] = rand() % 4 ? to : m->n;
		*p = m->v[i].refs[k] < m->n ? m->v[to].addr : 0;
	}
}

static void make(struct made *m)
{
	memset(m, 0, sizeof(*m));
	m->n = 2 + (size_t)rand() % (OBJECTS - 2);
	for (size_t i = 0; i < m->n; i++)
		make_object(m, i);
	for (size_t i = 0; i < m->n; i++)
		make_refs(m, i);
	for (size_t i = 0; i < ROOTS; i++) {
		m->root[i] = (size_t)rand() % m->n;
		m->roots[i] = m->v[m->root[i]].addr;
		m->from[i] = (size_t)rand() % m->n;
		m->to[i] = (size_t)rand() % m->n;
		m->pairs[i] = (struct heap_pair){m->v[m->from[i]].addr,
						 m->v[m->to[i]].addr};
	}
	m->heap = heap_of(NULL, NULL, &watch);
	struct gc_part part = {.start = BASE, .end = BASE + 8 * m->n_words};

	m->heap->is.parts = arena_copy(m->heap->arena, &part, 1, sizeof(part));
	m->heap->is.n_parts = 1;
	heap_take_parts(m->heap);
	m->heap->parts[0].data = (const uint8_t *)m->words;
	put_types(m->heap);
}

/* ---- The truth ------------------------------------------------------- */

static void reach(struct made *m, size_t i, size_t without, int type)
{
	if (i >= m->n || m->seen[i] || i == without ||
	    (int)m->v[i].type == type)
		return;
	m->seen[i] = true;
	for (size_t k = 0; k < m->v[i].n_refs; k++)
		reach(m, m->v[i].refs[k], without, type);
	for (size_t k = 0; k < PAIRS; k++)
		if (m->from[k] == i)
			reach(m, m->to[k], without, type);
}

static uint64_t alive_without(struct made *m, size_t without, int type)
{
	uint64_t bytes = 0;

	memset(m->seen, 0, sizeof(m->seen));
	for (size_t i = 0; i < ROOTS; i++)
		reach(m, m->root[i], without, type);
	for (size_t i = 0; i < m->n; i++)
		bytes += m->seen[i] ? m->v[i].size : 0;
	return bytes;
}

// Bytes of what some single object of the type keeps alive.
static uint64_t kept_by_any(struct made *m, unsigned int type)
{
	bool alive[OBJECTS], kept[OBJECTS] = {0};
	uint64_t bytes = 0;

	alive_without(m, m->n, -1);
	memcpy(alive, m->seen, sizeof(alive));
	for (size_t i = 0; i < m->n; i++) {
		if (m->v[i].type != type)
			continue;
		alive_without(m, i, -1);
		for (size_t k = 0; k < m->n; k++)
			kept[k] |= alive[k] && !m->seen[k];
	}
	for (size_t i = 0; i < m->n; i++)
		bytes += kept[i] ? m->v[i].size : 0;
	return bytes;
}

static size_t index_of(const struct made *m, uint64_t addr)
{
	size_t i = 0;

	while (i < m->n && m->v[i].addr != addr)
		i++;
	assert_true(i < m->n);
	return i;
}

struct checking {
	struct made *m;
	uint64_t all, told;
};

static void check_object(void *arg, const struct heap_retained *r)
{
	struct checking *c = arg;
	size_t i = index_of(c->m, r->object);
	uint64_t without = alive_without(c->m, i, -1);

	assert_int_equal(r->bytes, c->all - without);
	c->told += c->m->v[i].size;
	if (!r->dominator)
		return;
	// the nearest of those without which it would not be alive
	size_t above = index_of(c->m, r->dominator);

	assert_int_not_equal(above, i);
	alive_without(c->m, above, -1);
	assert_false(c->m->seen[i]);
	assert_true(c->all - alive_without(c->m, above, -1) > r->bytes);
}

static void check_graph(struct made *m)
{
	struct heap_roots roots = {m->roots, ROOTS, 0, m->pairs, PAIRS};
	struct heap_dominators d;
	struct checking c = {.m = m, .all = alive_without(m, m->n, -1)};

	assert_null(heap_dominators_init(&d, m->heap, &roots));
	assert_null(heap_retained_each(&d, check_object, &c));
	assert_int_equal(c.told, c.all);
	for (unsigned int i = 0; i < TYPES; i++)
		assert_int_equal(
		    d.retained[heap_type_find(m->heap, mt_of(i))->number],
		    kept_by_any(m, i));
	heap_dominators_deinit(&d);
}

// The same by holding back the objects of a type.
static void check_held(struct made *m)
{
	struct heap_roots roots = {m->roots, ROOTS, 0, m->pairs, PAIRS};
	struct heap_graph g;
	uint64_t all = alive_without(m, m->n, -1);

	for (unsigned int type = 0; type < TYPES; type++) {
		assert_null(heap_graph_init(&g, m->heap));
		for (size_t i = 0; i < m->n; i++)
			if (m->v[i].type == type)
				assert_true(heap_graph_hold(&g, m->v[i].addr));
		assert_null(heap_graph_mark(&g, &roots));
		assert_int_equal(g.bytes, alive_without(m, m->n, (int)type));
		heap_graph_release(&g);
		assert_null(heap_graph_run(&g));
		assert_int_equal(g.bytes, all);
		heap_graph_deinit(&g);
	}
}

static bool ends(void *arg, uint64_t object, uint64_t child, uint32_t *ret)
{
	const struct made *m = arg;

	if (child)
		return false;
	for (size_t i = 0; i < ROOTS; i++)
		if (m->roots[i] == object)
			*ret = (uint32_t)i;
	return true;
}

// Each way has what those below it have, and those at the ends are roots.
static void check_ways(const struct heap_retention *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct heap_way *way = &r->v[i];
		uint64_t count = 0, bytes = 0;

		for (uint32_t k = way->first; k; k = r->v[k].next) {
			count += r->v[k].count;
			bytes += r->v[k].bytes;
			assert_int_equal(r->v[k].depth, way->depth + 1);
		}
		if (way->key & RETENTION_ROOT)
			assert_int_equal(way->first, 0);
		else
			assert_true(count == way->count && bytes == way->bytes);
	}
}

// What the objects of a type retain, by the ways to them.
static void check_paths(struct made *m)
{
	struct heap_roots roots = {m->roots, ROOTS, 0, m->pairs, PAIRS};
	uint64_t all = alive_without(m, m->n, -1);

	for (unsigned int type = 0; type < TYPES; type++) {
		struct heap_retention r = {
		    .root = ends, .arg = m, .max_depth = 1 + type * 2};
		uint64_t alive = 0;

		alive_without(m, m->n, -1);
		assert_null(heap_graph_init(&r.graph, m->heap));
		for (size_t i = 0; i < m->n; i++) {
			if (m->v[i].type != type)
				continue;
			alive += m->seen[i];
			assert_true(heap_graph_hold(&r.graph, m->v[i].addr));
		}
		assert_null(heap_retention_run(&r, &roots));
		assert_int_equal(r.v[0].count, alive);
		assert_int_equal(r.v[0].bytes,
				 all - alive_without(m, m->n, (int)type));
		check_ways(&r);
		heap_retention_deinit(&r);
	}
}

// Without a dominator tree, those that retain more than half; each byte is a
// sample.
static void check_majority(struct made *m)
{
	struct heap_roots roots = {m->roots, ROOTS, 0, m->pairs, PAIRS};
	uint64_t all = alive_without(m, m->n, -1), above = 0;
	struct heap_retained *v = NULL;
	struct heap_graph g;
	size_t n = 0, wanted = 0;

	assert_null(heap_graph_init(&g, m->heap));
	heap_graph_sample(&g, 1);
	assert_null(heap_graph_mark(&g, &roots));
	assert_null(heap_majority_find(&g, &roots, &v, &n));
	for (size_t i = 0; i < m->n; i++)
		wanted += (all - alive_without(m, i, -1)) * 2 > all;
	for (size_t i = 0; i < n; i++) {
		size_t at = index_of(m, v[i].object);

		assert_int_equal(v[i].bytes, all - alive_without(m, at, -1));
		assert_int_equal(v[i].dominator, above);
		assert_true(!i || v[i].bytes < v[i - 1].bytes);
		above = v[i].object;
		wanted -= v[i].bytes * 2 > all;
	}
	assert_int_equal(wanted, 0);
	free(v);
	heap_graph_deinit(&g);
}

// All of a type: what is reached without any of it.
static size_t check_crowd(struct made *m)
{
	struct heap_roots roots = {m->roots, ROOTS, 0, m->pairs, PAIRS};
	uint64_t all = alive_without(m, m->n, -1), count = 0;
	struct heap_crowd crowd;
	struct heap_graph g;

	for (size_t i = 0; i < m->n; i++)
		count += m->seen[i] && m->v[i].type == NODE;
	assert_null(heap_graph_init(&g, m->heap));
	heap_graph_sample(&g, 1);
	assert_null(heap_graph_mark(&g, &roots));
	assert_null(heap_crowd_find(&g, &roots, &crowd));
	if (crowd.type) {
		assert_int_equal(crowd.type->mt, mt_of(NODE));
		assert_int_equal(crowd.count, count);
		assert_int_equal(crowd.bytes,
				 all - alive_without(m, m->n, NODE));
		assert_true(index_of(m, crowd.example) < m->n);
	} else {
		assert_true(count < 10 ||
			    (all - alive_without(m, m->n, NODE)) * 2 <= all);
	}
	heap_graph_deinit(&g);
	return crowd.type ? 1 : 0;
}

static void test_retained(void **state)
{
	struct made *m = xmalloc(sizeof(*m));
	size_t crowds = 0;

	(void)state;
	srand(1);
	for (int i = 0; i < GRAPHS; i++) {
		make(m);
		check_graph(m);
		check_held(m);
		check_paths(m);
		check_majority(m);
		crowds += check_crowd(m);
		heap_destroy(m->heap);
	}
	assert_true(crowds > 0 && crowds < GRAPHS);
	free(m);
}

/* ---- The user's wish to end it --------------------------------------- */

static int calls_left = -1; /* of progress, until it is interrupted */

static void tell(void *arg, const char *what, uint64_t done, uint64_t total)
{
	(void)arg;
	assert_non_null(what);
	assert_true(!total || done <= total);
	if (!calls_left--)
		interrupted = 1;
}

static bool pass(void *arg, const struct heap_object *o)
{
	(void)arg;
	(void)o;
	return true;
}

static struct dbg_error *walk(struct made *m, const struct heap_roots *roots)
{
	(void)roots;
	return heap_each(m->heap, true, pass, NULL);
}

static struct dbg_error *count(struct made *m, const struct heap_roots *roots)
{
	(void)roots;
	return heap_count(m->heap, -1, NULL, NULL);
}

static struct dbg_error *dominate(struct made *m,
				  const struct heap_roots *roots)
{
	struct heap_dominators d;
	struct dbg_error *err = heap_dominators_init(&d, m->heap, roots);

	if (!err)
		err = heap_retained_each(&d, NULL, NULL);

	heap_dominators_deinit(&d);
	return err;
}

static struct dbg_error *retain(struct made *m, const struct heap_roots *roots)
{
	struct heap_retention r = {.root = ends, .arg = m, .max_depth = 9};
	struct dbg_error *err = heap_graph_init(&r.graph, m->heap);

	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].type == LEAF)
			heap_graph_hold(&r.graph, m->v[i].addr);
	if (!err)
		err = heap_retention_run(&r, roots);
	heap_retention_deinit(&r);
	return err;
}

static struct dbg_error *prevail(struct made *m, const struct heap_roots *roots)
{
	struct heap_retained *v = NULL;
	struct heap_crowd crowd;
	struct heap_graph g;
	size_t n;
	struct dbg_error *err = heap_graph_init(&g, m->heap);

	heap_graph_sample(&g, 1);
	if (!err)
		err = heap_graph_mark(&g, roots);
	if (!err)
		err = heap_majority_find(&g, roots, &v, &n);
	if (!err)
		err = heap_crowd_find(&g, roots, &crowd);
	free(v);
	heap_graph_deinit(&g);
	return err;
}

// A wish that came before some work, or in any part of it, ends it; without one
// it is done to its end.
static void test_interrupted(void **state)
{
	static struct dbg_error *(*const works[])(
	    struct made *, const struct heap_roots *) = {walk, count, dominate,
							 retain, prevail};
	struct made *m = xmalloc(sizeof(*m));

	(void)state;
	srand(3);
	make(m);
	const struct heap_roots roots = {m->roots, ROOTS, 0, m->pairs, PAIRS};

	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++) {
		bool done = false;

		for (int after = -1; !done; after++) {
			calls_left = after;
			interrupted = after < 0;
			struct dbg_error *err = works[i](m, &roots);

			done = !interrupted;
			assert_true(done == !err);
			assert_true(!err || err->code == DBG_E_INTERRUPTED);
			dbg_error_destroy(err);
			assert_true(!done || after > 0);
		}
	}
	interrupted = 0;
	calls_left = -1;
	heap_destroy(m->heap);
	free(m);
}

struct gathered {
	uint64_t mt; /* 0: of any type */
	uint64_t v[OBJECTS];
	size_t n, looked_at;
};

static bool wants(void *arg, const struct heap_type *type)
{
	const struct gathered *g = arg;

	return !g->mt || type->mt == g->mt;
}

static bool gather(void *arg, const struct heap_object *o)
{
	struct gathered *g = arg;

	g->looked_at++;
	if (!g->mt || o->type->mt == g->mt)
		g->v[g->n++] = o->addr;
	return true;
}

// Where objects were counted, those of a type are found without a walk, in the
// order of a walk.
static void test_each_of(void **state)
{
	struct made *m = xmalloc(sizeof(*m));

	(void)state;
	for (unsigned int seed = 0; seed < 20; seed++) {
		srand(seed);
		make(m);
		for (int counted = 0; counted < 2; counted++) {
			for (unsigned int type = 0; type <= TYPES; type++) {
				uint64_t mt = type < TYPES ? mt_of(type) : 0;
				struct gathered all = {.mt = mt},
						some = {.mt = mt};

				assert_null(
				    heap_each(m->heap, true, gather, &all));
				assert_null(heap_each_of(m->heap, true, wants,
							 gather, &some));
				assert_int_equal(all.n, some.n);
				assert_memory_equal(all.v, some.v,
						    all.n * sizeof(*all.v));
				assert_int_equal(counted ? all.n
							 : all.looked_at,
						 some.looked_at);
			}
			assert_null(heap_count(m->heap, -1, NULL, NULL));
		}
		heap_destroy(m->heap);
	}
	free(m);
}

// What each run of pointers is, is the same from any offset on.
static void test_refs_after(void **state)
{
	struct made *m = xmalloc(sizeof(*m));
	uint64_t offset, n, at, some;

	(void)state;
	srand(2);
	make(m);
	for (size_t i = 0; i < m->n; i++) {
		const struct heap_type *type =
		    heap_type_find(m->heap, mt_of(m->v[i].type));
		struct heap_refs refs;
		uint64_t from = 8;

		heap_refs_begin(&refs, type, m->v[i].size);
		while (type->n && heap_refs_next(&refs, &offset, &n)) {
			for (; n; n--, offset += 8, from = at + 8) {
				assert_true(heap_refs_after(type, m->v[i].size,
							    from, &at, &some));
				assert_int_equal(offset, at);
				assert_true(some >= 1);
			}
		}
		assert_true(!type->n || !heap_refs_after(type, m->v[i].size,
							 from, &at, &some));
	}
	heap_destroy(m->heap);
	free(m);
}

/* How much the walk of @m told of and what it left out as damaged. */
static void walk_checked(struct made *m, size_t objects, size_t damages)
{
	struct gathered all = {.mt = 0};

	assert_null(heap_each(m->heap, true, gather, &all));
	assert_int_equal(all.n, objects);
	assert_int_equal(m->heap->n_damages, damages);
}

// Zeros at the end of the youngest objects are not anybody's yet; elsewhere, or
// if they are not all zeros, objects were there.
static void test_given(void **state)
{
	struct made *m = xmalloc(sizeof(*m));

	(void)state;
	srand(3);
	make(m);
	struct gc_part *is = &m->heap->parts[0].is;
	uint64_t *rest = &m->words[m->n_words];

	assert_true(m->n_words + GIVEN_WORDS <= WORDS);
	walk_checked(m, m->n, 0);
	is->end += 8 * GIVEN_WORDS;
	walk_checked(m, m->n, 0);
	is->generation = DBG_GEN_2;
	walk_checked(m, m->n, 1);
	is->generation = DBG_GEN_0;
	rest[GIVEN_WORDS - 1] = 1;
	walk_checked(m, m->n, 1);
	heap_destroy(m->heap);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_retained),
	    cmocka_unit_test(test_interrupted),
	    cmocka_unit_test(test_refs_after),
	    cmocka_unit_test(test_each_of),
	    cmocka_unit_test(test_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
