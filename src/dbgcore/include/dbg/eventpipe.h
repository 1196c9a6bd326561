/*
 * dbg.h: what the runtime of a running program tells of itself, by EventPipe.
 *
 * The program is neither stopped nor traced: its runtime serves every process
 * that may connect to its diagnostics socket. A trace costs the program the
 * making of its events, and a thread. It is stopped even if the debugger is
 * killed: a guardian process stops it then.
 */
#ifndef DBG_EVENTPIPE_H
#define DBG_EVENTPIPE_H

#include "dbg/process.h"

#define DBG_RUNTIME_PROVIDER "Microsoft-Windows-DotNETRuntime"

/* A provider of events, and which of its events are asked for. */
struct dbg_trace_provider {
	const char *name;
	uint64_t keywords;
	uint32_t level;   /* 1 critical ... 4 informational, 5 verbose */
	const char *args; /* "K=V;K=V", "" for none */
};

struct dbg_trace_request {
	const struct dbg_trace_provider *providers;
	size_t n_providers;
	bool stacks; /* .NET 8 gives them always */
	/*
	 * Names of events between which the runtime must not be told to stop,
	 * and that come each DBG_TRACE_BUSY_MS; nor before the first, nor
	 * shortly before the next: for DBG_TRACE_STOP_MS at most. NULL: it may
	 * be told at any time. They live as long as the trace.
	 */
	const char *busy_from, *busy_until;
};

enum {
	DBG_TRACE_BUSY_MS = 1000,
	DBG_TRACE_STOP_MS = 6000
};

/* A kind of event; lives as long as its trace. */
struct dbg_trace_kind {
	const char *provider, *name; /* name: "" of most of the runtime's own */
	uint32_t id, version, level;
	uint64_t keywords;
	/*
	 * layout of the payload, n_fields bytes, if the provider describes it
	 */
	const uint8_t *fields;
	size_t n_fields;
};

/* Lives as long as the call that has it. */
struct dbg_trace_event {
	const struct dbg_trace_kind *kind;
	uint64_t tid;  /* the kernel's number in the program's namespace */
	uint64_t time; /* nanoseconds of CLOCK_MONOTONIC */
	const uint8_t *payload;
	size_t n_payload;
	const uint64_t *stack; /* return addresses, the innermost first */
	size_t n_stack;
};

typedef void dbg_trace_fn(void *arg, const struct dbg_trace_event *e);

struct dbg_trace;

/*
 * The process that dbg_attach() would take over: @what is its number or its
 * name. DBG_E_NOT_FOUND, DBG_E_ARGUMENT (several), DBG_E_RUNTIME (no .NET).
 */
DBG_MUST struct dbg_error *dbg_program_find(struct dbg *dbg, const char *what,
					    pid_t *ret);

/*
 * Have a runtime tell. DBG_E_STATE: the process is stopped and would not
 * answer; DBG_E_TARGET: no right, or no answer; DBG_E_NOT_FOUND: it has ended
 * or serves no diagnostics; DBG_E_RUNTIME: the runtime refuses.
 */
DBG_MUST struct dbg_error *dbg_trace_open(pid_t pid,
					  const struct dbg_trace_request *req,
					  struct dbg_trace **ret);
/* A descriptor that polls readable when dbg_trace_read() has work. */
int dbg_trace_fd(const struct dbg_trace *t);
/*
 * Take what has come, and call @fn with each event, in the order of time as far
 * as it is known to be complete. *ret_ended: there is no more, because of
 * dbg_trace_stop() or because the program has ended.
 */
DBG_MUST struct dbg_error *dbg_trace_read(struct dbg_trace *t, dbg_trace_fn *fn,
					  void *arg, bool *ret_ended);
/*
 * Let the runtime tell no more, as soon as it may be stopped ("busy_from" of
 * the request). What it tells until then still comes: read until the end.
 */
DBG_MUST struct dbg_error *dbg_trace_stop(struct dbg_trace *t);
/*
 * Is the program stopped, by a signal or a debugger? What it has not told yet
 * comes when it goes on. A trace that is stopped or closed meanwhile ends then,
 * too, whether or not we still live.
 */
bool dbg_trace_suspended(const struct dbg_trace *t);
/* When it began, before its first event: as the time of events. */
uint64_t dbg_trace_began(const struct dbg_trace *t);
/* Events that the runtime has dropped, because we or it were too slow. */
uint64_t dbg_trace_lost(const struct dbg_trace *t);
/* The major version of the program's runtime. */
uint32_t dbg_trace_version(const struct dbg_trace *t);
/*
 * The kernel's name of a thread of the program; "": it is not known or gone.
 * (The runtime names its own threads.) Lives as long as the trace.
 */
const char *dbg_trace_thread_name(struct dbg_trace *t, uint64_t tid);
/*
 * Copy the stream from the runtime to a file of the caller's as it arrives (a
 * .nettrace file); call it before the first dbg_trace_read(). *ret_bytes of
 * dbg_trace_copied() is the size so far; its error is the failure to write.
 */
void dbg_trace_copy(struct dbg_trace *t, int fd);
DBG_MUST struct dbg_error *dbg_trace_copied(const struct dbg_trace *t,
					    uint64_t *ret_bytes);
/* End it, stopped or not; NULL is allowed. */
void dbg_trace_close(struct dbg_trace *t);

/* ---- Code for perf ------------------------------------------------------ */

/*
 * A runtime that writes a jitdump (perf's format) of all code that its JIT has
 * compiled and compiles, which it maps as well, so that `perf record` notices
 * it. It stops whoever dies, as a trace.
 */
struct dbg_jitdump;

/* Let the runtime of @pid write a jitdump, until it is closed. */
DBG_MUST struct dbg_error *dbg_jitdump_open(pid_t pid,
					    struct dbg_jitdump **ret);
/* The file, as we reach it; lives as long as @j. */
const char *dbg_jitdump_path(const struct dbg_jitdump *j);
/* Have the runtime write no more; NULL is allowed. */
DBG_MUST struct dbg_error *dbg_jitdump_close(struct dbg_jitdump *j);

/* ---- Collections ------------------------------------------------------- */

enum dbg_gc_kind {
	DBG_GC_BLOCKING,
	DBG_GC_BACKGROUND, /* while the program runs, but for short pauses */
	DBG_GC_FOREGROUND, /* blocking, while one of the background goes on */
	DBG_GC_UNKNOWN,    /* its beginning was not told */
};

/* A garbage collection, when it is over. */
struct dbg_gc {
	uint64_t number;     /* as the runtime counts them */
	uint32_t generation; /* the oldest that was collected */
	enum dbg_gc_kind kind;
	const char *cause; /* "allocation", "induced", ...; NULL: not told */
	uint64_t began;    /* nanoseconds of CLOCK_MONOTONIC */
	uint64_t lasted;
	uint64_t paused; /* how long all threads stood still for it */
	uint32_t pauses;
	uint64_t promoted, heap; /* bytes that survived; of the heap after it */
	bool sized;              /* are these two known? */
	uint64_t tid;            /* the thread that caused it, 0: not told */
};

typedef void dbg_gc_fn(void *arg, const struct dbg_gc *gc);

/* Puts collections together out of the runtime's events. */
struct dbg_gcs;

/* @fn is called for each collection that is over. */
struct dbg_gcs *dbg_gcs_create(dbg_gc_fn *fn, void *arg);
void dbg_gcs_destroy(struct dbg_gcs *gcs);
/* The provider that a trace must ask for. */
const struct dbg_trace_provider *dbg_gcs_provider(void);
/* Feed each event; @fn is called with each collection that is over by it. */
void dbg_gcs_event(struct dbg_gcs *gcs, const struct dbg_trace_event *e);
/*
 * For how long, and how often, all threads stood still for another reason than
 * a collection.
 */
void dbg_gcs_other(const struct dbg_gcs *gcs, uint64_t *ret_paused,
		   uint64_t *ret_pauses);

/* ---- Single events of the runtime -------------------------------------- */

/*
 * Each tells whether @e is of that kind, and what it says; texts are in the
 * arena. The providers are what has to be asked for.
 */

/* An exception is thrown, .NET 8 to 11. */
struct dbg_told_throw {
	const char *type, *message;
	bool again; /* it was caught, and is thrown again */
};
const struct dbg_trace_provider *dbg_throws_provider(void);
bool dbg_told_throw(const struct dbg_trace_event *e, struct arena *arena,
		    struct dbg_told_throw *ret);

/*
 * An exception has been caught: by the code at @handler, of the method as the
 * runtime writes it. Asked for by another provider, which tells throws as well
 * and costs twice as much.
 */
struct dbg_told_catch {
	uint64_t handler;
	const char *method;
};
const struct dbg_trace_provider *dbg_catches_provider(void);
bool dbg_told_catch(const struct dbg_trace_event *e, struct arena *arena,
		    struct dbg_told_catch *ret);

/*
 * A sampled allocation, which stands for others: since .NET 10 each byte is
 * sampled with the same probability; before, it is the allocation with which
 * another 100 KB are used up.
 */
struct dbg_told_allocation {
	const char *type;
	uint64_t size;  /* of the object, 0: not told */
	uint64_t bytes; /* that it stands for */
	bool large;
};
/* @version: the runtime's, of the program. */
const struct dbg_trace_provider *dbg_allocations_provider(uint32_t version);
bool dbg_told_allocation(const struct dbg_trace_event *e, struct arena *arena,
			 struct dbg_told_allocation *ret);

/* A thread begins to wait for a lock that another one has. */
struct dbg_told_wait {
	uint64_t lock;   /* the runtime's structure: it stays where it is */
	uint64_t object; /* where its object is at this moment; 0: not told */
	uint64_t owner;  /* the thread that has it; 0: not told */
};
const struct dbg_trace_provider *dbg_waits_provider(void);
bool dbg_told_wait(const struct dbg_trace_event *e, struct dbg_told_wait *ret);
/* The thread goes on, after so many nanoseconds. */
bool dbg_told_wait_end(const struct dbg_trace_event *e, uint64_t *ret_ns);

/* The JIT begins to compile a method; it may compile another one meanwhile. */
const struct dbg_trace_provider *dbg_jits_provider(void);
bool dbg_told_jit_begin(const struct dbg_trace_event *e, uint64_t *ret_method);
/* A thread has compiled a method. */
struct dbg_told_jit {
	uint64_t method;     /* as dbg_told_jit_begin() has it */
	const char *name;    /* "Ns.Type.Method", foreign text */
	const char *version; /* "tier 1"; NULL: not told */
	uint64_t size;       /* bytes of code */
};
bool dbg_told_jit(const struct dbg_trace_event *e, struct arena *arena,
		  struct dbg_told_jit *ret);

/* The thread pool is to have another number of workers, and why. */
struct dbg_told_pool {
	uint32_t workers;
	bool starving; /* work waits, and no worker has ended any for long */
	const char *reason;
};
const struct dbg_trace_provider *dbg_pools_provider(void);
bool dbg_told_pool(const struct dbg_trace_event *e, struct dbg_told_pool *ret);

/* The major version of a process's runtime; fails as dbg_trace_open(). */
DBG_MUST struct dbg_error *dbg_runtime_version(pid_t pid, uint32_t *ret);

/* ---- Counters ---------------------------------------------------------- */

/*
 * A value of a meter (System.Diagnostics.Metrics) or, of the runtime of .NET 8,
 * of an EventCounter, as it is published each second.
 */
struct dbg_told_counter {
	const char *source,
	    *name;             /* "System.Runtime", "dotnet.gc.collections" */
	const char *tags;      /* "K=V,K=V", "" */
	const char *unit;      /* "By", "{collection}", "" */
	const char *quantiles; /* of a histogram: "0.5=1;0.95=2"; else "" */
	/* NAN: there is none. */
	double value;    /* the last, or since the program's beginning */
	double increase; /* of what only grows: in the last second */
};

/*
 * Make, in @arena, the request for the counters of the runtime and of the
 * meters named. Their names must be ASCII without comma, semicolon, blank and
 * quotation mark, else DBG_E_ARGUMENT.
 */
DBG_MUST struct dbg_error *dbg_counters_request(uint32_t version,
						const char *const *meters,
						size_t n_meters,
						struct arena *arena,
						struct dbg_trace_request *ret);
/* As dbg_told_throw(). */
bool dbg_told_counter(const struct dbg_trace_event *e, struct arena *arena,
		      struct dbg_told_counter *ret);

#endif
