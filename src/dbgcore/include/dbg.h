/*
 * dbg.h - the one API of the dndbg engine
 *
 * A session (struct dbg) debugs one program. The engine has no threads and
 * never blocks: poll dbg_fd(), call dbg_dispatch() when it is readable, then
 * take events with dbg_event_next() until there are none.
 *
 * Three lifetimes:
 *   session  struct dbg and breakpoint, thread and module numbers
 *   stop     everything that describes the stopped program: arrays and
 *            strings handed out, frame and value ids. All of it dies when
 *            the program is resumed; a stale id is an error (DBG_E_STALE),
 *            never a dangling reference.
 *   call     events: their strings live until the next dbg_event_next()
 *
 * Every function that can fail returns NULL or an error that the caller owns
 * (dbg_error_destroy). Results are untouched on failure. Absence of a value
 * (optimised away, unreadable) is a state of that value, not an error.
 */
#ifndef DBG_H
#define DBG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DBG_MUST __attribute__((warn_unused_result))

struct dbg;

/* Id of a frame or a value of the present stop; 0 is none. */
typedef uint64_t dbg_id;

/* ---- Errors ---------------------------------------------------------- */

enum dbg_code {
	DBG_E_ARGUMENT = 1, /* the user's words make no sense here */
	DBG_E_STATE,        /* not possible in this state of the program */
	DBG_E_NOT_FOUND,    /* no such file, type, method, thread, ... */
	DBG_E_STALE,        /* an id of an earlier stop */
	DBG_E_MEMORY,       /* target memory that cannot be accessed */
	DBG_E_TARGET,       /* ptrace or the kernel said no */
	DBG_E_RUNTIME,      /* the runtime or its DAC is not usable */
	DBG_E_SYMBOLS,      /* PDB or metadata missing, wrong or broken */
	DBG_E_FILE,         /* a file cannot be opened or read */
	DBG_E_FORMAT,       /* a file or target structure is malformed */
	DBG_E_UNSUPPORTED,  /* asked for what this engine does not do */
	DBG_E_INTERRUPTED,  /* dbg_interrupt() during long work */
};

struct dbg_error {
	enum dbg_code code;
	char *message; /* one sentence, no capital, no full stop */
};

/* Free @err; NULL is allowed. */
void dbg_error_destroy(struct dbg_error *err);

/* ---- Files ------------------------------------------------------------ */

/*
 * Open the regular file @path, as open(2) with @flags (mode 0666), close on
 * exec, without waiting for anybody; a file of another kind is refused and
 * is not touched. With @streams, pipes and character devices are accepted
 * as well: reading and writing may say EAGAIN.
 */
DBG_MUST struct dbg_error *dbg_open_file(const char *path, int flags,
					 bool streams, int *ret);

/* ---- Session --------------------------------------------------------- */

enum dbg_state {
	DBG_IDLE, /* no program */
	DBG_RUNNING,
	DBG_STOPPED,
};

/* Make a session without a program. SIGCHLD becomes blocked in this thread. */
DBG_MUST struct dbg_error *dbg_create(struct dbg **ret);

/*
 * End the session: a launched program is killed, one that was attached to
 * goes on. NULL is allowed.
 */
void dbg_destroy(struct dbg *dbg);

enum dbg_state dbg_state(const struct dbg *dbg);

/* Process id of the program, 0 if there is none. */
pid_t dbg_pid(const struct dbg *dbg);

/* A descriptor that polls readable when dbg_dispatch() has work. */
int dbg_fd(const struct dbg *dbg);

/* Do all work that is due; queue events. Does not block. */
DBG_MUST struct dbg_error *dbg_dispatch(struct dbg *dbg);

/* Ask long work to end early. May be called from a signal handler. */
void dbg_interrupt(struct dbg *dbg);

struct dbg_launch {
	const char *program;     /* .dll, apphost or "dotnet" */
	const char *const *args; /* not counting the program */
	size_t n_args;
	const char *cwd;        /* NULL: ours */
	const char *const *env; /* "NAME=VALUE" sets, "NAME" unsets */
	size_t n_env;
	const char *stdio[3]; /* files to open, NULL: inherit */
	const char *tty;      /* its terminal, NULL: inherit ours */
	bool stop_at_entry;   /* stop at the start of Main */
	bool hold;            /* ... and before: DBG_STOP_READY */
};

/*
 * Start a program under the debugger. It is running when this returns; the
 * session copies @launch. DBG_E_STATE if a program exists already.
 */
DBG_MUST struct dbg_error *dbg_launch(struct dbg *dbg,
				      const struct dbg_launch *launch);

struct dbg_attach {
	pid_t pid;
	const char *name; /* with pid 0: the program's, or of its .dll */
	bool wait;        /* for one of that name, until dbg_interrupt() */
};

/*
 * Take over a running program. It is stopped then, DBG_EVENT_STOPPED (reason
 * DBG_STOP_ATTACH) is queued; whatever becomes of us, it goes on without us.
 */
DBG_MUST struct dbg_error *dbg_attach(struct dbg *dbg,
				      const struct dbg_attach *attach);

/*
 * Look at a core file (ELF, as the kernel, gcore and createdump write them):
 * a stop that does not end. DBG_EVENT_STOPPED is queued, with the exception
 * that ended the program, if one did, else DBG_STOP_TERMINATED or, if it was
 * dumped alive, DBG_STOP_ATTACH. What needs a process is DBG_E_STATE then.
 * DBG_E_FILE, DBG_E_FORMAT.
 */
DBG_MUST struct dbg_error *dbg_core(struct dbg *dbg, const char *path);

/* Is there a program, and can it run: is it no core? */
bool dbg_can_run(const struct dbg *dbg);

/*
 * Let the program, launched or not, go on as if we had never been there,
 * @stopped: as SIGSTOP stops it. The session is idle then, without an event.
 */
DBG_MUST struct dbg_error *dbg_detach(struct dbg *dbg, bool stopped);

/* Does the program, which was attached to, go on after dbg_destroy()? */
bool dbg_survives(const struct dbg *dbg);

/* Kill the program; DBG_EVENT_EXITED follows. */
DBG_MUST struct dbg_error *dbg_kill(struct dbg *dbg);

/* ---- Execution ------------------------------------------------------- */

enum dbg_step_kind {
	DBG_STEP_IN,
	DBG_STEP_OVER,
	DBG_STEP_OUT,   /* until the frame returns */
	DBG_STEP_UNTIL, /* over, but never backwards in a loop */
};

enum dbg_step_unit {
	DBG_UNIT_LINE,
	DBG_UNIT_STATEMENT, /* a sequence point */
	DBG_UNIT_INSTRUCTION,
};

struct dbg_step {
	uint32_t thread; /* 0: the thread of the last stop */
	enum dbg_step_kind kind;
	enum dbg_step_unit unit;
	uint32_t frame;  /* level to step out of, 0 is the newest */
	uint32_t target; /* IN: the call to enter, 0: the first that is */
	bool alone;      /* the other threads are held meanwhile */
	bool run_on;     /* OUT: without a caller of the user's, no error */
};

/* A call of a line that dbg_step can be told to enter. */
struct dbg_call {
	uint32_t id;
	const char *name; /* C#, with parameter types */
};

/* Calls of the line where @thread stands; they die with the stop. */
DBG_MUST struct dbg_error *dbg_call_list(struct dbg *dbg, uint32_t thread,
					 struct dbg_call **ret, size_t *ret_n);

/*
 * Resume all threads, or @only one (a number; 0: all). Signals held back by
 * the stop are delivered.
 */
DBG_MUST struct dbg_error *dbg_continue(struct dbg *dbg, uint32_t only);
DBG_MUST struct dbg_error *dbg_step(struct dbg *dbg,
				    const struct dbg_step *step);

/*
 * Resume until @location is reached by @thread or its frame returns
 * (gdb's "until LOCATION" and "advance").
 */
DBG_MUST struct dbg_error *dbg_run_to(struct dbg *dbg, uint32_t thread,
				      const char *location);

/*
 * Make the statement at @location the next one of @thread's newest frame,
 * whose method it must be in; a stop (DBG_STOP_GOTO) with new frames follows.
 * With @run it runs on from there, unless a breakpoint is there.
 */
DBG_MUST struct dbg_error *dbg_goto(struct dbg *dbg, uint32_t thread,
				    const char *location, bool run);

/* Stop all threads; DBG_EVENT_STOPPED follows. */
DBG_MUST struct dbg_error *dbg_pause(struct dbg *dbg);

/* ---- Events ---------------------------------------------------------- */

enum dbg_event_kind {
	DBG_EVENT_STOPPED,
	DBG_EVENT_CONTINUED,
	DBG_EVENT_EXITED,
	DBG_EVENT_THREAD,     /* born or gone */
	DBG_EVENT_MODULE,     /* loaded; gone: text is its name */
	DBG_EVENT_BREAKPOINT, /* bound, moved, gone */
	DBG_EVENT_CHILD,      /* a process of the program's is held */
	DBG_EVENT_MESSAGE,    /* a sentence for the user */
	DBG_EVENT_OUTPUT,     /* what the program wrote for its debugger */
};

/* What of the memory that is watched stops the program. */
enum dbg_watch {
	DBG_WATCH_WRITE,  /* its value changes */
	DBG_WATCH_READ,   /* it is read */
	DBG_WATCH_ACCESS, /* either */
};

enum dbg_stop_reason {
	DBG_STOP_ENTRY,
	/* The runtime is up and no code of the program's has run; note: why
	 * there is none that could be debugged. */
	DBG_STOP_READY,
	DBG_STOP_ATTACH,
	DBG_STOP_TERMINATED, /* a core: signal ended the program */
	DBG_STOP_BREAKPOINT,
	DBG_STOP_STEP,
	DBG_STOP_PAUSE,
	DBG_STOP_THROWN,         /* first chance */
	DBG_STOP_USER_UNHANDLED, /* ... that user code does not catch */
	DBG_STOP_UNHANDLED,
	DBG_STOP_SIGNAL,
	DBG_STOP_GOTO,        /* dbg_goto moved the pc */
	DBG_STOP_USER_BREAK,  /* Debugger.Break, at its caller */
	DBG_STOP_WATCH,       /* what is watched was changed or read */
	DBG_STOP_WATCH_SCOPE, /* its frame is left: the watchpoint is gone */
};

struct dbg_stop {
	enum dbg_stop_reason reason;
	uint32_t thread;     /* number; 0: none known */
	uint32_t breakpoint; /* number, 0: none */
	bool temporary;      /* that breakpoint is gone now */
	bool stepped;        /* BREAKPOINT: a step ends here too */
	int signal;
	bool fatal;         /* that signal is about to end the program */
	uint64_t exception; /* address of the object, 0: none */
	const char *exception_type; /* C# name, NULL: none */
	const char *exception_message;
	const char *caught; /* first chance: will it be, and where; or NULL */
	const char *note;   /* why a step ended early, or NULL */
	enum dbg_watch access; /* WATCH */
	const char *expr;      /* WATCH */
	const char *old_value; /* WATCH: NULL: it was only read */
	const char *value;     /* WATCH */
};

struct dbg_event {
	enum dbg_event_kind kind;
	struct dbg_stop stop; /* STOPPED */
	int exit_code;        /* EXITED, when signal is 0 */
	int exit_signal;      /* EXITED */
	uint32_t number;      /* THREAD, MODULE, BREAKPOINT */
	bool gone;            /* THREAD, MODULE, BREAKPOINT */
	pid_t child;          /* CHILD */
	/*
	 * MESSAGE; number: the breakpoint that logs. OUTPUT: as written.
	 * CHILD: its program.
	 */
	const char *text;
};

/* Take the oldest event; false if there is none. */
bool dbg_event_next(struct dbg *dbg, struct dbg_event *ret);

/* Why the program is stopped, NULL if it is not. Dies with the stop. */
const struct dbg_stop *dbg_stop_reason(struct dbg *dbg);

/* ---- Children -------------------------------------------------------- */

/*
 * The setting "follow-exec" (off at first) says which programs that the
 * program starts, by whatever processes between, are reported by
 * DBG_EVENT_CHILD. Each is held in front of its first instruction until one
 * of these is called.
 *
 * Adopted, it has a session of its own, with the settings and breakpoints
 * (the same numbers) of @dbg. Such siblings stop and go together: one has
 * the event, all are stopped; what resumes one resumes all. dbg_fd() and
 * dbg_dispatch() of any serve all, events are taken from each. Breakpoints,
 * signals and settings are changed in all. With "follow-fork-mode child" @dbg
 * has let its program go and is idle. The caller destroys *ret.
 */
DBG_MUST struct dbg_error *dbg_child_adopt(struct dbg *dbg, pid_t pid,
					   struct dbg **ret);
/* Let it go; @stopped: by SIGSTOP, for another debugger to attach to. */
DBG_MUST struct dbg_error *dbg_child_leave(struct dbg *dbg, pid_t pid,
					   bool stopped);

/* ---- Signals --------------------------------------------------------- */

struct dbg_signal {
	int number;
	const char *name; /* "SIGUSR1" */
	const char *text; /* "User defined signal 1" */
	/* Stops only where it would end the program; reaches it. The default.
	 */
	bool automatic;
	bool stop, print, pass; /* else: what is done, in gdb's words */
};

/* All signals, by number; the list dies with the next one of any kind. */
DBG_MUST struct dbg_error *
dbg_signal_list(struct dbg *dbg, struct dbg_signal **ret, size_t *ret_n);
/* Set what is done with signal->number; name and text are not looked at. */
DBG_MUST struct dbg_error *dbg_signal_set(struct dbg *dbg,
					  const struct dbg_signal *signal);
/*
 * Deliver @signal to @thread when it is resumed, in place of the one that
 * stopped it; 0: none. (Stopped only.)
 */
DBG_MUST struct dbg_error *dbg_signal_queue(struct dbg *dbg, uint32_t thread,
					    int signal);
/*
 * Send @signal to the program. It is delivered without a stop, and so is the
 * same one by which a program that handled it ends itself.
 */
DBG_MUST struct dbg_error *dbg_signal_send(struct dbg *dbg, int signal);

/* ---- Breakpoints ----------------------------------------------------- */

enum dbg_break_kind {
	DBG_BREAK_LOCATION, /* location as at the prompt, see below */
	DBG_BREAK_REGEX,    /* every method whose name matches (pcre2) */
	DBG_BREAK_THROW,    /* exceptions where they are thrown, see below */
	DBG_BREAK_USER_UNHANDLED, /* ... if no user code will catch them */
	DBG_BREAK_UNHANDLED,      /* ... that nobody catches */
	DBG_BREAK_WATCH,          /* expression text, in the frame given */
};

/*
 * Locations: FILE:LINE, FILE:LINE:COLUMN, LINE (in the file of the present
 * frame), TYPE.METHOD, NAMESPACE.TYPE.METHOD(TYPES), MODULE!..., *ADDRESS. FILE
 * is a bare name, the tail of a path or a full path.
 *
 * Exceptions: names of types with commas or blanks between, whole or the last
 * parts, and those that derive from them; "!" in front: all but these; NULL:
 * all.
 */
struct dbg_catch {
	bool exact;          /* derived types do not count */
	const char *module;  /* thrown by code of this module, NULL: any */
	const char *message; /* pcre2 that the message matches, NULL: any */
	bool again;          /* stops though another has for the same throw */
};

struct dbg_break_req {
	enum dbg_break_kind kind;
	const char *text; /* location, pattern or exception types */
	dbg_id frame;     /* for a bare LINE, WATCH; 0: newest frame */
	bool temporary;
	struct dbg_catch catches; /* exceptions */
	enum dbg_watch access;    /* WATCH */
	bool located; /* WATCH: stay with the place that text leads to now */
	/* Which hits stop: "3", ">=3", ">3", "<=3", "<3", "%3"; NULL: all. */
	const char *hits;
	/* Say this instead of stopping, values for {EXPR}; NULL: stop. */
	const char *log;
};

enum dbg_break_state {
	DBG_BREAK_PENDING, /* no code yet: reason says why */
	DBG_BREAK_BOUND,
};

struct dbg_location {
	uint64_t addr;        /* 0: none, as @compiled says why */
	bool compiled;        /* the method has code */
	const char *function; /* C# name, NULL: none */
	const char *file;     /* NULL: no symbols */
	uint32_t line;
	uint32_t column; /* 0: the whole line is meant */
	const char *module;
};

struct dbg_breakpoint {
	uint32_t number;
	enum dbg_break_kind kind;
	enum dbg_break_state state;
	bool enabled;
	bool temporary;
	enum dbg_watch access; /* WATCH */
	uint64_t hits;
	uint64_t ignore;       /* this many more hits do not stop */
	const char *text;      /* as the user wrote it */
	const char *condition; /* NULL: none */
	const char *reason;    /* pending, moved: in words; else NULL */
	struct dbg_catch catches;
	const char *hit_rule, *log; /* as in the request, NULL: none */
	struct dbg_location *locations;
	size_t n_locations;
};

/* Works with and without a program; one that cannot bind yet is pending. */
DBG_MUST struct dbg_error *dbg_break_add(struct dbg *dbg,
					 const struct dbg_break_req *req,
					 uint32_t *ret_number);
DBG_MUST struct dbg_error *dbg_break_delete(struct dbg *dbg, uint32_t number);
DBG_MUST struct dbg_error *dbg_break_enable(struct dbg *dbg, uint32_t number,
					    bool enabled);
DBG_MUST struct dbg_error *dbg_break_ignore(struct dbg *dbg, uint32_t number,
					    uint64_t count);
/* Set an expression that must be true; NULL removes it. */
DBG_MUST struct dbg_error *dbg_break_condition(struct dbg *dbg, uint32_t number,
					       const char *expr);

/*
 * Describe one breakpoint or all, by number. Results live until the next
 * call of either or the next resume.
 */
DBG_MUST struct dbg_error *dbg_break_get(struct dbg *dbg, uint32_t number,
					 struct dbg_breakpoint *ret);
DBG_MUST struct dbg_error *
dbg_break_list(struct dbg *dbg, struct dbg_breakpoint **ret, size_t *ret_n);

/* ---- Threads and frames (stopped only) ------------------------------- */

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
 * All threads, by number. With the setting "runtime-threads" off those alone
 * that run code of the program, the main one, and the one of the stop.
 */
DBG_MUST struct dbg_error *
dbg_thread_list(struct dbg *dbg, struct dbg_thread **ret, size_t *ret_n);

enum dbg_frame_kind {
	DBG_FRAME_MANAGED,
	DBG_FRAME_NATIVE,   /* outside managed code */
	DBG_FRAME_RUNTIME,  /* a transition into or out of the runtime */
	DBG_FRAME_ASYNC,    /* on no stack: awaits what the frames before do */
	DBG_FRAME_EXTERNAL, /* one for several in a row that are not the user's
			     */
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
	const char *function; /* C# name with parameter types, never NULL */
	const char *module;   /* file name, NULL: none */
	uint32_t token;       /* methodDef, 0: none */
	uint32_t il_offset;   /* UINT32_MAX: unknown */
	bool optimized;
	bool framework; /* of a module that is not the user's own */
	struct dbg_source_range source; /* path NULL: no symbols */
	/* "[native: libc.so.6, 3 frames]" that it called; NULL: none */
	const char *above;
};

/*
 * Frames @first .. @first + @count - 1 of a thread, fewer at the end of the
 * stack. Walks no further than asked. Native frames are folded, unless the
 * setting "backtrace native" is on or the thread has no others. With "backtrace
 * external" off and "just-my-code" on frames of code that is not the user's are
 * one, DBG_FRAME_EXTERNAL, for all that are in a row.
 */
DBG_MUST struct dbg_error *dbg_frame_list(struct dbg *dbg, uint32_t thread,
					  uint32_t first, uint32_t count,
					  struct dbg_frame **ret,
					  size_t *ret_n);

/* ---- Values (stopped only) ------------------------------------------- */

enum dbg_value_flags {
	DBG_VALUE_ABSENT = 1, /* text says why: "<optimized out>", ... */
	DBG_VALUE_STATIC = 2,
	DBG_VALUE_GROUP = 4,  /* not a value: base class, statics */
	DBG_VALUE_STRING = 8, /* text is a quoted string */
	DBG_VALUE_CODE = 16,  /* a delegate: see dbg_value_code */
};

struct dbg_value {
	dbg_id id; /* asks for children; 0: has none */
	const char *name;
	const char *type;     /* C# name of the run-time type; "" : none */
	const char *declared; /* of its place where that differs; NULL */
	const char *text;     /* one line, never NULL */
	const char *path;     /* expression that names it, NULL: none */
	unsigned int flags;   /* enum dbg_value_flags */
	uint64_t addr;        /* of an object its own; 0: not in memory */
	uint32_t size;        /* bytes at addr; 0: an object's */
	uint64_t data;        /* of elements, of a pointer's target; 0: none */
	uint64_t n_indexed;   /* array elements */
	uint32_t n_named;     /* fields and groups */
};

enum dbg_scope {
	DBG_SCOPE_ARGS,    /* `this` first */
	DBG_SCOPE_LOCALS,  /* what is in scope at the pc, constants too */
	DBG_SCOPE_STATICS, /* of the method's class */
	DBG_SCOPE_ALL,     /* arguments, then locals */
};

DBG_MUST struct dbg_error *dbg_scope_list(struct dbg *dbg, dbg_id frame,
					  enum dbg_scope scope,
					  struct dbg_value **ret,
					  size_t *ret_n);

enum dbg_children {
	DBG_CHILDREN_NAMED,
	DBG_CHILDREN_INDEXED,
};

/* Children @first .. of a value; @count 0 asks for the rest, up to a cap. */
DBG_MUST struct dbg_error *dbg_children(struct dbg *dbg, dbg_id value,
					enum dbg_children kind, uint64_t first,
					uint32_t count, struct dbg_value **ret,
					size_t *ret_n);

/* Where the method that a delegate calls begins; file NULL: no symbols. */
DBG_MUST struct dbg_error *dbg_value_code(struct dbg *dbg, dbg_id value,
					  struct dbg_location *ret);

/*
 * Evaluate an expression in a frame (0: the newest of the thread of the
 * stop) without running code in the program. `$exception` is the exception
 * of the stop.
 */
DBG_MUST struct dbg_error *dbg_eval(struct dbg *dbg, dbg_id frame,
				    const char *expr, struct dbg_value *ret);

/*
 * Assign the value of expression @value, converted as C# does, to @target, a
 * variable, field, element or other place; *ret is the target afterwards.
 * With @value NULL @target is a whole expression: an assignment in it
 * ("x = 3", "x += 3") is carried out, anything else is evaluated. Ids of
 * values stay valid and show what is there now.
 */
DBG_MUST struct dbg_error *dbg_assign(struct dbg *dbg, dbg_id frame,
				      const char *target, const char *value,
				      struct dbg_value *ret);

/*
 * Keep what dbg_eval, dbg_assign or dbg_format gave last: expressions name it
 * `$N` by the number returned (from 1), the last of all `$`. Numbers and
 * strings for good, anything else for this stop. 0: there is no runtime.
 */
uint32_t dbg_keep(struct dbg *dbg);

struct dbg_exception {
	const char *type;
	const char *module;  /* that throws it: its file; NULL: not known */
	const char *message; /* NULL: none */
	const char *stack;   /* lines recorded so far, NULL: none */
	/* The same of its thread, if it is thrown now and has no lines. */
	const char *living;
	const char *data; /* lines "key = value" of Data, NULL: none */
	uint32_t hresult;
	uint32_t depth; /* 0: itself; else in the last before of depth - 1 */
};

/*
 * The exception of the stop and those within, each in front of its own, all
 * of an AggregateException, up to a cap; none (*ret_n 0) if the stop has no
 * exception.
 */
DBG_MUST struct dbg_error *
dbg_exception_list(struct dbg *dbg, struct dbg_exception **ret, size_t *ret_n);

/*
 * gdb's /x /d /u /t /c: an integer value's text anew; /s: the text without a
 * limit to its length. Dies with the stop.
 */
DBG_MUST struct dbg_error *dbg_format(struct dbg *dbg, dbg_id frame,
				      const char *expr, char letter,
				      const char **ret);

/* Several lines of C# that declare the type of @expr or named by @expr. */
DBG_MUST struct dbg_error *dbg_type_describe(struct dbg *dbg, dbg_id frame,
					     const char *expr,
					     const char **ret);

/* ---- Modules, sources, code ------------------------------------------ */

enum dbg_symbols {
	DBG_SYMBOLS_NONE, /* looked for, not found */
	DBG_SYMBOLS_LOADED,
	DBG_SYMBOLS_MISMATCH, /* a PDB of another build lies there */
	DBG_SYMBOLS_WINDOWS,  /* a Windows (non-portable) PDB */
	DBG_SYMBOLS_BROKEN,
};

struct dbg_module {
	uint32_t number;
	const char *name;    /* file name */
	const char *path;    /* NULL: loaded from memory */
	const char *version; /* "1.0.0.0", NULL: no assembly */
	/* Of the AssemblyLoadContext, where names alone do not tell; or NULL */
	const char *context;
	uint64_t base;
	uint64_t size;
	bool optimized; /* built without DisableOptimizations */
	bool framework; /* by its name, not the user's own */
	enum dbg_symbols symbols;
	const char *symbols_note; /* path of the PDB, or why none */
};

/* Also while the program runs; dies with the next list or resume. */
DBG_MUST struct dbg_error *
dbg_module_list(struct dbg *dbg, struct dbg_module **ret, size_t *ret_n);

/*
 * Text of a source file (any name a location accepts), from disk after
 * substitute-path or embedded in the PDB. Lines without their ends; line 1
 * first. The cache is the session's; *ret_note says if the checksum differs.
 */
DBG_MUST struct dbg_error *dbg_source_lines(struct dbg *dbg, const char *file,
					    const char *const **ret_lines,
					    size_t *ret_n,
					    const char **ret_note);

/* Resolve a location's text to places, compiled or not; dies with stop. */
DBG_MUST struct dbg_error *dbg_locate(struct dbg *dbg, dbg_id frame,
				      const char *location,
				      struct dbg_location **ret, size_t *ret_n);

/*
 * Those of them that dbg_goto can go to, each by "*ADDRESS" too; that there
 * are none is an error that says why.
 */
DBG_MUST struct dbg_error *dbg_goto_list(struct dbg *dbg, uint32_t thread,
					 const char *location,
					 struct dbg_location **ret,
					 size_t *ret_n);

/*
 * Where statements begin in lines @first .. @last of a source file, in order;
 * also while the program runs. (paths of *ret are NULL)
 */
DBG_MUST struct dbg_error *dbg_source_points(struct dbg *dbg, const char *file,
					     uint32_t first, uint32_t last,
					     struct dbg_source_range **ret,
					     size_t *ret_n);

/*
 * Paths of all source files of a module (a number; 0: all modules), sorted;
 * likewise.
 */
DBG_MUST struct dbg_error *dbg_source_list(struct dbg *dbg, uint32_t module,
					   const char ***ret, size_t *ret_n);

struct dbg_insn {
	uint64_t addr;
	uint32_t size;
	uint8_t bytes[16];
	const char *text;
	const char *symbol; /* what an operand names, or NULL */
	uint32_t il_offset; /* first instruction of it, else UINT32_MAX */
	uint32_t line;      /* first instruction of it, else 0 */
	const char *path;
};

/* Native code of the method that holds @addr, or @count instructions. */
DBG_MUST struct dbg_error *dbg_disassemble(struct dbg *dbg, uint64_t addr,
					   uint32_t count,
					   struct dbg_insn **ret,
					   size_t *ret_n);

struct dbg_il_insn {
	uint32_t offset;
	const char *text;
	uint32_t line; /* first instruction of it, else 0 */
	const char *path;
};

DBG_MUST struct dbg_error *dbg_disassemble_il(struct dbg *dbg, dbg_id frame,
					      struct dbg_il_insn **ret,
					      size_t *ret_n);

struct dbg_register {
	const char *name;
	uint64_t value;
};

/* The machine code that a frame runs; zero but for @saved if not managed. */
struct dbg_frame_code {
	const char *kind; /* "tier 0", "ReadyToRun", ...; NULL: not known */
	uint64_t start, size;
	uint64_t method; /* MethodDesc */
	/* Its caller's registers that it keeps: the value is where. */
	const struct dbg_register *saved;
	size_t n_saved;
};

DBG_MUST struct dbg_error *dbg_frame_code(struct dbg *dbg, dbg_id frame,
					  struct dbg_frame_code *ret);

/* Integer registers of a frame, in gdb's order. */
DBG_MUST struct dbg_error *dbg_registers(struct dbg *dbg, dbg_id frame,
					 struct dbg_register **ret,
					 size_t *ret_n);

/* Read target memory as the program sees it; short at unreadable pages. */
DBG_MUST struct dbg_error *dbg_memory_read(struct dbg *dbg, uint64_t addr,
					   void *buf, size_t size,
					   size_t *ret_n);

/* Write target memory. What was read of the stop is not read again. */
DBG_MUST struct dbg_error *dbg_memory_write(struct dbg *dbg, uint64_t addr,
					    const void *buf, size_t size);

/* ---- Completion and settings ----------------------------------------- */

enum dbg_names {
	DBG_NAMES_FILES = 1,
	DBG_NAMES_TYPES = 2,
	DBG_NAMES_METHODS = 4,
	DBG_NAMES_LOCALS = 8,
	DBG_NAMES_OWN = 16, /* no types and methods of the framework */
};

/* Names that begin with @prefix, sorted, at most @max; dies with stop. */
DBG_MUST struct dbg_error *dbg_complete(struct dbg *dbg, unsigned int names,
					const char *prefix, size_t max,
					const char ***ret, size_t *ret_n);

struct dbg_setting {
	const char *name; /* "substitute-path" */
	const char *help;
	const char *value; /* present value as text */
};

/*
 * Settings of the engine, by table. "substitute-path" takes "FROM TO" and
 * adds a rule; an empty value clears it.
 */
DBG_MUST struct dbg_error *dbg_set(struct dbg *dbg, const char *name,
				   const char *value);
DBG_MUST struct dbg_error *
dbg_setting_list(struct dbg *dbg, struct dbg_setting **ret, size_t *ret_n);

/* Work done since the session began, for benchmarks and `maint`. */
struct dbg_counters {
	uint64_t stops;    /* wait statuses taken */
	uint64_t syscalls; /* made on the target's behalf */
	uint64_t dac_calls;
};

void dbg_counters(const struct dbg *dbg, struct dbg_counters *ret);

#endif
