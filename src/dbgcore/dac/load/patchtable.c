/*
 * The breakpoints of a debugger inside of the process.
 *
 * Whenever the DAC reads code or a stack to unwind a frame it looks through
 * the runtime's table of these, to put back what lies beneath. .NET 9 has the
 * table from its start on, though there is no such debugger: empty, of 1,000
 * buckets, each of which the DAC reads by itself, once a stop, and passes
 * again for each frame. While the table is empty the DAC is told that there is
 * none. No symbol leads there; the DAC does when it unwinds a frame:
 *
 *   the flag that the table is valid, four bytes
 *   the address of the table, eight bytes
 *   the table, whole
 *   the first of its buckets, four bytes
 *
 * The offsets in the table are believed only if these reads agree with them.
 */
#include "dac/dac_priv.h"

enum {
	TABLE_BYTES = 0x30,
	BUCKETS_MAX = 4096,
	BUCKET_FREE = -1,
	WALK_TRIES = 32, /* items, to the first that is unwound */
};

struct table {
	uint32_t n;
	uint64_t buckets;
};

static bool table_read(const struct data_target *dt, uint64_t addr,
		       struct table *ret)
{
	const struct data_settings *set = &dt->set;

	if (target_read_some(dt->target, addr + set->patch_count, &ret->n,
			     sizeof(ret->n)) != sizeof(ret->n) ||
	    target_read_some(dt->target, addr + set->patch_buckets,
			     &ret->buckets,
			     sizeof(ret->buckets)) != sizeof(ret->buckets))
		return false;
	return ret->n && ret->n <= BUCKETS_MAX && ret->buckets;
}

bool patch_table_none(const struct data_target *dt)
{
	int32_t buckets[BUCKETS_MAX];
	struct table table;
	uint64_t addr;

	if (target_read_some(dt->target, dt->set.patch_table, &addr,
			     sizeof(addr)) != sizeof(addr) ||
	    !table_read(dt, addr, &table))
		return false;
	size_t size = table.n * sizeof(*buckets);
	if (target_read_some(dt->target, table.buckets, buckets, size) != size)
		return false;
	for (uint32_t i = 0; i < table.n; i++)
		if (buckets[i] != BUCKET_FREE)
			return false;
	return true;
}

static bool is_read(const struct read_log *log, size_t i, uint64_t addr,
		    uint32_t size)
{
	return log->reads[i].addr == addr && log->reads[i].size == size;
}

// Was the read at @i the one of the flag? The DAC looks at the table's first
// word before it reads the whole table.
static bool is_flag(struct dac *d, const struct read_log *log, size_t i)
{
	struct table table;
	uint64_t addr;

	return log->reads[i].size == sizeof(uint32_t) &&
	       log->reads[i + 1].size == sizeof(addr) &&
	       target_read_some(d->target, log->reads[i + 1].addr, &addr,
				sizeof(addr)) == sizeof(addr) &&
	       is_read(log, i + 3, addr, TABLE_BYTES) &&
	       table_read(&d->data_target, addr, &table) &&
	       is_read(log, i + 4, table.buckets, sizeof(uint32_t));
}

static void flag_find(struct dac *d, const struct read_log *log)
{
	for (size_t i = 0; i + 4 < log->n && !d->data_target.set.patch_flag;
	     i++) {
		if (!is_flag(d, log, i))
			continue;
		d->data_target.set.patch_table = log->reads[i + 1].addr;
		d->data_target.set.patch_flag = log->reads[i].addr;
	}
}

// Walk to a managed frame and on to its caller; false: there is none.
static bool unwind_one(struct dac *d, pid_t tid)
{
	uint32_t simple = 0, detail = 0;
	int32_t hr = COM_OK;

	_cleanup_com_ void *walk = dac_walk_open(d, tid);
	for (int i = 0; walk && hr == COM_OK && i < WALK_TRIES; i++) {
		hr = DAC_CALL(d, walk, WALK_FRAME_TYPE, &simple, &detail);
		if (hr == COM_OK)
			hr = DAC_CALL(d, walk, WALK_NEXT);
		if (simple == DAC_FRAME_TYPE_MANAGED)
			return true;
	}
	return false;
}

static void patch_table_search(struct dac *d, pid_t tid)
{
	struct read_log log = {.n = 0};
	struct dac_assumed count, buckets;

	d->learned.patch_table_sought =
	    !dac_holds(d, ASSUME_PATCH_COUNT, &count) ||
	    !dac_holds(d, ASSUME_PATCH_BUCKETS, &buckets);
	if (d->learned.patch_table_sought)
		return;
	d->data_target.set.patch_count = count.value;
	d->data_target.set.patch_buckets = buckets.value;
	// What it has cached it would not read.
	dac_drop(d);
	d->data_target.log = &log;
	d->learned.patch_table_sought = unwind_one(d, tid);
	d->data_target.log = NULL;
	flag_find(d, &log);
	if (d->data_target.set.patch_flag)
		dac_drop(d);
}

void patch_table_find(struct dac *d, pid_t tid)
{
	if (!d->learned.patch_table_sought)
		patch_table_search(d, tid);
}
