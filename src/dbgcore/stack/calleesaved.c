/*
 * Where the callee-saved registers of a frame are. A callee saves such a
 * register before it uses it; so the value that a frame has in it lies where
 * the nearest newer frame has saved it, or still in the processor.
 *
 * What managed code saves is read from the pushes at the beginning of its
 * prolog, what native code saves from .eh_frame. A place is believed only if it
 * holds the value that the stack walk has for the caller's register.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "stack/stack_priv.h"
#include "target/target.h"

enum {
	PROLOG_MAX = 32, /* bytes of pushes */
	WORD = 8,
	NATIVE_MAX = 256,
};

static void saved_of(const struct dac_frame *raw, uint64_t ret[N_SAVED_REGS])
{
	memcpy(ret, raw->saved, sizeof(raw->saved));
	ret[SAVED_REG_FP] = raw->bp;
	ret[SAVED_REG_PC] = raw->ip;
}

static void lose(uint64_t at[N_SAVED_REGS])
{
	for (size_t i = 0; i < N_SAVED_REGS; i++)
		at[i] = SAVED_REG_LOST;
}

/* ---- One frame ------------------------------------------------------- */

// Read the pushes of the method that @f runs; they are below @cfa, its caller's
// stack pointer.
static void read_prolog(struct stack *s, const struct frame *f, uint64_t cfa,
			uint64_t at[N_SAVED_REGS])
{
	struct dbg_error *err;
	struct dac_code code = {0};
	uint8_t bytes[PROLOG_MAX];
	uint64_t slot = cfa - WORD;
	size_t n = 0;
	struct insn insn;

	err =
	    dac_code_at(s->dac, f->raw.leaf ? f->raw.ip : f->raw.ip - 1, &code);
	if (!dbg_err_drop(err) && code.method)
		n = target_read_some(s->target, code.start, bytes,
				     sizeof(bytes));
	for (size_t i = 0; i < n; i += insn.size) {
		// where the thread stands some may be to come, or undone
		if (!insn_decode(bytes + i, n - i, code.start + i, &insn) ||
		    insn.kind != INSN_PUSH || insn.reg == ARCH_GENERAL ||
		    (f->raw.leaf && code.start + i + insn.size > f->raw.ip))
			return;
		unsigned int reg = unwind_saved(insn.reg);
		slot -= WORD;
		if (reg != N_SAVED_REGS && slot >= f->raw.sp)
			at[reg] = slot;
	}
}

// Drop what does not hold the caller's register.
static void verify(struct stack *s, const uint64_t values[N_SAVED_REGS],
		   uint64_t at[N_SAVED_REGS])
{
	for (size_t i = 0; i < N_SAVED_REGS; i++) {
		uint64_t word;

		if (at[i] > SAVED_REG_LOST &&
		    (target_read_some(s->target, at[i], &word, WORD) != WORD ||
		     word != values[i]))
			at[i] = SAVED_REG_LOST;
	}
}

// Take what the managed frame @f keeps for its caller.
static void take_managed(struct stack *s, const struct frame *f,
			 uint64_t at[N_SAVED_REGS])
{
	struct dbg_error *err;
	const struct frame *next = NULL;
	const struct raw_list *last;
	struct dac_frame caller = {0};
	uint64_t values[N_SAVED_REGS];
	bool managed;

	err = stack_frame(s, f->thread, f->level + 1, &next);
	managed = !dbg_err_drop(err) && next && !next->n_between &&
		  next->kind != DBG_FRAME_NATIVE;
	last = &stack_thread_get(s, f->thread)->between;
	// what calls Main is passed over, with no frame behind
	if (!next && last->n && last->v[0].kind == DAC_FRAME_MANAGED) {
		managed = true;
		caller = last->v[0];
	} else if (managed) {
		caller = next->raw;
	} else if (!native_caller(s, &f->raw, &caller)) {
		lose(at);
		return;
	}
	// a handler has a prolog of its own
	if (f->pos->region == CODE_REGION_BODY)
		read_prolog(s, f, caller.sp, at);
	else
		lose(at);
	at[SAVED_REG_PC] = caller.sp - WORD;
	saved_of(&caller, values);
	// of a native caller only these are known
	for (size_t i = 0; !managed && i < N_SAVED_REGS; i++)
		if (i != SAVED_REG_FP && i != SAVED_REG_PC &&
		    at[i] > SAVED_REG_LOST)
			target_read_some(s->target, at[i], &values[i], WORD);
	verify(s, values, at);
}

void stack_keeps(struct stack *s, const struct frame *f,
		 uint64_t at[N_SAVED_REGS])
{
	struct native_walk w;

	memset(at, 0, N_SAVED_REGS * sizeof(*at));
	if (f->kind == DBG_FRAME_ASYNC || f->kind == DBG_FRAME_THROWN)
		return;
	if (f->kind != DBG_FRAME_NATIVE) {
		take_managed(s, f, at);
		return;
	}
	native_walk_init(&w, s, stack_thread_get(s, f->thread), &f->raw);
	if (!unwind_step_saved(s->target, &w.regs, &w.leaf, at))
		memset(at, 0, N_SAVED_REGS * sizeof(*at));
}

/* ---- From the processor on ------------------------------------------- */

// Go on through native code from where the thread stands to @f, its first
// managed frame.
static bool pass_native(struct stack *s, const struct frame *f,
			uint64_t at[N_SAVED_REGS])
{
	struct dbg_error *err;
	struct regs regs;
	bool leaf = true;

	err = target_regs(s->target, f->tid, &regs);
	if (dbg_err_drop(err))
		return false;
	for (int i = 0; i < NATIVE_MAX; i++) {
		if (regs_pc(&regs) == f->raw.ip && regs_sp(&regs) == f->raw.sp)
			return true;
		if (!unwind_step_saved(s->target, &regs, &leaf, at))
			return false;
	}
	return false;
}

// Go on from the newer frame to @f.
static void trail_enter(struct stack *s, const struct frame *f,
			uint64_t at[N_SAVED_REGS])
{
	// what interrupted it, a signal or the runtime, has all registers
	if (f->level ? f->n_between || f->raw.leaf : !pass_native(s, f, at))
		lose(at);
}

// Go on out of @f.
static void trail_leave(struct stack *s, const struct frame *f,
			uint64_t at[N_SAVED_REGS])
{
	uint64_t own[N_SAVED_REGS];

	stack_keeps(s, f, own);
	for (size_t i = 0; i < N_SAVED_REGS; i++)
		if (own[i])
			at[i] = own[i];
}

static struct dbg_error *set_processor(struct stack *s, pid_t tid,
				       unsigned int reg, uint64_t value)
{
	struct regs regs;
	struct dbg_error *err = target_regs(s->target, tid, &regs);

	if (err)
		return err;
	regs_set(&regs, reg, value);
	return target_regs_set(s->target, tid, &regs);
}

// Update the frames whose register was saved at @where, which has another value
// now.
static void renew(struct stack *s, struct stack_thread *t, unsigned int number,
		  uint64_t where, uint64_t value)
{
	uint64_t at[N_SAVED_REGS] = {0};

	for (size_t i = 0; i < t->n_frames; i++) {
		struct dac_frame *raw = &t->frames[i]->raw;

		trail_enter(s, t->frames[i], at);
		uint64_t here = at[number];
		trail_leave(s, t->frames[i], at);
		if (here != where)
			continue;
		if (number == SAVED_REG_FP)
			raw->bp = value;
		else
			raw->saved[number] = value;
	}
}

struct dbg_error *stack_register_set(struct stack *s, const struct frame *f,
				     unsigned int reg, uint64_t value)
{
	struct dbg_error *err = NULL;
	struct stack_thread *t = stack_thread_get(s, f->thread);
	unsigned int number = unwind_saved(reg);
	uint64_t at[N_SAVED_REGS] = {0};
	const struct frame *g;

	if (number == N_SAVED_REGS && f->level)
		return dbg_err(DBG_E_STATE, "what the frame called may have "
					    "used its register since");
	for (uint32_t level = 0; level <= f->level; level++) {
		err = stack_frame(s, f->thread, level, &g);
		if (err || !g)
			return err;
		trail_enter(s, g, at);
		if (level < f->level)
			trail_leave(s, g, at);
	}
	uint64_t where = number == N_SAVED_REGS ? 0 : at[number];
	if (where == SAVED_REG_LOST ||
	    (number == N_SAVED_REGS && at[0] == SAVED_REG_LOST))
		return dbg_err(DBG_E_STATE,
			       "where the frame's register was saved is not "
			       "known");
	if (number != N_SAVED_REGS)
		renew(s, t, number, where, value);
	return where ? target_write(s->target, where, &value, sizeof(value))
		     : set_processor(s, f->tid, reg, value);
}
