/*
 * The thread pool: PortableThreadPool, which is managed code, so that its
 * static fields tell all. Work waits in queues that all workers take from, and
 * in one of each worker for what it has begun itself.
 */
#include "tasks/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tasks/tasks.h"

enum {
	SEGMENTS_MAX = 10000, // of one queue
	DESCRIBED_MAX = 20000,
	COUNTED_MAX = 1 << 20, // of one queue
	QUEUES_MAX = 4096,
	TIMERS_MAX = 100000,
};

#define WORKERS_OWN "System.Threading.ThreadPoolWorkQueue.WorkStealingQueueList"

static bool static_member(struct values *ts, const char *type_name,
			  const char *name, struct value *ret)
{
	struct type *type = value_type_core(ts, type_name);
	struct type *near = value_type_core(ts, "System.Threading.ThreadPool");
	struct code_module *m;
	uint32_t token;

	if (!type && near &&
	    value_type_find_def(ts, near->module, type_name, 0, &m, &token))
		type = value_type_of_def(ts, m, token);
	const struct field *f = type ? value_type_field(ts, type, name) : NULL;
	if (!f || f->kind != FIELD_STATIC)
		return false;
	struct value v = value_static(ts, f, NULL);
	if (v.where == VALUE_ABSENT || value_is_null(ts, &v))
		return false;
	*ret = value_dereference(ts, &v);
	return ret->where != VALUE_ABSENT;
}

static uint64_t integer(struct values *ts, const struct value *v,
			const char *name)
{
	struct value at;
	uint64_t ret = 0;

	return value_member(ts, v, name, &at) && value_integer(ts, &at, &ret)
		   ? ret
		   : 0;
}

/* ---- Work ------------------------------------------------------------ */

struct gathering {
	const struct tasks *t;
	struct dbg_work *v;
	size_t n, cap;
	uint64_t count; /* of the present queue */
	bool items;     /* else they are counted by the indexes of the queues */
};

// Describe a work item: the task or callback that it runs.
static void describe_item(const struct tasks *t, const struct value *v,
			  struct dbg_work *ret)
{
	struct dbg_task task = {0};
	struct value callback;
	uint64_t addr = 0;

	value_pointer(t->values, v, &addr);
	if (value_type_field(t->values, v->type, "m_stateFlags") ||
	    value_type_field(t->values, v->type, "StateMachine")) {
		const struct task as = {
		    .addr = addr,
		    .mt = value_type_mt(t->values, v->type),
		    .is_box =
			value_type_field(t->values, v->type, "StateMachine"),
		    .state = DBG_TASK_QUEUED,
		    .awaits = true,
		};
		tasks_describe(t, &as, &task);
	} else if (value_member(t->values, v, "_callback", &callback)) {
		tasks_delegate(t, &callback, &task);
	}
	ret->type = value_type_name(v->type);
	ret->method = task.method;
	ret->params = task.params;
	ret->first = addr;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void take_item(struct gathering *g, enum dbg_work_queue queue,
		      const struct value *v)
{
	struct dbg_work work = {.queue = queue, .count = 1};

	g->count++;
	if (!v->type || v->where == VALUE_ABSENT || g->count > DESCRIBED_MAX)
		return;
	describe_item(g->t, v, &work);
	for (size_t i = 0; i < g->n; i++) {
		struct dbg_work *w = &g->v[i];

		if (w->queue != queue || strcmp(w->type, work.type) ||
		    !same_text(w->method, work.method) ||
		    !same_text(w->params, work.params))
			continue;
		w->count++;
		return;
	}
	mem_grow(&g->v, &g->cap, g->n, sizeof(*g->v));
	g->v[g->n++] = work;
}

// A slot has an element while its sequence number is one more than its index.
static void read_segment(struct gathering *g, enum dbg_work_queue queue,
			 const struct value *segment)
{
	struct values *ts = g->t->values;
	struct value slots, indexes;
	struct elements e;

	if (!value_member(ts, segment, "_slots", &slots) ||
	    !value_elements(ts, &slots, &e) || !e.n ||
	    !value_member(ts, segment, "_headAndTail", &indexes))
		return;
	uint32_t head = (uint32_t)integer(ts, &indexes, "Head");

	if (!g->items) {
		uint32_t n = (uint32_t)integer(ts, &indexes, "Tail") - head;

		// the tail of one that is frozen, since another has been
		// added, is twice the length too high
		if (n > e.n)
			n -= (uint32_t)(2 * e.n);
		g->count += n <= e.n ? n : 0;
		return;
	}
	for (uint64_t i = 0; i < e.n && g->count < COUNTED_MAX; i++) {
		uint32_t index = head + (uint32_t)i;
		struct value slot = element_get(&e, index % e.n), item;

		slot = value_dereference(ts, &slot);
		if ((uint32_t)integer(ts, &slot, "SequenceNumber") != index + 1)
			return;
		if (value_member(ts, &slot, "Item", &item))
			take_item(g, queue, &item);
	}
}

static void read_queue(struct gathering *g, enum dbg_work_queue queue,
		       const struct value *v)
{
	struct value segment, next;
	bool any = value_member(g->t->values, v, "_head", &segment);

	for (int i = 0; any && i < SEGMENTS_MAX && g->count < COUNTED_MAX;
	     i++) {
		read_segment(g, queue, &segment);
		any =
		    value_member(g->t->values, &segment, "_nextSegment", &next);
		segment = next;
	}
}

// Read the queue of one worker: the items [head, tail) of a ring.
static void read_local(struct gathering *g, const struct value *v)
{
	struct values *ts = g->t->values;
	uint32_t head = (uint32_t)integer(ts, v, "m_headIndex");
	uint32_t tail = (uint32_t)integer(ts, v, "m_tailIndex");
	uint32_t mask = (uint32_t)integer(ts, v, "m_mask");
	struct value array;
	struct elements e;

	if (!value_member(ts, v, "m_array", &array) ||
	    !value_elements(ts, &array, &e) || tail - head > e.n)
		return;
	if (!g->items) {
		g->count += tail - head;
		return;
	}
	for (uint32_t i = head;
	     i != tail && i - head < COUNTED_MAX && g->count < COUNTED_MAX;
	     i++) {
		if ((i & mask) >= e.n)
			return;
		struct value item = element_get(&e, i & mask);

		if (value_is_null(ts, &item))
			continue;
		item = value_dereference(ts, &item);
		take_item(g, DBG_WORK_LOCAL, &item);
	}
}

static void read_each(struct gathering *g, const struct value *array,
		      void (*read)(struct gathering *g, const struct value *v))
{
	struct values *ts = g->t->values;
	struct elements e;

	if (!value_elements(ts, array, &e))
		return;
	for (uint64_t i = 0; i < e.n && i < QUEUES_MAX; i++) {
		struct value v = element_get(&e, i);

		if (value_is_null(ts, &v))
			continue;
		v = value_dereference(ts, &v);
		read(g, &v);
	}
}

static void read_assigned(struct gathering *g, const struct value *v)
{
	read_queue(g, DBG_WORK_GLOBAL, v);
}

static void read_queues(struct gathering *g, struct dbg_pool *ret)
{
	static const struct {
		const char *name;
		enum dbg_work_queue queue;
	} queues[] = {
	    {"highPriorityWorkItems", DBG_WORK_HIGH},
	    {"workItems", DBG_WORK_GLOBAL},
	    {"lowPriorityWorkItems", DBG_WORK_LOW},
	};
	struct values *ts = g->t->values;
	struct value work, v;

	if (static_member(ts, "System.Threading.ThreadPool", "s_workQueue",
			  &work)) {
		for (size_t i = 0; i < sizeof(queues) / sizeof(*queues); i++) {
			g->count = 0;
			if (value_member(ts, &work, queues[i].name, &v))
				read_queue(g, queues[i].queue, &v);
			ret->queued[queues[i].queue] = g->count;
		}
		g->count = 0;
		if (value_member(ts, &work, "_assignableWorkItemQueues", &v))
			read_each(g, &v, read_assigned);
		ret->queued[DBG_WORK_GLOBAL] += g->count;
	}
	g->count = 0;
	if (static_member(ts, WORKERS_OWN, "s_queues", &v) ||
	    static_member(ts, WORKERS_OWN, "_queues", &v)) // .NET 8
		read_each(g, &v, read_local);
	ret->queued[DBG_WORK_LOCAL] = g->count;
}

/* ---- Workers --------------------------------------------------------- */

static void read_workers(struct values *ts, const struct value *pool,
			 struct dbg_pool *ret)
{
	struct value separated, counts;
	uint64_t data = 0;

	ret->min = (uint32_t)integer(ts, pool, "_minThreads");
	ret->max = (uint32_t)integer(ts, pool, "_maxThreads");
	ret->blocked = (uint32_t)integer(ts, pool, "_numBlockedThreads");
	ret->cpu = (uint32_t)integer(ts, pool, "_cpuUtilization");
	// three numbers of 16 bits, which change together
	if (value_member(ts, pool, "_separated", &separated) &&
	    value_member(ts, &separated, "counts", &counts))
		data = integer(ts, &counts, "_data");
	ret->working = data & 0xffff;
	ret->workers = data >> 16 & 0xffff;
	ret->goal = data >> 32 & 0xffff;
}

void pool_read(const struct tasks *t, bool items, struct dbg_pool *ret)
{
	struct gathering g = {.t = t, .items = items};
	struct value pool;

	*ret = (struct dbg_pool){0};
	ret->started =
	    static_member(t->values, "System.Threading.PortableThreadPool",
			  "ThreadPoolInstance", &pool);
	if (ret->started)
		read_workers(t->values, &pool, ret);
	read_queues(&g, ret);
	ret->work = arena_copy(t->arena, g.v, g.n, sizeof(*g.v));
	ret->n_work = g.n;
	free(g.v);
}

/* ---- Timers ---------------------------------------------------------- */

struct timers {
	const struct tasks *t;
	struct dbg_timer *v;
	size_t n, cap;
};

static void add_timer(struct timers *l, const struct value *v)
{
	struct values *ts = l->t->values;
	struct dbg_task method = {0};
	struct value at;
	uint64_t addr = 0;

	if (value_member(ts, v, "_timerCallback", &at))
		tasks_delegate(l->t, &at, &method);
	value_pointer(ts, v, &addr);
	mem_grow(&l->v, &l->cap, l->n, sizeof(*l->v));
	l->v[l->n++] = (struct dbg_timer){
	    .addr = addr,
	    .due = (uint32_t)integer(ts, v, "_dueTime"),
	    .period = (uint32_t)integer(ts, v, "_period"),
	    .started = integer(ts, v, "_startTicks"),
	    .method = method.method,
	    .params = method.params,
	    .state = value_member(ts, v, "_state", &at)
			 ? value_type_name(at.type)
			 : NULL,
	};
}

static void add_timers(struct timers *l, const struct value *queue)
{
	static const char *const lists[] = {"_shortTimers", "_longTimers"};
	struct value v, next;

	for (size_t i = 0; i < 2; i++) {
		bool any = value_member(l->t->values, queue, lists[i], &v);

		while (any && l->n < TIMERS_MAX) {
			add_timer(l, &v);
			any = value_member(l->t->values, &v, "_next", &next);
			v = next;
		}
	}
}

void pool_timers(const struct tasks *t, struct dbg_timer **ret, size_t *ret_n)
{
	struct timers l = {.t = t};
	struct value queues, v;
	struct elements e;

	if (static_member(t->values, "System.Threading.TimerQueue",
			  "<Instances>k__BackingField", &queues) &&
	    value_elements(t->values, &queues, &e)) {
		for (uint64_t i = 0; i < e.n && i < QUEUES_MAX; i++) {
			v = element_get(&e, i);
			v = value_dereference(t->values, &v);
			if (v.where != VALUE_ABSENT)
				add_timers(&l, &v);
		}
	}
	*ret = arena_copy(t->arena, l.v, l.n, sizeof(*l.v));
	*ret_n = l.n;
	free(l.v);
}
