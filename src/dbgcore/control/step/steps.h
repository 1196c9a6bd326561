/*
 * Steps inside control/: the plan of the present one (steptarget.c), and what
 * step.c, stepjudge.c, stepin.c and steptarget.c make of it.
 */
#ifndef CONTROL_STEPS_H
#define CONTROL_STEPS_H

#include "code/code.h"
#include "dac/dac.h"
#include "dbg.h"
#include "eval/returned.h"

struct control;
struct frame;
struct type;

enum step_phase {
	STEP_NONE,
	STEP_RUNNING,   /* sites are armed */
	STEP_RESOLVING, /* the runtime finds the callee */
	STEP_AWAITING,  /* for any thread to resume the async method */
};

enum {
	CALL_UNNUMBERED = UINT32_MAX, /* waiter: one that has no task */
	STEP_OUTER = 16,
};

/* A call of a method by where its frame is. */
struct activation {
	uint64_t sp, bp;
	bool framed; /* bp is the frame's base, also in its handlers */
};

/*
 * What a site of the plan is for. Which thread and frame count there, and what
 * is done, is a row for each role in stepjudge.c, in the same order.
 */
enum step_role {
	STEP_AT_RESUMED, /* a call of runtime async like the one goes on */
	STEP_AT_STARTED, /* who called it first has got its task */
	STEP_AT_SUSPEND, /* runtime async leaves the method at an await */
	STEP_AT_RESUME,  /* a call like the suspended one goes on */
	STEP_AT_WAITER,  /* a call like the one that awaits goes on */
	STEP_AT_TASK,    /* the suspended call has got its task */
	STEP_AT_UNBLOCK, /* the blocked thread is back in the user's code */
	STEP_AT_JOIN,    /* the suspended call goes on without having waited */
	STEP_AT_STUB,    /* the runtime's helper is left */
	STEP_AT_ENTRY,   /* first line of what the line calls */
	STEP_AT_PASSED,  /* return to a caller that is not the user's */
	STEP_AT_LEFT,    /* return of what runs a task of F# by its parts */
	STEP_AT_YIELD,   /* an await leaves the method */
	STEP_AT_LAST,    /* last line of a method that nothing awaits */
	STEP_AT_CALL,    /* call instruction of the stepped line */
	STEP_AT_RETURN,  /* return to the caller in which the step ends */
	STEP_AT_LINE,    /* another line, a handler: the step ends */
	STEP_ROLES,
};

struct step_site {
	uint64_t addr;
	enum step_role role;
	struct activation frame; /* that the role's rule compares with */
};

/* A thread is at a site, in the right frame. */
struct step_hit {
	pid_t tid;
	struct step_site site;
};

/*
 * An async call that waits: the one that the step was in; of a step out, the
 * one that is about to await what returns.
 */
struct suspended {
	pid_t tid;         /* its thread; 0: that has ended */
	uint64_t sp;       /* of the frame */
	uint32_t number;   /* of the call, 0: not known yet */
	struct type *type; /* of the state machine, NULL: not known */
	uint64_t machine;  /* where it was */
};

/*
 * A call of runtime async: its task, by number, and how many calls of that
 * task await it. Both stay as they are until it ends.
 */
struct step_chain {
	uint32_t task; /* 0: not known yet */
	uint32_t depth;
};

/* The call that a step in is to enter. */
struct call_target {
	uint32_t il_offset; /* UINT32_MAX: any */
	char *name;         /* metadata name of what is called */
	size_t skip;        /* calls of that name that come before */
};

/* A method, whose code is told of when it is made; token 0: none. */
struct step_body {
	struct dac_method_ref ref;
	bool asked; /* by a notification of the step's own */
};

/* Where an async method resumes. */
struct step_resumes {
	struct step_body body;
	enum step_role role;
	bool one; /* behind the await at yield_offset, else behind any */
	uint32_t yield_offset;
};

/* Large: of all kinds of steps, what one needs the others leave 0. */
struct step_plan {
	enum step_phase phase;
	pid_t tid;
	struct dbg_step step;
	uint32_t until; /* BP_UNTIL: runs to a place */
	struct call_target target;
	struct code_module *home; /* where the step began, NULL: no source */
	uint64_t home_pc;
	struct seq_point from; /* the line that is stepped */

	/* Reset by step_lift, when the step goes on elsewhere. */
	struct step_site *sites;
	size_t n_sites, cap_sites;
	struct activation frame;  /* stepped; of a step out, the caller's */
	struct activation caller; /* the nearest with source */
	uint64_t return_addr;     /* in it, 0: there is none */
	bool finishes; /* the statement to which it returns is stepped too */
	struct returned returns; /* the frame stepped out of; tid 0: no */
	uint64_t return_method;  /* to which that returns */
	bool through;            /* in code called by the line, not stepped */
	uint64_t enter_sp;       /* an entry counts only below */
	struct step_body enter;  /* waited for */
	struct step_resumes resumes;
	struct suspended suspended;
	pid_t blocked;   /* thread that waits for the call, 0: none */
	uint32_t waiter; /* number of the call that awaits, 0: none */
	uint32_t own;    /* ... of the one that may end, 0: does not matter */
	struct step_chain chain; /* RESUMED: which one */
	/*
	 * likewise for the calls further out, of other tasks: the step may end
	 * there by an exception
	 */
	struct step_chain outer[STEP_OUTER];
	size_t n_outer;
	bool chain_ends;             /* the step ends there */
	struct step_chain own_chain; /* as own */
	bool foreign;     /* what awaits the method is no code of the user's */
	const char *note; /* why the step ends before what was asked for */
};

/* steptarget.c */
/* Does the step end in a thread that waits for the call that returns? */
bool step_is_awaited(const struct step_plan *p);
/* End the plan. */
void step_clear(struct control *c);
/* Lift all sites because the step goes on elsewhere; keep a place to run to. */
void step_lift(struct control *c);
/* Add a site; @frame: NULL where the role needs none of its own. */
void step_add(struct step_plan *p, uint64_t addr, enum step_role role,
	      const struct activation *frame);
/* Has the plan such a site? @addr 0: anywhere. */
bool step_has(const struct step_plan *p, uint64_t addr, enum step_role role);
/* Trap all sites. */
struct dbg_error *step_arm(struct control *c);
/* Forget the sites of @role, and lift the traps that are no other's. */
struct dbg_error *step_drop(struct control *c, enum step_role role);

/* step.c, stepjudge.c */
/* Has the method that holds @ip a frame pointer? */
bool step_is_framed(struct control *c, uint64_t ip);
/*
 * Handle a trap of the step's plan, which the thread @tid hit at @addr.
 * *@ret_stops: the step is over, the program is halted, and @stop is filled in.
 */
struct dbg_error *step_trap(struct control *c, pid_t tid, uint64_t addr,
			    struct dbg_stop *stop, bool *ret_stops);
/*
 * The stepping thread is about to enter the catch handler of @method at @entry
 * (0: not known).
 */
void step_catch(struct control *c, uint64_t method, uint64_t entry);

/*
 * Is @point part of what is stepped? A statement may have several points of the
 * same range (the end of a `using`). A chosen call is one of the line.
 */
bool step_same_spot(const struct step_plan *p, const struct seq_point *point);
/* Does the frame run code in which steps end? */
bool step_is_user(struct control *c, const struct frame *f);
/*
 * The nearest frame from @level up that is the user's, else, unless the step
 * began in the user's own code with Just My Code on, one that has source; from
 * code without source, where no frame has any, the nearest managed one. NULL:
 * none.
 */
struct dbg_error *step_user_frame(struct control *c, uint32_t thread,
				  uint32_t level, const struct frame **ret);

/* Ask to be notified of code of (m, token). */
struct dbg_error *step_body_await(struct control *c, struct step_body *b,
				  const struct code_module *m, uint32_t token);
/*
 * No breakpoint waits for code of (m, token) any more: does the step? Then it
 * keeps the notification.
 */
bool step_body_keep(struct control *c, const struct code_module *m,
		    uint32_t token);
void step_body_forget(struct control *c, struct step_body *b);
/* Code of a method was compiled: is it a body that the step waits for? */
void step_code(struct control *c, struct code_module *m, uint32_t token,
	       uint64_t ip);

/*
 * The step is back in the caller: it ends there, or, if it was a step in
 * through code that is stepped through, goes on to the end of the statement.
 */
struct dbg_error *step_back(struct control *c, const struct step_hit *hit,
			    bool *ret_done);
/*
 * A thread stands at a breakpoint at @addr, all stopped: does the step end
 * there as well?
 */
bool step_ends_at(struct control *c, pid_t tid, uint64_t addr);
/* A thread stops at @addr: has the frame returned that is stepped out of? */
void step_returned(struct control *c, pid_t tid, uint64_t addr,
		   struct dbg_stop *stop);
/* Step on from where @c->plan.tid is, over the same line. */
struct dbg_error *step_go_on(struct control *c);

/* Take the target of the step of the line at @pos, if it has one. */
struct dbg_error *target_take(struct control *c, const struct code_pos *pos);
/*
 * Is the IL at @il of what the entry for @from stands for, in the map of the
 * code at @addr? A call has an entry of its own up to .NET 10; in 11 only what
 * follows it has.
 */
bool target_entry_holds(struct control *c, uint64_t addr, uint32_t from,
			uint32_t il);
/* May the call at @addr, of the stepped line, be the target? */
bool target_may_be(struct control *c, uint64_t addr);
/* The line has called (m, token): is it the target? */
bool target_is(struct control *c, struct code_module *m, uint32_t token);
void target_forget(struct control *c);

/* stepin.c */
/* Plan for a return to a caller that may call user code again. */
struct dbg_error *stepin_plan_passed(struct control *c);
/* The code that the step was passing has returned. */
struct dbg_error *stepin_passed(struct control *c, const struct step_hit *hit,
				bool *ret_done);
/* Its caller has returned as well. */
struct dbg_error *stepin_left(struct control *c, const struct step_hit *hit,
			      bool *ret_done);
/* Add the call instructions of [start, end) to the plan. */
struct dbg_error *stepin_scan(struct control *c, uint64_t start, uint64_t end);
/*
 * The thread is at a call of the stepped line, or at the end of a stub: follow
 * it.
 */
struct dbg_error *stepin_resolve(struct control *c);
/* The method of plan.enter has got code: wait at its beginning. */
struct dbg_error *stepin_body(struct control *c, struct code_module *m,
			      uint32_t token, uint64_t ip);

#endif
