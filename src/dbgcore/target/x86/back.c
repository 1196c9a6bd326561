/*
 * The code that a thread of the program runs for us: it makes a system call
 * or calls a function, and restores the thread's signal mask and registers.
 */
#include "target/live/inject.h"
#include "target/live/live.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

enum {
	RED_ZONE = 512, /* ample: it is 128 */
};

// No instruction here changes the flags. Behind the code: struct back.
asm(".pushsection .rodata\n"
    "back_code:\n"
    "	syscall\n"
    "	jmp 1f\n"
    "back_fork:\n"
    "	syscall\n"
    "	mov %rax, %rcx\n"
    "	jrcxz 2f\n"
    "	jmp 1f\n"
    "2:	mov $231, %al\n" // the new process, where rax is 0: exit_group
    "	syscall\n"
    "back_call:\n"
    "	call *%rax\n"
    "1:	mov $14, %eax\n" // rt_sigprocmask(SIG_SETMASK, &back.mask, NULL, 8)
    "	mov $2, %edi\n"
    "	lea back_data(%rip), %rsi\n"
    "	mov $0, %edx\n"
    "	mov $8, %r10d\n"
    "	syscall\n"
    "	mov back_data+8(%rip), %r15\n"
    "	mov back_data+16(%rip), %r14\n"
    "	mov back_data+24(%rip), %r13\n"
    "	mov back_data+32(%rip), %r12\n"
    "	mov back_data+40(%rip), %rbp\n"
    "	mov back_data+48(%rip), %rbx\n"
    "	mov back_data+56(%rip), %r11\n"
    "	mov back_data+64(%rip), %r10\n"
    "	mov back_data+72(%rip), %r9\n"
    "	mov back_data+80(%rip), %r8\n"
    "	mov back_data+88(%rip), %rax\n"
    "	mov back_data+96(%rip), %rcx\n"
    "	mov back_data+104(%rip), %rdx\n"
    "	mov back_data+112(%rip), %rsi\n"
    "	mov back_data+120(%rip), %rdi\n"
    "	mov back_data+136(%rip), %rsp\n"
    "	jmp *back_data+128(%rip)\n"
    "	.balign 8\n"
    "back_data:\n"
    ".popsection\n");
extern const uint8_t back_code[], back_fork[], back_call[], back_data[];

struct back {
	uint64_t mask;
	uint64_t regs[15]; /* as struct regs begins */
	uint64_t rip, rsp;
};
static_assert(offsetof(struct regs, rdi) == 14 * 8, "");

size_t back_code_bytes(void)
{
	return (size_t)(back_data - back_code);
}

bool back_is(const uint8_t *code)
{
	return !memcmp(code, back_code, back_code_bytes());
}

size_t back_make(const struct regs *r, uint64_t mask, uint8_t ret[CAVE_BYTES])
{
	struct back back = {.mask = mask, .rip = r->rip, .rsp = r->rsp};

	assert(back_code_bytes() + sizeof(back) <= CAVE_BYTES);
	memcpy(back.regs, r, sizeof(back.regs));
	memcpy(ret, back_code, back_code_bytes());
	memcpy(ret + back_code_bytes(), &back, sizeof(back));
	return back_code_bytes() + sizeof(back);
}

void back_restore(const uint8_t code[CAVE_BYTES], struct regs *r,
		  uint64_t *ret_mask)
{
	struct back back;

	memcpy(&back, code + back_code_bytes(), sizeof(back));
	*ret_mask = back.mask;
	memcpy(r, back.regs, sizeof(back.regs));
	r->rip = back.rip;
	r->rsp = back.rsp;
	r->orig_rax = UINT64_MAX;
}

void back_syscall(struct regs *r, uint64_t cave, long nr,
		  const uint64_t args[6])
{
	r->rip = cave;
	r->rax = (uint64_t)nr;
	r->rdi = args[0];
	r->rsi = args[1];
	r->rdx = args[2];
	r->r10 = args[3];
	r->r8 = args[4];
	r->r9 = args[5];
	r->orig_rax = UINT64_MAX;
}

void back_clone(struct regs *r, uint64_t cave, uint64_t flags)
{
	const uint64_t args[6] = {flags};

	back_syscall(r, cave, SYS_clone, args);
	r->rip = cave + (size_t)(back_fork - back_code);
}

uint64_t back_result(const struct regs *r)
{
	return r->rax;
}

// Set the registers up for the call, on the thread's stack below its red zone.
void back_call_leaf(struct regs *r, uint64_t cave, uint64_t addr,
		    const uint64_t args[2])
{
	r->rip = cave + (size_t)(back_call - back_code);
	r->rax = addr;
	r->rdi = args[0];
	r->rsi = args[1];
	r->rsp = (r->rsp - RED_ZONE) & ~UINT64_C(15);
	r->orig_rax = UINT64_MAX;
}
