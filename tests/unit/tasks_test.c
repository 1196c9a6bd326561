/*
 * Chains of async calls, from lists of who awaits whom that no program has:
 * circles, ways without end, more ways than can be gone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/mem.h"
#include "tasks/tasks.h"

enum {
	LONG = 10000,
	LAYERS = 40,
};

static volatile int interrupted;

/* The lists of one test. */
struct lists {
	struct heap heap;
	struct tasks t;
};

/* What is given of the chains. */
struct found {
	size_t n, circles, longest;
	uint32_t last[16]; /* the chain that came last, as far as it fits */
	size_t n_last;
	size_t most; /* then enough is known */
	bool interrupts;
};

static void lists_init(struct lists *l, size_t n)
{
	memset(l, 0, sizeof(*l));
	interrupted = 0;
	l->heap.interrupted = &interrupted;
	l->t.heap = &l->heap;
	l->t.n = n;
	l->t.v = xcalloc(n, sizeof(*l->t.v));
	for (size_t i = 0; i < n; i++) {
		l->t.v[i].addr = 0x1000 + 0x10 * i;
		l->t.v[i].state = DBG_TASK_WAITING;
	}
}

static void lists_deinit(struct lists *l)
{
	tasks_deinit(&l->t);
}

// Task @to awaits @from; those of one task have to come in a row.
static void link_to(struct lists *l, uint32_t from, uint32_t to)
{
	struct tasks *t = &l->t;

	if (!t->v[from].n_edges)
		t->v[from].first_edge = (uint32_t)t->n_edges;
	mem_grow(&t->edges, &t->cap_edges, t->n_edges, sizeof(*t->edges));
	t->edges[t->n_edges++] = to;
	t->v[from].n_edges++;
	t->v[to].awaits = true;
}

static bool take(void *arg, const uint32_t *chain, size_t n, bool circle)
{
	struct found *f = arg;

	f->n++;
	f->circles += circle;
	f->longest = n > f->longest ? n : f->longest;
	f->n_last = n < 16 ? n : 16;
	memcpy(f->last, chain, f->n_last * sizeof(*chain));
	interrupted = f->interrupts;
	return !f->most || f->n < f->most;
}

static bool go(struct lists *l, struct found *f)
{
	bool cut = false;
	struct dbg_error *err = tasks_chains(&l->t, take, f, &cut);

	assert_null(err);
	return cut;
}

static void test_none(void **state)
{
	struct lists l;
	struct found f = {0};

	(void)state;
	lists_init(&l, 0);
	assert_false(go(&l, &f));
	assert_int_equal(0, f.n);
	assert_null(tasks_at(&l.t, 0x1000));
	lists_deinit(&l);
}

static void test_chains(void **state)
{
	struct lists l;
	struct found f = {0};

	(void)state;
	// 0 is awaited by 2, that by 1 and 3; 4 is done
	lists_init(&l, 5);
	link_to(&l, 0, 2);
	link_to(&l, 2, 1);
	link_to(&l, 2, 3);
	l.t.v[4].state = DBG_TASK_DONE;
	assert_false(go(&l, &f));
	assert_int_equal(2, f.n);
	assert_int_equal(0, f.circles);
	assert_int_equal(3, f.n_last);
	assert_int_equal(0, f.last[0]);
	assert_int_equal(2, f.last[1]);
	assert_int_equal(3, f.last[2]);
	assert_ptr_equal(&l.t.v[3], tasks_at(&l.t, 0x1030));
	assert_null(tasks_at(&l.t, 0x1038));
	lists_deinit(&l);
}

static void test_circles(void **state)
{
	struct lists l;
	struct found f = {0};

	(void)state;
	// one by itself, two of each other, and what leads into these
	lists_init(&l, 4);
	link_to(&l, 0, 0);
	link_to(&l, 1, 2);
	link_to(&l, 2, 1);
	link_to(&l, 3, 1);
	assert_false(go(&l, &f));
	assert_int_equal(2, f.n);
	assert_int_equal(2, f.circles);
	assert_int_equal(3, f.longest);
	lists_deinit(&l);
}

// All edges lead to the same task, over and over.
static void test_same(void **state)
{
	struct lists l;
	struct found f = {0};

	(void)state;
	lists_init(&l, 1);
	for (int i = 0; i < LONG; i++)
		link_to(&l, 0, 0);
	assert_false(go(&l, &f));
	assert_int_equal(LONG, f.n);
	assert_int_equal(LONG, f.circles);
	lists_deinit(&l);
}

// A chain that is longer than is followed comes in pieces.
static void test_long(void **state)
{
	struct lists l;
	struct found f = {0};

	(void)state;
	lists_init(&l, LONG);
	for (uint32_t i = 0; i + 1 < LONG; i++)
		link_to(&l, i, i + 1);
	assert_true(go(&l, &f));
	assert_in_range(f.n, 2, 10);
	assert_int_equal(0, f.circles);
	assert_in_range(f.longest, 1000, LONG - 1);
	lists_deinit(&l);
}

// Each task of a layer is awaited by both of the next: 2 to the 40th ways.
static void test_ways(void **state)
{
	struct lists l;
	struct found f = {0};

	(void)state;
	lists_init(&l, 2 * LAYERS);
	for (uint32_t i = 0; i + 2 < 2 * LAYERS; i++) {
		link_to(&l, i, (i / 2 + 1) * 2);
		link_to(&l, i, (i / 2 + 1) * 2 + 1);
	}
	assert_true(go(&l, &f));
	assert_in_range(f.n, 1000, 100000000);
	assert_int_equal(LAYERS, f.longest);
	lists_deinit(&l);
}

static void test_enough(void **state)
{
	struct lists l;
	struct found f = {.most = 3};
	bool cut;

	(void)state;
	lists_init(&l, 10);
	go(&l, &f);
	assert_int_equal(3, f.n);
	f = (struct found){.interrupts = true};
	struct dbg_error *err = tasks_chains(&l.t, take, &f, &cut);
	assert_non_null(err);
	assert_int_equal(DBG_E_INTERRUPTED, err->code);
	dbg_error_destroy(err);
	assert_int_equal(1, f.n);
	lists_deinit(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_none),    cmocka_unit_test(test_chains),
	    cmocka_unit_test(test_circles), cmocka_unit_test(test_same),
	    cmocka_unit_test(test_long),    cmocka_unit_test(test_ways),
	    cmocka_unit_test(test_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
