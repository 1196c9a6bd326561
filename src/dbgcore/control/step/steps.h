/*
 * Steps inside control/: the plan of the present one, and what step.c,
 * stepjudge.c, stepin.c and steptarget.c make of it.
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
	bool framed;                     /* by its frame pointer */
	uint64_t sp, bp;                 /* of the stepped frame */
	uint64_t return_sp, return_addr; /* 0: no caller with source */
	uint64_t return_bp;
	struct returned returns; /* the frame stepped out of; tid 0: no */
	uint64_t return_method;  /* to which that returns */
	uint32_t until;          /* BP_UNTIL: runs to a place */
	uint64_t *addrs;         /* every site of the plan */
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

/* step.c, stepjudge.c */
/* Has the method that holds @ip a frame pointer? */
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
/* A thread stops at @addr: has the frame returned that is stepped out of? */
void step_returned(struct control *c, pid_t tid, uint64_t addr);
/* Step on from where @c->plan.tid is, over the same line. */
struct dbg_error *step_go_on(struct control *c, bool *ret_done);

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
