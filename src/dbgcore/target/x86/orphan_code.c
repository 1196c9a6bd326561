/*
 * Code that runs in the program, not in us, and only when we are dead: the
 * SIGTRAP handler. It is copied there, so it calls nothing, refers to nothing
 * outside of itself, and is not instrumented.
 *
 * When one of our traps is hit, all traps are taken out and the thread goes
 * back to the instruction. A seccomp filter of the program may end it for an
 * unusual system call, so the handler makes only those that every .NET program
 * makes: the page is made writable for a moment by mprotect. Only where that is
 * refused, the memory file is opened.
 */
#include "target/guard/orphan_code.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "target/arch.h"

#define IN_PROGRAM                                                             \
	__attribute__((section("orphan_code"), used, noinline,                 \
		       no_stack_protector, no_instrument_function,             \
		       no_sanitize("address"), no_sanitize("undefined")))

enum {
	INT_IMM = 0xcd, /* of the long form of int3 */
	PAGE = 4096,
	SPINS = 1000,        /* before it gives up its turn */
	PASSED = 0x6e646267, /* si_errno, which is 0 of a SIGTRAP */
};

asm(".pushsection orphan_code, \"ax\", @progbits\n"
    ".balign 16\n"
    ".globl orphan_code_handler, orphan_code_restorer\n"
    ".hidden orphan_code_handler, orphan_code_restorer\n"
    "orphan_code_handler:\n"
    "	endbr64\n"
    "	push %rdi\n"
    "	push %rsi\n"
    "	push %rdx\n"
    "	lea __start_orphan_code+4096(%rip), %rcx\n"
    "	call orphan_judge\n"
    "	pop %rdx\n"
    "	pop %rsi\n"
    "	pop %rdi\n"
    "	test %rax, %rax\n"
    "	jz 1f\n"
    "	jmp *%rax\n"
    "1:	ret\n"
    "orphan_code_restorer:\n"
    "	mov $15, %eax\n"
    "	syscall\n"
    ".popsection\n");

IN_PROGRAM static long orphan_syscall(long nr, uint64_t a, uint64_t b,
				      uint64_t c, uint64_t d)
{
	register uint64_t r10 asm("r10") = d;
	long ret;

	asm volatile("syscall"
		     : "=a"(ret)
		     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
		     : "rcx", "r11", "memory");
	return ret;
}

// Take a trap out of memory that may be unmapped by now; false: not allowed.
IN_PROGRAM static bool orphan_lift(const struct orphan_data *data,
				   uint64_t addr, uint8_t byte)
{
	volatile uint8_t *at = (volatile uint8_t *)addr;
	uint64_t page = addr & ~(uint64_t)(PAGE - 1);

	// Others may execute there at this moment.
	long rc = orphan_syscall(SYS_mprotect, page, PAGE,
				 PROT_READ | PROT_WRITE | PROT_EXEC, 0);
	if (rc)
		return rc == -ENOMEM;
	if (*at == ARCH_TRAP)
		*at = byte;
	if (!(data->prot & PROT_WRITE))
		orphan_syscall(SYS_mprotect, page, PAGE, data->prot, 0);
	return true;
}

// Take a trap out by the process's memory file, where no memory may be writable
// and executable at once.
IN_PROGRAM static void orphan_lift_by_file(long mem, uint64_t addr,
					   uint8_t byte)
{
	uint8_t now = 0;

	if (orphan_syscall(SYS_pread64, (uint64_t)mem, (uint64_t)&now, 1,
			   addr) == 1 &&
	    now == ARCH_TRAP)
		orphan_syscall(SYS_pwrite64, (uint64_t)mem, (uint64_t)&byte, 1,
			       addr);
}

// Take the lock of the data. A child that was forked while another thread had
// it has a copy that nobody releases: the lock says whose it is, and is taken
// over.
IN_PROGRAM static void orphan_lock(struct orphan_data *data)
{
	uint32_t self = (uint32_t)orphan_syscall(SYS_getpid, 0, 0, 0, 0);

	for (int i = 1;; i++) {
		uint32_t owner = __atomic_load_n(&data->lock, __ATOMIC_RELAXED);

		if (owner != self && __atomic_compare_exchange_n(
					 &data->lock, &owner, self, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return;
		__builtin_ia32_pause();
		if (i % SPINS == 0)
			orphan_syscall(SYS_sched_yield, 0, 0, 0, 0);
	}
}

IN_PROGRAM static void orphan_lift_all(struct orphan_data *data)
{
	long mem = -1;

	orphan_lock(data);
	uint64_t n =
	    data->n_traps < ORPHAN_TRAPS_MAX ? data->n_traps : ORPHAN_TRAPS_MAX;
	// The last first: what guards others was armed before them.
	for (uint64_t i = n; i-- > 0;) {
		uint64_t addr = data->traps[i] >> 8;
		uint8_t byte = (uint8_t)data->traps[i];

		if (!addr || orphan_lift(data, addr, byte))
			continue;
		if (mem < 0)
			mem = orphan_syscall(SYS_openat, (uint64_t)AT_FDCWD,
					     (uint64_t)data->mem_path,
					     O_RDWR | O_CLOEXEC, 0);
		if (mem >= 0)
			orphan_lift_by_file(mem, addr, byte);
	}
	data->n_traps = 0;
	if (mem >= 0)
		orphan_syscall(SYS_close, (uint64_t)mem, 0, 0, 0);
	__atomic_store_n(&data->lock, 0, __ATOMIC_RELEASE);
}

IN_PROGRAM static bool orphan_knows(const struct orphan_data *data,
				    uint64_t addr)
{
	uint64_t n = __atomic_load_n(&data->n_traps, __ATOMIC_ACQUIRE);

	for (uint64_t i = 0; i < n && i < ORPHAN_TRAPS_MAX; i++)
		if (data->traps[i] >> 8 == addr)
			return true;
	return false;
}

// Handle an int3: is it one of our traps, which may be lifted by now?
IN_PROGRAM static bool orphan_int3(struct orphan_data *data, greg_t *regs)
{
	uint64_t addr = (uint64_t)regs[REG_RIP] - 1;
	const volatile uint8_t *code = (const volatile uint8_t *)addr;

	// We had taken the stop, and set its pc.
	if (regs[REG_EFL] & REGS_RF) {
		orphan_lift_all(data);
		return true;
	}
	// In this order: another thread forgets them when it has lifted all.
	if (!orphan_knows(data, addr) && code[0] == ARCH_TRAP)
		return false;
	if (code[0] == 3 && code[-1] == INT_IMM)
		return false;
	regs[REG_RIP] = (greg_t)addr;
	orphan_lift_all(data);
	return true;
}

// Restore the thread's signal mask, if it was stepped with its signals blocked.
IN_PROGRAM static void orphan_unmask(const struct orphan_data *data,
				     ucontext_t *uc)
{
	uint64_t *mask = (uint64_t *)&uc->uc_sigmask;
	uint64_t tid = 0;

	for (int i = 0; i < ORPHAN_MASKS_MAX; i++) {
		if (!data->masks[i].tid ||
		    orphan_step_mask(data->masks[i].mask) != *mask)
			continue;
		if (!tid)
			tid = (uint64_t)orphan_syscall(SYS_gettid, 0, 0, 0, 0);
		if (data->masks[i].tid == tid)
			*mask = data->masks[i].mask;
	}
}

/*
 * Choose the handler for a SIGTRAP that is not ours; 0: none. A handler that
 * has ours as its predecessor passes on what it does not know: that goes to the
 * predecessor of ours.
 */
IN_PROGRAM static uint64_t orphan_pass(struct orphan_data *data,
				       siginfo_t *info, greg_t *regs)
{
	struct orphan_actions *actions = &data->actions;
	uint64_t handler = info->si_errno == PASSED ? actions->earlier.handler
						    : actions->old.handler;

	info->si_errno = PASSED;
	if (handler > 1)
		return handler;
	if (handler == 1 && info->si_code <= 0)
		return 0;
	// What the kernel would have done: it is the end.
	actions->old.handler = 0;
	orphan_syscall(SYS_rt_sigaction, SIGTRAP, (uint64_t)&actions->old, 0,
		       8);
	if (info->si_code == SI_KERNEL)
		regs[REG_RIP]--;
	else
		orphan_syscall(SYS_tgkill,
			       (uint64_t)orphan_syscall(SYS_getpid, 0, 0, 0, 0),
			       (uint64_t)orphan_syscall(SYS_gettid, 0, 0, 0, 0),
			       SIGTRAP, 0);
	return 0;
}

uint64_t orphan_judge(int sig, siginfo_t *info, ucontext_t *uc,
		      struct orphan_data *data);

IN_PROGRAM uint64_t orphan_judge(int sig, siginfo_t *info, ucontext_t *uc,
				 struct orphan_data *data)
{
	greg_t *regs = uc->uc_mcontext.gregs;

	(void)sig;
	orphan_unmask(data, uc);
	if (info->si_code == SI_KERNEL && orphan_int3(data, regs))
		return 0;
	// Our single step or watchpoint. No switch: it might be compiled to a
	// table.
	if (info->si_code == TRAP_TRACE || info->si_code == TRAP_BRKPT ||
	    info->si_code == TRAP_HWBKPT) {
		orphan_lift_all(data);
		return 0;
	}
	return orphan_pass(data, info, regs);
}
