/* Call frame instructions, and unwinding with them. */
#include "targetfixture.h"

#include <string.h>

#include "target/elf/cfa.h"
#include "target/target_priv.h"
#include "target/unwind.h"

static const struct cfa_code code = {.code_align = 1, .data_align = -8};

// The usual CIE: CFA is rsp + 8, the return address lies at CFA - 8.
static const uint8_t usual[] = {0x0c, 7, 8, 0x90, 1};

static bool run_program(const void *program, size_t n, uint64_t pc,
			struct cfa_row *ret)
{
	struct cfa_row initial;
	struct bytes cie = {usual, sizeof(usual)}, b = {program, n};

	assert_true(cfa_run(&code, cie, 0, UINT64_MAX, NULL, &initial));
	return cfa_run(&code, b, 100, pc, &initial, ret);
}

static void test_rows(void **state)
{
	// push rbp; mov rbp, rsp; ...; leave
	static const uint8_t program[] = {
	    0x41, 0x0e, 16, 0x86, 2, // at 101: CFA rsp + 16, rbp at -16
	    0x43, 0x0d, 6,           // at 104: CFA rbp + 16
	    0x0a, 0x02, 50,          // at 154, after remembering
	    0xc6, 0x0c, 7,  8,       // rbp as before, CFA rsp + 8
	    0x41, 0x0b,              // at 155: as at 104
	};
	static const struct {
		uint64_t pc, reg;
		int64_t offset;
		enum cfa_kind rbp;
	} cases[] = {
	    {100, 7, 8, CFA_SAME},    {101, 7, 16, CFA_OFFSET},
	    {103, 7, 16, CFA_OFFSET}, {104, 6, 16, CFA_OFFSET},
	    {153, 6, 16, CFA_OFFSET}, {154, 7, 8, CFA_SAME},
	    {155, 6, 16, CFA_OFFSET}, {999, 6, 16, CFA_OFFSET},
	};
	struct cfa_row row;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(
		    run_program(program, sizeof(program), cases[i].pc, &row));
		assert_int_equal(row.cfa_register, cases[i].reg);
		assert_int_equal(row.cfa.offset, cases[i].offset);
		assert_int_equal(row.rules[6].kind, cases[i].rbp);
		assert_int_equal(row.rules[CFA_PC].kind, CFA_OFFSET);
		assert_int_equal(row.rules[CFA_PC].offset, -8);
	}
}

static void test_malformed(void **state)
{
	static const struct {
		uint8_t program[4];
		size_t n;
	} cases[] = {
	    {{0x0b}, 1},          // recall what was not remembered
	    {{0x0c, 99, 8}, 3},   // CFA by a register that is none
	    {{0x3f}, 1},          // no instruction
	    {{0x0e, 0x80}, 2},    // a number cut off
	    {{0x10, 6, 9, 1}, 4}, // an expression cut off
	    {{0x04, 1, 2, 3}, 4}, // an advance cut off
	};
	struct cfa_row row;
	uint8_t remembering[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_false(
		    run_program(cases[i].program, cases[i].n, 100, &row));
	memset(remembering, 0x0a, sizeof(remembering));
	assert_false(run_program(remembering, sizeof(remembering), 100, &row));
}

/* ---- Expressions, over a target of one word -------------------------- */

enum {
	WORD_ADDR = 0x5000
};

static size_t word_read(struct target *t, uint64_t addr, void *buf, size_t n)
{
	static const uint64_t word = 0x1234;

	(void)t;
	if (addr != WORD_ADDR || n != sizeof(word))
		return 0;
	memcpy(buf, &word, sizeof(word));
	return n;
}

static bool never(const struct target *t)
{
	(void)t;
	return false;
}

static const struct target_ops word_ops = {.read = word_read, .frozen = never};

static bool apply(const void *expr, size_t n, uint64_t *ret)
{
	struct target t;
	uint64_t regs[CFA_REGS] = {[CFA_SP] = WORD_ADDR - 8};
	const struct cfa_row row = {
	    .cfa = {.kind = CFA_VAL_EXPR, .expr = {expr, n}},
	};

	target_init(&t, &word_ops, 1);
	bool ok = cfa_apply(&t, &row, regs);
	target_deinit(&t);
	*ret = regs[CFA_SP];
	return ok;
}

static void test_expressions(void **state)
{
	// breg7 8, deref, plus_uconst 2, lit1, shl
	static const uint8_t good[] = {0x77, 8, 0x06, 0x23, 2, 0x31, 0x24};
	static const uint8_t unreadable[] = {0x77, 0, 0x06};
	static const uint8_t empty[] = {0x22};
	static const uint8_t unknown[] = {0x31, 0xff};
	static const uint8_t cut[] = {0x0c, 1, 2};
	uint8_t deep[100];
	uint64_t cfa;

	(void)state;
	assert_true(apply(good, sizeof(good), &cfa));
	assert_int_equal(cfa, 0x1236 << 1);
	assert_false(apply(unreadable, sizeof(unreadable), &cfa));
	assert_false(apply(empty, sizeof(empty), &cfa));
	assert_false(apply(unknown, sizeof(unknown), &cfa));
	assert_false(apply(cut, sizeof(cut), &cfa));
	assert_false(apply(NULL, 0, &cfa));
	memset(deep, 0x31, sizeof(deep));
	assert_false(apply(deep, sizeof(deep), &cfa));
}

static void test_no_rule(void **state)
{
	struct target t;
	uint64_t regs[CFA_REGS] = {0};
	const struct cfa_row row = {.cfa = {.kind = CFA_SAME}};

	(void)state;
	target_init(&t, &word_ops, 1);
	assert_false(cfa_apply(&t, &row, regs));
	target_deinit(&t);
}

/* ---- A live stack ---------------------------------------------------- */

static void test_unwind(void **state)
{
	struct regs regs, broken;
	struct run run;
	int depth = 0;
	bool leaf = true;

	(void)state;
	run_start(&run, "hits", "1");
	run_arm(&run, run_addr(&run, (void *)fixture_hit));
	must(target_resume_all(run.t));
	run_until(&run, TARGET_TRAP);
	must(target_regs(run.t, run.last.tid, &regs));
	broken = regs;
	// fixture_hit, its caller, the thread's start, the kernel's clone.
	uint64_t sp = regs.rsp;
	while (unwind_step(run.t, &regs, &leaf)) {
		assert_false(leaf);
		assert_true(regs.rsp > sp);
		sp = regs.rsp;
		assert_true(++depth < 20);
	}
	assert_in_range(depth, 2, 10);

	leaf = true;
	broken.rsp = 0x10;
	assert_false(unwind_step(run.t, &broken, &leaf));
	broken.rip = 0x10;
	leaf = true;
	assert_false(unwind_step(run.t, &broken, &leaf));
	run_end(&run);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_malformed),
	    cmocka_unit_test(test_expressions),
	    cmocka_unit_test(test_no_rule),
	    cmocka_unit_test(test_unwind),
	};

	fixture_enter(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
