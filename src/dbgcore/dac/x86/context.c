/* The DAC's CONTEXT (Windows' struct for x86-64) from and to our registers. */
#include "dac/dac_priv.h"

#include <string.h>

void context_set_regs(struct context *c, const struct regs *regs)
{
	c->cs = (uint16_t)regs->cs;
	c->ds = (uint16_t)regs->ds;
	c->es = (uint16_t)regs->es;
	c->fs = (uint16_t)regs->fs;
	c->gs = (uint16_t)regs->gs;
	c->ss = (uint16_t)regs->ss;
	c->eflags = (uint32_t)regs->eflags;
	for (unsigned int i = 0; i < ARCH_GENERAL; i++)
		c->general[i] = regs_get(regs, i);
	c->rip = regs->rip;
}

void context_get_regs(const struct context *c, struct regs *ret)
{
	*ret = (struct regs){
	    .cs = c->cs,
	    .ds = c->ds,
	    .es = c->es,
	    .fs = c->fs,
	    .gs = c->gs,
	    .ss = c->ss,
	    .eflags = c->eflags,
	    .rip = c->rip,
	};
	for (unsigned int i = 0; i < ARCH_GENERAL; i++)
		regs_set(ret, i, c->general[i]);
}

void context_from_regs(const struct regs *regs, struct context *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->flags = CONTEXT_CONTROL | CONTEXT_INTEGER | CONTEXT_SEGMENTS;
	context_set_regs(ret, regs);
}

void context_set_fpregs(struct context *c, const struct fpregs *fpregs)
{
	static_assert(sizeof(*fpregs) == sizeof(c->fxsave), "fxsave");
	memcpy(c->fxsave, fpregs, sizeof(c->fxsave));
	c->mxcsr = fpregs->mxcsr;
	c->flags |= CONTEXT_FLOATING;
}
