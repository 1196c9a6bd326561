/*
 * Which threads wait for each other?
 *
 * Who waits for a Monitor is known by waits.h. Other locks are managed code:
 * the thread stands in a method of the lock, and what its frame refers to,
 * which the runtime tells the collector, is the lock, whose fields name the
 * owner. A thread that waits for a task waits for the thread that runs it, or
 * runs what it awaits, by others between.
 */
#include "inspect/blocked.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "dac/gcheap.h"
#include "inspect/inspect.h"
#include "inspect/waits.h"
#include "tasks/tasks.h"

enum {
	FRAMES_MAX = 24,   /* from the newest, in which a wait is looked for */
	RUNS_MAX = 200,    /* ... what a thread runs */
	BEHIND_MAX = 1000, /* tasks between two, one awaiting the other */
};

#define RWLOCK "System.Threading.ReaderWriterLockSlim"

/* Methods in which a thread waits, with the type of what it waits for. */
static const struct {
	const char *method, *type;
	enum dbg_blocked_kind kind;
} places[] = {
    {"System.Threading.Tasks.Task.SpinThenBlockingWait", NULL,
     DBG_BLOCKED_TASK},
    {"System.Threading.Tasks.Task.InternalWaitCore", NULL, DBG_BLOCKED_TASK},
    {"System.Threading.Lock.TryEnterSlow", "System.Threading.Lock",
     DBG_BLOCKED_LOCK},
    {RWLOCK ".WaitOnEvent", RWLOCK, DBG_BLOCKED_RWLOCK},
    {RWLOCK ".TryEnterReadLockCore", RWLOCK, DBG_BLOCKED_RWLOCK},
    {RWLOCK ".TryEnterWriteLockCore", RWLOCK, DBG_BLOCKED_RWLOCK},
    {RWLOCK ".TryEnterUpgradeableReadLockCore", RWLOCK, DBG_BLOCKED_RWLOCK},
    {"System.Threading.SemaphoreSlim.WaitCore",
     "System.Threading.SemaphoreSlim", DBG_BLOCKED_SEMAPHORE},
    {"System.Threading.SemaphoreSlim.Wait", "System.Threading.SemaphoreSlim",
     DBG_BLOCKED_SEMAPHORE},
};

struct search {
	struct inspect *in;
	const struct tasks *tasks;
	struct dbg_thread *threads;
	size_t n_threads;
	struct dbg_blocked *v;
	size_t n, cap;
	uint64_t *running; /* the task that each thread runs, 0: none */
};

/* ---- What a frame refers to ------------------------------------------ */

struct refs {
	struct gc_stack_ref *v;
	size_t n;
};

static bool is_kind(struct search *s, const struct value *v, const char *type)
{
	if (v->where == VALUE_ABSENT || !v->type)
		return false;
	return type ? v->type->name && !strcmp(v->type->name, type)
		    : type_field(s->in->types, v->type, "m_stateFlags") != NULL;
}

// The object of @type (NULL: a task) in a frame's variables; 0: none.
static uint64_t object_of(struct search *s, const struct refs *refs,
			  const struct frame *f, const char *type)
{
	for (size_t i = 0; i < refs->n; i++) {
		const struct gc_stack_ref *ref = &refs->v[i];
		struct value v;

		if (ref->interior || !ref->object || ref->sp != f->raw.sp)
			continue;
		v = value_object(s->in->types, ref->object);
		if (is_kind(s, &v, type))
			return ref->object;
	}
	return 0;
}

static const char *method_of(struct search *s, const struct frame *f)
{
	return f->kind == DBG_FRAME_MANAGED && f->raw.method
		   ? code_method_name(s->in->code, f->raw.method, false,
				      s->in->arena)
		   : "";
}

static uint32_t thread_of(const struct search *s, uint64_t managed_id)
{
	for (size_t i = 0; i < s->n_threads && managed_id; i++)
		if (s->threads[i].managed &&
		    s->threads[i].managed_id == managed_id)
			return s->threads[i].number;
	return 0;
}

// By the number that the program has for it, in its own namespace.
static uint32_t thread_of_tid(const struct search *s, uint64_t inside)
{
	pid_t tid = inside && inside <= INT32_MAX
			? target_tid_outside(s->in->target, (pid_t)inside)
			: 0;

	for (size_t i = 0; i < s->n_threads && tid; i++)
		if (s->threads[i].tid == tid)
			return s->threads[i].number;
	return 0;
}

static uint64_t field_of(struct search *s, uint64_t object, const char *name)
{
	struct value v = value_object(s->in->types, object), at;
	uint64_t ret = 0;

	return value_member(s->in->types, &v, name, &at) &&
		       value_integer(s->in->types, &at, &ret)
		   ? (uint32_t)ret
		   : 0;
}

static uint32_t owner_of(struct search *s, enum dbg_blocked_kind kind,
			 uint64_t object)
{
	uint32_t owner = 0;

	// the kernel's number, not that of the runtime
	if (kind == DBG_BLOCKED_LOCK)
		return thread_of_tid(s, field_of(s, object, "_owningThreadId"));
	if (kind == DBG_BLOCKED_RWLOCK)
		owner = thread_of(s, field_of(s, object, "_writeLockOwnerId"));
	if (kind == DBG_BLOCKED_RWLOCK && !owner)
		owner =
		    thread_of(s, field_of(s, object, "_upgradeLockOwnerId"));
	return owner;
}

/* ---- Threads --------------------------------------------------------- */

static void add(struct search *s, const struct dbg_blocked *one)
{
	mem_grow(&s->v, &s->cap, s->n, sizeof(*s->v));
	s->v[s->n++] = *one;
}

static bool take_wait(struct search *s, size_t thread, const struct refs *refs,
		      const struct frame *f, const char *method)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t object;

		if (strcmp(method, places[i].method))
			continue;
		object = object_of(s, refs, f, places[i].type);
		if (!object)
			continue;
		struct value v = value_object(s->in->types, object);

		add(s, &(struct dbg_blocked){
			   .thread = s->threads[thread].number,
			   .kind = places[i].kind,
			   .object = object,
			   .type = v.type->name,
			   .owner = owner_of(s, places[i].kind, object),
		       });
		return true;
	}
	return false;
}

static void look_at(struct search *s, size_t thread)
{
	const struct dbg_thread *t = &s->threads[thread];
	struct refs refs = {0};
	bool found = false;

	if (!t->managed ||
	    dbg_err_drop(dac_gc_stack(s->in->dac, t->tid, s->in->arena, &refs.v,
				      &refs.n)))
		return;
	for (uint32_t level = 0; level < RUNS_MAX; level++) {
		const struct frame *f;

		if (dbg_err_drop(
			stack_frame(s->in->stack, t->number, level, &f)) ||
		    !f)
			return;
		const char *method = method_of(s, f);

		if (!found && level < FRAMES_MAX)
			found = take_wait(s, thread, &refs, f, method);
		// the innermost that it runs
		if (!s->running[thread] &&
		    !strcmp(method, "System.Threading.Tasks.Task."
				    "ExecuteWithThreadLocal"))
			s->running[thread] = object_of(s, &refs, f, NULL);
	}
}

static struct dbg_error *take_monitors(struct search *s)
{
	struct dbg_wait *v;
	size_t n = 0;
	struct dbg_error *err = waits_list(s->in, &v, &n);

	for (size_t i = 0; i < n && !err; i++)
		if (!v[i].pulse)
			add(s, &(struct dbg_blocked){
				   .thread = v[i].thread,
				   .kind = DBG_BLOCKED_MONITOR,
				   .object = v[i].object,
				   .type = v[i].type,
				   .owner = v[i].owner,
			       });
	return err;
}

/* ---- Tasks ----------------------------------------------------------- */

static uint32_t runner_of(const struct search *s, uint64_t task)
{
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->running[i] == task)
			return s->threads[i].number;
	return 0;
}

// The thread that runs a task which @task awaits, or itself; 0: none does.
static uint32_t task_owner(const struct search *s, uint64_t task)
{
	const struct tasks *t = s->tasks;
	const struct task *v = t ? tasks_at(t, task) : NULL;
	uint32_t found = runner_of(s, task);

	if (found || !v)
		return found;
	bool *behind = xcalloc(t->n + 1, sizeof(*behind));
	bool more = true;

	behind[v - t->v] = true;
	for (int pass = 0;
	     more && !found && pass < BEHIND_MAX && !*t->heap->interrupted;
	     pass++) {
		more = false;
		for (size_t i = 0; i < t->n && !found; i++) {
			for (uint32_t k = 0; k < t->v[i].n_edges; k++) {
				uint32_t to = t->edges[t->v[i].first_edge + k];

				if (behind[i] || !behind[to])
					continue;
				behind[i] = more = true;
				found = runner_of(s, t->v[i].addr);
			}
		}
	}
	free(behind);
	return found;
}

/* ---- Circles --------------------------------------------------------- */

static const struct dbg_blocked *wait_of(const struct search *s,
					 uint32_t thread)
{
	for (size_t i = 0; i < s->n && thread; i++)
		if (s->v[i].thread == thread)
			return &s->v[i];
	return NULL;
}

static bool is_circle(const struct search *s, const struct dbg_blocked *first)
{
	const struct dbg_blocked *w = first;

	for (size_t i = 0; i <= s->n && w; i++) {
		if (w->owner == first->thread)
			return true;
		w = wait_of(s, w->owner);
	}
	return false;
}

static int by_thread(const void *a, const void *b)
{
	const struct dbg_blocked *x = a, *y = b;

	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

struct dbg_error *blocked_list(struct inspect *in, const struct tasks *t,
			       struct dbg_blocked **ret, size_t *ret_n)
{
	struct search s = {.in = in, .tasks = t};
	struct dbg_error *err =
	    stack_threads(in->stack, &s.threads, &s.n_threads);

	if (err)
		return err;
	s.running =
	    arena_calloc(in->arena, s.n_threads + 1, sizeof(*s.running));
	err = take_monitors(&s);
	for (size_t i = 0; i < s.n_threads && !err; i++)
		if (!wait_of(&s, s.threads[i].number))
			look_at(&s, i);
	for (size_t i = 0; i < s.n && !err; i++)
		if (s.v[i].kind == DBG_BLOCKED_TASK)
			s.v[i].owner = task_owner(&s, s.v[i].object);
	for (size_t i = 0; i < s.n && !err; i++)
		s.v[i].deadlock = is_circle(&s, &s.v[i]);
	if (!err) {
		if (s.n)
			qsort(s.v, s.n, sizeof(*s.v), by_thread);
		*ret = arena_copy(in->arena, s.v, s.n, sizeof(*s.v));
		*ret_n = s.n;
	}
	free(s.v);
	return err;
}
