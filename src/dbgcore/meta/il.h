/* IL instructions: decoding (ECMA-335 III) and their text. */
#ifndef META_IL_H
#define META_IL_H

#include "base/reader.h"
#include "base/str.h"
#include "dbg.h"

struct md;

enum il_operand {
	IL_NONE,
	IL_I1,
	IL_U1,
	IL_I4,
	IL_I8,
	IL_R4,
	IL_R8,
	IL_BR1,
	IL_BR4,
	IL_TOKEN,
	IL_SWITCH,
	IL_VAR1,
	IL_VAR2,
};

/* Opcodes by name: IL_OP_LDARG_0. Two-byte ones are 0xfe00 + the second. */
enum il_code {
#define IL_OPCODE(id, code, name, operand, pops, pushes) IL_OP_##id = code,
#include "meta/il_opcodes.h"
};

struct il_op {
	const char *name; /* "callvirt" */
	uint16_t code;    /* 0xfe.. for two-byte ones */
	enum il_operand operand;
	int8_t pops, pushes; /* -1: depends on the operand */
};

struct il_insn {
	uint32_t offset, size;
	const struct il_op *op; /* NULL: not an opcode, size 1 or 2 */
	int64_t value;          /* constant, variable, branch target, token */
	double real;            /* IL_R4, IL_R8 */
	uint32_t n_cases;       /* IL_SWITCH */
	const uint8_t *cases;   /* n_cases int32, relative to the end */
};

/*
 * Decode one instruction at @offset; false at the end or if truncated. Branch
 * targets are offsets in @code, not checked against its size.
 */
bool il_decode(struct bytes code, uint32_t offset, struct il_insn *ret);
/*
 * Append the instruction without its label, "callvirt int Foo.Bar(string)",
 * members by their metadata names. @method_token names generic parameters;
 * @md NULL: tokens stay numbers.
 */
void il_text(const struct md *md, uint32_t method_token,
	     const struct il_insn *insn, struct str *out);

#endif
