/*
 * Execution control: what a stop of the target means.
 *
 * Three layers. A *breakpoint* is what was asked, in the user's words; it
 * outlives modules, code versions and runs. It is bound to *places* (module,
 * method, IL offset) when modules load, and each place to addresses when code
 * is made. A *site* is an address with a trap; it knows which purposes hold
 * it (breakpoint, step, exception dispatch, start-up) and is lifted when the
 * last one lets go.
 *
 * A trap is judged with as little as possible: a hit that only counts, and
 * an exception of a type nobody asked for, resume the one thread without
 * stopping the others or asking the DAC. What needs the DAC stops all first.
 *
 * Session lifetime; control_end_run between runs.
 */
#ifndef CONTROL_CONTROL_H
#define CONTROL_CONTROL_H

#include "dbg.h"
#include "inspect/inspect.h"

struct control;
struct fault_signal;

/*
 * Callbacks to the session above. They only note what they are told: none calls
 * back into control, whose breakpoints, lists and sites stay the same over a
 * callback.
 */
struct control_ops {
	/* Breakpoint @number changed (bound, moved) or is @gone. */
	void (*changed)(void *arg, uint32_t number, bool gone);
	/* A module was loaded, or is @gone (and still described). */
	void (*module)(void *arg, const struct code_module *m, bool gone);
	/* A sentence for the user, of breakpoint @number (0: of none). */
	void (*message)(void *arg, uint32_t number, const char *text);
	/* Text that the program has written for its debugger. */
	void (*output)(void *arg, const char *text);
};

/* Create execution control over the program in @in, which is borrowed. */
struct control *control_create(struct inspect *in,
			       const struct control_ops *ops, void *arg);
void control_destroy(struct control *c);

/*
 * Without a program: bind breakpoints to places in the modules of @code, which
 * are read from files; NULL: unbind them.
 */
void control_files(struct control *c, struct code *code);
/*
 * Begin with a program (after inspect_begin); nothing is known of a runtime
 * yet.
 */
void control_begin_run(struct control *c);
/*
 * Take over a runtime that is up (after inspect_runtime; all stopped). In a
 * target that cannot run, breakpoints are bound to places, and nothing is
 * armed.
 */
DBG_MUST struct dbg_error *control_runtime(struct control *c);
/*
 * Before the program goes on: ask the runtime for the notifications that are
 * needed.
 */
void control_go(struct control *c);
/* Ask the runtime for no notifications any more (all stopped). */
void control_leave(struct control *c);
/* The address at which the runtime's notifications are seen: __cxa_throw. */
DBG_MUST struct dbg_error *control_throw_addr(struct control *c, uint64_t *ret);
/*
 * Have TARGET_WATCH events for eight bytes at @addr while there is no
 * runtime; 0: no longer. (All stopped.)
 */
DBG_MUST struct dbg_error *control_watch_word(struct control *c, uint64_t addr);
/* The program ends: say which patterns (rbreak) no method matched. */
void control_tell_unmatched(struct control *c);
/* End with the program, which is gone; breakpoints become pending. */
void control_end_run(struct control *c);

/* ---- Purposes of a trap ---------------------------------------------- */

enum site_kind {
	SITE_START = 1,    /* the session's start-up traps */
	SITE_THROW = 2,    /* __cxa_throw */
	SITE_DISPATCH = 4, /* System.Runtime.EH.DispatchEx */
	SITE_BREAK = 8,
	SITE_STEP = 16,
	SITE_COMPILE = 64,     /* entry and return of the JIT */
	SITE_PRESTUB = 32,     /* end of ThePreStub */
	SITE_ENTRY_TRAP = 256, /* code that was not told of yet */
	SITE_WATCH = 128,      /* where a frame with watched variables ends */
	SITE_LOAD = 512,       /* where the load of an assembly returns */
	/* calls of class Debugger, and where one stops */
	SITE_DEBUGGER = 1024,
	SITE_CALL = 2048,    /* of a call that a thread makes for us */
	SITE_CATCH = 4096,   /* a handler that a catchpoint asks for */
	SITE_SPAWN = 8192,   /* functions that make a child by vfork */
	SITE_UPDATE = 16384, /* where an update of an assembly is applied */
};

DBG_MUST struct dbg_error *control_site_add(struct control *c,
					    enum site_kind kind,
					    const uint64_t *addrs, size_t n);
DBG_MUST struct dbg_error *control_site_remove(struct control *c,
					       enum site_kind kind,
					       const uint64_t *addrs, size_t n);
/* The purposes of the trap at @addr, as bits of enum site_kind. */
unsigned int control_site_kinds(const struct control *c, uint64_t addr);

/* ---- Judging --------------------------------------------------------- */

/*
 * A thread is at a trap (other purposes than SITE_START), was stepped, or
 * has a signal. *ret_stop is filled if *ret_stops; strings are in @arena,
 * the stop's. All threads are stopped if it stops; else they may be.
 */
DBG_MUST struct dbg_error *
control_judge(struct control *c, const struct target_event *ev,
	      struct arena *arena, struct dbg_stop *ret_stop, bool *ret_stops);

/*
 * In a core, a signal has ended the program in thread @tid: describe that in
 * *stop, with the exception that nobody caught or the fault. (All stopped.)
 */
void control_terminated(struct control *c, pid_t tid,
			const struct fault_signal *fault,
			struct dbg_stop *stop);

/*
 * Is the signal of @ev the int3 of a Debugger.Break? It is not to be delivered
 * then.
 */
bool control_is_user_break(struct control *c, const struct target_event *ev);

/*
 * The debugger itself has written memory: read the watched values there anew.
 */
void control_written(struct control *c, uint64_t addr, uint64_t n);
/* End a step that is under way (another stop came first). */
void control_step_cancel(struct control *c);
/* A thread is gone: end a step of it. */
void control_thread_gone(struct control *c, pid_t tid);

/* ---- Steps (all stopped; the caller resumes) ------------------------- */

/* When other threads than the resumed one are held. */
enum step_locking {
	LOCKING_OFF,
	LOCKING_ON,
	LOCKING_STEP, /* while it is stepped */
};

/* The user's settings for steps; the caller may change all but just_my_code. */
struct step_rules {
	bool just_my_code;
	bool over_properties; /* and operators, by a step in */
	enum step_locking locking;
	bool alone;  /* the others are held until the next stop */
	bool shares; /* they are not, until the step ends */
};

/*
 * The only thread that is to run now, 0: all. @current is the thread that the
 * user resumed; all run while a step waits for other threads.
 */
pid_t control_runs_only(const struct control *c, pid_t current);
/* Are other threads held for a step under way, and only for that? */
bool control_step_holds(const struct control *c);

struct step_rules *control_step_rules(struct control *c);
/*
 * Set which methods a step in passes in addition, see step/step.c; by the text
 * of the setting.
 */
DBG_MUST struct dbg_error *control_skip_set(struct control *c,
					    const char *text);
const char *control_skip_text(const struct control *c);
/*
 * Set just_my_code. It also decides which breakpoints are hit, so all threads
 * must be stopped, if there is a program.
 */
void control_just_my_code(struct control *c, bool on);

/*
 * Plan a step of @tid. *ret_done: it is complete already (an instruction
 * step), *ret_stop says how.
 */
DBG_MUST struct dbg_error *control_step(struct control *c, pid_t tid,
					const struct dbg_step *step,
					bool *ret_done);
/*
 * After an instruction step of @tid: if it stands at a breakpoint now, count
 * that as hit, since the thread will not trap there any more. Fills *stop if it
 * stops.
 */
DBG_MUST struct dbg_error *control_stepped(struct control *c, pid_t tid,
					   struct dbg_stop *stop);
/*
 * Is there a second catchpoint that is to stop for the same throw before the
 * program goes on? Then *ret is that stop, its strings in @arena.
 */
bool control_stops_again(struct control *c);
void control_stop_again(struct control *c, struct arena *arena,
			struct dbg_stop *ret);
/*
 * Run until @place is reached or the frame returns; an error if there is
 * no such place now. @path as in control_break_add.
 */
DBG_MUST struct dbg_error *control_run_to(struct control *c, pid_t tid,
					  const struct dbg_place *place,
					  const char *path,
					  struct arena *arena);

/* Calls of the line where @tid stands, in @arena; ids are dbg_step.target. */
DBG_MUST struct dbg_error *control_calls(struct control *c, pid_t tid,
					 struct arena *arena,
					 struct dbg_call **ret, size_t *ret_n);

/* A place in the newest frame's method; @path as in control_break_add. */
struct goto_req {
	const struct dbg_place *place;
	const char *path; /* of a bare line, NULL: none */
	struct arena *arena;
};

/*
 * List the places of @req that can be made the next statement; at least one,
 * else an error.
 */
DBG_MUST struct dbg_error *control_goto_list(struct control *c, pid_t tid,
					     const struct goto_req *req,
					     struct dbg_location **ret,
					     size_t *ret_n);
/* Make the first of them the next statement. */
DBG_MUST struct dbg_error *control_goto(struct control *c, pid_t tid,
					const struct goto_req *req);

/* ---- Calls (value/callrequest.h) -------------------------------------- */

struct call_request;
struct call_result;

/*
 * Does thread @tid stand where it can make a call, and does none go on? Else
 * the reason, and what to do. (All stopped.)
 */
DBG_MUST struct dbg_error *control_call_possible(struct control *c, pid_t tid);
/*
 * Make @req's thread such that it makes the call when it is resumed: alone,
 * until control_call_share. With *ret_prepares it is a first call instead that
 * makes others possible: when it has ended, ask again. (All stopped.)
 */
DBG_MUST struct dbg_error *control_call(struct control *c,
					const struct call_request *req,
					bool *ret_prepares);
/*
 * Has the call ended? True once, with all threads stopped; *ret is good until
 * the next call.
 */
bool control_call_ended(struct control *c, struct call_result *ret);
/*
 * The call has run alone for @ms of @limit: shall the others run with it from
 * now on? Not while it is short and waits for nobody, nor if they run already;
 * from half of the limit on in any case.
 */
bool control_call_share(struct control *c, uint64_t ms, uint64_t limit);
/*
 * The call has run for @ms of @limit: after a part of the limit, other threads
 * stop waiting with what they have hit, since the call may wait for one of
 * them.
 */
void control_call_beside(struct control *c, uint64_t ms, uint64_t limit);
/*
 * Stop waiting for the call. It goes on when the program does; when it returns,
 * the thread stops where it was.
 */
void control_call_leave(struct control *c);

/* ---- Breakpoints ----------------------------------------------------- */

/*
 * Add a breakpoint. @path: file of the present frame, for a bare line number,
 * or NULL.
 */
DBG_MUST struct dbg_error *control_break_add(struct control *c,
					     const struct dbg_break_req *req,
					     const char *path,
					     uint32_t *ret_number);
/*
 * As control_break_add for DBG_BREAK_WATCH. @frame: where the expression is
 * evaluated; NULL: it needs no frame. (All stopped, or no program.)
 */
DBG_MUST struct dbg_error *control_watch_add(struct control *c,
					     const struct dbg_break_req *req,
					     const struct frame *frame,
					     uint32_t *ret_number);
DBG_MUST struct dbg_error *control_break_delete(struct control *c,
						uint32_t number);
DBG_MUST struct dbg_error *control_break_enable(struct control *c,
						uint32_t number, bool on);
/*
 * Enable the breakpoint for so many stops, the last of which disables or
 * deletes it.
 */
DBG_MUST struct dbg_error *control_break_stops(struct control *c,
					       uint32_t number, uint32_t stops,
					       bool deletes);
DBG_MUST struct dbg_error *
control_break_ignore(struct control *c, uint32_t number, uint64_t count);
DBG_MUST struct dbg_error *
control_break_condition(struct control *c, uint32_t number, const char *expr);
/* Fail if @rule is no hit condition. */
DBG_MUST struct dbg_error *control_check_hits(const char *rule);
/* Describe into @arena; @number 0: all. */
DBG_MUST struct dbg_error *
control_break_list(struct control *c, uint32_t number, struct arena *arena,
		   struct dbg_breakpoint **ret, size_t *ret_n);
/*
 * Copy breakpoint @number of @from (0: all), except those at addresses, to @c;
 * the copies count their own hits.
 */
DBG_MUST struct dbg_error *
control_break_copy(struct control *c, struct control *from, uint32_t number);
/*
 * How often the breakpoint was hit in this program; 0 if there is no such one.
 */
uint64_t control_break_hits(struct control *c, uint32_t number);
/* Add the hits that @from counted. */
void control_break_merge(struct control *c, struct control *from);
/*
 * Find the locations of @place as it is now, with an address each if compiled;
 * at least one, else an error.
 */
DBG_MUST struct dbg_error *control_locate(struct control *c,
					  const struct dbg_place *place,
					  const char *path, struct arena *arena,
					  struct dbg_location **ret,
					  size_t *ret_n);
/* Have modules that are loaded from now on compiled for debugging. */
void control_suppress_optimizations(struct control *c, bool on);
/* Stop at the start of the program's Main, once. */
void control_stop_at_entry(struct control *c, bool on);
/* Do not answer for class Debugger any more, in this run. */
void control_lift_answers(struct control *c);
/* Is the program not to find that it is debugged? */
void control_set_unseen(struct control *c, bool on);
bool control_is_unseen(const struct control *c);

#endif
