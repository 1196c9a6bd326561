/* Conditions of breakpoints: see condition.h. */
#include "control/breakpoint/condition.h"
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"

#include "base/err.h"
#include "base/mem.h"
#include "eval/eval.h"
#include "stack/stack.h"
#include "target/target.h"

/* Ask the code; false: it has no answer. */
static bool condition_run(struct control *c, const struct hit_code *k,
			  const struct regs *regs, bool *ret)
{
	struct value v;
	uint64_t truth;

	if (!hit_code_ask(c, k, 0, regs, &v) ||
	    !value_integer(c->inspect->values, &v, &truth))
		return false;
	*ret = truth;
	return true;
}

static enum hit_verdict compare(struct control *c, const struct hit_code *k,
				const struct regs *regs, const void *answer)
{
	bool holds;

	if (!condition_run(c, k, regs, &holds))
		return HIT_UNKNOWN;
	return holds == *(const bool *)answer ? HIT_SAME : HIT_OTHER;
}

/*
 * Evaluate the condition of a watchpoint in the class where it was requested,
 * if it means nothing in the method that has written (Interlocked.Add).
 */
static struct dbg_error *in_class(struct control *c, const struct bp *bp,
				  struct dbg_error *err, bool *ret)
{
	if (!bp->watch || dbg_err_drop(watch_class_condition(
			      c, bp->watch, bp->condition, ret)))
		return err;
	dbg_error_destroy(err);
	return NULL;
}

/* Is the condition of @bp a valid expression at @at, whatever its value? */
static bool is_compiled(struct control *c, const struct bp *bp,
			const struct inspect_at *at)
{
	if (dbg_err_drop(eval_check(bp->condition)))
		return false;
	return bp->watch ||
	       inspect_condition_compiles(c->inspect, at, bp->condition);
}

/*
 * The condition of @bp failed to evaluate. The first time (or each time, if the
 * expression is valid at the hit), report the error and let the breakpoint
 * stop: *ret is true. Later failures are counted only. While the process is
 * ending nothing is reported.
 */
static void condition_failed(struct control *c, struct bp *bp,
			     const struct inspect_at *at, struct dbg_error *err,
			     bool *ret)
{
	*ret = false;
	if (target_dying(c->target)) {
		dbg_error_destroy(err);
		return;
	}

	bool compiled = is_compiled(c, bp, at);

	*ret = compiled || !bp->fault;
	if (!*ret) {
		bp->n_faults++;
		dbg_error_destroy(err);
		return;
	}
	if (!compiled) {
		bp->fault = xstrdup(err->message);
		c->ops->changed(c->arg, bp->number, false);
	}
	control_warn(
	    c, dbg_err_prefix(err, "condition of breakpoint %u", bp->number));
}

/*
 * Evaluate the condition in the general way, with all threads stopped;
 * *ret_sure: it has an answer.
 */
static struct dbg_error *condition_evaluate(struct control *c, struct bp *bp,
					    const struct inspect_at *at,
					    bool *ret, bool *ret_sure)
{
	struct dbg_error *err = NULL;
	bool known = false;

	if (bp->watch)
		err = watch_condition(c, bp->watch, bp->condition, ret, &known);
	if (!err && !known)
		err = inspect_condition(c->inspect, at, bp->condition, ret);
	*ret_sure = !err && !known;
	if (err && !known)
		err = in_class(c, bp, err, ret);
	if (err)
		condition_failed(c, bp, at, err, ret);
	return NULL;
}

struct dbg_error *condition_holds(struct control *c, struct bp *bp, pid_t tid,
				  bool *ret)
{
	struct dbg_error *err;
	struct regs regs;
	bool sure;

	err = target_regs(c->target, tid, &regs);
	if (err)
		return err;

	struct hit_code *k = hit_code_find(bp, &bp->codes, &regs);

	if (k && condition_run(c, k, &regs, ret))
		return NULL;
	err = control_halt(c);
	if (err)
		return err;

	const struct inspect_at at = {stack_thread_number(c->stack, tid),
				      c->throws.object};
	const char *const text = bp->condition;

	err = condition_evaluate(c, bp, &at, ret, &sure);
	if (!err && sure && k)
		hit_code_prepare(
		    c, k, &at, &regs,
		    &(struct hit_question){&text, 1, true, compare, ret});
	return err;
}
