/*
 * The methods of the DAC's interfaces that are called, with what their
 * arguments are: enough to make the call in this process or in another one.
 * Taken from xclrdata.idl and sospriv.idl of the runtime; the same in .NET 8,
 * 9 and 10. DAC_CALL takes a name of this table.
 */
#ifndef DAC_DACMETHODS_H
#define DAC_DACMETHODS_H

#include "dac/com.h"

enum {
	DAC_MAX_ARGS = 7
};

enum dac_arg_kind {
	DAC_ARG_VALUE,  /* a number, or NULL */
	DAC_ARG_DATA,   /* address of elements that are read and written */
	DAC_ARG_READ,   /* ... that are only read */
	DAC_ARG_TEXT,   /* address of UTF-16 units that are written */
	DAC_ARG_NAME,   /* a UTF-16 string that is read */
	DAC_ARG_OBJECT, /* an object of the DAC, or NULL */
	DAC_ARG_NEW,    /* address of an object that is written */
	DAC_ARG_LOCAL,  /* what only a DAC of this process can use */
};

struct dac_arg {
	uint8_t kind;
	uint8_t count; /* 1 + the argument with their number; 0: it is one */
	uint16_t size; /* of an element */
};

struct dac_method_info {
	const char *name;
	com_fn *fn; /* our own function, run in the DAC's process; NULL: slot */
	unsigned slot;
	struct dac_arg args[DAC_MAX_ARGS];
};

/* M(name, slot, argument...); F(name, our function, argument...) */
#define DAC_METHODS(M, F)                                                      \
	M(QUERY, 0, READ(struct com_iid), NEW)                                 \
	/* IXCLRDataProcess */                                                 \
	M(PROCESS_FLUSH, 3, NONE)                                              \
	M(PROCESS_TASK_BY_TID, 7, V, NEW)                                      \
	M(PROCESS_NAME_BY_ADDRESS, 15, V, V, V, U32, TEXT(2), U64)             \
	M(PROCESS_START_METHODS_BY_ADDRESS, 27, V, V, U64)                     \
	M(PROCESS_NEXT_METHOD_BY_ADDRESS, 28, U64, NEW)                        \
	M(PROCESS_END_METHODS_BY_ADDRESS, 29, V)                               \
	F(PROCESS_IL_MAP, compound_il_map, V, V, MANY(struct xclr_il_map, 1),  \
	  U32)                                                                 \
	M(PROCESS_SET_CODE_NOTIFICATIONS, 40, V, LOCAL)                        \
	M(PROCESS_SET_OTHER_NOTIFICATIONS, 42, V)                              \
	/* IXCLRDataModule */                                                  \
	M(MODULE_START_INSTANCES_BY_NAME, 15, NAME, V, V, U64)                 \
	M(MODULE_NEXT_INSTANCE_BY_NAME, 16, U64, NEW)                          \
	M(MODULE_END_INSTANCES_BY_NAME, 17, V)                                 \
	M(MODULE_METHOD_BY_TOKEN, 25, V, NEW)                                  \
	M(MODULE_NAME, 29, V, U32, TEXT(0))                                    \
	M(MODULE_FILE_NAME, 30, V, U32, TEXT(0))                               \
	M(MODULE2_SET_JIT_FLAGS, 3, V)                                         \
	/* IXCLRDataTypeInstance */                                            \
	M(TYPEINST_NAME, 16, V, V, U32, TEXT(1))                               \
	M(TYPEINST_STATIC_BY_TOKEN, 33, V, V, OBJECT, NEW, V, U32, V)          \
	F(TYPEINST_WORDS, compound_words, ONE(struct object_words))            \
	F(TYPEINST_PUT_WORD, compound_put_word, V, V)                          \
	/* IXCLRDataMethodDefinition */                                        \
	M(METHODDEF_START_INSTANCES, 4, V, U64)                                \
	M(METHODDEF_NEXT_INSTANCE, 5, U64, NEW)                                \
	M(METHODDEF_END_INSTANCES, 6, V)                                       \
	/* IXCLRDataMethodInstance */                                          \
	M(METHOD_IL_OFFSETS, 12, V, V, U32, MANY(uint32_t, 1))                 \
	M(METHOD_IL_MAP, 14, V, U32, MANY(struct xclr_il_map, 0))              \
	M(METHOD_ENTRY, 19, U64)                                               \
	/* IXCLRDataTask, IXCLRDataStackWalk */                                \
	M(TASK_STACK_WALK, 11, V, NEW)                                         \
	M(WALK_CONTEXT, 3, V, V, U32, MANY(uint8_t, 1))                        \
	M(WALK_NEXT, 5, NONE)                                                  \
	M(WALK_FRAME_TYPE, 7, U32, U32)                                        \
	M(WALK_FRAME, 8, NEW)                                                  \
	F(WALK_ITEMS, compound_walk, V, V, MANY(struct walk_item, 1), U32)     \
	M(WALK_REQUEST, 9, V, V, V, V, MANY(uint8_t, 3))                       \
	M(WALK_SET_CONTEXT2, 10, V, V, MANY(uint8_t, 1))                       \
	/* IXCLRDataFrame, IXCLRDataValue */                                   \
	M(FRAME_N_ARGS, 6, U32)                                                \
	M(FRAME_ARG, 7, V, NEW, V, U32, TEXT(2))                               \
	M(FRAME_N_LOCALS, 8, U32)                                              \
	M(FRAME_LOCAL, 9, V, NEW, V, U32, TEXT(2))                             \
	F(FRAME_VAR, compound_var, V, V, ONE(struct xclr_var), NEW, V,         \
	  TEXT(4))                                                             \
	M(VALUE_FLAGS, 3, U32)                                                 \
	M(VALUE_ADDRESS, 4, U64)                                               \
	M(VALUE_SIZE, 5, U64)                                                  \
	M(VALUE_BYTES, 6, V, U32, MANY(uint8_t, 0))                            \
	M(VALUE_TYPE, 8, NEW)                                                  \
	M(VALUE_N_LOCATIONS, 28, U32)                                          \
	/* ISOSDacInterface */                                                 \
	M(SOS_THREAD_STORE, 3, ONE(struct sos_thread_store))                   \
	M(SOS_DOMAIN_STORE, 4, ONE(struct sos_domain_store))                   \
	M(SOS_DOMAIN_LIST, 5, V, MANY(uint64_t, 0), U32)                       \
	M(SOS_DOMAIN, 6, V, ONE(struct sos_domain))                            \
	M(SOS_DOMAIN_NAME, 7, V, V, TEXT(1), U32)                              \
	M(SOS_ASSEMBLY_LIST, 9, V, V, MANY(uint64_t, 1), U32)                  \
	M(SOS_MODULE, 12, V, NEW)                                              \
	M(SOS_MODULE_DATA, 13, V, ONE(struct sos_module))                      \
	M(SOS_ASSEMBLY_MODULES, 15, V, V, MANY(uint64_t, 1), U32)              \
	M(SOS_THREAD, 17, V, ONE(struct sos_thread))                           \
	M(SOS_THREAD_OF_THIN_LOCK, 18, V, U64)                                 \
	M(SOS_METHOD, 20, V, V, ONE(struct sos_method), V, V, V)               \
	M(SOS_METHOD_NAME, 22, V, V, TEXT(1), U32)                             \
	M(SOS_METHOD_FROM_TOKEN, 24, V, V, U64)                                \
	M(SOS_CODE_HEADER, 26, V, ONE(struct sos_code))                        \
	M(SOS_JIT_MANAGERS, 27, V, MANY(struct sos_jit_manager, 0), U32)       \
	M(SOS_TYPE_NAME, 36, V, V, TEXT(1), U32)                               \
	M(SOS_TYPE, 37, V, ONE(struct sos_type))                               \
	F(SOS_TYPE_ALL, compound_type, V, OBJECT, ONE(struct sos_type_all))    \
	M(SOS_TYPE_SLOT, 38, V, V, U64)                                        \
	M(SOS_TYPE_FIELDS, 39, V, ONE(struct sos_type_fields))                 \
	M(SOS_TYPE_OF_CLASS, 41, V, U64)                                       \
	M(SOS_FIELD, 42, V, ONE(struct sos_field))                             \
	M(SOS_FRAME_NAME, 43, V, V, TEXT(1), U32)                              \
	M(SOS_HEAP, 46, ONE(struct sos_heap))                                  \
	M(SOS_HEAP_LIST, 47, V, MANY(uint64_t, 0), U32)                        \
	M(SOS_HEAP_DETAILS, 48, V, ONE(struct sos_heap_details))               \
	M(SOS_HEAP_STATIC, 49, ONE(struct sos_heap_details))                   \
	M(SOS_SEGMENT, 50, V, ONE(struct sos_segment))                         \
	M(SOS_DOMAIN_MODULE, 57, V, ONE(struct sos_statics_module))            \
	M(SOS_THREAD_MODULE, 58, V, V, ONE(struct sos_statics_module))         \
	M(SOS_SYNC_BLOCK, 59, V, ONE(struct sos_sync_block))                   \
	M(SOS_HANDLES, 61, NEW)                                                \
	M(SOS_CODE_HEAPS, 68, V, V, MANY(struct sos_code_heap, 1), U32)        \
	M(SOS_USEFUL_GLOBALS, 70, ONE(struct sos_globals))                     \
	M(SOS_STACK_REFERENCES, 79, V, NEW)                                    \
	/* ISOSDacInterface5 and on */                                         \
	M(SOS5_TIERED_VERSIONS, 3, V, V, MANY(struct sos_tiered, 3), V, U32)   \
	M(SOS6_COLLECTIBLE, 3, V, ONE(struct sos_collectible))                 \
	M(SOS8_GENERATIONS, 4, V, MANY(struct sos_generation, 0), U32)         \
	M(SOS8_FINALIZATION, 5, V, MANY(uint64_t, 0), U32)                     \
	M(SOS8_GENERATIONS_SERVER, 6, V, V, MANY(struct sos_generation, 1),    \
	  U32)                                                                 \
	M(SOS8_FINALIZATION_SERVER, 7, V, V, MANY(uint64_t, 1), U32)           \
	M(SOS8_LOAD_CONTEXT, 8, V, U64)                                        \
	M(SOS12_GLOBAL_CONTEXT, 3, U64, U64)                                   \
	F(SOS13_HEAP_BLOCKS, compound_heap_blocks, V, V, V,                    \
	  MANY(struct loader_block, 2), U32)                                   \
	M(SOS13_TRAVERSE, 3, LOCAL)                                            \
	M(SOS13_GET_NAMES, 5, LOCAL)                                           \
	M(SOS13_DOMAIN_ALLOCATOR, 4, V, U64)                                   \
	F(SOS13_HEAP_NAMES, compound_heap_names, V,                            \
	  MANY(struct loader_heap_name, 0), U32)                               \
	M(SOS13_HEAPS, 6, V, V, MANY(uint64_t, 1), MANY(uint32_t, 1), U32)     \
	M(SOS13_HANDLE_TABLES, 7, NEW)                                         \
	M(SOS13_GC_TABLES, 8, NEW)                                             \
	M(SOS13_GC_FREE, 9, NEW)                                               \
	M(SOS14_STATIC_BASE, 3, V, U64, U64)                                   \
	M(SOS14_THREAD_STATIC_BASE, 4, V, V, U64, U64)                         \
	M(SOS14_INIT_FLAGS, 5, V, U32)                                         \
	M(SOS15_TYPE_SLOTS, 3, V, NEW)                                         \
	/* ISOSEnum: next elements */                                          \
	M(HANDLES_NEXT, 6, V, MANY(struct sos_handle, 0), U32)                 \
	M(STACK_REFS_NEXT, 6, V, MANY(struct sos_stack_ref, 0), U32)           \
	M(REGIONS_NEXT, 6, V, MANY(struct sos_region, 0), U32)                 \
	M(TYPE_SLOTS_NEXT, 6, V, MANY(struct sos_slot, 0), U32)                \
	/* ICLRDataEnumMemoryRegions */                                        \
	M(ENUM_REGIONS, 3, LOCAL)

#define DAC_METHOD_ENUM(name, ...) name,
enum dac_method_id {
	DAC_METHODS(DAC_METHOD_ENUM, DAC_METHOD_ENUM) DAC_N_METHODS
};
#undef DAC_METHOD_ENUM

extern const struct dac_method_info dac_methods[DAC_N_METHODS];

#endif
