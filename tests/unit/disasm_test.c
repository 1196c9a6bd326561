/* Single instructions, and IL of the compiled fixture Breaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/str.h"
#include "code/disasm.h"
#include "codefixture.h"
#include "target/arch.h"

enum {
	AT = 0x1000, /* where each stands */
	NO_REG = ARCH_GENERAL,
	FP = ARCH_FP,
};

#define BIT(n) (UINT32_C(1) << (n))

struct insn_case {
	const char *bytes;
	size_t n;
	struct insn insn;
};

static const struct insn_case insn_cases[] = {
    {"\x90", 1, {INSN_NOP, 1, NO_REG, 0, 0, false, 0}},
    {"\xf3\x0f\x1e\xfa", 4, {INSN_NOP, 4, NO_REG, 0, 0, false, 0}},
    {"\xe8\x00\x00\x00\x00\x90",
     6,
     {INSN_CALL, 5, NO_REG, AT + 5, 0, false, BIT(ARCH_SP)}},
    {"\xff\xd0", 2, {INSN_CALL, 2, 0, 0, 0, false, BIT(ARCH_SP)}},
    {"\x41\xff\xd2", 3, {INSN_CALL, 3, 10, 0, 0, false, BIT(ARCH_SP)}},
    {"\xff\x15\x02\x00\x00\x00",
     6,
     {INSN_CALL, 6, NO_REG, 0, AT + 8, false, BIT(ARCH_SP)}},
    {"\xff\x10", 2, {INSN_CALL, 2, NO_REG, 0, 0, false, BIT(ARCH_SP)}},
    {"\xff\xe0", 2, {INSN_JUMP, 2, 0, 0, 0, false, 0}},
    {"\x49\xff\xe2", 3, {INSN_JUMP, 3, 10, 0, 0, false, 0}},
    {"\xff\x25\xfa\xff\xff\xff", 6, {INSN_JUMP, 6, NO_REG, 0, AT, false, 0}},
    {"\xeb\xfe", 2, {INSN_JUMP, 2, NO_REG, AT, 0, false, 0}},
    {"\x74\x02", 2, {INSN_JUMP, 2, NO_REG, AT + 4, 0, false, 0}},
    {"\x0f\x84\x00\x00\x00\x00",
     6,
     {INSN_JUMP, 6, NO_REG, AT + 6, 0, false, 0}},
    {"\xc3", 1, {INSN_RET, 1, NO_REG, 0, 0, false, BIT(ARCH_SP)}},
    {"\xc2\x08\x00", 3, {INSN_RET, 3, NO_REG, 0, 0, false, BIT(ARCH_SP)}},
    {"\x0f\x05", 2, {INSN_SYSCALL, 2, NO_REG, 0, 0, false, BIT(1) | BIT(11)}},
    {"\xcc", 1, {INSN_OTHER, 1, NO_REG, 0, 0, false, 0}},
    {"\x55", 1, {INSN_PUSH, 1, FP, 0, 0, false, BIT(ARCH_SP)}},
    {"\x41\x57", 2, {INSN_PUSH, 2, 15, 0, 0, false, BIT(ARCH_SP)}},
    {"\x6a\x01", 2, {INSN_OTHER, 2, NO_REG, 0, 0, false, BIT(ARCH_SP)}},
    {"\x48\x8d\x05\x01\x00\x00\x00",
     7,
     {INSN_ADDRESS, 7, 0, 0, AT + 8, false, BIT(0)}},
    {"\x48\x8d\x6c\x24\x10", 5, {INSN_ADDRESS, 5, FP, 0, 0, false, BIT(FP)}},
    {"\x4c\x8b\x15\x00\x00\x00\x00",
     7,
     {INSN_OTHER, 7, 10, 0, AT + 7, false, BIT(10)}},
    {"\xf3\xa4",
     2,
     {INSN_OTHER, 2, NO_REG, 0, 0, true, BIT(1) | BIT(6) | BIT(7)}},
    {"\x89\xf3", 2, {INSN_OTHER, 2, NO_REG, 0, 0, false, BIT(3)}},
    {"\x48\x85\xff", 3, {INSN_OTHER, 3, 7, 0, 0, false, 0}},
    // scas moves rdi too, which Zydis does not say
    {"\xf2\x48\xae", 3, {INSN_OTHER, 3, NO_REG, 0, 0, true, BIT(1)}},
};

static void single_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(insn_cases) / sizeof(*insn_cases); i++) {
		const struct insn_case *ic = &insn_cases[i];
		const struct insn *want = &ic->insn;
		struct insn insn;

		assert_true(
		    insn_decode((const uint8_t *)ic->bytes, ic->n, AT, &insn));
		assert_int_equal(insn.kind, want->kind);
		assert_int_equal(insn.size, want->size);
		assert_int_equal(insn.reg, want->reg);
		assert_int_equal(insn.target, want->target);
		assert_int_equal(insn.cell, want->cell);
		assert_int_equal(insn.repeats, want->repeats);
		assert_int_equal(insn.writes, want->writes);
	}
}

static void no_instruction(void **state)
{
	struct insn insn;

	(void)state;
	// Cut off, none at all, and an opcode that 64-bit mode has not.
	assert_false(insn_decode((const uint8_t *)"\xe8\x00", 2, 0, &insn));
	assert_false(insn_decode((const uint8_t *)"", 0, 0, &insn));
	assert_false(insn_decode((const uint8_t *)"\x06", 1, 0, &insn));
}

static uint32_t token_of(struct codefixture *f, const char *name)
{
	struct dbg_error *err;
	struct code_place *places;
	size_t n;
	const struct code_function fn = {.name = name};

	err =
	    code_find_function(f->code, f->module, &fn, f->arena, &places, &n);
	assert_null(err);
	assert_int_equal(n, 1);
	return places[0].token;
}

static void il_with_lines(void **state)
{
	struct codefixture f;
	struct dbg_error *err;
	struct dbg_il_insn *insns;
	size_t n;
	bool at_note = false;

	(void)state;
	codefixture_init(&f, "Debug", "Breaks");
	err = disasm_il(f.code, f.module, token_of(&f, "Program.Note"), f.arena,
			&insns, &n);
	assert_null(err);
	assert_true(n > 4);
	assert_int_equal(insns[0].offset, 0);
	assert_non_null(strstr(insns[n - 1].text, "ret"));
	for (size_t i = 0; i < n; i++) {
		assert_true(!i || insns[i].offset > insns[i - 1].offset);
		if (insns[i].line != codefixture_mark(&f, "note"))
			continue;
		at_note = true;
		assert_non_null(strstr(insns[i].text, "Notes"));
		assert_true(str_ends(insns[i].path, "/Breaks.cs"));
	}
	assert_true(at_note);
	codefixture_deinit(&f);
}

static void no_body(void **state)
{
	struct codefixture f;
	struct dbg_error *err;
	struct dbg_il_insn *insns;
	size_t n;
	const uint32_t tokens[] = {0, MD_TOKEN(MD_METHODDEF, 0xffffff),
				   MD_TOKEN(MD_TYPEDEF, 1)};

	(void)state;
	codefixture_init(&f, "Debug", "Breaks");
	for (size_t i = 0; i < 3; i++) {
		err =
		    disasm_il(f.code, f.module, tokens[i], f.arena, &insns, &n);
		assert_non_null(err);
		assert_int_equal(err->code, DBG_E_NOT_FOUND);
		dbg_error_destroy(err);
	}
	codefixture_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(single_instructions),
	    cmocka_unit_test(no_instruction),
	    cmocka_unit_test(il_with_lines),
	    cmocka_unit_test(no_body),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
