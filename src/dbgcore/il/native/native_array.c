/*
 * Natives: elements of arrays as objects. The library reads the MethodTable of
 * the array, which an array that the program has no type of does not have.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "il/machine/vm_priv.h"
#include "il/native/native_type.h"

enum {
	ELEMENT_MAX = 4096,
};

/* The element that the last argument numbers. False: there is none. */
static bool element_at(struct native *n, struct type **ret_type,
		       uint64_t *ret_addr)
{
	uint64_t array = native_ref(n, 0), data, count;
	uint64_t index = (uint64_t)native_i8(n, n->n_args - 1);
	struct type *type = native_type_of(n, array);
	if (!type || type->kind != TYPE_KIND_ARRAY ||
	    !array_data(n->vm, array, &data, &count) || index >= count)
		return false;
	*ret_type = type->inner;
	*ret_addr = data + index * native_size(n, type->inner);
	return true;
}

/* A nullable element is boxed as its value, or is null. */
static enum native_end box(struct native *n, struct type *type, uint64_t addr)
{
	const struct type_layout *whole, *value;
	uint8_t bytes[ELEMENT_MAX];
	struct dbg_error *err = type_layout(n->types, type, &whole);
	size_t skip = 0;
	if (err)
		return native_fail(n, err);
	if (whole->size > sizeof(bytes))
		return native_refuse(n, "its elements are too big");
	enum native_end end = native_get(n, addr, bytes, whole->size);
	if (end != NATIVE_DONE)
		return end;
	if (type->special == TYPE_SPECIAL_NULLABLE) {
		type = type->args[0];
		err = type_layout(n->types, type, &value);
		if (err)
			return native_fail(n, err);
		if (!bytes[0])
			return native_ret_ref(n, 0);
		skip = value->align;
	}
	uint64_t object = object_box(n->vm, type, bytes + skip);
	return object ? native_ret_ref(n, object)
		      : native_refuse(n, "too much memory is wanted");
}

/* InternalGetValue(nint) */
static enum native_end get_value(struct native *n)
{
	struct type *type;
	uint64_t addr;
	if (!element_at(n, &type, &addr))
		return NATIVE_IL;
	if (type->kind == TYPE_KIND_POINTER || type->kind == TYPE_KIND_FUNCTION)
		return native_throw(n, "System.NotSupportedException");
	if (!type->is_reference)
		return box(n, type, addr);
	return native_ret_get(n, addr, sizeof(addr));
}

static enum native_end set_nullable(struct native *n, uint64_t addr,
				    uint64_t object, struct type *type)
{
	const uint8_t one = 1;
	const struct type_layout *value;
	struct dbg_error *err = type_layout(n->types, type, &value);
	if (err)
		return native_fail(n, err);
	enum native_end end = native_put(n, addr, &one, sizeof(one));
	return end == NATIVE_DONE ? native_move(n, addr + value->align,
						object + 8, value->size)
				  : end;
}

/* InternalSetValue(object, nint) */
static enum native_end set_value(struct native *n)
{
	struct type *type;
	uint64_t addr, object = native_ref(n, 1);
	bool fits = false;
	if (!element_at(n, &type, &addr))
		return NATIVE_IL;
	uint32_t size = native_size(n, type);
	if (!object)
		return native_fill(n, addr, 0, size);
	struct type *from = native_type_of(n, object);
	if (!from)
		return NATIVE_IL;
	if (type->is_reference) {
		struct dbg_error *err =
		    type_assignable(n->types, from, type, &fits);
		if (err)
			return native_fail(n, err);
		return fits ? native_put(n, addr, &object, sizeof(object))
			    : native_throw(n, "System.InvalidCastException");
	}
	if (from == type)
		return native_move(n, addr, object + 8, size);
	if (type->special == TYPE_SPECIAL_NULLABLE && from == type->args[0])
		return set_nullable(n, addr, object, from);
	return from->is_value && type->is_value
		   ? native_refuse(n, "a value of another type is converted")
		   : native_throw(n, "System.InvalidCastException");
}

static const struct il_native rows[] = {
    {"System.Array", "InternalGetValue", "t(p)o: nint", get_value},
    {"System.Array", "InternalSetValue", "t(op).: object, nint", set_value},
};

const struct native_table native_array = {rows, sizeof(rows) / sizeof(rows[0])};
