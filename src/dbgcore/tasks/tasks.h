/*
 * Tasks and async calls, found on the heap.
 *
 * A task (System.Threading.Tasks.Task) is what others wait for. An async call
 * that had to wait goes on in a state machine, which lies in a task, or with a
 * pooling builder in an object that stands in for one: its box. Those of
 * runtime async are Continuations, which their task leads to
 * (stack/async.c). What is resumed at a task's end is in the task, so
 * edges lead from what is awaited to who awaits it. A task that nothing leads
 * to is what a chain of calls is stuck at.
 *
 * The heap is walked once. All is found by the names of types and fields of the
 * core library, which .NET 8 to 11 share. Nothing that is read is trusted:
 * lists are capped, cycles end, an edge leads to an object of the list alone.
 */
#ifndef TASKS_TASKS_H
#define TASKS_TASKS_H

#include "dbg.h"
#include "heap/heap.h"
#include "stack/stack.h"
#include "value/value.h"

enum {
	TASKS_MAX = 1 << 20, /* kept; more are counted */
};

/*
 * The calls of a task of runtime async. The outermost call is described with
 * the task; each other call is an entry of its own, at the address of its
 * Continuation. All 0 for other tasks.
 */
struct task_calls {
	uint64_t continuation; /* the object that the call is suspended in */
	uint64_t first;        /* of the task: the one that is resumed first */
	uint64_t next;         /* of the others: who awaits it */
	bool runtime_async;
	/*
	 * The thread that runs it: all calls that are here await that. 0: none.
	 */
	pid_t tid;
};

struct task {
	uint64_t addr, mt;
	uint64_t kind; /* equal: of the same method, or the same type */
	uint32_t id;   /* Task.Id; 0: nobody has asked for it */
	enum dbg_task_state state;
	bool is_box;      /* it has a suspended call */
	int32_t await;    /* of a box: number of the await, -1: none */
	uint64_t owner;   /* see struct task_owner; 0: not known */
	bool waited;      /* a thread waits for it (Task.Wait) */
	uint64_t context; /* SynchronizationContext that resumes it; 0: none */
	struct task_calls calls;
	uint32_t first_edge, n_edges; /* who awaits it */
	bool awaits;                  /* some edge leads to it */
};

/* The object that hands out a task, or at which the task waits in line. */
struct task_owner {
	uint64_t task, owner;
};

struct tasks {
	struct heap *heap;
	struct stack *stack;
	struct values *values;
	struct arena *arena; /* of the stop */
	bool completed;      /* keep those as well that are done */
	struct task *v;      /* by address */
	size_t n, cap;
	uint64_t counts[DBG_N_TASK_STATES]; /* of all, kept or not */
	bool cut;                           /* TASKS_MAX are kept */
	uint32_t *edges;                    /* indexes; see struct task */
	size_t n_edges, cap_edges;
	struct task_owner *owners;
	size_t n_owners, cap_owners;
	struct task_owner *contexts; /* in which boxes are resumed */
	size_t n_contexts, cap_contexts;
	bool any_chain; /* there are tasks of runtime async */
	struct heap_kinds kinds;
	struct type *task;        /* System.Threading.Tasks.Task */
	uint64_t flags_at, id_at; /* offsets in a task */
};

/* The task at @addr among those found; NULL if it is not among them. */
struct task *tasks_at(const struct tasks *t, uint64_t addr);

/*
 * May there be async calls that wait, by the types that the runtime has made
 * for some that have waited? The heap is not looked at.
 */
bool tasks_may_wait(struct values *values);
/*
 * Find all tasks of the heap. DBG_E_RUNTIME if the core library is not as it
 * is known; DBG_E_INTERRUPTED.
 */
DBG_MUST struct dbg_error *tasks_find(struct tasks *t);
void tasks_deinit(struct tasks *t);
/* The state of the task at @addr, which need not be among those found. */
enum dbg_task_state tasks_state(const struct tasks *t, uint64_t addr);

/* ---- taskedges.c ----------------------------------------------------- */

/* Find out who awaits what. */
DBG_MUST struct dbg_error *tasks_link(struct tasks *t);
/*
 * Takes a chain of tasks (indexes): the innermost one that is awaited, then the
 * one that awaits it, and so on to the outermost. @circle: the last one is
 * awaited by one of the chain. False ends the walk.
 */
typedef bool tasks_chain_fn(void *arg, const uint32_t *chain, size_t n,
			    bool circle);
/*
 * Calls @fn for each chain until it returns false. *ret_cut: there are more, or
 * longer ones, than are followed.
 */
DBG_MUST struct dbg_error *tasks_chains(const struct tasks *t,
					tasks_chain_fn *fn, void *arg,
					bool *ret_cut);

/* ---- pool.c ------------------------------------------------------ */

/* The state machine or Continuation of a box; false: it has none. */
bool tasks_call(const struct tasks *t, const struct task *task,
		struct value *ret);
/* Fill in everything that the API tells about a task, except its exception. */
void tasks_describe(const struct tasks *t, const struct task *task,
		    struct dbg_task *ret);
/*
 * The address of the first exception of a faulted task, 0: none. *ret_seen: the
 * program has observed the exception.
 */
uint64_t tasks_exception(const struct tasks *t, const struct task *task,
			 bool *ret_seen);

#endif
