/*
 * IL instructions decoded: a table of opcodes (ECMA-335 III) with their names
 * and the kind of their operand.
 */
#include "meta/il.h"

#include <string.h>

// One-byte opcodes by their code, then those behind 0xfe.
enum {
	TWO_BYTE = 0x100,
	N_OPS = 0x120
};

#define SLOT(code) ((code) > 0xff ? TWO_BYTE + ((code)&0xff) : (code))

static const struct il_op ops[N_OPS] = {
#define IL_OPCODE(id, code, name, operand, pops, pushes)                       \
	[SLOT(code)] = {name, code, IL_##operand, pops, pushes},
#include "meta/il_opcodes.h"
};

static const struct il_op *find_op(struct reader *r)
{
	unsigned int slot = reader_u8(r);

	if (slot == 0xfe)
		slot = TWO_BYTE + reader_u8(r);
	return slot < N_OPS && ops[slot].name ? &ops[slot] : NULL;
}

static void read_switch(struct reader *r, struct il_insn *insn)
{
	uint32_t n = reader_u32(r);

	if (n > reader_left(r) / 4) {
		r->bad = true;
		return;
	}
	insn->n_cases = n;
	insn->cases = reader_bytes(r, (size_t)n * 4).p;
}

static void read_operand(struct reader *r, struct il_insn *insn)
{
	uint32_t single;
	uint64_t wide;
	float f;

	switch (insn->op->operand) {
	case IL_NONE:
		break;
	case IL_I1:
	case IL_BR1:
		insn->value = (int8_t)reader_u8(r);
		break;
	case IL_U1:
	case IL_VAR1:
		insn->value = reader_u8(r);
		break;
	case IL_VAR2:
		insn->value = reader_u16(r);
		break;
	case IL_I4:
	case IL_BR4:
		insn->value = (int32_t)reader_u32(r);
		break;
	case IL_TOKEN:
		insn->value = reader_u32(r);
		break;
	case IL_I8:
		insn->value = (int64_t)reader_u64(r);
		break;
	case IL_R4:
		single = reader_u32(r);
		memcpy(&f, &single, sizeof(f));
		insn->real = f;
		break;
	case IL_R8:
		wide = reader_u64(r);
		memcpy(&insn->real, &wide, sizeof(wide));
		break;
	case IL_SWITCH:
		read_switch(r, insn);
		break;
	}
}

bool il_decode(struct bytes code, uint32_t offset, struct il_insn *ret)
{
	struct bytes rest =
	    bytes_slice(code, offset, offset <= code.n ? code.n - offset : 0);
	struct il_insn insn = {.offset = offset};
	struct reader r;

	reader_init(&r, rest.p, rest.n);
	if (!rest.n)
		return false;
	insn.op = find_op(&r);
	if (insn.op)
		read_operand(&r, &insn);
	if (r.bad)
		return false;
	insn.size = (uint32_t)(r.p - rest.p);
	// Branches count from the end of the instruction.
	if (insn.op &&
	    (insn.op->operand == IL_BR1 || insn.op->operand == IL_BR4))
		insn.value += (int64_t)offset + insn.size;
	*ret = insn;
	return true;
}
