/* dbg.h: tasks and async calls on the heap. */
#ifndef DBG_ASYNC_H
#define DBG_ASYNC_H

#include "dbg/stopped.h"
#include "dbg/frames.h"

/* States of a task, as in TaskStatus. */
enum dbg_task_state {
	DBG_TASK_CREATED, /* not started */
	DBG_TASK_WAITING, /* an async call, or a promise somebody is to keep */
	DBG_TASK_QUEUED,
	DBG_TASK_RUNNING,
	DBG_TASK_CHILDREN, /* waits for those that it has started */
	DBG_TASK_DONE,
	DBG_TASK_CANCELED,
	DBG_TASK_FAULTED,
	DBG_N_TASK_STATES,
};

/* "waiting", "queued". */
const char *dbg_task_state_name(enum dbg_task_state state);

struct dbg_task {
	uint64_t addr, method_table;
	const char *type;
	enum dbg_task_state state;
	uint32_t id; /* Task.Id; 0: nobody has asked for it */
	bool async;  /* a call of an async method */
	bool waited; /* a thread waits for it */
	/* The async method, or what its delegate calls; NULL: neither. */
	const char *method, *params;
	struct dbg_source_range source; /* of the await; path NULL: unknown */
	const char *module;             /* of the method; NULL: none */
	bool framework;                 /* ... which is not the user's */
	/* "Task.Delay, 5000 ms": what it stands for; NULL: its method tells */
	const char *what;
	const char *exception, *message; /* FAULTED: type and text */
	bool unobserved;                 /* ... which nobody has looked at */
	dbg_id frame; /* of an async call if it was asked for; 0: none */
};

struct dbg_task_query {
	const char *type; /* pattern of methods and types, NULL: any */
	bool completed;   /* dbg_task_list: also completed, faulted and canceled
			     tasks */
	bool each;        /* dbg_async_list: chains one by one, not merged */
	bool frames;      /* dbg_async_list: fill in dbg_task.frame */
};

struct dbg_tasks {
	struct dbg_task *v; /* by address */
	size_t n;
	uint64_t counts[DBG_N_TASK_STATES]; /* all of the heap */
	bool cut;                           /* there are more than listed */
	const char **damages;               /* see dbg_heap_stat */
	size_t n_damages;
};

/*
 * List the tasks on the heap, including those that nothing refers to any more.
 */
DBG_MUST struct dbg_error *dbg_task_list(struct dbg_stopped at,
					 const struct dbg_task_query *query,
					 struct dbg_tasks *ret);

/*
 * Async calls that await each other: what is awaited first, to the outermost
 * call; @count chains are the same but for the objects.
 */
struct dbg_async_chain {
	struct dbg_task *v;
	size_t n;
	uint64_t count;
	bool circle; /* they await each other: none ever ends */
};

struct dbg_async {
	/*
	 * Circles, then what a thread waits for, then what has code of the
	 * user's; of these the most first.
	 */
	struct dbg_async_chain *chains;
	size_t n_chains;
	uint64_t n_calls;   /* async calls that wait */
	uint64_t n_running; /* ... that are on a stack */
	bool cut;
	const char **damages;
	size_t n_damages;
};

/*
 * List the async calls that wait, as chains from what is awaited first to the
 * outermost call.
 */
DBG_MUST struct dbg_error *dbg_async_list(struct dbg_stopped at,
					  const struct dbg_task_query *query,
					  struct dbg_async *ret);

/*
 * Suspended calls as the stack of a thread that there is not: its number, from
 * DBG_THREAD_SUSPENDED on, is one for dbg_frame_list until the program goes on.
 * The frames have variables, and expressions are evaluated in them.
 *
 * Of the async call @addr (dbg_task.addr) and those that await it.
 * DBG_E_NOT_FOUND: there is no suspended call.
 */
DBG_MUST struct dbg_error *dbg_suspended_call(struct dbg_stopped at,
					      uint64_t addr, uint32_t *ret);
/*
 * May there be suspended calls? That is told by types that the runtime has made
 * for calls that have waited, and costs little.
 */
bool dbg_suspended_any(struct dbg_stopped at);
/*
 * Make a list of frames of all suspended calls: the chains of dbg_async_list,
 * each behind a frame that describes it.
 */
DBG_MUST struct dbg_error *dbg_suspended_all(struct dbg_stopped at,
					     uint32_t *ret);

/* ---- The thread pool -------------------------------------------------- */

enum dbg_work_queue {
	DBG_WORK_HIGH,
	DBG_WORK_GLOBAL,
	DBG_WORK_LOW,
	DBG_WORK_LOCAL, /* of the workers that have begun it */
	DBG_N_WORK_QUEUES,
};

/* Work items of one queue that do the same. */
struct dbg_work {
	enum dbg_work_queue queue;
	uint64_t count;
	uint64_t first;              /* one of them */
	const char *type;            /* of the items */
	const char *method, *params; /* that they call; NULL: not known */
};

struct dbg_pool {
	bool started;            /* else all but what is queued is 0 */
	uint32_t workers;        /* threads */
	uint32_t working;        /* of them, with a work item */
	uint32_t blocked;        /* ... which waits for a task */
	uint32_t goal, min, max; /* of workers */
	uint32_t cpu;            /* per cent that are used, when last looked */
	uint64_t queued[DBG_N_WORK_QUEUES];
	struct dbg_work *work;
	size_t n_work;
};

/*
 * @items: each work item is looked at, for @work. Else the list is empty, and
 * items that are being taken or added are counted as well.
 */
DBG_MUST struct dbg_error *dbg_pool_get(struct dbg_stopped at, bool items,
					struct dbg_pool *ret);

/* A timer that is set. */
struct dbg_timer {
	uint64_t addr;
	uint32_t due;     /* ms from when it was set */
	uint32_t period;  /* ms; UINT32_MAX: none */
	uint64_t started; /* Environment.TickCount64 when it was set */
	const char *method, *params; /* its callback; NULL: not known */
	const char *state;           /* type of what that is given; NULL */
};

/* List the timers that are set. */
DBG_MUST struct dbg_error *
dbg_timer_list(struct dbg_stopped at, struct dbg_timer **ret, size_t *ret_n);

/* ---- Who waits for whom ----------------------------------------------- */

enum dbg_blocked_kind {
	DBG_BLOCKED_MONITOR, /* lock, Monitor.Enter */
	DBG_BLOCKED_LOCK,    /* System.Threading.Lock */
	DBG_BLOCKED_RWLOCK,  /* ReaderWriterLockSlim */
	DBG_BLOCKED_SEMAPHORE,
	DBG_BLOCKED_TASK,   /* Task.Wait, Task<T>.Result */
	DBG_BLOCKED_EVENT,  /* ManualResetEventSlim, also of another object */
	DBG_BLOCKED_THREAD, /* Thread.Join */
	DBG_BLOCKED_HANDLE, /* WaitHandle: AutoResetEvent, ... */
	DBG_BLOCKED_MUTEX,
	DBG_BLOCKED_BARRIER,
	DBG_BLOCKED_COUNTDOWN,  /* CountdownEvent */
	DBG_BLOCKED_COLLECTION, /* BlockingCollection */
	DBG_BLOCKED_CLASS,      /* its constructor is run; no object: type */
	DBG_BLOCKED_PULSE,      /* Monitor.Wait */
	DBG_BLOCKED_LAZY,       /* its value is made by another thread */
	DBG_BLOCKED_CALLBACK,   /* of a CancellationToken, which runs */
	DBG_BLOCKED_RWLOCK_OLD, /* ReaderWriterLock; its readers: not known */
	DBG_BLOCKED_PROCESS,    /* Process.WaitForExit */
	DBG_BLOCKED_SPIN,       /* SpinLock, SpinWait; no object */
};

/* A thread that waits for a lock, a task, ... */
struct dbg_blocked {
	uint32_t thread;
	enum dbg_blocked_kind kind;
	uint64_t object;
	const char *type; /* of the object */
	/*
	 * TASK, if the heap was walked: the call that it is, "P.Load at
	 * P.cs:7", and what that, or what it awaits, awaits in the end:
	 * "SemaphoreSlim.WaitAsync of 0x7f00". PROCESS: "process 4242". NULL:
	 * not known.
	 */
	const char *what, *awaits;
	/*
	 * The thread that has the lock, that runs the task or what it awaits,
	 * or that is to end; 0: none, or not known.
	 */
	uint32_t owner;
	uint32_t more_owners; /* RWLOCK: readers besides it */
	/*
	 * MUTEX that a thread of another process has: its number and that of
	 * the process, as the program sees them; 0: not known.
	 */
	uint32_t outside, process;
	bool deadlock;     /* the owner waits for it, maybe by others between */
	bool async_circle; /* TASK: of async calls that await each other */
	/*
	 * Following the owners from this wait: the last thread that waits
	 * (perhaps this one), and the thread that it waits for, which does not
	 * wait itself; 0: not known. Both 0: the way leads into a deadlock
	 * cycle.
	 */
	uint32_t last, holder;
};

/*
 * List the waits, by thread. With @heap the heap is walked to find who awaits
 * whom; without, the owner of a task is known only if a thread runs the task
 * itself.
 */
DBG_MUST struct dbg_error *dbg_blocked_list(struct dbg_stopped at, bool heap,
					    struct dbg_blocked **ret,
					    size_t *ret_n);

#endif
