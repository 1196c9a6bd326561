/*
 * Threads and frames of the stopped program.
 *
 * There are two lists of a thread's frames: the managed ones, by which the
 * engine works (stack_frame), and what a person sees (stack_display): native
 * frames among the managed ones, or folded, and behind them the async methods
 * that wait for the one that was resumed on this thread.
 *
 * Thread numbers live as long as the session; frames as long as the stop,
 * walked on demand and kept. Frames of the runtime's own exception dispatch
 * above a throw are left out.
 */
#ifndef STACK_STACK_H
#define STACK_STACK_H

#include "code/code.h"
#include "dac/dac.h"
#include "dbg.h"
#include "sample/asyncops.h"
#include "target/unwind.h"
#include "value/value.h"

struct arena;
struct stack;

struct frame {
	pid_t tid;
	uint32_t thread; /* number */
	uint32_t level;
	uint32_t serial; /* 0, 1, ... in order of walking in this stop */
	enum dbg_frame_kind kind;
	struct dac_frame raw;
	const struct code_pos *pos; /* NULL unless managed */
	bool is_signal;             /* native: the kernel's call of a handler */
	/*
	 * Frames that the runtime's walk has passed over in front of this one,
	 * newest first: stubs, exception dispatch, transitions from native
	 * code.
	 */
	const struct dac_frame *between;
	size_t n_between;
	/*
	 * A handler: the frames that its throw went through, newest first, and
	 * the body that it belongs to.
	 */
	const struct frame *const *caught;
	size_t n_caught;
	/* ASYNC: one of them */
	const struct value *machine; /* the state machine */
	const struct continuation *continuation;
	const char *label; /* CHAIN */
};

struct stack *stack_create(struct target *t);
void stack_destroy(struct stack *s);
/* Set the runtime that is up: managed stacks from here on. NULL: it is gone. */
void stack_set_runtime(struct stack *s, struct dac *d, struct code *c);
/*
 * Set the types of the runtime, by which async calls are followed; NULL: none.
 */
void stack_set_types(struct stack *s, struct values *ts);
/*
 * Begin a new stop: forget frames and facts about threads; @arena serves the
 * stop.
 */
void stack_reset(struct stack *s, struct arena *arena);

/* Numbers; a thread gets its number when first seen. */
uint32_t stack_thread_number(struct stack *s, pid_t tid);
void stack_thread_gone(struct stack *s, pid_t tid);
pid_t stack_thread_tid(struct stack *s, uint32_t number); /* 0: none */
/* The lowest number of a managed thread; 0: none. */
uint32_t stack_first_managed(struct stack *s);

/* List all threads, by number, without names; in the arena of the stop. */
DBG_MUST struct dbg_error *
stack_threads(struct stack *s, struct dbg_thread **ret, size_t *ret_n);
/* Fill in the name of one of them, and whether it is the runtime's own. */
void stack_thread_describe(struct stack *s, struct dbg_thread *t);
/* Is a managed one the runtime's own, and runs no managed code at the moment?
 */
bool stack_thread_idles(struct stack *s, struct dbg_thread *t);
/* Get the frame @level of a thread; *ret NULL: the stack ends before it. */
DBG_MUST struct dbg_error *stack_frame(struct stack *s, uint32_t thread,
				       uint32_t level,
				       const struct frame **ret);
/*
 * The thread has stopped behind the instruction that caused the stop (a watch):
 * take the position of its newest frame from that instruction, until the next
 * reset.
 */
void stack_behind(struct stack *s, pid_t tid);
bool stack_is_behind(const struct stack *s, pid_t tid);
/* Are native frames and the runtime's stubs shown, or folded? */
void stack_show_native(struct stack *s, bool on);
/*
 * Are managed frames in a row that run none of the user's code shown as one?
 * Not while native ones are shown.
 */
void stack_fold_external(struct stack *s, bool on);
/*
 * Do the frames that a throw went through follow the handler that runs, as
 * DBG_FRAME_THROWN?
 */
void stack_show_caught(struct stack *s, bool on);
/*
 * Is the module of a thread's newest frame the user's, who is looking at it,
 * however it was built?
 */
enum stack_home {
	STACK_HOME_HERE,   /* if its source is here */
	STACK_HOME_ASKED,  /* yes: a breakpoint or a step has led there */
	STACK_HOME_THROWN, /* no: an exception has */
};
/*
 * Set how thread @number came to stop; all other threads have STACK_HOME_HERE.
 */
void stack_set_stopped(struct stack *s, uint32_t number, enum stack_home home);
/* As stack_frame, but counting the frames that are displayed. */
DBG_MUST struct dbg_error *stack_display(struct stack *s, uint32_t thread,
					 uint32_t level,
					 const struct frame **ret);
/* A frame of a throw, which is on no stack any more. */
struct stack_thrown {
	uint64_t ip; /* in the instruction that called or threw */
	uint64_t method;
};

/*
 * Note that the frame of @tid with the stack pointer @sp has made a call for
 * the debugger: it is displayed as a label. 0: none has.
 */
void stack_set_called(struct stack *s, pid_t tid, uint64_t sp);
/*
 * Let what is displayed of @thread in this stop begin with these @n frames,
 * newest first. @list must live as long as the stop.
 */
void stack_set_thrown(struct stack *s, uint32_t thread,
		      const struct stack_thrown *list, size_t n);
/* Describe one of those, of whatever exception; false: users do not see it. */
bool stack_thrown_describe(struct stack *s, const struct stack_thrown *at,
			   struct dbg_frame *ret);
/* Fill in the API's description of a frame that is shown, all but its id. */
void stack_describe(struct stack *s, uint32_t thread, uint32_t level,
		    struct dbg_frame *ret);
/*
 * The instance of generic code that a frame runs, as far as it tells: the exact
 * class (NULL: the method's own) and MethodDesc.
 */
struct stack_instance {
	struct type *type;
	uint64_t method;
};

void stack_frame_instance(struct values *ts, const struct frame *f,
			  struct stack_instance *ret);
/*
 * Get the addresses at which @f has saved registers of its caller; 0: not
 * saved, SAVED_REG_LOST: not known.
 */
void stack_keeps(struct stack *s, const struct frame *f,
		 uint64_t at[N_SAVED_REGS]);
/*
 * Write a register of a managed frame, by its number in machine code: in the
 * processor, or where a frame that it called has saved it. DBG_E_STATE: there
 * is no such place, or it is not known.
 */
DBG_MUST struct dbg_error *stack_register_set(struct stack *s,
					      const struct frame *f,
					      unsigned int reg, uint64_t value);
/*
 * Get the variables of a managed frame (dac_frame_vars, dac_var_register),
 * corrected so that they are right at each of its instructions. DBG_E_STATE:
 * they have no place while the frame is being built.
 */
DBG_MUST struct dbg_error *
stack_frame_vars(struct values *ts, const struct frame *f, bool args,
		 struct arena *arena, struct dac_var **ret, size_t *ret_n);
DBG_MUST struct dbg_error *stack_var_register(struct values *ts,
					      const struct frame *f,
					      const struct dac_var *var,
					      unsigned int *ret);
/* The runtime's Thread* of a thread; 0: none. */
uint64_t stack_managed_thread(struct stack *s, pid_t tid);

/* ---- Async calls ----------------------------------------------------- */

/* Types of the runtime that is up; NULL: none. */
struct values *stack_types(struct stack *s);
/*
 * Get the state machine of the async method or async iterator that @f runs;
 * false: it runs none.
 */
bool stack_machine(struct stack *s, const struct frame *f, struct value *ret);
/*
 * Does @f run an async method, whether or not its state machine can be found?
 */
bool stack_runs_async(struct stack *s, const struct frame *f);
/*
 * Does @f run a `task { }` of F# by its closures, as code compiled for
 * debugging does? They are called from here, and what awaits it is resumed from
 * here unless that is to go on elsewhere.
 */
bool stack_runs_closures(struct stack *s, const struct frame *f);
/*
 * Get the object that stands for the call with the state machine @machine, as a
 * rule a task; false: the call has not waited yet.
 */
bool stack_call(struct stack *s, const struct value *machine,
		struct value *ret);
/*
 * Get what is resumed when the async method of @machine ends; false: nothing,
 * or it is not known.
 */
bool stack_machine_awaiter(struct values *ts, const struct value *machine,
			   struct value *ret);
/*
 * Step @i from what is resumed towards the state machine whose method awaits:
 * there are several from a list alone, whose free elements are null. False at
 * the end.
 */
bool stack_link(struct values *ts, const struct value *at, size_t i,
		struct value *ret);
/*
 * The number of the await that @machine is at; negative: it is at none. An
 * async iterator that waits to be asked for more is at a number below
 * MACHINE_RUNS.
 */
enum {
	MACHINE_RUNS = -1,
};
bool stack_machine_state(struct values *ts, const struct value *machine,
			 int32_t *ret);
/*
 * Make a frame, on no stack, of the method of a suspended call (a state machine
 * or a Continuation), in the arena of the stop; NULL: it is no async method.
 * stack_suspended_describe fills in what stack_describe does.
 */
struct frame *stack_suspended_frame(struct stack *s, const struct value *call);
/*
 * Number a suspended call's frame among the frames of the stop, so that it can
 * have an id.
 */
void stack_frame_number(struct stack *s, struct frame *f);
void stack_suspended_describe(struct stack *s, const struct frame *f,
			      struct dbg_frame *ret);
/*
 * The task of the async call that a frame runs: of a state machine's method,
 * or for runtime async of the frame that has resumed it
 * (DispatchContinuations). 0: none; or a call that has not waited yet may have
 * no task.
 */
uint64_t stack_frame_task(struct stack *s, const struct frame *f);
/*
 * Make such a frame of the call of runtime async that thread @tid, which has
 * resumed it, runs for @task (a RuntimeAsyncTask); NULL: it runs none. It walks
 * the thread's stack.
 */
struct frame *stack_running_call(struct stack *s, pid_t tid, uint64_t task);
/*
 * Call @fn for the async methods that wait for the one that @f runs, nearest
 * first.
 */
typedef void stack_waiter_fn(void *arg, struct frame *f);
void stack_waiters(struct stack *s, const struct frame *f, stack_waiter_fn *fn,
		   void *arg);

/* What @method has to do with async calls that were resumed. */
enum async_part stack_async_part(struct stack *s, uint64_t method);

/*
 * As stack_waiters, by the objects that the words lead to; false: there is none
 * of a call of that method that runs.
 */
bool stack_resumed_waiters(struct stack *s, const struct async_resumed *r,
			   stack_waiter_fn *fn, void *arg);

/* ---- Suspended calls of runtime async ------------------------------------ */

enum {
	CONTINUATIONS_MAX = 4096, /* of a chain */
};

/* A suspended call of runtime async; see async.c. */
struct continuation {
	uint64_t addr;
	uint64_t ip;     /* where in its code it waits, 0: it is no method's */
	uint64_t method; /* MethodDesc of that code, 0: it is no method's */
	int32_t state;   /* number of the await in the method */
	const struct debug_await *await; /* NULL: not known */
	uint64_t task; /* object, of its chain; 0: not known */
};

/* Is the settled @v an object of System...Continuation or derived from it? */
bool continuation_is(struct values *ts, const struct value *v);
bool continuation_is_type(struct values *ts, struct type *type);
/* False: it is none, or the core library has another form of them. */
bool continuation_read(struct values *ts, const struct value *v,
		       struct continuation *ret);
/*
 * Get the call that awaits the call @v in the same task; false: @v is the
 * outermost.
 */
bool continuation_next(struct values *ts, const struct value *v,
		       struct value *ret);
/*
 * Get the first Continuation from @v on that belongs to a method; false: none
 * does.
 */
bool continuation_first(struct values *ts, const struct value *v,
			struct value *ret);
/*
 * Get the chain of a task of runtime async, beginning with the call that is
 * resumed first; false: @task has none, or a thread runs it.
 */
bool continuation_of_task(struct values *ts, const struct value *task,
			  struct value *ret);
/* Get the outermost call of that chain; false likewise. */
bool continuation_outermost(struct values *ts, const struct value *task,
			    struct continuation *ret);
/* Is it RuntimeAsyncTask<T>, the task of a chain of runtime async calls? */
bool continuation_is_task(struct values *ts, const struct type *type);

/* A task of runtime async that a thread runs. */
struct continuation_record {
	uint64_t addr;     /* on the stack, within DispatchContinuations */
	struct value task; /* RuntimeAsyncTask<T> */
	bool any;          /* @next is valid */
	struct value
	    next; /* the call that is resumed when the present one is done */
};

/*
 * Call @fn for each record of a thread, newest first, until it returns false.
 */
typedef bool continuation_fn(void *arg, const struct continuation_record *r);
void continuation_records(struct stack *s, pid_t tid, continuation_fn *fn,
			  void *arg);
/*
 * Get the task that frame @f, of DispatchContinuations, runs; false: @f is no
 * such frame.
 */
bool continuation_record_of(struct stack *s, const struct frame *f,
			    struct continuation_record *ret);

/* ---- stack.c ----------------------------------------------------- */

/*
 * Make a thread that does not exist, whose frames are suspended calls, until
 * the next reset; returns its number, from DBG_THREAD_SUSPENDED on.
 */
uint32_t stack_suspended_create(struct stack *s);
/* Append a frame made by stack_suspended_frame to it. */
void stack_suspended_add(struct stack *s, uint32_t thread, struct frame *f);
/* Append a frame that is only a text. */
void stack_suspended_label(struct stack *s, uint32_t thread, const char *text);
/* Is @number a thread, or a made-up thread of suspended calls? */
bool stack_thread_known(struct stack *s, uint32_t number);

/* ---- registers.c ----------------------------------------------------- */

/*
 * Get the integer registers of a frame, as far as they are known: *@ret_n of
 * them, in the order in which debuggers list them. DBG_E_NOT_FOUND: an async or
 * thrown frame has none.
 */
DBG_MUST struct dbg_error *stack_registers(struct target *t,
					   const struct frame *f,
					   struct regs_item ret[ARCH_LISTED],
					   size_t *ret_n);
/* Is there a register of that name, without its "$"? */
bool stack_register_named(const char *name);
/* Get one register by name; pc, sp and fp are valid names on any processor. */
DBG_MUST struct dbg_error *stack_register(struct target *t,
					  const struct frame *f,
					  const char *name,
					  struct regs_item *ret);

#endif
