/* Shared by the files of the type system. */
#ifndef TYPES_TYPES_PRIV_H
#define TYPES_TYPES_PRIV_H

#include "base/map.h"
#include "base/mem.h"
#include "types/methodref.h"
#include "types/types.h"

/* Columns of ECMA-335 II.22. */
enum {
	TYPEDEF_FLAGS = 0,
	TYPEDEF_NAME = 1,
	TYPEDEF_NAMESPACE = 2,
	TYPEDEF_EXTENDS = 3,
	TYPEREF_SCOPE = 0,
	TYPEREF_NAME = 1,
	TYPEREF_NAMESPACE = 2,
	FIELD_FLAGS = 0,
	FIELD_NAME = 1,
	FIELD_SIGNATURE = 2,
	METHOD_RVA = 0,
	METHOD_IMPL_FLAGS = 1,
	METHOD_FLAGS = 2,
	METHOD_NAME = 3,
	METHOD_SIGNATURE = 4,
	MEMBERREF_PARENT = 0,
	MEMBERREF_NAME = 1,
	MEMBERREF_SIGNATURE = 2,
	GENERICPARAM_NUMBER = 0,
	GENERICPARAM_FLAGS = 1,
	GENERICPARAM_OWNER = 2,
	GENERICPARAM_NAME = 3,
};

enum {
	TYPE_ARGS_MAX = 256,
	TYPE_DEPTH_MAX = 64,   /* of types in types */
	TYPE_BASES_MAX = 1000, /* a broken chain may be a ring */
	TYPE_LAYOUT = 0x18,
	TYPE_SEQUENTIAL = 0x8,
	TYPE_EXPLICIT = 0x10,
	FIELD_STATIC_FLAG = 0x10,
	FIELD_LITERAL_FLAG = 0x40,
	FIELD_RVA_FLAG = 0x100,
};

/* A type definition: resolved token. */
struct type_def {
	struct code_module *module;
	uint32_t rid; /* 0: not resolved yet */
};

/* Lookup tables of a module. */
struct type_module {
	struct code_module *m;
	uint32_t *names;     /* by hash of name, enclosing rid: TypeDef rid */
	uint32_t n_names;    /* a power of 2 */
	uint32_t *next;      /* of the same hash, by TypeDef rid */
	struct map exported; /* hash of name: ExportedType rid */
	uint32_t n_defs, n_refs;
	struct type **defs;    /* by TypeDef rid */
	struct type_def *refs; /* by TypeRef rid */
	bool extensions_read;
};

struct type_field_list {
	struct type_field **v;
	size_t n;
	bool made;
};

struct type_facts {
	struct type *next; /* of the same hash */
	const char *name;
	struct value_facts *value;
	uint64_t mt, handle;
	uint32_t mt_sought; /* stop */
	bool has_parent, has_interfaces, has_methods;
	bool has_properties, has_layout, laying_out;
	bool union_sought, is_union;
	struct type *parent;
	struct type **interfaces;
	size_t n_interfaces;
	struct type_field_list fields, late;
	struct type_method **methods;
	size_t n_methods;
	struct type_property *properties;
	size_t n_properties;
	struct type_layout layout;
	struct map impls;           /* method: the one that runs */
	struct type_method **slots; /* vtable */
	size_t n_slots;
	bool has_slots;
	struct type *vector; /* array of it */
	struct type *byref;  /* by-ref of it */
};

struct type_method_facts {
	struct type_method *next; /* of the same hash */
	const struct type_sig *sig;
	const struct type_method_body *body;
	const char *name;
	uint64_t desc; /* see type_method_desc */
};

struct type_extension {
	const char *name;
	struct type_module *module;
	uint32_t method; /* rid */
	/*
	 * For a static extension member: rid of the method whose parameter has
	 * the extended type; 0: the first parameter is the receiver.
	 */
	uint32_t marker;
	/* ... of a generic block: rid of what declares it there; else 0. */
	uint32_t declared;
	struct type_extension *next;
};

struct types {
	struct target *target;
	struct dac *dac;
	struct code *code;
	struct arena *arena;
	uint32_t stop;
	struct map by_hash; /* types */
	struct map by_mt;
	struct map by_handle;  /* made handles */
	struct map methods;    /* by hash */
	struct map modules;    /* by Module*: struct type_module */
	struct map extensions; /* hash of name */
	struct code_module *core;
	struct type *prims[ELEM_OBJECT + 1];
	uint32_t *seen; /* numbers of the modules at the last stop */
	size_t n_seen, cap_seen;
	uint32_t modules_age; /* code_modules_age at the last stop */
	struct arena *
	    *retired; /* of types that were dropped, and may be held */
	size_t n_retired, cap_retired;
	uint64_t n_handles;
	bool quiet;                           /* see types_quiet */
	bool (*runs)(void *arg, uint64_t mt); /* see types_ask_runs */
	void *runs_arg;
};

uint64_t type_hash(uint64_t h, uint64_t word);

struct type_module *type_module_get(struct types *ts, struct code_module *m);
/* 0: void, or no primitive, string or object. */
uint32_t wellknown_elem_size(enum elem elem);
/* The canonical type like @proto, whose made parts are set. */
struct type *type_intern(struct types *ts, const struct type *proto);
/* How many generic parameters a definition has. */
uint32_t type_generic_count(const struct code_module *m, uint32_t owner,
			    uint32_t *ret_first);
DBG_MUST struct dbg_error *type_sig_make(struct types *ts,
					 const struct sig_method *sig,
					 const struct type_context *ctx,
					 const struct type_sig **ret);
/* The canonical method like @proto. */
struct type_method *type_method_intern(struct types *ts,
				       const struct type_method *proto);
struct type_context type_context(const struct type *type);

/* Layout by the rules alone, as if the program had not loaded @type. */
DBG_MUST struct dbg_error *type_layout_compute(struct types *ts,
					       struct type *type,
					       struct type_layout *ret);

#endif
