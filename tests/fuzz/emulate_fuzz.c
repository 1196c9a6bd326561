/* Any bytes as an instruction beneath a trap, in any state. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "target/emulate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct memory {
	const uint8_t *data;
	size_t size;
	unsigned int writes;
	int refuse;
};

static bool read_any(void *arg, uint64_t addr, void *buf, size_t n)
{
	struct memory *m = arg;

	if (n > 8)
		abort();
	if (m->refuse & 1)
		return false;
	for (size_t i = 0; i < n; i++)
		((uint8_t *)buf)[i] = m->data[(addr + i) % m->size];
	return true;
}

static bool write_any(void *arg, uint64_t addr, const void *buf, size_t n)
{
	struct memory *m = arg;

	(void)addr;
	(void)buf;
	if (n > 8)
		abort();
	if (m->refuse & 2)
		return false;
	m->writes++;
	return true;
}

static void run(const struct emu_insn *insn, struct memory *memory)
{
	const struct emu_memory mem = {read_any, write_any, memory};
	struct regs regs, before;

	for (size_t i = 0; i < sizeof(regs); i++)
		((uint8_t *)&regs)[i] = memory->data[i % memory->size];
	before = regs;
	memory->writes = 0;
	bool done = emu_run(insn, &regs, &mem);
	if (!done && (memory->writes || memcmp(&regs, &before, sizeof(regs))))
		abort();
	if (memory->writes > 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct emu_insn insn, again;
	struct memory memory = {data, size, 0, 0};

	if (!size || !emu_decode(data, size, &insn))
		return 0;
	// No more than it needs, no less than it says.
	if (!insn.len || insn.len > size || insn.len > ARCH_INSN_MAX ||
	    emu_decode(data, insn.len - 1u, &again) ||
	    !emu_decode(data, insn.len, &again) ||
	    memcmp(&insn, &again, sizeof(insn)))
		abort();
	for (memory.refuse = 0; memory.refuse < 4; memory.refuse++)
		run(&insn, &memory);
	return 0;
}
