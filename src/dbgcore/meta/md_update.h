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

/* An RVA with this bit is an offset in the IL of all updates. */
#define MD_UPDATED_IL UINT32_C(0x80000000)

/* @base is borrowed; what was read of it stays where it is. */
struct md_updates *md_updates_create(const struct md *base);
void md_updates_destroy(struct md_updates *u);

/* The methods of a delta: changed and added ones. */
struct md_delta_methods {
	uint32_t *rids; /* rising, in the arena given */
	size_t n;
};

struct arena;
DBG_MUST struct dbg_error *md_delta_read(struct bytes delta,
					 struct arena *arena,
					 struct md_delta_methods *ret);
/*
 * Apply the next update, whose bytes are copied: *ret becomes the metadata with
 * it, whose rows are good until the next update, and whose heaps until @u goes.
 * Fails without a trace if the delta is broken or is not the next one of this
 * module.
 */
DBG_MUST struct dbg_error *md_updates_apply(struct md_updates *u,
					    struct bytes delta, struct bytes il,
					    struct md *ret);
/* The IL at such an RVA, to its end. */
struct bytes md_updates_il(const struct md_updates *u, uint32_t rva);

#endif
