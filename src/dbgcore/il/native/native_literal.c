/*
 * Natives: enumerators as fields, which have no record of the runtime's. The
 * library reads them from the metadata of the module by its own code.
 */
#include <string.h>

#include "base/err.h"
#include "il/machine/vm_priv.h"
#include "il/native/native_type.h"

enum {
	/* System.Reflection.BindingFlags */
	BIND_IGNORE_CASE = 1,
	BIND_STATIC = 8,
	BIND_PUBLIC = 16,
	NAME_SIZE = 256,
};

static enum native_end make_info(struct native *n, struct type *owner,
				 const struct type_field *f)
{
	struct type *kind =
	    type_core(n->types, "System.Reflection.MdFieldInfo");
	uint64_t object = kind ? vm_new(n->vm, kind) : 0;
	uint64_t of = vm_type_object(n->vm, owner), name = native_ref(n, 1);
	int32_t flags = f->flags, bound = BIND_STATIC | BIND_PUBLIC;
	if (!object || !of)
		return native_refuse(n, "too much memory is wanted");
	const struct {
		const char *name;
		const void *from;
		size_t size;
	} parts[] = {
	    {"m_tkField", &f->token, 4},      {"m_name", &name, 8},
	    {"m_fieldAttributes", &flags, 4}, {"m_declaringType", &of, 8},
	    {"m_bindingFlags", &bound, 4},
	};
	for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
		enum native_end end = native_set_field(
		    n, object, parts[k].name, parts[k].from, parts[k].size);
		if (end != NATIVE_DONE)
			return end;
	}
	return native_ret_ref(n, object);
}

/* RuntimeType.GetField(string, BindingFlags) of an enum */
static enum native_end get_field(struct native *n)
{
	struct type_field *const *all;
	size_t n_all;
	struct type *type = vm_type_of_object(n->vm, native_ref(n, 0));
	int32_t flags = native_i4(n, 2);
	char name[NAME_SIZE];
	if (!type || type->kind != TYPE_KIND_ENUM ||
	    (flags & BIND_IGNORE_CASE) || !(flags & BIND_STATIC) ||
	    !(flags & BIND_PUBLIC) ||
	    !native_ascii(n, native_ref(n, 1), name, sizeof(name)))
		return NATIVE_IL;
	type_fields(n->types, type, &all, &n_all);
	for (size_t k = 0; k < n_all; k++) {
		if (all[k]->is_const && !strcmp(name, all[k]->name))
			return make_info(n, type, all[k]);
	}
	return NATIVE_IL;
}

/* MdFieldInfo.GetValue(object), of an enumerator */
static enum native_end get_value(struct native *n)
{
	struct type_field *const *all;
	size_t n_all;
	uint64_t of = 0;
	uint32_t token = 0;
	uint8_t value[8] = {0};
	if (native_get_field(n, native_ref(n, 0), "m_declaringType", &of, 8) !=
		NATIVE_DONE ||
	    native_get_field(n, native_ref(n, 0), "m_tkField", &token, 4) !=
		NATIVE_DONE)
		return NATIVE_IL;
	struct type *type = vm_type_of_object(n->vm, of);
	if (!type || type->kind != TYPE_KIND_ENUM)
		return NATIVE_IL;
	type_fields(n->types, type, &all, &n_all);
	for (size_t k = 0; k < n_all; k++) {
		enum elem elem;
		if (all[k]->token != token || !all[k]->is_const)
			continue;
		struct bytes b = type_field_constant(all[k], &elem);
		memcpy(value, b.p, b.n < sizeof(value) ? b.n : sizeof(value));
		uint64_t object = object_box(n->vm, type, value);
		return object ? native_ret_ref(n, object)
			      : native_refuse(n, "too much memory is wanted");
	}
	return NATIVE_IL;
}

static const struct il_native rows[] = {
    {"System.RuntimeType", "GetField",
     "t(oi)o: string, System.Reflection.BindingFlags", get_field},
    {"System.Reflection.MdFieldInfo", "GetValue", "t(o)o: object", get_value},
};

const struct native_table native_literal = {rows,
					    sizeof(rows) / sizeof(rows[0])};
