/*
 * Further methods and structures, like slots.h: of the GC, its handles and
 * locks, and of the runtime's own memory.
 */
#ifndef DAC_GCSLOTS_H
#define DAC_GCSLOTS_H

#include <assert.h>

#include <stddef.h>
#include <stdint.h>

struct sos_heap {
	int32_t server, valid;
	uint32_t n_heaps, max_generation;
};
static_assert(sizeof(struct sos_heap) == 16, "");

struct sos_heap_details {
	uint64_t addr, allocated, skip1[23];
	uint64_t ephemeral; /* the segment that @allocated is the end of */
	uint64_t skip2[7];
	uint64_t lowest, highest, card_table;
};
static_assert(sizeof(struct sos_heap_details) == 288, "");
static_assert(offsetof(struct sos_heap_details, ephemeral) == 200, "");

struct sos_generation {
	uint64_t first_segment, start, alloc, alloc_limit;
};
static_assert(sizeof(struct sos_generation) == 32, "");

struct sos_segment {
	uint64_t addr, allocated, committed, reserved, used, start, next;
	uint64_t heap, skip1, flags, skip2;
};
static_assert(sizeof(struct sos_segment) == 88, "");

struct sos_collectible {
	uint64_t allocator; /* handle of its LoaderAllocator */
	int32_t collectible;
};
static_assert(sizeof(struct sos_collectible) == 16, "");

struct sos_handle {
	uint64_t domain, handle, secondary;
	uint32_t kind, strong, count, skip[3];
};
static_assert(sizeof(struct sos_handle) == 48, "");

struct sos_stack_ref {
	int32_t in_register, reg, offset;
	uint64_t addr, object;
	uint32_t flags, by_frame;
	uint64_t source, sp;
};
static_assert(sizeof(struct sos_stack_ref) == 56, "");

struct sos_sync_block {
	uint64_t object;
	int32_t free;
	uint64_t addr;
	uint32_t com, held, recursion;
	uint64_t owner;
	uint32_t waiting;
	uint64_t domain;
	uint32_t count;
};
static_assert(sizeof(struct sos_sync_block) == 72, "");

struct sos_region {
	uint64_t start, size, extra;
	int32_t heap;
};
static_assert(sizeof(struct sos_region) == 32, "");

struct sos_code_heap {
	uint32_t kind;
	uint64_t heap, current; /* of a HOST heap: where it is, its end */
};
static_assert(sizeof(struct sos_code_heap) == 24, "");

#endif
