/*
 * The plain structures that methods of the DAC fill. Taken from xclrdata.idl,
 * sospriv.idl and dacprivate.h of the runtime; the same in .NET 8, 9 and 10.
 */
#ifndef DAC_SLOTS_H
#define DAC_SLOTS_H

#include <assert.h>

#include <stddef.h>
#include <stdint.h>

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
	int32_t n_threads, n_unstarted, n_background, n_pending, n_dead;
	int32_t skip1;
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
