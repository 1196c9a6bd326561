/* Shared inside value/. */
#ifndef VALUE_VALUE_PRIV_H
#define VALUE_VALUE_PRIV_H

#include "base/map.h"
#include "base/mem.h"
#include "value/value.h"

/* Facts about a type that are found when they are first asked for. */
struct value_facts {
	/* Stops at which these were last looked for; 0: never. */
	uint32_t fields_sought, inline_sought;
	struct field *fields;
	size_t n_fields;
	bool is_inline;                 /* fixed buffer or inline array */
	struct enumerator *enumerators; /* NULL: not made yet */
	size_t n_enumerators;
	bool is_flags;
};

struct values {
	struct target *target;
	struct dac *dac;
	struct code *code;
	struct types *types;
	struct arena *arena;
	values_read_fn *read_beside; /* see values_set_beside */
	values_late_fn *late_beside; /* likewise */
	void *beside;
	uint32_t stop;
	struct map names;    /* hash of simple name: struct name_entry chain */
	size_t n_named;      /* modules in names */
	struct map unloaded; /* ... and those that are not loaded, by number */
	const struct code_module *refers; /* the last that was asked for its */
	size_t refers_at;                 /* n_named then */
};

/* Read the program's memory, or what is beside it; false: unreadable. */
bool values_read(struct values *ts, uint64_t addr, void *buf, size_t n);
/* Is @addr one that no program has? */
static inline bool values_beside(uint64_t addr)
{
	return addr >> 47 && addr >> 47 != 0x1ffff;
}

/* The facts that this room keeps about @type. */
struct value_facts *value_type_facts(struct values *ts,
				     const struct type *type);
void value_type_names_clear(struct values *ts);

#endif
