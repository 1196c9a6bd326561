/* dbg.h: a session, the program that it debugs, and that program's children. */
#ifndef DBG_PROCESS_H
#define DBG_PROCESS_H

#include <sys/select.h> // sigset_t

#include "dbg/stopped.h"

enum dbg_state {
	DBG_IDLE, /* no program */
	DBG_RUNNING,
	DBG_STOPPED,
	DBG_LENT, /* createdump traces it: see dbg_lend() */
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

/*
 * Have @fn told of long work, many times a second: what is being done, as in
 * "reading the heap", and how much of @total is; @total 0: that is not known.
 * NULL: nobody is told. It may call dbg_interrupt and nothing else of dbg.h.
 */
typedef void dbg_progress_fn(void *arg, const char *what, uint64_t done,
			     uint64_t total);
void dbg_set_progress(struct dbg *dbg, dbg_progress_fn *fn, void *arg);

struct dbg_launch {
	const char *program;     /* .dll, apphost or "dotnet" */
	const char *const *args; /* not counting the program */
	size_t n_args;
	const char *cwd;        /* NULL: ours */
	const char *const *env; /* "NAME=VALUE" sets, "NAME" unsets */
	size_t n_env;
	/*
	 * Files to open, from cwd on; ">>FILE" is appended to, "&1" and "&2"
	 * are what that stream is before any is opened. NULL: inherit. Outputs
	 * of the same name share one position in the file.
	 */
	const char *stdio[3];
	const char *tty;         /* its terminal, NULL: inherit ours */
	bool stop_at_exec;       /* stop at its first instruction */
	bool stop_at_entry;      /* stop at the start of Main */
	bool hold;               /* ... and before: DBG_STOP_READY */
	const sigset_t *blocked; /* signals that it has blocked; NULL: as we */
	bool our_group; /* it is in our group of processes, and has its keys */
	bool unseen;    /* Debugger.IsAttached is false, in children as well */
	bool lends;     /* DBG_EVENT_DUMPER, in children as well: dbg_lend() */
};

/*
 * Name the program that is going to be launched (@launch->program, args and
 * cwd; NULL: none). While no program runs, what its files tell is known: its
 * .dll and what lies beside it and is referred to give names, sources, modules
 * and the places of breakpoints. They are read when somebody asks, and anew
 * when they have changed. An error: there is no such file; it may come yet.
 */
DBG_MUST struct dbg_error *dbg_program(struct dbg *dbg,
				       const struct dbg_launch *launch);

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
	bool snapshot;    /* take over a copy of it: see dbg_snapshot() */
	/*
	 * Look for so long, ms, how much of a processor its threads use, before
	 * it is stopped: see dbg_processor_list().
	 */
	uint32_t look;
	/*
	 * If the garbage collector is moving objects, by which the heap cannot
	 * be read, let the program go on and stop it again, for so long, ms. It
	 * may be found so all the same.
	 */
	uint32_t settle;
};

enum {
	DBG_SETTLE_MS = 5000, /* for who looks once: longer than most last */
};

/*
 * Take over a running program. It is stopped then, DBG_EVENT_STOPPED (reason
 * DBG_STOP_ATTACH) is queued; whatever becomes of us, it goes on without us.
 */
DBG_MUST struct dbg_error *dbg_attach(struct dbg *dbg,
				      const struct dbg_attach *attach);

/*
 * Make a frozen copy of the stopped program, and let the program go on as
 * dbg_detach() does. The copy takes its place, as a core would: a stop that
 * does not end, with the threads, registers and memory of this moment, and
 * DBG_EVENT_STOPPED is queued. It costs memory for what the program changes
 * meanwhile, and is gone with the session, however we end. DBG_E_STATE,
 * DBG_E_TARGET with the reason why it cannot be made; the program is stopped
 * as before then.
 */
DBG_MUST struct dbg_error *dbg_snapshot(struct dbg_stopped at);

/*
 * Look at a core file (ELF, as the kernel, gcore and createdump write them):
 * a stop that does not end. DBG_EVENT_STOPPED is queued, with the exception
 * that ended the program, if one did, else DBG_STOP_TERMINATED or, if it was
 * dumped alive, DBG_STOP_ATTACH. What needs a process is DBG_E_STATE then.
 * DBG_E_FILE, DBG_E_FORMAT.
 */
DBG_MUST struct dbg_error *dbg_core(struct dbg *dbg, const char *path);

/* Which memory of the program a core file holds. */
enum dbg_core_kind {
	/* All readable memory: nothing else is needed to look at the core. */
	DBG_CORE_FULL,
	/*
	 * All but pages that are unchanged from the files they are mapped from,
	 * which must exist or be found by "core-search-path": much smaller.
	 */
	DBG_CORE_HEAP,
	/*
	 * What is needed to show all threads' stacks, arguments and locals, and
	 * the exception of the stop: some MB. Objects are included as far as
	 * these show them; the heap is not.
	 */
	DBG_CORE_MINI,
};

/* How a core file is to be written. */
struct dbg_core_options {
	enum dbg_core_kind kind;
	bool compress; /* by gzip; dbg_core() reads it all the same */
};

/*
 * Write a core file of the stopped program, which is as if nothing had been
 * asked of it. A file @path is replaced; its owner alone may read it. How long
 * it is, uncompressed, with the holes where memory is zero, is in *ret_size. On
 * failure there is no file. DBG_E_FILE, DBG_E_STATE, DBG_E_INTERRUPTED
 * (dbg_interrupt).
 */
DBG_MUST struct dbg_error *dbg_core_write(struct dbg_stopped at,
					  const char *path,
					  const struct dbg_core_options *o,
					  uint64_t *ret_size);

/* Is there a program that can run, not a core? */
bool dbg_can_run(const struct dbg *dbg);

/*
 * Let the program go, launched or not: it runs on untraced with nothing of the
 * debugger's left in it, or with @stopped it stays stopped as by SIGSTOP. The
 * session is idle then, without an event.
 */
DBG_MUST struct dbg_error *dbg_detach(struct dbg *dbg, bool stopped);

/* Does the program, which was attached to, go on after dbg_destroy()? */
bool dbg_survives(const struct dbg *dbg);

/* Kill the program; DBG_EVENT_EXITED follows. */
DBG_MUST struct dbg_error *dbg_kill(struct dbg *dbg);

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

/*
 * The program has had its runtime start createdump, process @dumper
 * (DBG_EVENT_DUMPER): let the program go until that is done, since a process
 * has one tracer. It is DBG_LENT meanwhile, while siblings go on as they did;
 * then it runs, debugged as before, nothing that it does once createdump has
 * ended being missed. dbg_pause() ends createdump, for DBG_EVENT_STOPPED. If it
 * cannot be attached to any more, another DBG_EVENT_DUMPER says why, and it
 * stays DBG_LENT until DBG_EVENT_EXITED. On failure @dumper runs on, as does
 * the program.
 */
DBG_MUST struct dbg_error *dbg_lend(struct dbg *dbg, pid_t dumper);

#endif
