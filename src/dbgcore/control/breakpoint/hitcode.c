/* Compiled expressions of breakpoints: see hitcode.h. */
#include "control/breakpoint/hitcode.h"
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "target/target.h"

enum {
	TRIES_MAX = 4,   // to compile for one address
	CODES_MAX = 256, // addresses of one breakpoint
};

static void hit_code_drop(struct hit_code *k)
{
	for (size_t i = 0; k->v && i < k->n; i++)
		frame_code_destroy(k->v[i]);
	mem_free_ptr(&k->v);
}

void hit_codes_forget(struct hit_codes *codes)
{
	for (size_t i = 0; i < codes->n; i++)
		hit_code_drop(&codes->v[i]);
	free(codes->v);
	*codes = (struct hit_codes){0};
}

/*
 * Do hits of @bp stand at the beginning of a statement? Elsewhere a thread may
 * be at a GC safe point.
 */
static bool is_at_statement(const struct bp *bp)
{
	return bp->kind == DBG_BREAK_REGEX ||
	       (bp->kind == DBG_BREAK_LOCATION &&
		bp->place.kind != DBG_PLACE_ADDRESS);
}

struct hit_code *hit_code_find(const struct bp *bp, struct hit_codes *codes,
			       const struct regs *regs)
{
	uint64_t addr = regs_pc(regs);

	if (!is_at_statement(bp))
		return NULL;
	for (size_t i = 0; i < codes->n; i++)
		if (codes->v[i].addr == addr)
			return &codes->v[i];
	if (codes->n == CODES_MAX)
		return NULL;
	mem_grow(&codes->v, &codes->cap, codes->n, sizeof(*codes->v));
	codes->v[codes->n] = (struct hit_code){.addr = addr};
	return &codes->v[codes->n++];
}

bool hit_code_ask(struct control *c, const struct hit_code *k, size_t i,
		  const struct regs *regs, struct value *ret)
{
	struct inspect *in = c->inspect;
	uint64_t calls = dac_calls(c->dac);

	if (!k->v || i >= k->n || k->serial != in->vm_serial)
		return false;
	// what the expressions of one hit have read is theirs together
	if (i == 0)
		vm_stop(in->vm);
	types_quiet(in->types, !target_all_stopped(c->target));
	bool answered = frame_code_run(k->v[i], in->vm, regs, ret);
	types_quiet(in->types, false);
	return answered && dac_calls(c->dac) == calls;
}

/*
 * Compile all expressions of @q anew, in as far as the new code agrees with the
 * old; false: it failed.
 */
static bool hit_code_compile(struct control *c, struct hit_code *k,
			     const struct inspect_at *at,
			     const struct hit_question *q)
{
	struct hit_code fresh = {.n = q->n};
	struct dbg_error *err = NULL;

	fresh.v = xcalloc(q->n + 1, sizeof(*fresh.v));
	for (size_t i = 0; !err && i < q->n; i++) {
		err = inspect_compile(c->inspect, at, q->texts[i], q->truth,
				      &fresh.v[i]);
		LOG(target_log(c->target), LOG_CONTROL,
		    "'%s' at 0x%" PRIx64 ": %s", q->texts[i], k->addr,
		    err ? err->message : "compiled");
		if (!err && k->v && !frame_code_merge(fresh.v[i], k->v[i]))
			k->tries = TRIES_MAX;
	}
	if (dbg_err_drop(err)) {
		hit_code_drop(&fresh);
		return false;
	}
	hit_code_drop(k);
	k->v = fresh.v;
	k->n = fresh.n;
	k->serial = c->inspect->vm_serial;
	return true;
}

/*
 * Compare twice: the first run of new code may have to ask the runtime for
 * facts, which counts as having no answer.
 */
static enum hit_verdict question_compare(struct control *c,
					 const struct hit_code *k,
					 const struct regs *regs,
					 const struct hit_question *q)
{
	enum hit_verdict ret = q->compare(c, k, regs, q->answer);

	return ret == HIT_SAME ? ret : q->compare(c, k, regs, q->answer);
}

void hit_code_prepare(struct control *c, struct hit_code *k,
		      const struct inspect_at *at, const struct regs *regs,
		      const struct hit_question *q)
{
	enum hit_verdict old = HIT_UNKNOWN;

	if (k->serial != c->inspect->vm_serial)
		hit_code_drop(k);
	if (k->v)
		old = question_compare(c, k, regs, q);
	if (old == HIT_SAME)
		return;
	bool fresh =
	    k->tries < TRIES_MAX && (k->tries++, hit_code_compile(c, k, at, q));

	if (fresh ? k->tries == TRIES_MAX ||
			question_compare(c, k, regs, q) != HIT_SAME
		  : old == HIT_OTHER)
		hit_code_drop(k);
}
