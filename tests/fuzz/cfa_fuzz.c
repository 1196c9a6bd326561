/* Call frame instructions and the expressions in them. */
#include "target/elf/cfa.h"
#include "fuzztarget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Memory that reads as its own addresses.
static size_t any_read(struct target *t, uint64_t addr, void *buf, size_t n)
{
	uint8_t *p = buf;

	(void)t;
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)((addr + i) >> 3);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct target_ops ops = {.read = any_read,
					      .frozen = fuzz_never_frozen};
	const struct cfa_code code = {.code_align = 1, .data_align = -8};
	uint64_t regs[CFA_REGS] = {[CFA_SP] = 0x1000};
	struct cfa_row initial, row;
	struct target t;

	if (!size)
		return 0;
	// The first byte says how much of the rest is the CIE's.
	size_t cie = data[0] < size - 1 ? data[0] : size - 1;
	struct bytes first = {data + 1, cie};
	struct bytes second = {data + 1 + cie, size - 1 - cie};
	if (!cfa_run(&code, first, 0, UINT64_MAX, NULL, &initial) ||
	    !cfa_run(&code, second, 0, 64, &initial, &row))
		return 0;
	target_init(&t, &ops, 1);
	(void)cfa_apply(&t, &row, regs);
	target_deinit(&t);
	return 0;
}
