/*
 * A report: what a program that stands still shows of itself, taken down so
 * that it can be printed when the program has long gone on.
 *
 * report_take() asks the engine, as fast as it can, since the program waits;
 * the writers (report.c, forms.c) only read. All strings are the
 * report's own. Nothing here starts, resumes or ends a program: stackcommand.c
 * and capture.c do.
 *
 * The stacks of all threads merged to a tree: what they have in common once.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include "dbg.h"
#include "front/loop.h"

struct report_var {
	bool argument;
	const char *name, *type, *text;
};

struct report_frame {
	enum dbg_frame_kind kind;
	uint64_t pc, sp;
	const char *name;   /* of the function, never NULL */
	const char *params; /* "int, string"; NULL: no parameter list */
	const char *module; /* NULL: none */
	const char *above;  /* frames folded in front of it, or NULL */
	const char *path;   /* source, NULL: none */
	uint32_t line, column;
	uint32_t token, il_offset; /* token 0: none */
	bool framework;
	/*
	 * this frame and the period - 1 behind it are repeated so often in a
	 * row
	 */
	uint32_t period, times;
	struct report_var *vars;
	size_t n_vars;
	const char **source; /* lines of it, the first is source_first */
	size_t n_source;
	uint32_t source_first;
};

struct report_thread {
	uint32_t number;
	pid_t tid;
	bool managed;
	uint32_t managed_id;
	const char *name;
	struct report_frame *frames;
	size_t n_frames;
	uint64_t n_walked; /* frames that it has; more than are listed */
	bool cut;          /* it has still more */
	const char *error; /* why it has not all its frames, or NULL */
	uint64_t used;     /* ms of processor time; 0: not known */
	bool runs;         /* it is in no system call */
};

struct report_exception {
	const char *type, *message, *module, *data;
	uint32_t hresult, depth;
	/*
	 * frames recorded at the throw; for the first exception the thread has
	 * more
	 */
	struct report_frame *frames;
	size_t n_frames;
	bool cut;          /* it has more */
	const char *stack; /* the same as text, where it has no frames; NULL */
};

/* A test that was running. */
struct report_test {
	uint32_t thread;       /* 0: it waits in an await, on no stack */
	const char *framework; /* "xunit", ..., "" */
	const char *name;      /* "Ns.Class.Method" */
	const char *text;      /* with its arguments: "...(start: 42)" */
	const char *path;      /* where it stands, NULL: not known */
	uint32_t line;
};

/* The words that describe one kind of wait. */
struct report_wait_kind {
	const char *word;  /* "lock" */
	const char *text;  /* "the lock of" an object */
	const char *owner; /* what a thread does with it: "holds" */
	bool lock;         /* it has an owner while it is locked */
};

/* A thread that waits for a lock, a task, ... */
struct report_wait {
	uint32_t thread, owner; /* 0: not known */
	uint64_t object;
	const char *type;
	const struct report_wait_kind *kind;
	bool deadlock;
};

/* Async calls that wait, the first for what is awaited, the others for those
 * before them. */
struct report_async {
	const char *what; /* is awaited, NULL: the first call tells */
	struct report_frame *frames;
	size_t n_frames;
	uint64_t count; /* chains that are the same but for their objects */
	bool circle;
};

/* The last lines of a command's output. */
struct report_output {
	const char **lines; /* NULL: they were not kept */
	size_t n;
};

/* Bytes of the collector's heap. */
struct report_heap {
	bool known;
	uint64_t bytes[DBG_N_GENS];
};

struct report_pool {
	bool known;
	uint32_t workers, working, max;
	uint64_t queued; /* work items */
};

struct report_module {
	const char *name, *path, *version, *mvid; /* NULL: none */
	bool framework, symbols;
};

/* Large: all that a report says. */
struct report {
	struct arena *arena; /* of all that is in it */
	pid_t pid;
	const char *program;
	const char *cause;       /* one line: what happened; NULL: nothing */
	const char *kind;        /* a word for it: "exception", "signal", ... */
	bool stuck;              /* nothing has happened: it does not go on */
	int signal;              /* 0: none */
	struct dbg_fault *fault; /* of which it dies, NULL: none */
	uint32_t thread;         /* number of the one it is about, 0: none */
	const char *runtime;     /* ".NET 10.0.12", "" if it has none */
	uint64_t time;           /* seconds since 1970 */
	const char *system;      /* the distribution, NULL: not known */
	const char **args;       /* the command line */
	size_t n_args;
	const char **env; /* "NAME=VALUE", those that are chosen */
	size_t n_env;
	struct report_output output;
	struct report_heap heap;
	struct report_pool pool;
	struct report_module *modules;
	size_t n_modules;
	struct report_exception *exceptions;
	size_t n_exceptions;
	struct report_test
	    *tests; /* the test that the report's thread runs comes first */
	size_t n_tests;
	struct report_wait *waits;
	size_t n_waits;
	const char *lacking; /* a core that is not of a crash: why some waits
				may be missing; NULL: none is */
	struct report_async
	    *asyncs; /* if the program is stuck; calls of tests come first */
	size_t n_asyncs;
	struct report_thread *threads; /* the one it is about first */
	size_t n_threads;
};

struct report_limits {
	uint32_t frames;  /* listed of a thread */
	bool all_threads; /* also the runtime's own and native threads */
	bool variables;   /* of frames of the user's, in the first thread */
	/* Is the rest to be left out? Asked often; NULL: no. */
	bool (*hurries)(void *arg);
	void *arg;
};

/* Limits for a program that dies: enough to find the fault by the log alone. */
extern const struct report_limits report_death_limits;

/*
 * Take down the program of @dbg, which is stopped. Threads whose stack cannot
 * be walked say so; an error is one that leaves nothing to report. The caller
 * destroys *ret.
 */
DBG_MUST struct dbg_error *report_take(struct dbg *dbg,
				       const struct report_limits *limits,
				       struct report *ret);
void report_destroy(struct report *r);
/*
 * Fold the end of @v if it is the same few frames several times, or the last
 * run once more. Returns the new number of frames.
 */
size_t report_fold(struct report_frame *v, size_t n);
/* "Ended by SIGSEGV (Segmentation fault)", the report's own. */
const char *report_signal_text(struct report *r, int signal);
/* @path as those know it who have the sources: below the working directory. */
const char *report_path(const char *path);
/* Has the program called Environment.FailFast? Then no exception was thrown. */
bool report_is_fail_fast(const struct report *r);
/* Is the frame user code with source? */
bool report_is_users(const struct report_frame *f);

/* Separates, in a cause, an exception from the one within it. */
#define REPORT_WITHIN " ---> "

enum {
	REPORT_CULPRITS_MAX = 10
};

/*
 * What people look at first: an innermost exception (an AggregateException has
 * several), and the first frame of user code that it has passed, or else that
 * an exception around it has. In a report without exceptions, the first user
 * frame of the thread.
 */
struct report_culprit {
	const struct report_exception *exception; /* NULL: none */
	const struct report_frame *frame;         /* NULL: none */
	const char *text; /* the first has the report's cause, never NULL */
};

/*
 * Find the culprits of a report, at least one; returns how many. Most forms
 * tell the first only.
 */
size_t report_culprits(const struct report *r,
		       struct report_culprit ret[REPORT_CULPRITS_MAX]);
/* The first of them. */
struct report_culprit report_culprit(const struct report *r);
/*
 * 16 hexadecimal digits that are the same for crashes of the same type with
 * the same topmost methods of the user's, whatever the lines, in @ret: of the
 * innermost exception, and of those around it where it has fewer than three.
 */
void report_fingerprint(const struct report *r, char ret[17]);
/*
 * The fingerprint as older versions made it: of the outermost exception and the
 * thread alone.
 */
void report_fingerprint_outermost(const struct report *r, char ret[17]);

/* ---- Forms ------------------------------------------------------------ */

/*
 * How a form takes several reports: each when it is made, appended to the
 * earlier ones; or all together at the end of the run.
 */
enum report_manner {
	REPORT_EACH, /* appended to a file */
	REPORT_LOG,  /* ... to stdout, whose reader carries them out */
	REPORT_ALL,  /* a file with a beginning and an end, replaced */
};

struct report_form {
	const char *name; /* "json" */
	enum report_manner manner;
	void (*write)(const struct report *const *v, size_t n, FILE *out);
};

enum {
	REPORT_N_FORMS = 11
};
/* The first is text, which stderr gets if no other place is named for it. */
extern const struct report_form report_forms[REPORT_N_FORMS];
/* NULL: there is none of that name. */
const struct report_form *report_form_find(const char *name);

/* Write reports as text; coloured if @out is a terminal. */
void report_text(const struct report *const *v, size_t n, FILE *out);
/* The objects that docs/report.md describes, as an array; as lines. */
void report_json(const struct report *const *v, size_t n, FILE *out);
void report_jsonl(const struct report *const *v, size_t n, FILE *out);

/* Write one report as an object of report_json. */
void report_json_one(const struct report *r, FILE *out);

/* ---- Commands --------------------------------------------------------- */

/* `dndbg stack`, `run`, `core`, `dump`, `ps`: return the exit status. */
int report_stack_main(struct dbg *dbg, int argc, char **argv);
int report_dump_main(struct dbg *dbg, int argc, char **argv);
int report_ps_main(struct dbg *dbg, int argc, char **argv);
int report_run_main(struct dbg *dbg, int argc, char **argv);
int report_core_main(struct dbg *dbg, int argc, char **argv);

/*
 * Write parallel stacks, as text or as JSON. Threads without frames are left
 * out.
 */
void report_parallel(const struct report *r, FILE *out);
void report_parallel_json(const struct report *r, FILE *out);

/* ---- Signals to dndbg that are meant for its command --------------------- */

/*
 * A process of our group only keeps what it is sent: the same signal of the
 * same sender that came to us was sent to the whole group.
 */

struct passed;

/* Block them from now on; what was blocked is in *@ret. */
void passed_block(sigset_t *ret);
/* Pass them on to the program of @dbg whenever @loop waits. */
DBG_MUST struct dbg_error *passed_create(struct dbg *dbg, struct loop *loop,
					 struct passed **ret);
void passed_destroy(struct passed *p);
/* Pass on what has come meanwhile, not only when the loop waits. */
void passed_now(struct passed *p);
/*
 * Pass on those that have come meanwhile; was the command asked to end more
 * than once since passed_calm()?
 */
bool passed_hurries(struct passed *p);
void passed_calm(struct passed *p);
/* Was the command to stop by Ctrl-Z, since this was asked for? */
bool passed_suspends(struct passed *p);
/*
 * Stop ourselves, as the command has, unless it ignores Ctrl-Z: the shell
 * awaits us. Returns when we were continued.
 */
void passed_suspend(struct passed *p);

struct witness;

/* ---- The options of `dndbg run` ------------------------------------------ */

struct run_options {
	const char *paths[REPORT_N_FORMS]; /* as in struct publish */
	uint64_t timeout_ms;               /* 0: none */
	uint64_t hang_ms;                  /* 0: hangs are not looked for */
	uint64_t kill_after_ms;            /* from @signal to SIGKILL */
	int signal;                        /* that ends what hangs */
	const char *first_chance;          /* types, NULL: none */
	unsigned int output_lines;         /* 0: none are kept */
	bool on_exit;                      /* some code is asked for */
	bool exit_codes[256];              /* which */
};

/* Returns -1 to go on, with *ret_first the command, else the exit status. */
int run_options_parse(int argc, char **argv, struct run_options *ret,
		      int *ret_first);

/* ---- Where the reports of a run go --------------------------------------- */

/*
 * Files in the forms that were asked for, and workflow commands in the output
 * of the CI job. What cannot be written is told on stderr.
 *
 * A file that has all reports together is replaced as a whole, so that a reader
 * finds either the new or the old one. A device, or a file with several names
 * (hard links), is written in place instead, at the end of the run.
 */

struct publish {
	/* By form: the file; "": write to stdout; NULL: not asked for. */
	const char *paths[REPORT_N_FORMS];
	struct report *reports;
	size_t n, cap;
};

enum {
	PUBLISH_MAX = 100, /* reports of one run */
};

/*
 * Tell @report, which is the publisher's then, in the forms that have each;
 * files that have all reports together are written anew.
 */
void publish_add(struct publish *p, const struct report *report);
/*
 * Write the forms that have all reports together; also without any, so that who
 * reads them finds a file. Destroys the reports.
 */
void publish_end(struct publish *p);

/* ---- Processes that dndbg forks to help it ------------------------------- */
/* Call the own process @name from now on, in all of its names. */
void ownprocess_hide(const char *name);

/* ---- The last lines of a command's output, for its reports --------------- */

/* The copier, a process of dndbg's, is between the command and its output. */

struct arena;
struct report;
struct last_output;

/*
 * Have the last @lines of output kept, and let @launch lead there what does not
 * go to a terminal. *ret is NULL if nothing of it is kept: @lines is 0, or all
 * goes to a terminal. Behind the launch: last_output_launched().
 */
DBG_MUST struct dbg_error *last_output_create(unsigned int lines,
					      struct dbg_launch *launch,
					      struct last_output **ret);
void last_output_launched(struct last_output *o);

/*
 * Add what was written last to a report. If it arrives where it goes within a
 * second, what we print comes behind it. @o may be NULL.
 */
void last_output_add(struct last_output *o, struct report *report);

/*
 * No reports any more. Output that comes still, of what the command has left
 * running, arrives without us. @o may be NULL.
 */
void last_output_destroy(struct last_output *o);

/*
 * The last @max lines of the @n bytes at @text in @arena, as a terminal leaves
 * them: without colours, and what follows a carriage return in the place of
 * what was there. Those longer than OUTPUT_LINE_MAX bytes are cut.
 */
enum {
	OUTPUT_LINE_MAX = 1000
};
const char **output_lines(const char *text, size_t n, unsigned int max,
			  struct arena *arena, size_t *ret_n);

/* ---- Taking a report, its parts ------------------------------------------ */

/* A copy of the report's own; NULL stays NULL. */
const char *report_copy(struct report *r, const char *s);
/* The text of a value, unless its name looks like a secret's. */
const char *report_value(struct report *r, const struct dbg_value *v);
/* Read the source lines around the line of @f, if the file exists here. */
void report_take_source(struct report *r, struct dbg *dbg,
			struct report_frame *f);

/* Arguments and locals of a frame, the first of them. */
void report_take_variables(struct report *r, struct dbg_stopped at,
			   dbg_id frame, struct report_frame *f);

/* Is it a module of a test framework, or of a test runner? */
bool report_runs_tests(const char *module);
/*
 * The tests that run, also as the engine lists them. If nothing has happened
 * the report is about the thread of the first.
 */
void report_take_tests(struct report *r, struct dbg_stopped at,
		       struct dbg_test **ret, size_t *ret_n);
/* A hash of the tests that run; it differs when others run. (Stopped only.) */
uint64_t report_tests_hash(struct dbg *dbg);
void report_take_waits(struct report *r, struct dbg_stopped at);
/* List async calls that wait, those that belong to @tests first. */
void report_take_async(struct report *r, struct dbg_stopped at,
		       const struct dbg_test *tests, size_t n);

/* ---- The processes that a command has started ---------------------------- */
/* The work of processes so far. */
struct tree_work {
	uint64_t ticks;   /* of processors, sysconf(_SC_CLK_TCK) a second */
	uint64_t moved;   /* bytes, written to whatever and read from disks */
	uint64_t members; /* a number that differs when others are there */
	uint64_t threads; /* likewise, of their threads */
};

void tree_work(pid_t pid, struct tree_work *ret);

/*
 * The processes that are there now: @pid and what it has started, by whatever
 * processes between. Held by descriptors: a signal reaches none that takes
 * over a number later.
 */
struct tree *tree_hold(pid_t pid);
void tree_destroy(struct tree *tree);
void tree_signal(const struct tree *tree, int signal);
/* Have all of them ended? */
bool tree_gone(const struct tree *tree);

#endif
