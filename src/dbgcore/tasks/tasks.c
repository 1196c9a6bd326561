/* Tasks are found in one walk over the heap: see tasks.h. */
#include "tasks/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "dac/objectlayout.h"
#include "dac/typetable.h"

enum {
	LINE_MAX = 100000, // who waits in line at one semaphore
	OWNERS_MAX = 1 << 22,
};

// Bits of Task.m_stateFlags, from the last one that counts to the first.
static const struct {
	uint32_t bit;
	enum dbg_task_state state;
} flags[] = {
    {0x200000, DBG_TASK_FAULTED},  {0x400000, DBG_TASK_CANCELED},
    {0x1000000, DBG_TASK_DONE},    {0x800000, DBG_TASK_CHILDREN},
    {0x20000, DBG_TASK_RUNNING},   {0x10000, DBG_TASK_QUEUED},
    {0x2000000, DBG_TASK_WAITING},
};

/* What kind of object a type's instances are here. */
enum kind {
	KIND_OPEN, /* not known yet: 0, as heap_kind says */
	KIND_OTHER,
	KIND_TASK,
	KIND_BOX,    /* a task with a state machine */
	KIND_POOLED, /* a state machine without a task */
	KIND_CHAIN,  /* a task of runtime async */
	KIND_SOURCE, /* TaskCompletionSource */
	KIND_SEMAPHORE,
	KIND_RESUMPTION, /* of a box by a SynchronizationContext */
};

static enum dbg_task_state state_of(uint32_t bits)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (bits & flags[i].bit)
			return flags[i].state;
	return DBG_TASK_CREATED;
}

/* ---- Types ----------------------------------------------------------- */

static enum kind classify(struct tasks *t, const struct heap_type *of)
{
	struct type *type = of->component_size || of->is_free
				? NULL
				: value_type_of_mt(t->values, of->mt);

	if (!type)
		return KIND_OTHER;
	bool ours = type->module == t->task->module;
	bool box = ours && value_type_field(t->values, type, "StateMachine");

	if (continuation_is_task(t->values, type))
		return KIND_CHAIN;
	if (value_type_derives(t->values, type, t->task))
		return box ? KIND_BOX : KIND_TASK;
	if (box)
		return KIND_POOLED;
	if (ours && !strncmp(type_simple_name(type), "TaskCompletionSource",
			     strlen("TaskCompletionSource")))
		return KIND_SOURCE;
	if (ours && !strcmp(type_simple_name(type), "SemaphoreSlim"))
		return KIND_SEMAPHORE;
	if (ours && !strcmp(type_simple_name(type),
			    "SynchronizationContextAwaitTaskContinuation"))
		return KIND_RESUMPTION;
	return KIND_OTHER;
}

static enum kind kind_of(struct tasks *t, const struct heap_type *type)
{
	uint8_t *kind = heap_kind(&t->kinds, type);

	if (*kind == KIND_OPEN)
		*kind = (uint8_t)classify(t, type);
	return *kind;
}

static bool find_offsets(struct tasks *t)
{
	t->task = value_type_core(t->values, "System.Threading.Tasks.Task");
	const struct field *state =
	    t->task ? value_type_field(t->values, t->task, "m_stateFlags")
		    : NULL;
	const struct field *id =
	    t->task ? value_type_field(t->values, t->task, "m_taskId") : NULL;

	if (!state || !id)
		return false;
	t->flags_at = OBJECT_FIELDS + state->offset;
	t->id_at = OBJECT_FIELDS + id->offset;
	return true;
}

/* ---- Objects --------------------------------------------------------- */

static uint32_t u32_at(const struct heap_object *o, uint64_t offset)
{
	uint32_t ret = 0;

	if (offset <= o->size && o->size - offset >= sizeof(ret))
		memcpy(&ret, o->bytes + offset, sizeof(ret));
	return ret;
}

static void add_owner(struct tasks *t, uint64_t task, uint64_t owner)
{
	if (t->n_owners == OWNERS_MAX)
		return;
	mem_grow(&t->owners, &t->cap_owners, t->n_owners, sizeof(*t->owners));
	t->owners[t->n_owners++] = (struct task_owner){task, owner};
}

// Count it, and keep it if there is room and it is asked for; the result is an
// index.
static bool task_keep(struct tasks *t, const struct task *task, size_t *ret)
{
	t->counts[task->state]++;
	if (!t->completed &&
	    (task->state == DBG_TASK_DONE || task->state == DBG_TASK_CANCELED))
		return false;
	t->cut = t->n == TASKS_MAX;
	if (t->cut)
		return false;
	mem_grow(&t->v, &t->cap, t->n, sizeof(*t->v));
	*ret = t->n;
	t->v[t->n++] = *task;
	return true;
}

static struct task task_of(struct tasks *t, const struct heap_object *o,
			   enum kind kind)
{
	struct task task = {
	    .addr = o->addr,
	    .mt = o->type->mt,
	    .kind = o->type->mt,
	    .is_box = kind == KIND_BOX || kind == KIND_POOLED,
	    .state = DBG_TASK_WAITING,
	    .await = -1,
	    .calls.runtime_async = kind == KIND_CHAIN,
	};

	if (kind != KIND_POOLED) {
		task.state = state_of(u32_at(o, t->flags_at));
		task.id = u32_at(o, t->id_at);
	}
	return task;
}

static void task_add(struct tasks *t, const struct heap_object *o,
		     enum kind kind)
{
	struct task task = task_of(t, o, kind);
	struct value machine;
	size_t at;

	if (task.is_box && task.state < DBG_TASK_DONE &&
	    tasks_call(t, &task, &machine) &&
	    !stack_machine_state(t->values, &machine, &task.await))
		task.await = 0;
	// one of a pool that nobody has taken, or behind its last await
	if (kind != KIND_POOLED || task.await >= -1)
		task_keep(t, &task, &at);
}

static int by_address(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

struct task *tasks_at(const struct tasks *t, uint64_t addr)
{
	const struct task key = {.addr = addr};

	return t->n ? bsearch(&key, t->v, t->n, sizeof(*t->v), by_address)
		    : NULL;
}

static void sort(struct tasks *t)
{
	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_address);
}

/* ---- Of runtime async ------------------------------------------------ */

static void suspend(struct task *task, const struct continuation *c)
{
	task->is_box = true;
	task->await = c->state;
	task->kind = c->method;
	task->calls.continuation = c->addr;
}

/*
 * Add the chain of suspended calls that begins with @first, the innermost. The
 * outermost is the call of task @index; the others are added as tasks.
 */
static void add_calls(struct tasks *t, size_t index, struct value first)
{
	struct continuation c, outer = {0};
	size_t last = index;

	t->v[index].calls.first = t->v[index].addr;
	for (int i = 0; i < CONTINUATIONS_MAX &&
			continuation_first(t->values, &first, &first) &&
			continuation_read(t->values, &first, &c);
	     i++) {
		struct value next;
		bool any = continuation_next(t->values, &first, &next) &&
			   continuation_first(t->values, &next, &next);
		struct task call = {
		    .addr = c.addr,
		    .mt = value_type_mt(t->values, first.type),
		    .state = DBG_TASK_WAITING,
		    .calls = {.runtime_async = true, .next = t->v[index].addr},
		};

		outer = c;
		if (!any)
			break;
		first = next;
		suspend(&call, &c);
		size_t at = 0;
		if (!task_keep(t, &call, &at))
			return;
		if (last == index)
			t->v[index].calls.first = c.addr;
		else
			t->v[last].calls.next = c.addr;
		last = at;
	}
	if (outer.addr)
		suspend(&t->v[index], &outer);
}

static void add_chain(struct tasks *t, const struct heap_object *o)
{
	struct task task = task_of(t, o, KIND_CHAIN);
	struct value v, first;
	size_t at;

	t->any_chain = true;
	if (!task_keep(t, &task, &at) || task.state >= DBG_TASK_DONE)
		return;
	v = value_object(t->values, task.addr);
	if (continuation_of_task(t->values, &v, &first))
		add_calls(t, at, first);
}

/* A task that a thread runs, and what awaits the call that it is in. */
struct running {
	size_t index;
	struct continuation_record record;
};

struct running_list {
	struct tasks *t;
	pid_t tid; /* whose records are taken */
	struct running *v;
	size_t n, cap;
};

static bool take_record(void *arg, const struct continuation_record *r)
{
	struct running_list *l = arg;
	uint64_t addr;
	struct task *task = value_pointer(l->t->values, &r->task, &addr)
				? tasks_at(l->t, addr)
				: NULL;

	if (!task || task->calls.tid || task->calls.continuation)
		return true;
	task->calls.tid = l->tid;
	mem_grow(&l->v, &l->cap, l->n, sizeof(*l->v));
	l->v[l->n++] = (struct running){(size_t)(task - l->t->v), *r};
	return true;
}

static void add_running(struct tasks *t)
{
	struct running_list l = {.t = t};
	struct dbg_thread *threads;
	size_t n;

	if (dbg_err_drop(stack_threads(t->stack, &threads, &n)))
		return;
	for (size_t i = 0; i < n; i++) {
		l.tid = threads[i].tid;
		if (threads[i].managed)
			continuation_records(t->stack, l.tid, take_record, &l);
	}
	for (size_t i = 0; i < l.n; i++)
		if (l.v[i].record.any)
			add_calls(t, l.v[i].index, l.v[i].record.next);
	free(l.v);
	sort(t);
}

// Note the tasks in the line of a semaphore: a linked list of the async calls
// that wait for it.
static void add_line(struct tasks *t, uint64_t semaphore)
{
	struct value v = value_object(t->values, semaphore), node;
	uint64_t addr;
	bool any = value_member(t->values, &v, "m_asyncHead", &node);

	for (int i = 0; any && i < LINE_MAX && t->n_owners < OWNERS_MAX; i++) {
		if (value_pointer(t->values, &node, &addr))
			add_owner(t, addr, semaphore);
		v = node;
		any = value_member(t->values, &v, "Next", &node);
	}
}

static void add_source(struct tasks *t, uint64_t source)
{
	struct value v = value_object(t->values, source), task;
	uint64_t addr;

	if (value_member(t->values, &v, "_task", &task) &&
	    value_pointer(t->values, &task, &addr))
		add_owner(t, addr, source);
}

// Note an AwaitTaskContinuation-like object: it resumes a box, by its delegate,
// in a SynchronizationContext. It is in the awaited task, or in the context's
// queue when that task is done.
static void add_resumption(struct tasks *t, uint64_t addr)
{
	struct value v = value_object(t->values, addr), action, box, context;
	struct task_owner one;

	if (t->n_contexts == OWNERS_MAX ||
	    !value_member(t->values, &v, "m_action", &action) ||
	    !value_member(t->values, &action, "_target", &box) ||
	    !value_member(t->values, &v, "m_syncContext", &context) ||
	    !value_pointer(t->values, &box, &one.task) ||
	    !value_pointer(t->values, &context, &one.owner))
		return;
	mem_grow(&t->contexts, &t->cap_contexts, t->n_contexts,
		 sizeof(*t->contexts));
	t->contexts[t->n_contexts++] = one;
}

static bool is_wanted(void *arg, const struct heap_type *type)
{
	return kind_of(arg, type) != KIND_OTHER;
}

static bool visit(void *arg, const struct heap_object *o)
{
	struct tasks *t = arg;

	switch (kind_of(t, o->type)) {
	case KIND_TASK:
	case KIND_BOX:
	case KIND_POOLED:
		task_add(t, o, kind_of(t, o->type));
		break;
	case KIND_CHAIN:
		add_chain(t, o);
		break;
	case KIND_SOURCE:
		add_source(t, o->addr);
		break;
	case KIND_SEMAPHORE:
		add_line(t, o->addr);
		break;
	case KIND_RESUMPTION:
		add_resumption(t, o->addr);
		break;
	default:
		break;
	}
	return true;
}

/* ---- All ------------------------------------------------------------- */

enum dbg_task_state tasks_state(const struct tasks *t, uint64_t addr)
{
	struct value v = value_object(t->values, addr), at;
	uint64_t bits = 0;

	return value_member(t->values, &v, "m_stateFlags", &at) &&
		       value_integer(t->values, &at, &bits)
		   ? state_of((uint32_t)bits)
		   : DBG_TASK_WAITING;
}

bool tasks_may_wait(struct values *values)
{
#define SERVICES "System.Runtime.CompilerServices."
	// what calls are in that wait: of state machines, of those whose
	// builder uses its objects again, of runtime async (.NET 11)
	static const char *const names[] = {
	    SERVICES "AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1",
	    SERVICES "PoolingAsyncValueTaskMethodBuilder`1+StateMachineBox`1",
	    SERVICES "AsyncHelpers+RuntimeAsyncTask`1",
	};
#undef SERVICES
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct type *type = value_type_core(values, names[i]);

		if (type && type->module &&
		    dac_type_has_instance(values_dac(values),
					  type->module->addr, type->token))
			return true;
	}
	return false;
}

struct dbg_error *tasks_find(struct tasks *t)
{
	if (!find_offsets(t))
		return dbg_err(DBG_E_RUNTIME,
			       "the core library has no tasks of a known form");
	struct dbg_error *err =
	    heap_each_of(t->heap, true, is_wanted, visit, t);

	if (err)
		return err;
	sort(t);
	if (t->any_chain)
		add_running(t);
	for (size_t i = 0; i < t->n_owners; i++) {
		struct task *task = tasks_at(t, t->owners[i].task);

		if (task)
			task->owner = t->owners[i].owner;
	}
	for (size_t i = 0; i < t->n_contexts; i++) {
		struct task *task = tasks_at(t, t->contexts[i].task);

		if (task)
			task->context = t->contexts[i].owner;
	}
	return NULL;
}

void tasks_deinit(struct tasks *t)
{
	free(t->v);
	free(t->edges);
	free(t->owners);
	free(t->contexts);
	heap_kinds_deinit(&t->kinds);
}
