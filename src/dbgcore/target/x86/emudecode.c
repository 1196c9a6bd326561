/*
 * Instructions that emulate.c can execute, translated from what Zydis decodes.
 * Whatever is not surely right is not translated: that instruction is
 * single-stepped instead.
 */
#include <Zydis/Zydis.h>
#include <string.h>

#include "target/emulate.h"

static const struct {
	ZydisMnemonic mnemonic;
	uint8_t op, arg; /* enum emu_op, enum emu_alu */
} known[] = {
    {ZYDIS_MNEMONIC_ADD, EMU_ALU, EMU_ADD},
    {ZYDIS_MNEMONIC_AND, EMU_ALU, EMU_AND},
    {ZYDIS_MNEMONIC_CALL, EMU_CALL, 0},
    {ZYDIS_MNEMONIC_CMP, EMU_ALU, EMU_CMP},
    {ZYDIS_MNEMONIC_DEC, EMU_ALU, EMU_DEC},
    {ZYDIS_MNEMONIC_ENDBR64, EMU_NOP, 0},
    {ZYDIS_MNEMONIC_INC, EMU_ALU, EMU_INC},
    {ZYDIS_MNEMONIC_JMP, EMU_JMP, 0},
    {ZYDIS_MNEMONIC_LEA, EMU_LEA, 0},
    {ZYDIS_MNEMONIC_LEAVE, EMU_LEAVE, 0},
    {ZYDIS_MNEMONIC_MOV, EMU_MOV, 0},
    {ZYDIS_MNEMONIC_MOVSX, EMU_MOVSX, 0},
    {ZYDIS_MNEMONIC_MOVSXD, EMU_MOVSX, 0},
    {ZYDIS_MNEMONIC_MOVZX, EMU_MOVZX, 0},
    {ZYDIS_MNEMONIC_NOP, EMU_NOP, 0},
    {ZYDIS_MNEMONIC_OR, EMU_ALU, EMU_OR},
    {ZYDIS_MNEMONIC_PAUSE, EMU_NOP, 0},
    {ZYDIS_MNEMONIC_POP, EMU_POP, 0},
    {ZYDIS_MNEMONIC_PUSH, EMU_PUSH, 0},
    {ZYDIS_MNEMONIC_RET, EMU_RET, 0},
    {ZYDIS_MNEMONIC_SUB, EMU_ALU, EMU_SUB},
    {ZYDIS_MNEMONIC_TEST, EMU_ALU, EMU_TEST},
    {ZYDIS_MNEMONIC_XOR, EMU_ALU, EMU_XOR},
};

static void find_op(const ZydisDecodedInstruction *in, struct emu_insn *ret)
{
	// loop and jrcxz are in this category as well
	bool jcc = in->opcode_map == ZYDIS_OPCODE_MAP_0F ? in->opcode >> 4 == 8
							 : in->opcode >> 4 == 7;

	if (in->meta.category == ZYDIS_CATEGORY_COND_BR && jcc) {
		ret->op = EMU_JCC;
		ret->arg = in->opcode & 15;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].mnemonic == in->mnemonic) {
			ret->op = known[i].op;
			ret->arg = known[i].arg;
		}
}

// Has the instruction a prefix other than REX: of a string, a lock, a segment,
// 16 bits?
static bool has_prefix(const ZydisDecodedInstruction *in)
{
	for (int i = 0; i < in->raw.prefix_count; i++)
		if (in->raw.prefixes[i].value >> 4 != 4)
			return true;
	return false;
}

// The number of a general register; what else there is has none, as ah.
static bool number_of(ZydisRegister reg, uint8_t *ret)
{
	ZydisRegister whole =
	    ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64 ||
	    (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH))
		return false;
	*ret = (uint8_t)ZydisRegisterGetId(whole);
	return true;
}

static bool set_address(const ZydisDecodedOperandMem *mem, struct emu_insn *ret)
{
	ret->base = ret->index = EMU_NO_REG;
	if (mem->base == ZYDIS_REGISTER_RIP)
		ret->base = EMU_RIP;
	else if (mem->base != ZYDIS_REGISTER_NONE &&
		 !number_of(mem->base, &ret->base))
		return false;
	if (mem->index != ZYDIS_REGISTER_NONE &&
	    !number_of(mem->index, &ret->index))
		return false;
	if (mem->scale)
		ret->scale = (uint8_t)__builtin_ctz(mem->scale);
	ret->disp = (int32_t)mem->disp.value;
	return ret->disp == mem->disp.value;
}

static bool set_operand(const ZydisDecodedOperand *op, struct emu_operand *to,
			struct emu_insn *ret)
{
	switch (op->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		to->place = EMU_REG;
		return number_of(op->reg.value, &to->reg);
	case ZYDIS_OPERAND_TYPE_MEMORY:
		to->place = EMU_MEM;
		return set_address(&op->mem, ret);
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		to->place = EMU_IMM;
		ret->imm = op->imm.value.u;
		return true;
	default:
		return false;
	}
}

static bool set_operands(const ZydisDecodedInstruction *in,
			 const ZydisDecodedOperand *ops, struct emu_insn *ret)
{
	static const struct emu_operand one = {EMU_IMM, 0};
	bool reads = ret->op == EMU_PUSH || ret->op == EMU_CALL ||
		     ret->op == EMU_JMP || ret->op == EMU_JCC;

	ret->size = ops[0].size / 8;
	if (in->operand_count_visible == 2) {
		ret->src_size = ops[1].size / 8;
		return set_operand(&ops[0], &ret->dst, ret) &&
		       set_operand(&ops[1], &ret->src, ret);
	}
	if (in->operand_count_visible == 0)
		return ret->op != EMU_RET || in->opcode == 0xc3;
	if (ret->op == EMU_RET) // with a number of bytes
		return false;
	if (ret->op == EMU_ALU) { // inc, dec
		ret->src = one;
		ret->imm = 1;
	}
	return set_operand(&ops[0], reads ? &ret->src : &ret->dst, ret);
}

static bool only_reads(const struct emu_insn *insn)
{
	return insn->dst.place != EMU_MEM ||
	       (insn->op == EMU_ALU &&
		(insn->arg == EMU_CMP || insn->arg == EMU_TEST));
}

// Is a memory operand on the thread's own stack? Only that may be written: a
// copy by the kernel has no atomicity that other threads could rely on.
static bool private_memory(const struct emu_insn *insn)
{
	return only_reads(insn) ||
	       (insn->index == EMU_NO_REG &&
		(insn->base == EMU_RSP || insn->base == EMU_RBP));
}

static bool good_size(const struct emu_insn *insn)
{
	// Registers of a byte are not worth their trouble.
	if (insn->size == 1)
		return insn->dst.place == EMU_MEM && insn->src.place == EMU_IMM;
	return insn->size == 4 || insn->size == 8;
}

static bool translate(const ZydisDecodedInstruction *in,
		      const ZydisDecodedOperand *ops, struct emu_insn *ret)
{
	find_op(in, ret);
	ret->len = in->length;
	if (ret->op == EMU_NOP)
		return true;
	if (!ret->op || has_prefix(in) ||
	    in->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ||
	    !set_operands(in, ops, ret) || !private_memory(ret))
		return false;
	// Everything that moves the stack or jumps is 64 bits wide.
	if (ret->op == EMU_PUSH || ret->op == EMU_POP || ret->op >= EMU_JMP ||
	    ret->op == EMU_LEAVE)
		ret->size = 8;
	return good_size(ret);
}

bool emu_decode(const uint8_t *bytes, size_t n, struct emu_insn *ret)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

	memset(ret, 0, sizeof(*ret));
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	if (ZYAN_SUCCESS(
		ZydisDecoderDecodeFull(&decoder, bytes, n, &in, ops)) &&
	    translate(&in, ops, ret))
		return true;
	memset(ret, 0, sizeof(*ret));
	return false;
}
