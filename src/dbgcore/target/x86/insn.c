/*
 * Instructions of x86-64, decoded by Zydis to what the rooms above ask for:
 * kind, length, branch target, register, cell; and as text for `disassemble`.
 */
#include <Zydis/Zydis.h>
#include <string.h>

#include "target/target.h"

static_assert(ARCH_INSN_MAX == ZYDIS_MAX_INSTRUCTION_LENGTH, "");

struct decoded {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool decode(const uint8_t *bytes, size_t n, struct decoded *ret)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n,
						   &ret->insn, ret->operands));
}

static bool is_register(const struct decoded *d, int operand)
{
	return d->operands[operand].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static enum insn_kind kind_of(const struct decoded *d)
{
	switch (d->insn.meta.category) {
	case ZYDIS_CATEGORY_SYSCALL:
		return INSN_SYSCALL;
	case ZYDIS_CATEGORY_CALL:
		return INSN_CALL;
	case ZYDIS_CATEGORY_RET:
		return INSN_RET;
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
		return INSN_JUMP;
	default:
		break;
	}
	switch (d->insn.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		return is_register(d, 0) ? INSN_PUSH : INSN_OTHER;
	case ZYDIS_MNEMONIC_LEA:
		return INSN_ADDRESS;
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_ENDBR64:
		return INSN_NOP;
	default:
		return INSN_OTHER;
	}
}

static void set_operands(const struct decoded *d, uint64_t addr,
			 struct insn *ret)
{
	const ZydisDecodedOperand *first = &d->operands[0];
	uint64_t at;

	if (d->insn.operand_count_visible && is_register(d, 0) &&
	    ZydisRegisterGetClass(first->reg.value) == ZYDIS_REGCLASS_GPR64)
		ret->reg = (uint8_t)ZydisRegisterGetId(first->reg.value);
	for (int i = 0; i < d->insn.operand_count_visible; i++) {
		const ZydisDecodedOperand *op = &d->operands[i];
		bool near = op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
			    op->mem.base == ZYDIS_REGISTER_RIP;
		bool relative = op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
				op->imm.is_relative;

		if ((!near && !relative) ||
		    !ZYAN_SUCCESS(
			ZydisCalcAbsoluteAddress(&d->insn, op, addr, &at)))
			continue;
		if (near)
			ret->cell = at;
		else
			ret->target = at;
	}
}

static uint32_t written(const struct decoded *d)
{
	uint32_t ret = 0;

	for (int i = 0; i < d->insn.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->operands[i];
		ZydisRegister whole;

		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		whole = ZydisRegisterGetLargestEnclosing(
		    ZYDIS_MACHINE_MODE_LONG_64, op->reg.value);
		if (ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64)
			ret |= UINT32_C(1) << ZydisRegisterGetId(whole);
	}
	return ret;
}

bool insn_decode(const uint8_t *bytes, size_t n, uint64_t addr,
		 struct insn *ret)
{
	struct decoded d;

	if (!decode(bytes, n, &d))
		return false;
	*ret = (struct insn){
	    .kind = kind_of(&d),
	    .size = d.insn.length,
	    .reg = ARCH_GENERAL,
	    .writes = written(&d),
	    .repeats = d.insn.attributes &
		       (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
			ZYDIS_ATTRIB_HAS_REPNE),
	};
	set_operands(&d, addr, ret);
	return true;
}

/* ---- Frames of code of the JIT ------------------------------------------ */

enum {
	FRAME_INSNS = 32, // of a prolog or an epilog that are looked at
	CALL_MAX = 7,     // bytes of the longest call through memory
};

enum frame_part {
	PART_OTHER,
	PART_MOVES, // the stack pointer, by so many bytes
	PART_SETS,  // the frame pointer to the frame
	PART_POPS_FP,
	PART_RETURNS,
};

static bool is_of(const struct decoded *d, int operand, ZydisRegister reg)
{
	return is_register(d, operand) && d->operands[operand].reg.value == reg;
}

// What an instruction does to the frame. *ret_n: how many bytes it pops;
// negative: it pushes.
static enum frame_part frame_part(const struct decoded *d, int64_t *ret_n)
{
	const ZydisDecodedOperand *from = &d->operands[1];

	*ret_n = 0;
	switch (d->insn.mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_ENDBR64:
	case ZYDIS_MNEMONIC_VZEROUPPER:
		return PART_MOVES;
	case ZYDIS_MNEMONIC_PUSH:
		*ret_n = -8;
		return PART_MOVES;
	case ZYDIS_MNEMONIC_POP:
		*ret_n = 8;
		return is_of(d, 0, ZYDIS_REGISTER_RBP) ? PART_POPS_FP
						       : PART_MOVES;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		if (!is_of(d, 0, ZYDIS_REGISTER_RSP) ||
		    from->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
			return PART_OTHER;
		*ret_n = d->insn.mnemonic == ZYDIS_MNEMONIC_ADD
			     ? from->imm.value.s
			     : -from->imm.value.s;
		return PART_MOVES;
	case ZYDIS_MNEMONIC_MOV:
		return is_of(d, 0, ZYDIS_REGISTER_RBP) &&
			       is_of(d, 1, ZYDIS_REGISTER_RSP)
			   ? PART_SETS
			   : PART_OTHER;
	case ZYDIS_MNEMONIC_LEA:
		return is_of(d, 0, ZYDIS_REGISTER_RBP) &&
			       from->mem.base == ZYDIS_REGISTER_RSP
			   ? PART_SETS
			   : PART_OTHER;
	case ZYDIS_MNEMONIC_RET:
		return PART_RETURNS;
	default:
		return PART_OTHER;
	}
}

static bool decode_at(struct target *t, uint64_t addr, struct decoded *ret)
{
	uint8_t bytes[ARCH_INSN_MAX];
	size_t n = target_read_some(t, addr, bytes, sizeof(bytes));

	return decode(bytes, n, ret);
}

// Is only the function's epilog between @pc and its return? Then tells how far
// above the stack pointer the return address is.
static bool in_epilog(struct target *t, uint64_t pc, struct insn_frame *ret)
{
	struct decoded d;
	int64_t sum = 0, n;

	for (int i = 0; i < FRAME_INSNS && decode_at(t, pc, &d); i++) {
		switch (frame_part(&d, &n)) {
		case PART_RETURNS:
			ret->framed = false;
			ret->ret = (uint32_t)sum;
			return true;
		case PART_MOVES:
			if (n < 0)
				return false;
			break;
		default:
			return false;
		}
		sum += n;
		pc += d.insn.length;
	}
	return false;
}

void insn_frame_at(struct target *t, uint64_t start, uint64_t pc,
		   struct insn_frame *ret)
{
	struct decoded d;
	int64_t sum = 0, n;
	bool prolog = true;

	*ret = (struct insn_frame){0};
	for (int i = 0; i < FRAME_INSNS && prolog && start < pc; i++) {
		enum frame_part part =
		    decode_at(t, start, &d) ? frame_part(&d, &n) : PART_OTHER;

		ret->framed = part == PART_SETS;
		prolog = part == PART_MOVES && n <= 0;
		if (prolog) {
			sum -= n;
			start += d.insn.length;
		}
	}
	if (!in_epilog(t, pc, ret))
		ret->ret = (uint32_t)sum;
}

bool insn_is_behind_call(struct target *t, uint64_t addr)
{
	uint8_t bytes[CALL_MAX];
	struct decoded d;

	if (target_read_some(t, addr - CALL_MAX, bytes, CALL_MAX) != CALL_MAX)
		return false;
	for (size_t n = 2; n <= CALL_MAX; n++)
		if (decode(bytes + CALL_MAX - n, n, &d) && d.insn.length == n &&
		    kind_of(&d) == INSN_CALL)
			return true;
	return false;
}

bool insn_traps(const uint8_t *code)
{
	// cd 03 is a long form of int3.
	return code[1] == ARCH_TRAP || (code[0] == 0xcd && code[1] == 3);
}

bool insn_at(struct target *t, uint64_t addr, struct insn *ret)
{
	uint8_t bytes[ARCH_INSN_MAX];
	size_t n = target_read_some(t, addr, bytes, sizeof(bytes));

	return insn_decode(bytes, n, addr, ret);
}

// Registers as Zydis counts them, by machine number.
static void fill_context(const struct regs *regs, ZydisRegisterContext *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (unsigned int i = 0; i < ARCH_GENERAL; i++)
		ret->values[ZYDIS_REGISTER_RAX + i] = regs_get(regs, i);
	ret->values[ZYDIS_REGISTER_RIP] = regs_pc(regs);
}

static uint64_t segment_base(const struct regs *regs, ZydisRegister segment)
{
	return segment == ZYDIS_REGISTER_FS   ? regs->fs_base
	       : segment == ZYDIS_REGISTER_GS ? regs->gs_base
					      : 0;
}

size_t insn_accesses(const uint8_t *bytes, size_t n, const struct regs *regs,
		     struct insn_access ret[INSN_ACCESSES])
{
	ZydisRegisterContext context;
	struct decoded d;
	size_t count = 0;

	if (!decode(bytes, n, &d))
		return 0;
	fill_context(regs, &context);
	for (int i = 0; i < d.insn.operand_count && count < INSN_ACCESSES;
	     i++) {
		const ZydisDecodedOperand *op = &d.operands[i];
		uint64_t at;

		if (op->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    op->mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
		    !ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(
			&d.insn, op, regs_pc(regs), &context, &at)))
			continue;
		ret[count++] = (struct insn_access){
		    .addr = at + segment_base(regs, op->mem.segment),
		    .size = op->size / 8,
		    .write = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
		};
	}
	return count;
}

// As gdb's "set disassembly-flavor intel", with sizes.
static void init_formatter(ZydisFormatter *ret)
{
	static const struct {
		ZydisFormatterProperty property;
		ZyanUPointer value;
	} properties[] = {
	    {ZYDIS_FORMATTER_PROP_FORCE_SIZE, ZYAN_TRUE},
	    {ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE},
	    {ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE},
	    {ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
	     (ZyanUPointer)ZYDIS_PADDING_DISABLED},
	    {ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE,
	     (ZyanUPointer)ZYDIS_PADDING_DISABLED},
	    {ZYDIS_FORMATTER_PROP_DISP_PADDING,
	     (ZyanUPointer)ZYDIS_PADDING_DISABLED},
	    {ZYDIS_FORMATTER_PROP_IMM_PADDING,
	     (ZyanUPointer)ZYDIS_PADDING_DISABLED},
	};

	ZydisFormatterInit(ret, ZYDIS_FORMATTER_STYLE_INTEL);
	for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++)
		ZydisFormatterSetProperty(ret, properties[i].property,
					  properties[i].value);
}

void insn_text(const uint8_t *bytes, size_t n, uint64_t addr, char *buf,
	       size_t size)
{
	struct decoded d;
	ZydisFormatter formatter;

	*buf = 0;
	if (!decode(bytes, n, &d))
		return;
	init_formatter(&formatter);
	ZydisFormatterFormatInstruction(&formatter, &d.insn, d.operands,
					d.insn.operand_count_visible, buf, size,
					addr, NULL);
}
