/*
 * The instruction beneath a trap, executed by us.
 *
 * Only simple forms are known: those that begin functions, sequence points
 * and the runtime's entry points. Whatever is not understood completely is
 * refused, and the caller lets the processor do it in place.
 */
#ifndef TARGET_EMULATE_H
#define TARGET_EMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/arch.h"
#include "target/x86/emuinsn.h"

/* Callbacks that access the thread's memory; false: the access would fault. */
struct emu_memory {
	bool (*read)(void *arg, uint64_t addr, void *buf, size_t n);
	bool (*write)(void *arg, uint64_t addr, const void *buf, size_t n);
	void *arg;
};

/* Decode the instruction at @bytes; false and EMU_REFUSED: not a known one. */
bool emu_decode(const uint8_t *bytes, size_t n, struct emu_insn *ret);

/*
 * Execute @insn, which stands at the pc. False if it is refused or would
 * fault: then nothing was changed.
 */
bool emu_run(const struct emu_insn *insn, struct regs *regs,
	     const struct emu_memory *mem);

/* Does @insn change memory in a way that doing it twice would not? */
bool emu_is_once(const struct emu_insn *insn);

#endif
