/* Decoding of the instructions that emulate.c executes. */
#include "target/emulate.h"

#include <string.h>

#include "base/reader.h"

enum {
	REX_B = 1,
	REX_X = 2,
	REX_R = 4,
	REX_W = 8,
};

struct decoder {
	struct reader in;
	struct emu_insn *insn;
	unsigned int rex;
	bool has_rex;
	bool operand16; /* 66 or 2e was there: good for no-ops only */
	bool rep;       /* f3 */
	uint8_t ext;    /* reg field of ModRM, as opcode extension */
};

static uint64_t imm8(struct decoder *d)
{
	return (uint64_t)(int64_t)(int8_t)reader_u8(&d->in);
}

static uint64_t imm32(struct decoder *d)
{
	return (uint64_t)(int64_t)(int32_t)reader_u32(&d->in);
}

static struct emu_operand reg_operand(unsigned int reg)
{
	return (struct emu_operand){EMU_REG, (uint8_t)reg};
}

static const struct emu_operand imm_operand = {EMU_IMM, 0};

static uint8_t opsize(const struct decoder *d)
{
	return d->rex & REX_W ? 8 : 4;
}

// SIB byte: Intel SDM vol. 2, table 2-3. An index of 4 is none.
static void sib(struct decoder *d, unsigned int mod)
{
	uint8_t b = reader_u8(&d->in);
	unsigned int index = (b >> 3 & 7) | (d->rex & REX_X ? 8 : 0);

	d->insn->scale = b >> 6;
	d->insn->index = index == 4 ? EMU_NO_REG : (uint8_t)index;
	d->insn->base = (b & 7) | (d->rex & REX_B ? 8 : 0);
	if ((b & 7) == 5 && mod == 0) {
		d->insn->base = EMU_NO_REG;
		d->insn->disp = (int32_t)reader_u32(&d->in);
	}
}

// ModRM: the register goes to *ret_reg, the other operand to *ret_rm.
static void modrm(struct decoder *d, struct emu_operand *ret_reg,
		  struct emu_operand *ret_rm)
{
	uint8_t b = reader_u8(&d->in);
	unsigned int mod = b >> 6, rm = b & 7;

	d->ext = b >> 3 & 7;
	*ret_reg = reg_operand(d->ext | (d->rex & REX_R ? 8 : 0));
	if (mod == 3) {
		*ret_rm = reg_operand(rm | (d->rex & REX_B ? 8 : 0));
		return;
	}
	*ret_rm = (struct emu_operand){EMU_MEM, 0};
	d->insn->index = EMU_NO_REG;
	if (rm == 4) {
		sib(d, mod);
	} else if (rm == 5 && mod == 0) {
		d->insn->base = EMU_RIP;
		d->insn->disp = (int32_t)reader_u32(&d->in);
	} else {
		d->insn->base = (uint8_t)(rm | (d->rex & REX_B ? 8 : 0));
	}
	if (mod == 1)
		d->insn->disp = (int8_t)reader_u8(&d->in);
	else if (mod == 2)
		d->insn->disp = (int32_t)reader_u32(&d->in);
}

static bool only_reads(const struct emu_insn *insn)
{
	return insn->dst.place != EMU_MEM ||
	       (insn->op == EMU_ALU &&
		(insn->arg == EMU_CMP || insn->arg == EMU_TEST));
}

// Memory that is written must be the thread's own, its stack: a copy by the
// kernel promises no atomicity that other threads could rely on.
static bool private_memory(const struct emu_insn *insn)
{
	return only_reads(insn) ||
	       (insn->index == EMU_NO_REG &&
		(insn->base == EMU_RSP || insn->base == EMU_RBP));
}

static void unused_operands(struct emu_insn *insn)
{
	insn->dst = insn->src = (struct emu_operand){0, 0};
}

// 0f xx
static bool two_bytes(struct decoder *d)
{
	struct emu_insn *insn = d->insn;
	uint8_t op = reader_u8(&d->in);

	if (op == 0x1e && d->rep) {
		insn->op = EMU_NOP;
		return reader_u8(&d->in) == 0xfa; // endbr64
	}
	if (d->rep)
		return false;
	if (op == 0x1f) {
		insn->op = EMU_NOP;
		modrm(d, &insn->dst, &insn->src);
		unused_operands(insn);
		return d->ext == 0;
	}
	if (op >= 0x80 && op <= 0x8f) {
		insn->op = EMU_JCC;
		insn->arg = op & 15;
		insn->imm = imm32(d);
		return true;
	}
	if (op != 0xb6 && op != 0xb7 && op != 0xbe && op != 0xbf)
		return false;
	insn->op = op < 0xb8 ? EMU_MOVZX : EMU_MOVSX;
	insn->src_size = op & 1 ? 2 : 1;
	modrm(d, &insn->dst, &insn->src);
	// Without REX, byte registers 4-7 are ah, ch, dh and bh.
	return insn->src.place == EMU_MEM || insn->src_size == 2 ||
	       insn->src.reg < 4 || d->has_rex;
}

static bool known_alu(unsigned int arg)
{
	return arg != 2 && arg != 3; // adc, sbb
}

// 00-3f: eight operations in rows of eight opcodes
static bool alu_row(struct decoder *d, uint8_t op)
{
	struct emu_insn *insn = d->insn;

	insn->op = EMU_ALU;
	insn->arg = op >> 3;
	switch (op & 7) {
	case 1:
		modrm(d, &insn->src, &insn->dst);
		break;
	case 3:
		modrm(d, &insn->dst, &insn->src);
		break;
	case 5:
		insn->dst = reg_operand(0);
		insn->src = imm_operand;
		insn->imm = imm32(d);
		break;
	default:
		return false;
	}
	return known_alu(insn->arg);
}

// Opcode with ModRM and an immediate: 80, 81, 83, c6, c7, f6 /0, f7 /0
static bool group_imm(struct decoder *d, uint8_t op)
{
	struct emu_insn *insn = d->insn;
	struct emu_operand none;
	bool bytes = op == 0x80 || op == 0xc6 || op == 0xf6;

	modrm(d, &none, &insn->dst);
	insn->src = imm_operand;
	insn->imm = bytes || op == 0x83 ? imm8(d) : imm32(d);
	if (bytes)
		insn->size = 1;
	// Registers of a byte are not worth their trouble.
	if (bytes && insn->dst.place != EMU_MEM)
		return false;
	if (op == 0x80 || op == 0x81 || op == 0x83) {
		insn->op = EMU_ALU;
		insn->arg = d->ext;
		return known_alu(d->ext);
	}
	if (d->ext)
		return false;
	insn->op = op == 0xf6 || op == 0xf7 ? EMU_ALU : EMU_MOV;
	insn->arg = EMU_TEST;
	return true;
}

// ff: inc, dec, call, jmp, push
static bool group_ff(struct decoder *d)
{
	struct emu_insn *insn = d->insn;
	struct emu_operand none, rm;

	modrm(d, &none, &rm);
	switch (d->ext) {
	case 0:
	case 1:
		insn->op = EMU_ALU;
		insn->arg = d->ext ? EMU_DEC : EMU_INC;
		insn->dst = rm;
		insn->src = imm_operand;
		insn->imm = 1;
		return true;
	case 2:
	case 4:
		insn->op = d->ext == 2 ? EMU_CALL : EMU_JMP;
		insn->src = rm;
		return true;
	case 6:
		insn->op = EMU_PUSH;
		insn->src = rm;
		return true;
	}
	return false;
}

static bool relative(struct decoder *d, enum emu_op op, uint64_t distance)
{
	d->insn->op = (uint8_t)op;
	d->insn->src = imm_operand;
	d->insn->imm = distance;
	return true;
}

static bool stack_op(struct decoder *d, uint8_t op)
{
	struct emu_operand reg =
	    reg_operand((op & 7) | (d->rex & REX_B ? 8 : 0));

	d->insn->op = op < 0x58 ? EMU_PUSH : EMU_POP;
	if (op < 0x58)
		d->insn->src = reg;
	else
		d->insn->dst = reg;
	return true;
}

static bool mov_imm(struct decoder *d, uint8_t op)
{
	struct emu_insn *insn = d->insn;

	insn->op = EMU_MOV;
	insn->dst = reg_operand((op & 7) | (d->rex & REX_B ? 8 : 0));
	insn->src = imm_operand;
	insn->imm = d->rex & REX_W ? reader_u64(&d->in) : reader_u32(&d->in);
	return true;
}

// Opcodes with ModRM and no immediate
static bool with_modrm(struct decoder *d, uint8_t op)
{
	struct emu_insn *insn = d->insn;

	switch (op) {
	case 0x63: // movsxd; without REX.W nobody uses it
		insn->op = EMU_MOVSX;
		insn->src_size = 4;
		modrm(d, &insn->dst, &insn->src);
		return d->rex & REX_W;
	case 0x85:
		insn->op = EMU_ALU;
		insn->arg = EMU_TEST;
		modrm(d, &insn->src, &insn->dst);
		return true;
	case 0x89:
		insn->op = EMU_MOV;
		modrm(d, &insn->src, &insn->dst);
		return true;
	case 0x8b:
		insn->op = EMU_MOV;
		modrm(d, &insn->dst, &insn->src);
		return true;
	case 0x8d:
		insn->op = EMU_LEA;
		modrm(d, &insn->dst, &insn->src);
		return insn->src.place == EMU_MEM;
	}
	return false;
}

static bool one_byte(struct decoder *d, uint8_t op)
{
	if (op < 0x40)
		return alu_row(d, op);
	if (op >= 0x50 && op <= 0x5f)
		return stack_op(d, op);
	if (op >= 0x70 && op <= 0x7f) {
		d->insn->arg = op & 15;
		return relative(d, EMU_JCC, imm8(d));
	}
	if (op >= 0xb8 && op <= 0xbf)
		return mov_imm(d, op);
	switch (op) {
	case 0x80:
	case 0x81:
	case 0x83:
	case 0xc6:
	case 0xc7:
	case 0xf6:
	case 0xf7:
		return group_imm(d, op);
	case 0xc3:
		d->insn->op = EMU_RET;
		return true;
	case 0xc9:
		d->insn->op = EMU_LEAVE;
		return true;
	case 0xe8:
		return relative(d, EMU_CALL, imm32(d));
	case 0xe9:
		return relative(d, EMU_JMP, imm32(d));
	case 0xeb:
		return relative(d, EMU_JMP, imm8(d));
	case 0xff:
		return group_ff(d);
	}
	return with_modrm(d, op);
}

// Everything that moves the stack or jumps is 64 bits wide without REX.W.
static void set_size(struct decoder *d)
{
	struct emu_insn *insn = d->insn;

	insn->size = opsize(d);
	insn->base = insn->index = EMU_NO_REG;
}

static void widen(struct emu_insn *insn)
{
	switch (insn->op) {
	case EMU_PUSH:
	case EMU_POP:
	case EMU_LEAVE:
	case EMU_JMP:
	case EMU_CALL:
	case EMU_RET:
		insn->size = 8;
	}
}

static bool decode(struct decoder *d)
{
	uint8_t op = reader_u8(&d->in);

	for (; op == 0x66 || op == 0x2e; op = reader_u8(&d->in))
		d->operand16 = true;
	if (op == 0xf3) {
		d->rep = true;
		op = reader_u8(&d->in);
	}
	if ((op & 0xf0) == 0x40) {
		d->has_rex = true;
		d->rex = op & 15;
		op = reader_u8(&d->in);
	}
	set_size(d);
	if (op == 0x90 && !(d->rex & REX_B)) {
		d->insn->op = EMU_NOP; // f3 90 is pause
		return true;
	}
	if (op == 0x0f)
		return two_bytes(d);
	return !d->rep && one_byte(d, op);
}

bool emu_decode(const uint8_t *bytes, size_t n, struct emu_insn *ret)
{
	struct decoder d = {.insn = ret};

	memset(ret, 0, sizeof(*ret));
	n = n < EMU_INSN_MAX ? n : EMU_INSN_MAX;
	reader_init(&d.in, bytes, n);
	bool good = decode(&d) && !d.in.bad;
	if (d.operand16 && ret->op != EMU_NOP)
		good = false;
	if (good && ret->op != EMU_LEA && !private_memory(ret))
		good = false;
	if (!good) {
		memset(ret, 0, sizeof(*ret));
		return false;
	}
	widen(ret);
	ret->len = (uint8_t)(n - reader_left(&d.in));
	return true;
}
