/* Conditions of breakpoints: see condition.h. */
#include "control/breakpoint/condition.h"
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "stack/stack.h"
#include "target/target.h"

enum {
	TRIES_MAX = 4,   // to compile for one address
	CODES_MAX = 256, // addresses of one condition
};

struct condition_code {
	uint64_t addr;
	struct frame_code *code; /* NULL: none (yet) */
	uint64_t serial;         /* of the machine that it is for */
	unsigned int tries;
};

void condition_forget(struct condition_codes *codes)
{
	for (size_t i = 0; i < codes->n; i++)
		frame_code_destroy(codes->v[i].code);
	free(codes->v);
	*codes = (struct condition_codes){0};
}

/* What is known for @addr; NULL: too many addresses. */
static struct condition_code *code_at(struct condition_codes *codes,
				      uint64_t addr)
{
	for (size_t i = 0; i < codes->n; i++)
		if (codes->v[i].addr == addr)
			return &codes->v[i];
	if (codes->n == CODES_MAX)
		return NULL;
	mem_grow(&codes->v, &codes->cap, codes->n, sizeof(*codes->v));
	codes->v[codes->n] = (struct condition_code){.addr = addr};
	return &codes->v[codes->n++];
}

/* Ask the code; false: it has no answer. */
static bool ask(struct control *c, struct condition_code *k,
		const struct regs *regs, bool *ret)
{
	uint64_t calls = dac_calls(c->dac);

	if (!k->code || k->serial != c->inspect->vm_serial)
		return false;
	if (!frame_code_run(k->code, c->inspect->vm, regs, ret))
		return false;
	return dac_calls(c->dac) == calls;
}

/*
 * All are stopped, and the condition's answer is @holds: compile it for the
 * address where @regs are.
 */
static void prepare(struct control *c, const struct bp *bp,
		    const struct inspect_at *at, const struct regs *regs,
		    bool holds, struct condition_code *k)
{
	struct frame_code *code = NULL;
	struct dbg_error *err;
	bool answer = !holds;

	if (k->serial != c->inspect->vm_serial) {
		frame_code_destroy(k->code);
		k->code = NULL;
	}
	if (k->tries >= TRIES_MAX)
		return;
	k->tries++;
	err = inspect_compile(c->inspect, at, bp->condition, &code);
	LOG(target_log(c->target), LOG_CONTROL,
	    "condition of breakpoint %" PRIu32 " at 0x%" PRIx64 ": %s",
	    bp->number, k->addr, err ? err->message : "compiled");
	if (dbg_err_drop(err))
		return;
	if (k->code && !frame_code_merge(code, k->code))
		k->tries = TRIES_MAX;
	frame_code_destroy(k->code);
	k->code = code;
	k->serial = c->inspect->vm_serial;
	// the first time it asks the runtime what it has to know
	ask(c, k, regs, &answer);
	if (k->tries < TRIES_MAX && ask(c, k, regs, &answer) && answer == holds)
		return;
	frame_code_destroy(k->code);
	k->code = NULL;
}

/* Elsewhere a thread may be at a safe point of the collector. */
static bool is_at_statement(const struct bp *bp)
{
	return bp->kind == DBG_BREAK_REGEX ||
	       (bp->kind == DBG_BREAK_LOCATION &&
		bp->location.kind != LOCATION_ADDRESS);
}

/* The general way, with all threads stopped; *ret_sure: it has an answer. */
static struct dbg_error *evaluate(struct control *c, struct bp *bp,
				  const struct inspect_at *at, bool *ret,
				  bool *ret_sure)
{
	struct dbg_error *err = NULL;
	bool known = false;

	if (bp->watch)
		err = watch_condition(c, bp->watch, bp->condition, ret, &known);
	if (!err && !known)
		err = inspect_condition(c->inspect, at, bp->condition, ret);
	*ret_sure = !err && !known;
	if (!err)
		return NULL;
	*ret = true;
	control_warn(
	    c, dbg_err_prefix(err, "condition of breakpoint %u", bp->number));
	return NULL;
}

struct dbg_error *condition_holds(struct control *c, struct bp *bp, pid_t tid,
				  bool *ret)
{
	struct condition_code *k = NULL;
	struct dbg_error *err;
	struct regs regs;
	bool sure;

	err = target_regs(c->target, tid, &regs);
	if (err)
		return err;
	if (is_at_statement(bp))
		k = code_at(&bp->codes, regs_pc(&regs));
	if (k && ask(c, k, &regs, ret))
		return NULL;
	err = control_halt(c);
	if (err)
		return err;

	const struct inspect_at at = {stack_thread_number(c->stack, tid),
				      c->throws.object};

	err = evaluate(c, bp, &at, ret, &sure);
	if (!err && sure && k)
		prepare(c, bp, &at, &regs, *ret, k);
	return err;
}
