/*
 * Tasks and async calls of dbg.h. The tasks room finds them; here what was
 * asked for is picked out, exceptions are read, and chains that are the same
 * but for their objects are counted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "inspect/blocked.h"
#include "inspect/exception.h"
#include "inspect/testcase.h"
#include "meta/csname.h"
#include "session/heap/sessionheap.h"
#include "tasks/tasks.h"

enum {
	LISTED_MAX = 100000,
	CHAINS_MAX = 20000,  /* that differ */
	CALLS_MAX = 1 << 20, /* in all of them */
	WAITING_TESTS_MAX = 1000,
	SUSPENDED_MAX = 10000, /* frames of what stands for a thread */
};

/* ---- Finding --------------------------------------------------------- */

static void destroy(struct tasks *t)
{
	if (t)
		tasks_deinit(t);
	free(t);
}

void session_tasks_drop(struct dbg *dbg)
{
	destroy(dbg->heap.tasks);
	dbg->heap.tasks = NULL;
}

// Get the tasks of the heap. Without completed ones, the list is kept for the
// stop.
static struct dbg_error *tasks_get(struct dbg_stopped at, bool completed,
				   struct tasks **ret)
{
	struct dbg *dbg = at.dbg;
	struct heap *h;
	struct dbg_error *err = session_heap_get(at, &h);

	if (err)
		return err;
	if (!completed && dbg->heap.tasks) {
		*ret = dbg->heap.tasks;
		return NULL;
	}
	struct tasks *t = xmalloc(sizeof(*t));
	*t = (struct tasks){
	    .heap = h,
	    .stack = dbg->inspect.stack,
	    .values = dbg->inspect.values,
	    .arena = dbg->inspect.arena,
	    .completed = completed,
	};
	err = tasks_find(t);
	if (!err)
		err = tasks_link(t);
	if (err) {
		destroy(t);
		return err;
	}
	if (!completed)
		dbg->heap.tasks = t;
	*ret = t;
	return NULL;
}

static void put_back(struct dbg *dbg, struct tasks *t)
{
	if (t != dbg->heap.tasks)
		destroy(t);
}

/* ---- Suspended calls -------------------------------------------------- */

// The call of @task as a frame; NULL: it is not suspended.
static struct frame *suspended_frame(const struct tasks *t,
				     const struct task *task)
{
	struct value call;

	return task->state < DBG_TASK_DONE && tasks_call(t, task, &call)
		   ? stack_suspended_frame(t->stack, &call)
		   : NULL;
}

static void add_suspended(const struct tasks *t, const struct task *task,
			  uint32_t thread)
{
	struct frame *f = suspended_frame(t, task);

	if (f)
		stack_suspended_add(t->stack, thread, f);
}

bool dbg_suspended_any(struct dbg_stopped at)
{
	struct dbg *dbg = at.dbg;

	if (!dbg->heap.may_wait && dbg->inspect.values)
		dbg->heap.may_wait = tasks_may_wait(dbg->inspect.values);
	return dbg->heap.may_wait;
}

struct dbg_error *dbg_suspended_call(struct dbg_stopped at, uint64_t addr,
				     uint32_t *ret)
{
	struct tasks *t = NULL;
	struct dbg_error *err = tasks_get(at, false, &t);

	if (err)
		return err;
	const struct task *task = tasks_at(t, addr);
	if (!task || !suspended_frame(t, task))
		return dbg_err(DBG_E_NOT_FOUND,
			       "no suspended call is at 0x%" PRIx64, addr);
	*ret = stack_suspended_create(t->stack);
	for (int i = 0; task && i < SUSPENDED_MAX; i++) {
		add_suspended(t, task, *ret);
		task = task->n_edges ? &t->v[t->edges[task->first_edge]] : NULL;
	}
	return NULL;
}

static const char *chain_label(struct dbg *dbg,
			       const struct dbg_async_chain *chain)
{
	const struct dbg_task *first = &chain->v[0];
	const char *what = chain->circle                  ? "a circle"
			   : !first->async && first->what ? first->what
							  : NULL;

	return arena_printf(dbg->inspect.arena, "[%" PRIu64 " chain%s%s%s]",
			    chain->count, chain->count == 1 ? "" : "s",
			    what ? ": " : "", what ? what : "");
}

struct dbg_error *dbg_suspended_all(struct dbg_stopped at, uint32_t *ret)
{
	struct dbg *dbg = at.dbg;
	const struct dbg_task_query query = {.type = NULL};
	struct dbg_async found;
	struct tasks *t = NULL;
	size_t n = 0;
	struct dbg_error *err = dbg_async_list(at, &query, &found);

	if (!err)
		err = tasks_get(at, false, &t);
	if (err)
		return err;
	*ret = stack_suspended_create(t->stack);
	for (size_t i = 0; i < found.n_chains && n < SUSPENDED_MAX; i++) {
		const struct dbg_async_chain *chain = &found.chains[i];

		stack_suspended_label(t->stack, *ret, chain_label(dbg, chain));
		for (size_t k = 0; k < chain->n; k++, n++) {
			const struct task *task = tasks_at(t, chain->v[k].addr);

			if (task)
				add_suspended(t, task, *ret);
		}
	}
	return NULL;
}

/* ---- Description ------------------------------------------------------ */

static void task_describe(struct dbg *dbg, const struct tasks *t,
			  const struct task *task, struct dbg_task *ret)
{
	struct dbg_exception x;
	struct exception_parts parts;
	bool seen = false;

	tasks_describe(t, task, ret);
	if (task->state != DBG_TASK_FAULTED)
		return;
	uint64_t addr = tasks_exception(t, task, &seen);
	if (!addr || !exception_get(&dbg->inspect, addr, t->arena, &x, &parts))
		return;
	ret->exception = x.type;
	ret->message = x.message;
	ret->unobserved = !seen;
}

static struct dbg_error *pattern_of(const struct dbg_task_query *query,
				    struct pattern **ret)
{
	*ret = NULL;
	return query->type ? pattern_create(query->type, ret) : NULL;
}

static bool is_meant(const struct pattern *p, const struct dbg_task *task)
{
	return !p || csname_matches(p, task->type) ||
	       (task->method && pattern_matches(p, task->method));
}

static struct dbg_error *check_interrupted(const struct tasks *t)
{
	return *t->heap->interrupted ? dbg_err(DBG_E_INTERRUPTED, "interrupted")
				     : NULL;
}

/* ---- Tasks ----------------------------------------------------------- */

static struct dbg_error *list_tasks(struct dbg *dbg, const struct tasks *t,
				    const struct pattern *pattern,
				    struct dbg_tasks *ret)
{
	struct dbg_task *v = NULL, one;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < t->n && !ret->cut && !*t->heap->interrupted;
	     i++) {
		task_describe(dbg, t, &t->v[i], &one);
		if (!is_meant(pattern, &one))
			continue;
		ret->cut = n == LISTED_MAX;
		mem_grow(&v, &cap, n, sizeof(*v));
		v[n++] = one;
	}
	ret->n = ret->cut ? LISTED_MAX : n;
	ret->v = arena_copy(t->arena, v, ret->n, sizeof(*v));
	free(v);
	return check_interrupted(t);
}

struct dbg_error *dbg_task_list(struct dbg_stopped at,
				const struct dbg_task_query *query,
				struct dbg_tasks *ret)
{
	struct dbg *dbg = at.dbg;
	struct pattern *pattern;
	struct tasks *t = NULL;
	struct dbg_error *err = pattern_of(query, &pattern);

	if (!err)
		err = tasks_get(at, query->completed, &t);
	if (!err) {
		*ret = (struct dbg_tasks){
		    .cut = t->cut,
		    .damages = t->heap->damages,
		    .n_damages = t->heap->n_damages,
		};
		memcpy(ret->counts, t->counts, sizeof(ret->counts));
		err = list_tasks(dbg, t, pattern, ret);
	}
	put_back(dbg, t);
	pattern_destroy(pattern);
	return err;
}

/* ---- Chains ---------------------------------------------------------- */

/* Chains that are alike; the first of them stands for all. */
struct merged {
	uint32_t *chain;
	size_t n;
	uint64_t count, hash;
	bool circle;
	struct merged *next; /* of the same hash */
};

struct merging {
	const struct tasks *t;
	bool each, frames, cut;
	struct map by_hash; /* -> struct merged */
	struct merged **v;
	size_t n, cap, n_calls;
};

static uint64_t hash_chain(const struct merging *m, const uint32_t *chain,
			   size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++) {
		const struct task *task = &m->t->v[chain[i]];

		h = (h ^ task->kind) * UINT64_C(0x100000001b3);
		h = (h ^ (uint32_t)task->await ^ task->waited) *
		    UINT64_C(0x100000001b3);
	}
	return h ? h : 1;
}

static bool is_same(const struct merging *m, const struct merged *a,
		    const uint32_t *chain, size_t n, bool circle)
{
	if (a->n != n || a->circle != circle)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct task *x = &m->t->v[a->chain[i]];
		const struct task *y = &m->t->v[chain[i]];

		// what an async call is stuck at may be its own
		if (x->kind != y->kind || x->await != y->await ||
		    x->waited != y->waited ||
		    (!x->is_box && !i && x->owner != y->owner))
			return false;
	}
	return true;
}

// Has the chain an async call? Others are not listed.
static bool has_call(const struct merging *m, const uint32_t *chain, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (m->t->v[chain[i]].is_box)
			return true;
	return false;
}

static bool take_chain(void *arg, const uint32_t *chain, size_t n, bool circle)
{
	struct merging *m = arg;

	if (!has_call(m, chain, n))
		return true;
	uint64_t hash = hash_chain(m, chain, n);
	struct merged *first = map_find(&m->by_hash, hash);

	for (struct merged *one = first; one && !m->each; one = one->next)
		if (is_same(m, one, chain, n, circle)) {
			one->count++;
			return true;
		}
	m->cut = m->n == CHAINS_MAX || n > CALLS_MAX - m->n_calls;
	if (m->cut)
		return false;
	m->n_calls += n;
	struct merged *one = arena_alloc(m->t->arena, sizeof(*one));
	*one = (struct merged){
	    .chain = arena_copy(m->t->arena, chain, n, sizeof(*chain)),
	    .n = n,
	    .count = 1,
	    .hash = hash,
	    .circle = circle,
	    .next = first,
	};
	map_put(&m->by_hash, hash, one);
	mem_grow(&m->v, &m->cap, m->n, sizeof(*m->v));
	m->v[m->n++] = one;
	return true;
}

static int by_count(const void *a, const void *b)
{
	const struct merged *x = *(struct merged *const *)a;
	const struct merged *y = *(struct merged *const *)b;

	if (x->circle != y->circle)
		return x->circle ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->chain[0] < y->chain[0] ? -1 : x->chain[0] > y->chain[0];
}

static dbg_id frame_of(struct dbg *dbg, const struct merging *m, uint32_t task)
{
	struct frame *f =
	    m->frames ? suspended_frame(m->t, &m->t->v[task]) : NULL;

	if (!f)
		return 0;
	stack_frame_number(m->t->stack, f);
	return inspect_frame_id(&dbg->inspect, f);
}

// Rank chains by interest: deadlock cycles, then what a thread waits for, then
// chains with user code.
static int rank_of(const struct dbg_async_chain *chain)
{
	bool waited = false, own = false;

	for (size_t i = 0; i < chain->n; i++) {
		const struct dbg_task *task = &chain->v[i];

		waited = waited || task->waited;
		own = own || (task->source.path && !task->framework);
	}
	return chain->circle ? 0 : waited ? 1 : own ? 2 : 3;
}

// Sort the chains by rank; within a rank the order stays.
static void rank_chains(struct arena *arena, struct dbg_async *ret)
{
	struct dbg_async_chain *v =
	    arena_calloc(arena, ret->n_chains + 1, sizeof(*v));
	size_t n = 0;

	for (int rank = 0; rank <= 3; rank++)
		for (size_t i = 0; i < ret->n_chains; i++)
			if (rank_of(&ret->chains[i]) == rank)
				v[n++] = ret->chains[i];
	ret->chains = v;
}

static struct dbg_error *list_chains(struct dbg *dbg, struct merging *m,
				     const struct pattern *pattern,
				     struct dbg_async *ret)
{
	if (m->n)
		qsort(m->v, m->n, sizeof(*m->v), by_count);
	ret->chains = arena_calloc(m->t->arena, m->n + 1, sizeof(*ret->chains));
	for (size_t i = 0; i < m->n && !*m->t->heap->interrupted; i++) {
		const struct merged *from = m->v[i];
		struct dbg_async_chain *to = &ret->chains[ret->n_chains];
		bool meant = false;

		*to = (struct dbg_async_chain){
		    .v = arena_calloc(m->t->arena, from->n, sizeof(*to->v)),
		    .n = from->n,
		    .count = from->count,
		    .circle = from->circle,
		};
		for (size_t k = 0; k < from->n; k++) {
			task_describe(dbg, m->t, &m->t->v[from->chain[k]],
				      &to->v[k]);
			meant = meant || is_meant(pattern, &to->v[k]);
			to->v[k].frame = frame_of(dbg, m, from->chain[k]);
		}
		ret->n_chains += meant;
	}
	rank_chains(m->t->arena, ret);
	return check_interrupted(m->t);
}

static uint64_t count_calls(const struct tasks *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->v[i].is_box && t->v[i].state < DBG_TASK_DONE &&
		     t->v[i].await >= 0;
	return n;
}

struct dbg_error *dbg_async_list(struct dbg_stopped at,
				 const struct dbg_task_query *query,
				 struct dbg_async *ret)
{
	struct dbg *dbg = at.dbg;
	struct pattern *pattern;
	struct tasks *t = NULL;
	struct merging m = {.each = query->each, .frames = query->frames};
	bool cut = false;
	struct dbg_error *err = pattern_of(query, &pattern);

	if (!err)
		err = tasks_get(at, false, &t);
	m.t = t;
	if (!err)
		err = tasks_chains(t, take_chain, &m, &cut);
	if (!err) {
		*ret = (struct dbg_async){
		    .n_calls = count_calls(t),
		    .n_running = blocked_async(&dbg->inspect),
		    .cut = t->cut || m.cut || cut,
		    .damages = t->heap->damages,
		    .n_damages = t->heap->n_damages,
		};
		err = list_chains(dbg, &m, pattern, ret);
	}
	map_deinit(&m.by_hash);
	free(m.v);
	put_back(dbg, t);
	pattern_destroy(pattern);
	return err;
}

/* ---- Tests ------------------------------------------------------------ */

// Is @call the async call of one of the first @n tests?
static bool is_listed(const struct dbg_test *v, size_t n, uint64_t call)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].call == call)
			return true;
	return false;
}

// Add those that wait behind the @n that threads run.
static size_t add_waiting(struct dbg *dbg, const struct tasks *t,
			  struct dbg_test *v, size_t n)
{
	struct map others = {0}; // kinds of calls of methods that are no tests
	size_t end = n + WAITING_TESTS_MAX;

	for (size_t i = 0; i < t->n && n < end; i++) {
		const struct task *task = &t->v[i];

		if (task->state >= DBG_TASK_DONE || task->await < 0 ||
		    map_find(&others, task->kind) ||
		    is_listed(v, n, task->addr))
			continue;
		if (testcase_of_task(&dbg->inspect, t, task, &v[n]))
			n++;
		else
			map_put(&others, task->kind, dbg);
	}
	map_deinit(&others);
	return n;
}

struct dbg_error *dbg_test_list(struct dbg_stopped at, bool waiting,
				struct dbg_test **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct inspect *in = &dbg->inspect;
	struct dbg_error *err = session_need_stop(at);
	struct dbg_thread *threads;
	struct tasks *t = NULL;
	size_t n = 0, n_threads;

	if (!err)
		err = stack_threads(in->stack, &threads, &n_threads);
	if (err)
		return err;
	struct dbg_test *v =
	    arena_calloc(in->arena, n_threads + WAITING_TESTS_MAX, sizeof(*v));
	for (size_t i = 0; i < n_threads; i++)
		n += threads[i].managed &&
		     testcase_find(in, threads[i].number, &v[n]);
	// if the heap cannot be walked, only the tests on threads are listed
	if (waiting && in->code && !dbg_err_drop(tasks_get(at, false, &t)))
		n = add_waiting(dbg, t, v, n);
	*ret = v;
	*ret_n = n;
	return NULL;
}

/* ---- Threads that wait ----------------------------------------------- */

struct dbg_error *dbg_blocked_list(struct dbg_stopped at, bool heap,
				   struct dbg_blocked **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct tasks *t = NULL;
	struct dbg_error *err = session_need_runtime(at);

	if (err)
		return err;
	// without the heap, what tasks wait for is not known, and all else is
	if (heap)
		err = tasks_get(at, false, &t);
	if (err && err->code == DBG_E_INTERRUPTED)
		return err;
	dbg_error_destroy(err);
	return blocked_list(&dbg->inspect, t, ret, ret_n);
}
