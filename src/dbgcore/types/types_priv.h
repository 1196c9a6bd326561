/* Shared by the files of the type system. */
#ifndef TYPES_TYPES_PRIV_H
#define TYPES_TYPES_PRIV_H

#include "base/map.h"
#include "base/mem.h"
#include "types/methods.h"
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
	IL_ARGS_MAX = 256,
	IL_DEPTH_MAX = 64,   /* of types in types */
	IL_BASES_MAX = 1000, /* a broken chain may be a ring */
	TYPE_INTERFACE = 0x20,
	TYPE_LAYOUT = 0x18,
	TYPE_SEQUENTIAL = 0x8,
	TYPE_EXPLICIT = 0x10,
	FIELD_STATIC_FLAG = 0x10,
	FIELD_LITERAL_FLAG = 0x40,
	FIELD_RVA_FLAG = 0x100,
};

/* A type definition: resolved token. */
struct il_def {
	struct code_module *module;
	uint32_t rid; /* 0: not resolved yet */
};

/* What is kept for each module that was looked into. */
struct il_module {
	struct code_module *m;
	struct map names;    /* hash of name, enclosing rid: TypeDef rid */
	uint32_t *next;      /* of the same hash, by TypeDef rid */
	struct map exported; /* hash of name: ExportedType rid */
	uint32_t n_defs, n_refs;
	struct il_type **defs; /* by TypeDef rid */
	struct il_def *refs;   /* by TypeRef rid */
	bool extensions_read;
};

struct il_type_facts {
	struct il_type *next; /* of the same hash */
	const char *name;
	struct value_facts *value;
	uint64_t mt, handle;
	uint32_t mt_sought; /* stop */
	bool has_parent, has_interfaces, has_fields, has_methods;
	bool has_properties, has_layout, laying_out;
	struct il_type *parent;
	struct il_type **interfaces;
	size_t n_interfaces;
	struct il_field **fields;
	size_t n_fields;
	struct il_method **methods;
	size_t n_methods;
	struct il_property *properties;
	size_t n_properties;
	struct il_layout layout;
	struct map impls;         /* method: the one that runs */
	struct il_method **slots; /* vtable */
	size_t n_slots;
	bool has_slots;
	struct il_type *vector; /* array of it */
	struct il_type *byref;  /* by-ref of it */
};

struct il_method_facts {
	struct il_method *next; /* of the same hash */
	const struct il_sig *sig;
	const struct il_method_body *body;
	const char *name;
	uint64_t desc; /* see il_method_desc */
};

struct il_extension {
	const char *name;
	struct il_module *module;
	uint32_t method; /* rid */
	/*
	 * Of a static member: rid of the method whose parameter has the type
	 * that is extended; 0: its first parameter is the receiver.
	 */
	uint32_t marker;
	/* ... of a generic block: rid of what declares it there; else 0. */
	uint32_t declared;
	struct il_extension *next;
};

struct il_types {
	struct target *target;
	struct dac *dac;
	struct code *code;
	struct arena *arena;
	uint32_t stop;
	struct map by_hash; /* types */
	struct map by_mt;
	struct map by_handle;  /* made handles */
	struct map methods;    /* by hash */
	struct map modules;    /* by Module*: struct il_module */
	struct map extensions; /* hash of name */
	struct code_module *core;
	struct il_type *prims[ELEM_OBJECT + 1];
	uint32_t *seen; /* numbers of the modules at the last stop */
	size_t n_seen, cap_seen;
	uint32_t unloaded_age; /* code_unloaded_age at the last stop */
	struct arena *
	    *retired; /* of types that were dropped, and may be held */
	size_t n_retired, cap_retired;
	uint64_t n_handles;
	bool quiet;                           /* see il_types_quiet */
	bool (*runs)(void *arg, uint64_t mt); /* see il_types_ask_runs */
	void *runs_arg;
};

uint64_t il_hash(uint64_t h, uint64_t word);

struct il_module *il_module_get(struct il_types *ts, struct code_module *m);
/* The TypeDef of @m of this name in class @enclosing (0: none); 0: none. */
uint32_t il_module_def(struct il_module *im, uint32_t enclosing,
		       const char *space, const char *name);
/* The same, or what it is forwarded to. */
bool il_module_find(struct il_types *ts, struct il_module *im,
		    const char *space, const char *name, struct il_def *ret);
/* TypeDef or TypeRef of @m. */
DBG_MUST struct dbg_error *il_resolve(struct il_types *ts,
				      struct code_module *m, uint32_t token,
				      struct il_def *ret);

/* What a TypeDef of the core library is, by its name. */
enum il_special wellknown_special(const struct md *md, uint32_t rid);
/* ELEM_END if it is no primitive. */
enum elem wellknown_elem(const struct md *md, uint32_t rid);
/* 0: void, or no primitive, string or object. */
uint32_t wellknown_elem_size(enum elem elem);
/* In metadata, "System.Int32", and in C#; NULL: it is none. */
const char *wellknown_elem_name(enum elem elem);
const char *wellknown_elem_keyword(enum elem elem);

/* A new type like @proto, which is no other's equal. */
struct il_type *il_type_add(struct il_types *ts, const struct il_type *proto);
/* The canonical type like @proto, whose made parts are set. */
struct il_type *il_type_intern(struct il_types *ts,
			       const struct il_type *proto);
/* How many generic parameters the definition has. */
uint32_t il_generic_count(const struct code_module *m, uint32_t owner,
			  uint32_t *ret_first);
DBG_MUST struct dbg_error *il_sig_make(struct il_types *ts,
				       const struct sig_method *sig,
				       const struct il_context *ctx,
				       const struct il_sig **ret);
/* The canonical method like @proto. */
struct il_method *il_method_intern(struct il_types *ts,
				   const struct il_method *proto);
struct il_context il_type_context(const struct il_type *type);

/* Layout by the rules alone, as if the program had not loaded @type. */
DBG_MUST struct dbg_error *il_layout_compute(struct il_types *ts,
					     struct il_type *type,
					     struct il_layout *ret);

#endif
