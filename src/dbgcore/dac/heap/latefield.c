/*
 * Fields that hot reload added to a class that the program had. They are in
 * none of its objects. An object's sync block has a list of those that were
 * used in it: { next, EnCFieldDesc*, dependent handle }, and the second object
 * of that handle, an EditAndContinueHelper, has a reference to the value. A
 * static's EnCFieldDesc leads to { EnCFieldDesc*, the value }. The DAC tells
 * nothing of either.
 */
#include "base/err.h"
#include "dac/assumption.h"
#include "dac/dac_priv.h"
#include "dac/gcheap.h"
#include "dac/gcslots.h"
#include "dac/slots.h"

enum {
	WORD = 8,
	FIELDS_MAX = 10000,   /* in one object */
	BLOCKS_MAX = 1000,    /* of a module's map */
	MODULE_MAX = 1 << 12, /* bytes of a Module looked at */
	RID_BITS = 0xffffff,  /* of the word of bits of a FieldDesc */
	FLAGS = 7,            /* in an entry of the map */
	STATIC = 0x18,        /* in EnCFieldDesc */
	HEADER = 4,           /* in front of an object: its second half */
};

static uint64_t word_at(struct dac *d, uint64_t addr)
{
	uint64_t word = 0;

	if (addr)
		dbg_error_destroy(target_read_u64(d->target, addr, &word));
	return word;
}

/* Is that the FieldDesc of the field @rid of @mt (0: of whichever class)? */
static bool is_field(struct dac *d, uint64_t desc, uint64_t mt, uint32_t rid)
{
	struct dac_assumed at;

	return desc && dac_holds(d, ASSUME_FIELD_DESC, &at) &&
	       (word_at(d, desc + at.value) & RID_BITS) == rid &&
	       (!mt || word_at(d, desc) == mt);
}

/* ---- In objects ------------------------------------------------------ */

/* The sync block of an object, 0: it has none; false: it cannot be told. */
static bool block_of(struct dac *d, uint64_t object, uint64_t *ret)
{
	struct dac_assumed other, is_hash, index;
	struct sos_sync_block b = {0};
	uint32_t header;

	*ret = 0;
	if (target_read_some(d->target, object - HEADER, &header,
			     sizeof(header)) != sizeof(header) ||
	    !dac_holds(d, ASSUME_HEADER_OTHER, &other) ||
	    !dac_holds(d, ASSUME_HEADER_HASH, &is_hash) ||
	    !dac_holds(d, ASSUME_INDEX_BITS, &index))
		return false;
	if (!(header & other.value) || header & is_hash.value)
		return true;
	if (DAC_CALL(d, d->sos, SOS_SYNC_BLOCK, header & (uint32_t)index.value,
		     &b) < 0 ||
	    b.free || b.object != object)
		return false;
	*ret = b.addr;
	return true;
}

void dac_late_clear(struct dac_late *late)
{
	late->current = false;
	map_clear(&late->holders);
}

/* The second object of a dependent handle; 0: it is none. */
static uint64_t second_of(struct dac *d, uint64_t handle)
{
	struct dac_late *late = &d->late;

	if (!late->current) {
		struct arena *arena = arena_create();
		struct gc_handle *all;
		size_t n = 0;

		dbg_error_destroy(dac_gc_handles(d, arena, &all, &n));
		for (size_t i = 0; i < n; i++)
			if (all[i].secondary)
				map_put(&late->holders, all[i].addr,
					(void *)(uintptr_t)all[i].secondary);
		late->current = true;
		arena_destroy(arena);
	}
	return (uintptr_t)map_find(&late->holders, handle);
}

bool dac_late_holder(struct dac *d, uint64_t object, uint64_t mt, uint32_t rid,
		     uint64_t *ret)
{
	struct dac_assumed at;
	uint64_t block;

	*ret = 0;
	if (!dac_holds(d, ASSUME_SYNC_ADDED, &at) ||
	    !block_of(d, object, &block))
		return false;
	uint64_t node = block ? word_at(d, word_at(d, block + at.value)) : 0;
	for (int i = 0; node && i < FIELDS_MAX; i++) {
		if (is_field(d, word_at(d, node + WORD), mt, rid)) {
			*ret = second_of(d, word_at(d, node + 2 * WORD));
			return *ret;
		}
		node = word_at(d, node);
	}
	return true;
}

/* ---- Statics --------------------------------------------------------- */

/*
 * A map by rid: { next, table, count, flags } in Module, whose table the DAC
 * tells, and, once it has grown, blocks of that kind.
 */
static uint64_t map_of_fields(struct dac *d, uint64_t module)
{
	struct sos_module data = {0};
	uint64_t words[MODULE_MAX / WORD];

	if (DAC_CALL(d, d->sos, SOS_MODULE_DATA, module, &data) < 0 ||
	    !data.fielddef_map)
		return 0;
	size_t n = target_read_some(d->target, module, words, sizeof(words));
	for (size_t i = 1; i < n / WORD; i++)
		if (words[i] == data.fielddef_map)
			return module + (i - 1) * WORD;
	return 0;
}

static uint64_t field_desc(struct dac *d, uint64_t module, uint32_t rid)
{
	uint64_t block = map_of_fields(d, module), at = rid;

	for (int i = 0; block && i < BLOCKS_MAX; i++) {
		uint32_t count = (uint32_t)word_at(d, block + 2 * WORD);

		if (at < count)
			return word_at(d,
				       word_at(d, block + WORD) + at * WORD) &
			       ~(uint64_t)FLAGS;
		at -= count;
		block = word_at(d, block);
	}
	return 0;
}

bool dac_late_static(struct dac *d, uint64_t module, uint32_t rid,
		     uint64_t *ret)
{
	uint64_t entry, desc = field_desc(d, module, rid);

	*ret = 0;
	if (!is_field(d, desc, 0, rid) ||
	    dbg_err_drop(target_read_u64(d->target, desc + STATIC, &entry)))
		return false;
	if (!entry)
		return true;
	*ret = entry + WORD;
	return word_at(d, entry) == desc;
}
