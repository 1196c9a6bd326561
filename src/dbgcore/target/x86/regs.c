/* What each register of x86-64 is for, by the System V calling convention. */
#include "target/arch.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/user.h>

static_assert(sizeof(struct regs) == sizeof(struct user_regs_struct), "");
static_assert(offsetof(struct regs, rip) ==
		  offsetof(struct user_regs_struct, rip),
	      "");
static_assert(sizeof(struct fpregs) == sizeof(struct user_fpregs_struct), "");

enum {
	RESTART_BLOCK = 516,
};

/* In the order of their numbers. */
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

uint64_t regs_pc(const struct regs *r)
{
	return r->rip;
}

uint64_t regs_sp(const struct regs *r)
{
	return r->rsp;
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

void regs_syscall_made(struct regs *r, uint64_t pc)
{
	r->rip = r->rcx = pc + ARCH_SYSCALL_BYTES;
}

// ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND and ERESTART_RESTARTBLOCK
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
