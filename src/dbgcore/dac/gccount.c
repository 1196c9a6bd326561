/*
 * Where the collector keeps its count of collections under way. No symbol
 * tells; the DAC reads it to say whether the heap can be walked:
 *
 *   the collector's table for debuggers (struct GcDacVars), one read
 *   ... +0xc0 of it: the address of the count, whose four bytes are read
 */
#include "dac/dac_priv.h"

enum {
	VARS_COUNT = 0xc0, /* GcDacVars.gc_structures_invalid_cnt, 8 to 10 */
	VARS_MIN = VARS_COUNT + 8,
};

static bool was_read(const struct read_log *log, uint64_t addr, uint32_t size)
{
	for (size_t i = 0; i < log->n; i++)
		if (log->reads[i].addr == addr && log->reads[i].size == size)
			return true;
	return false;
}

static uint64_t find_count(struct dac *d, const struct read_log *log)
{
	uint64_t addr;

	for (size_t i = 0; i < log->n; i++)
		if (log->reads[i].size >= VARS_MIN &&
		    target_read_some(d->target, log->reads[i].addr + VARS_COUNT,
				     &addr, sizeof(addr)) == sizeof(addr) &&
		    was_read(log, addr, sizeof(int32_t)))
			return addr;
	return 0;
}

uint64_t dac_gc_count(struct dac *d)
{
	struct read_log log = {.n = 0};
	uint64_t heap[8];

	if (d->learned.gc_count)
		return d->learned.gc_count;
	// What it has cached it would not read.
	dac_drop(d);
	d->data_target.log = &log;
	int32_t hr = DAC_CALL(d, d->sos, SOS_HEAP, heap);
	d->data_target.log = NULL;
	if (hr == COM_OK)
		d->learned.gc_count = find_count(d, &log);
	return d->learned.gc_count;
}
