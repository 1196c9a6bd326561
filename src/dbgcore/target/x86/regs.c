/* The roles of x86-64's registers, by the System V calling convention. */
#include "target/target.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <ucontext.h>

static_assert(sizeof(struct regs) == sizeof(struct user_regs_struct), "");
static_assert(offsetof(struct regs, rip) ==
		  offsetof(struct user_regs_struct, rip),
	      "");
static_assert(sizeof(struct fpregs) == sizeof(struct user_fpregs_struct), "");

enum {
	RESTART_BLOCK = 516,
};

/* In the order of their numbers in machine code. */
static const uint8_t general[ARCH_GENERAL] = {
    offsetof(struct regs, rax), offsetof(struct regs, rcx),
    offsetof(struct regs, rdx), offsetof(struct regs, rbx),
    offsetof(struct regs, rsp), offsetof(struct regs, rbp),
    offsetof(struct regs, rsi), offsetof(struct regs, rdi),
    offsetof(struct regs, r8),  offsetof(struct regs, r9),
    offsetof(struct regs, r10), offsetof(struct regs, r11),
    offsetof(struct regs, r12), offsetof(struct regs, r13),
    offsetof(struct regs, r14), offsetof(struct regs, r15),
};

enum {
	RBX = 3,
	R12 = 12,
};

const uint8_t arch_saved[ARCH_SAVED] = {RBX, R12, R12 + 1, R12 + 2, R12 + 3};

const uint8_t arch_dwarf[ARCH_GENERAL] = {
    0, 2, 1, 3, ARCH_DWARF_SP, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15,
};

#define REGISTER(name, number)                                                 \
	{                                                                      \
#name, offsetof(struct regs, name), number                     \
	}

static const struct {
	const char *name;
	uint8_t offset, number;
} listed[ARCH_LISTED] = {
    REGISTER(rax, 0),
    REGISTER(rbx, RBX),
    REGISTER(rcx, 1),
    REGISTER(rdx, 2),
    REGISTER(rsi, 6),
    REGISTER(rdi, 7),
    REGISTER(rbp, ARCH_FP),
    REGISTER(rsp, ARCH_SP),
    REGISTER(r8, 8),
    REGISTER(r9, 9),
    REGISTER(r10, 10),
    REGISTER(r11, 11),
    REGISTER(r12, R12),
    REGISTER(r13, 13),
    REGISTER(r14, 14),
    REGISTER(r15, 15),
    REGISTER(rip, ARCH_PC),
    REGISTER(eflags, ARCH_OTHER),
    REGISTER(cs, ARCH_OTHER),
    REGISTER(ss, ARCH_OTHER),
    REGISTER(ds, ARCH_OTHER),
    REGISTER(es, ARCH_OTHER),
    REGISTER(fs, ARCH_OTHER),
    REGISTER(gs, ARCH_OTHER),
    REGISTER(fs_base, ARCH_OTHER),
    REGISTER(gs_base, ARCH_OTHER),
};
#undef REGISTER

void regs_list(const struct regs *r, struct regs_item ret[ARCH_LISTED])
{
	for (size_t i = 0; i < ARCH_LISTED; i++) {
		ret[i].name = listed[i].name;
		ret[i].number = listed[i].number;
		memcpy(&ret[i].value, (const char *)r + listed[i].offset,
		       sizeof(ret[i].value));
	}
}

// Read the return address: at the first instruction it is on top of the stack.
struct dbg_error *regs_return_address(const struct regs *r, struct target *t,
				      uint64_t *ret)
{
	return target_read_u64(t, r->rsp, ret);
}

void regs_return(struct regs *r, uint64_t addr)
{
	r->rip = addr;
	r->rsp += sizeof(addr);
}

bool regs_leave_signal(struct regs *r, struct target *t)
{
	/* mov $SYS_rt_sigreturn, %rax; syscall */
	static const uint8_t restorer[] = {0x48, 0xc7, 0xc0, 0x0f, 0,
					   0,    0,    0x0f, 0x05};
	static const struct {
		uint8_t in_regs, in_context;
	} saved[] = {
	    {offsetof(struct regs, r8), REG_R8},
	    {offsetof(struct regs, r9), REG_R9},
	    {offsetof(struct regs, r10), REG_R10},
	    {offsetof(struct regs, r11), REG_R11},
	    {offsetof(struct regs, r12), REG_R12},
	    {offsetof(struct regs, r13), REG_R13},
	    {offsetof(struct regs, r14), REG_R14},
	    {offsetof(struct regs, r15), REG_R15},
	    {offsetof(struct regs, rdi), REG_RDI},
	    {offsetof(struct regs, rsi), REG_RSI},
	    {offsetof(struct regs, rbp), REG_RBP},
	    {offsetof(struct regs, rbx), REG_RBX},
	    {offsetof(struct regs, rdx), REG_RDX},
	    {offsetof(struct regs, rax), REG_RAX},
	    {offsetof(struct regs, rcx), REG_RCX},
	    {offsetof(struct regs, rsp), REG_RSP},
	    {offsetof(struct regs, rip), REG_RIP},
	};
	const size_t size = offsetof(ucontext_t, uc_sigmask);
	uint8_t code[sizeof(restorer)];
	ucontext_t uc;

	if (target_read_some(t, r->rip, code, sizeof(code)) != sizeof(code) ||
	    memcmp(code, restorer, sizeof(code)) ||
	    target_read_some(t, r->rsp, &uc, size) != size)
		return false;
	for (size_t i = 0; i < sizeof(saved) / sizeof(*saved); i++)
		memcpy((uint8_t *)r + saved[i].in_regs,
		       &uc.uc_mcontext.gregs[saved[i].in_context],
		       sizeof(uint64_t));
	return true;
}

uintptr_t arch_signal_pc(const void *context)
{
	const ucontext_t *uc = context;

	return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
}

void arch_relax(void)
{
	__builtin_ia32_pause();
}

uint64_t regs_pc(const struct regs *r)
{
	return r->rip;
}

uint64_t regs_sp(const struct regs *r)
{
	return r->rsp;
}

uint64_t regs_thread(const struct regs *r)
{
	return r->fs_base;
}

uint64_t regs_fp(const struct regs *r)
{
	return r->rbp;
}

void regs_set_pc(struct regs *r, uint64_t pc)
{
	r->rip = pc;
}

void regs_set_sp(struct regs *r, uint64_t sp)
{
	r->rsp = sp;
}

void regs_set_fp(struct regs *r, uint64_t fp)
{
	r->rbp = fp;
}

uint64_t regs_arg(const struct regs *r, unsigned int n)
{
	const uint64_t args[] = {r->rdi, r->rsi, r->rdx, r->rcx, r->r8, r->r9};

	assert(n < sizeof(args) / sizeof(*args));
	return args[n];
}

struct dbg_error *regs_any_arg(const struct regs *r, struct target *t,
			       unsigned int n, uint64_t *ret)
{
	enum {
		IN_REGISTERS = 6
	};

	if (n >= IN_REGISTERS) // behind the return address
		return target_read_u64(
		    t, r->rsp + 8 * (uint64_t)(n - IN_REGISTERS + 1), ret);
	*ret = regs_arg(r, n);
	return NULL;
}

uint64_t regs_get(const struct regs *r, unsigned int n)
{
	assert(n < ARCH_GENERAL);
	return *(const uint64_t *)((const char *)r + general[n]);
}

void regs_set(struct regs *r, unsigned int n, uint64_t value)
{
	assert(n < ARCH_GENERAL);
	*(uint64_t *)((char *)r + general[n]) = value;
}

void regs_set_result(struct regs *r, uint64_t value)
{
	r->rax = value;
}

void regs_of_syscall(const uint64_t v[ARCH_SYSCALL_WORDS], struct regs *ret)
{
	*ret = (struct regs){
	    .orig_rax = v[0],
	    .rax = (uint64_t)-ENOSYS,
	    .rdi = v[1],
	    .rsi = v[2],
	    .rdx = v[3],
	    .r10 = v[4],
	    .r8 = v[5],
	    .r9 = v[6],
	    .rsp = v[7],
	    .rip = v[8],
	};
}

bool regs_in_call(const struct regs *r)
{
	return (int64_t)r->orig_rax >= 0;
}

// Will the kernel restart the system call: ERESTARTSYS, ERESTARTNOINTR,
// ERESTARTNOHAND, ERESTART_RESTARTBLOCK?
bool regs_restarts(const struct regs *r)
{
	int64_t error = -(int64_t)r->rax;

	return (int64_t)r->orig_rax >= 0 &&
	       ((error >= 512 && error <= 514) || error == RESTART_BLOCK);
}

void regs_restart(struct regs *r)
{
	if (!regs_restarts(r))
		return;
	r->rax = (int64_t)r->rax == -RESTART_BLOCK ? SYS_restart_syscall
						   : r->orig_rax;
	r->rip -= ARCH_SYSCALL_BYTES;
}

void regs_mark(struct regs *r)
{
	r->eflags |= REGS_RF;
}
