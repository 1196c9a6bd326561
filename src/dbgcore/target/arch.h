/*
 * The processor of the target, as the rest of the engine sees it: registers
 * by what they are for, and what instructions do. What is true of one
 * processor only is in the x86/ folders of the rooms and nowhere else, which
 * scripts/check-layers checks.
 *
 * General registers have the numbers that the processor's instructions and
 * the runtime give them.
 */
#ifndef TARGET_ARCH_H
#define TARGET_ARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "dbg.h"
#include "target/x86/regs.h"

struct target;

enum {
	ARCH_PC = ARCH_GENERAL, /* regs_item.number */
	ARCH_OTHER,
	ARCH_SYSCALL_WORDS = 9, /* numbers in /proc/PID/syscall */
};

/* The callee-saved general registers other than sp and fp. */
extern const uint8_t arch_saved[ARCH_SAVED];
/* The columns of the general registers in unwind information (DWARF). */
extern const uint8_t arch_dwarf[ARCH_GENERAL];

/* The program counter, the stack pointer and the frame pointer. */
uint64_t regs_pc(const struct regs *r);
uint64_t regs_sp(const struct regs *r);
uint64_t regs_fp(const struct regs *r);
/* Where the C library describes the thread, at the top of a stack of its. */
uint64_t regs_thread(const struct regs *r);
void regs_set_pc(struct regs *r, uint64_t pc);
void regs_set_sp(struct regs *r, uint64_t sp);
void regs_set_fp(struct regs *r, uint64_t fp);
/* Argument @n, at most 5, of a function at its first instruction. */
uint64_t regs_arg(const struct regs *r, unsigned int n);
/* The same for any argument; some are on the stack. */
DBG_MUST struct dbg_error *regs_any_arg(const struct regs *r, struct target *t,
					unsigned int n, uint64_t *ret);
/* The integer that a function returns. */
void regs_set_result(struct regs *r, uint64_t value);
/* General register @n. */
uint64_t regs_get(const struct regs *r, unsigned int n);
void regs_set(struct regs *r, unsigned int n, uint64_t value);

/* A register as people are shown it. */
struct regs_item {
	const char *name;
	uint64_t value;
	unsigned int number; /* of a general one, else ARCH_PC, ARCH_OTHER */
};

/* List all registers, in the order in which debuggers show them. */
void regs_list(const struct regs *r, struct regs_item ret[ARCH_LISTED]);
/* Read the return address of a function that is at its first instruction. */
DBG_MUST struct dbg_error *regs_return_address(const struct regs *r,
					       struct target *t, uint64_t *ret);
/* Make them what they are when that function has returned to @addr. */
void regs_return(struct regs *r, uint64_t addr);
/*
 * Is the thread about to return from a signal's handler to the kernel, by the
 * two instructions of rt_sigreturn? Then its registers become what the kernel
 * has saved of them on the stack.
 */
bool regs_leave_signal(struct regs *r, struct target *t);
/* The pc of our own code that was interrupted by a signal (ucontext_t). */
uintptr_t arch_signal_pc(const void *context);
/* Call in a loop that polls memory until another process has written it. */
void arch_relax(void);

/*
 * The registers of a thread inside a system call, from the words of
 * /proc/PID/syscall: its number, six arguments, sp and pc. The other registers
 * are 0.
 */
void regs_of_syscall(const uint64_t v[ARCH_SYSCALL_WORDS], struct regs *ret);
/* Was the thread stopped in a system call, and not in code of its own? */
bool regs_in_call(const struct regs *r);
/*
 * Was the thread stopped in a system call that the kernel will restart? Its
 * pc is behind the instruction until then.
 */
bool regs_restarts(const struct regs *r);
/* Make them what the kernel would make of them to restart it. */
void regs_restart(struct regs *r);
/* Note in a flag that the program never sees that pc was set by us. */
void regs_mark(struct regs *r);

/* ---- Instructions ---------------------------------------------------- */

enum insn_kind {
	INSN_OTHER,
	INSN_CALL,
	INSN_JUMP, /* with or without a condition */
	INSN_RET,
	INSN_SYSCALL,
	INSN_PUSH,    /* reg onto the stack */
	INSN_ADDRESS, /* reg becomes an address: cell, if that is not 0 */
	INSN_NOP,
};

struct insn {
	enum insn_kind kind;
	uint8_t size;
	uint8_t reg; /* the first operand, ARCH_GENERAL: no general register */
	uint64_t target; /* of a call or jump that names it, else 0 */
	uint64_t cell;   /* operand in memory that is relative to pc, or 0 */
	bool repeats;    /* a single step may do one turn of many */
	uint32_t writes; /* general registers, a bit each, by number */
};

/* Decode the instruction in @bytes, which is at @addr; false: it is none. */
bool insn_decode(const uint8_t *bytes, size_t n, uint64_t addr,
		 struct insn *ret);
/* As insn_decode, for an instruction of the target. */
bool insn_at(struct target *t, uint64_t addr, struct insn *ret);
/* Do the ARCH_TRAP_MAX bytes of @code end in an instruction that traps? */
bool insn_traps(const uint8_t *code);
/*
 * The frame of JIT-compiled code at @pc, in a function that begins at @start:
 * is the frame pointer its own? If not, how far above the stack pointer is the
 * return address?
 */
struct insn_frame {
	bool framed;
	uint32_t ret;
};
void insn_frame_at(struct target *t, uint64_t start, uint64_t pc,
		   struct insn_frame *ret);
/* Is there a call in front of @addr, which would return there? */
bool insn_is_behind_call(struct target *t, uint64_t addr);
/* Memory that an instruction reads or writes, or only reserves room for. */
struct insn_access {
	uint64_t addr;
	uint32_t size;
	bool write;
};
enum {
	INSN_ACCESSES = 4
};
/*
 * List the memory that the instruction in @bytes, at the pc of @regs, would
 * access, in the order of its operands including implied ones; returns how
 * many.
 */
size_t insn_accesses(const uint8_t *bytes, size_t n, const struct regs *regs,
		     struct insn_access ret[INSN_ACCESSES]);
/* Write it as text for people; "" if it is none. */
void insn_text(const uint8_t *bytes, size_t n, uint64_t addr, char *buf,
	       size_t size);

#endif
