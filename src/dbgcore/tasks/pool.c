/*
 * The thread pool: PortableThreadPool, which is managed code, so that its
 * static fields tell all. Work waits in queues that all workers take from, and
 * in one of each worker for what it has begun itself.
 */
#include "tasks/pool.h"
#include "tasks/tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Describes tasks in words -------------------------------------------- */

/* The method, and what the task stands for. */

static const char *const states[] = {
    [DBG_TASK_CREATED] = "created",   [DBG_TASK_WAITING] = "waiting",
    [DBG_TASK_QUEUED] = "queued",     [DBG_TASK_RUNNING] = "running",
    [DBG_TASK_CHILDREN] = "children", [DBG_TASK_DONE] = "done",
    [DBG_TASK_CANCELED] = "canceled", [DBG_TASK_FAULTED] = "faulted",
};

const char *dbg_task_state_name(enum dbg_task_state state)
{
	return states[state];
}

bool tasks_call(const struct tasks *t, const struct task *task,
		struct value *ret)
{
	uint64_t at = task->calls.continuation;
	struct value v;

	if (!task->is_box)
		return false;
	v = value_object(t->values, at ? at : task->addr);
	if (!at)
		return value_member(t->values, &v, "StateMachine", ret);
	*ret = value_dereference(t->values, &v);
	return ret->where != VALUE_ABSENT;
}

static bool type_starts(const struct value *v, const char *name)
{
	return v->type &&
	       !strncmp(type_simple_name(v->type), name, strlen(name));
}

/* ---- What it stands for ---------------------------------------------- */

static const char *delay_text(const struct tasks *t, const struct value *v)
{
	struct value timer, due;
	uint64_t ms;

	// a Timer, or what is in it
	if (value_member(t->values, v, "_timer", &timer)) {
		struct value inner = timer;

		if (value_member(t->values, &inner, "_timer", &timer))
			inner = timer;
		if (!value_member(t->values, &inner, "_dueTime", &due) ||
		    !value_integer(t->values, &due, &ms))
			return "Task.Delay";
		// the timer has fired, and what that does is queued
		if ((uint32_t)ms == UINT32_MAX)
			return "an elapsed Task.Delay, queued to the thread "
			       "pool";
		return arena_printf(t->arena, "Task.Delay, %" PRIu32 " ms",
				    (uint32_t)ms);
	}
	return "Task.Delay without an end";
}

// Promises of the core library by the beginning of their types' names.
static const struct {
	const char *type, *text;
} promises[] = {
    {"WhenAllPromise", "Task.WhenAll"},
    {"CompleteOnInvokePromise", "Task.WhenAny"},
    {"TwoTaskWhenAnyPromise", "Task.WhenAny"},
    {"UnwrapPromise", "Task.Unwrap"},
    {"CancellationPromise", "Task.WaitAsync"},
    {"CompletionState", "ThreadPool.RegisterWaitForSingleObject"},
};

static const char *source_text(const struct tasks *t, const struct task *task)
{
	const char *type =
	    value_type_name(value_type_of_mt(t->values, task->mt));

	if (!task->owner)
		return arena_printf(t->arena, "a promise, %s", type);
	struct value source = value_object(t->values, task->owner);
	return arena_printf(t->arena, "%s 0x%" PRIx64,
			    source.type ? value_type_name(source.type) : "?",
			    task->owner);
}

/*
 * The name of what an async call awaits, as its author knows it: some classes
 * of the framework wait by one of their own that nobody else sees.
 */
static const char *awaited_name(const struct type *type)
{
	static const struct {
		const char *part, *whole;
	} names[] = {
	    {"System.Threading.PeriodicTimer.State",
	     "System.Threading.PeriodicTimer"},
	    {"System.Net.Sockets.Socket.AwaitableSocketAsyncEventArgs",
	     "System.Net.Sockets.Socket"},
	    {"System.IO.Pipelines.Pipe.DefaultPipeReader",
	     "System.IO.Pipelines.PipeReader"},
	    {"System.IO.Pipelines.Pipe.DefaultPipeWriter",
	     "System.IO.Pipelines.PipeWriter"},
	};
	const char *name = value_type_name(type);

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i].part))
			return names[i].whole;
	return name;
}

// Get the object that an async call awaits, if that is no task of the list: the
// awaiter that is stored while it waits.
static bool awaited_object(const struct tasks *t, const struct value *machine,
			   struct value *ret)
{
	static const char *const names[] = {"m_task", "_value", "_obj",
					    "_source", "_task"};
	const struct field *fields;
	struct value at, next;
	size_t n;

	value_type_fields(t->values, machine->type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		if (strncmp(fields[i].name, "<>u__", 5) ||
		    !value_member(t->values, machine, fields[i].name, &at))
			continue;
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (value_member(t->values, &at, names[k], &next))
				at = next;
		*ret = at;
		if (at.type && at.type->is_reference)
			return true;
	}
	return false;
}

// The text of what a call awaits ("awaits Task.Delay"). If the awaited task is
// complete, the text says that the call is to be resumed.
static const char *awaited_text(const struct tasks *t, const struct task *task,
				const struct value *machine)
{
	struct value at;
	uint64_t addr;

	if (!awaited_object(t, machine, &at))
		return NULL;
	if (!value_pointer(t->values, &at, &addr) ||
	    tasks_state(t, addr) < DBG_TASK_DONE)
		return arena_printf(t->arena, "awaits %s",
				    awaited_name(at.type));
	if (!task->context)
		return arena_printf(t->arena,
				    "has awaited %s, which is done, and is to "
				    "be resumed",
				    awaited_name(at.type));
	struct value context = value_object(t->values, task->context);
	return arena_printf(t->arena,
			    "has awaited %s, which is done, and is to be "
			    "resumed by %s 0x%" PRIx64,
			    awaited_name(at.type),
			    context.type ? value_type_name(context.type) : "?",
			    task->context);
}

// As awaited_text for runtime async: what the first call of the chain awaits.
static const char *chain_awaited(const struct tasks *t, const struct task *task)
{
	static const char *const names[] = {"Task", "Source", "_source"};
	struct value v, first, at;

	// an inner call's task is the end of its chain
	for (int i = 0; task->calls.next && i < CONTINUATIONS_MAX; i++) {
		task = tasks_at(t, task->calls.next);
		if (!task)
			return NULL;
	}
	v = value_object(t->values, task->addr);
	if (!continuation_of_task(t->values, &v, &first))
		return NULL;
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		if (value_member(t->values, &first, names[k], &at) &&
		    at.type->is_reference)
			return awaited_name(at.type);
	return NULL;
}

#define RUNS "runs on a thread"

static const char *box_text(const struct tasks *t, const struct task *task,
			    const struct value *call)
{
	const char *awaited;

	if (task->calls.tid && task->calls.first == task->addr)
		return RUNS;
	if (task->awaits || task->state >= DBG_TASK_DONE)
		return NULL;
	// below: an async iterator that waits to be asked for more
	if (task->await < 0)
		return task->await == MACHINE_RUNS ? RUNS : NULL;
	if (!task->calls.runtime_async)
		return awaited_text(t, task, call);
	awaited = chain_awaited(t, task);
	return awaited ? arena_printf(t->arena, "awaits %s", awaited) : NULL;
}

static const char *promise_text(const struct tasks *t, const struct task *task,
				const struct value *v)
{
	if (type_starts(v, "DelayPromise"))
		return delay_text(t, v);
	if (type_starts(v, "TaskNode"))
		return task->owner ? arena_printf(t->arena,
						  "SemaphoreSlim.WaitAsync of "
						  "0x%" PRIx64,
						  task->owner)
				   : "SemaphoreSlim.WaitAsync";
	for (size_t i = 0; i < sizeof(promises) / sizeof(*promises); i++)
		if (type_starts(v, promises[i].type))
			return promises[i].text;
	if (!strcmp(type_simple_name(v->type), "Task") ||
	    !strcmp(type_simple_name(v->type), "Task`1"))
		return source_text(t, task);
	return value_type_name(v->type);
}

/* ---- All ------------------------------------------------------------- */

static void describe_async(const struct tasks *t, const struct frame *f,
			   struct dbg_task *ret)
{
	struct dbg_frame frame;

	ret->async = true;
	if (!f)
		return;
	stack_suspended_describe(t->stack, f, &frame);
	ret->method = frame.name;
	ret->params = frame.params;
	ret->source = frame.source;
	ret->module = frame.module;
	ret->framework = frame.framework;
}

// The state machine of a box that is done and has dropped it: a type alone.
static bool finished_machine(const struct tasks *t, struct type *box,
			     struct value *ret)
{
	const struct field *f =
	    value_type_field(t->values, box, "StateMachine");

	*ret = (struct value){.where = VALUE_ABSENT};
	if (f)
		ret->type = f->type;
	return f;
}

/* Fill in the method that the delegate @action calls. */
static void tasks_delegate(const struct tasks *t, const struct value *action,
			   struct dbg_task *ret)
{
	struct code *code = values_code(t->values);
	uint64_t method = value_delegate_method(t->values, action);
	struct dac_method of;
	struct code_name name;

	if (!method)
		return;
	code_method_names(code, method, t->arena, &name);
	ret->method = name.plain;
	ret->params = name.params;
	if (dbg_err_drop(dac_method_get(values_dac(t->values), method, &of)))
		return;
	const struct code_module *m = code_module_find(code, of.module);

	ret->module = m ? m->name : NULL;
	ret->framework = m && m->framework;
}

void tasks_describe(const struct tasks *t, const struct task *task,
		    struct dbg_task *ret)
{
	struct value v = value_object(t->values, task->addr), at;
	struct type *type = value_type_of_mt(t->values, task->mt);

	*ret = (struct dbg_task){
	    .addr = task->addr,
	    .method_table = task->mt,
	    .type = type && value_type_name(type) ? value_type_name(type) : "?",
	    .state = task->state,
	    .id = task->id,
	    .waited = task->waited,
	};
	if (v.where == VALUE_ABSENT || !v.type || !type)
		return;
	if (tasks_call(t, task, &at)) {
		ret->method = value_type_name(at.type);
		describe_async(t, stack_suspended_frame(t->stack, &at), ret);
		ret->what = box_text(t, task, &at);
	} else if (finished_machine(t, type, &at)) {
		describe_async(t, stack_suspended_frame(t->stack, &at), ret);
	} else if (task->calls.tid) {
		describe_async(
		    t,
		    stack_running_call(t->stack, task->calls.tid, task->addr),
		    ret);
		ret->what = RUNS;
	} else if (task->calls.runtime_async) {
		ret->async = true;
	} else if (value_member(t->values, &v, "m_action", &at)) {
		tasks_delegate(t, &at, ret);
	} else if (task->state < DBG_TASK_DONE) {
		ret->what = promise_text(t, task, &v);
	}
}

uint64_t tasks_exception(const struct tasks *t, const struct task *task,
			 bool *ret_seen)
{
	static const char *const way[] = {"m_contingentProperties",
					  "m_exceptionsHolder"};
	struct value v = value_object(t->values, task->addr), next, items;
	struct elements elements;
	uint64_t seen = 0, ret = 0;

	for (size_t i = 0; i < 2; i++, v = next)
		if (!value_member(t->values, &v, way[i], &next))
			return 0;
	if (value_member(t->values, &v, "m_isHandled", &next))
		value_integer(t->values, &next, &seen);
	*ret_seen = seen & 0xff;
	if (!value_member(t->values, &v, "m_faultExceptions", &next) ||
	    !value_member(t->values, &next, "_items", &items) ||
	    !value_elements(t->values, &items, &elements) || !elements.n)
		return 0;
	v = element_get(&elements, 0);
	v = value_dereference(t->values, &v);
	return value_member(t->values, &v, "_exception", &next) &&
		       value_pointer(t->values, &next, &ret)
		   ? ret
		   : 0;
}

/* ---- The thread pool ----------------------------------------------------- */

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
