/*
 * The session: owner of everything, between the API and the rooms.
 *
 * State: IDLE (no program) -> RUNNING -> STOPPED -> RUNNING ... -> IDLE.
 *
 * RUNNING, events of the target are taken one by one and judged. `halted` means
 * that all threads are stopped for our own purposes and the stop arena is
 * fresh; either the judgement makes a stop of it that the user sees, or
 * session_go lets all run on. STOPPED is always halted.
 *
 * Starting: a trap at the program's entry, then at the dynamic linker's r_brk
 * until libcoreclr.so is there, then at the exports by which a host runs
 * managed code. The runtime is up, no user code has run: control takes over.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/log.h"
#include "control/control.h"
#include "dbg.h"
#include "heap/heap.h"
#include "inspect/inspect.h"
#include "session/attach.h"
#include "session/evaluation.h"
#include "session/files.h"
#include "session/heldstep.h"
#include "session/ipcfiles.h"
#include "session/standstill.h"
#include "target/hostfile.h"
#include "target/target.h"

enum start_phase {
	START_NONE,
	START_ENTRY,   /* waiting for the entry point */
	START_LIBRARY, /* ... for libcoreclr.so */
	START_RUNTIME, /* ... for the host's call into it */
	START_TABLE,   /* ... for a runtime inside to fill its table */
	START_FILLED,  /* ... and be done with that */
	START_MODULES, /* ... and to load what it is to run */
	START_DONE,
};

struct start {
	enum start_phase phase;
	uint64_t addrs[3]; /* armed for the present phase */
	size_t n_addrs;
	unsigned int modules; /* told of by a runtime inside */
	bool prepared;        /* the DAC is loaded, or cannot be */
	char *runtime; /* path of libcoreclr.so, or of what it is inside of */
	char *bundled_dac;        /* of a runtime inside, NULL: it is no such */
	uint64_t base, sigaction; /* the C library's, one of addrs; 0: none */
};

/*
 * What to do with a signal, by the user; not set: the default, see run.c.
 */
struct signal_rule {
	bool set, stop, print, pass;
};

enum follow_exec {
	FOLLOW_OFF,
	FOLLOW_AUTO, /* .NET programs that the SDK's tools start */
	FOLLOW_ON,   /* all but the SDK's tools */
	FOLLOW_PATTERN,
};

/* Which programs that the program starts are debugged as well. */
struct follow {
	enum follow_exec exec;
	char *pattern;   /* the setting's text; NULL: off */
	bool fork_child; /* follow-fork-mode child: all, in its place */
	bool keep_both;  /* detach-on-fork off: all, besides it */
};

/*
 * All sessions whose programs descend from one, in the order of their numbers.
 */
struct siblings {
	struct dbg **v;
	size_t n, cap;
	uint32_t last_number;
	struct dbg *current; /* which the user looks at */
	uint64_t went_on;    /* from the last hit, by clock_ns */
	uint32_t at_once;    /* hits in a row that came at once after that */
};

/* A member of a family, and the program that it runs or ran last. */
struct inferior {
	uint32_t number; /* 0: not a member yet */
	pid_t pid;
	char *path, *name; /* see struct dbg_inferior; NULL: "" */
	enum program_kind kind;
};

/* Settings as they were set, in order, to be set in a new sibling as well. */
struct settings_made {
	struct setting_made {
		const char *name;
		char *value;
	} * v;
	size_t n, cap;
};

struct event_queue {
	struct dbg_event *events;
	size_t first, n, cap;
};

/* The GC heap as it was in a stop; NULL: not asked for yet. */
struct session_heap {
	struct heap *heap;
	struct heap_watch watch;
	struct tasks *tasks; /* in it, those that are not done; or NULL */
	struct alive *alive; /* what roots lead to; or NULL */
	uint32_t stop;
	bool may_wait; /* some async call has had to wait */
};

/* One session. Large: whatever a session owns hangs on it. */
struct dbg {
	enum dbg_state state;
	bool pausing;          /* dbg_pause, until it takes effect */
	bool runtime_unread;   /* it has one that cannot be read: it was said */
	bool hold;             /* DBG_STOP_READY is due */
	pid_t resumed;         /* the thread that the user resumed, 0: gone */
	struct target *target; /* owned */
	struct inspect inspect;
	struct ipc_files ipc_files;
	struct control *control;
	struct start start;
	struct session_heap heap;
	struct dbg_stop stop;
	struct event_queue queue;
	struct log log; /* "log" */
	char *dac_path; /* where to look for DACs, NULL: nowhere more */
	struct hostfile_search files; /* of cores */
	bool trust_dac, suppress_jit, lends, told_new_runtime;
	bool show_native, show_external, show_caught, show_runtime_threads;
	struct signal_rule signals[NSIG];
	sigset_t sent; /* by dbg_signal_send in this run */
	struct siblings *siblings;
	struct follow follow;
	struct inferior inferior;
	struct named_program named;
	sigset_t answered; /* keys that the last stop was the answer to */
	struct settings_made made;
	struct evaluation *evaluation; /* the last one, or NULL */
	struct evaluation_rules rules;
	struct held_step held_step;
	struct standstill standstill;
	struct ticks lent;
	struct handles handles;
	struct dbg_counters counters; /* of earlier runs */
};

/* ---- session.c ------------------------------------------------------- */

/* Let all threads run. */
DBG_MUST struct dbg_error *session_go(struct dbg *dbg);
/* Resume all threads from now on, where one ran alone; an error is reported. */
void session_run_all(struct dbg *dbg);
/*
 * Call when there is a target, started from @path (NULL: see
 * session_inferior_runs). Nothing is known of its runtime yet.
 */
void session_begin(struct dbg *dbg, const char *path);
/* Forget everything about the program, which is gone. */
void session_forget(struct dbg *dbg);
void session_ended(struct dbg *dbg);
/* The present stop, for callers that know that there is one. */
struct dbg_stopped session_standing(const struct dbg *dbg);
/*
 * DBG_E_STATE unless the program is stopped, DBG_E_STALE unless in the stop
 * @at; live: ... and can run on; runtime: ... and has one, else no_runtime.
 */
DBG_MUST struct dbg_error *session_need_stop(struct dbg_stopped at);
DBG_MUST struct dbg_error *session_need_live(struct dbg_stopped at);
DBG_MUST struct dbg_error *session_need_runtime(struct dbg_stopped at);
DBG_MUST struct dbg_error *session_no_runtime(const struct dbg *dbg);

/*
 * Get the frame @id, or (0) the newest of the stop's thread. DBG_E_NOT_FOUND:
 * none.
 */
DBG_MUST struct dbg_error *session_frame_or_newest(struct dbg_stopped at,
						   dbg_id id,
						   const struct frame **ret);
/* The same for callers that can do without a frame: NULL if there is none. */
DBG_MUST struct dbg_error *session_frame_if_any(struct dbg_stopped at,
						dbg_id id,
						const struct frame **ret);

/* ---- api_inferior.c -------------------------------------------------- */

/*
 * Begin with the target as program, started from @path; NULL: what it executes.
 */
void session_inferior_runs(struct dbg *dbg, const char *path);
/* Set the name that users see. */
void session_inferior_name(struct dbg *dbg, const struct program *p);
void session_inferior_deinit(struct dbg *dbg);

/* ---- api_heap.c ------------------------------------------------------ */

/* Forget the heap of a stop that is over. */
void session_heap_drop(struct dbg *dbg);

/* ---- run.c ------------------------------------------------------- */

/* Tell the target which signals are looked at before they are delivered. */
void session_watch_signals(struct dbg *dbg);

/* ---- siblings.c ------------------------------------------------------- */

/* Make a stop of it that the user sees, with the reason @stop. */
void session_stopped(struct dbg *dbg, const struct dbg_stop *stop);
/*
 * The thread that a user wants to see at a pause: the main one if it is
 * managed.
 */
uint32_t session_pause_thread(struct dbg *dbg, pid_t tid);
/* Stop all for a pause that was asked for, or for the user's key @signal. */
DBG_MUST struct dbg_error *session_paused(struct dbg *dbg, pid_t tid,
					  int signal);

/* ---- api_setting.c --------------------------------------------------- */

/* Tell the stack which frames the settings want shown. */
void session_show_frames(struct dbg *dbg);
/* Make all settings of @from in @dbg. */
DBG_MUST struct dbg_error *session_settings_copy(struct dbg *dbg,
						 const struct dbg *from);

/* Temporary breakpoint @number was hit: delete it in the siblings as well. */
void session_break_gone(struct dbg *dbg, uint32_t number);
/* File of a frame, for a bare line number; NULL if it has none. */
const char *session_frame_path(struct dbg *dbg, dbg_id id);

/* ---- session.c --------------------------------------------------------- */

/* Queue an event; its text is copied. */
void session_event(struct dbg *dbg, const struct dbg_event *event);
void session_message(struct dbg *dbg, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Warn the user of something that is missing in everything that is shown. */
void session_warning(struct dbg *dbg, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* How many events wait to be taken; forget those behind the first @n. */
size_t session_events(const struct dbg *dbg);
void session_events_forget(struct dbg *dbg, size_t n);
void session_events_deinit(struct dbg *dbg);

/* ---- start.c --------------------------------------------------------- */

DBG_MUST struct dbg_error *start_begin(struct dbg *dbg);
/*
 * Begin with a program that runs already: its runtime is up or will be. All is
 * stopped.
 */
DBG_MUST struct dbg_error *start_attached(struct dbg *dbg);
/* Handle a thread that has written the memory watched at start-up. */
DBG_MUST struct dbg_error *start_written(struct dbg *dbg,
					 const struct target_event *ev);
/* Handle a thread at one of our start-up traps. */
DBG_MUST struct dbg_error *start_trap(struct dbg *dbg,
				      const struct target_event *ev);
/* Load the DAC while the program starts its runtime. */
void start_prepare(struct dbg *dbg);
void start_reset(struct dbg *dbg);
/* Give up preparing: our traps are lifted, the program runs on. */
void start_give_up(struct dbg *dbg);

/* ---- launch.c -------------------------------------------------------- */

/* What a launch executes: strings in @arena. */
struct launch_plan {
	const char *path;
	const char *const *argv;
};

DBG_MUST struct dbg_error *launch_resolve(const struct dbg_launch *launch,
					  struct arena *arena,
					  struct launch_plan *ret);
/* Get the absolute path of the program alone, whatever it is. */
DBG_MUST struct dbg_error *launch_program(const struct dbg_launch *launch,
					  struct arena *arena,
					  const char **ret);

#endif
