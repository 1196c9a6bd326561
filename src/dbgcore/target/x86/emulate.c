/*
 * Executing the instruction beneath a trap in our own process: registers of a
 * stopped thread in, registers out, memory of the thread through the target.
 * Stepping it in the program would need the trap lifted and thus all threads
 * stopped; this makes a hit that only counts cheap. Writes go to the thread's
 * own stack only, where no other thread can see them half done.
 */
#include "target/emulate.h"

#include <string.h>

enum {
	FLAG_CF = 1 << 0,
	FLAG_PF = 1 << 2,
	FLAG_AF = 1 << 4,
	FLAG_ZF = 1 << 6,
	FLAG_SF = 1 << 7,
	FLAG_TF = 1 << 8,
	FLAG_OF = 1 << 11,
	FLAGS = FLAG_CF | FLAG_PF | FLAG_AF | FLAG_ZF | FLAG_SF | FLAG_OF,
};

enum {
	STACK_BELOW = 256,      /* red zone and a little more */
	STACK_ABOVE = 64 << 20, /* the largest frames' reach */
};

struct run {
	const struct emu_insn *insn;
	const struct emu_memory *mem;
	struct regs regs; /* after the instruction */
	uint64_t pc, sp;  /* before it */
};

static uint64_t *reg(struct regs *r, unsigned int n)
{
	uint64_t *const regs[16] = {
	    &r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp,
	    &r->rsi, &r->rdi, &r->r8,  &r->r9,  &r->r10, &r->r11,
	    &r->r12, &r->r13, &r->r14, &r->r15,
	};

	return regs[n & 15];
}

static uint64_t cut(uint64_t value, unsigned int size)
{
	return size >= 8 ? value : value & ((UINT64_C(1) << size * 8) - 1);
}

static uint64_t extend(uint64_t value, unsigned int size)
{
	unsigned int shift = 64 - size * 8;

	return (uint64_t)((int64_t)(value << shift) >> shift);
}

// Compute the effective address, Intel SDM vol. 1, 3.7.5.
static uint64_t address(struct run *r)
{
	const struct emu_insn *insn = r->insn;
	uint64_t addr = (uint64_t)(int64_t)insn->disp;

	if (insn->base == EMU_RIP)
		addr += r->pc + insn->len;
	else if (insn->base != EMU_NO_REG)
		addr += *reg(&r->regs, insn->base);
	if (insn->index != EMU_NO_REG)
		addr += *reg(&r->regs, insn->index) << insn->scale;
	return addr;
}

// Is the operand on the stack? By rsp alone: rbp may point to anything in
// optimised code.
static bool on_stack(const struct run *r, uint64_t addr)
{
	return addr - (r->sp - STACK_BELOW) < STACK_ABOVE;
}

static bool memory_read(struct run *r, uint64_t addr, unsigned int size,
			uint64_t *ret)
{
	uint64_t value = 0, again = 0;

	if (!r->mem->read(r->mem->arg, addr, &value, size))
		return false;
	// Memory that is not on a stack may change meanwhile: read twice,
	// accept only equal values.
	if (!on_stack(r, addr) &&
	    (!r->mem->read(r->mem->arg, addr, &again, size) || again != value))
		return false;
	*ret = value;
	return true;
}

static bool memory_write(struct run *r, uint64_t addr, unsigned int size,
			 uint64_t value)
{
	return r->mem->write(r->mem->arg, addr, &value, size);
}

static bool get(struct run *r, struct emu_operand op, unsigned int size,
		uint64_t *ret)
{
	switch (op.place) {
	case EMU_REG:
		*ret = cut(*reg(&r->regs, op.reg), size);
		return true;
	case EMU_IMM:
		*ret = cut(r->insn->imm, size);
		return true;
	case EMU_MEM:
		return memory_read(r, address(r), size, ret);
	}
	return false;
}

// Write the result. Must be the last thing that can fail. A 32-bit result
// clears the upper half.
static bool operand_put(struct run *r, struct emu_operand op, uint64_t value)
{
	uint64_t addr;

	if (op.place == EMU_REG) {
		*reg(&r->regs, op.reg) = cut(value, r->insn->size);
		return true;
	}
	addr = address(r);
	return on_stack(r, addr) && memory_write(r, addr, r->insn->size, value);
}

static bool push(struct run *r, uint64_t value)
{
	if (!memory_write(r, r->sp - 8, 8, value))
		return false;
	r->regs.rsp = r->sp - 8;
	return true;
}

static bool pop(struct run *r, uint64_t *ret)
{
	if (!memory_read(r, r->sp, 8, ret))
		return false;
	r->regs.rsp = r->sp + 8;
	return true;
}

static uint64_t flags_of(uint64_t result, unsigned int size)
{
	uint64_t flags = 0;

	if (!cut(result, size))
		flags |= FLAG_ZF;
	if (result >> (size * 8 - 1) & 1)
		flags |= FLAG_SF;
	if (!__builtin_parity((unsigned int)(result & 0xff)))
		flags |= FLAG_PF;
	return flags;
}

static uint64_t flags_add(uint64_t a, uint64_t b, unsigned int size)
{
	uint64_t sum = cut(a + b, size);
	uint64_t flags = flags_of(sum, size);

	if (sum < a)
		flags |= FLAG_CF;
	if ((a ^ b ^ sum) & 0x10)
		flags |= FLAG_AF;
	if ((a ^ sum) & (b ^ sum) & UINT64_C(1) << (size * 8 - 1))
		flags |= FLAG_OF;
	return flags;
}

static uint64_t flags_sub(uint64_t a, uint64_t b, unsigned int size)
{
	uint64_t rest = cut(a - b, size);
	uint64_t flags = flags_of(rest, size);

	if (a < b)
		flags |= FLAG_CF;
	if ((a ^ b ^ rest) & 0x10)
		flags |= FLAG_AF;
	if ((a ^ b) & (a ^ rest) & UINT64_C(1) << (size * 8 - 1))
		flags |= FLAG_OF;
	return flags;
}

static bool arithmetic(enum emu_alu op, uint64_t a, uint64_t b,
		       unsigned int size, uint64_t *ret_flags)
{
	switch (op) {
	case EMU_ADD:
	case EMU_INC:
		*ret_flags = flags_add(a, b, size);
		return true;
	case EMU_SUB:
	case EMU_CMP:
	case EMU_DEC:
		*ret_flags = flags_sub(a, b, size);
		return true;
	default:
		return false;
	}
}

static uint64_t result_of(enum emu_alu op, uint64_t a, uint64_t b)
{
	switch (op) {
	case EMU_ADD:
	case EMU_INC:
		return a + b;
	case EMU_SUB:
	case EMU_CMP:
	case EMU_DEC:
		return a - b;
	case EMU_OR:
		return a | b;
	case EMU_AND:
	case EMU_TEST:
		return a & b;
	case EMU_XOR:
		break;
	}
	return a ^ b;
}

static bool run_alu(struct run *r)
{
	const struct emu_insn *insn = r->insn;
	enum emu_alu op = (enum emu_alu)insn->arg;
	unsigned int size = insn->size;
	uint64_t a, b, flags, changed = FLAGS;

	if (!get(r, insn->dst, size, &a) || !get(r, insn->src, size, &b))
		return false;
	uint64_t result = result_of(op, a, b);
	if (!arithmetic(op, a, b, size, &flags))
		flags = flags_of(cut(result, size), size);
	// inc and dec leave the carry alone.
	if (op == EMU_INC || op == EMU_DEC)
		changed &= ~(uint64_t)FLAG_CF;
	r->regs.eflags = (r->regs.eflags & ~changed) | (flags & changed);
	if (op == EMU_CMP || op == EMU_TEST)
		return true;
	return operand_put(r, insn->dst, result);
}

// Evaluate a condition code, Intel SDM vol. 1, appendix B.1; odd conditions are
// the negated even ones.
static bool condition(uint64_t flags, unsigned int cc)
{
	bool cf = flags & FLAG_CF, zf = flags & FLAG_ZF, sf = flags & FLAG_SF;
	bool of = flags & FLAG_OF, pf = flags & FLAG_PF, yes = false;

	switch (cc >> 1) {
	case 0:
		yes = of;
		break;
	case 1:
		yes = cf;
		break;
	case 2:
		yes = zf;
		break;
	case 3:
		yes = cf || zf;
		break;
	case 4:
		yes = sf;
		break;
	case 5:
		yes = pf;
		break;
	case 6:
		yes = sf != of;
		break;
	case 7:
		yes = zf || sf != of;
		break;
	}
	return yes != (cc & 1);
}

static bool jump(struct run *r, uint64_t to)
{
	// A bad address must fault where the processor says it does.
	if (!to || to >> 47)
		return false;
	r->regs.rip = to;
	return true;
}

static bool jump_target(struct run *r, uint64_t *ret)
{
	if (r->insn->src.place != EMU_IMM)
		return get(r, r->insn->src, 8, ret);
	*ret = r->regs.rip + r->insn->imm;
	return true;
}

static bool run_jump(struct run *r)
{
	uint64_t to = 0;

	switch (r->insn->op) {
	case EMU_JCC:
		if (!condition(r->regs.eflags, r->insn->arg))
			return true;
		return jump(r, r->regs.rip + r->insn->imm);
	case EMU_JMP:
		return jump_target(r, &to) && jump(r, to);
	case EMU_RET:
		return pop(r, &to) && jump(r, to);
	}
	uint64_t back = r->regs.rip;
	return jump_target(r, &to) && jump(r, to) && push(r, back);
}

static bool run_move(struct run *r)
{
	const struct emu_insn *insn = r->insn;
	uint64_t value = 0;

	switch (insn->op) {
	case EMU_MOV:
		return get(r, insn->src, insn->size, &value) &&
		       operand_put(r, insn->dst, value);
	case EMU_LEA:
		return operand_put(r, insn->dst, address(r));
	case EMU_MOVZX:
		return get(r, insn->src, insn->src_size, &value) &&
		       operand_put(r, insn->dst, value);
	case EMU_MOVSX:
		return get(r, insn->src, insn->src_size, &value) &&
		       operand_put(r, insn->dst, extend(value, insn->src_size));
	}
	return false;
}

static bool run_stack(struct run *r)
{
	uint64_t value = 0;

	if (r->insn->op == EMU_PUSH)
		return get(r, r->insn->src, 8, &value) && push(r, value);
	if (r->insn->op == EMU_LEAVE) {
		if (!on_stack(r, r->regs.rbp))
			return false;
		r->sp = r->regs.rbp;
		if (!pop(r, &value))
			return false;
		r->regs.rbp = value;
		return true;
	}
	// After the increment: pop rsp leaves the value.
	return pop(r, &value) && operand_put(r, r->insn->dst, value);
}

static bool execute(struct run *r)
{
	switch (r->insn->op) {
	case EMU_NOP:
		return true;
	case EMU_PUSH:
	case EMU_POP:
	case EMU_LEAVE:
		return run_stack(r);
	case EMU_ALU:
		return run_alu(r);
	case EMU_JMP:
	case EMU_JCC:
	case EMU_CALL:
	case EMU_RET:
		return run_jump(r);
	}
	return run_move(r);
}

bool emu_run(const struct emu_insn *insn, struct regs *regs,
	     const struct emu_memory *mem)
{
	struct run r = {insn, mem, *regs, regs->rip, regs->rsp};

	// A program that single-steps itself wants its trap.
	if (insn->op == EMU_REFUSED || regs->eflags & FLAG_TF)
		return false;
	r.regs.rip += insn->len;
	if (!execute(&r))
		return false;
	*regs = r.regs;
	return true;
}

bool emu_is_once(const struct emu_insn *insn)
{
	return insn->op == EMU_ALU && insn->dst.place == EMU_MEM &&
	       insn->arg != EMU_CMP && insn->arg != EMU_TEST;
}
