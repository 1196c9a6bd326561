/* The runtime's table of sync blocks: locks of objects that threads fight for.
 */
#include "base/err.h"
#include "dac/assumption.h"
#include "dac/dac_priv.h"
#include "dac/gcheap.h"
#include "dac/gcslots.h"

enum {
	SYNC_BLOCKS_MAX = 1 << 20,
};

/* The Lock whose handle is at @addr; 0: none. */
static uint64_t lock_at(struct dac *d, uint64_t addr)
{
	uint64_t handle = 0, lock = 0;

	if (dbg_err_drop(target_read_u64(d->target, addr, &handle)) ||
	    !handle || dbg_err_drop(target_read_u64(d->target, handle, &lock)))
		return 0;
	return lock;
}

struct dbg_error *dac_gc_sync_blocks(struct dac *d, struct arena *arena,
				     struct gc_sync_block **ret, size_t *ret_n)
{
	_cleanup_free_ struct gc_sync_block *all = NULL;
	size_t n = 0, cap = 0;
	uint32_t count = 1;
	struct dac_assumed lock;
	// until .NET 10, the second way, the runtime itself does the locking
	bool managed = dac_holds(d, ASSUME_SYNC_LOCK, &lock) && !lock.way;

	for (uint32_t i = 1; i <= count && i < SYNC_BLOCKS_MAX; i++) {
		struct sos_sync_block b = {0};

		if (DAC_CALL(d, d->sos, SOS_SYNC_BLOCK, i, &b) < 0)
			break;
		count = b.count;
		if (b.free || !count)
			continue;
		mem_grow(&all, &cap, n, sizeof(*all));
		all[n++] = (struct gc_sync_block){
		    .index = i,
		    .addr = b.addr,
		    .object = b.object,
		    // the runtime's word for nobody is -1
		    .owner = b.owner + 1 > 1 ? b.owner : 0,
		    .held = b.held,
		    .recursion = b.recursion,
		    .waiting = b.held / 2,
		    .pulse = b.waiting,
		    .lock = managed ? lock_at(d, b.addr + lock.value) : 0,
		};
	}
	*ret = arena_copy(arena, all, n, sizeof(*all));
	*ret_n = n;
	return NULL;
}

/* ---- The header of an object ----------------------------------------- */

bool dac_gc_thin_lock(struct dac *d, uint32_t header, struct gc_thin_lock *ret)
{
	const uint32_t changing = 0x10000000;
	struct dac_assumed other, owner, depth, shift;

	if (!header || header & changing ||
	    !dac_holds(d, ASSUME_HEADER_OTHER, &other) ||
	    header & other.value || !dac_holds(d, ASSUME_LOCK_OWNER, &owner) ||
	    !dac_holds(d, ASSUME_LOCK_DEPTH, &depth) ||
	    !dac_holds(d, ASSUME_LOCK_SHIFT, &shift) || shift.value > 31)
		return false;
	*ret = (struct gc_thin_lock){
	    .number = header & (uint32_t)owner.value,
	    .depth = ((header & (uint32_t)depth.value) >> shift.value) + 1,
	};
	return ret->number;
}

static enum gc_hash sync_hash(struct dac *d, uint32_t index, uint64_t object,
			      uint32_t *ret)
{
	struct sos_sync_block b = {0};
	struct dac_assumed at;

	if (!index || DAC_CALL(d, d->sos, SOS_SYNC_BLOCK, index, &b) < 0 ||
	    b.free || b.object != object || !b.addr ||
	    !dac_holds(d, ASSUME_SYNC_HASH, &at) ||
	    target_read_some(d->target, b.addr + at.value, ret, sizeof(*ret)) !=
		sizeof(*ret))
		return GC_HASH_UNKNOWN;
	return *ret ? GC_HASH_KNOWN : GC_HASH_NONE;
}

enum gc_hash dac_gc_hash(struct dac *d, uint32_t header, uint64_t object,
			 uint32_t *ret)
{
	struct dac_assumed other, is_hash, hash, index;

	if (!header)
		return GC_HASH_NONE;
	if (!dac_holds(d, ASSUME_HEADER_OTHER, &other) ||
	    !dac_holds(d, ASSUME_HEADER_HASH, &is_hash) ||
	    !dac_holds(d, ASSUME_HASH_BITS, &hash) ||
	    !dac_holds(d, ASSUME_INDEX_BITS, &index))
		return GC_HASH_UNKNOWN;
	if (!(header & other.value))
		return GC_HASH_NONE;
	if (!(header & is_hash.value))
		return sync_hash(d, header & (uint32_t)index.value, object,
				 ret);
	*ret = header & (uint32_t)hash.value;
	return GC_HASH_KNOWN;
}
