/*
 * Call frame information (DWARF 5, 6.4): the program of an FDE run to the row
 * for a pc, the row's rules and expressions applied to registers. Only the
 * registers that a caller needs are followed.
 */
#include "target/elf/cfa.h"

#include <string.h>

#include "target/target.h"

enum {
	SAVED_MAX = 8,
	STACK_MAX = 32,
	STEPS_MAX = 1 << 12,
};

// DW_CFA_*
enum {
	OP_ADVANCE = 0x40, /* upper two bits; the rest is the operand */
	OP_OFFSET = 0x80,
	OP_RESTORE = 0xc0,
	OP_NOP = 0x00,
	OP_ADVANCE1 = 0x02,
	OP_ADVANCE2 = 0x03,
	OP_ADVANCE4 = 0x04,
	OP_OFFSET_EXT = 0x05,
	OP_RESTORE_EXT = 0x06,
	OP_UNDEFINED = 0x07,
	OP_SAME = 0x08,
	OP_REGISTER = 0x09,
	OP_REMEMBER = 0x0a,
	OP_RECALL = 0x0b,
	OP_DEF_CFA = 0x0c,
	OP_DEF_CFA_REGISTER = 0x0d,
	OP_DEF_CFA_OFFSET = 0x0e,
	OP_DEF_CFA_EXPR = 0x0f,
	OP_EXPR = 0x10,
	OP_OFFSET_EXT_SF = 0x11,
	OP_DEF_CFA_SF = 0x12,
	OP_DEF_CFA_OFFSET_SF = 0x13,
	OP_VAL_OFFSET = 0x14,
	OP_VAL_OFFSET_SF = 0x15,
	OP_VAL_EXPR = 0x16,
	OP_ARGS_SIZE = 0x2e,
};

/* ---- Instructions ---------------------------------------------------- */

struct run {
	const struct cfa_code *code;
	const struct cfa_row *initial;
	struct reader r;
	uint64_t at;
	struct cfa_row row;
	struct cfa_row saved[SAVED_MAX];
	size_t n_saved;
	bool bad;
};

static void set_rule(struct run *x, uint64_t reg, enum cfa_kind kind,
		     int64_t offset)
{
	// Vector and other registers do not matter here.
	if (reg < CFA_REGS)
		x->row.rules[reg] =
		    (struct cfa_rule){.kind = kind, .offset = offset};
}

static int64_t scaled(const struct run *x, uint64_t n)
{
	return (int64_t)(n * (uint64_t)x->code->data_align);
}

static void set_expr(struct run *x, enum cfa_kind kind)
{
	uint64_t reg = reader_uleb(&x->r);
	struct bytes expr = reader_bytes(&x->r, reader_uleb(&x->r));

	if (reg < CFA_REGS)
		x->row.rules[reg] =
		    (struct cfa_rule){.kind = kind, .expr = expr};
}

static void restore(struct run *x, uint64_t reg)
{
	if (reg >= CFA_REGS)
		return;
	if (x->initial)
		x->row.rules[reg] = x->initial->rules[reg];
	else
		set_rule(x, reg, CFA_SAME, 0);
}

static void remember(struct run *x)
{
	if (x->n_saved == SAVED_MAX)
		x->bad = true;
	else
		x->saved[x->n_saved++] = x->row;
}

static void recall(struct run *x)
{
	if (!x->n_saved)
		x->bad = true;
	else
		x->row = x->saved[--x->n_saved];
}

static void define(struct run *x, uint64_t reg, int64_t offset)
{
	x->row.cfa = (struct cfa_rule){
	    .kind = CFA_VAL_OFFSET,
	    .offset = offset,
	};
	x->row.cfa_register = reg;
	x->bad |= reg >= CFA_REGS;
}

static void define_expr(struct run *x)
{
	struct bytes expr = reader_bytes(&x->r, reader_uleb(&x->r));

	x->row.cfa = (struct cfa_rule){.kind = CFA_VAL_EXPR, .expr = expr};
}

static void advance(struct run *x, uint64_t n)
{
	x->at += n * x->code->code_align;
}

// The instructions that set the place or the CFA; false if @op is none.
static bool run_place(struct run *x, uint8_t op)
{
	struct reader *r = &x->r;
	uint64_t reg;

	switch (op) {
	case OP_NOP:
		return true;
	case OP_ADVANCE1:
		advance(x, reader_u8(r));
		return true;
	case OP_ADVANCE2:
		advance(x, reader_u16(r));
		return true;
	case OP_ADVANCE4:
		advance(x, reader_u32(r));
		return true;
	case OP_DEF_CFA:
		reg = reader_uleb(r);
		define(x, reg, (int64_t)reader_uleb(r));
		return true;
	case OP_DEF_CFA_SF:
		reg = reader_uleb(r);
		define(x, reg, scaled(x, (uint64_t)reader_sleb(r)));
		return true;
	case OP_DEF_CFA_REGISTER:
		define(x, reader_uleb(r), x->row.cfa.offset);
		return true;
	case OP_DEF_CFA_OFFSET:
		define(x, x->row.cfa_register, (int64_t)reader_uleb(r));
		return true;
	case OP_DEF_CFA_OFFSET_SF:
		define(x, x->row.cfa_register,
		       scaled(x, (uint64_t)reader_sleb(r)));
		return true;
	case OP_DEF_CFA_EXPR:
		define_expr(x);
		return true;
	case OP_ARGS_SIZE:
		reader_uleb(r);
		return true;
	}
	return false;
}

// The instructions that say where a register is.
static void run_rule(struct run *x, uint8_t op)
{
	struct reader *r = &x->r;

	if (op == OP_REMEMBER || op == OP_RECALL) {
		op == OP_REMEMBER ? remember(x) : recall(x);
		return;
	}
	if (op == OP_EXPR || op == OP_VAL_EXPR) {
		set_expr(x, op == OP_EXPR ? CFA_EXPR : CFA_VAL_EXPR);
		return;
	}
	uint64_t reg = reader_uleb(r);
	switch (op) {
	case OP_OFFSET_EXT:
		set_rule(x, reg, CFA_OFFSET, scaled(x, reader_uleb(r)));
		break;
	case OP_OFFSET_EXT_SF:
		set_rule(x, reg, CFA_OFFSET,
			 scaled(x, (uint64_t)reader_sleb(r)));
		break;
	case OP_VAL_OFFSET:
		set_rule(x, reg, CFA_VAL_OFFSET, scaled(x, reader_uleb(r)));
		break;
	case OP_VAL_OFFSET_SF:
		set_rule(x, reg, CFA_VAL_OFFSET,
			 scaled(x, (uint64_t)reader_sleb(r)));
		break;
	case OP_RESTORE_EXT:
		restore(x, reg);
		break;
	case OP_UNDEFINED:
		set_rule(x, reg, CFA_UNDEFINED, 0);
		break;
	case OP_SAME:
		set_rule(x, reg, CFA_SAME, 0);
		break;
	case OP_REGISTER:
		set_rule(x, reg, CFA_REGISTER, (int64_t)reader_uleb(r));
		break;
	default:
		x->bad = true;
	}
}

static void run_one(struct run *x)
{
	uint8_t op = reader_u8(&x->r);
	uint8_t low = op & 0x3f;

	switch (op & 0xc0) {
	case OP_ADVANCE:
		advance(x, low);
		break;
	case OP_OFFSET:
		set_rule(x, low, CFA_OFFSET, scaled(x, reader_uleb(&x->r)));
		break;
	case OP_RESTORE:
		restore(x, low);
		break;
	default:
		if (!run_place(x, op))
			run_rule(x, op);
	}
}

bool cfa_run(const struct cfa_code *code, struct bytes program, uint64_t start,
	     uint64_t pc, const struct cfa_row *initial, struct cfa_row *ret)
{
	struct run x = {.code = code, .initial = initial, .at = start};

	if (initial)
		x.row = *initial;
	reader_init(&x.r, program.p, program.n);
	while (reader_left(&x.r) && !x.r.bad && !x.bad) {
		struct cfa_row before = x.row;
		run_one(&x);
		// This row begins behind pc: the one before it holds.
		if (x.at > pc) {
			*ret = before;
			return true;
		}
	}
	*ret = x.row;
	return !x.r.bad && !x.bad;
}

/* ---- Expressions ----------------------------------------------------- */

struct stack {
	uint64_t words[STACK_MAX];
	size_t n;
	bool bad;
};

static void push(struct stack *s, uint64_t word)
{
	if (s->n == STACK_MAX)
		s->bad = true;
	else
		s->words[s->n++] = word;
}

static uint64_t pop(struct stack *s)
{
	if (!s->n) {
		s->bad = true;
		return 0;
	}
	return s->words[--s->n];
}

static bool read_word(struct target *t, uint64_t addr, uint64_t *ret)
{
	return target_read_some(t, addr, ret, sizeof(*ret)) == sizeof(*ret);
}

static void binary(struct stack *s, uint8_t op)
{
	uint64_t b = pop(s), a = pop(s);

	switch (op) {
	case 0x1a: // and
		push(s, a & b);
		break;
	case 0x1c: // minus
		push(s, a - b);
		break;
	case 0x21: // or
		push(s, a | b);
		break;
	case 0x22: // plus
		push(s, a + b);
		break;
	case 0x24: // shl
		push(s, b < 64 ? a << b : 0);
		break;
	case 0x25: // shr
		push(s, b < 64 ? a >> b : 0);
		break;
	case 0x2a: // ge
		push(s, (int64_t)a >= (int64_t)b);
		break;
	default:
		s->bad = true;
	}
}

// Constants; false if @op is none.
static bool constant(struct stack *s, struct reader *r, uint8_t op)
{
	switch (op) {
	case 0x08:
		push(s, reader_u8(r));
		return true;
	case 0x09:
		push(s, (uint64_t)(int8_t)reader_u8(r));
		return true;
	case 0x0a:
		push(s, reader_u16(r));
		return true;
	case 0x0b:
		push(s, (uint64_t)(int16_t)reader_u16(r));
		return true;
	case 0x0c:
		push(s, reader_u32(r));
		return true;
	case 0x0d:
		push(s, (uint64_t)(int32_t)reader_u32(r));
		return true;
	case 0x10:
		push(s, reader_uleb(r));
		return true;
	case 0x11:
		push(s, (uint64_t)reader_sleb(r));
		return true;
	}
	if (op < 0x30 || op > 0x4f)
		return false;
	push(s, op - 0x30u); // DW_OP_lit0 and following
	return true;
}

static void operate(struct target *t, struct stack *s, struct reader *r,
		    const uint64_t regs[CFA_REGS])
{
	uint64_t word;
	uint8_t op = reader_u8(r);

	if (constant(s, r, op))
		return;
	if (op >= 0x70 && op < 0x70 + CFA_REGS) { // DW_OP_breg0 ...
		push(s, regs[op - 0x70] + (uint64_t)reader_sleb(r));
	} else if (op == 0x06) { // deref
		if (!read_word(t, pop(s), &word))
			s->bad = true;
		else
			push(s, word);
	} else if (op == 0x12) { // dup
		word = pop(s);
		push(s, word);
		push(s, word);
	} else if (op == 0x23) { // plus_uconst
		push(s, pop(s) + reader_uleb(r));
	} else {
		binary(s, op);
	}
}

static bool evaluate(struct target *t, struct bytes expr,
		     const uint64_t regs[CFA_REGS], const uint64_t *first,
		     uint64_t *ret)
{
	struct stack s = {.n = 0};
	struct reader r;

	if (first)
		push(&s, *first);
	reader_init(&r, expr.p, expr.n);
	for (int i = 0; reader_left(&r) && i < STEPS_MAX; i++) {
		operate(t, &s, &r, regs);
		if (s.bad || r.bad)
			return false;
	}
	*ret = pop(&s);
	return !s.bad;
}

/* ---- Rows ------------------------------------------------------------ */

static bool apply_rule(struct target *t, const struct cfa_rule *rule,
		       const uint64_t old[CFA_REGS], uint64_t cfa,
		       uint64_t *reg)
{
	uint64_t addr;

	switch (rule->kind) {
	case CFA_SAME:
		return true;
	case CFA_OFFSET:
		return read_word(t, cfa + (uint64_t)rule->offset, reg);
	case CFA_VAL_OFFSET:
		*reg = cfa + (uint64_t)rule->offset;
		return true;
	case CFA_REGISTER:
		if ((uint64_t)rule->offset >= CFA_REGS)
			return false;
		*reg = old[rule->offset];
		return true;
	case CFA_EXPR:
		return evaluate(t, rule->expr, old, &cfa, &addr) &&
		       read_word(t, addr, reg);
	case CFA_VAL_EXPR:
		return evaluate(t, rule->expr, old, &cfa, reg);
	case CFA_UNDEFINED:
		*reg = 0;
		return true;
	}
	return false;
}

bool cfa_apply(struct target *t, const struct cfa_row *row,
	       uint64_t regs[CFA_REGS])
{
	uint64_t old[CFA_REGS], cfa;

	memcpy(old, regs, sizeof(old));
	if (row->cfa.kind == CFA_VAL_EXPR) {
		if (!evaluate(t, row->cfa.expr, old, NULL, &cfa))
			return false;
	} else if (row->cfa.kind == CFA_VAL_OFFSET) {
		cfa = old[row->cfa_register] + (uint64_t)row->cfa.offset;
	} else {
		return false;
	}
	regs[CFA_SP] = cfa;
	for (size_t i = 0; i < CFA_REGS; i++)
		if (!apply_rule(t, &row->rules[i], old, cfa, &regs[i]))
			return false;
	return true;
}
