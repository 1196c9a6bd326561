/* Copies of a process whose making is interrupted. */
#include <errno.h>
#include <stdarg.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

#include "targetfixture.h"

enum {
	INTERRUPTED = 2, // the thread, and the process between
};

static pid_t interrupted[INTERRUPTED];
static unsigned int n_interrupted;

static bool is_entering_clone(pid_t tid)
{
	struct user_regs_struct regs;

	return !syscall(SYS_ptrace, PTRACE_GETREGS, tid, 0, &regs) &&
	       regs.orig_rax == SYS_clone && regs.rax == (uint64_t)-ENOSYS;
}

// In place of the C library's. The kernel gives up a clone with ERESTARTNOINTR
// if something else is due for the thread meanwhile.
long ptrace(enum __ptrace_request request, ...)
{
	va_list args;

	va_start(args, request);
	pid_t tid = va_arg(args, pid_t);
	void *addr = va_arg(args, void *);
	void *data = va_arg(args, void *);
	va_end(args);
	if (request == PTRACE_SYSCALL && n_interrupted < INTERRUPTED &&
	    !(n_interrupted && interrupted[0] == tid) &&
	    is_entering_clone(tid)) {
		interrupted[n_interrupted++] = tid;
		syscall(SYS_ptrace, PTRACE_INTERRUPT, tid, 0, 0);
	}
	return syscall(SYS_ptrace, request, tid, addr, data);
}

static void test_interrupted(void **state)
{
	static const char text[] = "ready";
	struct run run;
	struct target *copy;
	char there[sizeof(text)];

	(void)state;
	run_start(&run, "exit", "7");
	must(target_snapshot(run.t, &copy));
	assert_int_equal(n_interrupted, INTERRUPTED);
	assert_false(target_can(copy, TARGET_RUN));
	must(target_read(copy, run_addr(&run, text), there, sizeof(there)));
	assert_string_equal(there, text);
	target_destroy(copy);
	run_to_exit(&run, 7);
	run_end(&run);
}

int main(int argc, char **argv)
{
	fixture_enter(argc, argv);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
