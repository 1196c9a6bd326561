/*
 * Steps by traps. The plan of a step over a line is one trap at every other
 * line's code in the method, one at the return to the nearest caller that
 * has source, and, while it runs, the runtime's word for each catch handler
 * entered, so that a frame left by an exception ends the step where the
 * exception was caught. A step in adds a trap at every call of the line
 * (stepin.c).
 *
 * A trap counts only for the stepping thread and only in the stepped frame
 * or outside of it; deeper activations (recursion) run through. A frame is
 * known by its sp and, if the method has one, by the frame pointer, which
 * exception handlers (funclets with stacks of their own) share with it.
 */
#include "control/step/step.h"
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/step/stepasync.h"
#include "control/step/steps.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/str.h"
#include "code/handler.h"

/* ---- Methods that steps pass --------------------------------------------- */

/*
 * Methods that a step in passes because the user said so (`skip`): by name, by
 * source file, or both. The rules are one text with a line for each: words "fu
 * NAME", "rfu REGEX", "fi FILE", "gfi GLOB" separated by tabs, all of which
 * must match. Names and files match by their last parts, as in breakpoint
 * locations.
 */

struct skip_rule {
	char *function, *file, *glob; // NULL: any
	struct pattern *regex;
};

enum {
	RULES_MAX = 1000
};

static void rule_deinit(struct skip_rule *rule)
{
	free(rule->function);
	free(rule->file);
	free(rule->glob);
	pattern_destroy(rule->regex);
}

void skip_reset(struct control *c)
{
	for (size_t i = 0; i < c->skips.n; i++)
		rule_deinit(&c->skips.rules[i]);
	free(c->skips.rules);
	free(c->skips.text);
	c->skips = (struct skips){0};
}

/* ---- The text -------------------------------------------------------- */

static struct dbg_error *skip_rule_set(struct skip_rule *rule, char *word)
{
	char *value = strchr(word, ' ');

	if (!value || !value[1])
		return dbg_err(DBG_E_ARGUMENT, "'%s' names nothing", word);
	*value++ = '\0';
	if (!strcmp(word, "rfu")) {
		pattern_destroy(rule->regex);
		rule->regex = NULL;
		return pattern_create(value, &rule->regex);
	}

	char **place = !strcmp(word, "fu")    ? &rule->function
		       : !strcmp(word, "fi")  ? &rule->file
		       : !strcmp(word, "gfi") ? &rule->glob
					      : NULL;

	if (!place)
		return dbg_err(DBG_E_ARGUMENT, "'%s' is not fu, rfu, fi or gfi",
			       word);
	str_set(place, value);
	return NULL;
}

static struct dbg_error *take_line(struct skips *skips, char *line)
{
	struct dbg_error *err = NULL;
	char *state = NULL;
	struct skip_rule rule = {0};

	for (char *word = strtok_r(line, "\t", &state); word && !err;
	     word = strtok_r(NULL, "\t", &state))
		err = skip_rule_set(&rule, word);
	if (!err && skips->n == RULES_MAX)
		err = dbg_err(DBG_E_ARGUMENT, "more than %d rules", RULES_MAX);
	if (err) {
		rule_deinit(&rule);
		return err;
	}
	mem_grow(&skips->rules, &skips->cap, skips->n, sizeof(*skips->rules));
	skips->rules[skips->n++] = rule;
	return NULL;
}

struct dbg_error *control_skip_set(struct control *c, const char *text)
{
	struct dbg_error *err = NULL;
	char *state = NULL;
	_cleanup_free_ char *copy = xstrdup(text);
	struct skips old = c->skips;

	c->skips = (struct skips){.text = xstrdup(text)};
	for (char *line = strtok_r(copy, "\n", &state); line && !err;
	     line = strtok_r(NULL, "\n", &state))
		err = take_line(&c->skips, line);

	struct skips fresh = c->skips;

	// what is not well formed changes nothing
	c->skips = err ? fresh : old;
	skip_reset(c);
	c->skips = err ? old : fresh;
	return err;
}

const char *control_skip_text(const struct control *c)
{
	return c->skips.text ? c->skips.text : "";
}

/* ---- Matching -------------------------------------------------------- */

/* Is @tail all of @s, or its last parts behind one of @ends? */
static bool is_tail(const char *s, const char *tail, const char *ends)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && !strcmp(s + n - k, tail) &&
	       (n == k || strchr(ends, s[n - k - 1]));
}

/*
 * Remove generic parameters, which users leave out: "Ns.Box<T>.Get" becomes
 * "Ns.Box.Get".
 */
static void without_arguments(char *name)
{
	int depth = 0;
	char *to = name;

	for (const char *p = name; *p; p++) {
		depth += *p == '<';
		if (!depth)
			*to++ = *p;
		depth -= *p == '>';
	}
	*to = '\0';
}

static bool is_function(const struct skip_rule *rule, const char *name)
{
	if (rule->regex && !pattern_matches(rule->regex, name))
		return false;
	if (!rule->function || is_tail(name, rule->function, "."))
		return true;
	_cleanup_free_ char *plain = xstrdup(name);
	without_arguments(plain);
	return is_tail(plain, rule->function, ".");
}

/* Does the file match? @path "": the method has no source. */
static bool is_file(const struct skip_rule *rule, const char *path)
{
	if (rule->file && !is_tail(path, rule->file, "/\\"))
		return false;
	return !rule->glob || !fnmatch(rule->glob, path, 0) ||
	       !fnmatch(rule->glob, str_basename(path), 0);
}

/* Does a rule name the method? */
static bool skip_matches(struct control *c, struct code_module *m,
			 uint32_t token)
{
	struct code_name name;
	struct code_place place = {0};
	bool found = false;

	if (!c->skips.n || !m)
		return false;

	struct arena *arena = arena_create();
	uint32_t body = code_move_next(c->code, m, token);
	const char *path = "";

	code_token_names(m, token, NULL, arena, &name);
	code_entry(c->code, m, body ? body : token, &place);
	if (place.document)
		path = code_place_path(c->code, &place, arena);
	for (size_t i = 0; i < c->skips.n && !found; i++)
		found = is_function(&c->skips.rules[i], name.plain) &&
			is_file(&c->skips.rules[i], path);
	arena_destroy(arena);
	return found;
}

/* ---- Just My Code -------------------------------------------------------- */

/*
 * Just My Code: what counts as the user's own when steps choose where to
 * end. It has symbols, its module is built for debugging, and its author did
 * not mark it as something to pass. A program with no such module (a Release
 * build) would leave nothing to step in: then optimised modules with symbols
 * count too, of which the source is here if there are such. The module in which
 * a step begins always counts, since its user stands there.
 */

bool mycode_is_user(struct control *c, struct code_module *m, uint32_t token)
{
	unsigned int traits = m ? code_traits(c->code, m, token) : 0;

	if (c->rules.just_my_code)
		return m && code_is_user(c->code, m, token, c->plan.home);
	return (traits & CODE_SOURCE) && !(traits & CODE_STEP_THROUGH);
}

bool mycode_is_passed(struct control *c, struct code_module *m, uint32_t token)
{
	const unsigned int traits = CODE_ACCESSOR | CODE_OPERATOR;

	if (c->rules.over_properties && code_traits(c->code, m, token) & traits)
		return true;
	return skip_matches(c, m, token);
}

bool mycode_is_skipped(struct control *c, struct code_module *m, uint32_t token)
{
	unsigned int marks = CODE_HIDDEN;

	if (c->rules.just_my_code)
		marks |= CODE_STEP_THROUGH | CODE_NON_USER;
	return m && code_traits(c->code, m, token) & marks;
}

/* Tell the user, once, if the whole program is optimised. */
static void mycode_tell(struct control *c)
{
	if (c->told_optimized || !c->rules.just_my_code || !c->code ||
	    !code_all_optimized(c->code))
		return;
	c->told_optimized = true;
	c->ops->message(c->arg, 0,
			"no module of the program is built for "
			"debugging: optimized code with symbols "
			"counts as yours");
}

/* ---- Steps by traps ------------------------------------------------------ */

enum {
	CALLERS_MAX = 20000,
	FILTERS_DEPTH = 64, /* callers whose filters end a step */
};

static bool has_source(const struct frame *f)
{
	return f->pos && f->pos->point.line;
}

bool step_is_user(struct control *c, const struct frame *f)
{
	return has_source(f) &&
	       mycode_is_user(c, f->pos->module, f->pos->token);
}

struct dbg_error *step_user_frame(struct control *c, uint32_t thread,
				  uint32_t level, const struct frame **ret)
{
	struct dbg_error *err;
	const struct frame *f = NULL;
	const struct frame *managed = NULL, *source = NULL;
	bool bare = true;

	for (uint32_t n = 0; n < level + CALLERS_MAX; n++) {
		err = stack_frame(c->stack, thread, n, &f);
		if (err)
			return err;
		if (!f || (n >= level && step_is_user(c, f)))
			break;
		if (has_source(f))
			bare = false;
		if (n >= level && !source && has_source(f))
			source = f;
		if (n >= level && !managed && f->pos && f->pos->token)
			managed = f;
	}
	// a step from user code does not end in framework code
	if (!f && (bare || !c->rules.just_my_code || !c->plan.home))
		f = bare ? managed : source;
	*ret = f;
	return NULL;
}

/* Run until the nearest caller of the user's, from @level up, is reached. */
static struct dbg_error *plan_return(struct control *c, uint32_t level)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	uint32_t thread = stack_thread_number(c->stack, p->tid);
	const struct frame *f;

	err = step_user_frame(c, thread, level, &f);
	if (err || !f)
		return err;
	p->return_addr = f->raw.ip;
	p->caller = (struct activation){.sp = f->raw.sp, .bp = f->raw.bp};
	step_add(p, f->raw.ip, STEP_AT_RETURN, NULL);
	return NULL;
}

bool step_is_framed(struct control *c, uint64_t ip)
{
	struct dac_code code;
	struct insn first;
	struct dbg_error *err = dac_code_at(c->dac, ip, &code);

	return !dbg_err_drop(err) && code.method &&
	       insn_at(c->target, code.start, &first) &&
	       first.kind == INSN_PUSH && first.reg == ARCH_FP;
}

/*
 * Plan a step out of @f, which runs an async method: it may wait before it
 * ends. The step ends in the method that awaits it or, if neither that nor the
 * caller is user code, at its last line.
 */
static struct dbg_error *plan_out_async(struct control *c,
					const struct frame *f)
{
	struct step_plan *p = &c->plan;
	bool returns = true;

	const struct activation frame = {
	    .sp = f->raw.sp,
	    .bp = f->raw.bp,
	    .framed = step_is_framed(c, f->raw.ip),
	};

	struct dbg_error *err = stepasync_plan(c, f->pos, f->raw.ip, &frame);
	if (!err)
		err = stepasync_plan_end(c, f, &returns);
	if (!err && returns)
		err = plan_return(c, f->level + 1);
	if (!err && !p->return_addr && !step_is_awaited(p))
		err = stepasync_plan_last(c, f, &frame);
	return err;
}

/* Add traps where the filters around @f's present call begin. */
static struct dbg_error *add_filters(struct control *c, const struct frame *f,
				     struct arena *arena)
{
	struct code_handler *handlers;
	const struct code_point *points;
	size_t n, n_points = 0;
	struct dbg_error *err =
	    code_points(c->code, f->raw.ip, &points, &n_points);

	code_handlers(c->code, f->pos, arena, &handlers, &n);
	for (size_t i = 0; !err && i < n; i++) {
		const struct code_handler *h = &handlers[i];

		if (h->kind != CODE_HANDLER_FILTER || !h->line)
			continue;
		for (size_t at = 0; at < n_points; at++)
			if (points[at].point.il_offset == h->il_offset)
				step_add(&c->plan, points[at].addr,
					 STEP_AT_LINE, NULL);
	}
	return err;
}

/* Can a filter in code with lines be on a stack? Few programs have any. */
static bool has_filters(struct control *c)
{
	size_t n;
	struct code_module *const *modules = code_modules(c->code, &n);

	for (size_t i = 0; i < n; i++)
		if (modules[i]->pdb && code_has_filters(modules[i]))
			return true;
	return false;
}

/*
 * Add traps at the filters of callers from @level on: if an exception is
 * thrown, a filter is the next user code to run, before the frames below it are
 * left.
 */
static struct dbg_error *plan_filters(struct control *c, uint32_t level)
{
	struct dbg_error *err = NULL;
	uint32_t thread = stack_thread_number(c->stack, c->plan.tid);

	if (!has_filters(c))
		return NULL;
	struct arena *arena = arena_create();
	for (uint32_t n = level; !err && n < level + FILTERS_DEPTH; n++) {
		const struct frame *f;

		err = stack_frame(c->stack, thread, n, &f);
		if (err || !f)
			break;
		if (f->kind == DBG_FRAME_MANAGED && step_is_user(c, f))
			err = add_filters(c, f, arena);
	}
	arena_destroy(arena);
	return err;
}

/* Plan a step out of the frames below @level. */
static struct dbg_error *plan_out(struct control *c, uint32_t level)
{
	struct dbg_error *err = NULL;
	struct step_plan *p = &c->plan;
	const struct frame *f = NULL;
	struct value machine;

	// no caller: no handler counts either
	p->caller = (struct activation){.sp = UINT64_MAX, .bp = UINT64_MAX};
	if (level)
		err =
		    stack_frame(c->stack, stack_thread_number(c->stack, p->tid),
				level - 1, &f);
	if (err)
		return err;
	if (f && (stepchain_runs(c, f) || stack_machine(c->stack, f, &machine)))
		err = plan_out_async(c, f);
	else
		err = plan_return(c, level);
	if (!err)
		err = plan_filters(c, level);
	if (err)
		return err;
	// a handler of the caller runs deeper on the stack, with its
	// frame pointer
	p->frame = p->caller;
	p->frame.framed = p->return_addr && step_is_framed(c, p->return_addr);
	p->phase = STEP_RUNNING;
	return step_arm(c);
}

/*
 * Plan for the return value, if the frame at @level returns right to where the
 * step ends.
 */
static void plan_returned(struct control *c, uint32_t level)
{
	struct step_plan *p = &c->plan;
	uint32_t thread = stack_thread_number(c->stack, p->tid);
	const struct frame *f = NULL, *caller = NULL;
	struct stack_instance exact;
	struct values *values = c->inspect->values;
	struct dbg_error *err = stack_frame(c->stack, thread, level, &f);

	if (!err)
		err = stack_frame(c->stack, thread, level + 1, &caller);
	if (dbg_err_drop(err) || !f || !caller ||
	    f->kind != DBG_FRAME_MANAGED || !values ||
	    caller->raw.ip != p->return_addr || caller->raw.sp != p->caller.sp)
		return;
	stack_frame_instance(values, f, &exact);
	p->return_method = caller->raw.method;
	p->returns = (struct returned){
	    .tid = p->tid,
	    .method = exact.method,
	    .type = exact.type ? value_type_mt(values, exact.type) : 0,
	};
}

bool step_same_spot(const struct step_plan *p, const struct seq_point *point)
{
	const struct seq_point *from = &p->from;

	if (point->line != from->line || point->document != from->document)
		return false;
	return p->step.unit != DBG_UNIT_STATEMENT || p->target.name ||
	       (point->column == from->column &&
		point->end_line == from->end_line &&
		point->end_column == from->end_column);
}

/*
 * The visible sequence point before a hidden one, in the order of IL; NULL:
 * none.
 */
static const struct seq_point *visible_before(const struct code_point *points,
					      size_t n,
					      const struct seq_point *hidden)
{
	const struct seq_point *best = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct seq_point *point = &points[i].point;

		if (point->line && point->il_offset < hidden->il_offset &&
		    (!best || point->il_offset > best->il_offset))
			best = point;
	}
	return best;
}

/* Add traps at the other lines, and at the calls of this one. */
static struct dbg_error *plan_points(struct control *c, uint64_t pc)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	const struct code_point *points;
	struct dac_code code;
	size_t n;

	err = dac_code_at(c->dac, pc, &code);
	if (!err)
		err = code_points(c->code, pc, &points, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		const struct seq_point *point = &points[i].point;
		uint64_t end =
		    i + 1 < n ? points[i + 1].addr : code.start + code.size;

		// hidden code behind a line (the end of a `using`) is part
		// of it: no place to stop at, but one to step in from
		if (!point->line)
			point = visible_before(points, n, point);
		if (!point)
			continue;
		if (!step_same_spot(p, point)) {
			if (!points[i].point.line)
				continue;
			// further on, though it may be resumed at code far away
			if (p->step.kind != DBG_STEP_UNTIL ||
			    point->il_offset > p->from.il_offset)
				step_add(p, points[i].addr, STEP_AT_LINE, NULL);
		} else if (p->step.kind == DBG_STEP_IN) {
			err = stepin_scan(c, points[i].addr, end);
			if (err)
				return err;
		}
	}
	return NULL;
}

static struct dbg_error *plan_async(struct control *c,
				    const struct code_pos *pos, uint64_t pc,
				    bool *ret_returns)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	const struct frame *f;

	err = stepasync_plan(c, pos, pc, &p->frame);
	if (!err)
		err = stack_frame(c->stack,
				  stack_thread_number(c->stack, p->tid), 0, &f);
	if (err || !f || !stepasync_may_end(c, f))
		return err;
	return stepasync_plan_end(c, f, ret_returns);
}

static struct dbg_error *plan_line(struct control *c,
				   const struct code_pos *pos,
				   const struct regs *regs)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	bool returns = true;

	p->frame = (struct activation){
	    .sp = regs_sp(regs),
	    .bp = regs_fp(regs),
	    .framed = step_is_framed(c, regs_pc(regs)) && !pos->in_prolog,
	};
	err = plan_points(c, regs_pc(regs));
	if (!err)
		err = plan_async(c, pos, regs_pc(regs), &returns);
	if (!err && returns)
		err = plan_return(c, 1);
	if (!err)
		err = plan_filters(c, 1);
	if (!err)
		err = stepin_plan_passed(c);
	if (err)
		return err;
	p->phase = STEP_RUNNING;
	err = step_arm(c);
	// a thread does not hit the trap that it stands at
	if (!err && step_has(p, regs_pc(regs), STEP_AT_CALL))
		err = stepin_resolve(c);
	return err;
}

static struct dbg_error *
plan_instruction(struct control *c, const struct regs *regs, bool *ret_done)
{
	struct step_plan *p = &c->plan;
	struct insn insn = {0};
	bool known = insn_at(c->target, regs_pc(regs), &insn);
	bool over = p->step.kind != DBG_STEP_IN && insn.kind == INSN_CALL;

	// a system call may wait for another thread: let all run
	if (regs_restarts(regs))
		insn.size = 0;
	else if (!known || (!over && insn.kind != INSN_SYSCALL))
		return target_thread_step(c->target, p->tid, true, ret_done);
	p->frame = (struct activation){.sp = regs_sp(regs)};
	step_add(p, regs_pc(regs) + insn.size, STEP_AT_LINE, NULL);
	p->phase = STEP_RUNNING;
	return step_arm(c);
}

/* The error that the newest frame has no caller. */
static struct dbg_error *no_caller(struct control *c)
{
	if (!c->plan.step.run_on)
		return dbg_err(DBG_E_STATE,
			       "the frame has no caller with source to return "
			       "to: \"continue\" lets the program run on");
	c->ops->message(c->arg, 0,
			"no caller has source to return to: the "
			"program runs on");
	return NULL;
}

static struct dbg_error *plan(struct control *c, bool *ret_done)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct regs regs;
	const struct code_pos *pos;
	const struct frame *f;
	bool managed = false;

	p->home = NULL;
	err = target_regs(c->target, p->tid, &regs);
	if (err)
		return err;
	if (p->step.unit == DBG_UNIT_INSTRUCTION &&
	    p->step.kind != DBG_STEP_OUT)
		return plan_instruction(c, &regs, ret_done);
	if (!c->code)
		return dbg_err(DBG_E_STATE,
			       "the runtime is not loaded yet: only single "
			       "instructions can be stepped");
	mycode_tell(c);
	err = code_pos_at(c->code, regs_pc(&regs),
			  !stack_is_behind(c->stack, p->tid), &pos, &managed);
	if (err)
		return err;
	if (managed && pos->point.line) {
		p->home = pos->module;
		p->home_pc = regs_pc(&regs);
	}
	if (p->step.kind == DBG_STEP_OUT) {
		err = plan_out(c, p->step.frame + 1);
		if (!err && !p->return_addr && !step_is_awaited(p) &&
		    !step_has(p, 0, STEP_AT_LAST))
			err = no_caller(c);
		if (!err)
			plan_returned(c, p->step.frame);
		return err;
	}
	if (p->home) {
		p->from = pos->point;
		err = target_take(c, pos);
		return err ? err : plan_line(c, pos, &regs);
	}
	// in code without source: out of it; the frames of a throw are not
	// shown
	err =
	    stack_frame(c->stack, stack_thread_number(c->stack, p->tid), 0, &f);
	if (err)
		return err;
	return plan_out(c, f && f->raw.ip == regs_pc(&regs) ? 1 : 0);
}

struct dbg_error *step_go_on(struct control *c)
{
	struct dbg_error *err;
	struct regs regs;
	const struct code_pos *pos;
	bool any = false;

	if (c->plan.step.kind == DBG_STEP_OUT)
		return plan_out(c, 1);
	err = target_regs(c->target, c->plan.tid, &regs);
	if (!err)
		err = code_pos_at(c->code, regs_pc(&regs), true, &pos, &any);
	return err || !any ? err : plan_line(c, pos, &regs);
}

struct dbg_error *step_back(struct control *c, const struct step_hit *hit,
			    bool *ret_done)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	struct regs regs;
	const struct code_pos *call, *pos;
	bool any = false, also = false;

	*ret_done = !p->finishes;
	if (*ret_done)
		return NULL;
	err = control_halt(c);
	if (!err)
		err = target_regs(c->target, hit->tid, &regs);
	if (!err)
		err = code_pos_at(c->code, regs_pc(&regs), true, &pos, &any);
	if (!err)
		err = code_pos_at(c->code, regs_pc(&regs), false, &call, &also);
	if (err)
		return err;
	// nothing of the statement was behind the call
	*ret_done =
	    !any || !also || call->point.il_offset != pos->point.il_offset;
	if (*ret_done)
		return NULL;
	step_lift(c);
	p->home = pos->module;
	p->home_pc = regs_pc(&regs);
	p->from = pos->point;
	return plan_line(c, pos, &regs);
}

struct dbg_error *control_step(struct control *c, pid_t tid,
			       const struct dbg_step *step, bool *ret_done)
{
	struct dbg_error *err;

	step_clear(c);
	c->plan.tid = tid;
	c->plan.step = *step;
	*ret_done = false;
	err = plan(c, ret_done);
	if (err) {
		c->plan.phase = STEP_RUNNING;
		step_clear(c);
	}
	return err;
}

struct dbg_error *control_stepped(struct control *c, pid_t tid,
				  struct dbg_stop *stop)
{
	struct dbg_error *err;
	struct regs regs;
	bool stops;

	err = target_regs(c->target, tid, &regs);
	if (err || !(control_site_kinds(c, regs_pc(&regs)) & SITE_BREAK))
		return err;

	const struct target_event ev = {.kind = TARGET_STEPPED, .tid = tid};

	return bp_hit(c, &ev, regs_pc(&regs), stop, &stops);
}

struct dbg_error *control_run_to(struct control *c, pid_t tid,
				 const struct dbg_place *place,
				 const char *path, struct arena *arena)
{
	struct dbg_error *err;
	struct step_plan *p = &c->plan;
	const struct dbg_break_req req = {
	    .kind = DBG_BREAK_LOCATION,
	    .place = *place,
	    .temporary = true,
	};
	uint32_t number;
	struct bp *bp;

	step_clear(c);
	err = control_break_add(c, &req, path, &number);
	if (err)
		return err;
	// not one of the user's: the number is free again
	c->last_number--;
	bp = bp_find(c, number);
	bp->number = p->until = BP_UNTIL;
	p->tid = tid;
	p->step = (struct dbg_step){.kind = DBG_STEP_OUT};
	if (!bp->n_places)
		err = dbg_err(DBG_E_NOT_FOUND, "%s",
			      bp_why_pending(c, bp, arena));
	else if (c->code)
		err = plan_out(c, 1);
	if (err)
		step_clear(c);
	return err;
}
