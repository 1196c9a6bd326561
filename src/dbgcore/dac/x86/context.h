/* The CONTEXT of the DAC on x86-64, as far as it is filled and read here. */
#ifndef DAC_X86_CONTEXT_H
#define DAC_X86_CONTEXT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "target/arch.h"

enum {
	CONTEXT_MACHINE = 0x8664, /* IMAGE_FILE_MACHINE_AMD64 */
	CONTEXT_AMD64 = 0x100000,
	CONTEXT_CONTROL = CONTEXT_AMD64 | 1,
	CONTEXT_INTEGER = CONTEXT_AMD64 | 2,
	CONTEXT_SEGMENTS = CONTEXT_AMD64 | 4,
	CONTEXT_FLOATING = CONTEXT_AMD64 | 8,
	CONTEXT_FULL = 0x10001f,
};

struct context {
	uint64_t home[6];
	uint32_t flags, mxcsr;
	uint16_t cs, ds, es, fs, gs, ss;
	uint32_t eflags;
	uint64_t dr[6];
	uint64_t general[ARCH_GENERAL]; /* in the order of their numbers */
	uint64_t rip;
	uint8_t fxsave[512];
	uint8_t rest[464];
} __attribute__((aligned(16)));
static_assert(sizeof(struct context) == 1232, "");
static_assert(offsetof(struct context, rip) == 0xf8, "");
static_assert(offsetof(struct context, fxsave) == 0x100, "");

#endif
