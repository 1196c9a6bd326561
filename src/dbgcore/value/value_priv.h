/* Shared inside value/. */
#ifndef VALUE_VALUE_PRIV_H
#define VALUE_VALUE_PRIV_H

#include "base/map.h"
#include "base/mem.h"
#include "value/value.h"

/* What is found out about a type once it is asked for. */
struct type_facts {
	const char *key;   /* interning key, NULL: by MethodTable alone */
	struct type *next; /* of the same hash */
	const char *simple;
	/* Stops at which these were last looked for; 0: never. */
	uint32_t mt_sought, parent_sought, fields_sought, inline_sought;
	/* Where a class of a signature comes from, until it is resolved. */
	struct code_module *origin;
	uint32_t origin_token;
	uint64_t layout; /* MethodTable to lay fields out by; 0: mt */
	struct type *parent;
	struct field *fields;
	size_t n_fields;
	bool is_inline;                 /* fixed buffer or inline array */
	struct enumerator *enumerators; /* NULL: not made yet */
	size_t n_enumerators;
	bool is_flags;
};

struct types {
	struct target *target;
	struct dac *dac;
	struct code *code;
	struct arena *arena;
	const struct types_overlay *overlay;
	uint32_t stop;
	struct map by_mt;
	struct map by_key;   /* hash of key: chain */
	struct map names;    /* hash of simple name: struct name_entry chain */
	size_t n_named;      /* modules in names */
	struct map unloaded; /* ... and those that are not loaded, by number */
	const struct code_module *refers; /* the last that was asked for its */
	size_t refers_at;                 /* n_named then */
	struct code_module *core;
	uint32_t *seen; /* numbers of the modules at the last stop */
	size_t n_seen, cap_seen;
	struct type *prims[ELEM_OBJECT + 1];
};

/* Read the program's memory, or the overlay's; false: unreadable. */
bool types_read(struct types *ts, uint64_t addr, void *buf, size_t n);
/* Is @addr one that no program has? */
static inline bool types_beside(uint64_t addr)
{
	return addr >> 47 && addr >> 47 != 0x1ffff;
}

struct type *type_alloc(struct types *ts);
/* The type of this key; a fresh, empty one if there was none. */
struct type *type_intern(struct types *ts, const char *key, bool *ret_new);
/* Give @type its definition and what follows from that. */
void type_set_def(struct types *ts, struct type *type, struct code_module *m,
		  uint32_t token);

/* MethodTable whose FieldDescs lay @type out; 0: not loaded. */
/*
 * Name of an array of @inner: int[] of rank 2 is int[,][] to the runtime,
 * int[][,] in C#: the outermost rank comes first.
 */
const char *type_array_name(struct types *ts, const char *inner, uint32_t rank);
uint64_t type_layout(struct types *ts, struct type *type);
/* The TypeDef that a TypeDef or TypeRef token of @m names; false: unknown. */
bool type_resolve(struct types *ts, struct code_module *m, uint32_t token,
		  struct code_module **ret_module, uint32_t *ret_token);
/* Value of a constant; *ret_elem ELEM_END if it has none. */
struct bytes field_constant(const struct field *f, enum elem *ret_elem);
struct code_module *types_core(struct types *ts);
void type_names_clear(struct types *ts);
/* What a TypeDef of the core library is, by its name. */
enum type_special wellknown_special(const struct md *md, uint32_t rid);
/* ELEM_END if it is no primitive. */
enum elem wellknown_elem(const struct md *md, uint32_t rid);
uint32_t wellknown_elem_size(enum elem elem);
const char *wellknown_elem_name(enum elem elem);
/* Elem of the value__ field of an enum's TypeDef. */
enum elem wellknown_enum_elem(const struct md *md, uint32_t rid);
/* Does the TypeDef derive directly from System.@name? */
bool wellknown_extends(const struct md *md, uint32_t rid, const char *name);

#endif
