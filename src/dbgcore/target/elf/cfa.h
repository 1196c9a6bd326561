/* Call frame instructions (DWARF 5, 6.4). */
#ifndef TARGET_CFA_H
#define TARGET_CFA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reader.h"
#include "target/arch.h"

struct target;

enum {
	CFA_SP = ARCH_DWARF_SP,
	CFA_PC = ARCH_DWARF_PC,
	CFA_REGS = ARCH_DWARF_REGS,
};

enum cfa_kind {
	CFA_SAME,
	CFA_OFFSET,     /* saved at CFA + offset */
	CFA_VAL_OFFSET, /* is CFA + offset */
	CFA_REGISTER,   /* is in another register */
	CFA_EXPR,       /* saved where the expression says */
	CFA_VAL_EXPR,   /* is what the expression says */
	CFA_UNDEFINED,
};

struct cfa_rule {
	enum cfa_kind kind;
	int64_t offset; /* or register */
	struct bytes expr;
};

/* Fields of a CIE, and the row of rules that its instructions leave. */
struct cfa_code {
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding; /* of addresses */
};

struct cfa_row {
	struct cfa_rule cfa; /* VAL_OFFSET of register, or VAL_EXPR */
	uint64_t cfa_register;
	struct cfa_rule rules[CFA_REGS];
};

/*
 * Run @program from @start to the row that holds for @pc. @initial is what
 * the CIE's instructions left, NULL while running these. False: malformed.
 */
bool cfa_run(const struct cfa_code *code, struct bytes program, uint64_t start,
	     uint64_t pc, const struct cfa_row *initial, struct cfa_row *ret);

/* Apply a row to the registers (DWARF numbers); false: unreadable. */
bool cfa_apply(struct target *t, const struct cfa_row *row,
	       uint64_t regs[CFA_REGS]);

#endif
