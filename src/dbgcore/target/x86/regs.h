/* Registers of x86-64, as PTRACE_GETREGS and PTRACE_GETFPREGS give them. */
#ifndef TARGET_X86_REGS_H
#define TARGET_X86_REGS_H

#include <stdint.h>

#define ARCH_NAME "x86-64"

enum {
	ARCH_ELF_MACHINE = 62, /* EM_X86_64 */
	ARCH_GENERAL = 16,     /* general registers */
	ARCH_SP = 4,           /* of these, the stack pointer */
	ARCH_FP = 5,           /* and the frame pointer */
	ARCH_SAVED = 5,        /* callee-saved ones besides these two */
	ARCH_LISTED = 26,      /* registers that people are shown */
	ARCH_DWARF_SP = 7,     /* columns of DWARF */
	ARCH_DWARF_PC = 16,
	ARCH_DWARF_REGS = 17,
	ARCH_TRAP = 0xcc,     /* int3, the byte that traps */
	ARCH_TRAP_BEHIND = 1, /* how far behind it pc is then */
	ARCH_TRAP_MAX = 2,    /* bytes of the longest instruction that traps */
	ARCH_SYSCALL_BYTES = 2,
	REGS_RF = 1 << 16,  /* EFLAGS.RF: see regs_mark */
	ARCH_INSN_MAX = 15, /* bytes of the longest instruction */
	/* perf_event's numbers of frame pointer, stack pointer, pc: its order
	 */
	ARCH_PERF_REGS = 1 << 6 | 1 << 7 | 1 << 8,
	ARCH_PERF_SAVED = 1 << 1 | 0xf << 20, /* and of callee-saved ones */
};

struct regs {
	uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10;
	uint64_t r9, r8, rax, rcx, rdx, rsi, rdi;
	uint64_t orig_rax; /* the system call it is in; negative: none */
	uint64_t rip, cs, eflags, rsp, ss;
	uint64_t fs_base, gs_base, ds, es, fs, gs;
};

/* As the FXSAVE instruction stores them. */
struct fpregs {
	uint16_t cwd, swd, ftw, fop;
	uint64_t rip, rdp;
	uint32_t mxcsr, mxcsr_mask;
	uint8_t rest[480];
};

#endif
