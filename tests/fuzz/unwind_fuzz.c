/*
 * Unwind information in memory, from the header of an image to its callers:
 * the input is the image, with the stack in the end of it.
 */
#include "target/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzztarget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	IMAGE_START = 0x10000, /* as in the mappings below */
	ENTRY_OFFSET = 24,     /* e_entry: where the thread stands */
	STACK_SIZE = 64,
	MAX_FRAMES = 100,
};

struct memory {
	struct target target;
	const uint8_t *data;
	size_t size;
};

static size_t read_data(struct target *t, uint64_t addr, void *buf, size_t n)
{
	const struct memory *m = (const struct memory *)t;
	uint64_t at = addr - IMAGE_START;

	if (at >= m->size)
		return 0;
	if (n > m->size - at)
		n = m->size - at;
	memcpy(buf, m->data + at, n);
	return n;
}

static struct dbg_error *one_image(struct target *t, struct proc_maps *ret)
{
	static const char text[] = "10000-20000 r-xp 00000000 00:00 0 [vdso]\n";

	(void)t;
	proc_maps_parse(xstrdup(text), ret);
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct target_ops ops = {
	    .read = read_data, .frozen = fuzz_never_frozen, .maps = one_image};
	struct memory m = {.data = data, .size = size};
	struct regs regs = {0};
	uint64_t at[N_SAVED_REGS] = {0};
	bool leaf = true;

	if (size < ENTRY_OFFSET + sizeof(uint64_t) + STACK_SIZE)
		return 0;
	memcpy(&regs.rip, data + ENTRY_OFFSET, sizeof(uint64_t));
	regs.rip += IMAGE_START;
	regs.rsp = regs.rbp = IMAGE_START + size - STACK_SIZE;
	target_init(&m.target, &ops, 1);
	for (int i = 0; i < MAX_FRAMES; i++) {
		uint64_t sp = regs.rsp;
		if (!unwind_step_saved(&m.target, &regs, &leaf, at))
			break;
		// A caller's frame is above, or it was interrupted.
		if (regs.rsp <= sp && !leaf)
			abort();
	}
	target_deinit(&m.target);
	return 0;
}
