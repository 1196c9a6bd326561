/* A decoded instruction of x86-64 that emulate.c can execute. */
#ifndef TARGET_X86_EMUINSN_H
#define TARGET_X86_EMUINSN_H

#include <stdint.h>

enum emu_op {
	EMU_REFUSED = 0,
	EMU_NOP,
	EMU_PUSH,
	EMU_POP,
	EMU_LEAVE,
	EMU_MOV,
	EMU_MOVZX,
	EMU_MOVSX,
	EMU_LEA,
	EMU_ALU, /* arg is enum emu_alu */
	EMU_JMP,
	EMU_JCC, /* arg is the condition */
	EMU_CALL,
	EMU_RET,
};

/* The first eight are the /r numbers of opcodes 81 and 83. */
enum emu_alu {
	EMU_ADD = 0,
	EMU_OR = 1,
	EMU_AND = 4,
	EMU_SUB = 5,
	EMU_XOR = 6,
	EMU_CMP = 7,
	EMU_TEST = 8,
	EMU_INC = 9,
	EMU_DEC = 10,
};

enum emu_place {
	EMU_NOWHERE = 0,
	EMU_REG,
	EMU_MEM,
	EMU_IMM,
};

enum emu_base {
	EMU_RSP = 4,
	EMU_RBP = 5,
	EMU_RIP = 16,
	EMU_NO_REG = 17,
};

struct emu_operand {
	uint8_t place; /* enum emu_place */
	uint8_t reg;   /* EMU_REG: number in the machine's order */
};

struct emu_insn {
	uint8_t op; /* enum emu_op */
	uint8_t arg;
	uint8_t len;
	uint8_t size;               /* of the operation: 1, 4 or 8 */
	uint8_t src_size;           /* MOVZX, MOVSX: 1, 2 or 4 */
	uint8_t base, index, scale; /* memory operand; scale is a shift */
	struct emu_operand dst, src;
	int32_t disp;
	uint64_t imm; /* sign-extended; a relative target's distance */
};

#endif
