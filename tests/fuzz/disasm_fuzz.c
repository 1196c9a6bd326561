/* Any bytes of a program's memory, disassembled: instructions and stubs. */
#include "code/disasm.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/code.h"
#include "fuzztarget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	CODE_START = 0x10000,
	MAX_INSNS = 100,
};

struct memory {
	struct target target;
	const uint8_t *data;
	size_t size;
};

static size_t read_data(struct target *t, uint64_t addr, void *buf, size_t n)
{
	const struct memory *m = (const struct memory *)t;
	uint64_t at = addr - CODE_START;

	if (at >= m->size)
		return 0;
	if (n > m->size - at)
		n = m->size - at;
	memcpy(buf, m->data + at, n);
	return n;
}

static struct dbg_error *no_maps(struct target *t, struct proc_maps *ret)
{
	(void)t;
	memset(ret, 0, sizeof(*ret));
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct target_ops ops = {
	    .read = read_data, .frozen = fuzz_never_frozen, .maps = no_maps};
	struct memory m = {.data = data, .size = size};
	struct dbg_insn *insns;
	struct insn one;
	size_t n = 0;

	target_init(&m.target, &ops, 1);
	struct arena *arena = arena_create();
	struct code *code = code_create(&m.target, NULL, NULL, NULL);
	struct dbg_error *err =
	    disasm_native(code, CODE_START, MAX_INSNS, arena, &insns, &n);
	if (!err && n > MAX_INSNS)
		abort();
	dbg_error_destroy(err);
	if (insn_decode(data, size, CODE_START, &one) &&
	    (!one.size || one.size > size))
		abort();
	code_destroy(code);
	arena_destroy(arena);
	target_deinit(&m.target);
	return 0;
}
