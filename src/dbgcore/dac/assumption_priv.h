/*
 * State of assumption.c, and functions of other files of the room that find or
 * verify certain assumptions.
 */
#ifndef DAC_ASSUMPTION_PRIV_H
#define DAC_ASSUMPTION_PRIV_H

#include "dac/assumption.h"
#include "dac/contract.h"

struct arena;

/* The cached answer about one assumption. */
struct assumption_answer {
	bool holds, told;
	unsigned int failures;
	struct dac_assumed found;
};

struct core_library {
	uint64_t module;
	const struct md *md; /* borrowed; NULL: not known */
};

struct dac_assumptions {
	struct arena *arena; /* NULL: the contract has not been read */
	struct contract contract;
	const char *version; /* NULL: not known yet */
	struct core_library core;
	struct assumption_answer answers[ASSUME_N];
};

enum {
	DAC_GC_INFO_FIRST = 2, /* the formats that gcinfo.c reads */
	DAC_GC_INFO_LAST = 5,
	DAC_GC_INFO_NEW = 4, /* since .NET 10 */
	/*
	 * MethodTable::m_dwFlags: enum_flag_Category_ValueType_Mask, and its
	 * value for structs, enums and primitives; the same in .NET 8 to 11.
	 */
	MT_CATEGORY = 0x000c0000,
	MT_VALUE_TYPE = 0x00040000,
};

/* Searches, and checks of what was read: false: it is not that. */
bool gc_count_find(struct dac *d, uint64_t *ret);
bool prestub_find(struct dac *d, uint64_t *ret);
bool thread_link_find(struct dac *d, uint64_t *ret);
bool padding_find(struct dac *d, uint64_t *ret);
bool padding_holds(struct dac *d, uint64_t offset);
bool type_flags_hold(struct dac *d, uint64_t offset);
bool type_rid_holds(struct dac *d, uint64_t offset);
bool loader_module_holds(struct dac *d, uint64_t offset);
bool async_data_holds(struct dac *d, uint64_t offset);
bool suspended_holds(struct dac *d, uint64_t bit);
bool heaps_hold(struct dac *d, uint64_t offset);
bool handle_map_holds(struct dac *d, uint64_t offset);
bool field_desc_holds(struct dac *d, uint64_t offset);
bool instances_find(struct dac *d, uint64_t *ret);
bool instances_hold(struct dac *d, uint64_t offset);

#endif
