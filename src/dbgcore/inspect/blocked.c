/*
 * Finds which threads wait for each other.
 *
 * waits.h tells who waits for a Monitor. Other locks are managed code: the
 * waiting thread stands in a method of the lock, and among the objects that its
 * frame refers to (the runtime reports these to the GC) is the lock, whose
 * fields name the owner. A thread that waits for a task waits for the thread
 * that runs that task, or that runs what it awaits, directly or indirectly.
 */
#include "inspect/blocked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "dac/assumption.h"
#include "inspect/framerefs.h"
#include "inspect/inspect.h"
#include "inspect/waits.h"
#include "tasks/tasks.h"

enum {
	FRAMES_MAX = 24,    /* from the newest, in which a wait is looked for */
	RUNS_MAX = 200,     /* ... what a thread runs */
	READS_MAX = 1000,   /* locks that a thread reads under */
	CLASS_WORDS = 512,  /* of a stack, in which a class is looked for */
	LISTED_MAX = 10000, /* tasks of one WaitAll */
	TASK_COMPLETED = 0x1600000, /* m_stateFlags: done, faulted, canceled */
};

#define THREADING "System.Threading."
#define RWLOCK THREADING "ReaderWriterLockSlim"
#define SEMAPHORE THREADING "SemaphoreSlim"
#define EVENT THREADING "ManualResetEventSlim"
#define THREAD THREADING "Thread"
#define JOIN_HANDLE "Microsoft.Win32.SafeHandles.SafeWaitHandle"
#define HANDLE THREADING "WaitHandle"
#define BARRIER THREADING "Barrier"
#define COUNTDOWN THREADING "CountdownEvent"
#define COLLECTION "System.Collections.Concurrent.BlockingCollection"
#define MUTEX THREADING "Mutex"
#define TASK THREADING "Tasks.Task"
#define TASK_LIST "System.Collections.Generic.List<" TASK ">"
#define RWLOCK_OLD THREADING "ReaderWriterLock"
#define REGISTRATIONS THREADING "CancellationTokenSource.Registrations"
#define PROCESS "System.Diagnostics.Process"
#define SPINLOCK THREADING "SpinLock"
#define SPINWAIT THREADING "SpinWait"
#define LAZY "System.Lazy<"
#define LAZY_HELPER "System.LazyHelper"
#define MONITOR THREADING "Monitor"
#define CLASS_INIT "System.Runtime.CompilerServices.InitHelpers.InitClassSlow"

/*
 * Methods in which a thread waits, with the type of the object it waits for.
 * Where they call each other (a task has an event) the outermost counts.
 */
static const struct {
	const char *method, *type;
	enum dbg_blocked_kind kind;
} places[] = {
    {TASK ".SpinThenBlockingWait", NULL, DBG_BLOCKED_TASK},
    {TASK ".InternalWaitCore", NULL, DBG_BLOCKED_TASK},
    {TASK ".WaitAllBlockingCore", TASK_LIST, DBG_BLOCKED_TASK},
    {"System.Threading.Lock.TryEnterSlow", "System.Threading.Lock",
     DBG_BLOCKED_LOCK},
    {RWLOCK ".WaitOnEvent", RWLOCK, DBG_BLOCKED_RWLOCK},
    {RWLOCK ".TryEnterReadLockCore", RWLOCK, DBG_BLOCKED_RWLOCK},
    {RWLOCK ".TryEnterWriteLockCore", RWLOCK, DBG_BLOCKED_RWLOCK},
    {RWLOCK ".TryEnterUpgradeableReadLockCore", RWLOCK, DBG_BLOCKED_RWLOCK},
    {SEMAPHORE ".WaitCore", SEMAPHORE, DBG_BLOCKED_SEMAPHORE},
    {SEMAPHORE ".Wait", SEMAPHORE, DBG_BLOCKED_SEMAPHORE},
    {EVENT ".Wait", EVENT, DBG_BLOCKED_EVENT},
    {THREAD ".Join", THREAD, DBG_BLOCKED_THREAD},
    {THREAD ".JoinInternal", JOIN_HANDLE, DBG_BLOCKED_THREAD}, // .NET 11
    {BARRIER ".SignalAndWait", BARRIER, DBG_BLOCKED_BARRIER},
    {BARRIER ".DiscontinuousWait", BARRIER, DBG_BLOCKED_BARRIER},
    {COUNTDOWN ".Wait", COUNTDOWN, DBG_BLOCKED_COUNTDOWN},
    {HANDLE ".WaitOneNoCheck", HANDLE, DBG_BLOCKED_HANDLE},
    {HANDLE ".WaitOne", HANDLE, DBG_BLOCKED_HANDLE},
    {HANDLE ".WaitMultiple", HANDLE "[]", DBG_BLOCKED_HANDLE},
    {HANDLE ".WaitAny", HANDLE "[]", DBG_BLOCKED_HANDLE},
    {HANDLE ".WaitAll", HANDLE "[]", DBG_BLOCKED_HANDLE},
    {RWLOCK_OLD ".AcquireReaderLock", RWLOCK_OLD, DBG_BLOCKED_RWLOCK_OLD},
    {RWLOCK_OLD ".AcquireWriterLock", RWLOCK_OLD, DBG_BLOCKED_RWLOCK_OLD},
    {RWLOCK_OLD ".UpgradeToWriterLock", RWLOCK_OLD, DBG_BLOCKED_RWLOCK_OLD},
    {REGISTRATIONS ".WaitForCallbackToComplete", REGISTRATIONS,
     DBG_BLOCKED_CALLBACK},
    {PROCESS "WaitState.WaitForExit", PROCESS, DBG_BLOCKED_PROCESS},
    {PROCESS ".WaitForExitCore", PROCESS, DBG_BLOCKED_PROCESS},
    {PROCESS ".WaitForExit", PROCESS, DBG_BLOCKED_PROCESS},
};

/* Waits without an object: the thread polls. */
static const struct {
	const char *method, *type;
} spins[] = {
    {SPINLOCK ".ContinueTryEnter", SPINLOCK},
    {SPINLOCK ".ContinueTryEnterWithThreadTracking", SPINLOCK},
    {SPINWAIT ".SpinUntil", SPINWAIT},
};

struct search {
	struct inspect *in;
	const struct tasks *tasks;
	struct dbg_thread *threads;
	size_t n_threads;
	struct dbg_blocked *v;
	size_t n, cap;
	struct map waits;   /* number of a thread -> its place in v, from 1 */
	struct map running; /* task -> number of the thread that runs it */
	struct map owners;  /* ... that runs what a task awaits, or itself */
	struct map mutexes; /* what is waited for -> its owner + 1, if looked */
	struct map lists;   /* number of a thread -> List<Task> it waits for */
};

// Maps hold pointers; these are small numbers, never 0.
static void put_number(struct map *m, uint64_t key, size_t number)
{
	map_put(m, key, (void *)(uintptr_t)number);
}

static size_t number_at(const struct map *m, uint64_t key)
{
	return (uintptr_t)map_find(m, key);
}

/* ---- Owners ---------------------------------------------------------- */

static uint32_t thread_of(const struct search *s, uint64_t managed_id)
{
	for (size_t i = 0; i < s->n_threads && managed_id; i++)
		if (s->threads[i].managed &&
		    s->threads[i].managed_id == managed_id)
			return s->threads[i].number;
	return 0;
}

// Find a thread by the tid that it has in the program's own pid namespace.
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
	struct value v = value_object(s->in->values, object), at;
	uint64_t ret = 0;

	return value_member(s->in->values, &v, name, &at) &&
		       value_integer(s->in->values, &at, &ret)
		   ? (uint32_t)ret
		   : 0;
}

// Async calls can wait for a SemaphoreSlim as well as threads: it has a
// TaskNode for each such call.
static enum dbg_blocked_kind kind_of(enum dbg_blocked_kind kind,
				     const struct value *v)
{
	return value_type_name(v->type) &&
		       !strcmp(value_type_name(v->type), SEMAPHORE ".TaskNode")
		   ? DBG_BLOCKED_SEMAPHORE
		   : kind;
}

/*
 * The thread that holds a System.Threading.Lock. In Lock.CoreCLR.cs a uint
 * field has the kernel's thread number, the int of .NET 11 the managed id.
 */
static uint32_t lock_owner(struct search *s, uint64_t lock)
{
	struct value v = value_object(s->in->values, lock);
	const struct field *f =
	    v.type ? value_type_field(s->in->values, v.type, "_owningThreadId")
		   : NULL;
	uint64_t id = field_of(s, lock, "_owningThreadId");

	return f && f->type->elem == ELEM_I4 ? thread_of(s, id)
					     : thread_of_tid(s, id);
}

/*
 * Does the thread hold a read lock of the lock whose _lockID is @id? These are
 * counted in a list that begins in its thread static
 * ReaderWriterLockSlim.t_rwc.
 */
static bool reads_under(struct search *s, const struct field *list,
			const struct dbg_thread *t, uint64_t id)
{
	struct values *values = s->in->values;
	struct thread_ref thread = {
	    .tid = t->tid,
	    .found = true,
	    .addr = stack_managed_thread(s->in->stack, t->tid),
	};
	uint64_t node = 0;
	struct value at = value_static(values, list, &thread);

	if (!value_pointer(values, &at, &node))
		return false;
	for (int i = 0; node && i < READS_MAX; i++) {
		struct value v = value_object(values, node), next;
		uint64_t lock = 0;

		if (value_member(values, &v, "lockID", &at) &&
		    value_integer(values, &at, &lock) && lock == id)
			return field_of(s, node, "readercount") > 0;
		if (!value_member(values, &v, "next", &next) ||
		    !value_pointer(values, &next, &node))
			return false;
	}
	return false;
}

// Find a thread that holds a read lock of a ReaderWriterLockSlim, and how many
// others do.
static uint32_t reader_of(struct search *s, uint64_t object, uint32_t self,
			  uint32_t *ret_more)
{
	struct values *values = s->in->values;
	struct value v = value_object(values, object), at;
	const struct field *list =
	    v.type ? value_type_field(values, v.type, "t_rwc") : NULL;
	uint64_t id = 0;
	uint32_t found = 0;

	*ret_more = 0;
	if (!list || !value_member(values, &v, "_lockID", &at) ||
	    !value_integer(values, &at, &id))
		return 0;
	for (size_t i = 0; i < s->n_threads; i++) {
		uint32_t number = s->threads[i].number;

		if (!s->threads[i].managed || number == self ||
		    !reads_under(s, list, &s->threads[i], id))
			continue;
		*ret_more += found != 0;
		// one that waits itself may be of a circle
		if (!found || number_at(&s->waits, number))
			found = number;
	}
	return found;
}

static uint32_t owner_of(struct search *s, enum dbg_blocked_kind kind,
			 uint64_t object)
{
	uint32_t owner = 0;

	if (kind == DBG_BLOCKED_LOCK)
		return lock_owner(s, object);
	if (kind == DBG_BLOCKED_RWLOCK_OLD)
		return thread_of(s, field_of(s, object, "_writerID"));
	if (kind == DBG_BLOCKED_CALLBACK)
		return thread_of(
		    s, field_of(s, object, "ThreadIDExecutingCallbacks"));
	if (kind == DBG_BLOCKED_THREAD)
		return thread_of(s, field_of(s, object, "_managedThreadId"));
	if (kind == DBG_BLOCKED_RWLOCK)
		owner = thread_of(s, field_of(s, object, "_writeLockOwnerId"));
	if (kind == DBG_BLOCKED_RWLOCK && !owner)
		owner =
		    thread_of(s, field_of(s, object, "_upgradeLockOwnerId"));
	return owner;
}

/* ---- Threads --------------------------------------------------------- */

static void blocked_append(struct search *s, const struct dbg_blocked *one)
{
	mem_grow(&s->v, &s->cap, s->n, sizeof(*s->v));
	s->v[s->n++] = *one;
	if (!number_at(&s->waits, one->thread))
		put_number(&s->waits, one->thread, s->n);
}

static void add_running(struct search *s, const struct dbg_thread *t,
			uint64_t task)
{
	if (task && !number_at(&s->running, task))
		put_number(&s->running, task, t->number);
}

/*
 * Note the tasks that a frame runs: its own, and the one that the thread ran
 * before and goes on with afterwards.
 */
static void add_running_tasks(struct search *s, struct frame_refs *refs,
			      const struct frame *f)
{
	frame_refs_read(refs);
	for (size_t i = 0; i < refs->n; i++)
		if (refs->v[i].sp == f->raw.sp)
			add_running(s, refs->thread,
				    frame_refs_at(refs, i, NULL));
}

/* The Thread whose _joinEvent the handle is; 0: none. */
static uint64_t joined_thread(struct search *s, uint64_t handle)
{
	struct values *values = s->in->values;

	for (size_t i = 0; i < s->n_threads; i++) {
		struct value event, own;
		const struct dac_thread *t =
		    dac_thread_find(s->in->dac, s->threads[i].tid);
		uint64_t object = t ? dac_thread_object(s->in->dac, t) : 0;
		uint64_t addr;
		struct value v = value_object(values, object);

		if (object && value_member(values, &v, "_joinEvent", &event) &&
		    value_member(values, &event, "_waitHandle", &own) &&
		    value_pointer(values, &own, &addr) && addr == handle)
			return object;
	}
	return 0;
}

// Find the next task in a List<Task> that is not done, from *at on; 0: no more.
static uint64_t next_pending(struct search *s, uint64_t list, uint64_t *at)
{
	struct values *values = s->in->values;
	struct value v = value_object(values, list), items, flags;
	struct elements elements;
	uint64_t n = field_of(s, list, "_size"), task = 0, state = 0;

	if (!value_member(values, &v, "_items", &items) ||
	    !value_elements(values, &items, &elements))
		return 0;
	for (; *at < n && *at < elements.n && *at < LISTED_MAX; task = 0) {
		v = element_get(&elements, (*at)++);
		if (!value_pointer(values, &v, &task) || !task)
			continue;
		v = value_object(values, task);
		if (value_member(values, &v, "m_stateFlags", &flags) &&
		    value_integer(values, &flags, &state) &&
		    !(state & TASK_COMPLETED))
			return task;
	}
	return 0;
}

// WaitAll: the first task that is left stands for them.
static uint64_t take_list(struct search *s, uint32_t thread, uint64_t list)
{
	uint64_t at = 0, task = next_pending(s, list, &at);

	if (task)
		put_number(&s->lists, thread, list);
	return task;
}

static bool find_spin_lock(const struct frame_refs *refs, const char *method,
			   struct dbg_blocked *ret)
{
	for (size_t i = 0; i < sizeof(spins) / sizeof(*spins); i++)
		if (!strcmp(method, spins[i].method)) {
			*ret = (struct dbg_blocked){
			    .thread = refs->thread->number,
			    .kind = DBG_BLOCKED_SPIN,
			    .type = spins[i].type,
			};
			return true;
		}
	return false;
}

static bool is_wait_handle(const char *type)
{
	return type && str_starts(type, HANDLE);
}

// Is it BlockingCollection<T>? Each of its methods that takes or adds waits.
static bool find_collection(struct search *s, struct frame_refs *refs,
			    const struct frame *f, const char *method,
			    struct dbg_blocked *ret)
{
	if (!str_starts(method, COLLECTION "<"))
		return false;
	uint64_t object = frame_refs_generic(refs, f, COLLECTION "<");
	struct value v = value_object(s->in->values, object);

	if (object)
		*ret = (struct dbg_blocked){
		    .thread = refs->thread->number,
		    .kind = DBG_BLOCKED_COLLECTION,
		    .object = object,
		    .type = value_type_name(v.type),
		};
	return true;
}

// A small core lacks what tells who waits for a Monitor: its method does, and
// the one object that its frame has, which is not in the core either.
static bool find_monitor(struct search *s, struct frame_refs *refs,
			 const struct frame *f, const char *method,
			 struct dbg_blocked *ret)
{
	if (target_can(s->in->target, TARGET_RUN) ||
	    !str_starts(method, MONITOR "."))
		return false;
	bool pulse = str_starts(method, MONITOR ".Wait");
	if (!pulse && !str_starts(method, MONITOR ".Enter") &&
	    !str_starts(method, MONITOR ".TryEnter") &&
	    !str_starts(method, MONITOR ".ReliableEnter"))
		return false;
	*ret = (struct dbg_blocked){
	    .thread = refs->thread->number,
	    .kind = pulse ? DBG_BLOCKED_PULSE : DBG_BLOCKED_MONITOR,
	    .object = frame_refs_any(refs, f),
	    .type = MONITOR,
	};
	return true;
}

// A wait in place @i, whose frame does not tell the object: it is not in the
// core, or optimised code does not keep it. What kind of thing it is is known.
static void guess_kind(const struct frame_refs *refs, size_t i,
		       struct dbg_blocked *ret)
{
	enum dbg_blocked_kind kind = places[i].kind;
	const char *type = places[i].type;
	// an event is known, of which the place is the name
	bool event =
	    kind == DBG_BLOCKED_COUNTDOWN || kind == DBG_BLOCKED_PROCESS;

	// a small core's Monitor is only what the thing waits by
	if (ret->type && !strcmp(ret->type, MONITOR))
		ret->object = 0;
	if (kind == DBG_BLOCKED_HANDLE || (ret->object && !event))
		return;
	ret->thread = refs->thread->number;
	ret->kind = kind;
	ret->type = kind == DBG_BLOCKED_THREAD ? THREAD
		    : kind == DBG_BLOCKED_TASK ? TASK
					       : type;
}

// Is @method one in which a thread waits? *ret: what it waits for, if its frame
// has it.
static bool find_wait(struct search *s, struct frame_refs *refs,
		      const struct frame *f, const char *method,
		      struct dbg_blocked *ret)
{
	bool any = false;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t object;

		if (strcmp(method, places[i].method))
			continue;
		any = true;
		if (places[i].kind == DBG_BLOCKED_HANDLE)
			ret->kind = DBG_BLOCKED_HANDLE;
		object = is_wait_handle(places[i].type)
			     ? frame_refs_handle(refs, f, places[i].type)
			     : frame_refs_find(refs, f, places[i].type);
		if (object &&
		    !strcmp(places[i].type ? places[i].type : "", JOIN_HANDLE))
			object = joined_thread(s, object);
		if (object && places[i].type &&
		    !strcmp(places[i].type, TASK_LIST))
			object = take_list(s, refs->thread->number, object);
		// optimised code need not keep more than what it waits by
		if (!object && places[i].kind == DBG_BLOCKED_HANDLE &&
		    !ret->object)
			ret->object = frame_refs_find(refs, f, JOIN_HANDLE);
		if (!object) {
			guess_kind(refs, i, ret);
			continue;
		}
		struct value v = value_object(s->in->values, object);

		*ret = (struct dbg_blocked){
		    .thread = refs->thread->number,
		    .kind = kind_of(places[i].kind, &v),
		    .object = object,
		    .type = value_type_name(v.type),
		    .owner = owner_of(s, places[i].kind, object),
		};
		if (places[i].kind == DBG_BLOCKED_PROCESS)
			ret->what =
			    arena_printf(s->in->arena, "process %" PRIu64,
					 field_of(s, object, "_processId"));
	}
	return any || find_spin_lock(refs, method, ret) ||
	       find_monitor(s, refs, f, method, ret) ||
	       find_collection(s, refs, f, method, ret);
}

/* ---- Class constructors ------------------------------------------------ */

/*
 * Find the class that the thread waits for to be initialised. It stands in
 * InitClassSlow(MethodTable*), or before .NET 9 in a helper of the runtime that
 * a managed method has called, in code that keeps its argument somewhere
 * between its stack pointer and the frame @level: a word there that is a class
 * whose constructor another thread runs.
 */
static bool find_class_wait(struct search *s, const struct dbg_thread *t,
			    uint32_t level, struct dbg_blocked *ret)
{
	const struct class_runs *runs = class_runs_find(s->in);
	uint64_t words[CLASS_WORDS];
	const struct frame *f = NULL;
	struct regs regs;
	size_t n;

	if (dbg_err_drop(target_regs(s->in->target, t->tid, &regs)) ||
	    dbg_err_drop(stack_frame(s->in->stack, t->number, level, &f)) ||
	    !f || f->raw.sp <= regs_sp(&regs))
		return false;
	n = (size_t)(f->raw.sp - regs_sp(&regs)) / 8;
	n = n < CLASS_WORDS ? n : CLASS_WORDS;
	n = target_read_some(s->in->target, f->raw.sp - 8 * n, words, 8 * n) /
	    8;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < runs->n; k++) {
			const struct class_run *c = &runs->v[k];

			if (words[i] != c->type || c->thread == t->number)
				continue;
			*ret = (struct dbg_blocked){
			    .thread = t->number,
			    .kind = DBG_BLOCKED_CLASS,
			    .object = c->type,
			    .type = code_type_name(s->in->code, c->type),
			    .owner = c->thread,
			};
			return true;
		}
	return false;
}

static bool is_own(const struct frame *f)
{
	return f->pos && f->pos->module && !f->pos->module->framework;
}

// Is @f, in which no thread waits, beyond what @one is waited for by? Whatever
// the framework makes of a handle or a Monitor has a place further out.
static bool is_settled(const struct dbg_blocked *one, const struct frame *f)
{
	bool means =
	    one->kind == DBG_BLOCKED_HANDLE ||
	    (one->type && (!one->object || !strcmp(one->type, MONITOR)));

	return means ? is_own(f) : one->object != 0;
}

// Is the handle a Mutex? One that has an owner is, whatever is known of its
// class.
static void find_mutex_owner(struct search *s, const struct dbg_thread *t,
			     struct dbg_blocked *one)
{
	size_t known = one->object ? number_at(&s->mutexes, one->object) : 0;
	struct mutex_owner owner = {.thread = known ? (uint32_t)known - 1 : 0};
	bool found =
	    known ? owner.thread
		  : mutex_owner(s->in, t, s->threads, s->n_threads, &owner);

	if (one->object && !known && !owner.outside)
		put_number(&s->mutexes, one->object, (size_t)owner.thread + 1);
	if (!found && strcmp(one->type, MUTEX))
		return;
	one->kind = DBG_BLOCKED_MUTEX;
	one->type = MUTEX;
	one->owner = owner.thread;
	one->outside = owner.outside;
	one->process = owner.process;
}

/*
 * Find the handle where WaitOne is inlined down to the call of the runtime, as
 * in code that has run often: the frame keeps the handle for that call.
 */
static void find_inlined_handle(struct search *s, struct frame_refs *refs,
				const struct frame *f, struct dbg_blocked *ret)
{
	struct regs regs;

	if (dbg_err_drop(
		target_regs(s->in->target, refs->thread->tid, &regs)) ||
	    !regs_in_call(&regs))
		return;
	ret->object = frame_refs_find(refs, f, JOIN_HANDLE);
	if (ret->object)
		ret->kind = DBG_BLOCKED_HANDLE;
}

// Is it one of the framework's own threads, which wait for handles until there
// is work? A user thread may also have no user frame left, by a tail call.
static bool is_runtimes(struct search *s, struct dbg_thread *t)
{
	stack_thread_describe(s->in->stack, t);
	return str_starts(t->name, ".NET ");
}

// Is it the method that such a thread runs? A small core lacks names.
static bool is_runtimes_start(const char *method)
{
	return str_starts(method, THREADING "PortableThreadPool.") ||
	       str_starts(method, THREADING "TimerQueue.");
}

static void look_at(struct search *s, struct dbg_thread *t)
{
	struct frame_refs refs = {.in = s->in, .thread = t};
	struct dbg_blocked one = {0};
	bool own = false, runtimes = false;
	// one that waits for a Monitor runs tasks as well
	bool found = number_at(&s->waits, t->number);

	for (uint32_t level = 0; t->managed && level < RUNS_MAX; level++) {
		const struct frame *f;

		if (dbg_err_drop(
			stack_frame(s->in->stack, t->number, level, &f)) ||
		    !f)
			break;
		const char *method = frame_method(s->in, f);

		if (!found && level < FRAMES_MAX)
			found = !strcmp(method, CLASS_INIT)
				    ? find_class_wait(s, t, level + 1, &one)
				    : !find_wait(s, &refs, f, method, &one) &&
					  is_settled(&one, f);
		if (!level && !found && is_own(f) &&
		    dac_runtime_major(s->in->dac) < 10)
			found = find_class_wait(s, t, level, &one);
		if (!level && !found && is_own(f))
			find_inlined_handle(s, &refs, f, &one);
		own = own || is_own(f);
		runtimes = runtimes || is_runtimes_start(method);
		if (!strcmp(method, "System.Threading.Tasks.Task."
				    "ExecuteWithThreadLocal"))
			add_running_tasks(s, &refs, f);
		else
			add_running(s, t, stack_frame_task(s->in->stack, f));
	}
	if (one.kind == DBG_BLOCKED_HANDLE && !one.type)
		one = (struct dbg_blocked){
		    .thread = t->number,
		    .kind = one.kind,
		    .object = one.object,
		    .type = HANDLE,
		};
	// WaitAny and WaitAll have several
	if (one.kind == DBG_BLOCKED_HANDLE && !str_ends(one.type, "[]"))
		find_mutex_owner(s, t, &one);
	bool idle =
	    one.kind == DBG_BLOCKED_HANDLE || one.kind == DBG_BLOCKED_SPIN;

	if (one.type && (own || !idle || !(runtimes || is_runtimes(s, t))))
		blocked_append(s, &one);
}

// Is the lock a Lazy<T>'s, in whose methods the thread is? Then name that.
static void find_lazy(struct search *s, struct dbg_blocked *one)
{
	const struct dbg_thread *t = NULL;

	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].number == one->thread)
			t = &s->threads[i];
	struct frame_refs refs = {.in = s->in, .thread = t};
	uint64_t object = 0;

	one->kind = DBG_BLOCKED_LAZY;
	for (uint32_t level = 0; t && !object && level < FRAMES_MAX; level++) {
		const struct frame *f;

		if (dbg_err_drop(
			stack_frame(s->in->stack, t->number, level, &f)) ||
		    !f)
			break;
		if (str_starts(frame_method(s->in, f), LAZY))
			object = frame_refs_generic(&refs, f, LAZY);
	}
	if (!object)
		return;
	struct value v = value_object(s->in->values, object);

	one->object = object;
	one->type = value_type_name(v.type);
}

// Take the waits for Monitors; @pulses: those for Monitor.Pulse. Other locks
// wait by pulses: a thread whose wait is known already is not listed again. But
// since .NET 11 a Monitor itself waits by a handle.
static struct dbg_error *add_monitor_owners(struct search *s, bool pulses)
{
	struct dbg_wait *v;
	size_t n = 0;
	struct dbg_error *err = waits_list(s->in, &v, &n);

	for (size_t i = 0; i < n && !err; i++) {
		size_t at = number_at(&s->waits, v[i].thread);
		struct dbg_blocked one = {
		    .thread = v[i].thread,
		    .kind = pulses ? DBG_BLOCKED_PULSE : DBG_BLOCKED_MONITOR,
		    .object = v[i].object,
		    .type = v[i].type,
		    .owner = v[i].owner,
		};

		if (v[i].pulse != pulses)
			continue;
		if (!pulses && !strcmp(v[i].type, LAZY_HELPER))
			find_lazy(s, &one);
		if (!at)
			blocked_append(s, &one);
		else if (s->v[at - 1].kind == DBG_BLOCKED_HANDLE ||
			 !strcmp(s->v[at - 1].type, MONITOR))
			s->v[at - 1] = one;
	}
	return err;
}

/* ---- Tasks ----------------------------------------------------------- */

/*
 * Find for each task the thread that it waits for: from each task that a thread
 * runs, breadth first to the tasks that await it, and on to the outermost. So
 * of two threads that lead to one task, the one fewer awaits away counts, and
 * each task is met once.
 */
static void spread_owners(struct search *s)
{
	const struct tasks *t = s->tasks;
	size_t n = 0;

	_cleanup_free_ uint32_t *queue = xcalloc(t->n + 1, sizeof(*queue));
	for (size_t i = 0; i < t->n; i++) {
		size_t thread = number_at(&s->running, t->v[i].addr);

		if (!thread)
			continue;
		put_number(&s->owners, t->v[i].addr, thread);
		queue[n++] = (uint32_t)i;
	}
	for (size_t i = 0; i < n && !*t->heap->interrupted; i++) {
		const struct task *from = &t->v[queue[i]];
		size_t thread = number_at(&s->owners, from->addr);

		for (uint32_t k = 0; k < from->n_edges; k++) {
			uint32_t to = t->edges[from->first_edge + k];

			if (number_at(&s->owners, t->v[to].addr))
				continue;
			put_number(&s->owners, t->v[to].addr, thread);
			queue[n++] = to;
		}
	}
}

/*
 * Find the thread for calls that only a SynchronizationContext resumes and
 * whose awaited task is done: the thread that has this context. Of several such
 * threads, one that does not wait will do it.
 */
static void find_context_threads(struct search *s)
{
	const struct tasks *t = s->tasks;
	struct map threads = {0};

	for (size_t i = 0; i < s->n_threads && t->n_contexts; i++) {
		const struct dac_thread *of =
		    dac_thread_find(s->in->dac, s->threads[i].tid);
		uint64_t object = of ? dac_thread_object(s->in->dac, of) : 0;
		struct value v = value_object(s->in->values, object), at;
		uint64_t context = 0;

		if (!object ||
		    !value_member(s->in->values, &v, "_synchronizationContext",
				  &at) ||
		    !value_pointer(s->in->values, &at, &context) || !context)
			continue;
		if (!number_at(&threads, context) ||
		    !number_at(&s->waits, s->threads[i].number))
			put_number(&threads, context, s->threads[i].number);
	}
	for (size_t i = 0; i < t->n && threads.n; i++) {
		const struct task *task = &t->v[i];
		size_t thread = task->context && task->state < DBG_TASK_DONE &&
					!task->awaits
				    ? number_at(&threads, task->context)
				    : 0;

		if (thread && !number_at(&s->running, task->addr))
			put_number(&s->running, task->addr, thread);
	}
	map_deinit(&threads);
}

/*
 * Find tasks that never end because they await each other, or a task that does:
 * what is left when all are removed that await nothing, or nothing that is
 * left.
 */
static void find_task_circles(struct search *s)
{
	const struct tasks *t = s->tasks;
	size_t n = 0;

	_cleanup_free_ uint32_t *awaits = xcalloc(t->n + 1, sizeof(*awaits));
	_cleanup_free_ uint32_t *queue = xcalloc(t->n + 1, sizeof(*queue));
	for (size_t i = 0; i < t->n; i++)
		for (uint32_t k = 0; k < t->v[i].n_edges; k++)
			awaits[t->edges[t->v[i].first_edge + k]]++;
	for (size_t i = 0; i < t->n; i++)
		if (!awaits[i])
			queue[n++] = (uint32_t)i;
	for (size_t i = 0; i < n; i++) {
		const struct task *from = &t->v[queue[i]];

		for (uint32_t k = 0; k < from->n_edges; k++) {
			uint32_t to = t->edges[from->first_edge + k];

			if (!--awaits[to])
				queue[n++] = to;
		}
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct task *task =
		    s->v[i].kind == DBG_BLOCKED_TASK && !s->v[i].owner
			? tasks_at(t, s->v[i].object)
			: NULL;

		s->v[i].async_circle =
		    task && task->state < DBG_TASK_DONE && awaits[task - t->v];
	}
}

static uint32_t task_owner(const struct search *s, uint64_t task)
{
	size_t owner = number_at(&s->owners, task);

	return (uint32_t)(owner ? owner : number_at(&s->running, task));
}

// A thread waits for several tasks: take one that is run by a thread which
// waits itself, else one whose thread is known.
static void find_list_owner(struct search *s, struct dbg_blocked *one)
{
	uint64_t list = number_at(&s->lists, one->thread), at = 0, task;

	while (list && (task = next_pending(s, list, &at))) {
		uint32_t owner = task_owner(s, task);
		bool waits = number_at(&s->waits, owner);

		if (!owner || (one->owner && !waits))
			continue;
		one->object = task;
		one->owner = owner;
		if (waits)
			return;
	}
}

/*
 * Find for each task which one it waits for in the end: the task, itself
 * waiting for none, that leads to it by awaits. Returns, by task, that task's
 * index from 1, or 0: none. The caller frees it.
 */
static uint32_t *find_roots(const struct tasks *t)
{
	uint32_t *roots = xcalloc(t->n + 1, sizeof(*roots));
	_cleanup_free_ uint32_t *queue = xcalloc(t->n + 1, sizeof(*queue));
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (!t->v[i].awaits && t->v[i].state < DBG_TASK_DONE) {
			roots[i] = (uint32_t)i + 1;
			queue[n++] = (uint32_t)i;
		}
	for (size_t i = 0; i < n; i++) {
		const struct task *from = &t->v[queue[i]];

		for (uint32_t k = 0; k < from->n_edges; k++) {
			uint32_t to = t->edges[from->first_edge + k];

			if (roots[to])
				continue;
			roots[to] = roots[queue[i]];
			queue[n++] = to;
		}
	}
	return roots;
}

// "P.Load at P.cs:7" for a call; NULL: it is no call of a method.
static const char *call_text(const struct tasks *t, const struct dbg_task *task)
{
	return !task->method ? NULL
	       : task->source.path
		   ? arena_printf(t->arena, "%s at %s:%" PRIu32, task->method,
				  str_basename(task->source.path),
				  task->source.line)
		   : task->method;
}

// Name the calls that are waited for, and what these wait for in the end.
static void name_tasks(struct search *s)
{
	const struct tasks *t = s->tasks;
	_cleanup_free_ uint32_t *roots = find_roots(t);

	for (size_t i = 0; i < s->n; i++) {
		struct dbg_blocked *one = &s->v[i];
		const struct task *task = one->kind == DBG_BLOCKED_TASK
					      ? tasks_at(t, one->object)
					      : NULL;
		struct dbg_task of;

		if (!task)
			continue;
		tasks_describe(t, task, &of);
		one->what = call_text(t, &of);
		if (one->owner || one->async_circle || !roots[task - t->v])
			continue;
		const struct task *root = &t->v[roots[task - t->v] - 1];

		if (root != task)
			tasks_describe(t, root, &of);
		const char *call = root != task ? call_text(t, &of) : NULL;

		if (call && of.what)
			one->awaits = arena_printf(t->arena, "%s, which %s",
						   call, of.what);
		else if (call)
			one->awaits = call;
		else if (of.async && of.what)
			one->awaits = arena_printf(
			    t->arena, "an async call that %s", of.what);
		else if (root != task)
			one->awaits = of.what;
	}
}

// Find the owner, a thread, for each thread that waits for a task.
static void find_task_owners(struct search *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n && !any; i++)
		any = s->v[i].kind == DBG_BLOCKED_TASK;
	if (any && s->tasks) {
		find_context_threads(s);
		spread_owners(s);
	}
	for (size_t i = 0; i < s->n; i++) {
		struct dbg_blocked *one = &s->v[i];

		if (one->kind != DBG_BLOCKED_TASK)
			continue;
		one->owner = task_owner(s, one->object);
		find_list_owner(s, one);
	}
	if (any && s->tasks) {
		find_task_circles(s);
		name_tasks(s);
	}
}

/* ---- Circles --------------------------------------------------------- */

// The wait of the owner of wait @i, counted from 1; 0: the owner does not wait.
static size_t next_of(const struct search *s, size_t i)
{
	const struct dbg_blocked *w = &s->v[i - 1];

	// the owner of a lock is not who will pulse it
	return w->owner && w->kind != DBG_BLOCKED_PULSE
		   ? number_at(&s->waits, w->owner)
		   : 0;
}

/*
 * Find deadlock cycles. Each wait leads to at most one other, so a way from one
 * that was not met yet ends, meets an earlier way, or meets itself, which is a
 * cycle. @met: in which way each was met.
 */
static void find_circles(struct search *s)
{
	_cleanup_free_ size_t *met = xcalloc(s->n + 1, sizeof(*met));

	for (size_t first = 1; first <= s->n; first++) {
		size_t at = first;

		while (at && !met[at]) {
			met[at] = first;
			at = next_of(s, at);
		}
		if (!at || met[at] != first)
			continue;
		while (!s->v[at - 1].deadlock) {
			s->v[at - 1].deadlock = true;
			at = next_of(s, at);
		}
	}
}

// Find where the chain of owners from each wait ends.
static void find_ends(struct search *s)
{
	for (size_t i = 1; i <= s->n; i++) {
		size_t at = i, next, steps = 0;

		for (; (next = next_of(s, at)) && steps <= s->n; steps++)
			at = next;
		if (next)
			continue;
		const struct dbg_blocked *end = &s->v[at - 1];
		s->v[i - 1].last = end->thread;
		s->v[i - 1].holder =
		    end->kind == DBG_BLOCKED_PULSE ? 0 : end->owner;
	}
}

// Readers, which are known once it is known who waits.
static void find_readers(struct search *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct dbg_blocked *one = &s->v[i];

		// whoever may upgrade waits for those that read
		if (one->kind == DBG_BLOCKED_RWLOCK &&
		    (!one->owner || one->owner == one->thread))
			one->owner = reader_of(s, one->object, one->thread,
					       &one->more_owners);
	}
}

static int by_thread(const void *a, const void *b)
{
	const struct dbg_blocked *x = a, *y = b;

	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static bool is_interrupted(const struct tasks *t)
{
	return t && *t->heap->interrupted;
}

struct dbg_error *blocked_list(struct inspect *in, const struct tasks *t,
			       struct dbg_blocked **ret, size_t *ret_n)
{
	struct search s = {.in = in, .tasks = t};
	struct dbg_error *err =
	    stack_threads(in->stack, &s.threads, &s.n_threads);

	if (err)
		return err;
	err = add_monitor_owners(&s, false);
	for (size_t i = 0; i < s.n_threads && !err && !is_interrupted(t); i++)
		look_at(&s, &s.threads[i]);
	if (!err && !is_interrupted(t))
		err = add_monitor_owners(&s, true);
	if (!err && !is_interrupted(t))
		find_task_owners(&s);
	if (!err && is_interrupted(t))
		err = dbg_err(DBG_E_INTERRUPTED, "interrupted");
	if (!err) {
		find_readers(&s);
		find_circles(&s);
		find_ends(&s);
		if (s.n)
			qsort(s.v, s.n, sizeof(*s.v), by_thread);
		*ret = arena_copy(in->arena, s.v, s.n, sizeof(*s.v));
		*ret_n = s.n;
	}
	map_deinit(&s.waits);
	map_deinit(&s.running);
	map_deinit(&s.owners);
	map_deinit(&s.lists);
	map_deinit(&s.mutexes);
	free(s.v);
	return err;
}

size_t blocked_async(struct inspect *in)
{
	struct dbg_thread *threads;
	size_t n_threads, n = 0;

	if (dbg_err_drop(stack_threads(in->stack, &threads, &n_threads)))
		return 0;
	for (size_t i = 0; i < n_threads; i++) {
		const struct frame *f;

		for (uint32_t level = 0;
		     threads[i].managed && level < RUNS_MAX &&
		     !dbg_err_drop(stack_frame(in->stack, threads[i].number,
					       level, &f)) &&
		     f;
		     level++)
			n += stack_runs_async(in->stack, f);
	}
	return n;
}
