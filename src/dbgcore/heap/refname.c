/*
 * The names of references: which field of an object, or which element of an
 * array, lies at an offset. Structures within are followed: "table[3].next".
 */
#include "dac/objectlayout.h"
#include "heap/heap.h"

#include "base/mem.h"
#include "base/str.h"
#include "value/value.h"

enum {
	DEPTH_MAX = 16, // structures in structures
	VECTOR_BASE = 24,
};

// The instance field of @type or a base at @offset from the first one.
static const struct field *field_at(struct values *ts, struct type *type,
				    uint64_t offset)
{
	for (; type; type = value_type_parent(ts, type)) {
		const struct field *fields;
		size_t n;

		value_type_fields(ts, type, &fields, &n);
		for (size_t i = 0; i < n; i++) {
			const struct field *f = &fields[i];
			uint64_t size =
			    type_size(f->type) ? type_size(f->type) : 1;

			if (f->kind == FIELD_INSTANCE &&
			    !f->in_types->is_late && f->offset <= offset &&
			    offset - f->offset < size)
				return f;
		}
	}
	return NULL;
}

static bool add_fields(struct values *ts, struct type *type, uint64_t offset,
		       struct str *out)
{
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		const struct field *f = field_at(ts, type, offset);

		if (!f)
			return false;
		if (out->len)
			str_addc(out, '.');
		str_add(out, f->source ? f->source : f->name);
		if (f->type->kind != TYPE_KIND_STRUCT)
			return true;
		offset -= f->offset;
		type = f->type;
	}
	return false;
}

const char *heap_ref_name(struct values *ts, const struct heap_object *o,
			  uint64_t offset, struct arena *arena)
{
	struct type *type = value_type_of_mt(ts, o->type->mt);
	_cleanup_str_ struct str name = {0};
	bool known = false;

	if (!type)
		return NULL;
	if (type->kind == TYPE_KIND_ARRAY && o->type->component_size) {
		// lengths and lower bounds lie in front of the elements
		uint64_t data = ARRAY_DATA + (o->type->base_size - VECTOR_BASE);
		uint32_t size = o->type->component_size;

		if (o->type->base_size < VECTOR_BASE || offset < data)
			return NULL;
		str_addf(&name, "[%llu]",
			 (unsigned long long)((offset - data) / size));
		known =
		    !type->inner || type->inner->kind != TYPE_KIND_STRUCT ||
		    add_fields(ts, type->inner, (offset - data) % size, &name);
	} else if (offset >= HEAP_WORD) {
		known = add_fields(ts, type, offset - HEAP_WORD, &name);
	}
	return known ? arena_strdup(arena, str_get(&name)) : NULL;
}
