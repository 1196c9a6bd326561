/*
 * The metadata of a module through the updates that the program was given of it
 * (hot reload; MetadataUpdater.ApplyUpdate). A delta holds new rows and new
 * versions of old ones, listed by EncMap (II.22.13), and the ends of the heaps;
 * applied in their order they make one image, whose tokens are those that the
 * runtime knows. Facts that ECMA-335 does not have are the runtime's
 * (src/coreclr/md/enc/metamodelenc.cpp, .NET 8 to 11) and the compiler's
 * (Roslyn's DeltaMetadataWriter).
 */
#ifndef META_MD_UPDATE_H
#define META_MD_UPDATE_H

#include "meta/md.h"

struct md_updates;

enum {
	MD_GUID_SIZE = 16,
};

/* An RVA with this bit is an offset in the IL of all updates. */
#define MD_UPDATED_IL UINT32_C(0x80000000)

/* @base is borrowed; what was read of it stays where it is. */
struct md_updates *md_updates_create(const struct md *base);
void md_updates_destroy(struct md_updates *u);

/* Row @i of the EncMap of a delta (from 1): the method that it changes or adds;
 * 0: it is of something else. */
uint32_t md_delta_method(const struct md *delta, uint32_t i);
/*
 * The id of a delta, and the id of the delta that it follows; NULL: it follows
 * the module's image.
 */
const uint8_t *md_delta_id(const struct md *delta);
const uint8_t *md_delta_base(const struct md *delta);
/*
 * Apply the next update, which is copied: *ret becomes the metadata with
 * it, whose rows are good until the next update, and whose heaps until @u goes.
 * Fails without a trace if the delta is broken or is not the next one of this
 * module.
 */
DBG_MUST struct dbg_error *md_updates_apply(struct md_updates *u,
					    const struct md *delta,
					    struct bytes il, struct md *ret);
/* As md_updates_apply, but for applying it. */
DBG_MUST struct dbg_error *md_updates_check(const struct md_updates *u,
					    const struct md *delta,
					    struct bytes il);
/* The IL at such an RVA, to its end. */
struct bytes md_updates_il(const struct md_updates *u, uint32_t rva);

#endif
