/*
 * Natives: what the library reads of the runtime's own structures
 * (MethodTable), and of objects as raw bytes.
 */
#include <string.h>

#include "base/err.h"
#include "il/machine/native.h"
#include "il/native/native_type.h"

/* ---- MethodTable -------------------------------------------------------- */

static struct type *handle(struct native *n)
{
	return type_of_handle(n->types, native_ref(n, 0));
}

static bool has_elements(const struct type *t)
{
	return t->kind == TYPE_KIND_ARRAY || t->special == TYPE_SPECIAL_STRING;
}

static enum native_end has_component_size(struct native *n)
{
	struct type *t = handle(n);
	return t ? native_ret_i4(n, has_elements(t)) : NATIVE_IL;
}

static enum native_end contains_pointers(struct native *n)
{
	const struct type_layout *layout;
	struct type *t = handle(n);
	if (!t)
		return NATIVE_IL;
	if (t->kind == TYPE_KIND_ARRAY)
		t = t->inner;
	if (t->is_reference)
		return native_ret_i4(n, 1);
	struct dbg_error *err = type_layout(n->types, t, &layout);
	return err ? native_fail(n, err) : native_ret_i4(n, layout->has_refs);
}

static enum native_end is_multi(struct native *n)
{
	struct type *t = handle(n);
	return t ? native_ret_i4(n, t->elem == ELEM_ARRAY) : NATIVE_IL;
}

static enum native_end is_vector(struct native *n)
{
	struct type *t = handle(n);
	return t ? native_ret_i4(n, t->elem == ELEM_SZARRAY) : NATIVE_IL;
}

static enum native_end multi_rank(struct native *n)
{
	struct type *t = handle(n);
	return t ? native_ret_i4(n, (int32_t)t->rank) : NATIVE_IL;
}

static enum native_end is_value_type(struct native *n)
{
	struct type *t = handle(n);
	return t ? native_ret_i4(n, t->is_value) : NATIVE_IL;
}

static enum native_end is_nullable(struct native *n)
{
	struct type *t = handle(n);
	return t ? native_ret_i4(n, t->special == TYPE_SPECIAL_NULLABLE)
		 : NATIVE_IL;
}

static enum native_end is_primitive(struct native *n)
{
	struct type *t = handle(n);
	bool prim =
	    t && (t->kind == TYPE_KIND_PRIM || t->kind == TYPE_KIND_ENUM);
	return t ? native_ret_i4(n, prim) : NATIVE_IL;
}

static enum native_end primitive_elem(struct native *n)
{
	struct type *t = handle(n);
	return t ? native_ret_i4(n, (int32_t)t->elem) : NATIVE_IL;
}

static enum native_end field_bytes(struct native *n)
{
	const struct type_layout *layout;
	struct type *t = handle(n);
	if (!t)
		return NATIVE_IL;
	struct dbg_error *err = type_layout(n->types, t, &layout);
	return err ? native_fail(n, err)
		   : native_ret_i4(n, (int32_t)layout->object);
}

static enum native_end element_handle(struct native *n)
{
	struct type *t = handle(n);
	if (!t || !t->inner)
		return NATIVE_IL;
	return native_ret_ref(n, type_handle(n->types, t->inner));
}

/* ---- RuntimeHelpers
 * ------------------------------------------------------------ */

static enum native_end object_has_elements(struct native *n)
{
	struct type *t = native_type_of(n, native_ref(n, 0));
	return t ? native_ret_i4(n, has_elements(t))
		 : native_throw(n, "System.NullReferenceException");
}

static enum native_end element_size(struct native *n)
{
	struct type *t = native_type_of(n, native_ref(n, 0));
	if (!t || t->kind != TYPE_KIND_ARRAY)
		return native_throw(n, "System.NullReferenceException");
	return native_ret_i4(n, (int32_t)native_size(n, t->inner));
}

/* Array.GetCorElementTypeOfElementType: enums count as their integers. */
static enum native_end element_code(struct native *n)
{
	struct type *t = native_type_of(n, native_ref(n, 0));
	if (!t || t->kind != TYPE_KIND_ARRAY)
		return native_throw(n, "System.NullReferenceException");
	return native_ret_i4(n, t->inner->is_value ? (int32_t)t->inner->elem
						   : ELEM_CLASS);
}

/* EnumEquals<T>(T, T), EnumCompareTo<T>(T, T) */
static int64_t enum_number(struct native *n, size_t i, const struct type *t)
{
	switch (t->elem) {
	case ELEM_I8:
	case ELEM_U8:
		return native_i8(n, i);
	case ELEM_U4:
		return (uint32_t)native_i4(n, i);
	default:
		return native_i4(n, i);
	}
}

static enum native_end enum_equals(struct native *n)
{
	const struct type *t = n->method->args[0];
	return native_ret_i4(n, enum_number(n, 0, t) == enum_number(n, 1, t));
}

static enum native_end enum_compare(struct native *n)
{
	const struct type *t = n->method->args[0];
	int64_t a = enum_number(n, 0, t), b = enum_number(n, 1, t);
	if (t->elem == ELEM_U8)
		return native_ret_i4(n,
				     (uint64_t)a < (uint64_t)b ? -1 : a != b);
	return native_ret_i4(n, a < b ? -1 : a > b);
}

/* ---- Arrays
 * ---------------------------------------------------------------------- */

/* Array.Clone is MemberwiseClone. */
static enum native_end clone(struct native *n)
{
	struct type *object = type_of_elem(n->types, ELEM_OBJECT);
	struct type_method *m =
	    type_method_named(n->types, object, "MemberwiseClone", 0);
	uint64_t place = VM_FIRST + n->base;
	return m ? native_call(n, m, &place, 1) : NATIVE_IL;
}

/* Array.CreateInstance(Type, int) */
static enum native_end create_array(struct native *n)
{
	uint64_t of = native_ref(n, 0);
	struct type *t = of ? vm_type_of_object(n->vm, of) : NULL;
	int32_t length = native_i4(n, 1);
	if (!t || length < 0)
		return native_throw(n, "System.ArgumentException");
	uint64_t array =
	    vm_new_array(n->vm, type_vector(n->types, t), (uint64_t)length);
	return array ? native_ret_ref(n, array)
		     : native_refuse(n, "too much memory is wanted");
}

/* ---- Allocation -------------------------------------------------------- */

/* Allocate an object by its MethodTable; no constructor runs. */
static enum native_end allocate_of(struct native *n)
{
	struct type *t = handle(n);
	uint64_t object = t ? vm_new(n->vm, t) : 0;
	return object ? native_ret_ref(n, object) : NATIVE_IL;
}

#define HELPERS "System.Runtime.CompilerServices.RuntimeHelpers"
#define TABLE "System.Runtime.CompilerServices.MethodTable"

static const struct il_native rows[] = {
    {TABLE, "get_HasComponentSize", "t()i", has_component_size},
    {TABLE, "get_ContainsGCPointers", "t()i", contains_pointers},
    {TABLE, "get_IsMultiDimensionalArray", "t()i", is_multi},
    {TABLE, "get_MultiDimensionalArrayRank", "t()i", multi_rank},
    {TABLE, "get_IsValueType", "t()i", is_value_type},
    {TABLE, "get_IsNullable", "t()i", is_nullable},
    {TABLE, "get_IsPrimitive", "t()i", is_primitive},
    {TABLE, "GetPrimitiveCorElementType", "t()i", primitive_elem},
    {TABLE, "GetNumInstanceFieldBytes", "t()i", field_bytes},
    {TABLE, "get_IsSzArray", "t()i", is_vector},
    {TABLE, "GetArrayElementTypeHandle", "t()v1", element_handle},
    {HELPERS, "ObjectHasComponentSize", "(o)i", object_has_elements},
    {HELPERS, "GetElementSize", "(o)i", element_size},
    {HELPERS, "EnumEquals", "(TT)i", enum_equals},
    {HELPERS, "EnumCompareTo", "(TT)i", enum_compare},
    {"System.Array", "GetCorElementTypeOfElementType", "t()i", element_code},
    {"System.Array", "Clone", "t()o", clone},
    {"System.Array", "CreateInstance", "(oi)o: System.Type, int", create_array},
    {"System.RuntimeTypeHandle", "InternalAllocNoChecks", "(p)o (pv1).",
     allocate_of},
    {"System.RuntimeTypeHandle", "InternalAlloc", "(o)o (p)o (pv1).",
     allocate_of},
};

const struct native_table native_object = {rows,
					   sizeof(rows) / sizeof(rows[0])};
