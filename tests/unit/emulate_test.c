/* The emulator against the processor: same bytes, same state, same result. */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/emulate.h"

enum {
	AREA = 0x40000,  /* shared with the child */
	CODE = 0x20000,  /* offset of the instruction in it */
	STACK = 0x8000,  /* where rsp and rbp point about */
	WINDOW = 0x8000, /* that much around the stack is compared */
	ROUNDS = 60000,
	AF = 1 << 4,
	RF = 1 << 16,
};

static const uint64_t area_addr = 0x31000000;

struct machine {
	pid_t child;
	uint8_t *area;
	uint8_t *copy;    /* of the window, for the emulator */
	struct regs regs; /* a state to begin with */
	uint64_t seed;
	unsigned int ran[EMU_RET + 1], alus[EMU_DEC + 1], conditions[16];
};

static uint64_t rnd(struct machine *m)
{
	// xorshift64: the same states in every run.
	m->seed ^= m->seed << 13;
	m->seed ^= m->seed >> 7;
	m->seed ^= m->seed << 17;
	return m->seed;
}

static void child_main(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	_exit(0);
}

static int setup(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));
	int status;

	m->seed = 88172645463325252;
	m->copy = malloc(WINDOW);
	m->area =
	    mmap((void *)area_addr, AREA, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_ptr_equal(m->area, (void *)area_addr);
	for (size_t i = 0; i < AREA; i += 8) {
		uint64_t value = rnd(m);

		memcpy(m->area + i, &value, 8);
	}
	m->child = fork();
	if (!m->child)
		child_main();
	assert_int_equal(waitpid(m->child, &status, 0), m->child);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(ptrace(PTRACE_GETREGS, m->child, 0, &m->regs), 0);
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	struct machine *m = *state;

	kill(m->child, SIGKILL);
	waitpid(m->child, NULL, 0);
	munmap(m->area, AREA);
	free(m->copy);
	free(m);
	return 0;
}

// What the emulator sees: the copy of the window, the rest as it is.
static bool copy_read(void *arg, uint64_t addr, void *buf, size_t n)
{
	struct machine *m = arg;
	uint64_t off = addr - area_addr;

	if (off >= AREA || n > AREA - off)
		return false;
	if (off + n <= WINDOW)
		memcpy(buf, m->copy + off, n);
	else if (off >= WINDOW)
		memcpy(buf, m->area + off, n);
	else
		return false;
	return true;
}

static bool copy_write(void *arg, uint64_t addr, const void *buf, size_t n)
{
	struct machine *m = arg;
	uint64_t off = addr - area_addr;

	if (off >= WINDOW || n > WINDOW - off)
		return false;
	memcpy(m->copy + off, buf, n);
	return true;
}

static uint64_t random_value(struct machine *m)
{
	uint64_t value = rnd(m);

	switch (rnd(m) % 7) {
	case 0:
		return value & 0xff;
	case 1:
		return (uint64_t)(int64_t)(int8_t)value;
	case 2:
		return UINT64_C(1) << value % 64;
	case 3:
		return area_addr + CODE + value % 4096; // somewhere to jump to
	case 4:
		return (uint64_t)(int64_t)(int32_t)value;
	case 5:
		return area_addr + WINDOW + value % 4096; // somewhere to read
	}
	return value;
}

static void random_regs(struct machine *m, struct regs *r)
{
	uint64_t *const all[] = {
	    &r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsi, &r->rdi, &r->r8,
	    &r->r9,  &r->r10, &r->r11, &r->r12, &r->r13, &r->r14, &r->r15,
	};

	*r = m->regs;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		*all[i] = random_value(m);
	r->rsp = area_addr + STACK / 2 + rnd(m) % 64 * 8;
	r->rbp = area_addr + STACK / 2 + 0x400 + rnd(m) % 64 * 8;
	r->rip = area_addr + CODE;
	r->orig_rax = UINT64_MAX;
	// The six flags of arithmetic.
	r->eflags = (m->regs.eflags & ~UINT64_C(0x8d5)) | (rnd(m) & 0x8d5);
}

// Bytes that begin as instructions do which the emulator may know.
static void random_code(struct machine *m, uint8_t *code)
{
	static const uint8_t starts[] = {
	    0x50, 0x55, 0x57, 0x58, 0x5d, 0x5f, 0x63, 0x70, 0x71, 0x72, 0x73,
	    0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e,
	    0x7f, 0x80, 0xf6, 0x81, 0x83, 0x85, 0x89, 0x8b, 0x8d, 0x90, 0xb8,
	    0xbf, 0xc3, 0xc6, 0xc7, 0xc9, 0xe8, 0xe9, 0xeb, 0xf7, 0xff, 0x01,
	    0x03, 0x05, 0x09, 0x0b, 0x0d, 0x21, 0x23, 0x25, 0x29, 0x2b, 0x2d,
	    0x31, 0x33, 0x35, 0x39, 0x3b, 0x3d, 0x0f, 0x0f, 0x0f, 0xf3, 0x66,
	    0x68, 0x6a, 0x8f, 0xa9, 0xfe,
	};
	static const uint8_t seconds[] = {0x1f, 0x80, 0x84, 0x8c, 0x8f, 0xb6,
					  0xb7, 0xbe, 0xbf, 0x1e, 0x8e, 0x8d};
	size_t n = 0;

	for (size_t i = 0; i < 16; i++)
		code[i] = (uint8_t)rnd(m);
	if (rnd(m) % 2)
		code[n++] = 0x40 | (rnd(m) & 15);
	code[n] = starts[rnd(m) % sizeof(starts)];
	if (code[n] == 0xf3) {
		static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

		memcpy(code, endbr64, 4);
		return;
	}
	if (code[n] == 0x0f)
		code[++n] = seconds[rnd(m) % sizeof(seconds)];
	// ModRM: rbp, rsp or rip as a base more often than by chance, or any
	// other with a small displacement.
	switch (rnd(m) % 5) {
	case 0:
		code[n + 1] = (uint8_t)((rnd(m) & 0x38) | 0x45);
		break;
	case 1:
		code[n + 1] = (uint8_t)((rnd(m) & 0x38) | 0x44);
		code[n + 2] = 0x24;
		break;
	case 2:
		code[n + 1] = (uint8_t)((rnd(m) & 0x38) | 0x05);
		code[n + 4] = code[n + 5] = 0;
		break;
	case 3:
		code[n + 1] = (uint8_t)((rnd(m) & 0x3f) | 0x40);
		break;
	}
}

static void print_case(const uint8_t *code, const struct emu_insn *insn,
		       const char *what, uint64_t want, uint64_t got)
{
	fprintf(stderr, "op %u arg %u:", insn->op, insn->arg);
	for (size_t i = 0; i < insn->len; i++)
		fprintf(stderr, " %02x", code[i]);
	fprintf(stderr, ": %s is %" PRIx64 ", emulated %" PRIx64 "\n", what,
		want, got);
}

static void compare(const uint8_t *code, const struct emu_insn *insn,
		    const struct regs *want, const struct regs *got)
{
	uint64_t ignored = RF;

	// Undefined after and, or, xor and test: Intel SDM vol. 1, A.
	if (insn->op == EMU_ALU &&
	    (insn->arg == EMU_AND || insn->arg == EMU_OR ||
	     insn->arg == EMU_XOR || insn->arg == EMU_TEST))
		ignored |= AF;
	struct regs a = *want, b = *got;
	a.eflags &= ~ignored;
	b.eflags &= ~ignored;
	a.orig_rax = b.orig_rax;
	for (size_t i = 0; i < sizeof(a) / 8; i++) {
		uint64_t x, y;

		memcpy(&x, (const char *)&a + i * 8, 8);
		memcpy(&y, (const char *)&b + i * 8, 8);
		if (x == y)
			continue;
		char name[32];
		snprintf(name, sizeof(name), "register %zu", i);
		print_case(code, insn, name, x, y);
		fail();
	}
}

static void count(struct machine *m, const struct emu_insn *insn)
{
	m->ran[insn->op]++;
	if (insn->op == EMU_ALU)
		m->alus[insn->arg]++;
	if (insn->op == EMU_JCC)
		m->conditions[insn->arg]++;
}

static void one_round(struct machine *m)
{
	struct regs before, emulated, real;
	const struct emu_memory mem = {copy_read, copy_write, m};
	struct emu_insn insn;
	uint8_t code[16];
	int status;

	random_code(m, code);
	if (!emu_decode(code, sizeof(code), &insn))
		return;
	random_regs(m, &before);
	emulated = before;
	memcpy(m->area + CODE, code, sizeof(code));
	memcpy(m->copy, m->area, WINDOW);
	if (!emu_run(&insn, &emulated, &mem)) {
		// Refused: it has no effect.
		assert_memory_equal(&emulated, &before, sizeof(before));
		assert_memory_equal(m->copy, m->area, WINDOW);
		return;
	}
	assert_int_equal(ptrace(PTRACE_SETREGS, m->child, 0, &before), 0);
	assert_int_equal(ptrace(PTRACE_SINGLESTEP, m->child, 0, 0), 0);
	assert_int_equal(waitpid(m->child, &status, 0), m->child);
	assert_true(WIFSTOPPED(status));
	if (WSTOPSIG(status) != SIGTRAP)
		print_case(code, &insn, "signal", (uint64_t)WSTOPSIG(status),
			   0);
	assert_int_equal(WSTOPSIG(status), SIGTRAP);
	assert_int_equal(ptrace(PTRACE_GETREGS, m->child, 0, &real), 0);
	compare(code, &insn, &real, &emulated);
	assert_memory_equal(m->copy, m->area, WINDOW);
	count(m, &insn);
}

static void test_same_as_processor(void **state)
{
	struct machine *m = *state;

	for (int i = 0; i < ROUNDS; i++)
		one_round(m);
	for (int op = EMU_NOP; op <= EMU_RET; op++)
		if (m->ran[op] < 20)
			fail_msg("operation %d ran %u times", op, m->ran[op]);
	for (int alu = EMU_ADD; alu <= EMU_DEC; alu++)
		if (alu != 2 && alu != 3 && m->alus[alu] < 20)
			fail_msg("arithmetic %d ran %u times", alu,
				 m->alus[alu]);
	for (int cc = 0; cc < 16; cc++)
		if (m->conditions[cc] < 20)
			fail_msg("condition %d ran %u times", cc,
				 m->conditions[cc]);
}

// What compilers put where traps stand must not fall back to stepping.
static void test_known_forms(void **state)
{
	static const struct {
		const char *name;
		uint8_t n, code[ARCH_INSN_MAX];
	} forms[] = {
	    {"push rbp", 1, {0x55}},
	    {"push r15", 2, {0x41, 0x57}},
	    {"pop r12", 2, {0x41, 0x5c}},
	    {"mov rbp, rsp", 3, {0x48, 0x89, 0xe5}},
	    {"sub rsp, 16", 4, {0x48, 0x83, 0xec, 0x10}},
	    {"sub rsp, 512", 7, {0x48, 0x81, 0xec, 0, 2, 0, 0}},
	    {"lea rbp, [rsp+32]", 5, {0x48, 0x8d, 0x6c, 0x24, 0x20}},
	    {"lea rdi, [rip+4]", 7, {0x48, 0x8d, 0x3d, 4, 0, 0, 0}},
	    {"xor eax, eax", 2, {0x31, 0xc0}},
	    {"mov [rbp-8], rdi", 4, {0x48, 0x89, 0x7d, 0xf8}},
	    {"mov eax, [rbp-12]", 3, {0x8b, 0x45, 0xf4}},
	    {"mov dword [rbp-4], 0", 7, {0xc7, 0x45, 0xfc, 0, 0, 0, 0}},
	    {"mov rdi, imm64", 10, {0x48, 0xbf, 1, 2, 3, 4, 5, 6, 7, 8}},
	    {"cmp [rbp-4], 5", 4, {0x83, 0x7d, 0xfc, 5}},
	    {"test rdi, rdi", 3, {0x48, 0x85, 0xff}},
	    {"cmp [rdi], edi", 2, {0x39, 0x3f}},
	    {"cmp byte [rdi+8], 0", 4, {0x80, 0x7f, 8, 0}},
	    {"mov rax, [rdi+rcx*8+16]", 5, {0x48, 0x8b, 0x44, 0xcf, 0x10}},
	    {"nop", 1, {0x90}},
	    {"data16 nop", 2, {0x66, 0x90}},
	    {"nop dword [rax+rax]", 5, {0x0f, 0x1f, 0x44, 0, 0}},
	    {"nop word cs:[rax+rax]",
	     10,
	     {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}},
	    {"endbr64", 4, {0xf3, 0x0f, 0x1e, 0xfa}},
	    {"jmp rel8", 2, {0xeb, 0x10}},
	    {"jne rel32", 6, {0x0f, 0x85, 0, 1, 0, 0}},
	    {"jmp [rip+8]", 6, {0xff, 0x25, 8, 0, 0, 0}},
	    {"jmp rax", 2, {0xff, 0xe0}},
	    {"call rel32", 5, {0xe8, 0, 1, 0, 0}},
	    {"call [rip+8]", 6, {0xff, 0x15, 8, 0, 0, 0}},
	    {"mov rax, [rip+8]", 7, {0x48, 0x8b, 5, 8, 0, 0, 0}},
	    {"ret", 1, {0xc3}},
	    {"leave", 1, {0xc9}},
	};
	struct emu_insn insn;

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!emu_decode(forms[i].code, forms[i].n, &insn) ||
		    insn.len != forms[i].n)
			fail_msg("'%s' is not known", forms[i].name);
		// Cut off, it is no instruction.
		assert_false(emu_decode(forms[i].code, forms[i].n - 1u, &insn));
		assert_int_equal(insn.op, EMU_REFUSED);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *name;
		uint8_t n, code[ARCH_INSN_MAX];
	} forms[] = {
	    {"lock inc [rbp]", 4, {0xf0, 0xff, 0x45, 0}},
	    {"mov rax, fs:[0]", 9, {0x64, 0x48, 0x8b, 4, 0x25, 0, 0, 0, 0}},
	    {"mov [rdi], rax", 3, {0x48, 0x89, 7}},
	    {"mov [rbp+rax], rax", 5, {0x48, 0x89, 0x44, 5, 0}},
	    {"mov [rip], eax", 6, {0x89, 5, 0, 0, 0, 0}},
	    {"inc [rdi]", 2, {0xff, 7}},
	    {"cmp cl, 5", 3, {0x80, 0xf9, 5}},
	    {"mov ax, cx", 3, {0x66, 0x89, 0xc8}},
	    {"adc eax, ecx", 2, {0x11, 0xc8}},
	    {"syscall", 2, {0x0f, 0x05}},
	    {"rep movsb", 2, {0xf3, 0xa4}},
	    {"int3", 1, {0xcc}},
	    {"popf", 1, {0x9d}},
	    {"call far [rax]", 2, {0xff, 0x18}},
	    {"rep ret", 2, {0xf3, 0xc3}},
	};
	struct emu_insn insn;

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (emu_decode(forms[i].code, forms[i].n, &insn))
			fail_msg("'%s' is taken for op %u", forms[i].name,
				 insn.op);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same_as_processor),
	    cmocka_unit_test(test_known_forms),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
