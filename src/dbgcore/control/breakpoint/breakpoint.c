/*
 * Breakpoints: what was asked for, and what a hit counts for. A hit is judged
 * in gdb's order: condition, ignore count, hit rule, log text, stop. What
 * cannot be evaluated stops and says why. Binding is in bind.c, words about
 * breakpoints in describe.c.
 */
#include "control/breakpoint/bp.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/str.h"
#include "control/breakpoint/hitrule.h"
#include "control/control_priv.h"
#include "control/exception/exceptions.h"
#include "control/step/steps.h"
#include "stack/stack.h"
#include "target/target.h"

/* ---- Messages of logpoints ------------------------------------------- */

/*
 * Log messages, which a breakpoint prints with values of the program instead of
 * stopping.
 */

/* A log message that compiled code is to make. */
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

static enum hit_verdict log_compare(struct control *c, const struct hit_code *k,
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
	struct hit_question q = {.compare = log_compare, .answer = &answer};

	q.texts = logpoint_expressions(bp->log, arena, &q.n);
	hit_code_prepare(c, k, at, regs, &q);
}

/* Print the log message of @bp for a hit of @tid; may stop all threads. */
static struct dbg_error *message_say(struct control *c, struct bp *bp,
				     pid_t tid)
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

/* ---- Hit counts ------------------------------------------------------ */

/*
 * Hit conditions of editors: "5", ">= 10", "% 3", compared with the number of
 * hits.
 */

struct sign {
	const char *text;
	enum hit_rule_kind kind;
};

// Longer signs come first.
static const struct sign signs[] = {
    {">=", HIT_RULE_AT_LEAST}, {"<=", HIT_RULE_AT_MOST}, {"==", HIT_RULE_EQUAL},
    {">", HIT_RULE_MORE},      {"<", HIT_RULE_LESS},     {"=", HIT_RULE_EQUAL},
    {"%", HIT_RULE_EVERY},     {"", HIT_RULE_EQUAL},
};

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* Parse "3", "=3", "==3", ">=3", ">3", "<=3", "<3" or "%3". */
static struct dbg_error *hit_rule_parse(const char *text, struct hit_rule *ret)
{
	const char *p = skip_blanks(text);
	size_t i = 0;

	while (strncmp(p, signs[i].text, strlen(signs[i].text)))
		i++;
	p = skip_blanks(p + strlen(signs[i].text));

	_cleanup_free_ char *digits = xstrndup(p, strcspn(p, " \t"));
	uint64_t count;

	if (*p < '0' || *p > '9' || *skip_blanks(p + strlen(digits)) ||
	    !str_to_u64(digits, &count) ||
	    (signs[i].kind == HIT_RULE_EVERY && !count))
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is no number of hits: write 3, >=3, >3, "
			       "<=3, <3 or %%3",
			       text);
	ret->kind = signs[i].kind;
	ret->count = count;
	return NULL;
}

/* Does hit number @hits, counted from 1, stop? */
static bool hit_rule_holds(const struct hit_rule *rule, uint64_t hits)
{
	switch (rule->kind) {
	case HIT_RULE_NONE:
		return true;
	case HIT_RULE_EQUAL:
		return hits == rule->count;
	case HIT_RULE_AT_LEAST:
		return hits >= rule->count;
	case HIT_RULE_MORE:
		return hits > rule->count;
	case HIT_RULE_AT_MOST:
		return hits <= rule->count;
	case HIT_RULE_LESS:
		return hits < rule->count;
	case HIT_RULE_EVERY:
		return hits % rule->count == 0;
	}
	return true;
}

/* ---- Breakpoints ----------------------------------------------------- */

struct bp *bp_find(struct control *c, uint32_t number)
{
	// who makes many asks for the newest
	for (size_t i = c->n_bps; i > 0; i--)
		if (c->bps[i - 1]->number == number)
			return c->bps[i - 1];
	return NULL;
}

static struct dbg_error *bp_get(struct control *c, uint32_t number,
				struct bp **ret)
{
	*ret = number ? bp_find(c, number) : NULL;
	if (!*ret)
		return dbg_err(DBG_E_NOT_FOUND, "no breakpoint number %u",
			       number);
	return NULL;
}

static void bp_destroy(struct bp *bp)
{
	if (!bp)
		return;
	pattern_destroy(bp->pattern);
	filter_deinit(&bp->filter);
	arena_destroy(bp->arena);
	hit_codes_forget(&bp->codes);
	hit_codes_forget(&bp->log_codes);
	free(bp->places);
	free(bp->text);
	free(bp->condition);
	free(bp->fault);
	free(bp->hit_text);
	free(bp->log);
	free(bp);
}

bool bp_is_users(const struct bp *bp)
{
	return bp->number && bp->number != BP_UNTIL;
}

bool bp_is_catch(const struct bp *bp)
{
	return bp->kind == DBG_BREAK_THROW ||
	       bp->kind == DBG_BREAK_USER_UNHANDLED ||
	       bp->kind == DBG_BREAK_UNHANDLED || bp->kind == DBG_BREAK_CAUGHT;
}

bool bp_is_load(const struct bp *bp)
{
	return bp->kind == DBG_BREAK_LOAD || bp->kind == DBG_BREAK_UNLOAD;
}

/* ---- Asking ---------------------------------------------------------- */

static struct dbg_error *
bp_parse(struct bp *bp, const struct dbg_break_req *req, const char *path)
{
	switch (bp->kind) {
	case DBG_BREAK_LOCATION:
		return location_take(&req->place, path, bp->arena, &bp->place);
	case DBG_BREAK_REGEX:
		if (!bp->text)
			return dbg_err(DBG_E_ARGUMENT, "no pattern given");
		return pattern_create(bp->text, &bp->pattern);
	case DBG_BREAK_THROW:
	case DBG_BREAK_USER_UNHANDLED:
	case DBG_BREAK_UNHANDLED:
	case DBG_BREAK_CAUGHT:
		return filter_init(&bp->filter, &req->catches);
	case DBG_BREAK_LOAD:
	case DBG_BREAK_UNLOAD:
		return bp->text ? pattern_create(bp->text, &bp->pattern) : NULL;
	case DBG_BREAK_WATCH:
		return NULL;
	}
	return dbg_err(DBG_E_ARGUMENT, "unknown kind of breakpoint");
}

struct bp *bp_add(struct control *c, enum dbg_break_kind kind, const char *text)
{
	struct bp *bp = xcalloc(1, sizeof(*bp));

	bp->arena = arena_create();
	bp->kind = kind;
	bp->enabled = true;
	if (text && *text)
		bp->text = xstrdup(text);
	mem_grow(&c->bps, &c->cap_bps, c->n_bps, sizeof(struct bp *));
	c->bps[c->n_bps++] = bp;
	return bp;
}

void bp_remove(struct control *c, struct bp *bp)
{
	bind_forget(c, bp, NULL);
	for (size_t i = 0, kept = 0; i < c->n_bps; i++)
		if (c->bps[i] != bp)
			c->bps[kept++] = c->bps[i];
	c->n_bps--;
	watch_remove(c, bp);
	bp_destroy(bp);
}

struct dbg_error *bp_take_rules(struct bp *bp, const struct dbg_break_req *req)
{
	bp->temporary = req->temporary;
	bp->thread = req->thread;
	if (req->log)
		bp->log = xstrdup(req->log);
	if (!req->hits)
		return NULL;
	bp->hit_text = xstrdup(req->hits);
	return hit_rule_parse(req->hits, &bp->rule);
}

struct dbg_error *control_break_add(struct control *c,
				    const struct dbg_break_req *req,
				    const char *path, uint32_t *ret_number)
{
	struct dbg_error *err;
	struct bp *bp = bp_add(c, req->kind, req->text);

	err = bp_parse(bp, req, path);
	if (!err)
		err = bp_take_rules(bp, req);
	if (err) {
		bp_remove(c, bp);
		return err;
	}
	bp->number = req->number ? req->number : ++c->last_number;
	if (bp_is_catch(bp))
		throw_trap_update(c);
	else
		bind_all(c, bp);
	*ret_number = bp->number;
	return NULL;
}

struct dbg_error *control_break_delete(struct control *c, uint32_t number)
{
	struct dbg_error *err;
	struct bp *bp;

	err = bp_get(c, number, &bp);
	if (err)
		return err;

	bool catches = bp_is_catch(bp);

	bp_remove(c, bp);
	if (catches)
		throw_trap_update(c);
	return NULL;
}

struct dbg_error *control_break_enable(struct control *c, uint32_t number,
				       bool on)
{
	struct dbg_error *err;
	struct bp *bp;

	err = bp_get(c, number, &bp);
	if (err || bp->enabled == on)
		return err;
	if (on) {
		bp->enabled = true;
		bind_arm(c, bp);
	} else {
		bind_disarm(c, bp);
		bp->enabled = false;
	}
	if (bp_is_catch(bp))
		throw_trap_update(c);
	return watch_switch(c, bp);
}

struct dbg_error *control_break_stops(struct control *c, uint32_t number,
				      uint32_t stops, bool deletes)
{
	struct dbg_error *err;
	struct bp *bp;

	err = bp_get(c, number, &bp);
	if (!err)
		err = control_break_enable(c, number, true);
	if (err)
		return err;
	bp->temporary = deletes;
	bp->stops = deletes ? 0 : stops;
	return NULL;
}

struct dbg_error *control_break_ignore(struct control *c, uint32_t number,
				       uint64_t count)
{
	struct dbg_error *err;
	struct bp *bp;

	err = bp_get(c, number, &bp);
	if (!err)
		bp->ignore = count;
	return err;
}

struct dbg_error *control_check_hits(const char *rule)
{
	struct hit_rule parsed;

	return hit_rule_parse(rule, &parsed);
}

struct dbg_error *control_break_condition(struct control *c, uint32_t number,
					  const char *expr)
{
	struct dbg_error *err;
	struct bp *bp;

	err = bp_get(c, number, &bp);
	if (err)
		return err;
	hit_codes_forget(&bp->codes);
	free(bp->condition);
	mem_free_ptr(&bp->fault);
	bp->n_faults = 0;
	bp->condition = str_is_blank(expr) ? NULL : xstrdup(expr);
	return NULL;
}

/* ---- Hits ------------------------------------------------------------ */

/* Does a hit by @tid count? */
static struct dbg_error *is_meant(struct control *c, struct bp *bp, pid_t tid,
				  bool *ret)
{
	*ret = !bp->thread || stack_thread_number(c->stack, tid) == bp->thread;
	return *ret && bp->condition ? condition_holds(c, bp, tid, ret) : NULL;
}

struct dbg_error *bp_counts(struct control *c, struct bp *bp, pid_t tid,
			    bool *ret_stops)
{
	bool counts;
	struct dbg_error *err = is_meant(c, bp, tid, &counts);

	*ret_stops = false;
	if (err || !counts)
		return err;
	bp->hits++;
	if (bp->ignore) {
		bp->ignore--;
		return NULL;
	}
	if (!hit_rule_holds(&bp->rule, bp->hits))
		return NULL;
	if (bp->log)
		return message_say(c, bp, tid);
	*ret_stops = true;
	return NULL;
}

void bp_spent(struct control *c, struct bp *bp, struct dbg_stop *stop)
{
	stop->breakpoint = bp->number;
	stop->temporary = bp->temporary;
	if (bp->number == c->plan.until) {
		// where run-to was to stop
		stop->reason = DBG_STOP_STEP;
		stop->breakpoint = 0;
		step_clear(c);
	} else if (bp->temporary) {
		uint32_t number = bp->number;

		control_warn(c, control_break_delete(c, number));
		c->ops->changed(c->arg, number, true);
	} else if (bp->stops > 1) {
		bp->stops--;
	} else if (bp->stops) {
		control_warn(c, control_break_enable(c, bp->number, false));
		c->ops->changed(c->arg, bp->number, false);
	}
}

/*
 * Result of a hit: the numbers of the breakpoints that stop, lowest first, 0
 * after the last; and the breakpoint at the entry point, or NULL.
 */
struct verdict {
	uint32_t held[TARGET_JUDGED_MAX];
	struct bp *entry;
};

/*
 * Add a number in ascending order; the highest is dropped if there is no room.
 */
static void verdict_hold(struct verdict *v, uint32_t number)
{
	for (size_t i = 0; number && i < TARGET_JUDGED_MAX; i++) {
		uint32_t at = v->held[i];

		if (at && at < number)
			continue;
		v->held[i] = number;
		number = at;
	}
}

static struct dbg_error *judge(struct control *c, pid_t tid, uint64_t addr,
			       struct verdict *ret)
{
	struct hit_list *list = bind_hits(c, addr);

	for (size_t i = 0; list && i < list->n; i++) {
		struct bp *bp = list->bps[i];
		bool stops;
		struct dbg_error *err = bp_counts(c, bp, tid, &stops);

		if (err)
			return err;
		if (bp->entry)
			ret->entry = bp;
		else if (stops)
			verdict_hold(ret, bp->number);
	}
	return NULL;
}

/*
 * The first breakpoint of the verdict that was not deleted or disabled since;
 * NULL: none.
 */
static struct bp *winner_of(struct control *c, const struct verdict *v)
{
	for (size_t i = 0; i < TARGET_JUDGED_MAX && v->held[i]; i++) {
		struct bp *bp = bp_find(c, v->held[i]);

		if (bp && bp->enabled)
			return bp;
	}
	return NULL;
}

struct dbg_error *bp_hit(struct control *c, const struct target_event *ev,
			 uint64_t addr, struct dbg_stop *stop, bool *ret_stops)
{
	struct dbg_error *err = NULL;
	struct verdict v = {.entry = NULL};

	*ret_stops = false;
	memcpy(v.held, ev->judged, sizeof(v.held));
	if (!v.held[0])
		err = judge(c, ev->tid, addr, &v);

	struct bp *winner = winner_of(c, &v);

	if (err || (!winner && !v.entry))
		return err;
	if (!v.entry && call_keeps(c, ev, addr, v.held))
		return NULL;
	err = control_halt(c);
	if (err)
		return err;
	stop->reason = DBG_STOP_BREAKPOINT;
	if (winner)
		bp_spent(c, winner, stop);
	if (v.entry) {
		stop->reason = DBG_STOP_ENTRY;
		bp_remove(c, v.entry);
	}
	*ret_stops = true;
	return NULL;
}

struct dbg_error *bp_happened(struct control *c, const struct bp_event *ev,
			      struct dbg_stop *stop, bool *ret_stops)
{
	struct bp *winner = NULL;

	for (size_t i = 0; i < c->n_bps; i++) {
		struct dbg_error *err;
		struct bp *bp = c->bps[i];
		bool stops;

		if (!bp->enabled || bp->kind != ev->kind ||
		    !ev->is_wanted(c, bp, ev->arg))
			continue;
		err = bp_counts(c, bp, ev->tid, &stops);
		if (err)
			return err;
		if (stops && !winner)
			winner = bp;
	}
	*ret_stops = winner;
	if (winner)
		bp_spent(c, winner, stop);
	else
		*stop = (struct dbg_stop){0};
	return NULL;
}

void bp_unbind_all(struct control *c)
{
	for (size_t i = 0; i < c->n_bps; i++)
		bind_forget(c, c->bps[i], NULL);
}

void bp_destroy_all(struct control *c)
{
	for (size_t i = 0; i < c->n_bps; i++) {
		bind_forget(c, c->bps[i], NULL);
		watch_remove(c, c->bps[i]);
	}
	// not before: each looks at the others while it is removed
	for (size_t i = 0; i < c->n_bps; i++)
		bp_destroy(c->bps[i]);
	c->n_bps = 0;
	free(c->bps);
}
