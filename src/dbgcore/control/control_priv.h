/* Shared inside control/ only. */
#ifndef CONTROL_PRIV_H
#define CONTROL_PRIV_H

#include "base/map.h"
#include "base/mem.h"
#include "control/control.h"
#include "control/hitrule.h"
#include "control/filter.h"
#include "control/location.h"
#include "control/watch.h"
#include "value/value.h"

/* ---- Breakpoints ----------------------------------------------------- */

/* One place of a breakpoint and the addresses it has in today's code. */
struct bp_place {
	struct code_place place;
	uint64_t *addrs;
	size_t n_addrs, cap_addrs;
	bool compiled; /* code was seen, with an address or without */
};

enum {
	BP_UNTIL = 0x7fffffff, /* number of the one that run-to makes */
};

struct bp {
	uint32_t number;
	enum dbg_break_kind kind;
	char *text; /* NULL: every exception */
	char *condition;
	bool enabled, temporary;
	uint64_t hits, ignore;
	struct arena *arena; /* holds location's strings */
	struct location location;
	struct pattern *pattern; /* DBG_BREAK_REGEX */
	struct filter filter;    /* exceptions */
	struct bp_place *places;
	size_t n_places, cap_places;
	struct watch *watch; /* DBG_BREAK_WATCH */
	struct hit_rule rule;
	char *hit_text; /* as written, NULL: none */
	char *log;      /* what to say instead of stopping, NULL: stop */
	bool moved;     /* bound to a later line than asked */
	bool entry;     /* ours, at the program's Main; not listed */
};

/* Breakpoints whose sites share an address. */
struct hit_list {
	struct bp **bps;
	size_t n, cap;
};

/* ---- Methods whose code we wait for ---------------------------------- */

struct want {
	struct dac_method_ref ref;
	bool listed;          /* in the runtime's table */
	bool fresh;           /* not sent yet */
	struct ahead *aheads; /* its code that the runtime has not told of */
};

struct wanted {
	struct map methods;    /* key of (module, token) -> struct want */
	size_t n_fresh;        /* the runtime does not know of */
	size_t n_listed;       /* in the runtime's notification table */
	size_t n_overflow;     /* waited for at ThePreStub */
	uint64_t prestub_exit; /* armed, 0: not */
	/* rush.c */
	bool watching;           /* the JIT's entry is trapped */
	uint64_t jit_wait;       /* trap until the JIT is loaded, 0: none */
	uint64_t compile_entry;  /* of the JIT, 0: not found */
	uint64_t compile_return; /* where it returns to, 0: not seen yet */
	struct map bodies;       /* address of IL -> the method that it is of */
	struct map compiling;    /* thread in the JIT -> struct compilation */
};

/* Code that the runtime has not told of; ahead.c. */
struct aheads {
	struct map codes; /* address -> struct ahead */
	uint64_t *fresh;  /* addresses that may not be armed yet */
	size_t n_fresh, cap_fresh;
};

/* ---- Steps ----------------------------------------------------------- */

enum step_phase {
	STEP_NONE,
	STEP_RUNNING,   /* sites are armed */
	STEP_RESOLVING, /* the runtime finds the callee */
	STEP_AWAITING,  /* for any thread to resume the async method */
};

enum {
	CALL_UNNUMBERED = UINT32_MAX, /* waiter: one that has no task */
};

/* A call of a method by where its frame is. */
struct activation {
	uint64_t sp, bp;
	bool framed; /* bp is the frame's base, also in its handlers */
};

/*
 * An async call that the step left at an await; of a step out, the one that
 * is about to await what is left.
 */
struct left_call {
	pid_t tid;         /* which left; 0: it has ended */
	uint64_t sp;       /* of the frame */
	uint32_t number;   /* of the call, 0: not known yet */
	struct type *type; /* of the state machine, NULL: not known */
	uint64_t machine;  /* where it was */
};

/* A thread that waits for an async call, and where it goes on. */
struct blocked {
	pid_t tid; /* 0: none */
	uint64_t addr, sp;
};

/* The call that a step in is to enter. */
struct call_target {
	uint32_t il_offset; /* UINT32_MAX: any */
	char *name;         /* metadata name of what is called */
	size_t skip;        /* calls of that name that come before */
};

struct step_plan {
	enum step_phase phase;
	pid_t tid;
	struct dbg_step step;
	bool framed;                     /* rbp is the frame's base */
	uint64_t sp, bp;                 /* of the stepped frame */
	uint64_t return_sp, return_addr; /* 0: no caller with source */
	uint64_t return_bp;
	uint32_t until;  /* BP_UNTIL: runs to a place */
	uint64_t *addrs; /* every site of the plan */
	size_t n_addrs, cap_addrs;
	uint64_t *calls; /* those at call instructions */
	size_t n_calls, cap_calls;
	uint64_t *entries; /* those at callees' first lines */
	size_t n_entries, cap_entries;
	struct call_target target;
	uint64_t enter_sp;           /* an entry counts only below */
	struct dac_method_ref enter; /* body waited for, token 0: none */
	bool enter_asked;            /* ... by a notification of our own */
	uint64_t exit_sp;
	uint64_t exit_addr;       /* RESOLVING: where the runtime's stub ends */
	struct code_module *home; /* where the step began, NULL: no source */
	uint64_t home_pc;
	bool through; /* in code called by the line, not stepped */
	uint64_t left_sp, left_addr; /* caller that is passed, 0: none */
	bool finishes; /* the statement to which it returns is stepped too */
	struct seq_point from; /* the line that is stepped */
	uint64_t *yields;      /* where an await leaves the method */
	size_t n_yields, cap_yields;
	struct activation leaves; /* the frame whose yields these are */
	struct left_call left;
	uint64_t *settles; /* behind calls by which left begins to wait */
	size_t n_settles, cap_settles;
	uint64_t *joins; /* where left goes on if it need not wait */
	size_t n_joins, cap_joins;
	uint32_t waiter; /* number of the call that awaits, 0: none */
	uint32_t own;    /* ... of the one that may end, 0: does not matter */
	struct blocked blocked;
	uint64_t *ends; /* the method's last line, if nothing awaits it */
	size_t n_ends, cap_ends;
	const char *note;  /* why the step ends before what was asked for */
	uint64_t *resumes; /* where it, or what was left, goes on */
	size_t n_resumes, cap_resumes;
};

/* The probes at the beginning of code compiled for debugging. */
struct probe {
	uint64_t offset; /* of the flag in a Module */
	uint64_t helper; /* what they call, 0: not known yet */
	bool armed;
	size_t strangers; /* hits of threads that are not stepped */
};

/* ---- Exceptions ------------------------------------------------------ */

enum {
	DISPATCH_VERSIONS = 8, /* precompiled, then the tiers: four at most */
};

/* A stop that follows another one for the same throw. */
struct second {
	uint32_t breakpoint; /* number, 0: there is none */
	pid_t tid;
	struct dbg_stop stop;
	struct arena *arena; /* its strings; NULL: none yet */
};

struct throws {
	bool wanted;               /* some catchpoint is enabled */
	bool looked;               /* for DispatchEx in this run */
	struct dac_method_ref ref; /* of DispatchEx; no token: .NET 8 */
	uint64_t dispatch[DISPATCH_VERSIONS]; /* its code, each version */
	size_t n_dispatch;
	uint64_t raise_return; /* in RaiseException, 0: not seen yet */
	struct map passed;     /* MethodTables that nobody asks for */
	uint64_t object;       /* thrown, while it is judged */
	struct second second;
};

/* A call under way, and where it returns. */
struct load {
	pid_t tid;
	uint64_t addr;
};

/* ---- Calls of the program to its debugger ----------------------------- */

enum {
	DEBUGGER_CALLS = 6,
};

struct debugger_place {
	pid_t tid; /* 0: none */
	uint64_t pc, sp;
};

struct debugger {
	uint64_t calls[DEBUGGER_CALLS]; /* of debugger.c's table; 0: none */
	struct load *breaks; /* Debugger.Break, and where the stop is due */
	size_t n_breaks, cap_breaks;
	struct debugger_place last; /* stop by other than these */
};

struct control {
	const struct control_ops *ops;
	void *arg;
	struct inspect *inspect;
	struct target *target;
	struct stack *stack;
	struct dac *dac; /* NULL until the runtime is up */
	struct code *code;
	struct map sites; /* address -> struct site */
	struct bp **bps;
	size_t n_bps, cap_bps;
	uint32_t last_number;
	struct map hits; /* address -> struct hit_list */
	struct wanted wanted;
	struct aheads ahead;
	struct step_plan plan;
	struct step_rules rules;
	bool told_optimized; /* in this session */
	struct probe probe;
	struct throws throws;
	struct debugger debugger;
	struct watches watches;
	unsigned int catch_users; /* bits of enum catch_user */
	uint64_t cxa_throw;
	uint64_t notify_call; /* where notifications are seen instead, or 0 */
	struct load *loads;
	size_t n_loads, cap_loads;
	bool stop_at_entry;
	bool unoptimize; /* modules that are loaded from now on */
};

/* Who wants to be told of catch handlers that are entered. */
enum catch_user {
	CATCH_USER_STEP = 1,
	CATCH_USER_WATCH = 2,
};

void control_catch(struct control *c, enum catch_user who, bool on);

/* Forget all sites: the program they were in is gone. */
void sites_forget(struct control *c);
/* Grow an array of addresses by one. */
void addrs_add(uint64_t **addrs, size_t *n, size_t *cap, uint64_t addr);
bool addrs_have(const uint64_t *addrs, size_t n, uint64_t addr);

/* Stop all threads and begin to inspect. */
DBG_MUST struct dbg_error *control_halt(struct control *c);
/* What a thread at a SITE_THROW tells. */
void control_notification(struct control *c, const struct regs *regs,
			  struct dac_notification *ret);
/* Report and drop an error that must not end the session. */
void control_complain(struct control *c, struct dbg_error *err);

/* bind.c */
/* Bind @bp in @m; true if it gained a place. */
bool bind_module(struct control *c, struct bp *bp, struct code_module *m);
/* Is the place one where breakpoints are not hit? */
bool bind_is_skipped(struct control *c, const struct bp *bp,
		     const struct bp_place *p);
/* Give @bp a place. */
void bind_place(struct control *c, struct bp *bp,
		const struct code_place *place);
/* Bind @bp in all modules. */
void bind_all(struct control *c, struct bp *bp);
/* Forget places of @bp (in @m, or all if NULL), lifting their sites. */
void bind_forget(struct control *c, struct bp *bp, struct code_module *m);
/* Code of (module, token) was made at @ip. */
void bind_code(struct control *c, struct code_module *m, uint32_t token,
	       uint64_t ip);
/* Arm or lift the sites of all places of @bp. */
void bind_arm(struct control *c, struct bp *bp);
void bind_disarm(struct control *c, struct bp *bp);
struct hit_list *bind_hits(struct control *c, uint64_t addr);

/* rush.c */
/* The first code of @ref (borrowed) is waited for, or no longer. */
void rush_add(struct control *c, const struct code_module *m,
	      const struct dac_method_ref *ref);
void rush_remove(struct control *c, const struct code_module *m,
		 uint32_t token);
/* Trap the JIT if any is waited for. */
void rush_update(struct control *c);
/*
 * The trap at the JIT's entry or return. True: all is stopped, and the thread
 * stands at another trap, *ret_addr, where its code is known.
 */
bool rush_trap(struct control *c, pid_t tid, uint64_t addr, uint64_t *ret_addr);
void rush_gone(struct control *c, pid_t tid);
void rush_reset(struct control *c);

/* ahead.c */
/* The code of @w will begin at @addr, 0: nothing is known of it. */
void ahead_add(struct control *c, struct want *w, uint64_t addr);
/* Arm what was added. */
void ahead_arm(struct control *c);
/* The code at @addr was told of. */
void ahead_done(struct control *c, uint64_t addr);
/* Code of @w is not waited for any more. */
void ahead_drop(struct control *c, struct want *w);
/* A thread is about to run the code at @addr; stops all. */
void ahead_trap(struct control *c, uint64_t addr);
void ahead_reset(struct control *c);

/* wanted.c */
/* Code was made of (module, token). */
void wanted_compiled(struct control *c, struct code_module *m, uint32_t token);
void wanted_add(struct control *c, struct code_module *m, uint32_t token);
void wanted_drop(struct control *c, struct code_module *m, uint32_t token);
/* NULL: it is not waited for. */
struct want *wanted_find(struct control *c, const struct code_module *m,
			 uint32_t token);
/* Ask the runtime to tell of none. */
void wanted_leave(struct control *c);
void wanted_reset(struct control *c);
/* The trap at the end of ThePreStub. */
void wanted_prestub(struct control *c, pid_t tid);
/* A tail jump through a register at or behind @ip in native code; 0: none */
uint64_t stub_exit(struct target *t, uint64_t ip);

/* breakpoint.c */
struct bp *bp_add(struct control *c, enum dbg_break_kind kind,
		  const char *text);
/* What @req says besides the place. */
struct dbg_error *bp_take_rules(struct bp *bp, const struct dbg_break_req *req);
void bp_remove(struct control *c, struct bp *bp);
/* Not one of our own. */
bool bp_is_users(const struct bp *bp);
/* Does it stop at exceptions? */
bool bp_is_catch(const struct bp *bp);
struct bp *bp_find(struct control *c, uint32_t number);
struct dbg_error *bp_hit(struct control *c, pid_t tid, uint64_t addr,
			 struct dbg_stop *stop, bool *ret_stops);
/*
 * Count a hit of @bp by @tid: does it stop? The condition is asked, which
 * stops all.
 */
struct dbg_error *bp_counts(struct control *c, struct bp *bp, pid_t tid,
			    bool *ret_stops);
/* After a stop: a temporary one goes. */
void bp_spent(struct control *c, struct bp *bp, struct dbg_stop *stop);
void bp_unbind_all(struct control *c);
void bp_destroy_all(struct control *c);

/* describe.c: why @bp has no place, in @arena. */
const char *bp_why_pending(struct control *c, const struct bp *bp,
			   struct arena *arena);

/* exception.c */
/* Fill in the exception of a stop from its object at @addr. */
void exception_describe(struct control *c, uint64_t addr, struct arena *arena,
			struct dbg_stop *stop);

/* throws.c */
void throws_update(struct control *c);
void throws_runtime(struct control *c);
/* Does this runtime throw all its exceptions at __cxa_throw? */
bool throws_native(struct control *c);
void throws_reset(struct control *c);
/* Code of DispatchEx was made. */
bool throws_code(struct control *c, struct code_module *m, uint32_t token,
		 uint64_t ip);
struct dbg_error *throws_dispatch(struct control *c, pid_t tid,
				  struct arena *arena, struct dbg_stop *stop,
				  bool *ret_stops);
/* The runtime announces something by a throw: learn where it throws from. */
void throws_raised(struct control *c, const struct regs *regs);
struct dbg_error *throws_pal(struct control *c, pid_t tid, struct arena *arena,
			     struct dbg_stop *stop, bool *ret_stops);
struct dbg_error *throws_fault(struct control *c, const struct target_event *ev,
			       struct arena *arena, struct dbg_stop *stop,
			       bool *ret_stops);
/* The program is about to abort: was it an unhandled exception? */
void throws_unhandled(struct control *c, pid_t tid, struct arena *arena,
		      struct dbg_stop *stop);

/* debugger.c */
/* The runtime is up: watch the calls of System.Diagnostics.Debugger. */
struct dbg_error *debugger_runtime(struct control *c);
/* A thread is at one, or where a Debugger.Break is to stop. */
struct dbg_error *debugger_trap(struct control *c,
				const struct target_event *ev,
				struct dbg_stop *stop, bool *ret_stops);
/* A thread is behind the int3 of a Debugger.Break. */
struct dbg_error *debugger_int3(struct control *c, pid_t tid,
				struct dbg_stop *stop, bool *ret_stops);
/* The program stops at @tid. */
void debugger_stopped(struct control *c, pid_t tid,
		      const struct dbg_stop *stop);
void debugger_thread_gone(struct control *c, pid_t tid);
void debugger_reset(struct control *c);

/* Breakpoint on the entry point of @m if one is asked for. */
void entry_module(struct control *c, struct code_module *m);

/* step.c, stepjudge.c */
/* Has the method that holds @ip a frame pointer in rbp? */
bool step_is_framed(struct control *c, uint64_t ip);
struct dbg_error *step_trap(struct control *c, pid_t tid, uint64_t addr,
			    struct dbg_stop *stop, bool *ret_stops);
/*
 * The stepping thread is about to enter the catch handler of @method at @entry
 * (0: not known).
 */
void step_catch(struct control *c, uint64_t method, uint64_t entry);
/* Does the step end in a thread that waits for what is left? */
bool step_is_awaited(const struct step_plan *p);
/* step.c: the plan is over. */
void step_clear(struct control *c);
/* The same of a step that goes on elsewhere: a place to run to is kept. */
void step_lift(struct control *c);
void step_add_site(struct step_plan *p, uint64_t addr);
struct dbg_error *step_arm(struct control *c);

/* Is it code in which steps end? */
bool step_is_user(struct control *c, const struct frame *f);
/*
 * The nearest frame from @level up that is the user's, else, unless the step
 * began in the user's own code with Just My Code on, one that has source; from
 * code without source, where no frame has any, the nearest managed one. NULL:
 * none.
 */
struct dbg_error *step_user_frame(struct control *c, uint32_t thread,
				  uint32_t level, const struct frame **ret);

/*
 * The step in has returned through code that is stepped through: it goes on
 * to the end of the statement that called that.
 */
struct dbg_error *step_finish(struct control *c, bool *ret_done);
/*
 * A thread stands at a breakpoint at @addr, all stopped: is that where the step
 * ends too?
 */
bool step_ends_at(struct control *c, pid_t tid, uint64_t addr);
/* Step on from where @c->plan.tid is, over the same line. */
struct dbg_error *step_go_on(struct control *c, bool *ret_done);

/* asynccall.c */
/* The objects of an async call, at this stop; 0: not there. */
struct async_call {
	uint64_t task, machine;
};

void asynccall_objects(struct control *c, const struct value *machine,
		       struct async_call *ret);
bool asynccall_has(const struct async_call *call, uint64_t addr);
/*
 * The number by which the async call with this state machine is known for
 * good; 0: it did not wait yet, or its builder is none of the framework's.
 */
uint32_t asynccall_number(struct control *c, const struct value *machine);
/* The same of the newest frame of @tid; false if it runs no async method. */
bool asynccall_of(struct control *c, pid_t tid, struct value *ret_machine,
		  uint32_t *ret_number);

/* stepwait.c */
/*
 * Add where a thread goes on that is blocked until @call is done, or is about
 * to wait for it: plan.blocked, plan.left.
 */
struct dbg_error *stepwait_plan(struct control *c,
				const struct async_call *call);

/* stepasync.c */
/* Add the yields of the async method at @pos, which runs in @frame. */
struct dbg_error *stepasync_plan(struct control *c, const struct code_pos *pos,
				 uint64_t pc, const struct activation *frame);
/* May a step from where @f stands end the async method? */
bool stepasync_may_end(struct control *c, const struct frame *f);
/*
 * Add the places where who awaits @f's method goes on: plan.waiter, else
 * plan.blocked, else plan.left. *ret_returns is false if the method was resumed
 * and does not return to a caller of its own.
 */
struct dbg_error *stepasync_plan_end(struct control *c, const struct frame *f,
				     bool *ret_returns);
/* Nothing awaits the method that @f runs: add its last line to plan.ends. */
struct dbg_error *stepasync_plan_last(struct control *c, const struct frame *f);
/* It is there: go on to who awaits it by now, or end there. */
struct dbg_error *stepasync_last(struct control *c, bool *ret_done);
/* Is @tid, at a line of the method, in the call that may end (plan.own)? */
struct dbg_error *stepasync_own(struct control *c, pid_t tid, bool *ret_own);
/* A thread is at one: is it the call that awaits? */
struct dbg_error *stepasync_waiter(struct control *c, pid_t tid,
				   bool *ret_done);
/*
 * If @f, of a thread that holds objects of @call, is about to await that:
 * plan.left, and where it goes on. @f may be of @call itself.
 */
struct dbg_error *stepasync_plan_held(struct control *c, const struct frame *f,
				      const struct async_call *call);
/* plan.left is behind a call by which it begins to wait. */
struct dbg_error *stepasync_settled(struct control *c);
/* The stepped frame is at a yield. */
struct dbg_error *stepasync_yield(struct control *c, uint64_t addr);
/* AWAITING: a thread is at a resume point, or behind a yield. */
struct dbg_error *stepasync_resume(struct control *c, pid_t tid, uint64_t addr,
				   bool *ret_done);

/* mycode.c */
/* Does a step end in this method? */
bool mycode_is_user(struct control *c, struct code_module *m, uint32_t token);
/* Does a step in pass it, by the setting for properties and operators? */
bool mycode_is_passed(struct control *c, struct code_module *m, uint32_t token);
/*
 * Do its author's marks keep breakpoints in this method from being hit? With
 * Just My Code that is code of nobody's and code to step through, else only
 * what is hidden.
 */
bool mycode_is_skipped(struct control *c, struct code_module *m,
		       uint32_t token);
/* Say once that the whole program is optimised, if it is. */
void mycode_tell(struct control *c);

/* probe.c */
/* Watch entries of user code, as far as its code tells of them. */
struct dbg_error *probe_arm(struct control *c);
void probe_disarm(struct control *c);
/*
 * The probe in the @n bytes of a method's prolog, which is at @start: does it
 * test a flag in the Module at @module?
 */
bool probe_decode(const uint8_t *code, size_t n, uint64_t start,
		  uint64_t module, struct probe *ret);
/* Is the method of @m at @ip compiled for debugging? */
bool probe_has(struct control *c, const struct code_module *m, uint64_t ip);
/* The program is gone. */
void probe_reset(struct control *c);
/* A thread is at the helper. */
struct dbg_error *probe_trap(struct control *c, pid_t tid);

/* steptarget.c */
/* Take the target of the step of the line at @pos, if it has one. */
struct dbg_error *target_take(struct control *c, const struct code_pos *pos);
/* May the call at @addr, of the stepped line, be the target? */
bool target_may_be(struct control *c, uint64_t addr);
/* The line has called (m, token): is it the target? */
bool target_is(struct control *c, struct code_module *m, uint32_t token);
void target_forget(struct control *c);

/* stepin.c */
/* A step in may leave the frame to a caller that calls user code again. */
struct dbg_error *stepin_plan_left(struct control *c);
/* It has left the frame. */
struct dbg_error *stepin_left(struct control *c);
/* Code at @ip is about to run in the stepping thread: end in it if wanted. */
struct dbg_error *stepin_enter(struct control *c, uint64_t ip);
/* Add the call instructions of [start, end) to the plan. */
struct dbg_error *stepin_scan(struct control *c, uint64_t start, uint64_t end);
/*
 * The thread is at a call of the stepped line; at the end of a stub.
 * *ret_done: it is where the step ends.
 */
struct dbg_error *stepin_resolve(struct control *c, bool *ret_done);
/* Code of a method was made: is it a body that the step waits to enter? */
void step_code(struct control *c, struct code_module *m, uint32_t token,
	       uint64_t ip);
void stepin_forget(struct control *c);

#endif
