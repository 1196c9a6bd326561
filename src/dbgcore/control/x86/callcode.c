/*
 * Frames of guards on x86-64. Only what compilers put at the beginning and the
 * end of such methods is executed, a few instructions; what reads memory that
 * is not there (the guard's own argument is null) reads 0.
 */
#include "control/call/callcode.h"

#include <string.h>

#include "base/err.h"
#include "target/emulate.h"

enum {
	STEPS_MAX = 64,
	ALIGN = 16,
};

static bool read_or_zero(void *arg, uint64_t addr, void *buf, size_t n)
{
	struct dbg_error *err = target_read(arg, addr, buf, n);

	if (dbg_err_drop(err))
		memset(buf, 0, n);
	return true;
}

static bool write_stack(void *arg, uint64_t addr, const void *buf, size_t n)
{
	return !dbg_err_drop(target_write(arg, addr, buf, n));
}

/* Execute one instruction; a call is passed, and has returned 0. */
static bool insn_execute(struct target *t, struct regs *r, struct emu_insn *ret)
{
	const struct emu_memory mem = {read_or_zero, write_stack, t};
	uint8_t bytes[ARCH_INSN_MAX];
	size_t n = target_read_some(t, r->rip, bytes, sizeof(bytes));

	if (!emu_decode(bytes, n, ret))
		return false;
	if (ret->op != EMU_CALL)
		return emu_run(ret, r, &mem);
	r->rip += ret->len;
	r->rax = 0;
	return true;
}

bool callcode_enter(struct target *t, struct regs *r, uint64_t entry,
		    uint64_t back, uint64_t body, uint64_t *ret_call)
{
	struct emu_insn insn;

	r->rsp -= sizeof(back);
	if (!write_stack(t, r->rsp, &back, sizeof(back)))
		return false;
	r->rip = entry;
	callcode_clear_args(r);
	for (int i = 0; i < STEPS_MAX; i++) {
		uint64_t at = r->rip;

		if (!insn_execute(t, r, &insn))
			return false;
		if (insn.op == EMU_CALL && at >= body) {
			*ret_call = r->rip;
			return r->rsp % ALIGN == 0;
		}
	}
	return false;
}

bool callcode_leave(struct target *t, struct regs *r, uint64_t at)
{
	struct emu_insn insn = {0};

	r->rip = at;
	for (int i = 0; i < STEPS_MAX && insn.op != EMU_RET; i++)
		if (!insn_execute(t, r, &insn))
			return false;
	return insn.op == EMU_RET;
}

bool callcode_call(struct target *t, struct regs *r, uint64_t prestub,
		   uint64_t method, uint64_t back)
{
	r->rsp -= sizeof(back);
	r->rip = prestub;
	r->r10 = method;
	r->orig_rax = UINT64_MAX;
	return write_stack(t, r->rsp, &back, sizeof(back));
}

void callcode_restore(const struct regs *saved, struct regs *r)
{
	const struct regs now = *r;

	*r = *saved;
	r->rbx = now.rbx;
	r->r12 = now.r12;
	r->r13 = now.r13;
	r->r14 = now.r14;
	r->r15 = now.r15;
	r->orig_rax = UINT64_MAX;
}

void callcode_clear_args(struct regs *r)
{
	r->rdi = r->rsi = 0;
}

/* Registers that a call may destroy, by the processor's numbers. */
static uint64_t *scratch(struct regs *r, int32_t number)
{
	switch (number) {
	case 0:
		return &r->rax;
	case 1:
		return &r->rcx;
	case 2:
		return &r->rdx;
	case 6:
		return &r->rsi;
	case 7:
		return &r->rdi;
	case 8:
		return &r->r8;
	case 9:
		return &r->r9;
	case 10:
		return &r->r10;
	case 11:
		return &r->r11;
	default:
		return NULL;
	}
}

bool callcode_is_scratch(int32_t number)
{
	struct regs none;

	return scratch(&none, number);
}

void callcode_clear(struct regs *r, int32_t number)
{
	uint64_t *reg = scratch(r, number);

	if (reg)
		*reg = 0;
}

uint64_t callcode_result(const struct regs *r)
{
	return r->rax;
}
