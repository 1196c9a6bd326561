/* What breakpoints say instead of stopping, with values of the program. */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "stack/stack.h"
#include "target/target.h"

/* A message that compiled code is asked for. */
struct asked {
	struct control *c;
	const struct hit_code *k;
	const struct regs *regs;
	size_t i;
	bool failed;
};

static void ask_one(void *arg, const char *expr, struct str *out)
{
	struct asked *a = arg;
	struct value v;

	a->failed = a->failed || !hit_code_ask(a->c, a->k, a->i++, a->regs, &v);
	if (!a->failed)
		inspect_value_text(a->c->inspect, expr, &v, out);
}

/* Ask the code; false: it has no answer. */
static bool ask(struct control *c, const struct bp *bp,
		const struct hit_code *k, const struct regs *regs,
		struct str *ret)
{
	struct asked a = {.c = c, .k = k, .regs = regs};
	uint64_t calls = dac_calls(c->dac);

	if (!k->v)
		return false;
	logpoint_each(bp->log, ask_one, &a, ret);
	return !a.failed && dac_calls(c->dac) == calls;
}

struct answer {
	const struct bp *bp;
	const char *text;
};

static enum hit_verdict compare(struct control *c, const struct hit_code *k,
				const struct regs *regs, const void *answer)
{
	const struct answer *known = answer;
	_cleanup_str_ struct str text = {0};

	if (!ask(c, known->bp, k, regs, &text))
		return HIT_UNKNOWN;
	return strcmp(str_get(&text), known->text) ? HIT_OTHER : HIT_SAME;
}

static void prepare(struct control *c, const struct bp *bp, struct hit_code *k,
		    const struct inspect_at *at, const struct regs *regs,
		    const char *text)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	const struct answer answer = {bp, text};
	struct hit_question q = {.compare = compare, .answer = &answer};

	q.texts = logpoint_expressions(bp->log, arena, &q.n);
	hit_code_prepare(c, k, at, regs, &q);
}

struct dbg_error *message_say(struct control *c, struct bp *bp, pid_t tid)
{
	_cleanup_str_ struct str quick = {0}, text = {0};
	struct regs regs;
	struct dbg_error *err = target_regs(c->target, tid, &regs);

	if (err)
		return err;

	struct hit_code *k = hit_code_find(bp, &bp->log_codes, &regs);

	if (k && ask(c, bp, k, &regs, &quick)) {
		c->ops->message(c->arg, bp->number, str_get(&quick));
		return NULL;
	}
	err = control_halt(c);
	if (err)
		return err;

	const struct inspect_at at = {stack_thread_number(c->stack, tid),
				      c->throws.object};

	logpoint_text(c->inspect, &at, bp->log, &text);
	if (k)
		prepare(c, bp, k, &at, &regs, str_get(&text));
	c->ops->message(c->arg, bp->number, str_get(&text));
	return NULL;
}
