/*
 * Slots of the DAC's interfaces and the plain structures they fill. Taken from
 * xclrdata.idl, sospriv.idl and dacprivate.h of the runtime; the same in .NET
 * 8, 9 and 10.
 */
#ifndef DAC_SLOTS_H
#define DAC_SLOTS_H

#include <assert.h>

#include <stddef.h>
#include <stdint.h>

enum dac_process_slot {
	PROCESS_FLUSH = 3,
	PROCESS_TASK_BY_TID = 7,
	PROCESS_NAME_BY_ADDRESS = 15,
	PROCESS_START_METHODS_BY_ADDRESS = 27,
	PROCESS_NEXT_METHOD_BY_ADDRESS = 28,
	PROCESS_END_METHODS_BY_ADDRESS = 29,
	PROCESS_SET_CODE_NOTIFICATIONS = 40,
	PROCESS_SET_OTHER_NOTIFICATIONS = 42,
};

enum dac_module_slot {
	MODULE_START_INSTANCES_BY_NAME = 15,
	MODULE_NEXT_INSTANCE_BY_NAME = 16,
	MODULE_END_INSTANCES_BY_NAME = 17,
	MODULE_METHOD_BY_TOKEN = 25,
	MODULE_NAME = 29,
	MODULE_FILE_NAME = 30,
};

enum {
	MODULE2_SET_JIT_FLAGS = 3
};

enum dac_typeinst_slot {
	TYPEINST_NAME = 16,
	TYPEINST_STATIC_BY_TOKEN = 33,
};

enum dac_methoddef_slot {
	METHODDEF_START_INSTANCES = 4,
	METHODDEF_NEXT_INSTANCE = 5,
	METHODDEF_END_INSTANCES = 6,
};

enum dac_method_slot {
	METHOD_IL_OFFSETS = 12,
	METHOD_IL_MAP = 14,
	METHOD_ENTRY = 19,
};

enum dac_task_slot {
	TASK_STACK_WALK = 11,
};

enum dac_walk_slot {
	WALK_CONTEXT = 3,
	WALK_NEXT = 5,
	WALK_FRAME_TYPE = 7,
	WALK_FRAME = 8,
	WALK_REQUEST = 9,
	WALK_SET_CONTEXT2 = 10,
};

enum dac_frame_slot {
	FRAME_N_ARGS = 6,
	FRAME_ARG = 7,
	FRAME_N_LOCALS = 8,
	FRAME_LOCAL = 9,
};

enum dac_value_slot {
	VALUE_FLAGS = 3,
	VALUE_ADDRESS = 4,
	VALUE_SIZE = 5,
	VALUE_BYTES = 6,
	VALUE_TYPE = 8,
	VALUE_N_LOCATIONS = 28,
};

enum dac_sos_slot {
	SOS_THREAD_STORE = 3,
	SOS_DOMAIN_STORE = 4,
	SOS_DOMAIN_LIST = 5,
	SOS_DOMAIN = 6,
	SOS_DOMAIN_NAME = 7,
	SOS_ASSEMBLY_LIST = 9,
	SOS_MODULE = 12,
	SOS_MODULE_DATA = 13,
	SOS_ASSEMBLY_MODULES = 15,
	SOS_THREAD = 17,
	SOS_THREAD_OF_THIN_LOCK = 18,
	SOS_METHOD = 20,
	SOS_METHOD_NAME = 22,
	SOS_METHOD_FROM_TOKEN = 24,
	SOS_CODE_HEADER = 26,
	SOS_JIT_MANAGERS = 27,
	SOS_TYPE_NAME = 36,
	SOS_TYPE = 37,
	SOS_TYPE_SLOT = 38,
	SOS_TYPE_FIELDS = 39,
	SOS_TYPE_OF_CLASS = 41,
	SOS_FIELD = 42,
	SOS_FRAME_NAME = 43,
	SOS_HEAP = 46,
	SOS_HEAP_LIST = 47,
	SOS_HEAP_DETAILS = 48,
	SOS_HEAP_STATIC = 49,
	SOS_SEGMENT = 50,
	SOS_DOMAIN_MODULE = 57,
	SOS_THREAD_MODULE = 58,
	SOS_SYNC_BLOCK = 59,
	SOS_HANDLES = 61,
	SOS_USEFUL_GLOBALS = 70,
	SOS_STACK_REFERENCES = 79,
};

enum {
	SOS5_TIERED_VERSIONS = 3
};

enum {
	SOS8_GENERATIONS = 4,
	SOS8_FINALIZATION = 5,
	SOS8_GENERATIONS_SERVER = 6,
	SOS8_FINALIZATION_SERVER = 7,
	SOS8_LOAD_CONTEXT = 8,
};

enum dac_sos14_slot {
	SOS14_STATIC_BASE = 3,
	SOS14_THREAD_STATIC_BASE = 4,
	SOS14_INIT_FLAGS = 5,
};

enum {
	SOS15_TYPE_SLOTS = 3
};

struct sos_slot {
	uint64_t method, entry, type, module;
	uint32_t token, slot;
};
static_assert(sizeof(struct sos_slot) == 40, "");

struct sos_domain {
	uint64_t addr, skip[6];
	uint32_t id;
	int32_t n_assemblies, n_failed, stage;
};
static_assert(sizeof(struct sos_domain) == 72, "");

struct sos_domain_store {
	uint64_t shared, system;
	int32_t n_domains;
};
static_assert(sizeof(struct sos_domain_store) == 24, "");

struct sos_module {
	uint64_t addr, pe_assembly, base, md_addr, md_size, assembly;
	int32_t is_reflection, is_pe_file;
	uint64_t base_class_index, module_id, transient_flags;
	uint64_t typedef_map, typeref_map, methoddef_map, fielddef_map;
	uint64_t skip2[3];
	uint64_t loader_allocator, thunk_heap, module_index;
};
static_assert(sizeof(struct sos_module) == 160, "");
static_assert(offsetof(struct sos_module, loader_allocator) == 136, "");

struct sos_thread_store {
	int32_t n_threads, skip1[5];
	uint64_t first, finalizer;
	uint64_t suspender; /* who holds all threads, mostly the GC */
	uint64_t skip2;
};
static_assert(sizeof(struct sos_thread_store) == 56, "");

struct sos_thread {
	uint32_t id, tid;
	int32_t state;
	uint32_t cooperative;
	uint64_t alloc, alloc_limit; /* what it may allocate from next */
	uint64_t skip1[7];
	uint64_t last_thrown_handle, next;
};
static_assert(sizeof(struct sos_thread) == 104, "");

struct sos_method {
	uint32_t has_code, is_dynamic;
	uint16_t slot;
	uint64_t code, skip1, md, type, module;
	uint32_t token;
	uint64_t skip2[11];
};
static_assert(sizeof(struct sos_method) == 152, "");
static_assert(offsetof(struct sos_method, token) == 56, "");

struct sos_code {
	uint64_t gc_info;
	uint32_t jit_type;
	uint64_t md, start;
	uint32_t size;
	uint64_t cold;
	uint32_t cold_size, hot_size;
};
static_assert(sizeof(struct sos_code) == 56, "");

struct sos_jit_manager {
	uint64_t addr;
	uint32_t kind;
	uint64_t heaps;
};
static_assert(sizeof(struct sos_jit_manager) == 24, "");

struct sos_type {
	uint32_t is_free;
	uint64_t module, eeclass, parent;
	uint16_t n_interfaces, n_methods, n_vtable, n_virtuals;
	uint32_t base_size, component_size, token, attributes;
	uint32_t is_shared, is_dynamic, contains_pointers;
};
static_assert(sizeof(struct sos_type) == 72, "");

struct sos_type_fields {
	uint16_t n_instance, n_static, n_thread_static;
	uint64_t first, skip;
};
static_assert(sizeof(struct sos_type_fields) == 24, "");

struct sos_field {
	uint32_t elem, sig_elem;
	uint64_t type, type_module;
	uint32_t type_token, token;
	uint64_t enclosing;
	uint32_t offset, is_thread_static, is_context_static, is_static;
	uint64_t next;
};
static_assert(sizeof(struct sos_field) == 64, "");

struct sos_globals {
	uint64_t array_type, string_type, object_type, exception_type;
	uint64_t free_type;
};
static_assert(sizeof(struct sos_globals) == 40, "");

struct sos_tiered {
	uint64_t code;
	uint32_t tier;
	uint64_t node;
};
static_assert(sizeof(struct sos_tiered) == 24, "");

/* DacpDomainLocalModuleData and DacpThreadLocalModuleData of .NET 8. */
struct sos_statics_module {
	uint64_t owner, module_id, class_data, dynamic_table;
	uint64_t gc_statics, non_gc_statics;
};
static_assert(sizeof(struct sos_statics_module) == 48, "");

/* CLRDATA_IL_ADDRESS_MAP */
struct xclr_il_map {
	uint32_t il_offset;
	uint64_t start, end;
	uint32_t type;
};
static_assert(sizeof(struct xclr_il_map) == 32, "");

#endif
