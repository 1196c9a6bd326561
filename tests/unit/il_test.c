#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "meta/il.h"
#include "meta/md.h"
#include "mdfixture.h"

static void check_text(const struct md *md, const void *code, size_t n,
		       const char *text)
{
	_cleanup_str_ struct str s = {NULL, 0, 0};
	struct il_insn insn;

	assert_true(il_decode((struct bytes){code, n}, 0, &insn));
	assert_int_equal(insn.size, n);
	il_text(md, 0, &insn, &s);
	assert_string_equal(str_get(&s), text);
}

#define CHECK(code, text) check_text(NULL, code, sizeof(code) - 1, text)

static void test_operands(void **state)
{
	(void)state;
	CHECK("\x00", "nop");
	CHECK("\x2a", "ret");
	CHECK("\x1f\xff", "ldc.i4.s -1");
	CHECK("\x20\x00\x00\x00\x80", "ldc.i4 -2147483648");
	CHECK("\x21\x00\x00\x00\x00\x00\x00\x00\x80",
	      "ldc.i8 -9223372036854775808");
	CHECK("\x22\xcd\xcc\xcc\x3d", "ldc.r4 0.100000001");
	CHECK("\x23\x00\x00\x00\x00\x00\x00\xf8\x3f", "ldc.r8 1.5");
	CHECK("\x11\xff", "ldloc.s 255");
	CHECK("\xfe\x0c\xff\xff", "ldloc 65535");
	CHECK("\x2b\x02", "br.s IL_0004");
	CHECK("\x38\xfb\xff\xff\xff", "br IL_0000");
	CHECK("\xdd\x00\x01\x00\x00", "leave IL_0105");
	CHECK("\xfe\x01", "ceq");
	CHECK("\xfe\x12\x04", "unaligned. 4");
	CHECK("\x28\x01\x00\x00\x06", "call 0x06000001");
	CHECK("\x45\x02\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff",
	      "switch (IL_000e, IL_000c)");
	CHECK("\x24", "(not an opcode)");
	CHECK("\xfe\x1f", "(not an opcode)");
	CHECK("\xfe\xff", "(not an opcode)");
}

static void test_truncated(void **state)
{
	(void)state;
	static const uint8_t code[] = {0x45, 0xff, 0xff, 0xff, 0x3f,
				       0,    0,    0,    0};
	struct bytes b = {code, sizeof(code)};
	struct il_insn insn;

	assert_false(il_decode(b, 0, &insn));
	assert_false(il_decode(b, sizeof(code), &insn));
	assert_false(il_decode(b, UINT32_MAX, &insn));
	assert_false(il_decode((struct bytes){NULL, 0}, 0, &insn));
	b.n = 3;
	assert_false(il_decode(b, 0, &insn));
	b = (struct bytes){(const uint8_t *)"\xfe", 1};
	assert_false(il_decode(b, 0, &insn));
}

static void test_table(void **state)
{
	(void)state;
	uint8_t code[16] = {0};
	struct il_insn insn;
	unsigned int n = 0;

	for (unsigned int c = 0; c < 0x200; c++) {
		struct bytes b = {code, sizeof(code)};

		code[0] = c < 0x100 ? (uint8_t)c : 0xfe;
		code[1] = c < 0x100 ? 0 : (uint8_t)c;
		if (c == 0xfe)
			continue;
		assert_true(il_decode(b, 0, &insn));
		if (!insn.op)
			continue;
		n++;
		assert_int_equal(insn.op->code, c < 0x100 ? c : 0xfd00 + c);
		assert_in_range(insn.op->pops + 1, 0, 4);
		assert_in_range(insn.op->pushes + 1, 0, 3);
	}
	// ECMA-335 III has 218 and the prefix "no.".
	assert_int_equal(n, 219);
	assert_int_equal(IL_OP_CALLVIRT, 0x6f);
	assert_int_equal(IL_OP_CONSTRAINED, 0xfe16);
}

static void check_token(const struct md *md, uint8_t op, uint32_t token,
			const char *text)
{
	uint8_t code[5] = {op, (uint8_t)token, (uint8_t)(token >> 8),
			   (uint8_t)(token >> 16), (uint8_t)(token >> 24)};

	check_text(md, code, sizeof(code), text);
}

static void test_tokens(void **state)
{
	(void)state;
	struct mdfixture f;
	struct md md;

	mdfixture_init(&f);
	assert_null(md_parse(f.bytes, &md));
	check_token(&md, IL_OP_CALL, MD_TOKEN(MD_METHODDEF, f.ctor),
		    "call void Ns.Type..ctor(int)");
	check_token(&md, IL_OP_CALL, MD_TOKEN(MD_MEMBERREF, f.write_line),
		    "call void System.Console.WriteLine(string)");
	check_token(&md, IL_OP_CALLVIRT, MD_TOKEN(MD_MEMBERREF, f.list_add),
		    "callvirt void System.Collections.Generic.List<int>"
		    ".Add(int)");
	check_token(&md, IL_OP_CALL, MD_TOKEN(MD_METHODSPEC, f.swap_string),
		    "call void Ns.Type.Swap<string>(ref string, ref string, "
		    "ref string)");
	check_token(&md, IL_OP_LDFLD, MD_TOKEN(MD_FIELD, f.count_field),
		    "ldfld int Ns.Type.count");
	check_token(&md, IL_OP_CASTCLASS, MD_TOKEN(MD_TYPEDEF, f.type),
		    "castclass Ns.Type");
	check_token(&md, IL_OP_LDSTR, 0x70000000 | f.hello,
		    "ldstr \"hello\\n\\\"\"");
	check_token(&md, IL_OP_CALLI, MD_TOKEN(MD_STANDALONESIG, f.vararg_sig),
		    "calli int *(string)");
	check_token(&md, IL_OP_CALL, 0x20000001, "call 0x20000001");
	check_token(&md, IL_OP_LDTOKEN, MD_TOKEN(MD_METHODDEF, f.move_next),
		    "ldtoken void Ns.Outer<T>.Inner.<System-IFoo-Go>d__3<V>"
		    ".MoveNext()");
	mdfixture_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_operands),
	    cmocka_unit_test(test_truncated),
	    cmocka_unit_test(test_table),
	    cmocka_unit_test(test_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
