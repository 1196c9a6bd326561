/* Checks of `doctor`: threads, what they wait for, and what calls them. */
#include "repl/state/doctor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/heap/heapcommands.h"
#include "repl/repl_priv.h"

enum {
	QUEUE_LONG = 1000,
	CALLS_MANY = 1000, /* stuck at one place */
	DUE_MANY = 1000,
	ENDED_MANY = 100,
	TIMERS_MANY = 1000,
	CONVOY_MANY = 10, /* threads or calls behind one lock */
	CROWD_MANY = 100, /* ... at one place */
	CPU_LOW = 20,     /* per cent: a pool at work would use more */
	QUEUED_TIMES = 2, /* items for each worker */
	RAN_FEW = 4,      /* one of so many */
	FRAMES_OWN = 64,
	PLACES_MAX = 4,    /* told of in one finding */
	SHARE_HIGH = 90,   /* per cent of a processor */
	USED_LONG = 10000, /* ms of it, in all */
	USED_SHARE = 50,   /* ... per cent of what all threads used */
};

/* ---- Threads --------------------------------------------------------- */

// Get the thread's newest frame in user code; false: there is none.
static bool own_frame(const struct doctor *d, uint32_t thread,
		      struct dbg_frame *ret, const struct dbg_frame **ret_top)
{
	struct dbg_frame *f;
	size_t n = 0;

	if (dbg_err_drop(dbg_frame_list(d->at, thread, 0, FRAMES_OWN, &f, &n)))
		return false;
	for (size_t k = 0; k < n; k++) {
		if (f[k].framework || !f[k].source.path)
			continue;
		*ret = f[k];
		*ret_top = &f[0];
		return true;
	}
	return false;
}

/*
 * Append the place of the thread's newest frame in user code, " in Shop.Pay at
 * Shop.cs:7"; nothing if there is none.
 */
static void doctor_place_add(const struct doctor *d, uint32_t thread,
			     struct str *text)
{
	struct dbg_frame f;
	const struct dbg_frame *top;

	if (!own_frame(d, thread, &f, &top))
		return;
	str_addf(text, " in %s at %s:%" PRIu32, f.name,
		 str_basename(f.source.path), f.source.line);
}

static const char *name_of(const struct doctor *d, uint32_t thread)
{
	for (size_t i = 0; i < d->n_threads; i++)
		if (d->threads[i].number == thread)
			return d->threads[i].name;
	return "";
}

static const char *const blocked_by[] = {
    [DBG_BLOCKED_MONITOR] = "a lock",
    [DBG_BLOCKED_LOCK] = "a Lock",
    [DBG_BLOCKED_RWLOCK] = "a ReaderWriterLockSlim",
    [DBG_BLOCKED_SEMAPHORE] = "a SemaphoreSlim",
    [DBG_BLOCKED_TASK] = "a task",
    [DBG_BLOCKED_EVENT] = "an event",
    [DBG_BLOCKED_THREAD] = "the end of a thread",
    [DBG_BLOCKED_HANDLE] = "a WaitHandle",
    [DBG_BLOCKED_MUTEX] = "a Mutex",
    [DBG_BLOCKED_LAZY] = "the value of a Lazy",
    [DBG_BLOCKED_BARRIER] = "a Barrier",
    [DBG_BLOCKED_COUNTDOWN] = "a CountdownEvent",
    [DBG_BLOCKED_COLLECTION] = "a BlockingCollection",
    [DBG_BLOCKED_CLASS] = "a class constructor",
    [DBG_BLOCKED_PULSE] = "a pulse",
    [DBG_BLOCKED_CALLBACK] = "a callback of a CancellationToken",
    [DBG_BLOCKED_RWLOCK_OLD] = "a ReaderWriterLock",
    [DBG_BLOCKED_PROCESS] = "the end of a process",
    [DBG_BLOCKED_SPIN] = "a SpinLock or a condition",
};

void doctor_outsider_add(const struct dbg_blocked *b, struct str *text)
{
	if (b->process)
		str_addf(text, "process %" PRIu32 " (thread %" PRIu32 ")",
			 b->process, b->outside);
	else
		str_addf(text, "thread %" PRIu32 " of another process",
			 b->outside);
}

// Append a wait: '; thread 8 "T1" waits for a lock, which thread 9 has, in
// P.Pay at P.cs:7'.
static void add_wait(const struct doctor *d, const struct dbg_blocked *b,
		     struct str *text)
{
	str_addf(text, "; thread %" PRIu32 " \"%s\" waits for %s", b->thread,
		 name_of(d, b->thread), blocked_by[b->kind]);
	if (b->what)
		str_addf(text, ", %s", b->what);
	if (b->owner == b->thread)
		str_add(text, b->kind == DBG_BLOCKED_TASK
				  ? ", which goes on in this thread alone (its "
				    "SynchronizationContext),"
				  : ", which is its own,");
	else if (b->async_circle)
		str_add(text, " of async calls that await each other,");
	else if (b->owner)
		str_addf(text, ", which thread %" PRIu32 " %s,", b->owner,
			 b->kind == DBG_BLOCKED_TASK       ? "runs"
			 : b->kind == DBG_BLOCKED_CALLBACK ? "runs"
			 : b->kind == DBG_BLOCKED_THREAD   ? "is"
							   : "has");
	else if (b->awaits)
		str_addf(text, ", in the end for %s,", b->awaits);
	else if (b->what)
		str_add(text, ",");
	if (b->outside) {
		str_add(text, ", which ");
		doctor_outsider_add(b, text);
		str_add(text, " has,");
	}
	doctor_place_add(d, b->thread, text);
}

typedef bool blocked_fn(const struct doctor *d, const struct dbg_blocked *b);

// " 3, 4 and 5 more": the threads that @is_meant.

static size_t add_threads(const struct doctor *d, blocked_fn *is_meant,
			  struct str *text)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_blocked; i++) {
		if (!is_meant(d, &d->blocked[i]))
			continue;
		if (n++ < DOCTOR_LISTED_MAX)
			str_addf(text, "%s%" PRIu32, n > 1 ? ", " : " ",
				 d->blocked[i].thread);
	}
	if (n > DOCTOR_LISTED_MAX)
		str_addf(text, " and %zu more", n - DOCTOR_LISTED_MAX);
	return n;
}

static bool is_deadlock(const struct doctor *d, const struct dbg_blocked *b)
{
	(void)d;
	return b->deadlock;
}

static bool is_outside(const struct doctor *d, const struct dbg_blocked *b)
{
	(void)d;
	return b->outside;
}

static bool is_thread_named(const struct doctor *d, uint32_t number,
			    const char *name)
{
	for (size_t i = 0; i < d->n_threads; i++)
		if (d->threads[i].number == number)
			return !strcmp(d->threads[i].name, name);
	return false;
}

// A worker of the pool that waits for an async call.
static bool is_sync_over_async(const struct doctor *d,
			       const struct dbg_blocked *b)
{
	return b->kind == DBG_BLOCKED_TASK &&
	       strstr(b->type, "AsyncStateMachineBox") &&
	       is_thread_named(d, b->thread, ".NET TP Worker");
}

// Add the places of the first few waits that @is_meant selects.
static void add_waits(const struct doctor *d, blocked_fn *is_meant,
		      struct str *text)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_blocked; i++)
		if (is_meant(d, &d->blocked[i]) && n++ < PLACES_MAX)
			add_wait(d, &d->blocked[i], text);
}

// If the program was watched: append whether all of them stood still meanwhile.
static void add_stood(const struct doctor *d, blocked_fn *is_meant,
		      struct str *text)
{
	bool all = d->watched != NULL;

	for (size_t i = 0; i < d->n_blocked && all; i++)
		if (is_meant(d, &d->blocked[i]))
			all = doctor_stood(d, d->blocked[i].thread);
	if (all)
		doctor_stood_add(d, text);
}

static bool is_worker(const struct doctor *d, const struct dbg_blocked *b)
{
	return is_thread_named(d, b->thread, ".NET TP Worker");
}

// Does the thread hold what another waits for, while its own chain of waits
// ends at an unknown owner?
static bool is_holder_stuck(const struct doctor *d, const struct dbg_blocked *b)
{
	for (size_t i = 0; b->last && !b->holder && i < d->n_blocked; i++)
		if (d->blocked[i].owner == b->thread &&
		    d->blocked[i].kind != DBG_BLOCKED_PULSE)
			return true;
	return false;
}

static const struct dbg_blocked *wait_of(const struct doctor *d,
					 uint32_t thread)
{
	for (size_t i = 0; i < d->n_blocked; i++)
		if (d->blocked[i].thread == thread)
			return &d->blocked[i];
	return NULL;
}

// Append the chain of waits from the first thread that holds something to the
// thing that no known thread holds.
static void add_ends(const struct doctor *d, struct str *text)
{
	const struct dbg_blocked *at = NULL;

	for (size_t i = 0; i < d->n_blocked; i++) {
		const struct dbg_blocked *b = &d->blocked[i];

		// the farthest from the end has the whole way
		if (b->last && !b->holder && b->owner &&
		    !is_holder_stuck(d, b)) {
			at = b;
			break;
		}
		at = at || !is_holder_stuck(d, b) || !b->owner ? at : b;
	}
	for (size_t i = 0; at && i < PLACES_MAX; i++) {
		add_wait(d, at, text);
		at = at->owner ? wait_of(d, at->owner) : NULL;
	}
}

static bool is_lock(const struct dbg_blocked *b)
{
	return b->kind == DBG_BLOCKED_MONITOR || b->kind == DBG_BLOCKED_LOCK ||
	       b->kind == DBG_BLOCKED_RWLOCK ||
	       b->kind == DBG_BLOCKED_SEMAPHORE;
}

// How many threads wait for the same lock as @b; *ret_first: @b is the first of
// them.
static size_t convoy_of(const struct doctor *d, const struct dbg_blocked *b,
			bool *ret_first)
{
	size_t n = 0;

	*ret_first = true;
	for (size_t k = 0; k < d->n_blocked && is_lock(b); k++) {
		const struct dbg_blocked *other = &d->blocked[k];

		bool same = other->object == b->object &&
			    (b->object || other->kind == b->kind);

		n += same;
		*ret_first = *ret_first && (other >= b || !same);
	}
	return n;
}

// Is it as it should be? Who waits for an endless Task.Delay waits for nothing
// that is missing; a thread without user code waits for its work.
static bool is_content(const struct doctor *d, const struct dbg_blocked *b)
{
	struct dbg_frame *f;
	size_t n = 0;

	if (b->owner)
		return false;
	if (b->kind == DBG_BLOCKED_TASK)
		return b->awaits &&
		       !strcmp(b->awaits, "Task.Delay without an end");
	if (dbg_err_drop(
		dbg_frame_list(d->at, b->thread, 0, FRAMES_OWN, &f, &n)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (f[i].kind == DBG_FRAME_MANAGED && !f[i].framework)
			return false;
	return true;
}

void doctor_waits_untold(const struct doctor *d, size_t *ret_unknown,
			 size_t *ret_held)
{
	*ret_unknown = *ret_held = 0;
	for (size_t i = 0; i < d->n_blocked; i++) {
		const struct dbg_blocked *b = &d->blocked[i];
		bool first, told = !b->last || b->async_circle || b->outside ||
				   convoy_of(d, b, &first) >= CONVOY_MANY ||
				   is_content(d, b);

		for (size_t k = 0; k < d->n_blocked && !told; k++)
			told = d->blocked[k].last == b->last &&
			       is_holder_stuck(d, &d->blocked[k]);
		*ret_unknown += !told && !b->holder;
		*ret_held += !told && b->holder;
	}
}

// Report locks for which many threads wait.
static void find_convoys(struct doctor *d)
{
	for (size_t i = 0; i < d->n_blocked; i++) {
		const struct dbg_blocked *b = &d->blocked[i];
		_cleanup_str_ struct str text = {0};
		bool first;
		size_t n = convoy_of(d, b, &first);

		if (n < CONVOY_MANY || !first)
			continue;
		if (b->object)
			str_addf(
			    &text,
			    "%zu threads wait for one lock, {%s} 0x%" PRIx64, n,
			    b->type, b->object);
		else
			str_addf(&text,
				 "%zu threads wait for locks, one or several: "
				 "the core lacks which",
				 n);
		if (b->owner) {
			str_addf(&text,
				 ", which thread %" PRIu32 " \"%s\" holds",
				 b->owner, name_of(d, b->owner));
			doctor_place_add(d, b->owner, &text);
		}
		doctor_find(d, WEIGHT_WARNING, "deadlock", str_get(&text));
	}
}

struct dbg_error *doctor_deadlock(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_error *err =
	    dbg_blocked_list(d->at, true, &d->blocked, &d->n_blocked);

	if (!err)
		err = dbg_thread_list(d->at, &d->threads, &d->n_threads);

	if (err)
		return err;
	str_add(&text, "Threads that wait for each other:");
	if (add_threads(d, is_deadlock, &text)) {
		add_waits(d, is_deadlock, &text);
		add_stood(d, is_deadlock, &text);
		doctor_find(d, WEIGHT_SEVERE, "deadlock", str_get(&text));
	}
	str_clear(&text);
	str_add(&text, "Threads that hold what others wait for wait "
		       "themselves, in the end for something of which is not "
		       "known who holds or sets it:");
	if (add_threads(d, is_holder_stuck, &text)) {
		add_ends(d, &text);
		add_stood(d, is_holder_stuck, &text);
		doctor_find(d, WEIGHT_WARNING, "deadlock", str_get(&text));
	}
	str_clear(&text);
	str_add(&text, "Threads that wait for what another process has:");
	if (add_threads(d, is_outside, &text)) {
		add_waits(d, is_outside, &text);
		add_stood(d, is_outside, &text);
		doctor_find(d, WEIGHT_WARNING, "deadlock", str_get(&text));
	}
	find_convoys(d);
	return NULL;
}

// Add what the thread waits for: it tells the place where user code is inlined
// into other code.
static void add_awaited(const struct doctor *d, const struct dbg_tasks *tasks,
			uint32_t thread, struct str *text)
{
	const struct dbg_blocked *b = wait_of(d, thread);

	for (size_t i = 0; b && b->object && i < tasks->n; i++) {
		const struct dbg_task *task = &tasks->v[i];

		if (task->addr != b->object || !task->method)
			continue;
		str_addf(text, " for %s", task->method);
		if (task->source.path)
			str_addf(text, " at %s:%" PRIu32,
				 str_basename(task->source.path),
				 task->source.line);
	}
}

// Add the places where most workers stand that run user code.
static void add_worker_places(const struct doctor *d, struct str *text)
{
	struct {
		struct str place;
		uint32_t thread;
		size_t n;
	} v[PLACES_MAX * 4] = {0};
	const struct dbg_task_query query = {.type = NULL};
	struct dbg_tasks tasks = {.n = 0};
	size_t n = 0;

	if (dbg_err_drop(dbg_task_list(d->at, &query, &tasks)))
		tasks.n = 0;
	for (size_t i = 0; i < d->n_threads; i++) {
		_cleanup_str_ struct str place = {0};
		size_t k = 0;

		if (strcmp(d->threads[i].name, ".NET TP Worker"))
			continue;
		doctor_place_add(d, d->threads[i].number, &place);
		if (!place.len)
			add_awaited(d, &tasks, d->threads[i].number, &place);
		while (k < n && strcmp(str_get(&v[k].place), str_get(&place)))
			k++;
		if (!place.len || k == sizeof(v) / sizeof(*v))
			continue;
		if (k == n) {
			str_add(&v[n].place, str_get(&place));
			v[n++].thread = d->threads[i].number;
		}
		v[k].n++;
	}
	for (size_t k = 0; k < n; k++) {
		if (k < PLACES_MAX)
			str_addf(text, "%s %zu%s (thread %" PRIu32 ")",
				 k ? "," : ":", v[k].n, str_get(&v[k].place),
				 v[k].thread);
		str_deinit(&v[k].place);
	}
}

/*
 * Does the pool starve? One look does not tell a pool that starves from a busy
 * one, whose workers also wait while a few items are queued. So either hardly a
 * worker has run while the program was observed (those that the pool adds
 * have), or, if it was not observed, more items are queued than the workers
 * will take next.
 */
static struct dbg_error *pool_stands(struct doctor *d, uint64_t queued,
				     bool *ret, bool *ret_looked)
{
	struct dbg_processor *v;
	size_t n = 0, workers = 0, ran = 0;
	bool looked = false, all_in_call = true;
	struct dbg_error *err = dbg_processor_list(d->at, &v, &n);

	for (size_t i = 0; i < n; i++) {
		if (!is_thread_named(d, v[i].thread, ".NET TP Worker"))
			continue;
		workers++;
		looked = looked || v[i].has_share;
		ran += !v[i].has_share || v[i].share;
		all_in_call = all_in_call && v[i].in_call;
	}
	*ret_looked = looked;
	*ret = !err && workers &&
	       (looked ? ran <= workers / RAN_FEW
		       : all_in_call && queued >= QUEUED_TIMES * workers);
	return err;
}

// If the program was watched: append whether no worker has run meanwhile.
static void add_workers_stood(const struct doctor *d, struct str *text)
{
	bool all = d->watched != NULL;

	for (size_t i = 0; i < d->n_threads && all; i++)
		if (!strcmp(d->threads[i].name, ".NET TP Worker"))
			all = doctor_stood(d, d->threads[i].number);
	if (all)
		doctor_stood_add(d, text);
}

struct dbg_error *doctor_pool(struct doctor *d)
{
	_cleanup_str_ struct str text = {0}, waiting = {0};
	struct dbg_pool pool;
	struct dbg_error *err = dbg_pool_get(d->at, true, &pool);
	uint64_t queued = 0;

	if (err)
		return err;
	for (int i = 0; i < DBG_N_WORK_QUEUES; i++)
		queued += pool.queued[i];
	size_t n = add_threads(d, is_worker, &waiting);
	bool stands = false, looked = false;

	if (queued && pool.workers)
		err = pool_stands(d, queued, &stands, &looked);
	if (err)
		return err;
	if (stands && n >= pool.workers) {
		str_addf(&text,
			 "The thread pool starves: work items that are queued: "
			 "%" PRIu64 ", and all %" PRIu32
			 " workers wait, threads%s",
			 queued, pool.workers, str_get(&waiting));
		add_worker_places(d, &text);
		add_workers_stood(d, &text);
		doctor_find(d, WEIGHT_SEVERE, "threadpool", str_get(&text));
		return NULL;
	} else if (stands && pool.working >= pool.workers &&
		   (looked || pool.cpu < CPU_LOW)) {
		str_addf(&text,
			 "The thread pool starves: work items that are queued: "
			 "%" PRIu64 ", and all %" PRIu32
			 " workers wait outside of the runtime",
			 queued, pool.workers);
		add_worker_places(d, &text);
		add_workers_stood(d, &text);
		doctor_find(d, WEIGHT_SEVERE, "pstacks", str_get(&text));
	} else if (queued >= QUEUE_LONG) {
		str_addf(&text,
			 "%" PRIu64 " work items are queued for %" PRIu32
			 " workers",
			 queued, pool.workers);
		doctor_find(d, WEIGHT_WARNING, "threadpool", str_get(&text));
	}
	str_clear(&text);
	str_add(&text, "Workers of the thread pool that wait for async calls "
		       "(Task.Wait, Result), threads");
	if (add_threads(d, is_sync_over_async, &text))
		doctor_find(d, WEIGHT_WARNING, "pstacks", str_get(&text));
	return NULL;
}

// The finalizer thread, if it waits within a finalizer of user code, in native
// code or for something known (*ret, else NULL); NULL: it does not.
static const struct dbg_thread *stuck_finalizer(const struct doctor *d,
						const struct dbg_blocked **ret)
{
	for (size_t i = 0; i < d->n_threads; i++) {
		const struct dbg_thread *t = &d->threads[i];
		const struct dbg_frame *top;
		struct dbg_frame f;

		if (strcmp(t->name, ".NET Finalizer"))
			continue;
		*ret = wait_of(d, t->number);
		return *ret || (own_frame(d, t->number, &f, &top) &&
				(top->above || top->kind == DBG_FRAME_NATIVE))
			   ? t
			   : NULL;
	}
	return NULL;
}

struct dbg_error *doctor_finalizer(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	const struct dbg_blocked *wait = NULL;
	struct dbg_finalizable *v;
	size_t n = 0, due = 0;
	struct dbg_error *err = dbg_finalizable_list(d->at, &v, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		due += v[i].ready;
	const struct dbg_thread *t = stuck_finalizer(d, &wait);

	if (t && (wait || due)) {
		str_addf(&text, "The finalizer thread %" PRIu32 " waits",
			 t->number);
		if (wait)
			str_addf(&text, " for %s", blocked_by[wait->kind]);
		doctor_place_add(d, t->number, &text);
		str_add(&text, ": no object is finalized meanwhile");
		if (due)
			str_addf(&text, ", and %zu %s due", due,
				 due == 1 ? "is" : "are");
		doctor_find(d, WEIGHT_SEVERE, wait ? "deadlock" : "stack",
			    str_get(&text));
	} else if (due >= DUE_MANY) {
		str_addf(&text, "%zu objects wait for their finalizers", due);
		doctor_find(d, WEIGHT_WARNING, "finalizequeue", str_get(&text));
	}
	return NULL;
}

static bool is_counted(const struct doctor *d, const struct dbg_thread *t)
{
	const struct dbg_blocked *b = wait_of(d, t->number);

	// others are the runtime's, and of those at one lock something is said
	return t->managed && !str_starts(t->name, ".NET ") &&
	       !(b && is_lock(b));
}

// The method that user code has called, or that the thread itself runs, where a
// tail call has left no user code; else the user's method. Methods below it may
// be inlined.
static const char *called_method(const struct doctor *d, uint32_t thread)
{
	const char *found = NULL;
	struct dbg_frame *f;
	size_t n = 0;

	if (dbg_err_drop(dbg_frame_list(d->at, thread, 0, FRAMES_OWN, &f, &n)))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (f[i].kind != DBG_FRAME_MANAGED)
			continue;
		if (found && (!f[i].framework ||
			      str_starts(f[i].name, "System.Threading.Thread."
						    "Start")))
			break;
		found = f[i].name;
		if (!f[i].framework)
			break;
	}
	return found;
}

// How many of the methods from number @i on are the same as that one.
static size_t count_same(const char *const *methods, size_t n, size_t i)
{
	size_t same = 0;

	for (size_t k = i; k < n && methods[i]; k++)
		same += methods[k] && !strcmp(methods[i], methods[k]);
	return same;
}

// Report methods that hundreds of threads are in, with the place in user code;
// some of the threads may lack it, since a tail call removes the frame.
static void find_common_method(struct doctor *d)
{
	const char **methods = xcalloc(d->n_threads + 1, sizeof(*methods));
	size_t n = 0, at = 0;

	for (size_t i = 0; i < d->n_threads; i++)
		if (d->n_threads >= CROWD_MANY && is_counted(d, &d->threads[i]))
			methods[i] = called_method(d, d->threads[i].number);
	for (; at < d->n_threads; at++) {
		n = count_same(methods, d->n_threads, at);
		if (n >= CROWD_MANY)
			break;
	}
	if (n >= CROWD_MANY) {
		_cleanup_str_ struct str text = {0}, place = {0};

		for (size_t i = at; i < d->n_threads && !place.len; i++)
			if (methods[i] && !strcmp(methods[at], methods[i]))
				doctor_place_add(d, d->threads[i].number,
						 &place);
		str_addf(&text, "%zu threads stand in %s%s%s", n, methods[at],
			 place.len ? ", as" : "", str_get(&place));
		doctor_find(d, WEIGHT_WARNING, "stack", str_get(&text));
	}
	free(methods);
}

struct dbg_error *doctor_threads(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_runtime_thread *v;
	size_t n = 0, ended = 0;
	struct dbg_error *err = dbg_runtime_thread_list(d->at, &v, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		ended += v[i].dead;
	find_common_method(d);
	if (ended < ENDED_MANY)
		return NULL;
	str_addf(&text,
		 "%zu threads have ended, and their Thread objects are still "
		 "there",
		 ended);
	doctor_find(d, WEIGHT_WARNING, "clrthreads", str_get(&text));
	return NULL;
}

// Report threads that use a processor, which is known if they were observed
// while they ran.
static bool find_busy_threads(struct doctor *d, const struct dbg_processor *v,
			      size_t n)
{
	_cleanup_str_ struct str text = {0};
	bool looked = false;
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		_cleanup_str_ struct str place = {0};

		looked = looked || v[i].has_share;
		if (v[i].share < SHARE_HIGH || v[i].in_call)
			continue;
		// a server's workers and the JIT are busy when there is work
		doctor_place_add(d, v[i].thread, &place);
		if (!place.len || found++ >= PLACES_MAX)
			continue;
		str_addf(&text,
			 "%sThread %" PRIu32 " \"%s\" uses %" PRIu32
			 " %% of a processor",
			 text.len ? "; " : "", v[i].thread,
			 name_of(d, v[i].thread), v[i].share);
		str_add(&text, str_get(&place));
	}
	if (found)
		doctor_find(d, WEIGHT_WARNING, "stack", str_get(&text));
	return looked;
}

struct dbg_error *doctor_processor(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	const struct dbg_processor *most = NULL;
	struct dbg_processor *v;
	size_t n = 0;
	uint64_t all = 0;
	struct dbg_error *err =
	    d->watched ? doctor_watched(d) : dbg_processor_list(d->at, &v, &n);

	if (d->watched || err || find_busy_threads(d, v, n))
		return err;
	for (size_t i = 0; i < n; i++) {
		all += v[i].used;
		if (!v[i].in_call && (!most || v[i].used > most->used))
			most = &v[i];
	}
	if (!all)
		doctor_untold(d, "processor time");
	if (!most || most->used < USED_LONG ||
	    most->used * 100 < all * USED_SHARE)
		return NULL;
	str_addf(&text,
		 "Thread %" PRIu32 " \"%s\" runs, and has used %" PRIu64
		 " of the %" PRIu64 " s of processor time of all threads",
		 most->thread, name_of(d, most->thread), most->used / 1000,
		 all / 1000);
	doctor_place_add(d, most->thread, &text);
	doctor_find(d, WEIGHT_NOTE, "stack", str_get(&text));
	return NULL;
}

/* ---- Load contexts and timers ---------------------------------------- */

struct dbg_error *doctor_contexts(struct doctor *d)
{
	_cleanup_str_ struct str text = {0}, kept = {0};
	const struct dbg_load_context *first = NULL;
	struct dbg_load_context *v;
	size_t n = 0, found = 0;
	struct dbg_error *err = dbg_load_context_list(d->at, &v, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (!v[i].unloading)
			continue;
		found++;
		first = first ? first : &v[i];
	}
	if (!first)
		return NULL;
	str_addf(&text,
		 "Load contexts that were told to unload and are still there: "
		 "%zu, as %s",
		 found, first->name ? first->name : first->type);
	if (first->allocator)
		heap_way_add(d->at, first->allocator, &kept, NULL);
	if (kept.len)
		str_addf(&text, ", kept by %s", str_get(&kept));
	doctor_find(d, WEIGHT_WARNING, "loadcontexts", str_get(&text));
	return NULL;
}

static int by_method(const void *a, const void *b)
{
	const struct dbg_timer *s = a, *t = b;

	return strcmp(s->method ? s->method : "", t->method ? t->method : "");
}

// The method that most timers call, and how many these are. NULL: it is not
// known.
static const char *most_called(struct dbg_timer *v, size_t n, size_t *ret)
{
	const char *most = NULL;

	*ret = 0;
	qsort(v, n, sizeof(*v), by_method);
	for (size_t i = 0, same = 1; i < n; i++, same++) {
		if (i && by_method(&v[i - 1], &v[i]))
			same = 1;
		if (same > *ret) {
			*ret = same;
			most = v[i].method;
		}
	}
	return most;
}

struct dbg_error *doctor_timers(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_timer *v;
	size_t n = 0, same;
	struct dbg_error *err = dbg_timer_list(d->at, &v, &n);

	if (err || n < TIMERS_MANY)
		return err;
	const char *most = most_called(v, n, &same);

	str_addf(&text, "%zu timers are set", n);
	if (most)
		str_addf(&text, ", %zu of them call %s", same, most);
	doctor_find(d, WEIGHT_WARNING, "timers", str_get(&text));
	return NULL;
}

/* ---- Async calls and tasks ------------------------------------------- */

static void add_call(const struct dbg_task *task, struct str *text)
{
	str_addf(text, "%s", task->method ? task->method : task->type);
	if (task->source.path)
		str_addf(text, " at %s:%" PRIu32,
			 str_basename(task->source.path), task->source.line);
}

static void add_calls(const struct dbg_async_chain *c, struct str *text)
{
	for (size_t i = 0; i < c->n && i < PLACES_MAX; i++) {
		str_add(text, i ? ", awaited by " : ": ");
		add_call(&c->v[i], text);
	}
}

// The call of the chain @c that may hold the semaphore its first call waits
// for: an outer call of the same method, at another await. NULL: none.
static const struct dbg_task *semaphore_holder(const struct dbg_async_chain *c)
{
	const struct dbg_task *first = c->n > 1 ? &c->v[1] : NULL;

	for (size_t i = 2; i < c->n && first->method; i++)
		if (c->v[i].method && c->v[i].source.path &&
		    !strcmp(c->v[i].method, first->method) &&
		    (c->v[i].source.line != first->source.line ||
		     c->v[i].source.column != first->source.column))
			return &c->v[i];
	return NULL;
}

static bool is_for_semaphore(const struct dbg_async_chain *c)
{
	return !c->circle && c->n && c->v[0].what &&
	       str_starts(c->v[0].what, "SemaphoreSlim.WaitAsync of ");
}

static uint64_t count_alike(const struct dbg_async *found,
			    const struct dbg_async_chain *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < found->n_chains; i++)
		if (is_for_semaphore(&found->chains[i]) &&
		    !strcmp(found->chains[i].v[0].what, c->v[0].what))
			n += found->chains[i].count;
	return n;
}

// Note the SemaphoreSlim that most async calls wait for, if many do: nothing
// tells who is to release it.
static void note_semaphore(struct doctor *d, const struct dbg_async *found)
{
	const struct dbg_async_chain *most = NULL;
	_cleanup_str_ struct str text = {0};
	uint64_t n_most = CONVOY_MANY - 1;

	for (size_t i = 0; i < found->n_chains; i++) {
		const struct dbg_async_chain *c = &found->chains[i];
		uint64_t n = is_for_semaphore(c) ? count_alike(found, c) : 0;

		if (n > n_most) {
			most = c;
			n_most = n;
		}
	}
	if (!most)
		return;
	str_addf(&text,
		 "%" PRIu64 " async calls wait in %s, of which is not "
		 "known who is to release it",
		 n_most, most->v[0].what);
	if (most->n > 1) {
		str_add(&text, ": ");
		add_call(&most->v[1], &text);
	}
	doctor_find(d, WEIGHT_NOTE, "dumpasync", str_get(&text));
}

// Report async calls that wait for a SemaphoreSlim which an outer call of the
// same chain may hold.
static void find_semaphores(struct doctor *d, const struct dbg_async *found)
{
	for (size_t i = 0; i < found->n_chains; i++) {
		const struct dbg_async_chain *c = &found->chains[i];
		const struct dbg_task *before =
		    is_for_semaphore(c) ? semaphore_holder(c) : NULL;
		_cleanup_str_ struct str text = {0};

		if (!before)
			continue;
		uint64_t n = count_alike(found, c);
		str_addf(&text,
			 "%" PRIu64 " async call%s in %s; one of them is "
			 "awaited by a call of the same method, which may have "
			 "it: ",
			 n, n == 1 ? " waits" : "s wait", c->v[0].what);
		add_call(&c->v[1], &text);
		str_add(&text, " for ");
		add_call(before, &text);
		doctor_find(d, WEIGHT_WARNING, "dumpasync", str_get(&text));
		return;
	}
	note_semaphore(d, found);
}

struct dbg_error *doctor_async(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	const struct dbg_task_query query = {0};
	struct dbg_async found;
	struct dbg_error *err = dbg_async_list(d->at, &query, &found);
	uint64_t circles = 0, most = 0;

	if (err)
		return err;
	for (size_t i = 0; i < found.n_chains; i++) {
		const struct dbg_async_chain *c = &found.chains[i];

		circles += c->circle ? c->count : 0;
		most = !c->circle && c->count > most ? c->count : most;
	}
	if (circles) {
		str_addf(&text,
			 "Async calls that await each other in a circle: "
			 "%" PRIu64,
			 circles);
		// circles come first
		add_calls(&found.chains[0], &text);
		doctor_find(d, WEIGHT_SEVERE, "dumpasync", str_get(&text));
	}
	find_semaphores(d, &found);
	if (most < CALLS_MANY)
		return NULL;
	str_clear(&text);
	str_addf(&text, "%" PRIu64 " async calls wait at one place", most);
	doctor_find(d, WEIGHT_WARNING, "dumpasync --top 3", str_get(&text));
	return NULL;
}

struct dbg_error *doctor_tasks(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	const struct dbg_task_query query = {0};
	const struct dbg_task *first = NULL;
	struct dbg_tasks found;
	struct dbg_error *err = dbg_task_list(d->at, &query, &found);
	uint64_t n = 0;

	for (size_t i = 0; !err && i < found.n; i++) {
		if (!found.v[i].unobserved)
			continue;
		n++;
		first = first ? first : &found.v[i];
	}
	if (!first)
		return err;
	str_addf(&text,
		 "Tasks with an exception that nobody has looked at: %" PRIu64
		 ", as %s: %s",
		 n, first->exception, first->message ? first->message : "");
	doctor_find(d, WEIGHT_WARNING, "tasks", str_get(&text));
	return NULL;
}
