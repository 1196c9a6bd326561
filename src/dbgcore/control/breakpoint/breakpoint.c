/*
 * Breakpoints: what was asked for, and what a hit counts for. A hit is judged
 * in gdb's order: condition, ignore count, hit rule, log text, stop. What
 * cannot be evaluated stops and says why. Binding is in bind.c.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/exception/exceptions.h"
#include "control/step/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/str.h"
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
	size_t from = 0, to = c->n_bps;

	// they stand in the order of their numbers, but for some of a family
	while (from < to) {
		size_t at = from + (to - from) / 2;

		if (c->bps[at]->number == number)
			return c->bps[at];
		if (c->bps[at]->number < number)
			from = at + 1;
		else
			to = at;
	}
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

/* Is it a catchpoint? */
static bool bp_is_catch(const struct bp *bp)
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

/* ---- Breakpoints in words ------------------------------------------------ */

/*
 * Breakpoints in words: their locations, and why one is not bound or not hit:
 * no such file in any module, symbols that are missing or of another build, a
 * method that was not compiled yet, a line without code.
 */

/* Describe the place of a breakpoint that was set by address. */
static void describe_address(struct control *c, uint64_t addr,
			     struct arena *arena, struct dbg_location *ret)
{
	const struct code_pos *pos;
	struct code_name name;
	bool managed = false;
	struct dbg_error *err;

	if (!c->code || !target_all_stopped(c->target))
		return;
	err = code_pos_at(c->code, addr, true, &pos, &managed);
	if (err || !managed || !pos->method) {
		dbg_error_destroy(err);
		return;
	}
	code_method_names(c->code, pos->method, arena, &name);
	ret->function = name.full;
	ret->name = name.plain;
	ret->line = pos->point.line;
	if (pos->path)
		ret->file = arena_strdup(arena, pos->path);
}

static void describe_place(struct control *c, const struct code_place *p,
			   uint64_t addr, struct arena *arena,
			   struct dbg_location *ret)
{
	struct code_name name;

	ret->addr = addr;
	ret->line = p->line;
	ret->column = p->column;
	if (!p->module) {
		describe_address(c, addr, arena, ret);
		return;
	}
	if (!c->code)
		return;
	ret->module = arena_strdup(arena, p->module->name);
	ret->token = p->token;
	ret->il_offset = p->il_offset;
	code_token_names(p->module, p->token, NULL, arena, &name);
	ret->function = name.full;
	ret->name = name.plain;
	if (p->document)
		ret->file = code_place_path(c->code, p, arena);
}

static void describe_locations(struct control *c, const struct bp *bp,
			       struct arena *arena, struct dbg_breakpoint *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < bp->n_places; i++)
		n += bp->places[i].n_addrs ? bp->places[i].n_addrs : 1;
	ret->locations = arena_calloc(arena, n, sizeof(*ret->locations));
	for (size_t i = 0; i < bp->n_places; i++) {
		const struct bp_place *p = &bp->places[i];
		size_t k = 0;

		do {
			struct dbg_location *loc =
			    &ret->locations[ret->n_locations++];

			describe_place(c, &p->place,
				       k < p->n_addrs ? p->addrs[k] : 0, arena,
				       loc);
			loc->compiled = p->compiled;
			loc->replaced = bp_place_is_replaced(p);
		} while (++k < p->n_addrs);
	}
}

/*
 * The module whose missing symbols are the likely cause: one whose PDB cannot
 * be used, else a user module that has none.
 */
static const struct code_module *suspect(struct code_module *const *modules,
					 size_t n)
{
	const struct code_module *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (modules[i]->symbols == DBG_SYMBOLS_LOADED)
			continue;
		if (modules[i]->symbols != DBG_SYMBOLS_NONE)
			return modules[i];
		if (!found && !modules[i]->framework)
			found = modules[i];
	}
	return found;
}

/* The first @n bytes of @path, with each backslash escaped for JSON. */
static const char *json_escaped_path(struct arena *arena, const char *path,
				     int n)
{
	char *out = arena_alloc(arena, 2 * (size_t)n + 1), *to = out;

	for (int i = 0; i < n; i++) {
		if (path[i] == '\\')
			*to++ = '\\';
		*to++ = path[i];
	}
	*to = 0;
	return out;
}

/*
 * Look for a module with a file of that name elsewhere, whose text differs;
 * tells how the user can say that it is the file meant.
 */
static const char *why_near(struct control *c, const char *file,
			    struct arena *arena)
{
	size_t n;
	struct code_module *const *modules = code_modules(c->code, &n);
	const char *path = NULL;
	size_t i = 0;

	for (; *file == '/' && i < n && !path; i++)
		path = code_file_near(c->code, modules[i], file);
	if (!path)
		return NULL;
	int dir = (int)(str_basename(path) - path);
	int own = (int)(str_basename(file) - file);
	return arena_printf(arena,
			    "'%s' is in no loaded module, but %s has '%s', of "
			    "another text; if it is meant: sourceFileMap "
			    "{ \"%s\": \"%.*s\" } or 'set substitute-path "
			    "%.*s %.*s'",
			    file, modules[i - 1]->name, path,
			    json_escaped_path(arena, path, dir), own, file, dir,
			    path, own, file);
}

/* Say why a file:line has no place, though some module may have the file. */
static const char *why_line(struct control *c, const struct dbg_place *loc,
			    struct arena *arena)
{
	size_t n;
	struct code_module *const *modules = code_modules(c->code, &n);

	for (size_t i = 0; i < n; i++) {
		if (!code_has_file(c->code, modules[i], loc->file))
			continue;
		const char *note =
		    code_file_note(c->code, modules[i], loc->file);
		if (note)
			return arena_printf(arena, "'%s': %s", loc->file, note);
		uint32_t lost = code_file_lost(c->code, modules[i], loc->file);
		if (lost)
			return arena_printf(
			    arena,
			    "no known method has code at line %u of '%s', and "
			    "where hot reload has put %u other%s is not known: "
			    "break at the method's name, or edit it",
			    loc->line, loc->file, lost, lost == 1 ? "" : "s");
		return arena_printf(arena,
				    "no code at or after line %u of '%s'",
				    loc->line, loc->file);
	}

	const char *near = why_near(c, loc->file, arena);
	if (near)
		return near;

	const struct code_module *m = suspect(modules, n);

	if (m && m->symbols_note)
		return arena_printf(arena,
				    "no loaded module has '%s'; module '%s': "
				    "%s",
				    loc->file, m->name, m->symbols_note);
	return arena_printf(arena, "no %s has symbols for '%s'",
			    c->target ? "loaded module" : "file of the program",
			    loc->file);
}

const char *bp_why_pending(struct control *c, const struct bp *bp,
			   struct arena *arena)
{
	const struct dbg_place *loc = &bp->place;

	if (!c->target && !c->code)
		return "the program is not running";
	if (bp->kind == DBG_BREAK_LOCATION && loc->kind == DBG_PLACE_ADDRESS)
		return arena_printf(arena, "no memory to trap at 0x%lx",
				    (unsigned long)loc->addr);
	if (!c->code)
		return "the runtime is not loaded yet";
	if (bp->kind == DBG_BREAK_REGEX)
		return "no method matches yet";
	if (loc->module && !code_module_named(c->code, loc->module))
		return arena_printf(arena, "module '%s' is not loaded",
				    loc->module);
	if (loc->kind == DBG_PLACE_LINE)
		return why_line(c, loc, arena);
	return arena_printf(arena, "no method '%s%s%s%s' in the %s",
			    loc->function, loc->params ? "(" : "",
			    loc->params ? loc->params : "",
			    loc->params ? ")" : "",
			    c->target ? "loaded modules" : "program's files");
}

/* Say why no place has an address; NULL if one has. */
static const char *why_unarmed(const struct bp *bp)
{
	const char *why = "the method is not compiled yet";

	for (size_t i = 0; i < bp->n_places; i++) {
		if (bp->places[i].n_addrs)
			return NULL;
		if (bp->places[i].compiled)
			why = "optimised code has nothing of this line";
	}
	return why;
}

/* The attribute that keeps all places of @bp from stopping; NULL: none does. */
static const char *why_skipped(struct control *c, const struct bp *bp,
			       struct arena *arena)
{
	unsigned int traits = 0;

	for (size_t i = 0; i < bp->n_places; i++) {
		const struct bp_place *p = &bp->places[i];

		if (!bind_is_skipped(c, bp, p))
			return NULL;
		traits = code_traits(c->code, p->place.module, p->place.token);
	}
	if (!c->rules.just_my_code)
		return "its code is marked DebuggerHidden: it is not hit";
	return arena_printf(arena,
			    "its code is marked %s: it is not hit while Just "
			    "My Code is on",
			    traits & CODE_HIDDEN ? "DebuggerHidden"
			    : traits & CODE_STEP_THROUGH
				? "DebuggerStepThrough"
				: "DebuggerNonUserCode");
}

/*
 * Is the line only part of another one's code? Optimised code may have an entry
 * for it only where another line begins.
 */
static const char *why_elsewhere(struct control *c, const struct bp *bp,
				 struct arena *arena)
{
	const struct bp_place *p = &bp->places[0];
	const struct code_pos *pos;
	bool any = false;
	struct dbg_error *err = NULL;

	if (!p->place.module || !p->place.module->optimized || !p->n_addrs ||
	    !target_all_stopped(c->target))
		return NULL;
	err = code_pos_at(c->code, p->addrs[0], true, &pos, &any);
	if (err || !any || !pos->point.line ||
	    pos->point.line == p->place.line) {
		dbg_error_destroy(err);
		return NULL;
	}
	return arena_printf(arena,
			    "line %u has no entry in optimised code; stops "
			    "at line %u",
			    p->place.line, pos->point.line);
}

static void describe_reason(struct control *c, const struct bp *bp,
			    struct arena *arena, struct dbg_breakpoint *ret)
{
	if (!bp->n_places) {
		ret->reason = bp_why_pending(c, bp, arena);
		return;
	}
	ret->reason = why_skipped(c, bp, arena);
	if (ret->reason)
		return;
	ret->state = DBG_BREAK_BOUND;
	if (bp->moved)
		ret->reason =
		    arena_printf(arena, "line %u has no code; moved to line %u",
				 bp->place.line, bp->places[0].place.line);
	else if (c->target)
		ret->reason = why_unarmed(bp);
	if (!ret->reason)
		ret->reason = why_elsewhere(c, bp, arena);
	if (!ret->reason && bp->place.file && bp->places[0].place.module)
		ret->reason = code_file_note(
		    c->code, bp->places[0].place.module, bp->place.file);
}

static void describe_catch(const struct bp *bp, struct arena *arena,
			   struct dbg_breakpoint *ret)
{
	const struct filter *f = &bp->filter;

	ret->state = DBG_BREAK_BOUND;
	ret->catches.exact = f->exact;
	if (f->module)
		ret->catches.module = arena_strdup(arena, f->module);
	if (f->message)
		ret->catches.message = arena_strdup(arena, f->message);
}

static void describe_watch(struct control *c, const struct bp *bp,
			   struct arena *arena, struct dbg_breakpoint *ret)
{
	const struct watch *w = bp->watch;

	ret->access = w->access;
	ret->state = w->slots ? DBG_BREAK_BOUND : DBG_BREAK_PENDING;
	if (!c->target)
		ret->reason = "the program is not running";
	else if (!c->code)
		ret->reason = "the runtime is not loaded yet";
	else if (w->why)
		ret->reason = w->why;
	else if (!w->now.known && w->now.text)
		ret->reason = arena_strdup(arena, w->now.text);
	else if (w->blind)
		ret->reason = "no debug register is free to see at once when "
			      "it leads elsewhere";
	// A disabled one is as good as it was.
	if (!bp->enabled && !ret->reason)
		ret->state = DBG_BREAK_BOUND;
}

/* Fill in the location as the user has written it. */
static void describe_asked(const struct dbg_place *place, struct arena *arena,
			   struct dbg_breakpoint *ret)
{
	dbg_error_destroy(location_take(place, NULL, arena, &ret->place));
	ret->text = ret->place.text;
}

static void describe(struct control *c, const struct bp *bp,
		     struct arena *arena, struct dbg_breakpoint *ret)
{
	ret->number = bp->number;
	ret->kind = bp->kind;
	ret->enabled = bp->enabled;
	ret->temporary = bp->temporary;
	ret->stops = bp->stops;
	ret->thread = bp->thread;
	ret->hits = bp->hits;
	ret->ignore = bp->ignore;
	if (bp->kind == DBG_BREAK_LOCATION)
		describe_asked(&bp->place, arena, ret);
	else if (bp->text)
		ret->text = arena_strdup(arena, bp->text);
	if (bp->condition)
		ret->condition = arena_strdup(arena, bp->condition);
	if (bp->fault)
		ret->fault = arena_printf(
		    arena,
		    "the condition does not compile: %s; %" PRIu64
		    " later hit%s did not stop",
		    bp->fault, bp->n_faults, bp->n_faults == 1 ? "" : "s");
	if (bp->hit_text)
		ret->hit_rule = arena_strdup(arena, bp->hit_text);
	if (bp->log)
		ret->log = arena_strdup(arena, bp->log);
	if (bp_is_catch(bp)) {
		describe_catch(bp, arena, ret);
		return;
	}
	if (bp_is_load(bp)) {
		ret->state = DBG_BREAK_BOUND;
		return;
	}
	if (bp->watch) {
		describe_watch(c, bp, arena, ret);
		return;
	}
	describe_locations(c, bp, arena, ret);
	describe_reason(c, bp, arena, ret);
}

struct dbg_error *control_break_list(struct control *c, uint32_t number,
				     struct arena *arena,
				     struct dbg_breakpoint **ret, size_t *ret_n)
{
	const struct bp *one = number ? bp_find(c, number) : NULL;

	if (number && !one)
		return dbg_err(DBG_E_NOT_FOUND, "no breakpoint number %u",
			       number);

	struct dbg_breakpoint *list =
	    arena_calloc(arena, one ? 1 : c->n_bps, sizeof(*list));
	size_t n = 0;

	if (one)
		describe(c, one, arena, &list[n++]);
	for (size_t i = 0; !one && i < c->n_bps; i++)
		if (bp_is_users(c->bps[i]))
			describe(c, c->bps[i], arena, &list[n++]);
	*ret = list;
	*ret_n = n;
	return NULL;
}

static struct dbg_error *locate_main(struct control *c, struct arena *arena,
				     struct dbg_location **ret, size_t *ret_n)
{
	struct code_place place;

	if (!entry_place(c, &place))
		return dbg_err(DBG_E_NOT_FOUND, "no module has an entry point");
	*ret = arena_alloc(arena, sizeof(**ret));
	*ret_n = 1;
	describe_place(c, &place, 0, arena, *ret);
	return NULL;
}

struct dbg_error *control_locate(struct control *c,
				 const struct dbg_place *place,
				 const char *path, struct arena *arena,
				 struct dbg_location **ret, size_t *ret_n)
{
	if (place->kind == DBG_PLACE_MAIN)
		return locate_main(c, arena, ret, ret_n);

	struct dbg_error *err;
	const struct dbg_break_req req = {
	    .kind = DBG_BREAK_LOCATION,
	    .place = *place,
	};
	struct dbg_breakpoint *bp;
	uint32_t number;
	size_t n;

	// a breakpoint that never arms: located as one, then dropped
	err = control_break_add(c, &req, path, &number);
	if (err)
		return err;
	err = control_break_list(c, number, arena, &bp, &n);
	if (!err && !bp->n_locations)
		err = dbg_err(DBG_E_NOT_FOUND, "%s", bp->reason);
	if (!err) {
		*ret = bp->locations;
		*ret_n = bp->n_locations;
	}
	control_warn(c, control_break_delete(c, number));
	if (c->last_number == number)
		c->last_number--;
	return err;
}
