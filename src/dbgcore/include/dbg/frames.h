/* dbg.h: threads and frames. */
#ifndef DBG_FRAMES_H
#define DBG_FRAMES_H

#include "dbg/stopped.h"

struct dbg_thread {
	uint32_t number; /* 1, 2, ... in order of birth */
	pid_t tid;
	bool managed;
	uint32_t managed_id; /* Environment.CurrentManagedThreadId */
	bool runtime;        /* the runtime's own: none of the program's code */
	bool named;          /* by Thread.Name */
	/* Thread.Name, "Main Thread", else the kernel's; never NULL */
	const char *name;
};

/*
 * List all threads, by number. With the setting "runtime-threads" off, only
 * threads that run code of the program, the main thread, and the thread of the
 * stop.
 */
DBG_MUST struct dbg_error *
dbg_thread_list(struct dbg_stopped at, struct dbg_thread **ret, size_t *ret_n);
/* List the numbers of all threads, which is cheap: names are not looked for. */
DBG_MUST struct dbg_error *dbg_thread_numbers(struct dbg_stopped at,
					      uint32_t **ret, size_t *ret_n);

/* Processor time of a thread. */
struct dbg_processor {
	uint32_t thread;
	bool in_call;   /* it waits, or is at work, in a system call */
	bool has_share; /* see dbg_attach.look */
	uint32_t share; /* of one processor, or of the wait for it, %: 0 none */
	uint64_t used;  /* ms in all; 0: not known */
};

/* As dbg_thread_list; createdump's cores do not tell it. */
DBG_MUST struct dbg_error *dbg_processor_list(struct dbg_stopped at,
					      struct dbg_processor **ret,
					      size_t *ret_n);

enum dbg_frame_kind {
	DBG_FRAME_MANAGED,
	DBG_FRAME_NATIVE,   /* outside managed code */
	DBG_FRAME_RUNTIME,  /* a transition into or out of the runtime */
	DBG_FRAME_ASYNC,    /* on no stack: awaits what the frames before do */
	DBG_FRAME_EXTERNAL, /* one for several in a row that are not the user's
			     */
	DBG_FRAME_THROWN,   /* recorded in the exception, on no stack any more
			     */
	DBG_FRAME_CALLED,   /* a label: the frame before it was called by an
			       evaluation of the debugger */
	DBG_FRAME_CHAIN,    /* a label: suspended calls of one chain follow */
};

enum {
	/* Numbers of threads that stand for suspended calls: see async.c. */
	DBG_THREAD_SUSPENDED = 1 << 30,
};

struct dbg_source_range {
	const char *path; /* as in the PDB after substitute-path */
	uint32_t line, column, end_line, end_column; /* 1-based; 0: none */
};

struct dbg_frame {
	dbg_id id;
	uint32_t level; /* 0 is the newest */
	enum dbg_frame_kind kind;
	uint64_t pc, sp;
	uint64_t bp;          /* not optimized: the same until the call ends */
	uint64_t code;        /* where its compiled code begins; 0: not known */
	const char *function; /* C# name with parameter types, never NULL */
	const char *name;     /* without, never NULL */
	const char *params;   /* "int, string"; NULL: no parameter list */
	/*
	 * metadata name if the compiler made the method:
	 * "Ns.T+<M>d__0.MoveNext"
	 */
	const char *generated;
	const char *module; /* file name, NULL: none */
	const char *mvid;   /* of its build, as in dbg_module; NULL: none */
	uint32_t token;     /* methodDef, 0: none */
	uint32_t il_offset; /* UINT32_MAX: unknown */
	bool optimized;
	/* Hot reload has replaced the method: it is of the text before that. */
	bool replaced;
	bool framework; /* of a module that is not the user's own */
	bool user;      /* the user's code as Just My Code has it */
	struct dbg_source_range source; /* path NULL: no symbols */
	/* "[native: libc.so.6, 3 frames]" that it called; NULL: none */
	const char *above;
};

/*
 * Frames @first .. @first + @count - 1 of a thread, fewer at the end of the
 * stack. Walks no further than asked. Native frames are folded, unless the
 * setting "backtrace native" is on or the thread has no others. With "backtrace
 * external" off and "just-my-code" on frames of code that is not the user's are
 * one, DBG_FRAME_EXTERNAL, for all that are in a row. At an unhandled exception
 * that was caught and thrown again elsewhere (by an await, a wait for a task,
 * ExceptionDispatchInfo) the stack of its throw comes first: DBG_FRAME_THROWN;
 * with "backtrace caught" on, what a handler's exception came through follows
 * it as that.
 */
DBG_MUST struct dbg_error *
dbg_frame_list(struct dbg_stopped at, uint32_t thread, uint32_t first,
	       uint32_t count, struct dbg_frame **ret, size_t *ret_n);

/* A method that a test framework runs. */
struct dbg_test {
	uint32_t thread; /* 0: it is an async call that waits, on no stack */
	uint64_t call;   /* the object of the async call that waits; 0: none */
	const char *framework; /* "xunit", "NUnit", "MSTest", "TUnit", "" */
	const char *name;      /* "Ns.Type.Method" */
	dbg_id frame;          /* the oldest that is of it */
	bool inside;           /* that is of a lambda or local function in it */
	const char *path;      /* where it stands; NULL: no symbols */
	uint32_t line;
};

/*
 * The tests that run: one of each thread that runs any, by thread, then, if
 * @waiting, async tests that wait in an await and are on no stack, for which
 * the heap is walked. What cannot be found out is left out.
 */
DBG_MUST struct dbg_error *dbg_test_list(struct dbg_stopped at, bool waiting,
					 struct dbg_test **ret, size_t *ret_n);

/* A thread that waits for the lock of an object (Monitor, lock). */
struct dbg_wait {
	uint32_t thread;
	uint64_t object;  /* address */
	const char *type; /* of the object */
	uint32_t owner;   /* thread that holds the lock; 0: not known */
	bool pulse;       /* it waits for Monitor.Pulse, not for the lock */
	bool deadlock;    /* it and the owner wait for each other, maybe by
			     others between */
};

/* List all threads that wait for an object's lock, by thread. */
DBG_MUST struct dbg_error *dbg_wait_list(struct dbg_stopped at,
					 struct dbg_wait **ret, size_t *ret_n);

#endif
