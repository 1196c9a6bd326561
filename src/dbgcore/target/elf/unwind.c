/*
 * Unwinding by .eh_frame: the FDE of a pc by the binary search table of
 * .eh_frame_hdr, its CIE, and one step to the caller. Read from the target's
 * memory, so no file is needed.
 */
#include "target/unwind.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "target/elf/cfa.h"
#include "target/target.h"
#include "target/target_priv.h"

/* ---- Call frame instructions ----------------------------------------- */

/*
 * Call frame information (DWARF 5, 6.4): the program of an FDE run to the row
 * for a pc, the row's rules and expressions applied to registers. Only the
 * registers that a caller needs are followed.
 */

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

static void row_recall(struct run *x)
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

// Run an instruction that sets the place or the CFA; false if @op is none.
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

// Run an instruction that says where a register is.
static void run_rule(struct run *x, uint8_t op)
{
	struct reader *r = &x->r;

	if (op == OP_REMEMBER || op == OP_RECALL) {
		op == OP_REMEMBER ? remember(x) : row_recall(x);
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

static void expr_push(struct stack *s, uint64_t word)
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
		expr_push(s, a & b);
		break;
	case 0x1c: // minus
		expr_push(s, a - b);
		break;
	case 0x21: // or
		expr_push(s, a | b);
		break;
	case 0x22: // plus
		expr_push(s, a + b);
		break;
	case 0x24: // shl
		expr_push(s, b < 64 ? a << b : 0);
		break;
	case 0x25: // shr
		expr_push(s, b < 64 ? a >> b : 0);
		break;
	case 0x2a: // ge
		expr_push(s, (int64_t)a >= (int64_t)b);
		break;
	default:
		s->bad = true;
	}
}

// Push a constant; false if @op is none.
static bool constant(struct stack *s, struct reader *r, uint8_t op)
{
	switch (op) {
	case 0x08:
		expr_push(s, reader_u8(r));
		return true;
	case 0x09:
		expr_push(s, (uint64_t)(int8_t)reader_u8(r));
		return true;
	case 0x0a:
		expr_push(s, reader_u16(r));
		return true;
	case 0x0b:
		expr_push(s, (uint64_t)(int16_t)reader_u16(r));
		return true;
	case 0x0c:
		expr_push(s, reader_u32(r));
		return true;
	case 0x0d:
		expr_push(s, (uint64_t)(int32_t)reader_u32(r));
		return true;
	case 0x10:
		expr_push(s, reader_uleb(r));
		return true;
	case 0x11:
		expr_push(s, (uint64_t)reader_sleb(r));
		return true;
	}
	if (op < 0x30 || op > 0x4f)
		return false;
	expr_push(s, op - 0x30u); // DW_OP_lit0 and following
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
		expr_push(s, regs[op - 0x70] + (uint64_t)reader_sleb(r));
	} else if (op == 0x06) { // deref
		if (!read_word(t, pop(s), &word))
			s->bad = true;
		else
			expr_push(s, word);
	} else if (op == 0x12) { // dup
		word = pop(s);
		expr_push(s, word);
		expr_push(s, word);
	} else if (op == 0x23) { // plus_uconst
		expr_push(s, pop(s) + reader_uleb(r));
	} else {
		binary(s, op);
	}
}

static bool expr_evaluate_cfa(struct target *t, struct bytes expr,
			      const uint64_t regs[CFA_REGS],
			      const uint64_t *first, uint64_t *ret)
{
	struct stack s = {.n = 0};
	struct reader r;

	if (first)
		expr_push(&s, *first);
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
		return expr_evaluate_cfa(t, rule->expr, old, &cfa, &addr) &&
		       read_word(t, addr, reg);
	case CFA_VAL_EXPR:
		return expr_evaluate_cfa(t, rule->expr, old, &cfa, reg);
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
		if (!expr_evaluate_cfa(t, row->cfa.expr, old, NULL, &cfa))
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

/* ---- Unwinding ------------------------------------------------------- */

enum {
	ENTRY_MAX = 4096, /* bytes of a CIE or FDE that are believed */
	TABLE_MAX = 1 << 22,
	TABLE_ENCODING = 0x3b, /* relative to the table, 32 bits signed */
	FRAME_ENCODING = 0x1b, /* relative to itself, 32 bits signed */
	COUNT_ENCODING = 0x03,
};

/* ---- Finding the FDE ------------------------------------------------- */

static bool read_all(struct target *t, uint64_t addr, void *buf, size_t n)
{
	return target_read_some(t, addr, buf, n) == n;
}

// Address of the FDE whose function begins at or before @pc; 0: none.
static uint64_t fde_find(struct target *t, uint64_t header, uint64_t pc)
{
	struct {
		uint8_t version, frame_encoding, count_encoding;
		uint8_t table_encoding;
		int32_t frame;
		uint32_t count;
	} h;
	int32_t entry[2] = {0};

	if (!read_all(t, header, &h, sizeof(h)) || h.version != 1 ||
	    h.frame_encoding != FRAME_ENCODING ||
	    h.count_encoding != COUNT_ENCODING ||
	    h.table_encoding != TABLE_ENCODING || h.count > TABLE_MAX)
		return 0;
	uint64_t table = header + sizeof(h);
	uint32_t low = 0, high = h.count;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (!read_all(t, table + 8 * (uint64_t)mid, entry, 8))
			return 0;
		if (header + (uint64_t)(int64_t)entry[0] <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || !read_all(t, table + 8 * (uint64_t)(low - 1), entry, 8))
		return 0;
	return header + (uint64_t)(int64_t)entry[1];
}

/* ---- Reading it ------------------------------------------------------ */

// A CIE or FDE and where it lies.
struct entry {
	uint64_t addr;
	uint8_t data[ENTRY_MAX];
	struct reader r;
};

static bool entry_read(struct target *t, uint64_t addr, struct entry *ret)
{
	uint32_t n;

	if (!read_all(t, addr, &n, sizeof(n)) || n < 4 || n > ENTRY_MAX ||
	    !read_all(t, addr + 4, ret->data, n))
		return false;
	ret->addr = addr + 4;
	reader_init(&ret->r, ret->data, n);
	return true;
}

static uint64_t here(const struct entry *e)
{
	return e->addr + (uint64_t)(e->r.p - e->data);
}

// Read a number encoded as DW_EH_PE_* says; of relative ones only pc-relative.
static uint64_t encoded(struct entry *e, uint8_t encoding)
{
	uint64_t base = (encoding & 0x70) == 0x10 ? here(e) : 0;

	switch (encoding & 0x0f) {
	case 0x01:
		return base + reader_uleb(&e->r);
	case 0x02:
		return base + reader_u16(&e->r);
	case 0x03:
		return base + reader_u32(&e->r);
	case 0x00:
	case 0x04:
	case 0x0c:
		return base + reader_u64(&e->r);
	case 0x09:
		return base + (uint64_t)reader_sleb(&e->r);
	case 0x0a:
		return base + (uint64_t)(int16_t)reader_u16(&e->r);
	case 0x0b:
		return base + (uint64_t)(int32_t)reader_u32(&e->r);
	}
	e->r.bad = true;
	return 0;
}

struct cie {
	struct cfa_code code;
	struct cfa_row initial;
	bool is_signal, has_data;
};

// Read the operands that the letters of the augmentation announce.
static void augmentation_read(struct entry *e, const char *letters,
			      struct cie *ret)
{
	for (; *letters && !e->r.bad; letters++) {
		switch (*letters) {
		case 'z':
			reader_uleb(&e->r);
			ret->has_data = true;
			break;
		case 'R':
			ret->code.encoding = reader_u8(&e->r);
			break;
		case 'P':
			encoded(e, reader_u8(&e->r));
			break;
		case 'L':
			reader_u8(&e->r);
			break;
		case 'S':
			ret->is_signal = true;
			break;
		default:
			e->r.bad = true;
		}
	}
}

static bool cie_read(struct target *t, uint64_t addr, struct entry *e,
		     struct cie *ret)
{
	char letters[8] = "";

	memset(ret, 0, sizeof(*ret));
	if (!entry_read(t, addr, e) || reader_u32(&e->r) != 0)
		return false;
	uint8_t version = reader_u8(&e->r);
	for (size_t i = 0; i < sizeof(letters); i++) {
		letters[i] = (char)reader_u8(&e->r);
		if (!letters[i])
			break;
	}
	if ((version != 1 && version != 3) || letters[sizeof(letters) - 1])
		return false;
	ret->code.code_align = reader_uleb(&e->r);
	ret->code.data_align = reader_sleb(&e->r);
	uint64_t ra = version == 1 ? reader_u8(&e->r) : reader_uleb(&e->r);
	augmentation_read(e, letters, ret);
	struct bytes program = reader_bytes(&e->r, reader_left(&e->r));
	return !e->r.bad && ra == CFA_PC &&
	       cfa_run(&ret->code, program, 0, UINT64_MAX, NULL, &ret->initial);
}

// Find the row for @pc by the FDE at @addr. The expressions of the row point
// into the two entries.
static bool row_find(struct target *t, uint64_t addr, uint64_t pc,
		     struct entry entries[2], struct cie *ret_cie,
		     struct cfa_row *ret, uint64_t *ret_start)
{
	struct entry *e = &entries[0];

	if (!entry_read(t, addr, e))
		return false;
	uint64_t at = here(e);
	uint32_t back = reader_u32(&e->r);
	if (!back || !cie_read(t, at - back, &entries[1], ret_cie))
		return false;
	uint64_t start = encoded(e, ret_cie->code.encoding);
	uint64_t size = encoded(e, ret_cie->code.encoding & 0x0f);
	if (ret_cie->has_data)
		reader_skip(&e->r, reader_uleb(&e->r));
	struct bytes program = reader_bytes(&e->r, reader_left(&e->r));
	*ret_start = start;
	return !e->r.bad && pc - start < size &&
	       cfa_run(&ret_cie->code, program, start, pc, &ret_cie->initial,
		       ret);
}

/* ---- Stepping -------------------------------------------------------- */

static void to_dwarf(const struct regs *r, uint64_t ret[CFA_REGS])
{
	for (unsigned int i = 0; i < ARCH_GENERAL; i++)
		ret[arch_dwarf[i]] = regs_get(r, i);
	ret[CFA_PC] = regs_pc(r);
}

static void from_dwarf(const uint64_t regs[CFA_REGS], struct regs *ret)
{
	for (unsigned int i = 0; i < ARCH_GENERAL; i++)
		regs_set(ret, i, regs[arch_dwarf[i]]);
	regs_set_pc(ret, regs[CFA_PC]);
}

// Leave an entry of a procedure linkage table, which some linkers leave without
// unwind information: it jumps through a pointer near it, and nothing is pushed
// yet.
static bool leave_linkage(struct target *t, struct regs *regs)
{
	struct dbg_error *err;
	struct insn insn;
	uint64_t addr;

	if (!insn_at(t, regs_pc(regs), &insn) ||
	    (insn.kind == INSN_NOP &&
	     !insn_at(t, regs_pc(regs) + insn.size, &insn)))
		return false;
	if (insn.kind != INSN_JUMP || !insn.cell)
		return false;
	err = regs_return_address(regs, t, &addr);
	if (dbg_err_drop(err) || !addr)
		return false;
	regs_return(regs, addr);
	return true;
}

unsigned int unwind_saved(unsigned int number)
{
	if (number == ARCH_FP)
		return SAVED_REG_FP;
	if (number == ARCH_PC)
		return SAVED_REG_PC;
	for (unsigned int i = 0; i < ARCH_SAVED; i++)
		if (arch_saved[i] == number)
			return i;
	return N_SAVED_REGS;
}

static unsigned int column_of(size_t saved)
{
	if (saved == SAVED_REG_PC)
		return CFA_PC;
	return arch_dwarf[saved == SAVED_REG_FP ? ARCH_FP : arch_saved[saved]];
}

// Get the addresses at which the row says that the caller's registers are
// saved.
static void take_kept(const struct cfa_row *row, uint64_t cfa,
		      uint64_t at[N_SAVED_REGS])
{
	for (size_t i = 0; i < N_SAVED_REGS; i++) {
		const struct cfa_rule *rule = &row->rules[column_of(i)];

		if (rule->kind == CFA_OFFSET)
			at[i] = cfa + (uint64_t)rule->offset;
		else if (rule->kind != CFA_SAME)
			at[i] = SAVED_REG_LOST;
	}
}

bool unwind_step_saved(struct target *t, struct regs *regs, bool *leaf,
		       uint64_t at[N_SAVED_REGS])
{
	struct entry entries[2];
	struct cie cie;
	struct cfa_row row;
	uint64_t dwarf[CFA_REGS], start;

	// A return address may lie behind the function's last instruction.
	uint64_t pc = *leaf ? regs_pc(regs) : regs_pc(regs) - 1;
	uint64_t header = images_unwind_header(t, pc);
	uint64_t fde = header ? fde_find(t, header, pc) : 0;
	if (!fde || !row_find(t, fde, pc, entries, &cie, &row, &start)) {
		// musl's function that ends a handler tells nothing of itself
		if (header && regs_leave_signal(regs, t)) {
			*leaf = true;
			return true;
		}
		if (!header || !*leaf || !leave_linkage(t, regs))
			return false;
		at[SAVED_REG_PC] = regs_sp(regs) - 8;
		*leaf = false;
		return true;
	}
	to_dwarf(regs, dwarf);
	uint64_t sp = regs_sp(regs);
	// Only a signal may have come from another stack.
	if (!cfa_apply(t, &row, dwarf) || !dwarf[CFA_PC] ||
	    (dwarf[CFA_SP] <= sp && !cie.is_signal))
		return false;
	take_kept(&row, dwarf[CFA_SP], at);
	from_dwarf(dwarf, regs);
	*leaf = cie.is_signal;
	return true;
}

bool unwind_step(struct target *t, struct regs *regs, bool *leaf)
{
	uint64_t at[N_SAVED_REGS];

	return unwind_step_saved(t, regs, leaf, at);
}

bool unwind_rule_find(struct target *t, uint64_t pc, struct unwind_rule *ret)
{
	struct entry entries[2];
	struct cie cie;
	struct cfa_row row;
	uint64_t start;

	uint64_t header = images_unwind_header(t, pc);
	uint64_t fde = header ? fde_find(t, header, pc) : 0;
	if (!fde || !row_find(t, fde, pc, entries, &cie, &row, &start))
		return false;
	const struct cfa_rule *fp = &row.rules[arch_dwarf[ARCH_FP]];
	const struct cfa_rule *at = &row.rules[CFA_PC];
	bool by_fp = row.cfa_register == arch_dwarf[ARCH_FP];

	*ret = (struct unwind_rule){
	    .start = start,
	    .by_fp = by_fp,
	    .fp_saved = fp->kind == CFA_OFFSET,
	    .outermost = at->kind == CFA_UNDEFINED,
	    .cfa = (int32_t)row.cfa.offset,
	    .fp = (int32_t)fp->offset,
	};
	if (ret->outermost)
		return true;
	return !cie.is_signal && row.cfa.kind == CFA_VAL_OFFSET &&
	       (by_fp || row.cfa_register == CFA_SP) &&
	       (fp->kind == CFA_SAME || fp->kind == CFA_OFFSET) &&
	       at->kind == CFA_OFFSET && at->offset == -8;
}

bool unwind_is_native(struct target *t, uint64_t pc)
{
	return images_unwind_header(t, pc) != 0;
}
