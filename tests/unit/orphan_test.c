/*
 * The handler of SIGTRAP in a program whose debugger has died: a thread that
 * executed an int3 of ours must know it for one even if another thread takes
 * all out meanwhile. That is done here at each instruction in turn.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "target/guard/orphan_code.h"
#include "targetfixture.h"

enum {
	INT3 = 0xcc,
	NOP = 0x90,
	STEPS_MAX = 10000,
	LAST_STEPS = 60, /* before it begins to take out, itself */
	TRAP = 1,        /* its slot */
	OTHER_HANDLER = 0x1000,
};

uint64_t orphan_judge(int sig, siginfo_t *info, ucontext_t *uc,
		      struct orphan_data *data);

// What the program and the test share.
struct shared {
	struct orphan_data data;
	volatile uint8_t code[16];
	volatile int end;
	volatile uint64_t handler, pc; // what came of it
};

static void arm(struct shared *s)
{
	s->code[0] = INT3;
	s->data.actions.old.handler = OTHER_HANDLER;
	s->data.traps[TRAP] = (uint64_t)s->code << 8 | NOP;
	s->data.n_traps = TRAP + 1;
}

static void lift(struct shared *s)
{
	s->code[0] = NOP;
	s->data.n_traps = 0;
}

static _Noreturn void program(struct shared *s)
{
	siginfo_t info = {.si_signo = SIGTRAP, .si_code = SI_KERNEL};
	static ucontext_t uc;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	memcpy(s->data.mem_path, "/proc/self/mem", 15);
	s->data.prot = PROT_READ | PROT_WRITE | PROT_EXEC;
	while (!s->end) {
		arm(s);
		uc.uc_mcontext.gregs[REG_RIP] = (greg_t)(uint64_t)&s->code[1];
		raise(SIGSTOP);
		s->handler = orphan_judge(SIGTRAP, &info, &uc, &s->data);
		s->pc = (uint64_t)uc.uc_mcontext.gregs[REG_RIP];
	}
	_exit(0);
}

static void go(pid_t pid, int request)
{
	int status;

	assert_int_equal(ptrace((enum __ptrace_request)request, pid, NULL, 0),
			 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
}

static bool at_syscall(pid_t pid)
{
	struct regs regs;

	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	long code = ptrace(PTRACE_PEEKTEXT, pid, (void *)regs.rip, NULL);
	return (code & 0xffff) == 0x050f;
}

// Steps to the first system call of the handler, which follows its judgement;
// those of raise come before.
static int count_steps(pid_t pid)
{
	struct regs regs;

	for (int i = 0; i < STEPS_MAX; i++) {
		assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
		bool inside =
		    regs.rip - (uint64_t)__start_orphan_code <
		    (uint64_t)(__stop_orphan_code - __start_orphan_code);
		if (inside && at_syscall(pid))
			return i;
		go(pid, PTRACE_SINGLESTEP);
	}
	fail_msg("the handler makes no system call");
	return 0;
}

static void test_lifted_meanwhile(void **state)
{
	int status;
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(s, MAP_FAILED);
	pid_t pid = fork();
	if (!pid)
		program(s);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(
	    ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL), 0);
	int n = count_steps(pid);
	go(pid, PTRACE_CONT);
	for (int i = n > LAST_STEPS ? n - LAST_STEPS : 0; i <= n; i++) {
		for (int step = 0; step < i; step++)
			go(pid, PTRACE_SINGLESTEP);
		lift(s);
		go(pid, PTRACE_CONT);
		assert_int_equal(s->handler, 0);
		assert_int_equal(s->pc, (uint64_t)s->code);
	}
	s->end = 1;
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	munmap(s, sizeof(*s));
}

int main(int argc, char **argv)
{
	fixture_enter(argc, argv);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lifted_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
