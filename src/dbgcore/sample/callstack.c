/* Stacks of threads that nobody stops: see callstack.h. */
#include "sample/callstack.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "target/proc.h"
#include "target/target.h"
#include "target/unwind.h"

#define CODE_LOWEST (UINT64_C(1) << 16)
#define CODE_HIGHEST (UINT64_C(1) << 47)

enum {
	WORD = 8,
	PART_BYTES = 16 << 10, // of a stack, that are read at once
	BLOCKED_MAX = 1 << 20,
	SEARCH_BYTES = 2048, // where a frame pointer is looked for
	RULES_MAX = 1 << 16,
	OUTER_MAX = 8, // frames between a thread's function and the stack's end
};

/* How to unwind from a pc. */
struct rule {
	struct unwind_rule native;
	bool known;              /* is there one? */
	struct insn_frame frame; /* of managed code */
	bool osr;
};

/* Memory of a stack: a copy of its first bytes, more of which may be had. */
struct stack_copy {
	uint64_t at;
	const uint8_t *bytes;
	size_t n;
	struct callstacks *more; /* read it when it is needed; NULL: no more */
};

struct frame_regs {
	uint64_t pc, sp, fp;
};

void callstacks_init(struct callstacks *c, struct target *t,
		     const struct callstack_ops *ops, void *arg)
{
	*c = (struct callstacks){.target = t, .ops = ops, .arg = arg};
	c->buf = xmalloc(BLOCKED_MAX);
}

void callstacks_deinit(struct callstacks *c)
{
	map_clear_free(&c->rules);
	map_deinit(&c->rules);
	free(c->buf);
}

/* ---- Stacks as memory -------------------------------------------------- */

// As much as is read at once: up to the end of the mapping, if that is known,
// behind which nothing can be read.
static size_t copy_part(const struct stack_copy *s)
{
	const struct proc_maps *maps;
	uint64_t at = s->at + s->n;
	struct dbg_error *err = target_maps(s->more->target, &maps);
	const struct proc_map *map =
	    dbg_err_drop(err) ? NULL : proc_maps_find(maps, at);

	return map && map->end - at < PART_BYTES ? (size_t)(map->end - at)
						 : PART_BYTES;
}

// Read on until [@offset, @offset + WORD) is there.
static void copy_extend(struct stack_copy *s, uint64_t offset)
{
	while (s->n < offset + WORD && s->n + PART_BYTES <= BLOCKED_MAX) {
		size_t part = copy_part(s);
		size_t got = target_read_now(s->more->target, s->at + s->n,
					     s->more->buf + s->n, part);

		s->n += got;
		if (got < part) {
			s->more = NULL;
			return;
		}
	}
}

static bool copy_word(struct stack_copy *s, uint64_t addr, uint64_t *ret)
{
	uint64_t offset = addr - s->at;

	if (offset > BLOCKED_MAX - WORD)
		return false;
	if (s->more && offset + WORD > s->n)
		copy_extend(s, offset);
	if (offset + WORD > s->n)
		return false;
	memcpy(ret, s->bytes + offset, WORD);
	return true;
}

/* ---- Code -------------------------------------------------------------- */

static struct rule *rule_new(struct callstacks *c, uint64_t key)
{
	struct rule *rule = xcalloc(1, sizeof(*rule));

	if (c->rules.n >= RULES_MAX)
		map_clear_free(&c->rules);
	map_put(&c->rules, key, rule);
	return rule;
}

static const struct rule *rule_native(struct callstacks *c, uint64_t pc)
{
	struct rule *rule = map_find(&c->rules, pc << 1);

	if (rule)
		return rule;
	rule = rule_new(c, pc << 1);
	rule->known = unwind_rule_find(c->target, pc, &rule->native);
	return rule;
}

// NULL: it is no method's code.
static const struct rule *rule_managed(struct callstacks *c, uint64_t pc,
				       bool leaf)
{
	struct rule *rule = map_find(&c->rules, pc << 1 | 1);
	struct callstack_code code;

	if (rule || !c->ops->code(c->arg, pc - !leaf, &code))
		return rule;
	rule = rule_new(c, pc << 1 | 1);
	insn_frame_at(c->target, code.start, pc, &rule->frame);
	rule->osr = code.osr;
	return rule;
}

static bool is_mapped_code(struct callstacks *c, uint64_t pc)
{
	const struct proc_maps *maps;
	struct dbg_error *err = target_maps(c->target, &maps);

	if (dbg_err_drop(err))
		return false;
	const struct proc_map *map = proc_maps_find(maps, pc);

	return map && map->exec;
}

// The JIT maps memory for its code as it needs it.
static bool is_code(struct callstacks *c, uint64_t pc)
{
	return is_mapped_code(c, pc) ||
	       (pc > CODE_LOWEST && pc < CODE_HIGHEST && c->ops->anew(c->arg) &&
		is_mapped_code(c, pc));
}

static bool is_return(struct callstacks *c, uint64_t pc)
{
	return is_code(c, pc) && insn_is_behind_call(c->target, pc);
}

/* ---- Stepping ---------------------------------------------------------- */

enum step {
	STEP_LOST, // there is no way on
	STEP_DONE, // to the caller
	STEP_END,  // the outermost
};

static enum step step_by_rule(struct callstacks *c, struct stack_copy *s,
			      const struct unwind_rule *rule,
			      struct frame_regs *r)
{
	uint64_t base = rule->by_fp ? r->fp : r->sp;
	uint64_t cfa = base + (uint64_t)(int64_t)rule->cfa;
	struct frame_regs caller = {.sp = cfa, .fp = r->fp};

	if (rule->outermost)
		return STEP_END;
	if (cfa <= r->sp || !copy_word(s, cfa - WORD, &caller.pc))
		return STEP_LOST;
	if (rule->fp_saved &&
	    !copy_word(s, cfa + (uint64_t)(int64_t)rule->fp, &caller.fp))
		return STEP_LOST;
	if (!is_code(c, caller.pc))
		return STEP_LOST;
	*r = caller;
	return STEP_DONE;
}

// Step out of a frame without frame pointer: the return address is @offset
// bytes above the stack pointer, and the frame pointer is the caller's.
static enum step step_frameless(struct callstacks *c, struct stack_copy *s,
				uint32_t offset, struct frame_regs *r)
{
	uint64_t pc;

	if (!copy_word(s, r->sp + offset, &pc) || !is_return(c, pc))
		return STEP_LOST;
	r->pc = pc;
	r->sp += offset + WORD;
	return STEP_DONE;
}

static enum step step_by_fp(struct callstacks *c, struct stack_copy *s,
			    struct frame_regs *r)
{
	struct frame_regs caller = {.sp = r->fp + 2 * WORD};

	if (r->fp < r->sp || r->fp % WORD || !copy_word(s, r->fp, &caller.fp) ||
	    !copy_word(s, r->fp + WORD, &caller.pc) || !is_code(c, caller.pc))
		return STEP_LOST;
	*r = caller;
	return STEP_DONE;
}

// Step from OSR code to the method's caller: above the OSR frame is the frame
// of the method's first code, which has saved the same frame pointer, in front
// of the return address.
static enum step step_osr(struct callstacks *c, struct stack_copy *s,
			  struct frame_regs *r)
{
	uint64_t saved, word;

	if (r->fp < r->sp || r->fp % WORD || !copy_word(s, r->fp, &saved))
		return STEP_LOST;
	for (uint64_t at = r->fp + WORD; at < saved; at += WORD) {
		struct frame_regs caller = {.sp = at + 2 * WORD, .fp = saved};

		if (!copy_word(s, at, &word))
			return STEP_LOST;
		if (word == saved && copy_word(s, at + WORD, &caller.pc) &&
		    is_return(c, caller.pc)) {
			*r = caller;
			return STEP_DONE;
		}
	}
	return STEP_LOST;
}

// Take one step up the stack: from where a thread stands, or (not @leaf) from a
// return address.
static enum step stack_step(struct callstacks *c, struct stack_copy *s,
			    bool leaf, struct frame_regs *r)
{
	uint64_t pc = r->pc - !leaf;

	if (unwind_is_native(c->target, pc)) {
		const struct rule *rule = rule_native(c, pc);

		if (rule->known)
			return step_by_rule(c, s, &rule->native, r);
		if (!leaf)
			return STEP_LOST;
		// The C library leaves out of its tables where a thread begins.
		return step_frameless(c, s, 0, r) == STEP_DONE ? STEP_DONE
							       : STEP_END;
	}
	const struct rule *rule = rule_managed(c, r->pc, leaf);

	if (rule && rule->osr && step_osr(c, s, r) == STEP_DONE)
		return STEP_DONE;
	// Stubs and barriers of the runtime have no frames.
	if (rule ? !rule->frame.framed : leaf) {
		uint32_t offset = rule ? rule->frame.ret : 0;

		if (step_frameless(c, s, offset, r) == STEP_DONE)
			return STEP_DONE;
	}
	return step_by_fp(c, s, r);
}

static void callstack_add(struct callstack *ret, uint64_t pc, uint64_t sp)
{
	if (ret->n >= CALLSTACK_MAX)
		return;
	ret->pcs[ret->n] = pc;
	ret->sps[ret->n++] = sp;
}

/* ---- Walking ----------------------------------------------------------- */

/*
 * Return addresses by frame pointers, as the kernel has followed them further
 * than the copy of the stack reaches.
 */
struct chain {
	const uint64_t *pcs;
	size_t n, next;
	uint64_t fp; /* behind whose word the next of them is */
};

// A frame was left. If the chain's next frame pointer is its caller's, advance
// the chain.
static void chain_follow(struct chain *chain, struct stack_copy *s,
			 uint64_t caller_fp)
{
	uint64_t saved;

	if (caller_fp == chain->fp || !copy_word(s, chain->fp, &saved) ||
	    saved != caller_fp)
		return;
	chain->next++;
	chain->fp = saved;
}

// Add the return addresses that remain in the chain, up to the first that is no
// code.
static void chain_rest(struct callstacks *c, const struct chain *chain,
		       struct callstack *ret)
{
	for (size_t i = chain->next; i < chain->n; i++) {
		if (!is_code(c, chain->pcs[i]))
			return;
		callstack_add(ret, chain->pcs[i], 0);
	}
	if (chain->next < chain->n)
		ret->whole =
		    unwind_is_native(c->target, chain->pcs[chain->n - 1] - 1);
}

// Unwind a stack from the frame @r on, into @ret. @chain may be NULL.
static void stack_walk_rest(struct callstacks *c, struct stack_copy *s,
			    bool leaf, struct frame_regs r, struct chain *chain,
			    struct callstack *ret)
{
	while (ret->n < CALLSTACK_MAX) {
		uint64_t sp = r.sp;

		callstack_add(ret, r.pc, sp);
		enum step done = stack_step(c, s, leaf, &r);

		ret->whole = done == STEP_END;
		if (done == STEP_LOST && chain && r.fp == chain->fp)
			chain_rest(c, chain, ret);
		if (done != STEP_DONE || r.sp <= sp)
			return;
		if (chain)
			chain_follow(chain, s, r.fp);
		leaf = false;
	}
}

static void callstack_reset(struct callstack *ret)
{
	ret->n = ret->n_saved = 0;
	ret->whole = false;
}

static void callstack_keep(struct callstack *ret, const struct stack_copy *s)
{
	ret->at = s->at;
	ret->bytes = s->bytes;
	ret->n_bytes = s->n;
}

void callstack_of_sample(struct callstacks *c, const struct perf_sample *s,
			 struct callstack *ret)
{
	struct stack_copy copy = {s->sp, s->stack, s->n_stack, NULL};
	struct chain chain = {s->chain, s->n_chain, 1, s->fp};

	callstack_reset(ret);
	if (s->has_registers)
		stack_walk_rest(c, &copy, true,
				(struct frame_regs){s->pc, s->sp, s->fp},
				&chain, ret);
	else
		ret->whole = true; // it has left its memory already
	callstack_keep(ret, &copy);
	memcpy(ret->saved, s->saved, sizeof(ret->saved));
	ret->n_saved = s->n_saved;
}

void callstack_of_copy(struct callstacks *c, const struct regs *regs,
		       const struct target_glance *glance,
		       struct callstack *ret)
{
	struct stack_copy s = {regs_sp(regs), glance->bytes, glance->n, NULL};
	const struct frame_regs r = {regs_pc(regs), regs_sp(regs),
				     regs_fp(regs)};

	callstack_reset(ret);
	stack_walk_rest(c, &s, true, r, NULL, ret);
	callstack_keep(ret, &s);
}

/* ---- Blocked threads --------------------------------------------------- */

// Is it native code without tables, as musl's? There a stack ends: none but the
// calls that are over have left a frame pointer that leads there.
static bool is_untold(struct callstacks *c, uint64_t pc)
{
	return unwind_is_native(c->target, pc - 1) &&
	       !rule_native(c, pc - 1)->known;
}

// Do the tables of native code lead from a return address to the stack's end?
static bool leads_to_end(struct callstacks *c, struct stack_copy *s,
			 struct frame_regs r)
{
	enum step done = STEP_DONE;

	for (int i = 0; done == STEP_DONE && i < OUTER_MAX; i++) {
		const struct rule *rule = unwind_is_native(c->target, r.pc - 1)
					      ? rule_native(c, r.pc - 1)
					      : NULL;

		done = rule && rule->known && !rule->native.by_fp
			   ? step_by_rule(c, s, &rule->native, &r)
			   : STEP_LOST;
	}
	return done == STEP_END;
}

// Does the pair of a frame pointer and a return address at @at lead on? Then
// *ret is where to.
static bool pair_leads(struct callstacks *c, struct stack_copy *s, uint64_t at,
		       uint64_t *ret)
{
	struct frame_regs found = {.sp = at, .fp = at};
	uint64_t pc;

	if (!copy_word(s, at + WORD, &pc) || !is_mapped_code(c, pc) ||
	    !insn_is_behind_call(c->target, pc) ||
	    step_by_fp(c, s, &found) != STEP_DONE)
		return false;
	*ret = found.fp > at ? found.fp : found.sp;
	if (leads_to_end(c, s, found))
		return true;
	return found.fp > at && is_return(c, found.pc) &&
	       !is_untold(c, found.pc) &&
	       step_by_fp(c, s, &found) == STEP_DONE && !is_untold(c, found.pc);
}

// Find the frame pointer, where the kernel does not tell it and the code at @pc
// needs it: try the saved pairs (frame pointer, return address) on the stack,
// and take the one that leads on by the smallest step. Pairs left behind by
// calls that are over lead past frames that are there now.
static void fp_search(struct callstacks *c, struct stack_copy *s,
		      struct frame_regs *r)
{
	uint64_t least = UINT64_MAX, to;

	for (uint64_t at = r->sp; at < r->sp + SEARCH_BYTES && at < least;
	     at += WORD) {
		if (pair_leads(c, s, at, &to) && to < least) {
			least = to;
			r->fp = at;
		}
	}
}

// Go to the managed frame that has called native code itself (no stub), if its
// frame pointer was found: an InlinedCallFrame lies in it, in which the frame
// pointer follows the return address.
static bool step_by_call(struct callstacks *c, struct stack_copy *s,
			 struct frame_regs *r)
{
	uint64_t pc, fp;

	for (uint64_t at = r->sp; at + WORD < r->fp; at += WORD) {
		if (copy_word(s, at + WORD, &fp) && fp == r->fp &&
		    copy_word(s, at, &pc) && is_return(c, pc) &&
		    rule_managed(c, pc, false)) {
			r->pc = pc;
			r->sp = at;
			return true;
		}
	}
	return false;
}

static void walk_blocked(struct callstacks *c, struct stack_copy *s,
			 struct frame_regs r, struct callstack *ret)
{
	bool leaf = true;

	while (ret->n < CALLSTACK_MAX && !r.fp) {
		const struct rule *rule = rule_native(c, r.pc - !leaf);

		bool lost = !rule->known || rule->native.by_fp;

		if (lost)
			fp_search(c, s, &r);
		if (lost && (rule->known || !r.fp))
			break;
		callstack_add(ret, r.pc, r.sp);
		// What the code here has on the stack is not told (musl's).
		if (lost && !step_by_call(c, s, &r) &&
		    step_by_fp(c, s, &r) != STEP_DONE)
			return;
		leaf = false;
		if (lost)
			break;
		if (step_by_rule(c, s, &rule->native, &r) != STEP_DONE) {
			ret->whole = rule->native.outermost;
			return;
		}
	}
	stack_walk_rest(c, s, leaf, r, NULL, ret);
}

void callstack_of_blocked(struct callstacks *c, uint64_t pc, uint64_t sp,
			  struct callstack *ret)
{
	struct stack_copy s = {sp, c->buf, 0, c};

	callstack_reset(ret);
	walk_blocked(c, &s, (struct frame_regs){pc, sp, 0}, ret);
	callstack_keep(ret, &s);
}

bool callstack_calls_native(const struct callstack *c, size_t i)
{
	uint64_t word, end = i + 1 < c->n ? c->sps[i + 1] : c->sps[i];

	for (uint64_t at = c->sps[i]; at + WORD < end; at += WORD) {
		uint64_t offset = at - c->at;

		if (offset > c->n_bytes || c->n_bytes - offset < WORD)
			return false;
		memcpy(&word, c->bytes + offset, WORD);
		if (word == c->pcs[i])
			return true;
	}
	return false;
}

/* ---- The same stack again ---------------------------------------------- */

void callstack_mark_set(struct callstack_mark *mark,
			const struct callstack *stack)
{
	mark->pc = 0;
	mark->n = 0;
	if (!stack->whole || stack->n < 2)
		return;
	for (size_t i = 1; i < stack->n; i++) {
		// A frame's memory begins behind its callee's return address.
		mem_grow(&mark->returns, &mark->cap, mark->n,
			 sizeof(*mark->returns));
		mark->returns[mark->n++] = (struct callstack_return){
		    stack->sps[i] - WORD, stack->pcs[i]};
	}
	mark->pc = stack->pcs[0];
	mark->sp = stack->sps[0];
}

bool callstack_mark_holds(struct callstacks *c,
			  const struct callstack_mark *mark, uint64_t pc,
			  uint64_t sp)
{
	if (!mark->pc || pc != mark->pc || sp != mark->sp)
		return false;
	uint64_t n = mark->returns[mark->n - 1].at + WORD - sp, word;

	if (n > BLOCKED_MAX || target_read_now(c->target, sp, c->buf, n) != n)
		return false;
	for (size_t i = 0; i < mark->n; i++) {
		uint64_t offset = mark->returns[i].at - sp;

		if (offset > n - WORD)
			return false;
		memcpy(&word, c->buf + offset, WORD);
		if (word != mark->returns[i].pc)
			return false;
	}
	return true;
}

void callstack_mark_deinit(struct callstack_mark *mark)
{
	free(mark->returns);
}
