/*
 * The collector's handles.
 *
 * With server GC there is a table of handles for each processor, and one heap
 * for each at most: since .NET 9 there are as few as the program needs (DATAS).
 * The DAC looks into as many tables as there are heaps, and leaves out the
 * handles of the others; all that these keep alive would look like garbage. So
 * while it lists them it is told that there are as many heaps as tables, which
 * are found by
 *
 *   GcDacVars.n_heaps: the address of the number of heaps
 *   GcDacVars.handle_table_map: the map of tables -> its buckets -> the first
 * of them -> an array of tables, each with a segment, whose header has the
 * address of the table
 */
#include "dac/dac_priv.h"
#include "dac/daclist.h"
#include "dac/gcheap.h"
#include "dac/gcslots.h"

#include <stdlib.h>
#include <string.h>

/* ---- The collector's counter --------------------------------------------- */

/*
 * Finds the GC's table for debuggers (struct GcDacVars), and its count of
 * collections under way. They have no symbols, but the DAC reads both to tell
 * whether the heap can be walked:
 *
 *   the table, one read ...
 *   +0xc0 of it: the address of the count, whose four bytes are read
 */

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

/* The collector's struct GcDacVars; 0: it was not found. */
static uint64_t dac_gc_vars(struct dac *d)
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

/* ---- The collector's handles --------------------------------------------- */

enum {
	HANDLES_MAX = 1 << 24,
	TABLES_MAX = 1024,    /* one a processor */
	TABLE_SEGMENT = 0x30, /* HandleTable.pSegmentList, since 10 at 0x38 */
	TABLE_SEGMENT_LAST = 0x38,
	SEGMENT_HEADER = 0x1000,
	SEGMENT_ALIGN = 0x10000,
};

/* ---- Tables ---------------------------------------------------------- */

static bool is_table(struct dac *d, uint64_t table)
{
	uint8_t header[SEGMENT_HEADER];

	for (uint64_t at = TABLE_SEGMENT; table && at <= TABLE_SEGMENT_LAST;
	     at += sizeof(table)) {
		uint64_t segment = dac_word(d, table + at);

		if (segment && segment % SEGMENT_ALIGN == 0 &&
		    target_read_some(d->target, segment, header,
				     sizeof(header)) == sizeof(header) &&
		    memmem(header, sizeof(header), &table, sizeof(table)))
			return true;
	}
	return false;
}

static uint32_t count_tables(struct dac *d, uint64_t map)
{
	uint64_t buckets = dac_word(d, dac_word(d, map));
	uint64_t tables = dac_word(d, dac_word(d, buckets));
	uint32_t n = 0;

	while (n < TABLES_MAX &&
	       is_table(d, dac_word(d, tables + n * sizeof(tables))))
		n++;
	return n;
}

/* Does the map lead to tables? */
bool handle_map_holds(struct dac *d, uint64_t offset)
{
	uint64_t vars = dac_gc_vars(d);

	return vars && count_tables(d, vars + offset);
}

/* Is the number there the one that the DAC tells? */
bool heaps_hold(struct dac *d, uint64_t offset)
{
	struct sos_heap heap = {0};
	uint64_t vars = dac_gc_vars(d);
	uint32_t n;

	return vars && DAC_CALL(d, d->sos, SOS_HEAP, &heap) >= 0 &&
	       target_read_some(d->target, dac_word(d, vars + offset), &n,
				sizeof(n)) == sizeof(n) &&
	       n == heap.n_heaps;
}

// Have the DAC look into all tables if it would not; false: it does.
static bool tell_tables(struct dac *d)
{
	struct sos_heap heap = {0};
	struct dac_assumed heaps, map;

	if (DAC_CALL(d, d->sos, SOS_HEAP, &heap) < 0 || !heap.server ||
	    !dac_holds(d, ASSUME_HEAPS, &heaps) ||
	    !dac_holds(d, ASSUME_HANDLE_MAP, &map))
		return false;
	uint64_t vars = dac_gc_vars(d);
	uint32_t n = count_tables(d, vars + map.value);

	if (n <= heap.n_heaps)
		return false;
	d->data_target.set.heaps = n;
	d->data_target.set.heaps_at = dac_word(d, vars + heaps.value);
	// What it has cached it would not read.
	dac_drop(d);
	return true;
}

/* ---- Handles --------------------------------------------------------- */

static void add_handle(struct dac *d, const struct sos_handle *h,
		       struct gc_handle *ret)
{
	*ret = (struct gc_handle){
	    .addr = h->handle,
	    .secondary = h->secondary,
	    .kind = (enum dbg_handle_kind)h->kind,
	    .strong = h->strong,
	    .count = h->count,
	};
	if (target_read_some(d->target, h->handle, &ret->object,
			     sizeof(ret->object)) != sizeof(ret->object))
		ret->object = 0;
}

static int32_t list_handles(struct dac *d, struct dac_elements *ret)
{
	_cleanup_com_ void *list = NULL;
	int32_t hr = DAC_CALL(d, d->sos, SOS_HANDLES, &list);

	if (hr >= 0 && !list)
		hr = COM_E_FAIL;
	if (hr >= 0)
		*ret = dac_list_read(d, list, HANDLES_NEXT, HANDLES_MAX);
	return hr;
}

struct dbg_error *dac_gc_handles(struct dac *d, struct arena *arena,
				 struct gc_handle **ret, size_t *ret_n)
{
	const struct sos_handle *v;
	struct dac_elements all;
	bool told = tell_tables(d);
	int32_t hr = list_handles(d, &all);

	if (told) {
		d->data_target.set.heaps_at = 0;
		dac_drop(d);
	}
	if (hr < 0)
		return dac_err(hr, "cannot list the handles");
	v = all.v;
	*ret = arena_calloc(arena, all.n + 1, sizeof(**ret));
	*ret_n = all.n;
	for (size_t i = 0; i < all.n; i++)
		add_handle(d, &v[i], &(*ret)[i]);
	free(all.v);
	return NULL;
}
