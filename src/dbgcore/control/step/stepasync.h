/*
 * Steps in async methods: how an async call is known again, what awaits it, and
 * where that goes on.
 */
#ifndef CONTROL_STEPASYNC_H
#define CONTROL_STEPASYNC_H

#include "code/code.h"
#include "control/step/steps.h"
#include "value/value.h"

struct control;
struct frame;

/* stepasync.c */
/* The objects of an async call, at this stop; 0: not there. */
struct async_call {
	uint64_t task, machine;
};

void asynccall_objects(struct control *c, const struct value *machine,
		       struct async_call *ret);
bool asynccall_has(const struct async_call *call, uint64_t addr);

/* The number (Task.Id) of a task, assigned if it has none. */
uint32_t asynccall_task(struct control *c, const struct value *task);
/* Does the method return a task, or any object, and is not async itself? */
bool asynccall_hands_on(const struct code_pos *pos);

/* stepchain.c */
/* Does @f run a method of runtime async? */
bool stepchain_runs(struct control *c, const struct frame *f);
/*
 * Is what @of has returned a Continuation? A step that saw it suspended would
 * have waited; code that tells of no awaits, and methods that are not async and
 * return the task of another, only return.
 */
bool stepchain_has_suspended(struct control *c, const struct returned *of);
/* Is it the thunk by which other code calls a method of runtime async? */
bool stepchain_is_thunk(struct control *c, const struct frame *f);
/* Add where the code at @pc suspends such a method, which runs in @frame. */
void stepchain_plan(struct control *c, uint64_t pc,
		    const struct activation *frame);
/*
 * As stepasync_plan_end, where @f runs a method of runtime async or resumes
 * them (*ret_any).
 */
struct dbg_error *stepchain_plan_end(struct control *c, const struct frame *f,
				     bool *ret_any, bool *ret_returns);
/* Is @tid, at a line of the method, in the call plan.own_chain? */
bool stepchain_own(struct control *c, pid_t tid);
/*
 * Let the step end where the call @f continues, which awaits and is suspended
 * on the heap.
 */
struct dbg_error *stepchain_waiter(struct control *c, const struct frame *f);
/* The stepped frame is about to be suspended. */
struct dbg_error *stepchain_suspend(struct control *c,
				    const struct step_hit *hit, bool *ret_done);
struct dbg_error *stepchain_started(struct control *c,
				    const struct step_hit *hit, bool *ret_done);
/* In phase AWAITING: a thread resumes a call of the method. */
struct dbg_error *stepchain_resumed(struct control *c,
				    const struct step_hit *hit, bool *ret_done);

/* stepwait.c */
/*
 * The stack pointer of the newest frame of @tid that holds the task of @call or
 * its state machine, or the address of the word that does, in frames that the
 * runtime can't tell of. 0: none does.
 */
uint64_t stepwait_held(struct control *c, pid_t tid,
		       const struct async_call *call);
/*
 * Add where a thread goes on that is blocked until @call is done, or is about
 * to wait for it: plan.blocked, plan.suspended.
 */
struct dbg_error *stepwait_plan(struct control *c,
				const struct async_call *call);

/* steptarget.c */
/* Sites like @site at @place in the code at @ip. */
struct dbg_error *stepresume_place(struct control *c,
				   const struct code_place *place, uint64_t ip,
				   const struct step_site *site);
/* The awaits of the method at @pos; none if it has no symbols. */
void stepresume_awaits(const struct code_pos *pos, struct arena *arena,
		       struct pdb_await **ret, size_t *ret_n);
/*
 * Add sites where the method at @pos resumes, behind @one of its awaits (NULL:
 * any), in all code that it has, and that is compiled while the plan lasts.
 */
struct dbg_error *stepresume_add(struct control *c, const struct code_pos *pos,
				 const struct pdb_await *one,
				 enum step_role role);

/* stepasync.c */
/*
 * Let the step end where the call @f continues, which awaits and is suspended
 * in a state machine.
 */
struct dbg_error *stepasync_waits(struct control *c, const struct frame *f);
/* Add the yields of the async method at @pos, which runs in @frame. */
struct dbg_error *stepasync_plan(struct control *c, const struct code_pos *pos,
				 uint64_t pc, const struct activation *frame);
/* The nearest user frame that awaits what @f runs; NULL: there is none. */
const struct frame *stepasync_awaiter(struct control *c, const struct frame *f);
/* May a step from where @f stands end the async method? */
bool stepasync_may_end(struct control *c, const struct frame *f);
/*
 * Add the places where who awaits @f's method goes on: plan.waiter, else
 * plan.blocked, else plan.suspended. *ret_returns is false if the method was
 * resumed and does not return to a caller of its own.
 */
struct dbg_error *stepasync_plan_end(struct control *c, const struct frame *f,
				     bool *ret_returns);
/*
 * Nothing awaits the method that @f runs, in @frame: let the step wait at its
 * last line.
 */
struct dbg_error *stepasync_plan_last(struct control *c, const struct frame *f,
				      const struct activation *frame);
/*
 * The method's last line is reached: go on to the awaiting method, or end
 * there.
 */
struct dbg_error *stepasync_last(struct control *c, const struct step_hit *hit,
				 bool *ret_done);
/* Is @tid, at a line of the method, in the call that may end (plan.own)? */
struct dbg_error *stepasync_own(struct control *c, pid_t tid, bool *ret_own);
/* A thread is at a resume point: is it in the call that awaits? */
struct dbg_error *stepasync_waiter(struct control *c,
				   const struct step_hit *hit, bool *ret_done);
/*
 * If @f, of a thread that holds objects of @call, is about to await that:
 * plan.suspended, and where it goes on. @f may be of @call itself. It awaits in
 * the statement that it is at; @later: in any of the method.
 */
struct dbg_error *stepasync_plan_held(struct control *c, const struct frame *f,
				      const struct async_call *call,
				      bool later);
/* The same for a method of runtime async. */
void stepchain_plan_held(struct control *c, const struct frame *f,
			 const struct async_call *call, bool later);
/* The thread of plan.suspended is behind a call by which it begins to wait. */
struct dbg_error *stepasync_task(struct control *c, const struct step_hit *hit,
				 bool *ret_done);
/* The stepped frame is at a yield. */
struct dbg_error *stepasync_yield(struct control *c, const struct step_hit *hit,
				  bool *ret_done);
/* In phase AWAITING: a thread is at a resume point. */
struct dbg_error *stepasync_resume(struct control *c,
				   const struct step_hit *hit, bool *ret_done);

#endif
