/*
 * Finds the GC's table for debuggers (struct GcDacVars), and its count of
 * collections under way. They have no symbols, but the DAC reads both to tell
 * whether the heap can be walked:
 *
 *   the table, one read ...
 *   +0xc0 of it: the address of the count, whose four bytes are read
 */
#include "dac/dac_priv.h"
#include "dac/gcslots.h"

enum {
	VARS_COUNT = 0xc0, /* GcDacVars.gc_structures_invalid_cnt, 8 to 11 */
	VARS_MIN = VARS_COUNT + 8,
};

static bool was_read(const struct read_log *log, uint64_t addr, uint32_t size)
{
	for (size_t i = 0; i < log->n; i++)
		if (log->reads[i].addr == addr && log->reads[i].size == size)
			return true;
	return false;
}

static void find_vars(struct dac *d, const struct read_log *log)
{
	uint64_t addr;

	for (size_t i = 0; i < log->n && !d->learned.gc_vars; i++) {
		if (log->reads[i].size < VARS_MIN ||
		    target_read_some(d->target, log->reads[i].addr + VARS_COUNT,
				     &addr, sizeof(addr)) != sizeof(addr) ||
		    !was_read(log, addr, sizeof(int32_t)))
			continue;
		d->learned.gc_vars = log->reads[i].addr;
		d->learned.gc_count = addr;
	}
}

uint64_t dac_gc_vars(struct dac *d)
{
	struct read_log log = {.n = 0};
	struct sos_heap heap = {0};

	if (d->learned.gc_vars)
		return d->learned.gc_vars;
	// What it has cached it would not read.
	dac_drop(d);
	d->data_target.log = &log;
	int32_t hr = DAC_CALL(d, d->sos, SOS_HEAP, &heap);
	d->data_target.log = NULL;
	if (hr == COM_OK)
		find_vars(d, &log);
	return d->learned.gc_vars;
}

bool gc_count_find(struct dac *d, uint64_t *ret)
{
	*ret = dac_gc_vars(d) ? d->learned.gc_count : 0;
	return *ret;
}

uint64_t dac_gc_count(struct dac *d)
{
	struct dac_assumed count;
	struct dbg_error *err = dac_assume(d, ASSUME_GC_COUNT, &count);

	return dbg_err_drop(err) ? 0 : count.value;
}
