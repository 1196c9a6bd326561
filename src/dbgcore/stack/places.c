/*
 * Where the variables of a frame are, also while its code builds the frame or
 * takes it down.
 *
 * The runtime tells variables' places in terms of registers. In a prolog, a
 * place told for the first instruction stays true whatever is pushed after it;
 * but functions that the prolog calls (runtime async) find the variables where
 * the body has them. In an epilog, the body's places hold, but once the frame
 * pointer is popped its register has the caller's: the frame's own is then the
 * address that this was popped from. Of a frame without frame pointer, and of
 * other registers that are being restored, nothing is known in an epilog.
 */
#include "base/err.h"
#include "base/mem.h"
#include "dac/asyncmethod.h"
#include "stack/stack_priv.h"
#include "target/target.h"
#include "value/value.h"

enum {
	WORD = 8,
};

static bool insn_is_push_fp(struct target *t, uint64_t addr)
{
	struct insn insn;

	return insn_at(t, addr, &insn) && insn.kind == INSN_PUSH &&
	       insn.reg == ARCH_FP;
}

// Has the epilog that @f is in popped its caller's frame pointer?
static bool has_popped(struct target *t, const struct frame *f)
{
	struct insn insn;
	uint64_t word;

	return insn_at(t, f->raw.ip, &insn) &&
	       (insn.kind == INSN_RET || insn.kind == INSN_JUMP) &&
	       target_read_some(t, f->raw.sp - WORD, &word, WORD) == WORD &&
	       word == f->raw.bp;
}

// The registers by which the variables of @f are found.
static struct dac_frame settled(struct values *ts, const struct frame *f)
{
	struct dac_frame ret = f->raw;
	uint64_t sp;

	if (!f->raw.leaf && f->pos && f->pos->in_prolog) {
		uint64_t body = code_body_start(values_code(ts), f->raw.ip - 1);

		ret.ip = body ? body : ret.ip;
		return ret;
	}
	if (!f->raw.leaf || !f->pos || f->pos->vars_ip == f->raw.ip)
		return ret;
	if (f->pos->enters) {
		sp = dac_caller_sp(values_dac(ts), f->tid, &f->raw);
		if (!sp)
			return ret;
		ret.sp = sp - WORD;
	} else if (f->pos->in_epilog) {
		struct dac_code code = {0};
		if (dbg_err_drop(
			dac_code_at(values_dac(ts), f->raw.ip, &code)) ||
		    !insn_is_push_fp(values_target(ts), code.start))
			return ret;
		if (has_popped(values_target(ts), f))
			ret.bp = f->raw.sp - WORD;
	}
	ret.ip = f->pos->vars_ip;
	return ret;
}

// Registers of the body may have been restored.
static void drop_registers(struct dac_var *vars, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (vars[i].in_register)
			vars[i].present = vars[i].in_register = false;
}

// Which registers the instructions from @start to @end, a prolog, overwrite: a
// bit each; all of them if that cannot be told.
static uint32_t overwritten(struct target *t, uint64_t start, uint64_t end)
{
	struct insn insn;
	uint32_t ret = 0;

	for (uint64_t addr = start; addr < end; addr += insn.size) {
		if (!insn_at(t, addr, &insn) || insn.kind == INSN_CALL)
			return UINT32_MAX;
		ret |= insn.writes;
	}
	return ret;
}

// Drop arguments whose registers the prolog has reused, after it had copied
// them.
static void drop_overwritten(struct values *ts, const struct frame *f,
			     const struct dac_frame *at, struct dac_var *vars,
			     size_t n)
{
	uint32_t gone =
	    overwritten(values_target(ts), f->pos->start, f->raw.ip);

	for (size_t i = 0; gone && i < n; i++) {
		if (vars[i].in_register &&
		    gone &
			dac_var_registers(values_dac(ts), f->tid, at, &vars[i]))
			vars[i].present = vars[i].in_register = false;
	}
}

// Drop the variables that the method did not keep over its last await.
static void drop_lost(struct values *ts, const struct frame *f, bool args,
		      struct dac_var *vars, size_t n)
{
	struct dac_async kind;

	dac_async_get(values_dac(ts), f->raw.method, &kind);
	if (!kind.suspends || !f->pos || !f->pos->module || !n)
		return;
	uint32_t n_args = code_count_args(f->pos);
	uint32_t first = args ? 0 : n_args, n_vars = first + (uint32_t)n;
	_cleanup_free_ bool *lost = xcalloc(n_vars, sizeof(*lost));
	if (!code_lost_vars(values_code(ts), f->pos, f->raw.ip, lost, n_args,
			    n_vars))
		return;
	for (size_t i = 0; i < n; i++)
		if (lost[first + i])
			vars[i].present = vars[i].in_register = false;
}

// Is the method not what it was when the program began?
static bool is_updated(const struct frame *f)
{
	return f->raw.kind == DAC_FRAME_MANAGED && f->pos && f->pos->module &&
	       code_method_version(f->pos->module, f->pos->token);
}

struct dbg_error *stack_frame_vars(struct values *ts, const struct frame *f,
				   bool args, struct arena *arena,
				   struct dac_var **ret, size_t *ret_n)
{
	if (f->continuation)
		return continuation_vars(f, args, arena, ret, ret_n);
	const struct dac_frame at = settled(ts, f);
	struct dbg_error *err = NULL;

	if (is_updated(f))
		dac_code_vars(values_dac(ts), f->tid, &at,
			      code_count_args(f->pos), args, arena, ret, ret_n);
	else
		err = dac_frame_vars(values_dac(ts), f->tid, &at, args, arena,
				     ret, ret_n);

	if (!err && at.ip != f->raw.ip && !(f->raw.leaf && f->pos->enters))
		drop_registers(*ret, *ret_n);
	if (!err && f->raw.leaf && f->pos && f->pos->enters)
		drop_overwritten(ts, f, &at, *ret, *ret_n);
	if (!err)
		drop_lost(ts, f, args, *ret, *ret_n);
	return err;
}

struct dbg_error *stack_var_register(struct values *ts, const struct frame *f,
				     const struct dac_var *var,
				     unsigned int *ret)
{
	const struct dac_frame at = settled(ts, f);

	if (at.ip != f->raw.ip)
		return dbg_err(DBG_E_STATE, "the method is being entered and "
					    "may have copied it already: step "
					    "to its first line");
	return dac_var_register(values_dac(ts), f->tid, &at, var, ret);
}
